/* The pod that stands for a set of pods: endpoint_set_sample and what belongs to it. */
#include <string.h>

#include "base/arena.h"
#include "ir/endpoint_set.h"

static const char digits_and_letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char dns_characters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* Keys whose values are names of objects: never empty, of DNS characters, and "default" says most to a reader. */
static bool holds_name(const struct label_key *key) {
    return key->scope == LABEL_SERVICE_ACCOUNT || key->scope == LABEL_CLUSTER || label_key_is_namespace_name(key);
}

static int value_rank(const struct label_key *key, const char *value) {
    if (holds_name(key) && strcmp(value, LABEL_DEFAULT) == 0) {
        return 0;
    }
    return strlen(value) <= 1 ? 1 : 2;
}

static int value_compare(const struct label_key *key, const char *a, const char *b) {
    int rank_a = value_rank(key, a), rank_b = value_rank(key, b);
    return rank_a != rank_b ? rank_a - rank_b : strcmp(a, b);
}

int endpoint_compare(const struct endpoint *a, const struct endpoint *b) {
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        int order = label_key_compare(&a->labels[i].key, &b->labels[i].key);
        if (order != 0) {
            return -order; /* the other lacks the earlier key */
        }
        order = value_compare(&a->labels[i].key, a->labels[i].value, b->labels[i].value);
        if (order != 0) {
            return order;
        }
    }
    return (a->count > b->count) - (a->count < b->count);
}

/* The value that comes as number `n`, from 0, when all are listed, shorter ones first. */
static const char *value_number(struct arena *arena, const struct label_key *key, size_t n) {
    const char *characters = holds_name(key) ? dns_characters : digits_and_letters;
    size_t base = strlen(characters);
    char text[16];
    size_t at = sizeof text;
    if (holds_name(key)) {
        n++;
    }
    for (; n > 0; n = (n - 1) / base) {
        text[--at] = characters[(n - 1) % base];
    }
    return arena_copy(arena, text + at, sizeof text - at);
}

static const char *least_value(struct arena *arena, const struct label_key *key, const struct value_set *set) {
    if (set->complement) {
        if (holds_name(key) && value_set_contains(set, LABEL_DEFAULT)) {
            return LABEL_DEFAULT;
        }
        /* At most set->count values are excluded, so this ends. */
        for (size_t n = 0;; n++) {
            const char *value = value_number(arena, key, n);
            if (value_set_contains(set, value)) {
                return value;
            }
        }
    }
    const char *least = set->values[0];
    for (uint32_t i = 1; i < set->count; i++) {
        if (value_compare(key, set->values[i], least) < 0) {
            least = set->values[i];
        }
    }
    return least;
}

static struct endpoint sample_one(struct arena *arena, const struct label_set *set) {
    static const struct label_key namespace_name = {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME};
    struct label *labels = arena_array(arena, (size_t)set->count + 1, sizeof *labels);
    uint32_t count = 0;
    bool named = label_set_values(set, &namespace_name) != NULL;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct label_requirement *requirement = &set->requirements[i];
        if (!named && label_key_compare(&requirement->key, &namespace_name) > 0) {
            labels[count++] = (struct label){namespace_name, LABEL_DEFAULT};
            named = true;
        }
        if (!requirement->values.absent) {
            const char *value = least_value(arena, &requirement->key, &requirement->values);
            labels[count++] = (struct label){requirement->key, value};
        }
    }
    if (!named) {
        labels[count++] = (struct label){namespace_name, LABEL_DEFAULT};
    }
    return (struct endpoint){labels, count};
}

bool endpoint_set_sample(struct arena *arena, const struct endpoint_set *set, struct endpoint *endpoint) {
    for (uint32_t i = 0; i < set->count; i++) {
        struct endpoint other = sample_one(arena, &set->sets[i]);
        if (i == 0 || endpoint_compare(&other, endpoint) < 0) {
            *endpoint = other;
        }
    }
    return set->count > 0;
}

void endpoint_print(struct buffer *out, const struct endpoint *endpoint) {
    buffer_add_string(out, "pod");
    for (uint32_t i = 0; i < endpoint->count; i++) {
        buffer_add_string(out, i ? ", " : " ");
        label_key_print(out, &endpoint->labels[i].key);
        buffer_print(out, "=%s", endpoint->labels[i].value);
    }
}

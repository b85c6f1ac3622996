/* The pod that stands for a set of pods: endpoint_set_sample and what belongs to it. */
#include <string.h>

#include "base/arena.h"
#include "ir/endpoint_term.h"

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

/* A pod being built, key after key. */
struct draft {
    struct arena *arena;
    struct endpoint_term term; /* less and less free */
    struct label *labels;
    uint32_t count;
    int64_t effort;
};

/* Narrows the term to one value of the key, or to absence. False: nothing would be left, or that is not known. */
static bool settle(struct draft *draft, const struct label_key *key, const char *value_or_null) {
    struct value_set one = value_set_of(draft->arena, &value_or_null, value_or_null != NULL, false, !value_or_null);
    struct endpoint_term narrowed = draft->term;
    narrowed.all_of = label_set_require(draft->arena, &draft->term.all_of, *key, &one);
    if (label_set_is_empty(&narrowed.all_of) || !endpoint_term_reduce(draft->arena, &narrowed) ||
        endpoint_term_is_empty(&narrowed, &draft->effort) != SET_INHABITED) {
        return false;
    }
    draft->term = narrowed;
    if (value_or_null) {
        draft->labels[draft->count++] = (struct label){*key, value_or_null};
    }
    return true;
}

/* All values that exclusions list for the key, as if one required them. */
static struct value_set listed_values(struct arena *arena, const struct endpoint_term *term,
                                      const struct label_key *key) {
    struct value_set all = {NULL, 0, false, false};
    for (uint32_t i = 0; i < term->none_count; i++) {
        const struct value_set *values = label_set_values(&term->none_of[i], key);
        if (values) {
            struct value_set listed = {values->values, values->count, false, false};
            all = value_set_union(arena, &all, &listed);
        }
    }
    return all;
}

/* Takes the least value of those that exclusions list, and of the others the least, for all others are alike. */
static bool settle_least(struct draft *draft, const struct label_key *key, struct value_set values) {
    struct value_set listed = listed_values(draft->arena, &draft->term, key);
    struct value_set others = value_set_negate(draft->arena, &listed, true);
    others = value_set_intersect(draft->arena, &values, &others);
    values = value_set_intersect(draft->arena, &values, &listed);
    others.absent = false;
    if (!value_set_is_empty(&others)) {
        const char *other = least_value(draft->arena, key, &others);
        struct value_set one = value_set_of(draft->arena, &other, 1, false, false);
        values = value_set_union(draft->arena, &values, &one);
    }
    while (values.count > 0) {
        const char *value = least_value(draft->arena, key, &values);
        if (settle(draft, key, value)) {
            return true;
        }
        struct value_set rest = value_set_of(draft->arena, &value, 1, true, false);
        values = value_set_intersect(draft->arena, &values, &rest);
    }
    return false;
}

static bool settle_key(struct draft *draft, const struct label_key *key) {
    static const struct value_set any = {NULL, 0, true, true};
    const struct value_set *values = label_set_values(&draft->term.all_of, key);
    bool absent = values ? values->absent : !label_key_is_universal(key);
    return (absent && settle(draft, key, NULL)) || settle_least(draft, key, values ? *values : any);
}

/* The keys that the term speaks of, and the namespace's name. */
static struct label_set keys_of(struct arena *arena, const struct endpoint_term *term) {
    static const struct label_key namespace_name = {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME};
    static const struct value_set any = {NULL, 0, false, false};
    struct label_set keys = label_set_require(arena, &term->all_of, namespace_name, &any);
    for (uint32_t i = 0; i < term->none_count; i++) {
        keys = label_set_intersect(arena, &keys, &term->none_of[i]);
    }
    return keys;
}

static bool sample_one(struct arena *arena, const struct endpoint_term *term, struct endpoint *endpoint) {
    struct label_set keys = keys_of(arena, term);
    struct draft draft = {.arena = arena, .term = *term, .effort = ENDPOINT_SET_EFFORT};
    draft.labels = arena_array(arena, keys.count, sizeof *draft.labels);
    for (uint32_t i = 0; i < keys.count; i++) {
        if (!settle_key(&draft, &keys.requirements[i].key)) {
            return false;
        }
    }
    *endpoint = (struct endpoint){draft.labels, draft.count};
    return true;
}

bool endpoint_set_sample(struct arena *arena, const struct endpoint_set *set, struct endpoint *endpoint) {
    bool found = false;
    for (uint32_t i = 0; i < set->count; i++) {
        struct endpoint other;
        if (sample_one(arena, &set->terms[i], &other) && (!found || endpoint_compare(&other, endpoint) < 0)) {
            *endpoint = other;
            found = true;
        }
    }
    return found;
}

void endpoint_print(struct buffer *out, const struct endpoint *endpoint) {
    buffer_add_string(out, "pod");
    for (uint32_t i = 0; i < endpoint->count; i++) {
        buffer_add_string(out, i ? ", " : " ");
        label_key_print(out, &endpoint->labels[i].key);
        buffer_print(out, "=%s", endpoint->labels[i].value);
    }
}

#include "ir/label_set.h"

#include <string.h>

#include "base/arena.h"

int label_key_compare(const struct label_key *a, const struct label_key *b) {
    if (a->scope != b->scope) {
        return a->scope < b->scope ? -1 : 1;
    }
    return a->name == b->name ? 0 : strcmp(a->name, b->name);
}

bool label_key_is_namespace_name(const struct label_key *key) {
    return key->scope == LABEL_NAMESPACE && strcmp(key->name, LABEL_NAMESPACE_NAME) == 0;
}

bool label_key_is_universal(const struct label_key *key) {
    return key->scope == LABEL_SERVICE_ACCOUNT || key->scope == LABEL_CLUSTER || label_key_is_namespace_name(key);
}

/* Whether every pod has it. */
static bool is_free(const struct label_key *key, const struct value_set *values) {
    return values->complement && values->count == 0 && (values->absent || label_key_is_universal(key));
}

struct label_set label_set_everything(void) {
    return (struct label_set){NULL, 0};
}

struct label_set label_set_require(struct arena *arena, const struct label_set *set, struct label_key key,
                                   const struct value_set *values) {
    struct label_requirement one = {key, *values};
    if (label_key_is_universal(&key)) {
        one.values.absent = false;
    }
    if (is_free(&key, &one.values)) {
        return *set;
    }
    struct label_set added = {&one, 1};
    return label_set_intersect(arena, set, &added);
}

struct label_set label_set_intersect(struct arena *arena, const struct label_set *a, const struct label_set *b) {
    struct label_requirement *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count; count++) {
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : label_key_compare(&a->requirements[i].key, &b->requirements[j].key);
        to[count] = order <= 0 ? a->requirements[i] : b->requirements[j];
        if (order == 0) {
            to[count].values = value_set_intersect(arena, &a->requirements[i].values, &b->requirements[j].values);
        }
        i += order <= 0;
        j += order >= 0;
    }
    return (struct label_set){count ? to : NULL, count};
}

bool label_set_is_empty(const struct label_set *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (value_set_is_empty(&set->requirements[i].values)) {
            return true;
        }
    }
    return false;
}

const struct value_set *label_set_values(const struct label_set *set, const struct label_key *key) {
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = label_key_compare(&set->requirements[middle].key, key);
        if (order == 0) {
            return &set->requirements[middle].values;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

bool label_set_meets(const struct label_set *a, const struct label_set *b) {
    if (label_set_is_empty(a) || label_set_is_empty(b)) {
        return false;
    }
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        int order = label_key_compare(&a->requirements[i].key, &b->requirements[j].key);
        if (order == 0 && !value_set_meets(&a->requirements[i].values, &b->requirements[j].values)) {
            return false;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return true;
}

bool label_set_is_subset(const struct label_set *a, const struct label_set *b) {
    for (uint32_t i = 0; i < b->count; i++) {
        const struct value_set *values = label_set_values(a, &b->requirements[i].key);
        if (!values || !value_set_is_subset(values, &b->requirements[i].values)) {
            return false;
        }
    }
    return true;
}

static const char *value_of(const struct label *labels, uint32_t count, const struct label_key *key) {
    for (uint32_t i = 0; i < count; i++) {
        if (label_key_compare(&labels[i].key, key) == 0) {
            return labels[i].value;
        }
    }
    return key->scope == LABEL_CLUSTER ? LABEL_DEFAULT : NULL;
}

bool label_set_contains(const struct label_set *set, const struct label *labels, uint32_t count) {
    for (uint32_t i = 0; i < set->count; i++) {
        const struct label_requirement *requirement = &set->requirements[i];
        if (!value_set_contains(&requirement->values, value_of(labels, count, &requirement->key))) {
            return false;
        }
    }
    return true;
}

bool label_set_might_contain(const struct label_set *set, const struct label *labels, uint32_t count) {
    for (uint32_t i = 0; i < set->count; i++) {
        const struct label_requirement *requirement = &set->requirements[i];
        const char *value = value_of(labels, count, &requirement->key);
        bool is_unknown = !value && label_key_is_universal(&requirement->key);
        if (!is_unknown && !value_set_contains(&requirement->values, value)) {
            return false;
        }
    }
    return true;
}

void label_key_print(struct buffer *out, const struct label_key *key) {
    static const char *const words[] = {[LABEL_NAMESPACE] = "namespace:",
                                        [LABEL_POD] = "",
                                        [LABEL_SERVICE_ACCOUNT] = "serviceaccount",
                                        [LABEL_CLUSTER] = "cluster"};
    if (label_key_is_namespace_name(key)) {
        buffer_add_string(out, "namespace");
        return;
    }
    buffer_add_string(out, words[key->scope]);
    buffer_add_string(out, key->name);
}

static void print_values(struct buffer *out, const struct value_set *set) {
    buffer_add_char(out, '(');
    for (uint32_t i = 0; i < set->count; i++) {
        buffer_print(out, "%s%s", i ? ", " : "", set->values[i]);
    }
    buffer_add_char(out, ')');
}

/* In the words of selectors where these have one: "!k", "k exists", "k=a", "k!=a", "k in (a, b)", "k not in (a, b)". */
static void print_requirement(struct buffer *out, const struct label_requirement *requirement) {
    const struct value_set *values = &requirement->values;
    if (!values->complement && values->count == 0 && values->absent) {
        buffer_add_char(out, '!');
        label_key_print(out, &requirement->key);
        return;
    }
    label_key_print(out, &requirement->key);
    if (values->complement && !values->absent && !label_key_is_universal(&requirement->key)) {
        buffer_add_string(out, " exists");
        if (values->count == 0) {
            return;
        }
        buffer_add_string(out, " and");
    } else if (values->count == 1) {
        buffer_print(out, "%s%s", values->complement ? "!=" : "=", values->values[0]);
        buffer_add_string(out, !values->complement && values->absent ? " or absent" : "");
        return;
    }
    buffer_add_string(out, values->complement ? " not in " : " in ");
    print_values(out, values);
    buffer_add_string(out, !values->complement && values->absent ? " or absent" : "");
}

void label_requirements_print(struct buffer *out, const struct label_set *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        buffer_add_string(out, i ? ", " : "");
        print_requirement(out, &set->requirements[i]);
    }
}

void label_set_print(struct buffer *out, const struct label_set *set) {
    buffer_add_string(out, set->count == 0 ? "every pod" : "pods ");
    label_requirements_print(out, set);
}

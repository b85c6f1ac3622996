/* Sets of the values of one key: the first half of ir/label_set.h. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "ir/label_set.h"

struct value_set value_set_of(struct arena *arena, const char *const *values, uint32_t count, bool complement,
                              bool absent) {
    struct value_set set = {NULL, 0, complement, absent};
    if (count == 0) {
        return set;
    }
    const char **sorted = arena_array(arena, count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, string_compare_at);
    for (uint32_t i = 0; i < count; i++) {
        if (set.count == 0 || strcmp(sorted[set.count - 1], sorted[i]) != 0) {
            sorted[set.count++] = sorted[i];
        }
    }
    set.values = sorted;
    return set;
}

/* Which of two sorted lists a merged value is to come from. */
struct choice {
    bool only_a, only_b, both;
};

static struct value_set merge(struct arena *arena, const struct value_set *a, const struct value_set *b,
                              struct choice keep) {
    struct value_set set = {NULL, 0, false, false};
    const char **to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        int order = i == a->count ? 1 : j == b->count ? -1 : strcmp(a->values[i], b->values[j]);
        const char *value = order <= 0 ? a->values[i] : b->values[j];
        if (order < 0 ? keep.only_a : order > 0 ? keep.only_b : keep.both) {
            to[set.count++] = value;
        }
        i += order <= 0;
        j += order >= 0;
    }
    set.values = set.count ? to : NULL;
    return set;
}

struct value_set value_set_intersect(struct arena *arena, const struct value_set *a, const struct value_set *b) {
    struct choice keep = {b->complement, a->complement, a->complement == b->complement};
    struct value_set set = merge(arena, a, b, keep);
    set.complement = a->complement && b->complement;
    set.absent = a->absent && b->absent;
    return set;
}

struct value_set value_set_union(struct arena *arena, const struct value_set *a, const struct value_set *b) {
    struct choice keep = {!b->complement, !a->complement, a->complement == b->complement};
    struct value_set set = merge(arena, a, b, keep);
    set.complement = a->complement || b->complement;
    set.absent = a->absent || b->absent;
    return set;
}

struct value_set value_set_negate(struct arena *arena, const struct value_set *a, bool universal) {
    (void)arena;
    return (struct value_set){a->values, a->count, !a->complement, !universal && !a->absent};
}

bool value_set_is_empty(const struct value_set *set) { return !set->complement && set->count == 0 && !set->absent; }

bool value_set_contains(const struct value_set *set, const char *value_or_null) {
    if (!value_or_null) {
        return set->absent;
    }
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(set->values[middle], value_or_null);
        if (order == 0) {
            return !set->complement;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return set->complement;
}

bool value_set_equal(const struct value_set *a, const struct value_set *b) {
    if (a->count != b->count || a->complement != b->complement || a->absent != b->absent) {
        return false;
    }
    for (uint32_t i = 0; a->values != b->values && i < a->count; i++) {
        if (strcmp(a->values[i], b->values[i]) != 0) {
            return false;
        }
    }
    return true;
}

bool value_set_is_subset(const struct value_set *a, const struct value_set *b) {
    if ((a->absent && !b->absent) || (a->complement && !b->complement)) {
        return false;
    }
    if (!a->complement) {
        for (uint32_t i = 0; i < a->count; i++) {
            if (!value_set_contains(b, a->values[i])) {
                return false;
            }
        }
        return true;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        if (value_set_contains(a, b->values[i])) {
            return false;
        }
    }
    return true;
}

bool value_set_meets(const struct value_set *a, const struct value_set *b) {
    if ((a->absent && b->absent) || (a->complement && b->complement)) {
        return true;
    }
    const struct value_set *listed = a->complement ? b : a, *other = a->complement ? a : b;
    for (uint32_t i = 0; i < listed->count; i++) {
        if (value_set_contains(other, listed->values[i])) {
            return true;
        }
    }
    return false;
}

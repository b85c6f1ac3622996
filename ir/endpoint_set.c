#include "ir/endpoint_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/everything.h"

/* Above this many sets a union only appends: looking for sets to absorb or to join is quadratic. */
enum { SIMPLIFY_LARGEST = 256 };

/* A list that grows; the sets are borrowed. */
struct set_list {
    struct arena *arena;
    struct label_set *sets;
    size_t count, capacity;
};

struct endpoint_set endpoint_set_nothing(void) {
    return (struct endpoint_set){NULL, 0};
}

struct endpoint_set endpoint_set_everything(void) {
    return (struct endpoint_set){&everything_pod, 1};
}

struct endpoint_set endpoint_set_of(struct arena *arena, const struct label_set *set) {
    if (label_set_is_empty(set)) {
        return endpoint_set_nothing();
    }
    struct label_set *sets = arena_array(arena, 1, sizeof *sets);
    sets[0] = *set;
    return (struct endpoint_set){sets, 1};
}

/* Two sets that differ in the values of one key alone are one set: the place of that key in both, or -1. */
static int64_t differ_in_one(const struct label_set *a, const struct label_set *b) {
    int64_t at = -1;
    if (a->count != b->count) {
        return -1;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (label_key_compare(&a->requirements[i].key, &b->requirements[i].key) != 0) {
            return -1;
        }
        if (!value_set_equal(&a->requirements[i].values, &b->requirements[i].values)) {
            if (at >= 0) {
                return -1;
            }
            at = i;
        }
    }
    return at;
}

static struct label_set join(struct arena *arena, const struct label_set *a, const struct label_set *b, uint32_t at) {
    struct label_key key = a->requirements[at].key;
    struct value_set values = value_set_union(arena, &a->requirements[at].values, &b->requirements[at].values);
    struct label_requirement *rest = arena_array(arena, a->count, sizeof *rest);
    memcpy(rest, a->requirements, at * sizeof *rest);
    memcpy(rest + at, a->requirements + at + 1, (a->count - at - 1) * sizeof *rest);
    struct label_set without = {rest, a->count - 1};
    return label_set_require(arena, &without, key, &values);
}

static void list_append(struct set_list *list, struct label_set set) {
    list->sets = arena_grow(list->arena, list->sets, &list->capacity, list->count + 1, sizeof *list->sets);
    list->sets[list->count++] = set;
}

/* Joins and absorbs what it can. */
static void list_add(struct set_list *list, struct label_set set) {
    bool again = list->count <= SIMPLIFY_LARGEST;
    while (again) {
        again = false;
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++) {
            int64_t at;
            if (label_set_is_subset(&set, &list->sets[i])) {
                /* What was taken out before was joined with or held by `set`, and so is held by this one too. */
                memmove(list->sets + kept, list->sets + i, (list->count - i) * sizeof *list->sets);
                list->count -= i - kept;
                return;
            }
            if (label_set_is_subset(&list->sets[i], &set)) {
                continue;
            }
            if ((at = differ_in_one(&set, &list->sets[i])) >= 0) {
                set = join(list->arena, &set, &list->sets[i], (uint32_t)at);
                again = true;
                continue;
            }
            list->sets[kept++] = list->sets[i];
        }
        list->count = kept;
    }
    list_append(list, set);
}

static struct endpoint_set list_done(const struct set_list *list) {
    return (struct endpoint_set){list->count ? list->sets : NULL, (uint32_t)list->count};
}

struct endpoint_set endpoint_set_union(struct arena *arena, const struct endpoint_set *a,
                                       const struct endpoint_set *b) {
    if (b->count == 0 || (a->sets == b->sets && a->count == b->count)) {
        return *a;
    }
    if (a->count == 0) {
        return *b;
    }
    struct set_list list = {.arena = arena};
    list.sets = arena_grow(arena, NULL, &list.capacity, (size_t)a->count + b->count, sizeof *list.sets);
    memcpy(list.sets, a->sets, a->count * sizeof *a->sets);
    list.count = a->count;
    for (uint32_t i = 0; i < b->count; i++) {
        list_add(&list, b->sets[i]);
    }
    return list_done(&list);
}

struct endpoint_set endpoint_set_intersect(struct arena *arena, const struct endpoint_set *a,
                                           const struct endpoint_set *b) {
    if (a->sets == b->sets && a->count == b->count) {
        return *a;
    }
    struct set_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t j = 0; j < b->count; j++) {
            if (label_set_meets(&a->sets[i], &b->sets[j])) {
                list_add(&list, label_set_intersect(arena, &a->sets[i], &b->sets[j]));
            }
        }
    }
    return list_done(&list);
}

/* How many requirements of `b` a pod of `a` may fail. */
static uint32_t open_requirements(const struct label_set *a, const struct label_set *b) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const struct value_set *values = label_set_values(a, &b->requirements[i].key);
        count += !values || !value_set_is_subset(values, &b->requirements[i].values);
    }
    return count;
}

/* a − b, key by key: what fails the first requirement of b; what meets it and fails the second; and so on. The pieces
 * are disjoint. */
static void subtract_one(struct set_list *list, const struct label_set *a, const struct label_set *b) {
    if (!label_set_meets(a, b)) {
        list_append(list, *a);
        return;
    }
    struct label_set met = *a;
    for (uint32_t i = 0; i < b->count; i++) {
        const struct label_requirement *requirement = &b->requirements[i];
        const struct value_set *values = label_set_values(a, &requirement->key);
        if (values && value_set_is_subset(values, &requirement->values)) {
            continue;
        }
        struct value_set failing =
            value_set_negate(list->arena, &requirement->values, label_key_is_universal(&requirement->key));
        list_append(list, label_set_require(list->arena, &met, requirement->key, &failing));
        met = label_set_require(list->arena, &met, requirement->key, &requirement->values);
    }
}

/* One of the sets to take away, and how many of its requirements are open. */
struct cut {
    const struct label_set *set;
    uint32_t open, number;
};

static int compare_cuts(const void *a, const void *b) {
    const struct cut *x = a, *y = b;
    if (x->open != y->open) {
        return x->open < y->open ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

/* What of B meets `a`, the sets that take away most first: that keeps the pieces few. */
static struct cut *cuts_of(struct arena *arena, const struct label_set *a, const struct endpoint_set *b,
                           uint32_t *count) {
    struct cut *cuts = arena_array(arena, b->count, sizeof *cuts);
    *count = 0;
    for (uint32_t j = 0; j < b->count; j++) {
        if (label_set_meets(a, &b->sets[j])) {
            cuts[(*count)++] = (struct cut){&b->sets[j], open_requirements(a, &b->sets[j]), j};
        }
    }
    qsort(cuts, *count, sizeof *cuts, compare_cuts);
    return cuts;
}

static struct endpoint_set subtract_all(struct arena *arena, const struct label_set *a, const struct endpoint_set *b) {
    uint32_t count;
    const struct cut *cuts = cuts_of(arena, a, b, &count);
    struct endpoint_set left = {a, 1};
    for (uint32_t j = 0; j < count && left.count > 0; j++) {
        struct set_list list = {.arena = arena};
        for (uint32_t i = 0; i < left.count; i++) {
            subtract_one(&list, &left.sets[i], cuts[j].set);
        }
        left = list_done(&list);
    }
    return left;
}

struct endpoint_set endpoint_set_subtract(struct arena *arena, const struct endpoint_set *a,
                                          const struct endpoint_set *b) {
    if (a->count == 0 || b->count == 0) {
        return *a;
    }
    if (a->sets == b->sets && a->count == b->count) {
        return endpoint_set_nothing();
    }
    struct set_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        struct endpoint_set left = subtract_all(arena, &a->sets[i], b);
        for (uint32_t k = 0; k < left.count; k++) {
            list_add(&list, left.sets[k]);
        }
    }
    return list_done(&list);
}

bool endpoint_set_is_empty(const struct endpoint_set *set) { return set->count == 0; }

bool endpoint_set_contains(const struct endpoint_set *set, const struct label *labels, uint32_t count) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (label_set_contains(&set->sets[i], labels, count)) {
            return true;
        }
    }
    return false;
}

void endpoint_set_print(struct buffer *out, const struct endpoint_set *set) {
    if (set->count == 0) {
        buffer_add_string(out, "no pod");
    }
    for (uint32_t i = 0; i < set->count; i++) {
        buffer_add_string(out, i ? "; " : "");
        label_set_print(out, &set->sets[i]);
    }
}

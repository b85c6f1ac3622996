#include "ir/endpoint_set.h"

#include <string.h>

#include "base/arena.h"
#include "ir/endpoint_term.h"
#include "ir/everything.h"

enum {
    SIMPLIFY_LARGEST = 256, /* above this many terms a set only grows: looking for what to join is quadratic */
    PRUNE_EFFORT = 2000     /* spent on a term to find out that it is empty */
};

/* A set being built. */
struct term_list {
    struct arena *arena;
    struct endpoint_term *terms;
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
    struct endpoint_term *term = arena_array(arena, 1, sizeof *term);
    term->all_of = *set;
    return (struct endpoint_set){term, 1};
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

static struct label_set join_at(struct arena *arena, const struct label_set *a, const struct label_set *b,
                                uint32_t at) {
    struct label_key key = a->requirements[at].key;
    struct value_set values = value_set_union(arena, &a->requirements[at].values, &b->requirements[at].values);
    struct label_requirement *rest = arena_array(arena, a->count, sizeof *rest);
    memcpy(rest, a->requirements, at * sizeof *rest);
    memcpy(rest + at, a->requirements + at + 1, (a->count - at - 1) * sizeof *rest);
    struct label_set without = {rest, a->count - 1};
    return label_set_require(arena, &without, key, &values);
}

static bool join(struct arena *arena, struct endpoint_term *to, const struct endpoint_term *other) {
    if (to->none_count > 0 || other->none_count > 0) {
        return false;
    }
    int64_t at = differ_in_one(&to->all_of, &other->all_of);
    if (at >= 0) {
        to->all_of = join_at(arena, &to->all_of, &other->all_of, (uint32_t)at);
    }
    return at >= 0;
}

/* Adds a reduced term; joins and absorbs what it can. */
static void list_add(struct term_list *list, struct endpoint_term term) {
    bool again = list->count <= SIMPLIFY_LARGEST;
    while (again) {
        again = false;
        size_t kept = 0;
        for (size_t i = 0; i < list->count; i++) {
            if (endpoint_term_is_within(&term, &list->terms[i])) {
                /* What was taken out before is part of `term`, and so of this one too. */
                memmove(list->terms + kept, list->terms + i, (list->count - i) * sizeof *list->terms);
                list->count -= i - kept;
                return;
            }
            if (endpoint_term_is_within(&list->terms[i], &term)) {
                continue;
            }
            if (join(list->arena, &term, &list->terms[i])) {
                again = true;
            } else {
                list->terms[kept++] = list->terms[i];
            }
        }
        list->count = kept;
    }
    list->terms = arena_grow(list->arena, list->terms, &list->capacity, list->count + 1, sizeof *list->terms);
    list->terms[list->count++] = term;
}

static void list_reduce_and_add(struct term_list *list, struct endpoint_term term) {
    int64_t effort = PRUNE_EFFORT;
    if (endpoint_term_reduce(list->arena, &term) && endpoint_term_is_empty(&term, &effort) != SET_EMPTY) {
        list_add(list, term);
    }
}

static struct endpoint_set list_done(const struct term_list *list) {
    return (struct endpoint_set){list->count ? list->terms : NULL, (uint32_t)list->count};
}

static bool same(const struct endpoint_set *a, const struct endpoint_set *b) {
    return a->terms == b->terms && a->count == b->count;
}

struct endpoint_set endpoint_set_union(struct arena *arena, const struct endpoint_set *a,
                                       const struct endpoint_set *b) {
    if (b->count == 0 || same(a, b)) {
        return *a;
    }
    if (a->count == 0) {
        return *b;
    }
    struct term_list list = {.arena = arena};
    list.terms = arena_grow(arena, NULL, &list.capacity, (size_t)a->count + b->count, sizeof *list.terms);
    memcpy(list.terms, a->terms, a->count * sizeof *a->terms);
    list.count = a->count;
    for (uint32_t i = 0; i < b->count; i++) {
        list_add(&list, b->terms[i]);
    }
    return list_done(&list);
}

/* The term less further label sets. */
static struct endpoint_term exclude(struct arena *arena, const struct endpoint_term *term, const struct label_set *more,
                                    uint32_t count) {
    struct endpoint_term result = *term;
    if (count > 0) {
        struct label_set *none_of = arena_array(arena, (size_t)term->none_count + count, sizeof *none_of);
        if (term->none_count > 0) {
            memcpy(none_of, term->none_of, term->none_count * sizeof *none_of);
        }
        memcpy(none_of + term->none_count, more, count * sizeof *none_of);
        result.none_of = none_of;
        result.none_count = term->none_count + count;
    }
    return result;
}

static void intersect_terms(struct term_list *list, const struct endpoint_term *a, const struct endpoint_term *b) {
    if (endpoint_term_meets(a, b)) {
        struct endpoint_term both = exclude(list->arena, a, b->none_of, b->none_count);
        both.all_of = label_set_intersect(list->arena, &a->all_of, &b->all_of);
        list_reduce_and_add(list, both);
    }
}

struct endpoint_set endpoint_set_intersect(struct arena *arena, const struct endpoint_set *a,
                                           const struct endpoint_set *b) {
    if (same(a, b)) {
        return *a;
    }
    struct term_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < b->count; k++) {
            intersect_terms(&list, &a->terms[i], &b->terms[k]);
        }
    }
    return list_done(&list);
}

/* a − b: what is out of b's label set, or in one of its exclusions. */
static void subtract_term(struct term_list *list, const struct endpoint_term *a, const struct endpoint_term *b) {
    list_reduce_and_add(list, exclude(list->arena, a, &b->all_of, 1));
    for (uint32_t i = 0; i < b->none_count; i++) {
        struct endpoint_term excluded = {.all_of = label_set_intersect(list->arena, &b->all_of, &b->none_of[i])};
        intersect_terms(list, a, &excluded);
    }
}

/* All terms of B without exclusions at once, from each of A. */
static struct endpoint_set subtract_plain(struct arena *arena, const struct endpoint_set *a,
                                          const struct endpoint_set *b) {
    struct label_set *plain = arena_array(arena, b->count, sizeof *plain);
    uint32_t count = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        if (b->terms[k].none_count == 0) {
            plain[count++] = b->terms[k].all_of;
        }
    }
    if (count == 0) {
        return *a;
    }
    struct term_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        list_reduce_and_add(&list, exclude(arena, &a->terms[i], plain, count));
    }
    return list_done(&list);
}

struct endpoint_set endpoint_set_subtract(struct arena *arena, const struct endpoint_set *a,
                                          const struct endpoint_set *b) {
    if (a->count == 0 || b->count == 0) {
        return *a;
    }
    if (same(a, b)) {
        return endpoint_set_nothing();
    }
    struct endpoint_set left = subtract_plain(arena, a, b);
    for (uint32_t k = 0; k < b->count && left.count > 0; k++) {
        if (b->terms[k].none_count == 0) {
            continue;
        }
        struct term_list list = {.arena = arena};
        for (uint32_t i = 0; i < left.count; i++) {
            subtract_term(&list, &left.terms[i], &b->terms[k]);
        }
        left = list_done(&list);
    }
    return left;
}

enum emptiness endpoint_set_is_empty_within(const struct endpoint_set *set, int64_t *effort) {
    bool undecided = false;
    for (uint32_t i = 0; i < set->count; i++) {
        enum emptiness emptiness = endpoint_term_is_empty(&set->terms[i], effort);
        if (emptiness == SET_INHABITED) {
            return SET_INHABITED;
        }
        undecided = undecided || emptiness == SET_UNDECIDED;
    }
    return undecided ? SET_UNDECIDED : SET_EMPTY;
}

bool endpoint_set_is_empty(const struct endpoint_set *set) {
    int64_t effort = ENDPOINT_SET_EFFORT;
    return endpoint_set_is_empty_within(set, &effort) == SET_EMPTY;
}

bool endpoint_set_contains(const struct endpoint_set *set, const struct label *labels, uint32_t count) {
    for (uint32_t i = 0; i < set->count; i++) {
        const struct endpoint_term *term = &set->terms[i];
        bool in = label_set_contains(&term->all_of, labels, count);
        for (uint32_t k = 0; k < term->none_count && in; k++) {
            in = !label_set_might_contain(&term->none_of[k], labels, count);
        }
        if (in) {
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
        const struct endpoint_term *term = &set->terms[i];
        buffer_add_string(out, i ? "; " : "");
        label_set_print(out, &term->all_of);
        for (uint32_t k = 0; k < term->none_count; k++) {
            buffer_add_string(out, k ? ", (" : " except (");
            label_requirements_print(out, &term->none_of[k]);
            buffer_add_char(out, ')');
        }
    }
}

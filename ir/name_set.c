#include "ir/name_set.h"

#include <string.h>

#include "base/arena.h"
#include "ir/everything.h"
#include "ir/name_term.h"

/* Above this many terms a set only grows: looking for terms to join or to absorb is quadratic. */
enum { SIMPLIFY_LARGEST = 128 };

/* A set being built. Terms that are certainly empty do not enter. */
struct term_list {
    struct arena *arena;
    struct name_term *terms;
    size_t count, capacity;
};

struct name_set name_set_nothing(void) {
    return (struct name_set){NULL, 0};
}

struct name_set name_set_everything(void) {
    return (struct name_set){&everything_name, 1};
}

static bool is_every_term(const struct name_term *term) { return term->all_count == 0 && term->none_of.count == 0; }

/* Unions without exclusions are one union. */
static bool join(struct arena *arena, struct name_term *term, const struct name_term *other) {
    if (term->all_count != 1 || other->all_count != 1 || !name_union_equal(&term->none_of, &other->none_of)) {
        return false;
    }
    struct name_union *both = arena_array(arena, 1, sizeof *both);
    *both = name_union_merge(arena, &term->all_of[0], &other->all_of[0]);
    term->all_of = both;
    return true;
}

/* Adds a reduced term; joins and absorbs what it can. */
static void list_add(struct term_list *list, struct name_term term) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count && list->count <= SIMPLIFY_LARGEST; i++) {
        if (name_term_is_within(&term, &list->terms[i])) {
            /* What was taken out before is part of `term`, and so of this one too. */
            memmove(list->terms + kept, list->terms + i, (list->count - i) * sizeof *list->terms);
            list->count -= i - kept;
            return;
        }
        if (!name_term_is_within(&list->terms[i], &term) && !join(list->arena, &term, &list->terms[i])) {
            list->terms[kept++] = list->terms[i];
        }
    }
    if (list->count <= SIMPLIFY_LARGEST) {
        list->count = kept;
    }
    list->terms = arena_grow(list->arena, list->terms, &list->capacity, list->count + 1, sizeof *list->terms);
    list->terms[list->count++] = term;
}

static void list_reduce_and_add(struct term_list *list, struct name_term term) {
    if (name_term_reduce(list->arena, &term)) {
        list_add(list, term);
    }
}

static struct name_set list_done(const struct term_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        if (is_every_term(&list->terms[i])) {
            return name_set_everything();
        }
    }
    return (struct name_set){list->count ? list->terms : NULL, (uint32_t)list->count};
}

static bool same(const struct name_set *a, const struct name_set *b) {
    return a->terms == b->terms && a->count == b->count;
}

static bool is_obviously_everything(const struct name_set *set) {
    return set->count == 1 && is_every_term(&set->terms[0]);
}

struct name_set name_set_of(struct arena *arena, const struct name_pattern *patterns, uint32_t count) {
    struct name_union *all = arena_array(arena, 1, sizeof *all);
    *all = name_union_of(arena, patterns, count);
    struct term_list list = {.arena = arena};
    list_reduce_and_add(&list, (struct name_term){.all_of = all, .all_count = 1});
    return list_done(&list);
}

struct name_set name_set_union(struct arena *arena, const struct name_set *a, const struct name_set *b) {
    if (b->count == 0 || same(a, b) || is_obviously_everything(a)) {
        return *a;
    }
    if (a->count == 0 || is_obviously_everything(b)) {
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

/* The conditions and exclusions of both. */
static struct name_term both_terms(struct arena *arena, const struct name_term *a, const struct name_term *b) {
    struct name_term term = {NULL, a->all_count + b->all_count, name_union_merge(arena, &a->none_of, &b->none_of)};
    struct name_union *all = arena_array(arena, term.all_count, sizeof *all);
    for (uint32_t i = 0; i < term.all_count; i++) {
        all[i] = i < a->all_count ? a->all_of[i] : b->all_of[i - a->all_count];
    }
    term.all_of = all;
    return term;
}

struct name_set name_set_intersect(struct arena *arena, const struct name_set *a, const struct name_set *b) {
    if (a->count == 0 || same(a, b) || is_obviously_everything(b)) {
        return *a;
    }
    if (b->count == 0 || is_obviously_everything(a)) {
        return *b;
    }
    struct term_list list = {.arena = arena};
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < b->count; k++) {
            list_reduce_and_add(&list, both_terms(arena, &a->terms[i], &b->terms[k]));
        }
    }
    return list_done(&list);
}

/* a − b: what is out of one of b's conditions, or in its exclusions. */
static void subtract_term(struct term_list *list, const struct name_term *a, const struct name_term *b) {
    for (uint32_t i = 0; i < b->all_count; i++) {
        struct name_term out = *a;
        out.none_of = name_union_merge(list->arena, &a->none_of, &b->all_of[i]);
        list_reduce_and_add(list, out);
    }
    if (b->none_of.count > 0) {
        struct name_term excluded = {&b->none_of, 1, {NULL, 0}};
        list_reduce_and_add(list, both_terms(list->arena, a, &excluded));
    }
}

struct name_set name_set_subtract(struct arena *arena, const struct name_set *a, const struct name_set *b) {
    if (a->count == 0 || b->count == 0) {
        return *a;
    }
    if (same(a, b) || is_obviously_everything(b)) {
        return name_set_nothing();
    }
    struct name_set left = *a;
    for (uint32_t k = 0; k < b->count && left.count > 0; k++) {
        struct term_list list = {.arena = arena};
        for (uint32_t i = 0; i < left.count; i++) {
            subtract_term(&list, &left.terms[i], &b->terms[k]);
        }
        left = list_done(&list);
    }
    return left;
}

/* Reduced terms of exact names have nothing else. */
static bool is_listed(const struct name_term *term) {
    return term->all_count == 1 && term->none_of.count == 0 && !name_union_is_every(&term->all_of[0]) &&
           name_union_exact_count(&term->all_of[0]) == term->all_of[0].count;
}

static enum emptiness term_is_empty(struct arena *arena, const struct name_term *term, int64_t *effort) {
    if (is_every_term(term) || is_listed(term)) {
        return SET_INHABITED;
    }
    struct arena_mark start = arena_mark(arena);
    enum emptiness emptiness = SET_INHABITED;
    if (!name_term_guess(arena, term)) {
        name_term_search(arena, term, effort, &emptiness);
    }
    arena_rollback(arena, start);
    return emptiness;
}

/* What one question may spend of an effort that is for many. */
static int64_t question_effort(int64_t effort) { return effort < NAME_SET_EFFORT ? effort : NAME_SET_EFFORT; }

enum emptiness name_set_is_empty_within(struct arena *arena, const struct name_set *set, int64_t *effort) {
    int64_t granted = question_effort(*effort), left = granted;
    enum emptiness all = SET_EMPTY;
    for (uint32_t i = 0; i < set->count && all != SET_INHABITED; i++) {
        enum emptiness emptiness = term_is_empty(arena, &set->terms[i], &left);
        all = emptiness == SET_EMPTY ? all : emptiness;
    }
    *effort -= granted - left;
    return all;
}

enum emptiness name_set_is_empty(struct arena *arena, const struct name_set *set) {
    int64_t effort = NAME_SET_EFFORT;
    return name_set_is_empty_within(arena, set, &effort);
}

bool name_set_is_within(const struct name_set *a, const struct name_set *b) {
    if (same(a, b) || is_obviously_everything(b)) {
        return true;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b->count && !found; k++) {
            found = name_term_is_within(&a->terms[i], &b->terms[k]);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

bool name_set_contains(const struct name_set *set, struct text name) {
    if (!name_is_legal(name)) {
        return false;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (name_term_contains(&set->terms[i], name)) {
            return true;
        }
    }
    return false;
}

bool name_set_is_everything(struct arena *arena, const struct name_set *set) {
    static const char *const probes[] = {"", "-", "0-x.0-x", "0-x.0-x.0-x.0-x.0-x.0-x.0-x.0-x"};
    if (is_obviously_everything(set)) {
        return true;
    }
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (!name_set_contains(set, text_of(probes[i]))) {
            return false;
        }
    }
    struct name_set everything = name_set_everything();
    struct name_set rest = name_set_subtract(arena, &everything, set);
    return name_set_is_empty(arena, &rest) == SET_EMPTY;
}

int name_compare(const char *a, const char *b) {
    size_t length_a = strlen(a), length_b = strlen(b);
    return length_a != length_b ? (length_a < length_b ? -1 : 1) : strcmp(a, b);
}

static const char *shortest_listed(const struct name_union *names) {
    const char *first = names->patterns[0].text;
    for (uint32_t i = 1; i < names->count; i++) {
        if (name_compare(names->patterns[i].text, first) < 0) {
            first = names->patterns[i].text;
        }
    }
    return first;
}

const char *name_set_sample_within(struct arena *arena, const struct name_set *set, int64_t *effort) {
    const char *first = NULL;
    int64_t granted = question_effort(*effort), left = granted;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct name_term *term = &set->terms[i];
        enum emptiness emptiness;
        const char *name =
            is_listed(term) ? shortest_listed(&term->all_of[0]) : name_term_search(arena, term, &left, &emptiness);
        if (name && (!first || name_compare(name, first) < 0)) {
            first = name;
        }
    }
    *effort -= granted - left;
    return first;
}

const char *name_set_sample(struct arena *arena, const struct name_set *set) {
    int64_t effort = NAME_SET_EFFORT;
    return name_set_sample_within(arena, set, &effort);
}

#include "ir/name_term.h"

#include <string.h>

#include "base/arena.h"

/* Comparing each pattern of a term with each other stops at this many pairs, unless the names are exact. */
enum { PAIRS_LARGEST = 1 << 16 };

/* Drops unions that are every name, and those that follow from another. */
static void drop_conditions(struct name_union *unions, uint32_t *count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        bool needed = !name_union_is_every(&unions[i]);
        for (uint32_t k = 0; k < *count && needed; k++) {
            /* Of two that follow from one another the first stays. */
            bool follows = k != i && (k < kept || k > i) && name_union_is_within(&unions[k], &unions[i]);
            needed = !follows || (k > i && name_union_is_within(&unions[i], &unions[k]));
        }
        if (needed) {
            unions[kept++] = unions[i];
        }
    }
    *count = kept;
}

/* Whether a pattern of union number `own` may hold a name of the term. */
static bool may_count(const struct name_term *term, uint32_t own, const struct name_pattern *pattern) {
    if (name_union_covers(&term->none_of, pattern)) {
        return false;
    }
    for (uint32_t i = 0; i < term->all_count; i++) {
        if (i != own && name_union_avoids(&term->all_of[i], pattern)) {
            return false;
        }
    }
    return true;
}

static uint64_t pairs(const struct name_term *term, uint32_t count) {
    uint64_t others = term->none_of.count;
    for (uint32_t i = 0; i < term->all_count; i++) {
        others += term->all_of[i].count;
    }
    return others * count;
}

/* Keeps the patterns of union number `own` that may hold a name of the term. */
static struct name_union filter(struct arena *arena, const struct name_term *term, uint32_t own) {
    const struct name_union *from = &term->all_of[own];
    bool exact_only = name_union_exact_count(from) == from->count;
    if (!exact_only && pairs(term, from->count) > PAIRS_LARGEST) {
        return *from;
    }
    uint32_t count = 0;
    while (count < from->count && may_count(term, own, &from->patterns[count])) {
        count++;
    }
    if (count == from->count) {
        return *from;
    }
    struct name_pattern *kept = arena_array(arena, from->count, sizeof *kept);
    if (count > 0) {
        memcpy(kept, from->patterns, count * sizeof *kept);
    }
    for (uint32_t i = count + 1; i < from->count; i++) {
        if (may_count(term, own, &from->patterns[i])) {
            kept[count++] = from->patterns[i];
        }
    }
    return (struct name_union){count ? kept : NULL, count};
}

/* Drops exclusions that meet none of the patterns of some union. */
static struct name_union drop_exclusions(struct arena *arena, const struct name_term *term) {
    struct name_union none_of = term->none_of;
    if (term->all_count == 0 || none_of.count == 0 || pairs(term, none_of.count) > PAIRS_LARGEST) {
        return none_of;
    }
    struct name_pattern *kept = arena_array(arena, none_of.count, sizeof *kept);
    uint32_t count = 0;
    for (uint32_t k = 0; k < none_of.count; k++) {
        bool avoided = false;
        for (uint32_t i = 0; i < term->all_count && !avoided; i++) {
            avoided = name_union_avoids(&term->all_of[i], &none_of.patterns[k]);
        }
        if (!avoided) {
            kept[count++] = none_of.patterns[k];
        }
    }
    return (struct name_union){count ? kept : NULL, count};
}

bool name_term_reduce(struct arena *arena, struct name_term *term) {
    if (name_union_is_every(&term->none_of)) {
        return false;
    }
    if (term->all_count == 0 || (term->all_count == 1 && term->none_of.count == 0)) {
        if (term->all_count == 1 && name_union_is_every(&term->all_of[0])) {
            *term = (struct name_term){.all_of = NULL};
        }
        return term->all_count == 0 || term->all_of[0].count > 0;
    }
    struct name_union *unions = arena_array(arena, term->all_count, sizeof *unions);
    memcpy(unions, term->all_of, term->all_count * sizeof *unions);
    term->all_of = unions;
    drop_conditions(unions, &term->all_count);
    for (uint32_t i = 0; i < term->all_count; i++) {
        unions[i] = filter(arena, term, i);
        if (unions[i].count == 0) {
            return false;
        }
        if (name_union_exact_count(&unions[i]) == unions[i].count) {
            /* Exact names were tried one by one against everything else, so nothing else matters. */
            unions[i] = filter(arena, term, i);
            *term = (struct name_term){.all_of = &unions[i], .all_count = 1};
            return term->all_of[0].count > 0;
        }
    }
    term->none_of = drop_exclusions(arena, term);
    return true;
}

bool name_term_contains(const struct name_term *term, struct text name) {
    for (uint32_t i = 0; i < term->all_count; i++) {
        if (!name_union_matches(&term->all_of[i], name)) {
            return false;
        }
    }
    return !name_union_matches(&term->none_of, name);
}

bool name_term_is_within(const struct name_term *a, const struct name_term *b) {
    if (pairs(a, b->none_of.count) > PAIRS_LARGEST) {
        return false;
    }
    for (uint32_t i = 0; i < b->all_count; i++) {
        bool follows = false;
        for (uint32_t k = 0; k < a->all_count && !follows; k++) {
            follows = name_union_is_within(&a->all_of[k], &b->all_of[i]);
        }
        if (!follows) {
            return false;
        }
    }
    for (uint32_t i = 0; i < b->none_of.count; i++) {
        bool out = name_union_covers(&a->none_of, &b->none_of.patterns[i]);
        for (uint32_t k = 0; k < a->all_count && !out; k++) {
            out = name_union_avoids(&a->all_of[k], &b->none_of.patterns[i]);
        }
        if (!out) {
            return false;
        }
    }
    return true;
}

/* The pattern with `fill` for its stars, and "0" where a label would be empty. */
static const char *instance(struct arena *arena, const struct name_pattern *pattern, const char *fill) {
    struct buffer out;
    buffer_init(&out, arena);
    if (pattern->kind == NAME_DEEP) {
        buffer_print(&out, "%s.", *fill ? fill : "0");
    }
    size_t label = out.length;
    for (const char *at = pattern->text;; at++) {
        if (*at == '*') {
            buffer_add_string(&out, fill);
        } else if (*at != '.' && *at != '\0') {
            buffer_add_char(&out, *at);
        } else {
            if (out.length == label) {
                buffer_add_char(&out, '0');
            }
            if (*at == '\0') {
                return buffer_string(&out);
            }
            buffer_add_char(&out, '.');
            label = out.length;
        }
    }
}

const char *name_term_guess(struct arena *arena, const struct name_term *term) {
    static const char *const fills[] = {"", "0", "x-0_q", "zz9"};
    static const struct name_pattern free[] = {{NAME_GLOB, "*"}, {NAME_GLOB, "*.*.*"}};
    enum { PATTERNS_LARGEST = 8 };
    struct name_union from = {free, sizeof free / sizeof *free};
    for (uint32_t i = 0; i < term->all_count; i++) {
        if (i == 0 || term->all_of[i].count < from.count) {
            from = term->all_of[i];
        }
    }
    for (uint32_t i = 0; i < from.count && i < PATTERNS_LARGEST; i++) {
        for (size_t k = 0; k < sizeof fills / sizeof *fills; k++) {
            const char *name = instance(arena, &from.patterns[i], fills[k]);
            if (name_is_legal(text_of(name)) && name_term_contains(term, text_of(name))) {
                return name;
            }
        }
    }
    return NULL;
}

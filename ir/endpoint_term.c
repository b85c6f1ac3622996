#include "ir/endpoint_term.h"

#include <string.h>

#include "base/arena.h"

/* Two lists of exclusions are not compared beyond this many pairs. */
enum { PAIRS_LARGEST = 1 << 12 };

/* Stands for all values that nothing lists: no label has it, and every co-finite set holds it. */
static const char unlisted[] = "\x01";

static bool is_open(const struct label_set *pods, const struct label_requirement *requirement) {
    const struct value_set *values = label_set_values(pods, &requirement->key);
    return !values || !value_set_is_subset(values, &requirement->values);
}

/* How many requirements of the exclusion some pod fails; *one is the last of them. */
static uint32_t count_open(const struct label_set *pods, const struct label_set *exclusion,
                           const struct label_requirement **one) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < exclusion->count; i++) {
        if (is_open(pods, &exclusion->requirements[i])) {
            *one = &exclusion->requirements[i];
            count++;
        }
    }
    return count;
}

static struct label_set require_failure(struct arena *arena, const struct label_set *pods,
                                        const struct label_requirement *requirement) {
    struct value_set failing = value_set_negate(arena, &requirement->values, label_key_is_universal(&requirement->key));
    return label_set_require(arena, pods, requirement->key, &failing);
}

/* One pass over the exclusions. *again: the requirements have changed. */
static bool reduce_once(struct arena *arena, struct endpoint_term *term, struct label_set *kept, bool *again) {
    uint32_t count = 0;
    *again = false;
    for (uint32_t i = 0; i < term->none_count; i++) {
        const struct label_requirement *one = NULL;
        if (!label_set_meets(&term->all_of, &term->none_of[i])) {
            continue;
        }
        switch (count_open(&term->all_of, &term->none_of[i], &one)) {
        case 0:
            return false;
        case 1:
            term->all_of = require_failure(arena, &term->all_of, one);
            *again = true;
            break;
        default:
            kept[count++] = term->none_of[i];
        }
    }
    term->none_of = count ? kept : NULL;
    term->none_count = count;
    return true;
}

bool endpoint_term_reduce(struct arena *arena, struct endpoint_term *term) {
    bool again = term->none_count > 0;
    struct label_set *kept = again ? arena_array(arena, term->none_count, sizeof *kept) : NULL;
    while (again) {
        /* The list is shortened in place from the second pass on. */
        if (!reduce_once(arena, term, kept, &again)) {
            return false;
        }
    }
    return true;
}

/* The value of a key in a pod of `pods`: absent or not listed, whichever is wanted and will do. */
static const char *guess_value(const struct label_set *pods, const struct label_key *key, bool absent) {
    const struct value_set *values = label_set_values(pods, key);
    if (!values) {
        return absent && !label_key_is_universal(key) ? NULL : unlisted;
    }
    if (values->absent && (absent || !values->complement)) {
        return NULL;
    }
    return values->complement ? unlisted : values->values[0];
}

/* Whether a pod that has as few labels, or as odd ones, as can be is in the term. */
static bool guess(const struct endpoint_term *term, bool absent) {
    for (uint32_t i = 0; i < term->none_count; i++) {
        const struct label_set *exclusion = &term->none_of[i];
        bool fails = false;
        for (uint32_t k = 0; k < exclusion->count && !fails; k++) {
            const struct label_requirement *requirement = &exclusion->requirements[k];
            fails = !value_set_contains(&requirement->values, guess_value(&term->all_of, &requirement->key, absent));
        }
        if (!fails) {
            return false;
        }
    }
    return true;
}

/* The exclusion that leaves least to try. */
static const struct label_set *choose(const struct endpoint_term *term) {
    const struct label_set *best = NULL;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < term->none_count; i++) {
        const struct label_requirement *one;
        uint32_t open = count_open(&term->all_of, &term->none_of[i], &one);
        if (open < fewest) {
            fewest = open;
            best = &term->none_of[i];
        }
    }
    return best;
}

/* Every pod of the term fails some requirement of the chosen exclusion: the first, or meets that and fails the second,
 * and so on. Depth is bounded by the effort, of which a level takes as much as it has exclusions. */
static enum emptiness search(struct arena *arena, struct endpoint_term term, int64_t *effort) {
    *effort -= 1 + (int64_t)term.none_count;
    if (!endpoint_term_reduce(arena, &term)) {
        return SET_EMPTY;
    }
    if (guess(&term, true) || guess(&term, false)) {
        return SET_INHABITED;
    }
    if (*effort <= 0) {
        return SET_UNDECIDED;
    }
    const struct label_set *exclusion = choose(&term);
    bool undecided = false;
    for (uint32_t i = 0; i < exclusion->count; i++) {
        const struct label_requirement *requirement = &exclusion->requirements[i];
        if (!is_open(&term.all_of, requirement)) {
            continue;
        }
        struct arena_mark start = arena_mark(arena);
        struct endpoint_term branch = term;
        branch.all_of = require_failure(arena, &term.all_of, requirement);
        enum emptiness emptiness = search(arena, branch, effort);
        arena_rollback(arena, start);
        if (emptiness == SET_INHABITED) {
            return SET_INHABITED;
        }
        undecided = undecided || emptiness == SET_UNDECIDED;
        term.all_of = label_set_require(arena, &term.all_of, requirement->key, &requirement->values);
    }
    return undecided ? SET_UNDECIDED : SET_EMPTY;
}

enum emptiness endpoint_term_is_empty(const struct endpoint_term *term, int64_t *effort) {
    if (term->none_count == 0 || guess(term, true) || guess(term, false)) {
        return SET_INHABITED;
    }
    struct arena *arena = arena_create();
    enum emptiness emptiness = search(arena, *term, effort);
    arena_destroy(arena);
    return emptiness;
}

bool endpoint_term_meets(const struct endpoint_term *a, const struct endpoint_term *b) {
    return label_set_meets(&a->all_of, &b->all_of);
}

bool endpoint_term_is_within(const struct endpoint_term *a, const struct endpoint_term *b) {
    if ((uint64_t)a->none_count * b->none_count > PAIRS_LARGEST || !label_set_is_subset(&a->all_of, &b->all_of)) {
        return false;
    }
    for (uint32_t i = 0; i < b->none_count; i++) {
        bool out = !label_set_meets(&a->all_of, &b->none_of[i]);
        for (uint32_t k = 0; k < a->none_count && !out; k++) {
            out = label_set_is_subset(&b->none_of[i], &a->none_of[k]);
        }
        if (!out) {
            return false;
        }
    }
    return true;
}

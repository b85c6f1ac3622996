#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/name_pattern.h"

/* Comparing the patterns of one or two unions pair by pair stops at this many pairs: past it a union keeps patterns
 * that lie within others, which costs time later and changes no answer. */
enum { PAIRS_LARGEST = 1 << 16, PAIRS_WITHIN_LARGEST = 1 << 13 };

static int compare_patterns(const void *a, const void *b) { return name_pattern_compare(a, b); }

bool name_union_is_every(const struct name_union *a) { return a->count > 0 && a->patterns[0].kind == NAME_EVERY; }

uint32_t name_union_exact_count(const struct name_union *a) {
    uint32_t low = 0, high = a->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->patterns[middle].kind <= NAME_EXACT) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Takes out, in place, names that are none, duplicates, and all but "every name" where that is there. */
static uint32_t tidy(struct name_pattern *sorted, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sorted[i].kind == NAME_EXACT && !name_is_legal(text_of(sorted[i].text))) {
            continue;
        }
        if (kept > 0 && name_pattern_compare(&sorted[kept - 1], &sorted[i]) == 0) {
            continue;
        }
        sorted[kept++] = sorted[i];
    }
    return kept > 0 && sorted[0].kind == NAME_EVERY ? 1 : kept;
}

/* Takes out, in place, patterns that lie within globs and deep patterns of the same list. */
static uint32_t absorb(struct arena *arena, struct name_pattern *sorted, uint32_t count) {
    struct name_union whole = {sorted, count};
    uint32_t exact = name_union_exact_count(&whole);
    if (exact == count || (uint64_t)count * (count - exact) > PAIRS_LARGEST) {
        return count;
    }
    struct arena_mark start = arena_mark(arena);
    bool *gone = arena_array(arena, count, sizeof *gone);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = exact; k < count && !gone[i]; k++) {
            gone[i] = k != i && !gone[k] && name_pattern_is_within(&sorted[i], &sorted[k]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!gone[i]) {
            sorted[kept++] = sorted[i];
        }
    }
    arena_rollback(arena, start);
    return kept;
}

static struct name_union finish(struct arena *arena, struct name_pattern *sorted, uint32_t count) {
    count = tidy(sorted, count);
    count = absorb(arena, sorted, count);
    return (struct name_union){count ? sorted : NULL, count};
}

struct name_union name_union_of(struct arena *arena, const struct name_pattern *patterns, uint32_t count) {
    struct name_pattern *copy = arena_array(arena, count, sizeof *copy);
    if (count > 0) {
        memcpy(copy, patterns, count * sizeof *copy);
        qsort(copy, count, sizeof *copy, compare_patterns);
    }
    return finish(arena, copy, count);
}

struct name_union name_union_merge(struct arena *arena, const struct name_union *a, const struct name_union *b) {
    if (b->count == 0 || name_union_is_every(a) || name_union_equal(a, b)) {
        return *a;
    }
    if (a->count == 0 || name_union_is_every(b)) {
        return *b;
    }
    struct name_pattern *to = arena_array(arena, (size_t)a->count + b->count, sizeof *to);
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        bool from_a = j == b->count || (i < a->count && name_pattern_compare(&a->patterns[i], &b->patterns[j]) <= 0);
        to[count++] = from_a ? a->patterns[i++] : b->patterns[j++];
    }
    return finish(arena, to, count);
}

bool name_union_equal(const struct name_union *a, const struct name_union *b) {
    if (a->count != b->count) {
        return false;
    }
    for (uint32_t i = 0; a->patterns != b->patterns && i < a->count; i++) {
        if (name_pattern_compare(&a->patterns[i], &b->patterns[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* Whether the name is among the first `count`, which are exact. */
static bool is_listed(const struct name_union *a, uint32_t count, struct text name) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = text_compare(text_of(a->patterns[middle].text), name);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

bool name_union_matches(const struct name_union *a, struct text name) {
    if (name_union_is_every(a)) {
        return true;
    }
    uint32_t exact = name_union_exact_count(a);
    if (is_listed(a, exact, name)) {
        return true;
    }
    for (uint32_t i = exact; i < a->count; i++) {
        if (name_pattern_matches(&a->patterns[i], name)) {
            return true;
        }
    }
    return false;
}

bool name_union_covers(const struct name_union *a, const struct name_pattern *pattern) {
    if (pattern->kind == NAME_EXACT) {
        return name_union_matches(a, text_of(pattern->text));
    }
    if (name_union_is_every(a)) {
        return true;
    }
    for (uint32_t i = name_union_exact_count(a); i < a->count; i++) {
        if (name_pattern_is_within(pattern, &a->patterns[i])) {
            return true;
        }
    }
    return false;
}

bool name_union_avoids(const struct name_union *a, const struct name_pattern *pattern) {
    if (pattern->kind == NAME_EXACT) {
        return !name_union_matches(a, text_of(pattern->text));
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (!name_pattern_is_disjoint(&a->patterns[i], pattern)) {
            return false;
        }
    }
    return true;
}

bool name_union_is_within(const struct name_union *a, const struct name_union *b) {
    if (a->patterns == b->patterns && a->count == b->count) {
        return true;
    }
    if ((uint64_t)a->count * (b->count - name_union_exact_count(b) + 1) > PAIRS_WITHIN_LARGEST) {
        return name_union_equal(a, b);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (!name_union_covers(b, &a->patterns[i])) {
            return false;
        }
    }
    return true;
}

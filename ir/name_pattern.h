/*
 * Patterns of names and unions of them: what the name sets are made of (ir/name_set.h). Only ir/name_*.c include this.
 *
 * "Certainly" means that the test is one-sided: true is a proof, false says nothing. They look at texts alone and keep
 * the common questions away from the search.
 */
#ifndef IR_NAME_PATTERN_H
#define IR_NAME_PATTERN_H

#include "ir/name_set.h"

/* [-a-z0-9_] */
bool name_is_label_character(char c);
/* Whether the text is a name of the universe. */
bool name_is_legal(struct text name);

int name_pattern_compare(const struct name_pattern *a, const struct name_pattern *b);
/* Whether every name of `a` is certainly one of `b`. */
bool name_pattern_is_within(const struct name_pattern *a, const struct name_pattern *b);
/* Whether certainly no name is in both. */
bool name_pattern_is_disjoint(const struct name_pattern *a, const struct name_pattern *b);

/* Sorted, without duplicates, without names that are none, without patterns that lie within others. */
struct name_union name_union_of(struct arena *arena, const struct name_pattern *patterns, uint32_t count);
struct name_union name_union_merge(struct arena *arena, const struct name_union *a, const struct name_union *b);
bool name_union_equal(const struct name_union *a, const struct name_union *b);
bool name_union_is_every(const struct name_union *a);
/* How many of its patterns, from the first on, are exact names; not for one that is every name. */
uint32_t name_union_exact_count(const struct name_union *a);
bool name_union_matches(const struct name_union *a, struct text name);
/* The like of the two above, for a pattern and for a whole union. */
bool name_union_covers(const struct name_union *a, const struct name_pattern *pattern);
bool name_union_avoids(const struct name_union *a, const struct name_pattern *pattern);
bool name_union_is_within(const struct name_union *a, const struct name_union *b);

#endif

/*
 * What rules do to one another, asked of one entry after another (analyzer/rules/effective.h has all entries at once): what
 * acts is collected once for all that selects a subject, and found by its key, so that a question costs no more than what
 * bears on it.
 */
#ifndef ANALYZER_RULES_EFFECT_H
#define ANALYZER_RULES_EFFECT_H

#include "analyzer/rules/effective.h"

struct effect;
struct effect *effect_of(const struct selected_rules *selected, size_t count, const struct reading *reading,
                         struct arena *arena);

/* What an entry allows beside what acts on it, or denies, under one bound, of `about` (NULL: of everything). The boxes
 * carry `origin`; denies are not closed. */
struct flow_set effect_boxes(const struct effect *effect, const struct rule_entry *entry, bool upper, uint32_t origin,
                             const struct flow_set *about, struct arena *arena);

/* From now on the entry acts on no other; or it does again. */
void effect_drop(struct effect *effect, const struct rule_entry *entry, bool dropped);

#endif

/*
 * Conflicts: rules that the agent cannot resolve together, so that the endpoint keeps its previous policy
 * (spec/cilium-egress.md 5.3). Nothing shows of it in any object, and nothing can be decided from them.
 */
#ifndef ANALYZER_RULES_CONFLICT_H
#define ANALYZER_RULES_CONFLICT_H

#include "analyzer/rules/effective.h"

struct rule_conflict {
    const struct rule_entry *entry, *other;
    size_t selected, other_selected; /* indexes of the selected rules that they are of */
    const char *what;                /* one clause */
};

/* The first conflict that rules of `selected[index]` are part of; false: none. */
bool rules_conflict(const struct selected_rules *selected, size_t count, size_t index, const struct reading *reading,
                    struct rule_conflict *conflict);

#endif

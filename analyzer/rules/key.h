/*
 * Keys of rules: ports as each reading understands them (spec/kubernetes-egress.md 1.7, spec/cilium-egress.md 4).
 */
#ifndef ANALYZER_RULES_KEY_H
#define ANALYZER_RULES_KEY_H

#include "analyzer/rules/rule.h"

struct key_list {
    struct rule_key *list;
    size_t count, capacity;
};

void keys_of_core_rule(const struct core_rule *rule, const struct cluster *cluster, const struct reading *reading,
                       const struct rule_options *options, struct key_list *keys);
void keys_of_cilium_entry(const struct cilium_entry *entry, bool deny, const struct cluster *cluster,
                          const struct reading *reading, struct key_list *keys);

#endif

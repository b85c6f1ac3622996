#include "analyzer/rules/rule.h"

#include "analyzer/rules/key.h"
#include "base/arena.h"

struct destination_set entry_destinations(const struct rule_entry *entry, bool upper, struct arena *arena) {
    struct destination_set set = destination_set_nothing();
    for (size_t i = 0; i < entry->peer_count; i++)
        set = destination_set_union(arena, &set, upper ? &entry->peers[i].upper : &entry->peers[i].lower);
    return set;
}

/* ---- NetworkPolicy ---- */

void rules_of_core(const struct policy *policy, const struct cluster *cluster, const struct reading *reading,
                   const struct rule_options *options, struct policy_rules *rules) {
    const struct core_policy *core = policy->core;
    struct arena *arena = cluster->arena;
    *rules = (struct policy_rules){.policy = policy};
    /* Cilium counts egress rules whatever policyTypes says. */
    bool counts = core->isolates_egress || (reading->cilium && core->egress.count > 0);
    rules->isolates = counts;
    if (!counts)
        return;
    struct rule_entry *entries = arena_array(arena, core->egress.count + 1u, sizeof *entries);
    for (uint32_t i = 0; i < core->egress.count; i++) {
        const struct core_rule *rule = &core->egress.rules[i];
        struct peer_list peers = {0};
        struct key_list keys = {0};
        peers_of_core_rule(rule, policy->object->namespace, cluster, reading, &peers);
        keys_of_core_rule(rule, cluster, reading, options, &keys);
        entries[i] = (struct rule_entry){.part = rule->part,
                                         .peers = peers.list,
                                         .peer_count = peers.count,
                                         .keys = keys.list,
                                         .key_count = keys.count};
    }
    rules->entries = entries;
    rules->count = core->egress.count;
}

/* ---- Cilium ---- */

static void rules_add_entries(const struct policy *policy, const struct cilium_entries *list, bool deny,
                              const struct cluster *cluster, const struct reading *reading, struct rule_entry *entries,
                              size_t *count) {
    const char *namespace = object_kind_is_namespaced(policy->object->kind) ? policy->object->namespace : NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct cilium_entry *entry = &list->list[i];
        struct peer_list peers = {0};
        struct key_list keys = {0};
        peers_of_cilium_entry(entry, namespace, deny, cluster, reading, &peers);
        keys_of_cilium_entry(entry, deny, cluster, reading, &keys);
        entries[(*count)++] = (struct rule_entry){.part = entry->part,
                                                  .deny = deny,
                                                  .peers = peers.list,
                                                  .peer_count = peers.count,
                                                  .keys = keys.list,
                                                  .key_count = keys.count};
    }
}

void rules_of_cilium(const struct policy *policy, const struct cilium_rule *rule, const struct cluster *cluster,
                     const struct reading *reading, struct policy_rules *rules) {
    *rules = (struct policy_rules){.policy = policy, .rule = rule};
    bool filled = rule->egress.presence == PRESENCE_FILLED || rule->egress_deny.presence == PRESENCE_FILLED;
    bool lifted = rule->default_deny_egress == TRISTATE_FALSE && reading->class >= CILIUM_1_16_0;
    rules->isolates = filled && !lifted;
    rules->adds_allow_all = filled && lifted;
    struct rule_entry *entries =
        arena_array(cluster->arena, rule->egress.count + rule->egress_deny.count + 1u, sizeof *entries);
    size_t count = 0;
    rules_add_entries(policy, &rule->egress, false, cluster, reading, entries, &count);
    rules_add_entries(policy, &rule->egress_deny, true, cluster, reading, entries, &count);
    rules->entries = entries;
    rules->count = count;
}

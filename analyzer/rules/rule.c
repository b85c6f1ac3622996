#include "analyzer/rules/rule.h"

#include <string.h>

#include "analyzer/rules/key.h"
#include "base/arena.h"

/* By halves, so that a peer's sets are copied a few times and not once for each peer after it. */
static struct destination_set peers_destinations(const struct peer *peers, size_t count, bool upper,
                                                 struct arena *arena) {
    if (count == 0)
        return destination_set_nothing();
    if (count == 1)
        return upper ? peers->upper : peers->lower;
    struct destination_set left = peers_destinations(peers, count / 2, upper, arena);
    struct destination_set right = peers_destinations(peers + count / 2, count - count / 2, upper, arena);
    return destination_set_union(arena, &left, &right);
}

struct destination_set entry_destinations(const struct rule_entry *entry, bool upper, struct arena *arena) {
    return peers_destinations(entry->peers, entry->peer_count, upper, arena);
}

struct port_set entry_ports(const struct rule_entry *entry, bool upper, struct arena *arena) {
    const struct port_set **ports = arena_array(arena, entry->key_count + 1, sizeof *ports);
    for (size_t i = 0; i < entry->key_count; i++)
        ports[i] = upper ? &entry->keys[i].upper : &entry->keys[i].lower;
    return port_set_union_of(arena, ports, entry->key_count);
}

bool key_has_questions(const struct rule_key *key) { return key->restriction && key->restriction->has_questions; }

bool key_has_server_names(const struct rule_key *key) { return key->restriction && key->restriction->has_server_names; }

bool entries_share_selector(const struct rule_entry *a, const struct rule_entry *b) {
    for (size_t i = 0; i < a->peer_count; i++)
        for (size_t k = 0; k < b->peer_count; k++)
            if (strcmp(a->peers[i].selector, b->peers[k].selector) == 0)
                return true;
    return false;
}

/* ---- NetworkPolicy ---- */

static void rules_set_core(struct policy_rules *rules, const struct core_rules *list, const struct cluster *cluster,
                           const struct reading *reading, const struct rule_options *options) {
    struct rule_entry *entries = arena_array(cluster->arena, list->count + 1u, sizeof *entries);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct core_rule *rule = &list->rules[i];
        struct peer_list peers = {0};
        struct key_list keys = {0};
        peers_of_core_rule(rule, rules->policy->object->namespace, cluster, reading, &peers);
        keys_of_core_rule(rule, cluster, reading, options, &keys);
        entries[i] = (struct rule_entry){.part = rule->part,
                                         .peers = peers.list,
                                         .peer_count = peers.count,
                                         .keys = keys.list,
                                         .key_count = keys.count};
    }
    rules->entries = entries;
    rules->count = list->count;
}

void rules_of_core(const struct policy *policy, const struct cluster *cluster, const struct reading *reading,
                   const struct rule_options *options, struct policy_rules *rules) {
    const struct core_policy *core = policy->core;
    *rules = (struct policy_rules){.policy = policy};
    /* Cilium counts egress rules whatever policyTypes says. */
    rules->isolates = core->isolates_egress || (reading->cilium && core->egress.count > 0);
    if (rules->isolates)
        rules_set_core(rules, &core->egress, cluster, reading, options);
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
                                                  .key_count = keys.count,
                                                  .authentication = entry->authentication};
    }
}

static void rules_set_cilium(struct policy_rules *rules, const struct cilium_entries *allow,
                             const struct cilium_entries *deny, enum tristate default_deny,
                             const struct cluster *cluster, const struct reading *reading) {
    bool filled = allow->presence == PRESENCE_FILLED || deny->presence == PRESENCE_FILLED;
    bool lifted = default_deny == TRISTATE_FALSE && reading->class >= CILIUM_1_16_0;
    rules->isolates = filled && !lifted;
    rules->adds_allow_all = filled && lifted;
    struct rule_entry *entries = arena_array(cluster->arena, allow->count + deny->count + 1u, sizeof *entries);
    size_t count = 0;
    rules_add_entries(rules->policy, allow, false, cluster, reading, entries, &count);
    rules_add_entries(rules->policy, deny, true, cluster, reading, entries, &count);
    rules->entries = entries;
    rules->count = count;
}

void rules_of_cilium(const struct policy *policy, const struct cilium_rule *rule, const struct cluster *cluster,
                     const struct reading *reading, struct policy_rules *rules) {
    *rules = (struct policy_rules){.policy = policy, .rule = rule};
    rules_set_cilium(rules, &rule->egress, &rule->egress_deny, rule->default_deny_egress, cluster, reading);
}

/* ---- ingress ---- */

void ingress_rules_of(const struct policy *policy, const struct cilium_rule *rule, const struct cluster *cluster,
                      const struct reading *reading, struct policy_rules *rules) {
    *rules = (struct policy_rules){.policy = policy, .rule = rule};
    if (rule) {
        rules_set_cilium(rules, &rule->ingress, &rule->ingress_deny, rule->default_deny_ingress, cluster, reading);
    } else if (policy->core && policy->core->isolates_ingress) {
        /* Without Ingress among policyTypes there are no rules, for Cilium too (spec/analysis.md 5). */
        rules->isolates = true;
        rules_set_core(rules, &policy->core->ingress, cluster, reading, NULL);
    }
}

/* Rules for DNS: whether they reach the resolver, and whether every name may be asked for. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "base/arena.h"

/* Whether the entry is about port 53 and no other. */
static bool entry_is_dns(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->key_count; i++) {
        const struct rule_key *key = &entry->keys[i];
        if (key->form != KEY_PORT ||
            (!port_set_contains(&key->lower, PROTOCOL_UDP, 53) && !port_set_contains(&key->lower, PROTOCOL_TCP, 53) &&
             !port_set_contains(&key->lower, PROTOCOL_SCTP, 53)))
            return false;
    }
    return !entry->deny && entry->key_count > 0 && entry->peer_count > 0;
}

/* ---- every name ---- */

/* Where the rule of ports admits every name: the pattern that does, or the rule where it has no list; no node: nowhere. */
static struct part every_name_part(const struct lint_scope *scope, const struct cilium_port_rule *ports) {
    if (ports->dns.presence != PRESENCE_FILLED)
        return ports->has_rules ? (struct part){NULL, NULL} : ports->part;
    for (uint32_t i = 0; i < ports->dns.count; i++) {
        const struct cilium_name *name = &ports->dns.names[i];
        if (!name->match_pattern)
            continue;
        bool deep = scope->readings.list[scope->readings.count - 1].class >= CILIUM_1_19;
        struct name_pattern pattern = name_pattern_of(scope->scratch, text_of(name->match_pattern), deep);
        if (pattern.kind == NAME_EVERY)
            return name->part;
    }
    return (struct part){NULL, NULL};
}

static void check_every_name(struct lint_scope *scope, const struct lint_member *member,
                             const struct rule_entry *entry) {
    const struct cilium_entries *egress = &member->candidate.rule->egress;
    for (uint32_t i = 0; i < egress->count; i++) {
        if (egress->list[i].part.node != entry->part.node)
            continue;
        for (uint32_t p = 0; p < egress->list[i].port_count; p++) {
            struct part part = every_name_part(scope, &egress->list[i].ports[p]);
            if (!part.node || !lint_once(scope, CODE_DNS_UNRESTRICTED, part.node))
                continue;
            lint_report(scope->lint, member->policy, CODE_DNS_UNRESTRICTED, part,
                        "%s lets pods ask for every name, and questions carry data to whoever serves a domain; list "
                        "the names that they need",
                        part.path);
            return;
        }
    }
}

/* ---- the resolver's pods ---- */

static struct endpoint_set resolver_set(const struct lint_scope *scope) {
    const struct cluster_facts *facts = &scope->cluster.facts;
    struct arena *arena = scope->scratch;
    struct label_set set = label_set_everything();
    struct value_set namespace = value_set_of(arena, &facts->dns_namespace, 1, false, false);
    set = label_set_require(arena, &set, (struct label_key){LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, &namespace);
    for (size_t i = 0; i < facts->dns_label_count; i++) {
        struct value_set value = value_set_of(arena, &facts->dns_labels[i].value, 1, false, false);
        set = label_set_require(arena, &set, (struct label_key){LABEL_POD, facts->dns_labels[i].key}, &value);
    }
    return endpoint_set_of(arena, &set);
}

static bool find_resolver(void *context, const struct pod *pod, enum truth in) {
    const struct pod **found = context;
    if (in == TRUTH_YES && !pod->host_network)
        *found = pod;
    return !*found;
}

const struct pod *lint_resolver_of(struct lint_scope *scope) {
    struct endpoint_set resolver = resolver_set(scope);
    const struct pod *found = NULL;
    lint_pods_in(scope, &resolver, find_resolver, &found);
    return found;
}

/* What a rule for DNS reaches. */
struct reached {
    const struct lint_scope *scope;
    bool server; /* a pod that may answer questions */
};

static bool may_serve(const struct pod *pod) {
    for (uint32_t i = 0; i < pod->port_count; i++)
        if (pod->ports[i].number == 53 || strcmp(pod->ports[i].protocol, "UDP") == 0)
            return true;
    return pod->port_count == 0;
}

static bool reach(void *context, const struct pod *pod, enum truth in) {
    struct reached *reached = context;
    reached->server = reached->server || (in != TRUTH_NO && may_serve(pod));
    return !reached->server;
}

/* Whether the entry may reach a server of some kind: the resolver, another pod that serves, an address, a node. */
static bool entry_may_reach(struct lint_scope *scope, const struct rule_entry *entry,
                            const struct endpoint_set *resolver) {
    for (size_t i = 0; i < entry->peer_count; i++) {
        const struct destination_set *set = &entry->peers[i].upper;
        struct reached reached = {scope, false};
        struct endpoint_set both = endpoint_set_intersect(scope->scratch, &set->pods, resolver);
        const struct pod *found = NULL;
        if (set->addresses.count || set->learned_count || set->specials || entry->peers[i].doubt)
            return true;
        lint_pods_in(scope, &both, find_resolver, &found);
        lint_pods_in(scope, &set->pods, reach, &reached);
        if (found || reached.server)
            return true;
    }
    return false;
}

/* Whether the policy reaches a server by some rule: then the others may be for other clusters. */
static bool member_reaches(struct lint_scope *scope, struct lint_member *member, size_t reading,
                           const struct endpoint_set *resolver) {
    const struct policy_rules *rules = lint_rules(scope, member, reading);
    for (size_t e = 0; e < rules->count; e++) {
        bool asks = false;
        for (size_t k = 0; k < rules->entries[e].key_count; k++)
            asks = asks || port_set_contains(&rules->entries[e].keys[k].upper, PROTOCOL_UDP, 53);
        if (!rules->entries[e].deny && asks && entry_may_reach(scope, &rules->entries[e], resolver))
            return true;
    }
    return false;
}

static void check_mismatch(struct lint_scope *scope, struct lint_member *member, const struct rule_entry *entry) {
    if (!scope->resolver)
        return;
    struct endpoint_set resolver = resolver_set(scope);
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        const struct rule_entry *here = lint_entry_under(scope, member, reading, entry);
        if (!here || entry_may_reach(scope, here, &resolver) || member_reaches(scope, member, reading, &resolver))
            return;
    }
    if (!lint_once(scope, CODE_DNS_RESOLVER_MISMATCH, entry->part.node))
        return;
    struct part part = entry->peers[0].part.node ? entry->peers[0].part : entry->part;
    lint_report(
        scope->lint, member->policy, CODE_DNS_RESOLVER_MISMATCH, part,
        "%s is for port 53 and selects none of the resolver's pods, such as %s; select them by their labels and "
        "their namespace",
        part.path, lint_pod_words(scope, scope->resolver));
}

void lint_check_dns_rules(struct lint_scope *scope, struct lint_member *member) {
    if (!member->sound || !(lint_traits(scope, member, 0) & (TRAIT_UDP_53 | TRAIT_TCP_53)))
        return;
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    for (size_t e = 0; e < rules->count; e++) {
        if (!entry_is_dns(&rules->entries[e]))
            continue;
        if (member->candidate.rule)
            check_every_name(scope, member, &rules->entries[e]);
        check_mismatch(scope, member, &rules->entries[e]);
    }
}

/* What selectors meet among the pods and workloads of the inputs: subjects of policies, and peers. */
#include <string.h>

#include "analyzer/lint/index.h"
#include "analyzer/lint/scope.h"
#include "analyzer/rules/cilium_key.h"
#include "base/arena.h"

/* ---- subjects ---- */

/* Whether some namespace that the member may select in has pods among the inputs. */
static bool subject_has_pods(const struct lint_scope *scope, const struct lint_member *member) {
    if (member->namespace)
        return lint_pods_of_namespace(scope, member->namespace) > 0;
    const struct evidence *evidence = &scope->lint->snapshot.evidence;
    const char *last = NULL;
    for (size_t i = 0; i < evidence->pod_count; i++) {
        const char *namespace = evidence->pods[i].namespace;
        if (!namespace || (last && strcmp(last, namespace) == 0))
            continue;
        last = namespace;
        const struct namespace_evidence *known = evidence_namespace(evidence, namespace);
        const struct subject any = {
            .namespace = namespace, .labels_are_free = true, .namespace_labels = known ? &known->labels : NULL};
        if (candidate_selects(&member->candidate, &any, &scope->cluster, &scope->readings.list[0]) != TRUTH_NO)
            return true;
    }
    return false;
}

/* Pods that name no namespace may be in any, and a policy that names none may be in that of any pod. */
static bool loose_pods_may_match(const struct lint_scope *scope, const struct lint_member *member) {
    const struct evidence *evidence = &scope->lint->snapshot.evidence;
    bool made = lint_namespace_is_made(member->namespace);
    for (size_t i = 0; i < evidence->pod_count && (made || !evidence->pods[i].namespace); i++) {
        const struct subject subject = {.namespace = member->namespace,
                                        .labels = evidence->pods[i].labels,
                                        .labels_are_open = evidence->pods[i].is_template};
        if (candidate_selects(&member->candidate, &subject, &scope->cluster, &scope->readings.list[0]) != TRUTH_NO)
            return true;
    }
    return false;
}

static struct part selector_part(const struct lint_member *member) {
    struct part part = member_selector(member)->part;
    if (!part.path)
        part.path = member->candidate.is_core ? "spec.podSelector" : member->candidate.rule->part.path;
    return part;
}

void lint_check_subject(struct lint_scope *scope, struct lint_member *member) {
    struct lint *lint = scope->lint;
    struct part part = selector_part(member);
    if (member->host_pod) {
        struct diagnostic *finding = lint_report(
            lint, member->policy, CODE_HOST_NETWORK, part,
            "%s selects %s, which is on the host's network: no policy for pods restricts it; take it off the host's "
            "network, or restrict the node by other means",
            part.path, lint_pod_words(scope, member->host_pod));
        diagnostic_set_severity(lint->findings, finding, SEVERITY_WARNING);
    }
    if (member->may_select || lint->snapshot.unreadable || member_selector(member)->count == 0 ||
        !subject_has_pods(scope, member) || loose_pods_may_match(scope, member))
        return;
    lint_report(lint, member->policy, CODE_SELECTS_NOTHING, part,
                "%s matches no pod and no workload of the inputs, so the policy restricts nothing; write the labels "
                "that the pods carry",
                part.path);
}

/* ---- peers ---- */

/* What a search for the pods of a peer has met. */
struct met {
    bool plain, host;
    const struct pod *pod;
};

static bool meet(void *context, const struct pod *pod, enum truth in) {
    struct met *met = context;
    if (pod->host_network && in == TRUTH_YES) {
        met->host = true;
        met->pod = pod;
    } else {
        met->plain = true;
        met->pod = pod;
    }
    return !met->plain;
}

/* A pod off the host's network that is certainly in the set. */
static bool meet_for_certain(void *context, const struct pod *pod, enum truth in) {
    struct met *met = context;
    met->plain = in == TRUTH_YES && !pod->host_network;
    met->pod = pod;
    return !met->plain;
}

static bool peer_is_pods(const struct peer *peer) {
    return peer->upper.pods.count > 0 && peer->upper.addresses.count == 0 && peer->upper.learned_count == 0 &&
           peer->upper.specials == 0 && !peer->doubt;
}

/* The peer as it is under another reading, or NULL. */
static const struct peer *peer_under(struct lint_scope *scope, struct lint_member *member, size_t reading,
                                     const struct rule_entry *entry, size_t place) {
    const struct rule_entry *here = lint_entry_under(scope, member, reading, entry);
    return here && place < here->peer_count ? &here->peers[place] : NULL;
}

/* Whether the selector was met before; with `add` it is from now on. Cilium's selectors have a normal form, others none. */
static bool selector_was_met(struct lint_scope *scope, const struct peer *peer, bool add) {
    if (!scope->cilium || !peer->selector)
        return false;
    if (!scope->met) {
        scope->met_capacity = 1 << 16;
        scope->met = arena_array(scope->lint->arena, scope->met_capacity, sizeof *scope->met);
    }
    uint64_t hash = text_hash(text_of(peer->selector)) | 1u;
    size_t at = hash % scope->met_capacity;
    while (scope->met[at] && scope->met[at] != hash)
        at = (at + 1) % scope->met_capacity;
    bool met = scope->met[at] == hash;
    if (add && !met && 2 * scope->met_count < scope->met_capacity) {
        scope->met[at] = hash;
        scope->met_count++;
    }
    return met;
}

/* What the peer meets under the first reading. */
static struct met peer_met(struct lint_scope *scope, const struct peer *peer) {
    struct met met = {selector_was_met(scope, peer, false), false, NULL};
    if (!met.plain)
        lint_pods_in(scope, &peer->upper.pods, meet, &met);
    if (met.plain)
        selector_was_met(scope, peer, true);
    return met;
}

/* Whether the others agree that the peer meets no pod off the host's network, and on whether it meets one on it. */
static bool readings_agree(struct lint_scope *scope, struct lint_member *member, const struct rule_entry *entry,
                           size_t place, bool host) {
    for (size_t reading = 1; reading < scope->readings.count; reading++) {
        const struct peer *peer = peer_under(scope, member, reading, entry, place);
        struct met met = {false, false, NULL};
        if (!peer || !peer_is_pods(peer))
            return false;
        lint_pods_in(scope, &peer->upper.pods, meet, &met);
        if (met.plain || met.host != host)
            return false;
    }
    return true;
}

static const struct label_key namespace_name = {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME};

/* Whether the peer means its own namespace because it names none. */
static bool names_no_namespace(const struct lint_member *member, const struct peer *peer) {
    if (!member->namespace)
        return false;
    const struct policy *policy = member->candidate.policy;
    for (uint32_t i = 0; policy->core && i < policy->core->egress.count; i++)
        for (uint32_t k = 0; k < policy->core->egress.rules[i].peer_count; k++)
            if (policy->core->egress.rules[i].peers[k].part.node == peer->part.node)
                return policy->core->egress.rules[i].peers[k].namespaces.presence == PRESENCE_ABSENT;
    for (uint32_t i = 0; member->candidate.rule && i < member->candidate.rule->egress.count; i++) {
        const struct cilium_selectors *list = &member->candidate.rule->egress.list[i].endpoints;
        for (uint32_t k = 0; k < list->count; k++) {
            bool found = list->list[k].part.node == peer->part.node, named = false;
            for (uint32_t r = 0; found && r < list->list[k].count; r++) {
                struct cilium_key key = cilium_key_of(list->list[k].requirements[r].key);
                named = named || key.is_namespace || key.is_namespace_label || key.source == SOURCE_RESERVED;
            }
            if (found)
                return !named;
        }
    }
    return false;
}

/* The same pods in any namespace. */
static struct endpoint_set of_every_namespace(const struct endpoint_set *pods, struct arena *arena) {
    struct endpoint_set set = endpoint_set_nothing();
    for (uint32_t i = 0; i < pods->count; i++) {
        struct label_set free = label_set_everything();
        const struct label_set *all_of = &pods->terms[i].all_of;
        for (uint32_t k = 0; k < all_of->count; k++)
            if (!label_key_is_namespace_name(&all_of->requirements[k].key))
                free = label_set_require(arena, &free, all_of->requirements[k].key, &all_of->requirements[k].values);
        struct endpoint_set one = endpoint_set_of(arena, &free);
        set = endpoint_set_union(arena, &set, &one);
    }
    return set;
}

static void report_own_namespace(struct lint_scope *scope, const struct lint_member *member, const struct peer *peer) {
    struct endpoint_set anywhere = of_every_namespace(&peer->upper.pods, scope->scratch);
    struct met met = {false, false, NULL};
    lint_pods_in(scope, &anywhere, meet_for_certain, &met);
    if (!met.plain || !lint_once(scope, CODE_OWN_NAMESPACE_ONLY, peer->part.node))
        return;
    lint_report(scope->lint, member->policy, CODE_OWN_NAMESPACE_ONLY, peer->part,
                "%s names no namespace and means the policy's own, where no pod matches, while %s does; name that "
                "namespace in the same entry",
                peer->part.path, lint_pod_words(scope, met.pod));
}

static bool term_demands_namespace_label(const struct endpoint_term *term) {
    for (uint32_t k = 0; k < term->all_of.count; k++)
        if (term->all_of.requirements[k].key.scope == LABEL_NAMESPACE)
            return true;
    return false;
}

static bool namespace_matches(const struct namespace_evidence *namespace, const struct endpoint_term *term) {
    for (uint32_t k = 0; k < term->all_of.count; k++) {
        const struct label_requirement *requirement = &term->all_of.requirements[k];
        if (requirement->key.scope == LABEL_NAMESPACE &&
            !value_set_contains(&requirement->values, labels_get(&namespace->labels, requirement->key.name)))
            return false;
    }
    return true;
}

/* Whether each namespace that the term may mean is known, with its pods. */
static bool term_is_known(const struct lint_scope *scope, const struct endpoint_term *term) {
    const struct value_set *names = label_set_values(&term->all_of, &namespace_name);
    const struct evidence *evidence = &scope->lint->snapshot.evidence;
    bool listed = names && !names->complement;
    if (scope->lint->snapshot.complete[OBJECT_POD])
        return true;
    for (uint32_t i = 0; listed && i < names->count; i++)
        if (lint_pods_of_namespace(scope, names->values[i]) == 0)
            return false;
    for (size_t i = 0; !listed && i < evidence->namespace_count; i++)
        if (namespace_matches(&evidence->namespaces[i], term) &&
            lint_pods_of_namespace(scope, evidence->namespaces[i].name) == 0)
            return false;
    return listed || term_demands_namespace_label(term);
}

/* Whether all that the peer may mean is known, so that what is not among the inputs is nowhere. */
static bool peer_is_known(const struct lint_scope *scope, const struct peer *peer) {
    bool known = lint_has_all_namespaces(scope) && !scope->lint->snapshot.unreadable;
    for (uint32_t i = 0; known && i < peer->upper.pods.count; i++)
        known = term_is_known(scope, &peer->upper.pods.terms[i]);
    return known;
}

static void report_nothing(struct lint_scope *scope, const struct lint_member *member, const struct rule_entry *entry,
                           const struct peer *peer) {
    if (!peer_is_known(scope, peer) || lint_was_said(scope, CODE_OWN_NAMESPACE_ONLY, peer->part.node) ||
        lint_was_said(scope, CODE_DNS_RESOLVER_MISMATCH, entry->part.node))
        return;
    lint_report(scope->lint, member->policy, CODE_SELECTS_NOTHING, peer->part,
                "%s matches no pod and no workload of the inputs, so it opens nothing; write the labels that the pods, "
                "or their namespaces, carry",
                peer->part.path);
}

static void check_peer(struct lint_scope *scope, struct lint_member *member, const struct rule_entry *entry,
                       size_t place) {
    const struct peer *peer = &entry->peers[place];
    struct met met = {true, false, NULL};
    if (peer_is_pods(peer))
        met = peer_met(scope, peer);
    bool own = !met.plain && names_no_namespace(member, peer) && lint_pods_of_namespace(scope, member->namespace) > 0;
    if (met.plain || (!met.host && !own && !peer_is_known(scope, peer)) ||
        !readings_agree(scope, member, entry, place, met.host))
        return;
    if (met.host) {
        lint_report(scope->lint, member->policy, CODE_PEER_HOST_NETWORK, peer->part,
                    "%s selects only pods on the host's network, such as %s, which selectors of pods never meet; allow "
                    "the nodes instead (the entities `host` and `remote-node`, or a block of their addresses)",
                    peer->part.path, lint_pod_words(scope, met.pod));
        return;
    }
    if (lint_has_loose_pods(scope) && !lint_namespace_is_made(member->namespace))
        return;
    if (own)
        report_own_namespace(scope, member, peer);
    report_nothing(scope, member, entry, peer);
}

void lint_check_peers(struct lint_scope *scope, struct lint_member *member) {
    if (!member->sound || scope->lint->snapshot.evidence.pod_count == 0)
        return;
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    for (size_t e = 0; e < rules->count; e++)
        for (size_t p = 0; p < rules->entries[e].peer_count; p++)
            check_peer(scope, member, &rules->entries[e], p);
}

/*
 * Selectors that reach more or less than they seem to (spec/kubernetes-egress.md 1.5, spec/cilium-egress.md 1.2, 1.4).
 * What they reach is asked of the sets that every decision uses.
 */
#include <string.h>

#include "analyzer/lint/object.h"
#include "analyzer/rules/cilium_key.h"
#include "analyzer/rules/peer.h"
#include "base/arena.h"

static bool is_core_engine(const struct lint *lint) { return !lint->cilium; }

/* ---- or-for-and ---- */

/* The destinations of peers of one rule, under the reading that holds for NetworkPolicies. */
static struct destination_set destinations_of(struct lint *lint, const struct policy *policy, struct core_peer *peers,
                                              uint32_t count) {
    const struct core_rule rule = {.peers = peers, .peer_count = count};
    const struct reading *reading = is_core_engine(lint) ? &lint->core : &lint->newest;
    const char *namespace = policy->object->namespace ? policy->object->namespace : "default";
    struct peer_list list = {.count = 0};
    struct destination_set set = destination_set_nothing();
    peers_of_core_rule(&rule, namespace, &lint->cluster, reading, &list);
    for (size_t i = 0; i < list.count; i++)
        set = destination_set_union(lint->arena, &set, &list.list[i].lower);
    return set;
}

static bool is_lone(const struct selector *one, const struct selector *other, bool has_block) {
    return one->presence != PRESENCE_ABSENT && other->presence == PRESENCE_ABSENT && !has_block;
}

/* Two peers that were perhaps meant as one: a witness of what only the two let in; NULL: none. */
static const char *witness_of_two(struct lint *lint, const struct policy *policy, const struct core_peer *namespaces,
                                  const struct core_peer *pods) {
    struct core_peer two[] = {*namespaces, *pods};
    struct core_peer one = *namespaces;
    one.pods = pods->pods;
    struct destination_set either = destinations_of(lint, policy, two, 2);
    struct destination_set both = destinations_of(lint, policy, &one, 1);
    struct destination_set more = destination_set_subtract(lint->arena, &either, &both);
    struct destination witness;
    if (!destination_set_sample(lint->arena, &more, &witness))
        return NULL;
    struct buffer text;
    buffer_init(&text, lint->arena);
    destination_print(&text, &witness);
    return buffer_string(&text);
}

static void check_rule(struct lint *lint, const struct policy *policy, const struct core_rule *rule) {
    uint32_t namespaces = 0, pods = 0, at_namespace = 0, at_pod = 0;
    for (uint32_t i = 0; i < rule->peer_count; i++) {
        const struct core_peer *peer = &rule->peers[i];
        if (is_lone(&peer->namespaces, &peer->pods, peer->has_block)) {
            namespaces++;
            at_namespace = i;
        } else if (is_lone(&peer->pods, &peer->namespaces, peer->has_block)) {
            pods++;
            at_pod = i;
        }
    }
    bool adjacent = at_namespace + 1 == at_pod || at_pod + 1 == at_namespace;
    if (lint_is_misread(lint, policy, rule->part.node) || namespaces != 1 || pods != 1 || !adjacent ||
        rule->peers[at_pod].pods.presence != PRESENCE_FILLED)
        return;
    const struct core_peer *first = &rule->peers[at_namespace < at_pod ? at_namespace : at_pod];
    const char *witness = witness_of_two(lint, policy, &rule->peers[at_namespace], &rule->peers[at_pod]);
    if (!witness)
        return;
    lint_report(
        lint, policy, CODE_OR_FOR_AND, first->part,
        "%s and the entry after it are a namespaceSelector and a podSelector as two peers, each of which opens what "
        "it selects (also %s); if pods of these namespaces are meant, write both selectors in one entry",
        first->part.path, witness);
}

void lint_or_for_and(struct lint *lint, const struct policy *policy) {
    const struct core_policy *core = policy->core;
    for (uint32_t i = 0; core && i < core->egress.count; i++)
        check_rule(lint, policy, &core->egress.rules[i]);
}

/* ---- negative-only-selector, every-namespace ---- */

static bool is_negative(const struct selector *selector) {
    bool negative = selector->presence == PRESENCE_FILLED;
    for (uint32_t i = 0; i < selector->count; i++) {
        enum selector_operator verb = selector->requirements[i].verb;
        negative = negative && (verb == OPERATOR_NOT_IN || verb == OPERATOR_DOES_NOT_EXIST);
    }
    return negative && selector_is_readable(selector);
}

/* Whether a selector reaches the outside or nodes in this reading. */
typedef bool reaches_outside(struct lint *lint, const struct policy *policy, const void *peer,
                             const struct reading *reading);

static bool has_outside(const struct destination_set *set) {
    return !address_set_is_empty(&set->addresses) || set->specials != 0;
}

static bool cilium_reaches(struct lint *lint, const struct policy *policy, const void *peer,
                           const struct reading *reading) {
    const struct selector *selector = peer;
    struct selector copy = *selector;
    const struct cilium_entry entry = {.endpoints = {.presence = PRESENCE_FILLED, .list = &copy, .count = 1}};
    bool clusterwide = policy->object->kind == OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY;
    const char *namespace = policy->object->namespace ? policy->object->namespace : "default";
    struct peer_list list = {.count = 0};
    peers_of_cilium_entry(&entry, clusterwide ? NULL : namespace, false, &lint->cluster, reading, &list);
    return list.count > 0 && has_outside(&list.list[0].upper);
}

static bool core_reaches(struct lint *lint, const struct policy *policy, const void *peer,
                         const struct reading *reading) {
    struct core_peer copy = *(const struct core_peer *)peer;
    const struct core_rule rule = {.peers = &copy, .peer_count = 1};
    const char *namespace = policy->object->namespace ? policy->object->namespace : "default";
    struct peer_list list = {.count = 0};
    peers_of_core_rule(&rule, namespace, &lint->cluster, reading, &list);
    return list.count > 0 && has_outside(&list.list[0].upper);
}

static void check_negative(struct lint *lint, const struct policy *policy, struct part part, const void *peer,
                           reaches_outside *reaches) {
    struct buffer versions;
    buffer_init(&versions, lint->arena);
    for (size_t i = 0; i < lint->readings.count; i++) {
        const struct reading *reading = &lint->readings.list[i];
        if (reaches(lint, policy, peer, reading))
            buffer_print(&versions, "%s%s", versions.length ? ", " : "", cilium_class_word(reading->class));
    }
    if (versions.length > 0)
        lint_report(
            lint, policy, CODE_NEGATIVE_ONLY_SELECTOR, part,
            "%s only says what labels must not be, so under Cilium %s it also selects the world, nodes and whatever "
            "else lacks them; add a requirement that pods alone meet, such as the namespace's name",
            part.path, buffer_string(&versions));
}

/* Pods of every namespace: `{}` in a clusterwide policy, the namespace's mere existence in any. */
static bool is_every_namespace(struct lint *lint, const struct policy *policy, const struct selector *selector) {
    bool clusterwide = policy->object->kind == OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY;
    for (uint32_t i = 0; i < selector->count; i++) {
        const struct selector_requirement *requirement = &selector->requirements[i];
        if (!cilium_key_of(requirement->key).is_namespace || requirement->verb != OPERATOR_EXISTS)
            return false;
    }
    return selector->part.node && (clusterwide || selector->count > 0) &&
           !lint_is_misread(lint, policy, selector->part.node);
}

static void check_endpoints(struct lint *lint, const struct policy *policy, const struct cilium_entry *entry,
                            bool deny) {
    for (uint32_t i = 0; i < entry->endpoints.count; i++) {
        const struct selector *selector = &entry->endpoints.list[i];
        if (is_negative(selector))
            check_negative(lint, policy, selector->part, selector, cilium_reaches);
        if (!deny && is_every_namespace(lint, policy, selector))
            lint_report(lint, policy, CODE_EVERY_NAMESPACE, selector->part,
                        "%s opens all pods of every namespace; name the namespaces that are meant, by "
                        "k8s:io.kubernetes.pod.namespace",
                        selector->part.path);
    }
}

void lint_negative_selectors(struct lint *lint, const struct policy *policy) {
    const struct core_policy *core = policy->core;
    for (uint32_t i = 0; core && lint->cilium && i < core->egress.count; i++)
        for (uint32_t j = 0; j < core->egress.rules[i].peer_count; j++) {
            const struct core_peer *peer = &core->egress.rules[i].peers[j];
            if (is_negative(&peer->namespaces) && (peer->pods.presence != PRESENCE_FILLED || is_negative(&peer->pods)))
                check_negative(lint, policy, peer->part, peer, core_reaches);
        }
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        const struct cilium_rule *rule = &policy->rules[i];
        for (uint32_t j = 0; j < rule->egress.count; j++)
            check_endpoints(lint, policy, &rule->egress.list[j], false);
        for (uint32_t j = 0; j < rule->egress_deny.count; j++)
            check_endpoints(lint, policy, &rule->egress_deny.list[j], true);
    }
}

/* ---- identity-label-dropped ---- */

static const char *requirement_path(struct lint *lint, const struct selector *selector, uint32_t index) {
    const struct selector_requirement *requirement = &selector->requirements[index];
    if (!requirement->expression)
        return path_key(lint->arena, path_field(lint->arena, selector->part.path, "matchLabels"),
                        text_of(requirement->key));
    size_t place = 0;
    for (uint32_t i = 0; i < index; i++)
        place += selector->requirements[i].expression;
    return path_index(lint->arena, path_field(lint->arena, selector->part.path, "matchExpressions"), place);
}

static void check_dropped(struct lint *lint, const struct policy *policy, const struct selector *selector) {
    for (uint32_t i = 0; i < selector->count; i++) {
        const struct selector_requirement *requirement = &selector->requirements[i];
        struct cilium_key key = cilium_key_of(requirement->key);
        bool of_pods = policy->core || key.source == SOURCE_ANY || key.source == SOURCE_K8S;
        const char *name = policy->core ? requirement->key : key.name;
        if (!of_pods || !requirement->readable || identity_filter_keeps(lint->newest.filter, name))
            continue;
        bool negative = requirement->verb == OPERATOR_NOT_IN || requirement->verb == OPERATOR_DOES_NOT_EXIST;
        bool of_namespace = strcmp(name, "kubernetes.io/metadata.name") == 0;
        const char *path = requirement_path(lint, selector, i);
        lint_report(lint, policy, CODE_IDENTITY_LABEL_DROPPED, (struct part){requirement->node, path},
                    "%s asks for `%s`, which Cilium leaves out of identities, so it %s; write %s", path, name,
                    negative ? "holds of every pod" : "holds of no pod",
                    of_namespace
                        ? "k8s:io.kubernetes.pod.namespace, for this is a label of namespaces"
                        : "a label that is part of identities, or have the agent's option `labels` keep this one");
    }
}

static void check_dropped_list(struct lint *lint, const struct policy *policy, const struct cilium_entries *entries) {
    for (uint32_t i = 0; i < entries->count; i++)
        for (uint32_t j = 0; j < entries->list[i].endpoints.count; j++)
            check_dropped(lint, policy, &entries->list[i].endpoints.list[j]);
}

void lint_dropped_labels(struct lint *lint, const struct policy *policy) {
    const struct core_policy *core = policy->core;
    if (core && lint->cilium) {
        check_dropped(lint, policy, &core->pods);
        for (uint32_t i = 0; i < core->egress.count; i++)
            for (uint32_t j = 0; j < core->egress.rules[i].peer_count; j++)
                check_dropped(lint, policy, &core->egress.rules[i].peers[j].pods);
    }
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        const struct cilium_rule *rule = &policy->rules[i];
        check_dropped(lint, policy, &rule->endpoint_selector);
        check_dropped_list(lint, policy, &rule->egress);
        check_dropped_list(lint, policy, &rule->egress_deny);
    }
}

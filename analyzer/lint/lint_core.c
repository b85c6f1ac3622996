/*
 * NetworkPolicies that do not mean what they seem to (spec/kubernetes-egress.md 1.3 to 1.7).
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/object.h"
#include "base/arena.h"

/* ---- what could not be read ---- */

static int compare_nodes(const void *a, const void *b) {
    const struct node *left = *(const struct node *const *)a, *right = *(const struct node *const *)b;
    return (left > right) - (left < right);
}

/* The values of another type in this policy, by address. */
static void find_misread(struct lint *lint, const struct policy *policy) {
    size_t count = 0;
    for (uint32_t i = 0; i < policy->problem_count; i++)
        count += policy->problems[i].effect == PROBLEM_TYPE;
    lint->misread_of = policy;
    lint->misread_count = count;
    if (count == 0)
        return;
    lint->misread = arena_array(lint->arena, count, sizeof *lint->misread);
    for (uint32_t i = 0, next = 0; i < policy->problem_count; i++)
        if (policy->problems[i].effect == PROBLEM_TYPE)
            lint->misread[next++] = policy->problems[i].part.node;
    qsort(lint->misread, count, sizeof *lint->misread, compare_nodes);
}

static bool is_misread(const struct lint *lint, const struct node *node) {
    return bsearch(&node, lint->misread, lint->misread_count, sizeof *lint->misread, compare_nodes);
}

bool lint_is_misread(struct lint *lint, const struct policy *policy, const struct node *map) {
    if (lint->misread_of != policy)
        find_misread(lint, policy);
    if (lint->misread_count == 0 || !map)
        return false;
    bool found = is_misread(lint, map);
    for (uint32_t i = 0; map->kind == NODE_MAP && i < map->count && !found; i++)
        found = is_misread(lint, &map->entries[i].value);
    return found;
}

struct part lint_key_part(const struct node *map, const char *key, const char *path) {
    const struct node_entry *entry = node_find(map, text_of(key));
    return (struct part){.node = entry ? &entry->key : map, .path = path};
}

/* ---- policyTypes ---- */

static void report_absent_types(struct lint *lint, const struct policy *policy, const struct node *spec) {
    struct part place = lint_key_part(spec, "egress", "spec.policyTypes");
    const struct diagnostic *finding = lint_report(
        lint, policy, CODE_POLICY_TYPES_ABSENT, place,
        "spec.policyTypes is absent beside egress rules, so the API server writes [Ingress, Egress]: all ingress of "
        "the "
        "selected pods is denied as well, and an object that was first applied without egress rules stays [Ingress]; "
        "write policyTypes: [Egress], or [Ingress, Egress] if ingress is meant");
    if (!node_find(spec, text_of("policyTypes")))
        lint_propose(lint, finding, LINT_EDIT_INSERT, place.node, "policyTypes: [Ingress, Egress]");
}

void lint_policy_types(struct lint *lint, const struct policy *policy) {
    const struct core_policy *core = policy->core;
    const struct node *spec = node_get(policy->object->root, "spec");
    if (!core || lint_is_misread(lint, policy, spec))
        return;
    bool written = node_find(spec, text_of("egress")) != NULL;
    if (core->egress.count > 0 && !core->types_written)
        report_absent_types(lint, policy, spec);
    else if (core->egress.count > 0 && !core->isolates_egress)
        lint_report(
            lint, policy, CODE_EGRESS_NOT_LISTED, lint_key_part(spec, "policyTypes", "spec.policyTypes"),
            "spec.policyTypes does not list Egress, so the egress rules have no effect by the Kubernetes API, and "
            "are enforced by Cilium all the same; add Egress, or remove the rules");
    else if (core->egress.count == 0 && written && !core->isolates_egress)
        lint_report(lint, policy, CODE_EMPTY_EGRESS_INERT,
                    lint_key_part(spec, "egress", core->types_written ? "spec.egress" : "spec.policyTypes"),
                    "spec.egress is empty and policyTypes does not list Egress, so egress is not restricted at all; to "
                    "deny all egress, write policyTypes: [Egress] without egress rules");
}

/* ---- peers and ports ---- */

static void check_namespace_peer(struct lint *lint, const struct policy *policy, const struct core_peer *peer) {
    const char *path = path_field(lint->arena, peer->part.path, "namespaceSelector");
    if (peer->has_block || peer->namespaces.presence != PRESENCE_EMPTY ||
        lint_is_misread(lint, policy, peer->part.node) || lint_is_misread(lint, policy, peer->namespaces.part.node))
        return;
    const char *whom =
        peer->pods.presence == PRESENCE_FILLED
            ? "the pods that its podSelector takes, in every namespace, also in those whose owners choose "
              "the labels"
            : "all pods of every namespace";
    lint_report(
        lint, policy, CODE_EVERY_NAMESPACE, (struct part){peer->namespaces.part.node, path},
        "%s is empty: it opens %s; name the namespaces that are meant, by the label kubernetes.io/metadata.name", path,
        whom);
}

void lint_core_peers(struct lint *lint, const struct policy *policy) {
    const struct core_policy *core = policy->core;
    for (uint32_t i = 0; core && i < core->egress.count; i++) {
        const struct core_rule *rule = &core->egress.rules[i];
        if (lint_is_misread(lint, policy, rule->part.node))
            continue;
        for (uint32_t j = 0; j < rule->peer_count; j++)
            check_namespace_peer(lint, policy, &rule->peers[j]);
        if (rule->peer_count == 0 && rule->port_count > 0)
            lint_report(lint, policy, CODE_PORTS_TO_ANYWHERE, rule->part,
                        "%s has ports and no peers, so every destination is open on these ports; write the peers that "
                        "are meant in `to`",
                        rule->part.path);
    }
}

void lint_core_ports(struct lint *lint, const struct policy *policy) {
    const struct core_policy *core = policy->core;
    for (uint32_t i = 0; core && i < core->egress.count; i++) {
        const struct core_rule *rule = &core->egress.rules[i];
        bool blocks = false, pods = rule->peer_count == 0;
        for (uint32_t j = 0; j < rule->peer_count; j++) {
            blocks = blocks || rule->peers[j].has_block;
            pods = pods || !rule->peers[j].has_block;
        }
        for (uint32_t j = 0; blocks && j < rule->port_count; j++) {
            const struct core_port *port = &rule->ports[j];
            if (port->form != PORT_NAME)
                continue;
            const char *path = path_field(lint->arena, port->part.path, "port");
            lint_report(
                lint, policy, CODE_NAMED_PORT_UNRESOLVED, (struct part){node_get(port->part.node, "port"), path},
                "%s is the name `%s`, which only pods have: for the ipBlock peers of this rule it opens nothing%s; "
                "write the number",
                path, port->name, pods ? "" : ", and there are no others");
        }
    }
}

/*
 * Rules of Cilium's kinds that do not mean what they seem to (spec/cilium-egress.md 2, 3.2, 3.7).
 */
#include <string.h>

#include "analyzer/lint/object.h"
#include "base/arena.h"

/* ---- Rules ---- */

static void check_rule(struct lint *lint, const struct policy *policy, const struct cilium_rule *rule) {
    const struct node *node = rule->part.node;
    bool denies = rule->egress_deny.presence == PRESENCE_FILLED, allows = rule->egress.presence == PRESENCE_FILLED;
    const char *path = path_field(lint->arena, rule->part.path, "egress");
    if (!allows && !denies && node_find(node, text_of("egress")))
        lint_report(lint, policy, CODE_EMPTY_EGRESS_INERT, lint_key_part(node, "egress", path),
                    "%s has no entry, so egress is not restricted at all; to deny all egress, write one empty entry: "
                    "egress: [{}]",
                    path);
    if (denies && !allows && rule->default_deny_egress != TRISTATE_FALSE) {
        path = path_field(lint->arena, rule->part.path, "egressDeny");
        lint_report(
            lint, policy, CODE_DENY_ONLY, lint_key_part(node, "egressDeny", path),
            "%s stands without egress rules, so the selected pods are denied everything else as well unless another "
            "policy allows it; add what is allowed, or set enableDefaultDeny.egress to false",
            path);
    }
}

void lint_cilium_rules(struct lint *lint, const struct policy *policy) {
    for (uint32_t i = 0; i < policy->rule_count; i++)
        if (!lint_is_misread(lint, policy, policy->rules[i].part.node))
            check_rule(lint, policy, &policy->rules[i]);
}

/* ---- peers of an entry ---- */

struct kind {
    const char *key;
    enum presence presence;
    struct part part;
    bool closes; /* `[]` selects nothing from 1.16 on; of the others it is as absent */
};
enum { KINDS = 8 };

static void kinds_of(const struct cilium_entry *entry, struct kind kinds[KINDS]) {
    const struct kind all[KINDS] = {
        {"toEndpoints", entry->endpoints.presence, entry->endpoints.part, true},
        {"toEntities", entry->entities.presence, entry->entities.part, true},
        {"toCIDR", entry->cidrs.presence, entry->cidrs.part, true},
        {"toCIDRSet", entry->cidr_sets.presence, entry->cidr_sets.part, true},
        {"toNodes", entry->nodes.presence, entry->nodes.part, true},
        {"toFQDNs", entry->fqdns.presence, entry->fqdns.part, false},
        {"toServices", entry->services.presence, entry->services.part, false},
        {"toGroups", entry->groups, entry->groups_part, false},
    };
    memcpy(kinds, all, sizeof all);
}

struct entry_view {
    const struct policy *policy;
    const struct cilium_entry *entry;
    struct kind kinds[KINDS];
    bool deny, has_ports, any_filled, closed; /* closed: an empty list selects nothing */
};

static void report_empty(struct lint *lint, const struct entry_view *view, const struct kind *kind) {
    const char *effect = view->any_filled
                             ? "which selects nothing, and so the other peers of the entry count for nothing"
                             : "which selects nothing";
    lint_report(lint, view->policy, CODE_EMPTY_PEER_SELECTS_NOTHING, kind->part,
                "%s is an empty list, %s: the entry %s; %s", kind->part.path, effect,
                view->deny ? "denies nothing" : "allows nothing", "write the peers that are meant, or remove the key");
}

/* Empty lists: five kinds select nothing; of the others an entry without ports allows nothing either. */
static void check_empty(struct lint *lint, const struct entry_view *view) {
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *kind = &view->kinds[i];
        bool nothing = kind->closes || (!view->has_ports && !view->any_filled);
        if (kind->presence == PRESENCE_EMPTY && nothing)
            report_empty(lint, view, kind);
    }
}

/* Ports and no peer that bounds them: which key is at fault, if one is there at all. */
static void check_open(struct lint *lint, const struct entry_view *view) {
    const struct cilium_entry *entry = view->entry;
    bool blamed = false;
    if (!view->has_ports || view->any_filled || view->closed || view->deny)
        return;
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *kind = &view->kinds[i];
        const struct node_entry *written = node_find(entry->part.node, text_of(kind->key));
        if (!written)
            continue;
        const char *path = path_field(lint->arena, entry->part.path, kind->key);
        lint_report(
            lint, view->policy, CODE_EMPTY_PEER_OPENS_ALL, (struct part){&written->key, path},
            "%s is %s, which counts as absent: the entry opens its ports to every destination; write the peers that "
            "are meant, or remove the entry",
            path, node_is_null(&written->value) ? "null" : "an empty list");
        blamed = true;
    }
    if (blamed)
        return;
    lint_report(
        lint, view->policy, CODE_EMPTY_PEER_OPENS_ALL, entry->part,
        "%s has ports and no peers, so it opens them to every destination: pods, nodes and the world; write the "
        "peers that are meant, or toEntities: [all] if these are all",
        entry->part.path);
    lint_report(lint, view->policy, CODE_PORTS_TO_ANYWHERE, entry->part,
                "%s has ports and no peers at all; write the peers that are meant beside toPorts", entry->part.path);
}

/* ---- ports ---- */

static void check_ports(struct lint *lint, const struct entry_view *view) {
    const struct cilium_entry *entry = view->entry;
    const char *effect = view->deny ? "denies nothing" : "allows nothing";
    for (uint32_t i = 0; i < entry->port_count; i++)
        if (entry->ports[i].port_count == 0 && !lint_is_misread(lint, view->policy, entry->ports[i].part.node))
            lint_report(lint, view->policy, CODE_EMPTY_PORTS_ALLOW_NOTHING, entry->ports[i].part,
                        "%s has no ports, so it %s; write the ports that are meant, or remove toPorts if every port is",
                        entry->ports[i].part.path, effect);
    const struct node *icmps = entry->icmps_part.node;
    for (uint32_t i = 0; node_is(icmps, NODE_LIST) && i < icmps->count; i++) {
        const struct node *fields = node_get(&icmps->items[i], "fields");
        if (node_is(fields, NODE_LIST) && fields->count > 0)
            continue;
        const char *path = path_index(lint->arena, entry->icmps_part.path, i);
        lint_report(lint, view->policy, CODE_EMPTY_PORTS_ALLOW_NOTHING, (struct part){&icmps->items[i], path},
                    "%s has no fields, so it %s; write the types that are meant", path, effect);
    }
}

static void check_undecidable(struct lint *lint, const struct entry_view *view) {
    const struct cilium_entry *entry = view->entry;
    if (entry->groups == PRESENCE_FILLED)
        lint_report(lint, view->policy, CODE_PEER_UNDECIDABLE, entry->groups_part,
                    "%s is resolved by the cloud's API while the cluster runs, so what it selects cannot be seen here; "
                    "where it must be known, write toCIDRSet",
                    entry->groups_part.path);
    if (entry->nodes.presence == PRESENCE_FILLED)
        lint_report(
            lint, view->policy, CODE_PEER_UNDECIDABLE, entry->nodes.part,
            "%s selects nodes by labels that nodes set and change, so what it selects cannot be seen here; where it "
            "must be known, write toEntities or toCIDRSet",
            entry->nodes.part.path);
}

static void check_entry(struct lint *lint, const struct policy *policy, const struct cilium_entry *entry, bool deny) {
    struct entry_view view = {.policy = policy, .entry = entry, .deny = deny};
    if (lint_is_misread(lint, policy, entry->part.node))
        return;
    kinds_of(entry, view.kinds);
    view.has_ports = entry->port_presence == PRESENCE_FILLED || entry->icmp_presence == PRESENCE_FILLED;
    for (size_t i = 0; i < KINDS; i++) {
        view.any_filled = view.any_filled || view.kinds[i].presence == PRESENCE_FILLED;
        view.closed = view.closed || (view.kinds[i].closes && view.kinds[i].presence == PRESENCE_EMPTY);
    }
    check_empty(lint, &view);
    check_open(lint, &view);
    check_ports(lint, &view);
    check_undecidable(lint, &view);
}

void lint_cilium_entries(struct lint *lint, const struct policy *policy) {
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        const struct cilium_rule *rule = &policy->rules[i];
        for (uint32_t j = 0; j < rule->egress.count; j++)
            check_entry(lint, policy, &rule->egress.list[j], false);
        for (uint32_t j = 0; j < rule->egress_deny.count; j++)
            check_entry(lint, policy, &rule->egress_deny.list[j], true);
    }
}

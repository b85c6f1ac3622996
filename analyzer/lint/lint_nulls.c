/*
 * Nulls (spec/kubernetes-egress.md 1.4, 3.4, spec/cilium-egress.md 3.2): an entry that is null is an empty one, a field that
 * is null is absent, and both widen more often than not.
 */
#include "analyzer/lint/object.h"
#include "base/arena.h"

/* Fields whose null widens, and to what. */
static const struct null_field {
    const char *key, *effect;
} rule_nulls[] = {{"to", "every destination"}, {"ports", "every port and protocol"}, {NULL, NULL}},
  peer_nulls[] = {{"namespaceSelector", "the policy's own namespace, not every one"},
                  {"podSelector", "every pod of the selected namespaces"},
                  {NULL, NULL}},
  block_nulls[] = {{"except", "a block without exceptions"}, {NULL, NULL}},
  entry_nulls[] = {{"toPorts", "every port and protocol"}, {"icmps", "every type and protocol"}, {NULL, NULL}},
  port_rule_nulls[] = {{"rules", "no L7 rules"}, {"serverNames", "every server name"}, {NULL, NULL}},
  port_nulls[] = {{"port", "every port of the protocol"}, {NULL, NULL}},
  selector_nulls[] = {{"matchLabels", "no label, so the selector takes in more"},
                      {"matchExpressions", "no expression, so the selector takes in more"},
                      {NULL, NULL}};

static void check_fields(struct lint *lint, const struct policy *policy, struct part part,
                         const struct null_field *fields, enum severity severity) {
    for (; fields->key; fields++) {
        const struct node_entry *entry = node_find(part.node, text_of(fields->key));
        if (!entry || !node_is_null(&entry->value))
            continue;
        const char *path = path_field(lint->arena, part.path, fields->key);
        struct diagnostic *finding =
            lint_report(lint, policy, CODE_NULL_ENTRY, (struct part){.node = &entry->key, .path = path},
                        "%s is null, which is the same as absent: %s; write what is meant, or remove the key", path,
                        fields->effect);
        diagnostic_set_severity(lint->findings, finding, severity);
    }
}

static void check_null_fields(struct lint *lint, const struct policy *policy, struct part part,
                              const struct null_field *fields) {
    check_fields(lint, policy, part, fields, SEVERITY_ERROR);
}

/* A label without a value: the empty value to the core API, and no requirement at all once a CRD has dropped the null. */
static void check_label_nulls(struct lint *lint, const struct policy *policy, struct part part) {
    const struct node *labels = node_get(part.node, "matchLabels");
    for (uint32_t i = 0; node_is(labels, NODE_MAP) && i < labels->count; i++) {
        const struct node_entry *entry = &labels->entries[i];
        if (!node_is_null(&entry->value))
            continue;
        const char *path =
            path_key(lint->arena, path_field(lint->arena, part.path, "matchLabels"), node_text(&entry->key));
        lint_report(lint, policy, CODE_NULL_ENTRY, (struct part){&entry->key, path}, "%s is null, %s", path,
                    policy->core
                        ? "which is read as the empty value; write the value that is meant, or \"\""
                        : "so the label is dropped and the selector takes in more; write the value that is meant");
    }
}

static void check_selector_nulls(struct lint *lint, const struct policy *policy, const struct selector *selector) {
    if (!selector->part.node)
        return;
    /* A selector of no label is written like this as well. */
    check_fields(lint, policy, selector->part, selector_nulls, SEVERITY_WARNING);
    check_label_nulls(lint, policy, selector->part);
}

static bool has_filled(const struct node *list) {
    for (uint32_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++)
        if (!node_is_null(&list->items[i]))
            return true;
    return false;
}

/* A lone dash among other entries is a slip of the hand, which goes for certain; alone in its list it may stand for
 * anything. */
static void report_null(struct lint *lint, const struct policy *policy, struct part part, bool among_others,
                        const char *effect) {
    const struct diagnostic *finding = lint_report(
        lint, policy, CODE_NULL_ENTRY, part,
        "%s is null, which is read as an empty entry: it allows %s; remove the dash, or write the entry that "
        "is meant",
        part.path, effect);
    if (among_others)
        lint_propose(lint, finding, LINT_EDIT_REMOVE, part.node, NULL);
}

static void check_rule_nulls(struct lint *lint, const struct policy *policy, const struct core_rule *rule) {
    check_null_fields(lint, policy, rule->part, rule_nulls);
    for (uint32_t i = 0; i < rule->peer_count; i++) {
        const struct core_peer *peer = &rule->peers[i];
        check_null_fields(lint, policy, peer->part, peer_nulls);
        check_null_fields(
            lint, policy,
            (struct part){node_get(peer->part.node, "ipBlock"), path_field(lint->arena, peer->part.path, "ipBlock")},
            block_nulls);
        check_selector_nulls(lint, policy, &peer->pods);
        check_selector_nulls(lint, policy, &peer->namespaces);
    }
    bool filled = has_filled(node_get(rule->part.node, "ports"));
    for (uint32_t i = 0; i < rule->port_count; i++) {
        if (node_is_null(rule->ports[i].part.node))
            report_null(lint, policy, rule->ports[i].part, filled, "all TCP ports");
        else
            check_null_fields(lint, policy, rule->ports[i].part, port_nulls);
    }
}

void lint_core_nulls(struct lint *lint, const struct policy *policy) {
    const struct core_policy *core = policy->core;
    if (!core)
        return;
    check_selector_nulls(lint, policy, &core->pods);
    bool filled = has_filled(core->egress.part.node);
    for (uint32_t i = 0; i < core->egress.count; i++) {
        const struct core_rule *rule = &core->egress.rules[i];
        if (node_is_null(rule->part.node))
            report_null(lint, policy, rule->part, filled, "everything");
        else
            check_rule_nulls(lint, policy, rule);
    }
}

/* ---- Cilium ---- */

static void check_selectors(struct lint *lint, const struct policy *policy, const struct cilium_selectors *selectors) {
    for (uint32_t i = 0; i < selectors->count; i++)
        check_selector_nulls(lint, policy, &selectors->list[i]);
}

static void check_entries(struct lint *lint, const struct policy *policy, const struct cilium_entries *entries) {
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct cilium_entry *entry = &entries->list[i];
        check_null_fields(lint, policy, entry->part, entry_nulls);
        check_selectors(lint, policy, &entry->endpoints);
        for (uint32_t j = 0; j < entry->cidr_sets.count; j++)
            check_null_fields(lint, policy, entry->cidr_sets.list[j].part, block_nulls);
        for (uint32_t j = 0; j < entry->port_count; j++)
            check_null_fields(lint, policy, entry->ports[j].part, port_rule_nulls);
    }
}

/* Null entries of lists are refused in these kinds, and reported as problems. */
void lint_cilium_nulls(struct lint *lint, const struct policy *policy) {
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        const struct cilium_rule *rule = &policy->rules[i];
        check_selector_nulls(lint, policy, &rule->endpoint_selector);
        check_entries(lint, policy, &rule->egress);
        check_entries(lint, policy, &rule->egress_deny);
    }
}

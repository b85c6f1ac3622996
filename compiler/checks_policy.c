/* Kind, engine and exceptCidrs (spec/config.md 2, steps 2 and 5 of 7). */
#include "base/arena.h"
#include "compiler/checks.h"
#include "compiler/config_fields.h"
#include "grammar/cidr.h"

/* Fields of another kind, where the kind is known. */
static void refuse_other_fields(struct checks *checks) {
    const char *word = policy_kind_word(checks->boundary->policy);
    struct shape shape = checks_at(checks, STEP_SHAPE);
    for (uint32_t i = 0; i < checks->policy->count; i++) {
        const struct node_entry *entry = &checks->policy->entries[i];
        const char *field = node_string(&entry->key);
        if (!field || entry->value.kind == NODE_NULL || policy_kind_takes(checks->boundary->policy, field)) {
            continue;
        }
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, &entry->key, path_field(checks->arena, "egress.policy", field),
                     "egress.policy.%s is no field of kind %s; remove it, or change the kind", field, word);
    }
}

static void read_kind(struct checks *checks) {
    const struct node *node = node_get(checks->policy, "kind");
    if (!node) {
        checks_refuse_absent(checks, STEP_SHAPE, CODE_CONFIG_UNUSABLE, checks->policy, "egress.policy.kind",
                             "write no-network, deny-all, public-internet, allow-all, static or resolver");
        return;
    }
    if (!shape_is(node, SHAPE_STRING)) {
        return;
    }
    checks->boundary->policy_location = node_location(checks->file, node);
    checks->kind_known = policy_kind_of(node_text(node), &checks->boundary->policy);
    checks->kind_unknown_word = !checks->kind_known;
    if (checks->kind_known) {
        refuse_other_fields(checks);
        return;
    }
    static const char *const known[] = {"no-network", "deny-all", "public-internet", "allow-all", "static",
                                        "resolver",   NULL};
    const char *nearest = text_nearest(node_text(node), known);
    const char *word = shape_quote(checks->arena, node);
    struct shape shape = checks_at(checks, STEP_NAME);
    if (nearest) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "egress.policy.kind",
                     "there is no policy kind %s; did you mean %s?", word, nearest);
    } else {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "egress.policy.kind",
                     "there is no policy kind %s; write no-network, deny-all, public-internet, allow-all, static or "
                     "resolver",
                     word);
    }
}

void checks_read_policy(struct checks *checks) {
    const struct node *node = node_get(checks->egress, "policy");
    if (!node) {
        checks_refuse_absent(checks, STEP_SHAPE, CODE_CONFIG_UNUSABLE, checks->egress, "egress.policy",
                             "write what the pods may reach, or remove egress");
        return;
    }
    if (node->kind != NODE_MAP) {
        return;
    }
    checks->policy = node;
    struct shape shape = checks_at(checks, STEP_SHAPE);
    shape_check(&shape, node, "egress.policy", config_policy_fields);
    read_kind(checks);
}

void checks_enforceable(struct checks *checks) {
    const struct boundary *boundary = checks->boundary;
    if (!checks->kind_known || !policy_kind_has_hosts(boundary->policy) || !checks->engine_known ||
        boundary->engine == ENGINE_CILIUM) {
        return;
    }
    struct shape shape = checks_at(checks, STEP_POLICY);
    shape_refuse(&shape, CODE_POLICY_UNENFORCEABLE, node_get(checks->policy, "kind"), "egress.policy.kind",
                 "a core NetworkPolicy cannot name hosts, so kind %s cannot be enforced; set egress.engine to cilium",
                 policy_kind_word(boundary->policy));
}

static void judge_host_bits(struct checks *checks, const struct node *item, const char *path) {
    const struct cluster_facts *cluster = &checks->boundary->cluster;
    bool refused = facts_know(cluster, FACT_KUBERNETES_VERSION) && version_at_least(&cluster->kubernetes, 1, 36);
    struct shape shape = checks_at(checks, STEP_POLICY);
    if (refused) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, item, path,
                     "%s has address bits beyond its prefix length, which Kubernetes 1.36 and later refuse; clear them",
                     shape_quote(checks->arena, item));
    } else {
        shape_refuse(&shape, CODE_CIDR_HOST_BITS, item, path,
                     "%s has address bits beyond its prefix length; they are ignored, and Kubernetes 1.36 refuses them",
                     shape_quote(checks->arena, item));
    }
}

/* One entry; `covers_nat64` is set where it takes 64:ff9b::/96 away. */
static void judge_cidr(struct checks *checks, const struct node *item, size_t index, bool *covers_nat64) {
    struct shape shape = checks_at(checks, STEP_POLICY);
    const char *path = path_index(checks->arena, "egress.policy.exceptCidrs", index);
    if (item->kind != NODE_STRING) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, item, path,
                     "%s is no string; write an IPv4 or IPv6 CIDR such as 192.0.2.0/24",
                     shape_quote(checks->arena, item));
        return;
    }
    struct cidr cidr, nat64;
    enum cidr_strict_fault fault = cidr_parse_strict(node_text(item), &cidr);
    if (fault != CIDR_STRICT_OK) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, item, path, "%s cannot be excepted: %s",
                     shape_quote(checks->arena, item), cidr_strict_fault_text(fault));
        return;
    }
    if (cidr.flags & CIDR_HOST_BITS) {
        judge_host_bits(checks, item, path);
    }
    if (cidr_parse_strict(text_of("64:ff9b::/96"), &nat64) == CIDR_STRICT_OK && cidr_contains(&cidr, &nat64)) {
        *covers_nat64 = true;
    }
}

void checks_except_cidrs(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    if (!checks->kind_known || boundary->policy != POLICY_PUBLIC_INTERNET) {
        return;
    }
    const struct node *list = shape_get(checks->policy, "exceptCidrs", SHAPE_LIST);
    bool covers_nat64 = false;
    size_t count = list ? list->count : 0;
    struct host *cidrs = arena_array(checks->arena, count, sizeof *cidrs);
    for (uint32_t i = 0; i < count; i++) {
        const struct node *item = &list->items[i];
        judge_cidr(checks, item, i, &covers_nat64);
        cidrs[i] = (struct host){node_string(item), node_location(checks->file, item)};
    }
    boundary->except_cidrs = cidrs;
    boundary->except_cidr_count = count;
    if (!covers_nat64) {
        struct place place = {.location = boundary->policy_location,
                              .path = "egress.policy.kind",
                              .value = policy_kind_word(boundary->policy)};
        checks_report(
            checks, STEP_POLICY, CODE_NAT64_OPEN, place,
            "public-internet includes 64:ff9b::/96, by which a NAT64 gateway reaches IPv4 addresses, private ones "
            "too; except it if there is a gateway");
    }
}

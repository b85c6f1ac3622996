/* `egress` of a document (spec/config.md 1). */
#include "compiler/checks.h"
#include "compiler/config_fields.h"

static void read_engine(struct checks *checks) {
    const struct node *node = node_get(checks->egress, "engine");
    checks->engine_known = !node;
    if (!node || !shape_is(node, SHAPE_STRING)) {
        return;
    }
    checks->engine_known = engine_of(node_text(node), &checks->boundary->engine);
    if (!checks->engine_known) {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "egress.engine", "egress.engine is %s; write core or cilium",
                     shape_quote(checks->arena, node));
    }
}

static void read_verify(struct checks *checks) {
    const struct node *node = shape_get(checks->egress, "verify", SHAPE_STRING);
    if (!node || text_is(node_text(node), "union")) {
        return;
    }
    checks->boundary->named_object_only = text_is(node_text(node), "named-object-only");
    if (!checks->boundary->named_object_only) {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "egress.verify",
                     "egress.verify is %s; write union or named-object-only", shape_quote(checks->arena, node));
    }
}

static void read_deep_subdomains(struct checks *checks) {
    const struct boundary *boundary = checks->boundary;
    const struct node *node = shape_get(checks->egress, "deepSubdomains", SHAPE_BOOL);
    if (!node || !node_bool(node)) {
        return;
    }
    checks->boundary->deep_subdomains = true;
    if (!facts_know(&boundary->cluster, FACT_CILIUM_VERSION) || !version_at_least(&boundary->cluster.cilium, 1, 19)) {
        struct shape shape = checks_at(checks, STEP_REST);
        shape_refuse(
            &shape, CODE_CONFIG_UNUSABLE, node, "egress.deepSubdomains",
            "egress.deepSubdomains needs a Cilium that reads `**.`; set cluster.cilium.version to 1.19 or later, "
            "or turn it off");
    }
}

/* Whether a narrowing can stand beside kind and engine, as far as these are known; a kind that does not exist is none of
 * the two that have one. */
static void narrowing_supported(struct checks *checks, const struct node *node) {
    const struct boundary *boundary = checks->boundary;
    bool kind_lacks = checks->kind_unknown_word || (checks->kind_known && !policy_kind_has_hosts(boundary->policy));
    bool engine_lacks = checks->engine_known && boundary->engine == ENGINE_CORE;
    if (!kind_lacks && !engine_lacks) {
        return;
    }
    struct shape shape = checks_at(checks, STEP_POLICY);
    shape_refuse(
        &shape, CODE_NARROWING_UNSUPPORTED, node, "egress.ciliumNarrowing",
        "egress.ciliumNarrowing has no meaning here: it needs policy.kind static or resolver, and engine cilium; "
        "remove it, or change these");
}

static void read_narrowing(struct checks *checks) {
    const struct node *node = shape_get(checks->egress, "ciliumNarrowing", SHAPE_MAP);
    if (checks_narrowing_is_set(node)) {
        narrowing_supported(checks, node);
    }
    checks_read_narrowing(checks, node, "egress.ciliumNarrowing", STEP_POLICY, false, &checks->boundary->narrowing);
}

void checks_read_egress(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    boundary->policy = POLICY_ABSENT;
    checks->egress = shape_get(checks->root, "egress", SHAPE_MAP);
    if (!checks->egress) {
        return;
    }
    struct shape shape = checks_at(checks, STEP_SHAPE);
    shape_check(&shape, checks->egress, "egress", config_egress_fields);
    read_engine(checks);
    read_verify(checks);
    checks_read_policy(checks);
    checks_enforceable(checks);
    checks_except_cidrs(checks);
    read_narrowing(checks);
    checks_read_profile(checks);
    checks_read_per_sandbox(checks);
    checks_object_name(checks);
    checks_read_hosts(checks);
    checks_hosts_against_narrowing(checks);
    read_deep_subdomains(checks);
}

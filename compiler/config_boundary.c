/* The root of a document, `ingress` and `cluster` (spec/config.md 1, 9). */
#include "base/arena.h"
#include "compiler/checks.h"
#include "compiler/config_fields.h"
#include "grammar/name.h"

enum { AGENT_PORT_DEFAULT = 1024, PORT_MAX = 65535 };

static void read_namespace(struct checks *checks) {
    const struct node *node = node_get(checks->root, "namespace");
    if (!node) {
        checks_refuse_absent(checks, STEP_SHAPE, CODE_CONFIG_UNUSABLE, checks->root, "namespace",
                             "write the namespace of the pods");
        return;
    }
    if (!shape_is(node, SHAPE_STRING)) {
        return;
    }
    checks->boundary->namespace = node_string(node);
    enum name_fault fault = name_check_namespace(node_text(node), NULL);
    if (fault != NAME_OK) {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "namespace", "namespace is no DNS-1123 label: %s",
                     name_fault_text(fault));
    }
}

static void read_agent_port(struct checks *checks) {
    checks->boundary->agent_port = AGENT_PORT_DEFAULT;
    const struct node *node = shape_get(checks->root, "agentPort", SHAPE_INTEGER);
    int64_t port;
    if (!node || !node_integer(node, &port)) {
        return;
    }
    if (port < 1 || port > PORT_MAX) {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, "agentPort", "agentPort is %s; write a TCP port, 1 to 65535",
                     shape_quote(checks->arena, node));
        return;
    }
    checks->boundary->agent_port = (unsigned)port;
}

static void read_cluster(struct checks *checks) {
    struct cluster_facts *facts = &checks->boundary->cluster;
    *facts = facts_default();
    const struct node *node = shape_get(checks->root, "cluster", SHAPE_MAP);
    if (node) {
        facts_read(node, checks->file, "cluster", checks->arena, facts, &checks->steps[STEP_SHAPE]);
    }
    if (checks->options->facts) {
        facts_override(facts, checks->options->facts);
    }
}

static void read_ingress_engine(struct checks *checks, const struct node *ingress) {
    struct shape shape = checks_at(checks, STEP_SHAPE);
    shape_check(&shape, ingress, "ingress", config_ingress_fields);
    const struct node *engine = shape_get(ingress, "engine", SHAPE_STRING);
    if (engine && !engine_of(node_text(engine), &checks->boundary->ingress_engine)) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, engine, "ingress.engine",
                     "ingress.engine is %s; write core or cilium", shape_quote(checks->arena, engine));
    }
}

/* After `egress`, whose engine is the default. */
static void read_ingress(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    boundary->ingress_engine = boundary->engine;
    const struct node *ingress = node_get(checks->root, "ingress");
    if (!ingress) {
        return;
    }
    if (ingress->kind == NODE_MAP) {
        read_ingress_engine(checks, ingress);
    } else if (ingress->kind == NODE_STRING && text_is(node_text(ingress), "unverified")) {
        boundary->ingress_unverified = true;
    } else {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, ingress, "ingress",
                     "ingress is %s; write unverified, or a map with an engine", shape_quote(checks->arena, ingress));
    }
}

void checks_read_root(struct checks *checks) {
    struct shape shape = checks_at(checks, STEP_SHAPE);
    if (!node_is(checks->root, NODE_MAP)) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, checks->root, "",
                     "a config document must be a map, and this one is %s", shape_quote(checks->arena, checks->root));
        return;
    }
    if (!shape_check_weight(&shape, checks->root, "", "the document")) {
        return;
    }
    shape_check(&shape, checks->root, "", config_root_fields);
    read_namespace(checks);
    checks_read_labels(checks);
    read_agent_port(checks);
    read_cluster(checks);
    checks_read_egress(checks);
    read_ingress(checks);
    checks_selector(checks);
}

#include "kube/core_policy.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "grammar/port.h"
#include "kube/metadata.h"
#include "kube/selector.h"

/* ---- ipBlock ---- */

static void read_cidr(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_peer *peer = target;
    (void)reader, (void)field;
    peer->cidr_part = part;
    const char *text = node_string(part.node);
    peer->cidr_usable = text && cidr_parse(text_of(text), &peer->cidr) == CIDR_OK;
}

static void read_except(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_except *except = target;
    (void)reader, (void)field;
    const char *text = node_string(part.node);
    except->part = part;
    except->usable = text && cidr_parse(text_of(text), &except->cidr) == CIDR_OK;
}

static void read_excepts(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_peer *peer = target;
    peer->excepts = items_read(reader, field->below, part, sizeof *peer->excepts, &peer->except_count);
}

static void read_block(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_peer *peer = target;
    peer->has_block = true;
    peer->cidr_part = part_field(reader, part, "cidr");
    fields_read(reader, field->below, part, peer);
}

static const struct field except_item[] = {{.key = "", .type = FIELD_STRING, .read = read_except}, {.key = NULL}};
static const struct field block_fields[] = {
    {.key = "cidr", .type = FIELD_STRING, .read = read_cidr},
    {.key = "except",
     .type = FIELD_LIST,
     .below = except_item,
     .read = read_excepts,
     .widens = "the block then has no holes"},
    {.key = NULL},
};

/* ---- peers and ports ---- */

static const struct field peer_fields[] = {
    {.key = "podSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_core,
     .offset = offsetof(struct core_peer, pods),
     .widens = "the peer is then every pod of the namespaces it names"},
    {.key = "namespaceSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_core,
     .offset = offsetof(struct core_peer, namespaces),
     .widens = "the peer's pods are then those of the policy's own namespace"},
    {.key = "ipBlock", .type = FIELD_MAP, .below = block_fields, .read = read_block},
    {.key = NULL},
};

static void read_peer(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_peer *peer = target;
    peer->part = part;
    fields_read(reader, field->below, part, peer);
}

static void read_port_number(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_port *port = target;
    (void)reader, (void)field;
    int64_t value;
    port->form = PORT_INVALID;
    port->name = node_string(part.node);
    if (port->name && port_name_check(text_of(port->name), NULL) == 0)
        port->form = PORT_NAME;
    if (node_integer(part.node, &value) && port_in_range(value)) {
        port->form = PORT_NUMBER;
        port->number = port->end = (unsigned)value;
    }
}

static void read_port(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_port *port = target;
    port->part = part;
    fields_read(reader, field->below, part, port);
    if (!port->protocol)
        port->protocol = "TCP";
    const struct node *end = node_get(part.node, "endPort");
    int64_t value;
    if (end && port->form == PORT_NUMBER && node_integer(end, &value) && value >= port->number && value <= PORT_MAX)
        port->end = (unsigned)value;
}

static const struct field port_fields[] = {
    {.key = "protocol",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct core_port, protocol),
     .widens = "the protocol is then TCP"},
    {.key = "port",
     .type = FIELD_INT_OR_STRING,
     .read = read_port_number,
     .widens = "every port of the protocol is then meant"},
    {.key = "endPort", .type = FIELD_INT, .widens = "one port alone is then meant"},
    {.key = NULL},
};

/* ---- rules ---- */

static void read_peers(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_rule *rule = target;
    rule->peers = items_read(reader, field->below, part, sizeof *rule->peers, &rule->peer_count);
}
static void read_ports(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_rule *rule = target;
    rule->ports = items_read(reader, field->below, part, sizeof *rule->ports, &rule->port_count);
}
static void read_rule(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_rule *rule = target;
    rule->part = part;
    fields_read(reader, field->below, part, rule);
}
static void read_rules(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_rules *rules = target;
    rules->presence = node_presence(part.node);
    rules->part = part;
    rules->rules = items_read(reader, field->below, part, sizeof *rules->rules, &rules->count);
}

static const struct field peer_item[] = {{.key = "", .type = FIELD_MAP, .below = peer_fields, .read = read_peer},
                                         {.key = NULL}};
static const struct field port_item[] = {{.key = "", .type = FIELD_MAP, .below = port_fields, .read = read_port},
                                         {.key = NULL}};

#define PORTS_ROW                                                                                                      \
    {                                                                                                                  \
        .key = "ports", .type = FIELD_LIST, .below = port_item, .read = read_ports,                                    \
        .widens = "every port and protocol is then allowed"                                                            \
    }
static const struct field egress_fields[] = {
    {.key = "to",
     .type = FIELD_LIST,
     .below = peer_item,
     .read = read_peers,
     .widens = "every destination is then allowed"},
    PORTS_ROW,
    {.key = NULL},
};
static const struct field ingress_fields[] = {
    {.key = "from",
     .type = FIELD_LIST,
     .below = peer_item,
     .read = read_peers,
     .widens = "every source is then allowed"},
    PORTS_ROW,
    {.key = NULL},
};
static const struct field egress_item[] = {{.key = "", .type = FIELD_MAP, .below = egress_fields, .read = read_rule},
                                           {.key = NULL}};
static const struct field ingress_item[] = {{.key = "", .type = FIELD_MAP, .below = ingress_fields, .read = read_rule},
                                            {.key = NULL}};

/* ---- the object ---- */

static const struct field type_item[] = {{.key = "", .type = FIELD_STRING}, {.key = NULL}};
static const struct field spec_fields[] = {
    {.key = "podSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_core,
     .offset = offsetof(struct core_policy, pods),
     .subject = true,
     .widens = "every pod of the namespace is then selected"},
    {.key = "policyTypes",
     .type = FIELD_LIST,
     .below = type_item,
     .widens = "the types are then what the rules make them"},
    {.key = "ingress",
     .type = FIELD_LIST,
     .below = ingress_item,
     .read = read_rules,
     .offset = offsetof(struct core_policy, ingress)},
    {.key = "egress",
     .type = FIELD_LIST,
     .below = egress_item,
     .read = read_rules,
     .offset = offsetof(struct core_policy, egress),
     .widens = "the policy then has no egress rules, and isolates egress only where policyTypes says so"},
    {.key = NULL},
};

static const struct field object_fields[] = {
    {.key = "apiVersion", .type = FIELD_STRING},
    {.key = "kind", .type = FIELD_STRING},
    {.key = "metadata", .type = FIELD_MAP, .below = metadata_fields, .whole = true},
    {.key = "spec",
     .type = FIELD_MAP,
     .below = spec_fields,
     .read = field_read_map,
     .whole = true,
     .widens = "every pod of the namespace is then selected, for ingress"},
    {.key = NULL},
};

/* What the API server writes into the object where policyTypes has no entry (K 1.3); `ingress` has no part in it. */
static void read_types(struct core_policy *policy, const struct node *types) {
    policy->types_written = node_is(types, NODE_LIST) && types->count > 0;
    policy->isolates_ingress = !policy->types_written;
    policy->isolates_egress = !policy->types_written && policy->egress.count > 0;
    for (uint32_t i = 0; policy->types_written && i < types->count; i++) {
        policy->isolates_ingress |= text_is(node_text(&types->items[i]), "Ingress");
        policy->isolates_egress |= text_is(node_text(&types->items[i]), "Egress");
    }
}

struct core_policy *core_policy_read(struct policy_reader *reader) {
    struct core_policy *policy = arena_alloc(reader->arena, sizeof *policy);
    struct part root = {.node = reader->object->root, .path = ""};
    struct part spec = part_field(reader, root, "spec"), types = part_field(reader, spec, "policyTypes");
    fields_read(reader, object_fields, root, policy);
    read_types(policy, types.node);
    metadata_check(reader);
    core_policy_check(reader, policy, types);
    return policy;
}

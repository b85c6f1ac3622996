/*
 * What the API server refuses in a NetworkPolicy (spec/kubernetes-egress.md 1.3, 1.5 to 1.8). Selectors are checked where
 * they are read. That a server of 1.36 or later refuses CIDRs with leading zeros, mapped addresses or host bits is no
 * refusal here: which server will read an object never decides what the object means.
 */
#include "grammar/port.h"
#include "kube/core_policy.h"

/* policyTypes: at most two entries, whose words are not looked at if there are more. */
static void check_types(struct policy_reader *reader, struct part types) {
    if (!node_is(types.node, NODE_LIST))
        return;
    if (types.node->count > 2) {
        refuse(reader, CODE_INVALID_RULE, types, "has %u entries; at most two are allowed", types.node->count);
        return;
    }
    for (uint32_t i = 0; i < types.node->count; i++) {
        struct part entry = part_index(reader, types, i);
        struct text word = node_text(entry.node);
        bool known = text_is(word, "Ingress") || text_is(word, "Egress");
        if (!known && (node_string(entry.node) || node_is_null(entry.node)))
            refuse(reader, CODE_INVALID_RULE, entry, "is `%s`; the types are Ingress and Egress",
                   node_is_null(entry.node) ? "" : word.bytes);
    }
}

/* A block as Go's parser holds it: IPv4-mapped ranges are IPv4, prefix lengths stay as written. */
static struct cidr go_range(const struct cidr *cidr) {
    struct cidr range = *cidr;
    if (cidr->flags & CIDR_MAPPED) {
        range.first = cidr->mapped_first;
        range.last = cidr->mapped_last;
    }
    return range;
}

/* The network address of `inner` inside `outer`, and a longer prefix. */
static bool is_proper_part(const struct cidr *outer, const struct cidr *inner) {
    struct cidr outside = go_range(outer), inside = go_range(inner);
    return outside.first.family == inside.first.family && address_compare(&outside.first, &inside.first) <= 0 &&
           address_compare(&inside.first, &outside.last) <= 0 && inner->prefix > outer->prefix;
}

static void check_cidr(struct policy_reader *reader, struct part part, const char *what) {
    const char *text = node_is_null(part.node) ? "" : node_string(part.node);
    struct cidr cidr;
    enum cidr_fault fault = text ? cidr_parse(text_of(text), &cidr) : CIDR_OK;
    if (fault == CIDR_EMPTY)
        refuse(reader, CODE_INVALID_CIDR, part, "is missing or empty; %s needs a CIDR", what);
    else if (fault != CIDR_OK)
        refuse(reader, CODE_INVALID_CIDR, part, "is `%s`, which is no CIDR: %s", text, cidr_fault_text(fault));
}

static void check_block(struct policy_reader *reader, const struct core_peer *peer) {
    check_cidr(reader, peer->cidr_part, "ipBlock");
    for (uint32_t i = 0; peer->cidr_usable && i < peer->except_count; i++) {
        const struct core_except *except = &peer->excepts[i];
        if (!except->usable)
            check_cidr(reader, except->part, "an exception");
        else if (!is_proper_part(&peer->cidr, &except->cidr))
            refuse(reader, CODE_INVALID_CIDR, except->part, "is `%s`, which is no proper part of the block `%s`",
                   node_text(except->part.node).bytes, node_text(peer->cidr_part.node).bytes);
    }
}

/* Keys that are there with a value of another type are reported already, and leave the peer neither empty nor legal. */
static void check_peer(struct policy_reader *reader, const struct core_peer *peer) {
    const struct node *node = peer->part.node;
    bool selects = node_get(node, "podSelector") || node_get(node, "namespaceSelector");
    bool block = node_get(node, "ipBlock");
    if (peer->has_block)
        check_block(reader, peer);
    if (block && selects)
        refuse(reader, CODE_INVALID_PEER, peer->part, "has ipBlock beside a selector; a peer is one or the other");
    else if (node_is_null(node))
        refuse(reader, CODE_INVALID_PEER, peer->part,
               "is null, which is an empty peer; a peer needs podSelector, namespaceSelector or ipBlock");
    else if (node_is(node, NODE_MAP) && !block && !selects)
        refuse(reader, CODE_INVALID_PEER, peer->part,
               "is an empty peer; a peer needs podSelector, namespaceSelector or ipBlock");
}

static void check_port_number(struct policy_reader *reader, const struct core_port *port, struct part part) {
    if (port->form != PORT_INVALID)
        return;
    if (port->name) {
        enum port_name_fault fault = port_name_first(port_name_check(text_of(port->name), NULL));
        refuse(reader, CODE_INVALID_PORT, part, "is `%s`, which is no port name: %s", port->name,
               port_name_fault_text(fault));
    } else {
        refuse(reader, CODE_INVALID_PORT, part, "is %s; ports are 1 to 65535", node_text(part.node).bytes);
    }
}

static void check_end(struct policy_reader *reader, const struct core_port *port, struct part part) {
    int64_t end;
    if (!node_integer(part.node, &end))
        return; /* absent, or of another type */
    if (port->form == PORT_ALL || port->name)
        refuse(reader, CODE_INVALID_PORT, part, "needs a port that is a number beside it");
    else if (!port_in_range(end) || (port->form == PORT_NUMBER && end < port->number))
        refuse(reader, CODE_INVALID_PORT, part, "is %s; a range ends at its first port or above, up to 65535",
               node_text(part.node).bytes);
}

static void check_port(struct policy_reader *reader, const struct core_port *port) {
    static const char *const protocols[] = {"TCP", "UDP", "SCTP"};
    struct part protocol = part_field(reader, port->part, "protocol");
    bool known = false;
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        known |= text_is(text_of(port->protocol), protocols[i]);
    if (!known)
        refuse(reader, CODE_INVALID_PORT, protocol, "is `%s`; the protocols are TCP, UDP and SCTP", port->protocol);
    check_port_number(reader, port, part_field(reader, port->part, "port"));
    check_end(reader, port, part_field(reader, port->part, "endPort"));
}

static void check_rules(struct policy_reader *reader, const struct core_rules *rules) {
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct core_rule *rule = &rules->rules[i];
        for (uint32_t j = 0; j < rule->peer_count; j++)
            check_peer(reader, &rule->peers[j]);
        for (uint32_t j = 0; j < rule->port_count; j++)
            check_port(reader, &rule->ports[j]);
    }
}

void core_policy_check(struct policy_reader *reader, const struct core_policy *policy, struct part types) {
    check_types(reader, types);
    check_rules(reader, &policy->ingress);
    check_rules(reader, &policy->egress);
}

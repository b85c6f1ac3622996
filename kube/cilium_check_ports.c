/*
 * What API server and agent refuse in toPorts and icmps (spec/cilium-egress.md 4, 5.1, 5.4).
 */
#include <string.h>

#include "grammar/fqdn.h"
#include "grammar/pattern.h"
#include "grammar/port.h"
#include "kube/cilium_rule.h"

enum { PORTS_MAX = 40 };

/* ---- ports ---- */

/* The schema of 1.19 leaves it to the agent, for protocols that an option adds. */
static void check_port_there(struct policy_reader *reader, const struct cilium_port *port) {
    struct part part = part_field(reader, port->part, "port");
    if (part.node || !node_is(port->part.node, NODE_MAP))
        return;
    problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_PORT, cilium_before(CILIUM_1_19), part,
                "is missing; the schema wants it");
    refuse_agent(reader, CODE_INVALID_PORT, cilium_from(CILIUM_1_19), part,
                 "is missing; the agent wants one, or 0 for all");
}

static void check_port_text(struct policy_reader *reader, const struct cilium_port *port) {
    struct part part = part_field(reader, port->part, "port");
    const char *text = node_string(part.node);
    struct cilium_port_reading reading;
    if (!text)
        return; /* missing or of another type */
    cilium_port_parse(text_of(text), &reading);
    if (!reading.crd_accepts)
        refuse(reader, CODE_INVALID_PORT, part, "is `%s`, which is neither a number nor a name of a port", text);
    else if (reading.kind == CILIUM_PORT_INVALID)
        refuse_agent(reader, CODE_INVALID_PORT, CILIUM_ALL, part, "is `%s`, which the agent does not read: %s", text,
                     cilium_port_fault_text(reading.fault));
}

static void check_end(struct policy_reader *reader, const struct cilium_port *port) {
    struct part part = part_field(reader, port->part, "endPort");
    int64_t end;
    if (node_integer(part.node, &end) && (end < 0 || end > PORT_MAX))
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_PORT, CILIUM_SINCE_1_16, part,
                    "is %s; ports are 0 to 65535", node_text(part.node).bytes);
}

/* 1.19 knows two more protocols, with an option that is off by default. */
static void check_protocol(struct policy_reader *reader, const struct cilium_port *port) {
    struct part part = part_field(reader, port->part, "protocol");
    if (strcmp(port->protocol, "VRRP") != 0 && strcmp(port->protocol, "IGMP") != 0)
        return;
    problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_PORT, cilium_before(CILIUM_1_19), part,
                "is `%s`, which schemas before 1.19 do not know", port->protocol);
    refuse_agent(reader, CODE_INVALID_PORT, cilium_from(CILIUM_1_19), part,
                 "is `%s`, which needs the agent's option enable-extended-ip-protocols, off by default",
                 port->protocol);
}

static void check_port_count(struct policy_reader *reader, const struct cilium_port_rule *rule, bool deny) {
    if (rule->port_count <= PORTS_MAX)
        return;
    cilium_classes schema = deny ? 0 : CILIUM_SINCE_1_16;
    struct part part = part_field(reader, rule->part, "ports");
    problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_RULE, schema, part, "has %u entries; 40 are allowed",
                rule->port_count);
    refuse_agent(reader, CODE_INVALID_RULE, (cilium_classes)(CILIUM_ALL & ~schema), part,
                 "has %u entries; 40 are allowed", rule->port_count);
}

/* ---- L7 ---- */

/* Which keys of `rules` are there, and whether some list of them has an entry: what the agent calls not empty. */
struct l7 {
    struct part rules, http, kafka, dns, proto, l7;
    bool filled, has_dns, has_other;
};

static struct l7 l7_of(struct policy_reader *reader, const struct cilium_port_rule *rule) {
    struct l7 l7 = {.rules = part_field(reader, rule->part, "rules")};
    l7.http = part_field(reader, l7.rules, "http");
    l7.kafka = part_field(reader, l7.rules, "kafka");
    l7.dns = part_field(reader, l7.rules, "dns");
    l7.proto = part_field(reader, l7.rules, "l7proto");
    l7.l7 = part_field(reader, l7.rules, "l7");
    l7.has_dns = node_presence(l7.dns.node) == PRESENCE_FILLED;
    l7.has_other = node_presence(l7.http.node) == PRESENCE_FILLED || node_presence(l7.kafka.node) == PRESENCE_FILLED ||
                   node_presence(l7.l7.node) == PRESENCE_FILLED;
    l7.filled = l7.has_dns || l7.has_other;
    return l7;
}

/* The schema from 1.16 on wants one key of four; before, the agent counts the kinds. */
static void check_l7_kinds(struct policy_reader *reader, const struct l7 *l7) {
    bool has_proto = node_text(l7->proto.node).length > 0;
    int keys = (l7->http.node != NULL) + (l7->kafka.node != NULL) + (l7->dns.node != NULL) + (l7->proto.node != NULL);
    int kinds = keys - (l7->proto.node != NULL && !has_proto);
    if (!node_is(l7->rules.node, NODE_MAP))
        return;
    if (keys != 1)
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_L7, CILIUM_SINCE_1_16, l7->rules,
                    "needs exactly one of http, kafka, dns and l7proto");
    if (l7->filled && kinds > 1)
        refuse_agent(reader, CODE_INVALID_L7, cilium_before(CILIUM_1_16_0), l7->rules,
                     "has more than one kind of L7 rules");
    if (l7->l7.node && !has_proto)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, l7->l7, "needs l7proto beside it");
}

static void check_l7_port(struct policy_reader *reader, const struct cilium_port *port, const struct l7 *l7) {
    bool numeric = port->form == PORT_NUMBER || port->form == PORT_ALL;
    if (numeric && port->number == 0)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, part_field(reader, port->part, "port"),
                     "is 0, which has no L7 rules");
    if (l7->has_dns && port->has_end)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_SINCE_1_17, part_field(reader, port->part, "endPort"),
                     "makes a range, which has no DNS rules");
    if (!l7->has_dns && strcmp(port->protocol, "TCP") != 0)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, part_field(reader, port->part, "protocol"),
                     "is not written as TCP, which L7 rules other than DNS need");
}

static void check_l7_place(struct policy_reader *reader, const struct l7 *l7, enum cilium_direction direction,
                           bool host) {
    bool ingress = cilium_is_ingress(direction);
    if (ingress && l7->has_dns)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, l7->dns, "stands in ingress, where there are no DNS rules");
    if (host) {
        /* From 1.17 on DNS rules may stand in the egress of nodes. */
        cilium_classes classes = l7->has_other || ingress ? CILIUM_ALL : cilium_before(CILIUM_1_17_0);
        refuse_agent(reader, CODE_INVALID_L7, classes, l7->rules, "stands in a rule for nodes, which has no L7 rules");
    }
}

/* path and method are regular expressions of Go's to the agent; ours has all of its forms that matter, and more. */
static bool is_expression(const char *text) {
    struct pattern *pattern = pattern_compile(text_of(text), PATTERN_WHOLE, NULL);
    bool readable = pattern || strlen(text) > PATTERN_MAX_LENGTH;
    bool looks_around = strstr(text, "(?=") || strstr(text, "(?!") || strstr(text, "(?<=") || strstr(text, "(?<!");
    pattern_destroy(pattern);
    return readable && !looks_around;
}

static void check_expression(struct policy_reader *reader, struct part part) {
    const char *text = node_string(part.node);
    if (text && !is_expression(text))
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, part,
                     "is `%s`, which is no regular expression of the agent's", text);
}

static void check_http(struct policy_reader *reader, const struct l7 *l7) {
    for (uint32_t i = 0; node_is(l7->http.node, NODE_LIST) && i < l7->http.node->count; i++) {
        struct part rule = part_index(reader, l7->http, i);
        check_expression(reader, part_field(reader, rule, "path"));
        check_expression(reader, part_field(reader, rule, "method"));
        struct part headers = part_field(reader, rule, "headerMatches");
        for (uint32_t j = 0; node_is(headers.node, NODE_LIST) && j < headers.node->count; j++) {
            struct part name = part_field(reader, part_index(reader, headers, j), "name");
            if (node_string(name.node) && !*node_string(name.node))
                refuse(reader, CODE_INVALID_L7, name, "is empty; a header has a name");
        }
    }
}

static void check_l7(struct policy_reader *reader, const struct cilium_port_rule *rule, enum cilium_direction direction,
                     bool host) {
    struct l7 l7 = l7_of(reader, rule);
    if (!l7.rules.node)
        return;
    check_l7_kinds(reader, &l7);
    check_http(reader, &l7);
    cilium_names_check(reader, &rule->dns, 0);
    if (!l7.filled)
        return;
    for (uint32_t i = 0; i < rule->port_count; i++)
        check_l7_port(reader, &rule->ports[i], &l7);
    if (l7.has_dns && rule->port_count == 0)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, l7.dns, "needs ports beside it");
    check_l7_place(reader, &l7, direction, host);
    if (rule->server_names.presence == PRESENCE_FILLED && !rule->terminates_tls)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, rule->server_names.part,
                     "stands beside L7 rules without terminatingTLS");
    if (rule->has_listener)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, part_field(reader, rule->part, "listener"),
                     "stands beside L7 rules");
}

/* ---- server names and listeners ---- */

static void check_server_name(struct policy_reader *reader, const struct cilium_words *names, uint32_t index) {
    struct text name = text_of(names->list[index]);
    enum fqdn_fault fault = fqdn_check_server_name(name, NULL);
    if (!names->list[index])
        return;
    if (name.length == 0)
        refuse_agent(reader, CODE_INVALID_L7, cilium_before(CILIUM_1_18), names->parts[index],
                     "is empty; a server has a name");
    if (fault != FQDN_OK)
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_L7, CILIUM_SINCE_1_18, names->parts[index],
                    "is `%.300s`, which is refused: %s", name.bytes, fqdn_fault_text(fault));
}

/* Whether the same name stands before; lists of hostile length are not searched. */
static bool is_repeated(const struct cilium_words *names, uint32_t index) {
    enum { SEARCHED = 2000 };
    for (uint32_t i = 0; i < index && index < SEARCHED; i++) {
        if (names->list[i] && names->list[index] && strcmp(names->list[i], names->list[index]) == 0)
            return true;
    }
    return false;
}

static void check_server_names(struct policy_reader *reader, const struct cilium_words *names) {
    if (names->presence == PRESENCE_EMPTY)
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_L7, CILIUM_SINCE_1_18, names->part,
                    "is empty; from 1.18 on the schema wants an entry");
    for (uint32_t i = 0; i < names->count; i++) {
        check_server_name(reader, names, i);
        if (is_repeated(names, i))
            problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_L7, CILIUM_SINCE_1_18, names->parts[i],
                        "stands twice in a list that is a set from 1.18 on");
    }
}

static void check_not_empty(struct policy_reader *reader, struct part part) {
    if (node_string(part.node) && !*node_string(part.node))
        refuse(reader, CODE_INVALID_L7, part, "is empty; the schema wants a name");
}

static void check_listener(struct policy_reader *reader, const struct cilium_port_rule *rule, bool ingress) {
    struct part listener = part_field(reader, rule->part, "listener");
    struct part config = part_field(reader, listener, "envoyConfig");
    struct part priority = part_field(reader, listener, "priority");
    int64_t value;
    if (!listener.node)
        return;
    check_not_empty(reader, part_field(reader, listener, "name"));
    check_not_empty(reader, part_field(reader, config, "name"));
    if (node_integer(priority.node, &value) && (value < 1 || value > 100))
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_L7, CILIUM_SINCE_1_16, priority,
                    "is %s; priorities are 1 to 100", node_text(priority.node).bytes);
    if (ingress)
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, listener, "stands in ingress, where there are no listeners");
    bool clusterwide = reader->object->kind == OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY;
    if (clusterwide && text_is(node_text(node_get(config.node, "kind")), "CiliumEnvoyConfig"))
        refuse_agent(reader, CODE_INVALID_L7, CILIUM_ALL, config,
                     "is a CiliumEnvoyConfig, which no clusterwide policy can name");
}

/* ---- icmps ---- */

static void check_icmp(struct policy_reader *reader, const struct cilium_icmp *icmp) {
    struct part type = part_field(reader, icmp->part, "type");
    const char *name = node_string(type.node);
    if (!type.node || (!name && type.node->kind != NODE_INT && type.node->kind != NODE_FLOAT))
        return; /* missing or of another type, which is reported */
    if (name) {
        problem_add(reader, PROBLEM_TYPE, CODE_WRONG_TYPE, cilium_before(CILIUM_1_16_0), type,
                    "is a string; the schema before 1.16 wants a number");
        if (!cilium_icmp_name_in_schema(text_of(name)))
            problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_PORT, CILIUM_SINCE_1_16, type,
                        "is `%s`, which is no ICMP type of the schema", name);
        else if (!icmp->usable)
            problem_add(reader, PROBLEM_REFUSED_AGENT, CODE_INVALID_PORT, CILIUM_SINCE_1_16, type,
                        "is `%s`, which is no type of that family", name);
    } else if (!icmp->usable) {
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_PORT, cilium_before(CILIUM_1_16_0), type,
                    "is %s; types are 0 to 255", node_text(type.node).bytes);
        problem_add(reader, PROBLEM_REFUSED_AGENT, CODE_INVALID_PORT, CILIUM_SINCE_1_16, type,
                    "is %s; types are 0 to 255", node_text(type.node).bytes);
    }
}

static void check_icmps(struct policy_reader *reader, const struct cilium_entry *entry) {
    if (entry->icmp_presence == PRESENCE_FILLED && entry->port_presence == PRESENCE_FILLED)
        refuse_agent(reader, CODE_INVALID_RULE, CILIUM_ALL, entry->part, "has icmps beside toPorts; a rule has one");
    for (uint32_t i = 0; node_is(entry->icmps_part.node, NODE_LIST) && i < entry->icmps_part.node->count; i++) {
        struct part fields = part_field(reader, part_index(reader, entry->icmps_part, i), "fields");
        if (!node_is(fields.node, NODE_LIST) || fields.node->count <= PORTS_MAX)
            continue;
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_RULE, CILIUM_SINCE_1_16, fields,
                    "has %u entries; 40 are allowed", fields.node->count);
        refuse_agent(reader, CODE_INVALID_RULE, cilium_before(CILIUM_1_16_0), fields, "has %u entries; 40 are allowed",
                     fields.node->count);
    }
    for (uint32_t i = 0; i < entry->icmp_count; i++)
        check_icmp(reader, &entry->icmps[i]);
}

void cilium_ports_check(struct policy_reader *reader, const struct cilium_entry *entry, enum cilium_direction direction,
                        bool host) {
    for (uint32_t i = 0; i < entry->port_count; i++) {
        const struct cilium_port_rule *rule = &entry->ports[i];
        check_port_count(reader, rule, cilium_is_deny(direction));
        for (uint32_t j = 0; j < rule->port_count; j++) {
            check_port_there(reader, &rule->ports[j]);
            check_port_text(reader, &rule->ports[j]);
            check_end(reader, &rule->ports[j]);
            check_protocol(reader, &rule->ports[j]);
        }
        if (cilium_is_deny(direction))
            continue;
        check_l7(reader, rule, direction, host);
        check_server_names(reader, &rule->server_names);
        check_listener(reader, rule, cilium_is_ingress(direction));
    }
    check_icmps(reader, entry);
}

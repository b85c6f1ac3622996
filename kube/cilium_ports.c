/*
 * Reading toPorts and icmps (spec/cilium-egress.md 4, 5.1, 5.4, 6).
 */
#include <stddef.h>

#include "base/arena.h"
#include "grammar/port.h"
#include "kube/cilium_policy.h"
#include "kube/cilium_rule.h"

/* ---- ports ---- */

static void read_port_string(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_port *port = target;
    struct cilium_port_reading reading;
    (void)field;
    switch (cilium_port_parse(text_of(node_string(part.node)), &reading)) {
    case CILIUM_PORT_NUMBER:
        port->form = reading.number ? PORT_NUMBER : PORT_ALL;
        port->number = port->end = reading.number;
        break;
    case CILIUM_PORT_NAME:
        port->form = PORT_NAME;
        port->name = arena_copy(reader->arena, reading.name, text_of(reading.name).length);
        break;
    case CILIUM_PORT_INVALID:
        port->form = PORT_INVALID;
        break;
    }
}

static const char *const protocol_words[] = {"TCP", "UDP", "SCTP", "ANY", "VRRP", "IGMP", NULL};
static const struct field port_fields[] = {
    {.key = "port", .type = FIELD_STRING, .read = read_port_string},
    {.key = "endPort", .type = FIELD_INT, .classes = CILIUM_SINCE_1_16, .widens = "the first port alone is then meant"},
    {.key = "protocol",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct cilium_port, protocol),
     .words = protocol_words,
     .code = CODE_INVALID_PORT,
     .widens = "TCP, UDP and SCTP are then meant"},
    {.key = NULL},
};

static void read_port(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_port *port = target;
    int64_t end;
    port->part = part;
    port->form = PORT_INVALID;
    fields_read(reader, field->below, part, port);
    if (!port->protocol)
        port->protocol = "ANY";
    const struct node *end_node = node_get(part.node, "endPort");
    bool numeric = port->form == PORT_NUMBER || port->form == PORT_ALL;
    if (!numeric || !node_integer(end_node, &end) || end <= port->number || end > PORT_MAX)
        return;
    port->form = PORT_NUMBER;
    port->end = (unsigned)end;
    port->has_end = true;
}

static void read_ports(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_port_rule *rule = target;
    rule->ports = items_read(reader, field->below, part, sizeof *rule->ports, &rule->port_count);
}

static const struct field port_item[] = {{.key = "", .type = FIELD_MAP, .below = port_fields, .read = read_port},
                                         {.key = NULL}};

/* ---- L7 ---- */

static const struct field string_item[] = {{.key = "", .type = FIELD_STRING}, {.key = NULL}};
static const struct field secret_fields[] = {
    {.key = "name", .type = FIELD_STRING, .required = true, .code = CODE_INVALID_L7},
    {.key = "namespace", .type = FIELD_STRING},
    {.key = NULL},
};
static const char *const mismatch_words[] = {"LOG", "ADD", "DELETE", "REPLACE", NULL};
static const struct field header_fields[] = {
    {.key = "name", .type = FIELD_STRING, .required = true, .code = CODE_INVALID_L7},
    {.key = "value", .type = FIELD_STRING},
    {.key = "secret", .type = FIELD_MAP, .below = secret_fields},
    {.key = "mismatch", .type = FIELD_STRING, .words = mismatch_words, .code = CODE_INVALID_L7},
    {.key = NULL},
};
static const struct field header_item[] = {{.key = "", .type = FIELD_MAP, .below = header_fields}, {.key = NULL}};
static const struct field http_fields[] = {
    {.key = "path", .type = FIELD_STRING, .widens = "every path is then allowed"},
    {.key = "method", .type = FIELD_STRING, .widens = "every method is then allowed"},
    {.key = "host", .type = FIELD_STRING, .widens = "every host is then allowed"},
    {.key = "headers", .type = FIELD_LIST, .below = string_item, .widens = "every header is then allowed"},
    {.key = "headerMatches", .type = FIELD_LIST, .below = header_item, .widens = "every header is then allowed"},
    {.key = NULL},
};
static const struct field http_item[] = {{.key = "", .type = FIELD_MAP, .below = http_fields}, {.key = NULL}};
static const char *const role_words[] = {"produce", "consume", NULL};
static const struct field kafka_fields[] = {
    {.key = "role", .type = FIELD_STRING, .words = role_words, .code = CODE_INVALID_L7},
    {.key = "apiKey", .type = FIELD_STRING},
    {.key = "apiVersion", .type = FIELD_STRING},
    {.key = "clientID", .type = FIELD_STRING},
    {.key = "topic", .type = FIELD_STRING},
    {.key = NULL},
};
static const struct field kafka_item[] = {{.key = "", .type = FIELD_MAP, .below = kafka_fields}, {.key = NULL}};
static const struct field l7_item[] = {{.key = "", .type = FIELD_STRING_MAP}, {.key = NULL}};

static const struct field rules_fields[] = {
    {.key = "http", .type = FIELD_LIST, .below = http_item, .widens = "every request is then allowed"},
    {.key = "kafka", .type = FIELD_LIST, .below = kafka_item, .widens = "every request is then allowed"},
    {.key = "dns",
     .type = FIELD_LIST,
     .below = cilium_name_item,
     .read = cilium_names_read,
     .offset = offsetof(struct cilium_port_rule, dns),
     .widens = "every name may then be asked, and no name is learned"},
    {.key = "l7proto", .type = FIELD_STRING},
    {.key = "l7", .type = FIELD_LIST, .below = l7_item},
    {.key = NULL},
};

/* Everything but DNS is opaque: how much there is, and a text that equal rules share. */
static void read_rules(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    static const char *const kinds[] = {"http", "kafka", "l7proto", "l7"};
    struct cilium_port_rule *rule = target;
    struct buffer text;
    rule->has_rules = true;
    fields_read(reader, field->below, part, rule);
    buffer_init(&text, reader->arena);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct part kind = part_field(reader, part, kinds[i]);
        if (!kind.node)
            continue;
        rule->http_part = rule->http ? rule->http_part : kind;
        if (node_presence(kind.node) > rule->http)
            rule->http = node_presence(kind.node);
        buffer_print(&text, "%s:", kinds[i]);
        cilium_canonical(reader->arena, &text, kind.node);
    }
    rule->http_text = rule->http ? buffer_string(&text) : NULL;
}

/* ---- TLS and listeners ---- */

static const struct field tls_fields[] = {
    {.key = "secret", .type = FIELD_MAP, .below = secret_fields, .required = true, .code = CODE_INVALID_L7},
    {.key = "trustedCA", .type = FIELD_STRING},
    {.key = "certificate", .type = FIELD_STRING},
    {.key = "privateKey", .type = FIELD_STRING},
    {.key = NULL},
};
static const char *const envoy_words[] = {"CiliumEnvoyConfig", "CiliumClusterwideEnvoyConfig", NULL};
static const struct field envoy_fields[] = {
    {.key = "kind", .type = FIELD_STRING, .words = envoy_words, .code = CODE_INVALID_L7},
    {.key = "name", .type = FIELD_STRING, .required = true, .code = CODE_INVALID_L7},
    {.key = NULL},
};
static const struct field listener_fields[] = {
    {.key = "envoyConfig", .type = FIELD_MAP, .below = envoy_fields, .required = true, .code = CODE_INVALID_L7},
    {.key = "name", .type = FIELD_STRING, .required = true, .code = CODE_INVALID_L7},
    {.key = "priority", .type = FIELD_INT, .classes = CILIUM_SINCE_1_16},
    {.key = NULL},
};

static void read_server_names(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    (void)field;
    cilium_words_read(reader, string_item, part, target);
}

static const struct field port_rule_fields[] = {
    {.key = "ports", .type = FIELD_LIST, .below = port_item, .read = read_ports},
    {.key = "rules",
     .type = FIELD_MAP,
     .below = rules_fields,
     .read = read_rules,
     .widens = "the ports are then open without L7 rules"},
    {.key = "serverNames",
     .type = FIELD_LIST,
     .read = read_server_names,
     .offset = offsetof(struct cilium_port_rule, server_names),
     .widens = "every server name is then allowed"},
    {.key = "terminatingTLS", .type = FIELD_MAP, .below = tls_fields},
    {.key = "originatingTLS", .type = FIELD_MAP, .below = tls_fields},
    {.key = "listener", .type = FIELD_MAP, .below = listener_fields},
    {.key = NULL},
};

#define PRUNED_HERE(key_)                                                                                              \
    { .key = key_, .type = FIELD_PRUNED, .code = CODE_INVALID_L7, .widens = DENY_WIDENS }
#define DENY_WIDENS "the deny then holds for everything on these ports"
static const struct field deny_port_rule_fields[] = {
    {.key = "ports", .type = FIELD_LIST, .below = port_item, .read = read_ports},
    PRUNED_HERE("rules"),
    PRUNED_HERE("serverNames"),
    PRUNED_HERE("terminatingTLS"),
    PRUNED_HERE("originatingTLS"),
    PRUNED_HERE("listener"),
    {.key = NULL},
};

/* The TLS contexts and the listener, as a text that equal ones share. */
static void read_proxy(struct policy_reader *reader, struct cilium_port_rule *rule) {
    static const char *const keys[] = {"terminatingTLS", "originatingTLS", "listener"};
    bool *const flags[] = {&rule->terminates_tls, &rule->originates_tls, &rule->has_listener};
    struct buffer text;
    buffer_init(&text, reader->arena);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct node *node = node_get(rule->part.node, keys[i]);
        *flags[i] = node != NULL;
        if (!node)
            continue;
        buffer_print(&text, "%s:", keys[i]);
        cilium_canonical(reader->arena, &text, node);
    }
    rule->proxy_text = text.length ? buffer_string(&text) : NULL;
}

static void read_port_rule(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_port_rule *rule = target;
    rule->part = part;
    fields_read(reader, field->below, part, rule);
    if (field->below == port_rule_fields)
        read_proxy(reader, rule);
}

const struct field cilium_port_rule_item[] = {
    {.key = "", .type = FIELD_MAP, .below = port_rule_fields, .read = read_port_rule}, {.key = NULL}};
const struct field cilium_deny_port_rule_item[] = {
    {.key = "", .type = FIELD_MAP, .below = deny_port_rule_fields, .read = read_port_rule}, {.key = NULL}};

void cilium_port_rules_read(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_entry *entry = target;
    entry->port_presence = node_presence(part.node);
    entry->ports_part = part;
    entry->ports = items_read(reader, field->below, part, sizeof *entry->ports, &entry->port_count);
}

/* ---- icmps ---- */

static const char *const family_words[] = {"IPv4", "IPv6", NULL};
static const struct field icmp_fields[] = {
    {.key = "family", .type = FIELD_STRING, .words = family_words, .code = CODE_INVALID_PORT},
    {.key = "type", .type = FIELD_INT_OR_STRING, .required = true, .code = CODE_INVALID_PORT},
    {.key = NULL},
};

static void read_icmp(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_icmp *icmp = target;
    icmp->part = part;
    fields_read(reader, field->below, part, NULL);
    icmp->ipv6 = text_is(node_text(node_get(part.node, "family")), "IPv6");
    icmp->usable = cilium_icmp_type(node_get(part.node, "type"), icmp->ipv6, &icmp->type);
}

static const struct field icmp_item[] = {{.key = "", .type = FIELD_MAP, .below = icmp_fields, .read = read_icmp},
                                         {.key = NULL}};

struct icmp_list {
    struct cilium_icmp *list;
    uint32_t count;
};
static void read_icmp_list(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct icmp_list *list = target;
    list->list = items_read(reader, field->below, part, sizeof *list->list, &list->count);
}
static const struct field icmp_rule_fields[] = {
    {.key = "fields", .type = FIELD_LIST, .below = icmp_item, .read = read_icmp_list}, {.key = NULL}};
const struct field cilium_icmp_rule_item[] = {
    {.key = "", .type = FIELD_MAP, .below = icmp_rule_fields, .read = field_read_map}, {.key = NULL}};

void cilium_icmps_read(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_entry *entry = target;
    uint32_t count;
    struct icmp_list *lists = items_read(reader, field->below, part, sizeof *lists, &count);
    entry->icmp_presence = node_presence(part.node);
    entry->icmps_part = part;
    for (uint32_t i = 0; i < count; i++)
        entry->icmp_count += lists[i].count;
    entry->icmps = arena_array(reader->arena, entry->icmp_count, sizeof *entry->icmps);
    struct cilium_icmp *next = entry->icmps;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < lists[i].count; j++)
            *next++ = lists[i].list[j];
    }
}

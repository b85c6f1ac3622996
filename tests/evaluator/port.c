/* Ports, ICMP types and what rules on top of them restrict, of one entry of a Cilium Rule (C 4, 5). */
#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "tests/evaluator/parts.h"

enum { MOST_PORTS = 40 };

struct port_filter *port_filters_add(struct port_filters *list, struct arena *arena, enum key_kind kind,
                                     enum evaluator_protocol protocol) {
    list->items = arena_grow(arena, list->items, &list->capacity, list->count + 1, sizeof *list->items);
    struct port_filter *filter = &list->items[list->count++];
    *filter = (struct port_filter){.key = {.kind = kind, .protocol = protocol}};
    return filter;
}

bool port_key_equal(const struct port_key *a, const struct port_key *b) {
    if (a->kind != b->kind || a->protocol != b->protocol || a->zero != b->zero)
        return false;
    return a->kind == KEY_NAME ? strcmp(a->name, b->name) == 0 : a->first == b->first && a->last == b->last;
}

/* C 4.1 (1.19 and before): all pods that name the port must agree on one number. */
static enum tri name_covers(const struct evaluator_policy *policy, const struct port_key *key, unsigned port) {
    const struct evaluator_world *world = policy->world;
    unsigned number = 0;
    for (size_t i = 0; i < world->pod_count; i++)
        for (size_t j = 0; j < world->pods[i].port_count; j++) {
            const struct evaluator_named_port *named = &world->pods[i].ports[j];
            if (named->protocol != key->protocol || strcmp(named->name, key->name) != 0)
                continue;
            if (number && number != named->number)
                return TRI_MAYBE;
            number = named->number;
        }
    return number ? tri_of(number == port) : TRI_MAYBE;
}

/* K 1.7: a name is looked up at the destination pod. */
static enum tri pod_names(const struct evaluator_flow *flow, const struct port_key *key) {
    if (flow->sort != EVALUATOR_POD)
        return TRI_NO;
    for (size_t i = 0; i < flow->pod->port_count; i++)
        if (flow->pod->ports[i].protocol == key->protocol && flow->pod->ports[i].number == flow->port &&
            strcmp(flow->pod->ports[i].name, key->name) == 0)
            return TRI_YES;
    return flow->pod->ports_known ? TRI_NO : TRI_MAYBE;
}

enum tri port_covers(const struct evaluator_policy *policy, const struct port_key *key,
                     const struct evaluator_flow *flow) {
    if (key->kind == KEY_NONE)
        return TRI_YES;
    if (key->protocol != flow->protocol)
        return TRI_NO;
    switch (key->kind) {
    case KEY_ICMP:
        return tri_of(key->first == flow->port);
    case KEY_PORTS:
        return tri_of(key->zero || (key->first <= flow->port && flow->port <= key->last));
    case KEY_NAME:
        return policy->reading->engine == EVALUATE_CORE ? pod_names(flow, key) : name_covers(policy, key, flow->port);
    case KEY_NONE:
    case KEY_UNKNOWN:
        break;
    }
    return TRI_MAYBE;
}

/* --- L7 ------------------------------------------------------------------------------------------------------ */

/* Which L7 rules an entry has. Up to 1.15 nothing but two non-empty lists at once is refused. */
static bool read_rules(struct object_reading *object, const struct node *rules, struct port_filter *filter) {
    static const char *const words[] = {"dns", "http", "kafka", "l7"};
    unsigned present = 0, filled = 0;
    if (!rules)
        return true;
    if (rules->kind != NODE_MAP)
        return object_refuse(object, "rules is no map");
    for (size_t i = 0; i < 4; i++) {
        const struct node *items;
        size_t count;
        if (!node_items(rules, words[i], &items, &count))
            return object_refuse(object, "a list of L7 rules that is no list");
        /* l7 is the list that belongs to l7proto, which the CRD's oneOf names. */
        present += node_get(rules, i == 3 ? "l7proto" : words[i]) != NULL;
        filled += count > 0;
        if (i == 0 && count > 0)
            filter->dns = node_get(rules, words[i]);
        else if (count > 0)
            filter->http = true;
    }
    if (object->policy->reading->minor >= 16 && present != 1)
        return object_refuse(object, "not exactly one kind of L7 rules");
    return filled <= 1 || object_refuse(object, "two kinds of L7 rules");
}

static bool check_dns(struct object_reading *object, const struct node *list) {
    unsigned minor = object->policy->reading->minor;
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct node *name = node_get(&list->items[i], "matchName");
        const struct node *pattern = node_get(&list->items[i], "matchPattern");
        if (minor >= 16 ? !name == !pattern : !name && !pattern)
            return object_refuse(object, "a dns entry without exactly one of matchName and matchPattern");
        if (name && (!node_string(name) || !match_name_is_valid(node_string(name), false, minor)))
            return object_refuse(object, "a bad matchName in dns");
        if (pattern && (!node_string(pattern) || !match_name_is_valid(node_string(pattern), true, minor)))
            return object_refuse(object, "a bad matchPattern in dns");
    }
    return true;
}

static bool read_server_names(struct object_reading *object, const struct node *entry, struct port_filter *filter) {
    unsigned minor = object->policy->reading->minor;
    const struct node *names;
    size_t count;
    if (!node_items(entry, "serverNames", &names, &count))
        return object_refuse(object, "serverNames is no list");
    if (count == 0)
        return minor < 18 || !node_get(entry, "serverNames") || object_refuse(object, "an empty serverNames");
    for (size_t i = 0; i < count; i++)
        if (!node_string(&names[i]) || !match_server_name_is_valid(node_string(&names[i]), minor))
            return object_refuse(object, "a bad server name");
    filter->server_names = node_get(entry, "serverNames");
    return true;
}

static bool read_restrictions(struct object_reading *object, const struct node *entry, struct port_filter *filter) {
    filter->terminates_tls = node_get(entry, "terminatingTLS") != NULL;
    filter->opaque = filter->terminates_tls || node_get(entry, "originatingTLS") || node_get(entry, "listener");
    if (!read_rules(object, node_get(entry, "rules"), filter) || !check_dns(object, filter->dns) ||
        !read_server_names(object, entry, filter))
        return false;
    bool l7 = filter->dns || filter->http;
    if (node_get(entry, "listener") && l7)
        return object_refuse(object, "listener with L7 rules");
    if (filter->server_names && l7 && !filter->terminates_tls)
        return object_refuse(object, "serverNames with L7 rules without terminatingTLS");
    return (!l7 && !filter->server_names) || object->policy->reading->l7_proxy ||
           object_refuse(object, "L7 rules without the proxy");
}

/* --- ports --------------------------------------------------------------------------------------------------- */

static bool protocol_read(struct object_reading *object, const struct node *port, bool wanted[EVALUATOR_OTHER + 1]) {
    static const char *const words[] = {"TCP", "UDP", "SCTP"};
    const struct node *protocol = node_get(port, "protocol");
    const char *word = node_string(protocol);
    memset(wanted, 0, (EVALUATOR_OTHER + 1) * sizeof *wanted);
    if (!protocol || (word && strcmp(word, "ANY") == 0)) {
        wanted[EVALUATOR_TCP] = wanted[EVALUATOR_UDP] = wanted[EVALUATOR_SCTP] = true;
        return true;
    }
    for (size_t i = 0; word && i < 3; i++)
        if (strcmp(words[i], word) == 0)
            return wanted[i] = true;
    if (word && object->policy->reading->minor >= 19 && (strcmp(word, "VRRP") == 0 || strcmp(word, "IGMP") == 0))
        return wanted[EVALUATOR_OTHER] = true;
    return object_refuse(object, "an unknown protocol");
}

/* The key that a `ports` entry stands for, but for its protocol. */
static bool key_read(struct object_reading *object, const struct node *port, bool checked, struct port_key *key) {
    const char *text = node_string(node_get(port, "port"));
    const struct node *end = object->policy->reading->minor >= 16 ? node_get(port, "endPort") : NULL;
    unsigned number = 0;
    int64_t last = 0;
    if (end && (end->kind == NODE_STRING || !node_integer(end, &last) || last < 0 || last > 65535))
        return object_refuse(object, "a bad endPort");
    *key = (struct port_key){.kind = KEY_PORTS};
    switch (text ? match_port_read(text, &number) : MATCH_PORT_REFUSED) {
    case MATCH_PORT_REFUSED:
        key->kind = KEY_UNKNOWN;
        return (text && isdigit((unsigned char)*text) && !checked) || object_refuse(object, "a bad port");
    case MATCH_PORT_NAME:
        key->kind = KEY_NAME;
        key->name = text_lower(object->policy->arena, text_of(text));
        break;
    case MATCH_PORT_NUMBER:
        key->first = number;
        key->last = last > (int64_t)number ? (unsigned)last : number;
        key->zero = number == 0;
        break;
    }
    return true;
}

/* C 5.1: what kind of ports a restriction may stand on. */
static bool check_restricted_port(struct object_reading *object, const struct port_filter *restriction,
                                  const struct port_key *key, const bool wanted[EVALUATOR_OTHER + 1]) {
    bool l7 = restriction->dns || restriction->http;
    if (l7 && key->zero)
        return object_refuse(object, "L7 rules on port 0");
    if (restriction->http && (wanted[EVALUATOR_UDP] || wanted[EVALUATOR_SCTP] || wanted[EVALUATOR_OTHER]))
        return object_refuse(object, "http rules on more than TCP");
    if (restriction->dns && key->last > key->first && object->policy->reading->minor >= 17)
        return object_refuse(object, "dns rules on a range");
    return true;
}

static bool read_port(struct object_reading *object, const struct node *port, bool checked,
                      const struct port_filter *restriction, struct port_filters *ports) {
    bool wanted[EVALUATOR_OTHER + 1];
    struct port_key key;
    if (!node_is(port, NODE_MAP) || !protocol_read(object, port, wanted) || !key_read(object, port, checked, &key))
        return object_refuse(object, "a port that is no map");
    if (!check_restricted_port(object, restriction, &key, wanted))
        return false;
    for (enum evaluator_protocol protocol = 0; protocol <= EVALUATOR_OTHER; protocol++) {
        if (!wanted[protocol])
            continue;
        struct port_filter *filter = port_filters_add(ports, object->policy->arena, key.kind, protocol);
        *filter = *restriction;
        filter->key = key;
        filter->key.protocol = protocol;
        if (protocol == EVALUATOR_OTHER)
            filter->key.kind = KEY_UNKNOWN; /* one of many other protocols */
    }
    return true;
}

static bool read_ports(struct object_reading *object, const struct node *entry, bool deny, struct port_filters *ports) {
    struct port_filter restriction = {.http = false};
    const struct node *items;
    size_t count;
    bool checked = !deny || object->policy->reading->minor >= 17; /* C 3.1 */
    if (!node_is(entry, NODE_MAP) || !node_items(entry, "ports", &items, &count))
        return object_refuse(object, "toPorts of another type");
    if (count > MOST_PORTS && checked)
        return object_refuse(object, "more than 40 ports");
    if (!deny && !read_restrictions(object, entry, &restriction))
        return false;
    if (restriction.dns && count == 0)
        return object_refuse(object, "dns rules without ports");
    for (size_t i = 0; i < count; i++)
        if (!read_port(object, &items[i], checked, &restriction, ports))
            return false;
    return true;
}

/* --- ICMP ---------------------------------------------------------------------------------------------------- */

/* Number of an ICMP type by name; MAYBE: a name that this table leaves out. */
static enum tri icmp_type_read(const char *name, bool ipv6, unsigned *type) {
    static const struct {
        const char *name;
        unsigned ipv4, ipv6;
    } types[] = {{"EchoRequest", 8, 128}, {"EchoReply", 0, 129}, {"DestinationUnreachable", 3, 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = ipv6 ? types[i].ipv6 : types[i].ipv4;
            return TRI_YES;
        }
    return isupper((unsigned char)*name) ? TRI_MAYBE : TRI_NO;
}

static bool read_icmp_field(struct object_reading *object, const struct node *field, struct port_filters *ports) {
    const struct node *family = node_get(field, "family"), *type = node_get(field, "type");
    const char *word = family ? node_string(family) : "IPv4";
    int64_t number = 0;
    unsigned named = 0;
    enum tri known = TRI_YES;
    if (!node_is(field, NODE_MAP) || !word || (strcmp(word, "IPv4") != 0 && strcmp(word, "IPv6") != 0) || !type)
        return object_refuse(object, "a bad icmps field");
    bool ipv6 = strcmp(word, "IPv6") == 0;
    if (type->kind != NODE_STRING) {
        if (!node_integer(type, &number) || number < 0 || number > 255)
            return object_refuse(object, "a bad icmp type");
    } else {
        known = object->policy->reading->minor >= 16 ? icmp_type_read(node_string(type), ipv6, &named) : TRI_NO;
        if (known == TRI_NO)
            return object_refuse(object, "a bad icmp type");
        number = named;
    }
    struct port_filter *filter =
        port_filters_add(ports, object->policy->arena, known == TRI_YES ? KEY_ICMP : KEY_UNKNOWN,
                         ipv6 ? EVALUATOR_ICMPV6 : EVALUATOR_ICMP);
    filter->key.first = (unsigned)number;
    return true;
}

static bool read_icmps(struct object_reading *object, const struct node *entry, struct port_filters *ports) {
    const struct node *fields;
    size_t count;
    if (!node_is(entry, NODE_MAP) || !node_items(entry, "fields", &fields, &count) || count > MOST_PORTS)
        return object_refuse(object, "icmps of another type, or more than 40 fields");
    for (size_t i = 0; i < count; i++)
        if (!read_icmp_field(object, &fields[i], ports))
            return false;
    return true;
}

bool port_read(struct object_reading *object, const struct node *entry, bool deny, struct port_filters *ports) {
    const struct node *entries, *icmps, *authentication = deny ? NULL : node_get(entry, "authentication");
    size_t count, icmp_count;
    if (!node_items(entry, "toPorts", &entries, &count) || !node_items(entry, "icmps", &icmps, &icmp_count))
        return object_refuse(object, "toPorts or icmps is no list");
    if (count > 0 && icmp_count > 0 && (!deny || object->policy->reading->minor >= 17))
        return object_refuse(object, "toPorts beside icmps");
    for (size_t i = 0; i < count; i++)
        if (!read_ports(object, &entries[i], deny, ports))
            return false;
    for (size_t i = 0; i < icmp_count; i++)
        if (!read_icmps(object, &icmps[i], ports))
            return false;
    if (count == 0 && icmp_count == 0)
        port_filters_add(ports, object->policy->arena, KEY_NONE, EVALUATOR_OTHER);
    const char *mode = node_string(node_get(authentication, "mode"));
    for (size_t i = 0; i < ports->count && mode && strcmp(mode, "disabled") != 0; i++)
        ports->items[i].opaque = true;
    return true;
}

/* Random CiliumNetworkPolicies and CiliumClusterwideNetworkPolicies. */
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/generate.h"

/* --- peers ---------------------------------------------------------------------------------------------------- */

static struct node make_endpoints(struct maker *maker) {
    struct node items[2];
    size_t count = 1 + dice_below(&maker->dice, 2);
    for (size_t i = 0; i < count; i++)
        items[i] = generate_selector(maker, true);
    return make_list(maker, items, count);
}

/* The DNS pods, as most policies name them. */
static struct node make_dns_endpoints(struct maker *maker) {
    struct node_builder labels;
    node_builder_init(&labels, maker->arena, NODE_MAP);
    node_builder_put(&labels, "k8s:io.kubernetes.pod.namespace", make_string("kube-system"));
    node_builder_put(&labels, "k8s:k8s-app", make_string("kube-dns"));
    struct node selector = make_map(maker, "matchLabels", node_builder_done(&labels));
    return make_list(maker, &selector, 1);
}

static struct node make_entities(struct maker *maker) {
    static const char *const entities[] = {"all",  "world",   "world",       "cluster",        "cluster",
                                           "host", "host",    "remote-node", "kube-apiserver", "health",
                                           "init", "ingress", "none",        "unmanaged"};
    struct node items[2];
    size_t count = 1 + dice_below(&maker->dice, 2);
    for (size_t i = 0; i < count; i++)
        items[i] = make_string(DICE_PICK(&maker->dice, entities));
    if (dice_chance(&maker->dice, maker->odd))
        items[0] = make_string("world-ipv4");
    return make_list(maker, items, count);
}

static struct node make_cidrs(struct maker *maker) {
    struct node items[2];
    size_t count = 1 + dice_below(&maker->dice, 2);
    for (size_t i = 0; i < count; i++)
        items[i] = make_string(generate_cidr(maker));
    return make_list(maker, items, count);
}

static struct node make_cidr_set(struct maker *maker) {
    struct node items[2];
    size_t count = 1 + dice_below(&maker->dice, 2);
    for (size_t i = 0; i < count; i++) {
        const char *cidr = generate_cidr(maker);
        struct node_builder entry;
        node_builder_init(&entry, maker->arena, NODE_MAP);
        if (dice_chance(&maker->dice, 12))
            node_builder_put(&entry, "cidrGroupRef", make_string("group"));
        else if (maker->reading->minor >= 17 && dice_chance(&maker->dice, 4))
            node_builder_put(&entry, "cidrGroupSelector",
                             make_map(maker, "matchLabels",
                                      make_map(maker, "tier", make_string(dice_chance(&maker->dice, 70) ? "a" : "b"))));
        else
            node_builder_put(&entry, "cidr", make_string(cidr));
        if (dice_chance(&maker->dice, 60))
            node_builder_put(&entry, "except", generate_except(maker, cidr));
        items[i] = node_builder_done(&entry);
    }
    return make_list(maker, items, count);
}

static struct node make_name_entry(struct maker *maker) {
    static const char *const names[] = {"example.com", "a.example.com", "a.b.example.com", "b.com", "Example.com."};
    static const char *const patterns[] = {"*.example.com", "**.example.com", "*example.com",    "*", "*.com", "**",
                                           "a.*.com",       "*.b.*",          "a.**.example.com"};
    static const char *const odd[] = {".example.com", "a..com", "", "*.example.com/"};
    if (dice_chance(&maker->dice, maker->odd))
        return make_map(maker, "matchName", make_string(DICE_PICK(&maker->dice, odd)));
    if (dice_chance(&maker->dice, 50))
        return make_map(maker, "matchName", make_string(DICE_PICK(&maker->dice, names)));
    return make_map(maker, "matchPattern", make_string(DICE_PICK(&maker->dice, patterns)));
}

static struct node make_names(struct maker *maker) {
    struct node items[3];
    size_t count = 1 + dice_below(&maker->dice, 3);
    for (size_t i = 0; i < count; i++)
        items[i] = make_name_entry(maker);
    return make_list(maker, items, count);
}

static struct node make_services(struct maker *maker) {
    static const char *const namespaces[] = {"team", "ops", "kube-system"};
    struct node_builder service;
    node_builder_init(&service, maker->arena, NODE_MAP);
    node_builder_put(&service, "serviceName", make_string("svc"));
    if (dice_chance(&maker->dice, 80))
        node_builder_put(&service, "namespace", make_string(DICE_PICK(&maker->dice, namespaces)));
    struct node entry = make_map(maker, "k8sService", node_builder_done(&service));
    return make_list(maker, &entry, 1);
}

static struct node make_groups(struct maker *maker) {
    struct node entry = make_map(maker, "aws", make_map(maker, "region", make_string("x")));
    return make_list(maker, &entry, 1);
}

static struct node make_nodes(struct maker *maker) {
    struct node entry = make_empty(maker, NODE_MAP);
    return make_list(maker, &entry, 1);
}

static const struct {
    const char *key;
    struct node (*make)(struct maker *);
    unsigned weight;
} peers[] = {{"toEndpoints", make_endpoints, 26}, {"toEndpoints", make_dns_endpoints, 16},
             {"toEntities", make_entities, 14},   {"toCIDR", make_cidrs, 13},
             {"toCIDRSet", make_cidr_set, 12},    {"toFQDNs", make_names, 14},
             {"toServices", make_services, 4},    {"toGroups", make_groups, 1},
             {"toNodes", make_nodes, 1}};

static size_t choose_peer(struct maker *maker) {
    size_t total = dice_below(&maker->dice, 100), i = 0;
    while (i + 1 < sizeof peers / sizeof *peers && total >= peers[i].weight)
        total -= peers[i++].weight;
    return i;
}

/* No peers at all, one kind of them, an empty or null list of them; with one kind sometimes another, empty or not. */
static void add_peers(struct maker *maker, struct node_builder *entry) {
    size_t kind = choose_peer(maker);
    while (peers[kind].make == make_nodes && !maker->odd)
        kind = choose_peer(maker);
    if (dice_chance(&maker->dice, 8))
        return;
    if (dice_chance(&maker->dice, 7)) {
        node_builder_put(entry, peers[kind].key,
                         dice_chance(&maker->dice, 70) ? make_empty(maker, NODE_LIST) : make_null());
        return;
    }
    node_builder_put(entry, peers[kind].key, peers[kind].make(maker));
    size_t other = choose_peer(maker);
    if (strcmp(peers[kind].key, peers[other].key) == 0)
        return;
    if (dice_chance(&maker->dice, 3))
        node_builder_put(entry, peers[other].key, make_empty(maker, NODE_LIST));
    else if (dice_chance(&maker->dice, maker->odd))
        node_builder_put(entry, peers[other].key, peers[other].make(maker));
}

/* --- ports ---------------------------------------------------------------------------------------------------- */

enum restriction { PLAIN, RESTRICT_DNS, RESTRICT_HTTP, RESTRICT_SERVER_NAMES };

static struct node make_port(struct maker *maker, enum restriction restriction) {
    static const char *const usual[] = {"53", "53", "80", "443", "443", "8080", "0", "web"};
    static const char *const odd[] = {"010", "1_000", "08", "70000", "0x10", "-1", ""};
    static const char *const protocols[] = {"TCP", "UDP", "ANY", "SCTP"};
    struct node_builder port;
    const char *number = restriction == RESTRICT_DNS            ? "53"
                         : restriction == RESTRICT_HTTP         ? "80"
                         : restriction == RESTRICT_SERVER_NAMES ? "443"
                                                                : DICE_PICK(&maker->dice, usual);
    const char *protocol = restriction > RESTRICT_DNS ? "TCP" : DICE_PICK(&maker->dice, protocols);
    node_builder_init(&port, maker->arena, NODE_MAP);
    if (dice_chance(&maker->dice, maker->odd))
        number = DICE_PICK(&maker->dice, odd);
    node_builder_put(&port, "port",
                     dice_chance(&maker->dice, maker->odd) ? node_make_int(maker->arena, 80) : make_string(number));
    if (restriction > RESTRICT_DNS || dice_chance(&maker->dice, 70))
        node_builder_put(&port, "protocol", make_string(dice_chance(&maker->dice, maker->odd) ? "tcp" : protocol));
    if (restriction == PLAIN && *number >= '1' && dice_chance(&maker->dice, 15))
        node_builder_put(&port, "endPort",
                         node_make_int(maker->arena, dice_chance(&maker->dice, 70)   ? 500
                                                     : dice_chance(&maker->dice, 50) ? 65535
                                                                                     : 40));
    return node_builder_done(&port);
}

static struct node make_rules(struct maker *maker, enum restriction restriction) {
    struct node request = make_map(maker, "path", make_string("/"));
    if (maker->reading->l7_proxy && dice_chance(&maker->dice, 3))
        return make_map(maker, restriction == RESTRICT_DNS ? "dns" : "http", make_empty(maker, NODE_LIST));
    if (maker->reading->l7_proxy && dice_chance(&maker->dice, maker->odd))
        return make_empty(maker, NODE_MAP);
    return restriction == RESTRICT_DNS ? make_map(maker, "dns", make_names(maker))
                                       : make_map(maker, "http", make_list(maker, &request, 1));
}

static struct node make_server_names(struct maker *maker) {
    static const char *const names[] = {"example.com", "a.example.com", "b.com"};
    static const char *const wild[] = {"*.example.com", "**.example.com", "a.*.com", ""};
    struct node items[2];
    size_t count = dice_chance(&maker->dice, maker->odd) ? 0 : 1 + dice_below(&maker->dice, 2);
    size_t first = dice_below(&maker->dice, 3); /* the list is a set: no name twice */
    for (size_t i = 0; i < count; i++)
        items[i] = make_string(names[(first + i) % 3]);
    if (count && maker->reading->minor >= 18 && dice_chance(&maker->dice, 30))
        items[0] = make_string(wild[dice_below(&maker->dice, 2)]);
    if (count && dice_chance(&maker->dice, maker->odd))
        items[0] = make_string(maker->reading->minor >= 18 ? DICE_PICK(&maker->dice, wild) : "");
    return make_list(maker, items, count);
}

static struct node make_to_ports(struct maker *maker) {
    struct node items[2];
    struct node_builder entry;
    size_t count = dice_chance(&maker->dice, 4) ? 0 : 1 + dice_below(&maker->dice, 2);
    size_t what = dice_below(&maker->dice, 100);
    enum restriction restriction = what < 22   ? RESTRICT_DNS
                                   : what < 28 ? RESTRICT_HTTP
                                   : what < 42 ? RESTRICT_SERVER_NAMES
                                               : PLAIN;
    if (count == 0)
        restriction = PLAIN;
    node_builder_init(&entry, maker->arena, NODE_MAP);
    for (size_t i = 0; i < count; i++)
        items[i] = make_port(maker, restriction);
    if (count || dice_chance(&maker->dice, 50))
        node_builder_put(&entry, "ports", make_list(maker, items, count));
    if (restriction == RESTRICT_DNS || restriction == RESTRICT_HTTP)
        node_builder_put(&entry, "rules", make_rules(maker, restriction));
    if (restriction == RESTRICT_SERVER_NAMES)
        node_builder_put(&entry, "serverNames", make_server_names(maker));
    if (dice_chance(&maker->dice, maker->odd) && dice_chance(&maker->dice, 20))
        node_builder_put(&entry, "terminatingTLS",
                         make_map(maker, "secret", make_map(maker, "name", make_string("secret"))));
    return node_builder_done(&entry);
}

static struct node make_icmps(struct maker *maker) {
    struct node_builder field;
    struct node fields;
    bool ipv6 = dice_chance(&maker->dice, 30);
    node_builder_init(&field, maker->arena, NODE_MAP);
    if (ipv6 || dice_chance(&maker->dice, 50))
        node_builder_put(&field, "family", make_string(ipv6 ? "IPv6" : "IPv4"));
    if (dice_chance(&maker->dice, 20))
        node_builder_put(&field, "type", make_string("EchoRequest"));
    else
        node_builder_put(&field, "type",
                         node_make_int(maker->arena, dice_chance(&maker->dice, maker->odd) ? 256
                                                     : ipv6                                ? 128
                                                                                           : 8));
    fields = node_builder_done(&field);
    struct node entry = dice_chance(&maker->dice, 10) ? make_empty(maker, NODE_MAP)
                                                      : make_map(maker, "fields", make_list(maker, &fields, 1));
    return make_list(maker, &entry, 1);
}

static void add_ports(struct maker *maker, struct node_builder *entry) {
    struct node items[2];
    size_t what = dice_below(&maker->dice, 100);
    if (what < 30)
        return;
    if (what < 36) {
        node_builder_put(entry, "icmps", make_icmps(maker));
        if (dice_chance(&maker->dice, 90 - maker->odd))
            return;
    }
    size_t count = what < 38 ? 0 : 1 + dice_below(&maker->dice, 2);
    for (size_t i = 0; i < count; i++)
        items[i] = make_to_ports(maker);
    node_builder_put(entry, "toPorts", make_list(maker, items, count));
}

/* --- rules ---------------------------------------------------------------------------------------------------- */

static struct node make_entry(struct maker *maker) {
    struct node_builder entry;
    node_builder_init(&entry, maker->arena, NODE_MAP);
    if (dice_chance(&maker->dice, 4))
        return node_builder_done(&entry);
    add_peers(maker, &entry);
    add_ports(maker, &entry);
    if (dice_chance(&maker->dice, maker->odd)) /* a misspelt key, which is dropped */
        node_builder_put(&entry, "toCidr", make_empty(maker, NODE_LIST));
    if (dice_chance(&maker->dice, maker->odd) && dice_chance(&maker->dice, 10))
        node_builder_put(&entry, "authentication", make_map(maker, "mode", make_string("required")));
    if (dice_chance(&maker->dice, maker->odd) && dice_chance(&maker->dice, 10)) {
        struct node selector = generate_selector(maker, true);
        node_builder_put(&entry, "toRequires", make_list(maker, &selector, 1));
    }
    return node_builder_done(&entry);
}

static void add_entries(struct maker *maker, struct node_builder *rule, const char *key, unsigned percent) {
    struct node items[3];
    size_t count = 1 + dice_below(&maker->dice, 3);
    if (!dice_chance(&maker->dice, percent))
        return;
    if (dice_chance(&maker->dice, 6))
        count = 0;
    for (size_t i = 0; i < count; i++)
        items[i] = make_entry(maker);
    node_builder_put(rule, key, make_list(maker, items, count));
}

static struct node make_cilium_rule(struct maker *maker, bool clusterwide) {
    struct node_builder rule;
    struct node everything = make_empty(maker, NODE_MAP);
    node_builder_init(&rule, maker->arena, NODE_MAP);
    if (!dice_chance(&maker->dice, maker->odd))
        node_builder_put(&rule, "endpointSelector",
                         dice_chance(&maker->dice, 65) ? everything : generate_selector(maker, true));
    if (dice_chance(&maker->dice, clusterwide ? maker->odd : maker->odd / 2))
        node_builder_put(&rule, "nodeSelector", everything);
    add_entries(maker, &rule, "egress", 88);
    add_entries(maker, &rule, "egressDeny", 15);
    if (dice_chance(&maker->dice, 10))
        node_builder_put(&rule, "ingress", make_list(maker, &everything, 1));
    if (dice_chance(&maker->dice, maker->odd))
        node_builder_put(&rule, "Egress", everything);
    if (dice_chance(&maker->dice, 10))
        node_builder_put(&rule, "enableDefaultDeny",
                         make_map(maker, "egress", node_make_bool(dice_chance(&maker->dice, 30))));
    return node_builder_done(&rule);
}

struct node generate_cilium_policy(struct maker *maker, const char *name, bool clusterwide) {
    struct node items[2];
    struct node_builder rest;
    bool specs = dice_chance(&maker->dice, 12);
    node_builder_init(&rest, maker->arena, NODE_MAP);
    if (!specs || dice_chance(&maker->dice, 30))
        node_builder_put(&rest, "spec", make_cilium_rule(maker, clusterwide));
    if (specs) {
        size_t count = 1 + dice_below(&maker->dice, 2);
        for (size_t i = 0; i < count; i++)
            items[i] = make_cilium_rule(maker, clusterwide);
        node_builder_put(&rest, "specs", make_list(maker, items, count));
    }
    return generate_object(maker, "cilium.io/v2",
                           clusterwide ? "CiliumClusterwideNetworkPolicy" : "CiliumNetworkPolicy",
                           clusterwide                     ? NULL
                           : dice_chance(&maker->dice, 92) ? "team"
                                                           : "ops",
                           name, &rest);
}

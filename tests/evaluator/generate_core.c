/* Random NetworkPolicies and egress configs. */
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/generate.h"

struct node generate_object(struct maker *maker, const char *version, const char *kind, const char *namespace_name,
                            const char *name, struct node_builder *rest) {
    struct node_builder root, metadata;
    struct node body = node_builder_done(rest);
    node_builder_init(&root, maker->arena, NODE_MAP);
    node_builder_init(&metadata, maker->arena, NODE_MAP);
    node_builder_put(&metadata, "name", make_string(name));
    if (namespace_name)
        node_builder_put(&metadata, "namespace", make_string(namespace_name));
    node_builder_put(&root, "apiVersion", make_string(version));
    node_builder_put(&root, "kind", make_string(kind));
    node_builder_put(&root, "metadata", node_builder_done(&metadata));
    for (uint32_t i = 0; i < body.count; i++)
        node_builder_put_node(&root, body.entries[i].key, body.entries[i].value);
    return node_builder_done(&root);
}

static struct node make_peer(struct maker *maker) {
    struct node_builder peer;
    size_t kind = dice_below(&maker->dice, 10);
    node_builder_init(&peer, maker->arena, NODE_MAP);
    if (kind < 4) {
        static const char *const lax[] = {"010.0.0.0/8", "::ffff:10.0.0.0/104", "10.0.0.0/08", "FD00:0::/8"};
        struct node_builder block;
        const char *cidr = dice_chance(&maker->dice, 2) ? DICE_PICK(&maker->dice, lax) : generate_cidr(maker);
        node_builder_init(&block, maker->arena, NODE_MAP);
        node_builder_put(&block, "cidr", make_string(cidr));
        if (dice_chance(&maker->dice, 50))
            node_builder_put(&block, "except", generate_except(maker, cidr));
        node_builder_put(&peer, "ipBlock", node_builder_done(&block));
        if (dice_chance(&maker->dice, maker->odd))
            node_builder_put(&peer, "podSelector", make_empty(maker, NODE_MAP));
        return node_builder_done(&peer);
    }
    if (kind < 8)
        node_builder_put(&peer, "podSelector", generate_selector(maker, false));
    if (kind > 5)
        node_builder_put(&peer, "namespaceSelector",
                         dice_chance(&maker->dice, 3) ? make_null() : generate_namespace_selector(maker));
    return dice_chance(&maker->dice, maker->odd) ? make_null() : node_builder_done(&peer);
}

static struct node make_port(struct maker *maker) {
    static const char *const protocols[] = {"TCP", "UDP", "UDP", "SCTP"};
    static const int64_t numbers[] = {53, 53, 80, 443, 443, 8080, 50, 1};
    struct node_builder port;
    int64_t number = DICE_PICK(&maker->dice, numbers);
    node_builder_init(&port, maker->arena, NODE_MAP);
    if (dice_chance(&maker->dice, 60))
        node_builder_put(&port, "protocol", make_string(DICE_PICK(&maker->dice, protocols)));
    if (dice_chance(&maker->dice, maker->odd))
        node_builder_put(&port, "protocol", dice_chance(&maker->dice, 50) ? make_null() : make_string("tcp"));
    if (dice_chance(&maker->dice, maker->odd))
        number = 0;
    if (dice_chance(&maker->dice, 8))
        return node_builder_done(&port);
    if (dice_chance(&maker->dice, 8)) {
        node_builder_put(&port, "port", make_string(dice_chance(&maker->dice, 80) ? "web" : "dns"));
        return node_builder_done(&port);
    }
    node_builder_put(&port, "port",
                     dice_chance(&maker->dice, maker->odd) ? make_string("80") : node_make_int(maker->arena, number));
    if (number == 50 || number == 1 || dice_chance(&maker->dice, 5))
        node_builder_put(&port, "endPort",
                         node_make_int(maker->arena, number == 50  ? 60
                                                     : number == 1 ? 65535
                                                                   : number));
    return node_builder_done(&port);
}

static struct node make_core_rule(struct maker *maker) {
    struct node items[3];
    struct node_builder rule;
    size_t count;
    node_builder_init(&rule, maker->arena, NODE_MAP);
    if (dice_chance(&maker->dice, 85)) {
        count = dice_chance(&maker->dice, 4) ? 0 : 1 + dice_below(&maker->dice, 3);
        for (size_t i = 0; i < count; i++)
            items[i] = make_peer(maker);
        node_builder_put(&rule, "to", make_list(maker, items, count));
    }
    if (dice_chance(&maker->dice, 65)) {
        count = dice_chance(&maker->dice, 4) ? 0 : 1 + dice_below(&maker->dice, 3);
        for (size_t i = 0; i < count; i++)
            items[i] = dice_chance(&maker->dice, maker->odd) ? make_null() : make_port(maker);
        node_builder_put(&rule, "ports", make_list(maker, items, count));
    }
    return node_builder_done(&rule);
}

static struct node make_types(struct maker *maker) {
    struct node items[3];
    size_t count = 0;
    if (dice_chance(&maker->dice, 85))
        items[count++] = make_string("Egress");
    if (dice_chance(&maker->dice, 25))
        items[count++] = make_string("Ingress");
    if (dice_chance(&maker->dice, maker->odd))
        items[count++] = make_string(dice_chance(&maker->dice, 50) ? "egress" : "Egress");
    return make_list(maker, items, count);
}

/* Mostly of the subject's namespace, and mostly selecting it. */
struct node generate_core_policy(struct maker *maker, const char *name) {
    struct node rules[4];
    struct node_builder spec, rest;
    size_t count = dice_below(&maker->dice, 4);
    node_builder_init(&spec, maker->arena, NODE_MAP);
    if (dice_chance(&maker->dice, 60))
        node_builder_put(&spec, "podSelector", make_empty(maker, NODE_MAP));
    else if (dice_chance(&maker->dice, 90))
        node_builder_put(&spec, "podSelector", generate_selector(maker, false));
    if (dice_chance(&maker->dice, 75))
        node_builder_put(&spec, "policyTypes", make_types(maker));
    for (size_t i = 0; i < count; i++)
        rules[i] = dice_chance(&maker->dice, maker->odd) ? make_null() : make_core_rule(maker);
    if (count || dice_chance(&maker->dice, 60))
        node_builder_put(&spec, "egress", make_list(maker, rules, count));
    if (dice_chance(&maker->dice, maker->odd))
        node_builder_put(&spec, dice_chance(&maker->dice, 50) ? "Egress" : "podSelector", make_empty(maker, NODE_MAP));
    node_builder_init(&rest, maker->arena, NODE_MAP);
    if (!dice_chance(&maker->dice, maker->odd))
        node_builder_put(&rest, "spec", node_builder_done(&spec));
    return generate_object(maker, "networking.k8s.io/v1", "NetworkPolicy",
                           dice_chance(&maker->dice, 90) ? "team" : "ops", name, &rest);
}

/* --- configs -------------------------------------------------------------------------------------------------- */

static struct node make_hosts(struct maker *maker) {
    static const char *const hosts[] = {"example.com", "a.example.com", ".example.com", "b.com", "a.b.example.com"};
    struct node items[3];
    size_t count = 1 + dice_below(&maker->dice, 3);
    for (size_t i = 0; i < count; i++)
        items[i] = make_string(DICE_PICK(&maker->dice, hosts));
    return make_list(maker, items, count);
}

static void add_narrowing(struct maker *maker, struct node_builder *egress) {
    struct node_builder narrowing;
    struct node port = node_make_int(maker->arena, dice_chance(&maker->dice, 60) ? 443 : 80);
    node_builder_init(&narrowing, maker->arena, NODE_MAP);
    if (dice_chance(&maker->dice, 60))
        node_builder_put(&narrowing, "ports", make_list(maker, &port, 1));
    if (dice_chance(&maker->dice, 60))
        node_builder_put(&narrowing, "dnsNames", node_make_bool(true));
    if (dice_chance(&maker->dice, 40))
        node_builder_put(&narrowing, "tlsServerNames", node_make_bool(true));
    node_builder_put(egress, "ciliumNarrowing", node_builder_done(&narrowing));
}

static struct node make_config_policy(struct maker *maker, const char *kind) {
    static const char *const excepts[] = {"9.9.9.9/32", "2001:db8::/32", "8.0.0.0/7"};
    struct node_builder policy;
    struct node except = make_string(DICE_PICK(&maker->dice, excepts));
    node_builder_init(&policy, maker->arena, NODE_MAP);
    node_builder_put(&policy, "kind", make_string(kind));
    if (strcmp(kind, "public-internet") == 0 && dice_chance(&maker->dice, 50))
        node_builder_put(&policy, "exceptCidrs", make_list(maker, &except, 1));
    if (strcmp(kind, "static") == 0)
        node_builder_put(&policy, "allowedHosts", make_hosts(maker));
    if (strcmp(kind, "resolver") == 0)
        node_builder_put(&policy, "resolvedHosts", make_hosts(maker));
    return node_builder_done(&policy);
}

struct node generate_config(struct maker *maker, const struct world *world) {
    static const char *const kinds[] = {"no-network", "deny-all", "public-internet", "public-internet",
                                        "allow-all",  "static",   "resolver",        "static"};
    bool cilium = world->reading.engine == EVALUATE_CILIUM;
    const char *kind = kinds[dice_below(&maker->dice, cilium ? 8 : 5)];
    struct node_builder config, egress, labels;
    node_builder_init(&egress, maker->arena, NODE_MAP);
    node_builder_put(&egress, "policy", make_config_policy(maker, kind));
    node_builder_put(&egress, "engine", make_string(cilium ? "cilium" : "core"));
    node_builder_put(&egress, "networkPolicyName", make_string("boundary"));
    if ((strcmp(kind, "static") == 0 || strcmp(kind, "resolver") == 0) && dice_chance(&maker->dice, 50))
        add_narrowing(maker, &egress);
    node_builder_init(&config, maker->arena, NODE_MAP);
    node_builder_put(&config, "namespace", make_string("team"));
    node_builder_put(&config, "selectorLabels", make_map(maker, "app", make_string("web")));
    node_builder_init(&labels, maker->arena, NODE_MAP);
    for (size_t i = 1; i < world->subject.label_count; i++)
        node_builder_put(&labels, world->subject.labels[i].key, make_string(world->subject.labels[i].value));
    node_builder_put(&config, "podLabels", node_builder_done(&labels));
    node_builder_put(&config, "egress", node_builder_done(&egress));
    return node_builder_done(&config);
}

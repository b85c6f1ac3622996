/* NetworkPolicy (spec/config.md 3, the core kinds). */
#include <string.h>

#include "compiler/translate_parts.h"

/* What is never public, in the order of the contract. */
static const char *const private_ipv4[] = {"10.0.0.0/8",     "172.16.0.0/12", "192.168.0.0/16",   "100.64.0.0/10",
                                           "169.254.0.0/16", "127.0.0.0/8",   "168.63.129.16/32", NULL};
static const char *const private_ipv6[] = {"fc00::/7", "fe80::/10", "::1/128", NULL};

static struct node single(struct arena *arena, const char *key, struct node value) {
    struct translate_entry entry = {key, value};
    return translate_map(arena, &entry, 1);
}

static struct node list_of_one(struct arena *arena, struct node item) { return translate_list(arena, &item, 1); }

static struct node dns_ports(struct arena *arena) {
    static const char *const protocols[] = {"UDP", "TCP"};
    struct node ports[2];
    for (size_t i = 0; i < 2; i++) {
        struct translate_entry port[] = {
            {"protocol", node_make_string(protocols[i])},
            {"port", node_make_int(arena, 53)},
        };
        ports[i] = translate_map(arena, port, 2);
    }
    return translate_list(arena, ports, 2);
}

/* DNS to kube-system: to its DNS pods alone, or to all of it. */
static struct node dns_rule(struct arena *arena, bool only_dns_pods) {
    static const struct config_label kube_system = {.key = "kubernetes.io/metadata.name", .value = "kube-system"};
    static const struct config_label kube_dns = {.key = "k8s-app", .value = "kube-dns"};
    struct translate_entry peer[] = {
        {"namespaceSelector", translate_match_labels(&kube_system, 1, arena)},
        {"podSelector", translate_match_labels(&kube_dns, 1, arena)},
    };
    struct translate_entry rule[] = {
        {"to", list_of_one(arena, translate_map(arena, peer, only_dns_pods ? 2 : 1))},
        {"ports", dns_ports(arena)},
    };
    return translate_map(arena, rule, 2);
}

/* All addresses of a family but the private ones and the config's exceptions, which only ever add. */
static struct node ip_block(const struct boundary *boundary, struct arena *arena, bool ipv6) {
    struct node_builder except;
    node_builder_init(&except, arena, NODE_LIST);
    for (const char *const *cidr = ipv6 ? private_ipv6 : private_ipv4; *cidr; cidr++) {
        node_builder_add(&except, node_make_string(*cidr));
    }
    for (size_t i = 0; i < boundary->except_cidr_count; i++) {
        const char *cidr = boundary->except_cidrs[i].entry;
        if ((strchr(cidr, ':') != NULL) == ipv6) {
            node_builder_add(&except, node_make_string(cidr));
        }
    }
    struct translate_entry block[] = {
        {"cidr", node_make_string(ipv6 ? "::/0" : "0.0.0.0/0")},
        {"except", node_builder_done(&except)},
    };
    return single(arena, "ipBlock", translate_map(arena, block, 2));
}

static struct node public_internet_rules(const struct boundary *boundary, struct arena *arena) {
    struct node blocks[] = {ip_block(boundary, arena, false), ip_block(boundary, arena, true)};
    struct node rules[] = {dns_rule(arena, true), single(arena, "to", translate_list(arena, blocks, 2))};
    return translate_list(arena, rules, 2);
}

static struct node egress_rules(const struct boundary *boundary, struct arena *arena) {
    switch (boundary->policy) {
    case POLICY_DENY_ALL:
        return list_of_one(arena, dns_rule(arena, false));
    case POLICY_PUBLIC_INTERNET:
        return public_internet_rules(boundary, arena);
    case POLICY_ALLOW_ALL:
        return list_of_one(arena, translate_map(arena, NULL, 0));
    case POLICY_NO_NETWORK:
    case POLICY_STATIC:
    case POLICY_RESOLVER:
    case POLICY_ABSENT:
        break; /* no rule: nothing leaves */
    }
    return translate_list(arena, NULL, 0);
}

struct node translate_core_spec(const struct boundary *boundary, struct arena *arena) {
    struct translate_entry entries[] = {
        {"podSelector", translate_match_labels(boundary->selector, boundary->selector_count, arena)},
        {"policyTypes", list_of_one(arena, node_make_string("Egress"))},
        {"egress", egress_rules(boundary, arena)},
    };
    return translate_map(arena, entries, sizeof entries / sizeof *entries);
}

/* Rules of host lists: CiliumNetworkPolicy (spec/config.md 3, 5). */
#include "base/arena.h"
#include "compiler/translate_parts.h"

static struct node single(struct arena *arena, const char *key, struct node value) {
    struct translate_entry entry = {key, value};
    return translate_map(arena, &entry, 1);
}

static void add_name(struct node_builder *list, struct arena *arena, const char *name) {
    node_builder_add(list, single(arena, "matchName", node_make_string(name)));
}

static void add_pattern(struct node_builder *list, struct arena *arena, const char *stars, const char *name) {
    const char *pattern = arena_format(arena, "%s.%s", stars, name);
    node_builder_add(list, single(arena, "matchPattern", node_make_string(pattern)));
}

/* A name, and for a leading dot the patterns of its subdomains. */
static void add_expansion(struct node_builder *list, struct arena *arena, const char *name, bool subdomains,
                          bool deep) {
    add_name(list, arena, name);
    if (subdomains) {
        add_pattern(list, arena, "*", name);
        if (deep) {
            add_pattern(list, arena, "**", name);
        }
    }
}

static const char *name_of(const char *entry, bool *subdomains) {
    *subdomains = entry[0] == '.';
    return *subdomains ? entry + 1 : entry;
}

static void add_entry(struct node_builder *list, struct arena *arena, const char *entry, bool deep) {
    bool subdomains;
    const char *name = name_of(entry, &subdomains);
    add_expansion(list, arena, name, subdomains, deep);
}

/* The suffixes that a resolver may append, in the order of the contract. */
static const char **dns_suffixes(const struct dns_names *names, struct arena *arena, size_t *count) {
    const char **suffixes = arena_array(arena, names->suffix_count + 3, sizeof *suffixes);
    *count = 0;
    suffixes[(*count)++] = arena_format(arena, "%s.svc.%s", names->namespace, names->cluster_domain);
    suffixes[(*count)++] = arena_format(arena, "svc.%s", names->cluster_domain);
    suffixes[(*count)++] = names->cluster_domain;
    for (size_t i = 0; i < names->suffix_count; i++) {
        suffixes[(*count)++] = names->search_suffixes[i];
    }
    return suffixes;
}

/* The exact names that may be asked: each host, and each host under each suffix. */
static struct node narrowed_dns_names(const struct host_rules *rules, struct arena *arena) {
    size_t suffix_count;
    const char **suffixes = dns_suffixes(&rules->narrowing->dns_names, arena, &suffix_count);
    struct node_builder list;
    node_builder_init(&list, arena, NODE_LIST);
    for (size_t i = 0; i < rules->host_count; i++) {
        bool subdomains;
        const char *name = name_of(rules->hosts[i].entry, &subdomains);
        add_expansion(&list, arena, name, subdomains, rules->deep_subdomains);
        for (size_t j = 0; j < suffix_count; j++) {
            const char *below = arena_format(arena, "%s.%s", name, suffixes[j]);
            add_expansion(&list, arena, below, subdomains, rules->deep_subdomains);
        }
    }
    return node_builder_done(&list);
}

static struct node any_dns_name(struct arena *arena) {
    struct node pattern = single(arena, "matchPattern", node_make_string("*"));
    return translate_list(arena, &pattern, 1);
}

static struct node port_entry(struct arena *arena, const char *port, const char *protocol) {
    struct translate_entry entries[] = {
        {"port", node_make_string(port)},
        {"protocol", node_make_string(protocol)},
    };
    return translate_map(arena, entries, 2);
}

static struct node dns_rule(const struct host_rules *rules, struct arena *arena) {
    static const struct config_label kube_dns[] = {
        {.key = "k8s:io.kubernetes.pod.namespace", .value = "kube-system"},
        {.key = "k8s:k8s-app", .value = "kube-dns"},
    };
    struct node peer = translate_match_labels(kube_dns, 2, arena);
    struct node port = port_entry(arena, "53", "ANY");
    bool narrowed = rules->narrowing->active && rules->narrowing->dns_names.on;
    struct translate_entry to_port[] = {
        {"ports", translate_list(arena, &port, 1)},
        {"rules", single(arena, "dns", narrowed ? narrowed_dns_names(rules, arena) : any_dns_name(arena))},
    };
    struct node to_ports = translate_map(arena, to_port, 2);
    struct translate_entry rule[] = {
        {"toEndpoints", translate_list(arena, &peer, 1)},
        {"toPorts", translate_list(arena, &to_ports, 1)},
    };
    return translate_map(arena, rule, 2);
}

/* One rule for all hosts. */
static struct node open_host_rule(const struct host_rules *rules, struct arena *arena) {
    struct node_builder names;
    node_builder_init(&names, arena, NODE_LIST);
    for (size_t i = 0; i < rules->host_count; i++) {
        add_entry(&names, arena, rules->hosts[i].entry, rules->deep_subdomains);
    }
    return single(arena, "toFQDNs", node_builder_done(&names));
}

/* Which ports of a host's list go into an entry of `toPorts`. */
enum port_choice { PORTS_ALL, PORTS_TLS, PORTS_OTHER };

static struct node chosen_ports(const struct host_rules *rules, const struct port_list *ports, enum port_choice choice,
                                struct arena *arena) {
    struct node_builder list;
    node_builder_init(&list, arena, NODE_LIST);
    for (size_t i = 0; i < ports->count; i++) {
        bool tls = narrowing_is_tls_port(rules->narrowing, ports->ports[i]);
        if (choice == PORTS_ALL || (choice == PORTS_TLS) == tls) {
            node_builder_add(&list, port_entry(arena, arena_format(arena, "%u", (unsigned)ports->ports[i]), "TCP"));
        }
    }
    return node_builder_done(&list);
}

/* The entries of `toPorts` with server names: the TLS ports bound to the name, then the rest, each if there is any. */
static void add_bound_ports(struct node_builder *to_ports, const struct host_rules *rules,
                            const struct port_list *ports, const char *entry, struct arena *arena) {
    struct node tls = chosen_ports(rules, ports, PORTS_TLS, arena);
    struct node other = chosen_ports(rules, ports, PORTS_OTHER, arena);
    if (tls.count) {
        struct node name = node_make_string(entry);
        struct translate_entry bound[] = {{"ports", tls}, {"serverNames", translate_list(arena, &name, 1)}};
        node_builder_add(to_ports, translate_map(arena, bound, 2));
    }
    if (other.count) {
        node_builder_add(to_ports, single(arena, "ports", other));
    }
}

static struct node narrowed_host_rule(const struct host_rules *rules, const char *entry, struct arena *arena) {
    struct node_builder names, to_ports;
    node_builder_init(&names, arena, NODE_LIST);
    node_builder_init(&to_ports, arena, NODE_LIST);
    add_entry(&names, arena, entry, rules->deep_subdomains);
    const struct port_list *ports = narrowing_ports(rules->narrowing, entry);
    if (ports && rules->narrowing->tls_server_names) {
        add_bound_ports(&to_ports, rules, ports, entry, arena);
    } else if (ports) {
        node_builder_add(&to_ports, single(arena, "ports", chosen_ports(rules, ports, PORTS_ALL, arena)));
    }
    struct translate_entry rule[] = {
        {"toFQDNs", node_builder_done(&names)},
        {"toPorts", node_builder_done(&to_ports)},
    };
    return translate_map(arena, rule, ports ? 2 : 1);
}

struct node translate_host_rules(const struct host_rules *rules, struct arena *arena) {
    struct node_builder egress;
    node_builder_init(&egress, arena, NODE_LIST);
    node_builder_add(&egress, dns_rule(rules, arena));
    if (!rules->narrowing->active) {
        node_builder_add(&egress, open_host_rule(rules, arena));
    }
    for (size_t i = 0; rules->narrowing->active && i < rules->host_count; i++) {
        node_builder_add(&egress, narrowed_host_rule(rules, rules->hosts[i].entry, arena));
    }
    return node_builder_done(&egress);
}

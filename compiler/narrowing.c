/* `ciliumNarrowing` and `perSandbox.narrowing` (spec/config.md 5). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compiler/blank.h"
#include "compiler/checks.h"
#include "compiler/config_fields.h"
#include "grammar/host.h"

enum { PORT_MAX = 65535, PORT_LIST_MAX = 40 };

static const uint16_t default_tls_ports[] = {443};

/* Reading of one narrowing. */
struct narrowing_reader {
    struct checks *checks;
    const struct node *map;
    const char *path;
    enum step values; /* the step that faults of values belong to */
    bool for_grants;
    struct narrowing *out;
};

static bool dns_names_on(const struct node *map) {
    const struct node *value = node_get(map, "dnsNames");
    return node_is(value, NODE_MAP) || (node_is(value, NODE_BOOL) && node_bool(value));
}

static bool server_names_on(const struct node *map) {
    const struct node *value = node_get(map, "tlsServerNames");
    return node_is(value, NODE_BOOL) && node_bool(value);
}

static bool is_active(const struct node *map) {
    const struct node *host_ports = node_get(map, "hostPorts");
    return shape_get(map, "ports", SHAPE_LIST) || (node_is(host_ports, NODE_MAP) && host_ports->count > 0) ||
           dns_names_on(map) || server_names_on(map);
}

bool checks_narrowing_is_set(const struct node *node) {
    return node && (is_active(node) || shape_get(node, "tlsPorts", SHAPE_LIST));
}

static const char *below(const struct narrowing_reader *reader, const char *field) {
    return path_field(reader->checks->arena, reader->path, field);
}

/* One port; 0 where it is none. */
static uint16_t read_port(struct narrowing_reader *reader, const struct node *item, const char *path, size_t index) {
    int64_t port;
    bool number = (item->kind == NODE_INT || item->kind == NODE_FLOAT) && node_integer(item, &port);
    if (number && port >= 1 && port <= PORT_MAX) {
        return (uint16_t)port;
    }
    struct shape shape = checks_at(reader->checks, reader->values);
    const char *here = path_index(reader->checks->arena, path, index);
    shape_refuse(&shape, CODE_CONFIG_UNUSABLE, item, here, "%s is %s; write a port, a number from 1 to 65535", here,
                 shape_quote(reader->checks->arena, item));
    return 0;
}

static struct port_list read_ports(struct narrowing_reader *reader, const struct node *list, const char *path) {
    struct shape shape = checks_at(reader->checks, reader->values);
    if (list->count == 0) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, list, path, "%s is empty; write ports, or leave it out", path);
    } else if (list->count > PORT_LIST_MAX) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, list, path,
                     "%s holds %u ports, and one entry of a Cilium policy takes 40; write fewer", path,
                     (unsigned)list->count);
    }
    uint16_t *ports = arena_array(reader->checks->arena, list->count, sizeof *ports);
    for (uint32_t i = 0; i < list->count; i++) {
        ports[i] = read_port(reader, &list->items[i], path, i);
    }
    /* A longer list was refused; nothing walks all of it again. */
    return (struct port_list){ports, list->count < PORT_LIST_MAX ? list->count : PORT_LIST_MAX};
}

static int compare_host_ports(const void *left, const void *right) {
    const struct host_ports *a = *(const struct host_ports *const *)left;
    const struct host_ports *b = *(const struct host_ports *const *)right;
    int order = strcmp(a->entry, b->entry);
    return order ? order : (a > b) - (a < b);
}

static void sort_host_ports(struct narrowing_reader *reader) {
    struct narrowing *out = reader->out;
    const struct host_ports **sorted = arena_array(reader->checks->arena, out->host_ports_count, sizeof *sorted);
    for (size_t i = 0; i < out->host_ports_count; i++) {
        sorted[i] = &out->host_ports[i];
    }
    if (out->host_ports_count > 1) {
        qsort(sorted, out->host_ports_count, sizeof *sorted, compare_host_ports);
    }
    out->host_ports_sorted = sorted;
}

/* Keys of a grant's hostPorts meet hosts in lower case, and every one must be able to. */
static void judge_grant_key(struct narrowing_reader *reader, const struct node *key, const char *path) {
    enum host_fault fault = host_entry_check(node_text(key), NULL, NULL);
    if (fault != HOST_OK) {
        struct shape shape = checks_at(reader->checks, STEP_REST);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, key, path, "%s is no host entry: %s",
                     shape_quote(reader->checks->arena, key), host_fault_text(fault));
    }
}

/* Two keys that are one in lower case. Keys that are equal as written were refused as such. */
static void judge_folded_keys(struct narrowing_reader *reader) {
    const struct narrowing *out = reader->out;
    for (size_t i = 1; i < out->host_ports_count; i++) {
        const struct host_ports *first = out->host_ports_sorted[i - 1], *again = out->host_ports_sorted[i];
        bool repeated = first->written && again->written && strcmp(first->written, again->written) == 0;
        if (strcmp(first->entry, again->entry) != 0 || repeated) {
            continue;
        }
        struct place place = {.location = again->location,
                              .path =
                                  path_key(reader->checks->arena, below(reader, "hostPorts"), text_of(again->written)),
                              .value = again->written};
        struct diagnostic *refusal = checks_report(
            reader->checks, STEP_REST, CODE_CONFIG_UNUSABLE, place,
            "%s and %s are one host once capitals are folded; keep one of the two", again->written, first->written);
        diagnostic_note(&reader->checks->steps[STEP_REST], refusal, first->location, "the other one is here");
    }
}

static void read_host_ports(struct narrowing_reader *reader) {
    const struct node *map = shape_get(reader->map, "hostPorts", SHAPE_MAP);
    if (!map) {
        return;
    }
    struct arena *arena = reader->checks->arena;
    struct shape shape = checks_at(reader->checks, STEP_SHAPE);
    const char *path = below(reader, "hostPorts");
    shape_check_keys(&shape, map, path);
    struct host_ports *all = arena_array(arena, map->count, sizeof *all);
    size_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct node *key = &map->entries[i].key, *value = &map->entries[i].value;
        const char *here = path_key(arena, path, node_text(key));
        if (reader->for_grants) {
            judge_grant_key(reader, key, here);
        }
        if (value->kind != NODE_LIST) {
            shape_refuse_type(&shape, CODE_CONFIG_UNUSABLE, value, here, SHAPE_LIST);
            continue;
        }
        const char *written = node_text(key).bytes;
        const char *entry = reader->for_grants ? host_lower(arena, node_text(key)) : written;
        all[count++] = (struct host_ports){entry, written, read_ports(reader, value, here),
                                           node_location(reader->checks->file, key)};
    }
    reader->out->host_ports = all;
    reader->out->host_ports_count = count;
    sort_host_ports(reader);
    if (reader->for_grants) {
        judge_folded_keys(reader);
    }
}

/* A part of the names that dnsNames makes. Blank text is a fault of the value, other text that is no name comes last. */
static void judge_dns_name(struct narrowing_reader *reader, const struct node *node, const char *path,
                           bool may_be_blank) {
    if (!may_be_blank && blank_trim(node_text(node)).length == 0) {
        struct shape shape = checks_at(reader->checks, reader->values);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, path, "%s is blank; write a DNS name", path);
        return;
    }
    if (host_name_check(node_text(node), NULL) != HOST_OK) {
        struct shape shape = checks_at(reader->checks, STEP_REST);
        shape_refuse(
            &shape, CODE_CONFIG_UNUSABLE, node, path,
            "%s is %s, which is no DNS name; write labels of letters, digits and inner hyphens, joined by dots", path,
            shape_quote(reader->checks->arena, node));
    }
}

static void read_suffixes(struct narrowing_reader *reader, const struct node *map, const char *path) {
    const struct node *list = shape_get(map, "searchSuffixes", SHAPE_LIST);
    struct arena *arena = reader->checks->arena;
    size_t count = list ? list->count : 0;
    const char **suffixes = arena_array(arena, count, sizeof *suffixes);
    for (uint32_t i = 0; i < count; i++) {
        const struct node *item = &list->items[i];
        const char *here = path_index(arena, path_field(arena, path, "searchSuffixes"), i);
        suffixes[i] = node_string(item);
        if (!suffixes[i]) {
            struct shape shape = checks_at(reader->checks, reader->values);
            shape_refuse_type(&shape, CODE_CONFIG_UNUSABLE, item, here, SHAPE_STRING);
        } else {
            judge_dns_name(reader, item, here, false);
        }
    }
    reader->out->dns_names.search_suffixes = suffixes;
    reader->out->dns_names.suffix_count = count;
}

/* The names end in dnsNames' domain whatever the cluster's is; a known other one deserves a word. */
static void compare_domains(struct narrowing_reader *reader, const struct node *node, const char *path) {
    const struct cluster_facts *cluster = &reader->checks->boundary->cluster;
    const char *domain = reader->out->dns_names.cluster_domain;
    if (facts_know(cluster, FACT_CLUSTER_DOMAIN) && strcmp(domain, cluster->cluster_domain) != 0) {
        struct place place = {.location = node_location(reader->checks->file, node),
                              .path = path_field(reader->checks->arena, path, "clusterDomain"),
                              .value = domain};
        checks_report(reader->checks, STEP_REST, CODE_CLUSTER_DOMAIN_DIFFERS, place,
                      "the names of dnsNames end in %s, and the cluster's domain is %s; set dnsNames.clusterDomain",
                      domain, cluster->cluster_domain);
    }
}

static void read_dns_fields(struct narrowing_reader *reader, const struct node *map, const char *path) {
    struct arena *arena = reader->checks->arena;
    struct dns_names *out = &reader->out->dns_names;
    struct shape shape = checks_at(reader->checks, STEP_SHAPE);
    shape_check(&shape, map, path, config_dns_names_fields);
    const struct node *namespace = shape_get(map, "namespace", SHAPE_STRING);
    if (namespace) {
        out->namespace = node_string(namespace);
        judge_dns_name(reader, namespace, path_field(arena, path, "namespace"), true);
    }
    const struct node *domain = shape_get(map, "clusterDomain", SHAPE_STRING);
    if (domain) {
        out->cluster_domain = node_string(domain);
        judge_dns_name(reader, domain, path_field(arena, path, "clusterDomain"), false);
    }
    read_suffixes(reader, map, path);
}

static void read_dns_names(struct narrowing_reader *reader) {
    const struct node *value = node_get(reader->map, "dnsNames");
    const char *path = below(reader, "dnsNames");
    if (!value) {
        return;
    }
    if (value->kind != NODE_BOOL && value->kind != NODE_MAP) {
        struct shape shape = checks_at(reader->checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, value, path,
                     "%s is %s; write true, or a map of namespace, clusterDomain and searchSuffixes", path,
                     shape_quote(reader->checks->arena, value));
        return;
    }
    reader->out->dns_names.on = dns_names_on(reader->map);
    if (value->kind == NODE_MAP) {
        read_dns_fields(reader, value, path);
    }
    if (reader->out->dns_names.on) {
        compare_domains(reader, value, path);
    }
}

/* Whether a list holds a TLS port, or may: a port that was refused stands as 0. */
static bool may_have_tls_port(const struct narrowing *narrowing, const struct port_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->ports[i] == 0 || narrowing_is_tls_port(narrowing, list->ports[i])) {
            return true;
        }
    }
    return list->count == 0;
}

/* Server names that no list of ports ever meets would be dropped in silence. */
static void judge_server_names(struct narrowing_reader *reader) {
    const struct narrowing *out = reader->out;
    bool tls_ports_unclear = out->tls_ports.count == 0 || narrowing_is_tls_port(out, 0);
    if (!out->tls_server_names || !out->has_ports || tls_ports_unclear || may_have_tls_port(out, &out->ports)) {
        return;
    }
    for (size_t i = 0; i < out->host_ports_count; i++) {
        if (may_have_tls_port(out, &out->host_ports[i].ports)) {
            return;
        }
    }
    struct shape shape = checks_at(reader->checks, STEP_REST);
    const char *path = below(reader, "tlsServerNames");
    shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node_get(reader->map, "tlsServerNames"), path,
                 "no port of this narrowing is a TLS port, so %s would bind nothing; add one to ports or to tlsPorts",
                 path);
}

void checks_read_narrowing(struct checks *checks, const struct node *node, const char *path, enum step step,
                           bool for_grants, struct narrowing *narrowing) {
    narrowing->tls_ports = (struct port_list){default_tls_ports, 1};
    narrowing->dns_names.namespace = checks->boundary->namespace;
    narrowing->dns_names.cluster_domain = "cluster.local";
    if (!node) {
        return;
    }
    narrowing->active = is_active(node);
    narrowing->location = node_location(checks->file, node);
    narrowing->tls_server_names = server_names_on(node);
    struct narrowing_reader reader = {checks, node, path, narrowing->active ? step : STEP_REST, for_grants, narrowing};
    struct shape shape = checks_at(checks, STEP_SHAPE);
    shape_check(&shape, node, path, config_narrowing_fields);
    const struct node *ports = shape_get(node, "ports", SHAPE_LIST);
    if (ports) {
        narrowing->has_ports = true;
        narrowing->ports = read_ports(&reader, ports, below(&reader, "ports"));
    }
    read_host_ports(&reader);
    const struct node *tls_ports = shape_get(node, "tlsPorts", SHAPE_LIST);
    if (tls_ports) {
        narrowing->has_tls_ports = true;
        narrowing->tls_ports = read_ports(&reader, tls_ports, below(&reader, "tlsPorts"));
    }
    read_dns_names(&reader);
    judge_server_names(&reader);
}

static int compare_entry(const void *key, const void *element) {
    return strcmp(key, (*(const struct host_ports *const *)element)->entry);
}

const struct port_list *narrowing_host_ports(const struct narrowing *narrowing, const char *entry) {
    if (narrowing->host_ports_count == 0) {
        return NULL;
    }
    const struct host_ports *const *found = bsearch(entry, narrowing->host_ports_sorted, narrowing->host_ports_count,
                                                    sizeof *narrowing->host_ports_sorted, compare_entry);
    return found ? &(*found)->ports : NULL;
}

const struct port_list *narrowing_ports(const struct narrowing *narrowing, const char *entry) {
    const struct port_list *own = narrowing_host_ports(narrowing, entry);
    if (own) {
        return own;
    }
    if (narrowing->has_ports) {
        return &narrowing->ports;
    }
    return narrowing->tls_server_names ? &narrowing->tls_ports : NULL;
}

bool narrowing_is_tls_port(const struct narrowing *narrowing, uint16_t port) {
    for (size_t i = 0; i < narrowing->tls_ports.count; i++) {
        if (narrowing->tls_ports.ports[i] == port) {
            return true;
        }
    }
    return false;
}

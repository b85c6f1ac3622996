/* The hosts of a grant (spec/config.md 2, 5, 6). */
#include <string.h>

#include "base/arena.h"
#include "compiler/grant_parts.h"
#include "grammar/host.h"
#include "kube/shape.h"

/* A grant's hosts while they are judged. The entry of one that is refused is NULL. */
struct grant_hosts {
    struct grant *grant;
    const struct node *list;
    struct host *hosts;
    struct arena *arena;
};

static void report_host(const struct grant_hosts *hosts, uint32_t index, enum code code, const char *what) {
    const struct node *item = &hosts->list->items[index];
    struct grant *grant = hosts->grant;
    const char *message = arena_format(hosts->arena, "%s %s", shape_quote(hosts->arena, item), what);
    struct diagnostic *diagnostic = shape_report(&grant->diagnostics, code, node_location(grant->file, item), message);
    bool scalar = item->kind != NODE_LIST && item->kind != NODE_MAP;
    diagnostic->path = path_index(hosts->arena, "allowedHosts", index);
    diagnostic->value = scalar ? node_text(item).bytes : NULL;
}

/* One by one, in the order of the judgements of config.md 2. */
static void judge_entries(const struct grant_hosts *hosts) {
    for (uint32_t i = 0; i < hosts->list->count; i++) {
        const struct node *item = &hosts->list->items[i];
        bool is_string = item->kind == NODE_STRING;
        enum host_fault fault = is_string ? host_entry_check(node_text(item), NULL, NULL) : HOST_NOT_STRING;
        hosts->hosts[i].location = node_location(hosts->grant->file, item);
        if (fault == HOST_OK) {
            hosts->hosts[i].entry = host_lower(hosts->arena, node_text(item));
        } else {
            report_host(hosts, i, CODE_HOST_UNUSABLE,
                        arena_format(hosts->arena, "is no usable host: %s", host_fault_text(fault)));
        }
    }
}

static bool is_bound_to_its_name(const struct narrowing *narrowing, const char *entry) {
    const struct port_list *ports = narrowing_ports(narrowing, entry);
    for (size_t i = 0; ports && i < ports->count; i++) {
        if (ports->ports[i] == 0 || narrowing_is_tls_port(narrowing, ports->ports[i])) {
            return true;
        }
    }
    return !ports;
}

/* What only a host without a leading dot can be bound to. */
static void judge_server_names(const struct grant_hosts *hosts, const struct narrowing *narrowing) {
    for (uint32_t i = 0; i < hosts->list->count; i++) {
        const char *entry = hosts->hosts[i].entry;
        if (entry && entry[0] == '.') {
            report_host(hosts, i, CODE_HOST_UNUSABLE,
                        "is a domain and its subdomains, and no single server name means that; list the names, or turn "
                        "perSandbox.narrowing.tlsServerNames off");
        } else if (entry && !is_bound_to_its_name(narrowing, entry)) {
            report_host(hosts, i, CODE_SERVER_NAME_UNUSED,
                        "has no port that is a TLS port, so its server name is bound nowhere");
        }
    }
}

static void warn_of_depth(const struct grant_hosts *hosts) {
    for (uint32_t i = 0; i < hosts->list->count; i++) {
        if (hosts->hosts[i].entry && hosts->hosts[i].entry[0] == '.') {
            report_host(hosts, i, CODE_SUBDOMAIN_DEPTH,
                        "covers names one label deep only, as Cilium's * crosses no dot; list deeper domains, or set "
                        "egress.deepSubdomains");
        }
    }
}

void grant_read_hosts(struct grant *grant, const struct node *list, struct arena *arena) {
    struct grant_hosts hosts = {grant, list, arena_array(arena, list->count, sizeof *hosts.hosts), arena};
    const struct boundary *boundary = grant->boundary;
    judge_entries(&hosts);
    if (boundary->per_sandbox.narrowing.tls_server_names) {
        judge_server_names(&hosts, &boundary->per_sandbox.narrowing);
    }
    if (!boundary->deep_subdomains) {
        warn_of_depth(&hosts);
    }
    const char **written = arena_array(arena, list->count, sizeof *written);
    for (uint32_t i = 0; i < list->count; i++) {
        written[i] = list->items[i].kind == NODE_STRING ? list->items[i].text : NULL;
    }
    grant->written = written;
    grant->hosts = hosts.hosts;
    grant->host_count = list->count;
}

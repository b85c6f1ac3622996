/* Hosts of `static` and `resolver` (spec/config.md 2, 5; steps 6 and 7 of 7). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "compiler/checks.h"
#include "compiler/hosts_file.h"
#include "document/reader.h"
#include "grammar/host.h"

/* A host with all that a refusal shows of it. */
struct candidate {
    struct text entry;
    bool is_string;
    size_t index;     /* in the list; of no meaning for a file */
    const char *path; /* of the list, or of the field that names the file */
    bool from_file;
    const char *value, *shown; /* as written, and as messages show it */
    const char *excerpt;
    struct location location;
    enum host_fault fault;
};

struct candidates {
    struct candidate *list;
    size_t count;
};

static struct diagnostic *report_host(struct checks *checks, enum step step, enum code code,
                                      const struct candidate *host, const char *message) {
    struct place place = {.location = host->location,
                          .path = host->from_file ? host->path : path_index(checks->arena, host->path, host->index),
                          .value = host->value};
    struct diagnostic *diagnostic = checks_report(checks, step, code, place, "%s %s", host->shown, message);
    diagnostic->excerpt = host->excerpt;
    return diagnostic;
}

static void take_list(struct checks *checks, const struct node *list, const char *path, struct candidates *out) {
    out->list = arena_array(checks->arena, list->count, sizeof *out->list);
    out->count = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct node *item = &list->items[i];
        struct text text = node_text(item);
        bool scalar = item->kind != NODE_LIST && item->kind != NODE_MAP;
        out->list[i] = (struct candidate){.entry = text,
                                          .is_string = item->kind == NODE_STRING,
                                          .index = i,
                                          .path = path,
                                          .value = scalar ? text.bytes : NULL,
                                          .shown = shape_quote(checks->arena, item),
                                          .location = node_location(checks->file, item)};
    }
}

static void take_lines(struct checks *checks, const struct hosts_file *file, struct candidates *out) {
    out->list = arena_array(checks->arena, file->count, sizeof *out->list);
    out->count = file->count;
    for (size_t i = 0; i < file->count; i++) {
        const struct hosts_line *line = &file->lines[i];
        const char *value = arena_copy(checks->arena, line->entry.bytes, line->entry.length);
        struct node node = node_make_string(value);
        out->list[i] = (struct candidate){.entry = line->entry,
                                          .is_string = true,
                                          .path = "egress.policy.resolvedHostsFile",
                                          .from_file = true,
                                          .value = value,
                                          .shown = shape_quote(checks->arena, &node),
                                          .excerpt = arena_copy(checks->arena, line->line.bytes, line->line.length),
                                          .location = line->location};
    }
}

/* False: the file cannot be used, and was reported. */
static bool read_file(struct checks *checks, const struct node *node, struct candidates *out) {
    struct shape shape = checks_at(checks, STEP_REST);
    const char *path = "egress.policy.resolvedHostsFile", *name = node_string(node);
    if (*name == '\0') {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, node, path, "%s is empty; write a path, relative to the config",
                     path);
        return false;
    }
    const char *found = hosts_file_path(checks->arena, checks->folder, name);
    struct text content;
    if (!reader_slurp(found, &checks->options->limits, checks->arena, &content, checks->outside)) {
        checks->unreadable = true;
        return false;
    }
    struct hosts_file file;
    hosts_file_split(found, content, checks->arena, &file);
    if (file.not_utf8) {
        struct place place = {.location = file.fault, .path = path};
        checks_report(checks, STEP_REST, CODE_CONFIG_UNUSABLE, place, "%s is not UTF-8 here; save it as UTF-8", found);
    }
    take_lines(checks, &file, out);
    return true;
}

/* The field that a missing or empty list is reported under. */
static const char *list_path(const struct checks *checks) {
    if (checks->boundary->policy == POLICY_STATIC) {
        return "egress.policy.allowedHosts";
    }
    return node_get(checks->policy, "resolvedHostsFile") ? "egress.policy.resolvedHostsFile"
                                                         : "egress.policy.resolvedHosts";
}

static bool collect_static(struct checks *checks, struct candidates *out) {
    const struct node *list = node_get(checks->policy, "allowedHosts");
    if (!list) {
        checks_refuse_absent(checks, STEP_REST, CODE_CONFIG_UNUSABLE, checks->policy, list_path(checks),
                             "write the hosts, or [] for none");
    } else if (list->kind == NODE_LIST) {
        take_list(checks, list, list_path(checks), out);
        return true;
    }
    return false;
}

static bool collect_resolver(struct checks *checks, struct candidates *out) {
    const struct node *list = node_get(checks->policy, "resolvedHosts");
    const struct node *file = node_get(checks->policy, "resolvedHostsFile");
    if (list && file) {
        struct shape shape = checks_at(checks, STEP_SHAPE);
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, file, "egress.policy.resolvedHostsFile",
                     "resolvedHosts and resolvedHostsFile are both given; keep one of the two");
        return false;
    }
    if (!list && !file) {
        checks_refuse_absent(checks, STEP_REST, CODE_CONFIG_UNUSABLE, checks->policy, list_path(checks),
                             "write the hosts, [] for none, or resolvedHostsFile");
        return false;
    }
    if (list && list->kind == NODE_LIST) {
        take_list(checks, list, list_path(checks), out);
        return true;
    }
    return file && node_string(file) && read_file(checks, file, out);
}

/* The entries one by one, in the order of the judgements of config.md 2. */
static void judge_entries(struct checks *checks, struct candidates *hosts) {
    for (size_t i = 0; i < hosts->count; i++) {
        struct candidate *host = &hosts->list[i];
        host->fault = host->is_string ? host_entry_check(host->entry, NULL, NULL) : HOST_NOT_STRING;
        if (host->fault != HOST_OK) {
            report_host(checks, STEP_HOSTS, CODE_HOST_UNUSABLE, host,
                        arena_format(checks->arena, "is no usable host: %s", host_fault_text(host->fault)));
        }
    }
}

/* What a server name cannot be: a domain with its subdomains, or a name with capitals. */
static void judge_server_names(struct checks *checks, const struct candidates *hosts) {
    for (size_t i = 0; i < hosts->count; i++) {
        const struct candidate *host = &hosts->list[i];
        struct host_entry parts;
        if (host->fault != HOST_OK || host_entry_check(host->entry, &parts, NULL) != HOST_OK) {
            continue;
        }
        if (parts.leading_dot) {
            report_host(checks, STEP_HOSTS, CODE_HOST_UNUSABLE, host,
                        "is a domain and its subdomains, and no single server name means that; list the names, or turn "
                        "tlsServerNames off");
        } else if (parts.has_capitals) {
            checks->about_meaning++;
            report_host(checks, STEP_HOSTS, CODE_HOST_UNUSABLE, host,
                        "has capitals, and server names are compared in lower case; write it in lower case");
        }
    }
}

static void warn_of_depth(struct checks *checks, const struct candidates *hosts) {
    for (size_t i = 0; i < hosts->count; i++) {
        const struct candidate *host = &hosts->list[i];
        if (host->fault == HOST_OK && host->entry.bytes[0] == '.') {
            report_host(checks, STEP_HOSTS, CODE_SUBDOMAIN_DEPTH, host,
                        "covers names one label deep only, as Cilium's * crosses no dot; list deeper domains, or set "
                        "egress.deepSubdomains");
        }
    }
}

void checks_read_hosts(struct checks *checks) {
    struct boundary *boundary = checks->boundary;
    if (!checks->kind_known || !policy_kind_has_hosts(boundary->policy)) {
        return;
    }
    struct candidates found = {NULL, 0};
    checks->hosts_known =
        boundary->policy == POLICY_STATIC ? collect_static(checks, &found) : collect_resolver(checks, &found);
    struct host *hosts = arena_array(checks->arena, found.count, sizeof *hosts);
    for (size_t i = 0; i < found.count; i++) {
        hosts[i] = (struct host){found.list[i].value, found.list[i].location};
    }
    boundary->hosts = hosts;
    boundary->host_count = found.count;
    judge_entries(checks, &found);
    if (boundary->narrowing.tls_server_names) {
        judge_server_names(checks, &found);
    }
    const struct node *deep = shape_get(checks->egress, "deepSubdomains", SHAPE_BOOL);
    if (!deep || !node_bool(deep)) {
        warn_of_depth(checks, &found);
    }
}

static int compare_key(const void *key, const void *element) { return strcmp(key, *(const char *const *)element); }

/* The entries in byte order, without those that are no strings. */
static const char **sorted_entries(struct checks *checks, size_t *count) {
    const struct boundary *boundary = checks->boundary;
    const char **sorted = arena_array(checks->arena, boundary->host_count, sizeof *sorted);
    *count = 0;
    for (size_t i = 0; i < boundary->host_count; i++) {
        if (boundary->hosts[i].entry) {
            sorted[(*count)++] = boundary->hosts[i].entry;
        }
    }
    if (*count > 1) {
        qsort(sorted, *count, sizeof *sorted, string_compare_at);
    }
    return sorted;
}

/* Keys of hostPorts that are no host: in a list that was written beside them a mistake, in one made elsewhere not. */
static void judge_host_ports(struct checks *checks) {
    const struct boundary *boundary = checks->boundary;
    const struct narrowing *narrowing = &boundary->narrowing;
    bool refused = boundary->policy == POLICY_STATIC;
    size_t count;
    const char **sorted = sorted_entries(checks, &count);
    for (size_t i = 0; i < narrowing->host_ports_count; i++) {
        const struct host_ports *ports = &narrowing->host_ports[i];
        if (count && bsearch(ports->entry, sorted, count, sizeof *sorted, compare_key)) {
            continue;
        }
        struct place place = {.location = ports->location,
                              .path =
                                  path_key(checks->arena, "egress.ciliumNarrowing.hostPorts", text_of(ports->written)),
                              .value = ports->written};
        checks_report(
            checks, STEP_REST, refused ? CODE_CONFIG_UNUSABLE : CODE_HOST_PORTS_UNUSED, place,
            refused ? "%s is no entry of allowedHosts, so its ports bind nothing; spell it as it stands there, or "
                      "remove it"
                    : "%s is no entry of the resolved hosts, so its ports bind nothing",
            ports->written);
    }
}

/* A host whose server name is bound on none of its ports. */
static void warn_of_unused_server_names(struct checks *checks) {
    const struct boundary *boundary = checks->boundary;
    for (size_t i = 0; i < boundary->host_count; i++) {
        const struct host *host = &boundary->hosts[i];
        const struct port_list *ports = host->entry ? narrowing_ports(&boundary->narrowing, host->entry) : NULL;
        bool bound = !ports;
        for (size_t j = 0; ports && j < ports->count && !bound; j++) {
            bound = ports->ports[j] == 0 || narrowing_is_tls_port(&boundary->narrowing, ports->ports[j]);
        }
        if (!bound) {
            bool from_file = text_ends_with(text_of(list_path(checks)), "File");
            struct place place = {.location = host->location,
                                  .path =
                                      from_file ? list_path(checks) : path_index(checks->arena, list_path(checks), i),
                                  .value = host->entry};
            checks_report(checks, STEP_REST, CODE_SERVER_NAME_UNUSED, place,
                          "none of the ports of %s is a TLS port, so its server name is bound nowhere", host->entry);
        }
    }
}

void checks_hosts_against_narrowing(struct checks *checks) {
    const struct boundary *boundary = checks->boundary;
    if (!checks->hosts_known) {
        return;
    }
    judge_host_ports(checks);
    if (boundary->narrowing.tls_server_names) {
        warn_of_unused_server_names(checks);
    }
    if (boundary->narrowing.dns_names.on && boundary->host_count == 0) {
        struct place place = {.location = node_location(checks->file, checks->policy), .path = list_path(checks)};
        const struct node *list = node_get(checks->policy, strrchr(list_path(checks), '.') + 1);
        if (list) {
            place.location = node_location(checks->file, list);
        }
        checks_report(
            checks, STEP_REST, CODE_CONFIG_UNUSABLE, place,
            "%s lists no host, and an empty list of DNS names means every name to Cilium; list a host, or remove "
            "dnsNames",
            list_path(checks));
    }
}

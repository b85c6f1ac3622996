/*
 * The egress config, typed (spec/config.md): one boundary a document, with everything that it may not be refused.
 *
 * Reading goes on after a refusal wherever that needs no guess, so one run shows all faults. Each boundary keeps its own
 * refusals and warnings in the order of config.md 7: the first error is the document's code. Never sort them before
 * that code was taken. Everything lives in the arena that was given to config_read, the file's text included.
 */
#ifndef COMPILER_CONFIG_H
#define COMPILER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnostic.h"
#include "base/text.h"
#include "document/limits.h"
#include "document/node.h"
#include "kube/facts.h"

#define TEMPLATE_LABEL_KEY "sandbox.namzu.ai/template"
#define PROFILE_LABEL_KEY "sandbox.namzu.ai/egress-profile"
#define PER_SANDBOX_LABEL_KEY "sandbox.namzu.ai/per-sandbox-egress"

enum policy_kind {
    POLICY_NO_NETWORK,
    POLICY_DENY_ALL,
    POLICY_PUBLIC_INTERNET,
    POLICY_ALLOW_ALL,
    POLICY_STATIC,
    POLICY_RESOLVER,
    POLICY_ABSENT /* no `egress`: nothing is compiled, only ingress is verified */
};

/* The word of `policy.kind`; NULL for POLICY_ABSENT. */
const char *policy_kind_word(enum policy_kind kind);
/* Whether the kind lists hosts: `static` and `resolver`. */
static inline bool policy_kind_has_hosts(enum policy_kind kind) {
    return kind == POLICY_STATIC || kind == POLICY_RESOLVER;
}

enum engine { ENGINE_CORE, ENGINE_CILIUM };
const char *engine_word(enum engine engine);

struct config_label {
    const char *key, *value;
    struct location location; /* of the key; of the field that it was made from, for a generated one */
};

/* A host entry as written in its source; a leading dot stands for the domain and its subdomains. */
struct host {
    const char *entry;
    struct location location;
};

struct port_list {
    const uint16_t *ports; /* 1 to 65535, in order, repeats kept */
    size_t count;
};

/* An entry of `hostPorts`. */
struct host_ports {
    const char *entry; /* as hosts are compared with it: as written, or in lower case under perSandbox */
    const char *written;
    struct port_list ports;
    struct location location; /* of the key */
};

/* `dnsNames`, with its defaults filled in. */
struct dns_names {
    bool on;
    const char *namespace, *cluster_domain;
    const char *const *search_suffixes;
    size_t suffix_count;
};

/* `ciliumNarrowing` or `perSandbox.narrowing` (config.md 5). All zero: there is none. */
struct narrowing {
    bool active;
    bool has_ports, has_tls_ports; /* which lists were written */
    struct port_list ports;
    struct port_list tls_ports;          /* [443] by default */
    const struct host_ports *host_ports; /* in order; those of perSandbox are in lower case, as a grant's hosts are */
    const struct host_ports *const *host_ports_sorted; /* by entry, byte order: for narrowing_host_ports */
    size_t host_ports_count;
    bool tls_server_names;
    struct dns_names dns_names;
    struct location location; /* of its value */
};

/* The list of `hostPorts` for an entry of exactly that text, or NULL. */
const struct port_list *narrowing_host_ports(const struct narrowing *narrowing, const char *entry);
/* The ports that a host gets: those of `hostPorts`, else `ports`, else (with tlsServerNames) the TLS ports, else NULL. */
const struct port_list *narrowing_ports(const struct narrowing *narrowing, const char *entry);
/* Whether a port is one of the narrowing's TLS ports. */
bool narrowing_is_tls_port(const struct narrowing *narrowing, uint16_t port);

/* `perSandbox` (config.md 6). */
struct per_sandbox {
    const char *admission_policy_name;
    const char *admission_policy_binding_name; /* default filled in */
    const char *label_key;                     /* default filled in */
    struct narrowing narrowing;
    const char *host_identity; /* or NULL */
    bool has_permitted_hosts;
    const char *permitted_hosts_name, *permitted_hosts_namespace;
    struct location permitted_hosts_location; /* of the field's value */
    struct location location;
};

/* One document of a config. Where `usable` is false, only `file`, `document`, `location` and `diagnostics` can be
 * relied on; other members are set as far as they could be told, and strings may be NULL. */
struct boundary {
    const char *file;  /* as shown */
    unsigned document; /* from 1 */
    struct location location;

    const char *namespace;
    const char *template_name; /* NULL: selectorLabels were given */
    /* Labels of the emitted selector: the template label or selectorLabels in order, then the profile label. */
    const struct config_label *selector;
    size_t selector_count;
    const struct config_label *pod_labels; /* further labels of the pods; never in the selector */
    size_t pod_label_count;

    unsigned agent_port;
    bool ingress_unverified;
    enum engine ingress_engine;

    enum policy_kind policy;
    struct location policy_location; /* of the value of `egress.policy.kind` */
    enum engine engine;              /* ENGINE_CORE where there is no `egress` */
    const char *object_name;         /* of the emitted object; NULL without `egress` */
    bool named_object_only;          /* egress.verify */
    const struct host *hosts;        /* of static and resolver, duplicates kept */
    size_t host_count;
    const struct host *except_cidrs; /* of public-internet, as written */
    size_t except_cidr_count;
    bool deep_subdomains;
    struct narrowing narrowing;
    const char *profile; /* or NULL */
    const char *profile_label_key;
    bool has_per_sandbox;
    struct per_sandbox per_sandbox;

    struct cluster_facts cluster; /* of the config, under what the options say */

    bool usable;       /* no refusal */
    bool translatable; /* refused, if at all, only for what it means: what it would compile to is compared */
    struct diagnostics diagnostics; /* refusals, warnings and notes of this document, in the order of config.md 7 */
    size_t rest_at;                 /* in `diagnostics`: where those of the last step begin */
};

struct config {
    const char *file; /* as shown */
    struct text source;
    struct boundary *boundaries;
    size_t count;
    bool usable; /* every boundary is, and nothing is wrong between or outside them */
};

struct config_options {
    struct limits limits;
    const struct cluster_facts *facts; /* of --facts, --cilium-version, --kubernetes-version: over `cluster`; or NULL */
};

enum config_result {
    CONFIG_OK,
    CONFIG_REFUSED,   /* exit 1: a boundary, or the file as a whole (syntax, no document, two of one name) */
    CONFIG_UNREADABLE /* exit 2: the config or a resolvedHostsFile cannot be read */
};

/* Reads and checks a config file; "-" is standard input. `diagnostics` gets what belongs to no single document (the
 * file cannot be read, syntax errors, duplicate-object, profile-overlap); the rest stands in each boundary. */
enum config_result config_read(const char *path, const struct config_options *options, struct arena *arena,
                               struct config *config, struct diagnostics *diagnostics);

/* The same for a text in memory, shown as `name`; a resolvedHostsFile is relative to `folder` ("" or "." for the
 * current one). The text must outlive the config. */
enum config_result config_read_text(const char *name, const char *folder, struct text source,
                                    const struct config_options *options, struct arena *arena, struct config *config,
                                    struct diagnostics *diagnostics);

/* Appends the diagnostics of every boundary, in document order. */
void config_diagnostics(const struct config *config, struct diagnostics *all);

#endif

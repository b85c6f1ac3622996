/*
 * Policies: NetworkPolicy, CiliumNetworkPolicy and CiliumClusterwideNetworkPolicy as typed values, read through field
 * tables, with what is wrong about them. Nothing here decides what a policy means: no defaults beyond those that the API
 * server writes into the object, no reading, no sets.
 *
 * Everything remembers its node and its path from the object's root ("spec.egress[0].to[1]").
 */
#ifndef KUBE_POLICY_H
#define KUBE_POLICY_H

#include "grammar/cidr.h"
#include "kube/cilium_version.h"
#include "kube/object.h"

/* null is absent, everywhere; an empty list or map is neither. */
enum presence { PRESENCE_ABSENT, PRESENCE_EMPTY, PRESENCE_FILLED };

/* A place in the object. */
struct part {
    const struct node *node; /* NULL where absent */
    const char *path;
};

enum problem_effect {
    PROBLEM_DROPPED,      /* an unknown field: pruned; what the object allows counts, that it isolates does not */
    PROBLEM_DUPLICATE,    /* a duplicate key: the last counts; else as DROPPED */
    PROBLEM_TYPE,         /* another type than the schema's: the object cannot be evaluated */
    PROBLEM_REFUSED_API,  /* the API server refuses the object */
    PROBLEM_REFUSED_AGENT /* the agent does not import the object */
};

struct problem {
    enum problem_effect effect;
    enum code code;      /* a code of spec/lint.md: unknown-field, wrong-type, invalid-cidr, ... */
    struct part part;    /* the path of what is wrong; the node is that, or the innermost one around what is missing */
    const char *message; /* what is to be said of the path: "is `8O`, which is no port name: ..." */
    const char *widens;  /* DROPPED: what the pruned field widens, or NULL */
    cilium_classes classes; /* where it holds; all bits for what does not depend on Cilium's version */
    bool selects;           /* it stands in what selects the subject, so whom the policy selects cannot be told */
};

enum selector_operator { OPERATOR_IN, OPERATOR_NOT_IN, OPERATOR_EXISTS, OPERATOR_DOES_NOT_EXIST, OPERATOR_INVALID };

struct selector_requirement {
    const char *key; /* as written: Cilium keys with their source prefix */
    enum selector_operator verb;
    const char *const *values;
    uint32_t count;
    bool expression;         /* from matchExpressions */
    bool readable;           /* false: a key, operator or value of a wrong type or grammar */
    const struct node *node; /* of the matchLabels value or of the expression */
};

struct selector {
    enum presence presence; /* EMPTY: {} or nothing required */
    const struct selector_requirement *requirements;
    uint32_t count;
    struct part part;
};

/* ---- NetworkPolicy ---- */

struct core_peer {
    struct part part;
    struct selector pods, namespaces; /* presence ABSENT, EMPTY and FILLED are three things */
    bool has_block;
    struct part cidr_part;
    struct cidr cidr;
    bool cidr_usable; /* parsed by the lax reading */
    struct core_except {
        struct part part;
        struct cidr cidr;
        bool usable;
    } * excepts;
    uint32_t except_count;
};

enum port_form { PORT_ALL, PORT_NUMBER, PORT_NAME, PORT_INVALID };

struct core_port {
    struct part part;
    const char *protocol; /* "TCP" where absent; as written otherwise */
    enum port_form form;
    unsigned number, end; /* end = number where there is no endPort */
    const char *name;
};

struct core_rule {
    struct part part;
    struct core_peer *peers; /* none: every source or destination */
    uint32_t peer_count;
    struct core_port *ports; /* none: every port and protocol */
    uint32_t port_count;
};

struct core_rules {
    enum presence presence;
    struct part part;
    struct core_rule *rules;
    uint32_t count;
};

struct core_policy {
    struct selector pods;
    bool types_written;                     /* policyTypes has an entry */
    bool isolates_ingress, isolates_egress; /* policyTypes after the API server's defaulting */
    struct core_rules egress, ingress;
};

/* ---- Cilium ---- */

struct cilium_names { /* toFQDNs, rules.dns */
    enum presence presence;
    struct part part;
    struct cilium_name {
        struct part part;
        const char *match_name, *match_pattern; /* as written, NULL where absent */
    } * names;
    uint32_t count;
};

struct cilium_cidr {
    struct part part;
    struct cidr cidr;
    bool usable;       /* cidr parsed */
    const char *group; /* cidrGroupRef, or NULL */
    struct selector group_selector;
    struct core_except *excepts;
    uint32_t except_count;
};
struct cilium_cidrs { /* toCIDR, toCIDRSet; fromCIDR, fromCIDRSet */
    enum presence presence;
    struct part part;
    struct cilium_cidr *list;
    uint32_t count;
};

struct cilium_selectors { /* toEndpoints, toNodes, toRequires, fromEndpoints, ... */
    enum presence presence;
    struct part part;
    struct selector *list;
    uint32_t count;
};

struct cilium_words { /* toEntities, serverNames */
    enum presence presence;
    struct part part;
    const char **list; /* as written; NULL where an entry is no string */
    struct part *parts;
    uint32_t count;
};

struct cilium_service {
    struct part part;
    const char *name, *namespace; /* k8sService; NULL where absent */
    bool has_service, has_selector;
    struct selector selector; /* k8sServiceSelector.selector */
    const char *selector_namespace;
};
struct cilium_services {
    enum presence presence;
    struct part part;
    struct cilium_service *list;
    uint32_t count;
};

struct cilium_port {
    struct part part;
    const char *protocol; /* "ANY" where absent; as written otherwise */
    enum port_form form;  /* PORT_ALL for "0" */
    unsigned number, end; /* end = number where there is no endPort, or one that is not above it */
    bool has_end;         /* endPort above the port was written */
    const char *name;     /* lower case */
};

/* One entry of toPorts. */
struct cilium_port_rule {
    struct part part;
    struct cilium_port *ports; /* none: the entry allows nothing */
    uint32_t port_count;
    struct cilium_names dns; /* rules.dns */
    enum presence http;      /* rules.http, kafka, l7, l7proto: not read further */
    struct part http_part;
    const char *http_text; /* canonical JSON of it: equal texts are equal rules */
    bool has_rules;        /* `rules` is there and not null */
    struct cilium_words server_names;
    bool terminates_tls, originates_tls, has_listener;
    const char *proxy_text; /* canonical JSON of the TLS contexts and the listener, or NULL */
};

struct cilium_icmp {
    struct part part;
    bool ipv6;
    bool usable;
    unsigned type;
};

/* One entry of egress, egressDeny, ingress or ingressDeny. */
struct cilium_entry {
    struct part part;
    struct cilium_selectors endpoints;
    struct cilium_words entities;
    struct cilium_cidrs cidrs, cidr_sets;
    struct cilium_names fqdns;
    struct cilium_services services;
    enum presence groups;
    struct part groups_part;
    struct cilium_selectors nodes;
    struct cilium_selectors requires;
    enum presence port_presence;
    struct part ports_part;
    struct cilium_port_rule *ports;
    uint32_t port_count;
    enum presence icmp_presence; /* of the icmps list */
    struct part icmps_part;
    struct cilium_icmp *icmps; /* the fields of all its entries */
    uint32_t icmp_count;
    const char *authentication; /* mode, or NULL */
};

struct cilium_entries {
    enum presence presence;
    struct part part;
    struct cilium_entry *list;
    uint32_t count;
};

enum tristate { TRISTATE_UNSET, TRISTATE_FALSE, TRISTATE_TRUE };

/* One Rule: `spec`, or an entry of `specs`. */
struct cilium_rule {
    struct part part;
    int index; /* in specs; -1 for spec */
    struct selector endpoint_selector, node_selector;
    enum tristate default_deny_egress, default_deny_ingress;
    struct cilium_entries egress, egress_deny, ingress, ingress_deny;
};

struct policy {
    const struct object *object;
    struct core_policy *core;  /* NetworkPolicy, else NULL */
    struct cilium_rule *rules; /* Cilium kinds: spec first, then specs */
    uint32_t rule_count;
    const struct problem *problems;
    uint32_t problem_count;
};

/* Reads a policy object of one of the three kinds; never fails, what is wrong is in `problems`. */
struct policy *policy_read(const struct object *object, struct arena *arena);

/* The first problem of that effect or a worse one that holds in one of `classes`, or NULL. */
const struct problem *policy_problem(const struct policy *policy, enum problem_effect effect, cilium_classes classes);

#endif

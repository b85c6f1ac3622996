/*
 * What the evaluator's files share: a policy taken apart into filters (one selector of one rule under one port key),
 * before any flow is asked.
 */
#ifndef TESTS_EVALUATOR_PARTS_H
#define TESTS_EVALUATOR_PARTS_H

#include "document/node.h"
#include "tests/evaluator/match.h"

/* --- label selectors ---------------------------------------------------------------------------------------- */

enum label_operator { LABEL_IN, LABEL_NOT_IN, LABEL_EXISTS, LABEL_DOES_NOT_EXIST };

struct requirement {
    const char *source; /* "" is any */
    const char *key;
    enum label_operator op;
    const char **values;
    size_t count;
};

struct requirements {
    struct requirement *items;
    size_t count, capacity;
};

/* A label of an identity, or what is not known of one. */
struct identity_label {
    const char *source, *key, *value; /* value NULL: unknown */
};

/* --- peers -------------------------------------------------------------------------------------------------- */

enum selector_kind {
    SELECT_ANYTHING, /* no peer at all, and the entity `all` */
    SELECT_NOTHING,
    SELECT_LABELS, /* Cilium: any identity with these labels */
    SELECT_PODS,   /* core: pods by their and their namespace's labels */
    SELECT_ENTITY,
    SELECT_BLOCK,
    SELECT_NAME,    /* toFQDNs */
    SELECT_UNKNOWN, /* toGroups and whatever else is not in the objects */
};

struct selector {
    enum selector_kind kind;
    const char *id; /* equal for what Cilium takes as the same selector */
    struct requirements labels, namespace_labels;
    const char *namespace_name; /* SELECT_PODS: only there; NULL: by namespace_labels */
    const char *entity;
    struct block block;
    struct block *except;
    size_t except_count;
    const char *name;
    bool is_pattern;
    bool doubtful; /* toRequires: what it selects may be less */
};

struct selectors {
    struct selector *items;
    size_t count, capacity;
};

/* --- ports -------------------------------------------------------------------------------------------------- */

enum key_kind { KEY_NONE, KEY_PORTS, KEY_NAME, KEY_ICMP, KEY_UNKNOWN };

struct port_key {
    enum key_kind kind;
    enum evaluator_protocol protocol;
    unsigned first, last; /* KEY_ICMP: first is the type */
    bool zero;            /* "0": every port, under a key of its own */
    const char *name;
};

/* One port under its key, with what rules on top of it restrict. */
struct port_filter {
    struct port_key key;
    const struct node *dns;          /* a non-empty list, or NULL */
    bool http;                       /* a non-empty list of http, kafka or l7 rules */
    const struct node *server_names; /* a non-empty list, or NULL */
    bool opaque;                     /* Envoy or an authentication decides further */
    bool terminates_tls;
};

struct port_filters {
    struct port_filter *items;
    size_t count, capacity;
};

struct filter {
    bool deny;
    const struct selector *selector;
    struct port_filter port;
};

/* --- the whole ---------------------------------------------------------------------------------------------- */

struct evaluator_policy {
    struct arena *arena;
    const struct evaluator_world *world;
    const struct evaluator_reading *reading;
    const struct evaluator_pod *subject;
    struct filter *filters;
    size_t filter_count, filter_capacity;
    bool isolated, surely_isolated;
    const char *refused; /* an object that selects the pod is refused: why */
    const char *unknown; /* nothing can be said about any flow: why */
};

/* One object being read. Its filters join the policy's when it turns out to be accepted. */
struct object_reading {
    struct evaluator_policy *policy;
    const char *namespace_name; /* NULL: cluster-wide */
    struct filter *filters;
    size_t filter_count, filter_capacity;
    enum tri selects;    /* some Rule with rules for egress selects the pod */
    bool may_select;     /* one of them perhaps */
    bool isolates;       /* one that does default-denies */
    bool slips;          /* that it does may not count: see slip.c */
    bool has_requires;   /* one that does has toRequires */
    const char *refused; /* why the object is not accepted, the first reason */
    const char *unknown;
};

/* Notes why an object is refused; the first reason stays. Returns false, to be returned. */
bool object_refuse(struct object_reading *object, const char *why);
void object_add(struct object_reading *object, bool deny, const struct selectors *selectors,
                const struct port_filters *ports);
const char *evaluator_cluster(const struct evaluator_reading *reading);

/* --- selector.c --------------------------------------------------------------------------------------------- */

struct requirement *requirements_add(struct requirements *list, struct arena *arena, const char *source,
                                     const char *key, enum label_operator op);
void requirement_value(struct requirement *requirement, struct arena *arena, const char *value);
/* Reads a label selector of a NetworkPolicy (`cilium` false: keys without source) or of a Cilium object; false: it is
 * not acceptable, and what could be read of it is in the list. `prefix` goes before each key. */
bool requirements_read(struct requirements *list, struct arena *arena, const struct node *selector, bool cilium,
                       const char *source, const char *prefix);
/* What the schema asks of a Cilium selector, also where the agent looks at nothing. */
bool selector_has_known_operators(const struct node *selector);
bool requirements_have_key(const struct requirements *list, const char *key);
/* A spelling that is equal where the requirements are. */
const char *requirements_id(const struct requirements *list, struct arena *arena);
struct selector *selectors_add(struct selectors *list, struct arena *arena, enum selector_kind kind, const char *id);

/* --- identity.c --------------------------------------------------------------------------------------------- */

enum { IDENTITY_LABELS = 64 };

/* The destination of a flow as Cilium labels it, or the raw labels of a pod. */
struct identity {
    struct identity_label labels[IDENTITY_LABELS];
    size_t count;
    bool namespace_unknown;               /* may have further namespace labels */
    const struct evaluator_flow *outside; /* of an address: carries cidr:, fqdn: labels */
    bool is_node;
};

void identity_of_pod(struct identity *identity, const struct evaluator_pod *pod,
                     const struct evaluator_reading *reading, struct arena *arena);
void identity_of_flow(struct identity *identity, const struct evaluator_flow *flow,
                      const struct evaluator_reading *reading, struct arena *arena);
enum tri identity_meets(const struct identity *identity, const struct requirements *requirements,
                        const struct evaluator_reading *reading);
/* K 2, on labels as they stand. */
enum tri labels_meet(const struct evaluator_label *labels, size_t count, const struct requirements *requirements);
/* The same for the labels of a pod's namespace. */
enum tri namespace_meets(const struct evaluator_pod *pod, const struct requirements *requirements);
enum tri selector_reaches(const struct selector *selector, const struct identity *identity,
                          const struct evaluator_flow *flow, const struct evaluator_reading *reading);

/* --- slip.c --------------------------------------------------------------------------------------------------- */

/* Whether a policy holds a key that the schema does not know, or one twice in a map (spec/analysis.md 4). `minor`: of
 * Cilium for its kinds; large for a NetworkPolicy. */
bool slip_is_in(const struct node *root, unsigned minor);

/* --- core.c, cilium.c, peer.c, port.c, decide.c -------------------------------------------------------------- */

void core_read(struct object_reading *object, const struct node *root);
void cilium_read(struct object_reading *object, const struct node *root, bool clusterwide);
/* The peers of one entry of egress or egressDeny (C 3); `with_ports`: it has toPorts or icmps. */
bool peer_read(struct object_reading *object, const struct node *entry, bool deny, bool with_ports,
               bool subject_is_init, struct selectors *selectors);
/* What is asked of an except: K 1.6; C 3.4; nothing (egressDeny up to 1.16, groups). */
enum block_check { BLOCK_OF_CORE, BLOCK_OF_CILIUM, BLOCK_UNCHECKED };
/* A CIDR with its excepts. */
bool peer_read_block(struct object_reading *object, const char *cidr, const struct node *except, enum block_check check,
                     struct selectors *selectors);
/* toPorts and icmps of one entry (C 4, 5). */
bool port_read(struct object_reading *object, const struct node *entry, bool deny, struct port_filters *ports);
struct port_filter *port_filters_add(struct port_filters *list, struct arena *arena, enum key_kind kind,
                                     enum evaluator_protocol protocol);
enum tri port_covers(const struct evaluator_policy *policy, const struct port_key *key,
                     const struct evaluator_flow *flow);
bool port_key_equal(const struct port_key *a, const struct port_key *b);
/* What becomes of a flow that no deny takes. */
enum evaluator_answer decide_payload(const struct evaluator_policy *policy, const struct filter *const *filters,
                                     size_t count, const struct evaluator_flow *flow);
/* Conflicts that Cilium finds only when it resolves a policy (C 5.3); NULL: none. */
const char *decide_conflict(const struct evaluator_policy *policy);

/* Lists that may be absent: NULL with *count 0. False: it is there and no list. */
bool node_items(const struct node *map, const char *key, const struct node **items, size_t *count);

#endif

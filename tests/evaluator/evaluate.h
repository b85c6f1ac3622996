/*
 * The second evaluator: what one pod may send, one flow at a time, read straight from the policy documents.
 *
 * It is small and slow on purpose and shares nothing with the analyzer but the value tree: no sets, no typed objects,
 * no grammars. Where the objects do not tell, it says so instead of guessing. Its sources are the two semantics pages
 * (spec/kubernetes-egress.md, cited as K, and spec/cilium-egress.md, cited as C) and spec/analysis.md 4.
 */
#ifndef TESTS_EVALUATOR_EVALUATE_H
#define TESTS_EVALUATOR_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct node;

enum evaluator_engine { EVALUATE_CORE, EVALUATE_CILIUM };

/* Whose meaning the objects have. All but `octal_zeros` and `mapped_as_ipv4` matter under EVALUATE_CILIUM only. */
struct evaluator_reading {
    enum evaluator_engine engine;
    unsigned minor;            /* Cilium 1.15 to 1.19: 15 to 19 */
    unsigned patch;            /* its patch; UINT_MAX: the last one */
    bool sctp;                 /* enable-sctp */
    bool default_label_filter; /* the agent's default filter of identity labels; else no filter */
    bool local_cluster;        /* policy-default-local-cluster */
    bool match_nodes;          /* policy-cidr-match-mode: nodes */
    bool match_pods;           /* policy-cidr-match-mode: pods */
    bool octal_zeros;          /* 010.0.0.0/8 is 8.0.0.0/8 */
    bool mapped_as_ipv4;       /* ::ffff:10.0.0.0/104 is 10.0.0.0/8 */
    bool l7_proxy;             /* enable-l7-proxy */
    bool always;               /* enable-policy: always */
    const char *cluster;       /* name of the local cluster; NULL: "default" */
};

enum evaluator_protocol {
    EVALUATOR_TCP,
    EVALUATOR_UDP,
    EVALUATOR_SCTP,
    EVALUATOR_ICMP,
    EVALUATOR_ICMPV6,
    EVALUATOR_OTHER /* any other IP protocol */
};

struct evaluator_label {
    const char *key, *value;
};

struct evaluator_named_port {
    const char *name;
    enum evaluator_protocol protocol;
    unsigned number;
};

struct evaluator_pod {
    const char *namespace_name;
    const struct evaluator_label *labels;
    size_t label_count;
    const struct evaluator_label *namespace_labels; /* kubernetes.io/metadata.name need not be among them */
    size_t namespace_label_count;
    bool namespace_known;        /* the labels above are all there are */
    const char *service_account; /* NULL: unknown */
    const char *cluster;         /* NULL: the local one */
    const struct evaluator_named_port *ports;
    size_t port_count;
    bool ports_known; /* the ports above are all there are */
    bool host_network;
};

struct evaluator_address {
    unsigned family; /* 4 or 6 */
    uint8_t bytes[16];
};

enum evaluator_sort {
    EVALUATOR_EXTERNAL, /* an address that is no pod's and no node's */
    EVALUATOR_LEARNED,  /* such an address that DNS gave for `name` */
    EVALUATOR_POD,
    EVALUATOR_SPECIAL
};

enum evaluator_special {
    EVALUATOR_HOST,
    EVALUATOR_REMOTE_NODE,
    EVALUATOR_HEALTH,
    EVALUATOR_INGRESS,
    EVALUATOR_INIT,
    EVALUATOR_UNMANAGED
};

enum evaluator_payload {
    EVALUATOR_ANY_OTHER,   /* no DNS question, no TLS, no HTTP */
    EVALUATOR_QUESTION,    /* a DNS question for `payload_name` */
    EVALUATOR_SERVER_NAME, /* TLS with that server name */
    EVALUATOR_REQUEST      /* an HTTP request, which one is not told */
};

struct evaluator_flow {
    enum evaluator_sort sort;
    struct evaluator_address address; /* external, learned */
    const char *name;                 /* learned: lower case, no trailing dot; "" is the root */
    const struct evaluator_pod *pod;
    enum evaluator_special special;
    bool api_server; /* host, remote node, external: it is the API server's */
    enum evaluator_protocol protocol;
    unsigned port; /* a port; for ICMP a type */
    enum evaluator_payload payload;
    const char *payload_name; /* lower case, no trailing dot */
};

enum evaluator_answer {
    EVALUATE_DENIED,
    EVALUATE_ALLOWED,
    EVALUATE_UNKNOWN,       /* depends on what the objects do not tell */
    EVALUATE_REFUSED_OBJECT /* an object that the API server or the agent refuses selects the pod */
};

struct evaluator_result {
    enum evaluator_answer answer;
    bool isolated;        /* in default deny on egress */
    bool surely_isolated; /* not only by objects with keys that are dropped or stand twice */
    const char *why;      /* of the last two answers, else NULL */
};

/* What stands in the inputs. Objects of kinds that decide nothing here are passed over. */
struct evaluator_world {
    const struct node *const *objects; /* policies, Services, CIDR groups, each a whole document */
    size_t count;
    const struct evaluator_pod *pods; /* whose named ports resolve Cilium's port names */
    size_t pod_count;
    bool services_known; /* the Services among the objects are all there are */
    bool groups_known;   /* the CIDR groups likewise */
};

/* The policies of a world that select `subject`, taken apart once; asked flow by flow. Lives in `arena` and borrows
 * everything it is given. */
struct evaluator_policy;
struct evaluator_policy *evaluate_prepare(const struct evaluator_world *world, const struct evaluator_reading *reading,
                                          const struct evaluator_pod *subject, struct arena *arena);
/* The answer for one flow. Scratch memory comes from the same arena. */
struct evaluator_result evaluate_flow(const struct evaluator_policy *policy, const struct evaluator_flow *flow);

/* Both in one, for a list of policies without further facts. */
struct evaluator_result evaluate(const struct node *const *policies, size_t count,
                                 const struct evaluator_reading *reading, const struct evaluator_pod *subject,
                                 const struct evaluator_flow *flow, struct arena *arena);

/* Whether an object selects the pod in one of its Rules (or may), as a prepared policy would count it. */
bool evaluate_selects(const struct node *object, const struct evaluator_reading *reading,
                      const struct evaluator_pod *subject, struct arena *arena);

const char *evaluator_answer_word(enum evaluator_answer answer);

#endif

/*
 * Cluster facts: what the objects do not show (spec/config.md 9). Read from the config's `cluster`, a --facts file, the
 * options and the snapshot's own evidence; what is unset stays unset, and decisions list what they assume.
 */
#ifndef KUBE_FACTS_H
#define KUBE_FACTS_H

#include <stdbool.h>

#include "base/diagnostic.h"
#include "grammar/version.h"

struct node;

/* Bits of `known`: the fact was given, by whom says `where` of the same index. */
enum fact {
    FACT_KUBERNETES_VERSION,
    FACT_CILIUM_VERSION,
    FACT_SCTP,
    FACT_CIDR_MATCH_MODE,
    FACT_ENFORCEMENT_MODE,
    FACT_L7_PROXY,
    FACT_LABELS,
    FACT_LOCAL_CLUSTER,
    FACT_CLUSTER_NAME,
    FACT_CLUSTER_DOMAIN,
    FACT_POD_CIDRS,
    FACT_SERVICE_CIDRS,
    FACT_NODE_CIDRS,
    FACT_DNS_PODS,
    FACT_COUNT
};

enum enforcement_mode { ENFORCEMENT_DEFAULT, ENFORCEMENT_ALWAYS, ENFORCEMENT_NEVER };

struct fact_label {
    const char *key, *value;
};

struct cluster_facts {
    unsigned known; /* bits 1 << enum fact */
    struct location where[FACT_COUNT];
    struct version kubernetes, cilium;
    bool sctp;                    /* default false */
    bool match_nodes, match_pods; /* cidrMatchMode; default neither */
    enum enforcement_mode enforcement;
    bool l7_proxy;                                         /* default true */
    const char *labels;                                    /* the agent's label filter as its option spells it */
    bool local_cluster;                                    /* default by version */
    const char *cluster_name;                              /* default "default" */
    const char *cluster_domain;                            /* default "cluster.local" */
    const char **pod_cidrs, **service_cidrs, **node_cidrs; /* NULL-terminated; NULL: unset */
    const char *dns_namespace;                             /* default kube-system */
    const struct fact_label *dns_labels;                   /* default k8s-app=kube-dns */
    size_t dns_label_count;
};

static inline bool facts_know(const struct cluster_facts *facts, enum fact fact) {
    return (facts->known >> fact & 1u) != 0;
}

/* All defaults, nothing known. */
struct cluster_facts facts_default(void);

/* The field's path below `cluster`: "cilium.version" and so on. */
const char *fact_path(enum fact fact);

/* Reads the map of config.md 9. Refusals are `config-unusable` with paths below `path`; false where there was one. */
bool facts_read(const struct node *node, const char *file, const char *path, struct arena *arena,
                struct cluster_facts *facts, struct diagnostics *diagnostics);

/* Fills what is unset in `facts` from `more`. A contradiction is a `cluster-fact-conflict` in `diagnostics`, and false. */
bool facts_merge(struct cluster_facts *facts, const struct cluster_facts *more, struct diagnostics *diagnostics);

/* Takes every fact that `over` knows: what the options say stands over the config's `cluster`. */
void facts_override(struct cluster_facts *facts, const struct cluster_facts *over);

/* Reads a version given by an option. A version that cannot be read or is not modelled is a `config-unusable`
 * diagnostic at `where`, and false. `fact` is FACT_KUBERNETES_VERSION or FACT_CILIUM_VERSION. */
bool facts_set_version(struct cluster_facts *facts, enum fact fact, const char *version, struct location where,
                       struct diagnostics *diagnostics);

/* The value of a fact, known or default, for messages: "1.18", "true", "k8s-app=kube-dns in kube-system". */
const char *fact_value(struct arena *arena, const struct cluster_facts *facts, enum fact fact);

#endif

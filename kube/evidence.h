/*
 * Evidence: pods, workload templates, namespaces, Services, EndpointSlices, CIDR groups and cilium-config, as far as
 * decisions need them (spec/analysis.md 1, spec/kubernetes-egress.md 6).
 */
#ifndef KUBE_EVIDENCE_H
#define KUBE_EVIDENCE_H

#include "grammar/address.h"
#include "kube/facts.h"
#include "kube/object.h"
#include "kube/policy.h"

struct key_value {
    const char *key, *value;
};

struct labels {
    const struct key_value *list; /* sorted by key, byte order */
    uint32_t count;
};
const char *labels_get(const struct labels *labels, const char *key);

struct container_port {
    const char *name; /* NULL: none */
    const char *protocol;
    unsigned number;
};

/* A pod, or what a workload's template makes. */
struct pod {
    const struct object *object;
    const char *namespace, *name;
    struct labels labels;
    bool is_template;                   /* labels are a lower bound: controllers add more */
    bool host_network, finished;        /* phase Succeeded or Failed */
    const char *service_account;        /* NULL: not told; Pods default to "default" at the API server */
    const struct container_port *ports; /* of containers and of sidecars */
    uint32_t port_count;
    const struct address *addresses;
    uint32_t address_count;
};

struct namespace_evidence {
    const struct object *object;
    const char *name;
    struct labels labels; /* kubernetes.io/metadata.name included */
};

struct service_port {
    const char *name, *protocol, *target_name;
    unsigned port, target; /* target 0: see target_name */
};
struct service {
    const struct object *object;
    const char *namespace, *name;
    struct labels labels;
    bool has_selector, is_external_name;
    struct labels selector;
    const struct service_port *ports;
    uint32_t port_count;
    const struct address *cluster_ips;
    uint32_t cluster_ip_count;
};

struct endpoint_slice {
    const struct object *object;
    const char *namespace, *service; /* label kubernetes.io/service-name */
    const struct address *addresses;
    uint32_t address_count;
};

struct cidr_group {
    const struct object *object;
    const char *name;
    struct labels labels;
    const struct cidr *cidrs;
    uint32_t cidr_count;
    bool usable; /* every CIDR could be read */
};

struct evidence {
    struct pod *pods; /* Pods and templates, by namespace and name */
    size_t pod_count;
    struct namespace_evidence *namespaces;
    size_t namespace_count;
    struct service *services;
    size_t service_count;
    struct endpoint_slice *slices;
    size_t slice_count;
    struct cidr_group *groups;
    size_t group_count;
};

void evidence_read(const struct objects *objects, struct arena *arena, struct evidence *evidence,
                   struct diagnostics *diagnostics);

const struct namespace_evidence *evidence_namespace(const struct evidence *evidence, const char *name);
/* The Pod of that name, else a workload's template; NULL: neither. */
const struct pod *evidence_pod(const struct evidence *evidence, const char *namespace, const char *name);

/* What the ConfigMap cilium-config and pods labelled k8s-app: cilium say (spec/config.md 9). */
void evidence_facts(const struct objects *objects, struct arena *arena, struct cluster_facts *facts,
                    struct diagnostics *diagnostics);

#endif

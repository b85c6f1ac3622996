/*
 * Keys of Cilium selectors: which label of an endpoint a key speaks of (spec/cilium-egress.md 1.2).
 */
#ifndef ANALYZER_RULES_CILIUM_KEY_H
#define ANALYZER_RULES_CILIUM_KEY_H

#include "analyzer/rules/reading.h"
#include "ir/label_set.h"

enum cilium_source { SOURCE_ANY, SOURCE_K8S, SOURCE_RESERVED, SOURCE_CIDR, SOURCE_FQDN, SOURCE_OTHER };

struct cilium_key {
    enum cilium_source source;
    const char *name;        /* without the source */
    bool is_namespace;       /* io.kubernetes.pod.namespace, whatever the source prefix */
    bool is_namespace_label; /* io.cilium.k8s.namespace.labels.* */
    bool is_cluster;         /* io.cilium.k8s.policy.cluster */
};

/* Borrows the key. */
struct cilium_key cilium_key_of(const char *key);

/* The pod label that the key speaks of; false: pods have no such label (another source, or left out of identities). */
bool cilium_key_label(const struct cilium_key *key, const struct reading *reading, struct label_key *label);

/* Whether the default label filter and no filter read the key differently. */
bool cilium_key_is_filtered(const struct cilium_key *key, const struct identity_filter *filter);

#endif

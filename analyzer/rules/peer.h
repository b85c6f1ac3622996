/*
 * Peers: what the destinations of one rule are, as sets with a lower and an upper bound (spec/cilium-egress.md 1.4, 3;
 * spec/kubernetes-egress.md 1.5, 1.6).
 *
 * Both bounds are equal where the objects determine the answer. `selector` is the normal form of the peer, the same text
 * for what Cilium calls the same selector.
 */
#ifndef ANALYZER_RULES_PEER_H
#define ANALYZER_RULES_PEER_H

#include "analyzer/rules/reading.h"
#include "ir/destination_set.h"
#include "kube/policy.h"

struct peer {
    const char *selector;
    struct destination_set lower, upper;
    struct part part;
    const char *doubt; /* why the bounds differ, or NULL */
};

struct peer_list {
    struct peer *list;
    size_t count, capacity;
};

/* Peers of a rule of a NetworkPolicy, as the Kubernetes API or as Cilium reads them. No peers: every destination. */
void peers_of_core_rule(const struct core_rule *rule, const char *namespace, const struct cluster *cluster,
                        const struct reading *reading, struct peer_list *peers);

/* Peers of an entry of a Cilium policy. `namespace` NULL: a clusterwide policy. An empty list: nothing is selected. */
void peers_of_cilium_entry(const struct cilium_entry *entry, const char *namespace, bool deny,
                           const struct cluster *cluster, const struct reading *reading, struct peer_list *peers);

/* What a peer that cannot be read may select: nothing for certain, anything perhaps. */
struct peer peer_of_unreadable(struct part part);
bool selector_is_readable(const struct selector *selector);

/* Everything, as the peer of rules without any. */
struct peer peer_of_anything(struct part part);

void peer_list_add(struct arena *arena, struct peer_list *peers, struct peer peer);

/* The addresses of a CIDR less its excepts, under a reading of odd spellings. */
struct address_set cidr_addresses(const struct cidr *cidr, const struct core_except *excepts, uint32_t except_count,
                                  struct arena *arena, const struct reading *reading);

/* What a set of addresses selects under Cilium: what is outside the cluster, and more in the match modes. */
void peer_set_addresses(struct peer *peer, const struct address_set *addresses, const struct cluster *cluster,
                        const struct reading *reading);

#endif

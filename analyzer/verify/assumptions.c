#include "analyzer/verify/assumptions.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

void assumptions_init(struct assumptions *assumptions, struct arena *arena) {
    *assumptions = (struct assumptions){.arena = arena};
}

void assumptions_add(struct assumptions *assumptions, const char *sentence) {
    if (assumptions->count == assumptions->capacity)
        assumptions->list = arena_grow(assumptions->arena, assumptions->list, &assumptions->capacity,
                                       assumptions->count + 1, sizeof *assumptions->list);
    assumptions->list[assumptions->count++] = sentence;
}

struct string_list assumptions_list(struct assumptions *assumptions) {
    if (assumptions->count > 1)
        qsort(assumptions->list, assumptions->count, sizeof *assumptions->list, string_compare_at);
    size_t count = 0;
    for (size_t i = 0; i < assumptions->count; i++)
        if (count == 0 || strcmp(assumptions->list[count - 1], assumptions->list[i]) != 0)
            assumptions->list[count++] = assumptions->list[i];
    return (struct string_list){assumptions->list, count};
}

static const struct {
    enum fact fact;
    const char *sentence;
} defaults[] = {
    {FACT_CILIUM_VERSION, "the version of Cilium is not given: every decision holds for 1.17 to 1.19"},
    {FACT_SCTP, "Cilium's SCTP support is off (cluster.cilium.sctp is not given)"},
    {FACT_CIDR_MATCH_MODE, "CIDRs select neither nodes nor pods (cluster.cilium.cidrMatchMode is not given)"},
    {FACT_ENFORCEMENT_MODE, "Cilium's enforcement mode is `default` (cluster.cilium.enforcementMode is not given)"},
    {FACT_L7_PROXY, "Cilium's L7 proxy is on (cluster.cilium.l7Proxy is not given)"},
    {FACT_CLUSTER_NAME, "the cluster's name is `default` (cluster.clusterName is not given)"},
};

void assumptions_of_cilium(struct assumptions *assumptions, const struct cluster_facts *facts) {
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (!facts_know(facts, defaults[i].fact))
            assumptions_add(assumptions, defaults[i].sentence);
    if (!facts_know(facts, FACT_LOCAL_CLUSTER))
        assumptions_add(
            assumptions,
            "policy-default-local-cluster has its version's default (cluster.cilium.localCluster is not given)");
}

/* What counts elsewhere, or later, is not passed over in silence. */
static void assumptions_of_admin(struct assumptions *assumptions, const struct candidate_list *candidates) {
    for (size_t i = 0; i < candidates->count; i++) {
        const struct admin_policy *admin = candidates->list[i].admin;
        if (admin && admin->object->kind == OBJECT_CLUSTER_NETWORK_POLICY)
            assumptions_add(assumptions, "ClusterNetworkPolicies count from Cilium 1.20 on, and no agent is that new");
        else if (admin)
            assumptions_add(
                assumptions,
                "Cilium does not enforce AdminNetworkPolicies and BaselineAdminNetworkPolicies, and nothing "
                "else in the cluster does");
    }
}

void assumptions_of_union(struct assumptions *assumptions, const struct union_setup *setup,
                          const struct subject_list *subjects) {
    if (!setup->core_engine || setup->foreign_count > 0)
        assumptions_of_cilium(assumptions, &setup->cluster.facts);
    if (!setup->core_engine)
        assumptions_of_admin(assumptions, &setup->candidates);
    if (subjects->source == SUBJECT_CONFIG && setup->granted)
        assumptions_add(assumptions,
                        "no pod or workload of the boundary is among the inputs: its pods carry the labels that "
                        "the config and the grants put on them and no others");
    else if (subjects->source == SUBJECT_CONFIG)
        assumptions_add(assumptions,
                        "no pod or workload of the boundary is among the inputs: its pods carry the labels that "
                        "the config puts on them and no others");
    else if (subjects->described > 0)
        assumptions_add(
            assumptions,
            "of some grants no pod is among the inputs: their pods carry the labels that the config puts on "
            "them, the grant's and no others");
    if (subjects->source == SUBJECT_TEMPLATES)
        assumptions_add(assumptions,
                        "pods carry the labels of their workload's template and those that controllers add");
    for (size_t i = 0; i < setup->reading_count; i++)
        if (setup->readings[i].reading.refused_count)
            assumptions_add(assumptions,
                            "of an object that the API server or the agent refuses, no earlier generation is in force");
}

/*
 * Holders: what of the cluster has an address, for engines that ask who has it before they ask for the address
 * (spec/cilium-egress.md 0, spec/config.md 9).
 */
#ifndef ANALYZER_ASK_HOLDER_H
#define ANALYZER_ASK_HOLDER_H

#include "analyzer/snapshot.h"

enum holder {
    HOLDER_NODE = 1u << 0,         /* a Node of the inputs, certainly */
    HOLDER_NODE_RANGE = 1u << 1,   /* in a range of the facts: it may be a node's, */
    HOLDER_POD_RANGE = 1u << 2,    /* a pod's */
    HOLDER_SERVICE_RANGE = 1u << 3 /* or a Service's, and then stands for pods */
};

/* Of enum holder; pods and Services of the inputs are not looked at. */
unsigned holders_of_address(const struct snapshot *snapshot, const struct cluster_facts *facts,
                            const struct address *address);

#endif

/*
 * Readings: under which meaning of the objects a decision is taken (spec/design.md "From objects to sets").
 *
 * Where the facts leave several readings open, a decision is taken under each of them.
 */
#ifndef ANALYZER_RULES_READING_H
#define ANALYZER_RULES_READING_H

#include "base/text.h"
#include "kube/cilium_version.h"
#include "kube/evidence.h"
#include "kube/identity.h"

/* What the inputs say about a cluster, for every question that is asked about it. */
struct cluster {
    struct arena *arena;
    const struct evidence *evidence;
    struct cluster_facts facts;
    bool complete[OBJECT_KIND_COUNT]; /* that collection is known to be there as a whole */
    bool *missed;                     /* by kind: something was left open because it is not; NULL: nobody asks */
};

/* Whether objects of the kind may be missing from the inputs, asked where something then stays open. */
static inline bool cluster_misses(const struct cluster *cluster, enum object_kind kind) {
    if (!cluster->complete[kind] && cluster->missed)
        cluster->missed[kind] = true;
    return !cluster->complete[kind];
}

struct reading {
    bool cilium; /* else as the Kubernetes API says */
    enum cilium_class class;
    bool filters_labels; /* identities leave labels out */
    const struct identity_filter *filter;
    bool sctp, match_nodes, match_pods, local_cluster, l7_proxy;
    bool always;        /* enforcement mode: every pod is default-deny */
    bool octal;         /* leading zeros in a CIDR mean octal numbers */
    bool mapped;        /* an IPv4-mapped CIDR is the IPv4 one */
    bool refused_count; /* objects that the API server or the agent refuses are in force all the same */
    bool whole_blocks;  /* excepts take nothing away: which blocks are named, not what they select */
};

/* What the policies at hand make matter; each leaves two readings open that else are one. */
enum reading_aspect {
    ASPECT_LABEL_FILTER = 1, /* a selector that the default label filter and no filter read differently */
    ASPECT_LEADING_ZEROS = 2,
    ASPECT_MAPPED = 4,
    ASPECT_REFUSED = 8
};

struct reading_list {
    const struct reading *list;
    size_t count;
};

/* Every reading that the facts and the aspects leave open; at least one. */
struct reading_list readings_of(const struct cluster *cluster, bool cilium, unsigned aspects);

/* "Cilium 1.17.5 and later of 1.17, leading zeros as octal": what sets the reading apart. */
void reading_print(struct buffer *out, const struct reading *reading);

#endif

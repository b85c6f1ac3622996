/*
 * Subjects: the pod that a decision is about, as far as it is known (spec/analysis.md 2).
 */
#ifndef ANALYZER_RULES_SUBJECT_H
#define ANALYZER_RULES_SUBJECT_H

#include "analyzer/rules/reading.h"

struct subject {
    const char *namespace;
    struct labels labels;
    bool labels_are_open; /* a template's: controllers add further ones */
    bool labels_are_free; /* it may carry any further label */
    bool is_described;    /* its labels are those that the config tells of it */
    bool host_network;
    const char *service_account;           /* NULL: unknown */
    const struct labels *namespace_labels; /* NULL: unknown but for the namespace's name */
    const struct pod *pod;                 /* the Pod or template itself; NULL: its labels are all that is known */
};

/* What can be told: certainly not, perhaps, certainly. */
enum truth { TRUTH_NO, TRUTH_MAYBE, TRUTH_YES };
static inline enum truth truth_and(enum truth a, enum truth b) { return a < b ? a : b; }

/* Whether a selector of plain label keys (NetworkPolicy podSelector) selects the subject; Cilium's reading of it goes
 * through the label filter of identities. */
enum truth subject_matches_core(const struct subject *subject, const struct selector *selector,
                                const struct reading *reading);

/* Whether a selector of Cilium keys selects the subject. `own_namespace`: the object is a CiliumNetworkPolicy, whose
 * own namespace replaces a foreign one under the exact key (spec/cilium-egress.md 1.3). */
enum truth subject_matches_cilium(const struct subject *subject, const struct selector *selector, bool own_namespace,
                                  const struct cluster *cluster, const struct reading *reading);

/* Whether a selector over labels of namespaces selects the subject's namespace. */
enum truth subject_matches_namespace(const struct subject *subject, const struct selector *selector);

#endif

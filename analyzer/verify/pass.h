/*
 * Passes: the union check of one subject under one reading (spec/analysis.md 4).
 */
#ifndef ANALYZER_VERIFY_PASS_H
#define ANALYZER_VERIFY_PASS_H

#include "analyzer/decision.h"
#include "analyzer/verify/allowance.h"
#include "analyzer/verify/candidate.h"

/* What is the same for all subjects under one reading. */
struct reading_setup {
    struct reading reading;
    struct allowance allowance;
    struct policy_rules **rules; /* by candidate; NULL: not built yet */
};

struct pass_entry {
    enum truth selects;
    enum verdict verdict;
    bool out_of_force; /* refused by the API server or the agent, and the reading takes refused objects as not there */
    bool may_widen, may_isolate; /* a not-evaluable one that could change the answer, and how */
    const char *doubt;           /* why it is not evaluable */
    struct part doubt_part;
    struct flow_set excess;            /* of a widening one: what it adds */
    const struct effective *effective; /* whose origins the boxes of the excess name */
};

struct pass {
    const struct reading_setup *setup;
    struct pass_entry *entries; /* by candidate */
    bool refused;
    enum code refusal;
};

/* Rules of a candidate under the reading, built once. */
const struct policy_rules *setup_rules(struct reading_setup *setup, const struct candidate_list *candidates,
                                       size_t index, const struct cluster *cluster);

void pass_decide(struct reading_setup *setup, const struct candidate_list *candidates, const struct subject *subject,
                 const struct cluster *cluster, struct pass *pass);

#endif

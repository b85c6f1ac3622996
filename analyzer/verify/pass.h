/*
 * Passes: the union check of one direction of one subject under one reading (spec/analysis.md 4, 5).
 */
#ifndef ANALYZER_VERIFY_PASS_H
#define ANALYZER_VERIFY_PASS_H

#include "analyzer/decision.h"
#include "analyzer/verify/allowance.h"
#include "analyzer/verify/candidate.h"

/* The words of a direction: a policy widens, or holds (isolates and does not widen), or leaves the pod as it is. */
struct direction_terms {
    enum verdict widens, holds, leaves;
    enum code widening, unguarded; /* the refusals: a policy widens; nothing isolates */
    const char *widening_words, *unguarded_words;
};
const struct direction_terms *direction_terms(enum direction direction);

/* What is the same for all subjects under one reading. */
struct reading_setup {
    enum direction direction;
    struct reading reading;
    struct allowance allowance;        /* egress */
    unsigned agent_port;               /* ingress */
    const struct policy_rules **rules; /* by the candidate's number; NULL: not built yet */
    const struct policy_rules **named; /* ingress: the same, excepts not taken away */
};

struct pass_entry {
    enum truth selects;
    enum verdict verdict;
    bool out_of_force; /* refused by the API server or the agent, and the reading takes refused objects as not there */
    bool may_widen, may_isolate; /* a not-evaluable one that could change the answer, and how */
    const char *doubt;           /* why it is not evaluable; of one that opens the agent port, to whom */
    struct part doubt_part;
    const struct effective *effective; /* egress: what all policies allow together */
    size_t place;                      /* egress: of this one's rules in it */
};

struct pass {
    const struct reading_setup *setup;
    struct pass_entry *entries; /* by place in the list that was decided */
    bool refused;
    enum code refusal;
};

/* Rules of a candidate in the setup's direction under the reading, built once; `named`: excepts not taken away. */
const struct policy_rules *setup_rules(struct reading_setup *setup, const struct candidate_list *candidates,
                                       size_t index, const struct cluster *cluster);

const struct policy_rules *setup_named_rules(struct reading_setup *setup, const struct candidate_list *candidates,
                                             size_t index, const struct cluster *cluster);

/* The entries and their sets are in `scratch`, what they say in the cluster's arena. */
void pass_decide(struct reading_setup *setup, const struct candidate_list *candidates, const struct subject *subject,
                 const struct cluster *cluster, struct arena *scratch, struct pass *pass);

/* What a policy allows for certain beyond the allowance; its boxes name origins of the entry's `effective`. */
struct flow_set pass_excess(const struct pass_entry *entry, const struct allowance *allowance, struct arena *arena);

#endif

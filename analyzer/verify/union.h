/*
 * The union check (spec/analysis.md 4): whether any policy that selects a subject lets out more than the config does,
 * and whether anything isolates the subject at all. Its mirror for ingress (5): whether any opens the agent port to
 * strangers.
 */
#ifndef ANALYZER_VERIFY_UNION_H
#define ANALYZER_VERIFY_UNION_H

#include "analyzer/verify/candidate_index.h"
#include "analyzer/verify/granted.h"
#include "analyzer/verify/pass.h"

/* What is the same for all subjects of a boundary. */
struct union_setup {
    enum direction direction;
    struct snapshot *snapshot;
    const struct boundary *boundary;
    struct policy *compiled;       /* NULL: nothing is compiled */
    const struct granted *granted; /* NULL: no grants were given, else Cilium's readings hold whatever the engine is */
    struct cluster cluster;
    struct arena *scratch; /* of what is of no use once a question is answered; each question gives it back */
    bool core_engine;      /* the engine of the direction */
    struct candidate_list candidates; /* all kinds that are examined */
    const struct candidate_index *index;
    bool *slips_told;               /* by the candidate's number: union_warn_slips has warned of it */
    bool names_ports;               /* ingress: some rule names its port, so the pod's containers matter */
    struct reading_setup *readings; /* of the engine */
    size_t reading_count;
    struct reading_setup *foreign; /* engine core: Cilium's readings, for its policies */
    size_t foreign_count;
    struct union_setup **for_grants; /* egress: by the first grant of an owner's name; NULL: not made yet */
};

/* Of egress, and of ingress with its engine. `granted`: NULL where no grants were given. `scratch` is the caller's, may
 * serve many setups, and is not the snapshot's arena. */
void union_setup_init(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                      const struct granted *granted, const struct cluster_facts *facts, struct arena *scratch);
void union_setup_init_ingress(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                              const struct granted *granted, const struct cluster_facts *facts, struct arena *scratch);

/* The setup for a subject: what its grants allow is allowed too. */
struct union_setup *union_setup_for(struct union_setup *setup, const struct subject *subject);

/* Which rules select the subject under each reading: subjects with equal keys are decided once. */
const char *union_subject_key(struct union_setup *setup, const struct subject *subject);

/* `list_all`: policies that do not select are listed, not only counted. `unread`: what had to be read and was not, one
 * sentence, or NULL. */
struct side_decision *union_decide(struct union_setup *setup, const struct subject *subject, bool list_all,
                                   const char *unread);

/* Policies that would select the subject if it carried further labels, and then widen or isolate: each a `might-select`
 * warning, unless `already`, the setup of the other direction, has warned of it (NULL: there is none). */
void union_warn_might_select(struct union_setup *setup, struct union_setup *already, const struct subject *subject,
                             struct diagnostics *diagnostics);

/* Keys that are dropped or stand twice in policies that may select the subject: each a warning, once a setup. */
void union_warn_slips(struct union_setup *setup, const struct subject *subject, struct diagnostics *diagnostics);

#endif

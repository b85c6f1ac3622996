/*
 * The union check (spec/analysis.md 4): whether any policy that selects a subject lets out more than the config does,
 * and whether anything isolates the subject at all.
 */
#ifndef ANALYZER_VERIFY_UNION_H
#define ANALYZER_VERIFY_UNION_H

#include "analyzer/verify/pass.h"

/* What is the same for all subjects of a boundary. */
struct union_setup {
    struct snapshot *snapshot;
    const struct boundary *boundary;
    struct policy *compiled; /* NULL: nothing is compiled */
    struct cluster cluster;
    bool core_engine;
    struct candidate_list candidates; /* all kinds that are examined */
    struct reading_setup *readings;   /* of the engine */
    size_t reading_count;
    struct reading_setup *foreign; /* engine core: Cilium's readings, for its policies */
    size_t foreign_count;
};

void union_setup_init(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                      const struct cluster_facts *facts);

/* Which rules select the subject under each reading: subjects with equal keys are decided once. */
const char *union_subject_key(struct union_setup *setup, const struct subject *subject);

/* `list_all`: policies that do not select are listed, not only counted. `unread`: what had to be read and was not, one
 * sentence, or NULL. */
struct side_decision *union_decide(struct union_setup *setup, const struct subject *subject, bool list_all,
                                   const char *unread);

/* Policies that would select the subject if it carried further labels, and then widen or isolate: each a `might-select`
 * warning. */
void union_warn_might_select(struct union_setup *setup, const struct subject *subject, struct diagnostics *diagnostics);

#endif

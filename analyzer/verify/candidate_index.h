/*
 * The index of candidates by a label that they demand, so that a subject meets only those that may select it
 * (spec/design.md, "Cost").
 *
 * A candidate stands under every value of one requirement that lists the values of a pod label; what has no such
 * requirement is met by every subject. What the index leaves out certainly does not select the subject, under any reading:
 * a label that identities leave out fails such a requirement as well.
 */
#ifndef ANALYZER_VERIFY_CANDIDATE_INDEX_H
#define ANALYZER_VERIFY_CANDIDATE_INDEX_H

#include "analyzer/verify/candidate.h"

struct candidate_index;

struct candidate_index *candidate_index_of(const struct candidate_list *candidates, struct arena *arena);

/* The candidates that may select the subject, in their order; all of them for a subject whose labels are not all known. */
struct candidate_list candidate_index_choose(const struct candidate_index *index, const struct subject *subject,
                                             struct arena *arena);

#endif

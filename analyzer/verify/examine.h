/*
 * Examining: what the passes under several readings say together about each policy (spec/analysis.md 4, "Readings").
 */
#ifndef ANALYZER_VERIFY_EXAMINE_H
#define ANALYZER_VERIFY_EXAMINE_H

#include "analyzer/verify/union.h"

struct passes {
    struct pass *list;
    size_t count;
    const struct candidate_list *chosen; /* what the passes were taken over */
};

/* One pass a reading over the candidates that may select the subject. They are in the setup's
 * scratch arena. */
struct passes passes_run(struct union_setup *setup, struct reading_setup *readings, size_t count,
                         const struct candidate_list *chosen, const struct subject *subject);

/* The refusal that all passes agree on; false: they do not. */
bool passes_agree(const struct passes *passes, bool *refused, enum code *refusal);

/* A policy that does not select, as it is listed. */
struct examined examined_of_candidate(const struct candidate *candidate);

/* The candidate at a place of `chosen` over all passes; `agreed`: the passes agree on the refusal. Nothing of it is in
 * the scratch arena. */
struct examined passes_examine(struct union_setup *setup, const struct passes *passes, size_t index, bool agreed);

/* Engine core: what Cilium would read counts where Cilium runs, which is not said. */
void examined_bound_to_core(struct examined *examined, const struct direction_terms *terms);

/* Paths into a policy that is made of a template lead into the template. */
void examined_place_in_template(struct examined *examined, struct arena *arena);

#endif

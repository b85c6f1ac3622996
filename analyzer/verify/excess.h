/*
 * Excesses: the ways in which a policy lets out more, each with one concrete flow (spec/analysis.md 4, "Witness").
 */
#ifndef ANALYZER_VERIFY_EXCESS_H
#define ANALYZER_VERIFY_EXCESS_H

#include "analyzer/verify/union.h"

enum { EXCESS_SHOWN = 8 };

/* Fills witness, path, location, `further` and `more` of a widening entry from what it adds. Excesses that lie within
 * another's are not listed. False: no witness could be found. The setup's scratch arena holds what is needed on the way. */
bool examined_set_excess(struct examined *examined, const struct flow_set *excess, const struct effective *effective,
                         const char *file, const struct union_setup *setup);

/* A flow as a witness; tells whether a pod like that is among the inputs. */
struct witness witness_in_snapshot(const struct flow *flow, const struct snapshot *snapshot, struct arena *arena);

#endif

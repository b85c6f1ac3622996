/*
 * The named object: whether the object that the config compiles to is there, and exactly that (spec/analysis.md 3).
 */
#ifndef ANALYZER_VERIFY_NAMED_OBJECT_H
#define ANALYZER_VERIFY_NAMED_OBJECT_H

#include "analyzer/decision.h"
#include "analyzer/snapshot.h"
#include "analyzer/verify/allowance.h"

/* Compares the object of that kind, namespace and name with the compiled one. Each difference is a diagnostic in
 * `refusals` (named-object-missing, named-object-mismatch); the first gives the part. `origin`: the config's document or the grant. */
struct named_decision *named_object_decide(const struct policy *compiled, struct location origin,
                                           struct snapshot *snapshot, const struct cluster_facts *facts, bool cilium,
                                           struct diagnostics *refusals);

#endif

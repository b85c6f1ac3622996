/*
 * The fence check: whether the admission policy that bounds the writer of grants is there, attached and denying
 * (spec/fence.md 3, spec/kubernetes-egress.md 7.3 and 7.4).
 */
#ifndef ANALYZER_VERIFY_FENCE_H
#define ANALYZER_VERIFY_FENCE_H

#include "analyzer/decision.h"
#include "analyzer/snapshot.h"
#include "analyzer/verify/assumptions.h"
#include "compiler/config.h"

struct fence_request {
    const struct boundary *boundary; /* usable, with `perSandbox` */
    struct snapshot *snapshot;
    const char *unreadable; /* one sentence on what could not be read and may hold any object, or NULL */
};

/* Decides. Refusals stand in the decision; drift is a warning, and goes to `findings`. */
struct fence_decision *fence_decide(const struct fence_request *request, struct arena *arena,
                                    struct diagnostics *findings);

/* The ways around any fence, which no file can show to be closed. */
void fence_assumptions(const struct boundary *boundary, struct assumptions *assumptions);

#endif

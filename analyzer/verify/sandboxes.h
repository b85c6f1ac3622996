/*
 * What the sandbox kinds have to say for a boundary to hold: that templates carry their own name as the template label,
 * that claims may put the boundary's labels on pods, and that the pods of claims and Sandboxes carry them.
 */
#ifndef ANALYZER_VERIFY_SANDBOXES_H
#define ANALYZER_VERIFY_SANDBOXES_H

#include "analyzer/snapshot.h"
#include "compiler/grant.h"

/* Judges the sandbox kinds of the boundary's namespace. What is wrong goes to `refusals` (template-label-mismatch,
 * label-domain-not-allowed, pod-label-missing); what only may be wrong is a warning among `findings`. `grants`: those of
 * the boundary, or NULL. A boundary without `sandboxTemplateName` has no say in any of it. */
void sandboxes_check(const struct boundary *boundary, const struct config *config, const struct grant_set *grants,
                     const struct snapshot *snapshot, struct diagnostics *refusals, struct diagnostics *findings);

#endif

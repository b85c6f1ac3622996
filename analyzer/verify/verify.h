/*
 * `verify`: every decision about every boundary of a config (spec/analysis.md).
 */
#ifndef ANALYZER_VERIFY_VERIFY_H
#define ANALYZER_VERIFY_VERIFY_H

#include "analyzer/decision.h"
#include "analyzer/verify/subjects.h"
#include "compiler/grant.h"
#include "document/inputs.h"

struct verify_request {
    const struct config *config;
    const struct grant_set *grants; /* of one of its boundaries; NULL: none were given */
    const struct inputs *inputs;
    const char *namespace;        /* of objects that name none, or NULL */
    unsigned checks;              /* bits 1 << enum check */
    struct subject_choice choice; /* --pod, --labels */
    const char *const *required;  /* collections that must have been read */
    size_t required_count;
    bool all; /* list what is only counted */
};

/* Decides. `diagnostics` holds what reading config and inputs has found so far; it becomes part of the findings. Returns
 * NULL, or one sentence: the request itself is bad (exit 2), and nothing was decided. */
const char *verify_decide(const struct verify_request *request, struct arena *arena, struct diagnostics *diagnostics,
                          struct decision *decision);

#endif

/*
 * Policies that the sandbox controller makes of a SandboxTemplate: they select the pods of the template's pools by a label
 * that nothing else puts on a pod, so they may select a pod out of a pool and never one that was made afresh.
 */
#ifndef ANALYZER_VERIFY_POOLED_H
#define ANALYZER_VERIFY_POOLED_H

#include "analyzer/rules/subject.h"
#include "analyzer/snapshot.h"
#include "kube/sandbox.h"

struct pooled {
    const struct sandbox_template *template;
    bool no_pool; /* an index says that all pools were read, and none is of this template */
};

struct pooled *pooled_of(const struct sandbox_template *template, const struct snapshot *snapshot);

/* Whether the subject carries the pool's label: YES where its value is to be compared, MAYBE where the pod may come out of
 * a pool, or where it is not known which value the template stands for. */
enum truth pooled_carries(const struct pooled *pooled, const struct subject *subject);

/* "spec.networkPolicy.egress[0]" for "spec.egress[0]" of the policy that is made of a block. */
const char *pooled_path(const char *path, struct arena *arena);

#endif

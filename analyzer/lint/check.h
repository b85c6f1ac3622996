/*
 * Checks of `lint`: what a check gets, and the tables that hold them. Private to analyzer/lint/.
 */
#ifndef ANALYZER_LINT_CHECK_H
#define ANALYZER_LINT_CHECK_H

#include "analyzer/lint/lint.h"
#include "analyzer/rules/subject.h"

/* One run. */
struct lint {
    const struct lint_request *request;
    struct arena *arena;
    struct snapshot snapshot;
    struct cluster cluster; /* facts of request and snapshot; evidence of which there is some counts as complete */
    struct diagnostics *findings;
    bool cilium;                  /* any Cilium policy is among the inputs: NetworkPolicies are enforced by Cilium */
    struct reading_list readings; /* of the Cilium versions that the facts leave open */
    struct reading core, newest;  /* the Kubernetes API's; the newest Cilium version's */
    unsigned kubernetes_minor; /* of the API server that refuses: 1.MINOR, the newest modelled where it is not told */
    cilium_classes refusing;   /* the Cilium versions that refuse: those of the facts, else the newest modelled */
    const struct policy **policies; /* of the three kinds, in the order of places */
    size_t policy_count;
    struct lint_fix *fixes;
    size_t fix_count, fix_capacity;
};

/* A check of one policy; of one run. */
typedef void lint_policy_check(struct lint *lint, const struct policy *policy);
typedef void lint_run_check(struct lint *lint);

/* Tables end with NULL. lint_object.c: what the API server, the schema or the agent refuse, and what one object shows by
 * itself. lint_set.c: what needs sets, other policies or evidence. */
extern lint_policy_check *const lint_object_checks[];
extern lint_policy_check *const lint_set_checks[];
extern lint_run_check *const lint_run_checks[];

/* Appends a finding at a part of a policy; the message is one sentence of rule and effect and one of what to write. */
struct diagnostic *lint_report(struct lint *lint, const struct policy *policy, enum code code, struct part part,
                               const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif

/*
 * Pieces that the files of the fence check share. Only they use this header.
 */
#ifndef ANALYZER_VERIFY_FENCE_PARTS_H
#define ANALYZER_VERIFY_FENCE_PARTS_H

#include "analyzer/verify/fence.h"

/* One of the two pairs while it is judged: the policy that says what a grant is, or the companion that holds it against
 * the ConfigMap. */
struct fence_pair {
    const struct fence_request *request;
    struct arena *arena;
    bool hosts; /* the companion */
    struct diagnostics *refusals, *findings;
    const struct object *policy, *binding; /* NULL: not there */
};

/* What is wrong with the companion is all of one code. */
static inline enum code fence_code(const struct fence_pair *pair, enum code code) {
    return pair->hosts ? CODE_FENCE_PARAM : code;
}

/* A refusal at a node of an object; NULL: at the object. */
struct diagnostic *fence_refuse(const struct fence_pair *pair, enum code code, const struct object *object,
                                const struct node *at, const char *path, const char *message);

/* fence_match.c: whether requests reach the validations at all, and a failure denies. */
void fence_judge_policy_match(const struct fence_pair *pair);
void fence_judge_binding_match(const struct fence_pair *pair);

/* fence_content.c: whom it bounds, what it takes from the ConfigMap, and whether the expressions are those that are
 * compiled. `fence_judge_drift` says whether they are not; it is asked only of a pair without a refusal. */
void fence_judge_identity(const struct fence_pair *pair);
void fence_judge_validations(const struct fence_pair *pair);
void fence_judge_parameter(const struct fence_pair *pair);
void fence_judge_config_map(const struct fence_pair *pair);
bool fence_judge_drift(const struct fence_pair *pair);

#endif

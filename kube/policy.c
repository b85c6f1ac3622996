#include "kube/policy.h"

#include "base/arena.h"
#include "kube/cilium_policy.h"
#include "kube/core_policy.h"

struct policy *policy_read(const struct object *object, struct arena *arena) {
    struct policy *policy = arena_alloc(arena, sizeof *policy);
    struct policy_reader reader = {.arena = arena, .object = object, .agent = CILIUM_ALL, .schema = CILIUM_ALL};
    policy->object = object;
    if (object->kind == OBJECT_NETWORK_POLICY)
        policy->core = core_policy_read(&reader);
    else
        cilium_policy_read(&reader, policy);
    policy->problems = reader.problems;
    policy->problem_count = (uint32_t)reader.count;
    return policy;
}

const struct problem *policy_problem(const struct policy *policy, enum problem_effect effect, cilium_classes classes) {
    for (uint32_t i = 0; i < policy->problem_count; i++) {
        const struct problem *problem = &policy->problems[i];
        if (problem->effect >= effect && (problem->classes & classes))
            return problem;
    }
    return NULL;
}

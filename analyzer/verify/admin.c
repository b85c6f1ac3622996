#include "analyzer/verify/admin.h"

#include "base/arena.h"

enum truth admin_selects(const struct admin_policy *policy, const struct subject *subject) {
    static const struct reading as_written = {.cilium = false};
    if (subject->host_network)
        return TRUTH_NO;
    if (policy->unclear)
        return TRUTH_MAYBE;
    return truth_and(subject_matches_namespace(subject, &policy->namespaces),
                     subject_matches_core(subject, &policy->pods, &as_written));
}

bool admin_has_rules(const struct admin_policy *policy, enum direction direction) {
    return (direction == DIRECTION_EGRESS ? policy->egress : policy->ingress) == PRESENCE_FILLED;
}

const char *admin_unenforced(const struct admin_policy *policy) {
    return policy->object->kind == OBJECT_CLUSTER_NETWORK_POLICY
               ? "it counts from Cilium 1.20 on; the versions that are modelled do not enforce this kind"
               : "Cilium does not enforce this kind";
}

const char *admin_doubt(const struct admin_policy *policy, enum truth selects, struct arena *arena) {
    if (policy->unclear)
        return arena_format(arena, "it may select the pod (%s %s), and what its rules mean is not modelled",
                            policy->unclear->part.path, policy->unclear->message);
    return arena_format(arena, "it %s the pod, and what its rules mean is not modelled",
                        selects == TRUTH_YES ? "selects" : "may select");
}

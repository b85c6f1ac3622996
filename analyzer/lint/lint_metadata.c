/*
 * Where a policy goes (spec/lint.md, `system-namespace`).
 */
#include <string.h>

#include "analyzer/lint/object.h"

void lint_system_namespace(struct lint *lint, const struct policy *policy) {
    static const char *const names[] = {"kube-system", "kube-public", "kube-node-lease"};
    const char *namespace = policy->object->namespace;
    for (size_t i = 0; namespace && i < sizeof names / sizeof *names; i++) {
        if (strcmp(namespace, names[i]) != 0)
            continue;
        const struct node *metadata = node_get(policy->object->root, "metadata");
        struct part part = {.node = node_get(metadata, "namespace"), .path = "metadata.namespace"};
        lint_report(
            lint, policy, CODE_SYSTEM_NAMESPACE, part,
            "the policy stands in %s, whose pods the whole cluster needs; see that it selects no more of them than "
            "is meant",
            namespace);
    }
}

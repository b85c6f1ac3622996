#include "analyzer/verify/allowance.h"

#include <string.h>

#include "base/arena.h"
#include "compiler/translate.h"

/* The object comes from nowhere but the compiler, which names its document. */
static struct policy *compiled_policy(const struct node *root, struct object_name name, const char *file,
                                      unsigned document, struct arena *arena) {
    if (!root)
        return NULL;
    bool cilium = strcmp(name.kind, object_kind_word(OBJECT_CILIUM_NETWORK_POLICY)) == 0;
    struct object *object = arena_alloc(arena, sizeof *object);
    *object = (struct object){.kind = cilium ? OBJECT_CILIUM_NETWORK_POLICY : OBJECT_NETWORK_POLICY,
                              .api_version = node_string(node_get(root, "apiVersion")),
                              .kind_word = name.kind,
                              .namespace = name.namespace,
                              .name = name.name,
                              .root = root,
                              .file = file,
                              .document = document,
                              .served = true};
    return policy_read(object, arena);
}

struct policy *boundary_policy(const struct boundary *boundary, struct arena *arena) {
    return compiled_policy(boundary_compile(boundary, arena), boundary_object(boundary), boundary->file,
                           boundary->document, arena);
}

struct policy *grant_policy(const struct grant *grant, struct arena *arena) {
    return compiled_policy(grant_compile(grant, arena), grant_object(grant), grant->file, grant->document, arena);
}

struct policy_rules policy_rules_of(const struct policy *policy, const struct cilium_rule *rule,
                                    const struct cluster *cluster, const struct reading *reading) {
    struct policy_rules rules = {.policy = policy, .rule = rule};
    if (rule)
        rules_of_cilium(policy, rule, cluster, reading, &rules);
    else if (policy->core)
        rules_of_core(policy, cluster, reading, NULL, &rules);
    return rules;
}

struct allowance allowance_of(struct policy *const *policies, size_t count, bool everything,
                              const struct cluster *cluster, const struct reading *reading) {
    struct allowance allowance = {.everything = everything};
    if (everything) {
        allowance.lower = allowance.upper = flow_set_everything();
        return allowance;
    }
    struct arena *arena = cluster->arena;
    struct policy_rules *rules = arena_array(arena, count + 1, sizeof *rules);
    struct selected_rules *selected = arena_array(arena, count + 1, sizeof *selected);
    for (size_t i = 0; i < count; i++) {
        const struct cilium_rule *rule = policies[i]->rule_count > 0 ? &policies[i]->rules[0] : NULL;
        rules[i] = policy_rules_of(policies[i], rule, cluster, reading);
        selected[i] = (struct selected_rules){&rules[i], true};
    }
    struct effective effective;
    effective_of(selected, count, reading, arena, &effective);
    allowance.lower = flow_set_closed(arena, &effective.allow_lower);
    allowance.upper = flow_set_closed(arena, &effective.allow_upper);
    return allowance;
}

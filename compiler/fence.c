#include "compiler/fence.h"

#include <string.h>

#include "base/arena.h"
#include "compiler/fence_parts.h"
#include "compiler/translate_parts.h"
#include "grammar/name.h"

static struct node single(struct arena *arena, const char *key, struct node value) {
    const struct translate_entry entry = {key, value};
    return translate_map(arena, &entry, 1);
}

static struct node strings(struct arena *arena, const char *const *list, size_t count) {
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_LIST);
    for (size_t i = 0; i < count; i++) {
        node_builder_add(&builder, node_make_string(list[i]));
    }
    return node_builder_done(&builder);
}

const char *fence_policy_name(const struct boundary *boundary, bool hosts, struct arena *arena) {
    const char *name = boundary->per_sandbox.admission_policy_name;
    return hosts ? arena_format(arena, "%s-hosts", name) : name;
}

const char *fence_binding_name(const struct boundary *boundary, bool hosts, struct arena *arena) {
    const struct per_sandbox *per_sandbox = &boundary->per_sandbox;
    return hosts ? arena_format(arena, "%s-hosts-binding", per_sandbox->admission_policy_name)
                 : per_sandbox->admission_policy_binding_name;
}

/* ---- the policies ---- */

static struct node match_constraints(const struct boundary *boundary, struct arena *arena) {
    static const char *const groups[] = {"cilium.io"}, *const versions[] = {"v2"};
    static const char *const operations[] = {"CREATE", "UPDATE", "DELETE"}, *const resources[] = {
                                                                                "ciliumnetworkpolicies"};
    const struct translate_entry rule[] = {
        {"apiGroups", strings(arena, groups, 1)},      {"apiVersions", strings(arena, versions, 1)},
        {"operations", strings(arena, operations, 3)}, {"resources", strings(arena, resources, 1)},
        {"scope", node_make_string("Namespaced")},
    };
    const struct config_label namespace = {.key = "kubernetes.io/metadata.name", .value = boundary->namespace};
    const struct node rules = translate_map(arena, rule, sizeof rule / sizeof *rule);
    const struct translate_entry entries[] = {
        {"namespaceSelector", translate_match_labels(&namespace, 1, arena)},
        {"resourceRules", translate_list(arena, &rules, 1)},
    };
    return translate_map(arena, entries, 2);
}

static struct node match_conditions(const char *identity, struct arena *arena) {
    struct buffer expression;
    buffer_init(&expression, arena);
    buffer_add_string(&expression, "request.userInfo.username == ");
    fence_cel_single_quoted(&expression, identity);
    const struct translate_entry entries[] = {
        {"name", node_make_string("written-by-the-fenced-identity")},
        {"expression", node_make_string(buffer_string(&expression))},
    };
    const struct node condition = translate_map(arena, entries, 2);
    return translate_list(arena, &condition, 1);
}

static struct node policy_spec(const struct boundary *boundary, bool hosts, struct arena *arena) {
    struct fence_rules rules = {.arena = arena};
    node_builder_init(&rules.variables, arena, NODE_LIST);
    node_builder_init(&rules.validations, arena, NODE_LIST);
    (hosts ? fence_permitted_rules : fence_grant_rules)(boundary, &rules);
    struct node_builder spec;
    node_builder_init(&spec, arena, NODE_MAP);
    node_builder_put(&spec, "failurePolicy", node_make_string("Fail"));
    if (hosts) {
        const struct translate_entry kind[] = {
            {"apiVersion", node_make_string("v1")},
            {"kind", node_make_string("ConfigMap")},
        };
        node_builder_put(&spec, "paramKind", translate_map(arena, kind, 2));
    }
    node_builder_put(&spec, "matchConstraints", match_constraints(boundary, arena));
    if (boundary->per_sandbox.host_identity) {
        node_builder_put(&spec, "matchConditions", match_conditions(boundary->per_sandbox.host_identity, arena));
    }
    node_builder_put(&spec, "variables", node_builder_done(&rules.variables));
    node_builder_put(&spec, "validations", node_builder_done(&rules.validations));
    return node_builder_done(&spec);
}

static struct node admission_object(const char *kind, const char *name, struct node spec, struct arena *arena) {
    const struct translate_entry entries[] = {
        {"apiVersion", node_make_string(FENCE_ADMISSION_VERSION)},
        {"kind", node_make_string(kind)},
        {"metadata", single(arena, "name", node_make_string(name))},
        {"spec", spec},
    };
    return translate_map(arena, entries, sizeof entries / sizeof *entries);
}

struct node fence_policy(const struct boundary *boundary, bool hosts, struct arena *arena) {
    return admission_object("ValidatingAdmissionPolicy", fence_policy_name(boundary, hosts, arena),
                            policy_spec(boundary, hosts, arena), arena);
}

struct node fence_binding(const struct boundary *boundary, bool hosts, struct arena *arena) {
    static const char *const deny[] = {"Deny"};
    struct node_builder spec;
    node_builder_init(&spec, arena, NODE_MAP);
    node_builder_put(&spec, "policyName", node_make_string(fence_policy_name(boundary, hosts, arena)));
    if (hosts) {
        const struct translate_entry reference[] = {
            {"name", node_make_string(boundary->per_sandbox.permitted_hosts_name)},
            {"namespace", node_make_string(boundary->per_sandbox.permitted_hosts_namespace)},
            {"parameterNotFoundAction", node_make_string("Deny")},
        };
        node_builder_put(&spec, "paramRef", translate_map(arena, reference, 3));
    }
    node_builder_put(&spec, "validationActions", strings(arena, deny, 1));
    return admission_object("ValidatingAdmissionPolicyBinding", fence_binding_name(boundary, hosts, arena),
                            node_builder_done(&spec), arena);
}

/* Nothing is permitted until somebody says what. */
static struct node permitted_hosts_skeleton(const struct boundary *boundary, struct arena *arena) {
    const struct translate_entry metadata[] = {
        {"name", node_make_string(boundary->per_sandbox.permitted_hosts_name)},
        {"namespace", node_make_string(boundary->per_sandbox.permitted_hosts_namespace)},
    };
    const struct translate_entry data[] = {
        {"hosts", node_make_string("# one host a line; a leading dot permits a domain and its subdomains\n")},
        {"ports", node_make_string("# one TCP port a line, or * for all of them\n")},
    };
    const struct translate_entry entries[] = {
        {"apiVersion", node_make_string("v1")},
        {"kind", node_make_string("ConfigMap")},
        {"metadata", translate_map(arena, metadata, 2)},
        {"data", translate_map(arena, data, 2)},
    };
    return translate_map(arena, entries, sizeof entries / sizeof *entries);
}

/* ---- the whole ---- */

void fence_add(struct fence *fence, struct arena *arena, struct object_name name, struct node tree) {
    fence->list = arena_grow(arena, fence->list, &fence->capacity, fence->count + 1, sizeof *fence->list);
    fence->list[fence->count++] = (struct fence_object){.name = name, .tree = tree};
}

static void add_pair(const struct boundary *boundary, bool hosts, struct arena *arena, struct fence *fence) {
    const struct object_name policy = {"ValidatingAdmissionPolicy", NULL, fence_policy_name(boundary, hosts, arena)};
    const struct object_name binding = {"ValidatingAdmissionPolicyBinding", NULL,
                                        fence_binding_name(boundary, hosts, arena)};
    fence_add(fence, arena, policy, fence_policy(boundary, hosts, arena));
    fence_add(fence, arena, binding, fence_binding(boundary, hosts, arena));
}

void fence_compile(const struct boundary *boundary, struct arena *arena, struct fence *fence) {
    const struct per_sandbox *per_sandbox = &boundary->per_sandbox;
    add_pair(boundary, false, arena, fence);
    if (per_sandbox->has_permitted_hosts) {
        add_pair(boundary, true, arena, fence);
        const struct object_name config_map = {"ConfigMap", per_sandbox->permitted_hosts_namespace,
                                               per_sandbox->permitted_hosts_name};
        fence_add(fence, arena, config_map, permitted_hosts_skeleton(boundary, arena));
        fence->list[fence->count - 1].skeleton = true;
    }
    fence_rbac(boundary, arena, fence);
}

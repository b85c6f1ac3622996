/* The roles that the writer of grants needs, and no more (spec/fence.md 1). */
#include <string.h>

#include "base/arena.h"
#include "compiler/fence_parts.h"
#include "compiler/translate_parts.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"
#define SERVICE_ACCOUNT "system:serviceaccount:"

struct role {
    const char *kind;             /* "Role" or "ClusterRole" */
    const char *name, *namespace; /* no namespace: of the cluster */
    struct node rules;
};

static struct node strings(struct arena *arena, const char *const *list) {
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_LIST);
    for (; *list; list++) {
        node_builder_add(&builder, node_make_string(*list));
    }
    return node_builder_done(&builder);
}

static struct node metadata(const struct role *role, struct arena *arena) {
    struct node_builder map;
    node_builder_init(&map, arena, NODE_MAP);
    node_builder_put(&map, "name", node_make_string(role->name));
    if (role->namespace) {
        node_builder_put(&map, "namespace", node_make_string(role->namespace));
    }
    return node_builder_done(&map);
}

/* One rule; without `names` it is about all objects of the resources. */
static struct node rule(struct arena *arena, const char *group, const char *const *resources, const char *const *names,
                        const char *const *verbs) {
    const char *const groups[] = {group, NULL};
    struct node_builder map;
    node_builder_init(&map, arena, NODE_MAP);
    node_builder_put(&map, "apiGroups", strings(arena, groups));
    node_builder_put(&map, "resources", strings(arena, resources));
    if (names) {
        node_builder_put(&map, "resourceNames", strings(arena, names));
    }
    node_builder_put(&map, "verbs", strings(arena, verbs));
    return node_builder_done(&map);
}

/* Who the identity is to RBAC: a service account by namespace and name, else a user by name. */
static struct node subject(const char *identity, struct arena *arena) {
    const char *namespace =
        strncmp(identity, SERVICE_ACCOUNT, strlen(SERVICE_ACCOUNT)) == 0 ? identity + strlen(SERVICE_ACCOUNT) : NULL;
    const char *colon = namespace ? strchr(namespace, ':') : NULL;
    if (!colon || colon == namespace || !colon[1] || strchr(colon + 1, ':')) {
        const struct translate_entry user[] = {
            {"apiGroup", node_make_string(RBAC_GROUP)},
            {"kind", node_make_string("User")},
            {"name", node_make_string(identity)},
        };
        return translate_map(arena, user, 3);
    }
    const struct translate_entry account[] = {
        {"kind", node_make_string("ServiceAccount")},
        {"name", node_make_string(colon + 1)},
        {"namespace", node_make_string(arena_copy(arena, namespace, (size_t)(colon - namespace)))},
    };
    return translate_map(arena, account, 3);
}

static void add_role(const struct role *role, const char *identity, struct arena *arena, struct fence *fence) {
    const struct translate_entry rules[] = {
        {"apiVersion", node_make_string(RBAC_GROUP "/v1")},
        {"kind", node_make_string(role->kind)},
        {"metadata", metadata(role, arena)},
        {"rules", translate_list(arena, &role->rules, 1)},
    };
    const struct translate_entry reference[] = {
        {"apiGroup", node_make_string(RBAC_GROUP)},
        {"kind", node_make_string(role->kind)},
        {"name", node_make_string(role->name)},
    };
    const char *binding_kind = arena_format(arena, "%sBinding", role->kind);
    const struct node bound = subject(identity, arena);
    const struct translate_entry binding[] = {
        {"apiVersion", node_make_string(RBAC_GROUP "/v1")},
        {"kind", node_make_string(binding_kind)},
        {"metadata", metadata(role, arena)},
        {"roleRef", translate_map(arena, reference, 3)},
        {"subjects", translate_list(arena, &bound, 1)},
    };
    fence_add(fence, arena, (struct object_name){role->kind, role->namespace, role->name},
              translate_map(arena, rules, sizeof rules / sizeof *rules));
    fence_add(fence, arena, (struct object_name){binding_kind, role->namespace, role->name},
              translate_map(arena, binding, sizeof binding / sizeof *binding));
}

void fence_rbac(const struct boundary *boundary, struct arena *arena, struct fence *fence) {
    static const char *const write_verbs[] = {"create", "patch", "delete", NULL};
    static const char *const read_verbs[] = {"get", NULL};
    static const char *const policies[] = {"ciliumnetworkpolicies", NULL};
    static const char *const admission[] = {"validatingadmissionpolicies", "validatingadmissionpolicybindings", NULL};
    static const char *const config_maps[] = {"configmaps", NULL};
    const struct per_sandbox *per_sandbox = &boundary->per_sandbox;
    bool hosts = per_sandbox->has_permitted_hosts;
    const char *const fences[] = {fence_policy_name(boundary, false, arena), fence_binding_name(boundary, false, arena),
                                  hosts ? fence_policy_name(boundary, true, arena) : NULL,
                                  hosts ? fence_binding_name(boundary, true, arena) : NULL, NULL};
    const char *const config_map[] = {per_sandbox->permitted_hosts_name, NULL};
    const char *name = per_sandbox->admission_policy_name;
    const struct role roles[] = {
        {"Role", arena_format(arena, "%s-writer", name), boundary->namespace,
         rule(arena, "cilium.io", policies, NULL, write_verbs)},
        {"ClusterRole", arena_format(arena, "%s-reader", name), NULL,
         rule(arena, FENCE_ADMISSION_GROUP, admission, fences, read_verbs)},
        {"Role", arena_format(arena, "%s-hosts-reader", name), per_sandbox->permitted_hosts_namespace,
         rule(arena, "", config_maps, config_map, read_verbs)},
    };
    size_t count = hosts ? 3 : 2;
    for (size_t i = 0; i < count; i++) {
        add_role(&roles[i], per_sandbox->host_identity, arena, fence);
    }
}

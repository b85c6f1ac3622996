/* What the fence of a config is refused for. */
#include <string.h>

#include "base/arena.h"
#include "compiler/fence_parts.h"
#include "grammar/name.h"

#define PER_SANDBOX "egress.perSandbox"

static void refuse(const struct boundary *boundary, struct diagnostics *diagnostics, const char *field,
                   const char *value, const char *message) {
    struct diagnostic *refusal =
        diagnostics_add(diagnostics, CODE_PER_SANDBOX_UNUSABLE, boundary->per_sandbox.location, "%s", message);
    refusal->path = field;
    refusal->value = value;
}

typedef enum name_fault name_check(struct text name, size_t *offset);

/* `name` is what is emitted because of the field. */
static void judge_name(const struct boundary *boundary, struct diagnostics *diagnostics, const char *field,
                       const char *value, const char *name, name_check *check) {
    enum name_fault fault = check(text_of(name), NULL);
    if (fault != NAME_OK) {
        refuse(boundary, diagnostics, field, value,
               arena_format(diagnostics->arena, "%s makes the name %s, which no API server takes: %s", field, name,
                            name_fault_text(fault)));
    }
}

bool fence_check(const struct boundary *boundary, struct arena *arena, struct diagnostics *diagnostics) {
    const struct per_sandbox *per_sandbox = &boundary->per_sandbox;
    size_t before = diagnostics->errors;
    bool hosts = per_sandbox->has_permitted_hosts;
    const char *policy = per_sandbox->admission_policy_name, *binding = per_sandbox->admission_policy_binding_name;
    if (!per_sandbox->host_identity) {
        refuse(boundary, diagnostics, PER_SANDBOX ".hostIdentity", NULL,
               "a fence bounds one user name, and " PER_SANDBOX
               ".hostIdentity is absent, so no fence is compiled; write the user name of the one who writes grants");
    }
    judge_name(boundary, diagnostics, PER_SANDBOX ".admissionPolicyName", policy,
               hosts ? fence_binding_name(boundary, true, arena) : policy, name_check_subdomain);
    judge_name(boundary, diagnostics, PER_SANDBOX ".admissionPolicyBindingName", binding, binding,
               name_check_subdomain);
    if (hosts) {
        judge_name(boundary, diagnostics, PER_SANDBOX ".permittedHostsParam.name", per_sandbox->permitted_hosts_name,
                   per_sandbox->permitted_hosts_name, name_check_subdomain);
        judge_name(boundary, diagnostics, PER_SANDBOX ".permittedHostsParam.namespace",
                   per_sandbox->permitted_hosts_namespace, per_sandbox->permitted_hosts_namespace,
                   name_check_namespace);
        if (strcmp(binding, fence_binding_name(boundary, true, arena)) == 0) {
            refuse(boundary, diagnostics, PER_SANDBOX ".admissionPolicyBindingName", binding,
                   "this is the name of the binding of the companion policy; choose another");
        }
    }
    return diagnostics->errors == before;
}

static const struct fence_object *find(const struct fence *fence, const struct object_name *name) {
    for (size_t i = 0; i < fence->count; i++) {
        const struct object_name *other = &fence->list[i].name;
        bool same_namespace = name->namespace && other->namespace ? strcmp(name->namespace, other->namespace) == 0
                                                                  : name->namespace == other->namespace;
        if (same_namespace && strcmp(name->kind, other->kind) == 0 && strcmp(name->name, other->name) == 0) {
            return &fence->list[i];
        }
    }
    return NULL;
}

/* Appends the objects of a boundary that are not there yet; one that is, and differs, is refused. */
static void merge(struct fence *fence, const struct boundary *boundary, struct arena *arena,
                  struct diagnostics *diagnostics) {
    struct fence more = {0};
    fence_compile(boundary, arena, &more);
    for (size_t i = 0; i < more.count; i++) {
        const struct fence_object *object = &more.list[i], *twin = find(fence, &object->name);
        if (!twin) {
            fence_add(fence, arena, object->name, object->tree);
            fence->list[fence->count - 1].skeleton = object->skeleton;
        } else if (!node_equal(&twin->tree, &object->tree)) {
            struct diagnostic *refusal = diagnostics_add(
                diagnostics, CODE_DUPLICATE_OBJECT, boundary->per_sandbox.location,
                "the fence of another document holds a differing %s %s; choose another admissionPolicyName",
                object->name.kind, object->name.name);
            refusal->path = PER_SANDBOX ".admissionPolicyName";
            refusal->object = object->name;
            return;
        }
    }
}

bool fence_of_config(struct config *config, struct arena *arena, struct fence *fence, struct diagnostics *diagnostics) {
    bool usable = true, any = false;
    for (size_t i = 0; i < config->count; i++) {
        struct boundary *boundary = &config->boundaries[i];
        any = any || boundary->has_per_sandbox;
        usable = (!boundary->has_per_sandbox || fence_check(boundary, arena, &boundary->diagnostics)) && usable;
    }
    if (!any && config->count > 0) {
        struct diagnostic *refusal =
            diagnostics_add(diagnostics, CODE_PER_SANDBOX_UNUSABLE, config->boundaries[0].location,
                            "no document has " PER_SANDBOX ", so there is nothing to fence");
        refusal->path = PER_SANDBOX;
        return false;
    }
    size_t before = diagnostics->errors;
    for (size_t i = 0; usable && i < config->count; i++) {
        if (config->boundaries[i].has_per_sandbox) {
            merge(fence, &config->boundaries[i], arena, diagnostics);
        }
    }
    return usable && diagnostics->errors == before;
}

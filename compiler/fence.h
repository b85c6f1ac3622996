/*
 * The admission fence: the objects that keep the writer of grants to grants (spec/fence.md).
 *
 * A boundary with `perSandbox` compiles to a ValidatingAdmissionPolicy and its binding, with `permittedHostsParam` to a
 * companion pair and the skeleton of its ConfigMap, and to the RBAC of the identity that writes. What the expressions
 * compare with is printed from the trees that translate.h makes of grants, so the two cannot part.
 */
#ifndef COMPILER_FENCE_H
#define COMPILER_FENCE_H

#include "compiler/config.h"
#include "document/node.h"

struct fence_object {
    struct object_name name;
    struct node tree;
    bool skeleton; /* to be filled in by hand: an existing file of it is left alone */
};

/* In the order of output. */
struct fence {
    struct fence_object *list;
    size_t count, capacity;
};

/* Appends the refusals of a usable boundary with `perSandbox` whose fence cannot be compiled: no `hostIdentity`, names
 * that no API server takes. Returns whether there are none. */
bool fence_check(const struct boundary *boundary, struct arena *arena, struct diagnostics *diagnostics);

/* Appends the objects of a boundary that passes fence_check. */
void fence_compile(const struct boundary *boundary, struct arena *arena, struct fence *fence);

/* The fence of a whole config that is usable: equal objects of several boundaries stand once. False: refused, and the
 * refusals are among those of the boundaries, or in `diagnostics` where they belong to no single one. */
bool fence_of_config(struct config *config, struct arena *arena, struct fence *fence, struct diagnostics *diagnostics);

/* For verify. `hosts`: of the companion pair, which only `permittedHostsParam` gives. */
const char *fence_policy_name(const struct boundary *boundary, bool hosts, struct arena *arena);
const char *fence_binding_name(const struct boundary *boundary, bool hosts, struct arena *arena);
/* The policy. Without `hostIdentity` it has no matchConditions; nothing else depends on it. */
struct node fence_policy(const struct boundary *boundary, bool hosts, struct arena *arena);
struct node fence_binding(const struct boundary *boundary, bool hosts, struct arena *arena);

#endif

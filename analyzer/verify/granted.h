/*
 * Granted: what the grants of a boundary compile to, as policies, and whose pods they are for (spec/config.md 6,
 * spec/analysis.md 4).
 *
 * A grant is for the pods that carry its owner's name under the boundary's per-sandbox key.
 */
#ifndef ANALYZER_VERIFY_GRANTED_H
#define ANALYZER_VERIFY_GRANTED_H

#include "compiler/grant.h"
#include "kube/evidence.h"
#include "kube/object.h"
#include "kube/policy.h"

struct granted_policy {
    const struct grant *grant;
    struct policy *policy; /* NULL: the grant has no hosts */
};

struct granted {
    const char *label_key;
    struct granted_policy *list;       /* by owner's name, then in the order of the set */
    struct granted_policy **by_object; /* the same by object name */
    size_t count;
};

/* Of usable grants. */
struct granted *granted_of(const struct grant_set *set, struct arena *arena);

/* The grants for a pod of these labels: how many, from `first` on in `list`. */
size_t granted_to(const struct granted *granted, const struct labels *labels, size_t *first);

/* Whether all that a pod of these labels was given has no hosts, and nothing is left of it among the objects. The place of
 * such a grant; NULL: it is not so. */
const struct grant *granted_nothing(const struct granted *granted, const struct labels *labels,
                                    const struct objects *objects);

/* The policy of that name; NULL: none. */
const struct policy *granted_object(const struct granted *granted, const char *name);

#endif

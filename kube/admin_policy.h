/*
 * AdminNetworkPolicy, BaselineAdminNetworkPolicy and ClusterNetworkPolicy, as far as they are read: whom they select, and
 * whether they hold rules at all (spec/kubernetes-egress.md 5.1, 5.2). What their rules mean is not modelled.
 */
#ifndef KUBE_ADMIN_POLICY_H
#define KUBE_ADMIN_POLICY_H

#include "kube/policy.h"

struct admin_policy {
    const struct object *object;
    struct selector namespaces; /* ABSENT: every namespace, as a ClusterNetworkPolicy may say */
    struct selector pods;       /* ABSENT: every pod of those namespaces */
    enum presence egress, ingress;
    const struct problem *unclear; /* why it cannot be told whom the object selects, or NULL */
};

/* Reads an object of one of the three kinds; never fails. */
struct admin_policy *admin_policy_read(const struct object *object, struct arena *arena);

#endif

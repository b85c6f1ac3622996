/*
 * Reading NetworkPolicy objects (spec/kubernetes-egress.md 1). Private to kube/.
 */
#ifndef KUBE_CORE_POLICY_H
#define KUBE_CORE_POLICY_H

#include "kube/field.h"

/* Reads the whole object. */
struct core_policy *core_policy_read(struct policy_reader *reader);

/* What the API server refuses beyond types and selectors (K 1.3 to 1.8). `types`: where policyTypes stands. */
void core_policy_check(struct policy_reader *reader, const struct core_policy *policy, struct part types);

#endif

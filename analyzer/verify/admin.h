/*
 * Whom the policies of policy.networking.k8s.io select (spec/analysis.md 4, spec/kubernetes-egress.md 5.1).
 */
#ifndef ANALYZER_VERIFY_ADMIN_H
#define ANALYZER_VERIFY_ADMIN_H

#include "analyzer/rules/rule.h"
#include "analyzer/rules/subject.h"
#include "kube/admin_policy.h"

/* Whether the policy's subject holds the pod. Pods on the host's network are no subject. */
enum truth admin_selects(const struct admin_policy *policy, const struct subject *subject);

/* Whether it has rules of that direction. Without, it adds nothing and takes nothing away. */
bool admin_has_rules(const struct admin_policy *policy, enum direction direction);

/* Why it does not count where Cilium enforces policies. */
const char *admin_unenforced(const struct admin_policy *policy);

/* Why nothing can be said of one that counts. */
const char *admin_doubt(const struct admin_policy *policy, enum truth selects, struct arena *arena);

#endif

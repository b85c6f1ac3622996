/*
 * Allowances: what a boundary lets out, read from its compiled object by the code that reads any other policy.
 */
#ifndef ANALYZER_VERIFY_ALLOWANCE_H
#define ANALYZER_VERIFY_ALLOWANCE_H

#include "analyzer/rules/effective.h"
#include "compiler/grant.h"

struct allowance {
    bool everything; /* the config is allow-all */
    struct flow_set lower, upper;
};

/* The compiled object as an object of the cluster, and typed. NULL where the boundary compiles to nothing. */
struct policy *boundary_policy(const struct boundary *boundary, struct arena *arena);

/* The same of a usable grant. NULL where it has no hosts. */
struct policy *grant_policy(const struct grant *grant, struct arena *arena);

/* What the policies allow together under a reading. */
struct allowance allowance_of(struct policy *const *policies, size_t count, bool everything,
                              const struct cluster *cluster, const struct reading *reading);

/* The rules of a policy under a reading: of a NetworkPolicy, or of one Rule of a Cilium policy. */
struct policy_rules policy_rules_of(const struct policy *policy, const struct cilium_rule *rule,
                                    const struct cluster *cluster, const struct reading *reading);

#endif

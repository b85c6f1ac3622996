/*
 * Candidates: what may select a subject, in the order in which it is examined (spec/analysis.md 4): by kind, namespace,
 * name, and `spec` before the entries of `specs`, each a Rule of its own.
 */
#ifndef ANALYZER_VERIFY_CANDIDATE_H
#define ANALYZER_VERIFY_CANDIDATE_H

#include "analyzer/rules/rule.h"
#include "analyzer/rules/subject.h"
#include "analyzer/snapshot.h"
#include "analyzer/verify/admin.h"
#include "analyzer/verify/pooled.h"

struct candidate {
    size_t number; /* its place among all candidates */
    const struct object *object;
    const struct policy *policy;      /* NULL: a kind of policy.networking.k8s.io, which is not modelled */
    const struct admin_policy *admin; /* what is read of such a kind, else NULL */
    const struct pooled *pooled;      /* the SandboxTemplate that the policy is made of, else NULL */
    const struct cilium_rule *rule;   /* NULL: a NetworkPolicy, or a Cilium policy without any Rule */
    bool is_core, has_twin, lacks_namespace;
    bool is_compiled; /* equal to the object that the config compiles to */
};

struct candidate_list {
    struct candidate *list;
    size_t count, capacity;
};

/* The policies of a namespace and the cluster-wide ones, then those that are made of SandboxTemplates; Rules for nodes
 * have no entry. */
struct candidate_list candidates_of(struct snapshot *snapshot, const char *namespace);

/* Whether the candidate selects the subject, by its selector alone and by what is wrong with it. */
enum truth candidate_selects(const struct candidate *candidate, const struct subject *subject,
                             const struct cluster *cluster, const struct reading *reading);

/* What the candidates make matter among readings (enum reading_aspect), by their rules of that direction. */
unsigned candidates_aspects(const struct candidate_list *candidates, const struct cluster *cluster,
                            enum direction direction);

/* The worst problem that keeps the candidate's policy from being read as it stands, or NULL: a field of another type, or
 * a refusal. */
const struct problem *candidate_type_problem(const struct candidate *candidate, const struct reading *reading);
const struct problem *candidate_refusal(const struct candidate *candidate, const struct reading *reading,
                                        const struct cluster *cluster);
/* A policy that could be read and in which nothing is wrong. */
bool candidate_is_faultless(const struct candidate *candidate);
/* Problems that keep its isolating from counting: dropped fields, duplicate keys. The first one, or NULL. */
bool candidate_problem_is_slip(const struct candidate *candidate, const struct problem *problem,
                               const struct reading *reading);
const struct problem *candidate_slip(const struct candidate *candidate, const struct reading *reading);
/* Each of them as a warning. */
void candidate_warn_slips(const struct candidate *candidate, const struct reading *reading, struct arena *arena,
                          struct diagnostics *diagnostics);

/* The problem as a sentence: its path, then what is wrong there. */
const char *problem_sentence(const struct problem *problem, struct arena *arena);

#endif

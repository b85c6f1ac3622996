/* Decisions about ingress, from snippets of YAML, for the tests of the ingress check. */
#ifndef TESTS_ANALYZER_INGRESS_CASE_H
#define TESTS_ANALYZER_INGRESS_CASE_H

#include "analyzer/verify/verify.h"

#define POD "sandbox.namzu.ai/template=box,app=web"

/* The rest of the config beside namespace (`ns`) and template (`box`); the objects, a YAML stream (what names no namespace
 * is in `ns`); the subject's labels (NULL: not told). */
struct question {
    const char *config, *objects, *labels;
};

/* `verify --verify-only ingress` of the boundary. Fails the test where there is no decision. */
const struct boundary_decision *decide(struct arena *arena, const struct question *question);
/* The ingress of its only subject. */
const struct side_decision *decide_ingress(struct arena *arena, const struct question *question);

/* The word of the refusal, or "pass"; the entry of the policy of that name. */
const char *refusal_of(const struct side_decision *side);
const struct examined *examined_of(const struct side_decision *side, const char *name);

#define CORE_OBJECT(name, spec)                                                                                        \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " name "}\nspec: " spec "\n"
#define CILIUM_OBJECT(name, spec)                                                                                      \
    "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: " name "}\nspec: " spec "\n"
#define CLUSTERWIDE_OBJECT(name, spec)                                                                                 \
    "---\napiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: " name "}\nspec: " spec "\n"

/* Rules, the verdict about the policy `p` that holds them, and the subject's refusal. */
struct row {
    const char *rules, *verdict, *refusal;
};
#define LAST_ROW                                                                                                       \
    { NULL, NULL, NULL }

#define OPENS "opens-agent-port", "port-open"
#define COVERS "covers", "pass"
#define LEAVES "not-ingress-scoped", "no-covering-policy"
#define UNCLEAR "not-evaluable", "not-evaluable"

#define ENGINE_CORE_CONFIG ""
#define ENGINE_CILIUM_CONFIG "ingress: {engine: cilium}\ncluster: {cilium: {version: '1.18'}}"
#define OLD_CILIUM_CONFIG "ingress: {engine: cilium}\ncluster: {cilium: {version: '1.15'}}"

/* Each row in the place of `%s` of the objects. */
void expect(struct arena *arena, const char *config, const char *objects, const struct row *rows);

#endif

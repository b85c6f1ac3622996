/* Decisions about a config and objects that stand in snippets of YAML, for the tests of analyzer/. */
#ifndef TESTS_ANALYZER_SCENE_H
#define TESTS_ANALYZER_SCENE_H

#include "analyzer/verify/verify.h"

/* `verify` of one boundary. `egress` is the config's (flow style); the boundary is template `box` in namespace `ns`, the
 * cluster runs Cilium 1.18. `objects` is a YAML stream; what names no namespace is in `ns`. The subject carries the
 * labels, "k=v,..."; NULL: those that the config puts on a pod. Fails the test where there is no decision. */
const struct boundary_decision *scene_decide(struct arena *arena, const char *egress, const char *objects,
                                             const char *labels);

/* The same with grants, a YAML stream; NULL: none. The answer may have several subjects. */
const struct boundary_decision *scene_decide_granted(struct arena *arena, const char *egress, const char *grants,
                                                     const char *objects, const char *labels);

/* The same as one document: `body` follows the metadata of a policy named `p` in the namespace. */
const char *scene_core(struct arena *arena, const char *body);
const char *scene_cilium(struct arena *arena, const char *body);

/* The egress of the only subject. */
const struct side_decision *scene_egress(const struct boundary_decision *decision);

/* The verdict's word about the policy of that name: of `spec`, or of the entry of `specs`. */
const char *scene_verdict(const struct boundary_decision *decision, const char *name, int spec);
const struct examined *scene_examined(const struct boundary_decision *decision, const char *name, int spec);

/* The word of the subject's refusal, or "pass". */
const char *scene_refusal(const struct boundary_decision *decision);

#endif

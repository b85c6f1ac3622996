/* Rules and flow sets from policies that stand in snippets of YAML, for the tests of analyzer/rules and analyzer/verify. */
#ifndef TESTS_ANALYZER_STAGE_H
#define TESTS_ANALYZER_STAGE_H

#include "analyzer/rules/effective.h"
#include "analyzer/rules/subject.h"
#include "analyzer/snapshot.h"
#include "compiler/config.h"

struct stage {
    struct arena *arena;
    struct diagnostics diagnostics;
    struct snapshot snapshot;
    struct cluster cluster;
    struct reading reading;
};

/* What names no namespace is in `ns`. The reading is the core API's until it is set. */
struct stage *stage_of(struct arena *arena, const char *objects);
void stage_read_core(struct stage *stage);
void stage_read_cilium(struct stage *stage, enum cilium_class class);
/* The kind is known to be there as a whole. */
void stage_complete(struct stage *stage, enum object_kind kind);

/* The only boundary of a config. */
const struct boundary *stage_boundary(struct arena *arena, const char *config);

/* Every Rule of every policy, in the order of kinds, names and places. Policies whose name begins with "maybe" are not
 * certain. `direction` egress. */
struct stage_rules {
    struct policy_rules *rules;
    struct selected_rules *selected;
    size_t count;
};
struct stage_rules stage_rules(struct stage *stage);
struct effective stage_effective(struct stage *stage);

/* `format` with `text` in the place of its only %s. */
const char *stage_filled(struct arena *arena, const char *format, const char *text);

/* The only entry of the only policy. */
const struct rule_entry *stage_entry(struct stage *stage);

/* "DESTINATION PORT/PROTOCOL [PAYLOAD]". Destinations: an address; name:NAME (at 203.0.113.9) or name:NAME@ADDRESS;
 * pod:NAMESPACE?K=V,... where a key of `ns:K` is of the namespace, `sa:` the service account, `cluster:` the cluster; a
 * special identity, `host+kube-apiserver` with the mark. Payloads: dns:NAME, sni:NAME, http:TEXT. */
struct flow stage_flow(struct stage *stage, const char *text);
struct destination stage_destination(struct stage *stage, const char *text);

/* Whether the effective sets allow the flow, denies taken away. */
enum truth stage_allows(struct stage *stage, const struct effective *effective, const char *flow);
enum truth stage_denies(struct stage *stage, const struct effective *effective, const char *flow);
/* Whether the entry's peers hold the destination. */
enum truth stage_reaches(struct stage *stage, const struct rule_entry *entry, const char *destination);
const char *truth_word(enum truth truth); /* "no", "maybe", "yes" */

/* Classes of versions, for tables. */
#define FROM(class) ((cilium_classes)((1u << CILIUM_CLASS_COUNT) - (1u << (class))))
#define BEFORE(class) ((cilium_classes)((1u << (class)) - 1u))
#define ONLY(class) ((cilium_classes)(1u << (class)))
#define EVERY FROM(CILIUM_1_15)

#define CORE(name, spec)                                                                                               \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " name "}\nspec: " spec "\n"
#define CNP(name, spec)                                                                                                \
    "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: " name "}\nspec: " spec "\n"
#define CCNP(name, spec)                                                                                               \
    "---\napiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: " name "}\nspec: " spec "\n"
#define OBJECT(version, kind, metadata, rest)                                                                          \
    "---\napiVersion: " version "\nkind: " kind "\nmetadata: {" metadata "}\n" rest "\n"

#endif

/*
 * Labels: per key a finite or co-finite set of values, and whether absence will do. One label_set is a conjunction over
 * keys; keys without an entry are free. endpoint_set (ir/endpoint_set.h) is a union of them.
 */
#ifndef IR_LABEL_SET_H
#define IR_LABEL_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Which labels a key speaks of. The namespace's name is the key {LABEL_NAMESPACE, "kubernetes.io/metadata.name"}
 * (Cilium's io.kubernetes.pod.namespace is the same key): no pod lacks it. */
enum label_scope { LABEL_NAMESPACE, LABEL_POD, LABEL_SERVICE_ACCOUNT, LABEL_CLUSTER };

#define LABEL_NAMESPACE_NAME "kubernetes.io/metadata.name"
#define LABEL_DEFAULT "default" /* the cluster of a pod that is not said to be in another */

struct label_key {
    enum label_scope scope;
    const char *name; /* "" for LABEL_SERVICE_ACCOUNT and LABEL_CLUSTER */
};
int label_key_compare(const struct label_key *a, const struct label_key *b);
bool label_key_is_namespace_name(const struct label_key *key);
/* "namespace" for its name, "namespace:KEY", "KEY" of the pod, "serviceaccount", "cluster". */
void label_key_print(struct buffer *out, const struct label_key *key);
/* Whether every pod carries the key: the namespace's name, the service account and the cluster. */
bool label_key_is_universal(const struct label_key *key);

/* The values that a key may have: those listed, or with `complement` all but those listed; and maybe absence. */
struct value_set {
    const char *const *values; /* byte order, no duplicates */
    uint32_t count;
    bool complement;
    bool absent; /* absence will do; always false for universal keys */
};

struct label_requirement {
    struct label_key key;
    struct value_set values;
};

struct label_set {
    const struct label_requirement *requirements; /* by label_key_compare, one a key, none that is satisfied by all */
    uint32_t count;
};

/* One label of a concrete pod, for questions about points. */
struct label {
    struct label_key key;
    const char *value;
};

struct value_set value_set_of(struct arena *arena, const char *const *values, uint32_t count, bool complement,
                              bool absent);
struct value_set value_set_intersect(struct arena *arena, const struct value_set *a, const struct value_set *b);
struct value_set value_set_union(struct arena *arena, const struct value_set *a, const struct value_set *b);
/* The complement within "any value or absence" (universal keys: within "any value"). */
struct value_set value_set_negate(struct arena *arena, const struct value_set *a, bool universal);
bool value_set_is_empty(const struct value_set *set);
bool value_set_equal(const struct value_set *a, const struct value_set *b);
bool value_set_is_subset(const struct value_set *a, const struct value_set *b);
bool value_set_meets(const struct value_set *a, const struct value_set *b); /* whether both hold something */
bool value_set_contains(const struct value_set *set, const char *value_or_null);

struct label_set label_set_everything(void);
/* The set with the requirement added (conjunction). */
struct label_set label_set_require(struct arena *arena, const struct label_set *set, struct label_key key,
                                   const struct value_set *values);
struct label_set label_set_intersect(struct arena *arena, const struct label_set *a, const struct label_set *b);
bool label_set_is_empty(const struct label_set *set);
/* The values required of the key; NULL: it is free. */
const struct value_set *label_set_values(const struct label_set *set, const struct label_key *key);
/* Whether some pod may be in both. */
bool label_set_meets(const struct label_set *a, const struct label_set *b);
/* Whether every pod of A is one of B; neither may be empty. */
bool label_set_is_subset(const struct label_set *a, const struct label_set *b);
/* Labels that are not listed are absent; without one for the cluster the pod is in LABEL_DEFAULT; without one for the
 * service account that is unknown, and no requirement on it holds. */
bool label_set_contains(const struct label_set *set, const struct label *labels, uint32_t count);
/* The same where every requirement on what is unknown holds. */
bool label_set_might_contain(const struct label_set *set, const struct label *labels, uint32_t count);
/* "namespace=kube-system, app in (a, b)" */
void label_requirements_print(struct buffer *out, const struct label_set *set);
/* "pods namespace=kube-system, app in (a, b)"; "every pod". */
void label_set_print(struct buffer *out, const struct label_set *set);

#endif

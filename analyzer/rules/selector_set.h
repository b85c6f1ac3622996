/*
 * Selectors of peers as sets of destinations, and their normal forms.
 *
 * A Cilium selector is asked of every sort of destination: of pods as label constraints, of special identities,
 * addresses and names by the labels that these carry (`reserved:*`, `cidr:*`, `fqdn:*`).
 */
#ifndef ANALYZER_RULES_SELECTOR_SET_H
#define ANALYZER_RULES_SELECTOR_SET_H

#include "analyzer/rules/reading.h"
#include "ir/destination_set.h"

/* A requirement in its normal form: Cilium keys with their source. */
struct label_condition {
    const char *key;
    enum selector_operator verb;
    const char *const *values; /* byte order, no duplicates */
    uint32_t count;
};

struct label_conditions {
    struct label_condition *list;
    size_t count, capacity;
};

/* Appends the selector's requirements; `prefix` is put before each key ("k8s:", a namespace-label prefix, or ""). */
void conditions_add_selector(struct label_conditions *conditions, const struct selector *selector, const char *prefix,
                             struct arena *arena);
void conditions_add(struct label_conditions *conditions, const char *key, enum selector_operator verb,
                    const char *value, struct arena *arena);
/* Sorts and drops repeats; the text is the same for equal conjunctions of equal conditions. */
const char *conditions_normal_form(struct label_conditions *conditions, struct arena *arena);

/* The destinations whose labels fulfil all conditions under Cilium. */
struct destination_set conditions_destinations(const struct label_conditions *conditions, const struct cluster *cluster,
                                               const struct reading *reading);

/* Whether the conditions tell the API server's address from others outside, without the inputs saying which it is: what
 * they select of the outside is then not certain. */
bool conditions_single_out_api_server(const struct label_conditions *conditions, const struct cluster *cluster,
                                      const struct destination_set *selected);

/* A conjunction over plain keys of one scope, as the Kubernetes API reads it. */
struct label_set selector_label_set(const struct selector *selector, enum label_scope scope, struct label_set start,
                                    struct arena *arena);

#endif

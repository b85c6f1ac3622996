/*
 * Endpoints: pods, known by their labels, as a union of terms. A term is a label set less other label sets; what is
 * taken away is not split into pieces, for the pieces would multiply.
 *
 * Whether anything is left of a term is decided by trying which requirement of each exclusion a pod fails. Effort is
 * bounded (ENDPOINT_SET_EFFORT states a question): past that the answer is SET_UNDECIDED.
 */
#ifndef IR_ENDPOINT_SET_H
#define IR_ENDPOINT_SET_H

#include "ir/label_set.h"
#include "ir/set.h"

enum { ENDPOINT_SET_EFFORT = 500000 };

struct endpoint_term {
    struct label_set all_of;
    const struct label_set *none_of; /* each meets all_of and has at least two requirements that this leaves open */
    uint32_t none_count;
};

struct endpoint_set {
    const struct endpoint_term *terms; /* none of them known to be empty */
    uint32_t count;
};

/* A pod as a witness: the labels that it must carry; all others are absent. The namespace's name is always there. */
struct endpoint {
    const struct label *labels; /* by label_key_compare */
    uint32_t count;
};

struct endpoint_set endpoint_set_nothing(void);
struct endpoint_set endpoint_set_everything(void);
struct endpoint_set endpoint_set_of(struct arena *arena, const struct label_set *set);

struct endpoint_set endpoint_set_union(struct arena *arena, const struct endpoint_set *a, const struct endpoint_set *b);
struct endpoint_set endpoint_set_intersect(struct arena *arena, const struct endpoint_set *a,
                                           const struct endpoint_set *b);
struct endpoint_set endpoint_set_subtract(struct arena *arena, const struct endpoint_set *a,
                                          const struct endpoint_set *b);
/* Certain where true; false where undecided. */
bool endpoint_set_is_empty(const struct endpoint_set *set);
/* Spends from *effort, one for each exclusion that is looked at. */
enum emptiness endpoint_set_is_empty_within(const struct endpoint_set *set, int64_t *effort);
/* Labels as in label_set_contains; true only if it is so whatever the service account, where that is not listed. */
bool endpoint_set_contains(const struct endpoint_set *set, const struct label *labels, uint32_t count);
/* The pod that comes first by labels in byte order: each key in its order absent if that will do, else the least value.
 * Least is LABEL_DEFAULT for names (of the namespace, the service account, the cluster); then values of at most one
 * character; then all others in byte order. Where all but some values will do, the first that is not excluded is taken
 * of "", "0" to "9", "A" to "Z", "a" to "z", "00", ...; names are never empty and have no capitals. */
bool endpoint_set_sample(struct arena *arena, const struct endpoint_set *set, struct endpoint *endpoint);
/* That order: negative, 0 or positive. */
int endpoint_compare(const struct endpoint *a, const struct endpoint *b);
/* "pod namespace=default, app=web" */
void endpoint_print(struct buffer *out, const struct endpoint *endpoint);
/* "pods namespace=kube-system; pods app in (a, b) except (k=v, l=w)"; "every pod"; "no pod" */
void endpoint_set_print(struct buffer *out, const struct endpoint_set *set);

#endif

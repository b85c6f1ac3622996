/*
 * Assumptions: what a decision rests on and the inputs do not show, each a sentence, listed once (spec/config.md 9).
 */
#ifndef ANALYZER_VERIFY_ASSUMPTIONS_H
#define ANALYZER_VERIFY_ASSUMPTIONS_H

#include "analyzer/verify/subjects.h"
#include "analyzer/verify/union.h"

struct assumptions {
    struct arena *arena;
    const char **list;
    size_t count, capacity;
};

void assumptions_init(struct assumptions *assumptions, struct arena *arena);
void assumptions_add(struct assumptions *assumptions, const char *sentence);
/* In byte order, each once. */
struct string_list assumptions_list(struct assumptions *assumptions);

/* What any reading of Cilium's policies assumes under these facts. */
void assumptions_of_cilium(struct assumptions *assumptions, const struct cluster_facts *facts);
void assumptions_of_union(struct assumptions *assumptions, const struct union_setup *setup,
                          const struct subject_list *subjects);

#endif

/*
 * The index of members: found by their namespace and one label that they demand. Private to lint_index.c and lint_select.c.
 */
#ifndef ANALYZER_LINT_INDEX_H
#define ANALYZER_LINT_INDEX_H

#include "analyzer/lint/scope.h"

/* A member under its namespace ("" where it is cluster-wide) and one label that it demands: hashes, which the test that
 * follows makes good. `key` 0: it demands none. */
struct member_place {
    uint64_t namespace, key, value;
    size_t member;
};

struct member_index {
    struct member_place *list;
    size_t count, capacity;
};

void member_index_make(struct member_index *index, const struct lint_scope *scope);
const struct selector *member_selector(const struct lint_member *member);

/* Members that were found; the caller empties it by its count. */
struct found {
    size_t *list;
    size_t count, capacity;
    struct arena *arena;
};

void found_add(struct found *found, size_t member);
/* Ascending, each once. */
void found_sort(struct found *found);

/* Members of one namespace, or with "" of the cluster-wide ones, that no label finds; those that a label of the pod finds,
 * as it is; both. */
void find_unlabelled(struct found *found, const struct member_index *index, const char *namespace);
void find_labelled(struct found *found, const struct member_index *index, const char *namespace,
                   const struct subject *subject);
void find_exact(struct found *found, const struct member_index *index, const char *namespace,
                const struct subject *subject);
/* Calls `visit` for members of the namespace that no label of the pod speaks against: those of find_exact, and those that
 * demand a label that the pod does not carry; perhaps more than once; until it returns false. */
typedef bool index_visit(void *context, size_t member);
void index_walk(const struct member_index *index, const char *namespace, const struct subject *subject,
                index_visit *visit, void *context);

#endif

/*
 * Indexes: the `EgressSnapshot` documents that say which collections of a cluster were read, which were not, and which
 * file holds which (spec/snapshot.md, spec/analysis.md 1).
 *
 * An index is believed as far as its folder bears it out. What does not agree is an error, and the collection counts as
 * failed; of an index that is malformed all collections do. The objects of the files stay: what they prove is proved.
 */
#ifndef KUBE_SNAPSHOT_INDEX_H
#define KUBE_SNAPSHOT_INDEX_H

#include "kube/object.h"

enum collection_status {
    COLLECTION_UNTOLD, /* no index is among the inputs: what is there is all there is */
    COLLECTION_READ,
    COLLECTION_NOT_SERVED,
    COLLECTION_FORBIDDEN,
    COLLECTION_FAILED,
    COLLECTION_ABSENT, /* no index lists it */
    COLLECTION_STATUS_COUNT
};
const char *collection_status_word(enum collection_status status); /* "read", "not-served", ... */

/* One entry of an index. */
struct collection {
    const char *resource;  /* "networkpolicies" */
    const char *group;     /* NULL: not given */
    const char *namespace; /* NULL: of the whole cluster */
    enum collection_status status;
    const char *reason; /* or NULL */
    const char *path;   /* of its file, as inputs are called; NULL: it has none */
    uint64_t items;
    const struct node *node; /* the entry */
};

struct snapshot_index {
    const char *file;
    size_t place;                  /* in the inputs' files */
    const struct node *root;       /* NULL: its file could not be read, and its name alone tells what it was */
    const char *taken_at;          /* RFC 3339, or NULL */
    const struct node *namespaces; /* the list of strings that bounds what was read; NULL: all */
    struct collection *collections;
    size_t count;
    bool malformed;
};

struct snapshot_indexes {
    struct snapshot_index *list; /* in the order of the inputs */
    size_t count;
    const char *const *namespaces; /* by place in the inputs' files: what an index gives them, or NULL */
    const char *taken_at;          /* the earliest, or NULL */
};

/* The files that indexes among the inputs list and that are not there by that name, sorted: for inputs_read_more. */
const char *const *snapshot_index_paths(const struct inputs *inputs, struct arena *arena, size_t *count);

/* Reads the indexes and holds them against the files. Diagnostics: `snapshot-index`. */
void snapshot_indexes_read(const struct inputs *inputs, struct arena *arena, struct snapshot_indexes *indexes,
                           struct diagnostics *diagnostics);

/* What is known of a collection as a whole. */
struct collection_view {
    enum collection_status status;
    const char *reason; /* what the index says, or what is wrong with it; or NULL */
};

/* The objects of a kind that a namespace may hold; of a cluster-wide kind, or with NULL, those of the whole cluster. One
 * entry that was read makes it read; else the worst of them counts. */
struct collection_view snapshot_indexes_view(const struct snapshot_indexes *indexes, enum object_kind kind,
                                             const char *namespace);

#endif

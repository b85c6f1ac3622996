/*
 * The parts of reading indexes. Private to kube/.
 */
#ifndef KUBE_SNAPSHOT_INDEX_PARTS_H
#define KUBE_SNAPSHOT_INDEX_PARTS_H

#include "kube/shape.h"
#include "kube/snapshot_index.h"

/* Whether a document is an index. */
bool snapshot_index_is(const struct document *document, const char *file);

/* Reads the index of a document. What is wrong with it is reported, and makes it malformed. */
void snapshot_index_parse(const struct node *root, const char *file, struct arena *arena, struct snapshot_index *index,
                          struct diagnostics *diagnostics);

/* The path of a listed file, beside the index: "snap/pods.json" for "pods.json" of "snap/snapshot.json". NULL: it is no
 * file below the folder of the index. */
const char *snapshot_index_path(struct arena *arena, const char *index_file, const char *file);

/* Holds the indexes against the files: marks collections as failed, and tells the files' namespaces by place. */
void snapshot_indexes_check(struct snapshot_indexes *indexes, const struct inputs *inputs, const char **namespaces,
                            struct arena *arena, struct diagnostics *diagnostics);

#endif

/*
 * The index of a snapshot, as it is written (spec/snapshot.md; kube/snapshot_index.h reads it).
 */
#ifndef ONLINE_SNAPSHOT_FILE_H
#define ONLINE_SNAPSHOT_FILE_H

#include "online/plan.h"

struct snapshot_head {
    const char *taken_at, *server;
    const char *server_version, *context; /* or NULL */
    const char *const *namespaces;        /* NULL: all of them */
    size_t namespace_count;
};

void snapshot_file_print(struct buffer *out, const struct snapshot_head *head, const struct plan *plan);

#endif

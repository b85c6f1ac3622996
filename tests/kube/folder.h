/* Folders of files that stand in snippets, for the tests of indexes. */
#ifndef TESTS_KUBE_FOLDER_H
#define TESTS_KUBE_FOLDER_H

#include "kube/snapshot_index.h"

struct folder_file {
    const char *name, *text; /* a NULL name ends a list */
};

struct folder {
    struct arena *arena;
    struct diagnostics diagnostics;
    struct inputs inputs;
    struct snapshot_indexes indexes;
};

/* Reads the files, as found in a walk, and the indexes among them. */
struct folder *folder_read(const struct folder_file *files);
void folder_destroy(struct folder *folder);

/* How many diagnostics of the code `snapshot-index` there are. */
size_t folder_faults(const struct folder *folder);

#endif

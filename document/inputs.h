/*
 * Inputs: files and directories of manifests, found in byte order and read by several workers at once.
 *
 * The result is the same whatever the number of workers or the order in which a directory lists its entries.
 */
#ifndef DOCUMENT_INPUTS_H
#define DOCUMENT_INPUTS_H

#include "document/reader.h"

struct inputs_options {
    struct reader_options reader;
    const char *const *exclude; /* glob patterns of paths and of base names; ends with NULL; NULL: none */
    unsigned jobs;              /* workers, at least 1 */
};

struct inputs {
    struct file *files; /* in order of the arguments, then byte order of paths; a file reached twice stands once */
    size_t count;
    size_t bytes;
    const char **excluded; /* paths left out, in byte order */
    size_t excluded_count;
    struct arena **arenas; /* of the workers; hold the trees */
    size_t arena_count;
};

/* Walks and reads `paths` (files, directories, "-"). A path that is named and cannot be opened: returns false, with an
 * `unreadable` diagnostic (the command ends with exit 2). One inside a directory: FILE_UNREADABLE and a diagnostic.
 * Directories: `.yaml`, `.yml`, `.json`; hidden entries skipped; symbolic links to files followed, to directories not. */
bool inputs_read(const char *const *paths, size_t path_count, const struct inputs_options *options, struct arena *arena,
                 struct inputs *inputs, struct diagnostics *diagnostics);

/* Returns the workers' arenas. */
void inputs_destroy(struct inputs *inputs);

#endif

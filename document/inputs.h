/*
 * Inputs: files and directories of manifests, found in byte order and read by several workers at once.
 *
 * The result is the same whatever the number of workers or the order in which a directory lists its entries.
 */
#ifndef DOCUMENT_INPUTS_H
#define DOCUMENT_INPUTS_H

#include <sys/types.h>

#include "document/reader.h"

struct inputs_options {
    struct reader_options reader;
    const char *const *exclude; /* glob patterns of paths and of base names; ends with NULL; NULL: none */
    unsigned jobs;              /* workers, at least 1 */
};

/* How a file came among the inputs. */
struct input_origin {
    dev_t device; /* with the inode: which file it is, whatever its name */
    ino_t inode;
    bool known; /* false: it could not be asked */
    bool named; /* an argument itself, not found in a directory */
};

struct inputs {
    struct file *files; /* in order of the arguments, then byte order of paths; a file reached twice stands once */
    size_t count;
    const struct input_origin *origins; /* by place in `files`; NULL: not known */
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

/* Reads files that those inputs name (an index, kube/snapshot_index.h) and appends them, in byte order of paths. What is
 * there already, is excluded or does not exist is passed over. */
void inputs_read_more(const char *const *paths, size_t path_count, const struct inputs_options *options,
                      struct arena *arena, struct inputs *inputs, struct diagnostics *diagnostics);

/* Returns the workers' arenas. */
void inputs_destroy(struct inputs *inputs);

#endif

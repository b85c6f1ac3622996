/*
 * The files that the arguments of a command stand for. Private to inputs.
 */
#ifndef DOCUMENT_INPUTS_WALK_H
#define DOCUMENT_INPUTS_WALK_H

#include <sys/types.h>

#include "document/inputs.h"

struct input {
    const char *name; /* as shown */
    const char *path; /* to open; NULL: standard input */
    size_t size;      /* as the file system says, for the order of work */
    dev_t device;
    ino_t inode;
    bool regular;
    bool named; /* an argument itself, not found in a directory */
    int error;  /* errno of why it cannot be read, or 0 */
};

struct input_list {
    struct arena *arena;
    const char *const *exclude; /* as inputs_options */
    struct input *list;
    size_t count, capacity;
    const char **excluded;
    size_t excluded_count, excluded_capacity;
};

/* All files in order, each once; names in a directory in byte order. */
void inputs_walk(const char *const *paths, size_t path_count, struct input_list *inputs);

#endif

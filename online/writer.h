/*
 * The snapshot's folder: made beside its place under another name, filled, and renamed into place at the end
 * (spec/snapshot.md). Until then nothing stands at its place, and what is there already stays.
 *
 * Folder and files are the owner's alone (0700, 0600). Files of one folder may be written by several threads.
 */
#ifndef ONLINE_WRITER_H
#define ONLINE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

/* What is asked of the system, so that tests can let each of it fail. As the functions of POSIX. */
struct writer_calls {
    char *(*make_folder)(char *template);
    int (*create)(int folder, const char *name); /* a new file, for writing */
    ssize_t (*write)(int descriptor, const void *bytes, size_t length);
    int (*truncate)(int descriptor, off_t length);
    int (*sync)(int descriptor);
    int (*close)(int descriptor);
    int (*rename)(const char *from, const char *to);
};
extern const struct writer_calls writer_system;

struct writer {
    const struct writer_calls *calls;
    const char *place;
    char *stage; /* the folder's other name; NULL: there is none */
    int folder;  /* its descriptor */
    bool replaces;
    struct arena *arena;
    const char *problem; /* what went wrong last */
};

/* Makes the folder. With `replaces`, what stands at `place` must be a snapshot: a folder of an index and .json files and
 * nothing else; without, nothing may stand there. False: `problem` says why. */
bool writer_open(struct writer *writer, const struct writer_calls *calls, const char *place, bool replaces,
                 struct arena *arena);
/* Renames it into place; false: `problem`, and nothing is left of it. */
bool writer_place(struct writer *writer);
/* Removes the folder and all in it, if it is not in its place. */
void writer_abandon(struct writer *writer);

enum { WRITER_BLOCK = 64 * 1024 };

struct writer_file {
    const struct writer *writer;
    int descriptor;
    const char *name;
    int error;        /* errno of the first thing that failed, 0: nothing did */
    uint64_t flushed; /* bytes in the file */
    size_t length;    /* in the block */
    char block[WRITER_BLOCK];
};

/* Errors latch: they may be looked at once, when the file is closed. */
bool writer_file_open(struct writer_file *file, const struct writer *writer, const char *name);
bool writer_file_put(struct writer_file *file, const char *bytes, size_t length);
/* How many bytes were put; a place to go back to. */
uint64_t writer_file_tell(const struct writer_file *file);
bool writer_file_rewind(struct writer_file *file, uint64_t place);
/* False: not all of it was written. With `keep` false the file is removed. */
bool writer_file_close(struct writer_file *file, bool sync, bool keep);

#endif

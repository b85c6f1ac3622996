/*
 * `resolvedHostsFile`: a text file with one host entry a line (spec/config.md 2).
 */
#ifndef COMPILER_HOSTS_FILE_H
#define COMPILER_HOSTS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostic.h"
#include "base/text.h"

struct arena;

/* A line that holds an entry. */
struct hosts_line {
    struct text entry; /* blanks trimmed */
    struct text line;  /* the whole line, without its end */
    struct location location;
};

struct hosts_file {
    struct hosts_line *lines;
    size_t count;
    bool not_utf8;
    struct location fault; /* of the first byte that is no UTF-8 */
};

/* Splits a file's content; blank lines and comments are left out. `name` is the file as shown. */
void hosts_file_split(const char *name, struct text content, struct arena *arena, struct hosts_file *file);

/* The path of a file that a config in `folder` names; never "-", which would be standard input. */
const char *hosts_file_path(struct arena *arena, const char *folder, const char *name);

#endif

/*
 * Lines of a text that is in memory, for the excerpts of diagnostics.
 */
#ifndef COMPILER_SOURCE_LINES_H
#define COMPILER_SOURCE_LINES_H

#include "base/diagnostic.h"
#include "base/text.h"

struct arena;

struct source_lines {
    const char *file; /* as shown */
    struct text text;
    size_t *starts; /* offset of each line */
    size_t count;
};

/* The text must outlive the lines. A text in UTF-16 has none. */
void source_lines_init(struct source_lines *lines, const char *file, struct text text, struct arena *arena);

/* Gives every diagnostic that stands in this file, and has no excerpt yet, its line; long lines are not shown. */
void source_lines_excerpt(const struct source_lines *lines, struct diagnostics *diagnostics);

#endif

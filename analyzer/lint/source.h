/*
 * Lines of inputs that are read again, for comments and excerpts, which are not in the tree. Private to analyzer/lint/.
 */
#ifndef ANALYZER_LINT_SOURCE_H
#define ANALYZER_LINT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { SOURCE_LINE_MAX = 4096 };

/* One line, from 1 on, without its break; `whole` false: only its first bytes, it is longer than SOURCE_LINE_MAX. False
 * ends the reading. */
typedef bool source_visit(void *context, uint32_t line, struct text text, bool whole);

/* Gives the lines of a file in order, as the readers count them (a byte order mark is no part of the first). False: it
 * cannot be read, or is standard input or UTF-16. */
bool source_read_lines(const char *file, source_visit *visit, void *context);

#endif

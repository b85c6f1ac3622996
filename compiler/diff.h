/*
 * Unified diffs of two texts, as `diff -u` prints them, with three lines of context.
 */
#ifndef COMPILER_DIFF_H
#define COMPILER_DIFF_H

#include <stdbool.h>

#include "base/text.h"

/* Appends the diff of `before` to `after` under the given names; nothing, and false, where they are equal. A text without
 * a final newline is marked as `diff` marks it. */
bool diff_unified(struct buffer *out, const char *before_name, struct text before, const char *after_name,
                  struct text after);

#endif

/*
 * Regular expressions: the only door to PCRE2.
 *
 * For expressions that come from outside (the label filter of a Cilium agent, spec/cilium-egress.md 1.2; patterns that
 * schemas publish) and for tests that hold a hand parser against a published expression. Grammars on hot paths are hand
 * parsers. An expression reads bytes, not characters, and `$` is the end of the text only, as in Go. Effort is bounded
 * when compiling and when matching; there is no JIT. A compiled pattern is read-only: threads may share it.
 */
#ifndef GRAMMAR_PATTERN_H
#define GRAMMAR_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct arena;
struct pattern;

enum { PATTERN_MAX_LENGTH = 16384, PATTERN_MATCH_LIMIT = 200000 };

enum pattern_anchor {
    PATTERN_ANYWHERE, /* may match any part of the text */
    PATTERN_AT_START, /* must begin where the text begins */
    PATTERN_WHOLE     /* must match all of the text */
};

enum pattern_result { PATTERN_NO, PATTERN_YES, PATTERN_LIMIT /* the bound on effort was reached: not known */ };

/* The compiled expression, owned by the caller until pattern_destroy. NULL: it is no expression, or is over the bounds;
 * *offset (may be NULL) is then the byte where that shows. */
struct pattern *pattern_compile(struct text expression, enum pattern_anchor anchor, size_t *offset);

/* The same, owned by the arena: never destroyed. */
const struct pattern *pattern_compile_in(struct arena *arena, struct text expression, enum pattern_anchor anchor,
                                         size_t *offset);

/* NULL is allowed. */
void pattern_destroy(struct pattern *pattern);

enum pattern_result pattern_match(const struct pattern *pattern, struct text text);

/* The same; where it matches, *end is the offset behind the first match. */
enum pattern_result pattern_find(const struct pattern *pattern, struct text text, size_t *end);

#endif

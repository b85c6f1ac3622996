/* How SARIF spells a path. */
#ifndef REPORT_FINDING_SARIF_H
#define REPORT_FINDING_SARIF_H

#include <stdbool.h>

#include "base/text.h"

/* The path as a URI reference: "./a b.yaml" is "a%20b.yaml", "/a" is "file:///a". */
void sarif_uri(struct buffer *out, const char *file);

/* Whether the path is one of %SRCROOT%: neither absolute, nor above it, nor standard input. */
bool sarif_is_below_root(const char *file, struct arena *arena);

#endif

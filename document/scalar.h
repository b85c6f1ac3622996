/*
 * How the Kubernetes toolchain types an untagged plain scalar: a YAML 1.1 dialect (spec/kubernetes-egress.md 3.3).
 */
#ifndef DOCUMENT_SCALAR_H
#define DOCUMENT_SCALAR_H

#include "document/node.h"

/* NODE_NULL, NODE_BOOL, NODE_INT, NODE_FLOAT or NODE_STRING. */
enum node_kind scalar_kind(struct text plain);
bool scalar_bool(struct text plain);
/* The value of an int or float scalar as a whole number; false: it has a fraction, or is outside int64. */
bool scalar_integer(struct text plain, int64_t *value);
double scalar_float(struct text plain);
/* The string that a key of this spelling becomes ("y" gives "true", "0123" gives "83"); NULL for a null key, and for a
 * whole number above int64, which the toolchain refuses as a key too. */
const char *scalar_key(struct arena *arena, struct text plain);
/* A number as the JSON that the toolchain makes of it ("0443" gives "291", "80.0" gives "80"), NUL-terminated. Returns
 * its length, or 0 where JSON has none: no number, an infinity, not a number. */
enum { SCALAR_SPELLING = 40 };
size_t scalar_spell(struct text plain, char spelling[SCALAR_SPELLING]);
/* Whether YAML 1.2 readers type it otherwise than this dialect, or it does not mean what it looks like. */
bool scalar_is_surprising(struct text plain);
/* Whether a string must be quoted in canonical YAML (spec/cli.md "YAML output"). */
bool scalar_needs_quotes(struct text string);

#endif

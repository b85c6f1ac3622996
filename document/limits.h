/*
 * Bounds on hostile input, each moved by an option (spec/design.md, "Hostile input").
 */
#ifndef DOCUMENT_LIMITS_H
#define DOCUMENT_LIMITS_H

#include <stddef.h>

struct limits {
    size_t bytes;  /* of a file: --max-bytes */
    size_t depth;  /* of nesting: --max-depth */
    size_t nodes;  /* of a file: --max-nodes */
    size_t alias;  /* nodes that aliases stand for, a document: --max-alias */
    size_t scalar; /* bytes of a scalar, and the most bytes read without an event: --max-scalar */
};

struct limits limits_default(void);

#endif

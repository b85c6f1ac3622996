/*
 * Grants of tests: a config, grants and the ConfigMap of permitted hosts, each a text in memory.
 */
#ifndef TESTS_COMPILER_GRANTS_H
#define TESTS_COMPILER_GRANTS_H

#include "compiler/grant.h"
#include "load.h"

struct granting {
    struct loaded loaded;
    struct grant_set set;
};

/* Reads and finishes. `grants` is `grant.yaml`; `permitted` is `permitted.yaml`, a stream with the ConfigMap; NULL: it is not
 * looked for. End with granting_free. */
struct granting grant_texts(const char *config, const char *grants, const char *permitted);
void granting_free(struct granting *granting);

/* "CODE PATH LINE:COLUMN" lines of the boundary's and the outer diagnostics of that severity or a worse one. */
const char *granting_lines(const struct granting *granting, enum severity severity);

/* The objects of the grants as YAML. */
const char *granting_yaml(const struct granting *granting);

#endif

/*
 * Pieces that the checks of grants share. Only the folder's own files use this header.
 */
#ifndef COMPILER_GRANT_PARTS_H
#define COMPILER_GRANT_PARTS_H

#include "compiler/grant.h"

/* grant_hosts.c: the hosts of a document, as config.md 2 judges them, then by the narrowing of `perSandbox`. */
void grant_read_hosts(struct grant *grant, const struct node *list, struct arena *arena);

#endif

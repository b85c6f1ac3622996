/*
 * Label maps of evidence, and what is reported about evidence. Private to kube/.
 */
#ifndef KUBE_EVIDENCE_LABELS_H
#define KUBE_EVIDENCE_LABELS_H

#include "kube/evidence.h"

/* The string entries of a map (null is ""), sorted by key; of a key that stands twice, the last. */
struct labels labels_read(const struct node *map, struct arena *arena);

/* The same with one more, or with another value. */
struct labels labels_with(struct labels labels, const char *key, const char *value, struct arena *arena);

/* Reports CIDR groups that cannot be read. */
void evidence_check(const struct evidence *evidence, struct diagnostics *diagnostics);

#endif

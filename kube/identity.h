/*
 * Cilium's identity label filter: which pod labels are part of an identity (spec/cilium-egress.md 1.2).
 */
#ifndef KUBE_IDENTITY_H
#define KUBE_IDENTITY_H

#include <stdbool.h>

struct arena;

struct identity_filter; /* compiled from the agent's `labels` option */

/* NULL option: the default filter. Returns NULL where the option cannot be read. */
const struct identity_filter *identity_filter_of(const char *option, struct arena *arena);

/* Whether a pod label of that key is kept. `filter` NULL: no filter, everything is. */
bool identity_filter_keeps(const struct identity_filter *filter, const char *key);

#endif

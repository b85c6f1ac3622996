/*
 * Label selectors of policy objects: the common shape, and who refuses what (spec/kubernetes-egress.md 2,
 * spec/cilium-egress.md 1.2). Private to kube/.
 */
#ifndef KUBE_SELECTOR_H
#define KUBE_SELECTOR_H

#include "kube/field.h"

/* The fields of a selector, for the `below` of rows that hold one. */
extern const struct field selector_fields[];

/* Readers of a struct selector. */
field_reader selector_read_core;   /* checked by the API server */
field_reader selector_read_cilium; /* keys with sources; schema and agent check */
field_reader selector_read_plain;  /* in a CRD, keys without sources; only the schema is known to check */

/* Reader of a struct cilium_selectors; `below` of the row is the row of an entry. */
field_reader selectors_read;

#endif

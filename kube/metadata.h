/*
 * Metadata of policy objects: its fields and what the API server refuses (spec/kubernetes-egress.md 3.1). Private to
 * kube/.
 */
#ifndef KUBE_METADATA_H
#define KUBE_METADATA_H

#include "kube/field.h"

extern const struct field metadata_fields[];

void metadata_check(struct policy_reader *reader);

#endif

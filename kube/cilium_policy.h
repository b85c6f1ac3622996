/*
 * Reading CiliumNetworkPolicy and CiliumClusterwideNetworkPolicy objects (spec/cilium-egress.md). Private to kube/.
 */
#ifndef KUBE_CILIUM_POLICY_H
#define KUBE_CILIUM_POLICY_H

#include "kube/field.h"

/* Reads the whole object: fills rules and rule_count. */
void cilium_policy_read(struct policy_reader *reader, struct policy *policy);

#endif

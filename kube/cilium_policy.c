#include "kube/cilium_policy.h"

void cilium_policy_read(struct policy_reader *reader, struct policy *policy) { (void)reader, (void)policy; }

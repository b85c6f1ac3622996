/*
 * Services as peers (spec/cilium-egress.md 3.6).
 */
#ifndef ANALYZER_RULES_SERVICE_H
#define ANALYZER_RULES_SERVICE_H

#include "analyzer/rules/peer.h"

/* toServices of an entry. What resolves to nothing leaves the rule without peers: with ports it reaches everything. */
void peers_of_services(const struct cilium_entry *entry, bool deny, bool has_ports, const struct cluster *cluster,
                       const struct reading *reading, struct peer_list *peers);

#endif

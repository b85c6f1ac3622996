/*
 * Entities: Cilium's names for sorts of destinations (spec/cilium-egress.md 3.3).
 */
#ifndef ANALYZER_RULES_ENTITY_H
#define ANALYZER_RULES_ENTITY_H

#include "analyzer/rules/reading.h"
#include "ir/destination_set.h"

enum {
    NODE_HOST = 1u << SPECIAL_HOST | 1u << SPECIAL_HOST_API_SERVER,
    NODE_REMOTE = 1u << SPECIAL_REMOTE_NODE | 1u << SPECIAL_REMOTE_NODE_API_SERVER
};

/* What an entity covers; false: no entity has that name. */
bool entity_destinations(const char *word, const struct cluster *cluster, struct destination_set *set);

#endif

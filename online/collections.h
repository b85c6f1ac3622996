/*
 * Collections: which resources are read, how the API server calls them, and what is kept of their objects
 * (spec/snapshot.md).
 */
#ifndef ONLINE_COLLECTIONS_H
#define ONLINE_COLLECTIONS_H

#include "online/prune.h"

/* Who needs a collection. */
enum collection_need {
    COLLECTION_ALWAYS,
    COLLECTION_OF_CILIUM,   /* boundaries under Cilium */
    COLLECTION_OF_ADMISSION /* boundaries with grants */
};

struct collection_row {
    const char *resource; /* "networkpolicies" */
    const char *group;    /* "" is the core group */
    const char *versions; /* that are tried in turn, separated by blanks */
    const char *kind;     /* "NetworkPolicy" */
    bool is_namespaced;
    enum collection_need need;
    const struct prune_rule *keep; /* of each object */
};

enum { COLLECTION_ROWS = 18 };
extern const struct collection_row collection_rows[COLLECTION_ROWS];
/* ConfigMaps are read one by one, by name, and are no row of that table. */
extern const struct collection_row collection_config_map;

/* The row of a resource, NULL: there is none. */
const struct collection_row *collection_find(const char *resource);

#endif

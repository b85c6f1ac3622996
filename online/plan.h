/*
 * The plan: which collections of which namespaces a snapshot reads, by the options and the config (spec/snapshot.md).
 */
#ifndef ONLINE_PLAN_H
#define ONLINE_PLAN_H

#include "compiler/config.h"
#include "online/client.h"

struct plan_wanted {
    const struct config *config;   /* that chooses what is needed; NULL: everything is */
    const char *const *namespaces; /* NULL: all of them */
    size_t namespace_count;
    const char *const *collections; /* to which the list is narrowed; NULL: not */
    size_t collection_count;
};

struct plan {
    struct fetch *fetches; /* in the order of the index */
    size_t count, capacity;
};

void plan_make(const struct plan_wanted *wanted, struct arena *arena, struct plan *plan);

/* Whether a word names a collection. */
bool plan_knows(const char *resource);
/* The known words; ends with NULL. */
const char *const *plan_words(struct arena *arena);

#endif

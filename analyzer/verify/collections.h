/*
 * Collections: what had to be read of a cluster before a check may pass (spec/analysis.md 1).
 */
#ifndef ANALYZER_VERIFY_COLLECTIONS_H
#define ANALYZER_VERIFY_COLLECTIONS_H

#include "analyzer/decision.h"
#include "analyzer/snapshot.h"

/* Whether the word names a collection: "networkpolicies", "pods", ... */
bool collection_is_known(const char *word);

/* The known words, ends with NULL. */
const char *const *collection_words(struct arena *arena);

/* Of the required collections those of which the inputs hold nothing, by word. Empty policy repos are no proof. */
void collections_unread(const char *const *required, size_t count, const struct snapshot *snapshot, struct arena *arena,
                        const struct unread **unread, size_t *unread_count);

#endif

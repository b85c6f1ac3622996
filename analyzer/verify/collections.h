/*
 * Collections: what had to be read of a cluster before a check may pass (spec/analysis.md 1).
 */
#ifndef ANALYZER_VERIFY_COLLECTIONS_H
#define ANALYZER_VERIFY_COLLECTIONS_H

#include "analyzer/decision.h"
#include "analyzer/rules/reading.h"
#include "analyzer/snapshot.h"

/* Whether the word names a collection: "networkpolicies", "pods", ... */
bool collection_is_known(const char *word);

/* The known words, ends with NULL. */
const char *const *collection_words(struct arena *arena);

/* Whether the objects of a kind in a namespace were read; of a cluster-wide kind the namespace says nothing. NULL: they
 * were, or no index is there to say otherwise, or the API server serves none and that means that there are none. Else one
 * sentence that says what to do, and the collection is listed as unread. */
const char *snapshot_lacks(struct snapshot *snapshot, enum object_kind kind, const char *namespace);

/* The same of all kinds that the union check needs under an engine, and the ingress check likewise: the first sentence. */
const char *snapshot_lacks_policies(struct snapshot *snapshot, bool cilium, const char *namespace);

/* The same of collections that the caller requires. Without an index, one of which the inputs hold nothing was not read:
 * empty policy repos are no proof. */
const char *snapshot_lacks_required(struct snapshot *snapshot, const char *const *required, size_t count,
                                    const char *namespace);

/* Notes the evidence for want of which something stayed open, where an index says that it was not read. */
void snapshot_note_missed(struct snapshot *snapshot);

/* What was found to be unread so far, by resource. */
const struct unread *snapshot_unread(const struct snapshot *snapshot, struct arena *arena, size_t *count);

/* What the snapshot says about the cluster, under the facts. */
struct cluster snapshot_cluster(const struct snapshot *snapshot, const struct cluster_facts *facts);

#endif

/*
 * Snapshots: everything that was read of a policy repo or a cluster, ready for questions (spec/analysis.md 1).
 *
 * Policies are typed when they are first asked for; a namespace's policies are found without a walk over all of them.
 */
#ifndef ANALYZER_SNAPSHOT_H
#define ANALYZER_SNAPSHOT_H

#include "kube/evidence.h"
#include "kube/object.h"
#include "kube/policy.h"
#include "kube/sandbox.h"
#include "kube/snapshot_index.h"

/* A collection that was asked for and not read (analyzer/verify/collections.h). */
struct lack {
    enum object_kind kind;
    const char *namespace; /* NULL: of the whole cluster */
    const char *resource;
    struct collection_view view;
};

struct snapshot {
    struct arena *arena;
    const struct inputs *inputs;
    struct snapshot_indexes indexes;
    bool complete[OBJECT_KIND_COUNT]; /* an index says that all objects of the cluster were read */
    bool *missed;                     /* by kind: something stayed open for want of evidence (struct cluster) */
    struct lack *lacks;
    size_t lack_count, lack_capacity;
    struct objects objects;
    struct evidence evidence;
    struct sandboxes sandboxes;
    struct cluster_facts facts;                  /* what the objects say of the cluster */
    bool facts_hold;                             /* and they do not contradict one another */
    struct policy **policies[OBJECT_KIND_COUNT]; /* by place in objects.of[kind].list; NULL: not typed yet */
    const char
        *unreadable; /* one sentence on the first thing that could not be read and may hold any policy, or NULL */
    struct location unreadable_at;
};

void snapshot_read(const struct inputs *inputs, const char *namespace, struct arena *arena, struct snapshot *snapshot,
                   struct diagnostics *diagnostics);

/* The typed policy of an object of the three kinds. */
const struct policy *snapshot_policy(struct snapshot *snapshot, const struct object *object);

/* The objects of a kind in a namespace, those that name none at the end; cluster-wide kinds: all, for any namespace. The
 * result is a list of pointers, NULL-terminated, in the order of namespace, name and place. */
const struct object *const *snapshot_objects(struct snapshot *snapshot, enum object_kind kind, const char *namespace);

/* Whether another object has this one's kind, namespace and name, and differs. */
bool snapshot_has_twin(const struct snapshot *snapshot, const struct object *object);

/* The text of `namespace/name` or of the name alone. */
const char *object_label(const struct object *object, struct arena *arena);

#endif

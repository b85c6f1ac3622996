/*
 * The table of kinds: which kind, group and versions are one of enum object_kind, where a workload holds its pod template,
 * and what the readers keep of each. Private to kube/.
 */
#ifndef KUBE_OBJECT_KIND_H
#define KUBE_OBJECT_KIND_H

#include "document/reader.h"
#include "kube/object.h"

/* One row: a kind of one API group. */
struct object_kind_row {
    const char *word;     /* "NetworkPolicy" */
    const char *group;    /* "" for the core group */
    const char *versions; /* those that are served, separated by blanks; NULL: any */
    enum object_kind kind;
    const struct document_keep *keep;
    const char *const *template; /* OBJECT_WORKLOAD: keys from the root to the pod template; ends with NULL */
};

/* What a kind of an apiVersion is. */
enum object_class {
    OBJECT_KNOWN,    /* `row` says what */
    OBJECT_UNSERVED, /* `row`, but at a version that is not served */
    OBJECT_FOREIGN,  /* a network policy of another API group, which is not read */
    OBJECT_UNKNOWN   /* of no interest */
};
enum object_class object_classify(struct text api_version, struct text kind, const struct object_kind_row **row);

/* The keys from an object's root to its pod template; NULL: it is no workload. */
const char *const *object_template_path(const struct object *object);

/* Whether two copies of an object say the same; what a server sets in passing (uid, a policy's status) does not count. */
bool object_same_content(const struct object *a, const struct object *b);

/* Keeps one of equal copies, reports differing ones. The list is sorted. Those that are dropped are appended to `dropped`,
 * where it is not NULL and has room for all. */
void object_list_drop_copies(struct object_list *list, struct object_list *dropped, struct diagnostics *diagnostics);

#endif

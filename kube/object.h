/*
 * Objects: what stands in the documents of the inputs, lists flattened, sorted into kinds (spec/analysis.md 1,
 * spec/kubernetes-egress.md 3.5, 6).
 */
#ifndef KUBE_OBJECT_H
#define KUBE_OBJECT_H

#include "document/inputs.h"
#include "document/node.h"

enum object_kind {
    OBJECT_NETWORK_POLICY,
    OBJECT_CILIUM_NETWORK_POLICY,
    OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY,
    OBJECT_ADMIN_NETWORK_POLICY,
    OBJECT_BASELINE_ADMIN_NETWORK_POLICY,
    OBJECT_CLUSTER_NETWORK_POLICY, /* policy.networking.k8s.io */
    OBJECT_NAMESPACE,
    OBJECT_POD,
    OBJECT_WORKLOAD, /* whatever holds a pod template: Deployment, ..., CronJob, PodTemplate */
    OBJECT_SERVICE,
    OBJECT_ENDPOINT_SLICE,
    OBJECT_CILIUM_CIDR_GROUP,
    OBJECT_NODE,
    OBJECT_CONFIG_MAP,
    OBJECT_ADMISSION_POLICY,  /* ValidatingAdmissionPolicy */
    OBJECT_ADMISSION_BINDING, /* ValidatingAdmissionPolicyBinding */
    OBJECT_SANDBOX_TEMPLATE,
    OBJECT_SANDBOX_CLAIM,
    OBJECT_SANDBOX,
    OBJECT_SANDBOX_WARM_POOL,
    OBJECT_KIND_COUNT
};

struct object {
    enum object_kind kind;
    const char *api_version, *kind_word; /* as written; inherited from a typed list where absent */
    const char *namespace;               /* NULL: cluster-wide, or not told */
    const char *name;                    /* NULL: none that is a string */
    const struct node *root;
    const char *file;
    unsigned document, item; /* number of the document in its file, from 1; index in its list, from 0 */
    bool served;             /* false: a known kind at an apiVersion that is not served; outside the model */
};

struct object_list {
    struct object *list; /* sorted by namespace, name, then place: file, document, item */
    size_t count;
};

struct objects {
    struct object_list of[OBJECT_KIND_COUNT];
    struct object_list copies; /* policies that say the same as one of `of`; their other metadata may differ */
    size_t total;              /* objects of any kind */
    size_t skipped;            /* of kinds that nothing reads */
};

/* What a kind is called and whether it has a namespace. */
const char *object_kind_word(enum object_kind kind);
bool object_kind_is_namespaced(enum object_kind kind);
bool object_kind_is_policy(enum object_kind kind);

/* Whether objects of the kind are what the API serves as `resource` ("networkpolicies") of `group`; NULL: of any group. */
bool object_kind_is_resource(enum object_kind kind, const char *group, const char *resource);
/* The API group of a kind, "" for the core group; of OBJECT_WORKLOAD, that of one of them. */
const char *object_kind_group(enum object_kind kind);
/* Whether `resource` is the plural of a kind's word: "networkpolicies" of "NetworkPolicy". */
bool resource_names_kind(struct text resource, struct text kind);

struct object_name object_name_of(const struct object *object);
struct location object_location(const struct object *object);

/* Sorts the documents of the files into objects. `namespace` (may be NULL) is given to namespaced objects that name none.
 * Diagnostics: items without a kind, names of another type, lists in lists are flattened; `duplicate-object` for
 * differing copies (equal copies: one is kept, and of policies the others stand in `copies`); `unknown-kind-version`. */
void objects_collect(const struct inputs *inputs, const char *namespace, struct arena *arena, struct objects *objects,
                     struct diagnostics *diagnostics);

/* The same where some files stand for one namespace (kube/snapshot_index.h): `of_files` has an entry a file, NULL for those
 * that do not; it goes before `namespace`. */
void objects_collect_placed(const struct inputs *inputs, const char *const *of_files, const char *namespace,
                            struct arena *arena, struct objects *objects, struct diagnostics *diagnostics);

/* The first of that kind, namespace and name; NULL: none. `next` copies (duplicates that differ) follow it in the list. */
const struct object *objects_find(const struct objects *objects, enum object_kind kind, const char *namespace,
                                  const char *name);

/* What the analysis needs of each kind, for the readers (document/reader.h). */
const struct document_keep *object_keep(struct text api_version, struct text kind);
/* The same with all annotations of policies, which the API server checks too. */
const struct document_keep *object_keep_annotations(struct text api_version, struct text kind);

#endif

#include "analyzer/verify/collections.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

static const struct {
    const char *word;
    enum object_kind kind;
} collections[] = {
    {"adminnetworkpolicies", OBJECT_ADMIN_NETWORK_POLICY},
    {"baselineadminnetworkpolicies", OBJECT_BASELINE_ADMIN_NETWORK_POLICY},
    {"ciliumcidrgroups", OBJECT_CILIUM_CIDR_GROUP},
    {"ciliumclusterwidenetworkpolicies", OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY},
    {"ciliumnetworkpolicies", OBJECT_CILIUM_NETWORK_POLICY},
    {"clusternetworkpolicies", OBJECT_CLUSTER_NETWORK_POLICY},
    {"configmaps", OBJECT_CONFIG_MAP},
    {"endpointslices", OBJECT_ENDPOINT_SLICE},
    {"namespaces", OBJECT_NAMESPACE},
    {"networkpolicies", OBJECT_NETWORK_POLICY},
    {"nodes", OBJECT_NODE},
    {"pods", OBJECT_POD},
    {"sandboxclaims", OBJECT_SANDBOX_CLAIM},
    {"sandboxes", OBJECT_SANDBOX},
    {"sandboxtemplates", OBJECT_SANDBOX_TEMPLATE},
    {"sandboxwarmpools", OBJECT_SANDBOX_WARM_POOL},
    {"services", OBJECT_SERVICE},
    {"validatingadmissionpolicies", OBJECT_ADMISSION_POLICY},
    {"validatingadmissionpolicybindings", OBJECT_ADMISSION_BINDING},
};
enum { COLLECTIONS = sizeof collections / sizeof *collections };

bool collection_is_known(const char *word) {
    for (size_t i = 0; i < COLLECTIONS; i++)
        if (strcmp(collections[i].word, word) == 0)
            return true;
    return false;
}

const char *const *collection_words(struct arena *arena) {
    const char **words = arena_array(arena, COLLECTIONS + 1, sizeof *words);
    for (size_t i = 0; i < COLLECTIONS; i++)
        words[i] = collections[i].word;
    return words;
}

static enum object_kind kind_of(const char *word) {
    for (size_t i = 0; i < COLLECTIONS; i++)
        if (strcmp(collections[i].word, word) == 0)
            return collections[i].kind;
    return OBJECT_KIND_COUNT;
}

static const char *word_of(enum object_kind kind) {
    for (size_t i = 0; i < COLLECTIONS; i++)
        if (collections[i].kind == kind)
            return collections[i].word;
    return "workloads";
}

/* ---- what to do ---- */

/* "ciliumnetworkpolicies.cilium.io", as roles and CRDs are called. */
static const char *full_name(enum object_kind kind, const char *resource, struct arena *arena) {
    const char *group = object_kind_group(kind);
    return *group ? arena_format(arena, "%s.%s", resource, group) : resource;
}

/* Groups that an API server serves only with CRDs installed. */
static bool needs_crd(enum object_kind kind) {
    const char *group = object_kind_group(kind);
    return strcmp(group, "cilium.io") == 0 || strcmp(group, "policy.networking.k8s.io") == 0 ||
           strstr(group, "agents.x-k8s.io");
}

static const char *remedy(const struct lack *lack, struct arena *arena) {
    const char *name = full_name(lack->kind, lack->resource, arena);
    switch (lack->view.status) {
    case COLLECTION_FORBIDDEN:
        return arena_format(arena, "grant the reader `list` on %s%s%s, and take the snapshot again", name,
                            lack->namespace ? " in namespace " : " in the whole cluster",
                            lack->namespace ? lack->namespace : "");
    case COLLECTION_NOT_SERVED:
        return needs_crd(lack->kind)
                   ? arena_format(arena, "install the CRD %s, or check that this is the cluster and the engine meant",
                                  name)
                   : arena_format(arena, "check the API group of %s on that server", name);
    case COLLECTION_ABSENT:
        return arena_format(arena, "take the snapshot again with %s", lack->resource);
    default:
        return "mend that, and take the snapshot again";
    }
}

static const char *sentence_about(const struct lack *lack, struct arena *arena) {
    static const char *const words[] = {
        [COLLECTION_NOT_SERVED] = "are not served by the API server",
        [COLLECTION_FORBIDDEN] = "may not be listed",
        [COLLECTION_FAILED] = "could not be read",
        [COLLECTION_ABSENT] = "are in no index of the inputs",
    };
    const char *reason = lack->view.reason;
    if (lack->view.status == COLLECTION_UNTOLD)
        return arena_format(arena, "%s had to be read, and the inputs hold nothing of it", lack->resource);
    return arena_format(arena, "%s%s%s %s%s%s%s: %s", lack->resource, lack->namespace ? " of namespace " : "",
                        lack->namespace ? lack->namespace : "", words[lack->view.status], reason ? " (" : "",
                        reason ? reason : "", reason ? ")" : "", remedy(lack, arena));
}

/* ---- what is lacking ---- */

static const char *note_lack(struct snapshot *snapshot, struct lack lack) {
    bool known = false;
    for (size_t i = 0; i < snapshot->lack_count; i++)
        known = known ||
                (snapshot->lacks[i].kind == lack.kind && string_equal(snapshot->lacks[i].namespace, lack.namespace));
    if (snapshot->lack_count == snapshot->lack_capacity)
        snapshot->lacks = arena_grow(snapshot->arena, snapshot->lacks, &snapshot->lack_capacity,
                                     snapshot->lack_count + 1, sizeof *snapshot->lacks);
    if (!known)
        snapshot->lacks[snapshot->lack_count++] = lack;
    return sentence_about(&lack, snapshot->arena);
}

/* An API server that does not serve these kinds has none of them. */
static bool absence_is_none(enum object_kind kind) {
    return kind == OBJECT_ADMIN_NETWORK_POLICY || kind == OBJECT_BASELINE_ADMIN_NETWORK_POLICY ||
           kind == OBJECT_CLUSTER_NETWORK_POLICY;
}

const char *snapshot_lacks(struct snapshot *snapshot, enum object_kind kind, const char *namespace) {
    struct collection_view view = snapshot_indexes_view(&snapshot->indexes, kind, namespace);
    if (view.status == COLLECTION_UNTOLD || view.status == COLLECTION_READ ||
        (view.status == COLLECTION_NOT_SERVED && absence_is_none(kind)))
        return NULL;
    const char *where = object_kind_is_namespaced(kind) ? namespace : NULL;
    return note_lack(snapshot, (struct lack){kind, where, word_of(kind), view});
}

const char *snapshot_lacks_policies(struct snapshot *snapshot, bool cilium, const char *namespace) {
    static const enum object_kind of_core[] = {OBJECT_NETWORK_POLICY, OBJECT_ADMIN_NETWORK_POLICY,
                                               OBJECT_BASELINE_ADMIN_NETWORK_POLICY, OBJECT_CLUSTER_NETWORK_POLICY};
    static const enum object_kind of_cilium[] = {OBJECT_NETWORK_POLICY, OBJECT_CILIUM_NETWORK_POLICY,
                                                 OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY,
                                                 OBJECT_CLUSTER_NETWORK_POLICY};
    const enum object_kind *kinds = cilium ? of_cilium : of_core;
    const char *first = NULL;
    for (size_t i = 0; i < sizeof of_core / sizeof *of_core; i++) {
        const char *sentence = snapshot_lacks(snapshot, kinds[i], namespace);
        first = first ? first : sentence;
    }
    return first;
}

const char *snapshot_lacks_required(struct snapshot *snapshot, const char *const *required, size_t count,
                                    const char *namespace) {
    const char *first = NULL;
    for (size_t i = 0; i < count; i++) {
        enum object_kind kind = kind_of(required[i]);
        const char *sentence = NULL;
        if (snapshot->indexes.count > 0)
            sentence = snapshot_lacks(snapshot, kind, namespace);
        else if (snapshot->objects.of[kind].count == 0)
            sentence = note_lack(snapshot, (struct lack){.kind = kind, .resource = required[i]});
        first = first ? first : sentence;
    }
    return first;
}

void snapshot_note_missed(struct snapshot *snapshot) {
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        if (snapshot->missed[kind])
            snapshot_lacks(snapshot, (enum object_kind)kind, NULL);
}

/* ---- the report ---- */

static struct unread unread_of(const struct lack *lack, struct arena *arena) {
    if (lack->view.status == COLLECTION_UNTOLD)
        return (struct unread){lack->resource, "absent", "the inputs hold no object of it"};
    const char *reason = lack->view.reason;
    return (struct unread){
        .resource = lack->resource,
        .why = collection_status_word(lack->view.status),
        .reason = arena_format(arena, "%s%s%s", reason ? reason : "", reason ? "; " : "", remedy(lack, arena))};
}

static int compare_lacks(const void *a, const void *b) {
    const struct lack *one = a, *other = b;
    int order = strcmp(one->resource, other->resource);
    if (order)
        return order;
    return strcmp(one->namespace ? one->namespace : "", other->namespace ? other->namespace : "");
}

const struct unread *snapshot_unread(const struct snapshot *snapshot, struct arena *arena, size_t *count) {
    struct unread *list = arena_array(arena, snapshot->lack_count + 1, sizeof *list);
    if (snapshot->lack_count > 1)
        qsort(snapshot->lacks, snapshot->lack_count, sizeof *snapshot->lacks, compare_lacks);
    for (size_t i = 0; i < snapshot->lack_count; i++)
        list[i] = unread_of(&snapshot->lacks[i], arena);
    *count = snapshot->lack_count;
    return list;
}

struct cluster snapshot_cluster(const struct snapshot *snapshot, const struct cluster_facts *facts) {
    struct cluster cluster = {.arena = snapshot->arena, .evidence = &snapshot->evidence, .facts = *facts};
    cluster.missed = snapshot->missed;
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        cluster.complete[kind] = snapshot->complete[kind];
    return cluster;
}

#include "analyzer/verify/collections.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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
    {"services", OBJECT_SERVICE},
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

void collections_unread(const char *const *required, size_t count, const struct snapshot *snapshot, struct arena *arena,
                        const struct unread **unread, size_t *unread_count) {
    struct unread *list = arena_array(arena, COLLECTIONS, sizeof *list);
    size_t found = 0;
    for (size_t i = 0; i < COLLECTIONS; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(required[k], collections[i].word) == 0 && snapshot->objects.of[collections[i].kind].count == 0) {
                list[found++] = (struct unread){collections[i].word, "absent", "the inputs hold no object of it"};
                break;
            }
    *unread = list;
    *unread_count = found;
}

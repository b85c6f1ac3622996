#include "analyzer/rules/entity.h"

#include <string.h>

#include "analyzer/rules/service.h"
#include "base/arena.h"

enum { API_SERVER = 1u << SPECIAL_API_SERVER | 1u << SPECIAL_HOST_API_SERVER | 1u << SPECIAL_REMOTE_NODE_API_SERVER };

static const struct entity {
    const char *word;
    uint32_t specials;
    bool all, world, local_pods;
} entities[] = {
    {"all", 0, true, false, false},
    {"world", 1u << SPECIAL_API_SERVER, false, true, false},
    {"cluster",
     NODE_HOST | NODE_REMOTE | API_SERVER | 1u << SPECIAL_INIT | 1u << SPECIAL_INGRESS | 1u << SPECIAL_HEALTH |
         1u << SPECIAL_UNMANAGED,
     false, false, true},
    {"host", NODE_HOST, false, false, false},
    {"remote-node", NODE_REMOTE, false, false, false},
    {"kube-apiserver", API_SERVER, false, false, false},
    {"health", 1u << SPECIAL_HEALTH, false, false, false},
    {"init", 1u << SPECIAL_INIT, false, false, false},
    {"ingress", 1u << SPECIAL_INGRESS, false, false, false},
    {"unmanaged", 1u << SPECIAL_UNMANAGED, false, false, false},
    {"none", 0, false, false, false},
};

static struct endpoint_set local_pods(const struct cluster *cluster) {
    const char *name = cluster->facts.cluster_name;
    struct value_set local = value_set_of(cluster->arena, &name, 1, false, false);
    struct label_set all = label_set_everything();
    struct label_set set = label_set_require(cluster->arena, &all, (struct label_key){LABEL_CLUSTER, ""}, &local);
    return endpoint_set_of(cluster->arena, &set);
}

static struct destination_set entity_set(const struct entity *entity, const struct cluster *cluster) {
    if (entity->all)
        return destination_set_everything();
    struct address_set everywhere = address_set_everything();
    struct destination_set set =
        entity->world ? destination_set_of_addresses(cluster->arena, &everywhere) : destination_set_nothing();
    set.specials = entity->specials;
    if (entity->local_pods)
        set.pods = local_pods(cluster);
    if ((entity->specials & 1u << SPECIAL_API_SERVER) && !entity->world) {
        struct address_set known = api_server_addresses(cluster);
        if (!address_set_is_empty(&known)) {
            struct destination_set outside = destination_set_of_addresses(cluster->arena, &known);
            set.specials &= ~(1u << SPECIAL_API_SERVER);
            set = destination_set_union(cluster->arena, &set, &outside);
        }
    }
    return set;
}

bool entity_destinations(const char *word, const struct cluster *cluster, struct destination_set *set) {
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strcmp(entities[i].word, word) == 0) {
            *set = entity_set(&entities[i], cluster);
            return true;
        }
    return false;
}

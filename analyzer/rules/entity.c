#include "analyzer/rules/entity.h"

#include <string.h>

#include "analyzer/rules/api_server.h"
#include "base/arena.h"

enum { API_SERVER = 1u << SPECIAL_API_SERVER | 1u << SPECIAL_HOST_API_SERVER | 1u << SPECIAL_REMOTE_NODE_API_SERVER };

enum family_bit { WORLD_IPV4 = 1, WORLD_IPV6 = 2, WORLD_BOTH = WORLD_IPV4 | WORLD_IPV6 };

/* The schema lacks the halves of the world, so an object that names them is refused; the agent knows them. */
static const struct entity {
    const char *word;
    uint32_t specials;
    bool all;
    unsigned world; /* bits of enum family_bit */
    bool local_pods;
} entities[] = {
    {"all", 0, true, 0, false},
    {"world", 1u << SPECIAL_API_SERVER, false, WORLD_BOTH, false},
    {"world-ipv4", 0, false, WORLD_IPV4, false},
    {"world-ipv6", 0, false, WORLD_IPV6, false},
    {"cluster",
     NODE_HOST | NODE_REMOTE | API_SERVER | 1u << SPECIAL_INIT | 1u << SPECIAL_INGRESS | 1u << SPECIAL_HEALTH |
         1u << SPECIAL_UNMANAGED,
     false, 0, true},
    {"host", NODE_HOST, false, 0, false},
    {"remote-node", NODE_REMOTE, false, 0, false},
    {"kube-apiserver", API_SERVER, false, 0, false},
    {"health", 1u << SPECIAL_HEALTH, false, 0, false},
    {"init", 1u << SPECIAL_INIT, false, 0, false},
    {"ingress", 1u << SPECIAL_INGRESS, false, 0, false},
    {"unmanaged", 1u << SPECIAL_UNMANAGED, false, 0, false},
    {"none", 0, false, 0, false},
};

static struct endpoint_set local_pods(const struct cluster *cluster) {
    const char *name = cluster->facts.cluster_name;
    struct value_set local = value_set_of(cluster->arena, &name, 1, false, false);
    struct label_set all = label_set_everything();
    struct label_set set = label_set_require(cluster->arena, &all, (struct label_key){LABEL_CLUSTER, ""}, &local);
    return endpoint_set_of(cluster->arena, &set);
}

static struct address_set world_addresses(unsigned families) {
    switch (families) {
    case WORLD_BOTH:
        return address_set_everything();
    case WORLD_IPV4:
        return address_set_family(ADDRESS_IPV4);
    case WORLD_IPV6:
        return address_set_family(ADDRESS_IPV6);
    default:
        return address_set_nothing();
    }
}

static struct destination_set entity_set(const struct entity *entity, const struct cluster *cluster) {
    if (entity->all)
        return destination_set_everything();
    struct address_set outside = world_addresses(entity->world);
    struct destination_set set = destination_set_of_addresses(cluster->arena, &outside);
    set.specials = entity->specials;
    if (entity->local_pods)
        set.pods = local_pods(cluster);
    if ((entity->specials & 1u << SPECIAL_API_SERVER) && !entity->world) {
        struct address_set known = api_server_addresses(cluster);
        if (!address_set_is_empty(&known)) {
            struct destination_set servers = destination_set_of_addresses(cluster->arena, &known);
            set.specials &= ~(1u << SPECIAL_API_SERVER);
            set = destination_set_union(cluster->arena, &set, &servers);
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

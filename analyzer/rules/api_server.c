#include "analyzer/rules/api_server.h"

#include <string.h>

struct address_set slice_addresses(const struct cluster *cluster, const char *namespace, const char *name) {
    struct arena *arena = cluster->arena;
    struct address_set set = address_set_nothing();
    for (size_t i = 0; i < cluster->evidence->slice_count; i++) {
        const struct endpoint_slice *slice = &cluster->evidence->slices[i];
        if (!slice->service || !slice->namespace || strcmp(slice->service, name) != 0 ||
            strcmp(slice->namespace, namespace) != 0)
            continue;
        for (uint32_t k = 0; k < slice->address_count; k++) {
            struct address_set one = address_set_of(arena, &slice->addresses[k], &slice->addresses[k]);
            set = address_set_union(arena, &set, &one);
        }
    }
    return set;
}

struct address_set api_server_addresses(const struct cluster *cluster) {
    return slice_addresses(cluster, "default", "kubernetes");
}

#include "analyzer/rules/service.h"

#include <string.h>

#include "analyzer/rules/api_server.h"
#include "analyzer/rules/selector_set.h"
#include "base/arena.h"

/* Whether a Service is meant by an entry of toServices: the selector wins if both are there; sources are ignored. */
static bool service_is_meant(const struct service *service, const struct cilium_service *wanted, struct arena *arena) {
    const char *namespace = wanted->has_selector ? wanted->selector_namespace : wanted->namespace;
    if (namespace && *namespace && (!service->namespace || strcmp(namespace, service->namespace) != 0))
        return false;
    if (!wanted->has_selector)
        return wanted->name && service->name && strcmp(wanted->name, service->name) == 0;
    struct label_set set = label_set_everything();
    for (uint32_t i = 0; i < wanted->selector.count; i++) {
        struct selector_requirement requirement = wanted->selector.requirements[i];
        const char *colon = requirement.key ? strchr(requirement.key, ':') : NULL;
        if (colon)
            requirement.key = colon + 1;
        struct selector one = {.presence = PRESENCE_FILLED, .requirements = &requirement, .count = 1};
        set = selector_label_set(&one, LABEL_POD, set, arena);
    }
    struct label *labels = arena_array(arena, service->labels.count + 1u, sizeof *labels);
    for (uint32_t i = 0; i < service->labels.count; i++)
        labels[i] = (struct label){{LABEL_POD, service->labels.list[i].key}, service->labels.list[i].value};
    return label_set_contains(&set, labels, service->labels.count);
}

/* `opens`: without addresses the rule is left without peers, and then reaches everything. */
static struct peer peer_of_service(const struct service *service, struct part part, bool opens,
                                   const struct cluster *cluster, const struct reading *reading) {
    struct arena *arena = cluster->arena;
    struct peer peer = {.part = part};
    if (service->has_selector) {
        struct label_conditions conditions = {0};
        for (uint32_t i = 0; i < service->selector.count; i++)
            conditions_add(&conditions, arena_format(arena, "k8s:%s", service->selector.list[i].key), OPERATOR_IN,
                           service->selector.list[i].value, arena);
        conditions_add(&conditions, "k8s:io.kubernetes.pod.namespace", OPERATOR_IN, service->namespace, arena);
        peer.selector = conditions_normal_form(&conditions, arena);
        peer.lower = peer.upper = conditions_destinations(&conditions, cluster, reading);
        return peer;
    }
    peer.selector = arena_format(arena, "service %s/%s", service->namespace, service->name);
    struct address_set addresses = slice_addresses(cluster, service->namespace, service->name);
    peer_set_addresses(&peer, &addresses, cluster, reading);
    if (cluster_misses(cluster, OBJECT_ENDPOINT_SLICE)) {
        struct address_set everywhere = address_set_everything();
        peer.upper = opens ? destination_set_everything() : destination_set_of_addresses(arena, &everywhere);
        peer.lower = destination_set_nothing();
        peer.doubt = "endpoints of a Service without a selector";
    }
    return peer;
}

/* What an entry of toServices comes to: whether a Service of the inputs is meant, and whether one gives the rule a peer. */
struct resolution {
    bool meant, resolved;
};

static struct resolution peers_add_service(struct peer_list *peers, const struct cilium_service *wanted, bool opens,
                                           const struct cluster *cluster, const struct reading *reading) {
    struct resolution resolution = {false, false};
    for (size_t i = 0; i < cluster->evidence->service_count; i++) {
        const struct service *service = &cluster->evidence->services[i];
        if (service->is_external_name || !service->namespace || !service_is_meant(service, wanted, cluster->arena))
            continue;
        if (service->has_selector && reading->class < CILIUM_1_17_0)
            continue;
        resolution.meant = true;
        struct peer peer = peer_of_service(service, wanted->part, opens, cluster, reading);
        if (!service->has_selector && destination_set_is_nothing(&peer.upper))
            continue; /* without addresses it leaves no peer */
        peer_list_add(cluster->arena, peers, peer);
        resolution.resolved = true;
    }
    return resolution;
}

static bool service_is_one(const struct cilium_service *wanted) {
    return !wanted->has_selector && wanted->name && wanted->namespace && *wanted->namespace;
}

/* An entry that names nothing never resolves. */
static bool service_may_exist(const struct cilium_service *wanted, const struct cluster *cluster) {
    return (wanted->has_selector || wanted->has_service) && cluster_misses(cluster, OBJECT_SERVICE);
}

/* With ports, a rule none of whose Services resolves has no peers left and reaches everything. A deny is never resolved:
 * with ports it denies them to everywhere, without it denies nothing. */
void peers_of_services(const struct cilium_entry *entry, bool deny, bool has_ports, const struct cluster *cluster,
                       const struct reading *reading, struct peer_list *peers) {
    struct arena *arena = cluster->arena;
    bool alone = peers->count == 0; /* other peers keep the rule from reaching everything */
    if (deny) {
        if (has_ports && alone)
            peer_list_add(arena, peers, peer_of_anything(entry->services.part));
        return;
    }
    bool any = false, unknown = false;
    for (uint32_t i = 0; i < entry->services.count; i++) {
        const struct cilium_service *wanted = &entry->services.list[i];
        struct resolution resolution = peers_add_service(peers, wanted, has_ports && alone, cluster, reading);
        any = any || resolution.resolved;
        if (!(resolution.meant && service_is_one(wanted)) && service_may_exist(wanted, cluster))
            unknown = true;
    }
    struct peer rest = peer_of_anything(entry->services.part);
    rest.selector = "services";
    if (unknown) {
        rest.lower = destination_set_nothing();
        rest.doubt = "Services that may not be among the inputs";
        peer_list_add(arena, peers, rest);
    } else if (!any && has_ports && alone) {
        peer_list_add(arena, peers, peer_of_anything(entry->services.part));
    }
}

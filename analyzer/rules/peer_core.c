/* Peers of NetworkPolicies (spec/kubernetes-egress.md 1.5, 1.6; Cilium's conversion: spec/cilium-egress.md 4.3). */
#include <string.h>

#include "analyzer/rules/peer.h"
#include "analyzer/rules/selector_set.h"
#include "base/arena.h"

void peer_list_add(struct arena *arena, struct peer_list *peers, struct peer peer) {
    if (peers->count == peers->capacity)
        peers->list = arena_grow(arena, peers->list, &peers->capacity, peers->count + 1, sizeof *peers->list);
    peers->list[peers->count++] = peer;
}

struct peer peer_of_anything(struct part part) {
    return (struct peer){
        .selector = "*", .lower = destination_set_everything(), .upper = destination_set_everything(), .part = part};
}

struct peer peer_of_unreadable(struct part part) {
    struct peer peer = peer_of_anything(part);
    peer.selector = "?";
    peer.lower = destination_set_nothing();
    peer.doubt = "a peer that cannot be read";
    return peer;
}

bool selector_is_readable(const struct selector *selector) {
    for (uint32_t i = 0; i < selector->count; i++)
        if (!selector->requirements[i].readable || !selector->requirements[i].key)
            return false;
    return true;
}

/* ---- blocks of addresses ---- */

static struct address_set block_addresses(const struct cidr *cidr, struct arena *arena, const struct reading *reading) {
    if ((cidr->flags & CIDR_LEADING_ZEROS) && reading->octal)
        return cidr->octal_valid ? address_set_of(arena, &cidr->octal_first, &cidr->octal_last) : address_set_nothing();
    if ((cidr->flags & CIDR_MAPPED) && reading->mapped)
        return address_set_of(arena, &cidr->mapped_first, &cidr->mapped_last);
    return address_set_of(arena, &cidr->first, &cidr->last);
}

struct address_set cidr_addresses(const struct cidr *cidr, const struct core_except *excepts, uint32_t except_count,
                                  struct arena *arena, const struct reading *reading) {
    struct address_set set = block_addresses(cidr, arena, reading);
    if (except_count == 0 || reading->whole_blocks)
        return set;
    struct address_set *holes = arena_array(arena, except_count, sizeof *holes);
    size_t count = 0;
    for (uint32_t i = 0; i < except_count; i++)
        if (excepts[i].usable)
            holes[count++] = block_addresses(&excepts[i].cidr, arena, reading);
    struct address_set without = address_set_union_of(arena, holes, count);
    return address_set_subtract(arena, &set, &without);
}

void peer_set_addresses(struct peer *peer, const struct address_set *addresses, const struct cluster *cluster,
                        const struct reading *reading) {
    peer->lower = peer->upper = destination_set_of_addresses(cluster->arena, addresses);
    if (!reading->cilium || address_set_is_empty(addresses))
        return;
    struct address_set all = address_set_everything();
    bool everywhere = address_set_equal(addresses, &all);
    if (reading->match_nodes) {
        uint32_t nodes = 1u << SPECIAL_HOST | 1u << SPECIAL_HOST_API_SERVER | 1u << SPECIAL_REMOTE_NODE |
                         1u << SPECIAL_REMOTE_NODE_API_SERVER;
        peer->upper.specials |= nodes;
        peer->lower.specials |= everywhere ? nodes : 0;
    }
    if (reading->match_pods) {
        peer->upper.pods = endpoint_set_everything();
        if (everywhere)
            peer->lower.pods = endpoint_set_everything();
    }
    if (!everywhere && (reading->match_nodes || reading->match_pods))
        peer->doubt = "which nodes or pods have addresses inside the block";
}

static const char *block_normal_form(const struct core_peer *peer, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    char text[46];
    address_print(&peer->cidr.first, text);
    buffer_print(&out, "cidr %s/%u", text, peer->cidr.prefix);
    for (uint32_t i = 0; i < peer->except_count; i++) {
        address_print(&peer->excepts[i].cidr.first, text);
        buffer_print(&out, " -%s/%u", text, peer->excepts[i].cidr.prefix);
    }
    return buffer_string(&out);
}

static struct peer peer_of_block(const struct core_peer *core, const struct cluster *cluster,
                                 const struct reading *reading) {
    if (!core->cidr_usable)
        return peer_of_unreadable(core->part);
    struct peer peer = {.selector = block_normal_form(core, cluster->arena), .part = core->part};
    struct address_set addresses =
        cidr_addresses(&core->cidr, core->excepts, core->except_count, cluster->arena, reading);
    peer_set_addresses(&peer, &addresses, cluster, reading);
    return peer;
}

/* ---- selectors ---- */

static const char namespace_name_key[] = "kubernetes.io/metadata.name";

static struct peer peer_of_labels(const struct core_peer *core, const char *namespace, const struct cluster *cluster) {
    struct arena *arena = cluster->arena;
    struct label_set set = label_set_everything();
    if (core->namespaces.presence != PRESENCE_ABSENT) {
        set = selector_label_set(&core->namespaces, LABEL_NAMESPACE, set, arena);
    } else {
        struct value_set own = value_set_of(arena, &namespace, 1, false, false);
        set = label_set_require(arena, &set, (struct label_key){LABEL_NAMESPACE, namespace_name_key}, &own);
    }
    set = selector_label_set(&core->pods, LABEL_POD, set, arena);
    struct endpoint_set pods = label_set_is_empty(&set) ? endpoint_set_nothing() : endpoint_set_of(arena, &set);
    struct peer peer = {.selector = "pods", .part = core->part};
    peer.lower = peer.upper = destination_set_of_pods(&pods);
    return peer;
}

static struct peer peer_of_converted_labels(const struct core_peer *core, const char *namespace,
                                            const struct cluster *cluster, const struct reading *reading) {
    struct arena *arena = cluster->arena;
    struct label_conditions conditions = {0};
    if (core->namespaces.presence == PRESENCE_ABSENT)
        conditions_add(&conditions, "k8s:io.kubernetes.pod.namespace", OPERATOR_IN, namespace, arena);
    else if (core->namespaces.presence == PRESENCE_EMPTY)
        conditions_add(&conditions, "k8s:io.kubernetes.pod.namespace", OPERATOR_EXISTS, NULL, arena);
    else
        conditions_add_selector(&conditions, &core->namespaces, "k8s:io.cilium.k8s.namespace.labels.", arena);
    conditions_add_selector(&conditions, &core->pods, "k8s:", arena);
    if (reading->local_cluster)
        conditions_add(&conditions, "k8s:io.cilium.k8s.policy.cluster", OPERATOR_IN, cluster->facts.cluster_name,
                       arena);
    struct peer peer = {.part = core->part};
    peer.selector = conditions_normal_form(&conditions, arena);
    peer.lower = peer.upper = conditions_destinations(&conditions, cluster, reading);
    return peer;
}

void peers_of_core_rule(const struct core_rule *rule, const char *namespace, const struct cluster *cluster,
                        const struct reading *reading, struct peer_list *peers) {
    if (rule->peer_count == 0) {
        peer_list_add(cluster->arena, peers, peer_of_anything(rule->part));
        return;
    }
    for (uint32_t i = 0; i < rule->peer_count; i++) {
        const struct core_peer *core = &rule->peers[i];
        bool selects = core->pods.presence != PRESENCE_ABSENT || core->namespaces.presence != PRESENCE_ABSENT;
        if (core->has_block)
            peer_list_add(cluster->arena, peers, peer_of_block(core, cluster, reading));
        else if (!selector_is_readable(&core->pods) || !selector_is_readable(&core->namespaces))
            peer_list_add(cluster->arena, peers, peer_of_unreadable(core->part));
        else if (selects && reading->cilium)
            peer_list_add(cluster->arena, peers, peer_of_converted_labels(core, namespace, cluster, reading));
        else if (selects)
            peer_list_add(cluster->arena, peers, peer_of_labels(core, namespace, cluster));
        else if (!reading->cilium)
            peer_list_add(cluster->arena, peers, peer_of_unreadable(core->part));
        /* An empty peer is refused; Cilium would read it as nothing, for the core API it has no meaning. */
    }
}

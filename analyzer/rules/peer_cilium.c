/* Peers of Cilium policies (spec/cilium-egress.md 1.4, 3). */
#include <string.h>

#include "analyzer/rules/cilium_key.h"
#include "analyzer/rules/entity.h"
#include "analyzer/rules/peer.h"
#include "analyzer/rules/selector_set.h"
#include "analyzer/rules/service.h"
#include "base/arena.h"

/* ---- toEndpoints ---- */

/* What is added to a peer selector (1.4, in that order). */
static void conditions_add_scope(struct label_conditions *conditions, const char *namespace,
                                 const struct cluster *cluster, const struct reading *reading) {
    struct arena *arena = cluster->arena;
    bool reserved = false, has_namespace = false, has_namespace_label = false, has_cluster = false;
    for (size_t i = 0; i < conditions->count; i++) {
        struct cilium_key key = cilium_key_of(conditions->list[i].key);
        reserved = reserved || key.source == SOURCE_RESERVED;
        has_namespace = has_namespace || key.is_namespace;
        has_namespace_label = has_namespace_label || key.is_namespace_label;
        has_cluster = has_cluster || key.is_cluster;
    }
    if (reserved)
        return;
    bool frees_namespace = has_namespace_label && reading->class >= CILIUM_1_16_0;
    if (!has_namespace && namespace && !frees_namespace)
        conditions_add(conditions, "k8s:io.kubernetes.pod.namespace", OPERATOR_IN, namespace, arena);
    else if (!has_namespace && !namespace)
        conditions_add(conditions, "k8s:io.kubernetes.pod.namespace", OPERATOR_EXISTS, NULL, arena);
    if (reading->local_cluster && !has_cluster)
        conditions_add(conditions, "k8s:io.cilium.k8s.policy.cluster", OPERATOR_IN, cluster->facts.cluster_name, arena);
}

static struct peer peer_of_endpoints(const struct selector *selector, const char *namespace,
                                     const struct cluster *cluster, const struct reading *reading) {
    if (!selector_is_readable(selector))
        return peer_of_unreadable(selector->part);
    struct label_conditions conditions = {0};
    conditions_add_selector(&conditions, selector, "", cluster->arena);
    conditions_add_scope(&conditions, namespace, cluster, reading);
    struct peer peer = {.part = selector->part};
    peer.selector = conditions_normal_form(&conditions, cluster->arena);
    peer.lower = peer.upper = conditions_destinations(&conditions, cluster, reading);
    if (conditions_single_out_api_server(&conditions, cluster, &peer.upper)) {
        peer.lower.addresses = address_set_nothing();
        peer.lower.learned_count = 0;
        peer.doubt = "at which address the API server is";
    }
    return peer;
}

/* ---- toEntities ---- */

static void peers_add_entity(struct peer_list *peers, const char *word, struct part part,
                             const struct cluster *cluster) {
    struct peer peer = {.part = part};
    if (!word || !entity_destinations(word, cluster, &peer.lower))
        return;
    peer.upper = peer.lower;
    peer.selector = strcmp(word, "all") == 0 ? "*" : arena_format(cluster->arena, "entity %s", word);
    peer_list_add(cluster->arena, peers, peer);
}

/* ---- toCIDR, toCIDRSet ---- */

static struct address_set group_addresses(const struct cidr_group *group, const struct cilium_cidr *cidr,
                                          const struct cluster *cluster, const struct reading *reading) {
    struct address_set *blocks = arena_array(cluster->arena, group->cidr_count + 1u, sizeof *blocks);
    for (uint32_t i = 0; i < group->cidr_count; i++)
        blocks[i] = cidr_addresses(&group->cidrs[i], cidr->excepts, cidr->except_count, cluster->arena, reading);
    return address_set_union_of(cluster->arena, blocks, group->cidr_count);
}

static bool group_is_selected(const struct cidr_group *group, const struct cilium_cidr *cidr) {
    if (cidr->group)
        return group->name && strcmp(group->name, cidr->group) == 0;
    for (uint32_t i = 0; i < cidr->group_selector.count; i++) {
        const struct selector_requirement *requirement = &cidr->group_selector.requirements[i];
        const char *value = requirement->key ? labels_get(&group->labels, requirement->key) : NULL;
        bool listed = false;
        for (uint32_t k = 0; value && k < requirement->count; k++)
            listed = listed || (requirement->values[k] && strcmp(requirement->values[k], value) == 0);
        bool wanted = requirement->verb == OPERATOR_IN       ? listed
                      : requirement->verb == OPERATOR_NOT_IN ? !listed
                      : requirement->verb == OPERATOR_EXISTS ? value != NULL
                                                             : value == NULL;
        if (!wanted)
            return false;
    }
    return true;
}

static const char *group_normal_form(const struct cilium_cidr *cidr, struct arena *arena) {
    struct label_conditions conditions = {0};
    struct buffer out;
    buffer_init(&out, arena);
    conditions_add_selector(&conditions, &cidr->group_selector, "", arena);
    buffer_print(&out, "group %s", cidr->group ? cidr->group : conditions_normal_form(&conditions, arena));
    for (uint32_t i = 0; i < cidr->except_count; i++) {
        char text[46];
        address_print(&cidr->excepts[i].cidr.first, text);
        buffer_print(&out, " -%s/%u", text, cidr->excepts[i].cidr.prefix);
    }
    return buffer_string(&out);
}

/* A group that is among the inputs is what it says; one that is not may be anything. */
static struct peer peer_of_group(const struct cilium_cidr *cidr, const struct cluster *cluster,
                                 const struct reading *reading) {
    const struct evidence *evidence = cluster->evidence;
    struct address_set known = address_set_nothing();
    bool certain = cluster->complete[OBJECT_CILIUM_CIDR_GROUP], found = false;
    for (size_t i = 0; i < evidence->group_count; i++) {
        const struct cidr_group *group = &evidence->groups[i];
        if (!group_is_selected(group, cidr))
            continue;
        struct address_set addresses = group_addresses(group, cidr, cluster, reading);
        known = address_set_union(cluster->arena, &known, &addresses);
        found = true;
        certain = certain && group->usable;
        if (cidr->group && group->usable)
            certain = true;
    }
    /* Up to 1.15, where only ingress knows groups, an empty or missing one admits everyone. */
    if (certain && reading->class < CILIUM_1_16_0 && address_set_is_empty(&known))
        known = address_set_everything();
    struct peer peer = {.part = cidr->part, .selector = group_normal_form(cidr, cluster->arena)};
    peer_set_addresses(&peer, &known, cluster, reading);
    if (!certain) {
        cluster_misses(cluster, OBJECT_CILIUM_CIDR_GROUP);
        struct peer any = {0};
        struct address_set everywhere = address_set_everything();
        peer_set_addresses(&any, &everywhere, cluster, reading);
        peer.upper = any.upper;
        peer.doubt =
            found ? "CIDR groups that may not be among the inputs" : "a CIDR group that is not among the inputs";
    }
    return peer;
}

static void peers_add_cidrs(struct peer_list *peers, const struct cilium_cidrs *cidrs, const struct cluster *cluster,
                            const struct reading *reading) {
    for (uint32_t i = 0; i < cidrs->count; i++) {
        const struct cilium_cidr *cidr = &cidrs->list[i];
        if (cidr->group || cidr->group_selector.presence != PRESENCE_ABSENT) {
            peer_list_add(cluster->arena, peers, peer_of_group(cidr, cluster, reading));
            if (!cidr->usable)
                continue;
        }
        struct core_peer block = {.part = cidr->part,
                                  .has_block = true,
                                  .cidr = cidr->cidr,
                                  .cidr_usable = cidr->usable,
                                  .excepts = cidr->excepts,
                                  .except_count = cidr->except_count};
        struct core_rule rule = {.part = cidr->part, .peers = &block, .peer_count = 1};
        peers_of_core_rule(&rule, "", cluster, reading, peers);
    }
}

/* ---- toFQDNs ---- */

static void peers_add_fqdns(struct peer_list *peers, const struct cilium_names *fqdns, const struct cluster *cluster,
                            const struct reading *reading) {
    struct arena *arena = cluster->arena;
    bool deep = reading->class >= CILIUM_1_19;
    for (uint32_t i = 0; i < fqdns->count; i++) {
        const struct cilium_name *name = &fqdns->names[i];
        struct name_pattern patterns[2];
        uint32_t count = 0;
        if (name->match_name)
            patterns[count++] = name_pattern_exact(arena, text_of(name->match_name));
        if (name->match_pattern)
            patterns[count++] = name_pattern_of(arena, text_of(name->match_pattern), deep);
        if (count == 0)
            patterns[count++] = name_pattern_exact(arena, text_of(""));
        struct name_set names = name_set_of(arena, patterns, count);
        struct peer peer = {.part = name->part};
        peer.selector = arena_format(arena, "name %s pattern %s", name->match_name ? patterns[0].text : "-",
                                     name->match_pattern ? patterns[count - 1].text : "-");
        peer.lower = peer.upper = destination_set_of_names(arena, &names);
        peer_list_add(arena, peers, peer);
    }
}

/* ---- the rest ---- */

static struct peer peer_of_doubt(struct part part, const char *selector, struct destination_set upper,
                                 const char *doubt) {
    return (struct peer){
        .part = part, .selector = selector, .lower = destination_set_nothing(), .upper = upper, .doubt = doubt};
}

static void peers_add_nodes(struct peer_list *peers, const struct cilium_selectors *nodes,
                            const struct cluster *cluster) {
    for (uint32_t i = 0; i < nodes->count; i++)
        peer_list_add(cluster->arena, peers,
                      peer_of_doubt(nodes->list[i].part, "nodes", destination_set_of_specials(NODE_REMOTE),
                                    "which nodes toNodes selects"));
}

static void peers_add_groups(struct peer_list *peers, const struct cilium_entry *entry, const struct cluster *cluster) {
    struct address_set everywhere = address_set_everything();
    struct destination_set upper = destination_set_of_addresses(cluster->arena, &everywhere);
    upper.specials |= 1u << SPECIAL_API_SERVER;
    peer_list_add(cluster->arena, peers,
                  peer_of_doubt(entry->groups_part, "groups", upper, "toGroups, which only the cloud can resolve"));
}

static bool entry_is_poisoned(const struct cilium_entry *entry, const struct reading *reading) {
    return reading->class >= CILIUM_1_16_0 &&
           (entry->endpoints.presence == PRESENCE_EMPTY || entry->cidrs.presence == PRESENCE_EMPTY ||
            entry->cidr_sets.presence == PRESENCE_EMPTY || entry->entities.presence == PRESENCE_EMPTY ||
            entry->nodes.presence == PRESENCE_EMPTY);
}

static bool entry_has_peers(const struct cilium_entry *entry) {
    return entry->endpoints.count || entry->cidrs.count || entry->cidr_sets.count || entry->entities.count ||
           entry->nodes.count || entry->fqdns.count || entry->services.count || entry->groups == PRESENCE_FILLED;
}

static bool entry_has_ports(const struct cilium_entry *entry) {
    return entry->port_presence == PRESENCE_FILLED || entry->icmp_presence == PRESENCE_FILLED;
}

/* What narrows a peer beyond what is read here (toRequires): it selects at most this. */
static void peers_doubt_requires(struct peer_list *peers) {
    for (size_t i = 0; i < peers->count; i++) {
        peers->list[i].lower = destination_set_nothing();
        peers->list[i].doubt = "toRequires";
    }
}

void peers_of_cilium_entry(const struct cilium_entry *entry, const char *namespace, bool deny,
                           const struct cluster *cluster, const struct reading *reading, struct peer_list *peers) {
    if (entry_is_poisoned(entry, reading))
        return;
    if (!entry_has_peers(entry)) {
        if (entry_has_ports(entry))
            peer_list_add(cluster->arena, peers, peer_of_anything(entry->part));
        return;
    }
    for (uint32_t i = 0; i < entry->endpoints.count; i++)
        peer_list_add(cluster->arena, peers, peer_of_endpoints(&entry->endpoints.list[i], namespace, cluster, reading));
    for (uint32_t i = 0; i < entry->entities.count; i++)
        peers_add_entity(peers, entry->entities.list[i], entry->entities.parts[i], cluster);
    peers_add_cidrs(peers, &entry->cidrs, cluster, reading);
    peers_add_cidrs(peers, &entry->cidr_sets, cluster, reading);
    if (!deny)
        peers_add_fqdns(peers, &entry->fqdns, cluster, reading);
    peers_add_nodes(peers, &entry->nodes, cluster);
    if (entry->groups == PRESENCE_FILLED)
        peers_add_groups(peers, entry, cluster);
    if (entry->services.count)
        peers_of_services(entry, deny, entry_has_ports(entry), cluster, reading, peers);
    if (entry->requires.presence == PRESENCE_FILLED && reading->class < CILIUM_1_19)
        peers_doubt_requires(peers);
}

/* Blocks inside the cluster's own ranges, which Cilium's CIDR rules do not select. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/scope.h"
#include "base/arena.h"

/* The sorts of ranges, and whether CIDR rules select them under a reading. */
enum sort { SORT_POD, SORT_SERVICE, SORT_NODE, SORT_COUNT };
static const char *const sort_words[] = {[SORT_POD] = "pod", [SORT_SERVICE] = "service", [SORT_NODE] = "node"};

static struct address_set ranges_of(const char *const *cidrs, struct arena *arena) {
    struct address_set set = address_set_nothing();
    for (; cidrs && *cidrs; cidrs++) {
        struct cidr cidr;
        if (cidr_parse(text_of(*cidrs), &cidr) != CIDR_OK)
            continue;
        struct address_set one = address_set_of(arena, &cidr.first, &cidr.last);
        set = address_set_union(arena, &set, &one);
    }
    return set;
}

static struct address_set sort_ranges(const struct lint_scope *scope, enum sort sort) {
    const struct cluster_facts *facts = &scope->cluster.facts;
    const char **const lists[] = {facts->pod_cidrs, facts->service_cidrs, facts->node_cidrs};
    return ranges_of((const char *const *)lists[sort], scope->scratch);
}

static bool sort_is_selected(const struct lint_scope *scope, enum sort sort) {
    for (size_t i = 0; i < scope->readings.count; i++)
        if ((sort == SORT_POD && scope->readings.list[i].match_pods) ||
            (sort == SORT_NODE && scope->readings.list[i].match_nodes))
            return true;
    return false;
}

/* A range of the facts that holds all of the block; SORT_COUNT: none. */
static enum sort range_of_facts(const struct lint_scope *scope, const struct address_set *block) {
    for (enum sort sort = SORT_POD; sort < SORT_COUNT; sort++) {
        struct address_set ranges = sort_ranges(scope, sort);
        struct address_set rest = address_set_subtract(scope->scratch, block, &ranges);
        if (address_set_is_empty(&rest) && !sort_is_selected(scope, sort))
            return sort;
    }
    return SORT_COUNT;
}

/* ---- addresses of the inputs ---- */

/* What has an address: a Service, or else a pod. */
struct holder {
    struct address address;
    const struct service *service;
    const struct pod *pod;
};

struct lint_holders {
    struct holder *list; /* by address */
    size_t count;
};

static int compare_holders(const void *a, const void *b) {
    const struct holder *left = a, *right = b;
    int order = address_compare(&left->address, &right->address);
    return order ? order : (left->service == NULL) - (right->service == NULL);
}

static struct lint_holders *holders_of(const struct lint_scope *scope) {
    const struct evidence *evidence = &scope->lint->snapshot.evidence;
    struct lint_holders *holders = arena_alloc(scope->lint->arena, sizeof *holders);
    size_t room = 1;
    for (size_t i = 0; i < evidence->service_count; i++)
        room += evidence->services[i].cluster_ip_count;
    for (size_t i = 0; i < evidence->pod_count; i++)
        room += evidence->pods[i].address_count;
    holders->list = arena_array(scope->lint->arena, room, sizeof *holders->list);
    for (size_t i = 0; i < evidence->service_count; i++)
        for (uint32_t k = 0; k < evidence->services[i].cluster_ip_count; k++)
            holders->list[holders->count++] =
                (struct holder){evidence->services[i].cluster_ips[k], &evidence->services[i], NULL};
    for (size_t i = 0; i < evidence->pod_count && !sort_is_selected(scope, SORT_POD); i++)
        for (uint32_t k = 0; k < evidence->pods[i].address_count; k++)
            if (!evidence->pods[i].finished && !evidence->pods[i].host_network)
                holders->list[holders->count++] =
                    (struct holder){evidence->pods[i].addresses[k], NULL, &evidence->pods[i]};
    if (holders->count > 1)
        qsort(holders->list, holders->count, sizeof *holders->list, compare_holders);
    return holders;
}

static const struct lint_holders *holders_in(struct lint_scope *scope) {
    if (!scope->holders)
        scope->holders = holders_of(scope);
    return scope->holders;
}

/* What of the inputs has the only address of the block: a Service or a pod; NULL: nothing. */
static const char *holder_of_address(struct lint_scope *scope, const struct address_set *block) {
    if (block->count != 1 || address_compare(&block->ranges[0].first, &block->ranges[0].last) != 0)
        return NULL;
    const struct lint_holders *holders = holders_in(scope);
    size_t low = 0, high = holders->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (address_compare(&holders->list[middle].address, &block->ranges[0].first) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct holder *holder = &holders->list[low];
    if (low == holders->count || address_compare(&holder->address, &block->ranges[0].first) != 0)
        return NULL;
    return holder->service ? arena_format(scope->lint->arena, "the address of Service %s",
                                          object_label(holder->service->object, scope->lint->arena))
                           : arena_format(scope->lint->arena, "the address of %s", lint_pod_words(scope, holder->pod));
}

/* ---- blocks ---- */

/* Whether the block is one of the private ranges as a whole, which clusters take their addresses from. */
static bool is_whole_private(const struct cidr *cidr) {
    static const char *const privates[] = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"};
    bool whole = false;
    for (size_t i = 0; i < sizeof privates / sizeof *privates; i++) {
        struct cidr range;
        whole = whole || (cidr_parse(text_of(privates[i]), &range) == CIDR_OK && cidr_contains(&range, cidr) &&
                          cidr_contains(cidr, &range));
    }
    return whole;
}

/* TRUTH_YES: facts or addresses of the inputs put the cluster into the block. TRUTH_MAYBE: there are pods, and nothing
 * tells what addresses they have. */
static enum truth holds_cluster(struct lint_scope *scope, const struct address_set *block) {
    bool told = false, inside = false;
    for (enum sort sort = SORT_POD; sort < SORT_COUNT; sort++) {
        struct address_set ranges = sort_ranges(scope, sort);
        told = told || !address_set_is_empty(&ranges);
        inside = inside || lint_addresses_meet(&ranges, block);
    }
    const struct lint_holders *holders = holders_in(scope);
    told = told || holders->count > 0;
    for (size_t i = 0; i < holders->count && !inside; i++)
        inside = address_set_contains(block, &holders->list[i].address);
    return inside ? TRUTH_YES : told || scope->lint->snapshot.evidence.pod_count == 0 ? TRUTH_NO : TRUTH_MAYBE;
}

/* A range that may mean what is outside the cluster as well as what is in it: never said without a sign of the latter. */
static void check_private(struct lint_scope *scope, const struct lint_member *member, const struct address_set *block,
                          struct part part) {
    if (sort_is_selected(scope, SORT_POD) || sort_is_selected(scope, SORT_NODE))
        return;
    enum truth inside = holds_cluster(scope, block);
    if (inside == TRUTH_NO)
        return;
    struct diagnostic *finding = lint_report(
        scope->lint, member->policy, CODE_CIDR_INSIDE_CLUSTER, part,
        "%s is a range that %s, and Cilium's CIDR rules select what is outside the cluster only; where "
        "what is inside is meant too, select pods by their labels and nodes by entities",
        part.path,
        inside == TRUTH_YES ? "the cluster has addresses in" : "clusters often have their pods, nodes and Services in");
    if (inside == TRUTH_MAYBE)
        diagnostic_set_severity(scope->lint->findings, finding, SEVERITY_NOTE);
}

static void check_block(struct lint_scope *scope, const struct lint_member *member, const struct cidr *cidr,
                        const struct core_except *excepts, uint32_t except_count, struct part part) {
    struct address_set block = cidr_addresses(cidr, excepts, except_count, scope->scratch, &scope->readings.list[0]);
    if (address_set_is_empty(&block))
        return;
    enum sort sort = range_of_facts(scope, &block);
    const char *where = sort == SORT_COUNT
                            ? holder_of_address(scope, &block)
                            : arena_format(scope->lint->arena, "inside the cluster's %s range", sort_words[sort]);
    if (where)
        lint_report(
            scope->lint, member->policy, CODE_CIDR_INSIDE_CLUSTER, part,
            "%s is %s, and Cilium's CIDR rules select what is outside the cluster only; select pods by their labels "
            "and nodes by entities",
            part.path, where);
    else if (member->candidate.rule && is_whole_private(cidr))
        check_private(scope, member, &block, part);
}

static void check_entries(struct lint_scope *scope, const struct lint_member *member,
                          const struct cilium_entries *list) {
    for (uint32_t e = 0; e < list->count; e++) {
        const struct cilium_cidrs *kinds[] = {&list->list[e].cidrs, &list->list[e].cidr_sets};
        for (size_t k = 0; k < 2; k++)
            for (uint32_t i = 0; i < kinds[k]->count; i++) {
                const struct cilium_cidr *cidr = &kinds[k]->list[i];
                struct part part = cidr->part;
                if (k == 1)
                    part =
                        (struct part){node_get(part.node, "cidr"), path_field(scope->lint->arena, part.path, "cidr")};
                if (cidr->usable && !cidr->group && cidr->group_selector.presence == PRESENCE_ABSENT)
                    check_block(scope, member, &cidr->cidr, cidr->excepts, cidr->except_count, part);
            }
    }
}

void lint_check_blocks(struct lint_scope *scope, struct lint_member *member) {
    if (!scope->cilium || !member->sound)
        return;
    if (member->candidate.rule) {
        check_entries(scope, member, &member->candidate.rule->egress);
        check_entries(scope, member, &member->candidate.rule->egress_deny);
        return;
    }
    const struct core_rules *egress = &member->candidate.policy->core->egress;
    for (uint32_t i = 0; i < egress->count; i++)
        for (uint32_t k = 0; k < egress->rules[i].peer_count; k++) {
            const struct core_peer *peer = &egress->rules[i].peers[k];
            if (peer->has_block && peer->cidr_usable)
                check_block(scope, member, &peer->cidr, peer->excepts, peer->except_count, peer->cidr_part);
        }
}

/* Addresses that rules open: the cloud's metadata service, and what an except of another block leaves out. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "base/arena.h"
#include "ir/witness.h"

/* ---- the metadata service ---- */

enum { HTTP = 80, HTTPS = 443 };

static bool is_allow_all_by_name(const struct lint_member *member) {
    const char *name = member->policy->object->name;
    return name && strstr(name, "allow-all") != NULL;
}

/* What it answers: HTTP, of no name or path that a rule would restrict; on some clouds with TLS as well, to clients that it
 * knows. */
static struct flow_set metadata_flows(struct arena *arena, unsigned port) {
    static const char *const services[] = {"169.254.169.254", "fd00:ec2::254"};
    struct address_set addresses = address_set_nothing();
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        struct address address;
        if (!address_parse(text_of(services[i]), &address))
            continue;
        struct address_set one = address_set_of(arena, &address, &address);
        addresses = address_set_union(arena, &addresses, &one);
    }
    struct flow_box box = {.destinations = {.addresses = addresses},
                           .ports = port_set_of(arena, PROTOCOL_TCP, port, port)};
    box.payloads = payload_set_nothing();
    box.payloads.other = true;
    return flow_set_of(arena, &box);
}

static const struct peer *peer_with(const struct rule_entry *entry, const struct flow *flow) {
    for (size_t i = 0; i < entry->peer_count; i++)
        if (destination_set_contains(&entry->peers[i].lower, &flow->destination))
            return &entry->peers[i];
    return NULL;
}

static const char *flow_words(const struct lint_scope *scope, const struct flow *flow) {
    struct buffer out;
    buffer_init(&out, scope->lint->arena);
    flow_print(&out, flow);
    return buffer_string(&out);
}

static struct part peer_part(const struct peer *peer, const struct rule_entry *entry) {
    return peer && peer->part.node ? peer->part : entry->part;
}

static bool entry_meets(const struct rule_entry *entry, const struct address_set *addresses) {
    for (size_t i = 0; !entry->deny && i < entry->peer_count; i++)
        if (lint_addresses_meet(&entry->peers[i].lower.addresses, addresses))
            return true;
    return false;
}

static bool entry_opens_http(const struct rule_entry *entry) {
    bool opens = false;
    for (size_t i = 0; i < entry->key_count; i++)
        opens = opens || port_set_contains(&entry->keys[i].upper, PROTOCOL_TCP, HTTP);
    return opens;
}

static void report_metadata(struct lint_scope *scope, const struct lint_group *group, const struct lint_member *member,
                            const struct rule_entry *entry, const struct flow *flow) {
    bool plain = entry_opens_http(entry);
    struct part part = peer_part(peer_with(entry, flow), entry);
    struct diagnostic *finding = lint_report(
        scope->lint, member->policy, CODE_METADATA_ADDRESS, part,
        "%s lets %s reach the cloud's metadata service (%s), which %s; leave the address out with `except`, "
        "or deny it",
        part.path, lint_subject_words(scope, group), flow_words(scope, flow),
        plain ? "may hand out the node's credentials"
              : "some clouds serve on that port too, with TLS and to known clients alone");
    if (!plain)
        diagnostic_set_severity(scope->lint->findings, finding, SEVERITY_NOTE);
}

/* An entry that opens plain HTTP is asked for that, any other for TLS. */
static void check_metadata(struct lint_scope *scope, struct lint_group *group, const struct lint_entry *place,
                           const struct flow_set *http, const struct flow_set *https) {
    struct lint_member *member = &scope->members[group->members[place->place]];
    const struct rule_entry *entry = place->entry;
    const struct flow_set *flows = entry_opens_http(entry) ? http : https;
    struct flow flow;
    if (!entry_meets(entry, &flows->boxes[0].destinations.addresses) ||
        lint_was_said(scope, CODE_METADATA_ADDRESS, entry->part.node) ||
        lint_was_answered(scope, CODE_METADATA_ADDRESS, entry->part.node, lint_context(scope, group)))
        return;
    enum emptiness allowed = lint_entry_allows(scope, group, place, flows, &flow);
    if (allowed == SET_UNDECIDED)
        lint_not_examined_of(scope, member, CODE_METADATA_ADDRESS);
    if (allowed == SET_INHABITED && lint_once(scope, CODE_METADATA_ADDRESS, entry->part.node))
        report_metadata(scope, group, member, entry, &flow);
}

void lint_check_metadata(struct lint_scope *scope, struct lint_group *group) {
    if (scope->has_admin || !(lint_group_traits(scope, group, 0, true) & TRAIT_METADATA))
        return;
    struct flow_set http = metadata_flows(scope->scratch, HTTP), https = metadata_flows(scope->scratch, HTTPS);
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & TRAIT_METADATA) ||
            is_allow_all_by_name(member))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++) {
            struct arena_mark mark = arena_mark(scope->scratch);
            check_metadata(scope, group, &(struct lint_entry){i, &rules->entries[e]}, &http, &https);
            arena_rollback(scope->scratch, mark);
        }
    }
}

/* ---- excepts ---- */

/* A block with excepts, and the entry it stands in. */
struct block {
    struct part part;
    const struct core_except *excepts;
    uint32_t except_count;
    const struct rule_entry *entry;
    const struct lint_member *member;
};

/* Something that opens addresses. */
struct opener {
    const struct peer *peer;
    const struct rule_entry *entry;
    struct lint_member *member;
    size_t place; /* of the member in the group */
};

struct openers {
    struct opener *list;
    size_t count, capacity;
};

/* Rules that open everything, or a port to anywhere, are for other codes to speak of. */
static bool peer_opens(const struct peer *peer, const struct rule_entry *entry) {
    bool anything = strcmp(peer->selector ? peer->selector : "", "*") == 0;
    return peer->lower.addresses.count > 0 && !(anything && entry->key_count > 0 && entry->keys[0].form != KEY_NONE);
}

/* Those that nothing was said of yet. */
static void collect_openers(struct lint_scope *scope, const struct lint_group *group, struct openers *openers) {
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & TRAIT_ADDRESSES))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++)
            for (size_t p = 0; !rules->entries[e].deny && p < rules->entries[e].peer_count; p++) {
                const struct peer *peer = &rules->entries[e].peers[p];
                if (!peer_opens(peer, &rules->entries[e]) ||
                    lint_was_said(scope, CODE_DENY_REOPENED, peer_part(peer, &rules->entries[e]).node))
                    continue;
                openers->list = arena_grow(scope->scratch, openers->list, &openers->capacity, openers->count + 1,
                                           sizeof *openers->list);
                openers->list[openers->count++] = (struct opener){peer, &rules->entries[e], member, i};
            }
    }
}

static void report_reopened(struct lint_scope *scope, const struct block *block, const struct core_except *except,
                            const struct opener *opener, const struct flow *flow) {
    struct part part = peer_part(opener->peer, opener->entry);
    if (!lint_once(scope, CODE_DENY_REOPENED, part.node))
        return;
    struct diagnostic *finding =
        lint_report(scope->lint, opener->member->policy, CODE_DENY_REOPENED, part,
                    "%s opens what an `except` of %s leaves out (%s): an `except` is a hole in its own block and "
                    "denies nothing; if "
                    "it was meant as a deny, leave the range out here as well, or deny it",
                    part.path, opener->member == block->member ? block->part.path : block->member->policy->object->name,
                    flow_words(scope, flow));
    diagnostic_note(scope->lint->findings, finding,
                    node_location(block->member->policy->object->file, except->part.node), "the `except`");
}

static bool ports_meet(const struct rule_entry *entry, const struct port_set *ports) {
    for (size_t i = 0; i < entry->key_count; i++)
        if (lint_ports_meet(&entry->keys[i].lower, ports))
            return true;
    return false;
}

/* What the opener lets through of the hole. */
static void check_opener(struct lint_scope *scope, struct lint_group *group, const struct block *block,
                         const struct core_except *except, const struct opener *opener, const struct port_set *ports) {
    struct arena *arena = scope->scratch;
    struct address_set hole = cidr_addresses(&except->cidr, NULL, 0, arena, &scope->readings.list[0]);
    struct address_set opened = address_set_intersect(arena, &hole, &opener->peer->lower.addresses);
    const struct lint_entry entry = {opener->place, opener->entry};
    struct flow flow;
    if (address_set_is_empty(&opened))
        return;
    struct flow_box box = {
        .destinations = {.addresses = opened}, .ports = *ports, .payloads = payload_set_everything()};
    struct flow_set flows = flow_set_of(arena, &box);
    enum emptiness allowed = lint_entry_allows(scope, group, &entry, &flows, &flow);
    if (allowed == SET_INHABITED)
        report_reopened(scope, block, except, opener, &flow);
    else if (allowed == SET_UNDECIDED)
        lint_not_examined_of(scope, opener->member, CODE_DENY_REOPENED);
}

static void check_except(struct lint_scope *scope, struct lint_group *group, const struct block *block,
                         const struct core_except *except, const struct openers *openers) {
    struct port_set ports = entry_ports(block->entry, false, scope->scratch);
    const struct address_range range = {except->cidr.first, except->cidr.last};
    const struct address_set hole = {&range, 1};
    struct arena_mark mark = arena_mark(scope->scratch);
    if (!lint_spend(scope, openers->count)) {
        lint_not_examined_of(scope, block->member, CODE_DENY_REOPENED);
        return;
    }
    for (size_t i = 0; i < openers->count; i++) {
        const struct opener *opener = &openers->list[i];
        if (opener->peer->part.node == block->part.node ||
            !lint_addresses_meet(&opener->peer->lower.addresses, &hole) || !ports_meet(opener->entry, &ports) ||
            lint_was_said(scope, CODE_DENY_REOPENED, peer_part(opener->peer, opener->entry).node))
            continue;
        check_opener(scope, group, block, except, opener, &ports);
        arena_rollback(scope->scratch, mark);
    }
}

static void check_block(struct lint_scope *scope, struct lint_group *group, const struct block *block,
                        const struct openers *openers) {
    for (uint32_t i = 0; i < block->except_count; i++)
        if (block->excepts[i].usable)
            check_except(scope, group, block, &block->excepts[i], openers);
}

/* The blocks of one member; the places of allow entries are those of the rules. */
static void check_member_blocks(struct lint_scope *scope, struct lint_group *group, struct lint_member *member,
                                const struct openers *openers) {
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    const struct core_policy *core = member->candidate.policy->core;
    for (size_t e = 0; e < rules->count; e++) {
        const struct rule_entry *entry = &rules->entries[e];
        struct block block = {.entry = entry, .member = member};
        for (uint32_t p = 0; core && p < core->egress.rules[e].peer_count; p++) {
            const struct core_peer *peer = &core->egress.rules[e].peers[p];
            block.part = peer->part;
            block.excepts = peer->excepts;
            block.except_count = peer->has_block ? peer->except_count : 0;
            check_block(scope, group, &block, openers);
        }
        if (core || entry->deny || e >= member->candidate.rule->egress.count)
            continue;
        const struct cilium_cidrs *sets = &member->candidate.rule->egress.list[e].cidr_sets;
        for (uint32_t p = 0; p < sets->count; p++) {
            block.part = sets->list[p].part;
            block.excepts = sets->list[p].excepts;
            block.except_count = sets->list[p].except_count;
            check_block(scope, group, &block, openers);
        }
    }
}

void lint_check_reopened(struct lint_scope *scope, struct lint_group *group) {
    struct openers openers = {NULL, 0, 0};
    bool excepts = false;
    for (size_t i = 0; i < group->count && !excepts; i++)
        excepts = scope->members[group->members[i]].excepts && lint_is_judged(scope, group, i);
    if (!excepts || !(lint_group_traits(scope, group, 0, true) & TRAIT_ADDRESSES) || !lint_isolated(scope, group))
        return;
    collect_openers(scope, group, &openers);
    for (size_t i = 0; i < group->count && openers.count > 0; i++)
        if (scope->members[group->members[i]].excepts && lint_is_judged(scope, group, i))
            check_member_blocks(scope, group, &scope->members[group->members[i]], &openers);
}

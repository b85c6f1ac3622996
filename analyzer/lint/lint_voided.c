/* Lists of names or blocks that a wider rule for the same pods makes void. */
#include "analyzer/lint/scope.h"
#include "base/arena.h"

/* An entry of a member of the group. */
struct place {
    struct lint_member *member;
    const struct rule_entry *entry;
};

static bool entry_is_wide(const struct rule_entry *entry) {
    for (size_t i = 0; !entry->deny && i < entry->peer_count; i++)
        if (lint_is_wide(&entry->peers[i].lower.addresses))
            return true;
    return false;
}

/* Whether the entry lists names, or blocks that are no large part of all addresses, and nothing else. */
static bool entry_is_list(const struct rule_entry *entry, struct arena *arena) {
    for (size_t i = 0; i < entry->peer_count; i++) {
        const struct destination_set *set = &entry->peers[i].upper;
        bool names = set->learned_count > 0 && set->addresses.count == 0;
        if (set->specials || set->pods.count > 0 || (!names && set->addresses.count == 0) ||
            lint_is_wide(&set->addresses))
            return false;
        for (uint32_t k = 0; names && k < set->learned_count; k++)
            if (name_set_is_everything(arena, &set->learned[k].names))
                return false;
    }
    return !entry->deny && entry->peer_count > 0;
}

static struct flow_set of_ipv4(const struct flow_set *set, struct arena *arena) {
    struct address_set ipv4 = address_set_family(ADDRESS_IPV4);
    struct flow_box box = {.destinations = destination_set_of_addresses(arena, &ipv4),
                           .ports = port_set_everything(),
                           .payloads = payload_set_everything()};
    struct flow_set all = flow_set_of(arena, &box);
    return flow_set_intersect(arena, set, &all);
}

/* What the entry lists, as far as it is not denied. */
static struct flow_set listed_flows(const struct effective *effective, const struct rule_entry *entry,
                                    struct arena *arena) {
    struct flow_set set = lint_boxes_of(&effective->allow_upper, lint_origin(effective, entry), arena);
    set = flow_set_subtract(arena, &set, &effective->deny_lower);
    return of_ipv4(&set, arena);
}

/* What the wide entries other than the list let through. */
static struct flow_set wide_flows(struct lint_scope *scope, const struct effective *effective,
                                  const struct rule_entry *list) {
    struct flow_set set = flow_set_nothing();
    for (size_t i = 0; i < effective->origin_count; i++) {
        const struct rule_entry *entry = effective->origins[i].entry;
        if (entry == list || !entry_is_wide(entry))
            continue;
        struct flow_set one = lint_allowed(effective, i, scope->scratch);
        set = flow_set_union(scope->scratch, &set, &one);
    }
    return set;
}

static bool is_voided(struct lint_scope *scope, struct lint_group *group, const struct place *list) {
    for (size_t reading = scope->readings.count; reading-- > 0;) {
        const struct effective *effective = lint_effective(scope, group, reading);
        const struct rule_entry *here = lint_entry_under(scope, list->member, reading, list->entry);
        if (!here)
            return false;
        struct flow_set listed = listed_flows(effective, here, scope->scratch);
        struct flow_set wide = wide_flows(scope, effective, here);
        struct flow_set rest = flow_set_subtract(scope->scratch, &listed, &wide);
        if (flow_set_is_empty(scope->scratch, &listed) != SET_INHABITED ||
            flow_set_is_empty(scope->scratch, &rest) != SET_EMPTY)
            return false;
    }
    return true;
}

/* Whether the wide entry takes part in it. */
static bool wide_meets(struct lint_scope *scope, struct lint_group *group, const struct place *wide,
                       const struct place *list) {
    const struct effective *effective = lint_effective(scope, group, 0);
    struct flow_set listed = listed_flows(effective, list->entry, scope->scratch);
    struct flow_set allowed = lint_allowed(effective, lint_origin(effective, wide->entry), scope->scratch);
    struct flow_set both = flow_set_intersect(scope->scratch, &listed, &allowed);
    return flow_set_is_empty(scope->scratch, &both) == SET_INHABITED;
}

static struct part wide_part(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->peer_count; i++)
        if (lint_is_wide(&entry->peers[i].lower.addresses) && entry->peers[i].part.node)
            return entry->peers[i].part;
    return entry->part;
}

static void report_voided(struct lint_scope *scope, const struct lint_group *group, const struct place *wide,
                          const struct place *list) {
    struct lint *lint = scope->lint;
    struct part part = wide_part(wide->entry);
    const struct object *object = list->member->policy->object;
    if (!lint_once(scope, CODE_ALLOWLIST_VOIDED, part.node))
        return;
    struct diagnostic *finding =
        lint_report(lint, wide->member->policy, CODE_ALLOWLIST_VOIDED, part,
                    "%s opens to %s all that %s of %s %s lists, so the list restricts nothing; narrow this rule, or "
                    "remove the list",
                    part.path, lint_subject_words(scope, group), list->entry->part.path, object->kind_word,
                    object_label(object, lint->arena));
    diagnostic_note(lint->findings, finding, node_location(object->file, list->entry->part.node),
                    "the list that becomes void");
}

/* The first wide entry that takes part is the one to speak of. */
static void find_wide(struct lint_scope *scope, struct lint_group *group, const struct place *list) {
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & TRAIT_WIDE))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++) {
            struct place wide = {member, &rules->entries[e]};
            if (wide.entry != list->entry && entry_is_wide(wide.entry) && wide_meets(scope, group, &wide, list)) {
                report_voided(scope, group, &wide, list);
                return;
            }
        }
    }
}

void lint_check_voided(struct lint_scope *scope, struct lint_group *group) {
    unsigned traits = lint_group_traits(scope, group, 0, true);
    if (!(traits & TRAIT_WIDE) || !(traits & (TRAIT_NAMES | TRAIT_ADDRESSES)) || !lint_isolated(scope, group))
        return;
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!lint_is_judged(scope, group, i) || !(lint_traits(scope, member, 0) & (TRAIT_NAMES | TRAIT_ADDRESSES)))
            continue;
        const struct policy_rules *rules = lint_rules(scope, member, 0);
        for (size_t e = 0; e < rules->count; e++) {
            struct place list = {member, &rules->entries[e]};
            if (!entry_is_list(list.entry, scope->scratch) ||
                !lint_once(scope, CODE_ALLOWLIST_VOIDED, list.entry->part.node))
                continue;
            if (is_voided(scope, group, &list))
                find_wide(scope, group, &list);
        }
    }
}

/* What entries of a group mean beside all that acts on them. */
#include "analyzer/lint/scope.h"
#include "base/arena.h"
#include "ir/witness.h"

enum { ACTING_LIMIT = 100 };

/* Whether the entry is a deny, or restricts payloads, and may bear on the flows: by its ports and sorts of destinations. */
static bool entry_acts_on(const struct rule_entry *entry, const struct flow_set *about) {
    bool acts = entry->deny, ports = false, meets = false;
    for (size_t i = 0; i < entry->key_count; i++)
        acts = acts || entry->keys[i].restriction;
    for (uint32_t b = 0; acts && b < about->count; b++) {
        const struct destination_set *wanted = &about->boxes[b].destinations;
        for (size_t i = 0; i < entry->key_count && !ports; i++)
            ports = lint_ports_meet(&entry->keys[i].upper, &about->boxes[b].ports);
        for (size_t i = 0; ports && i < entry->peer_count && !meets; i++) {
            const struct destination_set *mine = &entry->peers[i].upper;
            meets = lint_addresses_meet(&mine->addresses, &wanted->addresses) ||
                    (mine->learned_count && wanted->learned_count) ||
                    (mine->addresses.count && wanted->learned_count) ||
                    (mine->learned_count && wanted->addresses.count) || (mine->pods.count && wanted->pods.count) ||
                    (mine->specials & wanted->specials);
        }
    }
    return acts && ports && meets;
}

/* What goes into an effective set. */
struct choice {
    const struct lint_entry *wanted;
    size_t count;
    const struct flow_set *about;
    size_t left, acting; /* of the wanted, those not met yet; of the acting, those that were met */
};

/* The member's entries that act, and those that are asked about. */
static struct policy_rules entries_choose(struct lint_scope *scope, struct lint_member *member, size_t place,
                                          size_t reading, struct choice *choice) {
    struct policy_rules chosen = {.policy = member->candidate.policy};
    bool asked = (lint_traits(scope, member, 0) & (TRAIT_DENIES | TRAIT_RESTRICTS)) != 0;
    for (size_t i = 0; i < choice->count; i++)
        asked = asked || choice->wanted[i].place == place;
    if (!asked)
        return chosen;
    const struct policy_rules *rules = lint_rules(scope, member, reading);
    struct rule_entry *list = arena_array(scope->scratch, rules->count + 1, sizeof *list);
    for (size_t e = 0; e < rules->count; e++) {
        bool takes = false;
        for (size_t i = 0; i < choice->count; i++)
            takes = takes || (choice->wanted[i].place == place &&
                              choice->wanted[i].entry->part.node == rules->entries[e].part.node &&
                              choice->wanted[i].entry->deny == rules->entries[e].deny);
        choice->left -= takes && choice->left > 0 ? 1 : 0;
        if (!takes && entry_acts_on(&rules->entries[e], choice->about)) {
            takes = true;
            choice->acting++;
        }
        if (takes)
            list[chosen.count++] = rules->entries[e];
    }
    chosen.entries = list;
    return chosen;
}

bool lint_effective(struct lint_scope *scope, const struct lint_group *group, size_t reading,
                    const struct lint_entry *entries, size_t count, const struct flow_set *about,
                    struct effective *effective) {
    struct arena *arena = scope->scratch;
    struct selected_rules *selected = arena_array(arena, group->count + 1, sizeof *selected);
    struct choice choice = {.wanted = entries, .count = count, .about = about, .left = count};
    size_t kept = 0;
    for (size_t i = 0; i < group->count && choice.acting <= ACTING_LIMIT; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        struct policy_rules chosen = entries_choose(scope, member, i, reading, &choice);
        if (chosen.count == 0)
            continue;
        struct policy_rules *rules = arena_alloc(arena, sizeof *rules);
        *rules = chosen;
        selected[kept++] = (struct selected_rules){rules, group->certain[i] && member->sound};
    }
    if (choice.left > 0 || choice.acting > ACTING_LIMIT)
        return false;
    effective_of(selected, kept, &scope->readings.list[reading], arena, effective);
    return true;
}

bool lint_entry_allows(struct lint_scope *scope, const struct lint_group *group, const struct lint_entry *entry,
                       const struct flow_set *flows, struct flow *flow) {
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        struct effective effective;
        if (!lint_effective(scope, group, reading, entry, 1, flows, &effective))
            return false;
        struct flow_set allowed = lint_allowed(&effective, entry->entry, scope->scratch);
        allowed = flow_set_intersect(scope->scratch, &allowed, flows);
        if (flow_set_is_empty(scope->scratch, &allowed) != SET_INHABITED ||
            (reading == 0 && !flow_set_sample(scope->scratch, &allowed, witness_order_default(), flow, NULL)))
            return false;
    }
    return true;
}

void lint_effective_alone(struct lint_scope *scope, struct lint_member *member, size_t reading,
                          struct effective *effective) {
    struct selected_rules *selected = arena_alloc(scope->scratch, sizeof *selected);
    *selected = (struct selected_rules){lint_rules(scope, member, reading), true};
    effective_of(selected, 1, &scope->readings.list[reading], scope->scratch, effective);
}

const struct rule_entry *lint_entry_under(struct lint_scope *scope, struct lint_member *member, size_t reading,
                                          const struct rule_entry *entry) {
    const struct policy_rules *rules = lint_rules(scope, member, reading);
    for (size_t i = 0; i < rules->count; i++)
        if (rules->entries[i].part.node == entry->part.node && rules->entries[i].deny == entry->deny)
            return &rules->entries[i];
    return NULL;
}

size_t lint_origin(const struct effective *effective, const struct rule_entry *entry) {
    for (size_t i = 0; i < effective->origin_count; i++)
        if (effective->origins[i].entry->part.node == entry->part.node &&
            effective->origins[i].entry->deny == entry->deny)
            return i;
    return SIZE_MAX;
}

struct flow_set lint_allowed(const struct effective *effective, const struct rule_entry *entry, struct arena *arena) {
    struct flow_set set = flow_set_of_origin(arena, &effective->allow_lower, lint_origin(effective, entry));
    return effective->deny_upper.count ? flow_set_subtract(arena, &set, &effective->deny_upper) : set;
}

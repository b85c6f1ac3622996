/* Rules that allow nothing, or nothing that the rest of their policy does not allow. */
#include "analyzer/lint/scope.h"
#include "base/arena.h"

enum { ENTRIES_LIMIT = 200 };

/* ---- rules that allow nothing ---- */

/* Empty lists of peers or ports, `{}`, and port names have codes of their own. */
static bool entry_speaks_for_itself(const struct rule_entry *entry) {
    bool other = entry->deny || entry->peer_count == 0 || entry->key_count == 0;
    for (size_t i = 0; i < entry->key_count; i++)
        other = other || entry->keys[i].form == KEY_NAME || entry->keys[i].doubt;
    return other;
}

static bool entry_is_unused(struct lint_scope *scope, struct lint_member *member, const struct rule_entry *entry) {
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        const struct rule_entry *here = lint_entry_under(scope, member, reading, entry);
        if (!here || entry_speaks_for_itself(here))
            return false;
        struct effective effective;
        lint_effective_alone(scope, member, reading, &effective);
        struct flow_set set = flow_set_of_origin(scope->scratch, &effective.allow_upper, lint_origin(&effective, here));
        set = flow_set_subtract(scope->scratch, &set, &effective.deny_lower);
        if (flow_set_is_empty(scope->scratch, &set) != SET_EMPTY)
            return false;
    }
    return true;
}

/* Cheap: whether the sets may be empty at all. */
static bool entry_may_be_unused(const struct rule_entry *entry, bool denies) {
    bool live = false, ports = false;
    for (size_t i = 0; i < entry->peer_count; i++)
        live = live || !destination_set_is_nothing(&entry->peers[i].upper);
    for (size_t i = 0; i < entry->key_count; i++)
        ports = ports || !port_set_is_empty(&entry->keys[i].upper);
    return denies || !live || !ports;
}

/* ---- redundant rules ---- */

/* The rules of a member without some entries. */
static struct selected_rules rules_without(const struct policy_rules *rules, const bool *without, struct arena *arena) {
    struct rule_entry *entries = arena_array(arena, rules->count + 1, sizeof *entries);
    struct policy_rules *rest = arena_alloc(arena, sizeof *rest);
    *rest = *rules;
    rest->count = 0;
    for (size_t i = 0; i < rules->count; i++)
        if (!without[i])
            entries[rest->count++] = rules->entries[i];
    rest->entries = entries;
    return (struct selected_rules){rest, true};
}

static bool is_within(const struct flow_set *a, const struct flow_set *b, struct arena *arena) {
    struct flow_set rest = flow_set_subtract(arena, a, b);
    return flow_set_is_empty(arena, &rest) == SET_EMPTY;
}

/* Whether the policy means the same without the entry, under every reading. */
static bool same_without(struct lint_scope *scope, struct lint_member *member, size_t entry, bool *removed) {
    struct arena *arena = scope->scratch;
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        const struct policy_rules *rules = lint_rules(scope, member, reading);
        struct effective with, without;
        struct selected_rules selected = rules_without(rules, removed, arena);
        effective_of(&selected, 1, &scope->readings.list[reading], arena, &with);
        removed[entry] = true;
        selected = rules_without(rules, removed, arena);
        removed[entry] = false;
        effective_of(&selected, 1, &scope->readings.list[reading], arena, &without);
        if (!is_within(&with.allow_upper, &without.allow_lower, arena) ||
            !is_within(&without.allow_upper, &with.allow_lower, arena))
            return false;
    }
    return true;
}

/* A list of DNS names lets the proxy see answers, whatever it allows. */
static bool entry_asks(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->key_count; i++)
        if (entry->keys[i].restriction && entry->keys[i].restriction->has_questions)
            return true;
    return false;
}

/* The boxes of `set` but those of the entries that are removed and of `entry`. */
static struct flow_set boxes_of_others(const struct flow_set *set, size_t entry, const bool *removed,
                                       struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->boxes[i].origin != entry && !removed[set->boxes[i].origin])
            boxes[count++] = set->boxes[i];
    return (struct flow_set){boxes, count};
}

/* The path of one other entry that alone allows as much, or NULL. */
static const char *covering_path(const struct policy_rules *rules, const struct effective *effective, size_t entry,
                                 const struct flow_set *mine, const bool *removed, struct arena *arena) {
    for (size_t i = 0; i < rules->count; i++) {
        if (i == entry || removed[i] || rules->entries[i].deny)
            continue;
        struct flow_set other = flow_set_of_origin(arena, &effective->allow_lower, i);
        if (other.count && is_within(mine, &other, arena))
            return rules->entries[i].part.path;
    }
    return NULL;
}

/* From the last entry to the first, so that of equal ones the first stays. */
static void check_redundant(struct lint_scope *scope, struct lint_member *member) {
    struct arena *arena = scope->scratch;
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    bool *removed = arena_array(arena, rules->count + 1, sizeof *removed);
    struct effective effective;
    lint_effective_alone(scope, member, 0, &effective);
    for (size_t i = rules->count; i-- > 0;) {
        const struct rule_entry *entry = &rules->entries[i];
        if (entry_speaks_for_itself(entry) || entry_asks(entry) ||
            lint_was_said(scope, CODE_UNUSED_RULE, entry->part.node))
            continue;
        struct flow_set mine = flow_set_of_origin(arena, &effective.allow_upper, i);
        struct flow_set others = boxes_of_others(&effective.allow_lower, i, removed, arena);
        if (!is_within(&mine, &others, arena) || !same_without(scope, member, i, removed))
            continue;
        const char *path = covering_path(rules, &effective, i, &mine, removed, arena);
        removed[i] = true;
        lint_report(scope->lint, member->policy, CODE_REDUNDANT_RULE, entry->part,
                    "%s allows nothing that %s does not; remove it, or narrow the others if this is what was meant",
                    entry->part.path, path ? path : "the rest of the policy");
    }
}

void lint_check_redundant(struct lint_scope *scope, struct lint_member *member) {
    if (!member->sound)
        return;
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    bool denies = (lint_traits(scope, member, 0) & TRAIT_DENIES) != 0;
    size_t allows = 0;
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule_entry *entry = &rules->entries[i];
        allows += entry->deny ? 0 : 1;
        if (entry->deny || !entry_may_be_unused(entry, denies) || !entry_is_unused(scope, member, entry) ||
            !lint_once(scope, CODE_UNUSED_RULE, entry->part.node))
            continue;
        lint_report(scope->lint, member->policy, CODE_UNUSED_RULE, entry->part,
                    "%s allows nothing: its peers, ports and what the policy denies leave no flow; remove it, or "
                    "correct what it selects",
                    entry->part.path);
    }
    if (allows > 1 && rules->count <= ENTRIES_LIMIT)
        check_redundant(scope, member);
}

/* Rules that allow nothing, or nothing that the rest of their policy does not allow. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "analyzer/rules/effect.h"
#include "base/arena.h"

/* A member under one reading, as if only it selected something: what its entries allow, each by itself. */
struct alone {
    const struct policy_rules *rules;
    struct effect *effect;
    struct arena *arena;
    struct flow_set deny_lower; /* closed; for entries that may be unused */
    struct flow_set *lower;     /* by entry; for entries that may be redundant */
    const bool *removed;        /* by entry; NULL: none */
};

static struct alone alone_of(struct lint_scope *scope, struct lint_member *member, size_t reading) {
    struct alone alone = {.rules = lint_rules(scope, member, reading), .arena = scope->scratch};
    struct selected_rules *selected = arena_alloc(alone.arena, sizeof *selected);
    *selected = (struct selected_rules){alone.rules, true};
    alone.effect = effect_of(selected, 1, &scope->readings.list[reading], alone.arena);
    return alone;
}

static struct flow_set entry_allows(const struct alone *alone, size_t entry, bool upper) {
    return effect_boxes(alone->effect, &alone->rules->entries[entry], upper, (uint32_t)entry, NULL, alone->arena);
}

static bool is_within(const struct flow_set *a, const struct flow_set *b, struct arena *arena) {
    struct flow_set rest = flow_set_subtract(arena, a, b);
    return flow_set_is_empty(arena, &rest) == SET_EMPTY;
}

/* ---- rules that allow nothing ---- */

/* Empty lists of peers or ports, `{}`, and port names have codes of their own. */
static bool entry_speaks_for_itself(const struct rule_entry *entry) {
    bool other = entry->deny || entry->peer_count == 0 || entry->key_count == 0;
    for (size_t i = 0; i < entry->key_count; i++)
        other = other || entry->keys[i].form == KEY_NAME || entry->keys[i].doubt;
    return other;
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

static enum emptiness entry_is_unused(struct lint_scope *scope, struct lint_member *member, const struct alone *alone,
                                      size_t entry) {
    bool undecided = false;
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        const struct rule_entry *here = lint_entry_under(scope, member, reading, &alone[0].rules->entries[entry]);
        if (!here || entry_speaks_for_itself(here))
            return SET_INHABITED;
        const struct alone *under = &alone[reading];
        struct flow_set set = entry_allows(under, (size_t)(here - under->rules->entries), true);
        if (!lint_spend(scope, 1 + (size_t)set.count * (1 + (size_t)under->deny_lower.count)))
            return SET_UNDECIDED;
        set = flow_set_subtract(scope->scratch, &set, &under->deny_lower);
        enum emptiness emptiness = flow_set_is_empty(scope->scratch, &set);
        if (emptiness == SET_INHABITED)
            return SET_INHABITED;
        undecided = undecided || emptiness == SET_UNDECIDED;
    }
    return undecided ? SET_UNDECIDED : SET_EMPTY;
}

static void report_unused(struct lint_scope *scope, const struct lint_member *member, const struct rule_entry *entry) {
    if (lint_once(scope, CODE_UNUSED_RULE, entry->part.node))
        lint_report(scope->lint, member->policy, CODE_UNUSED_RULE, entry->part,
                    "%s allows nothing: its peers, ports and what the policy denies leave no flow; remove it, or "
                    "correct what it selects",
                    entry->part.path);
}

/* What the member denies for certain. */
static struct flow_set denied(const struct alone *alone) {
    struct flow_box *boxes = arena_array(alone->arena, alone->rules->count + 1, sizeof *boxes);
    uint32_t count = 0;
    for (size_t i = 0; i < alone->rules->count; i++) {
        struct flow_set one = alone->rules->entries[i].deny ? entry_allows(alone, i, false) : flow_set_nothing();
        if (one.count)
            boxes[count++] = one.boxes[0];
    }
    struct flow_set set = {boxes, count};
    return flow_set_closed(alone->arena, &set);
}

static void check_unused(struct lint_scope *scope, struct lint_member *member, bool denies) {
    struct alone *alone = arena_array(scope->scratch, scope->readings.count, sizeof *alone);
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    for (size_t i = 0; i < rules->count; i++) {
        if (rules->entries[i].deny || !entry_may_be_unused(&rules->entries[i], denies))
            continue;
        for (size_t r = 0; r < scope->readings.count && !alone[r].effect; r++) {
            alone[r] = alone_of(scope, member, r);
            alone[r].deny_lower = denied(&alone[r]);
        }
        struct arena_mark mark = arena_mark(scope->scratch);
        enum emptiness emptiness = entry_is_unused(scope, member, alone, i);
        arena_rollback(scope->scratch, mark);
        if (emptiness == SET_EMPTY)
            report_unused(scope, member, &rules->entries[i]);
        else if (emptiness == SET_UNDECIDED)
            lint_not_examined_of(scope, member, CODE_UNUSED_RULE);
    }
}

/* ---- redundant rules ---- */

/* A list of DNS names lets the proxy see answers, whatever it allows. */
static bool entry_asks(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->key_count; i++)
        if (key_has_questions(&entry->keys[i]))
            return true;
    return false;
}

static bool entry_may_be_redundant(struct lint_scope *scope, const struct rule_entry *entry) {
    return !entry_speaks_for_itself(entry) && !entry_asks(entry) &&
           !lint_was_said(scope, CODE_UNUSED_RULE, entry->part.node);
}

static bool takes_part(const struct alone *alone, size_t entry, size_t other) {
    return other != entry && !alone->removed[other] && !alone->rules->entries[other].deny;
}

/* Some flow of the set; false: none is found at once. */
static bool some_flow(const struct flow_set *set, struct flow *flow, struct arena *arena) {
    for (uint32_t i = 0; i < set->count; i++) {
        const struct flow_box *box = &set->boxes[i];
        if (port_set_sample(&box->ports, &flow->protocol, &flow->port) &&
            payload_set_sample(arena, &box->payloads, &flow->payload) &&
            destination_set_sample(arena, &box->destinations, &flow->destination))
            return true;
    }
    return false;
}

/* Whether the others allow what the entry does, as far as one flow shows. */
static bool others_may_cover(const struct alone *alone, size_t entry, const struct flow_set *mine) {
    struct flow flow;
    if (!some_flow(mine, &flow, alone->arena))
        return true;
    for (size_t i = 0; i < alone->rules->count; i++)
        if (takes_part(alone, entry, i) && flow_set_contains(&alone->lower[i], &flow))
            return true;
    return false;
}

/* What others than the entry (SIZE_MAX: all) allow for certain, as far as it may meet the set. */
static struct flow_set others_lower(const struct alone *alone, const struct flow_set *lower, size_t entry,
                                    const struct flow_set *mine) {
    struct flow_box *boxes = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < alone->rules->count; i++)
        for (uint32_t b = 0; takes_part(alone, entry, i) && b < lower[i].count; b++) {
            bool meets = false;
            for (uint32_t k = 0; k < mine->count && !meets; k++)
                meets = lint_ports_meet(&lower[i].boxes[b].ports, &mine->boxes[k].ports);
            if (!meets)
                continue;
            boxes = arena_grow(alone->arena, boxes, &capacity, count + 1, sizeof *boxes);
            boxes[count++] = lower[i].boxes[b];
        }
    return (struct flow_set){boxes, (uint32_t)count};
}

/* Whether others than the entry allow all of the set for certain. */
static enum emptiness others_lack(const struct alone *alone, const struct flow_set *lower, size_t entry,
                                  const struct flow_set *set) {
    struct flow_set others = others_lower(alone, lower, entry, set);
    struct flow_set rest = flow_set_subtract(alone->arena, set, &others);
    return flow_set_is_empty(alone->arena, &rest);
}

/* The path of one other entry that alone allows as much, or NULL. */
static const char *covering_path(const struct alone *alone, size_t entry, const struct flow_set *mine) {
    struct flow flow;
    bool some = some_flow(mine, &flow, alone->arena);
    for (size_t i = 0; i < alone->rules->count; i++)
        if (takes_part(alone, entry, i) && alone->lower[i].count &&
            (!some || flow_set_contains(&alone->lower[i], &flow)) && is_within(mine, &alone->lower[i], alone->arena))
            return alone->rules->entries[i].part.path;
    return NULL;
}

/* ---- server names, which act on rules of the same selector and key ---- */

/* Whether server names of `entry` act on `other`. */
static bool acts_on(const struct rule_entry *entry, const struct rule_entry *other) {
    for (size_t i = 0; i < entry->key_count; i++)
        for (size_t k = 0; key_has_server_names(&entry->keys[i]) && k < other->key_count; k++)
            if (!key_has_server_names(&other->keys[k]) && strcmp(entry->keys[i].id, other->keys[k].id) == 0 &&
                entries_share_selector(entry, other))
                return true;
    return false;
}

static bool has_server_names(const struct rule_entry *entry) {
    for (size_t i = 0; i < entry->key_count; i++)
        if (key_has_server_names(&entry->keys[i]))
            return true;
    return false;
}

/* What the others allow for certain without the entry. Once it is removed, this is what they allow. */
static struct flow_set *lower_without(const struct alone *alone, size_t entry) {
    const struct rule_entry *mine = &alone->rules->entries[entry];
    struct flow_set *lower = arena_array(alone->arena, alone->rules->count + 1, sizeof *lower);
    effect_drop(alone->effect, mine, true);
    for (size_t i = 0; i < alone->rules->count; i++)
        lower[i] = takes_part(alone, entry, i) && acts_on(mine, &alone->rules->entries[i])
                       ? entry_allows(alone, i, false)
                       : alone->lower[i];
    effect_drop(alone->effect, mine, false);
    return lower;
}

/* Whether the entries that it acts on, which `lower` is of without it, allow together what they do with it. */
static enum emptiness others_change(const struct alone *alone, size_t entry, const struct flow_set *lower) {
    const struct rule_entry *mine = &alone->rules->entries[entry];
    enum emptiness change = SET_EMPTY;
    for (size_t i = 0; i < alone->rules->count && change == SET_EMPTY; i++) {
        if (!takes_part(alone, entry, i) || !acts_on(mine, &alone->rules->entries[i]))
            continue;
        struct flow_set with = entry_allows(alone, i, true);
        effect_drop(alone->effect, mine, true);
        struct flow_set without = entry_allows(alone, i, true);
        effect_drop(alone->effect, mine, false);
        change = others_lack(alone, lower, entry, &with);
        if (change == SET_EMPTY)
            change = others_lack(alone, alone->lower, SIZE_MAX, &without);
    }
    return change;
}

/* ---- the check ---- */

/* Empty: what the entry may allow is certainly allowed by others, which mean the same without it. */
static enum emptiness entry_adds(struct lint_scope *scope, const struct alone *alone, size_t entry) {
    struct flow_set mine = entry_allows(alone, entry, true);
    const struct flow_set *lower = alone->lower;
    if (!lint_spend(scope, alone->rules->count))
        return SET_UNDECIDED;
    if (!others_may_cover(alone, entry, &mine))
        return SET_INHABITED;
    lint_spend(scope, alone->rules->count * (1 + (size_t)mine.count));
    bool acts = has_server_names(&alone->rules->entries[entry]);
    if (acts)
        lower = lower_without(alone, entry);
    enum emptiness adds = others_lack(alone, lower, entry, &mine);
    return adds == SET_EMPTY && acts ? others_change(alone, entry, lower) : adds;
}

static void alone_collect(struct alone *alone, const bool *removed) {
    alone->removed = removed;
    alone->lower = arena_array(alone->arena, alone->rules->count + 1, sizeof *alone->lower);
    for (size_t i = 0; i < alone->rules->count; i++)
        if (!alone->rules->entries[i].deny)
            alone->lower[i] = entry_allows(alone, i, false);
}

static void alone_make(struct lint_scope *scope, struct lint_member *member, size_t reading, const bool *removed,
                       struct alone *alone) {
    *alone = alone_of(scope, member, reading);
    for (size_t i = 0; i < alone->rules->count; i++)
        if (removed[i])
            effect_drop(alone->effect, &alone->rules->entries[i], true);
    alone_collect(alone, removed);
}

/* Whether the policy means something else without the entry, under some reading. Readings are made as they are asked of. */
static enum emptiness is_needed(struct lint_scope *scope, struct lint_member *member, struct alone *alone, size_t entry,
                                const bool *removed) {
    const struct rule_entry *first = &lint_rules(scope, member, 0)->entries[entry];
    bool undecided = false;
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        if (!alone[reading].rules)
            alone_make(scope, member, reading, removed, &alone[reading]);
        if (lint_entry_under(scope, member, reading, first) != &alone[reading].rules->entries[entry])
            return SET_INHABITED;
        struct arena_mark mark = arena_mark(scope->scratch);
        enum emptiness adds = entry_adds(scope, &alone[reading], entry);
        arena_rollback(scope->scratch, mark);
        if (adds == SET_INHABITED)
            return SET_INHABITED;
        undecided = undecided || adds == SET_UNDECIDED;
    }
    return undecided ? SET_UNDECIDED : SET_EMPTY;
}

/* The entry acts on no other from now on. */
static void alone_remove(const struct lint_scope *scope, struct alone *alone, size_t entry) {
    for (size_t r = 0; r < scope->readings.count; r++) {
        if (has_server_names(&alone[r].rules->entries[entry]))
            alone[r].lower = lower_without(&alone[r], entry);
        effect_drop(alone[r].effect, &alone[r].rules->entries[entry], true);
    }
}

static void report_redundant(struct lint_scope *scope, const struct lint_member *member, const struct alone *alone,
                             size_t entry) {
    const struct rule_entry *rule = &alone->rules->entries[entry];
    struct flow_set mine = entry_allows(alone, entry, true);
    const char *path = covering_path(alone, entry, &mine);
    lint_report(scope->lint, member->policy, CODE_REDUNDANT_RULE, rule->part,
                "%s allows nothing that %s does not; remove it, or narrow the others if this is what was meant",
                rule->part.path, path ? path : "the rest of the policy");
}

/* From the last entry to the first, so that of equal ones the first stays. */
static void check_redundant(struct lint_scope *scope, struct lint_member *member) {
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    bool *removed = arena_array(scope->scratch, rules->count + 1, sizeof *removed);
    struct alone *alone = arena_array(scope->scratch, scope->readings.count, sizeof *alone);
    for (size_t i = rules->count; i-- > 0;) {
        if (!entry_may_be_redundant(scope, &rules->entries[i]))
            continue;
        enum emptiness needed = is_needed(scope, member, alone, i, removed);
        if (needed == SET_UNDECIDED)
            lint_not_examined_of(scope, member, CODE_REDUNDANT_RULE);
        if (needed != SET_EMPTY)
            continue;
        struct arena_mark mark = arena_mark(scope->scratch);
        report_redundant(scope, member, &alone[0], i);
        arena_rollback(scope->scratch, mark);
        alone_remove(scope, alone, i);
        removed[i] = true;
    }
}

void lint_check_redundant(struct lint_scope *scope, struct lint_member *member) {
    if (!member->sound)
        return;
    const struct policy_rules *rules = lint_rules(scope, member, 0);
    size_t allows = 0;
    for (size_t i = 0; i < rules->count; i++)
        allows += rules->entries[i].deny ? 0 : 1;
    check_unused(scope, member, allows < rules->count);
    if (allows > 1)
        check_redundant(scope, member);
}

/* What entries of a group let through beside all that acts on them. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "analyzer/rules/effect.h"
#include "base/arena.h"
#include "ir/witness.h"

/* ---- contexts: what acts, as numbers ---- */

/* `to` stands for what `from` does, and `item` after it: equal sequences have equal numbers. */
struct step {
    size_t from, item, to;
};

static size_t step_slot(const struct lint_contexts *contexts, size_t from, size_t item) {
    size_t at = (from * 0x9e3779b97f4a7c15u ^ (item + 1) * 0xc2b2ae3d27d4eb4fu) >> 7;
    for (at %= contexts->capacity; contexts->steps[at].to; at = (at + 1) % contexts->capacity)
        if (contexts->steps[at].from == from && contexts->steps[at].item == item)
            break;
    return at;
}

static void contexts_grow(struct lint_contexts *contexts, struct arena *arena) {
    struct lint_contexts grown = {.count = contexts->count,
                                  .capacity = contexts->capacity ? 2 * contexts->capacity : 64};
    grown.steps = arena_array(arena, grown.capacity, sizeof *grown.steps);
    for (size_t i = 0; i < contexts->capacity; i++)
        if (contexts->steps[i].to)
            grown.steps[step_slot(&grown, contexts->steps[i].from, contexts->steps[i].item)] = contexts->steps[i];
    *contexts = grown;
}

size_t lint_context_after(struct lint_scope *scope, size_t from, size_t item) {
    struct lint_contexts *contexts = &scope->contexts;
    if (2 * (contexts->count + 1) > contexts->capacity)
        contexts_grow(contexts, scope->lint->arena);
    struct step *step = &contexts->steps[step_slot(contexts, from, item)];
    if (!step->to)
        *step = (struct step){from, item, ++contexts->count};
    return step->to;
}

static bool is_certain(const struct lint_scope *scope, const struct lint_group *group, size_t place) {
    return group->certain[place] && scope->members[group->members[place]].sound;
}

size_t lint_context(struct lint_scope *scope, const struct lint_group *group) {
    struct lint_weighing *weighing = &scope->weighing;
    if (weighing->group == group)
        return weighing->context;
    size_t context = 0;
    for (size_t i = 0; i < group->count; i++)
        if (scope->members[group->members[i]].acts)
            context = lint_context_after(scope, context, 2 * group->members[i] + is_certain(scope, group, i));
    weighing->group = group;
    weighing->context = context;
    return context;
}

/* ---- denies ---- */

/* The denies of a member under a reading; members whose denies are spelled alike share them. */
struct lint_denial {
    struct flow_set lower, upper;
    const char *text;
    size_t lower_in, upper_in; /* the last collection that took them */
};

/* The denies spelled out: selectors and keys determine the sets. NULL: something is in doubt. */
static const char *denial_text(const struct policy_rules *rules, size_t reading, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    buffer_print(&out, "%zu", reading);
    for (size_t e = 0; e < rules->count; e++) {
        const struct rule_entry *entry = &rules->entries[e];
        for (size_t i = 0; entry->deny && i < entry->peer_count; i++) {
            if (entry->peers[i].doubt)
                return NULL;
            buffer_print(&out, "\x01%s", entry->peers[i].selector);
        }
        for (size_t i = 0; entry->deny && i < entry->key_count; i++) {
            if (entry->keys[i].doubt)
                return NULL;
            buffer_print(&out, "\x02%s", entry->keys[i].id);
        }
    }
    return buffer_string(&out);
}

static size_t denial_slot(const struct lint_denials *denials, const char *text) {
    size_t at = text_hash(text_of(text)) % denials->capacity;
    while (denials->slots[at] && strcmp(denials->slots[at]->text, text) != 0)
        at = (at + 1) % denials->capacity;
    return at;
}

static void denials_grow(struct lint_denials *denials, struct arena *arena) {
    struct lint_denials grown = {.count = denials->count, .capacity = denials->capacity ? 2 * denials->capacity : 64};
    grown.slots = arena_array(arena, grown.capacity, sizeof(struct lint_denial *));
    for (size_t i = 0; i < denials->capacity; i++)
        if (denials->slots[i])
            grown.slots[denial_slot(&grown, denials->slots[i]->text)] = denials->slots[i];
    *denials = grown;
}

static struct flow_set denied(const struct policy_rules *rules, const struct effect *effect, bool upper,
                              struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, rules->count + 1, sizeof *boxes);
    uint32_t count = 0;
    for (size_t e = 0; e < rules->count; e++) {
        if (!rules->entries[e].deny)
            continue;
        struct flow_set one = effect_boxes(effect, &rules->entries[e], upper, 0, NULL, arena);
        if (one.count)
            boxes[count++] = one.boxes[0];
    }
    return (struct flow_set){boxes, count};
}

static struct lint_denial *denial_make(struct lint_scope *scope, const struct policy_rules *rules, size_t reading) {
    struct arena *arena = scope->rules;
    struct lint_denial *denial = arena_alloc(arena, sizeof *denial);
    const struct selected_rules selected = {rules, true};
    const struct effect *effect = effect_of(&selected, 0, &scope->readings.list[reading], arena);
    denial->lower = denied(rules, effect, false, arena);
    denial->upper = denied(rules, effect, true, arena);
    return denial;
}

static struct lint_denial *denial_of(struct lint_scope *scope, struct lint_member *member, size_t reading) {
    struct arena *arena = scope->rules;
    struct lint_denials *denials = &scope->denials;
    if (!member->denials)
        member->denials = arena_array(arena, scope->readings.count, sizeof *member->denials);
    if (member->denials[reading])
        return member->denials[reading];
    const struct policy_rules *rules = lint_rules(scope, member, reading);
    struct arena_mark mark = arena_mark(scope->scratch);
    const char *text = denial_text(rules, reading, scope->scratch);
    if (text && 2 * (denials->count + 1) > denials->capacity)
        denials_grow(denials, arena);
    struct lint_denial **slot = text ? &denials->slots[denial_slot(denials, text)] : &member->denials[reading];
    if (!*slot) {
        *slot = denial_make(scope, rules, reading);
        (*slot)->text = text ? arena_copy(arena, text, strlen(text)) : NULL;
        denials->count += text ? 1 : 0;
    }
    arena_rollback(scope->scratch, mark);
    member->denials[reading] = *slot;
    return *slot;
}

/* ---- what acts in a group ---- */

struct lint_acting {
    bool made;
    const struct effect *effect;
    struct flow_set deny_lower, deny_upper; /* closed */
};

struct gathered {
    struct flow_box *boxes;
    size_t count, capacity;
};

static void gather(struct gathered *gathered, const struct flow_set *set, size_t *taken_in, size_t collection,
                   struct arena *arena) {
    if (set->count == 0 || *taken_in == collection)
        return;
    *taken_in = collection;
    gathered->boxes =
        arena_grow(arena, gathered->boxes, &gathered->capacity, gathered->count + set->count, sizeof *set->boxes);
    memcpy(gathered->boxes + gathered->count, set->boxes, set->count * sizeof *set->boxes);
    gathered->count += set->count;
}

static struct flow_set gathered_closed(const struct gathered *gathered, struct arena *arena) {
    struct flow_set set = {gathered->boxes, (uint32_t)gathered->count};
    return flow_set_closed(arena, &set);
}

static void acting_make(struct lint_scope *scope, const struct lint_group *group, size_t reading,
                        struct lint_acting *acting) {
    struct arena *arena = scope->weighing.arena;
    struct selected_rules *selected = arena_array(arena, group->count + 1, sizeof *selected);
    struct gathered lower = {NULL, 0, 0}, upper = {NULL, 0, 0};
    size_t count = 0, collection = ++scope->weighing.collections;
    for (size_t i = 0; i < group->count; i++) {
        struct lint_member *member = &scope->members[group->members[i]];
        if (!member->acts)
            continue;
        selected[count++] = (struct selected_rules){lint_rules(scope, member, reading), is_certain(scope, group, i)};
        if (!member->denies)
            continue;
        struct lint_denial *denial = denial_of(scope, member, reading);
        gather(&upper, &denial->upper, &denial->upper_in, collection, arena);
        if (is_certain(scope, group, i))
            gather(&lower, &denial->lower, &denial->lower_in, collection, arena);
    }
    *acting =
        (struct lint_acting){.made = true, .effect = effect_of(selected, count, &scope->readings.list[reading], arena)};
    acting->deny_lower = gathered_closed(&lower, arena);
    acting->deny_upper = gathered_closed(&upper, arena);
}

static const struct lint_acting *acting_of(struct lint_scope *scope, const struct lint_group *group, size_t reading) {
    struct lint_weighing *weighing = &scope->weighing;
    size_t context = lint_context(scope, group);
    if (!weighing->acting || weighing->made_of != context) {
        arena_rollback(weighing->arena, weighing->start);
        weighing->acting = arena_array(weighing->arena, scope->readings.count, sizeof *weighing->acting);
        weighing->made_of = context;
    }
    if (!weighing->acting[reading].made)
        acting_make(scope, group, reading, &weighing->acting[reading]);
    return &weighing->acting[reading];
}

/* ---- questions ---- */

bool lint_spend(struct lint_scope *scope, size_t effort) {
    scope->effort -= scope->effort < 0 ? 0 : (int64_t)effort;
    return scope->effort >= 0;
}

struct flow_set lint_lets(struct lint_scope *scope, const struct lint_group *group, size_t reading,
                          const struct rule_entry *entry, const struct flow_set *about, bool upper) {
    const struct lint_acting *acting = acting_of(scope, group, reading);
    const struct flow_set *denies = upper ? &acting->deny_lower : &acting->deny_upper;
    struct flow_set set = effect_boxes(acting->effect, entry, upper, 0, about, scope->scratch);
    lint_spend(scope, 1 + (size_t)set.count * (1 + (size_t)denies->count));
    return denies->count ? flow_set_subtract(scope->scratch, &set, denies) : set;
}

enum emptiness lint_entry_allows(struct lint_scope *scope, const struct lint_group *group,
                                 const struct lint_entry *entry, const struct flow_set *flows, struct flow *flow) {
    struct lint_member *member = &scope->members[group->members[entry->place]];
    bool undecided = false;
    for (size_t reading = 0; reading < scope->readings.count; reading++) {
        const struct rule_entry *here = lint_entry_under(scope, member, reading, entry->entry);
        if (!here)
            return SET_EMPTY;
        if (!lint_spend(scope, 1))
            return SET_UNDECIDED;
        struct flow_set allowed = lint_lets(scope, group, reading, here, flows, false);
        enum emptiness emptiness = flow_set_is_empty(scope->scratch, &allowed);
        if (emptiness == SET_EMPTY)
            return SET_EMPTY;
        undecided = undecided || emptiness == SET_UNDECIDED ||
                    (reading == 0 && !flow_set_sample(scope->scratch, &allowed, witness_order_default(), flow, NULL));
    }
    return undecided ? SET_UNDECIDED : SET_INHABITED;
}

static bool is_the_same(const struct rule_entry *a, const struct rule_entry *b) {
    return a->part.node == b->part.node && a->deny == b->deny;
}

const struct rule_entry *lint_entry_under(struct lint_scope *scope, struct lint_member *member, size_t reading,
                                          const struct rule_entry *entry) {
    const struct policy_rules *rules = lint_rules(scope, member, reading), *first = lint_rules(scope, member, 0);
    uintptr_t from = (uintptr_t)first->entries, at = (uintptr_t)entry;
    size_t place = at >= from ? (at - from) / sizeof *entry : SIZE_MAX; /* most readings have it at the same place */
    if (place < first->count && place < rules->count && is_the_same(&rules->entries[place], entry))
        return &rules->entries[place];
    for (size_t i = 0; i < rules->count; i++)
        if (is_the_same(&rules->entries[i], entry))
            return &rules->entries[i];
    return NULL;
}

/* ---- what is not examined ---- */

void lint_not_examined(struct lint_scope *scope, const struct lint_member *member, enum code code, const char *why) {
    const struct candidate *candidate = &member->candidate;
    struct part part = {node_get(candidate->object->root, "spec"), "spec"};
    if (candidate->rule)
        part = candidate->rule->part;
    const struct node *node = part.node ? part.node : candidate->object->root;
    if (!member->policy || !lint_once_of(scope, &scope->unexamined, code, node))
        return;
    lint_report(scope->lint, member->policy, CODE_NOT_EXAMINED, part, "not all of the policy was examined for `%s`: %s",
                code_word(code), why);
}

void lint_not_examined_of(struct lint_scope *scope, const struct lint_member *member, enum code code) {
    lint_not_examined(scope, member, code,
                      scope->effort < 0 ? "with all that selects the same pods it asks for more comparisons of rules "
                                          "than lint makes; split the policy, or lint fewer policies at a time"
                                        : "its names or selectors are too entangled to tell; write fewer or simpler "
                                          "patterns");
}

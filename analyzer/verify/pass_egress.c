/* What a policy lets out beyond the allowance (spec/analysis.md 4). */
#include "analyzer/rules/conflict.h"
#include "analyzer/verify/pass_parts.h"
#include "base/arena.h"

static struct flow_set boxes_of(const struct flow_set *set, const struct effective *effective, size_t selected,
                                struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (effective->origins[set->boxes[i].origin].selected == selected)
            boxes[count++] = set->boxes[i];
    return (struct flow_set){boxes, count};
}

/* What of a policy's part is allowed beyond the allowance. */
static struct flow_set excess_of(const struct flow_set *part, const struct flow_set *denied,
                                 const struct flow_set *allowance, struct arena *arena) {
    struct flow_set set = flow_set_subtract(arena, part, allowance);
    return flow_set_subtract(arena, &set, denied);
}

static void find_doubt(struct pass_entry *entry, const struct policy_rules *rules) {
    for (size_t i = 0; i < rules->count && !entry->doubt; i++) {
        const struct rule_entry *rule = &rules->entries[i];
        for (size_t k = 0; k < rule->peer_count && !entry->doubt; k++)
            if (rule->peers[k].doubt) {
                entry->doubt = rule->peers[k].doubt;
                entry->doubt_part = rule->peers[k].part;
            }
        for (size_t k = 0; k < rule->key_count && !entry->doubt; k++)
            if (rule->keys[k].doubt) {
                entry->doubt = rule->keys[k].doubt;
                entry->doubt_part = rule->part;
            }
    }
}

/* The agent keeps the endpoint on the policy that it had before. */
static const char *describe_conflict(const struct rule_conflict *conflict, const struct weighing *weighing) {
    const struct object *other = weighing->force.selected[conflict->other_selected].rules->policy->object;
    return arena_format(weighing->cluster->arena,
                        "%s in %s %s and here, which the agent cannot resolve: the pod keeps its previous policy",
                        conflict->what, other->kind_word, object_label(other, weighing->cluster->arena));
}

void pass_weigh_egress(struct weighing *weighing) {
    struct effective *effective = arena_alloc(weighing->scratch, sizeof *effective);
    effective_of(weighing->force.selected, weighing->force.count, &weighing->setup->reading, weighing->scratch,
                 effective);
    weighing->effective = effective;
}

struct flow_set pass_excess(const struct pass_entry *entry, const struct allowance *allowance, struct arena *arena) {
    const struct effective *effective = entry->effective;
    struct flow_set lower = boxes_of(&effective->allow_lower, effective, entry->place, arena);
    return excess_of(&lower, &effective->deny_upper, &allowance->upper, arena);
}

/* What a policy may allow beyond the allowance. */
static struct flow_set possible_excess(const struct pass_entry *entry, const struct allowance *allowance,
                                       struct arena *arena) {
    const struct effective *effective = entry->effective;
    struct flow_set upper = boxes_of(&effective->allow_upper, effective, entry->place, arena);
    return excess_of(&upper, &effective->deny_lower, &allowance->lower, arena);
}

/* Nothing of the sets is kept: of the many that are weighed few are shown, and those are made again. */
enum truth pass_widens_egress(const struct weighing *weighing, size_t place, struct pass_entry *entry) {
    struct arena *scratch = weighing->scratch;
    const struct allowance *allowance = &weighing->setup->allowance;
    entry->effective = weighing->effective;
    entry->place = place;
    struct rule_conflict conflict;
    if (!allowance->everything &&
        rules_conflict(weighing->force.selected, weighing->force.count, place, &weighing->setup->reading, &conflict)) {
        entry->doubt = describe_conflict(&conflict, weighing);
        entry->doubt_part = conflict.entry->part;
        return TRUTH_MAYBE;
    }
    if (weighing->candidates->list[weighing->force.candidates[place]].is_compiled || allowance->everything)
        return TRUTH_NO;
    struct arena_mark start = arena_mark(scratch);
    struct flow_set excess = pass_excess(entry, allowance, scratch);
    bool widens = flow_set_is_empty(scratch, &excess) == SET_INHABITED;
    struct flow_set possible = widens ? excess : possible_excess(entry, allowance, scratch);
    enum emptiness added = widens ? SET_INHABITED : flow_set_is_empty(scratch, &possible);
    arena_rollback(scratch, start);
    if (widens || added == SET_EMPTY)
        return widens ? TRUTH_YES : TRUTH_NO;
    find_doubt(entry, weighing->force.selected[place].rules);
    if (!entry->doubt && entry->selects == TRUTH_YES && added == SET_INHABITED)
        entry->doubt = "it depends on other policies, which cannot be evaluated";
    return TRUTH_MAYBE;
}

/* Policies that would select a subject if it carried further labels (spec/analysis.md 2). */
#include "analyzer/rules/admission.h"
#include "analyzer/verify/union.h"
#include "base/arena.h"

static bool would_widen_egress(struct union_setup *setup, const struct policy_rules *rules,
                               struct reading_setup *reading) {
    struct arena *arena = setup->scratch;
    if (reading->allowance.everything)
        return false;
    struct arena_mark start = arena_mark(arena);
    struct selected_rules selected = {rules, true};
    struct effective effective;
    effective_of(&selected, 1, &reading->reading, arena, &effective);
    struct flow_set excess = flow_set_subtract(arena, &effective.allow_upper, &reading->allowance.lower);
    bool widens = flow_set_is_empty(arena, &excess) != SET_EMPTY;
    arena_rollback(arena, start);
    return widens;
}

static bool would_open(struct union_setup *setup, size_t index, const struct policy_rules *rules,
                       struct reading_setup *reading) {
    const struct admission_question question = {reading->agent_port, NULL, &setup->cluster};
    const struct admission_rules admitting = {
        rules, setup_named_rules(reading, &setup->candidates, index, &setup->cluster), true};
    const struct admission_denial nothing = {destination_set_nothing(), destination_set_nothing(), {0}, NULL};
    return admission_of(&admitting, &nothing, &question).open != TRUTH_NO;
}

/* Whether the candidate, were it to select the pod, would isolate it or let more through than may be. */
static bool would_matter(struct union_setup *setup, size_t index, struct reading_setup *reading) {
    const struct policy_rules *rules = setup_rules(reading, &setup->candidates, index, &setup->cluster);
    if (rules->isolates)
        return true;
    return setup->direction == DIRECTION_EGRESS ? would_widen_egress(setup, rules, reading)
                                                : would_open(setup, index, rules, reading);
}

/* Whether it only might select the subject, and then would matter. */
static bool is_only_possible(struct union_setup *setup, size_t index, const struct subject *subject) {
    const struct candidate *candidate = &setup->candidates.list[index];
    struct reading_setup *reading = &setup->readings[0];
    struct subject open = *subject;
    open.labels_are_free = true;
    if (!candidate->policy || (!candidate->policy->core && !candidate->rule) ||
        (setup->core_engine && !candidate->is_core))
        return false;
    return candidate_selects(candidate, subject, &setup->cluster, &reading->reading) == TRUTH_NO &&
           candidate_selects(candidate, &open, &setup->cluster, &reading->reading) != TRUTH_NO &&
           would_matter(setup, index, reading);
}

void union_warn_might_select(struct union_setup *setup, struct union_setup *already, const struct subject *subject,
                             struct diagnostics *diagnostics) {
    setup = union_setup_for(setup, subject);
    already = already ? union_setup_for(already, subject) : NULL;
    for (size_t i = 0; i < setup->candidates.count; i++) {
        const struct candidate *candidate = &setup->candidates.list[i];
        if (!is_only_possible(setup, i, subject) || (already && is_only_possible(already, i, subject)))
            continue;
        struct diagnostic *warning = diagnostics_add(
            diagnostics, CODE_MIGHT_SELECT, object_location(candidate->object),
            "%s %s does not select the pod as the config describes it, but would if the pod carried further labels",
            candidate->object->kind_word, object_label(candidate->object, setup->cluster.arena));
        warning->object = object_name_of(candidate->object);
    }
}

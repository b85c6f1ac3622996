/* Policies that would select a subject if it carried further labels (spec/analysis.md 2). */
#include "analyzer/verify/union.h"
#include "base/arena.h"

/* Whether the candidate, were it to select the pod, would isolate it or let out more than the config does. */
static bool would_matter(struct union_setup *setup, size_t index, struct reading_setup *reading) {
    struct arena *arena = setup->cluster.arena;
    const struct policy_rules *rules = setup_rules(reading, &setup->candidates, index, &setup->cluster);
    if (rules->isolates)
        return true;
    if (reading->allowance.everything)
        return false;
    struct selected_rules selected = {rules, true};
    struct effective effective;
    effective_of(&selected, 1, &reading->reading, arena, &effective);
    struct flow_set excess = flow_set_subtract(arena, &effective.allow_upper, &reading->allowance.lower);
    return flow_set_is_empty(arena, &excess) != SET_EMPTY;
}

void union_warn_might_select(struct union_setup *setup, const struct subject *subject,
                             struct diagnostics *diagnostics) {
    struct reading_setup *reading = &setup->readings[0];
    struct subject open = *subject;
    open.labels_are_free = true;
    for (size_t i = 0; i < setup->candidates.count; i++) {
        const struct candidate *candidate = &setup->candidates.list[i];
        if (!candidate->policy || (!candidate->policy->core && !candidate->rule) ||
            (setup->core_engine && !candidate->is_core))
            continue;
        if (candidate_selects(candidate, subject, &setup->cluster, &reading->reading) != TRUTH_NO ||
            candidate_selects(candidate, &open, &setup->cluster, &reading->reading) == TRUTH_NO ||
            !would_matter(setup, i, reading))
            continue;
        struct diagnostic *warning = diagnostics_add(
            diagnostics, CODE_MIGHT_SELECT, object_location(candidate->object),
            "%s %s does not select the pod as the config describes it, but would if the pod carried further labels",
            candidate->object->kind_word, object_label(candidate->object, setup->cluster.arena));
        warning->object = object_name_of(candidate->object);
    }
}

/* Slips in policies that bear on a subject: keys that are dropped or stand twice (spec/analysis.md 4, "Readings"). */
#include "analyzer/verify/union.h"
#include "base/arena.h"

static void warn_slip(const struct candidate *candidate, const struct problem *problem, struct arena *arena,
                      struct diagnostics *diagnostics) {
    struct location location = problem->part.node ? node_location(candidate->object->file, problem->part.node)
                                                  : object_location(candidate->object);
    struct diagnostic *warning = diagnostics_add(
        diagnostics, problem->code, location, "%s; what %s %s allows counts, that it isolates does not",
        problem_sentence(problem, arena), candidate->object->kind_word, object_label(candidate->object, arena));
    warning->path = problem->part.path;
    warning->object = object_name_of(candidate->object);
    /* The decision takes it into account; `lint` has the error. */
    diagnostic_set_severity(diagnostics, warning, SEVERITY_WARNING);
}

void candidate_warn_slips(const struct candidate *candidate, const struct reading *reading, struct arena *arena,
                          struct diagnostics *diagnostics) {
    for (uint32_t i = 0; candidate->policy && i < candidate->policy->problem_count; i++)
        if (candidate_problem_is_slip(candidate, &candidate->policy->problems[i], reading))
            warn_slip(candidate, &candidate->policy->problems[i], arena, diagnostics);
}

static bool may_select(const struct union_setup *setup, const struct candidate *candidate,
                       const struct subject *subject) {
    for (size_t i = 0; i < setup->reading_count; i++)
        if (candidate_selects(candidate, subject, &setup->cluster, &setup->readings[i].reading) != TRUTH_NO)
            return true;
    return false;
}

void union_warn_slips(struct union_setup *setup, const struct subject *subject, struct diagnostics *diagnostics) {
    const struct reading *reading = &setup->readings[0].reading;
    struct arena_mark start = arena_mark(setup->scratch);
    struct candidate_list chosen = candidate_index_choose(setup->index, subject, setup->scratch);
    const struct object *last = NULL; /* the Rules of an object share its slips, and come one after another */
    for (size_t i = 0; i < chosen.count; i++) {
        const struct candidate *candidate = &chosen.list[i];
        bool *told = &setup->slips_told[candidate->number];
        if (candidate->object == last || *told || !candidate_slip(candidate, reading) ||
            !may_select(setup, candidate, subject))
            continue;
        *told = true;
        last = candidate->object;
        candidate_warn_slips(candidate, reading, setup->cluster.arena, diagnostics);
    }
    arena_rollback(setup->scratch, start);
}

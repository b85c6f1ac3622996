#include "analyzer/verify/examine.h"

#include <string.h>

#include "analyzer/verify/excess.h"
#include "base/arena.h"

/* ---- several passes ---- */

struct passes passes_run(struct union_setup *setup, struct reading_setup *readings, size_t count,
                         const struct candidate_list *chosen, const struct subject *subject) {
    struct passes passes = {arena_array(setup->scratch, count + 1, sizeof *passes.list), count, chosen};
    for (size_t i = 0; i < count; i++)
        pass_decide(&readings[i], chosen, subject, &setup->cluster, setup->scratch, &passes.list[i]);
    return passes;
}

bool passes_agree(const struct passes *passes, bool *refused, enum code *refusal) {
    *refused = passes->list[0].refused;
    *refusal = passes->list[0].refusal;
    for (size_t i = 1; i < passes->count; i++)
        if (passes->list[i].refused != *refused || (*refused && passes->list[i].refusal != *refusal))
            return false;
    return true;
}

/* One policy over all passes: the pass that speaks for it, and whether the passes disagree. */
struct summary {
    const struct pass *speaker;
    bool mixed, refused_object;
};

static bool is_refused(const struct passes *passes, size_t index) {
    for (size_t i = 0; i < passes->count; i++)
        if (passes->list[i].entries[index].out_of_force)
            return true;
    return false;
}

/* Refused objects neither allow nor deny: what they would mean in force bears on their own verdicts alone. */
static bool pass_speaks(const struct pass *pass, size_t index, bool refused) {
    return refused ? !pass->entries[index].out_of_force : !pass->setup->reading.refused_count;
}

static struct summary summarize(const struct passes *passes, size_t index) {
    struct summary summary = {.refused_object = is_refused(passes, index)};
    for (size_t i = 0; i < passes->count; i++) {
        const struct pass_entry *entry = &passes->list[i].entries[index];
        if (!pass_speaks(&passes->list[i], index, summary.refused_object))
            continue;
        if (!summary.speaker)
            summary.speaker = &passes->list[i];
        else if (summary.speaker->entries[index].verdict != entry->verdict)
            summary.mixed = true;
    }
    return summary;
}

static const char *describe_mixed(const struct passes *passes, size_t index, bool refused, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    buffer_add_string(&out, "it depends on the reading: ");
    const char *last = NULL;
    for (size_t i = 0; i < passes->count; i++) {
        const struct pass_entry *entry = &passes->list[i].entries[index];
        if (!pass_speaks(&passes->list[i], index, refused))
            continue;
        const char *word = verdict_word(entry->verdict);
        if (last && strcmp(last, word) == 0)
            continue;
        if (last)
            buffer_add_string(&out, "; ");
        buffer_print(&out, "%s under ", word);
        reading_print(&out, &passes->list[i].setup->reading);
        last = word;
    }
    return buffer_string(&out);
}

/* ---- one policy ---- */

static void examined_set_doubt(struct examined *examined, const struct pass_entry *entry, const char *file) {
    examined->detail = entry->doubt;
    if (entry->doubt_part.node) {
        examined->path = entry->doubt_part.path;
        examined->location = node_location(file, entry->doubt_part.node);
    }
}

static void examined_set_problem(struct examined *examined, const struct problem *problem,
                                 const struct candidate *candidate, struct arena *arena) {
    examined->detail = problem_sentence(problem, arena);
    if (problem->part.node) {
        examined->path = problem->part.path;
        examined->location = node_location(candidate->object->file, problem->part.node);
    }
}

static const struct problem *refusal_of(const struct union_setup *setup, const struct candidate *candidate,
                                        const struct passes *passes) {
    for (size_t i = 0; i < passes->count; i++) {
        const struct reading *reading = &passes->list[i].setup->reading;
        const struct problem *problem = candidate_type_problem(candidate, reading);
        if (!problem)
            problem = candidate_refusal(candidate, reading, &setup->cluster);
        if (problem)
            return problem;
    }
    return NULL;
}

static void examined_set_refused(struct examined *examined, const struct union_setup *setup,
                                 const struct candidate *candidate, const struct passes *passes) {
    const struct problem *problem = refusal_of(setup, candidate, passes);
    examined->verdict = VERDICT_NOT_EVALUABLE;
    examined->witness = NULL;
    examined->further_count = examined->more = 0;
    if (!problem)
        return;
    examined_set_problem(examined, problem, candidate, setup->cluster.arena);
}

/* Only Rules without a non-empty list: refused or not, it allows, denies and isolates nothing in any version. */
static bool is_hollow(const struct candidate *candidate) {
    const struct policy *policy = candidate->policy;
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        const struct cilium_rule *rule = &policy->rules[i];
        if (rule->egress.presence == PRESENCE_FILLED || rule->egress_deny.presence == PRESENCE_FILLED ||
            rule->ingress.presence == PRESENCE_FILLED || rule->ingress_deny.presence == PRESENCE_FILLED)
            return false;
    }
    return policy->rule_count > 0;
}

struct examined examined_of_candidate(const struct candidate *candidate) {
    return (struct examined){.object = object_name_of(candidate->object),
                             .spec = candidate->rule ? candidate->rule->index : -1,
                             .location = object_location(candidate->object)};
}

static void examined_set_widening(struct examined *examined, const struct pass_entry *entry,
                                  const struct candidate *candidate, const struct union_setup *setup,
                                  const struct allowance *allowance) {
    struct arena_mark start = arena_mark(setup->scratch);
    struct flow_set excess = pass_excess(entry, allowance, setup->scratch);
    if (!examined_set_excess(examined, &excess, entry->effective, candidate->object->file, setup)) {
        examined->verdict = VERDICT_NOT_EVALUABLE;
        examined->detail = "the sets are too large for a witness to be found";
    }
    arena_rollback(setup->scratch, start);
}

struct examined passes_examine(struct union_setup *setup, const struct passes *passes, size_t index, bool agreed) {
    const struct candidate *candidate = &passes->chosen->list[index];
    struct arena *arena = setup->cluster.arena;
    struct examined examined = examined_of_candidate(candidate);
    struct summary summary = summarize(passes, index);
    if (!summary.speaker || (summary.refused_object && !agreed && !is_hollow(candidate))) {
        examined_set_refused(&examined, setup, candidate, passes);
        return examined;
    }
    const struct pass_entry *entry = &summary.speaker->entries[index];
    if (summary.mixed) {
        examined.verdict = VERDICT_NOT_EVALUABLE;
        examined.detail = describe_mixed(passes, index, summary.refused_object, arena);
        return examined;
    }
    examined.verdict = entry->verdict;
    if (entry->verdict == VERDICT_NOT_EVALUABLE || entry->doubt) {
        examined_set_doubt(&examined, entry, candidate->object->file);
    } else if (entry->verdict == VERDICT_WIDENS_EGRESS) {
        examined_set_widening(&examined, entry, candidate, setup, &summary.speaker->setup->allowance);
    } else if (entry->verdict == direction_terms(setup->direction)->leaves && entry->selects != TRUTH_NO) {
        const struct problem *slip = candidate_slip(candidate, &summary.speaker->setup->reading);
        if (slip)
            examined_set_problem(&examined, slip, candidate, arena);
        else if (candidate->has_twin)
            examined.detail = "differing copies of it are among the inputs";
    }
    return examined;
}

void examined_bound_to_core(struct examined *examined, const struct direction_terms *terms) {
    if (examined->verdict == VERDICT_DOES_NOT_SELECT || examined->verdict == terms->holds ||
        examined->verdict == terms->leaves)
        return;
    examined->verdict = VERDICT_NOT_EVALUABLE;
    examined->detail = "a Cilium policy counts only where Cilium runs; set `engine`";
}

void examined_place_in_template(struct examined *examined, struct arena *arena) {
    struct excess *further = arena_array(arena, examined->further_count + 1, sizeof *further);
    examined->path = pooled_path(examined->path, arena);
    for (size_t i = 0; i < examined->further_count; i++) {
        further[i] = examined->further[i];
        further[i].path = pooled_path(further[i].path, arena);
    }
    examined->further = further;
}

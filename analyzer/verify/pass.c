#include "analyzer/verify/pass_parts.h"

#include "base/arena.h"

const struct direction_terms *direction_terms(enum direction direction) {
    static const struct direction_terms terms[] = {
        [DIRECTION_EGRESS] = {.widens = VERDICT_WIDENS_EGRESS,
                              .holds = VERDICT_WITHIN,
                              .leaves = VERDICT_NOT_EGRESS_SCOPED,
                              .widening = CODE_POLICY_WIDENS_EGRESS,
                              .unguarded = CODE_NO_ENFORCING_POLICY,
                              .widening_words = "lets out more than the config does",
                              .unguarded_words = "no policy that selects the pod isolates its egress"},
        [DIRECTION_INGRESS] = {.widens = VERDICT_OPENS_AGENT_PORT,
                               .holds = VERDICT_COVERS,
                               .leaves = VERDICT_NOT_INGRESS_SCOPED,
                               .widening = CODE_PORT_OPEN,
                               .unguarded = CODE_NO_COVERING_POLICY,
                               .widening_words = "opens the agent port to strangers",
                               .unguarded_words =
                                   "no policy that selects the pod isolates its ingress; add one, or say `ingress: "
                                   "unverified` in the config"},
    };
    return &terms[direction];
}

/* ---- rules ---- */

static const struct policy_rules *rules_build(const struct candidate *candidate, const struct cluster *cluster,
                                              const struct reading *reading, enum direction direction) {
    struct policy_rules *rules = arena_alloc(cluster->arena, sizeof *rules);
    if (direction == DIRECTION_INGRESS)
        ingress_rules_of(candidate->policy, candidate->rule, cluster, reading, rules);
    else
        *rules = policy_rules_of(candidate->policy, candidate->rule, cluster, reading);
    return rules;
}

const struct policy_rules *setup_rules(struct reading_setup *setup, const struct candidate_list *candidates,
                                       size_t index, const struct cluster *cluster) {
    const struct candidate *candidate = &candidates->list[index];
    if (!setup->rules[candidate->number])
        setup->rules[candidate->number] = rules_build(candidate, cluster, &setup->reading, setup->direction);
    return setup->rules[candidate->number];
}

const struct policy_rules *setup_named_rules(struct reading_setup *setup, const struct candidate_list *candidates,
                                             size_t index, const struct cluster *cluster) {
    const struct candidate *candidate = &candidates->list[index];
    if (!setup->named[candidate->number]) {
        struct reading whole = setup->reading;
        whole.whole_blocks = true;
        setup->named[candidate->number] = rules_build(candidate, cluster, &whole, setup->direction);
    }
    return setup->named[candidate->number];
}

/* ---- what is in force ---- */

/* Of what is not modelled: whom it selects is read, and whether it has rules; what they would change is not. */
static void decide_unmodelled(const struct weighing *weighing, const struct candidate *candidate,
                              struct pass_entry *entry) {
    const struct reading_setup *setup = weighing->setup;
    const struct admin_policy *admin = candidate->admin;
    if (entry->selects == TRUTH_NO)
        return;
    entry->doubt_part = (struct part){candidate->object->root, NULL};
    if (!admin_has_rules(admin, setup->direction)) {
        entry->verdict = direction_terms(setup->direction)->leaves;
    } else if (setup->reading.cilium) {
        entry->verdict = direction_terms(setup->direction)->leaves;
        entry->doubt = admin_unenforced(admin);
    } else {
        entry->verdict = VERDICT_NOT_EVALUABLE;
        entry->may_widen = true;
        entry->doubt = admin_doubt(admin, entry->selects, weighing->cluster->arena);
    }
}

static void force_add(struct force *force, size_t index, const struct policy_rules *rules, bool certain,
                      bool isolates) {
    force->selected[force->count] = (struct selected_rules){rules, certain};
    force->candidates[force->count++] = index;
    force->isolates = force->isolates || (rules->isolates && certain && isolates);
}

/* Whether the policy's own isolating counts: not with dropped fields or repeated keys, nor among differing copies. */
static bool isolating_counts(const struct candidate *candidate, const struct reading *reading) {
    return !candidate->has_twin && !candidate_slip(candidate, reading);
}

/* Under the core API's reading, Cilium's policies are nothing: they are judged under Cilium's readings, apart. */
static bool is_foreign(const struct candidate *candidate, const struct reading *reading) {
    return !reading->cilium && candidate->policy && !candidate->is_core;
}

static void force_collect(struct weighing *weighing, struct pass *pass) {
    struct reading_setup *setup = weighing->setup;
    for (size_t i = 0; i < weighing->candidates->count; i++) {
        const struct candidate *candidate = &weighing->candidates->list[i];
        struct pass_entry *entry = &pass->entries[i];
        if (is_foreign(candidate, &setup->reading))
            continue;
        entry->selects = candidate_selects(candidate, weighing->subject, weighing->cluster, &setup->reading);
        if (!candidate->policy) {
            decide_unmodelled(weighing, candidate, entry);
            continue;
        }
        if (entry->selects == TRUTH_NO || (candidate->policy->core == NULL && !candidate->rule))
            continue;
        entry->out_of_force =
            !setup->reading.refused_count && candidate_refusal(candidate, &setup->reading, weighing->cluster);
        if (entry->out_of_force)
            continue;
        bool certain = entry->selects == TRUTH_YES && !candidate_type_problem(candidate, &setup->reading);
        const struct policy_rules *rules = setup_rules(setup, weighing->candidates, i, weighing->cluster);
        /* One of the differing copies is in force, and which is not known. */
        entry->may_isolate = candidate->has_twin && rules->isolates;
        force_add(&weighing->force, i, rules, certain, isolating_counts(candidate, &setup->reading));
    }
}

/* ---- one policy's part ---- */

static const char *describe_doubt(const struct candidate *candidate, const struct pass_entry *entry) {
    if (candidate->pooled && entry->selects == TRUTH_MAYBE)
        return "it selects pods that come out of a pool of the template, and whether this one does cannot be told";
    return candidate->lacks_namespace      ? "it names no namespace, so it may be in this one"
           : entry->selects == TRUTH_MAYBE ? "whether it selects the pod cannot be told from its labels"
                                           : "the sets are too large to be compared";
}

static void entry_decide(const struct weighing *weighing, size_t place, struct pass_entry *entry) {
    const struct reading_setup *setup = weighing->setup;
    const struct candidate *candidate = &weighing->candidates->list[weighing->force.candidates[place]];
    const struct selected_rules *selected = &weighing->force.selected[place];
    const struct problem *type_problem = candidate_type_problem(candidate, &setup->reading);
    const struct direction_terms *terms = direction_terms(setup->direction);
    enum truth widens = setup->direction == DIRECTION_EGRESS ? pass_widens_egress(weighing, place, entry)
                                                             : pass_widens_ingress(weighing, place, entry);
    if (widens == TRUTH_YES) {
        entry->verdict = terms->widens;
        return;
    }
    /* Where others isolate the pod, whether this one does changes nothing. */
    bool isolates =
        selected->rules->isolates && (weighing->force.isolates || isolating_counts(candidate, &setup->reading));
    if (widens == TRUTH_NO && selected->certain) {
        entry->verdict = isolates ? terms->holds : terms->leaves;
        return;
    }
    entry->verdict = VERDICT_NOT_EVALUABLE;
    entry->may_widen = widens != TRUTH_NO || type_problem;
    entry->may_isolate = isolates;
    if (type_problem) {
        entry->doubt = problem_sentence(type_problem, weighing->cluster->arena);
        entry->doubt_part = type_problem->part;
    }
    if (!entry->doubt)
        entry->doubt = describe_doubt(candidate, entry);
}

/* What has neither `spec` nor `specs` has no Rule that could be weighed. */
static void decide_empty(const struct candidate *candidate, const struct reading_setup *setup, struct arena *arena,
                         struct pass_entry *entry) {
    bool empty = candidate->policy && !candidate->policy->core && !candidate->rule;
    if (!empty || is_foreign(candidate, &setup->reading))
        return;
    const struct problem *problem = candidate_type_problem(candidate, &setup->reading);
    entry->verdict = problem ? VERDICT_NOT_EVALUABLE : direction_terms(setup->direction)->leaves;
    entry->may_widen = entry->may_isolate = problem != NULL;
    entry->doubt = problem ? problem_sentence(problem, arena) : "it has neither spec nor specs";
}

/* ---- the subject ---- */

static void pass_refuse(struct pass *pass, const struct candidate_list *candidates, const struct force *force,
                        const struct cluster *cluster) {
    const struct reading_setup *setup = pass->setup;
    const struct direction_terms *terms = direction_terms(setup->direction);
    bool widens = false, open = false, may_isolate = false;
    for (size_t i = 0; i < candidates->count; i++) {
        widens = widens || pass->entries[i].verdict == terms->widens;
        open = open || (pass->entries[i].verdict == VERDICT_NOT_EVALUABLE && pass->entries[i].may_widen);
        may_isolate = may_isolate || pass->entries[i].may_isolate;
    }
    bool isolates = force->isolates || setup->reading.always;
    pass->refused = true;
    if (setup->reading.cilium && cluster->facts.enforcement == ENFORCEMENT_NEVER)
        pass->refusal = terms->unguarded; /* the agent ignores all policies */
    else if (widens)
        pass->refusal = terms->widening;
    else if (open)
        pass->refusal = CODE_NOT_EVALUABLE;
    else if (isolates || setup->allowance.everything)
        pass->refused = false;
    else
        pass->refusal = may_isolate ? CODE_NOT_EVALUABLE : terms->unguarded;
}

void pass_decide(struct reading_setup *setup, const struct candidate_list *candidates, const struct subject *subject,
                 const struct cluster *cluster, struct arena *scratch, struct pass *pass) {
    *pass = (struct pass){.setup = setup};
    pass->entries = arena_array(scratch, candidates->count + 1, sizeof *pass->entries);
    struct weighing weighing = {
        .setup = setup, .candidates = candidates, .subject = subject, .cluster = cluster, .scratch = scratch};
    weighing.force.selected = arena_array(scratch, candidates->count + 1, sizeof *weighing.force.selected);
    weighing.force.candidates = arena_array(scratch, candidates->count + 1, sizeof *weighing.force.candidates);
    force_collect(&weighing, pass);
    if (setup->direction == DIRECTION_EGRESS)
        pass_weigh_egress(&weighing);
    else
        pass_weigh_ingress(&weighing);
    for (size_t i = 0; i < weighing.force.count; i++)
        entry_decide(&weighing, i, &pass->entries[weighing.force.candidates[i]]);
    for (size_t i = 0; i < candidates->count; i++)
        decide_empty(&candidates->list[i], setup, cluster->arena, &pass->entries[i]);
    pass_refuse(pass, candidates, &weighing.force, cluster);
}

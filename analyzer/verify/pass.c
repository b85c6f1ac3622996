#include "analyzer/verify/pass.h"

#include "base/arena.h"

const struct policy_rules *setup_rules(struct reading_setup *setup, const struct candidate_list *candidates,
                                       size_t index, const struct cluster *cluster) {
    if (!setup->rules[index]) {
        const struct candidate *candidate = &candidates->list[index];
        struct policy_rules *rules = arena_alloc(cluster->arena, sizeof *rules);
        *rules = policy_rules_of(candidate->policy, candidate->rule, cluster, &setup->reading);
        setup->rules[index] = rules;
    }
    return setup->rules[index];
}

/* The candidates that select the subject, with the rules that they bring into force. */
struct force {
    struct selected_rules *selected;
    size_t *candidates; /* by place in `selected` */
    size_t count;
    bool isolates, may_isolate;
};

/* What is not modelled selects whom it may, and adds what it may. */
static void decide_unmodelled(const struct candidate *candidate, struct pass_entry *entry,
                              const struct reading *reading) {
    bool enforced = !reading->cilium;
    if (!enforced) {
        entry->verdict = VERDICT_NOT_EGRESS_SCOPED;
        entry->doubt = "Cilium does not enforce this kind in the versions that are modelled";
        return;
    }
    entry->verdict = VERDICT_NOT_EVALUABLE;
    entry->may_widen = true;
    entry->doubt = "policies of policy.networking.k8s.io are not modelled yet";
    entry->doubt_part = (struct part){candidate->object->root, NULL};
}

static void force_add(struct force *force, size_t index, const struct policy_rules *rules, bool certain,
                      bool isolates) {
    force->selected[force->count] = (struct selected_rules){rules, certain};
    force->candidates[force->count++] = index;
    force->isolates = force->isolates || (rules->isolates && certain && isolates);
    force->may_isolate = force->may_isolate || (rules->isolates && isolates);
}

/* Whether the policy's own isolating counts: not with dropped fields or repeated keys, nor among differing copies. */
static bool isolating_counts(const struct candidate *candidate, const struct reading *reading) {
    return !candidate->has_twin && !candidate_slip(candidate, reading);
}

/* Under the core API's reading, Cilium's policies are nothing: they are judged under Cilium's readings, apart. */
static bool is_foreign(const struct candidate *candidate, const struct reading *reading) {
    return !reading->cilium && candidate->policy && !candidate->is_core;
}

static void force_collect(struct force *force, struct reading_setup *setup, const struct candidate_list *candidates,
                          const struct subject *subject, const struct cluster *cluster, struct pass *pass) {
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->list[i];
        struct pass_entry *entry = &pass->entries[i];
        if (is_foreign(candidate, &setup->reading))
            continue;
        entry->selects = candidate_selects(candidate, subject, cluster, &setup->reading);
        if (!candidate->policy) {
            decide_unmodelled(candidate, entry, &setup->reading);
            continue;
        }
        if (entry->selects == TRUTH_NO || (candidate->policy->core == NULL && !candidate->rule))
            continue;
        entry->out_of_force = !setup->reading.refused_count && candidate_refusal(candidate, &setup->reading, cluster);
        if (entry->out_of_force)
            continue;
        bool certain = entry->selects == TRUTH_YES && !candidate_type_problem(candidate, &setup->reading);
        force_add(force, i, setup_rules(setup, candidates, i, cluster), certain,
                  isolating_counts(candidate, &setup->reading));
    }
}

/* ---- one policy's part ---- */

static struct flow_set boxes_of(const struct flow_set *set, const struct effective *effective, size_t selected,
                                struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, set->count + 1u, sizeof *boxes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (effective->origins[set->boxes[i].origin].selected == selected)
            boxes[count++] = set->boxes[i];
    return (struct flow_set){boxes, count};
}

/* What of a policy's part is allowed beyond the allowance. Addresses hold the API server wherever it is. */
static struct flow_set excess_of(const struct flow_set *part, const struct flow_set *denied,
                                 const struct flow_set *allowance, struct arena *arena) {
    struct flow_box *boxes = arena_array(arena, part->count + 1u, sizeof *boxes);
    struct address_set all = address_set_everything();
    for (uint32_t i = 0; i < part->count; i++) {
        boxes[i] = part->boxes[i];
        if (address_set_equal(&boxes[i].destinations.addresses, &all))
            boxes[i].destinations.specials &= ~(1u << SPECIAL_API_SERVER);
    }
    struct flow_set set = {boxes, part->count};
    set = flow_set_subtract(arena, &set, allowance);
    return flow_set_subtract(arena, &set, denied);
}

static void entry_find_doubt(struct pass_entry *entry, const struct policy_rules *rules) {
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

static void entry_decide(struct pass_entry *entry, const struct candidate *candidate, const struct force *force,
                         size_t place, const struct reading_setup *setup, const struct effective *effective,
                         struct arena *arena) {
    const struct selected_rules *selected = &force->selected[place];
    const struct problem *type_problem = candidate_type_problem(candidate, &setup->reading);
    const struct allowance *allowance = &setup->allowance;
    entry->effective = effective;
    struct flow_set surplus = flow_set_nothing();
    if (!candidate->is_compiled && !allowance->everything) {
        struct flow_set lower = boxes_of(&effective->allow_lower, effective, place, arena);
        entry->excess = excess_of(&lower, &effective->deny_upper, &allowance->upper, arena);
        struct flow_set upper = boxes_of(&effective->allow_upper, effective, place, arena);
        surplus = excess_of(&upper, &effective->deny_lower, &allowance->lower, arena);
    }
    /* Where others isolate the pod, whether this one does changes nothing. */
    bool isolates = selected->rules->isolates && (force->isolates || isolating_counts(candidate, &setup->reading));
    if (flow_set_is_empty(arena, &entry->excess) == SET_INHABITED) {
        entry->verdict = VERDICT_WIDENS_EGRESS;
        return;
    }
    bool adds_nothing = flow_set_is_empty(arena, &surplus) == SET_EMPTY;
    if (adds_nothing && selected->certain) {
        entry->verdict = isolates ? VERDICT_WITHIN : VERDICT_NOT_EGRESS_SCOPED;
        return;
    }
    entry->verdict = VERDICT_NOT_EVALUABLE;
    entry->may_widen = !adds_nothing || type_problem;
    entry->may_isolate = isolates;
    if (type_problem) {
        entry->doubt = type_problem->message;
        entry->doubt_part = type_problem->part;
    } else if (!adds_nothing) {
        entry_find_doubt(entry, selected->rules);
    }
    if (!entry->doubt)
        entry->doubt = candidate->lacks_namespace      ? "it names no namespace, so it may be in this one"
                       : entry->selects == TRUTH_MAYBE ? "whether it selects the pod cannot be told from its labels"
                                                       : "the sets are too large to be compared";
}

/* ---- the subject ---- */

static void pass_refuse(struct pass *pass, const struct candidate_list *candidates, const struct force *force,
                        const struct cluster *cluster) {
    bool widens = false, open = false, may_isolate = false;
    for (size_t i = 0; i < candidates->count; i++) {
        widens = widens || pass->entries[i].verdict == VERDICT_WIDENS_EGRESS;
        open = open || (pass->entries[i].verdict == VERDICT_NOT_EVALUABLE && pass->entries[i].may_widen);
        may_isolate = may_isolate || pass->entries[i].may_isolate;
    }
    const struct reading_setup *setup = pass->setup;
    bool isolates = force->isolates || setup->reading.always;
    pass->refused = true;
    if (setup->reading.cilium && cluster->facts.enforcement == ENFORCEMENT_NEVER)
        pass->refusal = CODE_NO_ENFORCING_POLICY; /* the agent ignores all policies */
    else if (widens)
        pass->refusal = CODE_POLICY_WIDENS_EGRESS;
    else if (open)
        pass->refusal = CODE_NOT_EVALUABLE;
    else if (isolates || setup->allowance.everything)
        pass->refused = false;
    else
        pass->refusal = may_isolate ? CODE_NOT_EVALUABLE : CODE_NO_ENFORCING_POLICY;
}

void pass_decide(struct reading_setup *setup, const struct candidate_list *candidates, const struct subject *subject,
                 const struct cluster *cluster, struct pass *pass) {
    struct arena *arena = cluster->arena;
    *pass = (struct pass){.setup = setup};
    pass->entries = arena_array(arena, candidates->count + 1, sizeof *pass->entries);
    struct force force = {.selected = arena_array(arena, candidates->count + 1, sizeof *force.selected),
                          .candidates = arena_array(arena, candidates->count + 1, sizeof *force.candidates)};
    force_collect(&force, setup, candidates, subject, cluster, pass);
    struct effective *effective = arena_alloc(arena, sizeof *effective);
    effective_of(force.selected, force.count, &setup->reading, arena, effective);
    for (size_t i = 0; i < force.count; i++)
        entry_decide(&pass->entries[force.candidates[i]], &candidates->list[force.candidates[i]], &force, i, setup,
                     effective, arena);
    for (size_t i = 0; i < candidates->count; i++) {
        struct pass_entry *entry = &pass->entries[i];
        const struct candidate *candidate = &candidates->list[i];
        bool empty = candidate->policy && !candidate->policy->core && !candidate->rule;
        if (empty && !is_foreign(candidate, &setup->reading)) {
            const struct problem *problem = candidate_type_problem(candidate, &setup->reading);
            entry->verdict = problem ? VERDICT_NOT_EVALUABLE : VERDICT_NOT_EGRESS_SCOPED;
            entry->may_widen = entry->may_isolate = problem != NULL;
            entry->doubt = problem ? problem->message : "it has neither spec nor specs";
        }
    }
    pass_refuse(pass, candidates, &force, cluster);
}

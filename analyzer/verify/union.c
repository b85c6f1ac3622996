#include "analyzer/verify/union.h"

#include <string.h>

#include "analyzer/verify/collections.h"
#include "analyzer/verify/examine.h"
#include "base/arena.h"

/* ---- setup ---- */

static struct reading_setup *reading_setups(struct union_setup *setup, bool cilium, unsigned aspects, size_t *count) {
    struct arena *arena = setup->cluster.arena;
    struct reading_list readings = readings_of(&setup->cluster, cilium, aspects);
    struct reading_setup *setups = arena_array(arena, readings.count, sizeof *setups);
    for (size_t i = 0; i < readings.count; i++) {
        setups[i] = (struct reading_setup){
            .direction = setup->direction, .reading = readings.list[i], .agent_port = setup->boundary->agent_port};
        setups[i].rules = arena_array(arena, setup->candidates.count + 1, sizeof *setups[i].rules);
        setups[i].named = arena_array(arena, setup->candidates.count + 1, sizeof *setups[i].named);
        if (setup->direction == DIRECTION_EGRESS)
            setups[i].allowance =
                allowance_of(&setup->compiled, setup->compiled ? 1 : 0, setup->boundary->policy == POLICY_ALLOW_ALL,
                             &setup->cluster, &readings.list[i]);
    }
    *count = readings.count;
    return setups;
}

/* The whole `spec` counts, and that there is nothing beside it: then the copy means what the compiled object means. */
static bool equals_compiled(const struct candidate *candidate, const struct policy *compiled) {
    const struct object *mine = candidate->object, *theirs = compiled->object;
    return mine->kind == theirs->kind && mine->name && strcmp(mine->name, theirs->name) == 0 && mine->namespace &&
           candidate_is_faultless(candidate) && !candidate->has_twin && node_is_null(node_get(mine->root, "specs")) &&
           node_equal(node_get(mine->root, "spec"), node_get(theirs->root, "spec"));
}

static bool is_compiled(const struct union_setup *setup, const struct candidate *candidate) {
    if (setup->compiled && equals_compiled(candidate, setup->compiled))
        return true;
    const char *name = candidate->object->name;
    const struct policy *granted = setup->granted && name ? granted_object(setup->granted, name) : NULL;
    return granted && equals_compiled(candidate, granted);
}

static bool core_names_ports(const struct core_rules *rules) {
    for (uint32_t i = 0; i < rules->count; i++)
        for (uint32_t k = 0; k < rules->rules[i].port_count; k++)
            if (rules->rules[i].ports[k].form == PORT_NAME)
                return true;
    return false;
}

static bool entries_name_ports(const struct cilium_entries *entries) {
    for (uint32_t i = 0; i < entries->count; i++)
        for (uint32_t k = 0; k < entries->list[i].port_count; k++)
            for (uint32_t p = 0; p < entries->list[i].ports[k].port_count; p++)
                if (entries->list[i].ports[k].ports[p].form == PORT_NAME)
                    return true;
    return false;
}

static bool candidate_names_ports(const struct candidate *candidate) {
    if (candidate->rule)
        return entries_name_ports(&candidate->rule->ingress) || entries_name_ports(&candidate->rule->ingress_deny);
    return candidate->policy && candidate->policy->core && core_names_ports(&candidate->policy->core->ingress);
}

static void setup_init(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                       const struct granted *granted, const struct cluster_facts *facts, struct arena *scratch,
                       enum direction direction) {
    struct arena *arena = snapshot->arena;
    enum engine engine = direction == DIRECTION_EGRESS ? boundary->engine : boundary->ingress_engine;
    *setup = (struct union_setup){.direction = direction,
                                  .snapshot = snapshot,
                                  .boundary = boundary,
                                  .compiled = boundary_policy(boundary, arena),
                                  .granted = granted,
                                  .cluster = snapshot_cluster(snapshot, facts),
                                  .scratch = scratch,
                                  .core_engine = engine == ENGINE_CORE && !granted};
    setup->candidates = candidates_of(snapshot, boundary->namespace);
    bool has_cilium = false;
    for (size_t i = 0; i < setup->candidates.count; i++) {
        struct candidate *candidate = &setup->candidates.list[i];
        candidate->is_compiled = is_compiled(setup, candidate);
        has_cilium = has_cilium || (candidate->policy && !candidate->is_core);
        setup->names_ports = setup->names_ports || (direction == DIRECTION_INGRESS && candidate_names_ports(candidate));
    }
    setup->index = candidate_index_of(&setup->candidates, arena);
    setup->slips_told = arena_array(arena, setup->candidates.count + 1, sizeof *setup->slips_told);
    unsigned aspects = candidates_aspects(&setup->candidates, &setup->cluster, direction);
    setup->readings = reading_setups(setup, !setup->core_engine, aspects, &setup->reading_count);
    if (setup->core_engine && has_cilium)
        setup->foreign = reading_setups(setup, true, aspects, &setup->foreign_count);
    if (granted && direction == DIRECTION_EGRESS)
        setup->for_grants = arena_array(arena, granted->count + 1, sizeof *setup->for_grants);
}

void union_setup_init(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                      const struct granted *granted, const struct cluster_facts *facts, struct arena *scratch) {
    setup_init(setup, snapshot, boundary, granted, facts, scratch, DIRECTION_EGRESS);
}

void union_setup_init_ingress(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                              const struct granted *granted, const struct cluster_facts *facts, struct arena *scratch) {
    setup_init(setup, snapshot, boundary, granted, facts, scratch, DIRECTION_INGRESS);
}

/* Another allowance; what was made of the policies is shared. */
static struct union_setup *setup_with_grants(const struct union_setup *setup, size_t first, size_t count) {
    struct arena *arena = setup->cluster.arena;
    struct policy **policies = arena_array(arena, count + 1, sizeof *policies);
    size_t policy_count = 0;
    if (setup->compiled)
        policies[policy_count++] = setup->compiled;
    for (size_t i = first; i < first + count; i++)
        if (setup->granted->list[i].policy)
            policies[policy_count++] = setup->granted->list[i].policy;
    struct union_setup *with = arena_alloc(arena, sizeof *with);
    *with = *setup;
    with->readings = arena_array(arena, setup->reading_count, sizeof *with->readings);
    for (size_t i = 0; i < setup->reading_count; i++) {
        with->readings[i] = setup->readings[i];
        with->readings[i].allowance = allowance_of(policies, policy_count, setup->boundary->policy == POLICY_ALLOW_ALL,
                                                   &setup->cluster, &setup->readings[i].reading);
    }
    return with;
}

struct union_setup *union_setup_for(struct union_setup *setup, const struct subject *subject) {
    size_t first = 0, count = setup->for_grants ? granted_to(setup->granted, &subject->labels, &first) : 0;
    if (count == 0)
        return setup;
    if (!setup->for_grants[first])
        setup->for_grants[first] = setup_with_grants(setup, first, count);
    return setup->for_grants[first];
}

/* The names that the pod's containers give the agent port; "?" where no container is known. */
static void key_add_port_names(struct buffer *key, const struct subject *subject, unsigned agent_port) {
    buffer_add_string(key, subject->pod ? "," : "?");
    for (uint32_t i = 0; subject->pod && i < subject->pod->port_count; i++) {
        const struct container_port *port = &subject->pod->ports[i];
        if (port->name && port->number == agent_port)
            buffer_print(key, "%s/%s,", port->name, port->protocol);
    }
}

/* Which candidates select or may select the subject, by number. */
static void key_add_selection(struct buffer *key, const struct candidate_list *chosen, const struct subject *subject,
                              const struct cluster *cluster, const struct reading *reading) {
    for (size_t i = 0; i < chosen->count; i++) {
        enum truth selects = candidate_selects(&chosen->list[i], subject, cluster, reading);
        if (selects != TRUTH_NO)
            buffer_print(key, "%zu%c", chosen->list[i].number, selects == TRUTH_YES ? '+' : '?');
    }
    buffer_add_char(key, ';');
}

const char *union_subject_key(struct union_setup *setup, const struct subject *subject) {
    struct arena_mark start = arena_mark(setup->scratch);
    struct candidate_list chosen = candidate_index_choose(setup->index, subject, setup->scratch);
    struct buffer key;
    buffer_init(&key, setup->scratch);
    buffer_add_char(&key, subject->host_network ? 'h' : 'p');
    for (unsigned side = 0; side < 2; side++) {
        const struct reading_setup *readings = side == 0 ? setup->readings : setup->foreign;
        size_t count = side == 0 ? setup->reading_count : setup->foreign_count;
        bool filters = true;
        for (size_t r = 0; r < count; r++) {
            if (r > 0 && readings[r].reading.filters_labels == filters)
                continue; /* selection depends on nothing else of a reading but what problems hold in it */
            filters = readings[r].reading.filters_labels;
            key_add_selection(&key, &chosen, subject, &setup->cluster, &readings[r].reading);
        }
    }
    size_t first;
    if (setup->for_grants && granted_to(setup->granted, &subject->labels, &first) > 0)
        buffer_print(&key, "@%zu", first);
    if (setup->names_ports)
        key_add_port_names(&key, subject, setup->boundary->agent_port);
    const char *spelled = arena_copy(setup->cluster.arena, buffer_string(&key), key.length);
    arena_rollback(setup->scratch, start);
    return spelled;
}

/* ---- the decision ---- */

static const struct examined *first_with(const struct side_decision *side, enum verdict verdict) {
    for (size_t i = 0; i < side->examined_count; i++)
        if (side->examined[i].verdict == verdict)
            return &side->examined[i];
    return NULL;
}

/* One that would isolate but for what is wrong in it. */
static const struct examined *first_slipped(const struct side_decision *side, enum verdict leaves) {
    for (size_t i = 0; i < side->examined_count; i++)
        if (side->examined[i].verdict == leaves && side->examined[i].detail)
            return &side->examined[i];
    return NULL;
}

static const char *reason_about(const struct examined *examined, const char *what, struct arena *arena) {
    const char *namespace = examined->object.namespace ? examined->object.namespace : "";
    return arena_format(arena, "%s %s%s%s %s%s%s", examined->object.kind, namespace, *namespace ? "/" : "",
                        examined->object.name ? examined->object.name : "(unnamed)", what, examined->detail ? ": " : "",
                        examined->detail ? examined->detail : "");
}

static void side_give_reason(struct side_decision *side, const struct direction_terms *terms, const char *unread,
                             struct arena *arena) {
    const struct examined *widening = first_with(side, terms->widens);
    const struct examined *open = first_with(side, VERDICT_NOT_EVALUABLE);
    const struct examined *slipped = first_slipped(side, terms->leaves);
    if (side->refusal == terms->widening && widening)
        side->reason = reason_about(widening, terms->widening_words, arena);
    else if (side->refusal == CODE_NOT_EVALUABLE && open)
        side->reason = reason_about(open, "cannot be evaluated", arena);
    else if (side->refusal == CODE_NOT_EVALUABLE)
        side->reason = unread ? unread : "whether anything isolates the pod, or lets out more, cannot be told";
    else if (slipped)
        side->reason = arena_format(arena, "%s; %s", terms->unguarded_words,
                                    reason_about(slipped, "does not count for that", arena));
    else
        side->reason = terms->unguarded_words;
}

static void side_refuse(struct side_decision *side, enum code refusal) {
    side->refused = true;
    side->refusal = refusal;
}

static struct side_decision *decide_host_network(struct union_setup *setup) {
    struct side_decision *side = arena_alloc(setup->cluster.arena, sizeof *side);
    side_refuse(side, CODE_HOST_NETWORK);
    side->reason = "the pod uses the host's network and is outside every policy";
    return side;
}

/* What was found about one subject. */
struct finding {
    struct passes passes, foreign; /* under the engine's readings; under Cilium's, for its policies */
    bool agreed, foreign_agreed;
    bool foreign_open; /* a policy of Cilium's cannot be evaluated */
};

static struct examined examine(struct union_setup *setup, struct finding *finding, size_t index) {
    const struct candidate *candidate = &finding->passes.chosen->list[index];
    bool is_foreign = setup->core_engine && candidate->policy && !candidate->is_core;
    struct examined examined = is_foreign ? passes_examine(setup, &finding->foreign, index, finding->foreign_agreed)
                                          : passes_examine(setup, &finding->passes, index, finding->agreed);
    if (is_foreign)
        examined_bound_to_core(&examined, direction_terms(setup->direction));
    if (candidate->pooled)
        examined_place_in_template(&examined, setup->cluster.arena);
    finding->foreign_open = finding->foreign_open || (is_foreign && examined.verdict == VERDICT_NOT_EVALUABLE);
    return examined;
}

/* In the order of all candidates; those that the index left out do not select. */
static void side_examine(struct side_decision *side, struct union_setup *setup, struct finding *finding,
                         bool list_all) {
    const struct candidate_list *all = &setup->candidates, *chosen = finding->passes.chosen;
    struct examined *list =
        arena_array(setup->cluster.arena, (list_all ? all->count : chosen->count) + 1, sizeof *list);
    size_t next = 0;
    for (size_t i = 0; i < chosen->count; i++) {
        for (; list_all && next < chosen->list[i].number; next++)
            list[side->examined_count++] = examined_of_candidate(&all->list[next]);
        next = chosen->list[i].number + 1;
        struct examined examined = examine(setup, finding, i);
        bool selects = examined.verdict != VERDICT_DOES_NOT_SELECT;
        side->not_selecting += selects ? 0 : 1;
        if (selects || list_all)
            list[side->examined_count++] = examined;
    }
    for (; list_all && next < all->count; next++)
        list[side->examined_count++] = examined_of_candidate(&all->list[next]);
    side->not_selecting += all->count - chosen->count;
    side->examined = list;
}

struct side_decision *union_decide(struct union_setup *setup, const struct subject *subject, bool list_all,
                                   const char *unread) {
    setup = union_setup_for(setup, subject);
    if (subject->host_network)
        return decide_host_network(setup);
    struct arena *arena = setup->cluster.arena;
    const struct direction_terms *terms = direction_terms(setup->direction);
    struct arena_mark start = arena_mark(setup->scratch);
    struct candidate_list chosen = candidate_index_choose(setup->index, subject, setup->scratch);
    struct finding finding = {.passes = passes_run(setup, setup->readings, setup->reading_count, &chosen, subject),
                              .foreign = passes_run(setup, setup->foreign, setup->foreign_count, &chosen, subject)};
    bool refused, foreign_refused;
    enum code refusal, foreign_refusal;
    finding.agreed = passes_agree(&finding.passes, &refused, &refusal);
    finding.foreign_agreed =
        finding.foreign.count > 0 && passes_agree(&finding.foreign, &foreign_refused, &foreign_refusal);
    struct side_decision *side = arena_alloc(arena, sizeof *side);
    side_examine(side, setup, &finding, list_all);
    arena_rollback(setup->scratch, start);
    if (finding.agreed && refused)
        side_refuse(side, refusal);
    else if (!finding.agreed)
        side_refuse(side, first_with(side, terms->widens) ? terms->widening : CODE_NOT_EVALUABLE);
    bool open = finding.foreign_open || unread != NULL;
    if (open && (!side->refused || side->refusal == terms->unguarded))
        side_refuse(side, CODE_NOT_EVALUABLE);
    if (side->refused)
        side_give_reason(side, terms, unread, arena);
    return side;
}

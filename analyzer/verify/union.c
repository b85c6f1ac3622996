#include "analyzer/verify/union.h"

#include <string.h>

#include "analyzer/verify/collections.h"
#include "analyzer/verify/excess.h"
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
                       const struct granted *granted, const struct cluster_facts *facts, enum direction direction) {
    struct arena *arena = snapshot->arena;
    enum engine engine = direction == DIRECTION_EGRESS ? boundary->engine : boundary->ingress_engine;
    *setup = (struct union_setup){.direction = direction,
                                  .snapshot = snapshot,
                                  .boundary = boundary,
                                  .compiled = boundary_policy(boundary, arena),
                                  .granted = granted,
                                  .cluster = snapshot_cluster(snapshot, facts),
                                  .core_engine = engine == ENGINE_CORE && !granted};
    setup->candidates = candidates_of(snapshot, boundary->namespace);
    bool has_cilium = false;
    for (size_t i = 0; i < setup->candidates.count; i++) {
        struct candidate *candidate = &setup->candidates.list[i];
        candidate->is_compiled = is_compiled(setup, candidate);
        has_cilium = has_cilium || (candidate->policy && !candidate->is_core);
        setup->names_ports = setup->names_ports || (direction == DIRECTION_INGRESS && candidate_names_ports(candidate));
    }
    unsigned aspects = candidates_aspects(&setup->candidates, &setup->cluster, direction);
    setup->readings = reading_setups(setup, !setup->core_engine, aspects, &setup->reading_count);
    if (setup->core_engine && has_cilium)
        setup->foreign = reading_setups(setup, true, aspects, &setup->foreign_count);
    if (granted && direction == DIRECTION_EGRESS)
        setup->for_grants = arena_array(arena, granted->count + 1, sizeof *setup->for_grants);
}

void union_setup_init(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                      const struct granted *granted, const struct cluster_facts *facts) {
    setup_init(setup, snapshot, boundary, granted, facts, DIRECTION_EGRESS);
}

void union_setup_init_ingress(struct union_setup *setup, struct snapshot *snapshot, const struct boundary *boundary,
                              const struct granted *granted, const struct cluster_facts *facts) {
    setup_init(setup, snapshot, boundary, granted, facts, DIRECTION_INGRESS);
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

const char *union_subject_key(struct union_setup *setup, const struct subject *subject) {
    struct buffer key;
    buffer_init(&key, setup->cluster.arena);
    buffer_add_char(&key, subject->host_network ? 'h' : 'p');
    for (unsigned side = 0; side < 2; side++) {
        const struct reading_setup *readings = side == 0 ? setup->readings : setup->foreign;
        size_t count = side == 0 ? setup->reading_count : setup->foreign_count;
        bool filters = true;
        for (size_t r = 0; r < count; r++) {
            if (r > 0 && readings[r].reading.filters_labels == filters)
                continue; /* selection depends on nothing else of a reading but what problems hold in it */
            filters = readings[r].reading.filters_labels;
            for (size_t i = 0; i < setup->candidates.count; i++)
                buffer_add_char(&key, (char)('0' + candidate_selects(&setup->candidates.list[i], subject,
                                                                     &setup->cluster, &readings[r].reading)));
        }
    }
    size_t first;
    if (setup->for_grants && granted_to(setup->granted, &subject->labels, &first) > 0)
        buffer_print(&key, "@%zu", first);
    if (setup->names_ports)
        key_add_port_names(&key, subject, setup->boundary->agent_port);
    return buffer_string(&key);
}

/* ---- several passes ---- */

struct passes {
    struct pass *list;
    size_t count;
};

static struct passes passes_run(struct union_setup *setup, struct reading_setup *readings, size_t count,
                                const struct subject *subject) {
    struct passes passes = {arena_array(setup->cluster.arena, count + 1, sizeof *passes.list), count};
    for (size_t i = 0; i < count; i++)
        pass_decide(&readings[i], &setup->candidates, subject, &setup->cluster, &passes.list[i]);
    return passes;
}

/* The refusal that all passes agree on; false: they do not. */
static bool passes_agree(const struct passes *passes, bool *refused, enum code *refusal) {
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

/* ---- the decision ---- */

struct union_result {
    struct union_setup *setup;
    struct side_decision *side;
    struct examined *examined;
};

static void examined_set_doubt(struct examined *examined, const struct pass_entry *entry, const char *file) {
    examined->detail = entry->doubt;
    if (entry->doubt_part.node) {
        examined->path = entry->doubt_part.path;
        examined->location = node_location(file, entry->doubt_part.node);
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
    examined->detail = problem->message;
    if (problem->part.node) {
        examined->path = problem->part.path;
        examined->location = node_location(candidate->object->file, problem->part.node);
    }
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

static struct examined examine(struct union_setup *setup, const struct passes *passes, size_t index, bool agreed) {
    const struct candidate *candidate = &setup->candidates.list[index];
    struct arena *arena = setup->cluster.arena;
    struct examined examined = {.object = object_name_of(candidate->object),
                                .spec = candidate->rule ? candidate->rule->index : -1,
                                .location = object_location(candidate->object)};
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
        if (!examined_set_excess(&examined, &entry->excess, entry->effective, candidate->object->file, setup->snapshot,
                                 arena)) {
            examined.verdict = VERDICT_NOT_EVALUABLE;
            examined.detail = "the sets are too large for a witness to be found";
        }
    } else if (entry->verdict == direction_terms(setup->direction)->leaves && entry->selects != TRUTH_NO) {
        const struct problem *slip = candidate_slip(candidate, &summary.speaker->setup->reading);
        examined.detail = slip                  ? slip->message
                          : candidate->has_twin ? "differing copies of it are among the inputs"
                                                : NULL;
    }
    return examined;
}

/* Engine core: what Cilium would read counts where Cilium runs, which is not said. */
static void examined_bound_to_core(struct examined *examined, const struct direction_terms *terms) {
    if (examined->verdict == VERDICT_DOES_NOT_SELECT || examined->verdict == terms->holds ||
        examined->verdict == terms->leaves)
        return;
    examined->verdict = VERDICT_NOT_EVALUABLE;
    examined->detail = "a Cilium policy counts only where Cilium runs; set `engine`";
}

/* Paths into a policy that is made of a template lead into the template. */
static void examined_place_in_template(struct examined *examined, struct arena *arena) {
    struct excess *further = arena_array(arena, examined->further_count + 1, sizeof *further);
    examined->path = pooled_path(examined->path, arena);
    for (size_t i = 0; i < examined->further_count; i++) {
        further[i] = examined->further[i];
        further[i].path = pooled_path(further[i].path, arena);
    }
    examined->further = further;
}

static void side_add(struct union_result *result, struct examined examined, bool list_all) {
    bool selects = examined.verdict != VERDICT_DOES_NOT_SELECT;
    result->side->not_selecting += selects ? 0 : 1;
    if (selects || list_all)
        result->examined[result->side->examined_count++] = examined;
}

static const struct examined *first_with(const struct side_decision *side, enum verdict verdict) {
    for (size_t i = 0; i < side->examined_count; i++)
        if (side->examined[i].verdict == verdict)
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
    if (side->refusal == terms->widening && widening)
        side->reason = reason_about(widening, terms->widening_words, arena);
    else if (side->refusal == CODE_NOT_EVALUABLE && open)
        side->reason = reason_about(open, "cannot be evaluated", arena);
    else if (side->refusal == CODE_NOT_EVALUABLE)
        side->reason = unread ? unread : "whether anything isolates the pod, or lets out more, cannot be told";
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

struct side_decision *union_decide(struct union_setup *setup, const struct subject *subject, bool list_all,
                                   const char *unread) {
    setup = union_setup_for(setup, subject);
    if (subject->host_network)
        return decide_host_network(setup);
    struct arena *arena = setup->cluster.arena;
    const struct direction_terms *terms = direction_terms(setup->direction);
    struct union_result result = {.setup = setup, .side = arena_alloc(arena, sizeof *result.side)};
    result.examined = arena_array(arena, setup->candidates.count + 1, sizeof *result.examined);
    result.side->examined = result.examined;
    struct passes passes = passes_run(setup, setup->readings, setup->reading_count, subject);
    struct passes foreign = passes_run(setup, setup->foreign, setup->foreign_count, subject);
    bool refused, foreign_refused, foreign_open = false;
    enum code refusal, foreign_refusal;
    bool agreed = passes_agree(&passes, &refused, &refusal);
    bool foreign_agreed = foreign.count > 0 && passes_agree(&foreign, &foreign_refused, &foreign_refusal);
    for (size_t i = 0; i < setup->candidates.count; i++) {
        const struct candidate *candidate = &setup->candidates.list[i];
        bool is_foreign = setup->core_engine && candidate->policy && !candidate->is_core;
        struct examined examined =
            is_foreign ? examine(setup, &foreign, i, foreign_agreed) : examine(setup, &passes, i, agreed);
        if (is_foreign)
            examined_bound_to_core(&examined, terms);
        if (candidate->pooled)
            examined_place_in_template(&examined, arena);
        foreign_open = foreign_open || (is_foreign && examined.verdict == VERDICT_NOT_EVALUABLE);
        side_add(&result, examined, list_all);
    }
    struct side_decision *side = result.side;
    if (agreed && refused)
        side_refuse(side, refusal);
    else if (!agreed)
        side_refuse(side, first_with(side, terms->widens) ? terms->widening : CODE_NOT_EVALUABLE);
    bool open = foreign_open || unread != NULL;
    if (open && (!side->refused || side->refusal == terms->unguarded))
        side_refuse(side, CODE_NOT_EVALUABLE);
    if (side->refused)
        side_give_reason(side, terms, unread, arena);
    return side;
}

#include "analyzer/ask/explain.h"

#include <string.h>

#include "analyzer/ask/presence.h"
#include "analyzer/verify/allowance.h"
#include "analyzer/verify/assumptions.h"
#include "analyzer/verify/candidate.h"
#include "analyzer/verify/collections.h"
#include "analyzer/verify/subjects.h"
#include "base/arena.h"

struct asking {
    const struct explain_request *request;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct snapshot snapshot;
    struct cluster cluster;
    struct subject subject;
    const char *who;
    struct target target;
    struct candidate_list candidates;
    struct assumptions assumptions;
    bool cilium;
    bool slips_are_told;
    const struct object *last_told;
};

/* ---- who asks ---- */

static const char *find_subject(struct asking *asking) {
    const struct explain_request *request = asking->request;
    if (request->pod && request->labels)
        return "--pod and --labels name different pods: give one of them";
    if (request->pod) {
        const char *slash = strchr(request->pod, '/');
        if (!slash || slash == request->pod || slash[1] == '\0')
            return "--pod wants NAMESPACE/NAME";
        const char *namespace = arena_copy(asking->arena, request->pod, (size_t)(slash - request->pod));
        const struct pod *pod = evidence_pod(&asking->snapshot.evidence, namespace, slash + 1);
        if (!pod)
            return arena_format(asking->arena, "--pod %s is not among the inputs", request->pod);
        asking->subject = subject_of_pod(pod, &asking->snapshot);
        asking->who = request->pod;
        return NULL;
    }
    struct labels labels;
    if (!request->labels)
        return "--pod or --labels must say which pod is asked about";
    if (!request->namespace)
        return "--labels needs --namespace";
    if (!labels_parse(request->labels, asking->arena, &labels))
        return "--labels wants KEY=VALUE pairs with commas between them, each key once";
    const char *fault = labels_fault(&labels, asking->arena);
    if (fault)
        return arena_format(asking->arena, "--labels: %s", fault);
    asking->subject = subject_of_labels(request->namespace, labels, &asking->snapshot);
    asking->who = arena_format(asking->arena, "%s?%s", request->namespace, request->labels);
    return NULL;
}

/* ---- what is there ---- */

static bool any_cilium(const struct snapshot *snapshot) {
    return snapshot->objects.of[OBJECT_CILIUM_NETWORK_POLICY].count > 0 ||
           snapshot->objects.of[OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY].count > 0;
}

/* Evidence of which there is some is taken as all there is: the question is about what stands here. An index knows. */
static void take_as_complete(struct asking *asking, enum object_kind kind, const char *sentence) {
    if (asking->snapshot.objects.of[kind].count == 0 || asking->snapshot.indexes.count > 0)
        return;
    asking->cluster.complete[kind] = true;
    assumptions_add(&asking->assumptions, sentence);
}

static void set_cluster(struct asking *asking) {
    asking->cluster = snapshot_cluster(&asking->snapshot, asking->request->facts);
    if (!facts_merge(&asking->cluster.facts, &asking->snapshot.facts, asking->diagnostics))
        asking->snapshot.facts_hold = false;
    asking->snapshot.facts = asking->cluster.facts;
    take_as_complete(asking, OBJECT_SERVICE, "the Services among the inputs are all there are");
    take_as_complete(asking, OBJECT_CILIUM_CIDR_GROUP, "the CIDR groups among the inputs are all there are");
    take_as_complete(asking, OBJECT_ENDPOINT_SLICE, "the EndpointSlices among the inputs are all there are");
    if (asking->cilium)
        take_as_complete(asking, OBJECT_POD,
                         "the pods among the inputs are all there are, where port names are resolved");
}

/* The compiled objects of the config's boundaries in the pod's namespace stand beside the inputs. */
static void add_compiled(struct asking *asking) {
    const struct config *config = asking->request->config;
    for (size_t i = 0; config && i < config->count; i++) {
        const struct boundary *boundary = &config->boundaries[i];
        if (!boundary->usable || strcmp(boundary->namespace, asking->subject.namespace) != 0)
            continue;
        const struct policy *policy = boundary_policy(boundary, asking->arena);
        if (!policy)
            continue;
        struct candidate candidate = {.object = policy->object,
                                      .policy = policy,
                                      .rule = policy->rule_count ? &policy->rules[0] : NULL,
                                      .is_core = policy->core != NULL};
        struct candidate_list *candidates = &asking->candidates;
        if (candidates->count == candidates->capacity)
            candidates->list = arena_grow(asking->arena, candidates->list, &candidates->capacity, candidates->count + 1,
                                          sizeof *candidates->list);
        candidates->list[candidates->count++] = candidate;
    }
}

/* ---- one reading ---- */

struct sitting {
    struct weighing weighing;
    struct selected_rules *selected;
    size_t *candidates; /* by place in `selected` */
};

static enum truth truth_or(enum truth a, enum truth b) { return a > b ? a : b; }

/* Whether a policy of a kind that is not modelled may say something about the subject. */
static bool bears_unmodelled(const struct asking *asking, const struct candidate *candidate,
                             const struct reading *reading) {
    return !candidate->policy && !reading->cilium && admin_has_rules(candidate->admin, DIRECTION_EGRESS) &&
           admin_selects(candidate->admin, &asking->subject) != TRUTH_NO;
}

/* A slip in every version: what an older schema lacks is pruned there, and the object is what is left. */
static bool has_slip(const struct candidate *candidate, const struct reading *reading) {
    for (uint32_t i = 0; candidate->policy && i < candidate->policy->problem_count; i++) {
        const struct problem *problem = &candidate->policy->problems[i];
        if (problem->classes == cilium_from(CILIUM_1_15) && candidate_problem_is_slip(candidate, problem, reading))
            return true;
    }
    return false;
}

/* Whether the candidate's rules bear on the subject under the reading. Which of two copies the cluster has cannot be
 * told, nor whether one with a slip got there. */
static enum truth candidate_bears(const struct asking *asking, const struct candidate *candidate,
                                  const struct reading *reading) {
    if (!candidate->policy || (!candidate->is_core && (!reading->cilium || !candidate->rule)))
        return TRUTH_NO;
    if (!reading->refused_count && candidate_refusal(candidate, reading, &asking->cluster))
        return TRUTH_NO;
    enum truth selects = candidate_selects(candidate, &asking->subject, &asking->cluster, reading);
    bool unsure = candidate_type_problem(candidate, reading) || has_slip(candidate, reading) || candidate->has_twin;
    return unsure ? truth_and(selects, TRUTH_MAYBE) : selects;
}

static struct policy_rules *candidate_rules(const struct asking *asking, const struct candidate *candidate,
                                            const struct reading *reading) {
    const struct rule_options options = {.destination = asking->target.count == 1 ? asking->target.parts[0].pod : NULL};
    struct policy_rules *rules = arena_alloc(asking->arena, sizeof *rules);
    if (candidate->is_core)
        rules_of_core(candidate->policy, &asking->cluster, reading, &options, rules);
    else
        rules_of_cilium(candidate->policy, candidate->rule, &asking->cluster, reading, rules);
    return rules;
}

/* In the first sitting; the Rules of an object share its slips. */
static void tell_slips(struct asking *asking, const struct candidate *candidate, const struct reading *reading) {
    if (!asking->slips_are_told && candidate->object != asking->last_told && has_slip(candidate, reading)) {
        asking->last_told = candidate->object;
        candidate_warn_slips(candidate, reading, asking->arena, asking->diagnostics);
    }
}

static void sit(struct asking *asking, const struct reading *reading, struct sitting *sitting) {
    const struct candidate_list *candidates = &asking->candidates;
    *sitting =
        (struct sitting){.weighing = {.reading = reading, .cluster = &asking->cluster},
                         .selected = arena_array(asking->arena, candidates->count + 1, sizeof *sitting->selected),
                         .candidates = arena_array(asking->arena, candidates->count + 1, sizeof *sitting->candidates)};
    struct weighing *weighing = &sitting->weighing;
    weighing->selected = sitting->selected;
    weighing->isolates = reading->always ? TRUTH_YES : TRUTH_NO;
    if (asking->cluster.facts.enforcement == ENFORCEMENT_NEVER && reading->cilium)
        return;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->list[i];
        weighing->unmodelled = weighing->unmodelled || bears_unmodelled(asking, candidate, reading);
        enum truth bears = candidate_bears(asking, candidate, reading);
        if (bears == TRUTH_NO)
            continue;
        tell_slips(asking, candidate, reading);
        struct policy_rules *rules = candidate_rules(asking, candidate, reading);
        sitting->selected[weighing->count] = (struct selected_rules){rules, bears == TRUTH_YES};
        sitting->candidates[weighing->count++] = i;
        if (rules->isolates)
            weighing->isolates = truth_or(weighing->isolates, bears);
    }
    asking->slips_are_told = true;
}

/* ---- all readings ---- */

static enum answer agree(enum answer a, enum answer b) { return a == b ? a : ANSWER_UNKNOWN; }

/* "443/TCP", "1-65535/UDP", "icmp:8", "icmp", "other"; port 0 is none. NULL: nothing is left. */
static const char *spell_range(enum protocol protocol, struct port_range range, struct arena *arena) {
    static const char *const words[] = {"TCP", "UDP", "SCTP", "icmp", "icmpv6", "other"};
    bool transport = protocol <= PROTOCOL_SCTP;
    if (transport && range.first == 0)
        range.first = 1;
    if (range.first > range.last && transport)
        return NULL;
    if (protocol == PROTOCOL_OTHER || (!transport && range.first == 0 && range.last == 255))
        return words[protocol];
    const char *numbers = range.first == range.last ? arena_format(arena, "%u", range.first)
                                                    : arena_format(arena, "%u-%u", range.first, range.last);
    return transport ? arena_format(arena, "%s/%s", numbers, words[protocol])
                     : arena_format(arena, "%s:%s", words[protocol], numbers);
}

static void list_ports(struct explanation *explanation, const struct port_set *ports, struct arena *arena) {
    size_t most = 0, count = 0;
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++)
        most += ports->of[i].count;
    const char **list = arena_array(arena, most + 1, sizeof *list);
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++)
        for (uint32_t k = 0; k < ports->of[i].count; k++) {
            const char *text = spell_range((enum protocol)i, ports->of[i].ranges[k], arena);
            if (text)
                list[count++] = text;
        }
    explanation->ports = (struct string_list){list, count};
    explanation->has_ports = true;
}

static void list_rules(struct asking *asking, const struct sitting *sitting, struct explanation *explanation) {
    size_t most = 0;
    for (size_t i = 0; i < sitting->weighing.count; i++)
        most += sitting->selected[i].rules->count;
    struct explained_rule *rules = arena_array(asking->arena, most + 1, sizeof *rules);
    size_t count = 0;
    for (size_t i = 0; i < sitting->weighing.count; i++) {
        const struct candidate *candidate = &asking->candidates.list[sitting->candidates[i]];
        const struct object *object = candidate->object;
        for (size_t e = 0; e < sitting->selected[i].rules->count; e++) {
            struct explained_rule rule = {.object = object_name_of(object)};
            struct part part;
            if (!weigh_entry(&sitting->weighing, &sitting->selected[i].rules->entries[e], &asking->target, &rule.effect,
                             &part, &rule.detail))
                continue;
            rule.path = candidate->pooled ? pooled_path(part.path, asking->arena) : part.path;
            rule.location = node_location(object->file, part.node);
            rules[count++] = rule;
        }
    }
    explanation->rules = rules;
    explanation->rule_count = count;
}

static const char *reason_of(const struct explanation *explanation, const struct weighed *weighed, bool differ) {
    if (differ)
        return "it depends on the reading: the facts about the cluster leave several open";
    if (weighed->why)
        return weighed->why;
    if (explanation->isolated == ANSWER_NO)
        return explanation->allowed == ANSWER_YES ? "nothing isolates the pod, so all egress is allowed"
                                                  : "a deny rule stops it";
    if (explanation->allowed == ANSWER_YES)
        return "a rule allows it";
    if (explanation->allowed == ANSWER_UNKNOWN)
        return "the inputs do not tell what a rule stands for: see the assumptions and the rules";
    return explanation->ports.count == 0 ? "the pod is isolated, and no rule allows it"
                                         : "the pod is isolated, and only the ports that are listed are allowed";
}

static void answer_all(struct asking *asking, struct explanation *explanation) {
    unsigned aspects = candidates_aspects(&asking->candidates, &asking->cluster, DIRECTION_EGRESS);
    struct reading_list readings = readings_of(&asking->cluster, asking->cilium, aspects);
    struct weighed together = {0};
    bool differ = false;
    for (size_t i = 0; i < readings.count; i++) {
        struct sitting sitting;
        struct weighed weighed;
        sit(asking, &readings.list[i], &sitting);
        weigh_presences(&sitting.weighing, &asking->target, &weighed);
        if (i == 0) {
            together = weighed;
            list_rules(asking, &sitting, explanation);
            continue;
        }
        differ = differ || (together.allowed != weighed.allowed && together.allowed != ANSWER_UNKNOWN);
        together.allowed = agree(together.allowed, weighed.allowed);
        together.isolated = agree(together.isolated, weighed.isolated);
        together.learned = agree(together.learned, weighed.learned);
        together.ports = port_set_intersect(asking->arena, &together.ports, &weighed.ports);
    }
    explanation->allowed = together.allowed;
    explanation->isolated = together.isolated;
    explanation->learned = asking->target.name ? together.learned : ANSWER_UNKNOWN;
    if (asking->target.all_ports)
        list_ports(explanation, &together.ports, asking->arena);
    explanation->reason = reason_of(explanation, &together, differ);
}

/* ---- beyond the rules ---- */

static void answer_host_network(struct explanation *explanation) {
    explanation->allowed = ANSWER_YES;
    explanation->isolated = ANSWER_NO;
    explanation->reason = "the pod uses the host's network and is outside every policy";
}

static void doubt(struct explanation *explanation, const char *reason) {
    explanation->allowed = ANSWER_UNKNOWN;
    explanation->isolated = explanation->isolated == ANSWER_YES ? ANSWER_YES : ANSWER_UNKNOWN;
    explanation->reason = reason;
    explanation->has_ports = false;
}

static void doubt_unreadable(struct asking *asking, struct explanation *explanation) {
    if (asking->snapshot.unreadable)
        doubt(explanation, "part of the inputs could not be read and may hold any policy");
    else if (!asking->snapshot.facts_hold)
        doubt(explanation, "the facts about the cluster contradict one another");
}

/* A collection of policies that was not read may hold one that isolates the pod, or denies what others allow. */
static void doubt_unread(struct asking *asking, struct explanation *explanation) {
    const char *lacking = snapshot_lacks_policies(&asking->snapshot, asking->cilium, asking->subject.namespace);
    if (lacking)
        doubt(explanation, lacking);
}

/* The other end may refuse what leaves here. */
static void note_ingress(struct asking *asking) {
    for (size_t i = 0; i < asking->target.count; i++) {
        const struct target_part *part = &asking->target.parts[i];
        if (!part->pod)
            continue;
        struct subject receiver = subject_of_pod(part->pod, &asking->snapshot);
        struct candidate_list candidates = candidates_of(&asking->snapshot, part->pod->namespace);
        struct reading_list readings = readings_of(&asking->cluster, asking->cilium, 0);
        for (size_t k = 0; k < candidates.count; k++) {
            const struct candidate *candidate = &candidates.list[k];
            bool ingress = candidate->policy && candidate->policy->core ? candidate->policy->core->isolates_ingress
                           : candidate->rule ? candidate->rule->ingress.presence == PRESENCE_FILLED ||
                                                   candidate->rule->ingress_deny.presence == PRESENCE_FILLED
                                             : false;
            if (!ingress || candidate_selects(candidate, &receiver, &asking->cluster, &readings.list[0]) == TRUTH_NO)
                continue;
            struct diagnostic *note =
                diagnostics_add(asking->diagnostics, CODE_INGRESS_OF_DESTINATION, object_location(candidate->object),
                                "%s %s selects the destination for ingress, which is not asked here",
                                candidate->object->kind_word, object_label(candidate->object, asking->arena));
            note->object = object_name_of(candidate->object);
        }
    }
}

const char *explain_answer(const struct explain_request *request, struct arena *arena, struct diagnostics *diagnostics,
                           struct explanation *explanation) {
    struct asking asking = {.request = request, .arena = arena, .diagnostics = diagnostics};
    assumptions_init(&asking.assumptions, arena);
    snapshot_read(request->inputs, request->namespace, arena, &asking.snapshot, diagnostics);
    asking.cilium =
        request->engine == EXPLAIN_CILIUM || (request->engine == EXPLAIN_BY_INPUTS && any_cilium(&asking.snapshot));
    set_cluster(&asking);
    const char *problem = find_subject(&asking);
    if (problem)
        return problem;
    struct target_request target = {request->to, request->port, request->dns_name, request->server_name, asking.cilium};
    problem = target_parse(&target, &asking.snapshot, arena, &asking.target);
    if (problem)
        return problem;
    asking.candidates = candidates_of(&asking.snapshot, asking.subject.namespace);
    add_compiled(&asking);
    *explanation = (struct explanation){.question = arena_format(arena, "%s to %s", asking.who, asking.target.text)};
    if (asking.subject.host_network)
        answer_host_network(explanation);
    else
        answer_all(&asking, explanation);
    if (!asking.subject.host_network)
        doubt_unread(&asking, explanation);
    doubt_unreadable(&asking, explanation);
    note_ingress(&asking);
    if (asking.cilium)
        assumptions_of_cilium(&asking.assumptions, &asking.cluster.facts);
    explanation->assumptions = assumptions_list(&asking.assumptions);
    diagnostics_sort(diagnostics);
    explanation->findings = (struct diagnostic_list){diagnostics->list, diagnostics->count};
    return NULL;
}

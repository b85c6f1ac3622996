#include "tests/evaluator/evaluate.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/parts.h"

/* More doubtful filters than this on one flow, and the answer is unknown without trying each way. */
enum { MOST_DOUBTS = 6, MOST_FILTERS = 256 };

const char *evaluator_answer_word(enum evaluator_answer answer) {
    static const char *const words[] = {[EVALUATE_DENIED] = "denied",
                                        [EVALUATE_ALLOWED] = "allowed",
                                        [EVALUATE_UNKNOWN] = "unknown",
                                        [EVALUATE_REFUSED_OBJECT] = "refused-object"};
    return words[answer];
}

const char *evaluator_cluster(const struct evaluator_reading *reading) {
    return reading->cluster ? reading->cluster : "default";
}

bool object_refuse(struct object_reading *object, const char *why) {
    if (!object->refused)
        object->refused = why;
    return false;
}

void object_add(struct object_reading *object, bool deny, const struct selectors *selectors,
                const struct port_filters *ports) {
    struct arena *arena = object->policy->arena;
    struct selector *kept = arena_array(arena, selectors->count, sizeof *kept);
    for (size_t i = 0; i < selectors->count; i++) {
        kept[i] = selectors->items[i];
        for (size_t j = 0; j < ports->count; j++) {
            object->filters = arena_grow(arena, object->filters, &object->filter_capacity, object->filter_count + 1,
                                         sizeof *object->filters);
            object->filters[object->filter_count++] = (struct filter){deny, &kept[i], ports->items[j]};
        }
    }
}

/* --- objects ------------------------------------------------------------------------------------------------- */

enum policy_kind { NOT_A_POLICY, CORE_POLICY, CILIUM_POLICY, CLUSTERWIDE_POLICY };

static enum policy_kind kind_of(const struct node *root) {
    static const struct {
        const char *version, *kind;
    } kinds[] = {[CORE_POLICY] = {"networking.k8s.io/v1", "NetworkPolicy"},
                 [CILIUM_POLICY] = {"cilium.io/v2", "CiliumNetworkPolicy"},
                 [CLUSTERWIDE_POLICY] = {"cilium.io/v2", "CiliumClusterwideNetworkPolicy"}};
    const char *version = node_string(node_get(root, "apiVersion")), *kind = node_string(node_get(root, "kind"));
    for (size_t i = CORE_POLICY; version && kind && i <= CLUSTERWIDE_POLICY; i++)
        if (strcmp(kinds[i].version, version) == 0 && strcmp(kinds[i].kind, kind) == 0)
            return (enum policy_kind)i;
    return NOT_A_POLICY;
}

/* Reads one object against the subject; false: it is of no kind that counts under the engine. */
static bool object_read(struct object_reading *object, struct evaluator_policy *policy, const struct node *root) {
    enum policy_kind kind = kind_of(root);
    *object = (struct object_reading){.policy = policy, .selects = TRI_NO};
    if (kind == NOT_A_POLICY || (kind != CORE_POLICY && policy->reading->engine == EVALUATE_CORE))
        return false;
    if (kind != CLUSTERWIDE_POLICY) {
        object->namespace_name = node_string(node_get(node_get(root, "metadata"), "namespace"));
        if (!object->namespace_name) {
            object->selects = TRI_MAYBE;
            object->may_select = true;
            return true;
        }
    }
    if (kind == CORE_POLICY)
        core_read(object, root);
    else
        cilium_read(object, root, kind == CLUSTERWIDE_POLICY);
    object->may_select = object->may_select || object->selects == TRI_MAYBE;
    object->slips = slip_is_in(root, kind == CORE_POLICY ? UINT_MAX : policy->reading->minor);
    return true;
}

/* C 3.7: toRequires narrows every toEndpoints of the subject, by how much is not worked out. */
static void doubt_labels(struct evaluator_policy *policy) {
    for (size_t i = 0; i < policy->filter_count; i++) {
        struct selector *copy = arena_alloc(policy->arena, sizeof *copy);
        *copy = *policy->filters[i].selector;
        copy->doubtful = true;
        policy->filters[i].selector = copy;
    }
}

static void object_join(struct evaluator_policy *policy, const struct object_reading *object) {
    if (object->selects == TRI_NO)
        return;
    if (object->refused) {
        policy->refused = policy->refused ? policy->refused : object->refused;
        return;
    }
    if (object->may_select)
        policy->unknown = "whether an object selects the pod";
    policy->isolated = policy->isolated || object->isolates;
    policy->surely_isolated = policy->surely_isolated || (object->isolates && !object->slips);
    for (size_t i = 0; i < object->filter_count; i++) {
        policy->filters = arena_grow(policy->arena, policy->filters, &policy->filter_capacity, policy->filter_count + 1,
                                     sizeof *policy->filters);
        policy->filters[policy->filter_count++] = object->filters[i];
    }
}

struct evaluator_policy *evaluate_prepare(const struct evaluator_world *world, const struct evaluator_reading *reading,
                                          const struct evaluator_pod *subject, struct arena *arena) {
    struct evaluator_policy *policy = arena_alloc(arena, sizeof *policy);
    bool has_requires = false;
    *policy = (struct evaluator_policy){.arena = arena, .world = world, .reading = reading, .subject = subject};
    policy->isolated = policy->surely_isolated = reading->engine == EVALUATE_CILIUM && reading->always;
    for (size_t i = 0; i < world->count; i++) {
        struct object_reading object;
        if (!object_read(&object, policy, world->objects[i]))
            continue;
        object_join(policy, &object);
        has_requires = has_requires || object.has_requires;
    }
    if (has_requires)
        doubt_labels(policy);
    if (!policy->unknown && reading->engine == EVALUATE_CILIUM)
        policy->unknown = decide_conflict(policy);
    return policy;
}

bool evaluate_selects(const struct node *object, const struct evaluator_reading *reading,
                      const struct evaluator_pod *subject, struct arena *arena) {
    struct evaluator_world world = {.count = 0};
    struct evaluator_policy policy = {.arena = arena, .world = &world, .reading = reading, .subject = subject};
    struct object_reading reading_of_object;
    return object_read(&reading_of_object, &policy, object) && reading_of_object.selects != TRI_NO;
}

/* --- flows --------------------------------------------------------------------------------------------------- */

struct candidates {
    const struct filter *sure[MOST_FILTERS], *doubtful[MOST_DOUBTS];
    size_t sure_count, doubtful_count;
    bool too_many;
};

static void candidate_add(struct candidates *candidates, const struct filter *filter, enum tri reaches) {
    if (reaches == TRI_YES && candidates->sure_count + MOST_DOUBTS < MOST_FILTERS)
        candidates->sure[candidates->sure_count++] = filter;
    else if (reaches == TRI_MAYBE && candidates->doubtful_count < MOST_DOUBTS)
        candidates->doubtful[candidates->doubtful_count++] = filter;
    else
        candidates->too_many = true;
}

/* The answer where it is the same whichever doubtful filters reach the flow. */
static enum evaluator_answer decide_each_way(const struct evaluator_policy *policy, struct candidates *candidates,
                                             const struct evaluator_flow *flow) {
    enum evaluator_answer answer = EVALUATE_UNKNOWN;
    if (candidates->too_many)
        return EVALUATE_UNKNOWN;
    for (unsigned way = 0; way < 1U << candidates->doubtful_count; way++) {
        size_t count = candidates->sure_count;
        for (size_t i = 0; i < candidates->doubtful_count; i++)
            if (way & 1U << i)
                candidates->sure[count++] = candidates->doubtful[i];
        enum evaluator_answer this_way = decide_payload(policy, candidates->sure, count, flow);
        if (way > 0 && this_way != answer)
            return EVALUATE_UNKNOWN;
        answer = this_way;
    }
    return answer;
}

static enum evaluator_answer decide_core(const struct evaluator_policy *policy, const struct candidates *candidates) {
    if (!policy->isolated || candidates->sure_count > 0)
        return EVALUATE_ALLOWED;
    return candidates->doubtful_count > 0 || candidates->too_many ? EVALUATE_UNKNOWN : EVALUATE_DENIED;
}

static enum evaluator_answer decide(const struct evaluator_policy *policy, const struct evaluator_flow *flow) {
    struct candidates candidates = {.sure_count = 0};
    struct identity identity = {.count = 0};
    enum tri denied = TRI_NO;
    bool cilium = policy->reading->engine == EVALUATE_CILIUM;
    if (cilium && flow->protocol == EVALUATOR_SCTP && !policy->reading->sctp)
        return EVALUATE_DENIED;
    if (cilium)
        identity_of_flow(&identity, flow, policy->reading, policy->arena);
    for (size_t i = 0; i < policy->filter_count && denied != TRI_YES; i++) {
        const struct filter *filter = &policy->filters[i];
        enum tri reaches = port_covers(policy, &filter->port.key, flow);
        if (reaches != TRI_NO)
            reaches = tri_and(reaches, selector_reaches(filter->selector, &identity, flow, policy->reading));
        if (filter->deny)
            denied = tri_or(denied, reaches);
        else if (reaches != TRI_NO)
            candidate_add(&candidates, filter, reaches);
    }
    if (denied == TRI_YES)
        return EVALUATE_DENIED;
    enum evaluator_answer answer =
        cilium ? decide_each_way(policy, &candidates, flow) : decide_core(policy, &candidates);
    return denied == TRI_MAYBE && answer != EVALUATE_DENIED ? EVALUATE_UNKNOWN : answer;
}

/* A hostNetwork pod is its node: the own one or another, which is not told. Core peers of selectors miss it. */
static enum evaluator_answer decide_node_of(const struct evaluator_policy *policy, const struct evaluator_flow *flow) {
    struct evaluator_flow own = *flow, other = *flow;
    own.sort = other.sort = EVALUATOR_SPECIAL;
    own.special = EVALUATOR_HOST;
    other.special = EVALUATOR_REMOTE_NODE;
    enum evaluator_answer answer = decide(policy, &own);
    return answer == decide(policy, &other) ? answer : EVALUATE_UNKNOWN;
}

struct evaluator_result evaluate_flow(const struct evaluator_policy *policy, const struct evaluator_flow *flow) {
    struct evaluator_result result = {EVALUATE_UNKNOWN, policy->isolated, policy->surely_isolated, policy->unknown};
    if (policy->subject->host_network)
        return (struct evaluator_result){EVALUATE_ALLOWED, false, false, "a hostNetwork pod is outside every policy"};
    if (policy->refused) {
        result.answer = EVALUATE_REFUSED_OBJECT;
        result.why = policy->refused;
    } else if (!policy->unknown) {
        bool node = flow->sort == EVALUATOR_POD && flow->pod->host_network;
        result.answer = node ? decide_node_of(policy, flow) : decide(policy, flow);
        result.why = result.answer == EVALUATE_UNKNOWN ? "what the objects do not tell" : NULL;
    }
    return result;
}

struct evaluator_result evaluate(const struct node *const *policies, size_t count,
                                 const struct evaluator_reading *reading, const struct evaluator_pod *subject,
                                 const struct evaluator_flow *flow, struct arena *arena) {
    struct evaluator_world world = {.objects = policies, .count = count};
    return evaluate_flow(evaluate_prepare(&world, reading, subject, arena), flow);
}

#include "analyzer/verify/candidate.h"

#include <string.h>

#include "analyzer/rules/cilium_key.h"
#include "base/arena.h"

static const enum object_kind examined_kinds[] = {
    OBJECT_NETWORK_POLICY,       OBJECT_CILIUM_NETWORK_POLICY,         OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY,
    OBJECT_ADMIN_NETWORK_POLICY, OBJECT_BASELINE_ADMIN_NETWORK_POLICY, OBJECT_CLUSTER_NETWORK_POLICY,
};

static bool kind_is_modelled(enum object_kind kind) {
    return kind == OBJECT_NETWORK_POLICY || kind == OBJECT_CILIUM_NETWORK_POLICY ||
           kind == OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY;
}

static void candidates_add(struct candidate_list *candidates, struct candidate candidate, struct arena *arena) {
    if (candidates->count == candidates->capacity)
        candidates->list =
            arena_grow(arena, candidates->list, &candidates->capacity, candidates->count + 1, sizeof *candidates->list);
    candidates->list[candidates->count++] = candidate;
}

static bool rule_is_for_nodes(const struct cilium_rule *rule) {
    return rule->node_selector.presence != PRESENCE_ABSENT && rule->endpoint_selector.presence == PRESENCE_ABSENT;
}

static void candidates_add_object(struct candidate_list *candidates, struct snapshot *snapshot,
                                  const struct object *object) {
    struct candidate candidate = {.object = object,
                                  .is_core = object->kind == OBJECT_NETWORK_POLICY,
                                  .has_twin = snapshot_has_twin(snapshot, object),
                                  .lacks_namespace = object_kind_is_namespaced(object->kind) && !object->namespace};
    if (!kind_is_modelled(object->kind)) {
        candidate.admin = admin_policy_read(object, snapshot->arena);
        candidates_add(candidates, candidate, snapshot->arena);
        return;
    }
    candidate.policy = snapshot_policy(snapshot, object);
    if (candidate.is_core || candidate.policy->rule_count == 0) {
        candidates_add(candidates, candidate, snapshot->arena);
        return;
    }
    for (uint32_t i = 0; i < candidate.policy->rule_count; i++) {
        candidate.rule = &candidate.policy->rules[i];
        bool clusterwide = object->kind == OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY;
        if (!(clusterwide && rule_is_for_nodes(candidate.rule)))
            candidates_add(candidates, candidate, snapshot->arena);
    }
}

/* Whether the policy that the controller makes of the block is among the inputs itself. */
static bool is_made_already(struct snapshot *snapshot, const struct policy *made) {
    const struct node *root = made->object->root;
    const char *name = node_string(node_get(node_get(root, "metadata"), "name"));
    const struct object *there = objects_find(&snapshot->objects, OBJECT_NETWORK_POLICY, made->object->namespace, name);
    const struct node *spec = node_get(root, "spec"), *theirs = there ? node_get(there->root, "spec") : NULL;
    static const char *const keys[] = {"ingress", "egress"};
    for (size_t i = 0; theirs && i < sizeof keys / sizeof *keys; i++) {
        const struct node *mine = node_get(spec, keys[i]), *found = node_get(theirs, keys[i]);
        bool empty = (!mine || mine->count == 0) && (!found || found->count == 0);
        if (!empty && !(mine && found && node_equal(mine, found)))
            theirs = NULL;
    }
    return theirs != NULL;
}

static void candidates_add_templates(struct candidate_list *candidates, struct snapshot *snapshot,
                                     const char *namespace) {
    const struct object *const *objects = snapshot_objects(snapshot, OBJECT_SANDBOX_TEMPLATE, namespace);
    for (; *objects; objects++) {
        const struct sandbox_template *template = sandbox_template_of(&snapshot->sandboxes, *objects);
        if (!template || !template->block)
            continue;
        const struct policy *made = sandbox_template_policy(template, snapshot->arena);
        if (is_made_already(snapshot, made))
            continue;
        candidates_add(candidates,
                       (struct candidate){.object = *objects,
                                          .policy = made,
                                          .pooled = pooled_of(template, snapshot),
                                          .is_core = true,
                                          .has_twin = snapshot_has_twin(snapshot, *objects),
                                          .lacks_namespace = !(*objects)->namespace},
                       snapshot->arena);
    }
}

struct candidate_list candidates_of(struct snapshot *snapshot, const char *namespace) {
    struct candidate_list candidates = {0};
    for (size_t i = 0; i < sizeof examined_kinds / sizeof *examined_kinds; i++) {
        const struct object *const *objects = snapshot_objects(snapshot, examined_kinds[i], namespace);
        for (; *objects; objects++)
            candidates_add_object(&candidates, snapshot, *objects);
    }
    candidates_add_templates(&candidates, snapshot, namespace);
    for (size_t i = 0; i < candidates.count; i++)
        candidates.list[i].number = i;
    return candidates;
}

/* ---- problems ----
 *
 * One invalid Rule makes the whole object fail, so every problem of the object is one of each of its Rules. */

/* A null `specs` is as if it were not written, on a NetworkPolicy too. */
static bool problem_is_nothing(const struct candidate *candidate, const struct problem *problem) {
    return problem->effect == PROBLEM_DROPPED && strcmp(problem->part.path, "specs") == 0 &&
           node_is_null(node_get(candidate->object->root, "specs"));
}

bool candidate_is_faultless(const struct candidate *candidate) {
    for (uint32_t i = 0; candidate->policy && i < candidate->policy->problem_count; i++)
        if (!problem_is_nothing(candidate, &candidate->policy->problems[i]))
            return false;
    return candidate->policy != NULL;
}

static bool problem_is_of(const struct candidate *candidate, const struct problem *problem, enum problem_effect first,
                          enum problem_effect last, cilium_classes classes) {
    return problem->effect >= first && problem->effect <= last && (problem->classes & classes) != 0 &&
           !problem_is_nothing(candidate, problem);
}

static const struct problem *first_problem(const struct candidate *candidate, enum problem_effect first,
                                           enum problem_effect last, cilium_classes classes) {
    const struct policy *policy = candidate->policy;
    for (uint32_t i = 0; policy && i < policy->problem_count; i++)
        if (problem_is_of(candidate, &policy->problems[i], first, last, classes))
            return &policy->problems[i];
    return NULL;
}

static cilium_classes reading_classes(const struct reading *reading) { return (cilium_classes)(1u << reading->class); }

const struct problem *candidate_type_problem(const struct candidate *candidate, const struct reading *reading) {
    return first_problem(candidate, PROBLEM_TYPE, PROBLEM_TYPE, reading_classes(reading));
}

static const struct problem l7_needs_proxy = {.effect = PROBLEM_REFUSED_AGENT,
                                              .code = CODE_INVALID_L7,
                                              .message = "DNS rules and server names need the L7 proxy, which is off"};

static bool entries_use_proxy(const struct cilium_entries *entries) {
    for (uint32_t e = 0; e < entries->count; e++)
        for (uint32_t p = 0; p < entries->list[e].port_count; p++) {
            const struct cilium_port_rule *ports = &entries->list[e].ports[p];
            if (ports->has_rules || ports->server_names.presence == PRESENCE_FILLED)
                return true;
        }
    return false;
}

static bool policy_uses_proxy(const struct policy *policy) {
    for (uint32_t i = 0; i < policy->rule_count; i++)
        if (entries_use_proxy(&policy->rules[i].egress) || entries_use_proxy(&policy->rules[i].ingress))
            return true;
    return false;
}

const struct problem *candidate_refusal(const struct candidate *candidate, const struct reading *reading,
                                        const struct cluster *cluster) {
    cilium_classes classes = reading_classes(reading);
    const struct problem *problem = first_problem(candidate, PROBLEM_REFUSED_API, PROBLEM_REFUSED_AGENT, classes);
    if (!problem && reading->cilium && !cluster->facts.l7_proxy && candidate->policy &&
        policy_uses_proxy(candidate->policy))
        problem = &l7_needs_proxy;
    return problem;
}

bool candidate_problem_is_slip(const struct candidate *candidate, const struct problem *problem,
                               const struct reading *reading) {
    return problem_is_of(candidate, problem, PROBLEM_DROPPED, PROBLEM_DUPLICATE, reading_classes(reading));
}

const struct problem *candidate_slip(const struct candidate *candidate, const struct reading *reading) {
    cilium_classes classes = reading_classes(reading);
    return first_problem(candidate, PROBLEM_DROPPED, PROBLEM_DUPLICATE, classes);
}

const char *problem_sentence(const struct problem *problem, struct arena *arena) {
    return problem->part.path ? arena_format(arena, "%s %s", problem->part.path, problem->message) : problem->message;
}

/* ---- selection ---- */

static bool selection_is_unclear(const struct candidate *candidate, const struct reading *reading) {
    cilium_classes classes = reading_classes(reading);
    for (uint32_t i = 0; i < candidate->policy->problem_count; i++) {
        const struct problem *problem = &candidate->policy->problems[i];
        if (problem->selects && problem->effect >= PROBLEM_TYPE && (problem->classes & classes) != 0)
            return true;
    }
    return false;
}

/* What stands in the selector of a policy that is made of a template counts where the template's value is known. */
static enum truth candidate_matches_core(const struct candidate *candidate, const struct subject *subject,
                                         const struct reading *reading) {
    enum truth carries = candidate->pooled ? pooled_carries(candidate->pooled, subject) : TRUTH_YES;
    return carries == TRUTH_YES ? subject_matches_core(subject, &candidate->policy->core->pods, reading) : carries;
}

enum truth candidate_selects(const struct candidate *candidate, const struct subject *subject,
                             const struct cluster *cluster, const struct reading *reading) {
    if (candidate->admin)
        return admin_selects(candidate->admin, subject);
    if (candidate->rule && rule_is_for_nodes(candidate->rule))
        return TRUTH_NO; /* never a pod, and the agent does not take it from a CiliumNetworkPolicy at all */
    enum truth truth = TRUTH_MAYBE;
    if (candidate->policy->core)
        truth = candidate_matches_core(candidate, subject, reading);
    else if (candidate->rule)
        truth = subject_matches_cilium(subject, &candidate->rule->endpoint_selector,
                                       object_kind_is_namespaced(candidate->object->kind), cluster, reading);
    if (truth == TRUTH_YES && selection_is_unclear(candidate, reading))
        truth = TRUTH_MAYBE;
    if (candidate->lacks_namespace)
        truth = truth_and(truth, TRUTH_MAYBE);
    return truth;
}

/* ---- aspects ---- */

static unsigned cidr_aspects(const struct cidr *cidr, bool usable) {
    unsigned aspects = 0;
    if (usable && (cidr->flags & CIDR_LEADING_ZEROS))
        aspects |= ASPECT_LEADING_ZEROS;
    if (usable && (cidr->flags & CIDR_MAPPED))
        aspects |= ASPECT_MAPPED;
    return aspects;
}

static unsigned excepts_aspects(const struct core_except *excepts, uint32_t count) {
    unsigned aspects = 0;
    for (uint32_t i = 0; i < count; i++)
        aspects |= cidr_aspects(&excepts[i].cidr, excepts[i].usable);
    return aspects;
}

static unsigned selector_aspects(const struct selector *selector, const struct identity_filter *filter) {
    for (uint32_t i = 0; i < selector->count; i++) {
        if (!selector->requirements[i].key)
            continue;
        struct cilium_key key = cilium_key_of(selector->requirements[i].key);
        if (cilium_key_is_filtered(&key, filter))
            return ASPECT_LABEL_FILTER;
    }
    return 0;
}

static unsigned core_aspects(const struct core_policy *core, const struct identity_filter *filter,
                             enum direction direction) {
    const struct core_rules *rules = direction == DIRECTION_EGRESS ? &core->egress : &core->ingress;
    unsigned aspects = selector_aspects(&core->pods, filter);
    for (uint32_t i = 0; i < rules->count; i++)
        for (uint32_t k = 0; k < rules->rules[i].peer_count; k++) {
            const struct core_peer *peer = &rules->rules[i].peers[k];
            aspects |= selector_aspects(&peer->pods, filter);
            if (peer->has_block)
                aspects |=
                    cidr_aspects(&peer->cidr, peer->cidr_usable) | excepts_aspects(peer->excepts, peer->except_count);
        }
    return aspects;
}

static unsigned cidrs_aspects(const struct cilium_cidrs *cidrs) {
    unsigned aspects = 0;
    for (uint32_t i = 0; i < cidrs->count; i++)
        aspects |= cidr_aspects(&cidrs->list[i].cidr, cidrs->list[i].usable) |
                   excepts_aspects(cidrs->list[i].excepts, cidrs->list[i].except_count);
    return aspects;
}

static unsigned entries_aspects(const struct cilium_entries *entries, const struct identity_filter *filter) {
    unsigned aspects = 0;
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct cilium_entry *entry = &entries->list[i];
        aspects |= cidrs_aspects(&entry->cidrs) | cidrs_aspects(&entry->cidr_sets);
        for (uint32_t k = 0; k < entry->endpoints.count; k++)
            aspects |= selector_aspects(&entry->endpoints.list[k], filter);
    }
    return aspects;
}

static unsigned rule_aspects(const struct cilium_rule *rule, const struct identity_filter *filter,
                             enum direction direction) {
    unsigned aspects = selector_aspects(&rule->endpoint_selector, filter);
    if (direction == DIRECTION_EGRESS)
        return aspects | entries_aspects(&rule->egress, filter) | entries_aspects(&rule->egress_deny, filter);
    return aspects | entries_aspects(&rule->ingress, filter) | entries_aspects(&rule->ingress_deny, filter);
}

unsigned candidates_aspects(const struct candidate_list *candidates, const struct cluster *cluster,
                            enum direction direction) {
    const struct identity_filter *filter = identity_filter_of(NULL, cluster->arena);
    unsigned aspects = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct candidate *candidate = &candidates->list[i];
        if (!candidate->policy)
            continue;
        if (first_problem(candidate, PROBLEM_REFUSED_API, PROBLEM_REFUSED_AGENT, (cilium_classes)~0u) ||
            !cluster->facts.l7_proxy)
            aspects |= ASPECT_REFUSED;
        if (candidate->policy->core)
            aspects |= core_aspects(candidate->policy->core, filter, direction);
        if (candidate->rule)
            aspects |= rule_aspects(candidate->rule, filter, direction);
    }
    return aspects;
}

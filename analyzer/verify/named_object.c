#include "analyzer/verify/named_object.h"

#include <string.h>

#include "analyzer/rules/cilium_key.h"
#include "analyzer/rules/selector_set.h"
#include "analyzer/verify/candidate.h"
#include "analyzer/verify/collections.h"
#include "analyzer/verify/excess.h"
#include "base/arena.h"
#include "document/writer.h"
#include "ir/witness.h"

struct comparison {
    struct snapshot *snapshot;
    const struct policy *compiled;
    const struct object *found;
    struct named_decision *decision;
    struct diagnostics *refusals;
};

static const char *spell(const struct node *node, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    if (node)
        writer_json_compact(&out, node);
    else
        buffer_add_string(&out, "nothing");
    return buffer_string(&out);
}

/* What the compiled object comes from: only a grant gives its object an owner. */
static const char *origin_word(const struct policy *compiled) {
    return node_get(node_get(compiled->object->root, "metadata"), "ownerReferences") ? "grant" : "config";
}

/* One difference: the first also becomes the decision's. */
static void differ(struct comparison *comparison, const char *part, const char *path, const struct node *expected,
                   const struct node *found, const struct node *at) {
    struct arena *arena = comparison->snapshot->arena;
    struct named_decision *decision = comparison->decision;
    struct location location = at ? node_location(comparison->found->file, at) : object_location(comparison->found);
    struct diagnostic *refusal = diagnostics_add(
        comparison->refusals, CODE_NAMED_OBJECT_MISMATCH, location, "%s of %s %s is %s, but the %s compiles to %s",
        path, comparison->found->kind_word, object_label(comparison->found, arena), spell(found, arena),
        origin_word(comparison->compiled), spell(expected, arena));
    refusal->path = path;
    refusal->object = object_name_of(comparison->found);
    refusal->value = found ? spell(found, arena) : NULL;
    if (decision->part)
        return;
    decision->part = part;
    decision->path = path;
    decision->expected = expected;
    decision->found = found;
    decision->location = location;
}

/* ---- the first differing value ---- */

static void differ_within(struct comparison *comparison, const char *part, const char *path,
                          const struct node *expected, const struct node *found, const struct node *at);

static void differ_in_list(struct comparison *comparison, const char *part, const char *path,
                           const struct node *expected, const struct node *found) {
    struct arena *arena = comparison->snapshot->arena;
    uint32_t shorter = expected->count < found->count ? expected->count : found->count;
    for (uint32_t i = 0; i < shorter; i++)
        if (!node_equal(&expected->items[i], &found->items[i])) {
            differ_within(comparison, part, path_index(arena, path, i), &expected->items[i], &found->items[i],
                          &found->items[i]);
            return;
        }
    const struct node *more = found->count > shorter ? &found->items[shorter] : NULL;
    const struct node *less = expected->count > shorter ? &expected->items[shorter] : NULL;
    differ(comparison, part, path_index(arena, path, shorter), less, more, more ? more : found);
}

/* Fields have dots; the keys of labels, which may hold dots themselves, stand in brackets. */
static const char *path_below(const struct comparison *comparison, const char *path, const struct node *key) {
    struct arena *arena = comparison->snapshot->arena;
    return text_ends_with(text_of(path), "matchLabels") || !node_string(key)
               ? path_key(arena, path, node_text(key))
               : path_field(arena, path, node_string(key));
}

static void differ_in_map(struct comparison *comparison, const char *part, const char *path,
                          const struct node *expected, const struct node *found) {
    for (uint32_t i = 0; i < expected->count; i++) {
        const struct node_entry *entry = &expected->entries[i];
        const struct node_entry *other = node_find(found, node_text(&entry->key));
        if (!other || !node_equal(&entry->value, &other->value)) {
            differ_within(comparison, part, path_below(comparison, path, &entry->key), &entry->value,
                          other ? &other->value : NULL, found);
            return;
        }
    }
    for (uint32_t i = 0; i < found->count; i++) {
        const struct node_entry *entry = &found->entries[i];
        if (!node_find(expected, node_text(&entry->key))) {
            differ(comparison, part, path_below(comparison, path, &entry->key), NULL, &entry->value, &entry->key);
            return;
        }
    }
    differ(comparison, part, path, expected, found, found);
}

/* Walks into the two values to the first place where they differ. Null stands for absent nowhere here: values are values. */
static void differ_within(struct comparison *comparison, const char *part, const char *path,
                          const struct node *expected, const struct node *found, const struct node *at) {
    if (node_is(expected, NODE_LIST) && node_is(found, NODE_LIST))
        differ_in_list(comparison, part, path, expected, found);
    else if (node_is(expected, NODE_MAP) && node_is(found, NODE_MAP))
        differ_in_map(comparison, part, path, expected, found);
    else
        differ(comparison, part, path, expected, found, found ? found : at);
}

/* ---- parts, in the order of spec/analysis.md 3 ---- */

static void compare_field(struct comparison *comparison, const char *part, const char *field) {
    struct arena *arena = comparison->snapshot->arena;
    const struct node *mine = node_get(comparison->compiled->object->root, "spec");
    const struct node *theirs = node_get(comparison->found->root, "spec");
    const struct node *expected = node_get(mine, field), *found = node_get(theirs, field);
    if (expected && found && node_equal(expected, found))
        return;
    if (!expected && !found)
        return;
    differ_within(comparison, part, path_field(arena, "spec", field), expected, found, theirs);
}

static bool lists_egress(const struct node *types) {
    for (uint32_t i = 0; node_is(types, NODE_LIST) && i < types->count; i++)
        if (text_is(node_text(&types->items[i]), "Egress"))
            return true;
    return false;
}

static void compare_policy_types(struct comparison *comparison) {
    const struct node *theirs = node_get(comparison->found->root, "spec");
    const struct node *types = node_get(theirs, "policyTypes");
    if (lists_egress(types))
        return;
    const struct node *expected = node_get(node_get(comparison->compiled->object->root, "spec"), "policyTypes");
    differ(comparison, "policyTypes", "spec.policyTypes", expected, types, types ? types : theirs);
}

/* Each of the compiled ones must be there as it is: with a further field, `controller` say, it is another one. */
static void compare_owners(struct comparison *comparison) {
    const struct node *expected = node_get(node_get(comparison->compiled->object->root, "metadata"), "ownerReferences");
    const struct node *metadata = node_get(comparison->found->root, "metadata");
    const struct node *found = node_get(metadata, "ownerReferences");
    for (uint32_t i = 0; node_is(expected, NODE_LIST) && i < expected->count; i++) {
        bool there = false;
        for (uint32_t k = 0; node_is(found, NODE_LIST) && k < found->count && !there; k++)
            there = node_equal(&expected->items[i], &found->items[k]);
        if (!there)
            differ(comparison, "ownerReferences", "metadata.ownerReferences", &expected->items[i], found,
                   found ? found : metadata);
    }
}

/* Any further field of `spec`: what the compiled object does not have. A null field is none. */
static void compare_rest(struct comparison *comparison) {
    const struct node *mine = node_get(comparison->compiled->object->root, "spec");
    const struct node *theirs = node_get(comparison->found->root, "spec");
    for (uint32_t i = 0; node_is(theirs, NODE_MAP) && i < theirs->count; i++) {
        const struct node_entry *entry = &theirs->entries[i];
        if (!node_is_null(&entry->value) && !node_find(mine, node_text(&entry->key)))
            differ(comparison, "other", path_below(comparison, "spec", &entry->key), NULL, &entry->value, &entry->key);
    }
}

/* A list of Rules at all; null is none. */
static void compare(struct comparison *comparison) {
    const struct node_entry *specs = node_find(comparison->found->root, text_of("specs"));
    bool core = comparison->compiled->core != NULL;
    if (specs && !node_is_null(&specs->value))
        differ(comparison, "specs", "specs", NULL, &specs->value, &specs->key);
    compare_field(comparison, "selector", core ? "podSelector" : "endpointSelector");
    if (core)
        compare_policy_types(comparison);
    compare_field(comparison, "egress", "egress");
    compare_owners(comparison);
    compare_rest(comparison);
}

/* ---- how the two relate ---- */

struct relating {
    const struct policy *mine, *theirs;
    struct cluster cluster;
    struct reading reading;
};

/* The subjects of a selector as a set of pods of the namespace. */
static struct label_set selected_pods(const struct policy *policy, struct arena *arena) {
    struct label_set all = label_set_everything();
    if (policy->core)
        return selector_label_set(&policy->core->pods, LABEL_POD, all, arena);
    struct label_set set = all;
    const struct selector *selector = &policy->rules[0].endpoint_selector;
    for (uint32_t i = 0; i < selector->count; i++) {
        struct selector_requirement requirement = selector->requirements[i];
        struct cilium_key key = cilium_key_of(requirement.key);
        if (key.is_namespace)
            continue;
        requirement.key = key.name;
        struct selector one = {.presence = PRESENCE_FILLED, .requirements = &requirement, .count = 1};
        set = selector_label_set(&one, LABEL_POD, set, arena);
    }
    return set;
}

static bool selects_within(const struct policy *a, const struct policy *b, struct arena *arena) {
    struct label_set first = selected_pods(a, arena), second = selected_pods(b, arena);
    struct endpoint_set mine = endpoint_set_of(arena, &first), theirs = endpoint_set_of(arena, &second);
    struct endpoint_set rest = endpoint_set_subtract(arena, &mine, &theirs);
    return endpoint_set_is_empty(&rest);
}

static void effective_of_policy(const struct relating *relating, const struct policy *policy,
                                struct effective *effective, bool *isolates) {
    struct policy_rules *rules = arena_alloc(relating->cluster.arena, sizeof *rules);
    *rules =
        policy_rules_of(policy, policy->rule_count ? &policy->rules[0] : NULL, &relating->cluster, &relating->reading);
    struct selected_rules selected = {rules, true};
    effective_of(&selected, 1, &relating->reading, relating->cluster.arena, effective);
    *isolates = rules->isolates;
}

static struct flow_set allowed(const struct flow_set *allow, const struct flow_set *deny, struct arena *arena) {
    return flow_set_subtract(arena, allow, deny);
}

static enum relation relation_under(const struct relating *relating, struct flow_set *surplus) {
    struct arena *arena = relating->cluster.arena;
    struct effective mine, theirs;
    bool mine_isolates, theirs_isolates;
    effective_of_policy(relating, relating->mine, &mine, &mine_isolates);
    effective_of_policy(relating, relating->theirs, &theirs, &theirs_isolates);
    struct flow_set their_least = allowed(&theirs.allow_lower, &theirs.deny_upper, arena);
    struct flow_set their_most = allowed(&theirs.allow_upper, &theirs.deny_lower, arena);
    if (!theirs_isolates)
        their_least = their_most = flow_set_everything();
    struct flow_set more = flow_set_subtract(arena, &their_most, &mine.allow_lower);
    struct flow_set less = flow_set_subtract(arena, &mine.allow_upper, &their_least);
    *surplus = flow_set_subtract(arena, &their_least, &mine.allow_upper);
    enum emptiness gains = flow_set_is_empty(arena, &more), loses = flow_set_is_empty(arena, &less);
    if (gains == SET_EMPTY && loses == SET_EMPTY)
        return RELATION_EQUIVALENT;
    struct flow_set lost = flow_set_subtract(arena, &mine.allow_lower, &their_most);
    enum emptiness surely_gains = flow_set_is_empty(arena, surplus), surely_loses = flow_set_is_empty(arena, &lost);
    if (gains == SET_EMPTY && surely_loses == SET_INHABITED)
        return RELATION_NARROWER;
    if (loses == SET_EMPTY && surely_gains == SET_INHABITED)
        return RELATION_WIDER;
    return surely_gains == SET_INHABITED && surely_loses == SET_INHABITED ? RELATION_INCOMPARABLE : RELATION_UNKNOWN;
}

/* Flows and selection together: an object that selects fewer pods binds fewer, which is wider for those it leaves. */
static enum relation relation_with_selection(enum relation flows, bool covers_mine, bool covered) {
    if (flows == RELATION_UNKNOWN || flows == RELATION_NONE)
        return flows;
    if (covers_mine && covered)
        return flows;
    if (covers_mine)
        return flows == RELATION_EQUIVALENT || flows == RELATION_NARROWER ? RELATION_NARROWER : RELATION_INCOMPARABLE;
    return RELATION_INCOMPARABLE;
}

static bool can_be_related(const struct relating *relating, const struct reading_list *readings) {
    const struct policy *theirs = relating->theirs;
    cilium_classes classes = 0;
    for (size_t i = 0; i < readings->count; i++)
        classes = (cilium_classes)(classes | 1u << readings->list[i].class);
    if (policy_problem(theirs, PROBLEM_DROPPED, classes) || (theirs->core == NULL) != (relating->mine->core == NULL))
        return false;
    if (theirs->core)
        return selector_is_readable(&theirs->core->pods);
    return theirs->rule_count == 1 && theirs->rules[0].index == -1 &&
           theirs->rules[0].node_selector.presence == PRESENCE_ABSENT &&
           selector_is_readable(&theirs->rules[0].endpoint_selector);
}

static void relate(struct named_decision *decision, struct relating *relating, bool cilium, struct snapshot *snapshot) {
    decision->relation = RELATION_UNKNOWN;
    struct arena *arena = relating->cluster.arena;
    struct candidate one = {.policy = relating->theirs,
                            .rule = relating->theirs->rule_count ? &relating->theirs->rules[0] : NULL};
    struct candidate_list theirs = {.list = &one, .count = 1};
    unsigned aspects = candidates_aspects(&theirs, &relating->cluster, DIRECTION_EGRESS);
    struct reading_list readings = readings_of(&relating->cluster, cilium || !relating->mine->core, aspects);
    if (!can_be_related(relating, &readings))
        return;
    struct flow_set surplus = flow_set_nothing();
    enum relation flows = RELATION_NONE;
    for (size_t i = 0; i < readings.count; i++) {
        relating->reading = readings.list[i];
        enum relation here = relation_under(relating, &surplus);
        if (flows != RELATION_NONE && here != flows)
            return;
        flows = here;
    }
    decision->relation = relation_with_selection(flows, selects_within(relating->mine, relating->theirs, arena),
                                                 selects_within(relating->theirs, relating->mine, arena));
    struct flow flow;
    if (decision->relation != RELATION_WIDER || !flow_set_sample(arena, &surplus, witness_order_default(), &flow, NULL))
        return;
    struct witness *witness = arena_alloc(arena, sizeof *witness);
    *witness = witness_in_snapshot(&flow, snapshot, arena);
    decision->witness = witness;
}

/* ---- the decision ---- */

/* Why the object may be there all the same; NULL: it is not. */
static const char *why_unseen(const struct policy *compiled, struct snapshot *snapshot) {
    const char *lacking = snapshot_lacks(snapshot, compiled->object->kind, compiled->object->namespace);
    if (lacking || !snapshot->unreadable)
        return lacking;
    return arena_format(snapshot->arena, "some of them could not be read: %s", snapshot->unreadable);
}

static struct named_decision *decide_missing(struct named_decision *decision, const struct policy *compiled,
                                             struct location origin, struct snapshot *snapshot,
                                             struct diagnostics *refusals) {
    const char *unseen = why_unseen(compiled, snapshot);
    decision->status = unseen ? NAMED_NOT_EVALUABLE : NAMED_MISSING;
    decision->part = unseen ? NULL : "missing";
    struct diagnostic *refusal =
        diagnostics_add(refusals, unseen ? CODE_NOT_EVALUABLE : CODE_NAMED_OBJECT_MISSING, origin,
                        "%s %s, which the %s compiles to, is not among the inputs%s%s", compiled->object->kind_word,
                        object_label(compiled->object, snapshot->arena), origin_word(compiled), unseen ? "; but " : "",
                        unseen ? unseen : "");
    refusal->object = decision->object;
    return decision;
}

struct named_decision *named_object_decide(const struct policy *compiled, struct location origin,
                                           struct snapshot *snapshot, const struct cluster_facts *facts, bool cilium,
                                           struct diagnostics *refusals) {
    const struct object *object = compiled->object;
    struct named_decision *decision = arena_alloc(snapshot->arena, sizeof *decision);
    decision->object = object_name_of(object);
    const struct object *found = objects_find(&snapshot->objects, object->kind, object->namespace, object->name);
    if (!found || !found->served)
        return decide_missing(decision, compiled, origin, snapshot, refusals);
    decision->location = object_location(found);
    struct comparison comparison = {snapshot, compiled, found, decision, refusals};
    compare(&comparison);
    if (snapshot_has_twin(snapshot, found)) {
        decision->status = NAMED_NOT_EVALUABLE;
        struct diagnostic *refusal =
            diagnostics_add(refusals, CODE_NOT_EVALUABLE, decision->location,
                            "%s %s stands several times among the inputs, and the copies differ", found->kind_word,
                            object_label(found, snapshot->arena));
        refusal->object = decision->object;
        return decision;
    }
    decision->status = decision->part ? NAMED_MISMATCH : NAMED_MATCH;
    if (decision->status == NAMED_MATCH)
        return decision;
    struct relating relating = {
        .mine = compiled, .theirs = snapshot_policy(snapshot, found), .cluster = snapshot_cluster(snapshot, facts)};
    relate(decision, &relating, cilium, snapshot);
    return decision;
}

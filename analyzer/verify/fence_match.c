/* Whether the writes that a fence is for reach its validations (spec/kubernetes-egress.md 7.1 to 7.3). */
#include <string.h>

#include "analyzer/verify/fence_parts.h"
#include "base/arena.h"
#include "compiler/fence.h"

#define NAMESPACE_LABEL "kubernetes.io/metadata.name"

/* ---- small readings of the objects ---- */

static bool list_has(const struct node *list, const char *word) {
    for (uint32_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        if (text_is(node_text(&list->items[i]), word)) {
            return true;
        }
    }
    return false;
}

static bool list_has_any(const struct node *list, const char *const *words) {
    for (; *words; words++) {
        if (list_has(list, *words)) {
            return true;
        }
    }
    return false;
}

static bool is_filled(const struct node *node) {
    return (node_is(node, NODE_LIST) || node_is(node, NODE_MAP)) && node->count > 0;
}

/* Whether a rule is about an operation on the policies of a namespace. `names`: whether names may be listed. */
static bool rule_covers(const struct node *rule, const char *operation, bool names) {
    static const char *const groups[] = {"cilium.io", "*", NULL}, *const versions[] = {"v2", "*", NULL};
    static const char *const resources[] = {"ciliumnetworkpolicies", "*", "*/*", NULL};
    const char *const operations[] = {operation, "*", NULL};
    struct text scope = node_text(node_get(rule, "scope"));
    return list_has_any(node_get(rule, "apiGroups"), groups) && list_has_any(node_get(rule, "apiVersions"), versions) &&
           list_has_any(node_get(rule, "resources"), resources) &&
           list_has_any(node_get(rule, "operations"), operations) &&
           (scope.length == 0 || text_is(scope, "*") || text_is(scope, "Namespaced")) &&
           (names || !is_filled(node_get(rule, "resourceNames")));
}

static const struct node *covering_rule(const struct node *rules, const char *operation, bool names) {
    for (uint32_t i = 0; node_is(rules, NODE_LIST) && i < rules->count; i++) {
        if (rule_covers(&rules->items[i], operation, names)) {
            return &rules->items[i];
        }
    }
    return NULL;
}

/* ---- selectors ---- */

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

static enum answer answer_and(enum answer a, enum answer b) {
    if (a == ANSWER_NO || b == ANSWER_NO) {
        return ANSWER_NO;
    }
    return a == ANSWER_UNKNOWN || b == ANSWER_UNKNOWN ? ANSWER_UNKNOWN : ANSWER_YES;
}

/* The label of the boundary's namespace; false: it cannot be told. A label that is not there is NULL. */
static bool namespace_label(const struct fence_pair *pair, struct text key, const char **value) {
    const char *namespace = pair->request->boundary->namespace;
    *value = NULL;
    if (text_is(key, NAMESPACE_LABEL)) {
        *value = namespace;
        return true;
    }
    const struct namespace_evidence *found = evidence_namespace(&pair->request->snapshot->evidence, namespace);
    const char *name = found ? arena_copy(pair->arena, key.bytes, key.length) : NULL;
    *value = found ? labels_get(&found->labels, name) : NULL;
    return found != NULL;
}

static enum answer expression_holds(const struct fence_pair *pair, const struct node *expression) {
    const char *value;
    if (!namespace_label(pair, node_text(node_get(expression, "key")), &value)) {
        return ANSWER_UNKNOWN;
    }
    struct text operator= node_text(node_get(expression, "operator"));
    bool among = value && list_has(node_get(expression, "values"), value);
    if (text_is(operator, "In")) {
        return among ? ANSWER_YES : ANSWER_NO;
    }
    if (text_is(operator, "NotIn")) {
        return among ? ANSWER_NO : ANSWER_YES;
    }
    if (text_is(operator, "Exists")) {
        return value ? ANSWER_YES : ANSWER_NO;
    }
    return text_is(operator, "DoesNotExist") ? value ? ANSWER_NO : ANSWER_YES : ANSWER_UNKNOWN;
}

static enum answer selects_namespace(const struct fence_pair *pair, const struct node *selector) {
    enum answer answer = ANSWER_YES;
    const struct node *labels = node_get(selector, "matchLabels"), *list = node_get(selector, "matchExpressions");
    for (uint32_t i = 0; node_is(labels, NODE_MAP) && i < labels->count; i++) {
        const char *value;
        bool known = namespace_label(pair, node_text(&labels->entries[i].key), &value);
        bool same = value && text_is(node_text(&labels->entries[i].value), value);
        answer = answer_and(answer, !known ? ANSWER_UNKNOWN : same ? ANSWER_YES : ANSWER_NO);
    }
    for (uint32_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        answer = answer_and(answer, expression_holds(pair, &list->items[i]));
    }
    return answer;
}

/* ---- what makes a fence inert ---- */

static void refuse(const struct fence_pair *pair, const struct object *object, const struct node *at, const char *path,
                   const char *message) {
    fence_refuse(pair, fence_code(pair, CODE_FENCE_INERT), object, at, path, message);
}

static void judge_namespace(const struct fence_pair *pair, const struct object *object, const struct node *match,
                            const char *path) {
    const struct node *selector = node_get(match, "namespaceSelector");
    const char *namespace = pair->request->boundary->namespace;
    path = path_field(pair->arena, path, "namespaceSelector");
    enum answer answer = selects_namespace(pair, selector);
    if (answer == ANSWER_NO) {
        refuse(pair, object, selector, path,
               arena_format(pair->arena,
                            "its namespaceSelector does not match the namespace %s, so nothing there is "
                            "bounded; match " NAMESPACE_LABEL ": %s",
                            namespace, namespace));
    } else if (answer == ANSWER_UNKNOWN) {
        struct diagnostic *warning =
            diagnostics_add(pair->findings, CODE_FENCE_DRIFT, node_location(object->file, selector),
                            "%s %s: whether its namespaceSelector matches the namespace %s hangs on labels that the "
                            "inputs do not show; "
                            "match " NAMESPACE_LABEL ": %s",
                            object->kind_word, object_label(object, pair->arena), namespace, namespace);
        warning->path = path;
        warning->object = object_name_of(object);
    }
}

static void judge_operations(const struct fence_pair *pair, const struct object *object, const struct node *match,
                             const char *path, bool must_have_rules) {
    static const char *const operations[] = {"CREATE", "UPDATE", "DELETE"};
    const struct node *rules = node_get(match, "resourceRules"), *excludes = node_get(match, "excludeResourceRules");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct node *named = covering_rule(rules, operations[i], true);
        const struct node *excluding = covering_rule(excludes, operations[i], true);
        if (named && !covering_rule(rules, operations[i], false)) {
            refuse(pair, object, named, path_field(pair->arena, path, "resourceRules"),
                   arena_format(pair->arena,
                                "its rule for %s lists resourceNames, so other names, and deletions of whole "
                                "collections, pass; leave them out",
                                operations[i]));
        } else if (!named && (must_have_rules || is_filled(rules))) {
            refuse(pair, object, rules ? rules : match, path_field(pair->arena, path, "resourceRules"),
                   arena_format(pair->arena,
                                "no rule of it is about %s of cilium.io/v2 ciliumnetworkpolicies in namespaces, so it "
                                "passes; add the operation",
                                operations[i]));
        }
        if (excluding) {
            refuse(pair, object, excluding, path_field(pair->arena, path, "excludeResourceRules"),
                   arena_format(pair->arena, "it excludes %s of cilium.io/v2 ciliumnetworkpolicies; remove the rule",
                                operations[i]));
        }
    }
}

static void judge_match(const struct fence_pair *pair, const struct object *object, const char *field,
                        bool must_have_rules) {
    const struct node *spec = node_get(object->root, "spec"), *match = node_get(spec, field);
    const char *path = path_field(pair->arena, "spec", field);
    const struct node *objects = node_get(match, "objectSelector");
    if (is_filled(node_get(objects, "matchLabels")) || is_filled(node_get(objects, "matchExpressions"))) {
        refuse(pair, object, objects, path_field(pair->arena, path, "objectSelector"),
               "its objectSelector lets whoever writes an object choose whether it is bounded, by the labels of the "
               "object; remove it");
    }
    judge_namespace(pair, object, match, path);
    judge_operations(pair, object, match ? match : spec, path, must_have_rules);
}

void fence_judge_policy_match(const struct fence_pair *pair) {
    const struct node *failure = node_get(node_get(pair->policy->root, "spec"), "failurePolicy");
    judge_match(pair, pair->policy, "matchConstraints", true);
    if (text_is(node_text(failure), "Ignore")) {
        refuse(pair, pair->policy, failure, "spec.failurePolicy",
               "its failurePolicy is Ignore, so whatever cannot be evaluated passes; write Fail");
    }
}

void fence_judge_binding_match(const struct fence_pair *pair) {
    const struct node *spec = node_get(pair->binding->root, "spec");
    const struct node *name = node_get(spec, "policyName"), *actions = node_get(spec, "validationActions");
    const char *wanted = fence_policy_name(pair->request->boundary, pair->hosts, pair->arena);
    if (!text_is(node_text(name), wanted)) {
        refuse(pair, pair->binding, name, "spec.policyName",
               arena_format(pair->arena, "it attaches another policy than %s; name that one", wanted));
    }
    if (!list_has(actions, "Deny")) {
        refuse(pair, pair->binding, actions, "spec.validationActions",
               "its validationActions lack Deny, so what is refused passes all the same; write Deny");
    } else if (list_has(actions, "Warn")) {
        refuse(pair, pair->binding, actions, "spec.validationActions",
               "its validationActions are both Deny and Warn, which the API server refuses; write Deny alone");
    }
    judge_match(pair, pair->binding, "matchResources", false);
}

/* CiliumNetworkPolicies and CiliumClusterwideNetworkPolicies: Rules and their subjects (C 1, 2, 8). */
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/parts.h"

static const char NAMESPACE_KEY[] = "io.kubernetes.pod.namespace";

/* C 1.3: the own namespace takes the place of one under exactly the k8s key in matchLabels, and is added otherwise. */
static void bind_namespace(struct requirements *requirements, struct arena *arena, size_t match_labels,
                           const char *namespace_name) {
    struct requirement *own = NULL;
    for (size_t i = 0; i < match_labels && i < requirements->count; i++)
        if (strcmp(requirements->items[i].source, "k8s") == 0 && strcmp(requirements->items[i].key, NAMESPACE_KEY) == 0)
            own = &requirements->items[i];
    if (!own)
        own = requirements_add(requirements, arena, "k8s", NAMESPACE_KEY, LABEL_IN);
    own->count = 0;
    requirement_value(own, arena, namespace_name);
}

/* Whether the Rule selects the pod; MAYBE also where its selector cannot be read. */
static enum tri subject_matches(struct object_reading *object, const struct node *selector, bool *is_init) {
    struct evaluator_policy *policy = object->policy;
    struct requirements requirements = {.count = 0};
    struct identity identity = {.count = 0};
    *is_init = false;
    bool readable = requirements_read(&requirements, policy->arena, selector, true, "", "");
    if (!readable)
        object_refuse(object, "a bad endpointSelector");
    for (size_t i = 0; i < requirements.count; i++)
        *is_init = *is_init || (strcmp(requirements.items[i].source, "reserved") == 0 &&
                                strcmp(requirements.items[i].key, "init") == 0);
    const struct node *labels = node_get(selector, "matchLabels");
    if (object->namespace_name)
        bind_namespace(&requirements, policy->arena, labels ? labels->count : 0, object->namespace_name);
    identity_of_pod(&identity, policy->subject, policy->reading, policy->arena);
    return tri_and(identity_meets(&identity, &requirements, policy->reading), readable ? TRI_YES : TRI_MAYBE);
}

/* C 2: only `enableDefaultDeny.egress: false` changes anything, from 1.16 on; before, the key is pruned. */
static bool read_default_deny(struct object_reading *object, const struct node *rule, bool *denies) {
    const struct node *defaults = node_get(rule, "enableDefaultDeny");
    const struct node *egress = node_get(defaults, "egress");
    *denies = true;
    if (object->policy->reading->minor < 16 || !defaults)
        return true;
    if (defaults->kind != NODE_MAP || (egress && egress->kind != NODE_BOOL))
        return object_refuse(object, "enableDefaultDeny of another type");
    *denies = !egress || node_bool(egress);
    return true;
}

/* C 3.7: the selectors are asked to be readable; how much they take away is not worked out. */
static bool check_requires(struct object_reading *object, const struct node *entry, bool deny, size_t *count) {
    unsigned minor = object->policy->reading->minor;
    const struct node *items;
    if (!node_items(entry, "toRequires", &items, count) || (*count > 0 && minor >= 19))
        return object_refuse(object, "toRequires, which 1.19 took away");
    for (size_t i = 0; i < *count; i++) {
        struct requirements requirements = {.count = 0};
        bool readable = requirements_read(&requirements, object->policy->arena, &items[i], true, "", "");
        if (!readable && (!deny || minor >= 17 || !selector_has_known_operators(&items[i])))
            return object_refuse(object, "a bad selector in toRequires");
    }
    return true;
}

static bool read_entry(struct object_reading *object, const struct node *entry, bool deny, bool selected,
                       bool is_init) {
    struct selectors selectors = {.count = 0};
    struct port_filters ports = {.count = 0};
    const struct node *items;
    size_t count;
    if (!node_is(entry, NODE_MAP))
        return object_refuse(object, "a rule entry that is no map");
    if (!port_read(object, entry, deny, &ports))
        return false;
    bool with_ports = node_items(entry, "toPorts", &items, &count) && count > 0;
    with_ports = with_ports || (node_items(entry, "icmps", &items, &count) && count > 0);
    if (!peer_read(object, entry, deny, with_ports, is_init, &selectors))
        return false;
    if (!check_requires(object, entry, deny, &count))
        return false;
    if (!selected)
        return true;
    object->has_requires = object->has_requires || count > 0;
    object_add(object, deny, &selectors, &ports);
    return true;
}

static bool read_rule(struct object_reading *object, const struct node *rule, bool clusterwide) {
    static const char *const words[] = {"egress", "egressDeny", "ingress", "ingressDeny"};
    const struct node *lists[4];
    size_t counts[4], total = 0;
    bool is_init = false, denies = true;
    if (!node_is(rule, NODE_MAP)) {
        object->selects = TRI_MAYBE;
        return object_refuse(object, "a Rule that is no map");
    }
    const struct node *endpoints = node_get(rule, "endpointSelector"), *nodes = node_get(rule, "nodeSelector");
    for (size_t i = 0; i < 4; i++) {
        if (!node_items(rule, words[i], &lists[i], &counts[i]))
            object_refuse(object, "a rule list that is no list");
        total += counts[i];
    }
    if (!endpoints == !nodes)
        object_refuse(object, "not exactly one of endpointSelector and nodeSelector");
    if (nodes && !clusterwide)
        object_refuse(object, "nodeSelector in a namespaced object");
    if (total == 0 && object->policy->reading->minor >= 17)
        object_refuse(object, "a Rule without a list of rules");
    if (nodes && !endpoints) /* whatever is wrong with it, it selects no pod */
        return true;
    enum tri matches = subject_matches(object, endpoints, &is_init);
    bool selected = matches == TRI_YES;
    read_default_deny(object, rule, &denies);
    if (counts[0] + counts[1] > 0) {
        object->selects = tri_or(object->selects, matches);
        object->may_select = object->may_select || matches == TRI_MAYBE;
        object->isolates = object->isolates || (selected && denies);
    }
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < counts[list]; i++)
            read_entry(object, &lists[list][i], list == 1, selected, is_init);
    return true;
}

void cilium_read(struct object_reading *object, const struct node *root, bool clusterwide) {
    const struct node *spec = node_get(root, "spec"), *rules;
    size_t count;
    if (!node_items(root, "specs", &rules, &count)) {
        object->selects = TRI_MAYBE;
        object_refuse(object, "specs is no list");
        return;
    }
    if (spec)
        read_rule(object, spec, clusterwide);
    for (size_t i = 0; i < count; i++)
        read_rule(object, &rules[i], clusterwide);
}

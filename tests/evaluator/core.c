/* NetworkPolicies, as the Kubernetes API means them (K 1) and as Cilium converts them (C 4.3). */
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/parts.h"

static const char NAMESPACE_KEY[] = "io.kubernetes.pod.namespace";
static const char NAMESPACE_LABELS[] = "io.cilium.k8s.namespace.labels.";
static const char CLUSTER_KEY[] = "io.cilium.k8s.policy.cluster";

/* K 1.3: whether Egress is among the stored policy types. */
static bool has_egress_type(struct object_reading *object, const struct node *spec, size_t rules, bool *has) {
    const struct node *types;
    size_t count;
    *has = rules > 0;
    if (!node_items(spec, "policyTypes", &types, &count))
        return object_refuse(object, "policyTypes is no list");
    if (count == 0)
        return true;
    *has = false;
    if (count > 2)
        object_refuse(object, "more than two policyTypes");
    for (size_t i = 0; i < count; i++) {
        const char *type = node_string(&types[i]);
        if (!type || (strcmp(type, "Ingress") != 0 && strcmp(type, "Egress") != 0))
            object_refuse(object, "an unknown policy type");
        *has = *has || (type && strcmp(type, "Egress") == 0);
    }
    return true;
}

static enum tri subject_matches(struct object_reading *object, const struct requirements *requirements) {
    struct evaluator_policy *policy = object->policy;
    const struct evaluator_pod *pod = policy->subject;
    struct identity identity = {.count = 0};
    if (strcmp(object->namespace_name, pod->namespace_name) != 0)
        return TRI_NO;
    if (policy->reading->engine == EVALUATE_CORE)
        return labels_meet(pod->labels, pod->label_count, requirements);
    identity_of_pod(&identity, pod, policy->reading, policy->arena);
    return identity_meets(&identity, requirements, policy->reading);
}

/* A peer of selectors as the API means it. */
static bool read_pods(struct object_reading *object, const struct node *pods, const struct node *namespaces,
                      struct selectors *selectors) {
    struct arena *arena = object->policy->arena;
    struct selector *selector = selectors_add(selectors, arena, SELECT_PODS, "pods");
    if (!requirements_read(&selector->labels, arena, pods, false, "", ""))
        return object_refuse(object, "a bad podSelector");
    if (!requirements_read(&selector->namespace_labels, arena, namespaces, false, "", ""))
        return object_refuse(object, "a bad namespaceSelector");
    if (!namespaces)
        selector->namespace_name = object->namespace_name;
    return true;
}

/* The same as Cilium converts it. */
static bool convert_pods(struct object_reading *object, const struct node *pods, const struct node *namespaces,
                         struct selectors *selectors) {
    struct arena *arena = object->policy->arena;
    struct requirements all = {.count = 0};
    if (!requirements_read(&all, arena, namespaces, false, "k8s", NAMESPACE_LABELS))
        return object_refuse(object, "a bad namespaceSelector");
    if (!namespaces)
        requirement_value(requirements_add(&all, arena, "k8s", NAMESPACE_KEY, LABEL_IN), arena, object->namespace_name);
    else if (all.count == 0)
        requirements_add(&all, arena, "k8s", NAMESPACE_KEY, LABEL_EXISTS);
    if (!requirements_read(&all, arena, pods, false, "k8s", ""))
        return object_refuse(object, "a bad podSelector");
    if (object->policy->reading->local_cluster && !requirements_have_key(&all, CLUSTER_KEY))
        requirement_value(requirements_add(&all, arena, "k8s", CLUSTER_KEY, LABEL_IN), arena,
                          evaluator_cluster(object->policy->reading));
    selectors_add(selectors, arena, SELECT_LABELS, requirements_id(&all, arena))->labels = all;
    return true;
}

static bool read_peer(struct object_reading *object, const struct node *peer, struct selectors *selectors) {
    const struct node *pods = node_get(peer, "podSelector");
    const struct node *namespaces = node_get(peer, "namespaceSelector");
    const struct node *block = node_get(peer, "ipBlock");
    if (!pods && !namespaces && !block)
        return object_refuse(object, "a peer without content");
    if (block) {
        if (pods || namespaces || block->kind != NODE_MAP)
            return object_refuse(object, "ipBlock beside a selector, or no map");
        const char *cidr = node_string(node_get(block, "cidr"));
        if (!cidr)
            return object_refuse(object, "ipBlock without cidr");
        return peer_read_block(object, cidr, node_get(block, "except"), BLOCK_OF_CORE, selectors);
    }
    return object->policy->reading->engine == EVALUATE_CORE ? read_pods(object, pods, namespaces, selectors)
                                                            : convert_pods(object, pods, namespaces, selectors);
}

/* K 1.7, 1.8. */
static bool read_port(struct object_reading *object, const struct node *entry, struct port_filters *ports) {
    static const char *const words[] = {"TCP", "UDP", "SCTP"};
    const struct node *protocol = node_get(entry, "protocol"), *port = node_get(entry, "port");
    const struct node *end = node_get(entry, "endPort");
    size_t which = 0;
    int64_t first = 0, last = 0;
    if (!node_is_null(entry) && entry->kind != NODE_MAP)
        return object_refuse(object, "a port that is no map");
    while (protocol && which < 3 && (!node_string(protocol) || strcmp(words[which], node_string(protocol)) != 0))
        which++;
    if (which == 3)
        return object_refuse(object, "an unknown protocol");
    struct port_filter *filter =
        port_filters_add(ports, object->policy->arena, KEY_PORTS, (enum evaluator_protocol)which);
    filter->key.last = 65535;
    filter->key.zero = !port;
    if (end && (!port || port->kind == NODE_STRING || !node_integer(end, &last)))
        return object_refuse(object, "endPort without a number");
    if (!port)
        return true;
    if (port->kind == NODE_STRING) {
        filter->key.kind = KEY_NAME;
        filter->key.name = node_string(port);
        return (filter->key.name && match_port_name_is_valid(filter->key.name)) ||
               object_refuse(object, "a bad port name");
    }
    if (!node_integer(port, &first) || first < 1 || first > 65535)
        return object_refuse(object, "a port outside 1 to 65535");
    if (end && (last < first || last > 65535))
        return object_refuse(object, "endPort below port or too large");
    bool ranges = object->policy->reading->engine == EVALUATE_CORE || object->policy->reading->minor >= 16;
    filter->key.first = (unsigned)first;
    filter->key.last = (unsigned)(end && ranges ? last : first);
    return true;
}

static bool read_rule(struct object_reading *object, const struct node *rule) {
    const struct node *peers, *entries;
    size_t peer_count, entry_count;
    struct selectors selectors = {.count = 0};
    struct port_filters ports = {.count = 0};
    if (!node_is_null(rule) && rule->kind != NODE_MAP)
        return object_refuse(object, "a rule that is no map");
    if (!node_items(rule, "to", &peers, &peer_count) || !node_items(rule, "ports", &entries, &entry_count))
        return object_refuse(object, "to or ports is no list");
    if (peer_count == 0)
        selectors_add(&selectors, object->policy->arena, SELECT_ANYTHING, "all");
    for (size_t i = 0; i < peer_count; i++)
        if (!read_peer(object, &peers[i], &selectors))
            return false;
    if (entry_count == 0)
        port_filters_add(&ports, object->policy->arena, KEY_NONE, EVALUATOR_OTHER);
    for (size_t i = 0; i < entry_count; i++)
        if (!read_port(object, &entries[i], &ports))
            return false;
    object_add(object, false, &selectors, &ports);
    return true;
}

void core_read(struct object_reading *object, const struct node *root) {
    const struct node *spec = node_get(root, "spec"), *rules;
    struct requirements requirements = {.count = 0};
    bool cilium = object->policy->reading->engine == EVALUATE_CILIUM, egress = true;
    size_t count;
    if (spec && spec->kind != NODE_MAP) {
        object->selects = TRI_MAYBE;
        object_refuse(object, "spec is no map");
        return;
    }
    bool readable = requirements_read(&requirements, object->policy->arena, node_get(spec, "podSelector"), false,
                                      cilium ? "k8s" : "", "");
    enum tri matches = tri_and(subject_matches(object, &requirements), readable ? TRI_YES : TRI_MAYBE);
    if (!readable)
        object_refuse(object, "a bad podSelector");
    if (!node_items(spec, "egress", &rules, &count)) {
        object->selects = matches;
        object_refuse(object, "egress is no list");
        return;
    }
    if (has_egress_type(object, spec, count, &egress) && !egress && !(cilium && count > 0))
        return;
    object->selects = matches;
    object->isolates = matches == TRI_YES;
    for (size_t i = 0; i < count; i++)
        if (!read_rule(object, &rules[i]))
            return;
}

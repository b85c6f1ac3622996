/* What a destination is labelled, and whether a selector means it. */
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/parts.h"

static const char NAMESPACE_KEY[] = "io.kubernetes.pod.namespace";
static const char NAMESPACE_LABELS[] = "io.cilium.k8s.namespace.labels.";
static const char NAME_LABEL[] = "kubernetes.io/metadata.name";

static void identity_add(struct identity *identity, const char *source, const char *key, const char *value) {
    if (identity->count < IDENTITY_LABELS)
        identity->labels[identity->count++] = (struct identity_label){source, key, value};
}

void identity_of_pod(struct identity *identity, const struct evaluator_pod *pod,
                     const struct evaluator_reading *reading, struct arena *arena) {
    for (size_t i = 0; i < pod->label_count; i++)
        if (!reading->default_label_filter || match_label_is_kept(pod->labels[i].key))
            identity_add(identity, "k8s", pod->labels[i].key, pod->labels[i].value);
    identity_add(identity, "k8s", NAMESPACE_KEY, pod->namespace_name);
    for (size_t i = 0; i < pod->namespace_label_count; i++)
        if (strcmp(pod->namespace_labels[i].key, NAME_LABEL) != 0)
            identity_add(identity, "k8s", arena_format(arena, "%s%s", NAMESPACE_LABELS, pod->namespace_labels[i].key),
                         pod->namespace_labels[i].value);
    identity_add(identity, "k8s", arena_format(arena, "%s%s", NAMESPACE_LABELS, NAME_LABEL), pod->namespace_name);
    identity_add(identity, "k8s", "io.cilium.k8s.policy.serviceaccount", pod->service_account);
    identity_add(identity, "k8s", "io.cilium.k8s.policy.cluster",
                 pod->cluster ? pod->cluster : evaluator_cluster(reading));
    identity->namespace_unknown = !pod->namespace_known;
}

void identity_of_flow(struct identity *identity, const struct evaluator_flow *flow,
                      const struct evaluator_reading *reading, struct arena *arena) {
    static const char *const words[] = {[EVALUATOR_HOST] = "host",     [EVALUATOR_REMOTE_NODE] = "remote-node",
                                        [EVALUATOR_HEALTH] = "health", [EVALUATOR_INGRESS] = "ingress",
                                        [EVALUATOR_INIT] = "init",     [EVALUATOR_UNMANAGED] = "unmanaged"};
    identity->count = 0;
    identity->namespace_unknown = false;
    identity->outside = NULL;
    identity->is_node = false;
    switch (flow->sort) {
    case EVALUATOR_POD:
        identity_of_pod(identity, flow->pod, reading, arena);
        return;
    case EVALUATOR_SPECIAL:
        identity_add(identity, "reserved", words[flow->special], "");
        identity->is_node = flow->special == EVALUATOR_HOST || flow->special == EVALUATOR_REMOTE_NODE;
        break;
    case EVALUATOR_EXTERNAL:
    case EVALUATOR_LEARNED:
        identity_add(identity, "reserved", "world", "");
        identity->outside = flow;
        break;
    }
    if (flow->api_server)
        identity_add(identity, "reserved", "kube-apiserver", "");
}

/* Whether the labels that stand for addresses and names hold the key; what policies elsewhere make of them is not
 * known, so a key that fits may or may not be there. */
static enum tri outside_label(const struct identity *identity, const struct requirement *requirement,
                              const struct evaluator_reading *reading) {
    const struct evaluator_flow *flow = identity->outside;
    struct block block;
    if (strcmp(requirement->source, "node") == 0)
        return identity->is_node ? TRI_MAYBE : TRI_NO;
    if (!flow)
        return TRI_NO;
    if (strcmp(requirement->source, "cidrgroup") == 0)
        return TRI_MAYBE;
    if (strcmp(requirement->source, "cidr") == 0)
        return !match_block_read(requirement->key, reading, &block) || match_block_has(&block, &flow->address)
                   ? TRI_MAYBE
                   : TRI_NO;
    if (strcmp(requirement->source, "fqdn") == 0)
        return flow->sort == EVALUATOR_LEARNED && match_name(requirement->key, true, reading->minor, flow->name)
                   ? TRI_MAYBE
                   : TRI_NO;
    return TRI_NO;
}

static bool lists(const struct requirement *requirement, const char *value) {
    for (size_t i = 0; i < requirement->count; i++)
        if (strcmp(requirement->values[i], value) == 0)
            return true;
    return false;
}

static enum tri label_meets(const struct identity_label *label, const struct requirement *requirement) {
    if (requirement->op == LABEL_EXISTS || requirement->op == LABEL_DOES_NOT_EXIST)
        return TRI_YES;
    return label->value ? tri_of(lists(requirement, label->value)) : TRI_MAYBE;
}

/* Whether the key is there (with a listed value, for In and NotIn). */
static enum tri identity_has(const struct identity *identity, const struct requirement *requirement,
                             const struct evaluator_reading *reading) {
    enum tri found = outside_label(identity, requirement, reading);
    for (size_t i = 0; i < identity->count; i++) {
        const struct identity_label *label = &identity->labels[i];
        if (strcmp(label->key, requirement->key) == 0 &&
            (requirement->source[0] == '\0' || strcmp(requirement->source, label->source) == 0))
            return tri_or(found, label_meets(label, requirement));
    }
    if (identity->namespace_unknown && strncmp(requirement->key, NAMESPACE_LABELS, sizeof NAMESPACE_LABELS - 1) == 0 &&
        (requirement->source[0] == '\0' || strcmp(requirement->source, "k8s") == 0))
        return TRI_MAYBE;
    return found;
}

static bool is_negative(const struct requirement *requirement) {
    return requirement->op == LABEL_NOT_IN || requirement->op == LABEL_DOES_NOT_EXIST;
}

enum tri identity_meets(const struct identity *identity, const struct requirements *requirements,
                        const struct evaluator_reading *reading) {
    enum tri all = TRI_YES;
    for (size_t i = 0; i < requirements->count && all != TRI_NO; i++) {
        enum tri has = identity_has(identity, &requirements->items[i], reading);
        all = tri_and(all, is_negative(&requirements->items[i]) ? tri_not(has) : has);
    }
    return all;
}

enum tri labels_meet(const struct evaluator_label *labels, size_t count, const struct requirements *requirements) {
    for (size_t i = 0; i < requirements->count; i++) {
        const struct requirement *requirement = &requirements->items[i];
        bool has = false;
        for (size_t j = 0; j < count; j++) {
            struct identity_label label = {"", labels[j].key, labels[j].value};
            if (strcmp(label.key, requirement->key) == 0)
                has = label_meets(&label, requirement) == TRI_YES;
        }
        if (has == is_negative(requirement))
            return TRI_NO;
    }
    return TRI_YES;
}

enum tri namespace_meets(const struct evaluator_pod *pod, const struct requirements *requirements) {
    enum tri all = TRI_YES;
    for (size_t i = 0; i < requirements->count; i++) {
        const struct requirement *requirement = &requirements->items[i];
        const char *value = strcmp(requirement->key, NAME_LABEL) == 0 ? pod->namespace_name : NULL;
        for (size_t j = 0; !value && j < pod->namespace_label_count; j++)
            if (strcmp(requirement->key, pod->namespace_labels[j].key) == 0)
                value = pod->namespace_labels[j].value;
        struct identity_label label = {"", requirement->key, value};
        enum tri has = value ? label_meets(&label, requirement) : pod->namespace_known ? TRI_NO : TRI_MAYBE;
        all = tri_and(all, is_negative(requirement) ? tri_not(has) : has);
    }
    return all;
}

/* C 3.3. */
static bool entity_covers(const char *entity, const struct evaluator_flow *flow,
                          const struct evaluator_reading *reading) {
    bool outside = flow->sort == EVALUATOR_EXTERNAL || flow->sort == EVALUATOR_LEARNED;
    bool special = flow->sort == EVALUATOR_SPECIAL;
    if (strcmp(entity, "all") == 0)
        return true;
    if (strcmp(entity, "world") == 0)
        return outside;
    if (strcmp(entity, "cluster") == 0) {
        const char *cluster = flow->sort == EVALUATOR_POD ? flow->pod->cluster : NULL;
        bool local = flow->sort == EVALUATOR_POD && (!cluster || strcmp(cluster, evaluator_cluster(reading)) == 0);
        return special || local || flow->api_server;
    }
    if (strcmp(entity, "kube-apiserver") == 0)
        return flow->api_server && flow->sort != EVALUATOR_POD;
    if (!special)
        return false;
    switch (flow->special) {
    case EVALUATOR_HOST:
        return strcmp(entity, "host") == 0;
    case EVALUATOR_REMOTE_NODE:
        return strcmp(entity, "remote-node") == 0;
    case EVALUATOR_HEALTH:
        return strcmp(entity, "health") == 0;
    case EVALUATOR_INGRESS:
        return strcmp(entity, "ingress") == 0;
    case EVALUATOR_INIT:
        return strcmp(entity, "init") == 0;
    case EVALUATOR_UNMANAGED:
        return strcmp(entity, "unmanaged") == 0;
    }
    return false;
}

/* C 3.4: a CIDR means what is outside the cluster; addresses of nodes and pods are not told. */
static enum tri block_covers(const struct selector *selector, const struct evaluator_flow *flow,
                             const struct evaluator_reading *reading) {
    if (flow->sort == EVALUATOR_SPECIAL) {
        bool node = flow->special == EVALUATOR_HOST || flow->special == EVALUATOR_REMOTE_NODE;
        return reading->engine == EVALUATE_CILIUM && reading->match_nodes && node ? TRI_MAYBE : TRI_NO;
    }
    if (flow->sort == EVALUATOR_POD)
        return reading->engine == EVALUATE_CILIUM && reading->match_pods ? TRI_MAYBE : TRI_NO;
    if (!match_block_has(&selector->block, &flow->address))
        return TRI_NO;
    for (size_t i = 0; i < selector->except_count; i++)
        if (match_block_has(&selector->except[i], &flow->address))
            return TRI_NO;
    return TRI_YES;
}

static enum tri pods_cover(const struct selector *selector, const struct evaluator_flow *flow) {
    if (flow->sort != EVALUATOR_POD)
        return TRI_NO;
    enum tri here = selector->namespace_name ? tri_of(strcmp(selector->namespace_name, flow->pod->namespace_name) == 0)
                                             : namespace_meets(flow->pod, &selector->namespace_labels);
    return tri_and(here, labels_meet(flow->pod->labels, flow->pod->label_count, &selector->labels));
}

enum tri selector_reaches(const struct selector *selector, const struct identity *identity,
                          const struct evaluator_flow *flow, const struct evaluator_reading *reading) {
    enum tri reaches = TRI_NO;
    switch (selector->kind) {
    case SELECT_ANYTHING:
        return TRI_YES;
    case SELECT_NOTHING:
        return TRI_NO;
    case SELECT_LABELS:
        reaches = identity_meets(identity, &selector->labels, reading);
        break;
    case SELECT_PODS:
        return pods_cover(selector, flow);
    case SELECT_ENTITY:
        return tri_of(entity_covers(selector->entity, flow, reading));
    case SELECT_BLOCK:
        return block_covers(selector, flow, reading);
    case SELECT_NAME:
        return tri_of(flow->sort == EVALUATOR_LEARNED &&
                      match_name(selector->name, selector->is_pattern, reading->minor, flow->name));
    case SELECT_UNKNOWN:
        return TRI_MAYBE;
    }
    return reaches == TRI_YES && selector->doubtful ? TRI_MAYBE : reaches;
}

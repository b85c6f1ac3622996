#include "analyzer/rules/subject.h"

#include <string.h>

#include "analyzer/rules/cilium_key.h"
#include "kube/sandbox.h"

/* Labels that controllers and the kubelet put on pods beyond their template (spec/kubernetes-egress.md 6). */
static const char *const added_keys[] = {
    "pod-template-hash",
    "controller-revision-hash",
    "pod-template-generation",
    "statefulset.kubernetes.io/pod-name",
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/job-name",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-completion-index",
    "job-name",
    "controller-uid",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
};

/* What is known of one label: its value, that it is there, that it is absent, or nothing. */
struct known_label {
    enum { LABEL_UNKNOWN, LABEL_ABSENT, LABEL_PRESENT, LABEL_OF_UNKNOWN_VALUE } state;
    const char *value;
};

static struct known_label label_value(const char *value) {
    return (struct known_label){value ? LABEL_PRESENT : LABEL_ABSENT, value};
}

/* The sandbox controller marks pods under its own domain; whether one came out of a pool is told by its Sandbox. */
static bool controller_adds(const struct subject *subject, const char *key) {
    if (subject->pod &&
        (subject->pod->object->kind == OBJECT_SANDBOX_TEMPLATE ||
         (subject->pod->object->kind == OBJECT_SANDBOX && strcmp(key, SANDBOX_POOL_LABEL) != 0)) &&
        strncmp(key, "agents.x-k8s.io/", strlen("agents.x-k8s.io/")) == 0)
        return true;
    for (size_t i = 0; i < sizeof added_keys / sizeof *added_keys; i++)
        if (strcmp(key, added_keys[i]) == 0)
            return true;
    return false;
}

static struct known_label subject_label(const struct subject *subject, const char *key) {
    struct known_label label = label_value(labels_get(&subject->labels, key));
    if (label.state == LABEL_ABSENT && subject->labels_are_free)
        label.state = LABEL_UNKNOWN;
    if (label.state == LABEL_ABSENT && subject->labels_are_open && controller_adds(subject, key))
        label.state = LABEL_UNKNOWN;
    return label;
}

static bool requirement_lists(const struct selector_requirement *requirement, const char *value) {
    for (uint32_t i = 0; i < requirement->count; i++)
        if (requirement->values[i] && strcmp(requirement->values[i], value) == 0)
            return true;
    return false;
}

static enum truth requirement_holds(const struct selector_requirement *requirement, struct known_label label) {
    if (!requirement->readable || label.state == LABEL_UNKNOWN)
        return TRUTH_MAYBE;
    bool present = label.state != LABEL_ABSENT, valued = label.state == LABEL_PRESENT;
    bool listed = valued && requirement_lists(requirement, label.value);
    switch (requirement->verb) {
    case OPERATOR_IN:
        if (present && !valued)
            return TRUTH_MAYBE;
        return listed ? TRUTH_YES : TRUTH_NO;
    case OPERATOR_NOT_IN:
        if (present && !valued)
            return TRUTH_MAYBE;
        return listed ? TRUTH_NO : TRUTH_YES;
    case OPERATOR_EXISTS:
        return present ? TRUTH_YES : TRUTH_NO;
    case OPERATOR_DOES_NOT_EXIST:
        return present ? TRUTH_NO : TRUTH_YES;
    case OPERATOR_INVALID:
        break;
    }
    return TRUTH_MAYBE;
}

enum truth subject_matches_core(const struct subject *subject, const struct selector *selector,
                                const struct reading *reading) {
    enum truth truth = TRUTH_YES;
    for (uint32_t i = 0; i < selector->count && truth != TRUTH_NO; i++) {
        const struct selector_requirement *requirement = &selector->requirements[i];
        bool kept = !reading->cilium || !reading->filters_labels || !requirement->key ||
                    identity_filter_keeps(reading->filter, requirement->key);
        struct known_label label = {LABEL_ABSENT, NULL};
        if (kept && requirement->key)
            label = subject_label(subject, requirement->key);
        truth = truth_and(truth, requirement_holds(requirement, label));
    }
    return truth;
}

static struct known_label namespace_label(const struct subject *subject, const char *key) {
    if (strcmp(key, "kubernetes.io/metadata.name") == 0)
        return label_value(subject->namespace);
    if (!subject->namespace_labels)
        return (struct known_label){LABEL_UNKNOWN, NULL};
    return label_value(labels_get(subject->namespace_labels, key));
}

/* Labels that the agent gives to endpoints that are no pods, and to pods that it does not know yet. */
static bool is_reserved_name(const char *name) {
    static const char *const names[] = {"host", "world",       "world-ipv4",     "world-ipv6", "health",
                                        "init", "remote-node", "kube-apiserver", "ingress",    "unmanaged"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static struct known_label identity_label(const struct subject *subject, const char *written,
                                         const struct cluster *cluster, const struct reading *reading) {
    struct cilium_key key = cilium_key_of(written);
    struct label_key label;
    if (key.source == SOURCE_RESERVED && !is_reserved_name(key.name))
        return (struct known_label){LABEL_UNKNOWN, NULL}; /* no pod is known to lack it */
    if (!cilium_key_label(&key, reading, &label))
        return (struct known_label){LABEL_ABSENT, NULL};
    switch (label.scope) {
    case LABEL_NAMESPACE:
        return namespace_label(subject, label.name);
    case LABEL_POD:
        return subject_label(subject, label.name);
    case LABEL_SERVICE_ACCOUNT:
        return subject->service_account ? label_value(subject->service_account)
                                        : (struct known_label){LABEL_OF_UNKNOWN_VALUE, NULL}; /* no pod lacks one */
    case LABEL_CLUSTER:
        return label_value(cluster->facts.cluster_name);
    }
    return (struct known_label){LABEL_UNKNOWN, NULL};
}

enum truth subject_matches_cilium(const struct subject *subject, const struct selector *selector, bool own_namespace,
                                  const struct cluster *cluster, const struct reading *reading) {
    enum truth truth = TRUTH_YES;
    for (uint32_t i = 0; i < selector->count && truth != TRUTH_NO; i++) {
        const struct selector_requirement *requirement = &selector->requirements[i];
        if (!requirement->key) {
            truth = truth_and(truth, TRUTH_MAYBE);
            continue;
        }
        if (own_namespace && !requirement->expression &&
            strcmp(requirement->key, "k8s:io.kubernetes.pod.namespace") == 0)
            continue;
        truth = truth_and(truth,
                          requirement_holds(requirement, identity_label(subject, requirement->key, cluster, reading)));
    }
    return truth;
}

enum truth subject_matches_namespace(const struct subject *subject, const struct selector *selector) {
    enum truth truth = TRUTH_YES;
    for (uint32_t i = 0; i < selector->count && truth != TRUTH_NO; i++) {
        const struct selector_requirement *requirement = &selector->requirements[i];
        struct known_label label = {LABEL_UNKNOWN, NULL};
        if (requirement->key)
            label = namespace_label(subject, requirement->key);
        truth = truth_and(truth, requirement_holds(requirement, label));
    }
    return truth;
}

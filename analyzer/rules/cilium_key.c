#include "analyzer/rules/cilium_key.h"

#include <string.h>

static const char namespace_key[] = "io.kubernetes.pod.namespace";
static const char namespace_label_prefix[] = "io.cilium.k8s.namespace.labels.";
static const char service_account_key[] = "io.cilium.k8s.policy.serviceaccount";
static const char cluster_key[] = "io.cilium.k8s.policy.cluster";

static const struct {
    const char *prefix;
    enum cilium_source source;
} sources[] = {
    {"any", SOURCE_ANY},   {"k8s", SOURCE_K8S},   {"reserved", SOURCE_RESERVED},
    {"cidr", SOURCE_CIDR}, {"fqdn", SOURCE_FQDN},
};

struct cilium_key cilium_key_of(const char *key) {
    struct cilium_key result = {.source = SOURCE_ANY, .name = key};
    const char *colon = strchr(key, ':');
    if (colon && colon != key) {
        struct text prefix = {key, (size_t)(colon - key)};
        result.source = SOURCE_OTHER;
        for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
            if (text_is(prefix, sources[i].prefix))
                result.source = sources[i].source;
        result.name = colon + 1;
    }
    if (result.source == SOURCE_ANY || result.source == SOURCE_K8S) {
        result.is_namespace = strcmp(result.name, namespace_key) == 0;
        result.is_namespace_label =
            strncmp(result.name, namespace_label_prefix, sizeof namespace_label_prefix - 1) == 0;
        result.is_cluster = strcmp(result.name, cluster_key) == 0;
    }
    return result;
}

bool cilium_key_label(const struct cilium_key *key, const struct reading *reading, struct label_key *label) {
    if (key->source != SOURCE_ANY && key->source != SOURCE_K8S)
        return false;
    if (key->is_namespace) {
        *label = (struct label_key){LABEL_NAMESPACE, "kubernetes.io/metadata.name"};
    } else if (key->is_namespace_label) {
        *label = (struct label_key){LABEL_NAMESPACE, key->name + sizeof namespace_label_prefix - 1};
    } else if (strcmp(key->name, service_account_key) == 0) {
        *label = (struct label_key){LABEL_SERVICE_ACCOUNT, ""};
    } else if (key->is_cluster) {
        *label = (struct label_key){LABEL_CLUSTER, ""};
    } else {
        if (reading->filters_labels && !identity_filter_keeps(reading->filter, key->name))
            return false;
        *label = (struct label_key){LABEL_POD, key->name};
    }
    return true;
}

bool cilium_key_is_filtered(const struct cilium_key *key, const struct identity_filter *filter) {
    if (key->source != SOURCE_ANY && key->source != SOURCE_K8S)
        return false;
    if (key->is_namespace || key->is_namespace_label || key->is_cluster || strcmp(key->name, service_account_key) == 0)
        return false;
    return !identity_filter_keeps(filter, key->name);
}

/* Which label a key of a Cilium selector speaks of (spec/cilium-egress.md 1.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/cilium_key.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

static void key_has_a_source_and_a_name(void **state) {
    (void)state;
    static const struct {
        const char *key;
        enum cilium_source source;
        const char *name;
    } rows[] = {
        {"app", SOURCE_ANY, "app"},
        {"any:app", SOURCE_ANY, "app"},
        {"k8s:app", SOURCE_K8S, "app"},
        {"k8s:app.kubernetes.io/name", SOURCE_K8S, "app.kubernetes.io/name"},
        {"reserved:host", SOURCE_RESERVED, "host"},
        {"cidr:10.0.0.0/8", SOURCE_CIDR, "10.0.0.0/8"},
        {"fqdn:*.example.com", SOURCE_FQDN, "*.example.com"},
        {"node:zone", SOURCE_OTHER, "zone"},
        {"cidrgroup:g", SOURCE_OTHER, "g"},
        {"K8S:app", SOURCE_OTHER, "app"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cilium_key key = cilium_key_of(rows[i].key);
        if (key.source != rows[i].source || strcmp(key.name, rows[i].name) != 0)
            fail_msg("%s: source %d, name %s", rows[i].key, key.source, key.name);
    }
}

static void derived_keys_are_known_under_any_source_that_pods_have(void **state) {
    (void)state;
    static const struct {
        const char *key;
        bool is_namespace, is_namespace_label, is_cluster;
    } rows[] = {
        {"io.kubernetes.pod.namespace", true, false, false},
        {"any:io.kubernetes.pod.namespace", true, false, false},
        {"k8s:io.kubernetes.pod.namespace", true, false, false},
        {"reserved:io.kubernetes.pod.namespace", false, false, false},
        {"io.kubernetes.pod.namespaces", false, false, false},
        {"k8s:io.cilium.k8s.namespace.labels.team", false, true, false},
        {"io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name", false, true, false},
        {"cidr:io.cilium.k8s.namespace.labels.team", false, false, false},
        {"io.cilium.k8s.namespace.labelsteam", false, false, false},
        {"k8s:io.cilium.k8s.policy.cluster", false, false, true},
        {"io.cilium.k8s.policy.cluster", false, false, true},
        {"k8s:io.cilium.k8s.policy.serviceaccount", false, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cilium_key key = cilium_key_of(rows[i].key);
        if (key.is_namespace != rows[i].is_namespace || key.is_namespace_label != rows[i].is_namespace_label ||
            key.is_cluster != rows[i].is_cluster)
            fail_msg("%s", rows[i].key);
    }
}

/* NULL: pods have no such label. */
static void key_speaks_of_a_label_of_pods(void **state) {
    static const struct {
        const char *key;
        enum label_scope scope;
        const char *name;
    } rows[] = {
        {"app", LABEL_POD, "app"},
        {"k8s:app.kubernetes.io/name", LABEL_POD, "app.kubernetes.io/name"},
        {"topology.kubernetes.io/zone", LABEL_POD, "topology.kubernetes.io/zone"}, /* left out from 1.20 on */
        {"k8s:io.kubernetes.pod.namespace", LABEL_NAMESPACE, "kubernetes.io/metadata.name"},
        {"io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name", LABEL_NAMESPACE, "kubernetes.io/metadata.name"},
        {"k8s:io.cilium.k8s.namespace.labels.team", LABEL_NAMESPACE, "team"},
        {"io.cilium.k8s.policy.serviceaccount", LABEL_SERVICE_ACCOUNT, ""},
        {"k8s:io.cilium.k8s.policy.cluster", LABEL_CLUSTER, ""},
        {"reserved:host", LABEL_POD, NULL},
        {"cidr:10.0.0.0/8", LABEL_POD, NULL},
        {"fqdn:a.example", LABEL_POD, NULL},
        {"node:zone", LABEL_POD, NULL},
        {"k8s:io.kubernetes.container", LABEL_POD, NULL},
        {"kubernetes.io/os", LABEL_POD, NULL},
        {"beta.kubernetes.io/arch", LABEL_POD, NULL},
        {"pod-template-hash", LABEL_POD, NULL},
        {"k8s:controller-revision-hash", LABEL_POD, NULL},
        {"statefulset.kubernetes.io/pod-name", LABEL_POD, NULL},
        {"apps.kubernetes.io/pod-index", LABEL_POD, NULL},
        {"etcd_node", LABEL_POD, NULL},
    };
    struct stage *stage = stage_of(*state, "");
    stage_read_cilium(stage, CILIUM_1_18);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cilium_key key = cilium_key_of(rows[i].key);
        struct label_key label = {LABEL_POD, NULL};
        bool known = cilium_key_label(&key, &stage->reading, &label);
        if (known != (rows[i].name != NULL) ||
            (known && (label.scope != rows[i].scope || strcmp(label.name, rows[i].name) != 0)))
            fail_msg("%s: %s", rows[i].key, known ? label.name : "no label");
    }
}

static void without_a_filter_every_label_counts(void **state) {
    struct stage *stage = stage_of(*state, "");
    stage_read_cilium(stage, CILIUM_1_18);
    struct cilium_key key = cilium_key_of("pod-template-hash");
    struct label_key label;
    assert_false(cilium_key_label(&key, &stage->reading, &label));
    stage->reading.filters_labels = false;
    assert_true(cilium_key_label(&key, &stage->reading, &label));
    assert_string_equal(label.name, "pod-template-hash");
}

/* Derived labels are no labels that the filter could drop from under a selector. */
static void filter_matters_for_labels_that_it_drops(void **state) {
    static const struct {
        const char *key;
        bool filtered;
    } rows[] = {
        {"pod-template-hash", true},
        {"k8s:kubernetes.io/os", true},
        {"app", false},
        {"any:app.kubernetes.io/name", false},
        {"k8s:io.kubernetes.pod.namespace", false},
        {"k8s:io.cilium.k8s.namespace.labels.kubernetes.io/os", false},
        {"io.cilium.k8s.policy.serviceaccount", false},
        {"io.cilium.k8s.policy.cluster", false},
        {"reserved:pod-template-hash", false},
    };
    const struct identity_filter *filter = identity_filter_of(NULL, *state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cilium_key key = cilium_key_of(rows[i].key);
        if (cilium_key_is_filtered(&key, filter) != rows[i].filtered)
            fail_msg("%s", rows[i].key);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(key_has_a_source_and_a_name, begin, end),
        cmocka_unit_test_setup_teardown(derived_keys_are_known_under_any_source_that_pods_have, begin, end),
        cmocka_unit_test_setup_teardown(key_speaks_of_a_label_of_pods, begin, end),
        cmocka_unit_test_setup_teardown(without_a_filter_every_label_counts, begin, end),
        cmocka_unit_test_setup_teardown(filter_matters_for_labels_that_it_drops, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sorting documents into objects (spec/analysis.md 1, spec/kubernetes-egress.md 3.5, 3.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

#define POLICY(metadata) "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: " metadata "}"

static unsigned count_code(const struct sample *sample, enum code code) {
    unsigned count = 0;
    for (size_t i = 0; i < sample->diagnostics.count; i++)
        count += sample->diagnostics.list[i].code == code;
    return count;
}

static const struct diagnostic *only_diagnostic(const struct sample *sample) {
    assert_int_equal(sample->diagnostics.count, 1);
    return sample->diagnostics.list;
}

static void objects_are_sorted_by_namespace_name_and_place(void **state) {
    static const char *const files[] = {
        POLICY("{name: b, namespace: ns}") "\n---\n" POLICY("{name: a, namespace: ns}"),
        POLICY("{name: z}") "\n---\n" POLICY("{name: z, namespace: m}") "\n---\n{apiVersion: v1, kind: Pod, metadata: "
                                                                        "{name: p}}",
        NULL};
    static const struct {
        const char *namespace, *name, *file;
        unsigned document;
    } rows[] = {{NULL, "z", "1.yaml", 1}, {"m", "z", "1.yaml", 2}, {"ns", "a", "0.yaml", 2}, {"ns", "b", "0.yaml", 1}};
    (void)state;
    struct sample *sample = sample_read_files(files, NULL);
    const struct object_list *list = &sample->objects.of[OBJECT_NETWORK_POLICY];
    assert_int_equal(list->count, 4);
    for (size_t i = 0; i < 4; i++) {
        if (rows[i].namespace)
            assert_string_equal(list->list[i].namespace, rows[i].namespace);
        else
            assert_null(list->list[i].namespace);
        assert_string_equal(list->list[i].name, rows[i].name);
        assert_string_equal(list->list[i].file, rows[i].file);
        assert_int_equal(list->list[i].document, rows[i].document);
        assert_true(list->list[i].served);
    }
    assert_int_equal(sample->objects.of[OBJECT_POD].count, 1);
    assert_int_equal(sample->objects.total, 5);
    assert_int_equal(sample->diagnostics.count, 0);
    assert_ptr_equal(objects_find(&sample->objects, OBJECT_NETWORK_POLICY, "ns", "a"), &list->list[2]);
    assert_ptr_equal(objects_find(&sample->objects, OBJECT_NETWORK_POLICY, NULL, "z"), &list->list[0]);
    assert_null(objects_find(&sample->objects, OBJECT_NETWORK_POLICY, "ns", "c"));
    assert_null(objects_find(&sample->objects, OBJECT_NODE, NULL, "c"));
    sample_destroy(sample);
}

static void lists_are_flattened(void **state) {
    (void)state;
    struct sample *sample =
        sample_read("apiVersion: v1\nkind: List\nitems:\n- " POLICY(
                        "{name: a, namespace: ns}") "\n- apiVersion: v1\n  kind: List\n"
                                                    "  items:\n  - " POLICY("{name: b, namespace: ns}") "\n  - " POLICY(
                                                        "{name: c, namespace: ns}") "\n",
                    NULL);
    const struct object_list *list = &sample->objects.of[OBJECT_NETWORK_POLICY];
    assert_int_equal(list->count, 3);
    assert_int_equal(list->list[2].item, 1);
    assert_int_equal(sample->diagnostics.count, 0);
    assert_int_equal(sample->objects.total, 3);
    sample_destroy(sample);
}

static void items_of_typed_lists_inherit_kind_and_version(void **state) {
    (void)state;
    struct sample *sample =
        sample_read("{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicyList, items: [{metadata: {name: a, namespace: "
                    "ns}}, {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}}]}",
                    NULL);
    const struct object *object = sample_object(sample, OBJECT_CILIUM_NETWORK_POLICY);
    assert_string_equal(object->kind_word, "CiliumNetworkPolicy");
    assert_string_equal(object->api_version, "cilium.io/v2");
    assert_int_equal(sample->objects.of[OBJECT_POD].count, 1);
    sample_destroy(sample);
}

static void items_that_are_no_objects_are_errors(void **state) {
    static const char *const items[] = {"x", "null", "[]", "{}", "{kind: Pod}", "{apiVersion: v1, kind: 5}"};
    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        char yaml[200];
        snprintf(yaml, sizeof yaml, "{apiVersion: v1, kind: List, items: [%s]}", items[i]);
        struct sample *sample = sample_read(yaml, NULL);
        const struct diagnostic *diagnostic = only_diagnostic(sample);
        assert_int_equal(diagnostic->code, CODE_NOT_AN_OBJECT);
        assert_int_equal(diagnostic->severity, SEVERITY_ERROR);
        assert_string_equal(diagnostic->path, "items[0]");
        sample_destroy(sample);
    }
}

static void items_of_no_list_and_lists_without_any_are_errors(void **state) {
    static const struct {
        const char *yaml;
        size_t objects;
        bool wrong;
    } rows[] = {
        {"{apiVersion: v1, kind: List, items: {a: {apiVersion: v1, kind: Pod}}}", 0, true},
        {"{apiVersion: v1, kind: List, items: x}", 0, true},
        {"{apiVersion: v1, kind: PodList, items: 5}", 0, true},
        {"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicyList, items: {}}", 0, true},
        {"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {}}, items: []}", 0, true},
        {"{apiVersion: v1, kind: Pod, items: [{apiVersion: v1, kind: Pod}]}", 1, true},
        {"{apiVersion: v1, kind: List, items: []}", 0, false},
        {"{apiVersion: v1, kind: List}", 0, false},
        {"{apiVersion: v1, kind: PodList, items: null}", 0, false},
        {"{apiVersion: example.com/v1, kind: Set, items: [{apiVersion: v1, kind: Pod}]}", 1, false},
        {"{apiVersion: example.com/v1, kind: Set, items: {}}", 1, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample *sample = sample_read(rows[i].yaml, NULL);
        size_t said = count_code(sample, CODE_NOT_AN_OBJECT);
        if (said != rows[i].wrong || sample->diagnostics.errors != said || sample->objects.total != rows[i].objects)
            fail_msg("%s: %zu said, %zu objects", rows[i].yaml, said, sample->objects.total);
        if (said)
            assert_string_equal(sample->diagnostics.list[0].path, "items");
        sample_destroy(sample);
    }
}

static void what_tells_the_kind_may_not_stand_twice_with_two_values(void **state) {
    static const struct {
        const char *yaml;
        unsigned faults;
    } rows[] = {
        {"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, kind: ConfigMap, metadata: {name: a}}", 1},
        {"{kind: ConfigMap, apiVersion: v1, apiVersion: networking.k8s.io/v1, kind: NetworkPolicy}", 2},
        {"{apiVersion: v1, kind: List, items: [" POLICY("{name: a}") "], items: []}", 1},
        {"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, kind: NetworkPolicy, metadata: {name: a}}", 0},
        {POLICY("{name: a}"), 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample *sample = sample_read(rows[i].yaml, NULL);
        if (count_code(sample, CODE_DUPLICATE_KEY) != rows[i].faults)
            fail_msg("%s: %u", rows[i].yaml, count_code(sample, CODE_DUPLICATE_KEY));
        sample_destroy(sample);
    }
}

static void a_page_of_a_list_is_not_the_whole_list(void **state) {
    static const struct {
        const char *metadata;
        bool is_page;
    } rows[] = {{"{continue: abc, remainingItemCount: 5}", true},
                {"{continue: x}", true},
                {"{continue: ''}", false},
                {"{continue: null}", false},
                {"{resourceVersion: '5'}", false},
                {"null", false}};
    static const char *const kinds[] = {"v1, kind: List", "v1, kind: PodList",
                                        "networking.k8s.io/v1, kind: NetworkPolicyList"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char yaml[200];
            snprintf(yaml, sizeof yaml, "{apiVersion: %s, metadata: %s, items: []}", kinds[k], rows[i].metadata);
            struct sample *sample = sample_read(yaml, NULL);
            assert_int_equal(count_code(sample, CODE_UNREADABLE), rows[i].is_page);
            assert_int_equal(sample->diagnostics.errors, rows[i].is_page);
            if (rows[i].is_page)
                assert_string_equal(sample->diagnostics.list[0].path, "metadata.continue");
            sample_destroy(sample);
        }
}

static void other_documents_are_noted(void **state) {
    (void)state;
    struct sample *sample = sample_read("image: {tag: x}\n---\n- a\n---\n{apiVersion: egressc.io/v1, kind: "
                                        "EgressSnapshot}\n---\n{apiVersion: v1, kind: List, items: null}\n",
                                        NULL);
    assert_int_equal(sample->diagnostics.count, 2);
    assert_int_equal(count_code(sample, CODE_NOT_AN_OBJECT), 2);
    assert_int_equal(sample->diagnostics.list[0].severity, SEVERITY_NOTE);
    assert_int_equal(sample->objects.total, 0);
    sample_destroy(sample);
}

static void unknown_kinds_are_counted_and_skipped(void **state) {
    (void)state;
    struct sample *sample =
        sample_read("{apiVersion: v1, kind: Secret}\n---\n{apiVersion: metrics.k8s.io/v1, kind: Pod}", NULL);
    assert_int_equal(sample->objects.total, 2);
    assert_int_equal(sample->objects.skipped, 2);
    assert_int_equal(sample->diagnostics.count, 0);
    sample_destroy(sample);
}

static void kinds_are_told_apart_by_group_and_version(void **state) {
    static const struct {
        const char *version, *kind;
        int code; /* -1: none */
        int is;   /* -1: none of ours */
        bool served;
    } rows[] = {
        {"networking.k8s.io/v1", "NetworkPolicy", -1, OBJECT_NETWORK_POLICY, true},
        {"networking.k8s.io/v1beta1", "NetworkPolicy", CODE_UNKNOWN_KIND_VERSION, OBJECT_NETWORK_POLICY, false},
        {"extensions/v1beta1", "NetworkPolicy", CODE_UNKNOWN_KIND_VERSION, OBJECT_NETWORK_POLICY, false},
        {"v1", "NetworkPolicy", CODE_FOREIGN_KIND, -1, false},
        {"projectcalico.org/v3", "NetworkPolicy", CODE_FOREIGN_KIND, -1, false},
        {"crd.projectcalico.org/v1", "GlobalNetworkPolicy", CODE_FOREIGN_KIND, -1, false},
        {"cilium.io/v1", "CiliumNetworkPolicy", CODE_UNKNOWN_KIND_VERSION, OBJECT_CILIUM_NETWORK_POLICY, false},
        {"cilium.io/v2", "CiliumClusterwideNetworkPolicy", -1, OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY, true},
        {"networking.k8s.aws/v1alpha1", "ClusterNetworkPolicy", CODE_FOREIGN_KIND, -1, false},
        {"policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", -1, OBJECT_CLUSTER_NETWORK_POLICY, true},
        {"policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", -1, OBJECT_ADMIN_NETWORK_POLICY, true},
        {"policy.networking.k8s.io/v1alpha1", "ClusterNetworkPolicy", CODE_UNKNOWN_KIND_VERSION,
         OBJECT_CLUSTER_NETWORK_POLICY, false},
        {"cilium.io/v2alpha1", "CiliumCIDRGroup", -1, OBJECT_CILIUM_CIDR_GROUP, true},
        {"apps/v1", "Deployment", -1, OBJECT_WORKLOAD, true},
        {"apps/v1beta1", "Deployment", -1, OBJECT_WORKLOAD, false},
        {"argoproj.io/v1alpha1", "Rollout", -1, OBJECT_WORKLOAD, true},
        {"v1", "Service", -1, OBJECT_SERVICE, true},
        {"serving.knative.dev/v1", "Service", -1, OBJECT_WORKLOAD, true},
        {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", -1, OBJECT_ADMISSION_BINDING, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[200];
        snprintf(yaml, sizeof yaml, "{apiVersion: %s, kind: %s, metadata: {name: a}}", rows[i].version, rows[i].kind);
        struct sample *sample = sample_read(yaml, NULL);
        if (rows[i].is >= 0)
            assert_int_equal(sample_object(sample, (enum object_kind)rows[i].is)->served, rows[i].served);
        assert_int_equal(sample->objects.skipped, rows[i].is < 0);
        assert_int_equal(sample->diagnostics.count, rows[i].code >= 0);
        if (rows[i].code >= 0)
            assert_int_equal(sample->diagnostics.list[0].code, rows[i].code);
        sample_destroy(sample);
    }
}

static void the_given_namespace_is_for_namespaced_objects_without_one(void **state) {
    (void)state;
    struct sample *sample = sample_read(
        POLICY("{name: a}") "\n---\n" POLICY("{name: b, namespace: own}") "\n---\n" POLICY(
            "{name: c, namespace: ''}") "\n---\n{apiVersion: cilium.io/v2, kind: CiliumClusterwideNetworkPolicy, "
                                        "metadata: {name: d, namespace: x}}",
        "given");
    assert_non_null(objects_find(&sample->objects, OBJECT_NETWORK_POLICY, "given", "a"));
    assert_non_null(objects_find(&sample->objects, OBJECT_NETWORK_POLICY, "own", "b"));
    assert_non_null(objects_find(&sample->objects, OBJECT_NETWORK_POLICY, "given", "c"));
    assert_non_null(objects_find(&sample->objects, OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY, NULL, "d"));
    sample_destroy(sample);
}

static void names_of_another_type_are_none(void **state) {
    (void)state;
    struct sample *sample = sample_read(POLICY("{name: [a], namespace: 5}"), "given");
    const struct object *object = sample_object(sample, OBJECT_NETWORK_POLICY);
    assert_null(object->name);
    assert_null(object->namespace);
    assert_int_equal(count_code(sample, CODE_WRONG_TYPE), 2);
    sample_destroy(sample);
}

static void equal_copies_count_once(void **state) {
    static const char *const files[] = {
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: ns, uid: x, "
        "annotations: "
        "{b: c}}, spec: {podSelector: {}, egress: [{ports: [{port: 80}]}]}, status: {}}",
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: ns, name: a, uid: y}, spec: "
        "{egress: [{ports: [{port: 80.0}]}], podSelector: {}}}",
        NULL};
    (void)state;
    struct sample *sample = sample_read_files(files, NULL);
    assert_string_equal(sample_object(sample, OBJECT_NETWORK_POLICY)->file, "0.yaml");
    assert_int_equal(sample->diagnostics.count, 0);
    sample_destroy(sample);
}

static void differing_copies_all_stay_and_are_errors(void **state) {
    static const char *const differences[] = {
        "metadata: {name: a, namespace: ns, labels: {x: z}}, spec: {podSelector: {}}",
        "metadata: {name: a, namespace: ns}, spec: {podSelector: {}, egress: []}",
        "metadata: {name: a, namespace: ns}, spec: {podSelector: null}",
        "metadata: {name: a, namespace: ns}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
        char other[300];
        const char *const files[] = {
            "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: ns}, spec: "
            "{podSelector: {}}}",
            other, NULL};
        snprintf(other, sizeof other, "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, %s}", differences[i]);
        struct sample *sample = sample_read_files(files, NULL);
        assert_int_equal(sample->objects.of[OBJECT_NETWORK_POLICY].count, 2);
        const struct diagnostic *diagnostic = only_diagnostic(sample);
        assert_int_equal(diagnostic->code, CODE_DUPLICATE_OBJECT);
        assert_string_equal(diagnostic->location.file, "1.yaml");
        assert_string_equal(diagnostic->notes->location.file, "0.yaml");
        sample_destroy(sample);
    }
}

static void copies_without_a_namespace_may_be_meant_for_two(void **state) {
    (void)state;
    struct sample *sample = sample_read(
        POLICY("{name: a}") "\n---\n" POLICY("{name: a}") "\n---\n" POLICY("{name: a, labels: {b: c}}"), NULL);
    assert_int_equal(sample->objects.of[OBJECT_NETWORK_POLICY].count, 2);
    assert_int_equal(sample->diagnostics.count, 0);
    sample_destroy(sample);
}

static void workloads_of_two_kinds_are_no_copies(void **state) {
    (void)state;
    struct sample *sample =
        sample_read("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: ns}, spec: {replicas: 1}}\n"
                    "---\n{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a, namespace: ns}}",
                    NULL);
    assert_int_equal(sample->objects.of[OBJECT_WORKLOAD].count, 2);
    assert_int_equal(sample->diagnostics.count, 0);
    sample_destroy(sample);
}

static const struct document_keep *find_keep(const struct document_keep *table, const char *key) {
    const struct document_keep *any = NULL;
    for (; table->key; table++) {
        if (strcmp(table->key, key) == 0)
            return table;
        if (strcmp(table->key, "*") == 0)
            any = table;
    }
    return any;
}

static void policies_keep_all_that_may_be_a_fault(void **state) {
    (void)state;
    const struct document_keep *keep = object_keep(text_of("cilium.io/v2"), text_of("CiliumNetworkPolicy"));
    assert_non_null(find_keep(keep, "spec"));
    assert_null(find_keep(keep, "spec")->below);
    assert_non_null(find_keep(keep, "sepc"));
    assert_non_null(find_keep(find_keep(keep, "status")->below, "conditions"));
    const struct document_keep *metadata = find_keep(keep, "metadata")->below;
    assert_null(find_keep(metadata, "ownerReferences")->below);
    assert_non_null(find_keep(metadata, "lables"));
    assert_null(find_keep(metadata, "managedFields")->below->key);
    assert_null(
        find_keep(find_keep(metadata, "annotations")->below, "kubectl.kubernetes.io/last-applied-configuration"));
    assert_ptr_equal(keep, object_keep(text_of("cilium.io/v2"), text_of("CiliumNetworkPolicyList")));
}

static void evidence_and_other_kinds_keep_little(void **state) {
    (void)state;
    assert_null(object_keep(text_of("v1"), text_of("List")));
    const struct document_keep *pod = object_keep(text_of("v1"), text_of("Pod"));
    assert_null(find_keep(find_keep(pod, "spec")->below, "volumes"));
    assert_non_null(find_keep(find_keep(find_keep(pod, "spec")->below, "containers")->below, "ports"));
    assert_null(find_keep(find_keep(find_keep(pod, "spec")->below, "containers")->below, "env"));
    const struct document_keep *secret = object_keep(text_of("v1"), text_of("Secret"));
    assert_null(find_keep(secret, "data"));
    assert_non_null(find_keep(secret, "metadata"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_sorted_by_namespace_name_and_place),
        cmocka_unit_test(lists_are_flattened),
        cmocka_unit_test(items_of_typed_lists_inherit_kind_and_version),
        cmocka_unit_test(items_that_are_no_objects_are_errors),
        cmocka_unit_test(items_of_no_list_and_lists_without_any_are_errors),
        cmocka_unit_test(what_tells_the_kind_may_not_stand_twice_with_two_values),
        cmocka_unit_test(a_page_of_a_list_is_not_the_whole_list),
        cmocka_unit_test(other_documents_are_noted),
        cmocka_unit_test(unknown_kinds_are_counted_and_skipped),
        cmocka_unit_test(kinds_are_told_apart_by_group_and_version),
        cmocka_unit_test(the_given_namespace_is_for_namespaced_objects_without_one),
        cmocka_unit_test(names_of_another_type_are_none),
        cmocka_unit_test(equal_copies_count_once),
        cmocka_unit_test(differing_copies_all_stay_and_are_errors),
        cmocka_unit_test(copies_without_a_namespace_may_be_meant_for_two),
        cmocka_unit_test(workloads_of_two_kinds_are_no_copies),
        cmocka_unit_test(policies_keep_all_that_may_be_a_fault),
        cmocka_unit_test(evidence_and_other_kinds_keep_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pods, templates, namespaces, Services, slices and groups (spec/kubernetes-egress.md 6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kube/evidence.h"
#include "sample.h"

static struct sample *read_evidence(const char *yaml, struct evidence *evidence) {
    struct sample *sample = sample_read(yaml, NULL);
    evidence_read(&sample->objects, sample->arena, evidence, &sample->diagnostics);
    return sample;
}

static void a_pod_is_read(void **state) {
    (void)state;
    struct evidence evidence;
    struct sample *sample =
        read_evidence("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns, labels: {b: c, a: d, z: null}}\n"
                      "spec:\n  hostNetwork: true\n  serviceAccountName: s\n  containers:\n"
                      "  - {name: x, ports: [{name: http, containerPort: 80}, {containerPort: 53, protocol: UDP}]}\n"
                      "  - {name: y}\n"
                      "  initContainers:\n  - {name: i, ports: [{containerPort: 1}]}\n"
                      "  - {name: j, restartPolicy: Always, ports: [{containerPort: 2}]}\n"
                      "status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: 'fd00::1'}]}\n",
                      &evidence);
    const struct pod *pod = evidence_pod(&evidence, "ns", "p");
    assert_non_null(pod);
    assert_int_equal(pod->labels.count, 3);
    assert_string_equal(pod->labels.list[0].key, "a");
    assert_string_equal(labels_get(&pod->labels, "b"), "c");
    assert_string_equal(labels_get(&pod->labels, "z"), "");
    assert_null(labels_get(&pod->labels, "y"));
    assert_true(pod->host_network && !pod->is_template && !pod->finished);
    assert_string_equal(pod->service_account, "s");
    assert_int_equal(pod->port_count, 3);
    assert_string_equal(pod->ports[0].name, "http");
    assert_string_equal(pod->ports[0].protocol, "TCP");
    assert_string_equal(pod->ports[1].protocol, "UDP");
    assert_null(pod->ports[1].name);
    assert_int_equal(pod->ports[2].number, 2);
    assert_int_equal(pod->address_count, 2);
    assert_int_equal(pod->addresses[1].family, ADDRESS_IPV6);
    sample_destroy(sample);
}

static void templates_are_found_where_each_kind_has_them(void **state) {
    static const char *const workloads[] = {
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, namespace: ns}, spec: {template: T}}",
        ("{apiVersion: batch/v1, kind: CronJob, metadata: {name: w, namespace: ns}, "
         "spec: {jobTemplate: {spec: {template: T}}}}"),
        "{apiVersion: v1, kind: PodTemplate, metadata: {name: w, namespace: ns}, template: T}",
        "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: w, namespace: ns}, spec: {template: T}}",
    };
    static const char template[] = "{metadata: {labels: {a: b}}, spec: {containers: [{ports: [{containerPort: 8}]}]}}";
    (void)state;
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        char yaml[400];
        struct evidence evidence;
        const char *mark = strchr(workloads[i], 'T');
        while (mark[1] != '}')
            mark = strchr(mark + 1, 'T');
        snprintf(yaml, sizeof yaml, "%.*s%s%s", (int)(mark - workloads[i]), workloads[i], template, mark + 1);
        struct sample *sample = read_evidence(yaml, &evidence);
        assert_int_equal(evidence.pod_count, 1);
        assert_true(evidence.pods[0].is_template);
        assert_string_equal(evidence.pods[0].name, "w");
        assert_string_equal(labels_get(&evidence.pods[0].labels, "a"), "b");
        assert_int_equal(evidence.pods[0].port_count, 1);
        assert_string_equal(evidence.pods[0].service_account, "default");
        assert_ptr_equal(evidence_pod(&evidence, "ns", "w"), &evidence.pods[0]);
        sample_destroy(sample);
    }
}

static void pods_come_by_namespace_and_name_and_before_templates(void **state) {
    (void)state;
    struct evidence evidence;
    struct sample *sample = read_evidence(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: b, namespace: ns}, spec: {template: {}}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: ns}, status: {phase: Succeeded}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: z}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: ns}, status: {phase: Failed}}\n",
        &evidence);
    assert_int_equal(evidence.pod_count, 4);
    assert_string_equal(evidence.pods[0].name, "a");
    assert_false(evidence.pods[1].is_template);
    assert_true(evidence.pods[1].finished);
    assert_true(evidence.pods[2].is_template);
    assert_string_equal(evidence.pods[3].namespace, "z");
    assert_ptr_equal(evidence_pod(&evidence, "ns", "b"), &evidence.pods[1]);
    assert_null(evidence_pod(&evidence, "z", "b"));
    sample_destroy(sample);
}

static void a_namespace_always_has_its_name_label(void **state) {
    (void)state;
    struct evidence evidence;
    struct sample *sample = read_evidence(
        "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {z: q, kubernetes.io/metadata.name: wrong, b: "
        "c}}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: b}}\n",
        &evidence);
    const struct namespace_evidence *a = evidence_namespace(&evidence, "a"), *b = evidence_namespace(&evidence, "b");
    assert_string_equal(labels_get(&a->labels, "kubernetes.io/metadata.name"), "a");
    assert_int_equal(a->labels.count, 3);
    assert_string_equal(a->labels.list[2].key, "z");
    assert_int_equal(b->labels.count, 1);
    assert_null(evidence_namespace(&evidence, "c"));
    sample_destroy(sample);
}

static void services_and_slices_are_read(void **state) {
    (void)state;
    struct evidence evidence;
    struct sample *sample = read_evidence(
        "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: ns}, spec: {selector: {a: b}, clusterIP: "
        "10.1.0.1, clusterIPs: [10.1.0.1], ports: [{name: x, port: 80, targetPort: 8080}, {port: 53, protocol: UDP, "
        "targetPort: dns}, {port: 9}]}}\n---\n"
        "{apiVersion: v1, kind: Service, metadata: {name: t, namespace: ns}, spec: {type: ExternalName, clusterIP: "
        "None}}\n---\n"
        "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s-1, namespace: ns, labels: "
        "{kubernetes.io/service-name: s}}, addressType: IPv4, endpoints: [{addresses: [10.0.0.1, 10.0.0.2]}, "
        "{addresses: "
        "[x]}]}\n",
        &evidence);
    assert_int_equal(evidence.service_count, 2);
    const struct service *s = &evidence.services[0], *t = &evidence.services[1];
    assert_true(s->has_selector && !s->is_external_name);
    assert_int_equal(s->cluster_ip_count, 1);
    assert_int_equal(s->ports[0].target, 8080);
    assert_int_equal(s->ports[1].target, 0);
    assert_string_equal(s->ports[1].target_name, "dns");
    assert_int_equal(s->ports[2].target, 9);
    assert_true(!t->has_selector && t->is_external_name);
    assert_int_equal(t->cluster_ip_count, 0);
    assert_string_equal(evidence.slices[0].service, "s");
    assert_int_equal(evidence.slices[0].address_count, 2);
    sample_destroy(sample);
}

static void a_group_with_a_fault_is_not_usable(void **state) {
    (void)state;
    struct evidence evidence;
    struct sample *sample = read_evidence(
        "{apiVersion: cilium.io/v2alpha1, kind: CiliumCIDRGroup, metadata: {name: a, labels: {b: c}}, spec: "
        "{externalCIDRs: [10.0.0.0/8]}}\n---\n"
        "{apiVersion: cilium.io/v2, kind: CiliumCIDRGroup, metadata: {name: b}, spec: {externalCIDRs: [10.0.0.0/8, "
        "x]}}\n---\n{apiVersion: cilium.io/v2, kind: CiliumCIDRGroup, metadata: {name: c}}\n",
        &evidence);
    assert_int_equal(evidence.group_count, 3);
    assert_true(evidence.groups[0].usable);
    assert_int_equal(evidence.groups[0].cidr_count, 1);
    assert_string_equal(labels_get(&evidence.groups[0].labels, "b"), "c");
    assert_false(evidence.groups[1].usable);
    assert_false(evidence.groups[2].usable);
    assert_int_equal(sample->diagnostics.count, 2);
    assert_int_equal(sample->diagnostics.list[0].code, CODE_INVALID_CIDR);
    sample_destroy(sample);
}

static void hostile_shapes_are_read_as_nothing(void **state) {
    (void)state;
    struct evidence evidence;
    struct sample *sample = read_evidence(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, labels: []}, spec: [], status: {podIPs: {}}}\n"
        "---\n{apiVersion: v1, kind: Pod, metadata: [], spec: {containers: [x, null, {ports: x}, {ports: [x, "
        "{containerPort: 70000}, {containerPort: a}]}]}}\n---\n{apiVersion: v1, kind: Service, spec: {ports: [x], "
        "selector: x}}\n---\n{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, endpoints: [x, {addresses: {}}]}\n"
        "---\n{apiVersion: apps/v1, kind: Deployment, spec: {template: x}}\n",
        &evidence);
    assert_int_equal(evidence.pod_count, 2);
    assert_int_equal(evidence.pods[0].port_count + evidence.pods[1].port_count, 0);
    assert_int_equal(evidence.services[0].port_count, 1);
    assert_int_equal(evidence.slices[0].address_count, 0);
    sample_destroy(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_is_read),
        cmocka_unit_test(templates_are_found_where_each_kind_has_them),
        cmocka_unit_test(pods_come_by_namespace_and_name_and_before_templates),
        cmocka_unit_test(a_namespace_always_has_its_name_label),
        cmocka_unit_test(services_and_slices_are_read),
        cmocka_unit_test(a_group_with_a_fault_is_not_usable),
        cmocka_unit_test(hostile_shapes_are_read_as_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

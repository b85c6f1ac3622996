/* Facts from cilium-config and the agents' images (spec/config.md 9), and the classes of versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kube/cilium_version.h"
#include "kube/evidence.h"
#include "sample.h"

#define CONFIG(namespace, data)                                                                                        \
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: cilium-config, namespace: " namespace "}, data: " data "}\n"
#define AGENT(name, image)                                                                                             \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name                                                               \
    ", namespace: kube-system, labels: {k8s-app: cilium}}, spec: "                                                     \
    "{containers: [{name: mount, image: other/image:v9.9.9}, {name: cilium-agent, image: '" image "'}]}}\n"

static struct sample *read_facts(const char *yaml, struct cluster_facts *facts) {
    struct sample *sample = sample_read(yaml, NULL);
    evidence_facts(&sample->objects, sample->arena, facts, &sample->diagnostics);
    return sample;
}

static void nothing_is_known_without_evidence(void **state) {
    (void)state;
    struct cluster_facts facts;
    struct sample *sample = read_facts("{apiVersion: v1, kind: Pod, metadata: {name: p}}", &facts);
    assert_int_equal(facts.known, 0);
    assert_true(facts.l7_proxy);
    sample_destroy(sample);
}

static void options_of_the_agent_become_facts(void **state) {
    (void)state;
    struct cluster_facts facts;
    struct sample *sample = read_facts(
        CONFIG("kube-system", "{enable-sctp: 'true', policy-cidr-match-mode: nodes, enable-policy: always, "
                              "enable-l7-proxy: 'false', cluster-name: c1, labels: 'k8s:app !k8s:x', "
                              "policy-default-local-cluster: 'true', other: x}") "---\n" CONFIG("a", "{enable-sctp: "
                                                                                                     "'false'}"),
        &facts);
    assert_true(facts.sctp && facts.match_nodes && !facts.match_pods && !facts.l7_proxy && facts.local_cluster);
    assert_int_equal(facts.enforcement, ENFORCEMENT_ALWAYS);
    assert_string_equal(facts.cluster_name, "c1");
    assert_string_equal(facts.labels, "k8s:app !k8s:x");
    assert_true(facts_know(&facts, FACT_SCTP) && facts_know(&facts, FACT_LABELS));
    assert_int_equal(facts.where[FACT_SCTP].line, 1);
    assert_string_equal(facts.where[FACT_SCTP].file, "0.yaml");
    assert_false(facts_know(&facts, FACT_CILIUM_VERSION));
    assert_int_equal(sample->diagnostics.count, 0);
    sample_destroy(sample);
}

static void the_empty_match_mode_is_known(void **state) {
    (void)state;
    struct cluster_facts facts;
    struct sample *sample = read_facts(CONFIG("kube-system", "{policy-cidr-match-mode: ''}"), &facts);
    assert_true(facts_know(&facts, FACT_CIDR_MATCH_MODE));
    assert_false(facts.match_nodes || facts.match_pods);
    sample_destroy(sample);
}

static void options_that_cannot_be_read_stay_unknown_and_are_errors(void **state) {
    static const char *const data[] = {"{enable-sctp: maybe}", "{enable-sctp: true}", "{enable-policy: some}",
                                       "{policy-cidr-match-mode: planets}", "{cluster-name: ''}"};
    (void)state;
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        char yaml[300];
        struct cluster_facts facts;
        snprintf(yaml, sizeof yaml, CONFIG("kube-system", "%s"), data[i]);
        struct sample *sample = read_facts(yaml, &facts);
        assert_int_equal(facts.known, 0);
        assert_int_equal(sample->diagnostics.count, 1);
        assert_int_equal(sample->diagnostics.list[0].code, CODE_CLUSTER_FACT_CONFLICT);
        assert_string_equal(sample->diagnostics.list[0].object.name, "cilium-config");
        sample_destroy(sample);
    }
}

static void the_version_is_in_the_tag_of_the_agents_image(void **state) {
    static const struct {
        const char *image;
        int minor, patch; /* -1: none */
    } rows[] = {
        {"quay.io/cilium/cilium:v1.17.4@sha256:0123", 17, 4},
        {"quay.io/cilium/cilium:v1.16.0", 16, 0},
        {"registry:5000/cilium:1.18.2-distroless", 18, 2},
        {"registry:5000/cilium", -1, -1},
        {"quay.io/cilium/cilium:latest", -1, -1},
        {"quay.io/cilium/cilium@sha256:0123", -1, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[500];
        struct cluster_facts facts;
        snprintf(yaml, sizeof yaml, AGENT("a", "%s"), rows[i].image);
        struct sample *sample = read_facts(yaml, &facts);
        assert_int_equal(facts_know(&facts, FACT_CILIUM_VERSION), rows[i].minor >= 0);
        assert_int_equal(sample->diagnostics.count, 0);
        if (rows[i].minor >= 0) {
            assert_int_equal(facts.cilium.minor, rows[i].minor);
            assert_int_equal(facts.cilium.patch, rows[i].patch);
        }
        sample_destroy(sample);
    }
}

static void agents_of_two_versions_or_of_no_modelled_one_are_a_conflict(void **state) {
    static const char *const yaml[] = {
        AGENT("a", "x:v1.17.4") "---\n" AGENT("b", "x:v1.18.0"),
        AGENT("a", "x:v1.20.0"),
        AGENT("a", "x:v1.13.9"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++) {
        struct cluster_facts facts;
        struct sample *sample = read_facts(yaml[i], &facts);
        assert_false(facts_know(&facts, FACT_CILIUM_VERSION));
        assert_int_equal(sample->diagnostics.count, 1);
        assert_int_equal(sample->diagnostics.list[0].code, CODE_CLUSTER_FACT_CONFLICT);
        sample_destroy(sample);
    }
}

static void versions_fall_into_classes(void **state) {
    static const struct {
        const char *version;
        cilium_classes classes;
    } rows[] = {
        {"1.15.9", 0x01}, {"1.15", 0x01},   {"1.16.3", 0x02}, {"1.16.4", 0x04}, {"1.16", 0x06},
        {"1.17.4", 0x08}, {"1.17.5", 0x10}, {"1.17", 0x18},   {"1.18.0", 0x20}, {"v1.19.1-rc.1", 0x40},
        {"1.20.0", 0},    {"1.14", 0},      {"2.17", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cluster_facts facts = facts_default();
        facts.known = 1u << FACT_CILIUM_VERSION;
        assert_int_equal(version_parse(text_of(rows[i].version), &facts.cilium, NULL), VERSION_OK);
        assert_int_equal(cilium_classes_of(&facts), rows[i].classes);
    }
    struct cluster_facts facts = facts_default();
    assert_int_equal(cilium_classes_of(&facts), 0x78);
    for (int class = 0; class < CILIUM_CLASS_COUNT; class ++)
        assert_true(strlen(cilium_class_word((enum cilium_class) class)) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_without_evidence),
        cmocka_unit_test(options_of_the_agent_become_facts),
        cmocka_unit_test(the_empty_match_mode_is_known),
        cmocka_unit_test(options_that_cannot_be_read_stay_unknown_and_are_errors),
        cmocka_unit_test(the_version_is_in_the_tag_of_the_agents_image),
        cmocka_unit_test(agents_of_two_versions_or_of_no_modelled_one_are_a_conflict),
        cmocka_unit_test(versions_fall_into_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is read of a NetworkPolicy (spec/kubernetes-egress.md 1.2 to 1.7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "sample.h"

static const struct core_policy *read_core(struct sample **sample, const char *spec) {
    return sample_policy(sample, OBJECT_NETWORK_POLICY, spec)->core;
}

static void policy_types_are_defaulted_as_the_server_does(void **state) {
    static const struct {
        const char *spec;
        bool written, ingress, egress;
    } rows[] = {
        {"null", false, true, false},
        {"{}", false, true, false},
        {"{egress: []}", false, true, false},
        {"{egress: null}", false, true, false},
        {"{egress: [{}]}", false, true, true},
        {"{egress: [null]}", false, true, true},
        {"{ingress: [{}]}", false, true, false},
        {"{policyTypes: [], egress: [{}]}", false, true, true},
        {"{policyTypes: null, egress: [{}]}", false, true, true},
        {"{policyTypes: [Ingress], egress: [{}]}", true, true, false},
        {"{policyTypes: [Egress]}", true, false, true},
        {"{policyTypes: [Egress], ingress: [{}]}", true, false, true},
        {"{policyTypes: [Ingress, Egress]}", true, true, true},
        {"{policyTypes: [Egress, Egress]}", true, false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample *sample;
        const struct core_policy *core = read_core(&sample, rows[i].spec);
        assert_int_equal(core->types_written, rows[i].written);
        assert_int_equal(core->isolates_ingress, rows[i].ingress);
        assert_int_equal(core->isolates_egress, rows[i].egress);
        sample_destroy(sample);
    }
}

static void rules_are_absent_empty_or_filled(void **state) {
    (void)state;
    struct sample *sample;
    assert_int_equal(read_core(&sample, "{}")->egress.presence, PRESENCE_ABSENT);
    sample_destroy(sample);
    assert_int_equal(read_core(&sample, "{egress: []}")->egress.presence, PRESENCE_EMPTY);
    sample_destroy(sample);
    const struct core_policy *core = read_core(&sample, "{egress: [{to: [], ports: []}, null]}");
    assert_int_equal(core->egress.presence, PRESENCE_FILLED);
    assert_string_equal(core->egress.part.path, "spec.egress");
    assert_int_equal(core->egress.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(core->egress.rules[i].peer_count, 0);
        assert_int_equal(core->egress.rules[i].port_count, 0);
    }
    assert_string_equal(core->egress.rules[1].part.path, "spec.egress[1]");
    sample_destroy(sample);
}

static void peers_keep_absent_empty_and_filled_selectors_apart(void **state) {
    (void)state;
    struct sample *sample;
    const struct core_policy *core =
        read_core(&sample, "{egress: [{to: [{podSelector: {}, namespaceSelector: null}, {namespaceSelector: "
                           "{matchLabels: {a: b}, matchExpressions: [{key: c, operator: NotIn, values: [d, e]}]}}]}]}");
    const struct core_peer *peers = core->egress.rules[0].peers;
    assert_int_equal(core->egress.rules[0].peer_count, 2);
    assert_int_equal(peers[0].pods.presence, PRESENCE_EMPTY);
    assert_int_equal(peers[0].namespaces.presence, PRESENCE_ABSENT);
    assert_int_equal(peers[1].pods.presence, PRESENCE_ABSENT);
    const struct selector *selector = &peers[1].namespaces;
    assert_int_equal(selector->presence, PRESENCE_FILLED);
    assert_string_equal(selector->part.path, "spec.egress[0].to[1].namespaceSelector");
    assert_int_equal(selector->count, 2);
    assert_string_equal(selector->requirements[0].key, "a");
    assert_int_equal(selector->requirements[0].verb, OPERATOR_IN);
    assert_string_equal(selector->requirements[0].values[0], "b");
    assert_false(selector->requirements[0].expression);
    assert_true(selector->requirements[0].readable);
    assert_int_equal(selector->requirements[1].verb, OPERATOR_NOT_IN);
    assert_int_equal(selector->requirements[1].count, 2);
    assert_string_equal(selector->requirements[1].values[1], "e");
    assert_true(selector->requirements[1].expression);
    sample_destroy(sample);
}

static void a_null_label_value_is_the_empty_one(void **state) {
    (void)state;
    struct sample *sample;
    const struct core_policy *core = read_core(&sample, "{podSelector: {matchLabels: {a: null}}}");
    assert_int_equal(core->pods.count, 1);
    assert_string_equal(core->pods.requirements[0].values[0], "");
    assert_true(core->pods.requirements[0].readable);
    sample_destroy(sample);
}

static void of_duplicate_keys_the_last_counts(void **state) {
    (void)state;
    struct sample *sample;
    const struct core_policy *core =
        read_core(&sample, "{podSelector: {matchLabels: {a: b}}, podSelector: {matchLabels: {c: d, c: e}}}");
    assert_int_equal(core->pods.count, 1);
    assert_string_equal(core->pods.requirements[0].key, "c");
    assert_string_equal(core->pods.requirements[0].values[0], "e");
    sample_destroy(sample);
}

static void unreadable_requirements_are_marked(void **state) {
    static const char *const specs[] = {
        "{podSelector: {matchLabels: {'a b': c}}}",
        "{podSelector: {matchLabels: {a: 1}}}",
        "{podSelector: {matchExpressions: [{key: a, operator: Foo}]}}",
        "{podSelector: {matchExpressions: [{key: a, operator: In}]}}",
        "{podSelector: {matchExpressions: [{key: a, operator: In, values: x}]}}",
        "{podSelector: {matchExpressions: [{key: a, operator: In, values: [1]}]}}",
        "{podSelector: {matchExpressions: [x]}}",
        "{podSelector: {matchExpressions: [null]}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct sample *sample;
        const struct core_policy *core = read_core(&sample, specs[i]);
        assert_int_equal(core->pods.count, 1);
        assert_false(core->pods.requirements[0].readable);
        assert_non_null(core->pods.requirements[0].key);
        sample_destroy(sample);
    }
}

static void blocks_are_read_laxly(void **state) {
    (void)state;
    struct sample *sample;
    const struct core_policy *core = read_core(
        &sample, "{egress: [{to: [{ipBlock: {cidr: 010.0.0.5/8, except: [10.1.0.0/16, x]}}, {ipBlock: {cidr: x}}]}]}");
    const struct core_peer *peers = core->egress.rules[0].peers;
    assert_true(peers[0].has_block);
    assert_true(peers[0].cidr_usable);
    assert_int_equal(peers[0].cidr.flags & (CIDR_LEADING_ZEROS | CIDR_HOST_BITS), CIDR_LEADING_ZEROS | CIDR_HOST_BITS);
    assert_string_equal(peers[0].cidr_part.path, "spec.egress[0].to[0].ipBlock.cidr");
    assert_int_equal(peers[0].except_count, 2);
    assert_true(peers[0].excepts[0].usable);
    assert_false(peers[0].excepts[1].usable);
    assert_string_equal(peers[0].excepts[1].part.path, "spec.egress[0].to[0].ipBlock.except[1]");
    assert_true(peers[1].has_block);
    assert_false(peers[1].cidr_usable);
    sample_destroy(sample);
}

static void ports_are_read_with_their_defaults(void **state) {
    static const struct {
        const char *port, *protocol;
        enum port_form form;
        unsigned number, end;
        const char *name;
    } rows[] = {
        {"null", "TCP", PORT_ALL, 0, 0, NULL},
        {"{}", "TCP", PORT_ALL, 0, 0, NULL},
        {"{protocol: null, port: null}", "TCP", PORT_ALL, 0, 0, NULL},
        {"{protocol: UDP, port: 53}", "UDP", PORT_NUMBER, 53, 53, NULL},
        {"{port: 0443}", "TCP", PORT_NUMBER, 291, 291, NULL},
        {"{port: 80, endPort: 90}", "TCP", PORT_NUMBER, 80, 90, NULL},
        {"{port: 80, endPort: 80}", "TCP", PORT_NUMBER, 80, 80, NULL},
        {"{port: 80, endPort: 79}", "TCP", PORT_NUMBER, 80, 80, NULL},
        {"{port: http}", "TCP", PORT_NAME, 0, 0, "http"},
        {"{port: 53e0x}", "TCP", PORT_NAME, 0, 0, "53e0x"},
        {"{port: '80'}", "TCP", PORT_INVALID, 0, 0, "80"},
        {"{port: 70000}", "TCP", PORT_INVALID, 0, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char spec[200];
        struct sample *sample;
        snprintf(spec, sizeof spec, "{egress: [{ports: [%s]}]}", rows[i].port);
        const struct core_port *port = read_core(&sample, spec)->egress.rules[0].ports;
        assert_string_equal(port->protocol, rows[i].protocol);
        assert_int_equal(port->form, rows[i].form);
        assert_int_equal(port->number, rows[i].number);
        assert_int_equal(port->end, rows[i].end);
        assert_int_equal(port->name != NULL, rows[i].name != NULL);
        if (rows[i].name)
            assert_string_equal(port->name, rows[i].name);
        sample_destroy(sample);
    }
}

static void parts_know_their_lines(void **state) {
    (void)state;
    struct sample *sample;
    const struct policy *policy =
        sample_policy(&sample, OBJECT_NETWORK_POLICY, "\n  podSelector: {}\n  egress:\n  - to:\n    - podSelector: {}");
    const struct core_peer *peer = policy->core->egress.rules[0].peers;
    assert_int_equal(peer->part.node->line, 8);
    assert_int_equal(peer->part.node->column, 7);
    sample_destroy(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policy_types_are_defaulted_as_the_server_does),
        cmocka_unit_test(rules_are_absent_empty_or_filled),
        cmocka_unit_test(peers_keep_absent_empty_and_filled_selectors_apart),
        cmocka_unit_test(a_null_label_value_is_the_empty_one),
        cmocka_unit_test(of_duplicate_keys_the_last_counts),
        cmocka_unit_test(unreadable_requirements_are_marked),
        cmocka_unit_test(blocks_are_read_laxly),
        cmocka_unit_test(ports_are_read_with_their_defaults),
        cmocka_unit_test(parts_know_their_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

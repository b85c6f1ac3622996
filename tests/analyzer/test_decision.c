#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/decision.h"
#include "base/arena.h"
#include "compiler/config.h"
#include "tests/arena_state.h"

static void witness_of_an_address_is_canonical_text(void **state) {
    struct flow flow = {.destination = {.kind = DESTINATION_ADDRESS}, .protocol = PROTOCOL_TCP, .port = 443};
    assert_true(address_parse(text_of("fd00:ec2:0::0254"), &flow.destination.address));
    struct witness witness = witness_of_flow(&flow, false, *state);
    assert_string_equal(witness.ip, "fd00:ec2::254");
    assert_null(witness.fqdn);
    assert_null(witness.entity);
    assert_string_equal(witness.protocol, "TCP");
    assert_true(witness.has_port);
    assert_int_equal(witness.port, 443);
    assert_null(witness.dns_name);
    assert_null(witness.server_name);
}

static void witness_of_a_name_carries_its_payload(void **state) {
    struct flow flow = {.destination = {.kind = DESTINATION_NAME, .name = "a.example.com"},
                        .protocol = PROTOCOL_UDP,
                        .port = 53,
                        .payload = {.kind = PAYLOAD_QUESTION, .text = "b.example.com"}};
    struct witness witness = witness_of_flow(&flow, false, *state);
    assert_null(witness.ip);
    assert_string_equal(witness.fqdn, "a.example.com");
    assert_string_equal(witness.dns_name, "b.example.com");
    assert_null(witness.server_name);
    flow.payload = (struct payload){.kind = PAYLOAD_SERVER_NAME, .text = "c.example.com"};
    witness = witness_of_flow(&flow, false, *state);
    assert_null(witness.dns_name);
    assert_string_equal(witness.server_name, "c.example.com");
    flow.payload = (struct payload){.kind = PAYLOAD_REQUEST, .text = "some rule list"};
    witness = witness_of_flow(&flow, false, *state);
    assert_null(witness.dns_name);
    assert_null(witness.server_name);
}

static void witness_of_another_protocol_has_no_port(void **state) {
    struct flow flow = {.destination = {.kind = DESTINATION_SPECIAL, .special = SPECIAL_HOST},
                        .protocol = PROTOCOL_OTHER};
    struct witness witness = witness_of_flow(&flow, false, *state);
    assert_string_equal(witness.entity, special_word(SPECIAL_HOST));
    assert_string_equal(witness.protocol, "other");
    assert_false(witness.has_port);
    flow.protocol = PROTOCOL_ICMP;
    flow.port = 8;
    witness = witness_of_flow(&flow, false, *state);
    assert_true(witness.has_port);
    assert_int_equal(witness.port, 8);
}

static void witness_of_a_pod_sorts_its_labels_by_scope_and_key(void **state) {
    static const struct label labels[] = {
        {{LABEL_NAMESPACE, "kubernetes.io/metadata.name"}, "db"},
        {{LABEL_NAMESPACE, "team"}, "x"},
        {{LABEL_POD, "app"}, "db"},
        {{LABEL_POD, "zone"}, "a"},
        {{LABEL_SERVICE_ACCOUNT, ""}, "robot"},
    };
    struct flow flow = {.destination = {.kind = DESTINATION_POD, .endpoint = {labels, 5}}, .protocol = PROTOCOL_TCP};
    struct witness witness = witness_of_flow(&flow, true, *state);
    assert_null(witness.ip);
    assert_null(witness.fqdn);
    assert_null(witness.entity);
    assert_true(witness.present);
    assert_int_equal(witness.namespace_labels.count, 2);
    assert_string_equal(witness.namespace_labels.list[0].key, "kubernetes.io/metadata.name");
    assert_string_equal(witness.namespace_labels.list[0].value, "db");
    assert_string_equal(witness.namespace_labels.list[1].key, "team");
    assert_int_equal(witness.pod_labels.count, 3);
    assert_string_equal(witness.pod_labels.list[0].key, "app");
    assert_string_equal(witness.pod_labels.list[1].key, "io.cilium.k8s.policy.serviceaccount");
    assert_string_equal(witness.pod_labels.list[1].value, "robot");
    assert_string_equal(witness.pod_labels.list[2].key, "zone");
}

/* Two documents: the first warns, the second is refused twice. */
static const char config_text[] = "namespace: agents\n"
                                  "selectorLabels: {app: a}\n"
                                  "egress:\n"
                                  "  engine: cilium\n"
                                  "  networkPolicyName: a\n"
                                  "  policy: {kind: static, allowedHosts: [.example.com]}\n"
                                  "---\n"
                                  "namespace: agents\n"
                                  "sandboxTemplateName: b\n"
                                  "egress:\n"
                                  "  engine: cilium\n"
                                  "  policy: {kind: static, allowedHosts: ['*.com', '']}\n";

static void decision_of_a_config_parts_refusals_from_findings(void **state) {
    struct config_options options = {.limits = limits_default()};
    struct diagnostics outside;
    struct config config;
    struct decision decision;
    struct boundary_decision *boundaries;
    diagnostics_init(&outside, *state);
    assert_int_equal(config_read_text("e.yaml", ".", text_of(config_text), &options, *state, &config, &outside),
                     CONFIG_REFUSED);
    decision_of_config(&config, &outside, *state, &decision, &boundaries);
    assert_true(decision.refused);
    assert_int_equal(decision.boundary_count, 2);
    assert_ptr_equal(decision.boundaries, boundaries);
    assert_false(boundaries[0].refused);
    assert_string_equal(boundaries[0].policy_kind, "static");
    assert_string_equal(boundaries[0].object.kind, "CiliumNetworkPolicy");
    assert_string_equal(boundaries[0].object.name, "a");
    assert_int_equal(boundaries[0].refusals.count, 0);
    assert_true(boundaries[1].refused);
    assert_int_equal(boundaries[1].config_document, 2);
    assert_null(boundaries[1].policy_kind);
    assert_null(boundaries[1].object.kind);
    assert_int_equal(boundaries[1].refusals.count, 2);
    assert_int_equal(boundaries[1].refusals.list[0].code, CODE_HOST_UNUSABLE);
    assert_string_equal(boundaries[1].refusals.list[0].value, "*.com");
    assert_string_equal(boundaries[1].refusals.list[1].value, "");
    assert_int_equal(decision.findings.count, 1);
    assert_int_equal(decision.findings.list[0].code, CODE_SUBDOMAIN_DEPTH);
}

static void decision_of_a_broken_config_has_its_error_as_a_finding(void **state) {
    struct config_options options = {.limits = limits_default()};
    struct diagnostics outside;
    struct config config;
    struct decision decision;
    struct boundary_decision *boundaries;
    diagnostics_init(&outside, *state);
    assert_int_equal(config_read_text("e.yaml", ".", text_of("a: [\n"), &options, *state, &config, &outside),
                     CONFIG_REFUSED);
    decision_of_config(&config, &outside, *state, &decision, &boundaries);
    assert_true(decision.refused);
    assert_int_equal(decision.boundary_count, 0);
    assert_int_equal(decision.findings.count, 1);
    assert_int_equal(decision.findings.list[0].code, CODE_SYNTAX);
}

static void decision_of_a_usable_config_is_no_refusal_whatever_else_is_found(void **state) {
    struct config_options options = {.limits = limits_default()};
    struct diagnostics outside;
    struct config config;
    struct decision decision;
    struct boundary_decision *boundaries;
    diagnostics_init(&outside, *state);
    struct text text = text_of("{namespace: a, sandboxTemplateName: b, egress: {policy: {kind: deny-all}}}\n");
    assert_int_equal(config_read_text("e.yaml", ".", text, &options, *state, &config, &outside), CONFIG_OK);
    diagnostics_add(&outside, CODE_UNKNOWN_FIELD, (struct location){"z.yaml", 2, 1}, "of an input");
    diagnostics_add(&outside, CODE_DUPLICATE_KEY, (struct location){"a.yaml", 1, 1}, "of another");
    decision_of_config(&config, &outside, *state, &decision, &boundaries);
    assert_false(decision.refused);
    assert_int_equal(decision.findings.count, 2);
    assert_string_equal(decision.findings.list[0].location.file, "a.yaml");
    assert_string_equal(decision.findings.list[1].location.file, "z.yaml");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(witness_of_an_address_is_canonical_text, begin, end),
        cmocka_unit_test_setup_teardown(witness_of_a_name_carries_its_payload, begin, end),
        cmocka_unit_test_setup_teardown(witness_of_another_protocol_has_no_port, begin, end),
        cmocka_unit_test_setup_teardown(witness_of_a_pod_sorts_its_labels_by_scope_and_key, begin, end),
        cmocka_unit_test_setup_teardown(decision_of_a_config_parts_refusals_from_findings, begin, end),
        cmocka_unit_test_setup_teardown(decision_of_a_usable_config_is_no_refusal_whatever_else_is_found, begin, end),
        cmocka_unit_test_setup_teardown(decision_of_a_broken_config_has_its_error_as_a_finding, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

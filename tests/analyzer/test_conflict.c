/* Rules that the agent cannot resolve together (spec/cilium-egress.md 5.3, 5.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "scene.h"
#include "tests/arena_state.h"

/* Everything that the rows allow is allowed, so only a conflict can keep them from passing. */
#define WIDE "{policy: {kind: static, allowedHosts: [example.com]}, engine: cilium}"
#define POD "sandbox.namzu.ai/template=box"
#define DNS_POD "toEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: kube-system, k8s:k8s-app: kube-dns}}]"
#define DNS_NAMES "{ports: [{port: '53', protocol: TCP}], rules: {dns: [{matchName: example.com}]}}"
#define DNS_HTTP "{ports: [{port: '53', protocol: TCP}], rules: {http: [{}]}}"
#define NAME "toFQDNs: [{matchName: example.com}]"
#define TLS_NAMES "{ports: [{port: '443', protocol: TCP}], serverNames: [example.com]}"
#define TLS_HTTP "{ports: [{port: '443', protocol: TCP}], rules: {http: [{method: GET}]}}"
#define TLS_PLAIN "{ports: [{port: '443', protocol: TCP}]}"

static const char *two_policies(struct arena *arena, const char *first, const char *second) {
    return arena_format(arena,
                        "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: first, namespace: "
                        "ns}\nspec: {endpointSelector: {}, egress: [{%s}]}\n---\napiVersion: cilium.io/v2\nkind: "
                        "CiliumNetworkPolicy\nmetadata: {name: second, namespace: ns}\nspec: {endpointSelector: {}, "
                        "egress: [{%s}]}\n",
                        first, second);
}

static void expect(struct arena *arena, const char *first, const char *second, const char *verdict) {
    const struct boundary_decision *decision = scene_decide(arena, WIDE, two_policies(arena, first, second), POD);
    if (strcmp(scene_verdict(decision, "first", -1), verdict) != 0 ||
        strcmp(scene_verdict(decision, "second", -1), verdict) != 0)
        fail_msg("%s | %s: %s, %s", first, second, scene_verdict(decision, "first", -1),
                 scene_verdict(decision, "second", -1));
}

static void two_kinds_of_l7_rules_on_one_selector_and_port_decide_nothing(void **state) {
    expect(*state, DNS_POD ", toPorts: [" DNS_NAMES "]", DNS_POD ", toPorts: [" DNS_HTTP "]", "not-evaluable");
}

static void server_names_and_http_without_tls_contexts_decide_nothing(void **state) {
    expect(*state, NAME ", toPorts: [" TLS_NAMES "]", NAME ", toPorts: [" TLS_HTTP "]", "not-evaluable");
}

static void authentication_modes_that_differ_decide_nothing(void **state) {
    expect(*state, NAME ", toPorts: [" TLS_PLAIN "], authentication: {mode: required}",
           NAME ", toPorts: [" TLS_PLAIN "], authentication: {mode: disabled}", "not-evaluable");
}

static void rules_without_a_clash_are_decided(void **state) {
    expect(*state, NAME ", toPorts: [" TLS_NAMES "]", NAME ", toPorts: [" TLS_PLAIN "]", "within");
    expect(*state, NAME ", toPorts: [" TLS_HTTP "]", NAME ", toPorts: [" TLS_HTTP "]", "within");
    expect(*state, DNS_POD ", toPorts: [" DNS_NAMES "]", NAME ", toPorts: [" TLS_HTTP "]", "within");
    expect(*state, NAME ", toPorts: [" TLS_PLAIN "], authentication: {mode: required}",
           NAME ", toPorts: [" TLS_PLAIN "]", "within");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_kinds_of_l7_rules_on_one_selector_and_port_decide_nothing, begin, end),
        cmocka_unit_test_setup_teardown(server_names_and_http_without_tls_contexts_decide_nothing, begin, end),
        cmocka_unit_test_setup_teardown(authentication_modes_that_differ_decide_nothing, begin, end),
        cmocka_unit_test_setup_teardown(rules_without_a_clash_are_decided, begin, end),
    };
    return cmocka_run_group_tests_name("analyzer/rules/conflict", tests, NULL, NULL);
}

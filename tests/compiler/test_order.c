/* The order of checks (spec/config.md 7): the first refusal is the document's code, and all are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "load.h"

#define T "namespace: agents\nsandboxTemplateName: shell\n"

/* One fault of every step, in the reverse of their order in the text. */
static const char everything[] =
    T "egress:\n"
      "  perSandbox: {labelKey: a//b, permittedHostsParam: {namespace: '', name: ''}, hostIdentity: '',\n"
      "    narrowing: {ports: []}, admissionPolicyBindingName: '', admissionPolicyName: '', engine: core}\n"
      "  networkPolicyName: Bad\n"
      "  profile: BAD\n"
      "  profileLabelKey: bad key\n"
      "  ciliumNarrowing: {dnsNames: {searchSuffixes: [''], clusterDomain: ' '}, tlsPorts: [0], tlsServerNames: true,\n"
      "    hostPorts: {x.example.com: [0], a.example.com: []}, ports: [0]}\n"
      "  policy: {allowedHosts: [.example.com, '*'], kind: static}\n"
      "  verify: nothing\n";

static void refusals_come_in_the_order_of_the_contract(void **state) {
    (void)state;
    struct loaded loaded = load_text(everything);
    assert_string_equal(loaded_lines(&loaded, SEVERITY_ERROR),
                        "config-unusable egress.verify\n"
                        "policy-unenforceable egress.policy.kind\n"
                        "narrowing-unsupported egress.ciliumNarrowing\n"
                        "config-unusable egress.ciliumNarrowing.ports[0]\n"
                        "config-unusable egress.ciliumNarrowing.hostPorts[\"x.example.com\"][0]\n"
                        "config-unusable egress.ciliumNarrowing.hostPorts[\"a.example.com\"]\n"
                        "config-unusable egress.ciliumNarrowing.tlsPorts[0]\n"
                        "config-unusable egress.ciliumNarrowing.dnsNames.clusterDomain\n"
                        "config-unusable egress.ciliumNarrowing.dnsNames.searchSuffixes[0]\n"
                        "profile-unusable egress.profileLabelKey\n"
                        "profile-unusable egress.profile\n"
                        "per-sandbox-unusable egress.perSandbox.engine\n"
                        "per-sandbox-unusable egress.perSandbox.admissionPolicyName\n"
                        "per-sandbox-unusable egress.perSandbox.admissionPolicyBindingName\n"
                        "config-unusable egress.perSandbox.narrowing.ports\n"
                        "per-sandbox-unusable egress.perSandbox.hostIdentity\n"
                        "per-sandbox-unusable egress.perSandbox.permittedHostsParam.name\n"
                        "per-sandbox-unusable egress.perSandbox.permittedHostsParam.namespace\n"
                        "per-sandbox-unusable egress.perSandbox.labelKey\n"
                        "host-unusable egress.policy.allowedHosts[1]\n"
                        "host-unusable egress.policy.allowedHosts[0]\n"
                        "config-unusable egress.networkPolicyName\n"
                        "config-unusable egress.ciliumNarrowing.hostPorts[\"x.example.com\"]\n"
                        "config-unusable egress.ciliumNarrowing.hostPorts[\"a.example.com\"]\n");
    loaded_free(&loaded);
}

static void expect_lines(const char *text, const char *lines) {
    struct loaded loaded = load_text(text);
    assert_string_equal(loaded_lines(&loaded, SEVERITY_ERROR), lines);
    loaded_free(&loaded);
}

static void an_unknown_kind_comes_after_profile_and_per_sandbox(void **state) {
    (void)state;
    expect_lines(
        T "egress: {policy: {kind: nothing}, profile: BAD, perSandbox: {engine: core, admissionPolicyName: f}}\n",
        "profile-unusable egress.profile\n"
        "per-sandbox-unusable egress.perSandbox.engine\n"
        "config-unusable egress.policy.kind\n");
}

static void an_unknown_kind_is_none_that_can_be_narrowed(void **state) {
    (void)state;
    expect_lines(T "egress: {engine: cilium, policy: {kind: nothing}, ciliumNarrowing: {ports: [443]}}\n",
                 "narrowing-unsupported egress.ciliumNarrowing\n"
                 "config-unusable egress.policy.kind\n");
}

static void what_hangs_on_an_unknown_engine_is_not_guessed(void **state) {
    (void)state;
    expect_lines(
        T "egress: {engine: calico, policy: {kind: static, allowedHosts: ['*']}, ciliumNarrowing: {ports: [443]}}\n",
        "config-unusable egress.engine\n"
        "host-unusable egress.policy.allowedHosts[0]\n");
}

static void faults_of_an_inactive_narrowing_come_last(void **state) {
    (void)state;
    expect_lines(T "egress: {engine: cilium, policy: {kind: static, allowedHosts: ['*']}, profile: -x,\n"
                   "  ciliumNarrowing: {tlsPorts: [1.5]}}\n",
                 "profile-unusable egress.profile\n"
                 "host-unusable egress.policy.allowedHosts[0]\n"
                 "config-unusable egress.ciliumNarrowing.tlsPorts[0]\n");
}

static void a_template_that_is_too_long_comes_after_hosts(void **state) {
    (void)state;
    expect_lines(
        "namespace: agents\nsandboxTemplateName: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
        "egress: {engine: cilium, policy: {kind: static, allowedHosts: ['*']}}\n",
        "host-unusable egress.policy.allowedHosts[0]\n"
        "config-unusable sandboxTemplateName\n");
}

static void every_document_is_judged_on_its_own(void **state) {
    (void)state;
    struct loaded loaded = load_text(T "egress: {policy: {kind: deny-all}}\n---\nnamespace: agents\n---\n" T
                                       "egress: {policy: {kind: static, allowedHosts: []}, networkPolicyName: x}\n");
    assert_int_equal(loaded.config.count, 3);
    assert_true(loaded.config.boundaries[0].usable);
    assert_false(loaded.config.boundaries[1].usable);
    assert_false(loaded.config.boundaries[2].usable);
    assert_int_equal(loaded.config.boundaries[1].document, 2);
    assert_int_equal(loaded.config.boundaries[1].diagnostics.list[0].location.line, 5);
    assert_int_equal(loaded.config.boundaries[2].diagnostics.list[0].code, CODE_POLICY_UNENFORCEABLE);
    assert_int_equal(loaded.result, CONFIG_REFUSED);
    loaded_free(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_come_in_the_order_of_the_contract),
        cmocka_unit_test(an_unknown_kind_comes_after_profile_and_per_sandbox),
        cmocka_unit_test(an_unknown_kind_is_none_that_can_be_narrowed),
        cmocka_unit_test(what_hangs_on_an_unknown_engine_is_not_guessed),
        cmocka_unit_test(faults_of_an_inactive_narrowing_come_last),
        cmocka_unit_test(a_template_that_is_too_long_comes_after_hosts),
        cmocka_unit_test(every_document_is_judged_on_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a config lets out, read from its compiled object (spec/analysis.md 4, spec/config.md 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/allowance.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

#define CONFIG(egress) "namespace: ns\nsandboxTemplateName: box\negress: " egress "\n"
#define STATIC "{engine: cilium, policy: {kind: static, allowedHosts: [a.example, .b.example]}}"

static void compiled_object_is_a_policy_like_any_other(void **state) {
    static const struct {
        const char *config;
        enum object_kind kind;
        bool nothing;
    } rows[] = {
        {CONFIG("{policy: {kind: no-network}}"), OBJECT_NETWORK_POLICY, false},
        {CONFIG("{policy: {kind: deny-all}}"), OBJECT_NETWORK_POLICY, false},
        {CONFIG("{policy: {kind: public-internet}, engine: cilium}"), OBJECT_NETWORK_POLICY, false},
        {CONFIG("{policy: {kind: allow-all}}"), OBJECT_NETWORK_POLICY, false},
        {CONFIG(STATIC), OBJECT_CILIUM_NETWORK_POLICY, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct boundary *boundary = stage_boundary(*state, rows[i].config);
        const struct policy *policy = boundary_policy(boundary, *state);
        assert_non_null(policy);
        assert_int_equal(policy->object->kind, rows[i].kind);
        assert_string_equal(policy->object->namespace, "ns");
        assert_string_equal(policy->object->name, "box-egress");
        assert_string_equal(policy->object->file, "egress.yaml");
        assert_int_equal(policy->problem_count, 0);
        assert_true((policy->core != NULL) == (rows[i].kind == OBJECT_NETWORK_POLICY));
    }
}

/* The config, whether Cilium reads it, a flow, whether it is let out. */
static void flows_are_let_out_by_the_kind_of_policy(void **state) {
    static const struct {
        const char *config;
        bool cilium;
        const char *flow;
        bool allowed;
    } rows[] = {
        {CONFIG("{policy: {kind: no-network}}"), false, "pod:kube-system? 53/UDP", false},
        {CONFIG("{policy: {kind: deny-all}}"), false, "pod:kube-system? 53/UDP", true},
        {CONFIG("{policy: {kind: deny-all}}"), false, "pod:kube-system? 53/TCP", true},
        {CONFIG("{policy: {kind: deny-all}}"), false, "pod:kube-system? 54/TCP", false},
        {CONFIG("{policy: {kind: deny-all}}"), false, "pod:ns? 53/UDP", false},
        {CONFIG("{policy: {kind: public-internet}}"), false, "8.8.8.8 443/TCP", true},
        {CONFIG("{policy: {kind: public-internet}}"), false, "2001:db8::1 443/TCP", true},
        {CONFIG("{policy: {kind: public-internet}}"), false, "169.254.169.254 80/TCP", false},
        {CONFIG("{policy: {kind: public-internet}}"), false, "10.0.0.1 80/TCP", false},
        {CONFIG("{policy: {kind: public-internet}}"), false, "168.63.129.16 80/TCP", false},
        {CONFIG("{policy: {kind: public-internet}}"), false, "fd00:ec2::254 80/TCP", false},
        {CONFIG("{policy: {kind: public-internet}}"), false, "pod:kube-system?k8s-app=kube-dns 53/UDP", true},
        {CONFIG("{policy: {kind: public-internet}}"), false, "pod:kube-system?k8s-app=other 53/UDP", false},
        {CONFIG(STATIC), true, "name:a.example 443/TCP", true},
        {CONFIG(STATIC), true, "name:b.example 1/UDP", true},
        {CONFIG(STATIC), true, "name:c.b.example 443/TCP", true},
        {CONFIG(STATIC), true, "name:d.c.b.example 443/TCP", false},
        {CONFIG(STATIC), true, "name:other.example 443/TCP", false},
        {CONFIG(STATIC), true, "8.8.8.8 443/TCP", false},
        {CONFIG(STATIC), true, "pod:kube-system?k8s-app=kube-dns 53/TCP dns:any.name", true},
        {CONFIG(STATIC), true, "pod:kube-system?k8s-app=kube-dns 54/TCP", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_of(*state, "");
        if (rows[i].cilium)
            stage_read_cilium(stage, CILIUM_1_18);
        struct policy *policy = boundary_policy(stage_boundary(*state, rows[i].config), *state);
        struct allowance allowance = allowance_of(&policy, 1, false, &stage->cluster, &stage->reading);
        struct flow flow = stage_flow(stage, rows[i].flow);
        if (flow_set_contains(&allowance.lower, &flow) != rows[i].allowed ||
            flow_set_contains(&allowance.upper, &flow) != rows[i].allowed)
            fail_msg("row %zu: %s", i, rows[i].flow);
    }
}

static void several_policies_let_out_what_they_do_together(void **state) {
    struct stage *stage = stage_of(*state, CNP("a", "{endpointSelector: {}, egress: [{toCIDR: [10.0.0.0/9]}]}")
                                               CNP("b", "{endpointSelector: {}, egress: [{toCIDR: [10.128.0.0/9]}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    const struct object_list *list = &stage->snapshot.objects.of[OBJECT_CILIUM_NETWORK_POLICY];
    struct policy *policies[] = {policy_read(&list->list[0], *state), policy_read(&list->list[1], *state)};
    struct allowance both = allowance_of(policies, 2, false, &stage->cluster, &stage->reading);
    struct allowance one = allowance_of(policies, 1, false, &stage->cluster, &stage->reading);
    struct flow flow = stage_flow(stage, "10.200.0.1 443/TCP");
    assert_true(flow_set_contains(&both.lower, &flow));
    assert_false(flow_set_contains(&one.upper, &flow));
    struct allowance none = allowance_of(policies, 0, false, &stage->cluster, &stage->reading);
    assert_int_equal(flow_set_is_empty(*state, &none.upper), SET_EMPTY);
}

static void all_addresses_let_the_api_server_out_wherever_it_is(void **state) {
    struct stage *stage = stage_of(*state, CNP("a", "{endpointSelector: {}, egress: [{toCIDR: [0.0.0.0/0, '::/0']}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    struct policy *policy = policy_read(&stage->snapshot.objects.of[OBJECT_CILIUM_NETWORK_POLICY].list[0], *state);
    struct allowance allowance = allowance_of(&policy, 1, false, &stage->cluster, &stage->reading);
    struct flow server = stage_flow(stage, "kube-apiserver 443/TCP"), node = stage_flow(stage, "host 443/TCP");
    assert_true(flow_set_contains(&allowance.lower, &server));
    assert_false(flow_set_contains(&allowance.upper, &node));
}

static void everything_is_everything(void **state) {
    struct stage *stage = stage_of(*state, "");
    struct allowance allowance = allowance_of(NULL, 0, true, &stage->cluster, &stage->reading);
    static const char *const flows[] = {"8.8.8.8 443/TCP", "host 1/SCTP", "pod:ns? 53/UDP dns:a.example",
                                        "name:a.example 443/TCP", "kube-apiserver 0/other"};
    assert_true(allowance.everything);
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        struct flow flow = stage_flow(stage, flows[i]);
        assert_true(flow_set_contains(&allowance.lower, &flow));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(compiled_object_is_a_policy_like_any_other, begin, end),
        cmocka_unit_test_setup_teardown(flows_are_let_out_by_the_kind_of_policy, begin, end),
        cmocka_unit_test_setup_teardown(several_policies_let_out_what_they_do_together, begin, end),
        cmocka_unit_test_setup_teardown(all_addresses_let_the_api_server_out_wherever_it_is, begin, end),
        cmocka_unit_test_setup_teardown(everything_is_everything, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

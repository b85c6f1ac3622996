/* What the API server or the agent refuses, and what cannot select a pod (spec/analysis.md 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "scene.h"
#include "tests/arena_state.h"

#define NO_NETWORK "{policy: {kind: no-network}, engine: cilium}"
#define POD "sandbox.namzu.ai/template=box,app=web"
#define NAMED                                                                                                          \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: box-egress, namespace: ns}\n"        \
    "spec: {podSelector: {matchLabels: {sandbox.namzu.ai/template: box}}, policyTypes: [Egress], egress: []}\n"

struct row {
    const char *body;
    const char *verdict, *refusal;
};

/* Each body, as a policy named `p` beside what else is there. */
static void expect(struct arena *arena, const char *(*policy)(struct arena *, const char *), const char *beside,
                   const struct row *rows) {
    for (; rows->body; rows++) {
        const char *objects = arena_format(arena, "%s%s", beside, policy(arena, rows->body));
        const struct boundary_decision *decision = scene_decide(arena, NO_NETWORK, objects, POD);
        if (strcmp(scene_verdict(decision, "p", -1), rows->verdict) != 0 ||
            strcmp(scene_refusal(decision), rows->refusal) != 0)
            fail_msg("%s: %s, %s", rows->body, scene_verdict(decision, "p", -1), scene_refusal(decision));
    }
}

static void rule_for_nodes_never_selects_a_pod(void **state) {
    static const struct row rows[] = {
        {"spec: {nodeSelector: {}, egress: [{toEntities: [all]}]}", "does-not-select", "pass"},
        {"spec: {nodeSelector: {matchLabels: {a: b}}, egress: [{toEntities: [none]}]}", "does-not-select", "pass"},
        {"spec: {nodeSelector: null, endpointSelector: {}, egress: [{toEntities: [all]}]}", "widens-egress",
         "policy-widens-egress"},
        {"spec: {nodeSelector: {}, endpointSelector: {}, egress: [{toEntities: [all]}]}", "not-evaluable",
         "not-evaluable"},
        {NULL, NULL, NULL},
    };
    expect(*state, scene_cilium, NAMED, rows);
}

static void refused_policy_is_evaluated_where_it_cannot_change_the_answer(void **state) {
    static const struct row rows[] = {
        {"spec: {endpointSelector: {}, egress: [{toFQDNs: [{}], toPorts: [{ports: []}]}]}", "within", "pass"},
        {"spec: {endpointSelector: {}, egress: [null]}", "within", "pass"},
        {"spec: {endpointSelector: {}, egress: [{toFQDNs: [{}, {matchName: a.example}]}]}", "not-evaluable",
         "not-evaluable"},
        {"spec: {endpointSelector: {}}", "not-egress-scoped", "pass"},
        {NULL, NULL, NULL},
    };
    expect(*state, scene_cilium, NAMED, rows);
}

static void refused_policy_does_not_isolate(void **state) {
    static const struct row rows[] = {
        {"spec: {egress: [{toEntities: [none]}]}", "not-evaluable", "not-evaluable"},
        {"spec: {endpointSelector: {}, egress: [{toEntities: [none]}]}", "within", "pass"},
        {NULL, NULL, NULL},
    };
    expect(*state, scene_cilium, "", rows);
}

/* `specs` holds an entry without any list, so the agent refuses the whole object, its deny too. */
static void refused_policy_denies_nothing(void **state) {
    static const char wide[] = "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\n"
                               "metadata: {name: wide, namespace: ns}\n"
                               "spec: {endpointSelector: {}, egress: [{toCIDR: [0.0.0.0/1]}]}\n";
    static const struct row rows[] = {
        {"spec: {endpointSelector: {}, egressDeny: [{toEntities: [world]}]}\nspecs: [{endpointSelector: {}}]",
         "not-evaluable", "policy-widens-egress"},
        {"spec: {endpointSelector: {}, egressDeny: [{toEntities: [world]}]}", "within", "pass"},
        {NULL, NULL, NULL},
    };
    expect(*state, scene_cilium, arena_format(*state, "%s%s", NAMED, wide), rows);
    const char *objects = arena_format(*state, "%s%s%s", NAMED, wide, scene_cilium(*state, rows[0].body));
    assert_string_equal(scene_verdict(scene_decide(*state, NO_NETWORK, objects, POD), "wide", -1), "widens-egress");
}

static void doubt_about_another_policy_is_named_as_such(void **state) {
    static const char *const bodies = "spec: {endpointSelector: {}, egressDeny: [{toEntities: [world], toPorts: x}]}";
    static const char wide[] = "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\n"
                               "metadata: {name: wide, namespace: ns}\n"
                               "spec: {endpointSelector: {}, egress: [{toCIDR: [0.0.0.0/1]}]}\n";
    const char *objects = arena_format(*state, "%s%s%s", NAMED, wide, scene_cilium(*state, bodies));
    const struct boundary_decision *decision = scene_decide(*state, NO_NETWORK, objects, POD);
    assert_string_equal(scene_verdict(decision, "wide", -1), "not-evaluable");
    assert_string_equal(scene_examined(decision, "wide", -1)->detail,
                        "it depends on other policies, which cannot be evaluated");
    assert_string_equal(scene_examined(decision, "p", -1)->path, "spec.egressDeny[0].toPorts");
}

static void selector_with_a_fault_settles_nothing_by_it(void **state) {
    static const struct row rows[] = {
        {"spec: {podSelector: {matchExpressions: [{key: zone, operator: In}]}, egress: [{}]}", "not-evaluable",
         "not-evaluable"},
        {"spec: {podSelector: {matchExpressions: [{key: 5, operator: Exists}]}, egress: [{}]}", "not-evaluable",
         "not-evaluable"},
        {"spec: {podSelector: {matchLabels: {app: db}, matchExpressions: [{key: app, operator: Like}]}, egress: [{}]}",
         "does-not-select", "pass"},
        {"spec: {podSelector: {matchLabels: {app: db}}, egress: x}", "does-not-select", "pass"},
        {NULL, NULL, NULL},
    };
    expect(*state, scene_core, NAMED, rows);
}

/* An entry of toServices that names nothing never resolves, and ports without a peer reach everything (C 3.6). */
static void service_that_names_nothing_opens_its_ports_to_everything(void **state) {
    static const struct row rows[] = {
        {"spec: {endpointSelector: {}, egress: [{toServices: [{}], toPorts: [{ports: [{port: '443'}]}]}]}",
         "widens-egress", "policy-widens-egress"},
        {"spec: {endpointSelector: {}, egress: [{toServices: [{}]}]}", "within", "pass"},
        {"spec: {endpointSelector: {}, egress: [{toServices: [{k8sService: {serviceName: s, namespace: n}}], "
         "toPorts: [{ports: [{port: '443'}]}]}]}",
         "not-evaluable", "not-evaluable"},
        {NULL, NULL, NULL},
    };
    expect(*state, scene_cilium, NAMED, rows);
}

static void null_specs_are_no_specs(void **state) {
    const struct boundary_decision *decision = scene_decide(*state, NO_NETWORK, NAMED "specs: null\n", POD);
    assert_int_equal(decision->named_object->status, NAMED_MATCH);
    assert_string_equal(scene_verdict(decision, "box-egress", -1), "within");
    assert_string_equal(scene_refusal(decision), "pass");
    decision = scene_decide(*state, NO_NETWORK, NAMED "specs: []\n", POD);
    assert_int_equal(decision->named_object->status, NAMED_MISMATCH);
    assert_string_equal(decision->named_object->part, "specs");
    assert_string_equal(scene_refusal(decision), "no-enforcing-policy");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rule_for_nodes_never_selects_a_pod, begin, end),
        cmocka_unit_test_setup_teardown(refused_policy_is_evaluated_where_it_cannot_change_the_answer, begin, end),
        cmocka_unit_test_setup_teardown(refused_policy_does_not_isolate, begin, end),
        cmocka_unit_test_setup_teardown(refused_policy_denies_nothing, begin, end),
        cmocka_unit_test_setup_teardown(doubt_about_another_policy_is_named_as_such, begin, end),
        cmocka_unit_test_setup_teardown(selector_with_a_fault_settles_nothing_by_it, begin, end),
        cmocka_unit_test_setup_teardown(service_that_names_nothing_opens_its_ports_to_everything, begin, end),
        cmocka_unit_test_setup_teardown(null_specs_are_no_specs, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

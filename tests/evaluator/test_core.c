/* NetworkPolicies as the API means them: the tables of spec/kubernetes-egress.md 1 and 2, as facts about single flows. */
#include "tests/evaluator/facts.h"

/* --- K 1 ----------------------------------------------------------------------------------------------------- */

static void policy_types_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {0, 0, "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: team}}",
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}, egress: []}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}, policyTypes: [], egress: null}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}, egress: [{ports: [{port: 53}]}]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{egress: [null]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{policyTypes: [Ingress], egress: [{ports: [{port: 53}]}]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{policyTypes: [Egress]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Egress], egress: []}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Ingress, Egress]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Egress, Egress]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Egress, Egress, Egress]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        /* refused, and without a word for egress it would not isolate either */
        {0, 0, NP_SPEC("{policyTypes: [egress]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{policyTypes: [Egress, egress]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP_SPEC("{podSelector: {matchLabels: {app: db}}, policyTypes: [Egress]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
    };
    CHECK(facts);
}

static void peer_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {0, 0, NP("[{to: []}]"), "ip 9.9.9.9 other", ALLOWED},
        {0, 0, NP("[{to: [{}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [null]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{podSelector: {matchLabels: {a: b}}}]}]"), "pod team a=b TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{podSelector: {matchLabels: {a: b}}}]}]"), "pod ops a=b TCP 1", DENIED},
        {0, 0, NP("[{to: [{podSelector: {}}]}]"), "pod team - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{podSelector: {}, namespaceSelector: null}]}]"), "pod ops - TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}}]}]"), "pod ops/env=prod - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}}]}]"), "pod ops - TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ops}}}]}]"),
         "pod ops - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {}}]}]"), "pod ops - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {}}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}, podSelector: {matchLabels: {a: b}}}]}]"),
         "pod ops/env=prod a=c TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}, podSelector: {matchLabels: {a: b}}}]}]"),
         "pod ops/env=prod a=b TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}}, {podSelector: {matchLabels: {a: b}}}]}]"),
         "pod ops/env=prod a=c TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8}, podSelector: {}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [9.9.0.0/16]}}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [9.9.0.0/16]}}, {ipBlock: {cidr: 9.9.9.0/24}}]}]"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [9.0.0.0/8]}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [8.0.0.0/16]}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: '::/0', except: [8.0.0.0/16]}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.5/8}}]}]"), "ip 9.255.0.1 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 010.0.0.0/08}}]}]"), "ip 10.1.0.1 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: '::ffff:10.0.0.0/104'}}]}]"), "ip 10.1.0.1 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.9.9.9}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]"), "ip fd00::1 TCP 1", DENIED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]"), "pod team - TCP 1", DENIED},
    };
    CHECK(facts);
    struct evaluator_reading octal = reading_of(0);
    octal.octal_zeros = true;
    octal.mapped_as_ipv4 = false;
    struct fact eight = {0, 0, NP("[{to: [{ipBlock: {cidr: 010.0.0.0/8}}]}]"), "ip 8.1.0.1 TCP 1", ALLOWED};
    assert_int_equal(ask(&eight, &octal).answer, ALLOWED);
    struct fact mapped = {0, 0, NP("[{to: [{ipBlock: {cidr: '::ffff:10.0.0.0/104'}}]}]"), "ip ::ffff:10.1.0.1 TCP 1",
                          ALLOWED};
    assert_int_equal(ask(&mapped, &octal).answer, ALLOWED);
}

static void port_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {0, 0, NP("[{ports: []}]"), "ip 9.9.9.9 ICMP 8", ALLOWED},
        {0, 0, NP("[{ports: [{}]}]"), "ip 9.9.9.9 TCP 65535", ALLOWED},
        {0, 0, NP("[{ports: [null]}]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP("[{ports: [{}]}]"), "ip 9.9.9.9 UDP 1", DENIED},
        {0, 0, NP("[{ports: [{protocol: UDP}]}]"), "ip 9.9.9.9 UDP 1", ALLOWED},
        {0, 0, NP("[{ports: [{protocol: null, port: 80}]}]"), "ip 9.9.9.9 TCP 80", ALLOWED},
        {0, 0, NP("[{ports: [{protocol: '', port: 80}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{protocol: tcp, port: 80}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 90}]}]"), "ip 9.9.9.9 TCP 90", ALLOWED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 90}]}]"), "ip 9.9.9.9 TCP 91", DENIED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 80}]}]"), "ip 9.9.9.9 TCP 80", ALLOWED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 79}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{endPort: 79}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: web, endPort: 79}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: 0}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: '80'}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: web}]}]"), "ip 9.9.9.9 TCP 80", DENIED},
        {0, 0, NP("[{ports: [{port: web}]}]"), "pod team - TCP 80", DENIED},
        {0, 0, NP("[{ports: [{port: 80}]}]"), "ip 9.9.9.9 ICMP 80", DENIED},
    };
    CHECK(facts);
}

static void selector_table(void **state) {
    (void)state;
#define SELECT(expression) NP("[{to: [{podSelector: {matchExpressions: [" expression "]}}]}]")
    static const struct fact facts[] = {
        {0, 19, SELECT("{key: a, operator: In, values: [b, c]}"), "pod team a=c TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: In, values: [b, c]}"), "pod team a=d TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: In, values: [b, c]}"), "pod team - TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: NotIn, values: [b]}"), "pod team - TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: NotIn, values: [b]}"), "pod team a=b TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: NotIn, values: [b]}"), "pod team a=B TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists}"), "pod team a= TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists}"), "pod team b=a TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: DoesNotExist}"), "pod team b=a TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists, values: []}"), "pod team a=b TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists}, {key: a, operator: DoesNotExist}"), "pod team a=b TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: In, values: []}"), "pod team a=b TCP 1", REFUSED},
        {0, 19, SELECT("{key: a, operator: exists}"), "pod team a=b TCP 1", REFUSED},
        {0, 19, SELECT("{key: '', operator: Exists}"), "pod team a=b TCP 1", REFUSED},
        {0, 19, SELECT("{key: a/b/c, operator: Exists}"), "pod team a=b TCP 1", REFUSED},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        struct fact core = facts[i], cilium = facts[i];
        core.to = 0;
        cilium.from = 15;
        check(&core, 1);
        check(&cilium, 1);
    }
}

static void named_ports_resolve(void **state) {
    (void)state;
    static const struct evaluator_named_port web[] = {{"web", EVALUATOR_TCP, 8080}},
                                             other[] = {{"web", EVALUATOR_TCP, 81}};
    struct scene scene;
    struct evaluator_flow flow;
    scene_read(&scene, NP("[{ports: [{port: web}]}]"));
    struct evaluator_pod subject = spell_read_pod("team", "app=web", scene.arena), pods[2] = {subject, subject};
    pods[0].ports = web;
    pods[1].ports = other;
    pods[0].port_count = pods[1].port_count = 1;
    struct evaluator_world world = {.objects = scene.objects, .count = 1, .pods = pods, .pod_count = 1};
    struct evaluator_reading core = reading_of(0), cilium = reading_of(18);
    assert_true(spell_read_flow("pod team - TCP 8080", scene.arena, &flow));
    flow.pod = &pods[0];
    struct evaluator_policy *by_core = evaluate_prepare(&world, &core, &subject, scene.arena);
    struct evaluator_policy *by_cilium = evaluate_prepare(&world, &cilium, &subject, scene.arena);
    assert_int_equal(evaluate_flow(by_core, &flow).answer, ALLOWED);
    assert_int_equal(evaluate_flow(by_cilium, &flow).answer, ALLOWED);
    flow.pod = &pods[1]; /* the destination's own number counts in core, the cluster's one number in Cilium */
    assert_int_equal(evaluate_flow(by_core, &flow).answer, DENIED);
    assert_int_equal(evaluate_flow(by_cilium, &flow).answer, ALLOWED);
    world.pod_count = 2; /* two numbers for one name */
    assert_int_equal(evaluate_flow(by_cilium, &flow).answer, UNKNOWN);
    arena_destroy(scene.arena);
}

static void host_network_pods_are_outside_every_policy(void **state) {
    (void)state;
    struct scene scene;
    struct evaluator_flow flow;
    scene_read(&scene, NP("[]"));
    struct evaluator_pod subject = spell_read_pod("team", "app=web", scene.arena);
    struct evaluator_reading reading = reading_of(0);
    assert_true(spell_read_flow("ip 9.9.9.9 TCP 1", scene.arena, &flow));
    struct evaluator_result before = evaluate(scene.objects, 1, &reading, &subject, &flow, scene.arena);
    subject.host_network = true;
    struct evaluator_result after = evaluate(scene.objects, 1, &reading, &subject, &flow, scene.arena);
    assert_int_equal(before.answer, DENIED);
    assert_true(before.isolated);
    assert_int_equal(after.answer, ALLOWED);
    assert_false(after.isolated);
    arena_destroy(scene.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policy_types_table),  cmocka_unit_test(peer_table),
        cmocka_unit_test(port_table),          cmocka_unit_test(selector_table),
        cmocka_unit_test(named_ports_resolve), cmocka_unit_test(host_network_pods_are_outside_every_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

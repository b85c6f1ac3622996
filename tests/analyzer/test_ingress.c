/* Whether policies close the agent port to strangers (spec/analysis.md 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "ingress_case.h"
#include "tests/arena_state.h"

/* clang-format off */
static const char core_rules[] = CORE_OBJECT("p", "{podSelector: {}, policyTypes: [Ingress], ingress: %s}");
static const char core_sources[] =
    CORE_OBJECT("p", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: %s, ports: [{port: 1024}]}]}");
static const char core_ports[] = CORE_OBJECT("p", "{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: %s}]}");
static const char core_spec[] = CORE_OBJECT("p", "%s");
static const char cilium_rules[] = CILIUM_OBJECT("p", "{endpointSelector: {}, ingress: %s}");
static const char cilium_ports[] =
    CILIUM_OBJECT("p", "{endpointSelector: {}, ingress: [{fromEntities: [world], toPorts: %s}]}");
static const char cilium_spec[] = CILIUM_OBJECT("p", "%s");
/* clang-format on */

static void core_sources_are_wide_open_as_sets(void **state) {
    static const struct row rows[] = {
        {"[{ipBlock: {cidr: 0.0.0.0/0}}]", OPENS},
        {"[{ipBlock: {cidr: '::/0'}}]", OPENS},
        {"[{ipBlock: {cidr: 0.0.0.0/1}}, {ipBlock: {cidr: 128.0.0.0/1}}]", OPENS},
        {"[{ipBlock: {cidr: 0.0.0.0/1}}, {ipBlock: {cidr: 128.0.0.0/2}}]", COVERS},
        {"[{ipBlock: {cidr: 0.0.0.0/1}}, {ipBlock: {cidr: '8000::/1'}}]", COVERS},
        {"[{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}]", OPENS},
        {"[{ipBlock: {cidr: 0.0.0.0/0, except: [0.0.0.0/1, 128.0.0.0/1]}}]", COVERS},
        {"[{ipBlock: {cidr: 0.0.0.0/1, except: [0.0.0.0/2]}}, {ipBlock: {cidr: 128.0.0.0/1}}]", OPENS},
        {"[{ipBlock: {cidr: 10.0.0.0/8}}]", COVERS},
        {"[{namespaceSelector: {}}]", OPENS},
        {"[{namespaceSelector: {}, podSelector: {}}]", OPENS},
        {"[{namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: Exists}]}}]", OPENS},
        {"[{namespaceSelector: {matchExpressions: [{key: a, operator: Exists}]}}, "
         "{namespaceSelector: {matchExpressions: [{key: a, operator: DoesNotExist}]}}]",
         OPENS},
        {"[{namespaceSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}, "
         "{namespaceSelector: {matchExpressions: [{key: a, operator: NotIn, values: [b, c]}]}}]",
         COVERS},
        {"[{namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}]", COVERS},
        {"[{podSelector: {}}]", COVERS},
        {"[]", OPENS},
        {"null", OPENS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CORE_CONFIG, core_sources, rows);
}

static void rules_of_one_policy_open_together(void **state) {
    static const struct row rows[] = {
        {"[{}]", OPENS},
        {"[]", COVERS},
        {"[{from: [{ipBlock: {cidr: 0.0.0.0/1}}], ports: [{port: 1000, endPort: 2000}]}, "
         "{from: [{ipBlock: {cidr: 128.0.0.0/1}}]}]",
         OPENS},
        {"[{from: [{ipBlock: {cidr: 0.0.0.0/1}}], ports: [{port: 1023}]}, "
         "{from: [{ipBlock: {cidr: 128.0.0.0/1}}]}]",
         COVERS},
        {"[{from: [{podSelector: {}}]}, {ports: [{port: 80}]}]", COVERS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CORE_CONFIG, core_rules, rows);
}

static void halves_in_two_policies_do_not_open(void **state) {
    const char *objects = CORE_OBJECT("p", "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/1}}]}]}")
        CORE_OBJECT("q", "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 128.0.0.0/1}}]}]}");
    const struct side_decision *side = decide_ingress(*state, &(struct question){"", objects, POD});
    assert_int_equal(examined_of(side, "p")->verdict, VERDICT_COVERS);
    assert_int_equal(examined_of(side, "q")->verdict, VERDICT_COVERS);
}

static void core_ports_hold_the_agent_port(void **state) {
    static const struct row rows[] = {
        {"[]", OPENS},
        {"null", OPENS},
        {"[{}]", OPENS},
        {"[null]", OPENS},
        {"[{protocol: UDP}]", COVERS},
        {"[{protocol: null, port: 1024}]", OPENS},
        {"[{port: 1024}]", OPENS},
        {"[{port: 1025}]", COVERS},
        {"[{port: 1000, endPort: 1023}, {port: 1025, endPort: 2000}]", COVERS},
        {"[{port: 1000, endPort: 1024}]", OPENS},
        {"[{protocol: SCTP, port: 1024}]", COVERS},
        {"[{port: agent}]", UNCLEAR},
        {"[{protocol: UDP, port: agent}]", COVERS},
        {"[{port: 02000}]", OPENS}, /* a plain number in YAML, octal */
        LAST_ROW,
    };
    expect(*state, ENGINE_CORE_CONFIG, core_ports, rows);
}

static void policy_types_decide_whether_there_are_rules(void **state) {
    static const struct row rows[] = {
        {"{}", COVERS},
        {"null", COVERS},
        {"{podSelector: {}}", COVERS},
        {"{podSelector: {}, policyTypes: [], ingress: [{}]}", OPENS},
        {"{podSelector: {}, policyTypes: [], ingress: []}", COVERS},
        {"{podSelector: {}, egress: [{}]}", COVERS},
        {"{podSelector: {}, policyTypes: [Egress], ingress: [{}]}", LEAVES},
        {"{podSelector: {}, policyTypes: [Egress, Ingress], ingress: [{}]}", OPENS},
        {"{podSelector: {matchLabels: {app: db}}, ingress: [{}]}", "does-not-select", "no-covering-policy"},
        {"{podSelector: {}, policyTypes: x}", UNCLEAR},
        {"{podSelector: {}, ingress: x}", UNCLEAR},
        {"{podSelector: {}, ingress: [{from: [{}]}]}", UNCLEAR},
        {"{podSelector: {}, ingress: [], surplus: 1}", LEAVES},
        LAST_ROW,
    };
    expect(*state, ENGINE_CORE_CONFIG, core_spec, rows);
    static const struct row under_cilium[] = {
        {"{podSelector: {}, policyTypes: [Egress], ingress: [{}]}", LEAVES},
        {"{podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]}", OPENS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CILIUM_CONFIG, core_spec, under_cilium);
}

static void cilium_sources_are_wide_open_as_sets(void **state) {
    static const struct row rows[] = {
        {"[{}]", COVERS},
        {"[{fromEndpoints: []}]", COVERS},
        {"[{fromEndpoints: [], toPorts: [{ports: [{port: '1024'}]}]}]", COVERS},
        {"[{fromEntities: [], toPorts: [{ports: [{port: '1024'}]}]}]", COVERS},
        {"[{toPorts: [{ports: [{port: '1024'}]}]}]", OPENS},
        {"[{fromEndpoints: null, toPorts: [{ports: [{port: '1024'}]}]}]", OPENS},
        {"[{fromEndpoints: [{}]}]", COVERS},
        {"[{fromEndpoints: [{matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: Exists}]}]}]",
         OPENS},
        {"[{fromEndpoints: [{matchLabels: {'reserved:world': ''}}]}]", OPENS},
        {"[{fromEndpoints: [{matchLabels: {'reserved:world-ipv4': ''}}]}]", OPENS},
        {"[{fromEndpoints: [{matchLabels: {'reserved:host': ''}}]}]", COVERS},
        {"[{fromEntities: [all]}]", OPENS},
        {"[{fromEntities: [cluster]}]", OPENS},
        {"[{fromEntities: [world]}]", OPENS},
        {"[{fromEntities: [host, remote-node, health, ingress, init, unmanaged, kube-apiserver]}]", COVERS},
        {"[{fromEntities: [none]}]", COVERS},
        {"[{fromEntities: [world-ipv4]}]", UNCLEAR}, /* refused; if it were in force, it would open */
        {"[{fromCIDR: [0.0.0.0/0]}]", OPENS},
        {"[{fromCIDR: ['::/1', '8000::/1']}]", OPENS},
        {"[{fromCIDR: [10.0.0.0/8]}]", COVERS},
        {"[{fromCIDRSet: [{cidr: 0.0.0.0/0, except: [10.0.0.0/8]}]}]", OPENS},
        {"[{fromCIDRSet: [{cidr: 0.0.0.0/0, except: [0.0.0.0/1, 128.0.0.0/1]}]}]", COVERS},
        {"[{fromCIDRSet: [{cidrGroupRef: g}]}]", UNCLEAR},
        {"[{fromGroups: [{aws: {}}]}]", UNCLEAR},
        {"[{fromEntities: [host]}, {fromCIDR: [0.0.0.0/1]}, {fromCIDR: [128.0.0.0/1]}]", OPENS},
        {"[{icmps: [{fields: [{type: 8, family: IPv4}]}]}]", COVERS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CILIUM_CONFIG, cilium_rules, rows);
    static const struct row up_to_1_15[] = {
        {"[{fromEndpoints: []}]", COVERS},
        {"[{fromEndpoints: [], toPorts: [{ports: [{port: '1024'}]}]}]", OPENS},
        LAST_ROW,
    };
    expect(*state, OLD_CILIUM_CONFIG, cilium_rules, up_to_1_15);
}

static void cilium_ports_hold_the_agent_port(void **state) {
    static const struct row rows[] = {
        {"[]", OPENS},
        {"[{}]", COVERS},
        {"[{ports: []}]", COVERS},
        {"[{ports: [{port: '1024'}]}]", OPENS},
        {"[{ports: [{port: '1024', protocol: UDP}]}]", COVERS},
        {"[{ports: [{port: '1024', protocol: ANY}]}]", OPENS},
        {"[{ports: [{port: '0', protocol: TCP}]}]", OPENS},
        {"[{ports: [{port: '0', protocol: UDP}]}]", COVERS},
        {"[{ports: [{port: '02000'}]}]", OPENS},
        {"[{ports: [{port: '0x400'}]}]", UNCLEAR}, /* a name */
        {"[{ports: [{port: '1000', endPort: 1023}]}]", COVERS},
        {"[{ports: [{port: '1000', endPort: 2000}]}]", OPENS},
        {"[{ports: [{port: agent}]}]", UNCLEAR},
        {"[{ports: [{port: agent, protocol: UDP}]}]", COVERS},
        {"[{ports: [{port: '1024', protocol: TCP}], rules: {http: [{path: /}]}}]", OPENS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CILIUM_CONFIG, cilium_ports, rows);
}

static void cilium_rules_cover_where_they_isolate(void **state) {
    static const struct row rows[] = {
        {"{endpointSelector: {}, ingress: []}", LEAVES},
        {"{endpointSelector: {}}", LEAVES},
        {"{endpointSelector: {}, egress: [{}]}", LEAVES},
        {"{endpointSelector: {}, egress: [{}], enableDefaultDeny: {ingress: true}}", LEAVES},
        {"{endpointSelector: {}, ingressDeny: [{fromEntities: [world]}]}", COVERS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [host]}], enableDefaultDeny: {ingress: false}}", LEAVES},
        {"{endpointSelector: {}, ingress: [{fromEntities: [host]}], enableDefaultDeny: {egress: false}}", COVERS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [all]}], enableDefaultDeny: {ingress: false}}", OPENS},
        {"{endpointSelector: {}, ingress: [{fromEntities: x}]}", UNCLEAR},
        {"{ingress: [{fromEntities: [host]}]}", UNCLEAR},
        {"{endpointSelector: {matchLabels: {'k8s:app': db}}, ingress: [{fromEntities: [all]}]}", "does-not-select",
         "no-covering-policy"},
        LAST_ROW,
    };
    expect(*state, ENGINE_CILIUM_CONFIG, cilium_spec, rows);
    static const struct row up_to_1_15[] = {
        /* The key is pruned, so it isolates; but where a key is dropped, that does not count. */
        {"{endpointSelector: {}, ingress: [{fromEntities: [host]}], enableDefaultDeny: {ingress: false}}", LEAVES},
        LAST_ROW,
    };
    expect(*state, OLD_CILIUM_CONFIG, cilium_spec, up_to_1_15);
}

static void denied_sources_are_taken_away_first(void **state) {
    static const struct row rows[] = {
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}], ingressDeny: [{fromEntities: [world]}]}", COVERS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [all]}], ingressDeny: [{fromEntities: [world]}]}", OPENS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}], ingressDeny: [{fromEntities: [all]}]}", COVERS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}], ingressDeny: [{fromCIDR: [10.0.0.0/8]}]}", OPENS},
        {"{endpointSelector: {}, ingress: [{fromCIDR: [0.0.0.0/0]}], "
         "ingressDeny: [{fromCIDR: [0.0.0.0/1]}, {fromCIDR: [128.0.0.0/1]}]}",
         COVERS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}], "
         "ingressDeny: [{fromEntities: [world], toPorts: [{ports: [{port: '1024', protocol: TCP}]}]}]}",
         COVERS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}], "
         "ingressDeny: [{fromEntities: [world], toPorts: [{ports: [{port: '1024', protocol: UDP}]}]}]}",
         OPENS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}], "
         "ingressDeny: [{toPorts: [{ports: [{port: '1024'}]}]}]}",
         COVERS},
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}], "
         "ingressDeny: [{fromEntities: [world], toPorts: [{ports: [{port: agent}]}]}]}",
         UNCLEAR},
        {"{endpointSelector: {}, ingress: [{fromEntities: [cluster]}], "
         "ingressDeny: [{fromEndpoints: [{matchLabels: {app: web}}]}]}",
         OPENS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CILIUM_CONFIG, cilium_spec, rows);
}

static void a_deny_of_another_policy_counts_where_it_is_certain(void **state) {
    const char *open = CORE_OBJECT("p", "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0}}]}]}");
    static const struct row rows[] = {
        {CILIUM_OBJECT("d", "{endpointSelector: {}, ingressDeny: [{fromEntities: [world]}]}"), COVERS},
        {CILIUM_OBJECT("d", "{endpointSelector: {matchLabels: {app: db}}, ingressDeny: [{fromEntities: [world]}]}"),
         OPENS},
        {CILIUM_OBJECT("d", "{endpointSelector: {matchLabels: {'k8s:io.cilium.k8s.namespace.labels.a': b}}, "
                            "ingressDeny: [{fromEntities: [world]}]}"),
         UNCLEAR},
        LAST_ROW,
    };
    expect(*state, ENGINE_CILIUM_CONFIG, arena_format(*state, "%s%%s", open), rows);
}

static void clusterwide_peers_are_of_every_namespace(void **state) {
    static const struct row rows[] = {
        {"{endpointSelector: {}, ingress: [{fromEndpoints: [{}]}]}", OPENS},
        {"{endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {app: web}}]}]}", COVERS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CILIUM_CONFIG, CLUSTERWIDE_OBJECT("p", "%s"), rows);
}

static void readings_that_differ_cannot_be_evaluated(void **state) {
    static const struct row rows[] = {
        /* selects the world where no cluster is added to a selector, up to 1.18 */
        {"{endpointSelector: {}, ingress: [{fromEndpoints: [{matchExpressions: [{key: "
         "'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: [x]}]}]}]}",
         UNCLEAR},
        {"{endpointSelector: {}, ingress: [{fromEntities: [host]}]}", COVERS},
        LAST_ROW,
    };
    expect(*state, "ingress: {engine: cilium}", cilium_spec, rows);
    static const struct row mapped[] = {
        {"[{ipBlock: {cidr: '::ffff:0.0.0.0/96'}}]", UNCLEAR},
        {"[{ipBlock: {cidr: '::ffff:10.0.0.0/104'}}]", COVERS},
        LAST_ROW,
    };
    expect(*state, ENGINE_CORE_CONFIG, core_sources, mapped);
}

static void cilium_policies_under_the_core_api_count_only_as_doubts(void **state) {
    static const struct row rows[] = {
        {"{endpointSelector: {}, ingress: [{fromEntities: [host]}]}", "covers", "no-covering-policy"},
        {"{endpointSelector: {}, ingress: []}", LEAVES},
        {"{endpointSelector: {}, ingress: [{fromEntities: [world]}]}", UNCLEAR},
        LAST_ROW,
    };
    expect(*state, ENGINE_CORE_CONFIG, cilium_spec, rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(core_sources_are_wide_open_as_sets, begin, end),
        cmocka_unit_test_setup_teardown(rules_of_one_policy_open_together, begin, end),
        cmocka_unit_test_setup_teardown(halves_in_two_policies_do_not_open, begin, end),
        cmocka_unit_test_setup_teardown(core_ports_hold_the_agent_port, begin, end),
        cmocka_unit_test_setup_teardown(policy_types_decide_whether_there_are_rules, begin, end),
        cmocka_unit_test_setup_teardown(cilium_sources_are_wide_open_as_sets, begin, end),
        cmocka_unit_test_setup_teardown(cilium_ports_hold_the_agent_port, begin, end),
        cmocka_unit_test_setup_teardown(cilium_rules_cover_where_they_isolate, begin, end),
        cmocka_unit_test_setup_teardown(denied_sources_are_taken_away_first, begin, end),
        cmocka_unit_test_setup_teardown(a_deny_of_another_policy_counts_where_it_is_certain, begin, end),
        cmocka_unit_test_setup_teardown(clusterwide_peers_are_of_every_namespace, begin, end),
        cmocka_unit_test_setup_teardown(readings_that_differ_cannot_be_evaluated, begin, end),
        cmocka_unit_test_setup_teardown(cilium_policies_under_the_core_api_count_only_as_doubts, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The named object against the compiled one (spec/analysis.md 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "scene.h"
#include "stage.h"
#include "tests/arena_state.h"

#define DENY_ALL "{policy: {kind: deny-all}}"
#define SELECTOR "podSelector: {matchLabels: {sandbox.namzu.ai/template: box}}"
#define TYPES "policyTypes: [Egress]"
#define DNS_PEER "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}}"
#define DNS_TO "to: [" DNS_PEER "]"
#define DNS_RULE "{" DNS_TO ", ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]}"
#define EGRESS(rules) "egress: [" rules "]"
#define SPEC(selector, types, egress) CORE("box-egress", "{" selector ", " types ", " egress "}")

static const struct named_decision *decide(struct arena *arena, const char *config, const char *objects) {
    const struct boundary_decision *decision = scene_decide(arena, config, objects, "sandbox.namzu.ai/template=box");
    assert_non_null(decision->named_object);
    return decision->named_object;
}

static void object_matches_whatever_the_order_of_keys(void **state) {
    static const char *const rows[] = {
        SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE)),
        CORE("box-egress", "{" EGRESS(DNS_RULE) ", " TYPES ", " SELECTOR "}"),
        SPEC(SELECTOR, TYPES, EGRESS("{ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}], " DNS_TO "}")),
        SPEC(SELECTOR, "policyTypes: [Ingress, Egress]", EGRESS(DNS_RULE)), /* it must hold Egress */
        SPEC(SELECTOR, TYPES ", ingress: null", EGRESS(DNS_RULE)),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct named_decision *named = decide(*state, DENY_ALL, rows[i]);
        if (named->status != NAMED_MATCH)
            fail_msg("row %zu: %s at %s", i, named_status_word(named->status), named->path ? named->path : "-");
        assert_null(named->part);
        assert_null(named->path);
        assert_int_equal(named->relation, RELATION_NONE);
        assert_null(named->witness);
    }
}

static void object_of_another_kind_namespace_or_name_is_another(void **state) {
    static const char *const rows[] = {
        "",
        CORE("other", "{" SELECTOR ", " TYPES ", " EGRESS(DNS_RULE) "}"),
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: box-egress, namespace: "
        "other}\nspec: {podSelector: {}}\n",
        CNP("box-egress", "{endpointSelector: {}, egress: [{}]}"),
        "---\napiVersion: extensions/v1beta1\nkind: NetworkPolicy\nmetadata: {name: box-egress}\nspec: {" SELECTOR
        ", " TYPES ", " EGRESS(DNS_RULE) "}\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct boundary_decision *decision =
            scene_decide(*state, DENY_ALL, rows[i], "sandbox.namzu.ai/template=box");
        const struct named_decision *named = decision->named_object;
        if (named->status != NAMED_MISSING)
            fail_msg("row %zu: %s", i, named_status_word(named->status));
        assert_string_equal(named->part, "missing");
        assert_string_equal(named->object.name, "box-egress");
        assert_int_equal(decision->refusals.list[0].code, CODE_NAMED_OBJECT_MISSING);
    }
}

/* A difference, its part, and the path of the first differing value (NULL: not asked). */
struct difference {
    const char *objects, *part, *path;
};

static void expect(struct arena *arena, const char *config, const struct difference *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct named_decision *named = decide(arena, config, rows[i].objects);
        if (named->status != NAMED_MISMATCH)
            fail_msg("row %zu: %s", i, named_status_word(named->status));
        if (strcmp(named->part, rows[i].part) != 0 || (rows[i].path && strcmp(named->path, rows[i].path) != 0))
            fail_msg("row %zu: %s at %s", i, named->part, named->path);
    }
}

static void part_and_path_are_those_of_the_first_difference(void **state) {
    static const struct difference rows[] = {
        {SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE)) "specs: []\n", "specs", "specs"},
        {SPEC("podSelector: {}", TYPES, EGRESS(DNS_RULE)), "selector", "spec.podSelector.matchLabels"},
        {SPEC(TYPES, "podSelector: null", EGRESS(DNS_RULE)), "selector", "spec.podSelector"},
        {SPEC("podSelector: {matchLabels: {sandbox.namzu.ai/template: box, app: web}}", TYPES, EGRESS(DNS_RULE)),
         "selector", "spec.podSelector.matchLabels[\"app\"]"},
        {SPEC("podSelector: {matchLabels: {sandbox.namzu.ai/template: other}}", TYPES, EGRESS(DNS_RULE)), "selector",
         NULL},
        {SPEC(SELECTOR, "policyTypes: [Ingress]", EGRESS(DNS_RULE)), "policyTypes", "spec.policyTypes"},
        {CORE("box-egress", "{" SELECTOR ", " EGRESS(DNS_RULE) "}"), "policyTypes", "spec.policyTypes"},
        {SPEC(SELECTOR, TYPES, EGRESS("")), "egress", "spec.egress[0]"},
        {SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE ", {}")), "egress", "spec.egress[1]"},
        {SPEC(SELECTOR, TYPES, "egress: null"), "egress", "spec.egress"},
        {SPEC(SELECTOR, TYPES, EGRESS("{" DNS_TO ", ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 54}]}")),
         "egress", "spec.egress[0].ports[1].port"},
        /* 53 is not '53', and the order of a list matters. */
        {SPEC(SELECTOR, TYPES, EGRESS("{" DNS_TO ", ports: [{protocol: UDP, port: '53'}, {protocol: TCP, port: 53}]}")),
         "egress", "spec.egress[0].ports[0].port"},
        {SPEC(SELECTOR, TYPES, EGRESS("{" DNS_TO ", ports: [{protocol: TCP, port: 53}, {protocol: UDP, port: 53}]}")),
         "egress", "spec.egress[0].ports[0].protocol"},
        {SPEC(SELECTOR, TYPES, EGRESS("{" DNS_TO "}")), "egress", "spec.egress[0].ports"},
        {SPEC(SELECTOR, TYPES ", ingress: []", EGRESS(DNS_RULE)), "other", "spec.ingress"},
        {SPEC(SELECTOR, TYPES ", more: 1", EGRESS(DNS_RULE)), "other", "spec.more"},
    };
    expect(*state, DENY_ALL, rows, sizeof rows / sizeof *rows);
}

static void parts_are_compared_in_their_order_and_each_difference_is_reported(void **state) {
    static const struct {
        const char *objects, *part;
        size_t refusals;
    } rows[] = {
        {CORE("box-egress", "{podSelector: {}, policyTypes: [Ingress], egress: [], ingress: []}") "specs: []\n",
         "specs", 5},
        {CORE("box-egress", "{podSelector: {}, policyTypes: [Ingress], egress: [], ingress: []}"), "selector", 4},
        {SPEC(SELECTOR, "policyTypes: [Ingress]", "egress: [], ingress: []"), "policyTypes", 3},
        {SPEC(SELECTOR, TYPES, "egress: [], ingress: []"), "egress", 2},
        {SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE) ", ingress: [], more: 1"), "other", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct boundary_decision *decision =
            scene_decide(*state, DENY_ALL, rows[i].objects, "sandbox.namzu.ai/template=box");
        size_t mismatches = 0;
        for (size_t k = 0; k < decision->refusals.count; k++)
            mismatches += decision->refusals.list[k].code == CODE_NAMED_OBJECT_MISMATCH ? 1 : 0;
        if (strcmp(decision->named_object->part, rows[i].part) != 0 || mismatches != rows[i].refusals)
            fail_msg("row %zu: %s, %zu differences", i, decision->named_object->part, mismatches);
    }
}

/* ---- how the two relate ---- */

struct relating {
    const char *objects;
    enum relation relation;
    const char *ip; /* of the witness, where it is an address */
};

static void expect_relation(struct arena *arena, const char *config, const struct relating *rows, size_t count) {
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const struct named_decision *named = decide(arena, config, rows[i].objects);
        assert_int_equal(named->status, NAMED_MISMATCH);
        assert_true((named->witness != NULL) == (named->relation == RELATION_WIDER));
        bool witnessed =
            !rows[i].ip || (named->witness && named->witness->ip && strcmp(named->witness->ip, rows[i].ip) == 0);
        if (named->relation == rows[i].relation && witnessed)
            continue;
        print_error("row %zu: %s\n", i, named->relation ? relation_word(named->relation) : "none");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void relation_says_how_the_flows_and_the_selection_compare(void **state) {
    static const struct relating rows[] = {
        {SPEC(SELECTOR, TYPES, EGRESS("{" DNS_TO ", ports: [{protocol: TCP, port: 53}, {protocol: UDP, port: 53}]}")),
         RELATION_EQUIVALENT, NULL},
        {SPEC(SELECTOR, TYPES,
              EGRESS("{" DNS_TO ", ports: [{protocol: TCP, port: 53}]}, {" DNS_TO ", ports: [{protocol: UDP, port: "
                     "53}]}")),
         RELATION_EQUIVALENT, NULL},
        {SPEC("podSelector: {matchExpressions: [{key: sandbox.namzu.ai/template, operator: In, values: [box]}]}", TYPES,
              EGRESS(DNS_RULE)),
         RELATION_EQUIVALENT, NULL},
        {SPEC(SELECTOR, TYPES ", ingress: []", EGRESS(DNS_RULE)), RELATION_EQUIVALENT, NULL},
        {SPEC(SELECTOR, TYPES, EGRESS("")), RELATION_NARROWER, NULL},
        {SPEC(SELECTOR, TYPES, EGRESS("{" DNS_TO ", ports: [{protocol: UDP, port: 53}]}")), RELATION_NARROWER, NULL},
        /* For further pods it restricts what the compiled one leaves alone. */
        {SPEC("podSelector: {}", TYPES, EGRESS(DNS_RULE)), RELATION_NARROWER, NULL},
        {SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE ", {}")), RELATION_WIDER, "169.254.169.254"},
        {SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE ", {to: [{ipBlock: {cidr: 10.0.0.0/8}}]}")), RELATION_WIDER, "10.0.0.0"},
        {SPEC(SELECTOR, TYPES, EGRESS("{" DNS_TO "}")), RELATION_WIDER, NULL},
        {SPEC(SELECTOR, "policyTypes: [Ingress]", EGRESS(DNS_RULE)), RELATION_WIDER, "169.254.169.254"},
        {SPEC(SELECTOR, TYPES, EGRESS("{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}")), RELATION_INCOMPARABLE, NULL},
        {SPEC("podSelector: {}", TYPES, EGRESS("{}")), RELATION_INCOMPARABLE, NULL},
        {SPEC("podSelector: {matchLabels: {app: web}}", TYPES, EGRESS(DNS_RULE)), RELATION_INCOMPARABLE, NULL},
        /* What cannot be read, or rests on what the inputs do not tell, is not related. */
        {SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE) ", more: 1"), RELATION_UNKNOWN, NULL},
        {SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE ", {" DNS_TO ", ports: [{port: metrics}]}")), RELATION_UNKNOWN, NULL},
        {SPEC(SELECTOR, TYPES, "egress: none"), RELATION_UNKNOWN, NULL},
    };
    expect_relation(*state, DENY_ALL, rows, sizeof rows / sizeof *rows);
}

/* ---- Cilium ---- */

#define STATIC "{engine: cilium, policy: {kind: static, allowedHosts: [a.example, b.example]}}"
#define C_SELECTOR "endpointSelector: {matchLabels: {sandbox.namzu.ai/template: box}}"
#define C_DNS                                                                                                          \
    "{toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}], "       \
    "toPorts: [{ports: [{port: '53', protocol: ANY}], rules: {dns: [{matchPattern: '*'}]}}]}"
#define C_HOSTS "{toFQDNs: [{matchName: a.example}, {matchName: b.example}]}"
#define C_SPEC(rest) CNP("box-egress", "{" C_SELECTOR ", egress: [" C_DNS ", " C_HOSTS "]" rest "}")

static void cilium_object_has_no_policy_types_and_may_have_other_fields(void **state) {
    assert_int_equal(decide(*state, STATIC, C_SPEC(""))->status, NAMED_MATCH);
    static const struct difference rows[] = {
        {C_SPEC(", enableDefaultDeny: {egress: true}"), "other", "spec.enableDefaultDeny"},
        {C_SPEC(", egressDeny: [{toEntities: [host]}]"), "other", "spec.egressDeny"},
        {C_SPEC(", nodeSelector: {}"), "other", "spec.nodeSelector"},
        {C_SPEC(", ingress: [{}]"), "other", "spec.ingress"},
        {C_SPEC("") "specs: [{endpointSelector: {}, egress: [{}]}]\n", "specs", "specs"},
        {CNP("box-egress", "{endpointSelector: {}, egress: [" C_DNS ", " C_HOSTS "]}"), "selector",
         "spec.endpointSelector.matchLabels"},
        {CNP("box-egress", "{" C_SELECTOR ", egress: [" C_DNS ", {toFQDNs: [{matchName: a.example}]}]}"), "egress",
         "spec.egress[1].toFQDNs[1]"},
    };
    expect(*state, STATIC, rows, sizeof rows / sizeof *rows);
}

static void cilium_objects_relate_by_what_they_let_out(void **state) {
    static const struct relating rows[] = {
        {C_SPEC(", enableDefaultDeny: {egress: true}"), RELATION_EQUIVALENT, NULL},
        {C_SPEC(", ingress: [{}]"), RELATION_EQUIVALENT, NULL},
        {C_SPEC(", enableDefaultDeny: {egress: false}"), RELATION_WIDER, "169.254.169.254"},
        {C_SPEC(", egressDeny: [{toEntities: [host]}]"), RELATION_EQUIVALENT, NULL}, /* the host was not allowed */
        {C_SPEC(", egressDeny: [{toEntities: [world]}]"), RELATION_NARROWER, NULL},
        {CNP("box-egress", "{" C_SELECTOR ", egress: [" C_HOSTS ", " C_DNS "]}"), RELATION_EQUIVALENT, NULL},
        {CNP("box-egress", "{" C_SELECTOR ", egress: [" C_DNS ", {toFQDNs: [{matchPattern: '*.example'}]}]}"),
         RELATION_WIDER, NULL},
        {CNP("box-egress", "{" C_SELECTOR ", egress: [" C_DNS ", {toFQDNs: [{matchName: a.example}]}]}"),
         RELATION_NARROWER, NULL},
        {CNP("box-egress", "{endpointSelector: {matchLabels: {'k8s:sandbox.namzu.ai/template': box}}, egress: [" C_DNS
                           ", " C_HOSTS "]}"),
         RELATION_EQUIVALENT, NULL},
        {C_SPEC("") "specs: [{endpointSelector: {}, egress: [{}]}]\n", RELATION_UNKNOWN, NULL},
    };
    expect_relation(*state, STATIC, rows, sizeof rows / sizeof *rows);
}

static void copies_that_differ_leave_the_object_open(void **state) {
    const char *objects =
        arena_format(*state, "%s%s", SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE)), SPEC(SELECTOR, TYPES, EGRESS("")));
    const struct named_decision *named = decide(*state, DENY_ALL, objects);
    assert_int_equal(named->status, NAMED_NOT_EVALUABLE);
    objects =
        arena_format(*state, "%s%s", SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE)), SPEC(SELECTOR, TYPES, EGRESS(DNS_RULE)));
    assert_int_equal(decide(*state, DENY_ALL, objects)->status, NAMED_MATCH); /* equal copies count once */
}

static void values_stand_where_they_were_found(void **state) {
    const struct named_decision *named =
        decide(*state, DENY_ALL,
               SPEC(SELECTOR, TYPES,
                    EGRESS("{" DNS_TO ", ports: [{protocol: UDP, port: 5353}, {protocol: TCP, "
                           "port: 53}]}")));
    assert_string_equal(named->path, "spec.egress[0].ports[0].port");
    assert_int_equal(named->expected->kind, NODE_INT);
    assert_int_equal(named->found->kind, NODE_INT);
    assert_false(node_equal(named->expected, named->found));
    assert_string_equal(named->location.file, "objects.yaml");
    assert_int_equal(named->location.line, 5);
    named = decide(*state, DENY_ALL, SPEC(SELECTOR, TYPES, EGRESS("")));
    assert_non_null(named->expected);
    assert_null(named->found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(object_matches_whatever_the_order_of_keys, begin, end),
        cmocka_unit_test_setup_teardown(object_of_another_kind_namespace_or_name_is_another, begin, end),
        cmocka_unit_test_setup_teardown(part_and_path_are_those_of_the_first_difference, begin, end),
        cmocka_unit_test_setup_teardown(parts_are_compared_in_their_order_and_each_difference_is_reported, begin, end),
        cmocka_unit_test_setup_teardown(relation_says_how_the_flows_and_the_selection_compare, begin, end),
        cmocka_unit_test_setup_teardown(cilium_object_has_no_policy_types_and_may_have_other_fields, begin, end),
        cmocka_unit_test_setup_teardown(cilium_objects_relate_by_what_they_let_out, begin, end),
        cmocka_unit_test_setup_teardown(copies_that_differ_leave_the_object_open, begin, end),
        cmocka_unit_test_setup_teardown(values_stand_where_they_were_found, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

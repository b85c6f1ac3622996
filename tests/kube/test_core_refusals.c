/* What the API server refuses in a NetworkPolicy, drops and cannot decode: one row each
 * (spec/kubernetes-egress.md 1.3, 1.5 to 1.8, 2, 3.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "sample.h"

#define API PROBLEM_REFUSED_API
#define EGRESS(rule) "{podSelector: {}, policyTypes: [Egress], egress: [" rule "]}"
#define TO(peer) EGRESS("{to: [" peer "]}")
#define PORTS(port) EGRESS("{ports: [" port "]}")
#define AT "spec.egress[0]"

static const struct expected_problem types[] = {
    {"{podSelector: {}, policyTypes: [Ingress, Egress, Egress]}", API, CODE_INVALID_RULE, "spec.policyTypes", 0, false},
    {"{podSelector: {}, policyTypes: [egress]}", API, CODE_INVALID_RULE, "spec.policyTypes[0]", 0, false},
    {"{podSelector: {}, policyTypes: [Egress, Both]}", API, CODE_INVALID_RULE, "spec.policyTypes[1]", 0, false},
    {"{podSelector: {}, policyTypes: [null]}", API, CODE_INVALID_RULE, "spec.policyTypes[0]", 0, false},
    {.spec = NULL},
};
static const struct expected_problem peers[] = {
    {TO("{}"), API, CODE_INVALID_PEER, AT ".to[0]", 0, false},
    {TO("null"), API, CODE_INVALID_PEER, AT ".to[0]", 0, false},
    {TO("{podSelector: null}"), API, CODE_INVALID_PEER, AT ".to[0]", 0, false},
    {TO("{podSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8}, podSelector: {}}"), API, CODE_INVALID_PEER, AT ".to[1]", 0,
     false},
    {TO("{ipBlock: {cidr: 10.0.0.0/8}, namespaceSelector: {}}"), API, CODE_INVALID_PEER, AT ".to[0]", 0, false},
    {"{podSelector: {}, ingress: [{from: [{}]}]}", API, CODE_INVALID_PEER, "spec.ingress[0].from[0]", 0, false},
    {.spec = NULL},
};
static const struct expected_problem blocks[] = {
    {TO("{ipBlock: {}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.cidr", 0, false},
    {TO("{ipBlock: {cidr: ''}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.cidr", 0, false},
    {TO("{ipBlock: {cidr: 10.0.0.0}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.cidr", 0, false},
    {TO("{ipBlock: {cidr: 10.0.0/8}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.cidr", 0, false},
    {TO("{ipBlock: {cidr: 10.0.0.0/33}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.cidr", 0, false},
    {TO("{ipBlock: {cidr: 'fe80::%eth0/64'}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.cidr", 0, false},
    {TO("{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0]}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.except[0]", 0,
     false},
    {TO("{ipBlock: {cidr: 10.0.0.0/8, except: [null]}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.except[0]", 0,
     false},
    {TO("{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16, 11.0.0.0/16]}}"), API, CODE_INVALID_CIDR,
     AT ".to[0].ipBlock.except[1]", 0, false},
    {TO("{ipBlock: {cidr: 10.0.0.0/8, except: [10.0.0.0/8]}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.except[0]",
     0, false},
    {TO("{ipBlock: {cidr: 10.0.0.0/8, except: [0.0.0.0/0]}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.except[0]", 0,
     false},
    {TO("{ipBlock: {cidr: 0.0.0.0/0, except: ['fd00::/8']}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.except[0]", 0,
     false},
    /* Go holds a mapped block as IPv4 and compares the prefix lengths as written. */
    {TO("{ipBlock: {cidr: '::ffff:10.0.0.0/104', except: [10.1.0.0/16]}}"), API, CODE_INVALID_CIDR,
     AT ".to[0].ipBlock.except[0]", 0, false},
    /* The network address of the except decides, so a wide one beside the block is outside. */
    {TO("{ipBlock: {cidr: 10.1.0.0/16, except: [10.1.0.0/8]}}"), API, CODE_INVALID_CIDR, AT ".to[0].ipBlock.except[0]",
     0, false},
    {.spec = NULL},
};
static const struct expected_problem ports[] = {
    {PORTS("{protocol: tcp}"), API, CODE_INVALID_PORT, AT ".ports[0].protocol", 0, false},
    {PORTS("{protocol: ''}"), API, CODE_INVALID_PORT, AT ".ports[0].protocol", 0, false},
    {PORTS("{protocol: ICMP}"), API, CODE_INVALID_PORT, AT ".ports[0].protocol", 0, false},
    {PORTS("{port: 0}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: -1}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: 65536}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: '80'}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: ''}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: Http}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: a--b}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: a-name-over-fifteen}"), API, CODE_INVALID_PORT, AT ".ports[0].port", 0, false},
    {PORTS("{port: 80, endPort: 79}"), API, CODE_INVALID_PORT, AT ".ports[0].endPort", 0, false},
    {PORTS("{port: 80, endPort: 65536}"), API, CODE_INVALID_PORT, AT ".ports[0].endPort", 0, false},
    {PORTS("{port: http, endPort: 90}"), API, CODE_INVALID_PORT, AT ".ports[0].endPort", 0, false},
    {PORTS("{endPort: 90}"), API, CODE_INVALID_PORT, AT ".ports[0].endPort", 0, false},
    {.spec = NULL},
};
static const struct expected_problem selectors[] = {
    {"{podSelector: {matchLabels: {'a b': c}}}", API, CODE_INVALID_SELECTOR, "spec.podSelector.matchLabels", 0, true},
    {"{podSelector: {matchLabels: {a: 'b c'}}}", API, CODE_INVALID_SELECTOR, "spec.podSelector.matchLabels", 0, true},
    {"{podSelector: {matchLabels: {A/b: c}}}", API, CODE_INVALID_SELECTOR, "spec.podSelector.matchLabels", 0, true},
    {"{podSelector: {matchExpressions: [{key: '', operator: Exists}]}}", API, CODE_INVALID_SELECTOR,
     "spec.podSelector.matchExpressions[0].key", 0, true},
    {"{podSelector: {matchExpressions: [{operator: Exists}]}}", API, CODE_INVALID_SELECTOR,
     "spec.podSelector.matchExpressions[0].key", 0, true},
    {"{podSelector: {matchExpressions: [{key: a, operator: exists}]}}", API, CODE_INVALID_SELECTOR,
     "spec.podSelector.matchExpressions[0].operator", 0, true},
    {"{podSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}}", API, CODE_INVALID_SELECTOR,
     "spec.podSelector.matchExpressions[0].operator", 0, true},
    {"{podSelector: {matchExpressions: [{key: a}]}}", API, CODE_INVALID_SELECTOR,
     "spec.podSelector.matchExpressions[0].operator", 0, true},
    {TO("{podSelector: {matchExpressions: [{key: a, operator: In}]}}"), API, CODE_INVALID_SELECTOR,
     AT ".to[0].podSelector.matchExpressions[0].values", 0, false},
    {TO("{podSelector: {matchExpressions: [{key: a, operator: NotIn, values: []}]}}"), API, CODE_INVALID_SELECTOR,
     AT ".to[0].podSelector.matchExpressions[0].values", 0, false},
    {TO("{namespaceSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}"), API,
     CODE_INVALID_SELECTOR, AT ".to[0].namespaceSelector.matchExpressions[0].values", 0, false},
    {TO("{namespaceSelector: {matchExpressions: [{key: a, operator: In, values: [b, '-']}]}}"), API,
     CODE_INVALID_SELECTOR, AT ".to[0].namespaceSelector.matchExpressions[0].values[1]", 0, false},
    {.spec = NULL},
};
static const struct expected_problem wrong_types[] = {
    {"[]", PROBLEM_TYPE, CODE_WRONG_TYPE, "spec", 0, true},
    {"{podSelector: []}", PROBLEM_TYPE, CODE_WRONG_TYPE, "spec.podSelector", 0, true},
    {"{podSelector: {matchLabels: {a: 1}}}", PROBLEM_TYPE, CODE_WRONG_TYPE, "spec.podSelector.matchLabels[\"a\"]", 0,
     true},
    {"{podSelector: {}, egress: {}}", PROBLEM_TYPE, CODE_WRONG_TYPE, "spec.egress", 0, false},
    {"{podSelector: {}, policyTypes: Egress}", PROBLEM_TYPE, CODE_WRONG_TYPE, "spec.policyTypes", 0, false},
    {EGRESS("x"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT, 0, false},
    {TO("x"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".to[0]", 0, false},
    {TO("{podSelector: x}"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".to[0].podSelector", 0, false},
    {TO("{ipBlock: {cidr: 10}}"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".to[0].ipBlock.cidr", 0, false},
    {PORTS("{port: 80.5}"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".ports[0].port", 0, false},
    {PORTS("{port: true}"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".ports[0].port", 0, false},
    {PORTS("{port: 4294967376}"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".ports[0].port", 0, false},
    {PORTS("{port: 80, endPort: '90'}"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".ports[0].endPort", 0, false},
    {PORTS("{protocol: 6}"), PROBLEM_TYPE, CODE_WRONG_TYPE, AT ".ports[0].protocol", 0, false},
    {.spec = NULL},
};
static const struct expected_problem dropped[] = {
    {"{podselector: {}}", PROBLEM_DROPPED, CODE_UNKNOWN_FIELD, "spec.podselector", 0, false},
    {"{podSelector: {matchlabels: {a: b}}}", PROBLEM_DROPPED, CODE_UNKNOWN_FIELD, "spec.podSelector.matchlabels", 0,
     true},
    {EGRESS("{too: [], ports: []}"), PROBLEM_DROPPED, CODE_UNKNOWN_FIELD, AT ".too", 0, false},
    {EGRESS("{toFQDNs: []}"), PROBLEM_DROPPED, CODE_UNKNOWN_FIELD, AT ".toFQDNs", 0, false},
    {EGRESS("{'a.b': null}"), PROBLEM_DROPPED, CODE_UNKNOWN_FIELD, AT "[\"a.b\"]", 0, false},
    {"{podSelector: {}, podSelector: {}}", PROBLEM_DUPLICATE, CODE_DUPLICATE_KEY, "spec.podSelector", 0, false},
    {"{podSelector: {matchLabels: {a: b, a: c}}}", PROBLEM_DUPLICATE, CODE_DUPLICATE_KEY,
     "spec.podSelector.matchLabels.a", 0, true},
    {.spec = NULL},
};
static const char *const accepted[] = {
    "null",
    "{}",
    "{podSelector: null, policyTypes: [Egress, Egress]}",
    "{podSelector: {matchLabels: {a: null, b: ''}, matchExpressions: []}}",
    "{podSelector: {matchExpressions: [{key: a, operator: Exists, values: []}, {key: a, operator: In, values: ['']}]}}",
    EGRESS(""),
    EGRESS("{}"),
    EGRESS("null"),
    EGRESS("{to: [], ports: []}"),
    PORTS("null"),
    PORTS("{}, {port: 80, endPort: 80}, {port: http, protocol: UDP}, {port: 0x50, protocol: SCTP}, {port: 80.0}"),
    TO("{podSelector: {}, namespaceSelector: {}}, {podSelector: {}, ipBlock: null}"),
    TO("{ipBlock: {cidr: 10.0.0.5/8, except: [10.1.2.3/16]}}, {ipBlock: {cidr: '::/0', except: []}}"),
    /* What servers of 1.36 refuse is a matter of the server's version, not of the reading. */
    TO("{ipBlock: {cidr: 010.0.0.0/08}}, {ipBlock: {cidr: '::ffff:10.0.0.0/104'}}"),
    TO("{ipBlock: {cidr: 10.0.0.0/8, except: ['::ffff:10.1.0.0/112']}}"),
    NULL,
};

static void policy_types_are_checked(void **state) {
    (void)state;
    sample_expect_problems(OBJECT_NETWORK_POLICY, types);
}
static void empty_and_mixed_peers_are_refused(void **state) {
    (void)state;
    sample_expect_problems(OBJECT_NETWORK_POLICY, peers);
}
static void blocks_that_are_none_and_excepts_outside_are_refused(void **state) {
    (void)state;
    sample_expect_problems(OBJECT_NETWORK_POLICY, blocks);
}
static void ports_ranges_and_protocols_are_checked(void **state) {
    (void)state;
    sample_expect_problems(OBJECT_NETWORK_POLICY, ports);
}
static void selectors_are_checked_and_the_subjects_is_marked(void **state) {
    (void)state;
    sample_expect_problems(OBJECT_NETWORK_POLICY, selectors);
}
static void wrong_types_are_found_at_their_path(void **state) {
    (void)state;
    sample_expect_problems(OBJECT_NETWORK_POLICY, wrong_types);
}
static void unknown_and_duplicate_keys_are_found(void **state) {
    (void)state;
    sample_expect_problems(OBJECT_NETWORK_POLICY, dropped);
}
static void legal_policies_have_no_problem(void **state) {
    (void)state;
    sample_expect_none(OBJECT_NETWORK_POLICY, accepted, cilium_from(CILIUM_1_15));
}

static void dropping_a_misspelt_field_says_what_it_widens(void **state) {
    (void)state;
    struct sample *sample;
    const struct policy *policy = sample_policy(&sample, OBJECT_NETWORK_POLICY, EGRESS("{port: [{port: 80}]}"));
    assert_int_equal(policy->problem_count, 1);
    assert_string_equal(policy->problems[0].widens, "every port and protocol is then allowed");
    assert_non_null(strstr(policy->problems[0].message, "`ports`"));
    sample_destroy(sample);
}

static void a_field_that_stands_beside_a_misspelt_one_is_no_suggestion(void **state) {
    (void)state;
    struct sample *sample;
    const struct policy *policy =
        sample_policy(&sample, OBJECT_NETWORK_POLICY, EGRESS("{port: [], ports: [{port: 80}]}"));
    assert_int_equal(policy->problem_count, 1);
    assert_null(policy->problems[0].widens);
    assert_null(strstr(policy->problems[0].message, "`ports`"));
    sample_destroy(sample);
}

static void metadata_is_checked(void **state) {
    static const struct {
        const char *metadata;
        enum problem_effect effect;
        enum code code;
        const char *path;
    } rows[] = {
        {"{namespace: default}", API, CODE_INVALID_NAME, "metadata.name"},
        {"{name: A, namespace: default}", API, CODE_INVALID_NAME, "metadata.name"},
        {"{name: a.b, namespace: a.b}", API, CODE_INVALID_NAME, "metadata.namespace"},
        {"{name: a, labels: {a: '-'}}", API, CODE_INVALID_LABEL, "metadata.labels"},
        {"{name: a, labels: {a/b/c: d}}", API, CODE_INVALID_LABEL, "metadata.labels"},
        {"{name: a, annotations: {' ': d}}", API, CODE_INVALID_LABEL, "metadata.annotations"},
        {"{name: a, labels: {a: 1}}", PROBLEM_TYPE, CODE_WRONG_TYPE, "metadata.labels[\"a\"]"},
        {"{name: a, lables: {}}", PROBLEM_DROPPED, CODE_UNKNOWN_FIELD, "metadata.lables"},
        {"{generateName: A-}", API, CODE_INVALID_NAME, "metadata.generateName"},
        {"{name: a, generateName: A}", API, CODE_INVALID_NAME, "metadata.generateName"},
        {"{name: a, generateName: Ab-}", API, CODE_INVALID_NAME, "metadata.generateName"},
        {"{name: a, generation: '1'}", PROBLEM_TYPE, CODE_WRONG_TYPE, "metadata.generation"},
        {"{name: a, generation: 1.5}", PROBLEM_TYPE, CODE_WRONG_TYPE, "metadata.generation"},
        {"{name: a, deletionGracePeriodSeconds: [1]}", PROBLEM_TYPE, CODE_WRONG_TYPE,
         "metadata.deletionGracePeriodSeconds"},
        {"{name: a, creationTimestamp: 2024-01-01}", PROBLEM_TYPE, CODE_WRONG_TYPE, "metadata.creationTimestamp"},
        {"{name: a, creationTimestamp: ''}", PROBLEM_TYPE, CODE_WRONG_TYPE, "metadata.creationTimestamp"},
        {"{name: a, deletionTimestamp: 2024-01-01t10:00:00Z}", PROBLEM_TYPE, CODE_WRONG_TYPE,
         "metadata.deletionTimestamp"},
        {"{name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: p}]}", API, CODE_INVALID_NAME,
         "metadata.ownerReferences[0].uid"},
        {"{name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: '', uid: u}]}", API, CODE_INVALID_NAME,
         "metadata.ownerReferences[0].name"},
        {"{name: a, ownerReferences: [{apiVersion: a/b/c, kind: Pod, name: p, uid: u}]}", API, CODE_INVALID_NAME,
         "metadata.ownerReferences[0].apiVersion"},
        {"{name: a, ownerReferences: [{apiVersion: v1, kind: Event, name: p, uid: u}]}", API, CODE_INVALID_NAME,
         "metadata.ownerReferences[0]"},
        {"{name: a, ownerReferences: [{apiVersion: v1, kind: A, name: p, uid: u, controller: true}, "
         "{apiVersion: a/v1, kind: A, name: q, uid: u, controller: true}]}",
         API, CODE_INVALID_NAME, "metadata.ownerReferences[1].controller"},
        {"{name: a, finalizers: [a b]}", API, CODE_INVALID_NAME, "metadata.finalizers[0]"},
        {"{name: a, finalizers: [null]}", API, CODE_INVALID_NAME, "metadata.finalizers[0]"},
        {"{name: a, finalizers: [a]}", API, CODE_INVALID_NAME, "metadata.finalizers[0]"},
        {"{name: a, finalizers: [A/b]}", API, CODE_INVALID_NAME, "metadata.finalizers[0]"},
        {"{name: a, finalizers: [orphan, foregroundDeletion]}", API, CODE_INVALID_NAME, "metadata.finalizers"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[300];
        snprintf(yaml, sizeof yaml, "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: %s\n",
                 rows[i].metadata);
        struct sample *sample = sample_read(yaml, NULL);
        const struct policy *policy = policy_read(sample_object(sample, OBJECT_NETWORK_POLICY), sample->arena);
        assert_int_equal(policy->problem_count, 1);
        assert_int_equal(policy->problems[0].effect, rows[i].effect);
        assert_int_equal(policy->problems[0].code, rows[i].code);
        assert_string_equal(policy->problems[0].part.path, rows[i].path);
        sample_destroy(sample);
    }
}

static void legal_metadata_has_no_problem(void **state) {
    static const char *const rows[] = {
        "{name: a, generateName: A-}",
        "{name: a, generation: 1, creationTimestamp: null, deletionTimestamp: 2024-01-01T10:00:00.5Z}",
        "{name: a, creationTimestamp: 2024-01-01T10:00:00+01:00, deletionGracePeriodSeconds: 0, uid: x}",
        "{name: a, finalizers: [example.com/a, orphan, kubernetes], managedFields: [{manager: x}]}",
        ("{name: a, ownerReferences: [{apiVersion: a/v1, kind: A, name: '-', uid: u, controller: true}, "
         "{controller: true, apiVersion: a/v1, kind: A, name: '-', uid: u}]}"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[300];
        snprintf(yaml, sizeof yaml, "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: %s\n", rows[i]);
        struct sample *sample = sample_read(yaml, NULL);
        assert_int_equal(policy_read(sample_object(sample, OBJECT_NETWORK_POLICY), sample->arena)->problem_count, 0);
        sample_destroy(sample);
    }
}

static void a_namespace_of_another_type_leaves_untold_whom_it_selects(void **state) {
    (void)state;
    struct sample *sample =
        sample_read("{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: 1}}", "b");
    const struct object *object = sample_object(sample, OBJECT_NETWORK_POLICY);
    const struct policy *policy = policy_read(object, sample->arena);
    assert_null(object->namespace);
    assert_int_equal(policy->problem_count, 1);
    assert_int_equal(policy->problems[0].effect, PROBLEM_TYPE);
    assert_true(policy->problems[0].selects);
    sample_destroy(sample);
}

static void metadata_of_another_type_leaves_untold_whom_it_selects(void **state) {
    (void)state;
    struct sample *sample = sample_read("{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: [a]}", NULL);
    const struct policy *policy = policy_read(sample_object(sample, OBJECT_NETWORK_POLICY), sample->arena);
    assert_int_equal(policy->problem_count, 1);
    assert_int_equal(policy->problems[0].effect, PROBLEM_TYPE);
    assert_string_equal(policy->problems[0].part.path, "metadata");
    assert_true(policy->problems[0].selects);
    sample_destroy(sample);
}

static void the_worst_problem_asked_for_is_found_by_class(void **state) {
    (void)state;
    struct sample *sample;
    const struct policy *policy =
        sample_policy(&sample, OBJECT_NETWORK_POLICY, "{podSelector: {}, x: 1, policyTypes: [both]}");
    assert_int_equal(policy_problem(policy, PROBLEM_DROPPED, 1)->code, CODE_UNKNOWN_FIELD);
    assert_int_equal(policy_problem(policy, PROBLEM_DUPLICATE, 1)->code, CODE_INVALID_RULE);
    assert_null(policy_problem(policy, PROBLEM_REFUSED_AGENT, 1));
    assert_null(policy_problem(policy, PROBLEM_DROPPED, 0));
    sample_destroy(sample);
}

/* A thousand unknown fields are kept, and still every effect that comes later. */
static void hostile_numbers_of_problems_are_bounded(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct buffer spec;
    struct sample *sample;
    buffer_init(&spec, arena);
    buffer_add_string(&spec, "{");
    for (int i = 0; i < 5000; i++)
        buffer_print(&spec, "unknown%d: x, ", i);
    buffer_add_string(&spec, "policyTypes: [both]}");
    const struct policy *policy = sample_policy(&sample, OBJECT_NETWORK_POLICY, buffer_string(&spec));
    assert_int_equal(policy->problem_count, 1001);
    assert_non_null(policy_problem(policy, PROBLEM_REFUSED_API, 1));
    sample_destroy(sample);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policy_types_are_checked),
        cmocka_unit_test(empty_and_mixed_peers_are_refused),
        cmocka_unit_test(blocks_that_are_none_and_excepts_outside_are_refused),
        cmocka_unit_test(ports_ranges_and_protocols_are_checked),
        cmocka_unit_test(selectors_are_checked_and_the_subjects_is_marked),
        cmocka_unit_test(wrong_types_are_found_at_their_path),
        cmocka_unit_test(unknown_and_duplicate_keys_are_found),
        cmocka_unit_test(legal_policies_have_no_problem),
        cmocka_unit_test(dropping_a_misspelt_field_says_what_it_widens),
        cmocka_unit_test(a_field_that_stands_beside_a_misspelt_one_is_no_suggestion),
        cmocka_unit_test(metadata_is_checked),
        cmocka_unit_test(legal_metadata_has_no_problem),
        cmocka_unit_test(a_namespace_of_another_type_leaves_untold_whom_it_selects),
        cmocka_unit_test(metadata_of_another_type_leaves_untold_whom_it_selects),
        cmocka_unit_test(the_worst_problem_asked_for_is_found_by_class),
        cmocka_unit_test(hostile_numbers_of_problems_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

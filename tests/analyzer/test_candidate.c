/* What may select a subject, and what is wrong with it (spec/analysis.md 1, 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/candidate.h"
#include "analyzer/verify/subjects.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

#define IN(version, kind, name, namespace, spec)                                                                       \
    "---\napiVersion: " version "\nkind: " kind "\nmetadata: {name: " name namespace "}\n" spec "\n"
#define PLAIN "spec: {endpointSelector: {}, egress: [{}]}"

/* What stands there, in any order; the candidates of `ns` as KIND/NAME, `:N` for an entry of specs. */
static void candidates_stand_by_kind_name_and_rule(void **state) {
    static const char objects[] =
        IN("policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", "admin", "", "spec: {}")
            IN("cilium.io/v2", "CiliumClusterwideNetworkPolicy", "wide", "", PLAIN)
                IN("cilium.io/v2", "CiliumNetworkPolicy", "two", "",
                   PLAIN "\nspecs: [{endpointSelector: {}, egress: [{}]}, {endpointSelector: {}, ingress: [{}]}]")
                    IN("cilium.io/v2", "CiliumNetworkPolicy", "elsewhere", ", namespace: other", PLAIN)
                        IN("cilium.io/v2", "CiliumClusterwideNetworkPolicy", "nodes", "",
                           "spec: {nodeSelector: {}, egress: [{}]}\nspecs: [{endpointSelector: {}, egress: [{}]}]")
                            IN("cilium.io/v2", "CiliumNetworkPolicy", "bare", "", "status: {}")
                                IN("networking.k8s.io/v1", "NetworkPolicy", "b", "", "spec: {podSelector: {}}")
                                    IN("networking.k8s.io/v1", "NetworkPolicy", "a", "", "spec: {podSelector: {}}")
                                        IN("extensions/v1beta1", "NetworkPolicy", "old", "", "spec: {podSelector: {}}");
    static const char *const expected[] = {
        "NetworkPolicy/a",
        "NetworkPolicy/b",
        "CiliumNetworkPolicy/bare",
        "CiliumNetworkPolicy/two",
        "CiliumNetworkPolicy/two:0",
        "CiliumNetworkPolicy/two:1",
        "CiliumClusterwideNetworkPolicy/nodes:0",
        "CiliumClusterwideNetworkPolicy/wide",
        "ClusterNetworkPolicy/admin",
    };
    struct stage *stage = stage_of(*state, objects);
    struct candidate_list candidates = candidates_of(&stage->snapshot, "ns");
    assert_int_equal(candidates.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < candidates.count; i++) {
        const struct candidate *candidate = &candidates.list[i];
        struct buffer word;
        buffer_init(&word, *state);
        buffer_print(&word, "%s/%s", object_kind_word(candidate->object->kind), candidate->object->name);
        if (candidate->rule && candidate->rule->index >= 0)
            buffer_print(&word, ":%d", candidate->rule->index);
        assert_string_equal(buffer_string(&word), expected[i]);
        assert_int_equal(candidate->policy == NULL, i == 8);
    }
}

static void policy_without_a_namespace_may_be_in_any(void **state) {
    struct stage *stage = stage_of(*state, "");
    const char *objects = IN("networking.k8s.io/v1", "NetworkPolicy", "p", "", "spec: {podSelector: {}}");
    struct file file;
    struct reader_options options = {.limits = limits_default()};
    reader_read_text("objects.yaml", text_of(objects), &options, *state, &file, &stage->diagnostics);
    struct inputs inputs = {.files = &file, .count = 1};
    snapshot_read(&inputs, NULL, *state, &stage->snapshot, &stage->diagnostics);
    struct labels labels = {0};
    struct subject subject = subject_of_labels("ns", labels, &stage->snapshot);
    struct candidate_list candidates = candidates_of(&stage->snapshot, "ns");
    assert_int_equal(candidates.count, 1);
    assert_true(candidates.list[0].lacks_namespace);
    assert_int_equal(candidate_selects(&candidates.list[0], &subject, &stage->cluster, &stage->reading), TRUTH_MAYBE);
    assert_int_equal(candidates_of(&stage->snapshot, "other").count, 1);
}

static void copies_that_differ_are_twins(void **state) {
    struct stage *stage =
        stage_of(*state, CORE("p", "{podSelector: {}}") CORE("p", "{podSelector: {}, policyTypes: [Egress]}")
                             CORE("q", "{podSelector: {}}") CORE("q", "{podSelector: {}}"));
    struct candidate_list candidates = candidates_of(&stage->snapshot, "ns");
    assert_int_equal(candidates.count, 3); /* equal copies count once */
    assert_true(candidates.list[0].has_twin && candidates.list[1].has_twin);
    assert_false(candidates.list[2].has_twin);
}

static const struct candidate *only(struct stage *stage) {
    struct candidate_list candidates = candidates_of(&stage->snapshot, "ns");
    assert_int_equal(candidates.count, 1);
    return &candidates.list[0];
}

static void candidate_selects_as_far_as_its_selector_can_be_read(void **state) {
    static const struct {
        const char *objects, *selects;
    } rows[] = {
        {CORE("p", "{podSelector: {}}"), "yes"},
        {CORE("p", "{podSelector: {matchLabels: {app: web}}}"), "yes"},
        {CORE("p", "{podSelector: {matchLabels: {app: db}}}"), "no"},
        {CORE("p", "{podSelector: {matchExpressions: [{key: app, operator: Like}]}}"), "maybe"},
        {CORE("p", "{podSelector: [web]}"), "maybe"},
        {CORE("p", "{podSelector: {}, egress: x}"), "yes"}, /* what is wrong stands elsewhere */
        {CNP("p", "{endpointSelector: {}, egress: [{}]}"), "yes"},
        {CNP("p", "{endpointSelector: {matchLabels: {app: db}}, egress: [{}]}"), "no"},
        {CNP("p", "{nodeSelector: {}, egress: [{}]}"), "no"},
        {CCNP("p", "{endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': other}}, egress: [{}]}"),
         "no"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_of(*state, rows[i].objects);
        struct labels labels;
        assert_true(labels_parse("app=web", *state, &labels));
        struct subject subject = subject_of_labels("ns", labels, &stage->snapshot);
        stage_read_cilium(stage, CILIUM_1_18);
        const char *selects = truth_word(candidate_selects(only(stage), &subject, &stage->cluster, &stage->reading));
        if (strcmp(selects, rows[i].selects) != 0)
            fail_msg("row %zu: %s", i, selects);
    }
}

/* ---- problems ---- */

static void problem_of_an_object_is_told_by_its_effect_and_version(void **state) {
    static const struct {
        const char *objects;
        enum cilium_class class;
        bool type, refused, slip;
    } rows[] = {
        {CORE("p", "{podSelector: {}}"), CILIUM_1_18, false, false, false},
        {CORE("p", "{podSelector: {}, egress: x}"), CILIUM_1_18, true, false, false},
        {CORE("p", "{podSelector: {}, egress: [{to: [{}]}]}"), CILIUM_1_18, false, true, false},
        {CORE("p", "{podSelector: {}, policytypes: [Egress]}"), CILIUM_1_18, false, false, true},
        {CORE("p", "{podSelector: {}, podSelector: {}}"), CILIUM_1_18, false, false, true},
        {CORE("p", "{podSelector: {}}") "specs: null\n", CILIUM_1_18, false, false, false},
        {CORE("p", "{podSelector: {}}") "specs: []\n", CILIUM_1_18, false, false, true},
        {CNP("p", "{endpointSelector: {}, egress: [{toEntities: [all], toCIDR: [10.0.0.0/8]}]}"), CILIUM_1_18, false,
         true, false},
        /* What an agent refuses or a CRD prunes depends on the version. */
        {CNP("p", "{endpointSelector: {}}"), CILIUM_1_16_4, false, false, false},
        {CNP("p", "{endpointSelector: {}}"), CILIUM_1_17_0, false, true, false},
        {CNP("p", "{endpointSelector: {}, egress: [{}], enableDefaultDeny: {egress: true}}"), CILIUM_1_15, false, false,
         true},
        {CNP("p", "{endpointSelector: {}, egress: [{}], enableDefaultDeny: {egress: true}}"), CILIUM_1_16_0, false,
         false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_of(*state, rows[i].objects);
        stage_read_cilium(stage, rows[i].class);
        const struct candidate *candidate = only(stage);
        bool type = candidate_type_problem(candidate, &stage->reading) != NULL;
        bool refused = candidate_refusal(candidate, &stage->reading, &stage->cluster) != NULL;
        bool slip = candidate_slip(candidate, &stage->reading) != NULL;
        if (type != rows[i].type || refused != rows[i].refused || slip != rows[i].slip)
            fail_msg("row %zu: type %d, refused %d, slip %d", i, type, refused, slip);
        if (type || refused || slip)
            assert_false(candidate_is_faultless(candidate));
    }
}

static void policies_with_layer_7_are_refused_where_the_proxy_is_off(void **state) {
    static const struct {
        const char *rules;
        bool refused;
    } rows[] = {
        {"egress: [{toEntities: [all]}]", false},
        {"egress: [{toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchPattern: '*'}]}}]}]", true},
        {"egress: [{toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: [a.example]}]}]", true},
        {"ingress: [{toPorts: [{ports: [{port: '80', protocol: TCP}], rules: {http: [{method: GET}]}}]}]", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage =
            stage_of(*state, stage_filled(*state, CNP("p", "{endpointSelector: {}, %s}"), rows[i].rules));
        stage_read_cilium(stage, CILIUM_1_18);
        assert_null(candidate_refusal(only(stage), &stage->reading, &stage->cluster));
        stage->cluster.facts.l7_proxy = false;
        bool refused = candidate_refusal(only(stage), &stage->reading, &stage->cluster) != NULL;
        if (refused != rows[i].refused)
            fail_msg("%s", rows[i].rules);
    }
}

/* ---- aspects ---- */

static void aspects_are_what_the_policies_make_matter(void **state) {
    static const struct {
        const char *objects;
        unsigned egress, ingress;
    } rows[] = {
        {CORE("p", "{podSelector: {}}"), 0, 0},
        {CORE("p", "{podSelector: {matchLabels: {pod-template-hash: x}}}"), ASPECT_LABEL_FILTER, ASPECT_LABEL_FILTER},
        {CORE("p", "{podSelector: {}, egress: [{to: [{podSelector: {matchLabels: {kubernetes.io/os: linux}}}]}]}"),
         ASPECT_LABEL_FILTER, 0},
        {CORE("p", "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 010.0.0.0/8}}]}]}"), ASPECT_LEADING_ZEROS, 0},
        {CORE("p", "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.01.0.0/16]}}]}]}"),
         ASPECT_LEADING_ZEROS, 0},
        {CORE("p", "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: '::ffff:10.0.0.0/104'}}]}]}"), 0,
         ASPECT_MAPPED},
        {CNP("p", "{endpointSelector: {}, egress: [{toEndpoints: [{matchLabels: {'k8s:pod-template-hash': x}}]}]}"),
         ASPECT_LABEL_FILTER, 0},
        {CNP("p", "{endpointSelector: {}, egress: [{toEntities: [all], toCIDR: [10.0.0.0/8]}]}"), ASPECT_REFUSED,
         ASPECT_REFUSED},
        {CNP("p", "{endpointSelector: {matchLabels: {'k8s:app.kubernetes.io/name': web}}, egress: [{}]}"), 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_of(*state, rows[i].objects);
        struct candidate_list candidates = candidates_of(&stage->snapshot, "ns");
        unsigned egress = candidates_aspects(&candidates, &stage->cluster, DIRECTION_EGRESS);
        unsigned ingress = candidates_aspects(&candidates, &stage->cluster, DIRECTION_INGRESS);
        if (egress != rows[i].egress || ingress != rows[i].ingress)
            fail_msg("row %zu: %x, %x", i, egress, ingress);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(candidates_stand_by_kind_name_and_rule, begin, end),
        cmocka_unit_test_setup_teardown(policy_without_a_namespace_may_be_in_any, begin, end),
        cmocka_unit_test_setup_teardown(copies_that_differ_are_twins, begin, end),
        cmocka_unit_test_setup_teardown(candidate_selects_as_far_as_its_selector_can_be_read, begin, end),
        cmocka_unit_test_setup_teardown(problem_of_an_object_is_told_by_its_effect_and_version, begin, end),
        cmocka_unit_test_setup_teardown(policies_with_layer_7_are_refused_where_the_proxy_is_off, begin, end),
        cmocka_unit_test_setup_teardown(aspects_are_what_the_policies_make_matter, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Subjects of policies of policy.networking.k8s.io: spec/kubernetes-egress.md 5.1, 5.4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "kube/admin_policy.h"
#include "sample.h"

static struct admin_policy *read(struct sample **sample, const char *version, const char *kind, const char *spec) {
    struct arena *scratch = arena_create();
    *sample =
        sample_read(arena_format(scratch, "apiVersion: policy.networking.k8s.io/%s\nkind: %s\nmetadata: {name: p}\n%s",
                                 version, kind, spec),
                    NULL);
    arena_destroy(scratch);
    static const enum object_kind kinds[] = {OBJECT_ADMIN_NETWORK_POLICY, OBJECT_BASELINE_ADMIN_NETWORK_POLICY,
                                             OBJECT_CLUSTER_NETWORK_POLICY};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((*sample)->objects.of[kinds[i]].count == 1)
            return admin_policy_read((*sample)->objects.of[kinds[i]].list, (*sample)->arena);
    fail_msg("no object of %s", kind);
    return NULL;
}

static struct admin_policy *read_admin(struct sample **sample, const char *subject) {
    struct arena *scratch = arena_create();
    struct admin_policy *policy = read(sample, "v1alpha1", "AdminNetworkPolicy",
                                       arena_format(scratch, "spec: {priority: 1, subject: %s}", subject));
    arena_destroy(scratch);
    return policy;
}

static struct admin_policy *read_cluster(struct sample **sample, const char *subject) {
    struct arena *scratch = arena_create();
    struct admin_policy *policy = read(sample, "v1alpha2", "ClusterNetworkPolicy",
                                       arena_format(scratch, "spec: {tier: Admin, priority: 1, subject: %s}", subject));
    arena_destroy(scratch);
    return policy;
}

static void namespaces_hold_every_pod(void **state) {
    (void)state;
    struct sample *sample;
    const struct admin_policy *policy = read_admin(&sample, "{namespaces: {matchLabels: {team: a}}}");
    assert_null(policy->unclear);
    assert_int_equal(policy->namespaces.count, 1);
    assert_string_equal(policy->namespaces.requirements[0].key, "team");
    assert_int_equal(policy->pods.presence, PRESENCE_ABSENT);
    sample_destroy(sample);
    policy = read_admin(&sample, "{namespaces: {}}");
    assert_null(policy->unclear);
    assert_int_equal(policy->namespaces.presence, PRESENCE_EMPTY);
    sample_destroy(sample);
}

static void pods_are_those_of_both_selectors(void **state) {
    (void)state;
    struct sample *sample;
    const struct admin_policy *policy = read_admin(
        &sample, "{pods: {namespaceSelector: {matchLabels: {team: a}}, podSelector: {matchLabels: {app: b}}}}");
    assert_null(policy->unclear);
    assert_int_equal(policy->namespaces.count, 1);
    assert_int_equal(policy->pods.count, 1);
    assert_string_equal(policy->pods.requirements[0].key, "app");
    sample_destroy(sample);
}

static void without_a_namespace_selector_the_kinds_differ(void **state) {
    (void)state;
    struct sample *sample;
    assert_null(read_cluster(&sample, "{pods: {podSelector: {}}}")->unclear);
    sample_destroy(sample);
    assert_non_null(read_admin(&sample, "{pods: {podSelector: {}}}")->unclear);
    sample_destroy(sample);
}

static void a_subject_that_is_refused_or_misread_is_unclear(void **state) {
    (void)state;
    static const char *const subjects[] = {
        "{}",
        "null",
        "all",
        "{namespaces: {}, pods: {podSelector: {}}}",
        "{pods: {namespaceSelector: {}}}",
        "{pods: []}",
        "{namespaces: {namespaceSelector: {matchLabels: {team: a}}}}", /* the shape of v0.1.0: pruned to every namespace */
        "{namespaces: {sameLabels: [team]}}",
        "{namespaces: {matchLabels: {team: 1}}}",
        "{namespaces: {matchLabels: [team]}}",
        "{namespaces: {matchExpressions: [{key: team, operator: Gt, values: ['1']}]}}",
        "{namespaces: {}, nodes: {}}",
    };
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        struct sample *sample;
        if (!read_cluster(&sample, subjects[i])->unclear)
            fail_msg("%s is clear", subjects[i]);
        sample_destroy(sample);
    }
}

static void a_spec_of_another_type_or_none_is_unclear(void **state) {
    (void)state;
    static const char *const bodies[] = {"spec: []", "spec: null", "{}"};
    for (size_t i = 0; i < 2; i++) {
        struct sample *sample;
        assert_non_null(read(&sample, "v1alpha1", "AdminNetworkPolicy", bodies[i])->unclear);
        sample_destroy(sample);
    }
}

static void what_stands_beside_the_subject_makes_nothing_unclear(void **state) {
    (void)state;
    struct sample *sample;
    const struct admin_policy *policy =
        read(&sample, "v1alpha1", "BaselineAdminNetworkPolicy",
             "spec: {subject: {namespaces: {}}, egress: [{action: Odd, to: 5}], tier: 7, extra: true}");
    assert_null(policy->unclear);
    assert_int_equal(policy->egress, PRESENCE_FILLED);
    assert_int_equal(policy->ingress, PRESENCE_ABSENT);
    sample_destroy(sample);
}

static void empty_rules_are_none(void **state) {
    (void)state;
    static const struct {
        const char *egress;
        enum presence presence;
    } cases[] = {
        {"[]", PRESENCE_EMPTY},    {"null", PRESENCE_ABSENT}, {"[null]", PRESENCE_FILLED},
        {"[{}]", PRESENCE_FILLED}, {"{}", PRESENCE_EMPTY},    {"5", PRESENCE_FILLED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *scratch = arena_create();
        struct sample *sample;
        const struct admin_policy *policy =
            read(&sample, "v1alpha1", "AdminNetworkPolicy",
                 arena_format(scratch, "spec: {subject: {namespaces: {}}, egress: %s}", cases[i].egress));
        assert_int_equal(policy->egress, cases[i].presence);
        sample_destroy(sample);
        arena_destroy(scratch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namespaces_hold_every_pod),
        cmocka_unit_test(pods_are_those_of_both_selectors),
        cmocka_unit_test(without_a_namespace_selector_the_kinds_differ),
        cmocka_unit_test(a_subject_that_is_refused_or_misread_is_unclear),
        cmocka_unit_test(a_spec_of_another_type_or_none_is_unclear),
        cmocka_unit_test(what_stands_beside_the_subject_makes_nothing_unclear),
        cmocka_unit_test(empty_rules_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

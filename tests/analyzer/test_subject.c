/* Whom selectors select (spec/kubernetes-egress.md 2, spec/cilium-egress.md 1.2, 1.3, spec/analysis.md 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/subjects.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

static struct subject subject_with(struct stage *stage, const char *labels) {
    struct labels parsed;
    assert_true(labels_parse(labels, stage->arena, &parsed));
    return subject_of_labels("ns", parsed, &stage->snapshot);
}

/* Requirements of a selector, flow style; the subject's labels; whether it is selected. */
struct row {
    const char *selector, *labels, *selected;
};
#define LAST_ROW                                                                                                       \
    { NULL, NULL, NULL }

enum kind { KIND_CORE, KIND_CILIUM, KIND_CLUSTERWIDE };

static enum truth selects(struct stage *stage, enum kind kind, const struct subject *subject) {
    static const enum object_kind kinds[] = {OBJECT_NETWORK_POLICY, OBJECT_CILIUM_NETWORK_POLICY,
                                             OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY};
    const struct object_list *list = &stage->snapshot.objects.of[kinds[kind]];
    assert_int_equal(list->count, 1);
    const struct policy *policy = snapshot_policy(&stage->snapshot, &list->list[0]);
    if (kind == KIND_CORE)
        return subject_matches_core(subject, &policy->core->pods, &stage->reading);
    return subject_matches_cilium(subject, &policy->rules[0].endpoint_selector, kind == KIND_CILIUM, &stage->cluster,
                                  &stage->reading);
}

static struct stage *stage_with(struct arena *arena, enum kind kind, const char *beside, const char *selector) {
    static const char *const formats[] = {
        CORE("p", "{podSelector: {%s}, policyTypes: [Egress]}"),
        CNP("p", "{endpointSelector: {%s}, egress: [{}]}"),
        CCNP("p", "{endpointSelector: {%s}, egress: [{}]}"),
    };
    return stage_of(arena, arena_format(arena, "%s%s", beside, stage_filled(arena, formats[kind], selector)));
}

static void expect(struct arena *arena, enum kind kind, bool cilium, const char *beside, const struct subject *traits,
                   const struct row *rows) {
    int wrong = 0;
    for (; rows->selector; rows++) {
        struct stage *stage = stage_with(arena, kind, beside, rows->selector);
        if (cilium)
            stage_read_cilium(stage, CILIUM_1_18);
        struct subject subject = subject_with(stage, rows->labels);
        subject.labels_are_open = traits->labels_are_open;
        subject.labels_are_free = traits->labels_are_free;
        subject.service_account = traits->service_account;
        const char *selected = truth_word(selects(stage, kind, &subject));
        if (strcmp(selected, rows->selected) == 0)
            continue;
        print_error("{%s} on %s: %s\n", rows->selector, rows->labels, selected);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static const struct subject plain = {0};

#define EXPRESSION(rest) "matchExpressions: [{" rest "}]"

static void requirements_of_a_selector_hold_together(void **state) {
    static const struct row rows[] = {
        {"", "", "yes"},
        {"", "app=web", "yes"},
        {"matchLabels: {app: web}", "app=web,tier=a", "yes"},
        {"matchLabels: {app: web}", "app=Web", "no"},
        {"matchLabels: {app: ''}", "app=", "yes"},
        {"matchLabels: {app: ''}", "", "no"},
        {"matchLabels: {app: web, tier: b}", "app=web,tier=a", "no"},
        {EXPRESSION("key: app, operator: In, values: [web, db]"), "app=db", "yes"},
        {EXPRESSION("key: app, operator: In, values: [web, db]"), "", "no"},
        {EXPRESSION("key: app, operator: NotIn, values: [web]"), "", "yes"},
        {EXPRESSION("key: app, operator: NotIn, values: [web]"), "app=web", "no"},
        {EXPRESSION("key: app, operator: NotIn, values: [web]"), "app=db", "yes"},
        {EXPRESSION("key: app, operator: Exists"), "app=", "yes"},
        {EXPRESSION("key: app, operator: Exists"), "tier=a", "no"},
        {EXPRESSION("key: app, operator: DoesNotExist"), "tier=a", "yes"},
        {EXPRESSION("key: app, operator: DoesNotExist"), "app=", "no"},
        {"matchLabels: {app: web}, " EXPRESSION("key: app, operator: DoesNotExist"), "app=web", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, "", &plain, rows);
    expect(*state, KIND_CORE, true, "", &plain, rows);
    expect(*state, KIND_CILIUM, true, "", &plain, rows);
    expect(*state, KIND_CLUSTERWIDE, true, "", &plain, rows);
}

static void requirement_that_cannot_be_read_may_hold(void **state) {
    static const struct row rows[] = {
        {EXPRESSION("key: app, operator: Like, values: [web]"), "app=web", "maybe"},
        {"matchLabels: {app: db}, " EXPRESSION("key: app, operator: Like"), "app=web", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, "", &plain, rows);
}

/* What controllers add to the pods of a template is not known; what they do not add is not there. */
static void labels_of_a_template_may_be_joined_by_those_of_controllers(void **state) {
    static const struct subject template = {.labels_are_open = true};
    static const struct row rows[] = {
        {EXPRESSION("key: pod-template-hash, operator: Exists"), "app=web", "maybe"},
        {EXPRESSION("key: controller-revision-hash, operator: DoesNotExist"), "app=web", "maybe"},
        {"matchLabels: {statefulset.kubernetes.io/pod-name: web-0}", "app=web", "maybe"},
        {"matchLabels: {batch.kubernetes.io/job-name: j}", "app=web", "maybe"},
        {"matchLabels: {job-name: j}", "app=web", "maybe"},
        {"matchLabels: {topology.kubernetes.io/zone: a}", "app=web", "maybe"},
        {"matchLabels: {job-name: j}", "job-name=k", "no"},
        {"matchLabels: {tier: a}", "app=web", "no"},
        {"matchLabels: {tier: a, job-name: j}", "app=web", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, "", &template, rows);
}

static void free_labels_may_be_anything_that_is_not_told(void **state) {
    static const struct subject open = {.labels_are_free = true};
    static const struct row rows[] = {
        {"matchLabels: {tier: a}", "app=web", "maybe"},
        {EXPRESSION("key: tier, operator: DoesNotExist"), "app=web", "maybe"},
        {"matchLabels: {app: db}", "app=web", "no"},
        {"matchLabels: {app: web}", "app=web", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, "", &open, rows);
}

/* A positive requirement on a key that identities leave out selects nothing, a negative one everything. */
static void cilium_sees_the_labels_of_identities(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {pod-template-hash: x}", "pod-template-hash=x", "no"},
        {EXPRESSION("key: pod-template-hash, operator: DoesNotExist"), "pod-template-hash=x", "yes"},
        {"matchLabels: {kubernetes.io/os: linux}", "kubernetes.io/os=linux", "no"},
        {"matchLabels: {app.kubernetes.io/name: web}", "app.kubernetes.io/name=web", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, true, "", &plain, rows);
    expect(*state, KIND_CILIUM, true, "", &plain, rows);
    static const struct row core[] = {{"matchLabels: {pod-template-hash: x}", "pod-template-hash=x", "yes"}, LAST_ROW};
    expect(*state, KIND_CORE, false, "", &plain, core);
}

static void source_of_a_key_says_which_labels_it_reads(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {'k8s:app': web}", "app=web", "yes"},
        {"matchLabels: {'any:app': web}", "app=web", "yes"},
        {"matchLabels: {'cidr:app': web}", "app=web", "no"},
        {"matchLabels: {'reserved:host': ''}", "host=", "no"},
        {EXPRESSION("key: 'reserved:init', operator: DoesNotExist"), "app=web", "yes"},
        {EXPRESSION("key: 'reserved:host', operator: Exists"), "app=web", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CILIUM, true, "", &plain, rows);
}

#define NAMESPACE_KEY "io.kubernetes.pod.namespace"

/* Under the exact key of matchLabels a foreign namespace is overwritten; spelt otherwise it is kept, and selects nothing. */
static void policy_of_a_namespace_stays_in_it(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {'k8s:" NAMESPACE_KEY "': other}", "", "yes"},
        {"matchLabels: {'" NAMESPACE_KEY "': other}", "", "no"},
        {"matchLabels: {'any:" NAMESPACE_KEY "': other}", "", "no"},
        {EXPRESSION("key: 'k8s:" NAMESPACE_KEY "', operator: In, values: [other]"), "", "no"},
        {"matchLabels: {'" NAMESPACE_KEY "': ns}", "", "yes"},
        {"matchLabels: {'k8s:" NAMESPACE_KEY "': other, app: db}", "app=web", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CILIUM, true, "", &plain, rows);
    static const struct row clusterwide[] = {
        {"matchLabels: {'k8s:" NAMESPACE_KEY "': other}", "", "no"},
        {"matchLabels: {'k8s:" NAMESPACE_KEY "': ns}", "", "yes"},
        {EXPRESSION("key: 'k8s:" NAMESPACE_KEY "', operator: DoesNotExist"), "", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CLUSTERWIDE, true, "", &plain, clusterwide);
}

#define ACCOUNT "'k8s:io.cilium.k8s.policy.serviceaccount'"

static void every_pod_has_a_service_account(void **state) {
    static const struct subject robot = {.service_account = "robot"};
    static const struct row known[] = {
        {"matchLabels: {" ACCOUNT ": robot}", "", "yes"},
        {"matchLabels: {" ACCOUNT ": default}", "", "no"},
        {EXPRESSION("key: " ACCOUNT ", operator: Exists"), "", "yes"},
        {EXPRESSION("key: " ACCOUNT ", operator: DoesNotExist"), "", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CILIUM, true, "", &robot, known);
    static const struct row unknown[] = {
        {"matchLabels: {" ACCOUNT ": robot}", "", "maybe"},
        {EXPRESSION("key: " ACCOUNT ", operator: NotIn, values: [robot]"), "", "maybe"},
        {EXPRESSION("key: " ACCOUNT ", operator: Exists"), "", "yes"},
        {EXPRESSION("key: " ACCOUNT ", operator: DoesNotExist"), "", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CILIUM, true, "", &plain, unknown);
}

static void every_pod_is_in_the_cluster_of_that_name(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {'k8s:io.cilium.k8s.policy.cluster': default}", "", "yes"},
        {"matchLabels: {'k8s:io.cilium.k8s.policy.cluster': east}", "", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CILIUM, true, "", &plain, rows);
}

#define NAMESPACE_LABEL(key) "'k8s:io.cilium.k8s.namespace.labels." key "'"

static void labels_of_the_namespace_are_known_where_the_namespace_is(void **state) {
    static const struct row unknown[] = {
        {"matchLabels: {" NAMESPACE_LABEL("team") ": a}", "", "maybe"},
        {EXPRESSION("key: " NAMESPACE_LABEL("team") ", operator: DoesNotExist"), "", "maybe"},
        {"matchLabels: {" NAMESPACE_LABEL("kubernetes.io/metadata.name") ": ns}", "", "yes"},
        {"matchLabels: {" NAMESPACE_LABEL("kubernetes.io/metadata.name") ": other}", "", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CILIUM, true, "", &plain, unknown);
    static const struct row known[] = {
        {"matchLabels: {" NAMESPACE_LABEL("team") ": a}", "", "yes"},
        {"matchLabels: {" NAMESPACE_LABEL("team") ": b}", "", "no"},
        {EXPRESSION("key: " NAMESPACE_LABEL("zone") ", operator: DoesNotExist"), "", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CILIUM, true, OBJECT("v1", "Namespace", "name: ns, labels: {team: a}", ""), &plain, known);
}

static void namespace_selectors_ask_the_subjects_namespace(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {team: a}", "team=z", "yes"}, /* the pod's own labels do not count */
        {"matchLabels: {kubernetes.io/metadata.name: ns}", "", "yes"},
        {EXPRESSION("key: kubernetes.io/metadata.name, operator: NotIn, values: [ns]"), "", "no"},
        {EXPRESSION("key: zone, operator: Exists"), "zone=a", "no"},
        LAST_ROW,
    };
    for (const struct row *row = rows; row->selector; row++) {
        struct stage *stage =
            stage_with(*state, KIND_CORE, OBJECT("v1", "Namespace", "name: ns, labels: {team: a}", ""), row->selector);
        struct subject subject = subject_with(stage, row->labels);
        const struct object_list *list = &stage->snapshot.objects.of[OBJECT_NETWORK_POLICY];
        const struct policy *policy = snapshot_policy(&stage->snapshot, &list->list[0]);
        const char *selected = truth_word(subject_matches_namespace(&subject, &policy->core->pods));
        if (strcmp(selected, row->selected) != 0)
            fail_msg("{%s}: %s", row->selector, selected);
        subject.namespace_labels = NULL;
        selected = truth_word(subject_matches_namespace(&subject, &policy->core->pods));
        bool by_name = strstr(row->selector, "metadata.name") != NULL;
        assert_string_equal(selected, by_name ? row->selected : "maybe");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requirements_of_a_selector_hold_together, begin, end),
        cmocka_unit_test_setup_teardown(requirement_that_cannot_be_read_may_hold, begin, end),
        cmocka_unit_test_setup_teardown(labels_of_a_template_may_be_joined_by_those_of_controllers, begin, end),
        cmocka_unit_test_setup_teardown(free_labels_may_be_anything_that_is_not_told, begin, end),
        cmocka_unit_test_setup_teardown(cilium_sees_the_labels_of_identities, begin, end),
        cmocka_unit_test_setup_teardown(source_of_a_key_says_which_labels_it_reads, begin, end),
        cmocka_unit_test_setup_teardown(policy_of_a_namespace_stays_in_it, begin, end),
        cmocka_unit_test_setup_teardown(every_pod_has_a_service_account, begin, end),
        cmocka_unit_test_setup_teardown(every_pod_is_in_the_cluster_of_that_name, begin, end),
        cmocka_unit_test_setup_teardown(labels_of_the_namespace_are_known_where_the_namespace_is, begin, end),
        cmocka_unit_test_setup_teardown(namespace_selectors_ask_the_subjects_namespace, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Selectors as sets of destinations and their normal forms (spec/cilium-egress.md 1.2, 1.4, 3.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/selector_set.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* The peer selector of a policy that adds nothing to it, for its keys name a namespace or are reserved. */
static const struct selector *selector_of(struct stage *stage) {
    const struct object_list *list = &stage->snapshot.objects.of[OBJECT_CILIUM_NETWORK_POLICY];
    assert_int_equal(list->count, 1);
    return &snapshot_policy(&stage->snapshot, &list->list[0])->rules[0].egress.list[0].endpoints.list[0];
}

static struct stage *stage_with(struct arena *arena, const char *beside, const char *selector) {
    struct stage *stage =
        stage_of(arena, arena_format(arena, "%s" CNP("p", "{endpointSelector: {}, egress: [{toEndpoints: [{%s}]}]}"),
                                     beside, selector));
    stage_read_cilium(stage, CILIUM_1_18);
    return stage;
}

static struct destination_set set_of(struct stage *stage) {
    struct label_conditions conditions = {0};
    conditions_add_selector(&conditions, selector_of(stage), "", stage->arena);
    return conditions_destinations(&conditions, &stage->cluster, &stage->reading);
}

/* ---- normal forms ---- */

static const char *normal_form(struct arena *arena, const char *selector, const char *prefix) {
    struct stage *stage = stage_with(arena, "", selector);
    struct label_conditions conditions = {0};
    conditions_add_selector(&conditions, selector_of(stage), prefix, arena);
    return conditions_normal_form(&conditions, arena);
}

static void equal_conjunctions_have_one_normal_form(void **state) {
    static const struct {
        const char *one, *other;
        bool same;
    } rows[] = {
        {"matchLabels: {a: x, b: z}", "matchLabels: {b: z, a: x}", true},
        {"matchLabels: {a: x}", "matchExpressions: [{key: a, operator: In, values: [x]}]", true},
        {"matchLabels: {a: x}", "matchLabels: {a: x}, matchExpressions: [{key: a, operator: In, values: [x]}]", true},
        {"matchLabels: {a: x}", "matchLabels: {'any:a': x}", true},
        {"matchExpressions: [{key: a, operator: In, values: [x, z]}]",
         "matchExpressions: [{key: a, operator: In, values: [z, x, x]}]", true},
        {"matchLabels: {a: x}", "matchLabels: {'k8s:a': x}", false},
        {"matchLabels: {a: x}", "matchLabels: {a: z}", false},
        {"matchLabels: {a: x}", "matchExpressions: [{key: a, operator: NotIn, values: [x]}]", false},
        {"matchExpressions: [{key: a, operator: Exists}]", "matchExpressions: [{key: a, operator: DoesNotExist}]",
         false},
        {"matchExpressions: [{key: a, operator: In, values: [x, z]}]",
         "matchExpressions: [{key: a, operator: In, values: [x]}, {key: a, operator: In, values: [z]}]", false},
        {"", "matchLabels: {}", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *one = normal_form(*state, rows[i].one, ""), *other = normal_form(*state, rows[i].other, "");
        if ((strcmp(one, other) == 0) != rows[i].same)
            fail_msg("%s and %s: %s, %s", rows[i].one, rows[i].other, one, other);
    }
}

static void prefix_stands_before_each_key(void **state) {
    assert_string_equal(normal_form(*state, "matchLabels: {a: x, b: z}", "k8s:"),
                        normal_form(*state, "matchLabels: {'k8s:a': x, 'k8s:b': z}", ""));
}

/* ---- destinations ---- */

struct row {
    const char *selector, *destination;
    bool selected;
};
#define LAST_ROW                                                                                                       \
    { NULL, NULL, false }

static void expect(struct arena *arena, const char *beside, const struct row *rows) {
    int wrong = 0;
    for (; rows->selector; rows++) {
        struct stage *stage = stage_with(arena, beside, rows->selector);
        struct destination_set set = set_of(stage);
        struct destination destination = stage_destination(stage, rows->destination);
        if (destination_set_contains(&set, &destination) == rows->selected)
            continue;
        print_error("{%s} and %s: %s\n", rows->selector, rows->destination, rows->selected ? "no" : "yes");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define EXPRESSION(rest) "matchExpressions: [{" rest "}]"

static void positive_requirements_select_what_carries_the_label(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {app: web}", "pod:ns?app=web", true},
        {"matchLabels: {app: web}", "pod:other?app=web", true}, /* the scope is not added here */
        {"matchLabels: {app: web}", "pod:ns?app=db", false},
        {"matchLabels: {app: web}", "192.0.2.1", false},
        {"matchLabels: {app: web}", "host", false},
        {"matchLabels: {'reserved:world': ''}", "192.0.2.1", true},
        {"matchLabels: {'reserved:world': ''}", "2001:db8::1", true},
        {"matchLabels: {'reserved:world': ''}", "name:a.example", true},
        {"matchLabels: {'reserved:world': ''}", "kube-apiserver", true},
        {"matchLabels: {'reserved:world': ''}", "pod:ns?", false},
        {"matchLabels: {'reserved:world': ''}", "host", false},
        {"matchLabels: {world: ''}", "192.0.2.1", true}, /* without a source a key reads every one */
        {"matchLabels: {'reserved:host': ''}", "host", true},
        {"matchLabels: {'reserved:host': ''}", "host+kube-apiserver", true},
        {"matchLabels: {'reserved:host': ''}", "remote-node", false},
        {"matchLabels: {'reserved:kube-apiserver': ''}", "remote-node+kube-apiserver", true},
        {"matchLabels: {'reserved:kube-apiserver': ''}", "remote-node", false},
        {"matchLabels: {'reserved:kube-apiserver': ''}", "kube-apiserver", true},
        {"matchLabels: {'reserved:kube-apiserver': '', 'reserved:host': ''}", "host+kube-apiserver", true},
        {"matchLabels: {'reserved:kube-apiserver': '', 'reserved:host': ''}", "kube-apiserver", false},
        {EXPRESSION("key: 'reserved:health', operator: Exists"), "health", true},
        {EXPRESSION("key: 'reserved:health', operator: Exists"), "ingress", false},
        {"matchLabels: {'cidr:10.0.0.0/8': ''}", "10.1.2.3", true},
        {"matchLabels: {'cidr:10.0.0.0/8': ''}", "11.1.2.3", false},
        {"matchLabels: {'fqdn:a.example': ''}", "name:a.example", true},
        {"matchLabels: {'fqdn:a.example': ''}", "name:b.example", false},
        {"matchLabels: {'fqdn:a.example': ''}", "203.0.113.9", false},
        {"matchLabels: {'k8s:pod-template-hash': x}", "pod:ns?pod-template-hash=x", false},
        LAST_ROW,
    };
    expect(*state, "", rows);
}

/* Trap (a) of 1.4: requirements that are all negative hold of whatever lacks the label. */
static void negative_requirements_select_what_lacks_the_label_of_any_sort(void **state) {
#define NOT_PROD EXPRESSION("key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: [prod]")
    static const struct row rows[] = {
        {NOT_PROD, "pod:ns?", true},
        {NOT_PROD, "pod:prod?", false},
        {NOT_PROD, "192.0.2.1", true},
        {NOT_PROD, "name:a.example", true},
        {NOT_PROD, "host", true},
        {NOT_PROD, "remote-node", true},
        {NOT_PROD, "kube-apiserver", true},
        {EXPRESSION("key: 'reserved:world', operator: DoesNotExist"), "192.0.2.1", false},
        {EXPRESSION("key: 'reserved:world', operator: DoesNotExist"), "kube-apiserver", false},
        {EXPRESSION("key: 'reserved:world', operator: DoesNotExist"), "host", true},
        {EXPRESSION("key: 'reserved:world', operator: DoesNotExist"), "pod:ns?", true},
        {EXPRESSION("key: 'cidr:10.0.0.0/8', operator: DoesNotExist"), "10.0.0.1", false},
        {EXPRESSION("key: 'cidr:10.0.0.0/8', operator: DoesNotExist"), "11.0.0.1", true},
        {EXPRESSION("key: 'fqdn:a.example', operator: DoesNotExist"), "name:a.example", false},
        {EXPRESSION("key: 'fqdn:a.example', operator: DoesNotExist"), "name:b.example", true},
        {EXPRESSION("key: pod-template-hash, operator: DoesNotExist"), "pod:ns?pod-template-hash=x", true},
        LAST_ROW,
    };
    expect(*state, "", rows);
}

static void no_pod_lacks_a_namespace_a_service_account_or_a_cluster(void **state) {
    static const struct row rows[] = {
        {EXPRESSION("key: 'k8s:io.kubernetes.pod.namespace', operator: DoesNotExist"), "pod:ns?", false},
        {EXPRESSION("key: 'k8s:io.kubernetes.pod.namespace', operator: Exists"), "pod:ns?", true},
        {EXPRESSION("key: 'k8s:io.cilium.k8s.policy.serviceaccount', operator: DoesNotExist"), "pod:ns?sa:=a", false},
        {EXPRESSION("key: 'k8s:io.cilium.k8s.policy.serviceaccount', operator: Exists"), "pod:ns?sa:=a", true},
        {EXPRESSION("key: 'k8s:io.cilium.k8s.policy.cluster', operator: DoesNotExist"), "pod:ns?", false},
        {"matchLabels: {'k8s:io.cilium.k8s.policy.serviceaccount': a}", "pod:ns?sa:=a", true},
        {"matchLabels: {'k8s:io.cilium.k8s.policy.serviceaccount': a}", "pod:ns?sa:=b", false},
        LAST_ROW,
    };
    expect(*state, "", rows);
}

static void keys_of_the_namespace_and_its_name_label_are_one(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {'k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name': ns}", "pod:ns?", true},
        {"matchLabels: {'k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name': ns}", "pod:other?", false},
        {"matchLabels: {'k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name': a, "
         "'k8s:io.kubernetes.pod.namespace': b}",
         "pod:a?", false},
        {"matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}", "pod:x?ns:team=a", true},
        {"matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}", "pod:x?team=a", false},
        LAST_ROW,
    };
    expect(*state, "", rows);
}

#define SLICE                                                                                                          \
    OBJECT("discovery.k8s.io/v1", "EndpointSlice",                                                                     \
           "name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}",                   \
           "addressType: IPv4\nendpoints: [{addresses: [10.1.1.1]}]")

static void known_address_of_the_api_server_carries_its_label(void **state) {
    static const struct row rows[] = {
        {"matchLabels: {'reserved:kube-apiserver': ''}", "10.1.1.1", true},
        {"matchLabels: {'reserved:kube-apiserver': ''}", "10.1.1.2", false},
        {"matchLabels: {'reserved:kube-apiserver': ''}", "kube-apiserver", false}, /* it is an address by now */
        {"matchLabels: {'reserved:kube-apiserver': '', 'reserved:world': ''}", "10.1.1.1", true},
        {"matchLabels: {'reserved:kube-apiserver': '', 'cidr:11.0.0.0/8': ''}", "10.1.1.1", false},
        {"matchLabels: {'reserved:world': ''}", "10.1.1.1", true},
        {EXPRESSION("key: 'reserved:kube-apiserver', operator: DoesNotExist"), "10.1.1.1", false},
        {EXPRESSION("key: 'reserved:kube-apiserver', operator: DoesNotExist"), "10.1.1.2", true},
        {EXPRESSION("key: 'reserved:kube-apiserver', operator: NotIn, values: ['']"), "10.1.1.1", false},
        {EXPRESSION("key: 'reserved:kube-apiserver', operator: NotIn, values: [x]"), "10.1.1.1", true},
        LAST_ROW,
    };
    expect(*state, SLICE, rows);
}

static void selector_singles_the_api_server_out_while_its_address_is_unknown(void **state) {
    static const struct {
        const char *beside, *selector;
        bool singles_out;
    } rows[] = {
        {"", EXPRESSION("key: 'reserved:kube-apiserver', operator: DoesNotExist"), true},
        {"", EXPRESSION("key: kube-apiserver, operator: NotIn, values: ['']"), true},
        {SLICE, EXPRESSION("key: 'reserved:kube-apiserver', operator: DoesNotExist"), false},
        {"", EXPRESSION("key: 'reserved:host', operator: DoesNotExist"), false},
        {"", "matchLabels: {'reserved:kube-apiserver': ''}", false}, /* no address is selected */
        {"",
         "matchExpressions: [{key: 'reserved:kube-apiserver', operator: DoesNotExist}, {key: 'reserved:world', "
         "operator: DoesNotExist}]",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_with(*state, rows[i].beside, rows[i].selector);
        struct label_conditions conditions = {0};
        conditions_add_selector(&conditions, selector_of(stage), "", stage->arena);
        struct destination_set set = conditions_destinations(&conditions, &stage->cluster, &stage->reading);
        if (conditions_single_out_api_server(&conditions, &stage->cluster, &set) != rows[i].singles_out)
            fail_msg("%s", rows[i].selector);
    }
}

static void core_selector_is_a_label_set_of_its_scope(void **state) {
    struct stage *stage =
        stage_with(*state, "", "matchLabels: {a: x}, " EXPRESSION("key: b, operator: NotIn, values: [z]"));
    struct label_set set = selector_label_set(selector_of(stage), LABEL_NAMESPACE, label_set_everything(), *state);
    static const struct label inside[] = {{{LABEL_NAMESPACE, "a"}, "x"}},
                              outside[] = {{{LABEL_NAMESPACE, "a"}, "x"}, {{LABEL_NAMESPACE, "b"}, "z"}},
                              elsewhere[] = {{{LABEL_POD, "a"}, "x"}};
    assert_true(label_set_contains(&set, inside, 1));
    assert_false(label_set_contains(&set, outside, 2));
    assert_false(label_set_contains(&set, elsewhere, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_conjunctions_have_one_normal_form, begin, end),
        cmocka_unit_test_setup_teardown(prefix_stands_before_each_key, begin, end),
        cmocka_unit_test_setup_teardown(positive_requirements_select_what_carries_the_label, begin, end),
        cmocka_unit_test_setup_teardown(negative_requirements_select_what_lacks_the_label_of_any_sort, begin, end),
        cmocka_unit_test_setup_teardown(no_pod_lacks_a_namespace_a_service_account_or_a_cluster, begin, end),
        cmocka_unit_test_setup_teardown(keys_of_the_namespace_and_its_name_label_are_one, begin, end),
        cmocka_unit_test_setup_teardown(known_address_of_the_api_server_carries_its_label, begin, end),
        cmocka_unit_test_setup_teardown(selector_singles_the_api_server_out_while_its_address_is_unknown, begin, end),
        cmocka_unit_test_setup_teardown(core_selector_is_a_label_set_of_its_scope, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

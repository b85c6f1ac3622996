/* What was read of a repo or cluster, ready for questions (spec/analysis.md 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* A snapshot of one file; `namespace` as by --namespace. */
static struct snapshot read(struct arena *arena, const char *text, const char *namespace,
                            struct diagnostics *diagnostics) {
    struct file *file = arena_alloc(arena, sizeof *file);
    struct inputs *inputs = arena_alloc(arena, sizeof *inputs);
    struct reader_options options = {.limits = limits_default()};
    struct snapshot snapshot;
    diagnostics_init(diagnostics, arena);
    reader_read_text("objects.yaml", text_of(text), &options, arena, file, diagnostics);
    *inputs = (struct inputs){.files = file, .count = 1};
    snapshot_read(inputs, namespace, arena, &snapshot, diagnostics);
    return snapshot;
}

#define POLICY(name, rest)                                                                                             \
    OBJECT("networking.k8s.io/v1", "NetworkPolicy", "name: " name rest, "spec: {podSelector: {}}")

static void objects_of_a_namespace_come_with_those_of_none(void **state) {
    static const char text[] =
        POLICY("d", ", namespace: b") POLICY("c", ", namespace: a") POLICY("none", "") POLICY("a", ", namespace: b")
            POLICY("z", ", namespace: c") OBJECT("cilium.io/v2", "CiliumClusterwideNetworkPolicy", "name: wide",
                                                 "spec: {endpointSelector: {}, egress: [{}]}")
                OBJECT("extensions/v1beta1", "NetworkPolicy", "name: old, namespace: b", "spec: {podSelector: {}}");
    static const struct {
        enum object_kind kind;
        const char *namespace, *names;
    } rows[] = {
        {OBJECT_NETWORK_POLICY, "a", "c none"},
        {OBJECT_NETWORK_POLICY, "b", "a d none"}, /* what is not served is left out */
        {OBJECT_NETWORK_POLICY, "c", "z none"},
        {OBJECT_NETWORK_POLICY, "bb", "none"},
        {OBJECT_NETWORK_POLICY, "zz", "none"},
        {OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY, "a", "wide"},
        {OBJECT_CILIUM_NETWORK_POLICY, "a", ""},
    };
    struct diagnostics diagnostics;
    struct snapshot snapshot = read(*state, text, NULL, &diagnostics);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct object *const *objects = snapshot_objects(&snapshot, rows[i].kind, rows[i].namespace);
        struct buffer names;
        buffer_init(&names, *state);
        for (size_t k = 0; objects[k]; k++)
            buffer_print(&names, "%s%s", k ? " " : "", objects[k]->name);
        if (strcmp(buffer_string(&names), rows[i].names) != 0)
            fail_msg("row %zu: %s", i, buffer_string(&names));
    }
}

static size_t count_of(const struct diagnostics *diagnostics, enum code code) {
    size_t count = 0;
    for (size_t i = 0; i < diagnostics->count; i++)
        count += diagnostics->list[i].code == code ? 1 : 0;
    return count;
}

static void policy_that_names_no_namespace_is_noted(void **state) {
    static const struct {
        const char *text, *namespace;
        size_t notes;
    } rows[] = {
        {POLICY("p", ""), NULL, 1},
        {POLICY("p", ""), "ns", 0},
        {POLICY("p", ", namespace: a"), NULL, 0},
        {POLICY("p", "") POLICY("q", ""), NULL, 2},
        {OBJECT("cilium.io/v2", "CiliumClusterwideNetworkPolicy", "name: p", "spec: {}"), NULL, 0},
        {OBJECT("v1", "Pod", "name: p", "spec: {}"), NULL, 0}, /* evidence */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics diagnostics;
        read(*state, rows[i].text, rows[i].namespace, &diagnostics);
        if (count_of(&diagnostics, CODE_NAMESPACE_ABSENT) != rows[i].notes)
            fail_msg("row %zu: %zu notes", i, count_of(&diagnostics, CODE_NAMESPACE_ABSENT));
    }
}

static void policy_is_typed_once(void **state) {
    struct diagnostics diagnostics;
    struct snapshot snapshot = read(*state, POLICY("p", "") POLICY("q", ""), "ns", &diagnostics);
    const struct object *const *objects = snapshot_objects(&snapshot, OBJECT_NETWORK_POLICY, "ns");
    const struct policy *first = snapshot_policy(&snapshot, objects[0]);
    assert_ptr_equal(first->object, objects[0]);
    assert_ptr_equal(snapshot_policy(&snapshot, objects[0]), first);
    assert_ptr_not_equal(snapshot_policy(&snapshot, objects[1]), first);
}

static void twin_has_the_same_kind_namespace_and_name(void **state) {
    static const struct {
        const char *text;
        bool twin;
    } rows[] = {
        {POLICY("p", "")
             OBJECT("networking.k8s.io/v1", "NetworkPolicy", "name: p", "spec: {podSelector: {}, egress: [{}]}"),
         true},
        {POLICY("p", "") POLICY("p", ", namespace: other"), false},
        {POLICY("p", "") POLICY("q", ""), false},
        {POLICY("p", "") OBJECT("cilium.io/v2", "CiliumNetworkPolicy", "name: p", "spec: {}"), false},
        {POLICY("p", "") POLICY("p", ""), false}, /* equal copies are one */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics diagnostics;
        struct snapshot snapshot = read(*state, rows[i].text, "ns", &diagnostics);
        const struct object *const *objects = snapshot_objects(&snapshot, OBJECT_NETWORK_POLICY, "ns");
        if (snapshot_has_twin(&snapshot, objects[0]) != rows[i].twin)
            fail_msg("row %zu", i);
    }
}

static void what_cannot_be_read_may_hold_any_policy(void **state) {
    static const struct {
        const char *text;
        bool unreadable;
    } rows[] = {
        {"", false},
        {POLICY("p", ""), false},
        {"a: [\n", true},
        {POLICY("p", "") "---\na: [\n", true},
        {POLICY("p", "") "---\n{{ if .x }}\n", true},           /* a template */
        {OBJECT("v1", "Secret", "name: s", "data: {}"), false}, /* of a kind that nothing reads */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics diagnostics;
        struct snapshot snapshot = read(*state, rows[i].text, "ns", &diagnostics);
        if ((snapshot.unreadable != NULL) != rows[i].unreadable)
            fail_msg("row %zu: %s", i, snapshot.unreadable ? snapshot.unreadable : "all was read");
        if (rows[i].unreadable)
            assert_string_equal(snapshot.unreadable_at.file, "objects.yaml");
    }
}

static void nothing_is_complete_without_an_index(void **state) {
    struct diagnostics diagnostics;
    struct snapshot snapshot = read(*state, POLICY("p", ""), "ns", &diagnostics);
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        assert_false(snapshot.complete[kind]);
    assert_true(snapshot.facts_hold);
}

static void facts_that_contradict_one_another_do_not_hold(void **state) {
#define AGENT(name, version)                                                                                           \
    OBJECT("v1", "Pod", "name: " name ", namespace: kube-system, labels: {k8s-app: cilium}",                           \
           "spec: {containers: [{name: cilium-agent, image: 'quay.io/cilium/cilium:v" version "'}]}")
    struct diagnostics diagnostics;
    struct snapshot one = read(*state, AGENT("a", "1.16.2") AGENT("b", "1.16.2"), NULL, &diagnostics);
    assert_true(one.facts_hold);
    assert_true(facts_know(&one.facts, FACT_CILIUM_VERSION));
    assert_int_equal(one.facts.cilium.minor, 16);
    struct snapshot two = read(*state, AGENT("a", "1.16.2") AGENT("b", "1.18.0"), NULL, &diagnostics);
    assert_false(two.facts_hold);
    assert_true(count_of(&diagnostics, CODE_CLUSTER_FACT_CONFLICT) > 0);
}

static void label_of_an_object_is_its_namespace_and_name(void **state) {
    struct object object = {.namespace = "ns", .name = "p"};
    assert_string_equal(object_label(&object, *state), "ns/p");
    object.namespace = NULL;
    assert_string_equal(object_label(&object, *state), "p");
    object.name = NULL;
    assert_string_equal(object_label(&object, *state), "(unnamed)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(objects_of_a_namespace_come_with_those_of_none, begin, end),
        cmocka_unit_test_setup_teardown(policy_that_names_no_namespace_is_noted, begin, end),
        cmocka_unit_test_setup_teardown(policy_is_typed_once, begin, end),
        cmocka_unit_test_setup_teardown(twin_has_the_same_kind_namespace_and_name, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_may_hold_any_policy, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_complete_without_an_index, begin, end),
        cmocka_unit_test_setup_teardown(facts_that_contradict_one_another_do_not_hold, begin, end),
        cmocka_unit_test_setup_teardown(label_of_an_object_is_its_namespace_and_name, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

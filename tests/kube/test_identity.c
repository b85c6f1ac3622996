/* The agent's label filter (spec/cilium-egress.md 1.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "kube/identity.h"

struct row {
    const char *key;
    bool kept;
};

static void expect(const char *option, const struct row *rows) {
    struct arena *arena = arena_create();
    const struct identity_filter *filter = identity_filter_of(option, arena);
    assert_non_null(filter);
    for (; rows->key; rows++) {
        if (identity_filter_keeps(filter, rows->key) != rows->kept)
            fail_msg("%s under `%s`", rows->key, option ? option : "the default");
    }
    arena_destroy(arena);
}

static const struct row by_default[] = {
    {"app", true},
    {"app.kubernetes.io/name", true},
    {"io.kubernetes.pod.namespace", true},
    {"io.kubernetes.pod.name", false},
    {"io.cilium.k8s.namespace.labels.x", true},
    {"io.cilium.k8s.policy.cluster", true},
    {"kubernetes.io/metadata.name", false},
    {"node.kubernetes.io/x", true},
    {"beta.kubernetes.io/arch", false},
    {"failure-domain.beta.kubernetes.io/zone", false},
    {"k8s.io/x", false},
    {"x.k8s.io/y", true},
    {"k8s-app", true},
    {"statefulset.kubernetes.io/pod-name", false},
    {"apps.kubernetes.io/pod-index", false},
    {"batch.kubernetes.io/job-completion-index", false},
    {"batch.kubernetes.io/controller-uid", false},
    {"batch.kubernetes.io/job-name", true},
    {"controller-uid", false},
    {"pod-template-generation", false},
    {"pod-template-hash", false},
    {"controller-revision-hash", false},
    {"annotation.x", false},
    {"etcd_node", false},
    {"topology.kubernetes.io/zone", true},
    {NULL, false},
};

static void the_default_filter_drops_what_the_agent_does(void **state) {
    (void)state;
    expect(NULL, by_default);
    expect("", by_default);
    expect(" \t", by_default);
}

static void ignored_prefixes_are_added(void **state) {
    static const struct row rows[] = {
        {"job-name", false},          {"job-name-x", false}, {"jobname", true},
        {"pod-template-hash", false}, {"app", true},         {NULL, false},
    };
    (void)state;
    expect("!job-name", rows);
    expect("k8s:!job-name", rows);
}

static void an_include_makes_a_whitelist(void **state) {
    static const struct row rows[] = {
        {"app", true},
        {"application", true},
        {"tier", false},
        {"app.kubernetes.io/name", true},
        {"io.kubernetes.pod.namespace", true},
        {"io.cilium.k8s.namespace.labels.x", true},
        {"pod-template-hash", false},
        {NULL, false},
    };
    (void)state;
    expect("k8s:app", rows);
    expect("app", rows);
}

static void the_longest_include_beats_the_shortest_exclude(void **state) {
    static const struct row rows[] = {
        {"foo.bar", true}, {"foo.baz", false}, {"kubernetes.io/x", true}, {"kubernetes.io/y", false}, {NULL, false},
    };
    (void)state;
    expect("!foo foo\\.bar kubernetes\\.io/x", rows);
}

static void patterns_are_expressions_anchored_at_the_start(void **state) {
    static const struct row rows[] = {
        {"a-1", false}, {"a-x", true}, {"b-1", true}, {"xa-1", true}, {"secret-x", false}, {NULL, false},
    };
    (void)state;
    expect("!a-[0-9]+ !.*cret-(x|y), !c{1,2}d", rows);
}

/* One spelling goes the short way, the other through the expressions; both must say the same of any key. */
static void ends_that_take_anything_mean_the_same_in_any_spelling(void **state) {
    static const char *const spellings[][2] = {
        {"!.*b", "!(.*b)"},           {"!b.*", "!(b.*)"},
        {"!.*b.*", "!(.*b.*)"},       {"!.*", "!(.*)"},
        {"!.*.*", "!(.*.*)"},         {"!a\\.*", "!(a\\.*)"},
        {"!a\\\\.*", "!(a\\\\.*)"},   {"!.*a\\.b", "!(.*a\\.b)"},
        {".*b !.*a", "(.*b) !(.*a)"}, {"b.* !.*b.*", "(b.*) !(.*b.*)"},
        {"!a !.*", "!(a) !(.*)"},     {"a !a.*b", "(a) !(a.*b)"},
    };
    static const char letters[] = {'a', 'b', '.', '\\', '\n', '\0'};
    enum { LETTERS = sizeof letters, LONGEST = 5 };
    struct arena *arena = arena_create();
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const struct identity_filter *plain = identity_filter_of(spellings[i][0], arena);
        const struct identity_filter *grouped = identity_filter_of(spellings[i][1], arena);
        assert_non_null(plain);
        assert_non_null(grouped);
        for (size_t n = 0; n < (size_t)LETTERS * LETTERS * LETTERS * LETTERS * LETTERS; n++) {
            char key[LONGEST + 1] = "";
            for (size_t at = 0, rest = n; at < LONGEST; at++, rest /= LETTERS)
                key[at] = letters[rest % LETTERS];
            if (identity_filter_keeps(plain, key) != identity_filter_keeps(grouped, key))
                fail_msg("'%s' under `%s` and `%s`", key, spellings[i][0], spellings[i][1]);
        }
    }
    arena_destroy(arena);
}

static void entries_of_another_source_say_nothing_of_pods(void **state) {
    static const struct row rows[] = {{"app", true}, {"tier", true}, {NULL, false}};
    (void)state;
    expect("container:!app", rows);
}

static void options_that_cannot_be_read_give_none(void **state) {
    static const char *const options[] = {"k8s:", "!a[", "a (", "k8s:!("};
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct arena *arena = arena_create();
        assert_null(identity_filter_of(options[i], arena));
        arena_destroy(arena);
    }
}

static void no_filter_keeps_everything(void **state) {
    (void)state;
    assert_true(identity_filter_keeps(NULL, "pod-template-hash"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_filter_drops_what_the_agent_does),
        cmocka_unit_test(ignored_prefixes_are_added),
        cmocka_unit_test(an_include_makes_a_whitelist),
        cmocka_unit_test(the_longest_include_beats_the_shortest_exclude),
        cmocka_unit_test(patterns_are_expressions_anchored_at_the_start),
        cmocka_unit_test(ends_that_take_anything_mean_the_same_in_any_spelling),
        cmocka_unit_test(entries_of_another_source_say_nothing_of_pods),
        cmocka_unit_test(options_that_cannot_be_read_give_none),
        cmocka_unit_test(no_filter_keeps_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

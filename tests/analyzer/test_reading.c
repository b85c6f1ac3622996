/* Which readings the facts leave open (spec/design.md "From objects to sets", spec/cilium-egress.md 11, 12). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* Facts as `cluster` of a config writes them. */
static struct cluster_facts facts_of(struct arena *arena, const char *text) {
    struct file file;
    struct diagnostics diagnostics;
    struct reader_options options = {.limits = limits_default()};
    struct cluster_facts facts = facts_default();
    diagnostics_init(&diagnostics, arena);
    reader_read_text("facts.yaml", text_of(text), &options, arena, &file, &diagnostics);
    if (file.count == 1 && !facts_read(&file.documents[0].root, "facts.yaml", "cluster", arena, &facts, &diagnostics))
        fail_msg("%s: facts that cannot be read", text);
    return facts;
}

static struct reading_list readings(struct arena *arena, const char *facts, bool cilium, unsigned aspects) {
    struct cluster cluster = {.arena = arena, .facts = facts_of(arena, facts)};
    return readings_of(&cluster, cilium, aspects);
}

static cilium_classes classes_of(const struct reading_list *list) {
    cilium_classes classes = 0;
    for (size_t i = 0; i < list->count; i++)
        classes = (cilium_classes)(classes | ONLY(list->list[i].class));
    return classes;
}

static void core_has_one_reading_whatever_version_of_cilium_is_there(void **state) {
    static const char *const facts[] = {"{}", "{cilium: {version: '1.16', cidrMatchMode: [nodes]}}"};
    for (size_t i = 0; i < 2; i++) {
        struct reading_list list = readings(*state, facts[i], false, 0);
        assert_int_equal(list.count, 1);
        assert_false(list.list[0].cilium);
        assert_true(list.list[0].sctp); /* SCTP is a protocol of the API like the others */
        assert_false(list.list[0].filters_labels);
        assert_false(list.list[0].match_nodes);
    }
}

static void version_of_cilium_tells_the_classes_that_are_left_open(void **state) {
    static const struct {
        const char *facts;
        cilium_classes classes;
    } rows[] = {
        {"{}", FROM(CILIUM_1_17_0)},
        {"{cilium: {version: '1.15.6'}}", ONLY(CILIUM_1_15)},
        {"{cilium: {version: '1.16'}}", ONLY(CILIUM_1_16_0) | ONLY(CILIUM_1_16_4)},
        {"{cilium: {version: '1.16.3'}}", ONLY(CILIUM_1_16_0)},
        {"{cilium: {version: '1.16.4'}}", ONLY(CILIUM_1_16_4)},
        {"{cilium: {version: '1.17'}}", ONLY(CILIUM_1_17_0) | ONLY(CILIUM_1_17_5)},
        {"{cilium: {version: '1.17.5'}}", ONLY(CILIUM_1_17_5)},
        {"{cilium: {version: '1.18'}}", ONLY(CILIUM_1_18)},
        {"{cilium: {version: '1.19'}}", ONLY(CILIUM_1_19)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading_list list = readings(*state, rows[i].facts, true, 0);
        if (classes_of(&list) != rows[i].classes)
            fail_msg("%s: %x", rows[i].facts, classes_of(&list));
    }
}

static void options_of_the_agent_shape_every_reading(void **state) {
    static const struct {
        const char *facts;
        bool sctp, nodes, always, l7_proxy;
    } rows[] = {
        {"{cilium: {version: '1.18'}}", false, false, false, true},
        {"{cilium: {version: '1.18', sctp: true}}", true, false, false, true},
        {"{cilium: {version: '1.18', cidrMatchMode: [nodes]}}", false, true, false, true},
        {"{cilium: {version: '1.18', enforcementMode: always}}", false, false, true, true},
        {"{cilium: {version: '1.18', enforcementMode: default}}", false, false, false, true},
        {"{cilium: {version: '1.18', l7Proxy: false}}", false, false, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading_list list = readings(*state, rows[i].facts, true, 0);
        assert_int_equal(list.count, 1);
        const struct reading *reading = &list.list[0];
        assert_true(reading->cilium && reading->filters_labels);
        if (reading->sctp != rows[i].sctp || reading->match_nodes != rows[i].nodes ||
            reading->always != rows[i].always || reading->l7_proxy != rows[i].l7_proxy)
            fail_msg("%s is read as something else", rows[i].facts);
    }
}

static void peers_are_of_the_local_cluster_from_1_19_on_unless_a_fact_says_otherwise(void **state) {
    static const struct {
        const char *facts;
        bool local;
    } rows[] = {
        {"{cilium: {version: '1.17.5'}}", false},
        {"{cilium: {version: '1.18'}}", false},
        {"{cilium: {version: '1.19'}}", true},
        {"{cilium: {version: '1.18', localCluster: true}}", true},
        {"{cilium: {version: '1.19', localCluster: false}}", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading_list list = readings(*state, rows[i].facts, true, 0);
        assert_int_equal(list.count, 1);
        if (list.list[0].local_cluster != rows[i].local)
            fail_msg("%s", rows[i].facts);
    }
}

static void each_aspect_doubles_the_readings(void **state) {
    static const struct {
        const char *facts;
        bool cilium;
        unsigned aspects;
        size_t count;
    } rows[] = {
        {"{cilium: {version: '1.18'}}", true, 0, 1},
        {"{cilium: {version: '1.18'}}", true, ASPECT_LABEL_FILTER, 2},
        {"{cilium: {version: '1.18'}}", true, ASPECT_LEADING_ZEROS | ASPECT_MAPPED, 4},
        {"{}", true, ASPECT_REFUSED, 8},
        {"{cilium: {version: '1.18'}}", true,
         ASPECT_LABEL_FILTER | ASPECT_LEADING_ZEROS | ASPECT_MAPPED | ASPECT_REFUSED, 16},
        {"{cilium: {version: '1.18', labels: 'k8s:.*'}}", true, ASPECT_LABEL_FILTER, 1}, /* the filter is known */
        {"{}", false, ASPECT_LABEL_FILTER, 1},                                           /* the API knows no filter */
        {"{}", false, ASPECT_LEADING_ZEROS | ASPECT_MAPPED | ASPECT_REFUSED, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading_list list = readings(*state, rows[i].facts, rows[i].cilium, rows[i].aspects);
        if (list.count != rows[i].count)
            fail_msg("row %zu: %zu readings", i, list.count);
    }
}

static void doubled_readings_are_all_different(void **state) {
    struct reading_list list =
        readings(*state, "{}", true, ASPECT_LABEL_FILTER | ASPECT_LEADING_ZEROS | ASPECT_MAPPED | ASPECT_REFUSED);
    assert_int_equal(list.count, 64);
    for (size_t i = 0; i < list.count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct reading *a = &list.list[i], *b = &list.list[k];
            if (a->class == b->class && a->filters_labels == b->filters_labels && a->octal == b->octal &&
                a->mapped == b->mapped && a->refused_count == b->refused_count)
                fail_msg("readings %zu and %zu are the same", i, k);
        }
}

static void reading_prints_what_sets_it_apart(void **state) {
    static const struct {
        struct reading reading;
        const char *text;
    } rows[] = {
        {{.cilium = false}, "the Kubernetes API"},
        {{.cilium = false, .octal = true}, "the Kubernetes API, leading zeros as octal"},
        {{.cilium = true, .class = CILIUM_1_18, .filters_labels = true}, "Cilium 1.18"},
        {{.cilium = true, .class = CILIUM_1_16_0}, "Cilium 1.16.0-1.16.3, no label filter"},
        {{.cilium = true, .class = CILIUM_1_19, .filters_labels = true, .mapped = true, .refused_count = true},
         "Cilium 1.19, IPv4-mapped blocks as IPv4, refused objects in force"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buffer out;
        buffer_init(&out, *state);
        reading_print(&out, &rows[i].reading);
        assert_string_equal(buffer_string(&out), rows[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(core_has_one_reading_whatever_version_of_cilium_is_there, begin, end),
        cmocka_unit_test_setup_teardown(version_of_cilium_tells_the_classes_that_are_left_open, begin, end),
        cmocka_unit_test_setup_teardown(options_of_the_agent_shape_every_reading, begin, end),
        cmocka_unit_test_setup_teardown(peers_are_of_the_local_cluster_from_1_19_on_unless_a_fact_says_otherwise, begin,
                                        end),
        cmocka_unit_test_setup_teardown(each_aspect_doubles_the_readings, begin, end),
        cmocka_unit_test_setup_teardown(doubled_readings_are_all_different, begin, end),
        cmocka_unit_test_setup_teardown(reading_prints_what_sets_it_apart, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

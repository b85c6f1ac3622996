/* Whom a decision is taken for (spec/analysis.md 2). */
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

#define CONFIG "namespace: ns\nsandboxTemplateName: box\negress: {policy: {kind: no-network}}\n"
#define BOX "sandbox.namzu.ai/template: box"
#define POD(name, namespace, labels, rest)                                                                             \
    OBJECT("v1", "Pod", "name: " name ", namespace: " namespace ", labels: {" labels "}",                              \
           "spec: {containers: [{name: c}]}" rest)
#define TEMPLATE(name, labels)                                                                                         \
    OBJECT("apps/v1", "Deployment", "name: " name,                                                                     \
           "spec: {template: {metadata: {labels: {" labels "}}, spec: {containers: [{name: c}]}}}")

static const struct subject_list *list_of(struct arena *arena, const char *config, const char *objects, const char *pod,
                                          const char *labels, const char **problem) {
    struct stage *stage = stage_of(arena, objects);
    const struct subject_choice choice = {pod, labels};
    *problem = NULL;
    return subjects_of(stage_boundary(arena, config), NULL, &stage->snapshot, &choice, arena, problem);
}

static const char *labels_word(struct arena *arena, const struct labels *labels) {
    struct buffer out;
    buffer_init(&out, arena);
    for (uint32_t i = 0; i < labels->count; i++)
        buffer_print(&out, "%s%s=%s", i ? "," : "", labels->list[i].key, labels->list[i].value);
    return buffer_string(&out);
}

static void subjects_come_from_the_first_source_that_has_some(void **state) {
    static const struct {
        const char *objects, *pod, *labels;
        enum subject_source source;
        const char *names; /* "-": without a pod */
    } rows[] = {
        {POD("a", "ns", BOX, "") POD("b", "ns", BOX, ""), "ns/b", NULL, SUBJECT_POD, "ns/b"},
        {POD("a", "ns", "app: web", ""), "ns/a", NULL, SUBJECT_POD, "ns/a"}, /* whatever it carries */
        {POD("a", "ns", BOX, ""), NULL, "app=web", SUBJECT_LABELS, "-"},
        {POD("a", "ns", BOX, ""), NULL, "", SUBJECT_LABELS, "-"},
        {POD("b", "ns", BOX, "") POD("a", "ns", BOX, "") TEMPLATE("t", BOX), NULL, NULL, SUBJECT_INPUTS, "ns/a ns/b"},
        {POD("a", "other", BOX, "") POD("b", "ns", "sandbox.namzu.ai/template: no", "") TEMPLATE("t", BOX), NULL, NULL,
         SUBJECT_TEMPLATES, "ns/t"},
        {POD("a", "ns", BOX, "\nstatus: {phase: Succeeded}") POD("b", "ns", BOX, "\nstatus: {phase: Failed}")
             TEMPLATE("t", BOX),
         NULL, NULL, SUBJECT_TEMPLATES, "ns/t"},
        {POD("a", "ns", BOX, "\nstatus: {phase: Pending}") TEMPLATE("t", BOX), NULL, NULL, SUBJECT_INPUTS, "ns/a"},
        {TEMPLATE("t", "app: web"), NULL, NULL, SUBJECT_CONFIG, "-"},
        {"", NULL, NULL, SUBJECT_CONFIG, "-"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *problem;
        const struct subject_list *list =
            list_of(*state, CONFIG, rows[i].objects, rows[i].pod, rows[i].labels, &problem);
        if (!list)
            fail_msg("row %zu: %s", i, problem);
        struct buffer names;
        buffer_init(&names, *state);
        for (size_t k = 0; k < list->count; k++)
            buffer_print(&names, "%s%s", k ? " " : "", list->names[k] ? list->names[k] : "-");
        if (list->source != rows[i].source || strcmp(buffer_string(&names), rows[i].names) != 0)
            fail_msg("row %zu: source %d, %s", i, list->source, buffer_string(&names));
    }
}

static void choice_that_names_no_subject_is_refused_with_a_sentence(void **state) {
    static const struct {
        const char *pod, *labels;
    } rows[] = {
        {"other/a", NULL}, {"ns/missing", NULL},     {"a", NULL},        {"/a", NULL}, {"ns/", NULL}, {NULL, "app"},
        {NULL, "=web"},    {NULL, "app=web,app=db"}, {NULL, "a=b,,c=d"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *problem;
        const struct subject_list *list = list_of(*state, CONFIG, POD("a", "ns", BOX, "") POD("a", "other", BOX, ""),
                                                  rows[i].pod, rows[i].labels, &problem);
        if (list || !problem)
            fail_msg("row %zu is taken", i);
    }
}

static void labels_are_read_as_pairs_and_sorted(void **state) {
    static const struct {
        const char *text, *labels;
    } rows[] = {
        {"", ""},     {"a=b", "a=b"},     {"b=1,a=2", "a=2,b=1"},
        {"a=", "a="}, {"a=b=c", "a=b=c"}, {"x.io/a=b,a=b", "a=b,x.io/a=b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct labels labels;
        assert_true(labels_parse(rows[i].text, *state, &labels));
        assert_string_equal(labels_word(*state, &labels), rows[i].labels);
    }
}

/* podLabels, then the selector labels and the profile label, which win. */
static void config_describes_its_pods(void **state) {
    static const struct {
        const char *config, *labels;
    } rows[] = {
        {CONFIG, "sandbox.namzu.ai/template=box"},
        {"namespace: ns\nsandboxTemplateName: box\npodLabels: {zone: a, app: web}\negress: {policy: {kind: "
         "no-network}}\n",
         "app=web,sandbox.namzu.ai/template=box,zone=a"},
        {"namespace: ns\nselectorLabels: {app: box}\npodLabels: {app: web, zone: a}\n"
         "egress: {networkPolicyName: box, policy: {kind: no-network}}\n",
         "app=box,zone=a"},
        {"namespace: ns\nsandboxTemplateName: box\negress: {profile: quiet, policy: {kind: no-network}}\n",
         "sandbox.namzu.ai/egress-profile=quiet,sandbox.namzu.ai/template=box"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *problem;
        const struct subject_list *list = list_of(*state, rows[i].config, "", NULL, NULL, &problem);
        assert_non_null(list);
        assert_int_equal(list->count, 1);
        assert_int_equal(list->described, 1);
        assert_string_equal(labels_word(*state, &list->list[0].labels), rows[i].labels);
        assert_string_equal(list->list[0].namespace, "ns");
        assert_false(list->list[0].labels_are_open);
    }
}

static void what_is_known_of_a_subject_depends_on_where_it_comes_from(void **state) {
    static const struct {
        const char *objects, *pod, *labels, *account;
        bool open, host_network, has_pod, namespace_known;
    } rows[] = {
        {POD("a", "ns", BOX, ""), NULL, NULL, "default", false, false, true, false},
        {OBJECT("v1", "Pod", "name: a, labels: {" BOX "}",
                "spec: {serviceAccountName: robot, hostNetwork: true, containers: []}"),
         NULL, NULL, "robot", false, true, true, false},
        {TEMPLATE("t", BOX), NULL, NULL, "default", true, false, true, false},
        {TEMPLATE("t", BOX), "ns/t", NULL, "default", true, false, true, false},
        {"", NULL, "app=web", NULL, false, false, false, false},
        {OBJECT("v1", "Namespace", "name: ns", ""), NULL, "app=web", NULL, false, false, false, true},
        {"", NULL, NULL, NULL, false, false, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *problem;
        const struct subject_list *list =
            list_of(*state, CONFIG, rows[i].objects, rows[i].pod, rows[i].labels, &problem);
        assert_non_null(list);
        assert_int_equal(list->count, 1);
        const struct subject *subject = &list->list[0];
        bool account = rows[i].account
                           ? subject->service_account && strcmp(subject->service_account, rows[i].account) == 0
                           : subject->service_account == NULL;
        if (!account || subject->labels_are_open != rows[i].open || subject->host_network != rows[i].host_network ||
            (subject->pod != NULL) != rows[i].has_pod || (subject->namespace_labels != NULL) != rows[i].namespace_known)
            fail_msg("row %zu", i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(subjects_come_from_the_first_source_that_has_some, begin, end),
        cmocka_unit_test_setup_teardown(choice_that_names_no_subject_is_refused_with_a_sentence, begin, end),
        cmocka_unit_test_setup_teardown(labels_are_read_as_pairs_and_sorted, begin, end),
        cmocka_unit_test_setup_teardown(config_describes_its_pods, begin, end),
        cmocka_unit_test_setup_teardown(what_is_known_of_a_subject_depends_on_where_it_comes_from, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

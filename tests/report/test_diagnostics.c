#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "sample.h"
#include "tests/arena_state.h"

static void assert_shown(struct arena *arena, const struct diagnostic *diagnostic, const char *expected) {
    struct buffer got;
    buffer_init(&got, arena);
    report_write_diagnostics(&got, diagnostic, 1, &(struct report_options){0});
    assert_text(&got, expected);
}

static void diagnostics_name_what_is_known_of_the_place(void **state) {
    struct diagnostic diagnostic = {.code = CODE_CONFIG_UNUSABLE, .message = "no", .location = {"e.yaml", 3, 7}};
    assert_shown(*state, &diagnostic, "e.yaml:3:7: error: no [config-unusable]\n");
    diagnostic.location.column = 0;
    assert_shown(*state, &diagnostic, "e.yaml:3: error: no [config-unusable]\n");
    diagnostic.location.line = 0;
    assert_shown(*state, &diagnostic, "e.yaml: error: no [config-unusable]\n");
    diagnostic.location.file = NULL;
    assert_shown(*state, &diagnostic, "error: no [config-unusable]\n");
}

static void diagnostics_name_object_and_path_unless_the_message_does(void **state) {
    struct diagnostic diagnostic = {.code = CODE_UNKNOWN_FIELD,
                                    .message = "there is no such field",
                                    .path = "spec.egres",
                                    .object = {"NetworkPolicy", "agents", "shell"}};
    assert_shown(*state, &diagnostic,
                 "error: there is no such field [unknown-field]\n    at NetworkPolicy agents/shell, spec.egres\n");
    diagnostic.message = "NetworkPolicy agents/shell has a field spec.egres that is none";
    assert_shown(*state, &diagnostic,
                 "error: NetworkPolicy agents/shell has a field spec.egres that is none [unknown-field]\n");
    diagnostic.message = "NetworkPolicy agents/shell has a field that is none";
    assert_shown(*state, &diagnostic,
                 "error: NetworkPolicy agents/shell has a field that is none [unknown-field]\n    at spec.egres\n");
}

/* Names are words of the language, and parts of one another: only the whole name is the object, only the whole path is it. */
static void diagnostics_name_objects_whose_name_is_in_the_message_by_chance(void **state) {
    static const struct {
        const char *name, *path, *message, *at;
    } cases[] = {
        {"a", "spec.egress[0]", "a rule of NetworkPolicy agents/ab", "    at NetworkPolicy agents/a, spec.egress[0]\n"},
        {"shell", NULL, "a pod with app=shell", "    at NetworkPolicy agents/shell\n"},
        {"shell", NULL, "CiliumNetworkPolicy agents/shell has it", "    at NetworkPolicy agents/shell\n"},
        {"shell", NULL, "NetworkPolicy agents/shell.v2 has it", "    at NetworkPolicy agents/shell\n"},
        {"shell", NULL, "so does NetworkPolicy agents/shell.", ""},
        {"shell", NULL, "NetworkPolicy agents/shell-2 and NetworkPolicy agents/shell, both", ""},
        {"", "spec.egress[1]", "NetworkPolicy agents/: spec.egress[1].to[0]", "    at spec.egress[1]\n"},
        {"", "spec.egress", "NetworkPolicy agents/: spec.egress[1]", "    at spec.egress\n"},
        {"", "egress", "NetworkPolicy agents/: spec.egress", "    at egress\n"},
        {"", "spec.egress", "NetworkPolicy agents/: `spec.egress`", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diagnostic diagnostic = {.code = CODE_ONE_FAMILY,
                                        .severity = SEVERITY_NOTE,
                                        .message = cases[i].message,
                                        .path = cases[i].path,
                                        .object = {"NetworkPolicy", "agents", cases[i].name}};
        assert_shown(*state, &diagnostic,
                     arena_format(*state, "note: %s [one-family]\n%s", cases[i].message, cases[i].at));
    }
}

static void diagnostics_put_notes_below(void **state) {
    struct diagnostic_note second = {.message = "the last one counts"};
    struct diagnostic_note first = {.location = {"a.yaml", 2, 1}, .message = "first here", .next = &second};
    struct diagnostic diagnostic = {
        .code = CODE_DUPLICATE_KEY, .message = "twice", .location = {"a.yaml", 5, 1}, .notes = &first};
    assert_shown(*state, &diagnostic,
                 "a.yaml:5:1: error: twice [duplicate-key]\n"
                 "    a.yaml:2:1: note: first here\n"
                 "    note: the last one counts\n");
}

static void diagnostics_point_at_the_byte(void **state) {
    struct diagnostic diagnostic = {
        .code = CODE_SYNTAX, .message = "no", .location = {"a.yaml", 1, 9}, .excerpt = "\tk\xC3\xA4\xC3\xA4: x"};
    assert_shown(*state, &diagnostic, "a.yaml:1:9: error: no [syntax]\n    \tk\xC3\xA4\xC3\xA4: x\n    \t     ^\n");
    diagnostic.excerpt = "          ";
    assert_shown(*state, &diagnostic, "a.yaml:1:9: error: no [syntax]\n");
    diagnostic.excerpt = "abc"; /* the column is past the end of the line: nothing to point at */
    assert_shown(*state, &diagnostic, "a.yaml:1:9: error: no [syntax]\n");
}

/* The caret stands below its byte, and neither line wraps on a terminal of 80 columns. */
static void assert_caret(struct arena *arena, char *line, size_t at, const char *first, const char *last) {
    char byte = line[at];
    struct diagnostic diagnostic = {
        .code = CODE_SYNTAX, .message = "no", .location = {"a.yaml", 1, (uint32_t)at + 1}, .excerpt = line};
    struct buffer got;
    buffer_init(&got, arena);
    line[at] = 'X';
    report_write_diagnostics(&got, &diagnostic, 1, &(struct report_options){0});
    line[at] = byte;
    const char *source = strchr(buffer_string(&got), '\n') + 1;
    const char *caret_line = strchr(source, '\n') + 1;
    size_t length = (size_t)(caret_line - source) - 1;
    assert_int_equal(source[strcspn(caret_line, "^")], 'X');
    assert_int_equal(strncmp(source, first, strlen(first)), 0);
    assert_int_equal(strncmp(source + length - strlen(last), last, strlen(last)), 0);
    assert_true(length <= 80 && strlen(caret_line) <= 81);
}

static void diagnostics_cut_long_lines_around_the_caret(void **state) {
    char line[1001];
    memset(line, 'a', 1000);
    line[1000] = '\0';
    assert_caret(*state, line, 500, "    ...a", "a...");
    assert_caret(*state, line, 41, "    ...a", "a...");
    assert_caret(*state, line, 40, "    a", "a...");
    assert_caret(*state, line, 0, "    X", "a...");
    assert_caret(*state, line, 999, "    ...a", "aX");
    assert_caret(*state, line, 971, "    ...a", "a...");
    assert_caret(*state, line, 972, "    ...a", "aa");
    line[69] = '\0';
    assert_caret(*state, line, 60, "    ...a", "aa");
    assert_caret(*state, line, 10, "    a", "a...");
    line[68] = '\0';
    assert_caret(*state, line, 60, "    a", "aa");
    assert_caret(*state, line, 0, "    X", "aa");
}

static void diagnostics_cut_lines_between_characters(void **state) {
    char line[201], *end = line;
    for (size_t i = 0; i < 100; i++) {
        *end++ = '\xC3';
        *end++ = '\xA4';
    }
    *end = '\0';
    for (uint32_t column = 1; column <= 201; column += 2) {
        struct diagnostic diagnostic = {
            .code = CODE_SYNTAX, .message = "no", .location = {"a.yaml", 1, column}, .excerpt = line};
        struct buffer got;
        buffer_init(&got, *state);
        report_write_diagnostics(&got, &diagnostic, 1, &(struct report_options){0});
        assert_null(strstr(buffer_string(&got), "\\x")); /* half a character */
    }
}

static void diagnostics_escape_what_a_terminal_would_obey(void **state) {
    struct diagnostic diagnostic = {.code = CODE_HOST_UNUSABLE,
                                    .message = "a\033[2J\nb.yaml:1:1: error: \xE2\x80\xAE"
                                               "c \xC2\x9B"
                                               "d \xC3\xA4",
                                    .location = {"e\n.yaml", 1, 1}};
    assert_shown(*state, &diagnostic,
                 "e\\n.yaml:1:1: error: a\\x1b[2J\\nb.yaml:1:1: error: \\xe2\\x80\\xaec \\xc2\\x9bd \xC3\xA4 "
                 "[host-unusable]\n");
}

static void diagnostics_are_errors_alone_when_quiet(void **state) {
    struct diagnostic list[] = {{.code = CODE_SYNTAX, .message = "a"},
                                {.code = CODE_SUBDOMAIN_DEPTH, .severity = SEVERITY_WARNING, .message = "b"},
                                {.code = CODE_NAT64_OPEN, .severity = SEVERITY_NOTE, .message = "c"}};
    struct buffer got;
    buffer_init(&got, *state);
    report_write_diagnostics(&got, list, 3, &(struct report_options){.quiet = true});
    assert_text(&got, "error: a [syntax]\n");
    buffer_init(&got, *state);
    report_write_diagnostics(&got, list, 3, &(struct report_options){0});
    assert_text(&got, "error: a [syntax]\nwarning: b [subdomain-depth]\nnote: c [nat64-open]\n");
}

static void diagnostics_are_coloured_on_request_only(void **state) {
    struct diagnostic diagnostic = {.code = CODE_SYNTAX, .message = "no", .location = {"a.yaml", 1, 1}, .excerpt = "x"};
    struct buffer got;
    buffer_init(&got, *state);
    report_write_diagnostics(&got, &diagnostic, 1, &(struct report_options){.color = true});
    assert_text(&got, "\033[1ma.yaml:1:1:\033[0m \033[1;31merror:\033[0m no [syntax]\n    x\n    \033[32m^\033[0m\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(diagnostics_name_what_is_known_of_the_place, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_name_object_and_path_unless_the_message_does, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_name_objects_whose_name_is_in_the_message_by_chance, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_put_notes_below, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_point_at_the_byte, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_cut_long_lines_around_the_caret, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_cut_lines_between_characters, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_escape_what_a_terminal_would_obey, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_are_errors_alone_when_quiet, begin, end),
        cmocka_unit_test_setup_teardown(diagnostics_are_coloured_on_request_only, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* JUnit, annotations and Markdown, and what hostile text can do to them: report/finding_writer.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "report/finding_writer.h"
#include "sample.h"
#include "tests/arena_state.h"

static const char *written(struct arena *arena, const struct diagnostic *list, size_t count, enum report_format format,
                           struct report_options options) {
    struct buffer out;
    buffer_init(&out, arena);
    report_write_findings(&out, &(struct diagnostic_list){list, count}, NULL, NULL, format, &options);
    return buffer_string(&out);
}

static const struct diagnostic_note note = {.location = {"b.yaml", 2, 3}, .message = "the first stands here"};
static const struct diagnostic list[] = {
    {.code = CODE_SCALAR_SURPRISE,
     .severity = SEVERITY_WARNING,
     .message = "0443 is 291",
     .path = "spec.ports[0].port",
     .value = "0443",
     .location = {"a.yaml", 4, 9},
     .object = {"NetworkPolicy", "agents", "a"},
     .excerpt = "  port: 0443"},
    {.code = CODE_DUPLICATE_KEY,
     .severity = SEVERITY_ERROR,
     .message = "a key twice",
     .location = {"b.yaml", 7, 3},
     .notes = &note},
    {.code = CODE_TEMPLATE, .severity = SEVERITY_NOTE, .message = "skipped", .location = {"c.yaml", 0, 0}},
};

static void github_writes_a_command_a_finding(void **state) {
    assert_string_equal(
        written(*state, list, 3, REPORT_GITHUB, (struct report_options){0}),
        "::warning file=a.yaml,line=4,endLine=4,col=9,endColumn=12,title=scalar-surprise::0443 is 291%0Aat "
        "NetworkPolicy agents/a, spec.ports[0].port\n"
        "::error file=b.yaml,line=7,col=3,title=duplicate-key::a key twice%0Athe first stands here "
        "(b.yaml:2:3)\n"
        "::notice file=c.yaml,title=template::skipped\n");
}

/* CI looks the file up in its own list of files. */
static void paths_are_spelled_without_idle_parts(void **state) {
    const struct diagnostic spelled = {.code = CODE_SYNTAX, .message = "m", .location = {"./p//./a.yaml", 4, 0}};
    assert_string_equal(written(*state, &spelled, 1, REPORT_GITHUB, (struct report_options){0}),
                        "::error file=p/a.yaml,line=4,title=syntax::m\n");
    assert_non_null(strstr(written(*state, &spelled, 1, REPORT_JUNIT, (struct report_options){0}),
                           " file=\"p/a.yaml\" line=\"4\""));
}

static void github_keeps_to_errors_when_quiet(void **state) {
    assert_string_equal(written(*state, list, 3, REPORT_GITHUB, (struct report_options){.quiet = true}),
                        "::error file=b.yaml,line=7,col=3,title=duplicate-key::a key twice%0Athe first stands here "
                        "(b.yaml:2:3)\n");
}

static void github_escapes_what_would_end_a_value_or_a_command(void **state) {
    const struct diagnostic hostile = {.code = CODE_SYNTAX,
                                       .severity = SEVERITY_ERROR,
                                       .message = "100%\r\n::stop-commands::x, y: z",
                                       .location = {"a,line=1:b%.yaml", 2, 0}};
    assert_string_equal(written(*state, &hostile, 1, REPORT_GITHUB, (struct report_options){0}),
                        "::error file=a%2Cline=1%3Ab%25.yaml,line=2,title=syntax::100%25\\x0d\\n::stop-commands::x, y: "
                        "z\n");
}

static void junit_fails_errors_and_numbers_twins(void **state) {
    const struct diagnostic twins[] = {list[1], list[1]};
    const char *got = written(*state, twins, 2, REPORT_JUNIT, (struct report_options){0});
    assert_non_null(
        strstr(got, "<testsuite name=\"egressc\" tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">\n"));
    assert_non_null(strstr(got,
                           "    <testcase classname=\"duplicate-key\" name=\"b.yaml\" file=\"b.yaml\" line=\"7\">\n"
                           "      <failure type=\"error\" message=\"a key twice\">b.yaml:7:3: error: a key twice "
                           "[duplicate-key]\n"
                           "    the first stands here (b.yaml:2:3)</failure>\n"
                           "    </testcase>\n"));
    assert_non_null(strstr(got, "<testcase classname=\"duplicate-key\" name=\"b.yaml (2)\" "));
}

static void junit_fails_warnings_with_strict_alone(void **state) {
    const char *got = written(*state, list, 3, REPORT_JUNIT, (struct report_options){0});
    assert_non_null(strstr(got, "tests=\"3\" failures=\"1\""));
    assert_non_null(strstr(got, "name=\"NetworkPolicy agents/a, spec.ports[0].port\" file=\"a.yaml\" line=\"4\">\n"
                                "      <system-out>a.yaml:4:9: warning: 0443 is 291 [scalar-surprise]</system-out>\n"));
    got = written(*state, list, 3, REPORT_JUNIT, (struct report_options){.strict = true});
    assert_non_null(strstr(got, "tests=\"3\" failures=\"2\""));
    assert_non_null(strstr(got, "<failure type=\"warning\" message=\"0443 is 291\">"));
}

static void junit_without_findings_has_a_case_that_passed(void **state) {
    assert_string_equal(written(*state, NULL, 0, REPORT_JUNIT, (struct report_options){0}),
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<testsuites name=\"egressc\" tests=\"1\" failures=\"0\" errors=\"0\">\n"
                        "  <testsuite name=\"egressc\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">\n"
                        "    <testcase classname=\"egressc\" name=\"nothing was found\"/>\n"
                        "  </testsuite>\n"
                        "</testsuites>\n");
}

static void junit_is_well_formed_whatever_the_text(void **state) {
    const struct diagnostic hostile = {.code = CODE_SYNTAX,
                                       .severity = SEVERITY_ERROR,
                                       .message = "</failure><!-- \"&\x01\xFF\xEF\xBF\xBF]]>",
                                       .location = {"<a>.yaml", 1, 1}};
    const char *got = written(*state, &hostile, 1, REPORT_JUNIT, (struct report_options){0});
    assert_non_null(strstr(got, "file=\"&lt;a&gt;.yaml\""));
    assert_non_null(strstr(got, "message=\"&lt;/failure&gt;&lt;!-- &quot;&amp;\\x01\\xff\\xef\\xbf\\xbf]]&gt;\""));
    assert_null(strstr(got, "]]>"));
}

static void markdown_begins_with_the_worst(void **state) {
    const char *got = written(*state, list, 3, REPORT_MARKDOWN, (struct report_options){0});
    const char *expected = "### egressc: 1 error, 1 warning, 1 note\n"
                           "\n"
                           "- **error** `duplicate-key` `b.yaml:7:3`: a key twice\n"
                           "  - the first stands here `b.yaml:2:3`\n"
                           "- **warning** `scalar-surprise` `a.yaml:4:9`: 0443 is 291 (NetworkPolicy agents/a, "
                           "spec.ports\\[0\\].port)\n"
                           "- **note** `template` `c.yaml`: skipped\n"
                           "\n"
                           "<details>\n"
                           "<summary>What the codes mean</summary>\n";
    assert_memory_equal(got, expected, strlen(expected));
}

static void markdown_folds_what_is_past_the_fifth(void **state) {
    struct diagnostic many[8];
    for (size_t i = 0; i < 8; i++) {
        many[i] = list[1];
    }
    const char *got = written(*state, many, 6, REPORT_MARKDOWN, (struct report_options){0});
    assert_non_null(strstr(got, "<summary>1 more finding</summary>"));
    got = written(*state, many, 8, REPORT_MARKDOWN, (struct report_options){0});
    assert_non_null(strstr(got, "<summary>3 more findings</summary>"));
    assert_null(strstr(written(*state, many, 5, REPORT_MARKDOWN, (struct report_options){0}), "more finding"));
}

static void markdown_fits_into_a_comment(void **state) {
    enum { COMMENT = 65536, MANY = 5000 };
    struct diagnostic *many = arena_array(*state, MANY, sizeof *many);
    for (size_t i = 0; i < MANY; i++) {
        many[i] = list[i % 2];
    }
    const char *got = written(*state, many, MANY, REPORT_MARKDOWN, (struct report_options){0});
    assert_in_range(strlen(got), 1, COMMENT);
    assert_non_null(strstr(got, "more findings, for which a comment has no room\n"));
    assert_string_equal(got + strlen(got) - strlen("</details>\n"), "</details>\n");
}

static void markdown_shows_a_long_message_in_part(void **state) {
    enum { COMMENT = 65536, LONG = 100000 };
    char *message = arena_alloc(*state, LONG + 1);
    memset(message, '*', LONG);
    const struct diagnostic wide = {.code = CODE_SYNTAX, .severity = SEVERITY_ERROR, .message = message};
    const struct diagnostic several[] = {wide, wide, wide, wide, wide, wide};
    const char *got = written(*state, several, 6, REPORT_MARKDOWN, (struct report_options){0});
    assert_in_range(strlen(got), 1, COMMENT);
}

static void markdown_shows_hostile_text_as_text(void **state) {
    const struct diagnostic hostile = {.code = CODE_SYNTAX,
                                       .severity = SEVERITY_ERROR,
                                       .message = "<img src=x> [a](https://x.test) @team #1 `x` *b* www.x.test\n# H",
                                       .location = {"a`b.yaml", 1, 1}};
    const char *got = written(*state, &hostile, 1, REPORT_MARKDOWN, (struct report_options){0});
    assert_non_null(strstr(got, "`` a`b.yaml:1:1 ``: \\<img src=x\\> \\[a\\](https\\://x.test) @<!-- -->team "
                                "\\#<!-- -->1 \\`x\\` \\*b\\* www\\.x.test\\\\n\\#<!-- --> H\n"));
}

static void decision_shows_its_verdict_and_boundaries(void **state) {
    struct decision decision;
    struct buffer got;
    buffer_init(&got, *state);
    sample_decision(*state, &decision);
    report_write_decision(&got, &decision, REPORT_MARKDOWN, &(struct report_options){0});
    const char *text = buffer_string(&got);
    assert_memory_equal(text, "### egressc: refuse (4 errors, 1 warning, 0 notes)\n\n- **error** `syntax`", 72);
    assert_non_null(strstr(text, "<summary>How it was decided</summary>\n\n"
                                 "- egress.yaml:1: refuse (2 subjects, 2 refused)\n"));
    assert_non_null(strstr(text, "<summary>What it rests on</summary>\n\n- not read: ciliumnetworkpolicies"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(github_writes_a_command_a_finding, begin, end),
        cmocka_unit_test_setup_teardown(paths_are_spelled_without_idle_parts, begin, end),
        cmocka_unit_test_setup_teardown(github_keeps_to_errors_when_quiet, begin, end),
        cmocka_unit_test_setup_teardown(github_escapes_what_would_end_a_value_or_a_command, begin, end),
        cmocka_unit_test_setup_teardown(junit_fails_errors_and_numbers_twins, begin, end),
        cmocka_unit_test_setup_teardown(junit_fails_warnings_with_strict_alone, begin, end),
        cmocka_unit_test_setup_teardown(junit_without_findings_has_a_case_that_passed, begin, end),
        cmocka_unit_test_setup_teardown(junit_is_well_formed_whatever_the_text, begin, end),
        cmocka_unit_test_setup_teardown(markdown_begins_with_the_worst, begin, end),
        cmocka_unit_test_setup_teardown(markdown_folds_what_is_past_the_fifth, begin, end),
        cmocka_unit_test_setup_teardown(markdown_fits_into_a_comment, begin, end),
        cmocka_unit_test_setup_teardown(markdown_shows_a_long_message_in_part, begin, end),
        cmocka_unit_test_setup_teardown(markdown_shows_hostile_text_as_text, begin, end),
        cmocka_unit_test_setup_teardown(decision_shows_its_verdict_and_boundaries, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SARIF: report/finding_sarif.h. That reports are valid as a whole is a test of tests/sarif/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/writer.h"
#include "report/code_help.h"
#include "report/finding_sarif.h"
#include "report/finding_writer.h"
#include "sample.h"
#include "tests/arena_state.h"

static const char *uri(struct arena *arena, const char *file) {
    struct buffer out;
    buffer_init(&out, arena);
    sarif_uri(&out, file);
    return buffer_string(&out);
}

static void uris_are_relative_and_escaped(void **state) {
    assert_string_equal(uri(*state, "policies/a.yaml"), "policies/a.yaml");
    assert_string_equal(uri(*state, "./policies//./a b.yaml"), "policies/a%20b.yaml");
    assert_string_equal(uri(*state, "../a.yaml"), "../a.yaml");
    assert_string_equal(uri(*state, "/srv/a.yaml"), "file:///srv/a.yaml");
    assert_string_equal(uri(*state, "a:b%#?\xC3\xA9\xFF"), "a%3Ab%25%23%3F%C3%A9%FF");
    assert_string_equal(uri(*state, "<stdin>"), "%3Cstdin%3E");
    assert_string_equal(uri(*state, ".hidden/.."), ".hidden/..");
    assert_string_equal(uri(*state, ""), "");
}

static void only_paths_below_the_root_are_relative_to_it(void **state) {
    assert_true(sarif_is_below_root("a.yaml", *state));
    assert_true(sarif_is_below_root("./a.yaml", *state));
    assert_true(sarif_is_below_root("..a/b.yaml", *state));
    assert_false(sarif_is_below_root("../a.yaml", *state));
    assert_false(sarif_is_below_root(".//../a.yaml", *state));
    assert_false(sarif_is_below_root("/a.yaml", *state));
    assert_false(sarif_is_below_root("<stdin>", *state));
}

static const struct diagnostic_note notes[] = {{.message = "write it plainly", .next = &notes[1]},
                                               {.location = {"b.yaml", 2, 3}, .message = "the [first] stands here"}};
static const struct diagnostic list[] = {
    {.code = CODE_UNKNOWN_FIELD,
     .severity = SEVERITY_ERROR,
     .message = "toFQDN is no field",
     .path = "spec.toFQDN",
     .location = {"a.yaml", 4, 6},
     .object = {"CiliumNetworkPolicy", "agents", "a"},
     .excerpt = "\xC3\xA9: {toFQDN: []}",
     .notes = notes},
    {.code = CODE_SYNTAX, .severity = SEVERITY_WARNING, .message = "see [here](https://x.test)"},
    {.code = CODE_UNKNOWN_FIELD, .severity = SEVERITY_NOTE, .message = "again", .location = {"a.yaml", 0, 0}},
};

/* Not with strstr: sanitizers have it look at all of the text for each. */
static size_t occurrences(const char *text, const char *part) {
    size_t count = 0, length = strlen(part);
    for (const char *at = text; *at; at++) {
        count += *at == *part && strncmp(at, part, length) == 0;
    }
    return count;
}

static const char *sarif(struct arena *arena, struct report_options options) {
    struct buffer out;
    buffer_init(&out, arena);
    report_write_findings(&out, &(struct diagnostic_list){list, 3}, NULL, NULL, REPORT_SARIF, &options);
    return buffer_string(&out);
}

static void rules_are_those_that_occur_in_order_of_words(void **state) {
    const char *got = sarif(*state, (struct report_options){0});
    const char *syntax = strstr(got, "\"id\": \"syntax\""), *field = strstr(got, "\"id\": \"unknown-field\"");
    assert_non_null(syntax);
    assert_non_null(field);
    assert_true(syntax < field);
    assert_null(strstr(field + 1, "\"id\": \""));
    assert_non_null(strstr(got, "\"ruleId\": \"unknown-field\",\n          \"ruleIndex\": 1,\n"));
    assert_non_null(strstr(got, "\"ruleId\": \"syntax\",\n          \"ruleIndex\": 0,\n"));
}

static void rules_carry_the_page_of_their_code(void **state) {
    const char *got = sarif(*state, (struct report_options){0});
    struct buffer text, quoted;
    buffer_init(&text, *state);
    code_help_write(&text, CODE_UNKNOWN_FIELD);
    const struct text pages[] = {{text.bytes, text.length}, text_of(code_help_markdown(CODE_UNKNOWN_FIELD))};
    static const char *const keys[] = {"\"text\": ", "\"markdown\": "};
    for (size_t i = 0; i < 2; i++) {
        buffer_init(&quoted, *state);
        buffer_add_string(&quoted, keys[i]);
        writer_json_string(&quoted, pages[i]);
        assert_non_null(strstr(got, buffer_string(&quoted)));
    }
}

static void results_hold_place_fingerprint_and_properties(void **state) {
    const char *got = sarif(*state, (struct report_options){0});
    assert_non_null(strstr(got,
                           "          \"level\": \"error\",\n"
                           "          \"message\": {\n"
                           "            \"text\": \"toFQDN is no field.\\nwrite it plainly.\\n[the \\\\[first\\\\] "
                           "stands here](2).\"\n"
                           "          },\n"));
    assert_non_null(strstr(got, "                \"artifactLocation\": {\n"
                                "                  \"uri\": \"a.yaml\",\n"
                                "                  \"uriBaseId\": \"%SRCROOT%\"\n"
                                "                },\n"
                                "                \"region\": {\n"
                                "                  \"startLine\": 4,\n"
                                "                  \"startColumn\": 5,\n"
                                "                  \"endLine\": 4,\n"
                                "                  \"endColumn\": 11\n"
                                "                }\n"));
    assert_non_null(strstr(got, "\"fullyQualifiedName\": \"CiliumNetworkPolicy agents/a spec.toFQDN\""));
    assert_non_null(strstr(got, "          \"relatedLocations\": [\n            {\n              \"id\": 2,\n"));
    assert_non_null(strstr(got, "\"text\": \"the [first] stands here.\""));
    assert_non_null(strstr(got, "\"partialFingerprints\": {\n            \"egressc/v1\": \""));
    assert_non_null(strstr(got, "\"properties\": {\n            \"path\": \"spec.toFQDN\"\n          }\n"));
    assert_non_null(strstr(got, "\"columnKind\": \"unicodeCodePoints\""));
}

static void text_makes_no_link(void **state) {
    assert_non_null(
        strstr(sarif(*state, (struct report_options){0}), "\"text\": \"see \\\\[here\\\\](https://x.test).\""));
}

/* Code scanning takes no report with a result that has no place. */
static void findings_without_a_place_get_one(void **state) {
    const char *got = sarif(*state, (struct report_options){0});
    const char *syntax = strstr(got, "\"ruleId\": \"syntax\"");
    const char *again = strstr(syntax, "\"text\": \"again.\""), *uri = strstr(syntax, "\"uri\": \"no%20file\"");
    assert_non_null(again);
    assert_true(uri && uri < again);
    static const char region[] = "\"region\": {\n                  \"startLine\": 1\n                }\n";
    assert_non_null(strstr(uri, region));
    assert_non_null(strstr(again, region));
}

/* It takes none with more than 25000 results either. */
static void results_that_have_no_room_are_the_least_severe(void **state) {
    enum { NOTES = 24999, ERRORS = 3 };
    struct diagnostic *many = arena_array(*state, NOTES + ERRORS, sizeof *many);
    struct buffer out;
    for (size_t i = 0; i < NOTES + ERRORS; i++) {
        many[i] = (struct diagnostic){.code = CODE_SYNTAX,
                                      .severity = i < NOTES ? SEVERITY_NOTE : SEVERITY_ERROR,
                                      .message = i < NOTES ? "small" : "great"};
    }
    buffer_init(&out, *state);
    report_write_findings(&out, &(struct diagnostic_list){many, NOTES + ERRORS}, NULL, NULL, REPORT_SARIF,
                          &(struct report_options){0});
    const char *got = buffer_string(&out);
    assert_int_equal(occurrences(got, "\"text\": \"great.\""), ERRORS);
    assert_int_equal(occurrences(got, "\"text\": \"small.\""), NOTES - 2);
    assert_non_null(
        strstr(got, "\"text\": \"2 more findings, the least severe, are left out: a report holds 25000.\""));
    buffer_init(&out, *state);
    report_write_findings(&out, &(struct diagnostic_list){many, NOTES + 1}, NULL, NULL, REPORT_SARIF,
                          &(struct report_options){0});
    assert_null(strstr(buffer_string(&out), "left out"));
}

static void quiet_leaves_errors_and_their_rules(void **state) {
    const char *got = sarif(*state, (struct report_options){.quiet = true});
    assert_null(strstr(got, "\"syntax\""));
    assert_non_null(strstr(got, "\"ruleIndex\": 0"));
    assert_null(strstr(got, "\"text\": \"again.\""));
}

static const struct diagnostic_note reason = {.location = {"a.yaml", 5, 3}, .message = "ours is old\tand stays"};
static const struct diagnostic held[] = {
    {.code = CODE_NULL_ENTRY, .severity = SEVERITY_NOTE, .message = "old", .baseline = BASELINE_UNCHANGED},
    {.code = CODE_NULL_ENTRY, .severity = SEVERITY_ERROR, .message = "young", .baseline = BASELINE_NEW},
};
static const struct diagnostic aside[] = {
    {.code = CODE_ONE_FAMILY,
     .severity = SEVERITY_WARNING,
     .message = "half",
     .location = {"a.yaml", 6, 1},
     .baseline = BASELINE_NEW,
     .ignore = &reason},
    {.code = CODE_NULL_ENTRY, .severity = SEVERITY_ERROR, .message = "past", .baseline = BASELINE_ABSENT},
};

/* The report of `held`, with the first `untold` of `aside`. */
static const char *upkeep(struct arena *arena, size_t untold, struct report_options options) {
    const struct diagnostic_list more = {aside, untold};
    struct buffer out;
    buffer_init(&out, arena);
    report_write_findings(&out, &(struct diagnostic_list){held, 2}, &more, NULL, REPORT_SARIF, &options);
    return buffer_string(&out);
}

static void what_is_untold_is_shown_on_demand_only(void **state) {
    const char *got = upkeep(*state, 2, (struct report_options){0});
    assert_string_equal(got, upkeep(*state, 0, (struct report_options){0}));
    assert_null(strstr(got, "one-family"));
    assert_null(strstr(got, "suppressions"));
    got = upkeep(*state, 2, (struct report_options){.all = true});
    assert_int_equal(occurrences(got, "\"ruleId\": "), 4);
    assert_int_equal(occurrences(got, "\"id\": \"one-family\""), 1);
    got = upkeep(*state, 2, (struct report_options){.all = true, .quiet = true});
    assert_int_equal(occurrences(got, "\"ruleId\": "), 2); /* the errors: "young" and "past" */
    assert_null(strstr(got, "one-family"));
}

static void suppressions_tell_reason_and_place(void **state) {
    const char *got = upkeep(*state, 2, (struct report_options){.all = true});
    assert_non_null(strstr(got, "          \"suppressions\": [\n"
                                "            {\n"
                                "              \"kind\": \"inSource\",\n"
                                "              \"status\": \"accepted\",\n"
                                "              \"justification\": \"ours is old and stays\",\n"
                                "              \"location\": {\n"
                                "                \"physicalLocation\": {\n"
                                "                  \"artifactLocation\": {\n"
                                "                    \"uri\": \"a.yaml\",\n"
                                "                    \"uriBaseId\": \"%SRCROOT%\"\n"
                                "                  },\n"
                                "                  \"region\": {\n"
                                "                    \"startLine\": 5,\n"
                                "                    \"startColumn\": 3\n"));
    /* One that is suppressed lets the others say that they are not. */
    assert_int_equal(occurrences(got, "\"suppressions\": []"), 3);
    assert_int_equal(occurrences(upkeep(*state, 0, (struct report_options){.all = true}), "suppressions"), 0);
}

static void states_are_those_of_the_baseline(void **state) {
    const char *got = upkeep(*state, 2, (struct report_options){.all = true});
    assert_int_equal(occurrences(got, "\"baselineState\": \"unchanged\""), 1);
    assert_int_equal(occurrences(got, "\"baselineState\": \"new\""), 2);
    assert_int_equal(occurrences(got, "\"baselineState\": \"absent\""), 1);
    assert_int_equal(occurrences(sarif(*state, (struct report_options){0}), "baselineState"), 0);
}

static void fingerprints_differ_between_told_and_untold(void **state) {
    const char *got = upkeep(*state, 2, (struct report_options){.all = true});
    assert_int_equal(occurrences(got, ":1\"\n          },\n"), 1); /* null-entry three times, of one key */
    assert_int_equal(occurrences(got, ":2\"\n          },\n"), 1);
}

static void decision_tells_what_it_rests_on(void **state) {
    struct decision decision;
    struct buffer got;
    buffer_init(&got, *state);
    sample_decision(*state, &decision);
    report_write_decision(&got, &decision, REPORT_SARIF, &(struct report_options){0});
    const char *text = buffer_string(&got);
    assert_non_null(strstr(text, "\"text\": \"not read: ciliumnetworkpolicies, forbidden: 403 from the API server.\""));
    assert_non_null(
        strstr(text, "\"verdict\": \"refuse\",\n        \"summaries\": [\n          \"egress.yaml:1: refuse"));
    assert_non_null(strstr(text, "\"witness\": \"169.254.169.254 on port 443/TCP\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(uris_are_relative_and_escaped, begin, end),
        cmocka_unit_test_setup_teardown(only_paths_below_the_root_are_relative_to_it, begin, end),
        cmocka_unit_test_setup_teardown(rules_are_those_that_occur_in_order_of_words, begin, end),
        cmocka_unit_test_setup_teardown(rules_carry_the_page_of_their_code, begin, end),
        cmocka_unit_test_setup_teardown(results_hold_place_fingerprint_and_properties, begin, end),
        cmocka_unit_test_setup_teardown(text_makes_no_link, begin, end),
        cmocka_unit_test_setup_teardown(findings_without_a_place_get_one, begin, end),
        cmocka_unit_test_setup_teardown(results_that_have_no_room_are_the_least_severe, begin, end),
        cmocka_unit_test_setup_teardown(quiet_leaves_errors_and_their_rules, begin, end),
        cmocka_unit_test_setup_teardown(what_is_untold_is_shown_on_demand_only, begin, end),
        cmocka_unit_test_setup_teardown(suppressions_tell_reason_and_place, begin, end),
        cmocka_unit_test_setup_teardown(states_are_those_of_the_baseline, begin, end),
        cmocka_unit_test_setup_teardown(fingerprints_differ_between_told_and_untold, begin, end),
        cmocka_unit_test_setup_teardown(decision_tells_what_it_rests_on, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

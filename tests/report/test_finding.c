/* The flat list of findings: report/finding.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "report/finding.h"
#include "sample.h"
#include "tests/arena_state.h"

static void decision_becomes_findings_in_the_order_of_the_text(void **state) {
    static const struct {
        enum code code;
        enum severity severity;
        uint32_t line;
    } expected[] = {{CODE_SYNTAX, SEVERITY_ERROR, 4},
                    {CODE_POLICY_WIDENS_EGRESS, SEVERITY_ERROR, 12},
                    {CODE_NOT_EVALUABLE, SEVERITY_ERROR, 7},
                    {CODE_NO_COVERING_POLICY, SEVERITY_ERROR, 2},
                    {CODE_SUBDOMAIN_DEPTH, SEVERITY_WARNING, 9}};
    struct decision decision;
    struct finding_report report;
    sample_decision(*state, &decision);
    finding_report_decision(&report, &decision, *state);
    assert_true(report.refused);
    assert_string_equal(report.verdict, "refuse");
    assert_int_equal(report.findings.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(report.findings.list[i].code, expected[i].code);
        assert_int_equal(report.findings.list[i].severity, expected[i].severity);
        assert_int_equal(report.findings.list[i].location.line, expected[i].line);
    }
    assert_int_equal(finding_count(&report.findings, SEVERITY_ERROR), 4);
    assert_int_equal(finding_count(&report.findings, SEVERITY_NOTE), 0);
}

static void widening_keeps_its_witness_and_further_excesses(void **state) {
    struct decision decision;
    struct finding_report report;
    sample_decision(*state, &decision);
    finding_report_decision(&report, &decision, *state);
    const struct finding *finding = &report.findings.list[1];
    assert_string_equal(finding->message,
                        "NetworkPolicy agents/extra lets agents {sandbox.namzu.ai/template=shell} reach "
                        "169.254.169.254 on port 443/TCP, by spec.egress[0].to[1]");
    assert_string_equal(finding->path, "spec.egress[0].to[1]");
    assert_string_equal(finding->witness, "169.254.169.254 on port 443/TCP");
    assert_string_equal(finding->object.name, "extra");
    assert_int_equal(finding->note_count, 2);
    assert_string_equal(finding->notes[0].message,
                        "also the name a.example.com on port 53/UDP, asking for the DNS name evil.test, by "
                        "spec.egress[1].to[0]");
    assert_int_equal(finding->notes[0].location.line, 20);
    assert_string_equal(finding->notes[1].message, "and 2 more");
    assert_null(finding->notes[1].location.file);
}

static void what_is_well_and_what_it_rests_on_are_kept(void **state) {
    struct decision decision;
    struct finding_report report;
    sample_decision(*state, &decision);
    finding_report_decision(&report, &decision, *state);
    assert_int_equal(report.passed.count, 2);
    assert_string_equal(report.passed.list[0], "egress.yaml:1: NetworkPolicy agents/shell-egress");
    assert_string_equal(report.passed.list[1], "egress.yaml:1: ingress of agents {sandbox.namzu.ai/template=shell}");
    assert_int_equal(report.summaries.count, 1);
    assert_string_equal(report.summaries.list[0], "egress.yaml:1: refuse (2 subjects, 2 refused)");
    assert_int_equal(report.notes.count, 3);
    assert_string_equal(report.notes.list[0], "not read: ciliumnetworkpolicies, forbidden: 403 from the API server");
    assert_string_equal(report.notes.list[1], "left out by --exclude: policies/old.yaml");
    assert_string_equal(report.notes.list[2], "assumed: no earlier generation of a refused object is enforced");
}

static const struct explained_rule rules[] = {
    {.effect = EFFECT_MISSES,
     .object = {"NetworkPolicy", "agents", "a"},
     .path = "spec.egress[0]",
     .location = {"a.yaml", 3, 1},
     .detail = "another port"},
    {.effect = EFFECT_ALLOWS,
     .object = {"NetworkPolicy", "agents", "b"},
     .path = "spec.egress[1]",
     .location = {"b.yaml", 7, 5}},
};

static void answer_that_was_not_expected_is_a_finding_at_the_rule_that_tells(void **state) {
    const struct explanation explanation = {
        .question = "agents/x to ip:10.0.0.1", .allowed = ANSWER_YES, .rules = rules, .rule_count = 2};
    struct finding_report report;
    finding_report_explanation(&report, &explanation, true, *state);
    assert_true(report.refused);
    assert_int_equal(report.findings.count, 1);
    const struct finding *finding = &report.findings.list[0];
    assert_int_equal(finding->code, CODE_UNEXPECTED_ANSWER);
    assert_string_equal(finding->message, "agents/x to ip:10.0.0.1: allowed; another answer was expected");
    assert_string_equal(finding->location.file, "b.yaml");
    assert_int_equal(finding->note_count, 2);
    assert_string_equal(finding->notes[0].message, "misses: NetworkPolicy agents/a, spec.egress[0]: another port");
    assert_int_equal(report.passed.count, 0);
}

static void answer_that_was_expected_is_well(void **state) {
    const struct explanation explanation = {.question = "q", .allowed = ANSWER_NO, .rules = rules, .rule_count = 2};
    struct finding_report report;
    finding_report_explanation(&report, &explanation, false, *state);
    assert_false(report.refused);
    assert_int_equal(report.findings.count, 0);
    assert_int_equal(report.passed.count, 1);
    assert_string_equal(report.passed.list[0], "q: not allowed");
    assert_string_equal(report.verdict, "not allowed");
}

static const char *fingerprint(struct arena *arena, const struct finding *finding) {
    struct buffer out;
    buffer_init(&out, arena);
    finding_write_fingerprint(&out, finding);
    return buffer_string(&out);
}

static struct finding widening(void) {
    return (struct finding){.code = CODE_POLICY_WIDENS_EGRESS,
                            .message = "m",
                            .path = "spec.egress[0]",
                            .location = {"a.yaml", 3, 1},
                            .object = {"NetworkPolicy", "agents", "a"}};
}

static void fingerprint_survives_lines_words_and_files(void **state) {
    struct finding one = widening(), other = widening();
    other.location = (struct location){"moved/b.yaml", 99, 7};
    other.message = "said otherwise";
    assert_string_equal(fingerprint(*state, &one), fingerprint(*state, &other));
    assert_int_equal(strlen(fingerprint(*state, &one)), 16);
}

static void fingerprint_tells_code_object_path_and_twin_apart(void **state) {
    struct finding one = widening();
    struct finding others[] = {widening(), widening(), widening(), widening(), widening(), widening()};
    others[0].code = CODE_NOT_EVALUABLE;
    others[1].object.kind = "CiliumNetworkPolicy";
    others[2].object.namespace = "agent";
    others[3].object.name = "b";
    others[4].path = "spec.egress[1]";
    others[5].twins = 1;
    for (size_t i = 0; i < 6; i++) {
        assert_string_not_equal(fingerprint(*state, &one), fingerprint(*state, &others[i]));
    }
    /* Parts do not run into one another. */
    struct finding left = widening(), right = widening();
    left.object = (struct object_name){"NetworkPolicy", "a", "gents"};
    right.object = (struct object_name){"NetworkPolicy", "ag", "ents"};
    assert_string_not_equal(fingerprint(*state, &left), fingerprint(*state, &right));
}

static void fingerprint_without_an_object_is_the_files_however_spelled(void **state) {
    struct finding one = {.code = CODE_SYNTAX, .message = "m", .location = {"p/a.yaml", 3, 1}}, other = one,
                   third = one;
    other.location = (struct location){"./p//a.yaml", 8, 1};
    third.location.file = "p/b.yaml";
    assert_string_equal(fingerprint(*state, &one), fingerprint(*state, &other));
    assert_string_not_equal(fingerprint(*state, &one), fingerprint(*state, &third));
}

static void twins_are_counted_in_the_order_of_the_list(void **state) {
    struct diagnostic list[] = {
        {.code = CODE_SYNTAX, .message = "x", .location = {"a.yaml", 1, 1}},
        {.code = CODE_SYNTAX, .message = "y", .location = {"b.yaml", 2, 1}},
        {.code = CODE_SYNTAX, .message = "z", .location = {"a.yaml", 3, 1}},
        {.code = CODE_LIMIT, .message = "x", .location = {"a.yaml", 4, 1}},
        {.code = CODE_SYNTAX, .message = "u", .location = {"a.yaml", 5, 1}},
    };
    static const size_t expected[] = {0, 0, 1, 0, 2};
    struct finding_report report;
    finding_report_diagnostics(&report, &(struct diagnostic_list){list, 5}, NULL, *state);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(report.findings.list[i].twins, expected[i]);
    }
}

static void columns_count_code_points_where_the_line_is_at_hand(void **state) {
    (void)state;
    struct finding finding = {.location = {"a.yaml", 1, 11}, .excerpt = "\xC3\xA9\xC3\xA9: [\xE2\x82\xAC, x]"};
    assert_int_equal(finding_column(&finding), 7); /* é é : blank [ € comma, of 2 2 1 1 1 3 bytes */
    finding.location.column = 1;
    assert_int_equal(finding_column(&finding), 1);
    finding.location.column = 40; /* beyond the line: as it is */
    assert_int_equal(finding_column(&finding), 40);
    finding.excerpt = NULL;
    finding.location.column = 11;
    assert_int_equal(finding_column(&finding), 11);
    finding.location.column = 0;
    assert_int_equal(finding_column(&finding), 0);
}

static void end_is_known_where_the_value_or_the_key_stands_at_the_column(void **state) {
    (void)state;
    static const struct {
        const char *excerpt, *value, *path;
        uint32_t column, end;
    } cases[] = {
        {"  port: 0443", "0443", "ports[0].port", 9, 13},
        {"  port: '0443' # x", "0443", "ports[0].port", 9, 15},
        {"{\"port\": \"80\"}", "80", "port", 10, 14},
        {"  toFQDN:", NULL, "spec.egress[0].toFQDN", 3, 9},
        {"  \"toFQDN\": []", NULL, "spec.egress[0].toFQDN", 3, 11},
        {"  - \xC3\xA9t\xC3\xA9", "\xC3\xA9t\xC3\xA9", NULL, 5, 8},
        {"  - 04430", "0443", NULL, 5, 0}, /* only its beginning */
        {"  - '0443", "0443", NULL, 5, 0}, /* the quote does not end */
        {"  - x", "y", "spec.egress[0]", 5, 0},
        {"  - ", "", NULL, 5, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct finding finding = {.excerpt = cases[i].excerpt,
                                        .value = cases[i].value,
                                        .path = cases[i].path,
                                        .location = {"a.yaml", 1, cases[i].column}};
        assert_int_equal(finding_end_column(&finding), cases[i].end);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(decision_becomes_findings_in_the_order_of_the_text, begin, end),
        cmocka_unit_test_setup_teardown(widening_keeps_its_witness_and_further_excesses, begin, end),
        cmocka_unit_test_setup_teardown(what_is_well_and_what_it_rests_on_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(answer_that_was_not_expected_is_a_finding_at_the_rule_that_tells, begin, end),
        cmocka_unit_test_setup_teardown(answer_that_was_expected_is_well, begin, end),
        cmocka_unit_test_setup_teardown(fingerprint_survives_lines_words_and_files, begin, end),
        cmocka_unit_test_setup_teardown(fingerprint_tells_code_object_path_and_twin_apart, begin, end),
        cmocka_unit_test_setup_teardown(fingerprint_without_an_object_is_the_files_however_spelled, begin, end),
        cmocka_unit_test_setup_teardown(twins_are_counted_in_the_order_of_the_list, begin, end),
        cmocka_unit_test(columns_count_code_points_where_the_line_is_at_hand),
        cmocka_unit_test(end_is_known_where_the_value_or_the_key_stands_at_the_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

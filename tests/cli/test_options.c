#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "cli/options.h"

/* One parse, with all that it left behind. */
struct parsed {
    struct arena *arena;
    struct options options;
    struct option_list positionals;
    const char *problem; /* "" where it went well */
};

static int begin(void **state) {
    struct arena *arena = arena_create();
    struct parsed *parsed = arena_alloc(arena, sizeof *parsed);
    parsed->arena = arena;
    *state = parsed;
    return 0;
}

static int end(void **state) {
    arena_destroy(((struct parsed *)*state)->arena);
    return 0;
}

/* Arguments end with NULL. */
static bool parse(struct parsed *parsed, enum command_id command, const char *const *arguments) {
    size_t count = 0;
    while (arguments[count]) {
        count++;
    }
    struct buffer problem;
    buffer_init(&problem, parsed->arena);
    parsed->options = options_default();
    parsed->positionals = (struct option_list){0};
    bool well =
        options_parse(command, arguments, count, parsed->arena, &parsed->options, &parsed->positionals, &problem);
    parsed->problem = buffer_string(&problem);
    return well;
}

#define ARGUMENTS(...)                                                                                                 \
    (const char *const[]) { __VA_ARGS__, NULL }

static void assert_problem(void **state, enum command_id command, const char *const *arguments, const char *expected) {
    struct parsed *parsed = *state;
    assert_false(parse(parsed, command, arguments));
    assert_string_equal(parsed->problem, expected);
}

static void options_take_values_after_equals_or_a_space(void **state) {
    struct parsed *parsed = *state;
    assert_true(
        parse(parsed, COMMAND_VERIFY, ARGUMENTS("--config=a=b.yaml", "--namespace", "agents", "--report=json")));
    assert_string_equal(parsed->options.config, "a=b.yaml");
    assert_string_equal(parsed->options.namespace, "agents");
    assert_int_equal(parsed->options.report, REPORT_JSON);
    assert_int_equal(parsed->positionals.count, 0);
}

static void options_and_inputs_may_be_mixed(void **state) {
    struct parsed *parsed = *state;
    assert_true(parse(parsed, COMMAND_VERIFY, ARGUMENTS("a", "--quiet", "-", "--", "--config", "-x")));
    assert_true(parsed->options.quiet);
    assert_null(parsed->options.config);
    assert_int_equal(parsed->positionals.count, 4);
    assert_string_equal(parsed->positionals.list[0], "a");
    assert_string_equal(parsed->positionals.list[1], "-");
    assert_string_equal(parsed->positionals.list[2], "--config");
    assert_string_equal(parsed->positionals.list[3], "-x");
    assert_null(parsed->positionals.list[4]);
}

static void options_have_the_defaults_of_the_contract(void **state) {
    struct parsed *parsed = *state;
    assert_true(parse(parsed, COMMAND_VERIFY, ARGUMENTS("a")));
    const struct options *options = &parsed->options;
    assert_int_equal(options->report, REPORT_TEXT);
    assert_int_equal(options->format, OUTPUT_YAML);
    assert_int_equal(options->checks,
                     1 << CHECK_NAMED_OBJECT | 1 << CHECK_UNION | 1 << CHECK_INGRESS | 1 << CHECK_FENCE);
    assert_int_equal(options->engine, ENGINE_BY_INPUTS);
    assert_int_equal(options->expect, EXPECT_NOTHING);
    assert_int_equal(options->limits.bytes, 1073741824);
    assert_int_equal(options->limits.depth, 200);
    assert_int_equal(options->limits.nodes, 50000000);
    assert_int_equal(options->limits.alias, 1000000);
    assert_int_equal(options->limits.scalar, 1048576);
    assert_null(options->labels);
    assert_null(options->server_name);
}

static void options_collect_what_is_repeatable(void **state) {
    struct parsed *parsed = *state;
    assert_true(parse(parsed, COMMAND_VERIFY,
                      ARGUMENTS("--exclude", "a,b", "--exclude=c", "--require", "pods,nodes", "--require=services")));
    assert_int_equal(parsed->options.exclude.count, 2);
    assert_string_equal(parsed->options.exclude.list[0], "a,b");
    assert_string_equal(parsed->options.exclude.list[1], "c");
    assert_null(parsed->options.exclude.list[2]);
    assert_int_equal(parsed->options.require.count, 3);
    assert_string_equal(parsed->options.require.list[1], "nodes");
    assert_string_equal(parsed->options.require.list[2], "services");
    assert_null(parsed->options.require.list[3]);
}

static void options_narrow_a_set_to_what_is_named(void **state) {
    struct parsed *parsed = *state;
    assert_true(parse(parsed, COMMAND_VERIFY, ARGUMENTS("--verify-only", "union")));
    assert_int_equal(parsed->options.checks, 1 << CHECK_UNION);
    assert_true(parse(parsed, COMMAND_VERIFY, ARGUMENTS("--verify-only=union,union", "--verify-only=named-object")));
    assert_int_equal(parsed->options.checks, 1 << CHECK_NAMED_OBJECT | 1 << CHECK_UNION);
}

static void options_tell_the_empty_value_from_none(void **state) {
    struct parsed *parsed = *state;
    assert_true(parse(parsed, COMMAND_EXPLAIN, ARGUMENTS("--labels", "", "--server-name=")));
    assert_string_equal(parsed->options.labels, "");
    assert_string_equal(parsed->options.server_name, "");
    assert_problem(state, COMMAND_EXPLAIN, ARGUMENTS("--config="), "option '--config' needs a value that is not empty");
}

static void options_hold_numbers_to_their_bounds(void **state) {
    struct parsed *parsed = *state;
    assert_true(parse(parsed, COMMAND_VERIFY, ARGUMENTS("--jobs=1024", "--max-alias=0", "--max-bytes=4294967295")));
    assert_int_equal(parsed->options.jobs, 1024);
    assert_int_equal(parsed->options.limits.alias, 0);
    assert_int_equal(parsed->options.limits.bytes, 4294967295);
    static const char *const wrong[] = {"0", "1025", "-1", "+1", "1k", " 1", "1 ", "0x10", "18446744073709551617"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(parse(parsed, COMMAND_VERIFY, ARGUMENTS("--jobs", wrong[i])));
        assert_non_null(strstr(parsed->problem, ", but a number from 1 to 1024"));
    }
}

static void options_suggest_the_nearest_of_the_command(void **state) {
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--confg", "a"),
                   "there is no option '--confg'; did you mean '--config'?");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--names=a"), "there is no option '--names'");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--zzzzzzzzz"), "there is no option '--zzzzzzzzz'");
    /* --output-dir is compile's, and so is not suggested to verify */
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--output-dor=x"), "there is no option '--output-dor'");
}

static void options_of_other_commands_are_refused(void **state) {
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--to", "ip:10.0.0.1"), "option '--to' belongs to other commands");
    assert_problem(state, COMMAND_COMPILE, ARGUMENTS("--pod", "a/b"), "option '--pod' belongs to other commands");
}

static void options_name_the_words_that_exist(void **state) {
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--report=xml"),
                   "option '--report' does not take 'xml', but text, json, sarif, junit, github or markdown");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--verify-only=union,fences"),
                   "option '--verify-only' does not take 'fences', but named-object, union, ingress or fence");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--verify-only=union,"),
                   "option '--verify-only' does not take '', but named-object, union, ingress or fence");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--require=pods,,nodes"),
                   "option '--require' has an empty entry in 'pods,,nodes'");
    assert_problem(state, COMMAND_EXPLAIN, ARGUMENTS("--engine", "Cilium"),
                   "option '--engine' does not take 'Cilium', but core or cilium");
}

static void options_want_values_where_they_take_them(void **state) {
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("a", "--config"), "option '--config' needs a value, FILE");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--quiet=yes"), "option '--quiet' takes no value");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("-q"),
                   "there is no option '-q'; options are words after two dashes");
}

static void options_take_no_namespace_that_none_can_be_called(void **state) {
    static const char *const values[] = {"Agents", "agents ", "a.b", "a_b", "-a"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_false(parse(*state, COMMAND_VERIFY, ARGUMENTS("--namespace", values[i])));
    assert_problem(
        state, COMMAND_LINT, ARGUMENTS("--namespace=Agents"),
        "option '--namespace' does not take 'Agents': the name has a capital letter; only a to z, 0 to 9 and "
        "hyphens are allowed");
    assert_true(parse(*state, COMMAND_EXPLAIN, ARGUMENTS("--namespace=agents-2")));
}

static void options_given_twice_must_agree(void **state) {
    struct parsed *parsed = *state;
    assert_true(parse(parsed, COMMAND_VERIFY,
                      ARGUMENTS("--config=a", "--config=a", "--quiet", "--quiet", "--jobs=2", "--jobs=2",
                                "--report=json", "--report=json")));
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--config=a", "--config=b"),
                   "option '--config' is given twice, with different values");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--report=text", "--report=json"),
                   "option '--report' is given twice, with different values");
    assert_problem(state, COMMAND_VERIFY, ARGUMENTS("--max-depth=5", "--max-depth=6"),
                   "option '--max-depth' is given twice, with different values");
}

static void option_table_is_sorted_and_whole(void **state) {
    (void)state;
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        assert_true(i == 0 || strcmp(option_table[i - 1].name, row->name) < 0);
        assert_true(row->help && row->help[0] && row->commands != 0);
        assert_int_equal(row->argument == NULL, row->kind == OPTION_FLAG);
        assert_int_equal(row->words != NULL, row->kind == OPTION_CHOICE || row->kind == OPTION_SET);
        assert_int_equal(row->maximum > 0, row->kind == OPTION_NUMBER || row->kind == OPTION_SIZE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(options_take_values_after_equals_or_a_space, begin, end),
        cmocka_unit_test_setup_teardown(options_and_inputs_may_be_mixed, begin, end),
        cmocka_unit_test_setup_teardown(options_have_the_defaults_of_the_contract, begin, end),
        cmocka_unit_test_setup_teardown(options_collect_what_is_repeatable, begin, end),
        cmocka_unit_test_setup_teardown(options_narrow_a_set_to_what_is_named, begin, end),
        cmocka_unit_test_setup_teardown(options_tell_the_empty_value_from_none, begin, end),
        cmocka_unit_test_setup_teardown(options_hold_numbers_to_their_bounds, begin, end),
        cmocka_unit_test_setup_teardown(options_suggest_the_nearest_of_the_command, begin, end),
        cmocka_unit_test_setup_teardown(options_of_other_commands_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(options_name_the_words_that_exist, begin, end),
        cmocka_unit_test_setup_teardown(options_want_values_where_they_take_them, begin, end),
        cmocka_unit_test_setup_teardown(options_take_no_namespace_that_none_can_be_called, begin, end),
        cmocka_unit_test_setup_teardown(options_given_twice_must_agree, begin, end),
        cmocka_unit_test(option_table_is_sorted_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

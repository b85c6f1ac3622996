/* Hostile input: each bound ends the reading early and names its option (spec/design.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "reading.h"

/* A second of work, as promised; sanitizers take several times as much. */
#ifdef __SANITIZE_ADDRESS__
enum { SECONDS_MOST = 8 };
#else
enum { SECONDS_MOST = 1 };
#endif

static void check_quick(clock_t start) {
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds >= SECONDS_MOST)
        fail_msg("it took %.1f s", seconds);
}

/* The one diagnostic: a limit at `place`, whose message names the option. */
static void check_limit(struct reading *reading, const char *place, const char *option) {
    assert_string_equal(reading_codes(reading), arena_format(reading->arena, "%s limit", place));
    assert_non_null(strstr(reading->diagnostics.list[0].message, option));
    assert_int_equal(reading->file.state, FILE_BROKEN);
}

static struct text repeat(struct reading *reading, const char *part, size_t times) {
    struct buffer buffer;
    buffer_init(&buffer, reading->arena);
    for (size_t i = 0; i < times; i++) {
        buffer_add_string(&buffer, part);
    }
    return (struct text){buffer.bytes, buffer.length};
}

static void depth_is_bounded(void **state) {
    struct reading *reading = *state;
    reading->options.limits.depth = 3;
    reading_yaml(reading, "[[[1]]]");
    assert_string_equal(reading_codes(reading), "");
    reading_yaml(reading, "a:\n  b:\n    c:\n      d: 1\n");
    check_limit(reading, "4:7", "--max-depth");
    reading_json(reading, "{\"a\": [[\n{}]]}");
    check_limit(reading, "2:1", "--max-depth");
    reading_json(reading, "{\"a\": [[1]]}");
    assert_string_equal(reading_codes(reading), "");
}

static void deep_nesting_ends_early(void **state) {
    struct reading *reading = *state;
    static const char *const parts[] = {"[", "{a: ", "- ", "{\"a\":", "- - "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct text text = repeat(reading, parts[i], 1000000);
        clock_t start = clock();
        reading_file(reading, "t.yaml", text);
        assert_int_equal(reading->diagnostics.count, 1);
        assert_int_equal(reading->diagnostics.list[0].code, CODE_LIMIT);
        reading_file(reading, "t.json", text);
        assert_int_equal(reading->diagnostics.count, 1);
        assert_int_equal(reading->diagnostics.list[0].code, CODE_LIMIT);
        check_quick(start);
    }
}

static void json_has_a_depth_of_its_own(void **state) {
    struct reading *reading = *state;
    reading->options.limits.depth = 1000000;
    reading_text(reading, "t.json", repeat(reading, "[", 100000));
    assert_int_equal(reading->diagnostics.count, 1);
    assert_int_equal(reading->diagnostics.list[0].code, CODE_LIMIT);
}

static void nodes_are_bounded(void **state) {
    struct reading *reading = *state;
    reading->options.limits.nodes = 5;
    reading_yaml(reading, "a: [1, 2]\n");
    assert_string_equal(reading_codes(reading), "");
    reading_yaml(reading, "a: [1, 2]\n---\nb\n");
    check_limit(reading, "3:1", "--max-nodes");
    reading_json(reading, "[1, 2, 3, 4]");
    assert_string_equal(reading_codes(reading), "");
    reading_json(reading, "[1, 2, 3, 4, 5]");
    check_limit(reading, "1:14", "--max-nodes");
}

static const struct document_keep keep_none[] = {{NULL, NULL}};

static const struct document_keep *keep_nothing(struct text api_version, struct text kind) {
    (void)api_version;
    (void)kind;
    return keep_none;
}

static void what_is_passed_over_counts(void **state) {
    struct reading *reading = *state;
    reading->options.filter = keep_nothing;
    reading->options.limits.nodes = 8;
    reading->options.limits.depth = 3;
    reading->options.limits.scalar = 10;
    reading_yaml(reading, "apiVersion: v1\nkind: x\na: [1, 2]\n");
    check_limit(reading, "3:8", "--max-nodes");
    reading_yaml(reading, "apiVersion: v1\nkind: x\na: [[[]]]\n");
    check_limit(reading, "3:6", "--max-depth");
    reading_yaml(reading, "apiVersion: v1\nkind: x\na: 12345678901\n");
    check_limit(reading, "3:4", "--max-scalar");
    reading_json(reading, "{\"apiVersion\": \"v1\", \"kind\": \"x\", \"a\": \"12345678901\"}");
    check_limit(reading, "1:40", "--max-scalar");
}

static void aliases_are_bounded_a_document(void **state) {
    struct reading *reading = *state;
    reading->options.limits.alias = 6;
    reading_yaml(reading, "a: &a [1, 2]\nb: [*a, *a]\n---\na: &a [1, 2]\nb: [*a, *a]\n");
    assert_string_equal(reading_codes(reading), "");
    reading_yaml(reading, "a: &a [1, 2]\nb: [*a, *a]\nc: &c 1\nd: *c\n");
    check_limit(reading, "4:4", "--max-alias");
    reading_yaml(reading, "a: &a {x: 1}\nb: &b {<<: [*a, *a, *a]}\n");
    check_limit(reading, "2:21", "--max-alias");
}

static void a_billion_laughs_end_early(void **state) {
    struct reading *reading = *state;
    struct buffer text;
    buffer_init(&text, reading->arena);
    buffer_add_string(&text, "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for (unsigned i = 1; i < 40; i++) {
        buffer_print(&text, "a%u: &a%u [*a%u, *a%u, *a%u, *a%u]\n", i, i, i - 1, i - 1, i - 1, i - 1);
    }
    reading_yaml(reading, buffer_string(&text));
    assert_int_equal(reading->diagnostics.count, 1);
    assert_int_equal(reading->diagnostics.list[0].code, CODE_LIMIT);
    assert_non_null(strstr(reading->diagnostics.list[0].message, "--max-alias"));
}

/* Each link is shallow; the tree that the last alias stands for is not. */
static void chains_of_aliases_count_as_depth(void **state) {
    struct reading *reading = *state;
    struct buffer text;
    buffer_init(&text, reading->arena);
    buffer_add_string(&text, "a0: &a0 []\n");
    for (unsigned i = 1; i < 300; i++) {
        buffer_print(&text, "a%u: &a%u [*a%u]\n", i, i, i - 1);
    }
    reading_yaml(reading, buffer_string(&text));
    check_limit(reading, "200:14", "--max-depth");
}

static void scalars_are_bounded(void **state) {
    struct reading *reading = *state;
    reading->options.limits.scalar = 5;
    reading_yaml(reading, "a: 12345\n");
    assert_string_equal(reading_codes(reading), "");
    reading_yaml(reading, "a: 'b'\nc: '123456'\n");
    check_limit(reading, "2:4", "--max-scalar");
    reading_yaml(reading, "a: 1\n123456: 1\n");
    check_limit(reading, "2:1", "--max-scalar");
    reading_json(reading, "[\"\\u0031\\u0032345\"]");
    assert_string_equal(reading_codes(reading), "");
    reading_json(reading, "[1,\n123456]");
    check_limit(reading, "2:1", "--max-scalar");
}

static long peak_kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 100 MB without an event. */
static void long_lines_end_early(void **state) {
    struct reading *reading = *state;
    static const char *const starts[] = {"a: ", "a: \"", "# ", "", "&", "a: |\n "};
    size_t length = 100000000;
    char *bytes = malloc(length);
    assert_non_null(bytes);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        memset(bytes, i == 3 ? ' ' : 'x', length);
        memcpy(bytes, starts[i], strlen(starts[i]));
        long before = peak_kilobytes();
        clock_t start = clock();
        reader_read_text("t.yaml", (struct text){bytes, length}, &reading->options, reading->arena, &reading->file,
                         &reading->diagnostics);
        check_quick(start);
        assert_true(peak_kilobytes() - before < 50000);
        assert_int_equal(reading->diagnostics.count, i + 1);
        assert_int_equal(reading->diagnostics.list[i].code, CODE_LIMIT);
        assert_non_null(strstr(reading->diagnostics.list[i].message, "--max-scalar"));
        assert_int_equal(reading->file.state, FILE_BROKEN);
    }
    free(bytes);
}

static void large_files_are_refused_before_they_are_read(void **state) {
    struct reading *reading = *state;
    struct text text = repeat(reading, "a: 1\n", 100);
    reading->options.limits.bytes = 500;
    reading_file(reading, "t.yaml", text);
    assert_string_equal(reading_codes(reading), "");
    reading->options.limits.bytes = 499;
    reading_file(reading, "t.yaml", text);
    check_limit(reading, "0:0", "--max-bytes");
    assert_int_equal(reading->file.bytes, 500);
    reading_text(reading, "t.json", text);
    check_limit(reading, "0:0", "--max-bytes");
}

static void pipes_are_bounded_while_they_are_read(void **state) {
    struct reading *reading = *state;
    reading->options.limits.bytes = 300000;
    struct text text = repeat(reading, "- 1\n", 100000);
    reading_pipe(reading, "t.yaml", text);
    assert_int_equal(reading->diagnostics.count, 1);
    assert_non_null(strstr(reading->diagnostics.list[0].message, "--max-bytes"));
    assert_true(reading->diagnostics.list[0].location.line > 1);
    assert_int_equal(reading->file.state, FILE_BROKEN);
    reading_pipe(reading, "t.json", repeat(reading, "[1]\n", 100000));
    check_limit(reading, "0:0", "--max-bytes");
}

static void content_after_the_end_is_not_restarted_for_ever(void **state) {
    struct reading *reading = *state;
    clock_t start = clock();
    reading_file(reading, "t.yaml", repeat(reading, "a: 1\n...\nb\n---\n", 200000));
    check_quick(start);
    assert_int_equal(reading->file.state, FILE_BROKEN);
    assert_int_equal(reading->diagnostics.list[reading->diagnostics.count - 1].code, CODE_SYNTAX);
}

static void dropped_content_is_bounded_too(void **state) {
    struct reading *reading = *state;
    struct buffer text;
    buffer_init(&text, reading->arena);
    buffer_add_string(&text, "a: 1\n...\nb\n");
    buffer_add_text(&text, repeat(reading, "c\n", 300000));
    buffer_add_string(&text, "---\nd: 2\n");
    reading_pipe(reading, "t.yaml", (struct text){text.bytes, text.length});
    assert_string_equal(reading_trees(reading), "{a=i'1'} | {d=i'2'}");
    reading->options.limits.bytes = 500000;
    reading_pipe(reading, "t.yaml", (struct text){text.bytes, text.length});
    assert_int_equal(reading->file.state, FILE_BROKEN);
}

static void slurping_reads_all_or_says_why(void **state) {
    struct reading *reading = *state;
    struct limits limits = {.bytes = 5};
    struct text content;
    char path[] = "/tmp/egressc-slurp-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, "a\0b\n", 4), 4);
    close(descriptor);
    assert_true(reader_slurp(path, &limits, reading->arena, &content, &reading->diagnostics));
    assert_int_equal(content.length, 4);
    assert_memory_equal(content.bytes, "a\0b\n", 5);
    limits.bytes = 3;
    assert_false(reader_slurp(path, &limits, reading->arena, &content, &reading->diagnostics));
    unlink(path);
    assert_false(reader_slurp(path, &limits, reading->arena, &content, &reading->diagnostics));
    assert_string_equal(reading_codes(reading), "0:0 limit, 0:0 unreadable");
    assert_string_equal(reading->diagnostics.list[0].location.file, path);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {
        TEST(depth_is_bounded),
        TEST(deep_nesting_ends_early),
        TEST(json_has_a_depth_of_its_own),
        TEST(nodes_are_bounded),
        TEST(what_is_passed_over_counts),
        TEST(aliases_are_bounded_a_document),
        TEST(a_billion_laughs_end_early),
        TEST(chains_of_aliases_count_as_depth),
        TEST(scalars_are_bounded),
        TEST(long_lines_end_early),
        TEST(large_files_are_refused_before_they_are_read),
        TEST(pipes_are_bounded_while_they_are_read),
        TEST(content_after_the_end_is_not_restarted_for_ever),
        TEST(dropped_content_is_bounded_too),
        TEST(slurping_reads_all_or_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Walking and reading of inputs: spec/cli.md, spec/analysis.md 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/inputs.h"

/* A temporary directory, which is the working directory of a test. */
struct place {
    struct arena *arena;
    char path[64];
    struct inputs_options options;
    struct diagnostics diagnostics;
    struct inputs inputs;
};

static int setup(void **state) {
    struct arena *arena = arena_create();
    struct place *place = arena_alloc(arena, sizeof *place);
    place->arena = arena;
    place->options = (struct inputs_options){.reader.limits = limits_default(), .jobs = 2};
    snprintf(place->path, sizeof place->path, "/tmp/egressc-inputs-XXXXXX");
    assert_non_null(mkdtemp(place->path));
    assert_int_equal(chdir(place->path), 0);
    *state = place;
    return 0;
}

static int teardown(void **state) {
    struct place *place = *state;
    char command[128];
    assert_int_equal(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf -- %s", place->path);
    assert_int_equal(system(command), 0);
    arena_destroy(place->arena);
    return 0;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void put_directory(const char *path) { assert_int_equal(mkdir(path, 0777), 0); }

/* Reads, and gives the names of all files with the number of documents; each state other than FILE_READ by a mark. */
static const char *read_names(struct place *place, const char *const *paths, bool expected) {
    static const char marks[] = {
        [FILE_READ] = ':', [FILE_BROKEN] = '!', [FILE_TEMPLATE] = '?', [FILE_UNREADABLE] = '-'};
    size_t count = 0;
    while (paths[count]) {
        count++;
    }
    diagnostics_init(&place->diagnostics, place->arena);
    assert_int_equal(inputs_read(paths, count, &place->options, place->arena, &place->inputs, &place->diagnostics),
                     expected);
    struct buffer names;
    buffer_init(&names, place->arena);
    for (size_t i = 0; i < place->inputs.count; i++) {
        const struct file *file = &place->inputs.files[i];
        buffer_print(&names, "%s%s%c%zu", i > 0 ? " " : "", file->name, marks[file->state], file->count);
    }
    return buffer_string(&names);
}

/* The same for one call without a look at the trees. */
static void check_names(struct place *place, const char *const *paths, const char *names) {
    assert_string_equal(read_names(place, paths, true), names);
    inputs_destroy(&place->inputs);
}

static void directories_are_walked_in_byte_order(void **state) {
    put_directory("d");
    put_directory("d/b");
    put("d/c.yml", "a: 1\n");
    put("d/B.json", "{}");
    put("d/a.yaml", "a: 1\n---\nb: 2\n");
    put("d/b/x.yaml", "");
    put("d/\xC3\xA9.yaml", "a: 1\n");
    put("d/notes.txt", "a: 1\n");
    put("d/yaml", "a: 1\n");
    check_names(*state, (const char *const[]){"d", NULL},
                "d/B.json:1 d/a.yaml:2 d/b/x.yaml:0 d/c.yml:1 d/\xC3\xA9.yaml:1");
    check_names(*state, (const char *const[]){"d//", NULL},
                "d/B.json:1 d/a.yaml:2 d/b/x.yaml:0 d/c.yml:1 d/\xC3\xA9.yaml:1");
}

static void hidden_entries_are_skipped(void **state) {
    put_directory("d");
    put_directory("d/.git");
    put("d/.git/x.yaml", "a: 1\n");
    put("d/.x.yaml", "a: 1\n");
    check_names(*state, (const char *const[]){"d", NULL}, "");
    check_names(*state, (const char *const[]){"d/.x.yaml", "d/.git", NULL}, "d/.x.yaml:1 d/.git/x.yaml:1");
}

static void arguments_keep_their_order_and_names(void **state) {
    put_directory("d");
    put("d/b.yaml", "a: 1\n");
    put("x.txt", "a: 1\n");
    check_names(*state, (const char *const[]){"x.txt", "./d", NULL}, "x.txt:1 ./d/b.yaml:1");
    check_names(*state, (const char *const[]){"./d/b.yaml", "x.txt", NULL}, "./d/b.yaml:1 x.txt:1");
}

static void a_file_reached_twice_is_read_once(void **state) {
    put_directory("d");
    put("d/a.yaml", "a: 1\n");
    put("d/z.yaml", "a: 1\n");
    assert_int_equal(symlink("a.yaml", "d/link.yaml"), 0);
    assert_int_equal(link("d/z.yaml", "d/hard.yaml"), 0);
    check_names(*state, (const char *const[]){"d", "d/a.yaml", "d", NULL}, "d/a.yaml:1 d/hard.yaml:1");
    check_names(*state, (const char *const[]){"d/link.yaml", "d", NULL}, "d/link.yaml:1 d/hard.yaml:1");
}

static void links_to_files_are_followed_and_to_directories_not(void **state) {
    put_directory("d");
    put_directory("e");
    put("e/a.yaml", "a: 1\n");
    assert_int_equal(symlink("../e/a.yaml", "d/link.yaml"), 0);
    assert_int_equal(symlink("../e", "d/to-directory"), 0);
    assert_int_equal(symlink("../e", "d/to-directory.yaml"), 0);
    assert_int_equal(symlink(".", "d/loop"), 0);
    check_names(*state, (const char *const[]){"d", NULL}, "d/link.yaml:1");
    check_names(*state, (const char *const[]){"d/to-directory", NULL}, "d/to-directory/a.yaml:1");
}

static void excluded_files_are_listed(void **state) {
    struct place *place = *state;
    place->options.exclude = (const char *const[]){"*.json", "tmp", "d/b/*", NULL};
    put_directory("d");
    put_directory("d/b");
    put_directory("d/tmp");
    put("d/a.yaml", "a: 1\n");
    put("d/a.json", "{}");
    put("d/notes.json.txt", "");
    put("d/b/x.yaml", "a: 1\n");
    put("d/tmp/y.yaml", "a: 1\n");
    put("z.json", "{}");
    assert_string_equal(read_names(place, (const char *const[]){"z.json", "d", NULL}, true), "d/a.yaml:1");
    assert_int_equal(place->inputs.excluded_count, 4);
    assert_string_equal(place->inputs.excluded[0], "d/a.json");
    assert_string_equal(place->inputs.excluded[1], "d/b/x.yaml");
    assert_string_equal(place->inputs.excluded[2], "d/tmp");
    assert_string_equal(place->inputs.excluded[3], "z.json");
    inputs_destroy(&place->inputs);
}

static void what_is_named_and_missing_fails(void **state) {
    struct place *place = *state;
    put("a.yaml", "a: 1\n");
    assert_string_equal(read_names(place, (const char *const[]){"none.yaml", "a.yaml", NULL}, false),
                        "none.yaml-0 a.yaml:1");
    assert_int_equal(place->diagnostics.count, 1);
    assert_int_equal(place->diagnostics.list[0].code, CODE_UNREADABLE);
    assert_string_equal(place->diagnostics.list[0].location.file, "none.yaml");
    inputs_destroy(&place->inputs);
}

static void what_is_found_and_unreadable_is_reported(void **state) {
    struct place *place = *state;
    put_directory("d");
    put("d/a.yaml", "a: 1\n");
    assert_int_equal(symlink("nowhere", "d/broken.yaml"), 0);
    assert_int_equal(mkfifo("d/pipe.yaml", 0666), 0);
    assert_string_equal(read_names(place, (const char *const[]){"d", NULL}, true),
                        "d/a.yaml:1 d/broken.yaml-0 d/pipe.yaml-0");
    assert_int_equal(place->diagnostics.count, 2);
    assert_int_equal(place->diagnostics.errors, 2);
    assert_string_equal(place->diagnostics.list[1].location.file, "d/pipe.yaml");
    inputs_destroy(&place->inputs);
}

static void standard_input_is_read_once(void **state) {
    put("in.yaml", "a: 1\n---\nb: 2\n");
    int saved = dup(STDIN_FILENO);
    assert_non_null(freopen("in.yaml", "r", stdin));
    check_names(*state, (const char *const[]){"-", "-", NULL}, "<stdin>:2");
    assert_true(saved < 0 || dup2(saved, STDIN_FILENO) >= 0);
}

/* Large and small files, good and broken ones, with as many diagnostics. */
static void put_many(void) {
    put_directory("d");
    for (unsigned i = 0; i < 60; i++) {
        char name[32];
        snprintf(name, sizeof name, "d/f%02u.%s", i * 7 % 60, i % 3 ? "yaml" : "json");
        FILE *file = fopen(name, "w");
        assert_non_null(file);
        for (unsigned line = 0; line < i % 7 * 500; line++) {
            fprintf(file, i % 3 ? "k%u: [%u, x]\n" : "{\"k%u\": [%u, \"x\"]}\n", line, line);
        }
        fputs(i % 5 == 0 ? "  broken: [\n" : i % 4 == 0 ? "x: {{ y }}\n" : "", file);
        assert_int_equal(fclose(file), 0);
    }
}

static const char *all_diagnostics(struct place *place) {
    struct buffer out;
    buffer_init(&out, place->arena);
    for (size_t i = 0; i < place->diagnostics.count; i++) {
        const struct diagnostic *diagnostic = &place->diagnostics.list[i];
        buffer_print(&out, "%s:%u:%u %s %s\n", diagnostic->location.file, diagnostic->location.line,
                     diagnostic->location.column, code_word(diagnostic->code), diagnostic->message);
    }
    return buffer_string(&out);
}

static void the_number_of_jobs_changes_nothing(void **state) {
    struct place *place = *state;
    put_many();
    place->options.jobs = 1;
    const char *names = read_names(place, (const char *const[]){"d", NULL}, true);
    const char *diagnostics = all_diagnostics(place);
    size_t bytes = place->inputs.bytes;
    struct inputs first = place->inputs;
    assert_int_equal(first.arena_count, 1);
    assert_true(place->diagnostics.count > 10);
    for (unsigned jobs = 2; jobs < 9; jobs += 3) {
        place->options.jobs = jobs;
        assert_string_equal(read_names(place, (const char *const[]){"d", NULL}, true), names);
        assert_string_equal(all_diagnostics(place), diagnostics);
        assert_int_equal(place->inputs.bytes, bytes);
        assert_int_equal(place->inputs.arena_count, jobs);
        for (size_t i = 0; i < place->inputs.count; i++) {
            for (size_t at = 0; at < place->inputs.files[i].count; at++) {
                assert_true(node_equal(&place->inputs.files[i].documents[at].root, &first.files[i].documents[at].root));
            }
        }
        inputs_destroy(&place->inputs);
    }
    inputs_destroy(&first);
}

static void nothing_is_read_of_nothing(void **state) {
    put_directory("d");
    check_names(*state, (const char *const[]){NULL}, "");
    check_names(*state, (const char *const[]){"d", NULL}, "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(directories_are_walked_in_byte_order),
        TEST(hidden_entries_are_skipped),
        TEST(arguments_keep_their_order_and_names),
        TEST(a_file_reached_twice_is_read_once),
        TEST(links_to_files_are_followed_and_to_directories_not),
        TEST(excluded_files_are_listed),
        TEST(what_is_named_and_missing_fails),
        TEST(what_is_found_and_unreadable_is_reported),
        TEST(standard_input_is_read_once),
        TEST(the_number_of_jobs_changes_nothing),
        TEST(nothing_is_read_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

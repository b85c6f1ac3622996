/* Files that inputs name, read after them: spec/snapshot.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
    diagnostics_init(&place->diagnostics, arena);
    snprintf(place->path, sizeof place->path, "/tmp/egressc-more-XXXXXX");
    assert_non_null(mkdtemp(place->path));
    assert_int_equal(chdir(place->path), 0);
    *state = place;
    return 0;
}

static int teardown(void **state) {
    struct place *place = *state;
    char command[128];
    inputs_destroy(&place->inputs);
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

static const char *names_of(struct place *place) {
    struct buffer names;
    buffer_init(&names, place->arena);
    for (size_t i = 0; i < place->inputs.count; i++)
        buffer_print(&names, "%s%s:%zu%s", i > 0 ? " " : "", place->inputs.files[i].name, place->inputs.files[i].count,
                     place->inputs.origins[i].named ? "!" : "");
    return buffer_string(&names);
}

static void start(struct place *place, const char *path) {
    assert_true(inputs_read(&path, 1, &place->options, place->arena, &place->inputs, &place->diagnostics));
}

static void more(struct place *place, const char *const *paths, size_t count) {
    inputs_read_more(paths, count, &place->options, place->arena, &place->inputs, &place->diagnostics);
}

static void files_that_are_named_are_appended(void **state) {
    struct place *place = *state;
    put("index.json", "{}");
    put("a.json", "{\"a\": 1}{\"a\": 2}");
    put("b.yaml", "a: 1\n");
    start(place, "index.json");
    size_t bytes = place->inputs.bytes;
    more(place, (const char *const[]){"a.json", "b.yaml"}, 2);
    assert_string_equal(names_of(place), "index.json:1! a.json:2 b.yaml:1");
    assert_int_equal(place->inputs.bytes, bytes + 16 + 5);
    assert_int_equal(place->diagnostics.count, 0);
}

static void what_is_there_already_is_passed_over(void **state) {
    struct place *place = *state;
    put("a.json", "{}");
    assert_int_equal(symlink("a.json", "b.json"), 0);
    start(place, ".");
    more(place, (const char *const[]){"./a.json", "./b.json", "a.json"}, 3);
    assert_int_equal(place->inputs.count, 1);
}

static void what_does_not_exist_or_is_no_file_is_passed_over(void **state) {
    struct place *place = *state;
    put("index.json", "{}");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe.json", 0666), 0);
    start(place, "index.json");
    more(place, (const char *const[]){"missing.json", "folder", "pipe.json"}, 3);
    assert_string_equal(names_of(place), "index.json:1!");
    assert_int_equal(place->diagnostics.count, 0);
}

static void what_is_excluded_is_listed_once(void **state) {
    struct place *place = *state;
    static const char *const globs[] = {"a.json", NULL};
    put("a.json", "{}");
    put("index.json", "{}");
    place->options.exclude = globs;
    start(place, ".");
    more(place, (const char *const[]){"./a.json"}, 1);
    assert_string_equal(names_of(place), "./index.json:1");
    assert_int_equal(place->inputs.excluded_count, 1);
    assert_string_equal(place->inputs.excluded[0], "./a.json");
}

static void a_broken_file_keeps_what_was_whole(void **state) {
    struct place *place = *state;
    put("index.json", "{}");
    put("a.json", "{} {");
    start(place, "index.json");
    more(place, (const char *const[]){"a.json"}, 1);
    assert_string_equal(names_of(place), "index.json:1! a.json:1");
    assert_int_equal(place->inputs.files[1].state, FILE_BROKEN);
    assert_int_equal(place->diagnostics.errors, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_that_are_named_are_appended, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_there_already_is_passed_over, setup, teardown),
        cmocka_unit_test_setup_teardown(what_does_not_exist_or_is_no_file_is_passed_over, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_excluded_is_listed_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_broken_file_keeps_what_was_whole, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "cli/sink.h"

struct place {
    struct arena *arena;
    char folder[64];
    const char *file, *link;
};

static int begin(void **state) {
    struct arena *arena = arena_create();
    struct place *place = arena_alloc(arena, sizeof *place);
    place->arena = arena;
    strcpy(place->folder, "/tmp/egressc-sink-XXXXXX");
    if (!mkdtemp(place->folder)) {
        return -1;
    }
    place->file = arena_format(arena, "%s/file", place->folder);
    place->link = arena_format(arena, "%s/link", place->folder);
    *state = place;
    return 0;
}

static int end(void **state) {
    struct place *place = *state;
    unlink(place->file);
    unlink(place->link);
    int left = rmdir(place->folder); /* fails where a temporary file is left */
    arena_destroy(place->arena);
    return left;
}

static void assert_content(const char *path, const char *expected) {
    char content[100];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    content[length] = '\0';
    assert_string_equal(content, expected);
}

static void sink_replaces_a_file_whole(void **state) {
    struct place *place = *state;
    assert_true(sink_write_file(place->file, text_of("a long first text\n"), place->arena));
    assert_content(place->file, "a long first text\n");
    assert_true(sink_write_file(place->file, text_of("short\n"), place->arena));
    assert_content(place->file, "short\n");
    assert_true(sink_write_file(place->file, text_of(""), place->arena));
    assert_content(place->file, "");
}

static void sink_follows_links(void **state) {
    struct place *place = *state;
    struct stat status;
    assert_int_equal(symlink("file", place->link), 0); /* to nothing yet, relative to its folder */
    assert_true(sink_write_file(place->link, text_of("one"), place->arena));
    assert_content(place->file, "one");
    assert_true(sink_write_file(place->link, text_of("two"), place->arena));
    assert_content(place->file, "two");
    assert_int_equal(lstat(place->link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void sink_refuses_links_without_an_end(void **state) {
    struct place *place = *state;
    assert_int_equal(symlink("link", place->link), 0);
    assert_false(sink_write_file(place->link, text_of("one"), place->arena));
    assert_int_equal(errno, ELOOP);
}

static void sink_writes_to_devices_in_place(void **state) {
    struct place *place = *state;
    struct stat status;
    assert_true(sink_write_file("/dev/null", text_of("gone"), place->arena));
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_false(sink_write_file(place->folder, text_of("a folder is no file"), place->arena));
    assert_int_equal(errno, EISDIR);
}

static void sink_tells_why_it_failed(void **state) {
    struct place *place = *state;
    assert_false(sink_write_file("/nonexistent/folder/file", text_of("x"), place->arena));
    assert_int_equal(errno, ENOENT);
    assert_false(sink_write(-1, text_of("x")));
    assert_int_equal(errno, EBADF);
    assert_true(sink_write(-1, text_of(""))); /* nothing to write, nothing to fail */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sink_replaces_a_file_whole, begin, end),
        cmocka_unit_test_setup_teardown(sink_follows_links, begin, end),
        cmocka_unit_test_setup_teardown(sink_refuses_links_without_an_end, begin, end),
        cmocka_unit_test_setup_teardown(sink_writes_to_devices_in_place, begin, end),
        cmocka_unit_test_setup_teardown(sink_tells_why_it_failed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

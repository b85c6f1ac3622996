#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compiler/diff.h"

static const char *diff(struct arena *arena, const char *before, const char *after) {
    struct buffer out;
    buffer_init(&out, arena);
    bool differs = diff_unified(&out, "old", text_of(before), "new", text_of(after));
    assert_int_equal(differs, strcmp(before, after) != 0);
    return buffer_string(&out);
}

struct row {
    const char *before, *after, *diff;
};

/* As `diff -u` prints them. */
static const struct row rows[] = {
    {"a\nb\n", "a\nb\n", ""},
    {"", "", ""},
    {"a\nb\nc\n", "a\nB\nc\n", "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
    {"", "a\nb\n", "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
    {"a\n", "", "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n"},
    {"a\nb", "a\nb\n", "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
    {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\nx\n",
     "--- old\n+++ new\n@@ -7,3 +7,4 @@\n 7\n 8\n 9\n+x\n"},
    /* Six kept lines between two changes are one hunk, seven are two. */
    {"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
     "--- old\n+++ new\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
    {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
     "--- old\n+++ new\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
    {"a\nb\nc\n", "b\nc\nd\n", "--- old\n+++ new\n@@ -1,3 +1,3 @@\n-a\n b\n c\n+d\n"},
};

static void a_diff_is_that_of_diff_u(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(diff(arena, rows[i].before, rows[i].after), rows[i].diff);
    }
    arena_destroy(arena);
}

/* Applies the hunks of a diff to a text and gives the other side: what `patch` does. */
static const char *apply(struct arena *arena, const char *before, const char *patch) {
    struct buffer out;
    buffer_init(&out, arena);
    size_t taken = 0; /* lines of `before` */
    const char *at = before;
    for (const char *line = patch; *line; line = strchr(line, '\n') + 1) {
        size_t length = (size_t)(strchr(line, '\n') - line) + 1;
        if (strncmp(line, "@@ -", 4) == 0) {
            char *end;
            size_t start = strtoul(line + 4, &end, 10);
            size_t first = *end == ',' && end[1] == '0' ? start : start - 1;
            for (; taken < first; taken++) {
                size_t kept = (size_t)(strchr(at, '\n') - at) + 1;
                buffer_add(&out, at, kept);
                at += kept;
            }
        } else if (line[0] == '+' && line[1] != '+') {
            buffer_add(&out, line + 1, length - 1);
        } else if ((line[0] == '-' && line[1] != '-') || line[0] == ' ') {
            assert_memory_equal(at, line + 1, length - 1);
            if (line[0] == ' ') {
                buffer_add(&out, line + 1, length - 1);
            }
            at += length - 1;
            taken++;
        }
    }
    buffer_add_string(&out, at);
    return buffer_string(&out);
}

static const char *random_text(struct arena *arena, uint32_t *seed) {
    struct buffer text;
    buffer_init(&text, arena);
    *seed = *seed * 1664525u + 1013904223u;
    unsigned lines = *seed >> 24 & 31;
    for (unsigned i = 0; i < lines; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        buffer_print(&text, "%c\n", 'a' + (int)(*seed >> 28 & 3));
    }
    return buffer_string(&text);
}

static void a_diff_applied_gives_the_new_text(void **state) {
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 2000; round++) {
        struct arena *arena = arena_create();
        const char *before = random_text(arena, &seed), *after = random_text(arena, &seed);
        assert_string_equal(apply(arena, before, diff(arena, before, after)), after);
        arena_destroy(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diff_is_that_of_diff_u),
        cmocka_unit_test(a_diff_applied_gives_the_new_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

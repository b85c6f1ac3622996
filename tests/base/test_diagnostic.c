/* Lists of diagnostics: base/diagnostic.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diagnostic.h"

struct fixture {
    struct arena *arena;
    struct diagnostics list;
};

static int setup(void **state) {
    struct arena *arena = arena_create();
    struct fixture *fixture = arena_alloc(arena, sizeof *fixture);
    fixture->arena = arena;
    diagnostics_init(&fixture->list, arena);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static struct location at(const char *file, uint32_t line, uint32_t column) {
    return (struct location){.file = file, .line = line, .column = column};
}

static void added_diagnostics_have_the_codes_severity(void **state) {
    struct diagnostics *list = &((struct fixture *)*state)->list;
    struct diagnostic *first = diagnostics_add(list, CODE_SYNTAX, at("a.yaml", 1, 2), "found %s, %d", "x", 5);
    assert_string_equal(first->message, "found x, 5");
    assert_int_equal(first->severity, SEVERITY_ERROR);
    assert_int_equal(first->location.column, 2);
    assert_null(first->path);
    diagnostics_add(list, CODE_NO_POLICIES, at(NULL, 0, 0), "none");
    assert_int_equal(list->count, 2);
    assert_int_equal(list->errors, 1);
}

static void severity_can_be_changed_and_is_counted(void **state) {
    struct diagnostics *list = &((struct fixture *)*state)->list;
    struct diagnostic *diagnostic = diagnostics_add(list, CODE_NO_POLICIES, at(NULL, 0, 0), "none");
    diagnostic_set_severity(list, diagnostic, SEVERITY_ERROR);
    assert_int_equal(list->errors, 1);
    diagnostic_set_severity(list, diagnostic, SEVERITY_ERROR);
    assert_int_equal(list->errors, 1);
    diagnostic_set_severity(list, diagnostic, SEVERITY_NOTE);
    assert_int_equal(list->errors, 0);
}

static void notes_stay_in_order(void **state) {
    struct diagnostics *list = &((struct fixture *)*state)->list;
    struct diagnostic *diagnostic = diagnostics_add(list, CODE_SYNTAX, at("a", 1, 1), "m");
    diagnostic_note(list, diagnostic, at("b", 3, 4), "first %d", 1);
    diagnostic_note(list, diagnostic, at(NULL, 0, 0), "second");
    assert_string_equal(diagnostic->notes->message, "first 1");
    assert_int_equal(diagnostic->notes->location.line, 3);
    assert_string_equal(diagnostic->notes->next->message, "second");
    assert_null(diagnostic->notes->next->next);
}

static void assert_messages(const struct diagnostics *list, const char *const *messages) {
    size_t count = 0;
    for (; messages[count]; count++) {
        assert_true(count < list->count);
        assert_string_equal(list->list[count].message, messages[count]);
    }
    assert_int_equal(list->count, count);
}

static void order_is_file_line_column_code_message(void **state) {
    struct diagnostics *list = &((struct fixture *)*state)->list;
    diagnostics_add(list, CODE_SYNTAX, at("b", 1, 1), "9");
    diagnostics_add(list, CODE_SYNTAX, at("a", 10, 1), "8");
    diagnostics_add(list, CODE_SYNTAX, at("a", 9, 2), "7");
    diagnostics_add(list, CODE_SYNTAX, at("a", 9, 1), "6");
    diagnostics_add(list, CODE_SYNTAX, at("a", 9, 1), "5");
    diagnostics_add(list, CODE_ENCODING, at("a", 9, 1), "zz4");
    diagnostics_add(list, CODE_SYNTAX, at("B", 99, 1), "3");
    diagnostics_add(list, CODE_SYNTAX, at(NULL, 0, 0), "2");
    diagnostics_sort(list);
    assert_messages(list, (const char *const[]){"2", "3", "zz4", "5", "6", "7", "8", "9", NULL});
    assert_int_equal(list->errors, 8);
}

static void repetitions_are_dropped_and_uncounted(void **state) {
    struct diagnostics *list = &((struct fixture *)*state)->list;
    for (int i = 0; i < 3; i++) {
        diagnostics_add(list, CODE_SYNTAX, at("a", 1, 1), "same")->path = i == 1 ? "other" : "spec";
        diagnostics_add(list, CODE_NO_POLICIES, at(NULL, 0, 0), "none");
    }
    diagnostics_sort(list);
    assert_int_equal(list->count, 3);
    assert_int_equal(list->errors, 2);
    assert_string_equal(list->list[0].message, "none");
    assert_string_equal(list->list[1].path, "spec"); /* the first that was added */
    assert_string_equal(list->list[2].path, "other");
}

static void difference_in_anything_shown_keeps_both(void **state) {
    struct diagnostics *list = &((struct fixture *)*state)->list;
    for (int i = 0; i < 8; i++) {
        diagnostics_add(list, CODE_SYNTAX, at("a", 1, 1), "same");
    }
    list->list[1].path = "p";
    list->list[2].value = "v";
    list->list[3].object.kind = "Pod";
    list->list[4].object.namespace = "n";
    list->list[5].object.name = "o";
    diagnostic_set_severity(list, &list->list[6], SEVERITY_WARNING);
    diagnostic_note(list, &list->list[7], at("b", 1, 1), "note");
    diagnostics_sort(list);
    assert_int_equal(list->count, 8);
    assert_int_equal(list->errors, 7);
}

/* N of the path p[N]. */
static long path_number(const struct diagnostic *diagnostic) { return strtol(diagnostic->path + 2, NULL, 10); }

static void sorting_is_stable_and_again_changes_nothing(void **state) {
    struct fixture *fixture = *state;
    struct diagnostics *list = &fixture->list;
    for (int i = 0; i < 500; i++) {
        diagnostics_add(list, CODE_SYNTAX, at("a", (uint32_t)(i % 7), 1), "same")->path =
            arena_format(fixture->arena, "p[%d]", 499 - i);
    }
    for (int round = 0; round < 2; round++) {
        diagnostics_sort(list);
        assert_int_equal(list->count, 500);
        for (size_t i = 1; i < list->count; i++) {
            const struct diagnostic *a = &list->list[i - 1], *b = &list->list[i];
            assert_true(a->location.line <= b->location.line);
            if (a->location.line == b->location.line) {
                assert_int_equal(path_number(b), path_number(a) - 7);
            }
        }
    }
}

static void lists_are_appended_and_can_grow_on(void **state) {
    struct fixture *fixture = *state;
    struct diagnostics more, empty;
    diagnostics_init(&more, fixture->arena);
    diagnostics_init(&empty, fixture->arena);
    diagnostics_add(&fixture->list, CODE_SYNTAX, at("a", 1, 1), "1");
    diagnostics_add(&more, CODE_SYNTAX, at("b", 1, 1), "2");
    diagnostics_add(&more, CODE_NO_POLICIES, at(NULL, 0, 0), "3");
    diagnostics_append(&fixture->list, &more);
    diagnostics_append(&fixture->list, &empty);
    diagnostics_append(&empty, &more);
    assert_int_equal(empty.count, 2);
    diagnostics_sort(&fixture->list);
    diagnostics_add(&fixture->list, CODE_SYNTAX, at("c", 1, 1), "4");
    assert_messages(&fixture->list, (const char *const[]){"3", "1", "2", "4", NULL});
    assert_int_equal(fixture->list.errors, 3);
}

static void sorting_an_empty_list_is_allowed(void **state) {
    struct diagnostics *list = &((struct fixture *)*state)->list;
    diagnostics_sort(list);
    assert_int_equal(list->count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(added_diagnostics_have_the_codes_severity),
        TEST(severity_can_be_changed_and_is_counted),
        TEST(notes_stay_in_order),
        TEST(order_is_file_line_column_code_message),
        TEST(repetitions_are_dropped_and_uncounted),
        TEST(difference_in_anything_shown_keeps_both),
        TEST(sorting_is_stable_and_again_changes_nothing),
        TEST(lists_are_appended_and_can_grow_on),
        TEST(sorting_an_empty_list_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

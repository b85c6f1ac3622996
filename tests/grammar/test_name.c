#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grammar/name.h"

typedef enum name_fault checker(struct text name, size_t *offset);

struct name_case {
    const char *name;
    enum name_fault fault;
    size_t offset;
};

static void check_all(checker *check, const struct name_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t offset = 99999;
        enum name_fault fault = check(text_of(cases[i].name), &offset);
        if (fault != cases[i].fault || offset != cases[i].offset)
            fail_msg("%s: fault %d at %zu", cases[i].name, (int)fault, offset);
        assert_int_equal(check(text_of(cases[i].name), NULL), fault);
    }
}

#define CHECK_ALL(check, cases) check_all(check, cases, sizeof(cases) / sizeof *(cases))

static void label_name_is_one_part_of_63(void **state) {
    (void)state;
    static const struct name_case cases[] = {
        {"a", NAME_OK, 0},     {"7", NAME_OK, 0},      {"a-b--c9", NAME_OK, 0},    {"123", NAME_OK, 0},
        {"", NAME_EMPTY, 0},   {"A", NAME_CAPITAL, 0}, {"abC", NAME_CAPITAL, 2},   {"a_b", NAME_BYTE, 1},
        {"a b", NAME_BYTE, 1}, {"a\n", NAME_BYTE, 1},  {"\xc3\xa9", NAME_BYTE, 0}, {"a.b", NAME_DOT, 1},
        {"a-.b", NAME_DOT, 2}, {"-a", NAME_START, 0},  {"-", NAME_START, 0},       {"a-", NAME_END, 1},
    };
    CHECK_ALL(name_check_label, cases);
    CHECK_ALL(name_check_namespace, cases);
}

static void subdomain_name_is_parts_joined_by_dots(void **state) {
    (void)state;
    static const struct name_case cases[] = {
        {"a", NAME_OK, 0},
        {"a.b-c.7", NAME_OK, 0},
        {"", NAME_EMPTY, 0},
        {".", NAME_EMPTY_PART, 0},
        {".a", NAME_EMPTY_PART, 0},
        {"a.", NAME_EMPTY_PART, 1},
        {"a..b", NAME_EMPTY_PART, 2},
        {"a.-b", NAME_START, 2},
        {"a-.b", NAME_END, 1},
        {"a.b-", NAME_END, 3},
        {"Not A Name", NAME_CAPITAL, 0},
        {"a/b", NAME_BYTE, 1},
        {"a.B", NAME_CAPITAL, 2},
    };
    CHECK_ALL(name_check_subdomain, cases);
}

static void generated_name_may_close_with_a_hyphen(void **state) {
    (void)state;
    static const struct name_case cases[] = {
        {"job-", NAME_OK, 0}, {"job--", NAME_OK, 0},        {"job", NAME_OK, 0},     {"-", NAME_START, 0},
        {"", NAME_EMPTY, 0},  {"job.", NAME_EMPTY_PART, 3}, {"job-.a", NAME_END, 3},
    };
    CHECK_ALL(name_check_generate, cases);
}

static void name_lengths_are_judged_before_bytes(void **state) {
    (void)state;
    char name[255];
    size_t offset;
    memset(name, 'a', sizeof name);
    assert_int_equal(name_check_label((struct text){name, 63}, &offset), NAME_OK);
    assert_int_equal(name_check_subdomain((struct text){name, 253}, &offset), NAME_OK);
    name[0] = '-';
    assert_int_equal(name_check_label((struct text){name, 64}, &offset), NAME_LONG);
    assert_int_equal(offset, 63);
    assert_int_equal(name_check_subdomain((struct text){name, 254}, &offset), NAME_LONG);
    assert_int_equal(offset, 253);
}

static void name_with_a_nul_byte_is_refused(void **state) {
    (void)state;
    size_t offset;
    assert_int_equal(name_check_label((struct text){"a\0b", 3}, &offset), NAME_BYTE);
    assert_int_equal(offset, 1);
}

static void every_name_fault_has_a_text(void **state) {
    (void)state;
    for (int fault = NAME_OK; fault <= NAME_END; fault++)
        assert_non_null(name_fault_text((enum name_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_name_is_one_part_of_63),
        cmocka_unit_test(subdomain_name_is_parts_joined_by_dots),
        cmocka_unit_test(generated_name_may_close_with_a_hyphen),
        cmocka_unit_test(name_lengths_are_judged_before_bytes),
        cmocka_unit_test(name_with_a_nul_byte_is_refused),
        cmocka_unit_test(every_name_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

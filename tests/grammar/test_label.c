#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grammar/label.h"

typedef enum label_fault checker(struct text text, size_t *offset);

struct label_case {
    const char *text;
    enum label_fault fault;
    size_t offset;
};

static void check_all(checker *check, const struct label_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t offset = 99999;
        enum label_fault fault = check(text_of(cases[i].text), &offset);
        if (fault != cases[i].fault || offset != cases[i].offset)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, offset);
        assert_int_equal(check(text_of(cases[i].text), NULL), fault);
    }
}

#define CHECK_ALL(check, cases) check_all(check, cases, sizeof(cases) / sizeof *(cases))

static void label_key_is_an_optional_prefix_and_a_name(void **state) {
    (void)state;
    static const struct label_case cases[] = {
        {"egress", LABEL_OK, 0},       {"a.b/c", LABEL_OK, 0},      {"x/y_z.W", LABEL_OK, 0},
        {"a1.b2/C3", LABEL_OK, 0},     {"7", LABEL_OK, 0},          {"sandbox.namzu.ai/egress-profile", LABEL_OK, 0},
        {"", LABEL_EMPTY, 0},          {"/", LABEL_PREFIX, 0},      {"/a", LABEL_PREFIX, 0},
        {"a/", LABEL_NAME_EMPTY, 2},   {"a/b/c", LABEL_SLASHES, 3}, {"a//c", LABEL_SLASHES, 2},
        {"//", LABEL_SLASHES, 1},      {"a-", LABEL_END, 1},        {".a", LABEL_START, 0},
        {"a.", LABEL_END, 1},          {"_a", LABEL_START, 0},      {"-", LABEL_START, 0},
        {"A.b/c", LABEL_PREFIX, 0},    {"a_b/c", LABEL_PREFIX, 1},  {"-a/c", LABEL_PREFIX, 0},
        {"a..b/c", LABEL_PREFIX, 2},   {"a./c", LABEL_PREFIX, 1},   {"\xc3\xa9/c", LABEL_PREFIX, 0},
        {"c/\xc3\xa9", LABEL_BYTE, 2}, {"c/-a", LABEL_START, 2},    {"k8s:app", LABEL_BYTE, 3},
        {"a b", LABEL_BYTE, 1},
    };
    CHECK_ALL(label_key_check, cases);
}

static void label_value_may_be_empty(void **state) {
    (void)state;
    static const struct label_case cases[] = {
        {"", LABEL_OK, 0},        {"a", LABEL_OK, 0},     {"A-b_c.D9", LABEL_OK, 0}, {"-a", LABEL_START, 0},
        {"a_", LABEL_END, 1},     {"a/b", LABEL_BYTE, 1}, {"a b", LABEL_BYTE, 1},    {"\xe2\x84\xaa", LABEL_BYTE, 0},
        {"true ", LABEL_BYTE, 4},
    };
    CHECK_ALL(label_value_check, cases);
}

static void annotation_key_folds_the_case_of_its_prefix(void **state) {
    (void)state;
    static const struct label_case cases[] = {
        {"Example.COM/key", LABEL_OK, 0},
        {"Example_COM/key", LABEL_PREFIX, 7},
        {"", LABEL_EMPTY, 0},
        {"a/b/c", LABEL_SLASHES, 3},
    };
    CHECK_ALL(label_annotation_key_check, cases);
}

static void label_lengths_are_63_and_253(void **state) {
    (void)state;
    char key[400];
    size_t offset;
    memset(key, 'q', sizeof key);
    assert_int_equal(label_key_check((struct text){key, 63}, &offset), LABEL_OK);
    assert_int_equal(label_key_check((struct text){key, 64}, &offset), LABEL_LONG);
    assert_int_equal(offset, 63);
    assert_int_equal(label_value_check((struct text){key, 63}, &offset), LABEL_OK);
    assert_int_equal(label_value_check((struct text){key, 64}, &offset), LABEL_LONG);
    key[253] = '/';
    assert_int_equal(label_key_check((struct text){key, 254 + 63}, &offset), LABEL_OK);
    assert_int_equal(label_key_check((struct text){key, 254 + 64}, &offset), LABEL_LONG);
    assert_int_equal(offset, 254 + 63);
    key[253] = 'q';
    key[254] = '/';
    assert_int_equal(label_key_check((struct text){key, 256}, &offset), LABEL_PREFIX);
    assert_int_equal(offset, 253);
    assert_int_equal(label_annotation_key_check((struct text){key, 256}, &offset), LABEL_PREFIX);
}

static void label_key_splits_at_the_first_slash(void **state) {
    (void)state;
    struct label_key key = label_key_split(text_of("a.b/c"));
    assert_true(key.has_prefix);
    assert_true(text_is(key.prefix, "a.b"));
    assert_true(text_is(key.name, "c"));
    key = label_key_split(text_of("c"));
    assert_false(key.has_prefix);
    assert_true(text_is(key.prefix, ""));
    assert_true(text_is(key.name, "c"));
    key = label_key_split(text_of("/c/d"));
    assert_true(key.has_prefix);
    assert_true(text_is(key.prefix, ""));
    assert_true(text_is(key.name, "c/d"));
}

static void every_label_fault_has_a_text(void **state) {
    (void)state;
    for (int fault = LABEL_OK; fault <= LABEL_END; fault++)
        assert_non_null(label_fault_text((enum label_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_key_is_an_optional_prefix_and_a_name),  cmocka_unit_test(label_value_may_be_empty),
        cmocka_unit_test(annotation_key_folds_the_case_of_its_prefix), cmocka_unit_test(label_lengths_are_63_and_253),
        cmocka_unit_test(label_key_splits_at_the_first_slash),         cmocka_unit_test(every_label_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grammar/pattern.h"

static enum pattern_result match(const char *expression, enum pattern_anchor anchor, struct text text) {
    struct pattern *pattern = pattern_compile(text_of(expression), anchor, NULL);
    assert_non_null(pattern);
    enum pattern_result result = pattern_match(pattern, text);
    pattern_destroy(pattern);
    return result;
}

static void pattern_anchor_says_where_it_must_match(void **state) {
    (void)state;
    assert_int_equal(match("b", PATTERN_ANYWHERE, text_of("abc")), PATTERN_YES);
    assert_int_equal(match("b", PATTERN_AT_START, text_of("abc")), PATTERN_NO);
    assert_int_equal(match("a", PATTERN_AT_START, text_of("abc")), PATTERN_YES);
    assert_int_equal(match("a", PATTERN_WHOLE, text_of("abc")), PATTERN_NO);
    assert_int_equal(match("a|abc", PATTERN_WHOLE, text_of("abc")), PATTERN_YES);
    assert_int_equal(match("", PATTERN_WHOLE, text_of("")), PATTERN_YES);
    assert_int_equal(match("", PATTERN_ANYWHERE, text_of("a")), PATTERN_YES);
}

static void pattern_dollar_is_the_end_of_the_text_only(void **state) {
    (void)state;
    assert_int_equal(match("^a$", PATTERN_ANYWHERE, text_of("a\n")), PATTERN_NO);
    assert_int_equal(match("^a$", PATTERN_ANYWHERE, text_of("a")), PATTERN_YES);
}

static void pattern_reads_bytes(void **state) {
    (void)state;
    assert_int_equal(match("..", PATTERN_WHOLE, text_of("\xc3\xa9")), PATTERN_YES);
    assert_int_equal(match("a.b", PATTERN_WHOLE, (struct text){"a\0b", 3}), PATTERN_YES);
}

static void pattern_effort_is_bounded(void **state) {
    (void)state;
    char text[41];
    memset(text, 'a', 40);
    text[40] = '/';
    assert_int_equal(match("^([-a-zA-Z0-9_]+[.]?)+$", PATTERN_ANYWHERE, (struct text){text, 41}), PATTERN_LIMIT);
}

static void pattern_tells_where_an_expression_is_wrong(void **state) {
    (void)state;
    size_t offset = 0;
    assert_null(pattern_compile(text_of("ab[c"), PATTERN_ANYWHERE, &offset));
    assert_int_equal(offset, 4);
    assert_null(pattern_compile(text_of("a(b"), PATTERN_WHOLE, NULL));
    assert_null(pattern_compile(text_of("(*UTF)a"), PATTERN_WHOLE, NULL));
    char large[PATTERN_MAX_LENGTH + 1];
    memset(large, 'a', sizeof large);
    assert_null(pattern_compile((struct text){large, sizeof large}, PATTERN_WHOLE, NULL));
    memset(large, '(', 300);
    memset(large + 300, ')', 300);
    assert_null(pattern_compile((struct text){large, 600}, PATTERN_WHOLE, NULL));
    pattern_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_anchor_says_where_it_must_match),
        cmocka_unit_test(pattern_dollar_is_the_end_of_the_text_only),
        cmocka_unit_test(pattern_reads_bytes),
        cmocka_unit_test(pattern_effort_is_bounded),
        cmocka_unit_test(pattern_tells_where_an_expression_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

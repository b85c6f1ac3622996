/* Text and buffers: base/text.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "tests/arena_state.h"

static struct text with_nul(void) { return (struct text){.bytes = "a\0b", .length = 3}; }

static void text_of_nothing_is_empty(void **state) {
    (void)state;
    assert_int_equal(text_of(NULL).length, 0);
    assert_true(text_equal(text_of(NULL), text_of("")));
    assert_true(text_equal((struct text){.bytes = NULL, .length = 0}, text_of("")));
}

static void equality_is_of_all_bytes(void **state) {
    (void)state;
    assert_true(text_is(text_of("abc"), "abc"));
    assert_false(text_is(text_of("abc"), "ab"));
    assert_false(text_is(text_of("ab"), "abc"));
    assert_false(text_is(text_of("abd"), "abc"));
    assert_false(text_is(with_nul(), "a"));
}

static void order_is_by_bytes_and_shorter_first(void **state) {
    (void)state;
    static const char *const sorted[] = {"", "A", "a", "a-b", "a.b", "ab", "b", "\x7f", "\x80", "\xff"};
    for (size_t i = 0; i < sizeof sorted / sizeof sorted[0]; i++) {
        for (size_t j = 0; j < sizeof sorted / sizeof sorted[0]; j++) {
            int order = text_compare(text_of(sorted[i]), text_of(sorted[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}

static void of_strings_none_comes_before_the_empty_one(void **state) {
    (void)state;
    assert_true(string_compare(NULL, "") < 0);
    assert_true(string_compare("", NULL) > 0);
    assert_int_equal(string_compare(NULL, NULL), 0);
    assert_true(string_compare("a", "ab") < 0);
    assert_true(string_compare("b", "ab") > 0);
    assert_int_equal(string_compare("ab", "ab"), 0);
    assert_true(string_equal(NULL, NULL));
    assert_false(string_equal(NULL, ""));
    assert_true(string_equal("a", "a"));
    const char *list[] = {"b", "", "ab"};
    qsort(list, 3, sizeof *list, string_compare_at);
    assert_string_equal(list[0], "");
    assert_string_equal(list[1], "ab");
    assert_string_equal(list[2], "b");
}

static void ends_are_recognised(void **state) {
    (void)state;
    assert_true(text_starts_with(text_of("abc"), "ab"));
    assert_true(text_starts_with(text_of("abc"), ""));
    assert_false(text_starts_with(text_of("ab"), "abc"));
    assert_false(text_starts_with(text_of("xab"), "ab"));
    assert_true(text_ends_with(text_of("abc"), "bc"));
    assert_true(text_ends_with(text_of(""), ""));
    assert_false(text_ends_with(text_of("bc"), "abc"));
    assert_false(text_ends_with(text_of("abx"), "ab"));
}

static void trim_takes_blanks_at_both_ends_only(void **state) {
    (void)state;
    assert_true(text_is(text_trim(text_of(" \t\r\n\v\fa b \n")), "a b"));
    assert_true(text_is(text_trim(text_of("  \n")), ""));
    assert_true(text_is(text_trim(text_of("a")), "a"));
    assert_true(text_is(text_trim(text_of("\xC2\xA0")), "\xC2\xA0"));
}

static void hash_is_fnv_1a(void **state) {
    (void)state;
    assert_true(text_hash(text_of("")) == UINT64_C(0xcbf29ce484222325));
    assert_true(text_hash(text_of("a")) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(text_hash(text_of("foobar")) == UINT64_C(0x85944171f73967e8));
}

static void lower_case_is_ascii_only(void **state) {
    assert_string_equal(text_lower(*state, text_of("AZaz09[\xC3\x84")), "azaz09[\xC3\x84");
}

static void number_is_digits_up_to_the_maximum(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t maximum, value;
        bool good;
    } rows[] = {
        {"0", 65535, 0, true},
        {"65535", 65535, 65535, true},
        {"65536", 65535, 0, false},
        {"655350", 65535, 0, false},
        {"000080", 65535, 80, true},
        {"", 65535, 0, false},
        {"+1", 65535, 0, false},
        {"-1", 65535, 0, false},
        {" 1", 65535, 0, false},
        {"1a", 65535, 0, false},
        {"0x1", 65535, 0, false},
        {"7", 5, 0, false},
        {"0", 0, 0, true},
        {"1", 0, 0, false},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, true},
        {"18446744073709551616", UINT64_MAX, 0, false},
        {"99999999999999999999999", UINT64_MAX, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 77;
        assert_int_equal(text_number(text_of(rows[i].text), rows[i].maximum, &value), rows[i].good);
        assert_true(value == (rows[i].good ? rows[i].value : 77));
    }
}

static void nearest_is_within_a_third_of_the_length(void **state) {
    (void)state;
    static const char *const known[] = {"kind", "exceptCidrs", "allowedHosts", "engine", "to", NULL};
    assert_string_equal(text_nearest(text_of("exceptCIDRs"), known), "exceptCidrs");
    assert_string_equal(text_nearest(text_of("allowdHosts"), known), "allowedHosts");
    assert_string_equal(text_nearest(text_of("knid"), known), "kind"); /* a swap is one edit */
    assert_string_equal(text_nearest(text_of("engines"), known), "engine");
    assert_null(text_nearest(text_of("kxyd"), known));
    assert_null(text_nearest(text_of("hosts"), known));
    assert_null(text_nearest(text_of("namespace"), known));
    assert_null(text_nearest(text_of(""), known));
}

static void nearest_takes_the_first_of_the_closest(void **state) {
    (void)state;
    static const char *const known[] = {"abcdxx", "abcdex", "abcdey", NULL};
    assert_string_equal(text_nearest(text_of("abcdez"), known), "abcdex");
}

static void nearest_gives_up_on_very_long_names(void **state) {
    char *longest = arena_alloc(*state, 100001);
    memset(longest, 'a', 100000);
    const char *const known[] = {"aaaa", longest, NULL};
    assert_null(text_nearest(text_of(longest), known));
    assert_null(text_nearest(text_of("aaaaaaaaaaaa"), known));
}

static void buffer_joins_all_ways_of_adding(void **state) {
    struct buffer buffer;
    buffer_init(&buffer, *state);
    assert_string_equal(buffer_string(&buffer), "");
    buffer_add_string(&buffer, "one ");
    buffer_add(&buffer, "two!", 3);
    buffer_add_char(&buffer, ' ');
    buffer_add_text(&buffer, text_of("three"));
    buffer_print(&buffer, " %d %s", 4, "five");
    assert_string_equal(buffer_string(&buffer), "one two three 4 five");
    assert_int_equal(buffer.length, 20);
    buffer_add(&buffer, "", 0);
    assert_int_equal(buffer.length, 20);
}

static void buffer_grows_over_its_neighbours(void **state) {
    struct buffer buffers[2];
    buffer_init(&buffers[0], *state);
    buffer_init(&buffers[1], *state);
    for (int i = 0; i < 20000; i++) {
        buffer_print(&buffers[i % 2], "%05d", i);
    }
    assert_int_equal(buffers[0].length, 50000);
    const char *even = buffer_string(&buffers[0]), *odd = buffer_string(&buffers[1]);
    for (int i = 0; i < 10000; i++) {
        char expected[20];
        buffer_init(&buffers[0], *state);
        buffer_print(&buffers[0], "%05d%05d", 2 * i, 2 * i + 1);
        memcpy(expected, even + 5 * i, 5);
        memcpy(expected + 5, odd + 5 * i, 5);
        expected[10] = '\0';
        assert_string_equal(buffer_string(&buffers[0]), expected);
    }
}

static void print_into_exactly_full_buffer_is_whole(void **state) {
    for (int width = 60; width < 70; width++) {
        struct buffer buffer;
        buffer_init(&buffer, *state);
        buffer_add_char(&buffer, 'x');
        buffer_print(&buffer, "%*d", width, 8);
        assert_int_equal(buffer.length, width + 1);
        assert_int_equal(buffer_string(&buffer)[width], '8');
        assert_int_equal(strlen(buffer_string(&buffer)), width + 1);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(text_of_nothing_is_empty),
        TEST(equality_is_of_all_bytes),
        TEST(order_is_by_bytes_and_shorter_first),
        TEST(of_strings_none_comes_before_the_empty_one),
        TEST(ends_are_recognised),
        TEST(trim_takes_blanks_at_both_ends_only),
        TEST(hash_is_fnv_1a),
        TEST(lower_case_is_ascii_only),
        TEST(number_is_digits_up_to_the_maximum),
        TEST(nearest_is_within_a_third_of_the_length),
        TEST(nearest_takes_the_first_of_the_closest),
        TEST(nearest_gives_up_on_very_long_names),
        TEST(buffer_joins_all_ways_of_adding),
        TEST(buffer_grows_over_its_neighbours),
        TEST(print_into_exactly_full_buffer_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

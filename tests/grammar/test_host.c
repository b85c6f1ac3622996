#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "grammar/host.h"

struct host_case {
    const char *text;
    enum host_fault fault;
    size_t offset;
};

static void host_entry_is_judged_in_order(void **state) {
    (void)state;
    static const struct host_case cases[] = {
        {"example.com", HOST_OK, 0},
        {"a.b.c.example.com", HOST_OK, 0},
        {"localhost", HOST_OK, 0},
        {"1.example.com", HOST_OK, 0},
        {"1a", HOST_OK, 0},
        {"1.0x7f", HOST_OK, 0},
        {"a--b.example.org", HOST_OK, 0},
        {"EXAMPLE.com", HOST_OK, 0},
        {".example.com", HOST_OK, 0},
        {".example.c0m", HOST_OK, 0},
        {"", HOST_EMPTY, 0},
        {".", HOST_ONLY_DOT, 0},
        {"*", HOST_STAR, 0},
        {"*.example.com", HOST_STAR, 0},
        {"exa*mple.com", HOST_STAR, 3},
        {".*.com", HOST_STAR, 1},
        {"https://*.example.com", HOST_STAR, 8},
        {" ", HOST_NOT_NAME, 0},
        {"..", HOST_NOT_NAME, 1},
        {"..example.com", HOST_NOT_NAME, 1},
        {"example..com", HOST_NOT_NAME, 8},
        {".example.com.", HOST_NOT_NAME, 12},
        {"example.com.", HOST_NOT_NAME, 11},
        {"https://example.com", HOST_NOT_NAME, 5},
        {"example.com/", HOST_NOT_NAME, 11},
        {"example.com:443", HOST_NOT_NAME, 11},
        {"example.com?x", HOST_NOT_NAME, 11},
        {"example.com ", HOST_NOT_NAME, 11},
        {"example.com\n", HOST_NOT_NAME, 11},
        {"exam_ple.com", HOST_NOT_NAME, 4},
        {"-example.com", HOST_NOT_NAME, 0},
        {"example-.com", HOST_NOT_NAME, 7},
        {"example.com-", HOST_NOT_NAME, 11},
        {"a.-b", HOST_NOT_NAME, 2},
        {"192.0.2.1.", HOST_NOT_NAME, 9},
        {"::1", HOST_NOT_NAME, 0},
        {"[::1]", HOST_NOT_NAME, 0},
        {"\xe2\x84\xaa"
         "ey.example.com",
         HOST_NOT_NAME, 0},
        {"stra\xc3\x9f"
         "e.example.com",
         HOST_NOT_NAME, 4},
        {".com", HOST_TOP_LEVEL, 1},
        {".COM", HOST_TOP_LEVEL, 1},
        {".1", HOST_TOP_LEVEL, 1},
        {"192.0.2.1", HOST_NUMERIC, 8},
        {"1", HOST_NUMERIC, 0},
        {"123.456", HOST_NUMERIC, 4},
        {".1.2", HOST_NUMERIC, 3},
        {"example.1", HOST_NUMERIC, 8},
        {"0x7f.1", HOST_NUMERIC, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t offset = 99999;
        enum host_fault fault = host_entry_check(text_of(cases[i].text), NULL, &offset);
        if (fault != cases[i].fault || offset != cases[i].offset)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, offset);
    }
}

static void host_entry_parts_tell_dot_and_capitals(void **state) {
    (void)state;
    struct host_entry parts;
    assert_int_equal(host_entry_check(text_of(".Example.com"), &parts, NULL), HOST_OK);
    assert_true(parts.leading_dot);
    assert_true(parts.has_capitals);
    assert_true(text_is(parts.name, "Example.com"));
    assert_int_equal(host_entry_check(text_of("example.com"), &parts, NULL), HOST_OK);
    assert_false(parts.leading_dot);
    assert_false(parts.has_capitals);
    assert_true(text_is(parts.name, "example.com"));
}

/* Labels of 50 bytes, joined by dots, after a leading dot. */
static void host_name_is_at_most_253_bytes_without_the_dot(void **state) {
    (void)state;
    char entry[255];
    size_t offset;
    memset(entry, 'a', sizeof entry);
    for (size_t i = 0; i < sizeof entry; i += 51)
        entry[i] = '.';
    assert_int_equal(host_entry_check((struct text){entry, 254}, NULL, &offset), HOST_OK);
    assert_int_equal(host_entry_check((struct text){entry + 1, 253}, NULL, &offset), HOST_OK);
    assert_int_equal(host_entry_check((struct text){entry, 255}, NULL, &offset), HOST_LONG);
    assert_int_equal(offset, 254);
    assert_int_equal(host_entry_check((struct text){entry + 1, 254}, NULL, &offset), HOST_LONG);
    assert_int_equal(offset, 253);
    entry[254] = '.';
    assert_int_equal(host_entry_check((struct text){entry, 255}, NULL, &offset), HOST_NOT_NAME);
    assert_int_equal(offset, 254);
    entry[1] = '*';
    assert_int_equal(host_entry_check((struct text){entry, 255}, NULL, &offset), HOST_STAR);
    assert_int_equal(offset, 1);
}

static void host_label_is_at_most_63_bytes(void **state) {
    (void)state;
    char entry[80];
    size_t offset;
    memset(entry, 'l', 64);
    memcpy(entry + 64, ".example.com", 12);
    assert_int_equal(host_entry_check((struct text){entry, 76}, NULL, &offset), HOST_LABEL_LONG);
    assert_int_equal(offset, 63);
    assert_int_equal(host_entry_check((struct text){entry + 1, 75}, NULL, &offset), HOST_OK);
    assert_int_equal(host_name_check((struct text){entry, 76}, &offset), HOST_LABEL_LONG);
    /* Over the limits in both ways: the whole name comes first. */
    char name[254];
    memset(name, 'l', sizeof name);
    assert_int_equal(host_entry_check((struct text){name, 254}, NULL, &offset), HOST_LONG);
}

static void host_name_may_be_one_label_or_end_in_digits(void **state) {
    (void)state;
    static const struct host_case cases[] = {
        {"cluster.local", HOST_OK, 0}, {"local", HOST_OK, 0},     {"corp.7", HOST_OK, 0},
        {"Corp.Example", HOST_OK, 0},  {"", HOST_EMPTY, 0},       {".corp.example", HOST_NOT_NAME, 0},
        {"corp.", HOST_NOT_NAME, 4},   {"a_b", HOST_NOT_NAME, 1}, {"*.corp", HOST_STAR, 0},
        {".", HOST_NOT_NAME, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t offset = 99999;
        enum host_fault fault = host_name_check(text_of(cases[i].text), &offset);
        if (fault != cases[i].fault || offset != cases[i].offset)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, offset);
    }
}

static void host_lower_folds_ascii_only(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(host_lower(arena, text_of(".API.Example.COM")), ".api.example.com");
    assert_string_equal(host_lower(arena, text_of("\xc3\x89")), "\xc3\x89");
    arena_destroy(arena);
}

static void every_host_fault_has_a_text(void **state) {
    (void)state;
    for (int fault = HOST_OK; fault <= HOST_LABEL_LONG; fault++)
        assert_non_null(host_fault_text((enum host_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_entry_is_judged_in_order),
        cmocka_unit_test(host_entry_parts_tell_dot_and_capitals),
        cmocka_unit_test(host_name_is_at_most_253_bytes_without_the_dot),
        cmocka_unit_test(host_label_is_at_most_63_bytes),
        cmocka_unit_test(host_name_may_be_one_label_or_end_in_digits),
        cmocka_unit_test(host_lower_folds_ascii_only),
        cmocka_unit_test(every_host_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

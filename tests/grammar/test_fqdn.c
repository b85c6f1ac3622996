#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grammar/fqdn.h"
#include "grammar/pattern.h"
#include "random.h"

typedef enum fqdn_fault checker(struct text text, size_t *offset);

struct fqdn_case {
    const char *text;
    enum fqdn_fault fault;
    size_t offset;
};

static void check_all(checker *check, const struct fqdn_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t offset = 99999;
        enum fqdn_fault fault = check(text_of(cases[i].text), &offset);
        if (fault != cases[i].fault || offset != cases[i].offset)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, offset);
        assert_int_equal(check(text_of(cases[i].text), NULL), fault);
    }
}

#define CHECK_ALL(check, cases) check_all(check, cases, sizeof(cases) / sizeof *(cases))

static void fqdn_name_is_labels_joined_by_single_dots(void **state) {
    (void)state;
    static const struct fqdn_case cases[] = {
        {"example.com", FQDN_OK, 0},
        {"example.com.", FQDN_OK, 0},
        {"_a.-b-.C9", FQDN_OK, 0},
        {"com", FQDN_OK, 0},
        {"-", FQDN_OK, 0},
        {"192.0.2.1", FQDN_OK, 0},
        {"", FQDN_EMPTY, 0},
        {".", FQDN_EMPTY_LABEL, 0},
        {".example.com", FQDN_EMPTY_LABEL, 0},
        {"a..b", FQDN_EMPTY_LABEL, 2},
        {"a.b..", FQDN_EMPTY_LABEL, 4},
        {"*.example.com", FQDN_STAR, 0},
        {"a.*", FQDN_STAR, 2},
        {"a b", FQDN_BYTE, 1},
        {"a:443", FQDN_BYTE, 1},
        {"a/b", FQDN_BYTE, 1},
        {"a\n", FQDN_BYTE, 1},
        {"\xc3\xa9.com", FQDN_BYTE, 0},
    };
    CHECK_ALL(fqdn_check_name, cases);
}

static void fqdn_pattern_may_have_stars_anywhere(void **state) {
    (void)state;
    static const struct fqdn_case cases[] = {
        {"*", FQDN_OK, 0},
        {"**", FQDN_OK, 0},
        {"*.", FQDN_OK, 0},
        {"**.", FQDN_OK, 0},
        {"**.example.com", FQDN_OK, 0},
        {"a.**.example.com", FQDN_OK, 0},
        {"*example*.c*m.", FQDN_OK, 0},
        {"", FQDN_EMPTY, 0},
        {".*", FQDN_EMPTY_LABEL, 0},
        {"*..a", FQDN_EMPTY_LABEL, 2},
        {"*.a?", FQDN_BYTE, 3},
    };
    CHECK_ALL(fqdn_check_pattern, cases);
}

static void fqdn_server_name_may_begin_with_stars_and_a_dot(void **state) {
    (void)state;
    static const struct fqdn_case cases[] = {
        {"example.com", FQDN_OK, 0},
        {"*.example.com", FQDN_OK, 0},
        {"**.example.com", FQDN_OK, 0},
        {"**.com.", FQDN_OK, 0},
        {"", FQDN_EMPTY, 0},
        {"*.", FQDN_EMPTY, 2},
        {"*", FQDN_STAR, 0},
        {"**", FQDN_STAR, 0},
        {"***.com", FQDN_STAR, 0},
        {"*example.com", FQDN_STAR, 0},
        {"a.*.com", FQDN_STAR, 2},
        {"*.*.com", FQDN_STAR, 2},
        {"*..com", FQDN_EMPTY_LABEL, 2},
        {".com", FQDN_EMPTY_LABEL, 0},
    };
    CHECK_ALL(fqdn_check_server_name, cases);
}

static void fqdn_length_is_judged_last(void **state) {
    (void)state;
    char name[256];
    size_t offset;
    memset(name, 'a', sizeof name);
    assert_int_equal(fqdn_check_name((struct text){name, 255}, &offset), FQDN_OK);
    assert_int_equal(fqdn_check_name((struct text){name, 256}, &offset), FQDN_LONG);
    assert_int_equal(offset, 255);
    assert_int_equal(fqdn_check_pattern((struct text){name, 256}, &offset), FQDN_LONG);
    assert_int_equal(fqdn_check_server_name((struct text){name, 256}, &offset), FQDN_LONG);
    name[255] = '/';
    assert_int_equal(fqdn_check_name((struct text){name, 256}, &offset), FQDN_BYTE);
}

/* Both readings of many short texts; the published expressions backtrack, so the texts are kept short. */
static void compare(const char *published, checker *check) {
    struct pattern *pattern = pattern_compile(text_of(published), PATTERN_ANYWHERE, NULL);
    uint32_t seed = 1819;
    char bytes[9];
    size_t accepted = 0;
    assert_non_null(pattern);
    for (int round = 0; round < 60000; round++) {
        struct text text = random_text(&seed, "ab-_9..**A/", bytes, sizeof bytes);
        enum pattern_result expected = pattern_match(pattern, text);
        assert_int_not_equal(expected, PATTERN_LIMIT);
        if ((check(text, NULL) == FQDN_OK) != (expected == PATTERN_YES))
            fail_msg("%.*s is read in two ways", (int)text.length, text.bytes);
        accepted += expected == PATTERN_YES;
    }
    assert_in_range(accepted, 1000, 59000);
    pattern_destroy(pattern);
}

static void fqdn_checks_are_the_published_patterns(void **state) {
    (void)state;
    compare("^([-a-zA-Z0-9_]+[.]?)+$", fqdn_check_name);
    compare("^([-a-zA-Z0-9_*]+[.]?)+$", fqdn_check_pattern);
    compare("^(\\*?\\*\\.)?([-a-zA-Z0-9_]+\\.?)+$", fqdn_check_server_name);
}

static void every_fqdn_fault_has_a_text(void **state) {
    (void)state;
    for (int fault = FQDN_OK; fault <= FQDN_LONG; fault++)
        assert_non_null(fqdn_fault_text((enum fqdn_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fqdn_name_is_labels_joined_by_single_dots),
        cmocka_unit_test(fqdn_pattern_may_have_stars_anywhere),
        cmocka_unit_test(fqdn_server_name_may_begin_with_stars_and_a_dot),
        cmocka_unit_test(fqdn_length_is_judged_last),
        cmocka_unit_test(fqdn_checks_are_the_published_patterns),
        cmocka_unit_test(every_fqdn_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

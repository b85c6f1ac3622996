/* The table of codes: base/code.h, base/code_list.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/code.h"

static void words_are_sorted_and_unique(void **state) {
    (void)state;
    for (int i = 1; i < CODE_COUNT; i++) {
        const char *before = code_word((enum code)(i - 1)), *word = code_word((enum code)i);
        if (strcmp(before, word) >= 0) {
            fail_msg("%s stands before %s", before, word);
        }
    }
}

static void words_are_lower_case_with_inner_dashes(void **state) {
    (void)state;
    for (int i = 0; i < CODE_COUNT; i++) {
        const char *word = code_word((enum code)i);
        size_t length = strlen(word);
        assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-"), length);
        assert_true(length > 0 && word[0] != '-' && word[length - 1] != '-');
        assert_null(strstr(word, "--"));
    }
}

/* Of CODE(NAT64_OPEN, "nat64-open", ...): the name is the word, in upper case and with underscores. */
static void names_are_spelled_as_words(void **state) {
    (void)state;
    static const char *const names[] = {
#define CODE(name, word, severity, summary) #name,
#include "base/code_list.h"
#undef CODE
    };
    for (int i = 0; i < CODE_COUNT; i++) {
        const char *word = code_word((enum code)i);
        assert_int_equal(strlen(names[i]), strlen(word));
        for (size_t j = 0; word[j]; j++) {
            char upper = word[j] == '-' ? '_' : word[j] >= 'a' ? (char)(word[j] - 'a' + 'A') : word[j];
            assert_int_equal(names[i][j], upper);
        }
    }
}

static void every_word_gives_its_code(void **state) {
    (void)state;
    for (int i = 0; i < CODE_COUNT; i++) {
        enum code code = CODE_COUNT;
        assert_true(code_of_word(text_of(code_word((enum code)i)), &code));
        assert_int_equal(code, i);
    }
}

static void other_words_give_none(void **state) {
    (void)state;
    static const char *const words[] = {"", "a", "zzz", "Syntax", "syntax ", "synta", "syntaxes"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        enum code code;
        assert_false(code_of_word(text_of(words[i]), &code));
    }
}

static void codes_have_severity_and_summary(void **state) {
    (void)state;
    assert_int_equal(code_severity(CODE_POLICY_WIDENS_EGRESS), SEVERITY_ERROR);
    assert_int_equal(code_severity(CODE_CIDR_HOST_BITS), SEVERITY_WARNING);
    assert_int_equal(code_severity(CODE_NAT64_OPEN), SEVERITY_NOTE);
    assert_string_equal(severity_word(SEVERITY_ERROR), "error");
    assert_string_equal(severity_word(SEVERITY_WARNING), "warning");
    assert_string_equal(severity_word(SEVERITY_NOTE), "note");
    for (int i = 0; i < CODE_COUNT; i++) {
        const char *summary = code_summary((enum code)i);
        assert_true(strlen(summary) > 0);
        assert_null(strchr(summary, '\n'));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_sorted_and_unique), cmocka_unit_test(words_are_lower_case_with_inner_dashes),
        cmocka_unit_test(names_are_spelled_as_words),  cmocka_unit_test(every_word_gives_its_code),
        cmocka_unit_test(other_words_give_none),       cmocka_unit_test(codes_have_severity_and_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

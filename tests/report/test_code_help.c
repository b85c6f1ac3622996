/* Table of codes, pages of docs/codes/ and help say the same of the same codes: report/code_help.h, base/code_list.h. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/code_document.h"
#include "report/code_help.h"
#include "tests/arena_state.h"

#define FOLDER TEST_SOURCE_DIR "/docs/codes"
/* What a compiler must take as one string (C11 5.2.4.1). */
#define LONGEST_PAGE 4095

static void every_code_has_a_page_of_four_sections(void **state) {
    (void)state;
    static const char *const sections[] = {"\n\n## What it is\n", "\n\n## Why it matters\n", "\n\n## What to write\n",
                                           "\n\n## Source\n"};
    for (int code = 0; code < CODE_COUNT; code++) {
        const char *word = code_word((enum code)code), *page = code_document((enum code)code);
        if (!page) {
            fail_msg("docs/codes/%s.md is missing", word);
        }
        const char *title = arena_format(*state, "# %s\n", word);
        assert_memory_equal(page, title, strlen(title));
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
            const char *found = strstr(page, sections[i]);
            if (!found || found[strlen(sections[i])] == '\n' || strstr(found + 1, sections[i])) {
                fail_msg("docs/codes/%s.md: one section '%s' with a text is wanted, in order", word, sections[i] + 5);
            }
            page = found;
        }
    }
}

static void every_page_shows_an_example(void **state) {
    (void)state;
    for (int code = 0; code < CODE_COUNT; code++) {
        const char *why = strstr(code_document((enum code)code), "## Why it matters\n");
        const char *fence = strstr(why, "\n```"), *what = strstr(why, "## What to write\n");
        if (!fence || fence > what) {
            fail_msg("docs/codes/%s.md: no example says why it matters", code_word((enum code)code));
        }
    }
}

static void every_page_is_one_of_a_code(void **state) {
    (void)state;
    DIR *folder = opendir(FOLDER);
    size_t pages = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct text name = text_of(entry->d_name);
        enum code code;
        if (!text_ends_with(name, ".md")) {
            continue;
        }
        name.length -= strlen(".md");
        if (!code_of_word(name, &code)) {
            fail_msg("docs/codes/%s is the page of no code", entry->d_name);
        }
        pages++;
    }
    closedir(folder);
    assert_int_equal(pages, CODE_COUNT);
}

static void pages_in_the_program_are_those_in_the_folder(void **state) {
    static char bytes[LONGEST_PAGE + 2];
    for (int code = 0; code < CODE_COUNT; code++) {
        FILE *file = fopen(arena_format(*state, FOLDER "/%s.md", code_word((enum code)code)), "rb");
        assert_non_null(file);
        size_t length = fread(bytes, 1, sizeof bytes - 1, file);
        fclose(file);
        bytes[length] = '\0';
        assert_in_range(length, 1, LONGEST_PAGE);
        assert_string_equal(code_document((enum code)code), bytes);
    }
}

static void help_is_the_page_without_marks(void **state) {
    struct buffer help;
    buffer_init(&help, *state);
    code_help_write(&help, CODE_OR_FOR_AND);
    const char *text = buffer_string(&help);
    assert_memory_equal(text, "What it is\nOne `to` list", strlen("What it is\nOne `to` list"));
    assert_non_null(strstr(text, "\n\nWhy it matters\n"));
    assert_non_null(strstr(text, "\n    to:\n      - namespaceSelector:\n"));
    for (int code = 0; code < CODE_COUNT; code++) {
        help.length = 0;
        code_help_write(&help, (enum code)code);
        assert_null(strstr(buffer_string(&help), "```"));
        assert_null(strstr(buffer_string(&help), "## "));
    }
}

static void meaning_is_one_line_that_ends_a_sentence(void **state) {
    for (int code = 0; code < CODE_COUNT; code++) {
        const char *meaning = code_help_meaning((enum code)code, *state);
        const char *sentence = code_help_sentence((enum code)code, *state);
        assert_null(strchr(meaning, '\n'));
        if (!strchr(".!?)", meaning[strlen(meaning) - 1])) {
            fail_msg("docs/codes/%s.md: '%s' ends no sentence", code_word((enum code)code), meaning);
        }
        assert_true(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ`", sentence[0]) || strncmp(sentence, "DNS", 3) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_code_has_a_page_of_four_sections, begin, end),
        cmocka_unit_test(every_page_shows_an_example),
        cmocka_unit_test(every_page_is_one_of_a_code),
        cmocka_unit_test_setup_teardown(pages_in_the_program_are_those_in_the_folder, begin, end),
        cmocka_unit_test_setup_teardown(help_is_the_page_without_marks, begin, end),
        cmocka_unit_test_setup_teardown(meaning_is_one_line_that_ends_a_sentence, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

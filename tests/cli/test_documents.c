/*
 * Manual and completions: they name the options of the table, command by command, and stand in the repository as the
 * program prints them (the build target `documents` writes them anew).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "tests/arena_state.h"

static bool is_there(size_t command) { return command_table[command].run != NULL; }

static bool belongs_to(const struct option_row *row, size_t command) { return (row->commands >> command & 1u) != 0; }

static const char *manual_of(struct arena *arena) {
    struct buffer manual;
    buffer_init(&manual, arena);
    manual_write(&manual);
    return buffer_string(&manual);
}

static const char *completion_of(struct arena *arena, enum completion_shell shell) {
    struct buffer script;
    buffer_init(&script, arena);
    completion_write(&script, shell);
    return buffer_string(&script);
}

/* The text from `from` on up to `to`, NUL-terminated; fails where either is missing. */
static const char *part_of(struct arena *arena, const char *text, const char *from, const char *to) {
    const char *start = strstr(text, from);
    if (!start) {
        fail_msg("there is no '%s'", from);
    }
    const char *stop = strstr(start + strlen(from), to);
    if (!stop) {
        fail_msg("nothing ends what begins with '%s'", from);
    }
    return arena_copy(arena, start, (size_t)(stop - start));
}

/* A name as the manual spells it: each dash is a minus. */
static const char *roff_of(struct arena *arena, const char *name) {
    struct buffer out;
    buffer_init(&out, arena);
    for (; *name; name++) {
        buffer_add_string(&out, *name == '-' ? "\\" : "");
        buffer_add_char(&out, *name);
    }
    return buffer_string(&out);
}

static void assert_names(const char *text, const char *spelled, bool expected, const char *what) {
    if ((strstr(text, spelled) != NULL) != expected) {
        fail_msg("%s: '%s' is %s", what, spelled, expected ? "missing" : "not an option of it");
    }
}

static void manual_describes_each_option_once_in_order(void **state) {
    const char *options = part_of(*state, manual_of(*state), ".SH OPTIONS\n", ".SH ");
    size_t row = 0;
    for (const char *at = options; (at = strstr(at, ".TP\n")) != NULL; row++) {
        at += strlen(".TP\n");
        assert_true(row < option_count);
        const char *tag = arena_format(*state, "\\fB\\-\\-%s\\fR%s", roff_of(*state, option_table[row].name),
                                       option_table[row].argument ? " \\fI" : "\n");
        assert_memory_equal(at, tag, strlen(tag));
    }
    assert_int_equal(row, option_count);
}

static void manual_names_the_options_of_each_command(void **state) {
    const char *manual = manual_of(*state);
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        const char *tag = arena_format(*state, ".TP\n\\fB%s\\fR\negressc ", command_table[id].name);
        if (!is_there(id)) {
            assert_null(strstr(manual, tag));
            continue;
        }
        const char *list = part_of(*state, manual, tag, "\\fR.\n");
        list = arena_format(*state, "%s\\fR", strstr(list, "Options: "));
        for (size_t i = 0; i < option_count; i++) {
            const char *name = arena_format(*state, "\\fB\\-\\-%s\\fR", roff_of(*state, option_table[i].name));
            assert_names(list, name, belongs_to(&option_table[i], id), command_table[id].name);
        }
    }
}

static void manual_lists_formats_and_codes(void **state) {
    const char *manual = manual_of(*state);
    for (size_t i = 0; i < REPORT_FORMAT_COUNT; i++) {
        assert_non_null(strstr(manual, arena_format(*state, ".TP\n\\fB%s\\fR\n", report_format_words[i])));
    }
    for (size_t i = 0; i < CODE_COUNT; i++) {
        const char *word = roff_of(*state, code_word((enum code)i));
        assert_non_null(strstr(manual, arena_format(*state, ".TP\n\\fB%s\\fR\n", word)));
    }
}

static void bash_offers_the_options_of_each_command(void **state) {
    const char *script = completion_of(*state, COMPLETION_BASH);
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        if (!is_there(id)) {
            continue;
        }
        const char *from = arena_format(*state, "\n    %s)\n        options='", command_table[id].name);
        const char *list = part_of(*state, script, from, "'\n");
        list = arena_format(*state, " %s ", list + strlen(from));
        for (size_t i = 0; i < option_count; i++) {
            const char *name = arena_format(*state, " --%s ", option_table[i].name);
            assert_names(list, name, belongs_to(&option_table[i], id), command_table[id].name);
        }
    }
    for (size_t i = 0; i < option_count; i++) {
        const char *value = arena_format(*state, "\n    --%s) ", option_table[i].name);
        assert_names(script, value, option_table[i].kind != OPTION_FLAG, "values");
    }
}

static void fish_offers_the_options_of_each_command(void **state) {
    const char *script = completion_of(*state, COMPLETION_FISH);
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        for (size_t i = 0; i < option_count; i++) {
            const char *line = arena_format(*state, "\ncomplete -c egressc -n '__fish_seen_subcommand_from %s' -l %s ",
                                            command_table[id].name, option_table[i].name);
            assert_names(script, line, is_there(id) && belongs_to(&option_table[i], id), command_table[id].name);
        }
    }
}

static void zsh_offers_the_options_of_each_command(void **state) {
    const char *script = completion_of(*state, COMPLETION_ZSH);
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        if (!is_there(id)) {
            continue;
        }
        const char *part = part_of(*state, script, arena_format(*state, "\n  %s)\n", command_table[id].name), ";;\n");
        for (size_t i = 0; i < option_count; i++) {
            const char *name =
                arena_format(*state, "--%s%s[", option_table[i].name, option_table[i].kind == OPTION_FLAG ? "" : "=");
            assert_names(part, name, belongs_to(&option_table[i], id), command_table[id].name);
        }
    }
}

static void assert_file(struct arena *arena, const char *path, const char *expected) {
    size_t room = strlen(expected) + 2;
    char *bytes = arena_alloc(arena, room + 1);
    FILE *file = fopen(arena_format(arena, "%s/%s", TEST_SOURCE_DIR, path), "rb");
    if (!file) {
        fail_msg("%s is missing: build the target `documents`", path);
    }
    size_t length = fread(bytes, 1, room, file);
    fclose(file);
    if (length != strlen(expected) || memcmp(bytes, expected, length) != 0) {
        fail_msg("%s is not what the program prints: build the target `documents`", path);
    }
}

static void documents_are_as_the_program_prints_them(void **state) {
    assert_file(*state, "docs/egressc.1", manual_of(*state));
    assert_file(*state, "completions/egressc.bash", completion_of(*state, COMPLETION_BASH));
    assert_file(*state, "completions/egressc.fish", completion_of(*state, COMPLETION_FISH));
    assert_file(*state, "completions/_egressc", completion_of(*state, COMPLETION_ZSH));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(manual_describes_each_option_once_in_order, begin, end),
        cmocka_unit_test_setup_teardown(manual_names_the_options_of_each_command, begin, end),
        cmocka_unit_test_setup_teardown(manual_lists_formats_and_codes, begin, end),
        cmocka_unit_test_setup_teardown(bash_offers_the_options_of_each_command, begin, end),
        cmocka_unit_test_setup_teardown(fish_offers_the_options_of_each_command, begin, end),
        cmocka_unit_test_setup_teardown(zsh_offers_the_options_of_each_command, begin, end),
        cmocka_unit_test_setup_teardown(documents_are_as_the_program_prints_them, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "cli/help.h"
#include "tests/arena_state.h"

/* The name of the option that a line of help begins with, or an empty text. */
static struct text option_of_line(const char *line) {
    if (strncmp(line, "  --", 4) != 0) {
        return text_of("");
    }
    return (struct text){.bytes = line + 4, .length = strcspn(line + 4, " \n")};
}

static void help_names_the_options_of_the_table_in_order(void **state) {
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        struct buffer help;
        buffer_init(&help, *state);
        help_write_command(&help, &command_table[id]);
        size_t row = 0;
        for (const char *line = buffer_string(&help); line; line = strchr(line, '\n')) {
            line += *line == '\n';
            struct text name = option_of_line(line);
            if (name.length == 0) {
                continue;
            }
            while (row < option_count && !(option_table[row].commands >> id & 1u)) {
                row++;
            }
            assert_true(row < option_count);
            assert_true(text_is(name, option_table[row++].name));
        }
        while (row < option_count) {
            assert_false(option_table[row++].commands >> id & 1u);
        }
    }
}

static void help_fits_a_hundred_columns(void **state) {
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        struct buffer help;
        buffer_init(&help, *state);
        help_write_commands(&help);
        help_write_command(&help, &command_table[id]);
        for (const char *line = buffer_string(&help); *line; line += line[0] == '\n') {
            size_t length = strcspn(line, "\n");
            assert_true(length <= 100);
            assert_true(length == 0 || line[length - 1] != ' ');
            line += length;
        }
    }
}

static void help_lists_the_commands_that_are_there(void **state) {
    struct buffer help;
    buffer_init(&help, *state);
    help_write_commands(&help);
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        const struct command *command = &command_table[id];
        const char *row = arena_format(*state, "\n  %-10s %s\n", command->name, command->summary);
        assert_int_equal(strstr(buffer_string(&help), row) != NULL, command->run != NULL);
        assert_true(id == 0 || strcmp(command_table[id - 1].name, command->name) < 0);
    }
}

static void help_of_a_command_has_this_form(void **state) {
    struct buffer help;
    buffer_init(&help, *state);
    help_write_command(&help, &command_table[COMMAND_VERSION]);
    assert_string_equal(buffer_string(&help), "Usage: egressc version\n\n"
                                              "Print the version.\n\n"
                                              "Options:\n"
                                              "  --help                      print this help\n\n"
                                              "Exit status:\n"
                                              "  0  all is well\n"
                                              "  2  the command could not do its work\n");
}

static void help_knows_every_code(void **state) {
    for (size_t i = 0; i < CODE_COUNT; i++) {
        const char *word = code_word((enum code)i);
        struct buffer out, err;
        buffer_init(&out, *state);
        buffer_init(&err, *state);
        const struct options options = options_default();
        const struct command_context context = {.arena = *state,
                                                .options = &options,
                                                .command = &command_table[COMMAND_HELP],
                                                .inputs = (const char *const[]){word, NULL},
                                                .input_count = 1,
                                                .out = &out,
                                                .err = &err};
        assert_int_equal(command_help(&context), EXIT_WELL);
        const char *expected = arena_format(*state, "%s (%s): %s\n\nWhat it is\n", word,
                                            severity_word(code_severity((enum code)i)), code_summary((enum code)i));
        assert_memory_equal(buffer_string(&out), expected, strlen(expected));
        assert_non_null(strstr(buffer_string(&out), "\n\nWhy it matters\n"));
        assert_non_null(strstr(buffer_string(&out), "\n\nWhat to write\n"));
        assert_non_null(strstr(buffer_string(&out), "\n\nSource\n"));
        assert_int_equal(err.length, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(help_names_the_options_of_the_table_in_order, begin, end),
        cmocka_unit_test_setup_teardown(help_fits_a_hundred_columns, begin, end),
        cmocka_unit_test_setup_teardown(help_lists_the_commands_that_are_there, begin, end),
        cmocka_unit_test_setup_teardown(help_of_a_command_has_this_form, begin, end),
        cmocka_unit_test_setup_teardown(help_knows_every_code, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

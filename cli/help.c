#include "cli/help.h"

#include <string.h>

#include "cli/completion.h"
#include "cli/manual.h"
#include "report/code_help.h"

enum { LINE = 100, MARGIN = 30 };

void help_write_commands(struct buffer *out) {
    buffer_add_string(out,
                      "egressc: what pods of a Kubernetes cluster may reach, decided from files\n\n"
                      "Usage: egressc COMMAND [OPTIONS] [INPUT...]\n\n"
                      "An input is a file, a directory (its .yaml, .yml and .json files), or - for standard input.\n"
                      "Nothing opens a socket.\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run) {
            buffer_print(out, "  %-10s %s\n", command_table[i].name, command_table[i].summary);
        }
    }
    buffer_add_string(out,
                      "\n'egressc help COMMAND' tells of a command's options, 'egressc help CODE' what a code of a\n"
                      "report means.\n\n"
                      "Exit status: 0, all is well; 1, what was read is refused or has findings; 2, the command\n"
                      "could not do its work.\n");
}

/* Words from column MARGIN on, in lines of at most LINE bytes; the line stands at `column` when this begins. */
static void write_wrapped(struct buffer *out, const char *words, size_t column) {
    while (*words) {
        size_t length = strcspn(words, " ");
        if (column > MARGIN && column + 1 + length > LINE) {
            buffer_print(out, "\n%*s", MARGIN, "");
            column = MARGIN;
        } else if (column > MARGIN) {
            buffer_add_char(out, ' ');
            column++;
        }
        buffer_add(out, words, length);
        column += length;
        words += length + strspn(words + length, " ");
    }
    buffer_add_char(out, '\n');
}

const char *help_option_sentence(const struct option_row *row, struct arena *arena) {
    struct buffer sentence;
    buffer_init(&sentence, arena);
    buffer_add_string(&sentence, row->help);
    for (size_t i = 0; row->words && row->words[i]; i++) {
        buffer_add_string(&sentence, i == 0 ? ": " : row->words[i + 1] ? ", " : " or ");
        buffer_add_string(&sentence, row->words[i]);
    }
    return buffer_string(&sentence);
}

static void write_option(struct buffer *out, const struct option_row *row) {
    size_t start = out->length;
    buffer_print(out, "  --%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
    size_t column = out->length - start;
    if (column + 1 > MARGIN) {
        buffer_add_char(out, '\n');
        column = 0;
    }
    buffer_print(out, "%*s", (int)(MARGIN - column), "");
    write_wrapped(out, help_option_sentence(row, out->arena), MARGIN);
}

void help_write_command(struct buffer *out, const struct command *command) {
    enum command_id id = (enum command_id)(command - command_table);
    buffer_print(out, "Usage: egressc %s%s%s\n\n%c%s.\n\nOptions:\n", command->name, command->usage[0] ? " " : "",
                 command->usage, command->summary[0] - 'a' + 'A', command->summary + 1);
    for (size_t i = 0; i < option_count; i++) {
        if (option_table[i].commands >> id & 1u) {
            write_option(out, &option_table[i]);
        }
    }
    buffer_add_string(out, "\nExit status:\n  0  all is well\n");
    if (command->fails) {
        buffer_print(out, "  1  %s\n", command->fails);
    }
    buffer_add_string(out, "  2  the command could not do its work\n");
}

void help_write_code(struct buffer *out, enum code code) {
    buffer_print(out, "%s (%s): %s\n\n", code_word(code), severity_word(code_severity(code)), code_summary(code));
    code_help_write(out, code);
}

/* The nearest of all commands and codes. */
static const char *nearest_topic(struct arena *arena, struct text word) {
    const char *const *commands = command_names(arena);
    const char **topics = arena_array(arena, COMMAND_COUNT + CODE_COUNT + 1, sizeof *topics);
    size_t count = 0;
    while (commands[count]) {
        topics[count] = commands[count];
        count++;
    }
    for (size_t i = 0; i < CODE_COUNT; i++) {
        topics[count++] = code_word((enum code)i);
    }
    return text_nearest(word, topics);
}

/* The page or script that an option asks for; false: none does. */
static bool write_document(const struct command_context *context) {
    const struct options *options = context->options;
    if (options->manual) {
        manual_write(context->out);
    } else if (options->completion < COMPLETION_COUNT) {
        completion_write(context->out, (enum completion_shell)options->completion);
    } else {
        return false;
    }
    return true;
}

enum exit_status command_help(const struct command_context *context) {
    if (write_document(context)) {
        return EXIT_WELL;
    }
    if (context->input_count == 0) {
        help_write_commands(context->out);
        return EXIT_WELL;
    }
    struct text word = text_of(context->inputs[0]);
    const struct command *command = command_find(word);
    enum code code;
    if (command) {
        help_write_command(context->out, command);
    } else if (code_of_word(word, &code)) {
        help_write_code(context->out, code);
    } else {
        const char *nearest = nearest_topic(context->arena, word);
        return nearest ? command_misuse(context, "there is no command or code '%s'; did you mean '%s'?", word.bytes,
                                        nearest)
                       : command_misuse(context, "there is no command or code '%s'", word.bytes);
    }
    return EXIT_WELL;
}

#include "cli/command.h"

#include <stdarg.h>

#include "report/paint.h"

const struct command command_table[COMMAND_COUNT] = {
    [COMMAND_COMPILE] = {.name = "compile",
                         .summary = "print the policy objects that a config compiles to",
                         .usage = "--config FILE [OPTIONS]",
                         .fails = "a config is refused; with --check, a file differs",
                         .run = command_compile},
    [COMMAND_EXPLAIN] = {.name = "explain",
                         .summary = "say whether a pod may send a flow, and by which rules",
                         .usage = "(--pod NS/NAME | --labels KEY=VALUE,...) --to DEST [OPTIONS] INPUT...",
                         .fails = "the answer is not the one of --expect, or what was read has errors",
                         .fewest = 1,
                         .most = SIZE_MAX,
                         .run = command_explain},
    [COMMAND_HELP] = {.name = "help",
                      .summary = "print help on egressc, a command or a code",
                      .usage = "[COMMAND|CODE]",
                      .most = 1,
                      .run = command_help},
    [COMMAND_LINT] = {.name = "lint",
                      .summary = "say what is wrong with the policies themselves",
                      .usage = "[OPTIONS] INPUT...",
                      .fails = "there is an error among the findings; with --strict, a warning",
                      .fewest = 1,
                      .most = SIZE_MAX,
                      .run = command_lint},
    [COMMAND_VERIFY] = {.name = "verify",
                        .summary = "decide whether the policies of the inputs hold pods to a config",
                        .usage = "--config FILE [OPTIONS] INPUT...",
                        .fails = "a boundary is refused, or what was read has errors",
                        .fewest = 1,
                        .most = SIZE_MAX,
                        .run = command_verify},
    [COMMAND_VERSION] = {.name = "version", .summary = "print the version", .usage = "", .run = command_version},
};

const struct command *command_find(struct text word) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run && text_is(word, command_table[i].name)) {
            return &command_table[i];
        }
    }
    return NULL;
}

const char *const *command_names(struct arena *arena) {
    const char **names = arena_array(arena, COMMAND_COUNT + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run) {
            names[count++] = command_table[i].name;
        }
    }
    return names;
}

enum exit_status command_misuse(const struct command_context *context, const char *format, ...) {
    struct buffer problem;
    buffer_init(&problem, context->arena);
    va_list arguments;
    va_start(arguments, format);
    buffer_vprint(&problem, format, arguments);
    va_end(arguments);
    const char *name = context->command ? context->command->name : "";
    const char *space = name[0] ? " " : "";
    buffer_print(context->err, "egressc%s%s: ", space, name);
    paint_escaped(context->err, buffer_string(&problem));
    char last = problem.bytes[problem.length - 1];
    const char *stop = last == '?' || last == '.' ? "" : ".";
    buffer_print(context->err, "%s See 'egressc help%s%s'.\n", stop, space, name);
    return EXIT_TROUBLE;
}

struct report_options command_report_options(const struct command_context *context) {
    const struct options *options = context->options;
    return (struct report_options){.color = context->color_out && !options->output,
                                   .quiet = options->quiet,
                                   .all = options->all,
                                   .strict = options->strict};
}

void command_print_diagnostics(const struct command_context *context, const struct diagnostics *diagnostics) {
    struct report_options options = {.color = context->color_err, .quiet = context->options->quiet};
    report_write_diagnostics(context->err, diagnostics->list, diagnostics->count, &options);
}

enum exit_status command_status_of(const struct command_context *context, const struct diagnostic_list *list) {
    bool fails = false;
    for (size_t i = 0; i < list->count; i++) {
        enum severity severity = list->list[i].severity;
        fails = fails || severity == SEVERITY_ERROR || (context->options->strict && severity == SEVERITY_WARNING);
    }
    return fails ? EXIT_REFUSED : EXIT_WELL;
}

enum exit_status command_status(const struct command_context *context, const struct diagnostics *diagnostics) {
    return command_status_of(context, &(struct diagnostic_list){diagnostics->list, diagnostics->count});
}

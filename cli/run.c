#include "cli/run.h"

#include <errno.h>
#include <string.h>

#include "cli/help.h"
#include "cli/sink.h"
#include "report/paint.h"

static enum exit_status refuse_command(const struct command_context *context, const char *word) {
    const char *nearest = text_nearest(text_of(word), command_names(context->arena));
    return nearest ? command_misuse(context, "there is no command '%s'; did you mean '%s'?", word, nearest)
                   : command_misuse(context, "there is no command '%s'", word);
}

/* `--help` and `--version` are what people try first. */
static const char *spelled_command(const char *word) {
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return "help";
    }
    return strcmp(word, "--version") == 0 ? "version" : word;
}

static enum exit_status check_count(const struct command_context *context) {
    const struct command *command = context->command;
    if (context->input_count < command->fewest) {
        return command_misuse(context, "it needs an input: a file, a directory, or - for standard input");
    }
    if (context->input_count > command->most) {
        return command_misuse(context, "there is no use for '%s'", context->inputs[command->most]);
    }
    return EXIT_WELL;
}

static enum exit_status run_command(struct command_context *context, struct options *options,
                                    const char *const *arguments, size_t count) {
    struct option_list positionals = {0};
    struct buffer problem;
    buffer_init(&problem, context->arena);
    enum command_id id = (enum command_id)(context->command - command_table);
    if (!options_parse(id, arguments, count, context->arena, options, &positionals, &problem)) {
        return command_misuse(context, "%s", buffer_string(&problem));
    }
    if (options->help) {
        help_write_command(context->out, context->command);
        return EXIT_WELL;
    }
    static const char *const none[] = {NULL};
    context->inputs = positionals.count > 0 ? positionals.list : none;
    context->input_count = positionals.count;
    enum exit_status status = check_count(context);
    return status == EXIT_WELL ? context->command->run(context) : status;
}

static enum exit_status run_word(struct command_context *context, struct options *options, const char *const *arguments,
                                 size_t count) {
    if (count == 0) {
        return command_misuse(context, "there is no command");
    }
    const char *word = spelled_command(arguments[0]);
    context->command = command_find(text_of(word));
    if (!context->command) {
        return refuse_command(context, word);
    }
    return run_command(context, options, arguments + 1, count - 1);
}

/* The one place where write errors are seen. What a command printed before it gave up is not lost, except that a file is
 * not replaced by what a command that could not do its work has left. */
static enum exit_status write_results(const struct command_context *context, int descriptor, enum exit_status status) {
    const char *output = context->options->output;
    struct text bytes = {.bytes = context->out->bytes, .length = context->out->length};
    if (output && status == EXIT_TROUBLE) {
        return status;
    }
    bool written = output ? sink_write_file(output, bytes, context->arena) : sink_write(descriptor, bytes);
    if (written) {
        return status;
    }
    const char *why = strerror(errno);
    buffer_add_string(context->err, "egressc: cannot write ");
    paint_escaped(context->err, output ? output : "standard output");
    buffer_print(context->err, ": %s\n", why);
    return EXIT_TROUBLE;
}

enum exit_status run_arguments(const char *const *arguments, size_t count, const struct run_sinks *sinks) {
    struct arena *arena = arena_create();
    struct options options = options_default();
    struct buffer out, err;
    buffer_init(&out, arena);
    buffer_init(&err, arena);
    struct command_context context = {.arena = arena,
                                      .options = &options,
                                      .out = &out,
                                      .err = &err,
                                      .color_out = sinks->color_out,
                                      .color_err = sinks->color_err};
    enum exit_status status = run_word(&context, &options, arguments, count);
    status = write_results(&context, sinks->out, status);
    sink_write(sinks->err, (struct text){.bytes = err.bytes, .length = err.length});
    arena_destroy(arena);
    return status;
}

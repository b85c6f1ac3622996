/*
 * Commands: one row each, and what a running command gets (spec/cli.md).
 *
 * A command appends its result to `out` and diagnostics to `err` and returns an exit status; writing both out, to
 * standard output or the file of --output, and seeing to write errors is the frame's part (cli/run.c).
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/text.h"
#include "cli/options.h"
#include "report/writer.h"

enum exit_status {
    EXIT_WELL,    /* all is well */
    EXIT_REFUSED, /* what was read is refused or has findings */
    EXIT_TROUBLE  /* the command could not do its work: bad usage, a named file that cannot be read, no memory */
};

struct command_context {
    struct arena *arena;
    const struct command *command;
    const struct options *options;
    const char *const *inputs; /* positional arguments, ends with NULL */
    size_t input_count;
    struct buffer *out;        /* results */
    struct buffer *err;        /* diagnostics */
    bool color_out, color_err; /* the sinks are terminals, and NO_COLOR is not set */
};

/* A row whose `run` is NULL is a command that is not there yet: it is neither found nor in the help. */
struct command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    const char *usage;   /* what follows the command's name */
    const char *fails;   /* when the exit status is 1: "a config is refused"; NULL: never */
    size_t fewest, most; /* positional arguments */
    enum exit_status (*run)(const struct command_context *context);
};

/* By enum command_id, which is in order of names. */
extern const struct command command_table[COMMAND_COUNT];

/* The command of that word; NULL: there is none. */
const struct command *command_find(struct text word);
/* The names of the commands that are there, ending with NULL. */
const char *const *command_names(struct arena *arena);

enum exit_status command_compile(const struct command_context *context);
enum exit_status command_explain(const struct command_context *context);
enum exit_status command_help(const struct command_context *context);
enum exit_status command_lint(const struct command_context *context);
enum exit_status command_verify(const struct command_context *context);
enum exit_status command_version(const struct command_context *context);

/* One line on `err`: "egressc COMMAND: PROBLEM. See 'egressc help COMMAND'.". Returns EXIT_TROUBLE. Without a command the
 * line speaks of egressc as a whole. */
enum exit_status command_misuse(const struct command_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What the command line says of reports on standard output. */
struct report_options command_report_options(const struct command_context *context);

/* Prints diagnostics on `err` as --quiet says, in the order of the list; sort them first. */
void command_print_diagnostics(const struct command_context *context, const struct diagnostics *diagnostics);

/* EXIT_REFUSED where there is an error, or with --strict a warning; else EXIT_WELL. */
enum exit_status command_status_of(const struct command_context *context, const struct diagnostic_list *list);
enum exit_status command_status(const struct command_context *context, const struct diagnostics *diagnostics);

#endif

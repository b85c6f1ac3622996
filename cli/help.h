/*
 * Help: made from the tables of commands, options and codes alone.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/* The list of commands. */
void help_write_commands(struct buffer *out);

/* Usage, options and exit statuses of a command. */
void help_write_command(struct buffer *out, const struct command *command);

/* What an option does, with the words that it takes: "... (default: yaml): yaml or json". */
const char *help_option_sentence(const struct option_row *row, struct arena *arena);

/* A code, its severity, its summary and its page of docs/codes/. */
void help_write_code(struct buffer *out, enum code code);

#endif

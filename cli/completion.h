/*
 * Completions: what a shell offers behind `egressc`, made from the tables of commands, options and codes.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "base/text.h"

enum completion_shell { COMPLETION_BASH, COMPLETION_FISH, COMPLETION_ZSH, COMPLETION_COUNT };

/* The words of --completion, by enum, ending with NULL. */
extern const char *const completion_words[COMPLETION_COUNT + 1];

/* The script that the shell reads. The folder completions/ holds what this writes. */
void completion_write(struct buffer *out, enum completion_shell shell);

#endif

/*
 * Fixes of `lint`, put into files or shown as diffs.
 */
#ifndef CLI_LINT_FIX_H
#define CLI_LINT_FIX_H

#include "analyzer/lint/lint.h"
#include "cli/command.h"

/* Writes each file that has fixes anew, or with --diff appends how it would change to `out`. A file that is not as it was
 * read is left alone, and told on `err`. *mended: how many fixes were put in. EXIT_TROUBLE: a file cannot be written. */
enum exit_status lint_mend(const struct command_context *context, const struct lint_result *result, size_t *mended);

#endif

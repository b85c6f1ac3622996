/*
 * What a code means, at length: the pages of docs/codes/ as the program holds them. The build makes them part of it, so
 * that `egressc help CODE`, the rules of a SARIF report and the manual say the same.
 */
#ifndef REPORT_CODE_HELP_H
#define REPORT_CODE_HELP_H

#include "base/code.h"

struct arena;

/* The page without its title: Markdown, sections "What it is", "Why it matters", "What to write" and "Source". Without a
 * page, the summary. */
const char *code_help_markdown(enum code code);

/* The same as plain text: headings without marks, examples indented. */
void code_help_write(struct buffer *out, enum code code);

/* The table's summary as a sentence. */
const char *code_help_sentence(enum code code, struct arena *arena);

/* The text of "What it is", on one line; without a page, the sentence. */
const char *code_help_meaning(enum code code, struct arena *arena);

#endif

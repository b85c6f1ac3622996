/*
 * Paint: text that is safe on a terminal, in colour where that is wanted.
 *
 * Names and messages may come from hostile input: control characters and the marks that turn the direction of writing
 * are shown as escapes, so that no input can forge a line of a report or drive a terminal.
 */
#ifndef REPORT_PAINT_H
#define REPORT_PAINT_H

#include "report/writer.h"

enum paint { PAINT_PLACE, PAINT_ERROR, PAINT_WARNING, PAINT_NOTE, PAINT_PASS, PAINT_CARET, PAINT_COUNT };

static inline enum paint paint_of_severity(enum severity severity) {
    return severity == SEVERITY_ERROR ? PAINT_ERROR : severity == SEVERITY_WARNING ? PAINT_WARNING : PAINT_NOTE;
}

/* What follows is in that colour until paint_end. Nothing where colours are off. */
void paint_begin(struct buffer *out, const struct report_options *options, enum paint paint);
void paint_end(struct buffer *out, const struct report_options *options);

/* A string in that colour; the string is the program's own and is not escaped. */
void paint_string(struct buffer *out, const struct report_options *options, enum paint paint, const char *string);

/* Text with what a terminal would obey shown as escapes; NULL gives nothing. */
void paint_escaped(struct buffer *out, const char *string);
void paint_escaped_text(struct buffer *out, struct text text);

/* "FILE:LINE:COLUMN: " in the colour of places; nothing without a file. */
void paint_place(struct buffer *out, const struct report_options *options, const struct location *location);

#endif

/*
 * Writers: a decision or an explanation as bytes, one writer a format (spec/cli.md).
 *
 * Each is a pure function of a const model and small options: it sorts nothing, decides nothing, and neither clock,
 * locale nor terminal reaches the bytes. Output is appended to a buffer; who owns the buffer writes it out and sees to
 * write errors.
 */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include <stdbool.h>

#include "analyzer/decision.h"
#include "analyzer/explanation.h"
#include "base/text.h"

enum report_format {
    REPORT_TEXT,
    REPORT_JSON,
    REPORT_SARIF,
    REPORT_JUNIT,
    REPORT_GITHUB,
    REPORT_MARKDOWN,
    REPORT_FORMAT_COUNT
};

/* The words of --report, by enum, ending with NULL. */
extern const char *const report_format_words[REPORT_FORMAT_COUNT + 1];

struct report_options {
    bool color;      /* text: escape sequences of a terminal */
    bool quiet;      /* errors only (JSON: everything) */
    bool all;        /* text: policies that do not select are shown one by one where the model lists them; SARIF: also
                        findings that are not told */
    bool strict;     /* JUnit: warnings fail too */
    bool unexpected; /* of an explanation: the answer is not the one that was asked for (--expect), which SARIF, JUnit,
                        annotations and Markdown show as a finding */
};

/* `egressc.report/1`, text for a reviewer, or findings in a format of CI (report/finding_writer.h). */
void report_write_decision(struct buffer *out, const struct decision *decision, enum report_format format,
                           const struct report_options *options);

/* `egressc.explain/1`, text, or findings. */
void report_write_explanation(struct buffer *out, const struct explanation *explanation, enum report_format format,
                              const struct report_options *options);

/* `FILE:LINE:COLUMN: error: MESSAGE [CODE]`, the source line with a caret where there is an excerpt, then indented notes.
 * With `quiet` only errors. In the order of the list. */
void report_write_diagnostics(struct buffer *out, const struct diagnostic *list, size_t count,
                              const struct report_options *options);

/* Diagnostics alone: as text in the order of the list, as `egressc.report/1` without a boundary, or as findings. `untold`
 * (may be NULL): what is ignored, or gone; of all formats only SARIF has a place for it. `inputs` (may be NULL: none were
 * read): what they were found in. */
void report_write_findings(struct buffer *out, const struct diagnostic_list *findings,
                           const struct diagnostic_list *untold, const struct inputs_summary *inputs,
                           enum report_format format, const struct report_options *options);

/* "FILE:LINE:COLUMN", as far as it is known; nothing without a file. */
void report_write_location(struct buffer *out, const struct location *location);

#endif

/*
 * Parts that text reports have in common: places, objects, labels and witnesses as a reader would say them.
 */
#ifndef REPORT_TEXT_PARTS_H
#define REPORT_TEXT_PARTS_H

#include "report/paint.h"

/* "FILE:LINE:COLUMN: error: ". */
void text_opening(struct buffer *out, const struct report_options *options, const struct location *location,
                  enum severity severity);

/* " [CODE]" and the end of the line. */
void text_closing(struct buffer *out, enum code code);

/* "NetworkPolicy agents/shell-egress"; the namespace is left out where there is none. */
void text_object(struct buffer *out, const struct object_name *object);

/* The object and the path, as far as the message does not name them anyway; nothing where it names both. */
void text_subject(struct buffer *out, const struct object_name *object, const char *path, const char *message);

/* An examined policy: its object, and the entry of `specs`. */
void text_rule_name(struct buffer *out, const struct examined *examined);

/* "refuse" or "pass". */
void text_decision_word(struct buffer *out, bool refused, const struct report_options *options);

/* "egress.yaml:1: refuse (2 subjects, 1 refused)", without the end of the line. */
void text_boundary_summary(struct buffer *out, const struct boundary_decision *boundary,
                           const struct report_options *options);

/* "{a=b, c=d}". */
void text_labels(struct buffer *out, const struct labels *labels);

/* "169.254.169.254 on port 443/TCP", "the name a.example.com ...", with payload. */
void text_witness(struct buffer *out, const struct witness *witness);

/* Diagnostics of one severity. */
void text_findings(struct buffer *out, const struct diagnostic_list *findings, enum severity severity,
                   const struct report_options *options);

/* A line "note: WHAT: STRING" for each. */
void text_notes(struct buffer *out, const char *what, const struct string_list *strings,
                const struct report_options *options);

#endif

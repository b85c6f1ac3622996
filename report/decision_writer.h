/*
 * The writers of decisions, one a format; see report/writer.h.
 */
#ifndef REPORT_DECISION_WRITER_H
#define REPORT_DECISION_WRITER_H

#include "report/writer.h"

void decision_write_text(struct buffer *out, const struct decision *decision, const struct report_options *options);
void decision_write_json(struct buffer *out, const struct decision *decision, const struct report_options *options);

#endif

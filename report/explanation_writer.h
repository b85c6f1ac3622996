/*
 * The writers of explanations, one a format; see report/writer.h.
 */
#ifndef REPORT_EXPLANATION_WRITER_H
#define REPORT_EXPLANATION_WRITER_H

#include "report/writer.h"

void explanation_write_text(struct buffer *out, const struct explanation *explanation,
                            const struct report_options *options);
void explanation_write_json(struct buffer *out, const struct explanation *explanation,
                            const struct report_options *options);

#endif

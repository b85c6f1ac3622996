#include "report/writer.h"

#include "report/decision_writer.h"
#include "report/explanation_writer.h"
#include "report/paint.h"

const char *const report_format_words[] = {[REPORT_TEXT] = "text", [REPORT_JSON] = "json", NULL};

typedef void decision_writer(struct buffer *out, const struct decision *decision, const struct report_options *options);
typedef void explanation_writer(struct buffer *out, const struct explanation *explanation,
                                const struct report_options *options);

static const struct {
    decision_writer *decision;
    explanation_writer *explanation;
} writers[REPORT_FORMAT_COUNT] = {
    [REPORT_TEXT] = {decision_write_text, explanation_write_text},
    [REPORT_JSON] = {decision_write_json, explanation_write_json},
};

void report_write_decision(struct buffer *out, const struct decision *decision, enum report_format format,
                           const struct report_options *options) {
    writers[format].decision(out, decision, options);
}

void report_write_explanation(struct buffer *out, const struct explanation *explanation, enum report_format format,
                              const struct report_options *options) {
    writers[format].explanation(out, explanation, options);
}

void report_write_location(struct buffer *out, const struct location *location) {
    paint_escaped(out, location->file);
    if (location->line > 0) {
        buffer_print(out, ":%u", (unsigned)location->line);
    }
    if (location->line > 0 && location->column > 0) {
        buffer_print(out, ":%u", (unsigned)location->column);
    }
}

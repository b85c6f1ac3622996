#include "report/writer.h"

#include "report/decision_writer.h"
#include "report/explanation_writer.h"
#include "report/finding_writer.h"
#include "report/paint.h"

const char *const report_format_words[] = {[REPORT_TEXT] = "text",
                                           [REPORT_JSON] = "json",
                                           [REPORT_SARIF] = "sarif",
                                           [REPORT_JUNIT] = "junit",
                                           [REPORT_GITHUB] = "github",
                                           [REPORT_MARKDOWN] = "markdown",
                                           NULL};

typedef void decision_writer(struct buffer *out, const struct decision *decision, const struct report_options *options);
typedef void explanation_writer(struct buffer *out, const struct explanation *explanation,
                                const struct report_options *options);

/* Formats with a layout of their own for each model; the others show findings. */
static const struct {
    decision_writer *decision;
    explanation_writer *explanation;
    finding_writer *findings;
} writers[REPORT_FORMAT_COUNT] = {
    [REPORT_TEXT] = {.decision = decision_write_text, .explanation = explanation_write_text},
    [REPORT_JSON] = {.decision = decision_write_json, .explanation = explanation_write_json},
    [REPORT_SARIF] = {.findings = finding_write_sarif},
    [REPORT_JUNIT] = {.findings = finding_write_junit},
    [REPORT_GITHUB] = {.findings = finding_write_github},
    [REPORT_MARKDOWN] = {.findings = finding_write_markdown},
};

void report_write_decision(struct buffer *out, const struct decision *decision, enum report_format format,
                           const struct report_options *options) {
    struct finding_report report;
    if (writers[format].decision) {
        writers[format].decision(out, decision, options);
        return;
    }
    finding_report_decision(&report, decision, out->arena);
    writers[format].findings(out, &report, options);
}

void report_write_explanation(struct buffer *out, const struct explanation *explanation, enum report_format format,
                              const struct report_options *options) {
    struct finding_report report;
    if (writers[format].explanation) {
        writers[format].explanation(out, explanation, options);
        return;
    }
    finding_report_explanation(&report, explanation, options->unexpected, out->arena);
    writers[format].findings(out, &report, options);
}

void report_write_findings(struct buffer *out, const struct diagnostic_list *findings,
                           const struct diagnostic_list *untold, const struct inputs_summary *inputs,
                           enum report_format format, const struct report_options *options) {
    struct finding_report report;
    if (format == REPORT_TEXT) {
        report_write_diagnostics(out, findings->list, findings->count, options);
        return;
    }
    finding_report_diagnostics(&report, findings, untold, out->arena);
    if (format == REPORT_JSON) {
        struct decision decision = {.refused = report.refused, .findings = *findings};
        if (inputs) {
            decision.inputs = *inputs;
        }
        decision_write_json(out, &decision, options);
    } else {
        writers[format].findings(out, &report, options);
    }
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

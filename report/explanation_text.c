#include "report/explanation_writer.h"
#include "report/text_parts.h"

static const struct {
    const char *word;
    enum paint paint;
} answers[] = {
    [ANSWER_UNKNOWN] = {"cannot be told", PAINT_WARNING},
    [ANSWER_NO] = {"not allowed", PAINT_ERROR},
    [ANSWER_YES] = {"allowed", PAINT_PASS},
};

static const char *const isolations[] = {
    [ANSWER_UNKNOWN] = "whether anything isolates the pod on egress cannot be told",
    [ANSWER_NO] = "nothing isolates the pod on egress",
    [ANSWER_YES] = "the pod is isolated on egress",
};

static const char *const learnings[] = {
    [ANSWER_UNKNOWN] = NULL,
    [ANSWER_NO] = "no DNS rule lets addresses of that name be learned",
    [ANSWER_YES] = "a DNS rule lets addresses of that name be learned",
};

static const enum paint effect_paints[] = {
    [EFFECT_ALLOWS] = PAINT_PASS, [EFFECT_DENIES] = PAINT_ERROR, [EFFECT_MISSES] = PAINT_NOTE};
_Static_assert(sizeof effect_paints / sizeof effect_paints[0] == EFFECT_COUNT, "a paint for each effect");

static void indented(struct buffer *out, const char *line) {
    if (line) {
        buffer_add_string(out, "    ");
        paint_escaped(out, line);
        buffer_add_char(out, '\n');
    }
}

static void write_answer(struct buffer *out, const struct explanation *explanation,
                         const struct report_options *options) {
    if (explanation->question) {
        paint_escaped(out, explanation->question);
        buffer_add_string(out, ": ");
    }
    paint_string(out, options, answers[explanation->allowed].paint, answers[explanation->allowed].word);
    buffer_add_char(out, '\n');
    indented(out, explanation->reason);
    indented(out, isolations[explanation->isolated]);
    indented(out, learnings[explanation->learned]);
    for (size_t i = 0; explanation->has_ports && i < explanation->ports.count; i++) {
        buffer_add_string(out, i ? ", " : "    ports: ");
        paint_escaped(out, explanation->ports.list[i]);
    }
    buffer_add_string(out, explanation->has_ports && explanation->ports.count ? "\n" : "");
    indented(out, explanation->has_ports && explanation->ports.count == 0 ? "ports: none" : NULL);
}

static void write_rule(struct buffer *out, const struct explained_rule *rule, const struct report_options *options) {
    paint_place(out, options, &rule->location);
    paint_string(out, options, effect_paints[rule->effect], rule_effect_word(rule->effect));
    buffer_add_string(out, ": ");
    text_object(out, &rule->object);
    if (rule->path) {
        buffer_add_string(out, ", ");
        paint_escaped(out, rule->path);
    }
    if (rule->detail) {
        buffer_add_string(out, ": ");
        paint_escaped(out, rule->detail);
    }
    buffer_add_char(out, '\n');
}

void explanation_write_text(struct buffer *out, const struct explanation *explanation,
                            const struct report_options *options) {
    if (!options->quiet) {
        write_answer(out, explanation, options);
        for (size_t i = 0; i < explanation->rule_count; i++) {
            write_rule(out, &explanation->rules[i], options);
        }
    }
    text_findings(out, &explanation->findings, SEVERITY_ERROR, options);
    text_findings(out, &explanation->findings, SEVERITY_WARNING, options);
    text_findings(out, &explanation->findings, SEVERITY_NOTE, options);
    if (!options->quiet) {
        text_notes(out, "assumed", &explanation->assumptions, options);
    }
}

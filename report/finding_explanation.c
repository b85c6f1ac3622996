/* An explanation as findings: those of the inputs, and the answer itself where it is not the one that was expected. */
#include "base/arena.h"
#include "report/finding_parts.h"
#include "report/text_parts.h"

static const char *const answers[] = {
    [ANSWER_UNKNOWN] = "cannot be told", [ANSWER_NO] = "not allowed", [ANSWER_YES] = "allowed"};

/* The rule that speaks for the answer: it allows what is allowed, denies or misses what is not. */
static const struct explained_rule *telling_rule(const struct explanation *explanation) {
    static const enum rule_effect orders[][EFFECT_COUNT] = {
        [ANSWER_UNKNOWN] = {EFFECT_ALLOWS, EFFECT_DENIES, EFFECT_MISSES},
        [ANSWER_NO] = {EFFECT_DENIES, EFFECT_MISSES, EFFECT_ALLOWS},
        [ANSWER_YES] = {EFFECT_ALLOWS, EFFECT_DENIES, EFFECT_MISSES},
    };
    for (size_t i = 0; i < EFFECT_COUNT; i++) {
        for (size_t j = 0; j < explanation->rule_count; j++) {
            if (explanation->rules[j].effect == orders[explanation->allowed][i]) {
                return &explanation->rules[j];
            }
        }
    }
    return NULL;
}

static const char *rule_message(const struct explained_rule *rule, struct arena *arena) {
    struct buffer message;
    buffer_init(&message, arena);
    buffer_print(&message, "%s: ", rule_effect_word(rule->effect));
    text_object(&message, &rule->object);
    if (rule->path) {
        buffer_add_string(&message, ", ");
        paint_escaped(&message, rule->path);
    }
    if (rule->detail) {
        buffer_add_string(&message, ": ");
        paint_escaped(&message, rule->detail);
    }
    return buffer_string(&message);
}

static const char *answer_line(const struct explanation *explanation, struct arena *arena) {
    const char *question = explanation->question ? explanation->question : "the flow";
    return explanation->reason
               ? arena_format(arena, "%s: %s, %s", question, answers[explanation->allowed], explanation->reason)
               : arena_format(arena, "%s: %s", question, answers[explanation->allowed]);
}

static void add_answer(struct finding_list *findings, const struct explanation *explanation) {
    struct arena *arena = findings->arena;
    const struct explained_rule *rule = telling_rule(explanation);
    struct finding finding = {
        .code = CODE_UNEXPECTED_ANSWER,
        .severity = SEVERITY_ERROR,
        .message = arena_format(arena, "%s; another answer was expected", answer_line(explanation, arena))};
    if (rule) {
        finding.path = rule->path;
        finding.location = rule->location;
        finding.object = rule->object;
    }
    struct finding_note *notes = arena_array(arena, explanation->rule_count, sizeof *notes);
    for (size_t i = 0; i < explanation->rule_count; i++) {
        notes[i] = (struct finding_note){.location = explanation->rules[i].location,
                                         .message = rule_message(&explanation->rules[i], arena)};
    }
    finding.notes = notes;
    finding.note_count = explanation->rule_count;
    finding_add(findings, &finding);
}

void finding_report_explanation(struct finding_report *report, const struct explanation *explanation, bool unexpected,
                                struct arena *arena) {
    finding_report_diagnostics(report, &explanation->findings, NULL, arena);
    if (unexpected) {
        add_answer(&report->findings, explanation);
        finding_count_twins(&report->findings, &report->untold);
    }
    struct finding_strings summaries = {.arena = arena}, passed = {.arena = arena}, notes = {.arena = arena};
    finding_strings_add(&summaries, answer_line(explanation, arena));
    for (size_t i = 0; i < explanation->rule_count; i++) {
        finding_strings_add(&summaries, rule_message(&explanation->rules[i], arena));
    }
    if (!unexpected) {
        finding_strings_add(&passed, answer_line(explanation, arena));
    }
    finding_strings_add_list(&notes, "assumed", &explanation->assumptions);
    report->refused = report->refused || unexpected;
    report->verdict = answers[explanation->allowed];
    report->summaries = finding_strings_list(&summaries);
    report->passed = finding_strings_list(&passed);
    report->notes = finding_strings_list(&notes);
}

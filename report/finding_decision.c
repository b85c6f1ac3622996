/*
 * A decision as findings: what it found in the inputs, the refusals of each boundary, and the verdicts that a reader must
 * see, in the order of the text report.
 */
#include "base/arena.h"
#include "report/finding_parts.h"
#include "report/text_parts.h"

static void add_subject_name(struct buffer *out, const struct subject_decision *subject) {
    paint_escaped(out, subject->namespace);
    buffer_add_char(out, ' ');
    text_labels(out, &subject->labels);
}

static void add_path(struct buffer *out, const char *before, const char *path) {
    if (path) {
        buffer_add_string(out, before);
        paint_escaped(out, path);
    }
}

static void say_widening(struct buffer *out, const struct examined *examined, const struct subject_decision *subject) {
    text_rule_name(out, examined);
    buffer_add_string(out, " lets ");
    add_subject_name(out, subject);
    buffer_add_string(out, " reach ");
    if (examined->witness) {
        text_witness(out, examined->witness);
    } else {
        buffer_add_string(out, "more than the config allows");
    }
    add_path(out, ", by ", examined->path);
}

static void say_opening_port(struct buffer *out, const struct examined *examined,
                             const struct subject_decision *subject) {
    text_rule_name(out, examined);
    buffer_add_string(out, " opens the agent port of ");
    add_subject_name(out, subject);
    buffer_add_string(out, " to strangers");
    add_path(out, ", by ", examined->path);
}

static void say_not_evaluable(struct buffer *out, const struct examined *examined,
                              const struct subject_decision *subject) {
    text_rule_name(out, examined);
    buffer_add_string(out, " cannot be evaluated for ");
    add_subject_name(out, subject);
    add_path(out, ", at ", examined->path);
}

/* Verdicts that a reader must see, with their sentence; the others are counted. */
static const struct {
    void (*say)(struct buffer *out, const struct examined *examined, const struct subject_decision *subject);
    enum code code;
} shown[VERDICT_COUNT] = {
    [VERDICT_WIDENS_EGRESS] = {say_widening, CODE_POLICY_WIDENS_EGRESS},
    [VERDICT_OPENS_AGENT_PORT] = {say_opening_port, CODE_PORT_OPEN},
    [VERDICT_NOT_EVALUABLE] = {say_not_evaluable, CODE_NOT_EVALUABLE},
};

/* What is not evaluable is an error only where it decides. */
static enum severity severity_of(enum code code, const struct side_decision *side) {
    if (code != CODE_NOT_EVALUABLE || (side->refused && side->refusal == code)) {
        return SEVERITY_ERROR;
    }
    return side->refused ? SEVERITY_WARNING : SEVERITY_NOTE;
}

static const char *further_message(const struct excess *excess, struct arena *arena) {
    struct buffer message;
    buffer_init(&message, arena);
    buffer_add_string(&message, "also ");
    text_witness(&message, &excess->witness);
    add_path(&message, ", by ", excess->path);
    return buffer_string(&message);
}

/* Why, the further excesses, and how many more there are. */
static void add_notes(struct finding *finding, const struct examined *examined, struct arena *arena) {
    struct finding_note *notes = arena_array(arena, examined->further_count + 2, sizeof *notes);
    size_t count = 0;
    if (examined->detail) {
        notes[count++].message = examined->detail;
    }
    for (size_t i = 0; i < examined->further_count; i++) {
        notes[count++] = (struct finding_note){.location = examined->further[i].location,
                                               .message = further_message(&examined->further[i], arena)};
    }
    if (examined->more > examined->further_count) {
        notes[count++].message = arena_format(arena, "and %zu more", examined->more - examined->further_count);
    }
    finding->notes = notes;
    finding->note_count = count;
}

static const char *witness_words(const struct witness *witness, struct arena *arena) {
    if (!witness) {
        return NULL;
    }
    struct buffer words;
    buffer_init(&words, arena);
    text_witness(&words, witness);
    return buffer_string(&words);
}

static void add_verdict(struct finding_list *findings, const struct examined *examined,
                        const struct subject_decision *subject, const struct side_decision *side) {
    struct buffer message;
    buffer_init(&message, findings->arena);
    shown[examined->verdict].say(&message, examined, subject);
    struct finding finding = {
        .code = shown[examined->verdict].code,
        .severity = severity_of(shown[examined->verdict].code, side),
        .message = buffer_string(&message),
        .path = examined->path,
        .witness = witness_words(examined->witness, findings->arena),
        .location = examined->location,
        .object = examined->object,
    };
    add_notes(&finding, examined, findings->arena);
    finding_add(findings, &finding);
}

static void add_refusal(struct finding_list *findings, const struct boundary_decision *boundary,
                        const struct subject_decision *subject, const struct side_decision *side,
                        const char *direction) {
    struct buffer message;
    buffer_init(&message, findings->arena);
    buffer_print(&message, "%s of ", direction);
    add_subject_name(&message, subject);
    buffer_add_string(&message, ": ");
    paint_escaped(&message, side->reason ? side->reason : code_summary(side->refusal));
    finding_add(findings, &(struct finding){.code = side->refusal,
                                            .severity = SEVERITY_ERROR,
                                            .message = buffer_string(&message),
                                            .location = boundary->location,
                                            .object = boundary->object});
}

void finding_add_side(struct finding_list *findings, const struct boundary_decision *boundary,
                      const struct subject_decision *subject, const struct side_decision *side, const char *direction) {
    if (!side) {
        return;
    }
    bool explained = !side->refused;
    for (size_t i = 0; i < side->examined_count; i++) {
        const struct examined *examined = &side->examined[i];
        if (shown[examined->verdict].say) {
            explained = explained || shown[examined->verdict].code == side->refusal;
            add_verdict(findings, examined, subject, side);
        }
    }
    if (!explained) {
        add_refusal(findings, boundary, subject, side, direction);
    }
}

/* What a boundary's report is made of. */
struct laying_out {
    struct finding_list *findings;
    struct finding_strings summaries, passed;
    struct arena *arena;
};

static void add_passed_side(struct laying_out *out, const struct boundary_decision *boundary,
                            const struct subject_decision *subject, const struct side_decision *side,
                            const char *direction) {
    if (!side || side->refused) {
        return;
    }
    struct buffer name;
    buffer_init(&name, out->arena);
    buffer_print(&name, "%s:%u: %s of ", boundary->config_file, boundary->config_document, direction);
    add_subject_name(&name, subject);
    finding_strings_add(&out->passed, buffer_string(&name));
}

static void add_passed_object(struct laying_out *out, const struct boundary_decision *boundary,
                              const struct named_decision *named) {
    if (!named || named->status != NAMED_MATCH) {
        return;
    }
    struct buffer name;
    buffer_init(&name, out->arena);
    buffer_print(&name, "%s:%u: ", boundary->config_file, boundary->config_document);
    text_object(&name, &named->object);
    finding_strings_add(&out->passed, buffer_string(&name));
}

static void add_boundary(struct laying_out *out, const struct boundary_decision *boundary) {
    struct buffer summary;
    finding_add_diagnostics(out->findings, &boundary->refusals);
    add_passed_object(out, boundary, boundary->named_object);
    for (size_t i = 0; i < boundary->grant_object_count; i++) {
        add_passed_object(out, boundary, &boundary->grant_objects[i]);
    }
    for (size_t i = 0; i < boundary->subject_count; i++) {
        const struct subject_decision *subject = &boundary->subjects[i];
        finding_add_side(out->findings, boundary, subject, subject->egress, "egress");
        finding_add_side(out->findings, boundary, subject, subject->ingress, "ingress");
        add_passed_side(out, boundary, subject, subject->egress, "egress");
        add_passed_side(out, boundary, subject, subject->ingress, "ingress");
    }
    buffer_init(&summary, out->arena);
    text_boundary_summary(&summary, boundary, &(struct report_options){0});
    finding_strings_add(&out->summaries, buffer_string(&summary));
}

static void add_findings(struct finding_list *findings, const struct diagnostic_list *list, bool errors) {
    for (size_t i = 0; i < list->count; i++) {
        if ((list->list[i].severity == SEVERITY_ERROR) == errors) {
            finding_add_diagnostics(findings, &(struct diagnostic_list){.list = &list->list[i], .count = 1});
        }
    }
}

static struct string_list decision_notes(const struct decision *decision, struct arena *arena) {
    struct finding_strings notes = {.arena = arena};
    for (size_t i = 0; i < decision->unread_count; i++) {
        const struct unread *unread = &decision->unread[i];
        bool reason = unread->reason && unread->reason[0];
        finding_strings_add(&notes, arena_format(arena, "not read: %s, %s%s%s", unread->resource, unread->why,
                                                 reason ? ": " : "", reason ? unread->reason : ""));
    }
    finding_strings_add_list(&notes, "left out by --exclude", &decision->inputs.excluded);
    if (decision->inputs.taken_at) {
        finding_strings_add(&notes, arena_format(arena, "snapshot taken at: %s", decision->inputs.taken_at));
    }
    finding_strings_add_list(&notes, "assumed", &decision->assumptions);
    return finding_strings_list(&notes);
}

void finding_report_decision(struct finding_report *report, const struct decision *decision, struct arena *arena) {
    *report = (struct finding_report){.refused = decision->refused, .verdict = decision->refused ? "refuse" : "pass"};
    finding_list_init(&report->findings, arena);
    struct laying_out out = {
        .findings = &report->findings, .summaries = {.arena = arena}, .passed = {.arena = arena}, .arena = arena};
    add_findings(&report->findings, &decision->findings, true);
    for (size_t i = 0; i < decision->boundary_count; i++) {
        add_boundary(&out, &decision->boundaries[i]);
    }
    add_findings(&report->findings, &decision->findings, false);
    finding_count_twins(&report->findings, &report->untold);
    report->summaries = finding_strings_list(&out.summaries);
    report->passed = finding_strings_list(&out.passed);
    report->notes = decision_notes(decision, arena);
}

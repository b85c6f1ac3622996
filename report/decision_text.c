/*
 * The text of a decision, for a reviewer: the worst first, and one line a boundary at the end.
 *
 * 1. findings that are errors; 2. boundary by boundary its refusals, what refuses each subject, and a line on each
 * subject; 3. warnings and notes; 4. what was not read, what is assumed; 5. the decisions. --quiet leaves the errors.
 */
#include "document/writer.h"
#include "report/decision_writer.h"
#include "report/text_parts.h"

static void write_subject_name(struct buffer *out, const struct subject_decision *subject) {
    paint_escaped(out, subject->namespace);
    buffer_add_char(out, ' ');
    text_labels(out, &subject->labels);
}

static void write_rule_name(struct buffer *out, const struct examined *examined) {
    text_object(out, &examined->object);
    if (examined->spec >= 0) {
        buffer_print(out, " specs[%d]", examined->spec);
    }
}

static void write_examined_path(struct buffer *out, const char *path) {
    if (path) {
        buffer_add_string(out, ", by ");
        paint_escaped(out, path);
    }
}

static void write_further(struct buffer *out, const struct examined *examined) {
    for (size_t i = 0; i < examined->further_count; i++) {
        const struct excess *excess = &examined->further[i];
        buffer_add_string(out, "    also ");
        text_witness(out, &excess->witness);
        write_examined_path(out, excess->path);
        if (excess->location.file) {
            buffer_add_string(out, " (");
            report_write_location(out, &excess->location);
            buffer_add_char(out, ')');
        }
        buffer_add_char(out, '\n');
    }
    if (examined->more > examined->further_count) {
        buffer_print(out, "    and %zu more\n", examined->more - examined->further_count);
    }
}

static void write_detail(struct buffer *out, const struct examined *examined) {
    if (examined->detail) {
        buffer_add_string(out, "    ");
        paint_escaped(out, examined->detail);
        buffer_add_char(out, '\n');
    }
}

static void write_widening(struct buffer *out, const struct examined *examined,
                           const struct subject_decision *subject) {
    write_rule_name(out, examined);
    buffer_add_string(out, " lets ");
    write_subject_name(out, subject);
    buffer_add_string(out, " reach ");
    if (examined->witness) {
        text_witness(out, examined->witness);
    } else {
        buffer_add_string(out, "more than the config allows");
    }
    write_examined_path(out, examined->path);
    text_closing(out, CODE_POLICY_WIDENS_EGRESS);
    write_detail(out, examined);
    write_further(out, examined);
}

static void write_opening_port(struct buffer *out, const struct examined *examined,
                               const struct subject_decision *subject) {
    write_rule_name(out, examined);
    buffer_add_string(out, " opens the agent port of ");
    write_subject_name(out, subject);
    buffer_add_string(out, " to strangers");
    write_examined_path(out, examined->path);
    text_closing(out, CODE_PORT_OPEN);
    write_detail(out, examined);
}

static void write_not_evaluable(struct buffer *out, const struct examined *examined,
                                const struct subject_decision *subject) {
    write_rule_name(out, examined);
    buffer_add_string(out, " cannot be evaluated for ");
    write_subject_name(out, subject);
    if (examined->path) {
        buffer_add_string(out, ", at ");
        paint_escaped(out, examined->path);
    }
    text_closing(out, CODE_NOT_EVALUABLE);
    write_detail(out, examined);
}

/* Verdicts that a reader must see, with their sentence; the others are counted. */
static const struct {
    void (*write)(struct buffer *out, const struct examined *examined, const struct subject_decision *subject);
    enum code code;
} shown[VERDICT_COUNT] = {
    [VERDICT_WIDENS_EGRESS] = {write_widening, CODE_POLICY_WIDENS_EGRESS},
    [VERDICT_OPENS_AGENT_PORT] = {write_opening_port, CODE_PORT_OPEN},
    [VERDICT_NOT_EVALUABLE] = {write_not_evaluable, CODE_NOT_EVALUABLE},
};

/* What is not evaluable is an error only where it decides. */
static enum severity severity_of(enum code code, const struct side_decision *side) {
    if (code != CODE_NOT_EVALUABLE || (side->refused && side->refusal == code)) {
        return SEVERITY_ERROR;
    }
    return side->refused ? SEVERITY_WARNING : SEVERITY_NOTE;
}

static void write_refusal(struct buffer *out, const struct boundary_decision *boundary,
                          const struct subject_decision *subject, const struct side_decision *side,
                          const char *direction, const struct report_options *options) {
    text_opening(out, options, &boundary->location, SEVERITY_ERROR);
    buffer_print(out, "%s of ", direction);
    write_subject_name(out, subject);
    buffer_add_string(out, ": ");
    paint_escaped(out, side->reason ? side->reason : code_summary(side->refusal));
    text_closing(out, side->refusal);
}

static void write_side_faults(struct buffer *out, const struct boundary_decision *boundary,
                              const struct subject_decision *subject, const struct side_decision *side,
                              const char *direction, const struct report_options *options) {
    if (!side) {
        return;
    }
    bool explained = !side->refused;
    for (size_t i = 0; i < side->examined_count; i++) {
        const struct examined *examined = &side->examined[i];
        if (!shown[examined->verdict].write) {
            continue;
        }
        enum code code = shown[examined->verdict].code;
        enum severity severity = severity_of(code, side);
        explained = explained || code == side->refusal;
        if (severity == SEVERITY_ERROR || !options->quiet) {
            text_opening(out, options, &examined->location, severity);
            shown[examined->verdict].write(out, examined, subject);
        }
    }
    if (!explained) {
        write_refusal(out, boundary, subject, side, direction, options);
    }
}

static void write_decision_word(struct buffer *out, bool refused, const struct report_options *options) {
    paint_string(out, options, refused ? PAINT_ERROR : PAINT_PASS, refused ? "refuse" : "pass");
}

static void write_counts(struct buffer *out, const struct side_decision *side) {
    const char *between = ": ";
    for (size_t verdict = VERDICT_DOES_NOT_SELECT + 1; verdict < VERDICT_COUNT; verdict++) {
        size_t count = 0;
        for (size_t i = 0; i < side->examined_count; i++) {
            count += side->examined[i].verdict == verdict;
        }
        if (count > 0) {
            buffer_print(out, "%s%zu %s", between, count, verdict_word((enum verdict)verdict));
            between = ", ";
        }
    }
    if (side->not_selecting > 0) {
        buffer_print(out, "%s%zu not selecting", between, side->not_selecting);
    }
}

static void write_listed(struct buffer *out, const struct side_decision *side) {
    for (size_t i = 0; i < side->examined_count; i++) {
        const struct examined *examined = &side->examined[i];
        buffer_print(out, "        %s: ", verdict_word(examined->verdict));
        write_rule_name(out, examined);
        if (examined->location.file) {
            buffer_add_string(out, " (");
            report_write_location(out, &examined->location);
            buffer_add_char(out, ')');
        }
        buffer_add_char(out, '\n');
    }
}

static void write_side_line(struct buffer *out, const struct side_decision *side, const char *direction,
                            const struct report_options *options) {
    if (!side) {
        return;
    }
    buffer_print(out, "    %s ", direction);
    write_decision_word(out, side->refused, options);
    if (side->refused) {
        buffer_print(out, " [%s]", code_word(side->refusal));
    }
    write_counts(out, side);
    buffer_add_char(out, '\n');
    if (options->all) {
        write_listed(out, side);
    }
}

static void write_pods(struct buffer *out, const struct subject_decision *subject) {
    enum { FEW = 5 };
    size_t count = subject->pods.count;
    if (count == 0) {
        return;
    }
    size_t named = count < FEW ? count : FEW;
    for (size_t i = 0; i < named; i++) {
        buffer_add_string(out, i ? ", " : "    pods: ");
        paint_escaped(out, subject->pods.list[i]);
    }
    if (subject->pod_count > named) {
        buffer_print(out, " and %zu more", subject->pod_count - named);
    }
    buffer_add_char(out, '\n');
}

static void write_subject(struct buffer *out, const struct subject_decision *subject,
                          const struct report_options *options) {
    buffer_add_string(out, "subject ");
    write_subject_name(out, subject);
    buffer_add_string(out, ": ");
    write_decision_word(out, subject->refused, options);
    buffer_add_char(out, '\n');
    write_pods(out, subject);
    write_side_line(out, subject->egress, "egress", options);
    write_side_line(out, subject->ingress, "ingress", options);
}

static void write_value(struct buffer *out, const char *what, const struct node *value) {
    if (!value) {
        return;
    }
    struct buffer json;
    buffer_init(&json, out->arena);
    writer_json_compact(&json, value);
    buffer_print(out, "    %s ", what);
    paint_escaped_text(out, (struct text){.bytes = json.bytes, .length = json.length});
    buffer_add_char(out, '\n');
}

static void write_named(struct buffer *out, const struct named_decision *named) {
    buffer_add_string(out, "named object ");
    text_object(out, &named->object);
    buffer_print(out, ": %s", named_status_word(named->status));
    if (named->status == NAMED_MISMATCH && named->part) {
        buffer_print(out, " of %s", named->part);
    }
    if (named->path) {
        buffer_add_string(out, " at ");
        paint_escaped(out, named->path);
    }
    if (named->location.file) {
        buffer_add_string(out, " (");
        report_write_location(out, &named->location);
        buffer_add_char(out, ')');
    }
    buffer_add_char(out, '\n');
    write_value(out, "expected", named->expected);
    write_value(out, "found", named->found);
    if (named->relation != RELATION_NONE) {
        buffer_print(out, "    flows: %s", relation_word(named->relation));
        if (named->witness) {
            buffer_add_string(out, ", it also reaches ");
            text_witness(out, named->witness);
        }
        buffer_add_char(out, '\n');
    }
}

static void write_named_objects(struct buffer *out, const struct boundary_decision *boundary,
                                const struct report_options *options) {
    if (!options->quiet && boundary->named_object) {
        write_named(out, boundary->named_object);
    }
    for (size_t i = 0; !options->quiet && i < boundary->grant_object_count; i++) {
        write_named(out, &boundary->grant_objects[i]);
    }
}

static void write_boundary(struct buffer *out, const struct boundary_decision *boundary,
                           const struct report_options *options) {
    report_write_diagnostics(out, boundary->refusals.list, boundary->refusals.count, options);
    if (boundary->fence) {
        report_write_diagnostics(out, boundary->fence->refusals.list, boundary->fence->refusals.count, options);
    }
    write_named_objects(out, boundary, options);
    for (size_t i = 0; i < boundary->subject_count; i++) {
        const struct subject_decision *subject = &boundary->subjects[i];
        write_side_faults(out, boundary, subject, subject->egress, "egress", options);
        write_side_faults(out, boundary, subject, subject->ingress, "ingress", options);
        if (!options->quiet) {
            write_subject(out, subject, options);
        }
    }
}

static void write_unread(struct buffer *out, const struct decision *decision, const struct report_options *options) {
    for (size_t i = 0; i < decision->unread_count; i++) {
        const struct unread *unread = &decision->unread[i];
        paint_string(out, options, PAINT_NOTE, "note:");
        buffer_add_string(out, " not read: ");
        paint_escaped(out, unread->resource);
        buffer_add_string(out, ", ");
        paint_escaped(out, unread->why);
        if (unread->reason && unread->reason[0]) {
            buffer_add_string(out, ": ");
            paint_escaped(out, unread->reason);
        }
        buffer_add_char(out, '\n');
    }
}

static void write_taken_at(struct buffer *out, const struct decision *decision, const struct report_options *options) {
    if (decision->inputs.taken_at) {
        text_notes(out, "snapshot taken at", &(struct string_list){.list = &decision->inputs.taken_at, .count = 1},
                   options);
    }
}

/* "egress.yaml:1: refuse (2 subjects, 1 refused)": file and number of the document. */
static void write_summary(struct buffer *out, const struct boundary_decision *boundary,
                          const struct report_options *options) {
    size_t refused = 0;
    for (size_t i = 0; i < boundary->subject_count; i++) {
        refused += boundary->subjects[i].refused;
    }
    paint_begin(out, options, PAINT_PLACE);
    paint_escaped(out, boundary->config_file);
    buffer_print(out, ":%u:", boundary->config_document);
    paint_end(out, options);
    buffer_add_char(out, ' ');
    write_decision_word(out, boundary->refused, options);
    const char *between = " (";
    if (boundary->refusals.count > 0) {
        buffer_print(out, "%s%s", between, code_word(boundary->refusals.list[0].code));
        between = ", ";
    }
    if (boundary->subject_count > 0) {
        buffer_print(out, "%s%zu subject%s", between, boundary->subject_count, boundary->subject_count > 1 ? "s" : "");
        between = ", ";
    } else if (boundary->named_object && boundary->refusals.count == 0) {
        buffer_print(out, "%snamed object %s", between, named_status_word(boundary->named_object->status));
        between = ", ";
    }
    if (refused > 0) {
        buffer_print(out, ", %zu refused", refused);
    }
    buffer_add_string(out, between[0] == ',' ? ")\n" : " (nothing was checked)\n");
}

void decision_write_text(struct buffer *out, const struct decision *decision, const struct report_options *options) {
    text_findings(out, &decision->findings, SEVERITY_ERROR, options);
    for (size_t i = 0; i < decision->boundary_count; i++) {
        write_boundary(out, &decision->boundaries[i], options);
    }
    if (options->quiet) {
        return;
    }
    text_findings(out, &decision->findings, SEVERITY_WARNING, options);
    text_findings(out, &decision->findings, SEVERITY_NOTE, options);
    write_unread(out, decision, options);
    text_notes(out, "left out by --exclude", &decision->inputs.excluded, options);
    write_taken_at(out, decision, options);
    text_notes(out, "assumed", &decision->assumptions, options);
    for (size_t i = 0; i < decision->boundary_count; i++) {
        write_summary(out, &decision->boundaries[i], options);
    }
}

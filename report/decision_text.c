/*
 * The text of a decision, for a reviewer: the worst first, and one line a boundary at the end.
 *
 * 1. findings that are errors; 2. boundary by boundary its refusals, what refuses each subject, and a line on each
 * subject; 3. warnings and notes; 4. what was not read, what is assumed; 5. the decisions. --quiet leaves the errors.
 */
#include "document/writer.h"
#include "report/decision_writer.h"
#include "report/finding.h"
#include "report/text_parts.h"

static void write_subject_name(struct buffer *out, const struct subject_decision *subject) {
    paint_escaped(out, subject->namespace);
    buffer_add_char(out, ' ');
    text_labels(out, &subject->labels);
}

static void write_note(struct buffer *out, const struct finding_note *note) {
    buffer_add_string(out, "    ");
    paint_escaped(out, note->message);
    if (note->location.file) {
        buffer_add_string(out, " (");
        report_write_location(out, &note->location);
        buffer_add_char(out, ')');
    }
    buffer_add_char(out, '\n');
}

static void write_side_faults(struct buffer *out, const struct boundary_decision *boundary,
                              const struct subject_decision *subject, const struct side_decision *side,
                              const char *direction, const struct report_options *options) {
    struct finding_list findings;
    finding_list_init(&findings, out->arena);
    finding_add_side(&findings, boundary, subject, side, direction);
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.list[i];
        if (options->quiet && finding->severity != SEVERITY_ERROR) {
            continue;
        }
        text_opening(out, options, &finding->location, finding->severity);
        paint_escaped(out, finding->message);
        text_closing(out, finding->code);
        for (size_t j = 0; j < finding->note_count; j++) {
            write_note(out, &finding->notes[j]);
        }
    }
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
        text_rule_name(out, examined);
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
    text_decision_word(out, side->refused, options);
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
    text_decision_word(out, subject->refused, options);
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
    write_named_objects(out, boundary, options);
    if (!options->quiet && boundary->fence) {
        buffer_print(out, "fence: %s\n", fence_status_word(boundary->fence->status));
    }
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
        text_boundary_summary(out, &decision->boundaries[i], options);
        buffer_add_char(out, '\n');
    }
}

/*
 * Annotations of GitHub Actions: `::error file=...,line=...,col=...,title=CODE::MESSAGE`, one line a finding. What would
 * end a value or the command is escaped with `%`, as the runner reads it.
 */
#include "base/arena.h"
#include "report/finding_writer.h"
#include "report/plain.h"

static const char *const commands[] = {
    [SEVERITY_ERROR] = "error", [SEVERITY_WARNING] = "warning", [SEVERITY_NOTE] = "notice"};

/* `special`: what has a meaning at that place, besides the percent sign and line breaks. */
static void add_escaped(struct buffer *out, const char *string, const char *special) {
    for (; *string; string++) {
        bool escaped = *string == '%' || *string == '\r' || *string == '\n';
        for (const char *other = special; *other && !escaped; other++) {
            escaped = *string == *other;
        }
        if (escaped) {
            buffer_print(out, "%%%02X", (unsigned char)*string);
        } else {
            buffer_add_char(out, *string);
        }
    }
}

static void add_property(struct buffer *out, const char *name, const char *value, const char **between) {
    buffer_print(out, "%s%s=", *between, name);
    add_escaped(out, value, ":,");
    *between = ",";
}

static void add_number(struct buffer *out, const char *name, uint32_t number, const char **between) {
    if (number > 0) {
        add_property(out, name, arena_format(out->arena, "%u", (unsigned)number), between);
    }
}

static void add_place(struct buffer *out, const struct finding *finding, const char **between) {
    uint32_t end = finding_end_column(finding);
    if (!finding->location.file) {
        return;
    }
    add_property(out, "file", plain_of(plain_path(finding->location.file, out->arena), out->arena), between);
    add_number(out, "line", finding->location.line, between);
    if (finding->location.line > 0) {
        add_number(out, "endLine", end > 0 ? finding->location.line : 0, between);
        add_number(out, "col", finding_column(finding), between);
        add_number(out, "endColumn", end > 0 ? end - 1 : 0, between); /* the last column, not the one behind it */
    }
}

static void add_message(struct buffer *out, const struct finding *finding) {
    struct arena *arena = out->arena;
    const char *subject = plain_subject(finding, arena);
    add_escaped(out, plain_of(finding->message, arena), "");
    if (subject[0]) {
        add_escaped(out, arena_format(arena, "\nat %s", subject), "");
    }
    for (size_t i = 0; i < finding->note_count; i++) {
        const struct finding_note *note = &finding->notes[i];
        const char *place = plain_place(&note->location, arena);
        buffer_add_string(out, "%0A");
        add_escaped(out, plain_of(note->message, arena), "");
        if (place[0]) {
            buffer_add_string(out, " (");
            add_escaped(out, place, "");
            buffer_add_char(out, ')');
        }
    }
}

void finding_write_github(struct buffer *out, const struct finding_report *report,
                          const struct report_options *options) {
    for (size_t i = 0; i < report->findings.count; i++) {
        const struct finding *finding = &report->findings.list[i];
        if (options->quiet && finding->severity != SEVERITY_ERROR) {
            continue;
        }
        const char *between = " ";
        buffer_print(out, "::%s", commands[finding->severity]);
        add_place(out, finding, &between);
        add_property(out, "title", code_word(finding->code), &between);
        buffer_add_string(out, "::");
        add_message(out, finding);
        buffer_add_char(out, '\n');
    }
}

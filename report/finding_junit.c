/*
 * JUnit XML, as CI servers read it: one suite, a test case for each finding and for each thing that is well. Names hold no
 * line, so that a case stays the same case when lines move.
 */
#include "base/arena.h"
#include "report/finding_writer.h"
#include "report/plain.h"

/* Text that is plain, in an attribute in double quotes or between tags. */
static void add_xml(struct buffer *out, const char *plain) {
    for (; *plain; plain++) {
        switch (*plain) {
        case '&':
            buffer_add_string(out, "&amp;");
            break;
        case '<':
            buffer_add_string(out, "&lt;");
            break;
        case '>':
            buffer_add_string(out, "&gt;");
            break;
        case '"':
            buffer_add_string(out, "&quot;");
            break;
        default:
            buffer_add_char(out, *plain);
        }
    }
}

static void add_attribute(struct buffer *out, const char *name, const char *plain) {
    buffer_print(out, " %s=\"", name);
    add_xml(out, plain);
    buffer_add_char(out, '"');
}

static bool fails(const struct finding *finding, const struct report_options *options) {
    return finding->severity == SEVERITY_ERROR || (options->strict && finding->severity == SEVERITY_WARNING);
}

/* "NetworkPolicy agents/extra, spec.egress[0]", or the file; twins are numbered. */
static const char *case_name(const struct finding *finding, struct arena *arena) {
    const char *about =
        finding->object.kind ? plain_object(&finding->object, arena) : plain_of(finding->location.file, arena);
    const char *path = plain_of(finding->path, arena);
    const char *name = arena_format(arena, "%s%s%s", about, about[0] && path[0] ? ", " : "", path);
    name = name[0] ? name : code_word(finding->code);
    return finding->twins > 0 ? arena_format(arena, "%s (%zu)", name, finding->twins + 1) : name;
}

static void add_details(struct buffer *out, const struct finding *finding) {
    struct arena *arena = out->arena;
    const char *place = plain_place(&finding->location, arena);
    add_xml(out, place);
    buffer_print(out, "%s%s: ", place[0] ? ": " : "", severity_word(finding->severity));
    add_xml(out, plain_of(finding->message, arena));
    buffer_print(out, " [%s]", code_word(finding->code));
    for (size_t i = 0; i < finding->note_count; i++) {
        place = plain_place(&finding->notes[i].location, arena);
        buffer_add_string(out, "\n    ");
        add_xml(out, plain_of(finding->notes[i].message, arena));
        add_xml(out, place[0] ? arena_format(arena, " (%s)", place) : "");
    }
}

static void add_case(struct buffer *out, const struct finding *finding, const struct report_options *options) {
    struct arena *arena = out->arena;
    buffer_add_string(out, "    <testcase");
    add_attribute(out, "classname", code_word(finding->code));
    add_attribute(out, "name", case_name(finding, arena));
    if (finding->location.file) {
        add_attribute(out, "file", plain_of(plain_path(finding->location.file, arena), arena));
    }
    if (finding->location.file && finding->location.line > 0) {
        add_attribute(out, "line", arena_format(arena, "%u", (unsigned)finding->location.line));
    }
    buffer_add_string(out, ">\n      <");
    if (fails(finding, options)) {
        buffer_add_string(out, "failure");
        add_attribute(out, "type", severity_word(finding->severity));
        add_attribute(out, "message", plain_of(finding->message, arena));
        buffer_add_char(out, '>');
        add_details(out, finding);
        buffer_add_string(out, "</failure>\n");
    } else {
        buffer_add_string(out, "system-out>");
        add_details(out, finding);
        buffer_add_string(out, "</system-out>\n");
    }
    buffer_add_string(out, "    </testcase>\n");
}

static void add_passed(struct buffer *out, const char *name) {
    buffer_add_string(out, "    <testcase classname=\"egressc\"");
    add_attribute(out, "name", plain_of(name, out->arena));
    buffer_add_string(out, "/>\n");
}

static void add_output(struct buffer *out, const struct finding_report *report) {
    if (report->summaries.count + report->notes.count == 0) {
        return;
    }
    buffer_add_string(out, "    <system-out>");
    for (size_t i = 0; i < report->summaries.count; i++) {
        add_xml(out, plain_of(report->summaries.list[i], out->arena));
        buffer_add_char(out, '\n');
    }
    for (size_t i = 0; i < report->notes.count; i++) {
        buffer_add_string(out, "note: ");
        add_xml(out, plain_of(report->notes.list[i], out->arena));
        buffer_add_char(out, '\n');
    }
    buffer_add_string(out, "</system-out>\n");
}

void finding_write_junit(struct buffer *out, const struct finding_report *report,
                         const struct report_options *options) {
    size_t failures = 0, cases = report->passed.count;
    for (size_t i = 0; i < report->findings.count; i++) {
        bool failed = fails(&report->findings.list[i], options);
        failures += failed;
        cases += failed || !options->quiet;
    }
    /* A suite without a case is an error to some readers. */
    bool empty = cases == 0;
    cases += empty;
    buffer_print(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<testsuites name=\"egressc\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n"
                 "  <testsuite name=\"egressc\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
                 cases, failures, cases, failures);
    for (size_t i = 0; i < report->findings.count; i++) {
        if (!options->quiet || fails(&report->findings.list[i], options)) {
            add_case(out, &report->findings.list[i], options);
        }
    }
    for (size_t i = 0; i < report->passed.count; i++) {
        add_passed(out, report->passed.list[i]);
    }
    if (empty) {
        add_passed(out, "nothing was found");
    }
    add_output(out, report);
    buffer_add_string(out, "  </testsuite>\n</testsuites>\n");
}

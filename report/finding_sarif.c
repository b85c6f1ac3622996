/*
 * SARIF 2.1.0, as code scanning reads it.
 *
 * Paths are URIs against %SRCROOT%, the folder that the command ran in; absolute ones and standard input stand without
 * it. Columns are code points (`finding_column` says how that is known). Fingerprints are ours (`finding_write_fingerprint`):
 * `primaryLocationLineHash` is left to the upload, which makes it from the files. What is assumed or was not read is a
 * notification of the run.
 *
 * Code scanning refuses a whole report for one result without a place, and for more than MOST_RESULTS: a finding without a
 * file gets NOWHERE, and the least severe are left out with a word about it. Of further places it shows those that a
 * message links to.
 *
 * What is ignored, or gone from a baseline, is shown on demand only: code scanning knows neither `suppressions` nor
 * `baselineState`, and would raise an alert for each. Of both properties holds: all results have it, or none.
 */
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "report/code_help.h"
#include "report/finding_sarif.h"
#include "report/finding_writer.h"
#include "report/json_parts.h"
#include "report/plain.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define NOWHERE "no file"

enum { MOST_RESULTS = 25000 };

static bool is_unreserved(char byte) { return ascii_is_alphanumeric(byte) || (byte && strchr("-._~/", byte)); }

void sarif_uri(struct buffer *out, const char *file) {
    const char *path = plain_path(file, out->arena);
    buffer_add_string(out, path[0] == '/' ? "file://" : "");
    for (const char *at = path; *at; at++) {
        if (is_unreserved(*at)) {
            buffer_add_char(out, *at);
        } else {
            buffer_print(out, "%%%02X", (unsigned char)*at);
        }
    }
}

bool sarif_is_below_root(const char *file, struct arena *arena) {
    return file[0] != '/' && strcmp(file, "<stdin>") != 0 && strncmp(plain_path(file, arena), "../", 3) != 0;
}

static void key_text(struct json_writer *json, const char *key, const char *text) {
    json_key(json, key);
    json_begin_object(json);
    json_member(json, "text", text);
    json_end_object(json);
}

static void key_number(struct json_writer *json, const char *key, uint32_t number) {
    if (number > 0) {
        json_key(json, key);
        json_integer(json, number);
    }
}

static void add_unlinked(struct buffer *out, const char *text) {
    for (; *text; text++) {
        if (*text == '[' || *text == ']') {
            buffer_add_char(out, '\\');
        }
        buffer_add_char(out, *text);
    }
}

/* `[words](target)` would be a link: where that stands, all brackets are escaped. */
static const char *without_links(const char *text, struct arena *arena) {
    if (!strstr(text, "](")) {
        return text;
    }
    struct buffer out;
    buffer_init(&out, arena);
    add_unlinked(&out, text);
    return buffer_string(&out);
}

static void physical_location(struct json_writer *json, const struct location *location, uint32_t column,
                              uint32_t end_column) {
    struct buffer uri;
    buffer_init(&uri, json->out->arena);
    sarif_uri(&uri, location->file);
    json_key(json, "physicalLocation");
    json_begin_object(json);
    json_key(json, "artifactLocation");
    json_begin_object(json);
    json_member(json, "uri", buffer_string(&uri));
    if (sarif_is_below_root(location->file, json->out->arena)) {
        json_member(json, "uriBaseId", "%SRCROOT%");
    }
    json_end_object(json);
    json_key(json, "region");
    json_begin_object(json);
    key_number(json, "startLine", location->line > 0 ? location->line : 1);
    key_number(json, "startColumn", column);
    key_number(json, "endLine", end_column > 0 ? location->line : 0);
    key_number(json, "endColumn", end_column);
    json_end_object(json);
    json_end_object(json);
}

static void logical_location(struct json_writer *json, const struct finding *finding) {
    struct arena *arena = json->out->arena;
    const char *object = plain_object(&finding->object, arena), *path = plain_of(finding->path, arena);
    json_key(json, "logicalLocations");
    json_begin_array(json);
    json_begin_object(json);
    if (finding->object.name) {
        json_member(json, "name", plain_of(finding->object.name, arena));
    }
    json_member(json, "fullyQualifiedName", arena_format(arena, "%s%s%s", object, path[0] ? " " : "", path));
    json_member(json, "kind", "object");
    json_end_object(json);
    json_end_array(json);
}

static void locations(struct json_writer *json, const struct finding *finding) {
    static const struct location nowhere = {.file = NOWHERE};
    json_key(json, "locations");
    json_begin_array(json);
    json_begin_object(json);
    if (finding->location.file) {
        physical_location(json, &finding->location, finding_column(finding), finding_end_column(finding));
    } else {
        physical_location(json, &nowhere, 0, 0);
    }
    if (finding->object.kind) {
        logical_location(json, finding);
    }
    json_end_object(json);
    json_end_array(json);
}

/* Notes of other places, by the numbers that the message links to. */
static void related_locations(struct json_writer *json, const struct finding *finding) {
    bool begun = false;
    for (size_t i = 0; i < finding->note_count; i++) {
        const struct finding_note *note = &finding->notes[i];
        if (!note->location.file) {
            continue;
        }
        if (!begun) {
            json_key(json, "relatedLocations");
            json_begin_array(json);
            begun = true;
        }
        json_begin_object(json);
        json_key(json, "id");
        json_integer(json, (int64_t)i + 1);
        physical_location(json, &note->location, note->location.column, 0);
        key_text(json, "message", without_links(plain_sentence(note->message, json->out->arena), json->out->arena));
        json_end_object(json);
    }
    if (begun) {
        json_end_array(json);
    }
}

/* The sentence and the notes, a line each; those of another place are links to it. */
static const char *message_of(const struct finding *finding, struct arena *arena) {
    struct buffer message;
    buffer_init(&message, arena);
    buffer_add_string(&message, without_links(plain_sentence(finding->message, arena), arena));
    for (size_t i = 0; i < finding->note_count; i++) {
        const struct finding_note *note = &finding->notes[i];
        buffer_add_char(&message, '\n');
        if (note->location.file) {
            buffer_add_char(&message, '[');
            add_unlinked(&message, plain_of(note->message, arena));
            buffer_print(&message, "](%zu).", i + 1);
        } else {
            buffer_add_string(&message, without_links(plain_sentence(note->message, arena), arena));
        }
    }
    return buffer_string(&message);
}

static void properties(struct json_writer *json, const struct finding *finding) {
    const struct {
        const char *key, *value;
    } members[] = {{"path", finding->path}, {"value", finding->value}, {"witness", finding->witness}};
    if (!finding->path && !finding->value && !finding->witness) {
        return;
    }
    json_key(json, "properties");
    json_begin_object(json);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (members[i].value) {
            json_member(json, members[i].key, plain_of(members[i].value, json->out->arena));
        }
    }
    json_end_object(json);
}

static void baseline_state(struct json_writer *json, const struct finding *finding) {
    static const char *const words[] = {
        [BASELINE_NEW] = "new", [BASELINE_UNCHANGED] = "unchanged", [BASELINE_ABSENT] = "absent"};
    if (finding->baseline != BASELINE_NONE) {
        json_member(json, "baselineState", words[finding->baseline]);
    }
}

static void suppressions(struct json_writer *json, const struct finding *finding) {
    json_key(json, "suppressions");
    json_begin_array(json);
    if (finding->ignore) {
        json_begin_object(json);
        json_member(json, "kind", "inSource");
        json_member(json, "status", "accepted");
        json_member(json, "justification", plain_of(finding->ignore->message, json->out->arena));
        json_key(json, "location");
        json_begin_object(json);
        physical_location(json, &finding->ignore->location, finding->ignore->location.column, 0);
        json_end_object(json);
        json_end_object(json);
    }
    json_end_array(json);
}

static void result(struct json_writer *json, const struct finding *finding, int64_t rule, bool may_be_suppressed) {
    struct buffer fingerprint;
    buffer_init(&fingerprint, json->out->arena);
    finding_write_fingerprint(&fingerprint, finding);
    json_begin_object(json);
    json_member(json, "ruleId", code_word(finding->code));
    json_key(json, "ruleIndex");
    json_integer(json, rule);
    json_member(json, "level", severity_word(finding->severity));
    key_text(json, "message", message_of(finding, json->out->arena));
    locations(json, finding);
    related_locations(json, finding);
    json_key(json, "partialFingerprints");
    json_begin_object(json);
    json_member(json, "egressc/v1", buffer_string(&fingerprint));
    json_end_object(json);
    baseline_state(json, finding);
    if (may_be_suppressed) {
        suppressions(json, finding);
    }
    properties(json, finding);
    json_end_object(json);
}

static void rule(struct json_writer *json, enum code code) {
    struct arena *arena = json->out->arena;
    struct buffer help;
    buffer_init(&help, arena);
    code_help_write(&help, code);
    json_begin_object(json);
    json_member(json, "id", code_word(code));
    key_text(json, "shortDescription", code_help_sentence(code, arena));
    key_text(json, "fullDescription", code_help_meaning(code, arena));
    json_key(json, "help");
    json_begin_object(json);
    json_member(json, "text", buffer_string(&help));
    json_member(json, "markdown", code_help_markdown(code));
    json_end_object(json);
    json_key(json, "defaultConfiguration");
    json_begin_object(json);
    json_member(json, "level", severity_word(code_severity(code)));
    json_end_object(json);
    json_key(json, "properties");
    json_begin_object(json);
    json_member(json, "precision", "very-high");
    json_key(json, "tags");
    json_begin_array(json);
    json_string(json, "kubernetes");
    json_string(json, "network-policy");
    json_end_array(json);
    json_end_object(json);
    json_end_object(json);
}

/* The findings that become results, in their order. */
struct shown {
    const struct finding **list;
    size_t count, left_out;
    size_t room[SEVERITY_NOTE + 1]; /* for further ones */
    bool suppressed;                /* whether there is one that is ignored */
};

static void show(struct shown *shown, const struct finding_list *findings, bool quiet) {
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        if (quiet && finding->severity != SEVERITY_ERROR) {
            continue;
        }
        if (shown->room[finding->severity] == 0) {
            shown->left_out++;
            continue;
        }
        shown->room[finding->severity]--;
        shown->list[shown->count++] = finding;
        shown->suppressed = shown->suppressed || finding->ignore;
    }
}

/* The worst have room first. */
static struct shown shown_of(const struct finding_report *report, const struct report_options *options,
                             struct arena *arena) {
    const struct finding_list none = {.count = 0}, *untold = options->all ? &report->untold : &none;
    struct shown shown = {.list = arena_array(arena, report->findings.count + untold->count, sizeof *shown.list)};
    size_t left = MOST_RESULTS;
    for (int severity = SEVERITY_ERROR; severity <= SEVERITY_NOTE; severity++) {
        size_t count =
            finding_count(&report->findings, (enum severity)severity) + finding_count(untold, (enum severity)severity);
        shown.room[severity] = count < left ? count : left;
        left -= shown.room[severity];
    }
    show(&shown, &report->findings, options->quiet);
    show(&shown, untold, options->quiet);
    return shown;
}

/* The rules of the codes that occur, in order of words; `rules` gets each code's index. */
static void tool(struct json_writer *json, const struct shown *shown, int64_t *rules) {
    int64_t count = 0;
    for (size_t i = 0; i < shown->count; i++) {
        rules[shown->list[i]->code] = 1;
    }
    json_key(json, "tool");
    json_begin_object(json);
    json_key(json, "driver");
    json_begin_object(json);
    json_member(json, "name", "egressc");
    json_member(json, "version", EGRESSC_VERSION);
    json_member(json, "semanticVersion", EGRESSC_VERSION);
    json_key(json, "rules");
    json_begin_array(json);
    for (size_t code = 0; code < CODE_COUNT; code++) {
        if (rules[code]) {
            rule(json, (enum code)code);
            rules[code] = count++;
        }
    }
    json_end_array(json);
    json_end_object(json);
    json_end_object(json);
}

static void notification(struct json_writer *json, const char *text, const char *level) {
    json_begin_object(json);
    key_text(json, "message", without_links(plain_sentence(text, json->out->arena), json->out->arena));
    json_member(json, "level", level);
    json_end_object(json);
}

static void invocation(struct json_writer *json, const struct finding_report *report, size_t left_out) {
    json_key(json, "invocations");
    json_begin_array(json);
    json_begin_object(json);
    json_key(json, "executionSuccessful");
    json_bool(json, true);
    json_key(json, "toolExecutionNotifications");
    json_begin_array(json);
    for (size_t i = 0; i < report->notes.count; i++) {
        notification(json, report->notes.list[i], "note");
    }
    if (left_out > 0) {
        notification(json,
                     arena_format(json->out->arena,
                                  "%zu more findings, the least severe, are left out: a report holds %d", left_out,
                                  MOST_RESULTS),
                     "warning");
    }
    json_end_array(json);
    json_end_object(json);
    json_end_array(json);
    json_key(json, "originalUriBaseIds");
    json_begin_object(json);
    json_key(json, "%SRCROOT%");
    json_begin_object(json);
    key_text(json, "description", "The folder that the command ran in: the root of the repository.");
    json_end_object(json);
    json_end_object(json);
}

static void run_properties(struct json_writer *json, const struct finding_report *report) {
    if (!report->verdict) {
        return;
    }
    json_key(json, "properties");
    json_begin_object(json);
    json_member(json, "verdict", report->verdict);
    json_key(json, "summaries");
    json_begin_array(json);
    for (size_t i = 0; i < report->summaries.count; i++) {
        json_string(json, plain_of(report->summaries.list[i], json->out->arena));
    }
    json_end_array(json);
    json_end_object(json);
}

static void run(struct json_writer *json, const struct finding_report *report, const struct report_options *options) {
    const struct shown shown = shown_of(report, options, json->out->arena);
    int64_t *rules = arena_array(json->out->arena, CODE_COUNT, sizeof *rules);
    json_begin_object(json);
    tool(json, &shown, rules);
    invocation(json, report, shown.left_out);
    json_member(json, "columnKind", "unicodeCodePoints");
    json_key(json, "results");
    json_begin_array(json);
    for (size_t i = 0; i < shown.count; i++) {
        result(json, shown.list[i], rules[shown.list[i]->code], shown.suppressed);
    }
    json_end_array(json);
    run_properties(json, report);
    json_end_object(json);
}

void finding_write_sarif(struct buffer *out, const struct finding_report *report,
                         const struct report_options *options) {
    struct json_writer json;
    json_writer_init(&json, out);
    json_begin_object(&json);
    json_member(&json, "$schema", SCHEMA);
    json_member(&json, "version", "2.1.0");
    json_key(&json, "runs");
    json_begin_array(&json);
    run(&json, report, options);
    json_end_array(&json);
    json_end_object(&json);
    json_writer_done(&json);
}

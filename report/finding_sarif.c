/*
 * SARIF 2.1.0, as code scanning reads it.
 *
 * Paths are URIs against %SRCROOT%, the folder that the command ran in; absolute ones and standard input stand without
 * it. Columns are code points (`finding_column` says how that is known). Fingerprints are ours (`finding_write_fingerprint`):
 * `primaryLocationLineHash` is left to the upload, which makes it from the files. What is assumed or was not read is a
 * notification of the run.
 *
 * What is ignored, or gone from a baseline, is shown on demand only: code scanning knows neither `suppressions` nor
 * `baselineState`, and would raise an alert for each. Of both properties holds: all results have it, or none.
 */
#include <string.h>

#include "base/arena.h"
#include "report/code_help.h"
#include "report/finding_sarif.h"
#include "report/finding_writer.h"
#include "report/json_parts.h"
#include "report/plain.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static bool is_unreserved(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           (byte && strchr("-._~/", byte));
}

/* "./a//b" is "a/b"; what leads upwards stays, as a link may stand there. */
static const char *skip_idle(const char *path) {
    for (;;) {
        if (path[0] == '.' && path[1] == '/') {
            path += 2;
        } else if (path[0] == '/') {
            path++;
        } else {
            return path;
        }
    }
}

void sarif_uri(struct buffer *out, const char *file) {
    const char *at = file;
    if (file[0] == '/') {
        buffer_add_string(out, "file://");
    } else {
        at = skip_idle(at);
    }
    while (*at) {
        if (is_unreserved(*at)) {
            buffer_add_char(out, *at);
        } else {
            buffer_print(out, "%%%02X", (unsigned char)*at);
        }
        at = *at == '/' ? skip_idle(at + 1) : at + 1;
    }
}

bool sarif_is_below_root(const char *file) {
    return file[0] != '/' && strcmp(file, "<stdin>") != 0 && strncmp(skip_idle(file), "../", 3) != 0;
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

/* `[words](target)` would be a link: where that stands, all brackets are escaped. */
static const char *without_links(const char *text, struct arena *arena) {
    if (!strstr(text, "](")) {
        return text;
    }
    struct buffer out;
    buffer_init(&out, arena);
    for (; *text; text++) {
        if (*text == '[' || *text == ']') {
            buffer_add_char(&out, '\\');
        }
        buffer_add_char(&out, *text);
    }
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
    if (sarif_is_below_root(location->file)) {
        json_member(json, "uriBaseId", "%SRCROOT%");
    }
    json_end_object(json);
    if (location->line > 0) {
        json_key(json, "region");
        json_begin_object(json);
        key_number(json, "startLine", location->line);
        key_number(json, "startColumn", column);
        key_number(json, "endLine", end_column > 0 ? location->line : 0);
        key_number(json, "endColumn", end_column);
        json_end_object(json);
    }
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
    json_key(json, "locations");
    json_begin_array(json);
    if (finding->location.file || finding->object.kind) {
        json_begin_object(json);
        if (finding->location.file) {
            physical_location(json, &finding->location, finding_column(finding), finding_end_column(finding));
        }
        if (finding->object.kind) {
            logical_location(json, finding);
        }
        json_end_object(json);
    }
    json_end_array(json);
}

/* Notes of other places, which the message refers to by no link: viewers list them. */
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
        physical_location(json, &note->location, note->location.column, 0);
        key_text(json, "message", without_links(plain_sentence(note->message, json->out->arena), json->out->arena));
        json_end_object(json);
    }
    if (begun) {
        json_end_array(json);
    }
}

/* The sentence, and notes that speak of the same place. */
static const char *message_of(const struct finding *finding, struct arena *arena) {
    struct buffer message;
    buffer_init(&message, arena);
    buffer_add_string(&message, plain_sentence(finding->message, arena));
    for (size_t i = 0; i < finding->note_count; i++) {
        if (!finding->notes[i].location.file) {
            buffer_print(&message, "\n%s", plain_sentence(finding->notes[i].message, arena));
        }
    }
    return without_links(buffer_string(&message), arena);
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
    size_t count;
    bool suppressed; /* whether there is one that is ignored */
};

static void show(struct shown *shown, const struct finding_list *findings, bool quiet) {
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->list[i];
        if (!quiet || finding->severity == SEVERITY_ERROR) {
            shown->list[shown->count++] = finding;
            shown->suppressed = shown->suppressed || finding->ignore;
        }
    }
}

static struct shown shown_of(const struct finding_report *report, const struct report_options *options,
                             struct arena *arena) {
    struct shown shown = {arena_array(arena, report->findings.count + report->untold.count, sizeof *shown.list), 0,
                          false};
    show(&shown, &report->findings, options->quiet);
    if (options->all) {
        show(&shown, &report->untold, options->quiet);
    }
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

static void invocation(struct json_writer *json, const struct finding_report *report) {
    json_key(json, "invocations");
    json_begin_array(json);
    json_begin_object(json);
    json_key(json, "executionSuccessful");
    json_bool(json, true);
    json_key(json, "toolExecutionNotifications");
    json_begin_array(json);
    for (size_t i = 0; i < report->notes.count; i++) {
        json_begin_object(json);
        key_text(json, "message",
                 without_links(plain_sentence(report->notes.list[i], json->out->arena), json->out->arena));
        json_member(json, "level", "note");
        json_end_object(json);
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
    invocation(json, report);
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

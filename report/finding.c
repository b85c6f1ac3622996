#include "report/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "report/finding_parts.h"
#include "report/finding_sarif.h"

void finding_list_init(struct finding_list *findings, struct arena *arena) {
    *findings = (struct finding_list){.arena = arena};
}

void finding_add(struct finding_list *findings, const struct finding *finding) {
    findings->list =
        arena_grow(findings->arena, findings->list, &findings->capacity, findings->count + 1, sizeof *findings->list);
    findings->list[findings->count++] = *finding;
}

static const struct finding_note *notes_of(const struct diagnostic *diagnostic, size_t *count, struct arena *arena) {
    *count = 0;
    for (const struct diagnostic_note *note = diagnostic->notes; note; note = note->next) {
        ++*count;
    }
    struct finding_note *notes = arena_array(arena, *count, sizeof *notes), *next = notes;
    for (const struct diagnostic_note *note = diagnostic->notes; note; note = note->next) {
        *next++ = (struct finding_note){.location = note->location, .message = note->message};
    }
    return notes;
}

void finding_add_diagnostics(struct finding_list *findings, const struct diagnostic_list *diagnostics) {
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *diagnostic = &diagnostics->list[i];
        struct finding finding = {
            .code = diagnostic->code,
            .severity = diagnostic->severity,
            .message = diagnostic->message,
            .path = diagnostic->path && diagnostic->path[0] ? diagnostic->path : NULL,
            .value = diagnostic->value,
            .excerpt = diagnostic->excerpt,
            .location = diagnostic->location,
            .object = diagnostic->object,
            .baseline = diagnostic->baseline,
            .ignore = diagnostic->ignore,
        };
        finding.notes = notes_of(diagnostic, &finding.note_count, findings->arena);
        finding_add(findings, &finding);
    }
}

size_t finding_count(const struct finding_list *findings, enum severity severity) {
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        count += findings->list[i].severity == severity;
    }
    return count;
}

static int compare_strings(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

/* What a finding is about, whatever line it stands on. */
static int compare_keys(const struct finding *a, const struct finding *b) {
    int order = (a->code > b->code) - (a->code < b->code);
    order = order ? order : compare_strings(a->object.kind, b->object.kind);
    order = order ? order : compare_strings(a->object.namespace, b->object.namespace);
    order = order ? order : compare_strings(a->object.name, b->object.name);
    if (!order && !a->object.kind) {
        order = compare_strings(a->location.file, b->location.file);
    }
    return order ? order : compare_strings(a->path, b->path);
}

/* Twins are counted in the order of the lists. */
struct placed_finding {
    struct finding *finding;
    size_t place;
};

static int order_keys(const void *a, const void *b) {
    const struct placed_finding *left = a, *right = b;
    int order = compare_keys(left->finding, right->finding);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

void finding_count_twins(struct finding_list *findings, struct finding_list *untold) {
    size_t count = findings->count + untold->count;
    struct placed_finding *order = arena_array(findings->arena, count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        bool told = i < findings->count;
        order[i] = (struct placed_finding){told ? &findings->list[i] : &untold->list[i - findings->count], i};
    }
    qsort(order, count, sizeof *order, order_keys);
    for (size_t i = 1; i < count; i++) {
        struct finding *before = order[i - 1].finding, *finding = order[i].finding;
        finding->twins = compare_keys(before, finding) == 0 ? before->twins + 1 : 0;
    }
}

void finding_strings_add(struct finding_strings *strings, const char *string) {
    strings->list =
        arena_grow(strings->arena, strings->list, &strings->capacity, strings->count + 1, sizeof *strings->list);
    strings->list[strings->count++] = string;
}

void finding_strings_add_list(struct finding_strings *strings, const char *what, const struct string_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        finding_strings_add(strings, arena_format(strings->arena, "%s: %s", what, list->list[i]));
    }
}

struct string_list finding_strings_list(const struct finding_strings *strings) {
    return (struct string_list){.list = strings->list, .count = strings->count};
}

void finding_report_diagnostics(struct finding_report *report, const struct diagnostic_list *diagnostics,
                                const struct diagnostic_list *untold, struct arena *arena) {
    *report = (struct finding_report){0};
    finding_list_init(&report->findings, arena);
    finding_list_init(&report->untold, arena);
    finding_add_diagnostics(&report->findings, diagnostics);
    if (untold) {
        finding_add_diagnostics(&report->untold, untold);
    }
    finding_count_twins(&report->findings, &report->untold);
    report->refused = finding_count(&report->findings, SEVERITY_ERROR) > 0;
}

/* Each part ends with NUL, which no part holds. */
static void add_part(struct buffer *key, const char *part) {
    buffer_add_string(key, part ? part : "");
    buffer_add_char(key, '\0');
}

/* However the path was spelled on the command line: "./a.yaml" is "a.yaml". */
static void add_file(struct buffer *key, const char *file) {
    struct buffer uri;
    buffer_init(&uri, key->arena);
    sarif_uri(&uri, file ? file : "");
    add_part(key, buffer_string(&uri));
}

void finding_write_fingerprint(struct buffer *out, const struct finding *finding) {
    struct buffer key;
    buffer_init(&key, out->arena);
    add_part(&key, code_word(finding->code));
    add_part(&key, finding->object.kind);
    add_part(&key, finding->object.namespace);
    if (finding->object.kind) {
        add_part(&key, finding->object.name);
    } else {
        add_file(&key, finding->location.file);
    }
    add_part(&key, finding->path);
    buffer_print(out, "%016llx", (unsigned long long)text_hash((struct text){key.bytes, key.length}));
    if (finding->twins > 0) {
        buffer_print(out, ":%zu", finding->twins);
    }
}

static uint32_t code_points(const char *bytes, size_t length) {
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    }
    return count;
}

/* The offset of the finding in its excerpt; false: there is none. */
static bool find_offset(const struct finding *finding, size_t *offset) {
    uint32_t column = finding->location.column;
    if (!finding->excerpt || column == 0 || column - 1 > strlen(finding->excerpt)) {
        return false;
    }
    *offset = column - 1;
    return true;
}

uint32_t finding_column(const struct finding *finding) {
    size_t offset;
    return find_offset(finding, &offset) ? code_points(finding->excerpt, offset) + 1 : finding->location.column;
}

/* The last name of a path: "port" of "spec.ports[0].port", nothing of "spec.ports[0]". */
static struct text last_name(const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    struct text name = text_of(dot ? dot + 1 : path);
    return memchr(name.bytes, '[', name.length) ? text_of("") : name;
}

/* How many bytes `token` takes at the start of `rest`, in quotes or without; 0: it does not stand there. */
static size_t token_length(const char *rest, struct text token) {
    size_t quote = rest[0] == '"' || rest[0] == '\'';
    if (token.length == 0 || strncmp(rest + quote, token.bytes, token.length) != 0) {
        return 0;
    }
    const char *end = rest + quote + token.length;
    if (quote) {
        return *end == rest[0] ? token.length + 2 : 0;
    }
    return strchr(" \t\r:,]}", *end) ? token.length : 0; /* also the end of the line */
}

uint32_t finding_end_column(const struct finding *finding) {
    size_t offset;
    if (!find_offset(finding, &offset)) {
        return 0;
    }
    const char *rest = finding->excerpt + offset;
    size_t length = token_length(rest, text_of(finding->value));
    length = length > 0 ? length : token_length(rest, last_name(finding->path));
    return length > 0 ? finding_column(finding) + code_points(rest, length) : 0;
}

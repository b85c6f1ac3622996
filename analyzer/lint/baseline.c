#include "analyzer/lint/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "document/reader.h"
#include "document/writer.h"

#define SCHEMA "egressc.baseline/1"

/* ---- entries ---- */

static int compare_keys(const struct baseline_entry *a, const struct baseline_entry *b) {
    int order = string_compare(a->object.namespace, b->object.namespace);
    order = order ? order : string_compare(a->object.kind, b->object.kind);
    order = order ? order : string_compare(a->object.name, b->object.name);
    order = order ? order : string_compare(a->file, b->file);
    order = order ? order : string_compare(a->path, b->path);
    return order ? order : strcmp(code_word(a->code), code_word(b->code));
}

static int sort_entries(const void *a, const void *b) {
    const struct baseline_entry *left = a, *right = b;
    int order = compare_keys(left, right);
    return order ? order : (left->location.line > right->location.line) - (left->location.line < right->location.line);
}

static struct baseline_entry entry_of(const struct diagnostic *finding) {
    return (struct baseline_entry){.code = finding->code,
                                   .object = finding->object,
                                   .file = finding->object.kind ? NULL : finding->location.file,
                                   .path = finding->path && *finding->path ? finding->path : NULL};
}

/* ---- reading ---- */

struct input {
    const char *name;
    struct arena *arena;
    struct diagnostics *diagnostics;
};

static bool refuse(const struct input *input, const struct node *node, const char *what) {
    struct location location = node ? node_location(input->name, node) : (struct location){.file = input->name};
    diagnostics_add(input->diagnostics, CODE_CONFIG_UNUSABLE, location,
                    "%s; write it with --update-baseline --allow-growth", what);
    return false;
}

static bool read_entry(const struct input *input, const struct node *node, struct baseline_entry *entry) {
    struct text code = node_text(node_get(node, "code"));
    if (!node_is(node, NODE_MAP) || !node_string(node_get(node, "code")) || !code_of_word(code, &entry->code))
        return refuse(input, node, "an entry of the baseline has no code that is one");
    entry->object = (struct object_name){.kind = node_string(node_get(node, "kind")),
                                         .namespace = node_string(node_get(node, "namespace")),
                                         .name = node_string(node_get(node, "name"))};
    entry->file = node_string(node_get(node, "file"));
    entry->path = node_string(node_get(node, "path"));
    entry->location = node_location(input->name, node);
    return true;
}

bool baseline_read(const char *name, struct text text, const struct limits *limits, struct arena *arena,
                   struct baseline *baseline, struct diagnostics *diagnostics) {
    const struct reader_options options = {.limits = *limits, .keep_excerpts = true};
    const struct input input = {.name = name, .arena = arena, .diagnostics = diagnostics};
    struct file file = {.count = 0};
    *baseline = (struct baseline){.name = name};
    reader_read_text(name, text, &options, arena, &file, diagnostics);
    if (file.state != FILE_READ)
        return false;
    const struct node *root = file.count == 1 ? &file.documents[0].root : NULL;
    const struct node *findings = node_get(root, "findings");
    if (!text_is(node_text(node_get(root, "schema")), SCHEMA) || (findings && !node_is(findings, NODE_LIST)))
        return refuse(&input, root, "this is no baseline of the schema " SCHEMA);
    baseline->count = findings ? findings->count : 0;
    baseline->list = arena_array(arena, baseline->count + 1, sizeof *baseline->list);
    bool well = true;
    for (size_t i = 0; i < baseline->count; i++)
        well &= read_entry(&input, &findings->items[i], &baseline->list[i]);
    if (baseline->count > 1)
        qsort(baseline->list, baseline->count, sizeof *baseline->list, sort_entries);
    return well;
}

/* ---- holding findings against it ---- */

struct keyed {
    struct baseline_entry entry;
    struct diagnostic *finding;
};

static int sort_keyed(const void *a, const void *b) {
    const struct keyed *left = a, *right = b;
    int order = compare_keys(&left->entry, &right->entry);
    return order ? order : (left->finding > right->finding) - (left->finding < right->finding);
}

/* In the order of entries, and of the list where they are equal. */
static struct keyed *keys_of(const struct diagnostics *findings) {
    struct keyed *keyed = arena_array(findings->arena, findings->count + 1, sizeof *keyed);
    for (size_t i = 0; i < findings->count; i++) {
        findings->list[i].baseline = BASELINE_NEW;
        keyed[i] = (struct keyed){.entry = entry_of(&findings->list[i]), .finding = &findings->list[i]};
    }
    if (findings->count > 1)
        qsort(keyed, findings->count, sizeof *keyed, sort_keyed);
    return keyed;
}

static void make_known(struct diagnostics *findings, struct diagnostic *finding, const struct baseline_entry *entry) {
    finding->baseline = BASELINE_UNCHANGED;
    diagnostic_set_severity(findings, finding, SEVERITY_NOTE);
    diagnostic_note(findings, finding, entry->location, "known: the baseline lists it");
}

static void report_gone(struct diagnostics *findings, const struct baseline_entry *entry) {
    struct diagnostic *gone = diagnostics_add(
        findings, CODE_BASELINE_GONE, entry->location,
        "the baseline lists %s%s%s%s%s%s%s, which is not found any more; drop it with --update-baseline",
        code_word(entry->code), entry->object.kind ? " of " : "", entry->object.kind ? entry->object.kind : "",
        entry->object.name ? " " : "", entry->object.name ? entry->object.name : "", entry->path ? " at " : "",
        entry->path ? entry->path : "");
    gone->object = entry->object;
    gone->path = entry->path;
    gone->baseline = BASELINE_NEW;
}

static void add_absent(struct diagnostics *untold, const struct baseline_entry *entry) {
    struct diagnostic *absent =
        diagnostics_add(untold, entry->code, entry->location, "the baseline lists this, which is not found any more");
    absent->object = entry->object;
    absent->path = entry->path;
    absent->baseline = BASELINE_ABSENT;
}

/* The entries, in their order, whose finding is gone: ignored, or not there. Overwrites `gone`. */
static void tell_untold(struct diagnostics *untold, const struct baseline_entry **gone, size_t count) {
    size_t at = 0, absent = 0;
    const struct keyed *keyed = keys_of(untold);
    for (size_t i = 0; i < count; i++) {
        while (at < untold->count && compare_keys(&keyed[at].entry, gone[i]) < 0)
            at++;
        if (at < untold->count && compare_keys(&keyed[at].entry, gone[i]) == 0)
            keyed[at++].finding->baseline = BASELINE_UNCHANGED;
        else
            gone[absent++] = gone[i];
    }
    for (size_t i = 0; i < absent; i++)
        add_absent(untold, gone[i]);
}

/* What is said of ignores and baselines themselves cannot be excused, nor what fails nothing. */
static bool can_grow(const struct diagnostic *finding) {
    return finding->severity != SEVERITY_NOTE && finding->code != CODE_IGNORE_WITHOUT_REASON &&
           finding->code != CODE_UNUSED_IGNORE && finding->code != CODE_NO_POLICIES;
}

static void keep(struct baseline *next, const struct baseline_entry *entry) {
    if (next)
        next->list[next->count++] = *entry;
}

/* A finding that the baseline lacks: with `next` it is known from now on. */
static void grow_by(const struct baseline *baseline, struct baseline *next, struct diagnostics *findings,
                    const struct keyed *keyed) {
    if (!next || !can_grow(keyed->finding))
        return;
    keep(next, &keyed->entry);
    diagnostic_set_severity(findings, keyed->finding, SEVERITY_NOTE);
    diagnostic_note(findings, keyed->finding, (struct location){.file = baseline->name},
                    "known from now on: the baseline lists it");
}

void baseline_apply(const struct baseline *baseline, bool grow, struct diagnostics *findings,
                    struct diagnostics *untold, struct baseline *next) {
    size_t count = findings->count, at = 0;
    const struct keyed *keyed = keys_of(findings);
    const struct baseline_entry **gone = arena_array(findings->arena, baseline->count + 1, sizeof *gone);
    size_t gone_count = 0;
    if (next)
        *next = (struct baseline){
            .name = baseline->name,
            .list = arena_array(findings->arena, count + 1, sizeof *next->list),
        };
    for (size_t i = 0; i < baseline->count; i++) {
        const struct baseline_entry *entry = &baseline->list[i];
        for (; at < count && compare_keys(&keyed[at].entry, entry) < 0; at++)
            grow_by(baseline, grow ? next : NULL, findings, &keyed[at]);
        if (at < count && compare_keys(&keyed[at].entry, entry) == 0) {
            keep(next, entry);
            make_known(findings, keyed[at++].finding, entry);
        } else {
            gone[gone_count++] = entry;
        }
    }
    for (; at < count; at++)
        grow_by(baseline, grow ? next : NULL, findings, &keyed[at]);
    for (size_t i = 0; i < gone_count; i++)
        report_gone(findings, gone[i]);
    if (untold)
        tell_untold(untold, gone, gone_count);
    diagnostics_sort(findings);
}

/* ---- writing ---- */

static void write_member(struct buffer *out, const char *key, const char *value) {
    if (!value)
        return;
    buffer_print(out, ", \"%s\": ", key);
    writer_json_string(out, text_of(value));
}

void baseline_write(struct buffer *out, const struct baseline *baseline) {
    buffer_add_string(out, "{\n  \"schema\": \"" SCHEMA "\",\n  \"findings\": [");
    for (size_t i = 0; i < baseline->count; i++) {
        const struct baseline_entry *entry = &baseline->list[i];
        buffer_print(out, "%s\n    {\"code\": \"%s\"", i > 0 ? "," : "", code_word(entry->code));
        write_member(out, "kind", entry->object.kind);
        write_member(out, "namespace", entry->object.namespace);
        write_member(out, "name", entry->object.name);
        write_member(out, "file", entry->file);
        write_member(out, "path", entry->path);
        buffer_add_char(out, '}');
    }
    buffer_add_string(out, baseline->count > 0 ? "\n  ]\n}\n" : "]\n}\n");
}

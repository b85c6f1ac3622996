/*
 * Ignores: `# egressc:ignore CODE reason` at the end of a line or on the one above, and the annotation egressc.io/ignore
 * (spec/lint.md, "Keeping it livable").
 *
 * An ignore takes away the findings of its code on its line, or on its object, if it says why: they are not told, and kept
 * aside with the ignore. One that takes nothing away is a finding itself.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/check.h"
#include "analyzer/lint/source.h"
#include "base/arena.h"

#define WORD "egressc:ignore"
#define ANNOTATION "egressc.io/ignore"

struct ignore {
    struct location location;
    uint32_t line; /* of a comment: the line that it speaks of; 0: it stands alone, and none has come yet */
    const struct object *object; /* of an annotation, else NULL */
    const char *code, *reason;   /* "" where there is none */
    const char *path;
    bool used;
};

struct ignores {
    struct arena *arena;
    struct ignore *list;
    size_t count, capacity;
    const char *file;
    size_t waiting; /* from here on to `count`: comments that wait for their line */
};

static struct ignore *ignores_add(struct ignores *ignores, struct text text) {
    if (ignores->count == ignores->capacity)
        ignores->list =
            arena_grow(ignores->arena, ignores->list, &ignores->capacity, ignores->count + 1, sizeof *ignores->list);
    struct ignore *ignore = &ignores->list[ignores->count++];
    struct text rest = text_trim(text);
    size_t length = 0;
    while (length < rest.length && rest.bytes[length] != ' ' && rest.bytes[length] != '\t')
        length++;
    struct text reason = text_trim((struct text){rest.bytes + length, rest.length - length});
    *ignore = (struct ignore){.code = arena_copy(ignores->arena, rest.bytes, length),
                              .reason = arena_copy(ignores->arena, reason.bytes, reason.length)};
    return ignore;
}

/* ---- comments ---- */

static bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

/* The first blank-led or leading `#` that says the word; false: there is none. */
static bool find_comment(struct text line, size_t *hash, size_t *after) {
    for (size_t i = 0; i < line.length; i++) {
        if (line.bytes[i] != '#' || (i > 0 && !is_blank(line.bytes[i - 1])))
            continue;
        size_t at = i + 1;
        while (at < line.length && is_blank(line.bytes[at]))
            at++;
        struct text rest = {line.bytes + at, line.length - at};
        if (!text_starts_with(rest, WORD))
            continue;
        *hash = i;
        *after = at + sizeof WORD - 1;
        return *after == line.length || is_blank(line.bytes[*after]);
    }
    return false;
}

static bool take_line(void *context, uint32_t line, struct text text, bool whole) {
    struct ignores *ignores = context;
    if (ignores->waiting == ignores->count && (text.length == 0 || !memchr(text.bytes, '#', text.length)))
        return true;
    struct text content = text_trim(text);
    size_t hash, after;
    bool is_comment = content.length > 0 && content.bytes[0] == '#';
    (void)whole;
    if (find_comment(text, &hash, &after)) {
        struct ignore *ignore = ignores_add(ignores, (struct text){text.bytes + after, text.length - after});
        ignore->location = (struct location){ignores->file, line, (uint32_t)hash + 1};
        ignore->line = is_comment ? 0 : line;
    }
    if (content.length == 0 || is_comment)
        return true;
    for (; ignores->waiting < ignores->count; ignores->waiting++)
        if (ignores->list[ignores->waiting].line == 0)
            ignores->list[ignores->waiting].line = line;
    return true;
}

static void read_comments(struct lint *lint, struct ignores *ignores) {
    const struct inputs *inputs = lint->request->inputs;
    for (size_t i = 0; i < inputs->count; i++) {
        if (!inputs->files[i].may_ignore || inputs->files[i].state == FILE_TEMPLATE)
            continue;
        ignores->file = inputs->files[i].name;
        source_read_lines(ignores->file, take_line, ignores);
        ignores->waiting = ignores->count;
    }
}

/* ---- annotations ---- */

static void read_annotation(struct ignores *ignores, const struct object *object) {
    const struct node *annotations = node_get(node_get(object->root, "metadata"), "annotations");
    const struct node *node = node_get(annotations, ANNOTATION);
    const char *rest = node_string(node);
    while (rest && *rest) {
        size_t length = strcspn(rest, ";");
        struct text part = text_trim((struct text){rest, length});
        if (part.length > 0) {
            struct ignore *ignore = ignores_add(ignores, part);
            ignore->location = node_location(object->file, node);
            ignore->object = object;
            ignore->path = "metadata.annotations[\"" ANNOTATION "\"]";
        }
        rest += length + (rest[length] == ';');
    }
}

static void read_annotations(struct lint *lint, struct ignores *ignores) {
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
        const struct object_list *list = &lint->snapshot.objects.of[kind];
        for (size_t i = 0; object_kind_is_policy((enum object_kind)kind) && i < list->count; i++)
            read_annotation(ignores, &list->list[i]);
    }
    const struct object_list *copies = &lint->snapshot.objects.copies;
    for (size_t i = 0; i < copies->count; i++)
        read_annotation(ignores, &copies->list[i]);
}

/* ---- what they take away ---- */

/* Findings by code and object, as annotations name them; equal ones in the order of the list. */
static int compare_objects(const struct diagnostic *a, const struct diagnostic *b) {
    int order = (a->code > b->code) - (a->code < b->code);
    order = order ? order : string_compare(a->object.kind, b->object.kind);
    order = order ? order : string_compare(a->object.namespace, b->object.namespace);
    order = order ? order : string_compare(a->object.name, b->object.name);
    return order ? order : string_compare(a->location.file, b->location.file);
}

static int compare_places(const struct diagnostic *a, const struct diagnostic *b) {
    int order = (a->code > b->code) - (a->code < b->code);
    order = order ? order : string_compare(a->location.file, b->location.file);
    return order ? order : (a->location.line > b->location.line) - (a->location.line < b->location.line);
}

typedef int finding_order(const struct diagnostic *a, const struct diagnostic *b);

static int sort_by_object(const void *a, const void *b) {
    return compare_objects(*(const struct diagnostic *const *)a, *(const struct diagnostic *const *)b);
}
static int sort_by_place(const void *a, const void *b) {
    return compare_places(*(const struct diagnostic *const *)a, *(const struct diagnostic *const *)b);
}

struct order {
    const struct diagnostic **list;
    size_t count;
    finding_order *compare;
};

static struct order order_of(const struct diagnostics *findings, struct arena *arena, finding_order *compare,
                             int (*sort)(const void *, const void *)) {
    struct order order = {arena_array(arena, findings->count + 1, sizeof *order.list), findings->count, compare};
    for (size_t i = 0; i < findings->count; i++)
        order.list[i] = &findings->list[i];
    if (order.count > 1)
        qsort(order.list, order.count, sizeof *order.list, sort);
    return order;
}

/* Marks every finding that is equal to `wanted` in this order; false: there is none. The first ignore stays. */
static bool order_mark(const struct order *order, const struct diagnostic *wanted, const struct diagnostics *findings,
                       const struct ignore *ignore, const struct ignore **ignored) {
    size_t low = 0, high = order->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->compare(order->list[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = false;
    for (; low < order->count && order->compare(order->list[low], wanted) == 0; low++) {
        const struct ignore **by = &ignored[order->list[low] - findings->list];
        *by = *by ? *by : ignore;
        found = true;
    }
    return found;
}

static void mark(struct lint *lint, struct ignores *ignores, const struct ignore **ignored) {
    struct order objects = order_of(lint->findings, lint->arena, compare_objects, sort_by_object);
    struct order places = order_of(lint->findings, lint->arena, compare_places, sort_by_place);
    for (size_t i = 0; i < ignores->count; i++) {
        struct ignore *ignore = &ignores->list[i];
        struct diagnostic wanted = {.location = {.file = ignore->location.file, .line = ignore->line}};
        if (!*ignore->reason || !code_of_word(text_of(ignore->code), &wanted.code))
            continue;
        if (ignore->object)
            wanted.object = object_name_of(ignore->object);
        ignore->used = order_mark(ignore->object ? &objects : &places, &wanted, lint->findings, ignore, ignored);
    }
}

static void set_aside(struct diagnostics *untold, const struct diagnostic *finding, const struct ignore *ignore) {
    struct diagnostic_note *note = arena_alloc(untold->arena, sizeof *note);
    struct diagnostic copy = *finding;
    *note = (struct diagnostic_note){.location = ignore->location, .message = ignore->reason};
    copy.ignore = note;
    diagnostics_append(untold,
                       &(struct diagnostics){.list = &copy, .count = 1, .errors = finding->severity == SEVERITY_ERROR});
}

static void drop(struct diagnostics *findings, const struct ignore **ignored, struct diagnostics *untold) {
    size_t kept = 0;
    findings->errors = 0;
    for (size_t i = 0; i < findings->count; i++) {
        if (ignored[i]) {
            set_aside(untold, &findings->list[i], ignored[i]);
            continue;
        }
        findings->list[kept] = findings->list[i];
        findings->errors += findings->list[kept++].severity == SEVERITY_ERROR;
    }
    findings->count = kept;
}

static void complain(struct lint *lint, const struct ignore *ignore) {
    enum code code;
    struct diagnostic *finding;
    if (!*ignore->code)
        finding = diagnostics_add(lint->findings, CODE_IGNORE_WITHOUT_REASON, ignore->location,
                                  "the ignore names neither a code nor a reason, so it ignores nothing; write "
                                  "`egressc:ignore CODE reason`");
    else if (!code_of_word(text_of(ignore->code), &code))
        finding = diagnostics_add(lint->findings, CODE_UNUSED_IGNORE, ignore->location,
                                  "the ignore names `%.80s`, which is no code; write the code that a finding shows",
                                  ignore->code);
    else if (!*ignore->reason)
        finding = diagnostics_add(lint->findings, CODE_IGNORE_WITHOUT_REASON, ignore->location,
                                  "the ignore of %s gives no reason, so it ignores nothing; write why after the code",
                                  ignore->code);
    else if (!ignore->used)
        finding = diagnostics_add(lint->findings, CODE_UNUSED_IGNORE, ignore->location,
                                  "the ignore of %s matches no finding; remove it", ignore->code);
    else
        return;
    finding->path = ignore->path;
    if (ignore->object)
        finding->object = object_name_of(ignore->object);
}

void lint_ignore(struct lint *lint) {
    struct ignores ignores = {.arena = lint->arena};
    read_comments(lint, &ignores);
    read_annotations(lint, &ignores);
    if (ignores.count == 0)
        return;
    const struct ignore **ignored = arena_array(lint->arena, lint->findings->count + 1, sizeof *ignored);
    mark(lint, &ignores, ignored);
    drop(lint->findings, ignored, lint->untold);
    for (size_t i = 0; i < ignores.count; i++)
        complain(lint, &ignores.list[i]);
    diagnostics_sort(lint->findings);
}

#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

void diagnostics_init(struct diagnostics *diagnostics, struct arena *arena) {
    *diagnostics = (struct diagnostics){.arena = arena};
}

static const char *format_message(struct arena *arena, const char *format, va_list arguments) {
    struct buffer buffer;
    buffer_init(&buffer, arena);
    buffer_vprint(&buffer, format, arguments);
    return buffer_string(&buffer);
}

static void make_room(struct diagnostics *diagnostics, size_t more) {
    diagnostics->list = arena_grow(diagnostics->arena, diagnostics->list, &diagnostics->capacity,
                                   diagnostics->count + more, sizeof *diagnostics->list);
}

struct diagnostic *diagnostics_add(struct diagnostics *diagnostics, enum code code, struct location location,
                                   const char *format, ...) {
    make_room(diagnostics, 1);
    struct diagnostic *diagnostic = &diagnostics->list[diagnostics->count++];
    *diagnostic = (struct diagnostic){.code = code, .severity = code_severity(code), .location = location};
    va_list arguments;
    va_start(arguments, format);
    diagnostic->message = format_message(diagnostics->arena, format, arguments);
    va_end(arguments);
    diagnostics->errors += diagnostic->severity == SEVERITY_ERROR;
    return diagnostic;
}

void diagnostic_note(struct diagnostics *diagnostics, struct diagnostic *diagnostic, struct location location,
                     const char *format, ...) {
    struct diagnostic_note *note = arena_alloc(diagnostics->arena, sizeof *note);
    note->location = location;
    va_list arguments;
    va_start(arguments, format);
    note->message = format_message(diagnostics->arena, format, arguments);
    va_end(arguments);
    const struct diagnostic_note **end = &diagnostic->notes;
    while (*end) {
        /* Readers see notes as const; every note was made here, in memory that may be written. */
        end = &((struct diagnostic_note *)*end)->next;
    }
    *end = note;
}

void diagnostic_set_severity(struct diagnostics *diagnostics, struct diagnostic *diagnostic, enum severity severity) {
    diagnostics->errors -= diagnostic->severity == SEVERITY_ERROR;
    diagnostics->errors += severity == SEVERITY_ERROR;
    diagnostic->severity = severity;
}

void diagnostics_append(struct diagnostics *diagnostics, const struct diagnostics *more) {
    if (more->count == 0) {
        return;
    }
    make_room(diagnostics, more->count);
    memcpy(diagnostics->list + diagnostics->count, more->list, more->count * sizeof *more->list);
    diagnostics->count += more->count;
    diagnostics->errors += more->errors;
}

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_locations(const struct location *a, const struct location *b) {
    int order = string_compare(a->file, b->file);
    order = order ? order : compare_numbers(a->line, b->line);
    return order ? order : compare_numbers(a->column, b->column);
}

/* The order of output. */
static int compare_shown(const struct diagnostic *a, const struct diagnostic *b) {
    int order = compare_locations(&a->location, &b->location);
    order = order ? order : string_compare(code_word(a->code), code_word(b->code));
    return order ? order : string_compare(a->message, b->message);
}

static int compare_notes(const struct diagnostic_note *a, const struct diagnostic_note *b) {
    for (; a && b; a = a->next, b = b->next) {
        int order = compare_locations(&a->location, &b->location);
        order = order ? order : string_compare(a->message, b->message);
        if (order) {
            return order;
        }
    }
    return (a != NULL) - (b != NULL);
}

/* The order of output, then all else that is shown; 0: one is a repetition of the other. */
static int compare_all(const struct diagnostic *a, const struct diagnostic *b) {
    int order = compare_shown(a, b);
    order = order ? order : compare_numbers(a->severity, b->severity);
    order = order ? order : string_compare(a->path, b->path);
    order = order ? order : string_compare(a->value, b->value);
    order = order ? order : string_compare(a->object.kind, b->object.kind);
    order = order ? order : string_compare(a->object.namespace, b->object.namespace);
    order = order ? order : string_compare(a->object.name, b->object.name);
    return order ? order : compare_notes(a->notes, b->notes);
}

/* qsort is not stable: what compares as equal keeps the order of the list, which the pointers show. */
static int order_shown(const void *a, const void *b) {
    const struct diagnostic *const *left = a, *const *right = b;
    int order = compare_shown(*left, *right);
    return order ? order : (*left > *right) - (*left < *right);
}

static int order_all(const void *a, const void *b) {
    const struct diagnostic *const *left = a, *const *right = b;
    int order = compare_all(*left, *right);
    return order ? order : (*left > *right) - (*left < *right);
}

void diagnostics_sort(struct diagnostics *diagnostics) {
    size_t count = diagnostics->count, kept = 0;
    if (count < 2) {
        return;
    }
    const struct diagnostic **order = arena_array(diagnostics->arena, count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        order[i] = &diagnostics->list[i];
    }
    qsort(order, count, sizeof *order, order_all);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_all(order[kept - 1], order[i]) != 0) {
            order[kept++] = order[i];
        }
    }
    qsort(order, kept, sizeof *order, order_shown);
    struct diagnostic *sorted = arena_array(diagnostics->arena, kept, sizeof *sorted);
    diagnostics->errors = 0;
    for (size_t i = 0; i < kept; i++) {
        sorted[i] = *order[i];
        diagnostics->errors += sorted[i].severity == SEVERITY_ERROR;
    }
    diagnostics->list = sorted;
    diagnostics->count = diagnostics->capacity = kept;
}

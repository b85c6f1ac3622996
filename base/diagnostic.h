/*
 * Diagnostics: what is wrong, where, in one type for every stage (spec/design.md, "Errors").
 *
 * A stage appends and goes on where that is safe, so one run shows all faults. Strings are borrowed from the arena of
 * the list or live longer. Lists of several workers are appended to one another and sorted before anything is shown.
 */
#ifndef BASE_DIAGNOSTIC_H
#define BASE_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code.h"

struct arena;

/* A place in an input. Lines and columns count from 1, columns in bytes; 0 means unknown. */
struct location {
    const char *file; /* as shown to the user; "<stdin>" for standard input; NULL: no place */
    uint32_t line, column;
};

/* Which object; NULL members do not apply. */
struct object_name {
    const char *kind, *namespace, *name;
};

/* A second place, shown as an indented note. */
struct diagnostic_note {
    struct location location;
    const char *message;
    const struct diagnostic_note *next;
};

/* How a finding stands to a baseline of findings that are known. */
enum baseline_state { BASELINE_NONE, BASELINE_NEW, BASELINE_UNCHANGED, BASELINE_ABSENT };

struct diagnostic {
    enum code code;
    enum severity severity;
    const char *message; /* one sentence: what was found, the rule, what follows */
    const char *path;    /* field path from the document's root, or NULL */
    const char *value;   /* the offending value as written, or NULL */
    struct location location;
    struct object_name object;
    const char *excerpt; /* the source line for the caret, or NULL */
    const struct diagnostic_note *notes;
    enum baseline_state baseline;
    const struct diagnostic_note *ignore; /* where and why the inputs ignore it; NULL: they do not */
};

struct diagnostics {
    struct arena *arena;
    struct diagnostic *list;
    size_t count, capacity;
    size_t errors; /* how many are errors */
};

void diagnostics_init(struct diagnostics *diagnostics, struct arena *arena);

/* Appends with the code's own severity; the message is formatted into the arena. The result may be completed (path,
 * value, object, notes) until the next append. */
struct diagnostic *diagnostics_add(struct diagnostics *diagnostics, enum code code, struct location location,
                                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Appends a note to the diagnostic. */
void diagnostic_note(struct diagnostics *diagnostics, struct diagnostic *diagnostic, struct location location,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Another severity than the code's; keeps the count of errors right. */
void diagnostic_set_severity(struct diagnostics *diagnostics, struct diagnostic *diagnostic, enum severity severity);

/* Appends all of `more`; pointers are shared, so the arena of `more` must live as long. */
void diagnostics_append(struct diagnostics *diagnostics, const struct diagnostics *more);

/* Order of every output: file, line, column, code's word, message; equal ones are shown once. */
void diagnostics_sort(struct diagnostics *diagnostics);

#endif

/*
 * Baselines of `lint`: findings that are known and do not fail (spec/lint.md, "Keeping it livable").
 *
 * A baseline is a JSON file of the schema `egressc.baseline/1` that lists findings by code, object and field path (by code,
 * file and path where there is no object), not by line. A finding that stands in it twice is known twice.
 */
#ifndef ANALYZER_LINT_BASELINE_H
#define ANALYZER_LINT_BASELINE_H

#include "base/diagnostic.h"
#include "document/limits.h"

struct baseline_entry {
    enum code code;
    struct object_name object;
    const char *file;         /* of findings without an object, else NULL */
    const char *path;         /* or NULL */
    struct location location; /* in the baseline */
};

struct baseline {
    const char *name; /* of the file */
    struct baseline_entry *list;
    size_t count;
};

/* Reads a text. False: it is no baseline, and `diagnostics` says why. */
bool baseline_read(const char *name, struct text text, const struct limits *limits, struct arena *arena,
                   struct baseline *baseline, struct diagnostics *diagnostics);

/* Makes findings that the baseline lists notes, and says so on them; names the entries whose finding is gone
 * (`baseline-gone`). The findings are sorted, before and after. Appends to `next` (may be NULL) what the next baseline
 * holds: the entries that were found, and with `grow` every other error and warning.
 *
 * `untold` (may be NULL) holds what the inputs ignore: an entry of one of these is gone too. Those and all findings get
 * their state, and entries of neither are appended to `untold` as absent, at their place in the baseline. */
void baseline_apply(const struct baseline *baseline, bool grow, struct diagnostics *findings,
                    struct diagnostics *untold, struct baseline *next);

/* The file, sorted: equal for equal entries. */
void baseline_write(struct buffer *out, const struct baseline *baseline);

#endif

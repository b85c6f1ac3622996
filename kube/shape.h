/*
 * Shapes: maps of our own formats (egress config, cluster facts, grants) with a fixed set of keys.
 *
 * One table a map says which keys there are, of which type, and which code a wrong type draws (spec/config.md 1, 7).
 * Faults are reported in the order in which the document holds them.
 */
#ifndef KUBE_SHAPE_H
#define KUBE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnostic.h"
#include "document/node.h"

enum shape_type {
    SHAPE_STRING,
    SHAPE_BOOL,
    SHAPE_INTEGER, /* a float without a fraction is one */
    SHAPE_LIST,
    SHAPE_MAP,
    SHAPE_ANY /* the caller judges it */
};

struct shape_field {
    const char *name; /* NULL ends a table */
    enum shape_type type;
    enum code code;    /* of a wrong type */
    bool null_refused; /* null is a wrong type, not absent */
};

/* Where faults go, and the file that they are in. */
struct shape {
    const char *file;
    struct arena *arena;
    struct diagnostics *diagnostics;
};

/* Refuses keys that the table lacks (with the nearest one), keys that stand twice, and values of a wrong type. False:
 * there was one. `map` is a map. */
bool shape_check(const struct shape *shape, const struct node *map, const char *path, const struct shape_field *fields);

/* Refuses keys that stand twice in a map with free keys, or null as a key's text. False: there was one. */
bool shape_check_keys(const struct shape *shape, const struct node *map, const char *path);

/* Whether a document's text is small enough to look at several times: few aliases of one long string stand for more than
 * any memory holds, and count as few nodes. Refuses it otherwise, as `what`. */
bool shape_check_weight(const struct shape *shape, const struct node *root, const char *path, const char *what);

/* The value of a field that has that type; NULL: absent, null, or of another type (then shape_check said so). */
const struct node *shape_get(const struct node *map, const char *name, enum shape_type type);
/* The same for a string without NUL bytes. */
const char *shape_string(const struct node *map, const char *name);

/* Whether a value is of that type. */
bool shape_is(const struct node *value, enum shape_type type);

/* Appends a diagnostic, as all that follow do. A hostile document could draw millions in one list: of errors, and of all,
 * 10,000 are kept, and the one after them says that there are more. The result may be completed in either case. */
struct diagnostic *shape_report(struct diagnostics *diagnostics, enum code code, struct location location,
                                const char *message);

/* Appends a refusal at a node, with path and value; the message is one sentence that says what to do. */
struct diagnostic *shape_refuse(const struct shape *shape, enum code code, const struct node *node, const char *path,
                                const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same for a value that has another type than `wanted` ("a string"). */
void shape_refuse_type(const struct shape *shape, enum code code, const struct node *node, const char *path,
                       enum shape_type wanted);

/* A value for messages: strings in quotes, maps and lists as short JSON; never long. */
const char *shape_quote(struct arena *arena, const struct node *node);

#endif

/*
 * Label keys and values.
 *
 * Source: spec/kubernetes-egress.md 2 (and 3.1 for annotation keys). The ABNF:
 *
 *   key    = [prefix "/"] name
 *   prefix = subdomain                                    ; of grammar/name.h: lower case, at most 253 bytes
 *   name   = alnum [*(alnum / "-" / "_" / ".") alnum]     ; 1 to 63 bytes
 *   value  = "" / name
 *   alnum  = ALPHA / DIGIT
 *
 * Refused in a key, in this order: an empty key; a second slash; a prefix that is no subdomain; then what is wrong with
 * the name: empty, longer than 63, or the first byte that cannot stand. In a value: longer than 63, or such a byte.
 */
#ifndef GRAMMAR_LABEL_H
#define GRAMMAR_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { LABEL_NAME_MAX = 63, LABEL_VALUE_MAX = 63 };

enum label_fault {
    LABEL_OK,
    LABEL_EMPTY,      /* an empty key */
    LABEL_SLASHES,    /* more than one slash */
    LABEL_PREFIX,     /* the prefix is no DNS subdomain of at most 253 bytes (an empty one, "/name", neither) */
    LABEL_NAME_EMPTY, /* nothing after the slash */
    LABEL_LONG,       /* a name or value over 63 bytes */
    LABEL_BYTE,       /* a byte outside the alphabet */
    LABEL_START,      /* begins with - _ or . */
    LABEL_END         /* ends with - _ or . */
};

/* The two sides of the first slash; without one the prefix is empty and has_prefix is false. */
struct label_key {
    struct text prefix, name;
    bool has_prefix;
};
struct label_key label_key_split(struct text key);

/* The first thing that is wrong; *offset (may be NULL) is the byte it begins at. */
enum label_fault label_key_check(struct text key, size_t *offset);
enum label_fault label_value_check(struct text value, size_t *offset);

/* Keys of annotations: as label keys, judged in their lower-cased form, so a prefix may have capitals. */
enum label_fault label_annotation_key_check(struct text key, size_t *offset);

/* One clause that says what is wrong. */
const char *label_fault_text(enum label_fault fault);

#endif

/*
 * Names of objects and namespaces.
 *
 * Sources: RFC 1123 2.1 as Kubernetes reads it; spec/kubernetes-egress.md 3.1. The ABNF:
 *
 *   label     = part                      ; 1 to 63 bytes: namespaces, profiles
 *   subdomain = part *("." part)          ; 1 to 253 bytes; parts have no limit of their own: most object names
 *   part      = alnum *("-" / alnum) and its last byte an alnum
 *   alnum     = %x61-7A / DIGIT           ; a to z, 0 to 9
 *
 * Refused, in this order: an empty name; more bytes than the limit; then the first byte that cannot stand.
 */
#ifndef GRAMMAR_NAME_H
#define GRAMMAR_NAME_H

#include <stddef.h>

#include "base/text.h"

enum { NAME_LABEL_MAX = 63, NAME_SUBDOMAIN_MAX = 253 };

enum name_fault {
    NAME_OK,
    NAME_EMPTY,
    NAME_LONG,
    NAME_CAPITAL,    /* A to Z */
    NAME_BYTE,       /* any other byte outside the alphabet */
    NAME_DOT,        /* a dot in a label */
    NAME_EMPTY_PART, /* a dot at either end, or two in a row */
    NAME_START,      /* a hyphen at the start of a part */
    NAME_END         /* a hyphen at the end of a part */
};

/* The first thing that is wrong; *offset (may be NULL) is the byte it begins at, 0 where nothing is wrong. For a name
 * that is too long that is the first byte beyond the limit. */
enum name_fault name_check_label(struct text name, size_t *offset);
enum name_fault name_check_subdomain(struct text name, size_t *offset);

/* A namespace is a label. */
enum name_fault name_check_namespace(struct text name, size_t *offset);

/* metadata.generateName of a kind whose names are subdomains: one closing hyphen may stand. */
enum name_fault name_check_generate(struct text name, size_t *offset);

/* One clause that says what is wrong. */
const char *name_fault_text(enum name_fault fault);

#endif

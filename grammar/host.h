/*
 * Host entries of a config (allowedHosts, resolvedHosts, a grant's allowedHosts) and DNS names.
 *
 * Sources: spec/config.md 2 "Host entries" (the judgements and their order) and "Also refused"; RFC 1035 2.3.1 and
 * RFC 1123 2.1 for names. The ABNF, over the lower-cased text:
 *
 *   entry  = ["."] name                       ; with the dot: the domain and all its subdomains
 *   name   = label *("." label)               ; at most 253 bytes
 *   label  = alnum [*(alnum / "-") alnum]     ; at most 63 bytes
 *   alnum  = %x61-7A / DIGIT
 *
 * and an entry with the dot has two labels or more, and the last label of no entry is all digits. What is refused, in
 * order, is enum host_fault. Only ASCII letters are folded, so whatever folds to ASCII elsewhere (the Kelvin sign) is
 * refused as no name.
 */
#ifndef GRAMMAR_HOST_H
#define GRAMMAR_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct arena;

enum { HOST_NAME_MAX_LENGTH = 253, HOST_LABEL_MAX_LENGTH = 63 };

/* Numbered as the judgements of the spec, in their order; the last one stands under "Also refused". */
enum host_fault {
    HOST_OK = 0,
    HOST_NOT_STRING = 1, /* never found here: for callers, so that one table holds all texts */
    HOST_EMPTY = 2,
    HOST_ONLY_DOT = 3,  /* nothing after the leading dot */
    HOST_STAR = 4,      /* contains an asterisk */
    HOST_NOT_NAME = 5,  /* not a DNS name; the offset is the first byte that cannot stand */
    HOST_LONG = 6,      /* over 253 bytes without the leading dot */
    HOST_TOP_LEVEL = 7, /* a leading dot before a single label */
    HOST_NUMERIC = 8,   /* the last label is all digits: an IPv4 address */
    HOST_LABEL_LONG = 9 /* a label over 63 bytes */
};

struct host_entry {
    struct text name;  /* without the leading dot, as written */
    bool leading_dot;  /* the domain and all its subdomains */
    bool has_capitals; /* refused with tlsServerNames in a config, by the caller */
};

/* The first judgement that the entry fails. *parts (may be NULL) is set when it fails none; *offset (may be NULL) is the
 * byte where the fault begins. */
enum host_fault host_entry_check(struct text entry, struct host_entry *parts, size_t *offset);

/* A DNS name without a leading dot, for cluster domains and search suffixes: judgements 2, 4, 5, 6 and 9. A single label
 * and a last label of digits are names. */
enum host_fault host_name_check(struct text name, size_t *offset);

/* The entry in ASCII lower case, NUL-terminated, in the arena: how grants emit hosts. */
char *host_lower(struct arena *arena, struct text entry);

/* One clause that says what is wrong and what to write. */
const char *host_fault_text(enum host_fault fault);

#endif

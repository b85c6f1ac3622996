/*
 * Ports: numbers, the names of core objects, and the strings of Cilium policies.
 *
 * Sources: spec/config.md 5 and 6 (numbers); spec/kubernetes-egress.md 1.8 and RFC 6335 5.1 (core names);
 * spec/cilium-egress.md 4.1 (Cilium). The ABNF:
 *
 *   number      = %x31-39 *DIGIT                      ; 1 to 65535
 *   core-name   = 1*15(lower / DIGIT / "-")           ; a letter somewhere, no hyphen at an end, no two in a row
 *   cilium-port = cilium-name / cilium-number         ; tried in this order
 *   cilium-name = 1*15(ALPHA / DIGIT / "-")           ; as core-name, of either case
 *   cilium-number = DIGITS of the base of the prefix  ; 0 to 65535, as Go reads integers of base 0:
 *                                                     ; 0b, 0o, 0x, or 0 alone (octal), else decimal; single
 *                                                     ; underscores after a digit or a prefix and before a digit
 *
 * Refused: in a number, anything else, leading zeros too; in a core name, each rule of enum port_name_fault by itself; in
 * a Cilium port, enum cilium_port_fault. Short prefixed forms without an underscore ("0x10") are names, not numbers.
 */
#ifndef GRAMMAR_PORT_H
#define GRAMMAR_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { PORT_MAX = 65535, PORT_NAME_MAX = 15 };

/* Decimal text of 1 to 65535 without leading zeros. */
bool port_number(struct text text, uint16_t *port);

/* Whether an integer of a document is 1 to 65535. */
bool port_in_range(int64_t value);

/* Rules that a core port name breaks; an API server reports one error for each. */
enum port_name_fault {
    PORT_NAME_OK = 0,
    PORT_NAME_LONG = 1,          /* over 15 bytes */
    PORT_NAME_BYTE = 2,          /* empty, or a byte other than a to z, 0 to 9 and the hyphen */
    PORT_NAME_NO_LETTER = 4,     /* no a to z */
    PORT_NAME_DOUBLE_HYPHEN = 8, /* two hyphens in a row */
    PORT_NAME_EDGE_HYPHEN = 16   /* a hyphen at either end */
};

/* The set of broken rules; the lowest bit is the first one, and *offset (may be NULL) is where that one begins. */
unsigned port_name_check(struct text name, size_t *offset);

/* The first fault of a set. */
enum port_name_fault port_name_first(unsigned faults);

/* One clause for one fault. */
const char *port_name_fault_text(enum port_name_fault fault);

enum cilium_port_kind { CILIUM_PORT_NUMBER, CILIUM_PORT_NAME, CILIUM_PORT_INVALID };

enum cilium_port_fault {
    CILIUM_PORT_OK,
    CILIUM_PORT_EMPTY,
    CILIUM_PORT_NO_NUMBER,  /* neither a name nor the digits of a number */
    CILIUM_PORT_DIGIT,      /* decimal digits that the base of the prefix lacks ("08") */
    CILIUM_PORT_UNDERSCORE, /* an underscore that separates no two digits */
    CILIUM_PORT_RANGE       /* over 65535 */
};

struct cilium_port_reading {
    enum cilium_port_kind kind;   /* as the agent reads it; INVALID: the agent refuses the object */
    uint16_t number;              /* of NUMBER; 0 means every port */
    char name[PORT_NAME_MAX + 1]; /* of NAME: lower-cased, NUL-terminated */
    enum cilium_port_fault fault; /* of INVALID */
    size_t fault_at;              /* of INVALID: the byte offset of what is wrong */
    bool crd_accepts;             /* whether the published pattern takes it (else the API server refuses the object) */
};

enum cilium_port_kind cilium_port_parse(struct text text, struct cilium_port_reading *port);

/* Whether the CRD's pattern takes the text: it begins with a digit, or its longest tail of alphanumerics with single
 * inner hyphens holds a letter. The pattern's alternatives are each anchored at one end only. */
bool cilium_port_crd_accepts(struct text text);

/* One clause that says what is wrong. */
const char *cilium_port_fault_text(enum cilium_port_fault fault);

#endif

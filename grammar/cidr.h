/*
 * CIDRs: an address, a slash and a prefix length.
 *
 * Sources: RFC 4632 3.1 and RFC 4291 2.3; spec/kubernetes-egress.md 1.6 (what API servers read, by version) and
 * spec/config.md 2 and "Also refused" (what a config may write). The ABNF, over that of grammar/address.h:
 *
 *   cidr   = (ipv4 / ipv6) "/" prefix
 *   prefix = 1*DIGIT                    ; 0 to 32 or 0 to 128; strict: no leading zeros, not 0
 *
 * The lax reading (cidr_parse) refuses: an empty text, no slash, an address that is none under the lax reading, a prefix
 * length that is no number or over the family's bits. It tells what stricter readers refuse by flags; an API server that
 * is strict (1.36 and later) reports the first of leading zeros, mapped, host bits.
 * The strict reading (cidr_parse_strict) refuses more: see enum cidr_strict_fault, in the order of the checks.
 */
#ifndef GRAMMAR_CIDR_H
#define GRAMMAR_CIDR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "grammar/address.h"

enum cidr_fault { CIDR_OK, CIDR_EMPTY, CIDR_NO_PREFIX, CIDR_BAD_ADDRESS, CIDR_BAD_PREFIX };

enum cidr_flag {
    CIDR_LEADING_ZEROS = 1, /* in an octet or in the prefix length */
    CIDR_MAPPED = 2,        /* all of it inside ::ffff:0:0/96: prefix length 96 or more; Go reads IPv4 */
    CIDR_HOST_BITS = 4,     /* address bits beyond the prefix length */
    CIDR_NOT_CANONICAL = 8  /* spelled otherwise than RFC 5952 and decimal without leading zeros would */
};

struct cidr {
    struct address address;     /* as written, leading zeros dropped, host bits kept */
    struct address first, last; /* the range, host bits masked away; both inclusive */
    unsigned prefix;            /* as written: 0 to 32 or 128 */
    unsigned flags;             /* of enum cidr_flag */
    /* Octets with leading zeros read in base 8 (the prefix length stays decimal); only with CIDR_LEADING_ZEROS. Equal to
     * first and last where only the prefix length has leading zeros; not valid where a digit is 8 or 9. */
    struct address octal_first, octal_last;
    bool octal_valid;
    struct address mapped_first, mapped_last; /* only with CIDR_MAPPED: the range as IPv4 */
    size_t fault_at;                          /* with a fault: the byte offset of what is wrong */
};

/* The lax reading. With a fault only fault_at is set. */
enum cidr_fault cidr_parse(struct text text, struct cidr *cidr);

/* Whether all of `inner` is in `outer`, by family and range; equal ranges are. Families never contain each other. */
bool cidr_contains(const struct cidr *outer, const struct cidr *inner);

/* One clause that says what is wrong. */
const char *cidr_fault_text(enum cidr_fault fault);

/* Why a config may not write this CIDR, in the order of the checks. Host bits are no fault. */
enum cidr_strict_fault {
    CIDR_STRICT_OK,
    CIDR_STRICT_EMPTY,
    CIDR_STRICT_NO_PREFIX,
    CIDR_STRICT_BAD_ADDRESS,   /* not a dotted quad and not RFC 4291 text */
    CIDR_STRICT_ADDRESS_ZEROS, /* leading zeros in an octet */
    CIDR_STRICT_BAD_PREFIX,    /* no number, or over the family's bits */
    CIDR_STRICT_PREFIX_ZEROS,  /* leading zeros in the prefix length */
    CIDR_STRICT_MAPPED,        /* an IPv4-mapped address, whatever the prefix length */
    CIDR_STRICT_ZERO_PREFIX    /* prefix length 0 */
};

/* The strict reading. With a fault only fault_at is set. */
enum cidr_strict_fault cidr_parse_strict(struct text text, struct cidr *cidr);

/* One clause that says what is wrong. */
const char *cidr_strict_fault_text(enum cidr_strict_fault fault);

#endif

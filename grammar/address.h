/*
 * Addresses: IPv4 dotted quads and IPv6 text.
 *
 * Sources: RFC 4291 2.2 (IPv6 text), RFC 5952 (its canonical form), RFC 3986 3.2.2 for the dotted quad without leading
 * zeros; spec/kubernetes-egress.md 1.6 for the lax reading. RFC 4291 gives no grammar of its own, so this is ours:
 *
 *   ipv4   = octet 3("." octet)              ; strict: no leading zeros; lax: any number of leading zeros, read as decimal
 *   octet  = 1*DIGIT                         ; 0 to 255
 *   ipv6   = 7(group ":") (group)            ; eight groups, of which the last two may be an ipv4,
 *          / [groups] "::" [groups]          ; or fewer, "::" standing for one zero group or more
 *   groups = *(group ":") (group / ipv4)     ; an ipv4 only at the very end
 *   group  = 1*4HEXDIG                       ; either case
 *
 * Refused: zones (fe80::1%eth0), brackets, blanks, short IPv4 (10.1), a second "::", a "::" that stands for no group, a
 * single colon at either end, groups of five digits, and in strict text leading zeros in a dotted quad.
 */
#ifndef GRAMMAR_ADDRESS_H
#define GRAMMAR_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum address_family { ADDRESS_IPV4, ADDRESS_IPV6 };

/* Big-endian. IPv4 is in the first 4 bytes and the rest is 0. */
struct address {
    enum address_family family;
    uint8_t bytes[16];
};

/* Both readings of one text. */
struct address_reading {
    struct address decimal; /* leading zeros of octets dropped: what API servers do */
    struct address octal;   /* octets with leading zeros read in base 8: what libc-style readers do */
    bool leading_zeros;     /* some octet has them; else both readings are equal */
    size_t zeros_at;        /* where the first such octet begins */
    bool octal_valid;       /* the octal reading exists (an 8 or 9 in such an octet takes it away) */
    size_t fault_at;        /* if the text is no address: the first byte that cannot stand */
};

/* Strict text. False: it is none, and *address is untouched. */
bool address_parse(struct text text, struct address *address);

/* The lax reading of API servers: strict text, and leading zeros in octets. False: only fault_at is set. */
bool address_parse_lax(struct text text, struct address_reading *reading);

/* The canonical text (RFC 5952; IPv4-mapped addresses with a dotted quad), NUL-terminated; returns its length. */
size_t address_print(const struct address *address, char out[static 46]);

/* IPv4 before IPv6, then by bytes; negative, 0 or positive. */
int address_compare(const struct address *a, const struct address *b);

/* Whether the address is IPv6 of ::ffff:0:0/96. */
bool address_is_mapped(const struct address *address);

/* Bits of the family's addresses: 32 or 128. */
unsigned address_bits(enum address_family family);

#endif

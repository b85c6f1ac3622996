/*
 * DNS names and name patterns of Cilium policies: matchName, matchPattern and serverNames.
 *
 * Source: the patterns that the CRD schemas publish (spec/cilium-egress.md 3.5, 5.4). The published expression for names
 * nests repeats and backtracks without bound, so these are hand parsers of the same languages, linear in the length;
 * tests compare them with the published expressions. What a pattern means is no matter of this file. The ABNF:
 *
 *   name        = 1*LNAME *("." 1*LNAME) ["."]
 *   pattern     = 1*LPATTERN *("." 1*LPATTERN) ["."]
 *   server-name = [("*." / "**.")] name                ; from Cilium 1.18 on
 *   LNAME       = ALPHA / DIGIT / "-" / "_"
 *   LPATTERN    = LNAME / "*"
 *
 * Refused: an empty text; a dot at the start or two in a row; any other byte. Last of all: more than 255 bytes, which
 * the CRD refuses from Cilium 1.17 on and the agent from 1.19 on, so for older versions that fault is none.
 */
#ifndef GRAMMAR_FQDN_H
#define GRAMMAR_FQDN_H

#include <stddef.h>

#include "base/text.h"

enum { FQDN_MAX_LENGTH = 255 };

enum fqdn_fault {
    FQDN_OK,
    FQDN_EMPTY,       /* nothing, or nothing after the stars of a server name */
    FQDN_EMPTY_LABEL, /* a dot at the start, or two in a row */
    FQDN_STAR,        /* an asterisk where none may stand */
    FQDN_BYTE,        /* any other byte outside the alphabet */
    FQDN_LONG         /* over 255 bytes and otherwise right: refused by 1.17 (CRD) and 1.19 (agent) and later */
};

/* The first thing that is wrong; *offset (may be NULL) is the byte it begins at. */
enum fqdn_fault fqdn_check_name(struct text name, size_t *offset);
enum fqdn_fault fqdn_check_pattern(struct text pattern, size_t *offset);
enum fqdn_fault fqdn_check_server_name(struct text name, size_t *offset);

/* One clause that says what is wrong. */
const char *fqdn_fault_text(enum fqdn_fault fault);

#endif

/*
 * Versions of Kubernetes and Cilium.
 *
 * Source: spec/config.md 9. The ABNF:
 *
 *   version = ["v"] number "." number ["." number] [suffix]
 *   number  = "0" / (%x31-39 *DIGIT)                 ; at most 999999
 *   suffix  = ("-" / "+") *VCHAR                     ; dropped: v1.29.4-gke.1043000, 1.30.2+k3s1
 *
 * Without a patch all patches are meant. Refused: see enum version_fault, in the order of the text.
 */
#ifndef GRAMMAR_VERSION_H
#define GRAMMAR_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct version {
    unsigned major, minor, patch; /* patch is 0 without one */
    bool has_patch;
};

enum version_fault {
    VERSION_OK,
    VERSION_EMPTY,
    VERSION_MAJOR,    /* no number at the start */
    VERSION_NO_MINOR, /* no dot after MAJOR: all of it is one number */
    VERSION_MINOR,    /* no number after the first dot */
    VERSION_PATCH,    /* no number after the second dot */
    VERSION_REST      /* something after the last number that is no suffix */
};

/* The first thing that is wrong; *offset (may be NULL) is the byte it begins at. *version is set when nothing is. */
enum version_fault version_parse(struct text text, struct version *version, size_t *offset);

/* Whether MAJOR.MINOR is at least the given one; the patch does not count. */
bool version_at_least(const struct version *version, unsigned major, unsigned minor);

/* One clause that says what is wrong. */
const char *version_fault_text(enum version_fault fault);

#endif

/*
 * Keys of Cilium selectors: a source and a label key.
 *
 * Source: spec/cilium-egress.md 1.2. The agent joins source and key by a dot and judges the result as a label key (up to
 * 1.19, so the source counts toward the 63 bytes of a name: github.com/cilium/cilium/issues/47817). The ABNF, over that
 * of grammar/label.h:
 *
 *   selector-key = [source ":"] key
 *   source       = 1*(ALPHA / DIGIT)    ; without one: any
 *   key          = text such that source "." key is a label key
 *
 * Refused, in this order: an empty text; a second colon; a source that is empty or not alphanumeric; then what is wrong
 * with the key.
 */
#ifndef GRAMMAR_CILIUM_LABEL_H
#define GRAMMAR_CILIUM_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "grammar/label.h"

enum cilium_source {
    CILIUM_SOURCE_ANY, /* written, or none written: matches the key of every source */
    CILIUM_SOURCE_K8S,
    CILIUM_SOURCE_RESERVED,
    CILIUM_SOURCE_CIDR,
    CILIUM_SOURCE_CIDRGROUP,
    CILIUM_SOURCE_FQDN,
    CILIUM_SOURCE_NODE,
    CILIUM_SOURCE_OTHER /* alphanumeric, and none of these: matches labels of that source, which no pod has */
};

enum cilium_label_fault {
    CILIUM_LABEL_OK,
    CILIUM_LABEL_EMPTY,     /* an empty text */
    CILIUM_LABEL_COLONS,    /* more than one colon */
    CILIUM_LABEL_NO_SOURCE, /* nothing before the colon */
    CILIUM_LABEL_SOURCE,    /* a byte of the source that is not alphanumeric */
    CILIUM_LABEL_KEY        /* the key is no label key; label_fault says why */
};

struct cilium_label {
    enum cilium_source source;
    struct text source_text;      /* as written; "any" where none is */
    struct text key;              /* what follows the colon */
    bool has_source;              /* a source was written */
    enum label_fault label_fault; /* with CILIUM_LABEL_KEY */
};

/* Splits and judges. *label is filled as far as the text goes, also with CILIUM_LABEL_KEY; *offset (may be NULL) is the
 * byte where the fault begins. */
enum cilium_label_fault cilium_label_parse(struct text text, struct cilium_label *label, size_t *offset);

/* The word of a source, "k8s" and so on; of OTHER: "other". */
const char *cilium_source_word(enum cilium_source source);

/* One clause that says what is wrong; with CILIUM_LABEL_KEY label_fault_text says more. */
const char *cilium_label_fault_text(enum cilium_label_fault fault);

#endif

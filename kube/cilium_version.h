/*
 * Classes of Cilium versions that read policies alike (spec/cilium-egress.md 12).
 */
#ifndef KUBE_CILIUM_VERSION_H
#define KUBE_CILIUM_VERSION_H

#include <stdint.h>

#include "kube/facts.h"

enum cilium_class {
    CILIUM_1_15,
    CILIUM_1_16_0, /* to 1.16.3: a range that covers a port bypasses its L7 rules */
    CILIUM_1_16_4,
    CILIUM_1_17_0, /* to 1.17.4: L7 rules refuse other names under enableDefaultDeny: false */
    CILIUM_1_17_5,
    CILIUM_1_18,
    CILIUM_1_19,
    CILIUM_CLASS_COUNT
};

typedef uint8_t cilium_classes; /* bits 1 << enum cilium_class */

/* "1.16.0-1.16.3", "1.18". */
const char *cilium_class_word(enum cilium_class class);

/* The classes that the facts leave open: of the version; without a patch number all of that minor; without a version
 * those of 1.17 to 1.19. */
cilium_classes cilium_classes_of(const struct cluster_facts *facts);

static inline cilium_classes cilium_from(enum cilium_class first) {
    return (cilium_classes)(((1u << CILIUM_CLASS_COUNT) - 1u) & ~((1u << first) - 1u));
}
static inline cilium_classes cilium_before(enum cilium_class end) { return (cilium_classes)((1u << end) - 1u); }

#endif

#include "grammar/cilium_label.h"

#include <string.h>

#include "base/ascii.h"
#include "grammar/name.h"

static const char *const source_words[] = {
    [CILIUM_SOURCE_ANY] = "any",
    [CILIUM_SOURCE_K8S] = "k8s",
    [CILIUM_SOURCE_RESERVED] = "reserved",
    [CILIUM_SOURCE_CIDR] = "cidr",
    [CILIUM_SOURCE_CIDRGROUP] = "cidrgroup",
    [CILIUM_SOURCE_FQDN] = "fqdn",
    [CILIUM_SOURCE_NODE] = "node",
    [CILIUM_SOURCE_OTHER] = "other",
};

const char *cilium_source_word(enum cilium_source source) { return source_words[source]; }

static enum cilium_source source_of(struct text word) {
    for (int source = CILIUM_SOURCE_ANY; source < CILIUM_SOURCE_OTHER; source++)
        if (text_is(word, source_words[source]))
            return (enum cilium_source)source;
    return CILIUM_SOURCE_OTHER;
}

/* The longest source and dot, a prefix and a slash, and a name; whatever is longer is too long by any rule. */
enum { JOINED_MAX = 512 };

/* Judges source "." key; offsets come back counted from the key. */
static enum label_fault check_joined(const struct cilium_label *label, size_t *offset) {
    char joined[JOINED_MAX];
    size_t before = label->source_text.length + 1;
    *offset = 0;
    if (before + label->key.length > sizeof joined)
        return LABEL_LONG;
    memcpy(joined, label->source_text.bytes, label->source_text.length);
    joined[before - 1] = '.';
    if (label->key.length > 0)
        memcpy(joined + before, label->key.bytes, label->key.length);
    enum label_fault fault = label_key_check((struct text){joined, before + label->key.length}, offset);
    *offset = *offset > before ? *offset - before : 0;
    return fault;
}

static enum cilium_label_fault check_source(struct text source, size_t *offset) {
    if (source.length == 0)
        return CILIUM_LABEL_NO_SOURCE;
    for (size_t i = 0; i < source.length; i++)
        if (!ascii_is_alphanumeric(source.bytes[i])) {
            *offset = i;
            return CILIUM_LABEL_SOURCE;
        }
    return CILIUM_LABEL_OK;
}

static enum cilium_label_fault parse(struct text text, struct cilium_label *label, size_t *offset) {
    if (text.length == 0)
        return CILIUM_LABEL_EMPTY;
    const char *colon = memchr(text.bytes, ':', text.length);
    if (colon != NULL) {
        size_t length = (size_t)(colon - text.bytes);
        label->has_source = true;
        label->source_text = (struct text){text.bytes, length};
        label->key = (struct text){colon + 1, text.length - length - 1};
        const char *second = label->key.length == 0 ? NULL : memchr(colon + 1, ':', label->key.length);
        if (second != NULL) {
            *offset = (size_t)(second - text.bytes);
            return CILIUM_LABEL_COLONS;
        }
        enum cilium_label_fault fault = check_source(label->source_text, offset);
        if (fault != CILIUM_LABEL_OK)
            return fault;
        label->source = source_of(label->source_text);
    }
    label->label_fault = check_joined(label, offset);
    if (label->label_fault == LABEL_OK)
        return CILIUM_LABEL_OK;
    *offset += text.length - label->key.length;
    return CILIUM_LABEL_KEY;
}

enum cilium_label_fault cilium_label_parse(struct text text, struct cilium_label *label, size_t *offset) {
    size_t at = 0;
    *label = (struct cilium_label){.source_text = text_of("any"), .key = text};
    enum cilium_label_fault fault = parse(text, label, &at);
    offset_set(offset, fault == CILIUM_LABEL_OK ? 0 : at);
    return fault;
}

const char *cilium_label_fault_text(enum cilium_label_fault fault) {
    static const char *const texts[] = {
        [CILIUM_LABEL_OK] = "nothing is wrong",
        [CILIUM_LABEL_EMPTY] = "the label key is empty",
        [CILIUM_LABEL_COLONS] = "the label key has more than one colon",
        [CILIUM_LABEL_NO_SOURCE] = "the label key has nothing before the colon, where its source stands",
        [CILIUM_LABEL_SOURCE] = "the source before the colon has a character other than letters and digits",
        [CILIUM_LABEL_KEY] = "source and key, joined by a dot, are no label key",
    };
    return texts[fault];
}

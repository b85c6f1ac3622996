#include "grammar/label.h"

#include <string.h>

#include "base/ascii.h"
#include "grammar/name.h"

struct label_key label_key_split(struct text key) {
    const char *slash = key.length == 0 ? NULL : memchr(key.bytes, '/', key.length);
    if (slash == NULL)
        return (struct label_key){.prefix = {key.bytes, 0}, .name = key};
    size_t length = (size_t)(slash - key.bytes);
    return (struct label_key){
        .prefix = {key.bytes, length},
        .name = {slash + 1, key.length - length - 1},
        .has_prefix = true,
    };
}

static bool is_inner(char byte) { return byte == '-' || byte == '_' || byte == '.'; }

static enum label_fault check_byte(struct text name, size_t i) {
    char byte = name.bytes[i];
    if (ascii_is_alphanumeric(byte))
        return LABEL_OK;
    if (!is_inner(byte))
        return LABEL_BYTE;
    if (i == 0)
        return LABEL_START;
    return i + 1 == name.length ? LABEL_END : LABEL_OK;
}

/* A name that is not empty, or a value; offsets count from `start`. */
static enum label_fault check_name(struct text name, size_t start, size_t *offset) {
    if (name.length > LABEL_NAME_MAX) {
        offset_set(offset, start + LABEL_NAME_MAX);
        return LABEL_LONG;
    }
    for (size_t i = 0; i < name.length; i++) {
        enum label_fault fault = check_byte(name, i);
        if (fault != LABEL_OK) {
            offset_set(offset, start + i);
            return fault;
        }
    }
    return LABEL_OK;
}

/* Lower-cases into `lowered` where the rule folds case; a prefix over the limit is judged as it stands. */
static enum name_fault check_prefix(struct text prefix, bool folds_case, size_t *offset) {
    char lowered[NAME_SUBDOMAIN_MAX];
    if (!folds_case || prefix.length > sizeof lowered)
        return name_check_subdomain(prefix, offset);
    for (size_t i = 0; i < prefix.length; i++)
        lowered[i] = ascii_lower(prefix.bytes[i]);
    return name_check_subdomain((struct text){lowered, prefix.length}, offset);
}

static enum label_fault check_key(struct text key, bool folds_case, size_t *offset) {
    struct label_key parts = label_key_split(key);
    size_t start = key.length - parts.name.length;
    offset_set(offset, 0);
    if (key.length == 0)
        return LABEL_EMPTY;
    const char *second = parts.name.length == 0 ? NULL : memchr(parts.name.bytes, '/', parts.name.length);
    if (parts.has_prefix && second != NULL) {
        offset_set(offset, (size_t)(second - key.bytes));
        return LABEL_SLASHES;
    }
    if (parts.has_prefix && check_prefix(parts.prefix, folds_case, offset) != NAME_OK)
        return LABEL_PREFIX;
    if (parts.name.length == 0) {
        offset_set(offset, start);
        return LABEL_NAME_EMPTY;
    }
    return check_name(parts.name, start, offset);
}

enum label_fault label_key_check(struct text key, size_t *offset) { return check_key(key, false, offset); }

enum label_fault label_annotation_key_check(struct text key, size_t *offset) { return check_key(key, true, offset); }

enum label_fault label_value_check(struct text value, size_t *offset) {
    offset_set(offset, 0);
    return check_name(value, 0, offset);
}

const char *label_fault_text(enum label_fault fault) {
    static const char *const texts[] = {
        [LABEL_OK] = "nothing is wrong",
        [LABEL_EMPTY] = "the label key is empty",
        [LABEL_SLASHES] = "the label key has more than one slash",
        [LABEL_PREFIX] = "the part before the slash is not a DNS subdomain of at most 253 characters in lower case",
        [LABEL_NAME_EMPTY] = "the label key has nothing after the slash",
        [LABEL_LONG] = "the name of a label key, or a label value, has more than 63 characters",
        [LABEL_BYTE] = "it has a character other than letters, digits, hyphens, underscores and dots",
        [LABEL_START] = "it begins with a character other than a letter or a digit",
        [LABEL_END] = "it ends with a character other than a letter or a digit",
    };
    return texts[fault];
}

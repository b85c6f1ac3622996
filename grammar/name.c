#include "grammar/name.h"

#include "base/ascii.h"

struct rule {
    size_t limit;
    bool dots;           /* parts may be joined by dots */
    bool closing_hyphen; /* one hyphen may close the name */
};

/* What is wrong with byte `i`, given that all before it stands. */
static enum name_fault check_byte(struct text name, size_t i, const struct rule *rule) {
    char byte = name.bytes[i];
    bool starts = i == 0 || name.bytes[i - 1] == '.';
    bool last = i + 1 == name.length;
    if (ascii_is_lower(byte) || ascii_is_digit(byte))
        return NAME_OK;
    if (byte == '-' && starts)
        return NAME_START;
    if (byte == '-' && last)
        return rule->closing_hyphen ? NAME_OK : NAME_END;
    if (byte == '-')
        return rule->dots && name.bytes[i + 1] == '.' ? NAME_END : NAME_OK;
    if (byte == '.' && !rule->dots)
        return NAME_DOT;
    if (byte == '.')
        return starts || last ? NAME_EMPTY_PART : NAME_OK;
    return ascii_is_upper(byte) ? NAME_CAPITAL : NAME_BYTE;
}

static enum name_fault check(struct text name, const struct rule *rule, size_t *offset) {
    offset_set(offset, 0);
    if (name.length == 0)
        return NAME_EMPTY;
    if (name.length > rule->limit) {
        offset_set(offset, rule->limit);
        return NAME_LONG;
    }
    for (size_t i = 0; i < name.length; i++) {
        enum name_fault fault = check_byte(name, i, rule);
        if (fault != NAME_OK) {
            offset_set(offset, i);
            return fault;
        }
    }
    return NAME_OK;
}

enum name_fault name_check_label(struct text name, size_t *offset) {
    return check(name, &(const struct rule){.limit = NAME_LABEL_MAX}, offset);
}

enum name_fault name_check_subdomain(struct text name, size_t *offset) {
    return check(name, &(const struct rule){.limit = NAME_SUBDOMAIN_MAX, .dots = true}, offset);
}

enum name_fault name_check_namespace(struct text name, size_t *offset) { return name_check_label(name, offset); }

enum name_fault name_check_generate(struct text name, size_t *offset) {
    const struct rule rule = {.limit = NAME_SUBDOMAIN_MAX, .dots = true, .closing_hyphen = true};
    return check(name, &rule, offset);
}

const char *name_fault_text(enum name_fault fault) {
    static const char *const texts[] = {
        [NAME_OK] = "nothing is wrong",
        [NAME_EMPTY] = "the name is empty",
        [NAME_LONG] = "the name is too long: a label has at most 63 characters, a subdomain at most 253",
        [NAME_CAPITAL] = "the name has a capital letter; only a to z, 0 to 9 and hyphens are allowed",
        [NAME_BYTE] = "the name has a character other than a to z, 0 to 9 and the hyphen",
        [NAME_DOT] = "the name has a dot, which a DNS label may not have",
        [NAME_EMPTY_PART] = "the name has a dot with nothing before or after it",
        [NAME_START] = "the name, or a part of it between dots, begins with a hyphen",
        [NAME_END] = "the name, or a part of it between dots, ends with a hyphen",
    };
    return texts[fault];
}

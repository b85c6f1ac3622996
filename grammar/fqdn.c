#include "grammar/fqdn.h"

#include "base/ascii.h"

static enum fqdn_fault check_byte(struct text text, size_t start, size_t i, bool stars) {
    char byte = text.bytes[i];
    if (ascii_is_alphanumeric(byte) || byte == '-' || byte == '_')
        return FQDN_OK;
    if (byte == '*')
        return stars ? FQDN_OK : FQDN_STAR;
    if (byte == '.')
        return i == start || text.bytes[i - 1] == '.' ? FQDN_EMPTY_LABEL : FQDN_OK;
    return FQDN_BYTE;
}

/* The text from `start` on; the length counts from its beginning. */
static enum fqdn_fault check(struct text text, size_t start, bool stars, size_t *offset) {
    offset_set(offset, start);
    if (text.length == start)
        return FQDN_EMPTY;
    for (size_t i = start; i < text.length; i++) {
        enum fqdn_fault fault = check_byte(text, start, i, stars);
        if (fault != FQDN_OK) {
            offset_set(offset, i);
            return fault;
        }
    }
    bool is_long = text.length > FQDN_MAX_LENGTH;
    offset_set(offset, is_long ? FQDN_MAX_LENGTH : 0);
    return is_long ? FQDN_LONG : FQDN_OK;
}

enum fqdn_fault fqdn_check_name(struct text name, size_t *offset) { return check(name, 0, false, offset); }

enum fqdn_fault fqdn_check_pattern(struct text pattern, size_t *offset) { return check(pattern, 0, true, offset); }

enum fqdn_fault fqdn_check_server_name(struct text name, size_t *offset) {
    size_t stars = 0;
    while (stars < 2 && stars < name.length && name.bytes[stars] == '*')
        stars++;
    bool has_prefix = stars > 0 && stars < name.length && name.bytes[stars] == '.';
    return check(name, has_prefix ? stars + 1 : 0, false, offset);
}

const char *fqdn_fault_text(enum fqdn_fault fault) {
    static const char *const texts[] = {
        [FQDN_OK] = "nothing is wrong",
        [FQDN_EMPTY] = "the name is empty",
        [FQDN_EMPTY_LABEL] = "the name has a leading dot or two dots in a row",
        [FQDN_STAR] = "the name has an asterisk where none may stand",
        [FQDN_BYTE] = "the name has a character other than letters, digits, hyphens, underscores and dots",
        [FQDN_LONG] = "the name is longer than 255 characters",
    };
    return texts[fault];
}

#include "grammar/host.h"

#include <string.h>

#include "base/ascii.h"

/* Judgement 5: the first byte that cannot stand in a name, or the length if all can. */
static size_t first_stray_byte(struct text name) {
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.bytes[i];
        bool starts = i == 0 || name.bytes[i - 1] == '.';
        bool ends = i + 1 == name.length || name.bytes[i + 1] == '.';
        if (ascii_is_alphanumeric(byte))
            continue;
        if (byte == '-' && !starts && !ends)
            continue;
        if (byte == '.' && !starts && i + 1 < name.length)
            continue;
        return i;
    }
    return name.length;
}

/* Where the label that ends at `end` begins. */
static size_t label_start(struct text name, size_t end) {
    while (end > 0 && name.bytes[end - 1] != '.')
        end--;
    return end;
}

/* Where the first label over the limit exceeds it, or the length if none does. */
static size_t long_label(struct text name) {
    size_t start = 0;
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '.')
            start = i + 1;
        else if (i - start >= HOST_LABEL_MAX_LENGTH)
            return i;
    }
    return name.length;
}

static bool all_digits(struct text text) {
    for (size_t i = 0; i < text.length; i++)
        if (!ascii_is_digit(text.bytes[i]))
            return false;
    return true;
}

static bool has_capitals(struct text text) {
    for (size_t i = 0; i < text.length; i++)
        if (ascii_is_upper(text.bytes[i]))
            return true;
    return false;
}

/* Judgements 4 to 9 in their order over the name of an entry; offsets count from the name. */
static enum host_fault check_name(struct text name, bool is_entry, bool leading_dot, size_t *offset) {
    const char *star = memchr(name.bytes, '*', name.length);
    if (star != NULL) {
        *offset = (size_t)(star - name.bytes);
        return HOST_STAR;
    }
    *offset = first_stray_byte(name);
    if (*offset < name.length)
        return HOST_NOT_NAME;
    *offset = HOST_NAME_MAX_LENGTH;
    if (name.length > HOST_NAME_MAX_LENGTH)
        return HOST_LONG;
    *offset = label_start(name, name.length);
    if (is_entry && leading_dot && *offset == 0)
        return HOST_TOP_LEVEL;
    if (is_entry && all_digits((struct text){name.bytes + *offset, name.length - *offset}))
        return HOST_NUMERIC;
    *offset = long_label(name);
    return *offset < name.length ? HOST_LABEL_LONG : HOST_OK;
}

enum host_fault host_entry_check(struct text entry, struct host_entry *parts, size_t *offset) {
    offset_set(offset, 0);
    if (entry.length == 0)
        return HOST_EMPTY;
    bool leading_dot = entry.bytes[0] == '.';
    if (leading_dot && entry.length == 1)
        return HOST_ONLY_DOT;
    struct text name = {entry.bytes + leading_dot, entry.length - leading_dot};
    size_t at = 0;
    enum host_fault fault = check_name(name, true, leading_dot, &at);
    if (fault != HOST_OK) {
        offset_set(offset, at + leading_dot);
        return fault;
    }
    if (parts != NULL)
        *parts = (struct host_entry){name, leading_dot, has_capitals(name)};
    return HOST_OK;
}

enum host_fault host_name_check(struct text name, size_t *offset) {
    offset_set(offset, 0);
    if (name.length == 0)
        return HOST_EMPTY;
    size_t at = 0;
    enum host_fault fault = check_name(name, false, false, &at);
    if (fault != HOST_OK)
        offset_set(offset, at);
    return fault;
}

char *host_lower(struct arena *arena, struct text entry) { return text_lower(arena, entry); }

const char *host_fault_text(enum host_fault fault) {
    static const char *const texts[] = {
        [HOST_OK] = "nothing is wrong",
        [HOST_NOT_STRING] = "a host entry is a string",
        [HOST_EMPTY] = "the host entry is empty",
        [HOST_ONLY_DOT] = "nothing stands after the leading dot; write the domain after it, as in .example.com",
        [HOST_STAR] = "a host entry has no `*`; write a leading dot instead, as in .example.com, for a domain and all "
                      "its subdomains",
        [HOST_NOT_NAME] = "this is not a DNS name: labels of letters, digits and inner hyphens, joined by single dots, "
                          "without scheme, port, path, underscore or closing dot",
        [HOST_LONG] = "the name is longer than 253 characters",
        [HOST_TOP_LEVEL] = "a leading dot before a single label means a whole top-level domain; name a domain below it",
        [HOST_NUMERIC] = "the last label is all digits, as in an IPv4 address; write a host name",
        [HOST_LABEL_LONG] = "a label of the name is longer than 63 characters",
    };
    return texts[fault];
}

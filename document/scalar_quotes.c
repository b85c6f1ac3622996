/*
 * When canonical YAML quotes a string: whatever any reader might take for something else is quoted, in doubt more.
 */
#include "document/scalar.h"

#include <string.h>

#include "base/ascii.h"

static bool is_plain_first(char byte) {
    return ascii_is_alphanumeric(byte) || byte == '.' || byte == '_' || byte == '/';
}

static bool is_plain(char byte) {
    return is_plain_first(byte) || byte == ':' || byte == '@' || byte == '+' || byte == '-';
}

static bool has_plain_shape(struct text string) {
    if (string.length == 0 || !is_plain_first(string.bytes[0]) || string.bytes[string.length - 1] == ':') {
        return false;
    }
    for (size_t i = 1; i < string.length; i++) {
        if (!is_plain(string.bytes[i])) {
            return false;
        }
    }
    return true;
}

/* Some readers take these in any case. `=` and `<<` have no plain shape. */
static bool is_reserved_word(struct text string) {
    static const char *const reserved[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan"};
    char lower[8];
    if (string.length >= sizeof lower) {
        return false;
    }
    for (size_t i = 0; i < string.length; i++) {
        char byte = string.bytes[i];
        lower[i] = byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
    }
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (text_is((struct text){.bytes = lower, .length = string.length}, reserved[i])) {
            return true;
        }
    }
    return false;
}

/* The index after the run of bytes out of `set` that begins at `at`. */
static size_t skip(struct text string, size_t at, const char *set) {
    while (at < string.length && strchr(set, string.bytes[at]) && string.bytes[at] != '\0') {
        at++;
    }
    return at;
}

/* The index after `count` digits or fewer, from `at`. */
static size_t skip_few_digits(struct text string, size_t at, size_t count) {
    size_t end = at;
    while (end < string.length && end < at + count && ascii_is_digit(string.bytes[end])) {
        end++;
    }
    return end;
}

/* e3, E+03, e-1_0; `at` itself where there is none. */
static size_t skip_exponent(struct text string, size_t at) {
    if (at >= string.length || (string.bytes[at] != 'e' && string.bytes[at] != 'E')) {
        return at;
    }
    size_t digits = skip(string, at + 1, "+-") <= at + 2 ? skip(string, at + 1, "+-") : at + 1;
    bool found = skip_few_digits(string, digits, 1) > digits;
    return found ? skip(string, digits, "0123456789_") : at;
}

/* 0x1F, 0o17, 0b1_0; some readers let a sign follow the prefix. */
static bool is_prefixed_number(struct text string) {
    if (string.length < 3 || string.bytes[0] != '0') {
        return false;
    }
    char letter = string.bytes[1];
    const char *digits = letter == 'x' || letter == 'X'   ? "0123456789abcdefABCDEF_"
                         : letter == 'o' || letter == 'O' ? "01234567_"
                         : letter == 'b' || letter == 'B' ? "01_"
                                                          : "";
    size_t start = string.bytes[2] == '+' || string.bytes[2] == '-' ? 3 : 2;
    return start < string.length && skip(string, start, digits) == string.length;
}

/* 1, 1_000, 1.5, .5, 1., 1e3; also 1.2.3 and `...`, which the float pattern of YAML 1.1 admits. */
static bool is_decimal(struct text string) {
    if (!ascii_is_digit(string.bytes[0]) && string.bytes[0] != '.') {
        return false;
    }
    return skip_exponent(string, skip(string, 0, "0123456789_.")) == string.length;
}

/* 1:30, 190:20:30.15: base 60, and times of the day. */
static bool is_base_60(struct text string) {
    if (!ascii_is_digit(string.bytes[0])) {
        return false;
    }
    size_t at = skip(string, 0, "0123456789_");
    while (at + 1 < string.length && string.bytes[at] == ':' && ascii_is_digit(string.bytes[at + 1])) {
        at = skip_few_digits(string, at + 1, string.bytes[at + 1] < '6' ? 2 : 1);
    }
    if (at < string.length && string.bytes[at] == '.') {
        at = skip(string, at + 1, "0123456789_");
    }
    return at == string.length;
}

/* 2024-01-01, 2024-1-1T1:02:03.5Z. */
static bool is_date(struct text string) {
    size_t year = skip_few_digits(string, 0, 5), month = skip_few_digits(string, year + 1, 3);
    size_t day = skip_few_digits(string, month + 1, 3);
    if (year != 4 || month < 6 || month > 7 || day < month + 2 || day > month + 3 || string.bytes[year] != '-' ||
        string.bytes[month] != '-') {
        return false;
    }
    bool has_time = day + 1 < string.length && (string.bytes[day] == 'T' || string.bytes[day] == 't') &&
                    ascii_is_digit(string.bytes[day + 1]);
    return day == string.length || has_time;
}

bool scalar_needs_quotes(struct text string) {
    /* The toolchain's own typing comes last: whatever the patterns forgot is never plain. */
    return !has_plain_shape(string) || is_reserved_word(string) || is_prefixed_number(string) || is_decimal(string) ||
           is_base_60(string) || is_date(string) || scalar_kind(string) != NODE_STRING;
}

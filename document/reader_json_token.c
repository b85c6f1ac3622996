#include "document/reader_json_token.h"

#include <string.h>

#include "document/reader_encoding.h"

/* Errors: all give false. */

bool json_fail_at(struct json *json, enum code code, const char *at, const char *message) {
    uint32_t column = (uint32_t)(at - json->line_start) + 1;
    struct diagnostic *diagnostic = reader_report(json->reader, code, json->line, column, message);
    const char *end = memchr(at, '\n', (size_t)(json->end - at));
    struct text line = {json->line_start, (size_t)((end ? end : json->end) - json->line_start)};
    reader_excerpt(json->reader, diagnostic,
                   text_ends_with(line, "\r") ? (struct text){line.bytes, line.length - 1} : line);
    json->result = code == CODE_SYNTAX ? JSON_SYNTAX : JSON_REFUSED;
    return false;
}

bool json_fail(struct json *json, const char *message) { return json_fail_at(json, CODE_SYNTAX, json->at, message); }

bool json_fail_limit(struct json *json, enum limit_kind kind, const char *at) {
    reader_limit(json->reader, kind, json->line, (uint32_t)(at - json->line_start) + 1);
    json->result = JSON_REFUSED;
    return false;
}

#define EVERY_BYTE(value) (0x0101010101010101u * (uint64_t)(value))

/* Indentation, eight blanks at a time: most bytes of an export are such. */
static const char *skip_spaces(const char *at, const char *end) {
    uint64_t bytes;
    while (end - at >= 8) {
        memcpy(&bytes, at, sizeof bytes);
        if (bytes != EVERY_BYTE(' ')) {
            break;
        }
        at += 8;
    }
    while (at < end && *at == ' ') {
        at++;
    }
    return at;
}

void json_skip_blanks(struct json *json) {
    const char *at = json->at, *end = json->end;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
        if (*at++ == '\n') {
            json->line++;
            json->line_start = at;
            at = skip_spaces(at, end);
        }
    }
    json->at = at;
}

bool json_take_byte(struct json *json, char byte, const char *otherwise) {
    if (!json_at(json, byte)) {
        return json_fail(json, json->at == json->end ? "the text ends inside a JSON value" : otherwise);
    }
    json->at++;
    return true;
}

/* Strings. */

/* Whether a byte of eight needs a look: a control character, a quote, a backslash, or no ASCII. */
static bool needs_look(uint64_t bytes) {
    uint64_t quote = bytes ^ EVERY_BYTE('"'), backslash = bytes ^ EVERY_BYTE('\\');
    uint64_t low = (bytes - EVERY_BYTE(0x20)) | (quote - EVERY_BYTE(1)) | (backslash - EVERY_BYTE(1)) | bytes;
    return (low & EVERY_BYTE(0x80)) != 0;
}

static void skip_plain(struct json *json) {
    const char *at = json->at;
    uint64_t bytes;
    while (json->end - at >= 8) {
        memcpy(&bytes, at, sizeof bytes);
        if (needs_look(bytes)) {
            break;
        }
        at += 8;
    }
    while (at < json->end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' && *at != '\\') {
        at++;
    }
    json->at = at;
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four hexadecimal digits after "\u" at `at`; false: they are not there. */
static bool unicode_escape(const struct json *json, const char *at, uint32_t *unit) {
    if (json->end - at < 6 || at[0] != '\\' || at[1] != 'u') {
        return false;
    }
    *unit = 0;
    for (int i = 2; i < 6; i++) {
        int digit = hex_value(at[i]);
        if (digit < 0) {
            return false;
        }
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

static bool take_escape(struct json *json, struct json_string *string) {
    uint32_t unit, low;
    string->escaped = true;
    if (json->end - json->at >= 2 && json->at[1] != '\0' && strchr("\"\\/bfnrt", json->at[1])) {
        json->at += 2;
        string->decoded_length++;
        return true;
    }
    if (!unicode_escape(json, json->at, &unit)) {
        return json_fail(json, "an escape that JSON does not have");
    }
    if (unit < 0xD800 || unit > 0xDFFF) {
        json->at += 6;
        string->decoded_length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
        return true;
    }
    if (unit > 0xDBFF || !unicode_escape(json, json->at + 6, &low) || low < 0xDC00 || low > 0xDFFF) {
        return json_fail(json, "half of a surrogate pair");
    }
    json->at += 12;
    string->decoded_length += 4;
    return true;
}

/* One byte that ended a plain run, other than the closing quote. */
static bool take_special(struct json *json, struct json_string *string) {
    if (*json->at == '\\') {
        return take_escape(json, string);
    }
    if ((unsigned char)*json->at < 0x20) {
        return json_fail(json, "a control character inside a string");
    }
    size_t length = utf8_length(json->at, json->end);
    if (length == 0) {
        return json_fail_at(json, CODE_ENCODING, json->at, "these bytes are not UTF-8");
    }
    json->at += length;
    string->decoded_length += length;
    return true;
}

bool json_take_string(struct json *json, struct json_string *string) {
    *string = (struct json_string){.raw = json->at};
    json->at++;
    for (;;) {
        const char *from = json->at;
        skip_plain(json);
        string->decoded_length += (size_t)(json->at - from);
        if (json->at == json->end) {
            return json_fail_at(json, CODE_SYNTAX, string->raw, "a string without an end");
        }
        if (*json->at == '"') {
            break;
        }
        if (!take_special(json, string)) {
            return false;
        }
    }
    json->at++;
    string->raw_length = (size_t)(json->at - string->raw);
    return string->decoded_length <= json->reader->options->limits.scalar ||
           json_fail_limit(json, LIMIT_SCALAR, string->raw);
}

/* Numbers. */

static bool take_digits(struct json *json) {
    if (!json_at_digit(json)) {
        return json_fail(json, "a number that lacks digits");
    }
    while (json_at_digit(json)) {
        json->at++;
    }
    return true;
}

bool json_take_number(struct json *json) {
    json->at += json_at(json, '-');
    if (json_at(json, '0')) {
        json->at++;
        if (json_at_digit(json)) {
            return json_fail(json, "a number with a leading zero");
        }
    } else if (!take_digits(json)) {
        return false;
    }
    if (json_at(json, '.')) {
        json->at++;
        if (!take_digits(json)) {
            return false;
        }
    }
    if (json_at(json, 'e') || json_at(json, 'E')) {
        json->at++;
        json->at += json_at(json, '+') || json_at(json, '-');
        return take_digits(json);
    }
    return true;
}

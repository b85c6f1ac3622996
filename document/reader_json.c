#include "document/reader_json.h"

#include <string.h>

#include "base/arena.h"
#include "document/reader_encoding.h"

/* The text under scan. What is kept of the object in hand is written to the reader's text, with a mark a value. */
struct json {
    struct reader *reader;
    const char *at, *end;
    const char *line_start;
    uint32_t line;
    size_t depth, depth_most;
    size_t text_length, mark_count; /* in use of the reader's text and marks */
    enum json_result result;        /* once something failed */
};

/* Errors: all give false. */

static bool fail_at(struct json *json, enum code code, const char *at, const char *message) {
    uint32_t column = (uint32_t)(at - json->line_start) + 1;
    struct diagnostic *diagnostic = reader_report(json->reader, code, json->line, column, message);
    const char *end = memchr(at, '\n', (size_t)(json->end - at));
    struct text line = {json->line_start, (size_t)((end ? end : json->end) - json->line_start)};
    reader_excerpt(json->reader, diagnostic,
                   text_ends_with(line, "\r") ? (struct text){line.bytes, line.length - 1} : line);
    json->result = code == CODE_SYNTAX ? JSON_SYNTAX : JSON_REFUSED;
    return false;
}

static bool fail(struct json *json, const char *message) { return fail_at(json, CODE_SYNTAX, json->at, message); }

static bool fail_limit(struct json *json, enum limit_kind kind, const char *at) {
    reader_limit(json->reader, kind, json->line, (uint32_t)(at - json->line_start) + 1);
    json->result = JSON_REFUSED;
    return false;
}

/* What is kept. */

static void keep_text(struct json *json, const char *bytes, size_t length) {
    struct reader *reader = json->reader;
    if (json->text_length + length > reader->text_capacity) {
        reader->text = arena_grow(reader->scratch, reader->text, &reader->text_capacity, json->text_length + length, 1);
    }
    memcpy(reader->text + json->text_length, bytes, length);
    json->text_length += length;
}

static struct json_mark *keep_mark(struct json *json, const char *at) {
    struct reader *reader = json->reader;
    reader->marks =
        arena_grow(reader->scratch, reader->marks, &reader->mark_capacity, json->mark_count + 1, sizeof *reader->marks);
    struct json_mark *mark = &reader->marks[json->mark_count++];
    *mark = (struct json_mark){.line = json->line, .column = (uint32_t)(at - json->line_start) + 1};
    return mark;
}

/* Blanks, tokens. */

static void skip_blanks(struct json *json) {
    const char *at = json->at, *end = json->end;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
        if (*at++ == '\n') {
            json->line++;
            json->line_start = at;
        }
    }
    json->at = at;
}

static bool at_byte(const struct json *json, char byte) { return json->at < json->end && *json->at == byte; }

static bool take_byte(struct json *json, char byte, const char *otherwise) {
    if (!at_byte(json, byte)) {
        return fail(json, json->at == json->end ? "the text ends inside a JSON value" : otherwise);
    }
    json->at++;
    return true;
}

static bool count_node(struct json *json) {
    return ++json->reader->nodes <= json->reader->options->limits.nodes || fail_limit(json, LIMIT_NODES, json->at);
}

static bool enter(struct json *json) {
    if (++json->depth <= json->depth_most) {
        return true;
    }
    if (json->depth_most < json->reader->options->limits.depth) {
        return fail_at(json, CODE_LIMIT, json->at,
                       "JSON nested deeper than 900 levels is not read, whatever --max-depth");
    }
    return fail_limit(json, LIMIT_DEPTH, json->at);
}

/* Strings. */

struct json_string {
    const char *raw; /* with its quotes */
    size_t raw_length, decoded_length;
    bool escaped;
};

#define EVERY_BYTE(value) (0x0101010101010101u * (uint64_t)(value))

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
        return fail(json, "an escape that JSON does not have");
    }
    if (unit < 0xD800 || unit > 0xDFFF) {
        json->at += 6;
        string->decoded_length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
        return true;
    }
    if (unit > 0xDBFF || !unicode_escape(json, json->at + 6, &low) || low < 0xDC00 || low > 0xDFFF) {
        return fail(json, "half of a surrogate pair");
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
        return fail(json, "a control character inside a string");
    }
    size_t length = utf8_length(json->at, json->end);
    if (length == 0) {
        return fail_at(json, CODE_ENCODING, json->at, "these bytes are not UTF-8");
    }
    json->at += length;
    string->decoded_length += length;
    return true;
}

static bool take_string(struct json *json, struct json_string *string) {
    *string = (struct json_string){.raw = json->at};
    json->at++;
    for (;;) {
        const char *from = json->at;
        skip_plain(json);
        string->decoded_length += (size_t)(json->at - from);
        if (json->at == json->end) {
            return fail_at(json, CODE_SYNTAX, string->raw, "a string without an end");
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
           fail_limit(json, LIMIT_SCALAR, string->raw);
}

/* Keeps the string, whose first byte is behind. */
static void keep_string(struct json *json, const struct json_string *string) {
    keep_mark(json, string->raw)->length = (uint32_t)string->decoded_length;
    keep_text(json, string->raw, string->raw_length);
}

/* Numbers and words. */

static bool is_digit(const struct json *json) { return json->at < json->end && *json->at >= '0' && *json->at <= '9'; }

static bool take_digits(struct json *json) {
    if (!is_digit(json)) {
        return fail(json, "a number that lacks digits");
    }
    while (is_digit(json)) {
        json->at++;
    }
    return true;
}

static bool scan_number(struct json *json) {
    json->at += at_byte(json, '-');
    if (at_byte(json, '0')) {
        json->at++;
        if (is_digit(json)) {
            return fail(json, "a number with a leading zero");
        }
    } else if (!take_digits(json)) {
        return false;
    }
    if (at_byte(json, '.')) {
        json->at++;
        if (!take_digits(json)) {
            return false;
        }
    }
    if (at_byte(json, 'e') || at_byte(json, 'E')) {
        json->at++;
        json->at += at_byte(json, '+') || at_byte(json, '-');
        return take_digits(json);
    }
    return true;
}

/* What the decoder takes of a number; a longer one counts as it is written, not as it is decoded. */
enum { NUMBER_LONGEST = 60 };

static bool read_number(struct json *json, bool kept) {
    const char *from = json->at;
    if (!scan_number(json)) {
        return false;
    }
    size_t length = (size_t)(json->at - from);
    if (length > json->reader->options->limits.scalar) {
        return fail_limit(json, LIMIT_SCALAR, from);
    }
    if (kept) {
        struct json_mark *mark = keep_mark(json, from);
        mark->text = from;
        mark->length = (uint32_t)length;
        keep_text(json, length > NUMBER_LONGEST ? "0" : from, length > NUMBER_LONGEST ? 1 : length);
    }
    return true;
}

static bool read_word(struct json *json, bool kept) {
    static const struct text words[] = {{"true", 4}, {"false", 5}, {"null", 4}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct text word = words[i];
        if ((size_t)(json->end - json->at) >= word.length && memcmp(json->at, word.bytes, word.length) == 0) {
            if (kept) {
                keep_mark(json, json->at);
                keep_text(json, word.bytes, word.length);
            }
            json->at += word.length;
            return true;
        }
    }
    return fail(json, json->at == json->end ? "the text ends where a value belongs" : "no JSON value begins so");
}

/* Maps and lists. The recursion is bounded by JSON_DEPTH_MOST. */

enum json_role { ROLE_PLAIN, ROLE_OBJECT, ROLE_ITEMS };

/* What the value is to the filter; see reader_yaml.c. */
struct json_context {
    enum json_role role;
    bool kept;
    const struct document_keep *keep;
    struct reader_object *object; /* of ROLE_OBJECT; of the list around ROLE_ITEMS */
};

static const struct json_context keep_whole = {.kept = true};

static bool read_value(struct json *json, const struct json_context *context);

/* What becomes of the value of a key. */
static struct json_context member_context(const struct json_context *context, const struct json_string *key,
                                          enum object_key *known) {
    struct text name = {key->raw + 1, key->raw_length - 2};
    const struct document_keep *table = context->keep;
    *known = OBJECT_OTHER;
    if (key->escaped) {
        return keep_whole;
    }
    if (context->role == ROLE_OBJECT) {
        *known = reader_object_key(name);
        if (*known != OBJECT_OTHER) {
            enum json_role role = *known == OBJECT_ITEMS ? ROLE_ITEMS : ROLE_PLAIN;
            return (struct json_context){.role = role, .kept = true, .object = context->object};
        }
        table = context->object->keep;
    }
    if (!table) {
        return keep_whole;
    }
    const struct document_keep *row = reader_keep(table, name);
    if (!row && context->role == ROLE_OBJECT) {
        context->object->pruned = true;
    }
    return row ? (struct json_context){.kept = true, .keep = row->below} : (struct json_context){.kept = false};
}

/* Notes what the value of apiVersion or kind is, which began at `from`. */
static void learn(struct json *json, const struct json_context *context, enum object_key known, const char *from) {
    struct text value = {from + 1, (size_t)(json->at - from)};
    if (*from == '"' && !memchr(from, '\\', value.length)) {
        value.length -= 2;
        reader_object_learn(json->reader, context->object, known, value);
    }
}

static bool read_member(struct json *json, const struct json_context *context, bool *first) {
    struct json_context below = {.kept = false};
    enum object_key known = OBJECT_OTHER;
    struct json_string key;
    if (!at_byte(json, '"')) {
        return fail(json, json->at == json->end ? "the text ends inside an object" : "a key in quotes belongs here");
    }
    if (!take_string(json, &key)) {
        return false;
    }
    if (context->kept) {
        below = member_context(context, &key, &known);
    }
    if (below.kept) {
        if (!*first) {
            keep_text(json, ",", 1);
        }
        keep_string(json, &key);
        keep_text(json, ":", 1);
        *first = false;
    }
    skip_blanks(json);
    if (!take_byte(json, ':', "a ':' belongs between key and value")) {
        return false;
    }
    skip_blanks(json);
    const char *from = json->at;
    if (!read_value(json, &below)) {
        return false;
    }
    if (known == OBJECT_API_VERSION || known == OBJECT_KIND) {
        learn(json, context, known, from);
    }
    return true;
}

/* After a member or an element: whether another follows. False with json->result set: neither. */
static bool take_separator(struct json *json, char close, bool *more) {
    skip_blanks(json);
    *more = at_byte(json, ',');
    if (*more) {
        json->at++;
        skip_blanks(json);
        return true;
    }
    return take_byte(json, close, close == '}' ? "a ',' or '}' belongs here" : "a ',' or ']' belongs here");
}

static void keep_bracket(struct json *json, const struct json_context *context, char bracket, bool open) {
    if (context->kept) {
        if (open) {
            keep_mark(json, json->at);
        }
        keep_text(json, &bracket, 1);
    }
}

static bool read_object(struct json *json, const struct json_context *context) {
    bool first = true, more = true;
    if (!enter(json)) {
        return false;
    }
    keep_bracket(json, context, '{', true);
    json->at++;
    skip_blanks(json);
    if (at_byte(json, '}')) {
        json->at++;
        more = false;
    }
    while (more) {
        if (!read_member(json, context, &first) || !take_separator(json, '}', &more)) {
            return false;
        }
    }
    keep_bracket(json, context, '}', false);
    json->depth--;
    return true;
}

/* Decodes what is kept since `text_length` and `mark_count`, and takes it from the text. */
static bool decode(struct json *json, size_t text_length, size_t mark_count, const struct reader_object *object,
                   struct node *node) {
    struct reader *reader = json->reader;
    struct text text = {reader->text + text_length, json->text_length - text_length};
    const struct json_mark *marks = reader->marks + mark_count;
    if (!json_decode(reader, text, marks, node)) {
        return fail(json, "the JSON decoder refuses this object");
    }
    json->text_length = text_length;
    json->mark_count = mark_count;
    if (!reader_object_is_sound(reader, object, node)) {
        fail(json, reader_object_unsound);
        json->result = JSON_REFUSED;
        return false;
    }
    return true;
}

/* An element of `items`: a document of its own to the filter, and decoded by itself. */
static bool read_item(struct json *json, const struct json_context *list) {
    struct reader_object object = reader_object_element(list->object);
    struct json_context context = {.role = ROLE_OBJECT, .kept = true, .object = &object};
    size_t text_length = json->text_length, mark_count = json->mark_count;
    const char *from = json->at;
    struct node *node = arena_alloc(json->reader->arena, sizeof *node);
    if (!read_value(json, &context) || !decode(json, text_length, mark_count, &object, node)) {
        return false;
    }
    keep_mark(json, from < json->line_start ? json->line_start : from)->built = node;
    keep_text(json, "null", 4);
    return true;
}

static bool read_array(struct json *json, const struct json_context *context) {
    struct json_context element = {.kept = context->kept, .keep = context->keep};
    bool first = true, more = true;
    if (!enter(json)) {
        return false;
    }
    keep_bracket(json, context, '[', true);
    json->at++;
    skip_blanks(json);
    if (at_byte(json, ']')) {
        json->at++;
        more = false;
    }
    while (more) {
        if (context->kept && !first) {
            keep_text(json, ",", 1);
        }
        first = false;
        bool read = context->role == ROLE_ITEMS ? read_item(json, context) : read_value(json, &element);
        if (!read || !take_separator(json, ']', &more)) {
            return false;
        }
    }
    keep_bracket(json, context, ']', false);
    json->depth--;
    return true;
}

static bool read_value(struct json *json, const struct json_context *context) {
    struct json_string string;
    if (!count_node(json)) {
        return false;
    }
    if (json->at == json->end) {
        return read_word(json, false);
    }
    struct json_context plain = {.kept = context->kept, .keep = context->keep};
    switch (*json->at) {
    case '{':
        return read_object(json, context->role == ROLE_ITEMS ? &plain : context);
    case '[':
        return read_array(json, context->role == ROLE_OBJECT ? &plain : context);
    case '"':
        if (!take_string(json, &string)) {
            return false;
        }
        if (context->kept) {
            keep_string(json, &string);
        }
        return true;
    default:
        return at_byte(json, '-') || is_digit(json) ? read_number(json, context->kept) : read_word(json, context->kept);
    }
}

static bool read_document(struct json *json) {
    struct reader_object object = {0};
    struct json_context context = {.role = ROLE_OBJECT, .kept = true, .object = &object};
    struct node root;
    json->reader->top = 0;
    if (!read_value(json, &context) || !decode(json, 0, 0, &object, &root)) {
        return false;
    }
    reader_document(json->reader, root);
    return true;
}

enum json_result reader_json(struct reader *reader, struct text text) {
    size_t depth = reader->options->limits.depth;
    struct json json = {.reader = reader,
                        .at = text.bytes,
                        .end = text.bytes + text.length,
                        .line_start = text.bytes,
                        .line = 1,
                        .depth_most = depth < JSON_DEPTH_MOST ? depth : JSON_DEPTH_MOST};
    skip_blanks(&json);
    do {
        if (!read_document(&json)) {
            return json.result;
        }
        skip_blanks(&json);
    } while (json.at < json.end);
    return JSON_READ;
}

#include "document/reader_json.h"

#include <string.h>

#include "base/arena.h"
#include "document/reader_json_token.h"

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

/* Keeps the string, whose first byte is behind. */
static void keep_string(struct json *json, const struct json_string *string) {
    keep_mark(json, string->raw)->length = (uint32_t)string->decoded_length;
    keep_text(json, string->raw, string->raw_length);
}

/* Limits. */

static bool count_node(struct json *json) {
    return ++json->reader->nodes <= json->reader->options->limits.nodes || json_fail_limit(json, LIMIT_NODES, json->at);
}

static bool enter(struct json *json) {
    if (++json->depth <= json->depth_most) {
        return true;
    }
    if (json->depth_most < json->reader->options->limits.depth) {
        return json_fail_at(json, CODE_LIMIT, json->at,
                            "JSON nested deeper than 900 levels is not read, whatever --max-depth");
    }
    return json_fail_limit(json, LIMIT_DEPTH, json->at);
}

/* Scalars. */

/* What the decoder takes of a number; a longer one counts as it is written, not as it is decoded. */
enum { NUMBER_LONGEST = 60 };

static bool read_number(struct json *json, bool kept) {
    const char *from = json->at;
    if (!json_take_number(json)) {
        return false;
    }
    size_t length = (size_t)(json->at - from);
    if (length > json->reader->options->limits.scalar) {
        return json_fail_limit(json, LIMIT_SCALAR, from);
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
    return json_fail(json, json->at == json->end ? "the text ends where a value belongs" : "no JSON value begins so");
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
    if (!json_at(json, '"')) {
        return json_fail(json,
                         json->at == json->end ? "the text ends inside an object" : "a key in quotes belongs here");
    }
    if (!json_take_string(json, &key)) {
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
    json_skip_blanks(json);
    if (!json_take_byte(json, ':', "a ':' belongs between key and value")) {
        return false;
    }
    json_skip_blanks(json);
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
    json_skip_blanks(json);
    *more = json_at(json, ',');
    if (*more) {
        json->at++;
        json_skip_blanks(json);
        return true;
    }
    return json_take_byte(json, close, close == '}' ? "a ',' or '}' belongs here" : "a ',' or ']' belongs here");
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
    json_skip_blanks(json);
    if (json_at(json, '}')) {
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
        return json_fail(json, "the JSON decoder refuses this object");
    }
    json->text_length = text_length;
    json->mark_count = mark_count;
    if (!reader_object_is_sound(reader, object, node)) {
        json_fail(json, reader_object_unsound);
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
    struct node *node = arena_alloc(json->reader->arena, sizeof *node);
    if (!read_value(json, &context) || !decode(json, text_length, mark_count, &object, node)) {
        return false;
    }
    keep_mark(json, json->at)->built = node;
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
    json_skip_blanks(json);
    if (json_at(json, ']')) {
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
        if (!json_take_string(json, &string)) {
            return false;
        }
        if (context->kept) {
            keep_string(json, &string);
        }
        return true;
    default:
        return json_at(json, '-') || json_at_digit(json) ? read_number(json, context->kept)
                                                         : read_word(json, context->kept);
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
    json_skip_blanks(&json);
    do {
        if (!read_document(&json)) {
            return json.result;
        }
        json_skip_blanks(&json);
    } while (json.at < json.end);
    return JSON_READ;
}

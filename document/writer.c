#include "document/writer.h"

#include <string.h>

#include "document/scalar.h"

/* Longer keys are written in the form with `?`: readers look for the colon of others within 1024 bytes only. */
#define KEY_LONGEST 1000

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* One character of UTF-8; an ill-formed byte is one character of value U+FFFD and of length 1. */
struct character {
    uint32_t value;
    size_t length;
    bool valid;
};

static struct character decode(const unsigned char *bytes, size_t available) {
    struct character broken = {.value = 0xFFFD, .length = 1, .valid = false};
    unsigned char first = bytes[0];
    if (first < 0x80) {
        return (struct character){.value = first, .length = 1, .valid = true};
    }
    size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length > available) {
        return broken;
    }
    uint32_t value = first & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return broken;
        }
        value = (value << 6) | (bytes[i] & 0x3FU);
    }
    static const uint32_t smallest[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000};
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        return broken;
    }
    return (struct character){.value = value, .length = length, .valid = true};
}

static void add_repeated(struct buffer *out, char byte, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        buffer_add_char(out, byte);
    }
}

static void add_ascii_escaped(struct buffer *out, unsigned char byte) {
    static const char letters[256] = {
        ['"'] = '"', ['\\'] = '\\', ['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r', ['\b'] = 'b', ['\f'] = 'f'};
    if (letters[byte]) {
        buffer_add_char(out, '\\');
        buffer_add_char(out, letters[byte]);
    } else {
        buffer_print(out, "\\u%04x", (unsigned)byte);
    }
}

/* What YAML readers refuse, drop or take for a line break unless it is escaped. */
static bool is_unprintable(uint32_t value) {
    return value < 0x20 || (value >= 0x7F && value <= 0x9F) || value == 0x2028 || value == 0x2029 || value == 0xFEFF ||
           value == 0xFFFE || value == 0xFFFF;
}

/* A string in double quotes: JSON, and YAML with more escapes. */
static void add_double_quoted(struct buffer *out, struct text string, bool yaml) {
    const unsigned char *bytes = (const unsigned char *)string.bytes;
    buffer_add_char(out, '"');
    for (size_t i = 0; i < string.length;) {
        struct character character = decode(bytes + i, string.length - i);
        if (!character.valid) {
            buffer_add_string(out, replacement);
        } else if (character.value < 0x20 || character.value == '"' || character.value == '\\') {
            add_ascii_escaped(out, (unsigned char)character.value);
        } else if (yaml && is_unprintable(character.value)) {
            buffer_print(out, "\\u%04x", (unsigned)character.value);
        } else {
            buffer_add(out, string.bytes + i, character.length);
        }
        i += character.length;
    }
    buffer_add_char(out, '"');
}

void writer_json_string(struct buffer *out, struct text string) { add_double_quoted(out, string, false); }

static bool fits_single_quotes(struct text string) {
    const unsigned char *bytes = (const unsigned char *)string.bytes;
    for (size_t i = 0; i < string.length;) {
        struct character character = decode(bytes + i, string.length - i);
        if (!character.valid || is_unprintable(character.value)) {
            return false;
        }
        i += character.length;
    }
    return true;
}

static void add_single_quoted(struct buffer *out, struct text string) {
    buffer_add_char(out, '\'');
    for (size_t i = 0; i < string.length; i++) {
        if (string.bytes[i] == '\'') {
            buffer_add_char(out, '\'');
        }
        buffer_add_char(out, string.bytes[i]);
    }
    buffer_add_char(out, '\'');
}

static void add_yaml_string(struct buffer *out, struct text string) {
    if (!scalar_needs_quotes(string)) {
        buffer_add_text(out, string);
    } else if (fits_single_quotes(string)) {
        add_single_quoted(out, string);
    } else {
        add_double_quoted(out, string, true);
    }
}

/* A number as the toolchain reads it. Of floats, YAML 1.1 readers want a point; infinities are words in YAML, and
 * strings in JSON, which has no word for them. */
static void add_number(struct buffer *out, const struct node *node, bool yaml) {
    char spelling[SCALAR_SPELLING];
    size_t length = scalar_spell(node_text(node), spelling);
    if (length == 0) {
        if (yaml) {
            buffer_add_text(out, node_text(node));
        } else {
            writer_json_string(out, node_text(node));
        }
        return;
    }
    const char *exponent = memchr(spelling, 'e', length);
    size_t mantissa = exponent ? (size_t)(exponent - spelling) : length;
    buffer_add(out, spelling, mantissa);
    if (yaml && exponent && !memchr(spelling, '.', mantissa)) {
        buffer_add_string(out, ".0");
    }
    buffer_add(out, spelling + mantissa, length - mantissa);
}

/* Whatever stands on one line: scalars, and empty lists and maps. */
static void add_inline(struct buffer *out, const struct node *node, bool yaml) {
    switch ((enum node_kind)node->kind) {
    case NODE_NULL:
        buffer_add_string(out, "null");
        break;
    case NODE_BOOL:
        buffer_add_string(out, node_bool(node) ? "true" : "false");
        break;
    case NODE_INT:
    case NODE_FLOAT:
        add_number(out, node, yaml);
        break;
    case NODE_STRING:
        if (yaml) {
            add_yaml_string(out, node_text(node));
        } else {
            writer_json_string(out, node_text(node));
        }
        break;
    case NODE_LIST:
        buffer_add_string(out, "[]");
        break;
    case NODE_MAP:
        buffer_add_string(out, "{}");
        break;
    }
}

static bool is_block(const struct node *node) {
    return (node->kind == NODE_LIST || node->kind == NODE_MAP) && node->count > 0;
}

static void add_yaml_block(struct buffer *out, const struct node *node, unsigned depth);

static void add_yaml_key(struct buffer *out, const struct node *key, unsigned depth) {
    size_t before = out->length;
    add_yaml_string(out, node_text(key));
    if (out->length - before > KEY_LONGEST) {
        out->length = before;
        buffer_add_string(out, "? ");
        add_yaml_string(out, node_text(key));
        buffer_add_char(out, '\n');
        add_repeated(out, ' ', 2 * depth);
    }
    buffer_add_char(out, ':');
}

static void add_yaml_entry(struct buffer *out, const struct node_entry *entry, unsigned depth) {
    add_yaml_key(out, &entry->key, depth);
    if (is_block(&entry->value)) {
        buffer_add_char(out, '\n');
        add_repeated(out, ' ', 2 * (depth + 1));
        add_yaml_block(out, &entry->value, depth + 1);
    } else {
        buffer_add_char(out, ' ');
        add_inline(out, &entry->value, true);
        buffer_add_char(out, '\n');
    }
}

static void add_yaml_item(struct buffer *out, const struct node *item, unsigned depth) {
    buffer_add_string(out, "- ");
    if (is_block(item)) {
        add_yaml_block(out, item, depth + 1);
    } else {
        add_inline(out, item, true);
        buffer_add_char(out, '\n');
    }
}

/* The entries or items, one a line; the first stands where the writer is, already indented by `depth`. */
static void add_yaml_block(struct buffer *out, const struct node *node, unsigned depth) {
    for (uint32_t i = 0; i < node->count; i++) {
        if (i > 0) {
            add_repeated(out, ' ', 2 * depth);
        }
        if (node->kind == NODE_LIST) {
            add_yaml_item(out, &node->items[i], depth);
        } else {
            add_yaml_entry(out, &node->entries[i], depth);
        }
    }
}

void writer_yaml(struct buffer *out, const struct node *node) {
    if (is_block(node)) {
        add_yaml_block(out, node, 0);
    } else {
        add_inline(out, node, true);
        buffer_add_char(out, '\n');
    }
}

void writer_json(struct buffer *out, const struct node *node) {
    struct json_writer writer;
    json_writer_init(&writer, out);
    json_node(&writer, node);
    json_writer_done(&writer);
}

void writer_json_compact(struct buffer *out, const struct node *node) {
    if (!is_block(node)) {
        add_inline(out, node, false);
        return;
    }
    bool is_list = node->kind == NODE_LIST;
    buffer_add_char(out, is_list ? '[' : '{');
    for (uint32_t i = 0; i < node->count; i++) {
        buffer_add_string(out, i > 0 ? ", " : "");
        if (!is_list) {
            writer_json_string(out, node_text(&node->entries[i].key));
            buffer_add_string(out, ": ");
        }
        writer_json_compact(out, is_list ? &node->items[i] : &node->entries[i].value);
    }
    buffer_add_char(out, is_list ? ']' : '}');
}

void json_writer_init(struct json_writer *writer, struct buffer *out) {
    *writer = (struct json_writer){.out = out, .first = true};
}

static void json_new_line(struct json_writer *writer) {
    buffer_add_char(writer->out, '\n');
    add_repeated(writer->out, ' ', 2 * writer->depth);
}

/* What stands before a key or an entry; a value behind its key, and the document itself, need nothing. */
static void json_separate(struct json_writer *writer) {
    if (writer->after_key || writer->depth == 0) {
        writer->after_key = false;
        return;
    }
    if (!writer->first) {
        buffer_add_char(writer->out, ',');
    }
    json_new_line(writer);
    writer->first = false;
}

static void json_begin(struct json_writer *writer, char bracket) {
    json_separate(writer);
    buffer_add_char(writer->out, bracket);
    writer->depth++;
    writer->first = true;
}

static void json_end(struct json_writer *writer, char bracket) {
    writer->depth--;
    if (!writer->first) {
        json_new_line(writer);
    }
    buffer_add_char(writer->out, bracket);
    writer->first = false;
}

void json_begin_object(struct json_writer *writer) { json_begin(writer, '{'); }
void json_end_object(struct json_writer *writer) { json_end(writer, '}'); }
void json_begin_array(struct json_writer *writer) { json_begin(writer, '['); }
void json_end_array(struct json_writer *writer) { json_end(writer, ']'); }

static void json_key_text(struct json_writer *writer, struct text key) {
    json_separate(writer);
    writer_json_string(writer->out, key);
    buffer_add_string(writer->out, ": ");
    writer->after_key = true;
}

void json_key(struct json_writer *writer, const char *key) { json_key_text(writer, text_of(key)); }

void json_text(struct json_writer *writer, struct text string) {
    json_separate(writer);
    writer_json_string(writer->out, string);
}

void json_null(struct json_writer *writer) {
    json_separate(writer);
    buffer_add_string(writer->out, "null");
}

void json_string(struct json_writer *writer, const char *string) {
    if (string) {
        json_text(writer, text_of(string));
    } else {
        json_null(writer);
    }
}

void json_integer(struct json_writer *writer, int64_t value) {
    json_separate(writer);
    buffer_print(writer->out, "%lld", (long long)value);
}

void json_bool(struct json_writer *writer, bool value) {
    json_separate(writer);
    buffer_add_string(writer->out, value ? "true" : "false");
}

static void json_list(struct json_writer *writer, const struct node *list) {
    json_begin_array(writer);
    for (uint32_t i = 0; i < list->count; i++) {
        json_node(writer, &list->items[i]);
    }
    json_end_array(writer);
}

static void json_map(struct json_writer *writer, const struct node *map) {
    json_begin_object(writer);
    for (uint32_t i = 0; i < map->count; i++) {
        json_key_text(writer, node_text(&map->entries[i].key));
        json_node(writer, &map->entries[i].value);
    }
    json_end_object(writer);
}

void json_node(struct json_writer *writer, const struct node *node) {
    if (!is_block(node)) {
        json_separate(writer);
        add_inline(writer->out, node, false);
    } else if (node->kind == NODE_LIST) {
        json_list(writer, node);
    } else {
        json_map(writer, node);
    }
}

void json_writer_done(struct json_writer *writer) { buffer_add_char(writer->out, '\n'); }

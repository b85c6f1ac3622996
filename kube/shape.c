#include "kube/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "document/writer.h"

enum {
    SHAPE_QUOTE_MAX = 80,
    SHAPE_KNOWN_MAX = 32,
    SHAPE_TEXT_MAX = 64 << 20,
    SHAPE_VALUE_MAX = 1000,
    SHAPE_REPORTS_MAX = 10000
};

static const char *const type_words[] = {
    [SHAPE_STRING] = "a string", [SHAPE_BOOL] = "true or false", [SHAPE_INTEGER] = "a whole number",
    [SHAPE_LIST] = "a list",     [SHAPE_MAP] = "a map",          [SHAPE_ANY] = "a value",
};

bool shape_is(const struct node *value, enum shape_type type) {
    int64_t number;
    switch (type) {
    case SHAPE_STRING:
        return node_string(value) != NULL;
    case SHAPE_BOOL:
        return node_is(value, NODE_BOOL);
    case SHAPE_INTEGER:
        return (node_is(value, NODE_INT) || node_is(value, NODE_FLOAT)) && node_integer(value, &number);
    case SHAPE_LIST:
        return node_is(value, NODE_LIST);
    case SHAPE_MAP:
        return node_is(value, NODE_MAP);
    case SHAPE_ANY:
        return !node_is_null(value);
    }
    return false;
}

const struct node *shape_get(const struct node *map, const char *name, enum shape_type type) {
    const struct node *value = node_get(map, name);
    return value && shape_is(value, type) ? value : NULL;
}

const char *shape_string(const struct node *map, const char *name) {
    return node_string(shape_get(map, name, SHAPE_STRING));
}

/* Cuts at a UTF-8 boundary. */
static void cut_long(struct buffer *buffer) {
    if (buffer->length <= SHAPE_QUOTE_MAX) {
        return;
    }
    size_t end = SHAPE_QUOTE_MAX;
    while (end > 0 && ((unsigned char)buffer->bytes[end] & 0xC0) == 0x80) {
        end--;
    }
    buffer->length = end;
    buffer_add_string(buffer, "...");
}

const char *shape_quote(struct arena *arena, const struct node *node) {
    struct buffer buffer;
    buffer_init(&buffer, arena);
    if (!node) {
        buffer_add_string(&buffer, "nothing");
    } else if (node->kind == NODE_STRING) {
        struct text text = node_text(node);
        text.length = text.length < 2 * SHAPE_QUOTE_MAX ? text.length : 2 * SHAPE_QUOTE_MAX;
        writer_json_string(&buffer, text);
    } else if (node->kind == NODE_LIST || node->kind == NODE_MAP) {
        buffer_add_string(&buffer, node->kind == NODE_LIST ? "a list" : "a map");
    } else {
        struct text text = node_text(node);
        text.length = text.length < 2 * SHAPE_QUOTE_MAX ? text.length : 2 * SHAPE_QUOTE_MAX;
        buffer_add_text(&buffer, text);
        if (buffer.length == 0) {
            buffer_add_string(&buffer, "null");
        }
    }
    cut_long(&buffer);
    return buffer_string(&buffer);
}

/* Bytes of text that the tree stands for, aliases followed; stops counting beyond the limit. */
static size_t text_weight(const struct node *node, size_t limit) {
    if (node->kind != NODE_LIST && node->kind != NODE_MAP) {
        return node->count;
    }
    size_t weight = 0;
    for (uint32_t i = 0; i < node->count && weight <= limit; i++) {
        if (node->kind == NODE_LIST) {
            weight += text_weight(&node->items[i], limit);
        } else {
            weight += node->entries[i].key.count + text_weight(&node->entries[i].value, limit);
        }
    }
    return weight;
}

/* The value as written: the text of a scalar, short JSON of the rest. */
static const char *refused_value(struct arena *arena, const struct node *node) {
    if (!node) {
        return NULL;
    }
    if (node->kind != NODE_LIST && node->kind != NODE_MAP) {
        struct text text = node_text(node);
        return text.length || node->kind == NODE_STRING ? text.bytes : "null";
    }
    if (node->count > SHAPE_QUOTE_MAX || text_weight(node, SHAPE_VALUE_MAX) > SHAPE_VALUE_MAX) {
        return NULL;
    }
    struct buffer buffer;
    buffer_init(&buffer, arena);
    writer_json_compact(&buffer, node);
    cut_long(&buffer);
    return buffer_string(&buffer);
}

struct diagnostic *shape_report(struct diagnostics *diagnostics, enum code code, struct location location,
                                const char *message) {
    bool is_error = code_severity(code) == SEVERITY_ERROR;
    size_t so_far = is_error ? diagnostics->errors : diagnostics->count;
    if (so_far < SHAPE_REPORTS_MAX) {
        return diagnostics_add(diagnostics, code, location, "%s", message);
    }
    if (so_far == SHAPE_REPORTS_MAX) {
        return diagnostics_add(diagnostics, code, location, "%s (further ones are not shown)", message);
    }
    return arena_alloc(diagnostics->arena, sizeof(struct diagnostic));
}

struct diagnostic *shape_refuse(const struct shape *shape, enum code code, const struct node *node, const char *path,
                                const char *format, ...) {
    struct buffer message;
    buffer_init(&message, shape->arena);
    va_list arguments;
    va_start(arguments, format);
    buffer_vprint(&message, format, arguments);
    va_end(arguments);
    struct location location = {.file = shape->file};
    if (node) {
        location = node_location(shape->file, node);
    }
    struct diagnostic *diagnostic = shape_report(shape->diagnostics, code, location, buffer_string(&message));
    diagnostic->path = path;
    diagnostic->value = refused_value(shape->arena, node);
    return diagnostic;
}

void shape_refuse_type(const struct shape *shape, enum code code, const struct node *node, const char *path,
                       enum shape_type wanted) {
    const char *found = shape_quote(shape->arena, node);
    if (wanted == SHAPE_STRING && node->kind == NODE_STRING) {
        shape_refuse(shape, code, node, path, "%s holds a NUL byte; write a string without one", path);
    } else if (wanted == SHAPE_STRING &&
               (node->kind == NODE_INT || node->kind == NODE_FLOAT || node->kind == NODE_BOOL)) {
        shape_refuse(shape, code, node, path, "%s is read as the %s %s, not as a string; put it in quotes", path,
                     node->kind == NODE_BOOL ? "boolean" : "number", found);
    } else {
        shape_refuse(shape, code, node, path, "%s is %s; it must be %s", path, found, type_words[wanted]);
    }
}

bool shape_check_weight(const struct shape *shape, const struct node *root, const char *path, const char *what) {
    if (text_weight(root, SHAPE_TEXT_MAX) <= SHAPE_TEXT_MAX) {
        return true;
    }
    struct location location = node_location(shape->file, root);
    struct diagnostic *refusal = diagnostics_add(
        shape->diagnostics, CODE_CONFIG_UNUSABLE, location,
        "%s stands for more than 64 MiB of text, its aliases followed; write it with fewer of them", what);
    refusal->path = path;
    return false;
}

static int compare_entries(const void *left, const void *right) {
    const struct node_entry *a = *(const struct node_entry *const *)left;
    const struct node_entry *b = *(const struct node_entry *const *)right;
    int order = text_compare(node_text(&a->key), node_text(&b->key));
    return order ? order : (a > b) - (a < b);
}

/* Entries of one key beside each other, in document order. */
static const struct node_entry **sort_entries(struct arena *arena, const struct node *map) {
    const struct node_entry **sorted = arena_array(arena, map->count, sizeof *sorted);
    for (uint32_t i = 0; i < map->count; i++) {
        sorted[i] = &map->entries[i];
    }
    if (map->count > 1) {
        qsort(sorted, map->count, sizeof *sorted, compare_entries);
    }
    return sorted;
}

/* Spells fields of a fixed set as `a.b`, and keys that are no field in brackets where they would be misread. */
static const char *key_path(const struct shape *shape, const char *path, const struct node *key) {
    struct text text = node_text(key);
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        bool plain = ascii_is_alphanumeric(byte) || byte == '_' || byte == '-';
        if (!plain) {
            return path_key(shape->arena, path, text);
        }
    }
    return text.length ? path_field(shape->arena, path, text.bytes) : path_key(shape->arena, path, text);
}

static bool check_repeats(const struct shape *shape, const struct node *map, const char *path, bool fields) {
    const struct node_entry **sorted = sort_entries(shape->arena, map);
    bool fine = true;
    for (uint32_t i = 1; i < map->count; i++) {
        const struct node *first = &sorted[i - 1]->key, *again = &sorted[i]->key;
        /* What a merge key brings in gives way to a key of the map itself. */
        if (((first->flags | again->flags) & NODE_MERGED) || !text_equal(node_text(first), node_text(again))) {
            continue;
        }
        const char *key = shape_quote(shape->arena, again);
        const char *here = fields ? key_path(shape, path, again) : path_key(shape->arena, path, node_text(again));
        struct diagnostic *refusal = shape_refuse(shape, CODE_CONFIG_UNUSABLE, again, here,
                                                  "the key %s stands twice in one map; remove one of the two", key);
        diagnostic_note(shape->diagnostics, refusal, node_location(shape->file, first), "the first one is here");
        fine = false;
    }
    return fine;
}

bool shape_check_keys(const struct shape *shape, const struct node *map, const char *path) {
    return check_repeats(shape, map, path, false);
}

static void refuse_unknown(const struct shape *shape, const struct node *key, const char *path,
                           const struct shape_field *fields) {
    const char *known[SHAPE_KNOWN_MAX + 1] = {NULL};
    for (size_t i = 0; fields[i].name && i < SHAPE_KNOWN_MAX; i++) {
        known[i] = fields[i].name;
    }
    const char *nearest = text_nearest(node_text(key), known);
    const char *quoted = shape_quote(shape->arena, key);
    const char *place = path && *path ? path : "the document";
    if (nearest) {
        shape_refuse(shape, CODE_CONFIG_UNUSABLE, key, key_path(shape, path, key),
                     "%s has no field %s; did you mean %s?", place, quoted, nearest);
    } else {
        shape_refuse(shape, CODE_CONFIG_UNUSABLE, key, key_path(shape, path, key), "%s has no field %s; remove it",
                     place, quoted);
    }
}

/* One value against its field; true: nothing is wrong. */
static bool check_value(const struct shape *shape, const struct node_entry *entry, const char *path,
                        const struct shape_field *field) {
    const struct node *value = &entry->value;
    if (value->kind == NODE_NULL && !field->null_refused) {
        return true;
    }
    if (field->type == SHAPE_ANY || shape_is(value, field->type)) {
        return true;
    }
    shape_refuse_type(shape, field->code, value, path_field(shape->arena, path, field->name), field->type);
    return false;
}

bool shape_check(const struct shape *shape, const struct node *map, const char *path,
                 const struct shape_field *fields) {
    bool fine = check_repeats(shape, map, path, true);
    for (uint32_t i = 0; i < map->count; i++) {
        const struct node_entry *entry = &map->entries[i];
        const struct shape_field *field = fields;
        while (field->name && !text_is(node_text(&entry->key), field->name)) {
            field++;
        }
        if (field->name) {
            fine = check_value(shape, entry, path, field) && fine;
        } else {
            refuse_unknown(shape, &entry->key, path, fields);
            fine = false;
        }
    }
    return fine;
}

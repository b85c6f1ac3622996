#include "kube/field.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "grammar/timestamp.h"

/* Problems of one effect beyond this many are kept only where they hold in a class that none held in before. */
enum { PROBLEMS_KEPT = 1000, KNOWN_KEYS = 40 };

static const char *const type_words[] = {
    [FIELD_ANY] = "any value",
    [FIELD_STRING] = "a string",
    [FIELD_INT] = "a whole number of 32 bits",
    [FIELD_LONG] = "a whole number",
    [FIELD_TIME] = "a time such as 2024-01-31T12:00:00Z",
    [FIELD_BOOL] = "true or false",
    [FIELD_INT_OR_STRING] = "a whole number or a string",
    [FIELD_STRING_MAP] = "a map of strings",
    [FIELD_MAP] = "a map",
    [FIELD_LIST] = "a list",
    [FIELD_PRUNED] = "nothing",
};

/* Every part of a policy has a path, so these are joined by hand: printf would cost more than all else. */
static const char *field_path(struct arena *arena, const char *path, const char *key) {
    size_t length = strlen(path), more = strlen(key);
    if (length == 0)
        return key;
    char *joined = arena_alloc(arena, length + more + 2);
    memcpy(joined, path, length);
    joined[length] = '.';
    memcpy(joined + length + 1, key, more);
    return joined;
}

static const char *index_path(struct arena *arena, const char *path, size_t index) {
    char digits[24];
    size_t length = strlen(path), count = 0;
    do
        digits[count++] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    char *joined = arena_alloc(arena, length + count + 3);
    memcpy(joined, path, length);
    joined[length++] = '[';
    while (count > 0)
        joined[length++] = digits[--count];
    joined[length] = ']';
    return joined;
}

struct part part_field(struct policy_reader *reader, struct part part, const char *key) {
    return (struct part){.node = node_get(part.node, key), .path = field_path(reader->arena, part.path, key)};
}

struct part part_index(struct policy_reader *reader, struct part part, size_t index) {
    bool inside = node_is(part.node, NODE_LIST) && index < part.node->count;
    return (struct part){.node = inside ? &part.node->items[index] : NULL,
                         .path = index_path(reader->arena, part.path, index)};
}

enum presence node_presence(const struct node *node) {
    if (node_is_null(node))
        return PRESENCE_ABSENT;
    bool holds = node->kind != NODE_LIST && node->kind != NODE_MAP;
    return holds || node->count > 0 ? PRESENCE_FILLED : PRESENCE_EMPTY;
}

/* ---- problems ---- */

/* The innermost map or list on the way to a part that is absent, so that a problem always has a place. */
static const struct node *nearest_node(const struct node *node, const char *path) {
    for (bool is_index = false; *path;) {
        struct text step = {.bytes = path, .length = strcspn(path, ".[]")};
        const struct node *next = NULL;
        uint64_t index;
        if (!is_index) {
            const struct node_entry *entry = node_find(node, step);
            next = entry ? &entry->value : NULL;
        } else if (node_is(node, NODE_LIST) && text_number(step, UINT32_MAX, &index) && index < node->count) {
            next = &node->items[index];
        }
        if (node_is_null(next))
            break;
        node = next;
        path += step.length;
        size_t separators = strspn(path, ".[]");
        is_index = memchr(path, '[', separators) != NULL;
        path += separators;
    }
    return node;
}

static void problem_new(struct policy_reader *reader, struct problem problem) {
    struct problem_seen *seen = &reader->seen[problem.effect];
    problem.classes &= reader->schema;
    problem.selects |= reader->in_subject;
    if (!problem.part.node)
        problem.part.node = nearest_node(reader->object->root, problem.part.path);
    bool more = (problem.classes & ~seen->classes) || (problem.selects && !seen->selects);
    if (problem.classes == 0 || (seen->count >= PROBLEMS_KEPT && !more))
        return;
    seen->count++;
    seen->classes |= problem.classes;
    seen->selects |= problem.selects;
    if (reader->count == reader->capacity)
        reader->problems =
            arena_grow(reader->arena, reader->problems, &reader->capacity, reader->count + 1, sizeof *reader->problems);
    reader->problems[reader->count++] = problem;
}

void problem_add(struct policy_reader *reader, enum problem_effect effect, enum code code, cilium_classes classes,
                 struct part part, const char *format, ...) {
    if (classes == 0)
        return;
    struct buffer message;
    va_list arguments;
    buffer_init(&message, reader->arena);
    va_start(arguments, format);
    buffer_vprint(&message, format, arguments);
    va_end(arguments);
    problem_new(
        reader,
        (struct problem){
            .effect = effect, .code = code, .classes = classes, .part = part, .message = buffer_string(&message)});
}

static void report_type(struct policy_reader *reader, const struct field *field, struct part part) {
    bool before = reader->in_subject;
    reader->in_subject |= field->whole;
    bool with_null = node_is(part.node, NODE_STRING) && !node_string(part.node);
    problem_add(reader, PROBLEM_TYPE, CODE_WRONG_TYPE, CILIUM_ALL, part, "is %s %s%s; the schema wants %s",
                part.node->kind == NODE_INT ? "an" : "a", node_kind_word(part.node->kind),
                with_null ? " with a NUL character" : "", type_words[field->type]);
    reader->in_subject = before;
}

static const struct field *find_field(const struct field *table, struct text key) {
    for (; table->key; table++) {
        if (text_is(key, table->key))
            return table;
    }
    return NULL;
}

/* The row whose key is nearest to a misspelt one and does not stand beside it, or NULL. */
static const struct field *nearest_field(const struct field *table, const struct node *map, struct text key) {
    const char *known[KNOWN_KEYS + 1] = {NULL};
    size_t count = 0;
    for (const struct field *row = table; row->key && count < KNOWN_KEYS; row++) {
        if (row->type != FIELD_PRUNED)
            known[count++] = row->key;
    }
    const char *nearest = text_nearest(key, known);
    return nearest && !node_get(map, nearest) ? find_field(table, text_of(nearest)) : NULL;
}

/* A key's path; odd keys stand in brackets. */
static struct part key_part(struct policy_reader *reader, struct part map, const struct node_entry *entry) {
    struct text key = node_text(&entry->key);
    bool plain = key.length > 0;
    for (size_t i = 0; i < key.length; i++)
        plain &= ascii_is_alphanumeric(key.bytes[i]);
    return (struct part){.node = &entry->key,
                         .path = plain ? field_path(reader->arena, map.path, key.bytes)
                                       : path_key(reader->arena, map.path, key)};
}

static void report_unknown(struct policy_reader *reader, const struct field *table, struct part map,
                           const struct node_entry *entry) {
    const struct field *nearest = nearest_field(table, map.node, node_text(&entry->key));
    const char *message =
        arena_format(reader->arena, "is no field of the schema and is dropped%s%s%s",
                     nearest ? "; the nearest known one is `" : "", nearest ? nearest->key : "", nearest ? "`" : "");
    problem_new(reader, (struct problem){.effect = PROBLEM_DROPPED,
                                         .code = CODE_UNKNOWN_FIELD,
                                         .part = key_part(reader, map, entry),
                                         .message = message,
                                         .widens = nearest ? nearest->widens : NULL,
                                         .classes = CILIUM_ALL});
}

static void report_pruned(struct policy_reader *reader, const struct field *field, struct part map,
                          const struct node_entry *entry) {
    problem_new(reader, (struct problem){.effect = PROBLEM_DROPPED,
                                         .code = field->code,
                                         .part = key_part(reader, map, entry),
                                         .message = "has no place here and is dropped",
                                         .widens = field->widens,
                                         .classes = CILIUM_ALL});
}

/* A field that the CRDs of some classes lack. */
static void report_newer(struct policy_reader *reader, const struct field *field, struct part map,
                         const struct node_entry *entry) {
    problem_new(reader, (struct problem){.effect = PROBLEM_DROPPED,
                                         .code = CODE_UNKNOWN_FIELD,
                                         .part = key_part(reader, map, entry),
                                         .message = "is no field of this version's schema and is dropped there",
                                         .widens = field->widens,
                                         .classes = (cilium_classes)(CILIUM_ALL & ~field->classes)});
}

static void report_duplicate(struct policy_reader *reader, struct part map, const struct node_entry *entry) {
    problem_add(reader, PROBLEM_DUPLICATE, CODE_DUPLICATE_KEY, CILIUM_ALL, key_part(reader, map, entry),
                "stands more than once in its map; the last one counts");
}

/* ---- reading ---- */

static bool is_number(const struct node *node) {
    int64_t value;
    return node_integer(node, &value) && value >= INT32_MIN && value <= INT32_MAX;
}

static bool is_time(const struct node *node) {
    const char *text = node_string(node);
    return text && timestamp_parse(text_of(text), NULL, NULL) == TIMESTAMP_OK && strpbrk(text, "tz") == NULL;
}

static bool type_fits(enum field_type type, const struct node *node) {
    int64_t number;
    switch (type) {
    case FIELD_STRING:
        return node_string(node) != NULL;
    case FIELD_INT:
        return is_number(node);
    case FIELD_LONG:
        return node_integer(node, &number);
    case FIELD_TIME:
        return is_time(node);
    case FIELD_BOOL:
        return node_is(node, NODE_BOOL);
    case FIELD_INT_OR_STRING:
        return is_number(node) || node_string(node);
    case FIELD_STRING_MAP:
    case FIELD_MAP:
        return node_is(node, NODE_MAP);
    case FIELD_LIST:
        return node_is(node, NODE_LIST);
    case FIELD_ANY:
    case FIELD_PRUNED:
        break;
    }
    return true;
}

/* Duplicate keys and values of a map with free keys. */
static void check_string_map(struct policy_reader *reader, struct part part) {
    static const struct field value = {.type = FIELD_STRING};
    const uint8_t *overrides = node_overrides(reader->arena, part.node);
    for (uint32_t i = 0; i < part.node->count; i++) {
        const struct node_entry *entry = &part.node->entries[i];
        if (overrides && overrides[i] == NODE_OVERRIDDEN)
            report_duplicate(reader, part, entry);
        if (node_is_null(&entry->value) || type_fits(FIELD_STRING, &entry->value))
            continue;
        struct part place = {.node = &entry->value, .path = path_key(reader->arena, part.path, node_text(&entry->key))};
        report_type(reader, &value, place);
    }
}

/* A string that is none of those that the schema lists. */
static void check_words(struct policy_reader *reader, const struct field *field, struct part part) {
    const char *string = node_string(part.node);
    struct buffer known;
    buffer_init(&known, reader->arena);
    for (const char *const *word = field->words; string && *word; word++) {
        if (text_is(text_of(string), *word))
            return;
        buffer_print(&known, "%s%s", word == field->words ? "" : ", ", *word);
    }
    if (string)
        refuse(reader, field->code, part, "is `%s`; the schema knows %s", string, buffer_string(&known));
}

static void check_required(struct policy_reader *reader, const struct field *table, struct part map) {
    for (const struct field *field = table; field->key; field++) {
        if (field->required && !node_get(map.node, field->key)) {
            struct part part = {.node = map.node, .path = field_path(reader->arena, map.path, field->key)};
            refuse(reader, field->code, part, "is missing; the schema wants it");
        }
    }
}

/* Gives a value to its row's reader, or checks what is below it. */
static void read_value(struct policy_reader *reader, const struct field *field, struct part part, void *base) {
    if (field->type == FIELD_STRING_MAP && node_is(part.node, NODE_MAP))
        check_string_map(reader, part);
    if (field->words)
        check_words(reader, field, part);
    if (field->read) {
        field->read(reader, field, part, base ? (char *)base + field->offset : NULL);
    } else if (field->type == FIELD_MAP && field->below) {
        fields_read(reader, field->below, part, NULL);
    } else if (field->type == FIELD_LIST && field->below) {
        uint32_t count;
        items_read(reader, field->below, part, 0, &count);
    }
}

static void read_entry(struct policy_reader *reader, const struct field *table, struct part map,
                       const struct node_entry *entry, void *base) {
    const struct field *field = find_field(table, node_text(&entry->key));
    if (!field) {
        report_unknown(reader, table, map, entry);
        return;
    }
    const struct policy_reader before = *reader;
    reader->in_subject |= field->subject;
    struct part part = {.node = &entry->value, .path = field_path(reader->arena, map.path, field->key)};
    /* A key that the schema lacks is unknown whatever its value. */
    if (field->classes) {
        report_newer(reader, field, map, entry);
        reader->schema &= field->classes;
    }
    if (field->type == FIELD_PRUNED)
        report_pruned(reader, field, map, entry);
    else if (!node_is_null(part.node) && type_fits(field->type, part.node))
        read_value(reader, field, part, base);
    else if (!node_is_null(part.node))
        report_type(reader, field, part);
    reader->in_subject = before.in_subject;
    reader->schema = before.schema;
}

void fields_read(struct policy_reader *reader, const struct field *table, struct part part, void *base) {
    if (!node_is(part.node, NODE_MAP))
        return;
    const uint8_t *overrides = node_overrides(reader->arena, part.node);
    for (uint32_t i = 0; i < part.node->count; i++) {
        const struct node_entry *entry = &part.node->entries[i];
        if (!overrides || overrides[i] == NODE_COUNTS)
            read_entry(reader, table, part, entry, base);
        else if (overrides[i] == NODE_OVERRIDDEN)
            report_duplicate(reader, part, entry);
    }
    check_required(reader, table, part);
}

void *items_read(struct policy_reader *reader, const struct field *item, struct part part, size_t size,
                 uint32_t *count) {
    *count = node_is(part.node, NODE_LIST) ? part.node->count : 0;
    char *array = *count && size ? arena_array(reader->arena, *count, size) : NULL;
    for (uint32_t i = 0; i < *count; i++) {
        struct part entry = part_index(reader, part, i);
        if (node_is_null(entry.node)) {
            if (reader->cilium)
                refuse(reader, CODE_NULL_ENTRY, entry, "is null; the schema wants %s", type_words[item->type]);
        } else if (!type_fits(item->type, entry.node)) {
            report_type(reader, item, entry);
        }
        read_value(reader, item, entry, array ? array + i * size : NULL);
    }
    return array;
}

void field_read_string(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    (void)reader, (void)field;
    *(const char **)target = node_string(part.node);
}

void field_read_bool(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    (void)reader, (void)field;
    if (node_is(part.node, NODE_BOOL))
        *(enum tristate *)target = node_bool(part.node) ? TRISTATE_TRUE : TRISTATE_FALSE;
}

void field_read_part(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    (void)reader, (void)field;
    *(struct part *)target = part;
}

void field_read_map(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    fields_read(reader, field->below, part, target);
}

#include "document/reader_build.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

_Static_assert(sizeof(struct node_entry) == 2 * sizeof(struct node), "an entry is a key node and a value node");

/* A line longer than this is not shown: a caret would not help. */
enum { EXCERPT_LONGEST = 400 };

struct reader *reader_create(struct arena *arena) {
    struct arena *scratch = arena_create();
    struct reader *reader = arena_alloc(scratch, sizeof *reader);
    reader->scratch = scratch;
    reader->arena = arena;
    return reader;
}

void reader_destroy(struct reader *reader) { arena_destroy(reader->scratch); }

const struct document_keep *reader_keep(const struct document_keep *table, struct text key) {
    const struct document_keep *any = NULL;
    for (; table->key; table++) {
        if (table->key[0] == '*' && table->key[1] == '\0') {
            any = table;
        } else if (strlen(table->key) == key.length && memcmp(table->key, key.bytes, key.length) == 0) {
            return table;
        }
    }
    return any;
}

enum object_key reader_object_key(struct text key) {
    switch (key.length) {
    case 4:
        return memcmp(key.bytes, "kind", 4) == 0 ? OBJECT_KIND : OBJECT_OTHER;
    case 5:
        return memcmp(key.bytes, "items", 5) == 0 ? OBJECT_ITEMS : OBJECT_OTHER;
    case 10:
        return memcmp(key.bytes, "apiVersion", 10) == 0 ? OBJECT_API_VERSION : OBJECT_OTHER;
    default:
        return OBJECT_OTHER;
    }
}

void reader_object_learn(const struct reader *reader, struct reader_object *object, enum object_key key,
                         struct text value) {
    if (key == OBJECT_KIND) {
        object->kind = value;
    } else {
        object->api_version = value;
    }
    if (!reader->options->filter || !object->api_version.bytes || !object->kind.bytes) {
        return;
    }
    const struct document_keep *keep = reader->options->filter(object->api_version, object->kind);
    object->mixed |= object->pruned && keep != object->keep;
    object->keep = keep;
    object->asked = true;
}

static bool is_typed_list(const struct reader_object *object) {
    return object->asked && text_ends_with(object->kind, "List") && object->kind.length > strlen("List");
}

struct reader_object reader_object_element(const struct reader_object *list) {
    bool typed = is_typed_list(list);
    return (struct reader_object){.keep = typed ? list->keep : NULL, .inherited = typed};
}

bool reader_object_is_sound(const struct reader *reader, const struct reader_object *object, const struct node *node) {
    if (!object->pruned) {
        return true;
    }
    if (object->mixed) {
        return false;
    }
    struct text api_version = node_text(node_get(node, "apiVersion")), kind = node_text(node_get(node, "kind"));
    if (object->inherited && !object->asked && api_version.length == 0 && kind.length == 0) {
        return true;
    }
    return reader->options->filter(api_version, kind) == object->keep;
}

const char reader_object_unsound[] =
    "apiVersion or kind is given again, and otherwise, after fields that the first did not need were passed over; "
    "the file cannot be read";

void reader_push(struct reader *reader, struct node node) {
    if (reader->top == reader->capacity) {
        reader->stack =
            arena_grow(reader->scratch, reader->stack, &reader->capacity, reader->top + 1, sizeof *reader->stack);
    }
    reader->stack[reader->top++] = node;
}

struct node reader_close(struct reader *reader, enum node_kind kind, size_t base) {
    size_t count = reader->top - base;
    reader->top = base;
    struct node node = {.kind = (uint8_t)kind, .count = (uint32_t)(kind == NODE_MAP ? count / 2 : count)};
    if (count > 0) {
        struct node *array = arena_alloc(reader->arena, count * sizeof *array);
        memcpy(array, reader->stack + base, count * sizeof *array);
        node.items = array;
        if (kind == NODE_MAP) {
            node.entries = (const struct node_entry *)array;
        }
    }
    return node;
}

/* Strings longer than this get room of their own. */
enum { STRING_SHORT = 256, STRING_ROOM = 4096 };

/* Strings need no alignment, so short ones are not each rounded up as the arena does it. */
const char *reader_string(struct reader *reader, struct text string) {
    if (string.length >= STRING_SHORT) {
        return arena_copy(reader->arena, string.bytes, string.length);
    }
    if (string.length >= reader->strings_left) {
        reader->strings = arena_alloc(reader->arena, STRING_ROOM);
        reader->strings_left = STRING_ROOM;
    }
    char *copy = reader->strings;
    if (string.length > 0) {
        memcpy(copy, string.bytes, string.length);
    }
    copy[string.length] = '\0';
    reader->strings += string.length + 1;
    reader->strings_left -= string.length + 1;
    return copy;
}

/* From the first and last eight bytes and the length: cheap, and good enough to tell field names apart. */
static size_t key_slot(struct text key) {
    uint64_t first = 0, last = 0;
    size_t part = key.length < 8 ? key.length : 8;
    if (part > 0) {
        memcpy(&first, key.bytes, part);
        memcpy(&last, key.bytes + key.length - part, part);
    }
    uint64_t hash = (first ^ (last << 7 | last >> 57) ^ key.length) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 40) % KEY_CACHE_SIZE;
}

const char *reader_key(struct reader *reader, struct text key) {
    struct text *slot = &reader->key_cache[key_slot(key)];
    if (!slot->bytes || slot->length != key.length || memcmp(slot->bytes, key.bytes, key.length) != 0) {
        *slot = (struct text){reader_string(reader, key), key.length};
    }
    return slot->bytes;
}

void reader_document(struct reader *reader, struct node root) {
    if (root.kind == NODE_NULL) {
        return;
    }
    struct file *file = reader->file;
    file->documents = arena_grow(reader->arena, file->documents, &reader->document_capacity, file->count + 1,
                                 sizeof *file->documents);
    file->documents[file->count] = (struct document){
        .root = root, .kind = node_text(node_get(&root, "kind")), .number = (uint32_t)(file->count + 1)};
    file->count++;
}

struct diagnostic *reader_report(struct reader *reader, enum code code, uint32_t line, uint32_t column,
                                 const char *message) {
    struct location location = {.file = reader->file->name, .line = line, .column = column};
    return diagnostics_add(reader->diagnostics, code, location, "%s", message);
}

void reader_limit(struct reader *reader, enum limit_kind kind, uint32_t line, uint32_t column) {
    const struct limits *limits = &reader->options->limits;
    const struct {
        const char *before, *after, *option;
        size_t bound;
    } rows[] = {
        [LIMIT_BYTES] = {"the file is larger than", "bytes", "--max-bytes", limits->bytes},
        [LIMIT_DEPTH] = {"maps and lists are nested deeper than", "levels", "--max-depth", limits->depth},
        [LIMIT_NODES] = {"the file holds more than", "nodes", "--max-nodes", limits->nodes},
        [LIMIT_ALIAS] = {"aliases of one document stand for more than", "nodes", "--max-alias", limits->alias},
        [LIMIT_SCALAR] = {"a scalar, or a stretch without any value, is longer than", "bytes", "--max-scalar",
                          limits->scalar},
    };
    struct location location = {.file = reader->file->name, .line = line, .column = column};
    diagnostics_add(reader->diagnostics, CODE_LIMIT, location, "%s %zu %s; %s moves this limit", rows[kind].before,
                    rows[kind].bound, rows[kind].after, rows[kind].option);
    reader->file->state = FILE_BROKEN;
}

void reader_excerpt(struct reader *reader, struct diagnostic *diagnostic, struct text line) {
    if (reader->options->keep_excerpts && line.length <= EXCERPT_LONGEST) {
        diagnostic->excerpt = arena_copy(reader->diagnostics->arena, line.bytes, line.length);
    }
}

#include "document/node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "document/scalar.h"
#include "document/writer.h"

/* Maps up to this size are compared and searched pair by pair; larger ones are sorted first. */
#define SMALL_MAP 16

const char *node_kind_word(enum node_kind kind) {
    static const char *const words[] = {
        [NODE_NULL] = "null",     [NODE_BOOL] = "boolean", [NODE_INT] = "integer", [NODE_FLOAT] = "float",
        [NODE_STRING] = "string", [NODE_LIST] = "list",    [NODE_MAP] = "map"};
    return words[kind];
}

static bool key_is(const struct node_entry *entry, struct text key) {
    return entry->key.count == key.length && (key.length == 0 || memcmp(entry->key.text, key.bytes, key.length) == 0);
}

const struct node_entry *node_find(const struct node *map, struct text key) {
    for (uint32_t i = node_is(map, NODE_MAP) ? map->count : 0; i > 0; i--) {
        if (key_is(&map->entries[i - 1], key)) {
            return &map->entries[i - 1];
        }
    }
    return NULL;
}

const struct node *node_get(const struct node *map, const char *key) {
    const struct node_entry *entry = node_find(map, text_of(key));
    return entry && entry->value.kind != NODE_NULL ? &entry->value : NULL;
}

bool node_entry_is_overridden(const struct node *map, uint32_t index, bool *by_merge) {
    const struct node_entry *entry = &map->entries[index];
    bool later = false, later_written = false;
    for (uint32_t i = index + 1; i < map->count; i++) {
        if (key_is(&map->entries[i], node_text(&entry->key))) {
            later = true;
            later_written |= !(map->entries[i].key.flags & NODE_MERGED);
        }
    }
    *by_merge = later && (!later_written || (entry->key.flags & NODE_MERGED));
    return later;
}

static int compare_entries(const void *a, const void *b) {
    const struct node_entry *const *left = a, *const *right = b;
    int order = text_compare(node_text(&(*left)->key), node_text(&(*right)->key));
    return order ? order : (*left > *right) - (*left < *right);
}

/* The entries by key, equal keys in the order of the map. */
static const struct node_entry **sort_entries(struct arena *arena, const struct node *map) {
    const struct node_entry **order = arena_array(arena, map->count, sizeof *order);
    for (uint32_t i = 0; i < map->count; i++) {
        order[i] = &map->entries[i];
    }
    qsort(order, map->count, sizeof *order, compare_entries);
    return order;
}

static bool same_key(const struct node_entry *a, const struct node_entry *b) { return key_is(a, node_text(&b->key)); }

static uint8_t override_of(bool by_merge) { return by_merge ? NODE_OVERRIDDEN_BY_MERGE : NODE_OVERRIDDEN; }

static const uint8_t *small_overrides(struct arena *arena, const struct node *map) {
    uint8_t *overrides = NULL;
    for (uint32_t i = 0; i < map->count; i++) {
        bool by_merge;
        if (node_entry_is_overridden(map, i, &by_merge)) {
            overrides = overrides ? overrides : arena_alloc(arena, map->count);
            overrides[i] = override_of(by_merge);
        }
    }
    return overrides;
}

static const uint8_t *large_overrides(struct arena *arena, const struct node *map) {
    uint8_t *overrides = NULL;
    struct arena *scratch = arena_create();
    const struct node_entry **order = sort_entries(scratch, map);
    bool later_written = false; /* among the equal keys behind */
    for (uint32_t i = map->count; i > 0; i--) {
        const struct node_entry *entry = order[i - 1];
        bool merged = entry->key.flags & NODE_MERGED;
        if (i < map->count && same_key(entry, order[i])) {
            overrides = overrides ? overrides : arena_alloc(arena, map->count);
            overrides[entry - map->entries] = override_of(merged || !later_written);
            later_written |= !merged;
        } else {
            later_written = !merged;
        }
    }
    arena_destroy(scratch);
    return overrides;
}

const uint8_t *node_overrides(struct arena *arena, const struct node *map) {
    return map->count > SMALL_MAP ? large_overrides(arena, map) : small_overrides(arena, map);
}

struct text node_text(const struct node *node) {
    bool is_scalar = node && node->kind <= NODE_STRING && node->text;
    return is_scalar ? (struct text){.bytes = node->text, .length = node->count} : text_of(NULL);
}

const char *node_string(const struct node *node) {
    return node_is(node, NODE_STRING) && !memchr(node->text, '\0', node->count) ? node->text : NULL;
}

bool node_bool(const struct node *node) { return node_is(node, NODE_BOOL) && scalar_bool(node_text(node)); }

bool node_integer(const struct node *node, int64_t *value) {
    return (node_is(node, NODE_INT) || node_is(node, NODE_FLOAT)) && scalar_integer(node_text(node), value);
}

struct location node_location(const char *file, const struct node *node) {
    return (struct location){.file = file, .line = node ? node->line : 0, .column = node ? node->column : 0};
}

/* Numbers are equal as the JSON that is made of them: 80, 080 and 80.0 are. */
static bool numbers_equal(const struct node *a, const struct node *b) {
    char left[SCALAR_SPELLING], right[SCALAR_SPELLING];
    struct text left_text = {.bytes = left, .length = scalar_spell(node_text(a), left)};
    struct text right_text = {.bytes = right, .length = scalar_spell(node_text(b), right)};
    if (left_text.length == 0 && right_text.length == 0) {
        return text_equal(node_text(a), node_text(b)); /* infinities */
    }
    return text_equal(left_text, right_text);
}

static bool is_number(const struct node *node) { return node->kind == NODE_INT || node->kind == NODE_FLOAT; }

static bool lists_equal(const struct node *a, const struct node *b) {
    for (uint32_t i = 0; i < a->count; i++) {
        if (!node_equal(&a->items[i], &b->items[i])) {
            return false;
        }
    }
    return true;
}

/* Whether each entry of `a` that counts has its equal in `b`; adds up how many count. */
static bool entries_within(const struct node *a, const struct node *b, size_t *counted) {
    for (uint32_t i = 0; i < a->count; i++) {
        const struct node_entry *entry = &a->entries[i], *other = node_find(b, node_text(&entry->key));
        if (node_find(a, node_text(&entry->key)) != entry) {
            continue;
        }
        ++*counted;
        if (!other || !node_equal(&entry->value, &other->value)) {
            return false;
        }
    }
    return true;
}

static size_t count_distinct(const struct node *map) {
    size_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        count += node_find(map, node_text(&map->entries[i].key)) == &map->entries[i];
    }
    return count;
}

/* Leaves the last of each run of equal keys; returns how many there are. */
static size_t keep_last(const struct node_entry **order, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count || !same_key(order[i], order[i + 1])) {
            order[kept++] = order[i];
        }
    }
    return kept;
}

static bool large_maps_equal(const struct node *a, const struct node *b) {
    struct arena *scratch = arena_create();
    const struct node_entry **left = sort_entries(scratch, a), **right = sort_entries(scratch, b);
    size_t count = keep_last(left, a->count);
    bool equal = count == keep_last(right, b->count);
    for (size_t i = 0; equal && i < count; i++) {
        equal = same_key(left[i], right[i]) && node_equal(&left[i]->value, &right[i]->value);
    }
    arena_destroy(scratch);
    return equal;
}

static bool maps_equal(const struct node *a, const struct node *b) {
    if (a->count > SMALL_MAP || b->count > SMALL_MAP) {
        return large_maps_equal(a, b);
    }
    size_t counted = 0;
    return entries_within(a, b, &counted) && counted == count_distinct(b);
}

bool node_equal(const struct node *a, const struct node *b) {
    if (is_number(a) && is_number(b)) {
        return numbers_equal(a, b);
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch ((enum node_kind)a->kind) {
    case NODE_NULL:
    case NODE_INT:
    case NODE_FLOAT:
        break;
    case NODE_BOOL:
        return node_bool(a) == node_bool(b);
    case NODE_STRING:
        return text_equal(node_text(a), node_text(b));
    case NODE_LIST:
        return a->count == b->count && lists_equal(a, b);
    case NODE_MAP:
        return maps_equal(a, b);
    }
    return true;
}

static struct node make_scalar(enum node_kind kind, const char *text) {
    size_t length = strlen(text);
    assert(length <= UINT32_MAX);
    return (struct node){.kind = (uint8_t)kind, .flags = NODE_GENERATED, .count = (uint32_t)length, .text = text};
}

struct node node_make_string(const char *string) {
    return make_scalar(NODE_STRING, string);
}

struct node node_make_int(struct arena *arena, int64_t value) {
    return make_scalar(NODE_INT, arena_format(arena, "%lld", (long long)value));
}

struct node node_make_bool(bool value) {
    return make_scalar(NODE_BOOL, value ? "true" : "false");
}

void node_builder_init(struct node_builder *builder, struct arena *arena, enum node_kind kind) {
    assert(kind == NODE_LIST || kind == NODE_MAP);
    *builder = (struct node_builder){.arena = arena, .kind = kind};
}

/* The array with room for one more element of `size` bytes. */
static void *make_room(struct node_builder *builder, size_t size) {
    assert(builder->count < UINT32_MAX);
    builder->array = arena_grow(builder->arena, builder->array, &builder->capacity, builder->count + 1, size);
    return builder->array;
}

void node_builder_add(struct node_builder *builder, struct node item) {
    assert(builder->kind == NODE_LIST);
    struct node *items = make_room(builder, sizeof *items);
    items[builder->count++] = item;
}

void node_builder_put_node(struct node_builder *builder, struct node key, struct node value) {
    assert(builder->kind == NODE_MAP && key.kind == NODE_STRING);
    struct node_entry *entries = make_room(builder, sizeof *entries);
    entries[builder->count++] = (struct node_entry){.key = key, .value = value};
}

void node_builder_put(struct node_builder *builder, const char *key, struct node value) {
    node_builder_put_node(builder, node_make_string(key), value);
}

struct node node_builder_done(struct node_builder *builder) {
    struct node node = {.kind = (uint8_t)builder->kind, .flags = NODE_GENERATED, .count = (uint32_t)builder->count};
    if (builder->kind == NODE_LIST) {
        node.items = builder->array;
    } else {
        node.entries = builder->array;
    }
    return node;
}

const char *path_field(struct arena *arena, const char *path, const char *field) {
    return path && *path ? arena_format(arena, "%s.%s", path, field) : field;
}

const char *path_index(struct arena *arena, const char *path, size_t index) {
    return arena_format(arena, "%s[%zu]", path ? path : "", index);
}

const char *path_key(struct arena *arena, const char *path, struct text key) {
    struct buffer buffer;
    buffer_init(&buffer, arena);
    buffer_add_text(&buffer, text_of(path));
    buffer_add_char(&buffer, '[');
    writer_json_string(&buffer, key);
    buffer_add_char(&buffer, ']');
    return buffer_string(&buffer);
}

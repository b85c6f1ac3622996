/*
 * What an index says, and what is wrong with it by itself (spec/snapshot.md).
 */
#include <string.h>

#include "base/arena.h"
#include "grammar/timestamp.h"
#include "kube/snapshot_index_parts.h"

static const struct shape_field index_fields[] = {
    {"apiVersion", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"kind", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"takenAt", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"server", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"serverVersion", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"context", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"namespaces", SHAPE_ANY, CODE_SNAPSHOT_INDEX, false},
    {"collections", SHAPE_LIST, CODE_SNAPSHOT_INDEX, true},
    {NULL, SHAPE_ANY, CODE_SNAPSHOT_INDEX, false},
};

static const struct shape_field collection_fields[] = {
    {"resource", SHAPE_STRING, CODE_SNAPSHOT_INDEX, true},
    {"group", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"version", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"namespace", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"status", SHAPE_STRING, CODE_SNAPSHOT_INDEX, true},
    {"reason", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"file", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {"items", SHAPE_INTEGER, CODE_SNAPSHOT_INDEX, false},
    {"resourceVersion", SHAPE_STRING, CODE_SNAPSHOT_INDEX, false},
    {NULL, SHAPE_ANY, CODE_SNAPSHOT_INDEX, false},
};

enum { FIELDS_MAX = 16 };

struct index_reader {
    struct shape shape;
    struct snapshot_index *index;
};

#define REFUSE(reader, node, path, ...) shape_refuse(&(reader)->shape, CODE_SNAPSHOT_INDEX, node, path, __VA_ARGS__)

static bool read_status(const char *word, enum collection_status *status) {
    static const enum collection_status known[] = {COLLECTION_READ, COLLECTION_NOT_SERVED, COLLECTION_FORBIDDEN,
                                                   COLLECTION_FAILED};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(word, collection_status_word(known[i])) == 0) {
            *status = known[i];
            return true;
        }
    return false;
}

static const struct shape_field *field_of(const struct shape_field *fields, struct text key) {
    while (fields->name && !text_is(key, fields->name))
        fields++;
    return fields->name ? fields : NULL;
}

/* A key that no field has: a slip if it is near to one, else what a later version writes. */
static bool check_unknown(const struct index_reader *reader, const struct node *key, const char *path,
                          const struct shape_field *fields) {
    const char *known[FIELDS_MAX + 1] = {NULL};
    for (size_t i = 0; fields[i].name && i < FIELDS_MAX; i++)
        known[i] = fields[i].name;
    const char *nearest = text_nearest(node_text(key), known);
    if (nearest)
        REFUSE(reader, key, path_key(reader->shape.arena, path, node_text(key)), "is no field; did you mean `%s`?",
               nearest);
    return !nearest;
}

static bool check_fields(const struct index_reader *reader, const struct node *map, const char *path,
                         const struct shape_field *fields) {
    const uint8_t *overrides = node_overrides(reader->shape.arena, map);
    bool well = true;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct node_entry *entry = &map->entries[i];
        const struct shape_field *field = field_of(fields, node_text(&entry->key));
        if (!field) {
            well = check_unknown(reader, &entry->key, path, fields) && well;
            continue;
        }
        const char *place = path_field(reader->shape.arena, path, field->name);
        if (overrides && overrides[i] == NODE_OVERRIDDEN) {
            REFUSE(reader, &entry->key, place, "stands twice in one map");
            well = false;
        } else if ((entry->value.kind != NODE_NULL || field->null_refused) && field->type != SHAPE_ANY &&
                   !shape_is(&entry->value, field->type)) {
            shape_refuse_type(&reader->shape, CODE_SNAPSHOT_INDEX, &entry->value, place, field->type);
            well = false;
        }
    }
    return well;
}

/* The file of a collection: there must be one that lies below the index's folder, where it was read. */
static bool read_file(struct index_reader *reader, const struct node *node, const char *path,
                      struct collection *collection) {
    const struct node *file = shape_get(node, "file", SHAPE_STRING), *items = shape_get(node, "items", SHAPE_INTEGER);
    const char *file_path = path_field(reader->shape.arena, path, "file");
    int64_t count = 0;
    if (collection->status == COLLECTION_READ && (!file || !items)) {
        REFUSE(reader, node, path, "a collection that was read needs `file` and `items`");
        return false;
    }
    if (file) {
        collection->path = snapshot_index_path(reader->shape.arena, reader->index->file, node_string(file));
        if (!collection->path) {
            REFUSE(reader, file, file_path, "must be the path of a file below the folder of the index");
            return false;
        }
    }
    if (items && (!node_integer(items, &count) || count < 0)) {
        REFUSE(reader, items, path_field(reader->shape.arena, path, "items"), "must be 0 or more");
        return false;
    }
    collection->items = (uint64_t)count;
    return true;
}

static bool read_collection(struct index_reader *reader, const struct node *node, const char *path,
                            struct collection *collection) {
    *collection = (struct collection){.node = node};
    if (!node_is(node, NODE_MAP)) {
        shape_refuse_type(&reader->shape, CODE_SNAPSHOT_INDEX, node, path, SHAPE_MAP);
        return false;
    }
    if (!check_fields(reader, node, path, collection_fields))
        return false;
    const char *status = shape_string(node, "status");
    collection->resource = shape_string(node, "resource");
    collection->group = shape_string(node, "group");
    collection->namespace = shape_string(node, "namespace");
    collection->reason = shape_string(node, "reason");
    if (!collection->resource || !*collection->resource || !status) {
        REFUSE(reader, node, path, "a collection needs `resource` and `status`");
        return false;
    }
    if (collection->namespace && !*collection->namespace)
        collection->namespace = NULL;
    if (!read_status(status, &collection->status)) {
        REFUSE(reader, node_get(node, "status"), path_field(reader->shape.arena, path, "status"),
               "must be `read`, `not-served`, `forbidden` or `failed`");
        return false;
    }
    return read_file(reader, node, path, collection);
}

static bool read_collections(struct index_reader *reader, const struct node *list) {
    struct snapshot_index *index = reader->index;
    bool well = true;
    index->collections = arena_array(reader->shape.arena, list->count + 1u, sizeof *index->collections);
    for (uint32_t i = 0; i < list->count; i++) {
        const char *path = path_index(reader->shape.arena, "collections", i);
        if (read_collection(reader, &list->items[i], path, &index->collections[index->count]))
            index->count++;
        else
            well = false;
    }
    return well;
}

/* "all", which is also what an index means that does not say, or a list of names. */
static bool read_namespaces(struct index_reader *reader, const struct node *namespaces) {
    if (!namespaces || text_is(node_text(namespaces), "all"))
        return true;
    if (!node_is(namespaces, NODE_LIST)) {
        REFUSE(reader, namespaces, "namespaces", "must be `all` or a list of namespaces");
        return false;
    }
    for (uint32_t i = 0; i < namespaces->count; i++) {
        const struct node *item = &namespaces->items[i];
        if (node_is(item, NODE_STRING) && item->count > 0)
            continue;
        REFUSE(reader, item, path_index(reader->shape.arena, "namespaces", i), "must be the name of a namespace");
        return false;
    }
    reader->index->namespaces = namespaces;
    return true;
}

static bool read_head(struct index_reader *reader, const struct node *root) {
    const struct node *version = node_get(root, "apiVersion"), *kind = node_get(root, "kind");
    const struct node *taken_at = shape_get(root, "takenAt", SHAPE_STRING);
    bool well = check_fields(reader, root, "", index_fields);
    well = read_namespaces(reader, node_get(root, "namespaces")) && well;
    if (!text_is(node_text(version), "egressc.io/v1") || !text_is(node_text(kind), "EgressSnapshot")) {
        REFUSE(reader, version ? version : root, "apiVersion",
               "an index is of apiVersion egressc.io/v1 and kind EgressSnapshot");
        well = false;
    }
    if (!taken_at)
        return well;
    enum timestamp_fault fault = timestamp_parse(node_text(taken_at), NULL, NULL);
    if (fault == TIMESTAMP_OK) {
        reader->index->taken_at = node_string(taken_at);
        return well;
    }
    REFUSE(reader, taken_at, "takenAt", "is no time of RFC 3339: it %s", timestamp_fault_text(fault));
    return false;
}

void snapshot_index_parse(const struct node *root, const char *file, struct arena *arena, struct snapshot_index *index,
                          struct diagnostics *diagnostics) {
    *index = (struct snapshot_index){.file = file, .root = root};
    struct index_reader reader = {.shape = {.file = file, .arena = arena, .diagnostics = diagnostics}, .index = index};
    const struct node *collections = shape_get(root, "collections", SHAPE_LIST);
    bool well = read_head(&reader, root);
    if (!collections) {
        if (!node_find(root, text_of("collections")))
            REFUSE(&reader, root, "collections", "is missing: an index lists its collections");
        well = false;
    } else if (!read_collections(&reader, collections)) {
        well = false;
    }
    index->malformed = !well;
}

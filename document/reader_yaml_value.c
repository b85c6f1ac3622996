#include "document/reader_yaml_value.h"

#include <string.h>

#include "base/arena.h"
#include "document/scalar.h"

/* The first bytes of plain scalars that may be something else than strings. */
static const bool typed_first[256] = {
    ['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true,
    ['8'] = true, ['9'] = true, ['+'] = true, ['-'] = true, ['.'] = true, ['~'] = true, ['n'] = true, ['N'] = true,
    ['y'] = true, ['Y'] = true, ['t'] = true, ['T'] = true, ['f'] = true, ['F'] = true, ['o'] = true, ['O'] = true,
};

static enum node_kind plain_kind(struct text value) {
    if (value.length == 0) {
        return NODE_NULL;
    }
    return typed_first[(unsigned char)value.bytes[0]] ? scalar_kind(value) : NODE_STRING;
}

static const char core_prefix[] = "tag:yaml.org,2002:";

/* The name of a core tag, or "" for another. */
static const char *core_tag(const char *tag) {
    return strncmp(tag, core_prefix, sizeof core_prefix - 1) == 0 ? tag + sizeof core_prefix - 1 : "";
}

static const char unknown_tag[] = "a tag that is none of !!str, !!int, !!float, !!bool, !!null, !!map, !!seq";

/* The node kinds that a scalar's own spelling must give under a tag. */
static const struct scalar_tag {
    const char *name;
    enum node_kind kind, or_kind;
} scalar_tags[] = {
    {"int", NODE_INT, NODE_INT},
    {"float", NODE_FLOAT, NODE_INT},
    {"bool", NODE_BOOL, NODE_BOOL},
    {"null", NODE_NULL, NODE_NULL},
};

static const char *tagged_scalar(const struct yaml_scalar *scalar, struct node *node) {
    const char *name = core_tag(scalar->tag);
    if (strcmp(scalar->tag, "!") == 0 || strcmp(name, "str") == 0 || strcmp(name, "timestamp") == 0) {
        node->kind = NODE_STRING;
        node->flags = NODE_QUOTED;
        return NULL;
    }
    enum node_kind kind = plain_kind(scalar->value);
    for (size_t i = 0; i < sizeof scalar_tags / sizeof *scalar_tags; i++) {
        if (strcmp(name, scalar_tags[i].name) == 0) {
            node->kind = (uint8_t)scalar_tags[i].kind;
            return kind == scalar_tags[i].kind || kind == scalar_tags[i].or_kind
                       ? NULL
                       : "the scalar is not what its tag says";
        }
    }
    return unknown_tag;
}

const char *yaml_scalar_node(const struct yaml_scalar *scalar, struct node *node) {
    node->count = (uint32_t)scalar->value.length;
    if (scalar->tag) {
        return tagged_scalar(scalar, node);
    }
    if (!scalar->plain) {
        node->kind = NODE_STRING;
        node->flags = NODE_QUOTED;
        return NULL;
    }
    node->kind = (uint8_t)plain_kind(scalar->value);
    if (node->kind != NODE_STRING && scalar_is_surprising(scalar->value)) {
        node->flags = NODE_RETYPED;
    }
    return NULL;
}

const char *yaml_collection_tag(const char *tag, enum node_kind kind) {
    bool right = !tag || strcmp(tag, "!") == 0 || strcmp(core_tag(tag), kind == NODE_MAP ? "map" : "seq") == 0;
    return right ? NULL : unknown_tag;
}

bool yaml_scalar_is_merge(const struct yaml_scalar *scalar) {
    if (scalar->value.length != 2 || memcmp(scalar->value.bytes, "<<", 2) != 0) {
        return false;
    }
    return scalar->tag ? strcmp(core_tag(scalar->tag), "merge") == 0 : scalar->plain;
}

bool yaml_key_node(struct reader *reader, const struct node *scalar, struct node *key) {
    struct text value = node_text(scalar);
    *key = *scalar;
    key->flags = (uint8_t)(key->flags & ~NODE_RETYPED);
    if (scalar->kind == NODE_STRING) {
        key->text = reader_key(reader, value);
        return true;
    }
    const char *string = scalar_key(reader->arena, value);
    if (!string || scalar->kind == NODE_NULL) {
        return false;
    }
    key->kind = NODE_STRING;
    key->flags |= NODE_RETYPED;
    key->text = string;
    key->count = (uint32_t)strlen(string);
    return true;
}

static void merge_map(struct reader *reader, const struct node *map) {
    for (uint32_t i = 0; i < map->count; i++) {
        struct node key = map->entries[i].key;
        key.flags |= NODE_MERGED;
        reader_push(reader, key);
        reader_push(reader, map->entries[i].value);
    }
}

bool yaml_merge(struct reader *reader, const struct node *value) {
    if (value->kind == NODE_MAP) {
        merge_map(reader, value);
        return true;
    }
    if (value->kind != NODE_LIST) {
        return false;
    }
    /* The first map of the list wins, and the last entry of a key does. */
    for (uint32_t i = value->count; i > 0; i--) {
        if (value->items[i - 1].kind != NODE_MAP) {
            return false;
        }
        merge_map(reader, &value->items[i - 1]);
    }
    return true;
}

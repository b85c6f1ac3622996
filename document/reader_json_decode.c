#include <assert.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "document/reader_json.h"

/* The marks are in the order in which a walk over the decoded values meets them. */
struct json_walk {
    struct reader *reader;
    const struct json_mark *mark;
};

static struct node mark_node(const struct json_mark *mark, enum node_kind kind) {
    return (struct node){.kind = (uint8_t)kind, .line = mark->line, .column = mark->column, .count = mark->length};
}

/* The decoder ends strings with a NUL but writes what follows a NUL inside; the scanner knows the length. */
static struct node string_node(struct json_walk *walk, const char *string) {
    struct node node = mark_node(walk->mark, NODE_STRING);
    node.flags = NODE_QUOTED;
    node.text = reader_string(walk->reader, (struct text){string, node.count});
    return node;
}

static struct node number_node(struct json_walk *walk) {
    const struct json_mark *mark = walk->mark;
    bool fraction = memchr(mark->text, '.', mark->length) || memchr(mark->text, 'e', mark->length) ||
                    memchr(mark->text, 'E', mark->length);
    struct node node = mark_node(mark, fraction ? NODE_FLOAT : NODE_INT);
    node.text = reader_string(walk->reader, (struct text){mark->text, mark->length});
    return node;
}

static struct node word_node(const struct json_mark *mark, enum node_kind kind, const char *word) {
    struct node node = mark_node(mark, kind);
    node.text = word;
    node.count = (uint32_t)strlen(word);
    return node;
}

static struct node key_node(struct json_walk *walk, const char *key) {
    struct node node = mark_node(walk->mark, NODE_STRING);
    node.flags = NODE_QUOTED;
    node.text = reader_key(walk->reader, (struct text){key, node.count});
    return node;
}

static struct node walk_value(struct json_walk *walk, const cJSON *value);

/* A map or list; the depth is bounded by the scanner. */
static struct node walk_children(struct json_walk *walk, const cJSON *value, enum node_kind kind) {
    const struct json_mark *mark = walk->mark;
    size_t base = walk->reader->top;
    for (const cJSON *child = value->child; child; child = child->next) {
        if (kind == NODE_MAP) {
            walk->mark++;
            reader_push(walk->reader, key_node(walk, child->string));
        }
        walk->mark++;
        reader_push(walk->reader, walk_value(walk, child));
    }
    struct node node = reader_close(walk->reader, kind, base);
    node.line = mark->line;
    node.column = mark->column;
    return node;
}

static struct node walk_value(struct json_walk *walk, const cJSON *value) {
    if (walk->mark->built) {
        return *walk->mark->built;
    }
    if (cJSON_IsObject(value)) {
        return walk_children(walk, value, NODE_MAP);
    }
    if (cJSON_IsArray(value)) {
        return walk_children(walk, value, NODE_LIST);
    }
    if (cJSON_IsString(value)) {
        return string_node(walk, value->valuestring);
    }
    if (cJSON_IsNumber(value)) {
        return number_node(walk);
    }
    if (cJSON_IsBool(value)) {
        return word_node(walk->mark, NODE_BOOL, cJSON_IsTrue(value) ? "true" : "false");
    }
    return word_node(walk->mark, NODE_NULL, "null");
}

bool json_decode(struct reader *reader, struct text text, const struct json_mark *marks, struct node *node) {
    cJSON *value = cJSON_ParseWithLength(text.bytes, text.length);
    if (!value) {
        return false;
    }
    struct json_walk walk = {.reader = reader, .mark = marks};
    *node = walk_value(&walk, value);
    cJSON_Delete(value);
    return true;
}

/* Texts of the expression language of the API server (CEL). */
#include <string.h>

#include "base/arena.h"
#include "compiler/fence_parts.h"
#include "compiler/translate_parts.h"

static void add_escaped(struct buffer *out, const char *string, size_t length, char quote) {
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)string[i];
        if (byte == (unsigned char)quote || byte == '\\') {
            buffer_add_char(out, '\\');
            buffer_add_char(out, string[i]);
        } else if (byte < 0x20 || byte == 0x7f) {
            buffer_print(out, "\\u%04x", byte);
        } else {
            buffer_add_char(out, string[i]);
        }
    }
}

static void add_quoted(struct buffer *out, const char *string, size_t length, char quote) {
    buffer_add_char(out, quote);
    add_escaped(out, string, length, quote);
    buffer_add_char(out, quote);
}

void fence_cel_string(struct buffer *out, const char *string) { add_quoted(out, string, strlen(string), '"'); }

void fence_cel_single_quoted(struct buffer *out, const char *string) { add_quoted(out, string, strlen(string), '\''); }

/* A string with gaps: its parts, joined. */
static void add_string(struct buffer *out, const char *string, const struct fence_gaps *gaps) {
    const char *gap = gaps->host ? strstr(string, FENCE_HOST) : NULL;
    if (!gap) {
        fence_cel_string(out, string);
        return;
    }
    if (gap > string) {
        add_quoted(out, string, (size_t)(gap - string), '"');
        buffer_add_string(out, " + ");
    }
    buffer_add_string(out, gaps->host);
    if (gap[1]) {
        buffer_add_string(out, " + ");
        add_string(out, gap + 1, gaps);
    }
}

static bool has_lists_or_maps(const struct node *map) {
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->entries[i].value.kind != NODE_STRING) {
            return true;
        }
    }
    return false;
}

static void add_map(struct buffer *out, const struct node *map, const struct fence_gaps *gaps) {
    bool dynamic = map->count > 1 && has_lists_or_maps(map);
    buffer_add_char(out, '{');
    for (uint32_t i = 0; i < map->count; i++) {
        buffer_add_string(out, i ? ", " : "");
        add_string(out, map->entries[i].key.text, gaps);
        buffer_add_string(out, dynamic ? ": dyn(" : ": ");
        fence_cel_literal(out, &map->entries[i].value, gaps);
        buffer_add_string(out, dynamic ? ")" : "");
    }
    buffer_add_char(out, '}');
}

static void add_list(struct buffer *out, const struct node *list, const struct fence_gaps *gaps) {
    if (list->count == 0 && gaps->empty_list) {
        buffer_add_string(out, gaps->empty_list);
        return;
    }
    buffer_add_char(out, '[');
    for (uint32_t i = 0; i < list->count; i++) {
        bool dynamic = list->count > 1 && list->items[i].kind == NODE_MAP && has_lists_or_maps(&list->items[i]);
        buffer_add_string(out, i ? ", " : "");
        buffer_add_string(out, dynamic ? "dyn(" : "");
        fence_cel_literal(out, &list->items[i], gaps);
        buffer_add_string(out, dynamic ? ")" : "");
    }
    buffer_add_char(out, ']');
}

void fence_cel_literal(struct buffer *out, const struct node *tree, const struct fence_gaps *gaps) {
    switch ((enum node_kind)tree->kind) {
    case NODE_LIST:
        add_list(out, tree, gaps);
        return;
    case NODE_MAP:
        add_map(out, tree, gaps);
        return;
    case NODE_STRING:
        add_string(out, tree->text, gaps);
        return;
    case NODE_NULL:
    case NODE_BOOL:
    case NODE_INT:
    case NODE_FLOAT:
        buffer_add_text(out, node_text(tree));
        return;
    }
}

void fence_variable(struct fence_rules *rules, const char *name, const char *expression) {
    const struct translate_entry entries[] = {
        {"name", node_make_string(name)},
        {"expression", node_make_string(expression)},
    };
    node_builder_add(&rules->variables, translate_map(rules->arena, entries, 2));
}

void fence_validation(struct fence_rules *rules, bool for_writes, const char *expression, const char *message) {
    const char *guarded =
        for_writes ? arena_format(rules->arena, "request.operation == \"DELETE\" || %s", expression) : expression;
    const struct translate_entry entries[] = {
        {"expression", node_make_string(guarded)},
        {"message", node_make_string(message)},
    };
    node_builder_add(&rules->validations, translate_map(rules->arena, entries, 2));
}

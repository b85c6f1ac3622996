#include <stdlib.h>

#include "base/arena.h"
#include "document/writer.h"
#include "kube/cilium_rule.h"

static int compare_entries(const void *a, const void *b) {
    const struct node_entry *const *left = a, *const *right = b;
    return text_compare(node_text(&(*left)->key), node_text(&(*right)->key));
}

/* The entries that count, by key; returns how many. */
static size_t sort_entries(struct arena *arena, const struct node *map, const struct node_entry **order) {
    const uint8_t *overrides = node_overrides(arena, map);
    size_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        if ((!overrides || overrides[i] == NODE_COUNTS) && !node_is_null(&map->entries[i].value))
            order[count++] = &map->entries[i];
    }
    if (count > 1)
        qsort(order, count, sizeof *order, compare_entries);
    return count;
}

static void write_map(struct arena *arena, struct buffer *out, const struct node *map) {
    const struct node_entry **order = arena_array(arena, map->count, sizeof *order);
    size_t count = sort_entries(arena, map, order);
    buffer_add_char(out, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_add_char(out, ',');
        writer_json_string(out, node_text(&order[i]->key));
        buffer_add_char(out, ':');
        cilium_canonical(arena, out, &order[i]->value);
    }
    buffer_add_char(out, '}');
}

void cilium_canonical(struct arena *arena, struct buffer *out, const struct node *node) {
    if (node->kind == NODE_MAP) {
        write_map(arena, out, node);
        return;
    }
    if (node->kind != NODE_LIST) {
        writer_json_compact(out, node);
        return;
    }
    buffer_add_char(out, '[');
    for (uint32_t i = 0; i < node->count; i++) {
        if (i > 0)
            buffer_add_char(out, ',');
        cilium_canonical(arena, out, &node->items[i]);
    }
    buffer_add_char(out, ']');
}

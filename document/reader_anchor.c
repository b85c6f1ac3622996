#include "document/reader_anchor.h"

#include <string.h>

#include "base/arena.h"

void anchor_table_init(struct anchor_table *table, struct arena *arena) {
    *table = (struct anchor_table){.arena = arena};
}

void anchor_table_clear(struct anchor_table *table) {
    if (table->count > 0) {
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
        table->count = 0;
    }
}

/* The slot that holds `name`, or the empty one where it belongs. */
static uint32_t *slot_of(const struct anchor_table *table, const char *name) {
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)text_hash(text_of(name)) & mask;
    while (table->slots[at] != 0 && strcmp(table->list[table->slots[at] - 1].name, name) != 0) {
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

static void grow_slots(struct anchor_table *table) {
    table->slot_count = table->slot_count == 0 ? 16 : table->slot_count * 2;
    table->slots = arena_array(table->arena, table->slot_count, sizeof *table->slots);
    for (size_t i = 0; i < table->count; i++) {
        *slot_of(table, table->list[i].name) = (uint32_t)(i + 1);
    }
}

size_t anchor_table_add(struct anchor_table *table, const char *name) {
    if ((table->count + 1) * 2 > table->slot_count) {
        grow_slots(table);
    }
    table->list = arena_grow(table->arena, table->list, &table->capacity, table->count + 1, sizeof *table->list);
    table->list[table->count] = (struct anchor){.name = name, .open = true};
    *slot_of(table, name) = (uint32_t)(table->count + 1);
    return table->count++;
}

const struct anchor *anchor_table_find(const struct anchor_table *table, const char *name) {
    if (table->count == 0) {
        return NULL;
    }
    uint32_t index = *slot_of(table, name);
    return index == 0 ? NULL : &table->list[index - 1];
}

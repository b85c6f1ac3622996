/*
 * The anchors of one YAML document, by name. Private to the readers.
 */
#ifndef DOCUMENT_READER_ANCHOR_H
#define DOCUMENT_READER_ANCHOR_H

#include "document/node.h"

struct arena;

struct anchor {
    const char *name;
    struct node node;
    size_t size;   /* nodes that an alias stands for */
    size_t height; /* of the node: 0 for a scalar */
    bool open;     /* its node is not whole yet: an alias to it would hold itself */
};

struct anchor_table {
    struct arena *arena; /* of the arrays, which are used again for the next document */
    struct anchor *list;
    size_t count, capacity;
    uint32_t *slots; /* index in `list` plus 1, or 0; a power of two of them */
    size_t slot_count;
};

void anchor_table_init(struct anchor_table *table, struct arena *arena);
void anchor_table_clear(struct anchor_table *table);
/* A new open anchor, which hides an earlier one of that name; gives its index in `list`. The name is borrowed. */
size_t anchor_table_add(struct anchor_table *table, const char *name);
/* The latest anchor of that name, or NULL. */
const struct anchor *anchor_table_find(const struct anchor_table *table, const char *name);

#endif

/*
 * Pieces that the translations share. Only the folder's own files use this header.
 */
#ifndef COMPILER_TRANSLATE_PARTS_H
#define COMPILER_TRANSLATE_PARTS_H

#include "compiler/translate.h"

struct translate_entry {
    const char *key;
    struct node value;
};

struct node translate_map(struct arena *arena, const struct translate_entry *entries, size_t count);
struct node translate_list(struct arena *arena, const struct node *items, size_t count);
/* `{matchLabels: {...}}` */
struct node translate_match_labels(const struct config_label *labels, size_t count, struct arena *arena);

bool boundary_is_compiled(const struct boundary *boundary);

/* translate_core.c: `spec` of a NetworkPolicy. */
struct node translate_core_spec(const struct boundary *boundary, struct arena *arena);

#endif

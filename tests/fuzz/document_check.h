/* What every tree promises, whatever the bytes were; shared by the targets of the two readers. */
#ifndef TESTS_FUZZ_DOCUMENT_CHECK_H
#define TESTS_FUZZ_DOCUMENT_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "document/reader.h"

static void require(int condition) {
    if (!condition) {
        abort();
    }
}

static size_t check_node(const struct node *node, size_t depth) {
    size_t count = 1;
    require(node->line >= 1 && node->column >= 1 && depth <= 20);
    if (node->kind == NODE_LIST) {
        for (uint32_t i = 0; i < node->count; i++) {
            count += check_node(&node->items[i], depth + 1);
        }
    } else if (node->kind == NODE_MAP) {
        for (uint32_t i = 0; i < node->count; i++) {
            require(node->entries[i].key.kind == NODE_STRING);
            count += check_node(&node->entries[i].key, depth) + check_node(&node->entries[i].value, depth + 1);
        }
    } else {
        require(node->text[node->count] == '\0');
    }
    return count;
}

static const struct document_keep *check_filter(struct text api_version, struct text kind) {
    static const struct document_keep names[] = {{"name", NULL}, {NULL, NULL}};
    static const struct document_keep some[] = {{"metadata", names}, {"spec", NULL}, {NULL, NULL}};
    return (api_version.length + kind.length) % 2 ? some : NULL;
}

static void check_reading(const char *name, const uint8_t *data, size_t size, bool filtered) {
    struct arena *arena = arena_create();
    struct reader_options options = {
        .limits = {.bytes = 1 << 20, .depth = 20, .nodes = 20000, .alias = 2000, .scalar = 2000},
        .filter = filtered ? check_filter : NULL,
        .keep_excerpts = true};
    struct diagnostics diagnostics;
    struct file file;
    diagnostics_init(&diagnostics, arena);
    reader_read_text(name, (struct text){(const char *)data, size}, &options, arena, &file, &diagnostics);
    require((file.state == FILE_BROKEN) <= (diagnostics.errors > 0));
    require((file.state == FILE_TEMPLATE) <= (file.count == 0));
    size_t nodes = 0;
    for (size_t i = 0; i < file.count; i++) {
        nodes += check_node(&file.documents[i].root, 0);
    }
    require(nodes <= 20000 + (file.count + 1) * 2000 * 2);
    for (size_t i = 0; i < diagnostics.count; i++) {
        require(diagnostics.list[i].location.line <= size + 1);
    }
    arena_destroy(arena);
}

#endif

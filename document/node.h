/*
 * The value tree: what YAML and JSON are read into, what the compiler makes, what the writers print.
 *
 * Scalars are typed as the Kubernetes toolchain types them (spec/kubernetes-egress.md 3.3); map keys are stringified
 * the same way. Every node knows where it stands. Duplicate keys stay visible: lookups give the last one, which counts.
 * Nodes live in an arena and are never changed once built; aliases share the nodes of their anchor.
 */
#ifndef DOCUMENT_NODE_H
#define DOCUMENT_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diagnostic.h"
#include "base/text.h"

enum node_kind { NODE_NULL, NODE_BOOL, NODE_INT, NODE_FLOAT, NODE_STRING, NODE_LIST, NODE_MAP };

enum node_flag {
    NODE_QUOTED = 1,    /* a scalar in quotes, a block scalar, or tagged !!str */
    NODE_GENERATED = 2, /* made by the compiler: line and column are 0 */
    NODE_RETYPED = 4,   /* a key that was no string, or a value that looks like text but is typed (y, on, 0443) */
    NODE_MERGED = 8     /* a key that came in by a merge key */
};

struct node_entry;

struct node {
    uint8_t kind;  /* enum node_kind */
    uint8_t flags; /* enum node_flag */
    uint32_t line, column;
    uint32_t count; /* entries of a map, items of a list, bytes of a scalar's text */
    union {
        /* Strings: the value. Other scalars: as written ("0443", "~", "yes"). NUL-terminated; may hold NUL bytes. */
        const char *text;
        const struct node *items;
        const struct node_entry *entries;
    };
};

struct node_entry {
    struct node key; /* kind NODE_STRING */
    struct node value;
};

const char *node_kind_word(enum node_kind kind);

/* The last entry of that key whose value is not null, as most fields are read ("null is absent"); NULL: absent, null, or
 * `map` is no map (NULL allowed). */
const struct node *node_get(const struct node *map, const char *key);
/* The last entry of that key, null or not. */
const struct node_entry *node_find(const struct node *map, struct text key);
/* Whether an entry is overridden by a later one of the same key; `by_merge`: only because of merge keys, no fault. */
bool node_entry_is_overridden(const struct node *map, uint32_t index, bool *by_merge);

/* The same of all entries of a map at once, in the time of a sort: for maps of any size. One value an entry; NULL: no
 * entry is overridden. */
enum node_override { NODE_COUNTS, NODE_OVERRIDDEN, NODE_OVERRIDDEN_BY_MERGE };
const uint8_t *node_overrides(struct arena *arena, const struct node *map);

static inline bool node_is(const struct node *node, enum node_kind kind) { return node && node->kind == kind; }
static inline bool node_is_null(const struct node *node) { return !node || node->kind == NODE_NULL; }

/* The text of a string (of any scalar, as written). */
struct text node_text(const struct node *node);
/* The string value, NUL-terminated, or NULL where it is no string or holds a NUL byte. */
const char *node_string(const struct node *node);
/* The value of a boolean node. */
bool node_bool(const struct node *node);
/* The whole number that an int is, or a float without a fraction (80.0, 8e1); false: none, or outside int64. */
bool node_integer(const struct node *node, int64_t *value);

struct location node_location(const char *file, const struct node *node);

/* Equality of values: key order in maps does not matter, list order does, 53 is not '53', null is not absent. */
bool node_equal(const struct node *a, const struct node *b);

/* Builders, for generated trees. Strings are borrowed. */
struct node node_make_string(const char *string);
struct node node_make_int(struct arena *arena, int64_t value);
struct node node_make_bool(bool value);

struct node_builder { /* of a map or a list */
    struct arena *arena;
    enum node_kind kind;
    void *array;
    size_t count, capacity;
};
void node_builder_init(struct node_builder *builder, struct arena *arena, enum node_kind kind);
void node_builder_add(struct node_builder *builder, struct node item);                   /* list */
void node_builder_put(struct node_builder *builder, const char *key, struct node value); /* map */
void node_builder_put_node(struct node_builder *builder, struct node key, struct node value);
struct node node_builder_done(struct node_builder *builder);

/* Path spelling (spec/config.md 1): `egress.policy.exceptCidrs[2]`, `a["b.c/d"]` for keys of free-form maps. */
const char *path_field(struct arena *arena, const char *path, const char *field);
const char *path_index(struct arena *arena, const char *path, size_t index);
const char *path_key(struct arena *arena, const char *path, struct text key);

#endif

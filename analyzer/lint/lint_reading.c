/*
 * What the text of the objects shows, whatever they mean (spec/lint.md, "Reading"): keys that stand twice, and scalars that
 * are typed otherwise than they look. What the readers themselves have found is among the findings already.
 */
#include <string.h>

#include "analyzer/lint/check.h"
#include "base/arena.h"
#include "base/ascii.h"
#include "document/scalar.h"

enum { SMALL_MAP = 24, REPEATS_SHOWN = 100 };

/* ---- a walk that knows its path ---- */

struct step {
    const struct step *up;
    const struct node_entry *entry; /* NULL: `index` of a list */
    uint32_t index;
};

struct walk {
    struct lint *lint;
    const struct object *object;
    bool is_policy;
};

/* Keys of free maps stand in brackets, as everywhere (document/node.h). */
static bool is_free_map(const struct step *step) {
    static const char *const keys[] = {"matchLabels", "labels", "annotations", "nodeSelector", "selector", "data"};
    for (size_t i = 0; step && step->entry && i < sizeof keys / sizeof *keys; i++)
        if (text_is(node_text(&step->entry->key), keys[i]))
            return i < 3 || i == 5;
    return false;
}

static const char *step_path(struct arena *arena, const struct step *step) {
    if (!step)
        return "";
    const char *above = step_path(arena, step->up);
    if (!step->entry)
        return path_index(arena, above, step->index);
    struct text key = node_text(&step->entry->key);
    bool plain = key.length > 0 && !is_free_map(step->up) && !memchr(key.bytes, '\0', key.length) &&
                 !strpbrk(key.bytes, "./[]\"");
    return plain ? path_field(arena, above, key.bytes) : path_key(arena, above, key);
}

static struct diagnostic *report(const struct walk *walk, enum code code, const struct node *node, const char *path,
                                 const char *message) {
    return lint_report_object(walk->lint, walk->object, code, (struct part){node, path}, "%s", message);
}

/* ---- keys that stand twice ---- */

static void report_repeat(const struct walk *walk, const struct step *step, const struct node_entry *first,
                          const struct node_entry *again) {
    struct arena *arena = walk->lint->arena;
    const struct step here = {.up = step, .entry = again};
    const char *path = step_path(arena, &here);
    struct diagnostic *finding = report(
        walk, CODE_DUPLICATE_KEY, &again->key, path,
        arena_format(arena,
                     "%s stands twice in its map: kubectl keeps the last one and drops the other without a word; "
                     "remove one of the two",
                     path));
    diagnostic_note(walk->lint->findings, finding, node_location(walk->object->file, &first->key),
                    "the first one is here");
}

static bool same_key(const struct node *a, const struct node *b) {
    return a->count == b->count && !((a->flags | b->flags) & NODE_MERGED) && memcmp(a->text, b->text, a->count) == 0;
}

static void check_small(const struct walk *walk, const struct step *step, const struct node *map) {
    for (uint32_t i = 1; i < map->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (same_key(&map->entries[i].key, &map->entries[j].key)) {
                report_repeat(walk, step, &map->entries[j], &map->entries[i]);
                break;
            }
}

/* Of a map of any size, so many; each with the entry that overrides it. */
static void check_large(const struct walk *walk, const struct step *step, const struct node *map) {
    const uint8_t *overrides = node_overrides(walk->lint->arena, map);
    uint32_t shown = 0;
    for (uint32_t i = 0; overrides && i < map->count && shown < REPEATS_SHOWN; i++) {
        if (overrides[i] != NODE_OVERRIDDEN)
            continue;
        uint32_t later = i + 1;
        while (later < map->count && !same_key(&map->entries[i].key, &map->entries[later].key))
            later++;
        if (later < map->count)
            report_repeat(walk, step, &map->entries[i], &map->entries[later]);
        shown++;
    }
}

/* ---- scalars that surprise ---- */

/* 2024-01-31, with or without a time: a time to YAML 1.1. */
static bool is_date(struct text text) {
    static const char shape[] = "0000-00-00";
    if (text.length < sizeof shape - 1)
        return false;
    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == '0' ? !ascii_is_digit(text.bytes[i]) : text.bytes[i] != '-')
            return false;
    return true;
}

/* 1:30, 22:22:22: a number of base 60 to YAML 1.1. */
static bool is_sexagesimal(struct text text) {
    size_t digits = 0, colons = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == ':') {
            colons++;
            digits = 0;
        } else if (!ascii_is_digit(text.bytes[i]) || (++digits > 2 && colons > 0)) {
            return false;
        }
    }
    return colons > 0 && digits > 0 && ascii_is_digit(text.bytes[0]);
}

/* The sentence for a value that is surprising, or NULL. */
static const char *surprise_of(const struct walk *walk, const struct node *value) {
    struct arena *arena = walk->lint->arena;
    struct text text = node_text(value);
    char spelling[SCALAR_SPELLING];
    if ((value->flags & NODE_RETYPED) && value->kind == NODE_BOOL)
        return arena_format(arena, "`%s` is read as %s and not as text; put it in quotes, or write %s", text.bytes,
                            node_bool(value) ? "true" : "false", node_bool(value) ? "true" : "false");
    if ((value->flags & NODE_RETYPED) && scalar_spell(text, spelling))
        return arena_format(
            arena,
            "`%s` is read as the number %s, and otherwise by other readers; write the number that is meant "
            "in plain digits, or put it in quotes if it is text",
            text.bytes, spelling);
    if (!walk->is_policy || (value->flags & NODE_QUOTED))
        return NULL;
    if (value->kind == NODE_FLOAT && !scalar_spell(text, spelling))
        return arena_format(arena, "`%s` is read as a number that JSON does not have; put it in quotes", text.bytes);
    if (value->kind == NODE_NULL && text_is(text, "~"))
        return "`~` is read as null, which is the same as absent; write what is meant, or remove the key";
    if (value->kind == NODE_STRING && is_date(text))
        return arena_format(arena, "`%s` is text here and a time to other readers; put it in quotes", text.bytes);
    if (value->kind == NODE_STRING && is_sexagesimal(text))
        return arena_format(arena, "`%s` is text here and a number of base 60 to other readers; put it in quotes",
                            text.bytes);
    return NULL;
}

/* What the server writes itself. */
static bool is_timestamp(const struct step *step) {
    return step && step->entry && text_ends_with(node_text(&step->entry->key), "Timestamp");
}

static void check_scalar(const struct walk *walk, const struct step *step, const struct node *value) {
    const char *surprise = surprise_of(walk, value);
    if (!surprise || is_timestamp(step))
        return;
    const char *path = step_path(walk->lint->arena, step);
    report(walk, CODE_SCALAR_SURPRISE, value, path, arena_format(walk->lint->arena, "%s: %s", path, surprise));
}

static void check_key(const struct walk *walk, const struct step *step, const struct node *key) {
    if (!(key->flags & NODE_RETYPED) || (key->flags & NODE_MERGED))
        return;
    struct arena *arena = walk->lint->arena;
    const char *path = step_path(arena, step);
    const struct diagnostic *finding = report(
        walk, CODE_SCALAR_SURPRISE, key, path,
        arena_format(arena, "the key is no text as it is written, and becomes `%s`; put it in quotes", key->text));
    lint_propose(walk->lint, finding, LINT_EDIT_KEY, key, NULL);
}

/* ---- the walk ---- */

static void visit(const struct walk *walk, const struct step *step, const struct node *node) {
    if (node->kind == NODE_LIST) {
        for (uint32_t i = 0; i < node->count; i++)
            visit(walk, &(struct step){.up = step, .index = i}, &node->items[i]);
        return;
    }
    if (node->kind != NODE_MAP) {
        if ((node->flags & NODE_RETYPED) || walk->is_policy)
            check_scalar(walk, step, node);
        return;
    }
    if (node->count <= SMALL_MAP)
        check_small(walk, step, node);
    else
        check_large(walk, step, node);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct step below = {.up = step, .entry = &node->entries[i]};
        check_key(walk, &below, &node->entries[i].key);
        visit(walk, &below, &node->entries[i].value);
    }
}

static void check_text(struct lint *lint) {
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
        const struct object_list *list = &lint->snapshot.objects.of[kind];
        for (size_t i = 0; i < list->count; i++) {
            const struct walk walk = {
                .lint = lint, .object = &list->list[i], .is_policy = object_kind_is_policy((enum object_kind)kind)};
            visit(&walk, NULL, list->list[i].root);
        }
    }
}

/* ---- nothing to lint ---- */

static void check_policies(struct lint *lint) {
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        if (object_kind_is_policy((enum object_kind)kind) && lint->snapshot.objects.of[kind].count > 0)
            return;
    struct diagnostic *finding = diagnostics_add(
        lint->findings, CODE_NO_POLICIES, (struct location){.file = NULL},
        "no policy object is among the inputs, so nothing was looked at; name the files or directories that hold them");
    if (lint->request->strict)
        diagnostic_set_severity(lint->findings, finding, SEVERITY_ERROR);
}

lint_run_check *const lint_reading_checks[] = {check_text, check_policies, NULL};

/* Label selectors of both families, read and spelled. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/parts.h"

struct requirement *requirements_add(struct requirements *list, struct arena *arena, const char *source,
                                     const char *key, enum label_operator op) {
    list->items = arena_grow(arena, list->items, &list->capacity, list->count + 1, sizeof *list->items);
    struct requirement *requirement = &list->items[list->count++];
    *requirement = (struct requirement){.source = source, .key = key, .op = op};
    return requirement;
}

void requirement_value(struct requirement *requirement, struct arena *arena, const char *value) {
    const char **values = arena_array(arena, requirement->count + 1, sizeof *values);
    for (size_t i = 0; i < requirement->count; i++)
        values[i] = requirement->values[i];
    values[requirement->count++] = value;
    requirement->values = values;
}

/* Splits `source:key`; false: more than one colon, or a source that is no word (C 1.2). */
static bool split_key(struct arena *arena, const char *text, const char **source, const char **key) {
    const char *colon = strchr(text, ':');
    *source = "";
    *key = text;
    if (!colon)
        return true;
    if (colon == text || strchr(colon + 1, ':'))
        return false;
    for (const char *p = text; p < colon; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *p))
            return false;
    *source = arena_copy(arena, text, (size_t)(colon - text));
    if (strcmp(*source, "any") == 0)
        *source = "";
    *key = colon + 1;
    return true;
}

/* The long keys under which Cilium keeps namespace labels end in a label key of their own. */
static bool is_cilium_key(const char *key) {
    static const char prefix[] = "io.cilium.k8s.namespace.labels.";
    if (strncmp(key, prefix, sizeof prefix - 1) == 0)
        key += sizeof prefix - 1;
    return match_label_key_is_valid(key);
}

static struct requirement *add_key(struct requirements *list, struct arena *arena, const char *text, bool cilium,
                                   const char *source, const char *prefix, enum label_operator op) {
    const char *key = text;
    if (cilium && !split_key(arena, text, &source, &key))
        return NULL;
    if (cilium ? !is_cilium_key(key) : !match_label_key_is_valid(key))
        return NULL;
    if (*prefix)
        key = arena_format(arena, "%s%s", prefix, key);
    return requirements_add(list, arena, source, key, op);
}

static const char *const operator_words[] = {
    [LABEL_IN] = "In", [LABEL_NOT_IN] = "NotIn", [LABEL_EXISTS] = "Exists", [LABEL_DOES_NOT_EXIST] = "DoesNotExist"};

static size_t operator_of(const struct node *expression) {
    const char *word = node_string(node_get(expression, "operator"));
    size_t which = 0;
    while (which < 4 && (!word || strcmp(operator_words[which], word) != 0))
        which++;
    return which;
}

bool selector_has_known_operators(const struct node *selector) {
    const struct node *expressions;
    size_t count;
    if (!node_items(selector, "matchExpressions", &expressions, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (operator_of(&expressions[i]) == 4)
            return false;
    return true;
}

static bool read_expression(struct requirements *list, struct arena *arena, const struct node *expression, bool cilium,
                            const char *source, const char *prefix) {
    const char *key = node_string(node_get(expression, "key"));
    const struct node *values;
    size_t count, which = operator_of(expression);
    if (!key || !node_items(expression, "values", &values, &count))
        return false;
    if (which == 4 || (which <= LABEL_NOT_IN) != (count > 0))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!node_string(&values[i]) || !match_label_value_is_valid(node_string(&values[i])))
            return false;
    struct requirement *requirement = add_key(list, arena, key, cilium, source, prefix, (enum label_operator)which);
    for (size_t i = 0; requirement && i < count; i++)
        requirement_value(requirement, arena, node_string(&values[i]));
    return requirement != NULL;
}

static bool read_label(struct requirements *list, struct arena *arena, const struct node_entry *entry, bool cilium,
                       const char *source, const char *prefix) {
    const char *text = node_is_null(&entry->value) ? "" : node_string(&entry->value);
    if (!text || !match_label_value_is_valid(text))
        return false;
    struct requirement *requirement = add_key(list, arena, node_string(&entry->key), cilium, source, prefix, LABEL_IN);
    if (!requirement)
        return false;
    requirement_value(requirement, arena, text);
    return true;
}

bool requirements_read(struct requirements *list, struct arena *arena, const struct node *selector, bool cilium,
                       const char *source, const char *prefix) {
    if (node_is_null(selector))
        return true;
    const struct node *labels = node_get(selector, "matchLabels");
    const struct node *expressions;
    size_t count;
    bool readable = true, by_merge;
    if (!node_is(selector, NODE_MAP) || (labels && labels->kind != NODE_MAP))
        return false;
    for (uint32_t i = 0; labels && i < labels->count; i++)
        if (!node_entry_is_overridden(labels, i, &by_merge))
            readable &= read_label(list, arena, &labels->entries[i], cilium, source, prefix);
    if (!node_items(selector, "matchExpressions", &expressions, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        readable &= read_expression(list, arena, &expressions[i], cilium, source, prefix);
    return readable;
}

bool requirements_have_key(const struct requirements *list, const char *key) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].key, key) == 0 &&
            (list->items[i].source[0] == '\0' || strcmp(list->items[i].source, "k8s") == 0))
            return true;
    return false;
}

static int compare_words(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *requirements_id(const struct requirements *list, struct arena *arena) {
    const char **parts = arena_array(arena, list->count, sizeof *parts);
    for (size_t i = 0; i < list->count; i++) {
        const struct requirement *r = &list->items[i];
        const char *part = arena_format(arena, "%s:%s %d", r->source, r->key, (int)r->op);
        if (r->count > 1)
            qsort(r->values, r->count, sizeof *r->values, compare_words);
        for (size_t j = 0; j < r->count; j++)
            if (j == 0 || strcmp(r->values[j - 1], r->values[j]) != 0)
                part = arena_format(arena, "%s,%s", part, r->values[j]);
        parts[i] = part;
    }
    if (list->count > 1)
        qsort(parts, list->count, sizeof *parts, compare_words);
    const char *id = "labels";
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || strcmp(parts[i - 1], parts[i]) != 0)
            id = arena_format(arena, "%s;%s", id, parts[i]);
    return id;
}

struct selector *selectors_add(struct selectors *list, struct arena *arena, enum selector_kind kind, const char *id) {
    list->items = arena_grow(arena, list->items, &list->capacity, list->count + 1, sizeof *list->items);
    struct selector *selector = &list->items[list->count++];
    *selector = (struct selector){.kind = kind, .id = id};
    return selector;
}

bool node_items(const struct node *map, const char *key, const struct node **items, size_t *count) {
    const struct node *list = node_get(map, key);
    *items = list && list->kind == NODE_LIST ? list->items : NULL;
    *count = *items ? list->count : 0;
    return !list || list->kind == NODE_LIST;
}

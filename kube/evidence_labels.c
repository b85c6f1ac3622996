#include "kube/evidence_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct placed {
    struct key_value pair;
    uint32_t place;
};

static int compare_placed(const void *a, const void *b) {
    const struct placed *left = a, *right = b;
    int order = strcmp(left->pair.key, right->pair.key);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

/* Drops the earlier ones of equal keys. */
static uint32_t drop_overridden(struct key_value *list, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && strcmp(list[i].key, list[i + 1].key) == 0)
            continue;
        list[kept++] = list[i];
    }
    return kept;
}

/* Few labels are sorted in place, as they mostly come sorted; many by qsort. */
static void sort_pairs(struct key_value *list, uint32_t count) {
    enum { FEW = 32 };
    if (count > FEW) {
        struct arena *scratch = arena_create();
        struct placed *placed = arena_array(scratch, count, sizeof *placed);
        for (uint32_t i = 0; i < count; i++)
            placed[i] = (struct placed){.pair = list[i], .place = i};
        qsort(placed, count, sizeof *placed, compare_placed);
        for (uint32_t i = 0; i < count; i++)
            list[i] = placed[i].pair;
        arena_destroy(scratch);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct key_value pair = list[i];
        uint32_t at = i;
        for (; at > 0 && strcmp(list[at - 1].key, pair.key) > 0; at--)
            list[at] = list[at - 1];
        list[at] = pair;
    }
}

struct labels labels_read(const struct node *map, struct arena *arena) {
    struct labels labels = {.list = NULL, .count = 0};
    if (!node_is(map, NODE_MAP) || map->count == 0)
        return labels;
    struct key_value *list = arena_array(arena, map->count, sizeof *list);
    for (uint32_t i = 0; i < map->count; i++) {
        const struct node_entry *entry = &map->entries[i];
        const char *key = node_string(&entry->key), *value = node_string(&entry->value);
        if (key && (value || node_is_null(&entry->value)))
            list[labels.count++] = (struct key_value){.key = key, .value = value ? value : ""};
    }
    sort_pairs(list, labels.count);
    labels.count = drop_overridden(list, labels.count);
    labels.list = list;
    return labels;
}

struct labels labels_with(struct labels labels, const char *key, const char *value, struct arena *arena) {
    struct key_value *list = arena_array(arena, labels.count + 1, sizeof *list);
    uint32_t count = 0;
    bool placed = false;
    for (uint32_t i = 0; i < labels.count; i++) {
        int order = strcmp(labels.list[i].key, key);
        if (order >= 0 && !placed) {
            list[count++] = (struct key_value){.key = key, .value = value};
            placed = true;
        }
        if (order != 0)
            list[count++] = labels.list[i];
    }
    if (!placed)
        list[count++] = (struct key_value){.key = key, .value = value};
    return (struct labels){.list = list, .count = count};
}

const char *labels_get(const struct labels *labels, const char *key) {
    uint32_t low = 0, high = labels->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(labels->list[middle].key, key);
        if (order == 0)
            return labels->list[middle].value;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void evidence_check(const struct evidence *evidence, struct diagnostics *diagnostics) {
    for (size_t i = 0; i < evidence->group_count; i++) {
        const struct cidr_group *group = &evidence->groups[i];
        if (group->usable)
            continue;
        struct diagnostic *diagnostic =
            diagnostics_add(diagnostics, CODE_INVALID_CIDR, object_location(group->object),
                            "the group's externalCIDRs are no list of CIDRs; what refers to it cannot be evaluated");
        diagnostic->path = "spec.externalCIDRs";
        diagnostic->object = object_name_of(group->object);
    }
}

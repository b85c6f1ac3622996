#include "analyzer/verify/granted.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/verify/allowance.h"
#include "base/arena.h"

static int compare_owners(const void *left, const void *right) {
    const struct granted_policy *a = left, *b = right;
    int order = strcmp(a->grant->owner_name, b->grant->owner_name);
    return order ? order : (a->grant > b->grant) - (a->grant < b->grant);
}

static int compare_objects(const void *left, const void *right) {
    const struct granted_policy *a = *(struct granted_policy *const *)left;
    const struct granted_policy *b = *(struct granted_policy *const *)right;
    return strcmp(a->grant->object_name, b->grant->object_name);
}

struct granted *granted_of(const struct grant_set *set, struct arena *arena) {
    struct granted *granted = arena_alloc(arena, sizeof *granted);
    granted->label_key = set->boundary->per_sandbox.label_key;
    granted->list = arena_array(arena, set->count + 1, sizeof *granted->list);
    granted->by_object = arena_array(arena, set->count + 1, sizeof *granted->by_object);
    for (size_t i = 0; i < set->count; i++)
        if (set->list[i].usable)
            granted->list[granted->count++] =
                (struct granted_policy){&set->list[i], grant_policy(&set->list[i], arena)};
    if (granted->count > 1)
        qsort(granted->list, granted->count, sizeof *granted->list, compare_owners);
    for (size_t i = 0; i < granted->count; i++)
        granted->by_object[i] = &granted->list[i];
    if (granted->count > 1)
        qsort(granted->by_object, granted->count, sizeof *granted->by_object, compare_objects);
    return granted;
}

size_t granted_to(const struct granted *granted, const struct labels *labels, size_t *first) {
    const char *value = labels_get(labels, granted->label_key);
    size_t low = 0, high = granted->count;
    while (value && low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(granted->list[middle].grant->owner_name, value) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (value && end < granted->count && strcmp(granted->list[end].grant->owner_name, value) == 0)
        end++;
    *first = low;
    return end - low;
}

const struct grant *granted_nothing(const struct granted *granted, const struct labels *labels,
                                    const struct objects *objects) {
    size_t first, count = granted_to(granted, labels, &first);
    for (size_t i = first; i < first + count; i++) {
        struct object_name name = grant_object(granted->list[i].grant);
        if (granted->list[i].policy || objects_find(objects, OBJECT_CILIUM_NETWORK_POLICY, name.namespace, name.name) ||
            objects_find(objects, OBJECT_CILIUM_NETWORK_POLICY, NULL, name.name))
            return NULL;
    }
    return count > 0 ? granted->list[first].grant : NULL;
}

static int compare_name(const void *key, const void *element) {
    return strcmp(key, (*(struct granted_policy *const *)element)->grant->object_name);
}

const struct policy *granted_object(const struct granted *granted, const char *name) {
    struct granted_policy *const *found =
        granted->count ? bsearch(name, granted->by_object, granted->count, sizeof *granted->by_object, compare_name)
                       : NULL;
    return found ? (*found)->policy : NULL;
}

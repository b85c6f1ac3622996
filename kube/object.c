#include "kube/object.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kube/object_kind.h"

/* Objects of one kind while they are collected. */
struct gathering {
    struct object *list;
    size_t count, capacity;
};

struct collector {
    struct arena *arena;
    struct objects *objects;
    struct diagnostics *diagnostics;
    struct gathering of[OBJECT_KIND_COUNT];
};

/* Where a node stands, and what it inherits from a typed list around it. */
struct place {
    const char *file;
    unsigned document, item;
    bool in_list;
    const char *api_version, *kind_word; /* NULL: nothing to inherit */
    const char *namespace;               /* for objects that name none, or NULL */
};

struct object_name object_name_of(const struct object *object) {
    return (struct object_name){.kind = object->kind_word, .namespace = object->namespace, .name = object->name};
}

struct location object_location(const struct object *object) {
    return node_location(object->file, object->root);
}

/* A metadata string; a value of another type is reported, and the object then has none. */
static const char *metadata_string(struct collector *collector, const struct object *object, const char *key,
                                   bool *written) {
    const struct node *value = node_get(node_get(object->root, "metadata"), key);
    const char *string = node_string(value);
    *written = value != NULL;
    if (value && !string) {
        struct diagnostic *diagnostic =
            diagnostics_add(collector->diagnostics, CODE_WRONG_TYPE, node_location(object->file, value),
                            "metadata.%s is a %s and not a string; the object counts as one without it", key,
                            node_kind_word(value->kind));
        diagnostic->path = path_field(collector->arena, "metadata", key);
        diagnostic->object = object_name_of(object);
    }
    return string;
}

static void gather(struct collector *collector, struct object object, const char *default_namespace) {
    bool written;
    object.name = metadata_string(collector, &object, "name", &written);
    if (object_kind_is_namespaced(object.kind)) {
        const char *namespace = metadata_string(collector, &object, "namespace", &written);
        if (namespace && *namespace == '\0')
            written = false;
        object.namespace = written ? namespace : default_namespace;
    }
    struct gathering *gathering = &collector->of[object.kind];
    if (gathering->count == gathering->capacity)
        gathering->list = arena_grow(collector->arena, gathering->list, &gathering->capacity, gathering->count + 1,
                                     sizeof *gathering->list);
    gathering->list[gathering->count++] = object;
}

static void report_kind(struct collector *collector, const struct object *object, enum object_class class,
                        const struct object_kind_row *row) {
    struct location location = object_location(object);
    struct diagnostic *diagnostic;
    if (class == OBJECT_FOREIGN)
        diagnostic = diagnostics_add(collector->diagnostics, CODE_FOREIGN_KIND, location,
                                     "%s of %s is a policy of another API group; it is not read", object->kind_word,
                                     object->api_version);
    else if (*row->versions)
        diagnostic =
            diagnostics_add(collector->diagnostics, CODE_UNKNOWN_KIND_VERSION, location,
                            "%s is not served as %s and stays out of the analysis; write apiVersion %s%s%s",
                            object->kind_word, object->api_version, row->group, *row->group ? "/" : "", row->versions);
    else
        diagnostic = diagnostics_add(collector->diagnostics, CODE_UNKNOWN_KIND_VERSION, location,
                                     "%s is not served by the group of %s any more and stays out of the analysis",
                                     object->kind_word, object->api_version);
    diagnostic->path = "apiVersion";
    const struct node *metadata = node_get(object->root, "metadata");
    diagnostic->object = (struct object_name){.kind = object->kind_word,
                                              .namespace = node_string(node_get(metadata, "namespace")),
                                              .name = node_string(node_get(metadata, "name"))};
}

static void report_no_object(struct collector *collector, const struct node *node, const struct place *place) {
    struct location location = node_location(place->file, node);
    if (place->in_list) {
        struct diagnostic *diagnostic =
            diagnostics_add(collector->diagnostics, CODE_NOT_AN_OBJECT, location,
                            "item %u of the list is no map with an apiVersion and a kind that are strings; it is not "
                            "read",
                            place->item);
        diagnostic->path = arena_format(collector->arena, "items[%u]", place->item);
        diagnostic_set_severity(collector->diagnostics, diagnostic, SEVERITY_ERROR);
    } else {
        diagnostics_add(collector->diagnostics, CODE_NOT_AN_OBJECT, location,
                        "the document is no map with an apiVersion and a kind that are strings; it is not read");
    }
}

/* The kind of a list's items: "NetworkPolicyList" without "List"; NULL for `List` and other words. */
static const char *item_kind(struct arena *arena, const char *kind_word) {
    struct text kind = text_of(kind_word);
    if (!text_ends_with(kind, "List") || text_is(kind, "List"))
        return NULL;
    return arena_copy(arena, kind.bytes, kind.length - strlen("List"));
}

static void collect(struct collector *collector, const struct node *node, struct place place);

/* A page of a longer list: the API server gives each but the last one the token of the next. */
static void report_page(struct collector *collector, const struct node *list, const struct place *place) {
    const struct node *token = node_get(node_get(list, "metadata"), "continue");
    if (!node_string(token) || !*node_string(token))
        return;
    struct diagnostic *diagnostic =
        diagnostics_add(collector->diagnostics, CODE_UNREADABLE, node_location(place->file, token),
                        "the list goes on where this page of it ends; ask for the whole list, or leave out `limit`");
    diagnostic->path = "metadata.continue";
}

static void collect_items(struct collector *collector, const struct node *list, const struct node *items,
                          struct place place) {
    const char *api_version = node_string(node_get(list, "apiVersion"));
    const char *kind = item_kind(collector->arena, node_string(node_get(list, "kind")));
    struct place inside = {.file = place.file,
                           .document = place.document,
                           .in_list = true,
                           .namespace = place.namespace,
                           .api_version = kind ? api_version : NULL,
                           .kind_word = api_version ? kind : NULL};
    report_page(collector, list, &place);
    for (uint32_t i = 0; i < items->count; i++) {
        inside.item = i;
        collect(collector, &items->items[i], inside);
    }
}

/* Whether a kind is a list's: `List`, or the list of a kind that is known. */
static bool is_list_kind(const char *api_version, const char *kind) {
    const struct object_kind_row *row;
    struct text word = text_of(kind);
    if (text_is(word, "List"))
        return true;
    if (!text_ends_with(word, "List"))
        return false;
    word.length -= strlen("List");
    return object_classify(text_of(api_version), word, &row) != OBJECT_UNKNOWN;
}

static void collect_object(struct collector *collector, const struct node *node, struct place place) {
    struct object object = {.root = node, .file = place.file, .document = place.document, .item = place.item};
    const struct node *api_version = node_get(node, "apiVersion"), *kind = node_get(node, "kind");
    bool inherits = !api_version && !kind;
    object.api_version = inherits ? place.api_version : node_string(api_version);
    object.kind_word = inherits ? place.kind_word : node_string(kind);
    if (!object.api_version || !object.kind_word) {
        report_no_object(collector, node, &place);
        return;
    }
    if (is_list_kind(object.api_version, object.kind_word))
        return; /* a list without items */
    if (text_starts_with(text_of(object.api_version), "egressc.io/"))
        return; /* an index of ours, no object of a cluster */
    const struct object_kind_row *row = NULL;
    enum object_class class = object_classify(text_of(object.api_version), text_of(object.kind_word), &row);
    collector->objects->total++;
    if (class == OBJECT_FOREIGN || (class == OBJECT_UNSERVED && object_kind_is_policy(row->kind)))
        report_kind(collector, &object, class, row);
    if (class == OBJECT_FOREIGN || class == OBJECT_UNKNOWN) {
        collector->objects->skipped++;
        return;
    }
    object.kind = row->kind;
    object.served = class == OBJECT_KNOWN;
    gather(collector, object, place.namespace);
}

/* `before` and `after` the word for the kind. */
static void report_items(struct collector *collector, const struct node *list, const struct place *place,
                         const char *before, const char *after) {
    struct location location = node_location(place->file, node_get(list, "items"));
    struct diagnostic *diagnostic = diagnostics_add(collector->diagnostics, CODE_NOT_AN_OBJECT, location, "%s%s%s",
                                                    before, node_string(node_get(list, "kind")), after);
    diagnostic->path = "items";
    diagnostic_set_severity(collector->diagnostics, diagnostic, SEVERITY_ERROR);
}

/* Whether the map says that it is an object that is read, and not a list. */
static bool claims_known_kind(const struct node *node) {
    const char *api_version = node_string(node_get(node, "apiVersion")), *kind = node_string(node_get(node, "kind"));
    const struct object_kind_row *row;
    return api_version && kind && object_classify(text_of(api_version), text_of(kind), &row) == OBJECT_KNOWN;
}

static bool claims_list(const struct node *node) {
    const char *api_version = node_string(node_get(node, "apiVersion")), *kind = node_string(node_get(node, "kind"));
    return api_version && kind && is_list_kind(api_version, kind);
}

/* What says what a map is stands twice, with two values: kubectl takes the last, other readers the first or both. */
static void report_doubled(struct collector *collector, const struct node *node, const struct place *place) {
    static const char *const telling[] = {"apiVersion", "kind", "items"};
    for (size_t k = 0; k < sizeof telling / sizeof *telling; k++) {
        const struct node_entry *last = node_find(node, text_of(telling[k]));
        for (uint32_t i = 0; last && i < node->count; i++) {
            const struct node_entry *entry = &node->entries[i];
            if (entry == last || !text_equal(node_text(&entry->key), node_text(&last->key)) ||
                node_equal(&entry->value, &last->value))
                continue;
            struct diagnostic *diagnostic = diagnostics_add(
                collector->diagnostics, CODE_DUPLICATE_KEY, node_location(place->file, &last->key),
                "%s stands twice with different values, and readers differ in which counts; write it once", telling[k]);
            diagnostic->path = telling[k];
            diagnostic_note(collector->diagnostics, diagnostic, node_location(place->file, &entry->key),
                            "it stands here as well");
        }
    }
}

/* Any map with a top-level `items` list is a list, whatever its kind (K 3.5). The depth is that of the document. */
static void collect(struct collector *collector, const struct node *node, struct place place) {
    const struct node *items = node_get(node, "items");
    if (node_is(node, NODE_MAP))
        report_doubled(collector, node, &place);
    if (!node_is(node, NODE_MAP)) {
        report_no_object(collector, node, &place);
    } else if (node_is(items, NODE_LIST)) {
        if (claims_known_kind(node))
            report_items(collector, node, &place, "",
                         " with `items` is a list to kubectl, and nothing else of it counts; remove `items`");
        collect_items(collector, node, items, place);
    } else {
        if (!node_is_null(items) && claims_list(node))
            report_items(collector, node, &place, "`items` of the ",
                         " is no list, and nothing of it is read; write a list of objects");
        collect_object(collector, node, place);
    }
}

/* Pointers into one array, which is in the order of the inputs; NULL before any string. */
static int compare_objects(const void *a, const void *b) {
    const struct object *left = *(const struct object *const *)a, *right = *(const struct object *const *)b;
    int order = string_compare(left->namespace, right->namespace);
    if (!order)
        order = string_compare(left->name, right->name);
    return order ? order : (left > right) - (left < right);
}

static struct object_list sort_gathering(const struct gathering *gathering, struct arena *arena) {
    struct arena *scratch = arena_create();
    const struct object **order = arena_array(scratch, gathering->count, sizeof *order);
    for (size_t i = 0; i < gathering->count; i++)
        order[i] = &gathering->list[i];
    if (gathering->count > 1)
        qsort(order, gathering->count, sizeof *order, compare_objects);
    struct object *list = arena_array(arena, gathering->count, sizeof *list);
    for (size_t i = 0; i < gathering->count; i++)
        list[i] = *order[i];
    arena_destroy(scratch);
    return (struct object_list){.list = list, .count = gathering->count};
}

void objects_collect_placed(const struct inputs *inputs, const char *const *of_files, const char *namespace,
                            struct arena *arena, struct objects *objects, struct diagnostics *diagnostics) {
    struct collector collector = {.arena = arena, .objects = objects, .diagnostics = diagnostics};
    memset(objects, 0, sizeof *objects);
    for (size_t i = 0; i < inputs->count; i++) {
        const struct file *file = &inputs->files[i];
        for (size_t j = 0; j < file->count; j++) {
            struct place place = {.file = file->name,
                                  .document = file->documents[j].number,
                                  .namespace = of_files && of_files[i] ? of_files[i] : namespace};
            collect(&collector, &file->documents[j].root, place);
        }
    }
    size_t policies = 0;
    for (int kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        policies += object_kind_is_policy((enum object_kind)kind) ? collector.of[kind].count : 0;
    objects->copies.list = arena_array(arena, policies + 1, sizeof *objects->copies.list);
    for (int kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
        bool policy = object_kind_is_policy((enum object_kind)kind);
        objects->of[kind] = sort_gathering(&collector.of[kind], arena);
        object_list_drop_copies(&objects->of[kind], policy ? &objects->copies : NULL, diagnostics);
    }
}

void objects_collect(const struct inputs *inputs, const char *namespace, struct arena *arena, struct objects *objects,
                     struct diagnostics *diagnostics) {
    objects_collect_placed(inputs, NULL, namespace, arena, objects, diagnostics);
}

const struct object *objects_find(const struct objects *objects, enum object_kind kind, const char *namespace,
                                  const char *name) {
    const struct object_list *list = &objects->of[kind];
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = string_compare(list->list[middle].namespace, namespace);
        if (!order)
            order = string_compare(list->list[middle].name, name);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == list->count || string_compare(list->list[low].namespace, namespace) != 0 ||
        string_compare(list->list[low].name, name) != 0)
        return NULL;
    return &list->list[low];
}

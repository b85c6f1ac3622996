#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kube/object_kind.h"

/* Metadata that says something to the analysis; the rest differs between exports of one object. */
static const char *const metadata_keys[] = {"labels", "ownerReferences", "generateName"};

static bool same_metadata(const struct object *a, const struct object *b) {
    const struct node *left = node_get(a->root, "metadata"), *right = node_get(b->root, "metadata");
    for (size_t i = 0; i < sizeof metadata_keys / sizeof *metadata_keys; i++) {
        const struct node *x = node_get(left, metadata_keys[i]), *y = node_get(right, metadata_keys[i]);
        if ((x == NULL) != (y == NULL) || (x && !node_equal(x, y)))
            return false;
    }
    return true;
}

/* Keys of the root that are compared otherwise, or (a policy's status) say nothing. */
static bool is_content(const struct object *object, const struct node_entry *entry) {
    static const char *const others[] = {"apiVersion", "kind", "metadata"};
    struct text key = node_text(&entry->key);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (text_is(key, others[i]))
            return false;
    }
    return !(object_kind_is_policy(object->kind) && text_is(key, "status"));
}

static bool content_in(const struct object *a, const struct object *b) {
    for (uint32_t i = 0; i < a->root->count; i++) {
        const struct node_entry *entry = &a->root->entries[i];
        if (!is_content(a, entry))
            continue;
        const struct node_entry *mine = node_find(a->root, node_text(&entry->key));
        const struct node_entry *other = node_find(b->root, node_text(&entry->key));
        if (!other || !node_equal(&mine->value, &other->value))
            return false;
    }
    return true;
}

bool object_same_content(const struct object *a, const struct object *b) {
    return strcmp(a->api_version, b->api_version) == 0 && same_metadata(a, b) && content_in(a, b) && content_in(b, a);
}

/* 80 and 80.0 are equal. */
static uint64_t number_hash(const struct node *node) {
    int64_t value;
    return node_integer(node, &value) ? (uint64_t)value * 0x9e3779b97f4a7c15u : 4;
}

/* A number that equal contents share; it need not tell all others apart. */
static uint64_t content_hash(const struct node *node) {
    uint64_t hash = 0;
    switch ((enum node_kind)node->kind) {
    case NODE_LIST:
        for (uint32_t i = 0; i < node->count; i++)
            hash = hash * 31 + content_hash(&node->items[i]);
        return hash + 1;
    case NODE_MAP:
        for (uint32_t i = 0; i < node->count; i++)
            hash += text_hash(node_text(&node->entries[i].key)) * 31 + content_hash(&node->entries[i].value);
        return hash + 2;
    case NODE_STRING:
    case NODE_BOOL:
        return node->kind == NODE_STRING ? text_hash(node_text(node)) : node_bool(node);
    case NODE_INT:
    case NODE_FLOAT:
        return number_hash(node);
    case NODE_NULL:
        break;
    }
    return 3;
}

static uint64_t object_hash(const struct object *object) {
    const struct node *metadata = node_get(object->root, "metadata");
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof metadata_keys / sizeof *metadata_keys; i++) {
        const struct node *value = node_get(metadata, metadata_keys[i]);
        hash = hash * 31 + (value ? content_hash(value) : 0);
    }
    for (uint32_t i = 0; i < object->root->count; i++) {
        const struct node_entry *entry = &object->root->entries[i];
        if (is_content(object, entry))
            hash += text_hash(node_text(&entry->key)) * 31 + content_hash(&entry->value);
    }
    return hash;
}

struct copy {
    struct object object;
    uint64_t hash;
    size_t place;
    bool dropped;
};

/* By what names an object beside namespace and name, then content, then place. */
static int compare_copies(const void *a, const void *b) {
    const struct copy *left = a, *right = b;
    int order = strcmp(left->object.kind_word, right->object.kind_word);
    if (!order)
        order = (left->hash > right->hash) - (left->hash < right->hash);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int compare_places(const void *a, const void *b) {
    const struct copy *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

static void report_copy(const struct object *first, const struct object *copy, struct diagnostics *diagnostics) {
    struct diagnostic *diagnostic = diagnostics_add(
        diagnostics, CODE_DUPLICATE_OBJECT, object_location(copy),
        "%s %s%s%s stands twice among the inputs, with different contents; which one the cluster has cannot be told",
        copy->kind_word, copy->namespace ? copy->namespace : "", copy->namespace ? "/" : "", copy->name);
    diagnostic->object = object_name_of(copy);
    diagnostic->path = "metadata.name";
    diagnostic_note(diagnostics, diagnostic, object_location(first), "the first one is here");
}

/* So many different contents under one hash are compared with a further one; beyond, copies count as different. */
enum { LEADERS = 64 };

/* Marks the later ones of equal copies. Equal kinds and hashes stand together. */
static void mark_equal(struct copy *copies, size_t count) {
    const struct object *leaders[LEADERS];
    size_t leader_count = 0;
    for (size_t i = 0; i < count; i++) {
        bool new_run = i == 0 || copies[i].hash != copies[i - 1].hash ||
                       strcmp(copies[i].object.kind_word, copies[i - 1].object.kind_word) != 0;
        leader_count = new_run ? 0 : leader_count;
        for (size_t j = 0; j < leader_count && !copies[i].dropped; j++)
            copies[i].dropped = object_same_content(leaders[j], &copies[i].object);
        if (!copies[i].dropped && leader_count < LEADERS)
            leaders[leader_count++] = &copies[i].object;
    }
}

/* The first object of each kind word in a group; workloads of several kinds may share a name. */
struct firsts {
    const struct object *list[32]; /* more than there are kinds of workloads */
    size_t count;
};

/* The object of the same kind that came before; NULL: this is the first. */
static const struct object *first_of_kind(struct firsts *firsts, const struct object *object) {
    for (size_t i = 0; i < firsts->count; i++) {
        if (strcmp(firsts->list[i]->kind_word, object->kind_word) == 0)
            return firsts->list[i];
    }
    if (firsts->count < sizeof firsts->list / sizeof *firsts->list)
        firsts->list[firsts->count++] = object;
    return NULL;
}

/* A group of objects of one namespace and name: writes those that stay to `out`, returns how many. */
static size_t keep_distinct(const struct object *group, size_t count, struct object *out, struct object_list *dropped,
                            struct diagnostics *diagnostics) {
    struct arena *scratch = arena_create();
    struct copy *copies = arena_array(scratch, count, sizeof *copies);
    for (size_t i = 0; i < count; i++)
        copies[i] = (struct copy){.object = group[i], .hash = object_hash(&group[i]), .place = i};
    qsort(copies, count, sizeof *copies, compare_copies);
    mark_equal(copies, count);
    qsort(copies, count, sizeof *copies, compare_places);
    struct firsts firsts = {.count = 0};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct object *object = &copies[i].object;
        if (copies[i].dropped) {
            if (dropped)
                dropped->list[dropped->count++] = *object;
            continue;
        }
        const struct object *first = first_of_kind(&firsts, object);
        /* Without a namespace, the two may be meant for two namespaces. */
        bool certain = object->namespace || !object_kind_is_namespaced(object->kind);
        if (first && certain && object->served)
            report_copy(first, object, diagnostics);
        out[kept++] = *object;
    }
    arena_destroy(scratch);
    return kept;
}

void object_list_drop_copies(struct object_list *list, struct object_list *dropped, struct diagnostics *diagnostics) {
    size_t kept = 0;
    for (size_t start = 0, end; start < list->count; start = end) {
        const struct object *first = &list->list[start];
        for (end = start + 1; end < list->count && first->name && string_equal(list->list[end].name, first->name) &&
                              string_equal(list->list[end].namespace, first->namespace);)
            end++;
        if (end - start > 1)
            kept += keep_distinct(first, end - start, &list->list[kept], dropped, diagnostics);
        else
            list->list[kept++] = *first;
    }
    list->count = kept;
}

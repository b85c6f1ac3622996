#include "kube/snapshot_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "grammar/timestamp.h"
#include "kube/snapshot_index_parts.h"

static const char *const status_words[] = {
    [COLLECTION_UNTOLD] = "untold",       [COLLECTION_READ] = "read",     [COLLECTION_NOT_SERVED] = "not-served",
    [COLLECTION_FORBIDDEN] = "forbidden", [COLLECTION_FAILED] = "failed", [COLLECTION_ABSENT] = "absent",
};

const char *collection_status_word(enum collection_status status) { return status_words[status]; }

/* ---- which documents are indexes ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file of the index's name that holds collections is meant as one, whatever else is wrong with it. */
bool snapshot_index_is(const struct document *document, const char *file) {
    const struct node *root = &document->root;
    if (text_is(document->kind, "EgressSnapshot") &&
        text_starts_with(node_text(node_get(root, "apiVersion")), "egressc.io/"))
        return true;
    return strcmp(base_name(file), "snapshot.json") == 0 && node_is(root, NODE_MAP) &&
           node_find(root, text_of("collections"));
}

/* ---- the files that they list ---- */

const char *snapshot_index_path(struct arena *arena, const char *index_file, const char *file) {
    const char *slash = strrchr(index_file, '/');
    bool leaves = *file == '\0' || *file == '/' || strcmp(file, "-") == 0;
    for (const char *step = file; !leaves && step; step = strchr(step, '/')) {
        step += *step == '/';
        size_t length = strcspn(step, "/");
        leaves = length == 0 || strncmp(step, "..", length > 2 ? length : 2) == 0 || (length == 1 && *step == '.');
    }
    if (leaves)
        return NULL;
    return slash ? arena_format(arena, "%.*s/%s", (int)(slash - index_file), index_file, file) : file;
}

static const char *const *file_names(const struct inputs *inputs, struct arena *arena) {
    const char **names = arena_array(arena, inputs->count + 1, sizeof *names);
    for (size_t i = 0; i < inputs->count; i++)
        names[i] = inputs->files[i].name;
    if (inputs->count > 1)
        qsort(names, inputs->count, sizeof *names, string_compare_at);
    return names;
}

struct path_list {
    const char **list;
    size_t count, capacity;
};

static void add_listed(struct path_list *paths, const struct node *root, const char *index_file, struct arena *arena) {
    const struct node *collections = node_get(root, "collections");
    for (uint32_t i = 0; node_is(collections, NODE_LIST) && i < collections->count; i++) {
        const char *file = node_string(node_get(&collections->items[i], "file"));
        const char *path = file ? snapshot_index_path(arena, index_file, file) : NULL;
        if (!path)
            continue;
        if (paths->count == paths->capacity)
            paths->list = arena_grow(arena, paths->list, &paths->capacity, paths->count + 1, sizeof *paths->list);
        paths->list[paths->count++] = path;
    }
}

const char *const *snapshot_index_paths(const struct inputs *inputs, struct arena *arena, size_t *count) {
    struct path_list paths = {0};
    for (size_t i = 0; i < inputs->count; i++)
        for (size_t k = 0; k < inputs->files[i].count; k++)
            if (snapshot_index_is(&inputs->files[i].documents[k], inputs->files[i].name))
                add_listed(&paths, &inputs->files[i].documents[k].root, inputs->files[i].name, arena);
    const char *const *names = file_names(inputs, arena);
    if (paths.count > 1)
        qsort(paths.list, paths.count, sizeof *paths.list, string_compare_at);
    size_t kept = 0;
    for (size_t i = 0; i < paths.count; i++) {
        bool again = kept > 0 && strcmp(paths.list[kept - 1], paths.list[i]) == 0;
        if (!again && !bsearch(&paths.list[i], names, inputs->count, sizeof *names, string_compare_at))
            paths.list[kept++] = paths.list[i];
    }
    *count = kept;
    return paths.list;
}

/* ---- all of them ---- */

static const char *earliest(const char *one, const char *other) {
    int64_t first, second;
    if (!one || !other)
        return one ? one : other;
    timestamp_parse(text_of(one), &first, NULL);
    timestamp_parse(text_of(other), &second, NULL);
    return second < first ? other : one;
}

static struct snapshot_index *add_index(struct snapshot_indexes *indexes, size_t *capacity, struct arena *arena) {
    if (indexes->count == *capacity)
        indexes->list = arena_grow(arena, indexes->list, capacity, indexes->count + 1, sizeof *indexes->list);
    return &indexes->list[indexes->count++];
}

/* An index that cannot be read as a document, or is empty, is one all the same, by its name. */
static bool is_unreadable_index(const struct file *file) {
    return (file->state != FILE_READ || file->count == 0) && strcmp(base_name(file->name), "snapshot.json") == 0;
}

void snapshot_indexes_read(const struct inputs *inputs, struct arena *arena, struct snapshot_indexes *indexes,
                           struct diagnostics *diagnostics) {
    const char **namespaces = arena_array(arena, inputs->count + 1, sizeof *namespaces);
    size_t capacity = 0;
    *indexes = (struct snapshot_indexes){.namespaces = namespaces};
    for (size_t i = 0; i < inputs->count; i++) {
        const struct file *file = &inputs->files[i];
        for (size_t k = 0; k < file->count; k++) {
            if (!snapshot_index_is(&file->documents[k], file->name))
                continue;
            struct snapshot_index *index = add_index(indexes, &capacity, arena);
            snapshot_index_parse(&file->documents[k].root, file->name, arena, index, diagnostics);
            index->place = i;
            indexes->taken_at = earliest(indexes->taken_at, index->taken_at);
        }
        if (!is_unreadable_index(file))
            continue;
        *add_index(indexes, &capacity, arena) =
            (struct snapshot_index){.file = file->name, .place = i, .malformed = true};
        if (file->state == FILE_READ)
            diagnostics_add(diagnostics, CODE_SNAPSHOT_INDEX, (struct location){.file = file->name},
                            "is empty: an index lists its collections");
    }
    snapshot_indexes_check(indexes, inputs, namespaces, arena, diagnostics);
}

/* ---- what is known of a collection ---- */

/* Which of several tells most against it. */
static const unsigned char weights[] = {
    [COLLECTION_UNTOLD] = 0,    [COLLECTION_ABSENT] = 1, [COLLECTION_NOT_SERVED] = 2,
    [COLLECTION_FORBIDDEN] = 3, [COLLECTION_FAILED] = 4, [COLLECTION_READ] = 5,
};

static bool lists_namespace(const struct snapshot_index *index, const char *namespace) {
    for (uint32_t i = 0; namespace && i < index->namespaces->count; i++)
        if (text_is(node_text(&index->namespaces->items[i]), namespace))
            return true;
    return false;
}

/* What is said of the whole cluster holds for the namespaces that the index is about. */
static bool covers(const struct snapshot_index *index, const struct collection *collection, enum object_kind kind,
                   const char *namespace) {
    if (!object_kind_is_resource(kind, collection->group, collection->resource))
        return false;
    if (!object_kind_is_namespaced(kind))
        return true;
    if (!collection->namespace)
        return !index->namespaces || lists_namespace(index, namespace);
    return namespace && strcmp(namespace, collection->namespace) == 0;
}

struct collection_view snapshot_indexes_view(const struct snapshot_indexes *indexes, enum object_kind kind,
                                             const char *namespace) {
    struct collection_view view = {indexes->count > 0 ? COLLECTION_ABSENT : COLLECTION_UNTOLD, NULL};
    for (size_t i = 0; i < indexes->count; i++) {
        const struct snapshot_index *index = &indexes->list[i];
        if (index->malformed && weights[COLLECTION_FAILED] > weights[view.status])
            view = (struct collection_view){COLLECTION_FAILED, "the index is malformed"};
        for (size_t k = 0; k < index->count; k++) {
            const struct collection *collection = &index->collections[k];
            if (covers(index, collection, kind, namespace) && weights[collection->status] > weights[view.status])
                view = (struct collection_view){collection->status, collection->reason};
        }
    }
    return view;
}

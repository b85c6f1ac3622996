/*
 * Whether a folder bears its index out: what is listed is there, as much of it as is said and nothing else, and nothing
 * else is there (spec/snapshot.md).
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kube/snapshot_index_parts.h"

/* A file of the inputs, and the collection that lists it. */
struct listed {
    const char *name;
    size_t place;
    struct collection *collection; /* NULL: none lists it */
};

struct checker {
    struct snapshot_indexes *indexes;
    const struct inputs *inputs;
    struct listed *files; /* sorted by name */
    const char **namespaces;
    struct arena *arena;
    struct diagnostics *diagnostics;
    size_t effort; /* comparisons of items that no index lists with collections */
};

enum { EFFORT_MAX = 20000000 };

static struct shape shape_in(const struct checker *checker, const char *file) {
    return (struct shape){.file = file, .arena = checker->arena, .diagnostics = checker->diagnostics};
}
#define REFUSE(checker, in_file, node, ...)                                                                            \
    do {                                                                                                               \
        struct shape shape_ = shape_in(checker, in_file);                                                              \
        shape_refuse(&shape_, CODE_SNAPSHOT_INDEX, node, NULL, __VA_ARGS__)->value = NULL;                             \
    } while (0)

/* The collection counts as failed from here on; the first reason stays. */
static void fail(struct collection *collection, const char *reason) {
    if (collection->status == COLLECTION_FAILED)
        return;
    collection->status = COLLECTION_FAILED;
    collection->reason = reason;
}

/* ---- files by name ---- */

static int compare_listed(const void *a, const void *b) {
    return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

static struct listed *sort_files(const struct inputs *inputs, struct arena *arena) {
    struct listed *files = arena_array(arena, inputs->count + 1, sizeof *files);
    for (size_t i = 0; i < inputs->count; i++)
        files[i] = (struct listed){.name = inputs->files[i].name, .place = i};
    if (inputs->count > 1)
        qsort(files, inputs->count, sizeof *files, compare_listed);
    return files;
}

static struct listed *find_file(const struct checker *checker, const char *name) {
    struct listed wanted = {.name = name};
    return bsearch(&wanted, checker->files, checker->inputs->count, sizeof wanted, compare_listed);
}

static bool is_excluded(const struct checker *checker, const char *name) {
    for (size_t i = 0; i < checker->inputs->excluded_count; i++)
        if (strcmp(checker->inputs->excluded[i], name) == 0)
            return true;
    return false;
}

/* ---- items ---- */

/* What an item says it is, or its list for it. */
struct item {
    const struct node *node;
    const char *api_version, *kind;
};

typedef void item_visitor(struct checker *checker, const struct item *item, void *context);

/* The kind of a typed list's items; NULL for `List`. */
static const char *list_item_kind(const char *kind, struct arena *arena) {
    struct text word = text_of(kind);
    if (!text_ends_with(word, "List") || text_is(word, "List"))
        return NULL;
    return arena_copy(arena, word.bytes, word.length - strlen("List"));
}

static void visit_document(struct checker *checker, const struct node *root, item_visitor *visit, void *context) {
    const struct node *items = node_get(root, "items");
    const char *api_version = node_string(node_get(root, "apiVersion")), *kind = node_string(node_get(root, "kind"));
    if (!node_is(items, NODE_LIST)) {
        visit(checker, &(struct item){root, api_version, kind}, context);
        return;
    }
    const char *inherited = list_item_kind(kind, checker->arena);
    for (uint32_t i = 0; i < items->count; i++) {
        const char *own = node_string(node_get(&items->items[i], "kind"));
        const char *version = node_string(node_get(&items->items[i], "apiVersion"));
        struct item item = {&items->items[i], version ? version : api_version, own ? own : inherited};
        visit(checker, &item, context);
    }
}

static void visit_file(struct checker *checker, const struct file *file, item_visitor *visit, void *context) {
    for (size_t i = 0; i < file->count; i++)
        visit_document(checker, &file->documents[i].root, visit, context);
}

static struct text group_of(const char *api_version) {
    const char *slash = api_version ? strchr(api_version, '/') : NULL;
    return (struct text){.bytes = api_version, .length = slash ? (size_t)(slash - api_version) : 0};
}

static bool is_of_collection(const struct item *item, const struct collection *collection) {
    if (!item->kind || !resource_names_kind(text_of(collection->resource), text_of(item->kind)))
        return false;
    return !collection->group || text_is(group_of(item->api_version), collection->group);
}

struct census {
    const struct collection *collection;
    uint64_t items;
    const struct node *stranger;  /* the first item of another kind */
    const struct node *elsewhere; /* the first of another namespace */
};

static void count_item(struct checker *checker, const struct item *item, void *context) {
    struct census *census = context;
    (void)checker;
    census->items++;
    if (!census->stranger && !is_of_collection(item, census->collection))
        census->stranger = item->node;
    const char *namespace = node_string(node_get(node_get(item->node, "metadata"), "namespace"));
    if (!census->elsewhere && census->collection->namespace && namespace && *namespace &&
        strcmp(namespace, census->collection->namespace) != 0)
        census->elsewhere = item->node;
}

/* ---- one collection ---- */

static void check_items(struct checker *checker, const char *index, struct collection *collection,
                        const struct file *file) {
    struct census census = {.collection = collection};
    visit_file(checker, file, count_item, &census);
    if (census.stranger) {
        REFUSE(checker, file->name, census.stranger,
               "is an object of another kind than %s, which the index says the file holds", collection->resource);
        fail(collection, "its file holds objects of another kind");
    }
    if (census.elsewhere) {
        REFUSE(checker, file->name, census.elsewhere,
               "is an object of another namespace than %s, of which the index says the file is", collection->namespace);
        fail(collection, "its file holds objects of another namespace");
    }
    if (census.items != collection->items) {
        REFUSE(checker, index, node_get(collection->node, "items"), "says %llu, and %s holds %llu",
               (unsigned long long)collection->items, file->name, (unsigned long long)census.items);
        fail(collection, "its file holds another number of items");
    }
}

static void check_collection(struct checker *checker, const char *index, struct collection *collection) {
    struct listed *listed = find_file(checker, collection->path);
    const struct node *node = node_get(collection->node, "file");
    if (!listed && is_excluded(checker, collection->path)) {
        fail(collection, "its file was left out by --exclude");
        return;
    }
    if (!listed) {
        REFUSE(checker, index, node, "lists %s, which is not there", collection->path);
        fail(collection, "its file is missing");
        return;
    }
    if (listed->collection) {
        REFUSE(checker, index, node, "lists %s a second time", collection->path);
        fail(collection, "its file is another collection's too");
        fail(listed->collection, "its file is another collection's too");
        return;
    }
    listed->collection = collection;
    checker->namespaces[listed->place] = collection->namespace;
    const struct file *file = &checker->inputs->files[listed->place];
    if (file->state != FILE_READ)
        fail(collection, "its file could not be read as a whole");
    else if (collection->status == COLLECTION_READ)
        check_items(checker, index, collection, file);
}

/* ---- entries that stand twice ---- */

static int compare_collections(const void *a, const void *b) {
    const struct collection *one = *(struct collection *const *)a, *other = *(struct collection *const *)b;
    int order = strcmp(one->resource, other->resource);
    order = order ? order : string_compare(one->group, other->group);
    order = order ? order : string_compare(one->namespace, other->namespace);
    return order ? order : (one > other) - (one < other);
}

static bool is_same_collection(const struct collection *one, const struct collection *other) {
    return strcmp(one->resource, other->resource) == 0 && string_compare(one->group, other->group) == 0 &&
           string_compare(one->namespace, other->namespace) == 0;
}

/* ConfigMaps are read one by one. */
static bool may_repeat(const struct collection *collection) { return strcmp(collection->resource, "configmaps") == 0; }

static void check_repeats(struct checker *checker, struct snapshot_index *index) {
    struct collection **sorted = arena_array(checker->arena, index->count + 1, sizeof *sorted);
    for (size_t i = 0; i < index->count; i++)
        sorted[i] = &index->collections[i];
    if (index->count > 1)
        qsort(sorted, index->count, sizeof *sorted, compare_collections);
    for (size_t i = 1; i < index->count; i++) {
        if (!is_same_collection(sorted[i - 1], sorted[i]) || may_repeat(sorted[i]))
            continue;
        REFUSE(checker, index->file, node_get(sorted[i]->node, "resource"), "lists %s of one namespace a second time",
               sorted[i]->resource);
        fail(sorted[i - 1], "the index lists it twice");
        fail(sorted[i], "the index lists it twice");
    }
}

/* ---- files that are not listed ---- */

/* The folder of an index, with its slash; "" for the current one. */
struct folder {
    const char *path;
    size_t length;
    size_t index;
};

static int compare_folders(const void *a, const void *b) {
    const struct folder *one = a, *other = b;
    size_t common = one->length < other->length ? one->length : other->length;
    int order = memcmp(one->path, other->path, common);
    return order ? order : (one->length > other->length) - (one->length < other->length);
}

static size_t folder_length(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? (size_t)(slash - file) + 1 : 0;
}

static bool was_walked(const struct inputs *inputs, size_t place) {
    return !inputs->origins || !inputs->origins[place].named;
}

/* The folders of those indexes that were found in a folder that was read. */
static struct folder *sort_folders(const struct checker *checker, size_t *count) {
    const struct snapshot_indexes *indexes = checker->indexes;
    struct folder *folders = arena_array(checker->arena, indexes->count + 1, sizeof *folders);
    *count = 0;
    for (size_t i = 0; i < indexes->count; i++) {
        const char *file = indexes->list[i].file;
        if (was_walked(checker->inputs, indexes->list[i].place))
            folders[(*count)++] = (struct folder){file, folder_length(file), i};
    }
    if (*count > 1)
        qsort(folders, *count, sizeof *folders, compare_folders);
    return folders;
}

/* The index that stands nearest to a file, in its folder or above it; NULL: none does. */
static struct snapshot_index *nearest_index(const struct checker *checker, const struct folder *folders, size_t count,
                                            const char *file) {
    struct folder wanted = {.path = file, .length = folder_length(file)};
    for (;;) {
        const struct folder *found =
            count > 0 ? bsearch(&wanted, folders, count, sizeof *folders, compare_folders) : NULL;
        if (found)
            return &checker->indexes->list[found->index];
        if (wanted.length == 0)
            return NULL;
        wanted.length--;
        while (wanted.length > 0 && file[wanted.length - 1] != '/')
            wanted.length--;
    }
}

/* Of an item in a file that is not listed: what the index says of its collection is not all there is to it. */
static void doubt_collections(struct checker *checker, const struct item *item, void *context) {
    struct snapshot_index *index = context;
    if (checker->effort > 2 * (size_t)EFFORT_MAX)
        return; /* all of them have failed */
    bool tired = checker->effort > EFFORT_MAX;
    checker->effort += index->count;
    for (size_t i = 0; i < index->count; i++)
        if (tired || is_of_collection(item, &index->collections[i]))
            fail(&index->collections[i], "a file that the index does not list holds objects of it");
}

static bool is_index(const struct checker *checker, size_t place) {
    const struct file *file = &checker->inputs->files[place];
    for (size_t i = 0; i < file->count; i++)
        if (snapshot_index_is(&file->documents[i], file->name))
            return true;
    return false;
}

static void check_unlisted(struct checker *checker) {
    size_t count;
    const struct folder *folders = sort_folders(checker, &count);
    for (size_t i = 0; i < checker->inputs->count; i++) {
        const struct listed *listed = &checker->files[i];
        if (listed->collection || !was_walked(checker->inputs, listed->place) || is_index(checker, listed->place))
            continue;
        struct snapshot_index *index = nearest_index(checker, folders, count, listed->name);
        if (!index || index->malformed)
            continue;
        REFUSE(checker, listed->name, NULL, "is not listed by the index of its folder, %s", index->file);
        visit_file(checker, &checker->inputs->files[listed->place], doubt_collections, index);
    }
}

void snapshot_indexes_check(struct snapshot_indexes *indexes, const struct inputs *inputs, const char **namespaces,
                            struct arena *arena, struct diagnostics *diagnostics) {
    struct checker checker = {.indexes = indexes,
                              .inputs = inputs,
                              .files = sort_files(inputs, arena),
                              .namespaces = namespaces,
                              .arena = arena,
                              .diagnostics = diagnostics};
    for (size_t i = 0; i < indexes->count; i++) {
        struct snapshot_index *index = &indexes->list[i];
        check_repeats(&checker, index);
        for (size_t k = 0; k < index->count; k++)
            if (index->collections[k].path)
                check_collection(&checker, index->file, &index->collections[k]);
    }
    check_unlisted(&checker);
    for (size_t i = 0; i < indexes->count; i++)
        for (size_t k = 0; indexes->list[i].malformed && k < indexes->list[i].count; k++)
            fail(&indexes->list[i].collections[k], "the index is malformed");
}

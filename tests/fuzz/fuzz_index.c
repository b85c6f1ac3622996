/* Any texts as an index and the files beside it, through all that reads indexes, admin policies and sandbox kinds. NUL
 * bytes part the files: the first is snap/snapshot.json, the others snap/a.json, snap/b.json, ... */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kube/admin_policy.h"
#include "kube/sandbox.h"
#include "kube/snapshot_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES_MAX = 8 };

static void check(bool fact) {
    if (!fact)
        abort();
}

static void check_index(const struct snapshot_index *index) {
    check(index->file && (index->root || index->malformed));
    for (size_t i = 0; i < index->count; i++) {
        const struct collection *collection = &index->collections[i];
        check(collection->resource && collection->node && collection->status != COLLECTION_UNTOLD);
        check(!index->malformed || collection->status == COLLECTION_FAILED);
        check(collection->status != COLLECTION_READ || collection->path);
        check(!collection->path || (strncmp(collection->path, "snap/", 5) == 0 && !strstr(collection->path, "/../")));
    }
}

static void check_views(const struct snapshot_indexes *indexes) {
    for (int kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
        struct collection_view all = snapshot_indexes_view(indexes, (enum object_kind)kind, NULL);
        struct collection_view one = snapshot_indexes_view(indexes, (enum object_kind)kind, "default");
        check((all.status == COLLECTION_UNTOLD) == (indexes->count == 0));
        check(all.status != COLLECTION_READ || one.status == COLLECTION_READ);
    }
}

static void check_objects(const struct objects *objects, struct arena *arena, struct diagnostics *diagnostics) {
    struct evidence evidence;
    struct sandboxes sandboxes;
    for (int kind = OBJECT_ADMIN_NETWORK_POLICY; kind <= OBJECT_CLUSTER_NETWORK_POLICY; kind++)
        for (size_t i = 0; i < objects->of[kind].count; i++)
            check(admin_policy_read(&objects->of[kind].list[i], arena)->object != NULL);
    evidence_read(objects, arena, &evidence, diagnostics);
    sandboxes_read(objects, arena, &sandboxes);
    for (size_t i = 0; i < sandboxes.template_count; i++) {
        const struct sandbox_template *template = &sandboxes.templates[i];
        check(sandbox_template_find(&sandboxes, template->namespace, template->name) != NULL);
        check(!template->block || sandbox_template_policy(template, arena)->core);
    }
    for (size_t i = 0; i < sandboxes.claim_count; i++)
        sandbox_claim_template(&sandboxes, &sandboxes.claims[i]);
    for (size_t i = 0; i < objects->of[OBJECT_CONFIG_MAP].count; i++)
        check(!sandbox_allows_label(&objects->of[OBJECT_CONFIG_MAP].list[i], "no-domain"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct reader_options options = {.limits = limits_default(), .filter = object_keep};
    struct arena *arena = arena_create();
    struct diagnostics diagnostics;
    struct file files[FILES_MAX];
    struct inputs inputs = {.files = files};
    options.limits.nodes = 20000;
    diagnostics_init(&diagnostics, arena);
    for (const char *at = (const char *)data, *end = at + size; at <= end && inputs.count < FILES_MAX; at++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        size_t length = nul ? (size_t)(nul - at) : (size_t)(end - at);
        const char *name = inputs.count == 0 ? "snap/snapshot.json"
                                             : arena_format(arena, "snap/%c.json", (char)('a' + inputs.count - 1));
        struct file *file = &files[inputs.count++];
        memset(file, 0, sizeof *file);
        reader_read_text(name, (struct text){at, length}, &options, arena, file, &diagnostics);
        at += length;
    }
    struct snapshot_indexes indexes;
    struct objects objects;
    size_t listed;
    snapshot_index_paths(&inputs, arena, &listed);
    snapshot_indexes_read(&inputs, arena, &indexes, &diagnostics);
    for (size_t i = 0; i < indexes.count; i++)
        check_index(&indexes.list[i]);
    check_views(&indexes);
    objects_collect_placed(&inputs, indexes.namespaces, NULL, arena, &objects, &diagnostics);
    check_objects(&objects, arena, &diagnostics);
    arena_destroy(arena);
    return 0;
}

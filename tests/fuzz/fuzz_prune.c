/*
 * Any bytes as an answer of the API server: what is taken is JSON before and after, however it is cut, and nothing that
 * rows drop is in what comes out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "document/reader.h"
#include "online/collections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool what) {
    if (!what)
        abort();
}

static bool reads(struct arena *arena, const char *bytes, size_t length, struct node *root) {
    struct reader_options options = {.limits = limits_default()};
    struct file file = {0};
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, arena);
    reader_read_text("text", (struct text){bytes, length}, &options, arena, &file, &diagnostics);
    if (file.state != FILE_READ || file.count != 1)
        return false;
    *root = file.documents[0].root;
    return true;
}

/* Whether a map has a key that pods lose, anywhere but below labels and the like, where keys are anybody's. */
static bool has_env(const struct node *pod) {
    const struct node *containers = node_get(node_get(pod, "spec"), "containers");
    for (uint32_t i = 0; node_is(containers, NODE_LIST) && i < containers->count; i++)
        if (node_is(&containers->items[i], NODE_MAP) && node_find(&containers->items[i], text_of("env")))
            return true;
    return node_is(node_get(pod, "metadata"), NODE_MAP) &&
           node_find(node_get(pod, "metadata"), text_of("managedFields")) != NULL;
}

static bool feed(struct prune *prune, const char *bytes, size_t length, size_t piece) {
    prune_object(prune, collection_find("pods")->keep, 0);
    for (size_t at = 0; at < length && !prune->problem; at += piece)
        prune_feed(prune, bytes + at, length - at < piece ? length - at : piece);
    return prune_finish(prune);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *bytes = (const char *)data;
    static const size_t pieces[] = {1, 3, 70};
    struct prune *prune = malloc(sizeof *prune), *other = malloc(sizeof *other);
    struct arena *arena = arena_create();
    struct node after;
    bool taken = feed(prune, bytes, size, size + 1);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        require(feed(other, bytes, size, pieces[i]) == taken);
        require(prune->head_length == other->head_length || !taken);
        require(!taken || memcmp(prune->head, other->head, prune->head_length) == 0);
    }
    if (taken && reads(arena, prune->head, prune->head_length, &after))
        require(!has_env(&after));
    arena_destroy(arena);
    free(prune);
    free(other);
    return 0;
}

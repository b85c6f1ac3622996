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

/* What comes out, of one object or of a list. */
struct outcome {
    bool taken;
    uint64_t items;
    struct buffer text; /* the items, and then what stands beside them */
};

static bool emit(void *context, const char *bytes, size_t length) {
    buffer_add(context, bytes, length);
    return true;
}

static void feed(bool is_list, struct text text, size_t piece, struct arena *arena, struct outcome *outcome) {
    const struct prune_rule *rule = collection_find("pods")->keep;
    struct prune *prune = malloc(sizeof *prune);
    buffer_init(&outcome->text, arena);
    if (is_list)
        prune_list(prune, rule, 0, 0, emit, &outcome->text);
    else
        prune_object(prune, rule, 0);
    for (size_t at = 0; at < text.length && !prune->problem; at += piece)
        prune_feed(prune, text.bytes + at, text.length - at < piece ? text.length - at : piece);
    outcome->taken = prune_finish(prune);
    outcome->items = prune->items;
    buffer_add(&outcome->text, prune->head, prune->head_length);
    free(prune);
}

static void require_same(bool is_list, struct text text, const struct outcome *whole, struct arena *arena) {
    static const size_t pieces[] = {1, 3, 70};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct outcome cut;
        feed(is_list, text, pieces[i], arena, &cut);
        require(cut.taken == whole->taken);
        require(!cut.taken || (cut.items == whole->items && cut.text.length == whole->text.length &&
                               memcmp(cut.text.bytes, whole->text.bytes, cut.text.length) == 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text text = {.bytes = (const char *)data, .length = size};
    struct arena *arena = arena_create();
    struct outcome object, list;
    struct node after;
    feed(false, text, size + 1, arena, &object);
    require_same(false, text, &object, arena);
    if (object.taken && reads(arena, object.text.bytes, object.text.length, &after))
        require(!has_env(&after));
    feed(true, text, size + 1, arena, &list);
    require_same(true, text, &list, arena);
    arena_destroy(arena);
    return 0;
}

#include "analyzer/verify/pooled.h"

#include <string.h>

#include "base/arena.h"

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

static bool has_pool(const struct sandbox_template *template, const struct sandboxes *sandboxes) {
    for (size_t i = 0; i < sandboxes->pool_count; i++) {
        const struct sandbox_pool *pool = &sandboxes->pools[i];
        if (!pool->template_name || (same(pool->template_name, template->name) &&
                                     (!pool->namespace || same(pool->namespace, template->namespace))))
            return true;
    }
    return false;
}

struct pooled *pooled_of(const struct sandbox_template *template, const struct snapshot *snapshot) {
    struct pooled *pooled = arena_alloc(snapshot->arena, sizeof *pooled);
    struct collection_view pools =
        snapshot_indexes_view(&snapshot->indexes, OBJECT_SANDBOX_WARM_POOL, template->namespace);
    pooled->template = template;
    pooled->no_pool = pools.status == COLLECTION_READ && !has_pool(template, &snapshot->sandboxes);
    return pooled;
}

/* Whether a pod as the config describes it may be of the template: it shares a label, and none speaks against it. */
static bool may_be_of(const struct sandbox_template *template, const struct labels *labels) {
    bool shares = false;
    for (uint32_t i = 0; i < template->labels.count; i++) {
        const char *value = labels_get(labels, template->labels.list[i].key);
        if (value && strcmp(value, template->labels.list[i].value) != 0)
            return false;
        shares = shares || value;
    }
    return shares;
}

enum truth pooled_carries(const struct pooled *pooled, const struct subject *subject) {
    const struct sandbox_template *template = pooled->template;
    enum truth may = pooled->no_pool ? TRUTH_NO : TRUTH_MAYBE;
    if (labels_get(&subject->labels, SANDBOX_POOL_LABEL))
        return template->pool_value ? TRUTH_YES : TRUTH_MAYBE;
    if (subject->pod && subject->pod->object->kind == OBJECT_SANDBOX_TEMPLATE)
        return subject->pod->object == template->object ? may : TRUTH_NO;
    return subject->is_described && may_be_of(template, &subject->labels) ? may : TRUTH_NO;
}

const char *pooled_path(const char *path, struct arena *arena) {
    if (!path || strncmp(path, "spec.", strlen("spec.")) != 0)
        return path;
    return arena_format(arena, "spec.networkPolicy.%s", path + strlen("spec."));
}

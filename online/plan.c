#include "online/plan.h"

#include <string.h>

#include "base/arena.h"

struct planner {
    const struct plan_wanted *wanted;
    struct arena *arena;
    struct plan *plan;
};

bool plan_knows(const char *resource) {
    return collection_find(resource) != NULL || strcmp(resource, collection_config_map.resource) == 0;
}

const char *const *plan_words(struct arena *arena) {
    const char **words = arena_array(arena, COLLECTION_ROWS + 2, sizeof *words);
    for (size_t i = 0; i < COLLECTION_ROWS; i++)
        words[i] = collection_rows[i].resource;
    words[COLLECTION_ROWS] = collection_config_map.resource;
    return words;
}

static bool is_wanted(const struct planner *planner, const char *resource) {
    const struct plan_wanted *wanted = planner->wanted;
    for (size_t i = 0; i < wanted->collection_count; i++)
        if (strcmp(wanted->collections[i], resource) == 0)
            return true;
    return !wanted->collections;
}

/* Whether a boundary of the config needs what stands in such a row. */
static bool is_needed(const struct planner *planner, enum collection_need need) {
    const struct config *config = planner->wanted->config;
    if (!config || need == COLLECTION_ALWAYS || planner->wanted->collections)
        return true;
    for (size_t i = 0; i < config->count; i++) {
        const struct boundary *boundary = &config->boundaries[i];
        bool cilium = boundary->engine == ENGINE_CILIUM || boundary->ingress_engine == ENGINE_CILIUM;
        if (need == COLLECTION_OF_CILIUM ? cilium : boundary->has_per_sandbox)
            return true;
    }
    return false;
}

static void add(struct planner *planner, const struct fetch *fetch) {
    struct plan *plan = planner->plan;
    if (plan->count == plan->capacity)
        plan->fetches =
            arena_grow(planner->arena, plan->fetches, &plan->capacity, plan->count + 1, sizeof *plan->fetches);
    plan->fetches[plan->count++] = *fetch;
}

static void add_row(struct planner *planner, const struct collection_row *row) {
    const struct plan_wanted *wanted = planner->wanted;
    if (!row->is_namespaced || !wanted->namespaces) {
        add(planner, &(struct fetch){.row = row, .file = arena_format(planner->arena, "%s.json", row->resource)});
        return;
    }
    for (size_t i = 0; i < wanted->namespace_count; i++) {
        const char *namespace = wanted->namespaces[i];
        add(planner, &(struct fetch){.row = row,
                                     .namespace = namespace,
                                     .file = arena_format(planner->arena, "%s.%s.json", row->resource, namespace)});
    }
}

/* Names of files are short enough for every file system. */
static void add_config_map(struct planner *planner, const char *namespace, const char *name) {
    enum { NAME_MOST = 100 };
    struct plan *plan = planner->plan;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->fetches[i].name && strcmp(plan->fetches[i].name, name) == 0 &&
            strcmp(plan->fetches[i].namespace, namespace) == 0)
            return;
    const char *file = strlen(name) <= NAME_MOST
                           ? arena_format(planner->arena, "configmaps.%s.%s.json", namespace, name)
                           : arena_format(planner->arena, "configmaps.%s.%zu.json", namespace, plan->count);
    add(planner, &(struct fetch){.row = &collection_config_map, .namespace = namespace, .name = name, .file = file});
}

static void add_config_maps(struct planner *planner) {
    const struct config *config = planner->wanted->config;
    if (!is_wanted(planner, collection_config_map.resource))
        return;
    if (is_needed(planner, COLLECTION_OF_CILIUM))
        add_config_map(planner, "kube-system", "cilium-config");
    add_config_map(planner, "agent-sandbox-system", "agent-sandbox-config");
    for (size_t i = 0; config && i < config->count; i++) {
        const struct boundary *boundary = &config->boundaries[i];
        if (boundary->has_per_sandbox && boundary->per_sandbox.has_permitted_hosts)
            add_config_map(planner, boundary->per_sandbox.permitted_hosts_namespace,
                           boundary->per_sandbox.permitted_hosts_name);
    }
}

void plan_make(const struct plan_wanted *wanted, struct arena *arena, struct plan *plan) {
    struct planner planner = {wanted, arena, plan};
    *plan = (struct plan){0};
    for (size_t i = 0; i < COLLECTION_ROWS; i++)
        if (is_wanted(&planner, collection_rows[i].resource) && is_needed(&planner, collection_rows[i].need))
            add_row(&planner, &collection_rows[i]);
    add_config_maps(&planner);
}

#include "compiler/translate.h"

#include <string.h>

#include "base/arena.h"
#include "compiler/translate_parts.h"

bool boundary_is_compiled(const struct boundary *boundary) { return boundary->policy != POLICY_ABSENT; }

const char *boundary_kind_word(const struct boundary *boundary) {
    if (!boundary_is_compiled(boundary)) {
        return NULL;
    }
    return policy_kind_has_hosts(boundary->policy) ? "CiliumNetworkPolicy" : "NetworkPolicy";
}

const char *boundary_api_version(const struct boundary *boundary) {
    if (!boundary_is_compiled(boundary)) {
        return NULL;
    }
    return policy_kind_has_hosts(boundary->policy) ? "cilium.io/v2" : "networking.k8s.io/v1";
}

struct object_name boundary_object(const struct boundary *boundary) {
    if (!boundary_is_compiled(boundary)) {
        return (struct object_name){NULL, NULL, NULL};
    }
    return (struct object_name){boundary_kind_word(boundary), boundary->namespace, boundary->object_name};
}

struct node translate_map(struct arena *arena, const struct translate_entry *entries, size_t count) {
    struct node_builder map;
    node_builder_init(&map, arena, NODE_MAP);
    for (size_t i = 0; i < count; i++) {
        node_builder_put(&map, entries[i].key, entries[i].value);
    }
    return node_builder_done(&map);
}

struct node translate_list(struct arena *arena, const struct node *items, size_t count) {
    struct node_builder list;
    node_builder_init(&list, arena, NODE_LIST);
    for (size_t i = 0; i < count; i++) {
        node_builder_add(&list, items[i]);
    }
    return node_builder_done(&list);
}

struct node translate_labels(const struct config_label *labels, size_t count, struct arena *arena) {
    struct node_builder map;
    node_builder_init(&map, arena, NODE_MAP);
    for (size_t i = 0; i < count; i++) {
        node_builder_put(&map, labels[i].key, node_make_string(labels[i].value));
    }
    return node_builder_done(&map);
}

struct node translate_match_labels(const struct config_label *labels, size_t count, struct arena *arena) {
    struct translate_entry entry = {"matchLabels", translate_labels(labels, count, arena)};
    return translate_map(arena, &entry, 1);
}

static struct node metadata(const struct boundary *boundary, struct arena *arena) {
    struct translate_entry entries[] = {
        {"name", node_make_string(boundary->object_name)},
        {"namespace", node_make_string(boundary->namespace)},
    };
    return translate_map(arena, entries, sizeof entries / sizeof *entries);
}

static struct node cilium_spec(const struct boundary *boundary, struct arena *arena) {
    struct host_rules rules = {boundary->hosts, boundary->host_count, &boundary->narrowing, boundary->deep_subdomains};
    struct translate_entry entries[] = {
        {"endpointSelector", translate_match_labels(boundary->selector, boundary->selector_count, arena)},
        {"egress", translate_host_rules(&rules, arena)},
    };
    return translate_map(arena, entries, sizeof entries / sizeof *entries);
}

struct node *boundary_compile(const struct boundary *boundary, struct arena *arena) {
    if (!boundary_is_compiled(boundary)) {
        return NULL;
    }
    bool hosts = policy_kind_has_hosts(boundary->policy);
    struct translate_entry entries[] = {
        {"apiVersion", node_make_string(boundary_api_version(boundary))},
        {"kind", node_make_string(boundary_kind_word(boundary))},
        {"metadata", metadata(boundary, arena)},
        {"spec", hosts ? cilium_spec(boundary, arena) : translate_core_spec(boundary, arena)},
    };
    struct node *object = arena_alloc(arena, sizeof *object);
    *object = translate_map(arena, entries, sizeof entries / sizeof *entries);
    return object;
}

/* The object of a grant (spec/config.md 6). */
#include <string.h>

#include "base/arena.h"
#include "compiler/grant.h"
#include "compiler/translate_parts.h"

struct object_name grant_object(const struct grant *grant) {
    return (struct object_name){"CiliumNetworkPolicy", grant->boundary->namespace, grant->object_name};
}

static const char *owner_api_version(const struct grant *grant) {
    return strcmp(grant->owner_kind, "SandboxClaim") == 0 ? "extensions.agents.x-k8s.io/v1beta1"
                                                          : "agents.x-k8s.io/v1beta1";
}

static struct node metadata(const struct grant *grant, struct arena *arena) {
    struct translate_entry owner[] = {
        {"apiVersion", node_make_string(owner_api_version(grant))},
        {"kind", node_make_string(grant->owner_kind)},
        {"name", node_make_string(grant->owner_name)},
        {"uid", node_make_string(grant->owner_uid)},
    };
    struct node reference = translate_map(arena, owner, sizeof owner / sizeof *owner);
    struct translate_entry entries[] = {
        {"name", node_make_string(grant->object_name)},
        {"namespace", node_make_string(grant->boundary->namespace)},
        {"ownerReferences", translate_list(arena, &reference, 1)},
    };
    return translate_map(arena, entries, sizeof entries / sizeof *entries);
}

static struct node spec(const struct grant *grant, struct arena *arena) {
    const struct boundary *boundary = grant->boundary;
    const struct config_label label = {.key = boundary->per_sandbox.label_key, .value = grant->owner_name};
    const struct host_rules rules = {grant->hosts, grant->host_count, &boundary->per_sandbox.narrowing,
                                     boundary->deep_subdomains};
    struct translate_entry entries[] = {
        {"endpointSelector", translate_match_labels(&label, 1, arena)},
        {"egress", translate_host_rules(&rules, arena)},
    };
    return translate_map(arena, entries, sizeof entries / sizeof *entries);
}

struct node *grant_compile(const struct grant *grant, struct arena *arena) {
    if (grant->host_count == 0) {
        return NULL;
    }
    struct translate_entry entries[] = {
        {"apiVersion", node_make_string("cilium.io/v2")},
        {"kind", node_make_string("CiliumNetworkPolicy")},
        {"metadata", metadata(grant, arena)},
        {"spec", spec(grant, arena)},
    };
    struct node *object = arena_alloc(arena, sizeof *object);
    *object = translate_map(arena, entries, sizeof entries / sizeof *entries);
    return object;
}

/* The peers of one entry of egress or egressDeny of a Cilium Rule (C 1.4, 3). */
#include <string.h>

#include "base/arena.h"
#include "tests/evaluator/parts.h"

static const char NAMESPACE_KEY[] = "io.kubernetes.pod.namespace";
static const char NAMESPACE_LABELS[] = "io.cilium.k8s.namespace.labels.";
static const char CLUSTER_KEY[] = "io.cilium.k8s.policy.cluster";

/* An empty list of the first five selects nothing (C 3.2). */
enum peer_kind { TO_ENDPOINTS, TO_CIDR, TO_CIDR_SET, TO_ENTITIES, TO_NODES, TO_FQDNS, TO_SERVICES, TO_GROUPS };
enum { PEER_KINDS = 8 };

static const char *const peer_words[PEER_KINDS] = {
    [TO_ENDPOINTS] = "toEndpoints", [TO_CIDR] = "toCIDR",   [TO_CIDR_SET] = "toCIDRSet",  [TO_ENTITIES] = "toEntities",
    [TO_NODES] = "toNodes",         [TO_FQDNS] = "toFQDNs", [TO_SERVICES] = "toServices", [TO_GROUPS] = "toGroups",
};

struct peer_reading {
    struct object_reading *object;
    bool deny, checked, subject_is_init;
    struct selectors *selectors;
};

static const struct evaluator_reading *reading_of(const struct object_reading *object) {
    return object->policy->reading;
}

static void add_cluster(struct object_reading *object, struct requirements *all) {
    struct arena *arena = object->policy->arena;
    if (reading_of(object)->local_cluster && !requirements_have_key(all, CLUSTER_KEY))
        requirement_value(requirements_add(all, arena, "k8s", CLUSTER_KEY, LABEL_IN), arena,
                          evaluator_cluster(reading_of(object)));
}

/* C 1.4: what is added to a peer's selector, in the page's order. */
static bool read_endpoints(struct peer_reading *peer, const struct node *node) {
    struct object_reading *object = peer->object;
    struct arena *arena = object->policy->arena;
    struct requirements all = {.count = 0};
    bool reserved = false, namespace_label = false;
    bool readable = node_is(node, NODE_MAP) && requirements_read(&all, arena, node, true, "", "");
    if (!readable && (peer->checked || !selector_has_known_operators(node)))
        return object_refuse(object, "a bad selector in toEndpoints");
    if (!readable) { /* nobody looks at it, and what it selects is not told */
        selectors_add(peer->selectors, arena, SELECT_UNKNOWN, "unreadable");
        return true;
    }
    for (size_t i = 0; i < all.count; i++) {
        reserved = reserved || strcmp(all.items[i].source, "reserved") == 0;
        namespace_label =
            namespace_label || strncmp(all.items[i].key, NAMESPACE_LABELS, sizeof NAMESPACE_LABELS - 1) == 0;
    }
    if (!reserved) {
        bool has_namespace = requirements_have_key(&all, NAMESPACE_KEY);
        if (!has_namespace && object->namespace_name && !(namespace_label && reading_of(object)->minor >= 16))
            requirement_value(requirements_add(&all, arena, "k8s", NAMESPACE_KEY, LABEL_IN), arena,
                              object->namespace_name);
        if (!has_namespace && !object->namespace_name && !peer->subject_is_init)
            requirements_add(&all, arena, "k8s", NAMESPACE_KEY, LABEL_EXISTS);
        add_cluster(object, &all);
    }
    selectors_add(peer->selectors, arena, SELECT_LABELS, requirements_id(&all, arena))->labels = all;
    return true;
}

static int compare_blocks(const struct block *a, const struct block *b) {
    int order = memcmp(a->first.bytes, b->first.bytes, sizeof a->first.bytes);
    return order ? order : (int)a->length - (int)b->length;
}

static const char *block_id(struct arena *arena, const char *before, const struct block *block) {
    const char *id = arena_format(arena, "%s %u/%u:", before, block->first.family, block->length);
    for (size_t i = 0; i < (block->first.family == 4 ? 4 : 16); i++)
        id = arena_format(arena, "%s%02x", id, block->first.bytes[i]);
    return id;
}

/* K 1.6 for a NetworkPolicy (an except is a proper part), C 3.4 else (only its address is looked at). */
static bool read_except(struct object_reading *object, const char *text, enum block_check check,
                        const struct block *whole, struct block *except) {
    bool core = check == BLOCK_OF_CORE;
    if (!text || !match_block_read(text, reading_of(object), except) ||
        (check == BLOCK_OF_CILIUM && match_block_has_zeros(text)))
        return object_refuse(object, "a bad except");
    if (whole && check != BLOCK_UNCHECKED && !match_block_has(whole, core ? &except->first : &except->address))
        return object_refuse(object, "an except outside its block");
    if (core && whole && except->written <= whole->written)
        return object_refuse(object, "an except that is no proper part of its block");
    return true;
}

static bool read_excepts(struct object_reading *object, const struct node *list, enum block_check check,
                         const struct block *whole, struct selector *selector) {
    struct arena *arena = object->policy->arena;
    if (node_is_null(list))
        return true;
    if (list->kind != NODE_LIST)
        return object_refuse(object, "except is no list");
    selector->except = arena_array(arena, list->count, sizeof *selector->except);
    for (size_t i = 0; i < list->count; i++) {
        struct block except;
        if (!read_except(object, node_string(&list->items[i]), check, whole, &except))
            return false;
        size_t place = selector->except_count++;
        for (; place > 0 && compare_blocks(&except, &selector->except[place - 1]) < 0; place--)
            selector->except[place] = selector->except[place - 1];
        selector->except[place] = except;
    }
    for (size_t i = 0; i < selector->except_count; i++)
        selector->id = block_id(arena, selector->id, &selector->except[i]);
    return true;
}

bool peer_read_block(struct object_reading *object, const char *cidr, const struct node *except, enum block_check check,
                     struct selectors *selectors) {
    struct block block;
    bool dotted = check != BLOCK_OF_CORE && reading_of(object)->minor <= 15 && strchr(cidr, ':') && strchr(cidr, '.');
    if (dotted) /* the pattern of that schema knows groups alone */
        return object_refuse(object, "a dotted quad in an IPv6 block");
    if (!match_block_read(cidr, reading_of(object), &block) ||
        (check == BLOCK_OF_CILIUM && match_block_has_zeros(cidr)))
        return object_refuse(object, "a bad CIDR");
    struct selector *selector = selectors_add(selectors, object->policy->arena, SELECT_BLOCK, NULL);
    selector->block = block;
    selector->id = block_id(object->policy->arena, "block", &block);
    return read_excepts(object, except, check, &block, selector);
}

/* Blocks of the CIDR groups that are named or selected; what may be missing is unknown. */
static bool read_groups(struct peer_reading *peer, const char *name, const struct node *chosen,
                        const struct node *except) {
    struct object_reading *object = peer->object;
    const struct evaluator_world *world = object->policy->world;
    struct requirements wanted = {.count = 0};
    bool found = false;
    if (chosen && !requirements_read(&wanted, object->policy->arena, chosen, false, "", ""))
        return object_refuse(object, "a bad cidrGroupSelector");
    for (size_t i = 0; i < world->count; i++) {
        const struct node *root = world->objects[i], *metadata = node_get(root, "metadata");
        const char *kind = node_string(node_get(root, "kind")), *own = node_string(node_get(metadata, "name"));
        const struct node *blocks = node_get(node_get(root, "spec"), "externalCIDRs");
        if (!kind || strcmp(kind, "CiliumCIDRGroup") != 0 || (name && (!own || strcmp(name, own) != 0)))
            continue;
        if (chosen) /* labels of groups are few: a selection by them stays open */
            continue;
        found = true;
        for (uint32_t j = 0; blocks && j < blocks->count; j++) {
            struct selector *selector;
            if (!peer_read_block(object, node_string(&blocks->items[j]), NULL, BLOCK_UNCHECKED, peer->selectors))
                return false;
            selector = &peer->selectors->items[peer->selectors->count - 1];
            if (!read_excepts(object, except, BLOCK_UNCHECKED, NULL, selector))
                return false;
        }
    }
    if (!found)
        selectors_add(peer->selectors, object->policy->arena, SELECT_UNKNOWN, "group");
    return true;
}

static bool read_cidr_set(struct peer_reading *peer, const struct node *entry) {
    struct object_reading *object = peer->object;
    unsigned minor = reading_of(object)->minor;
    const struct node *cidr = node_get(entry, "cidr"), *group = node_get(entry, "cidrGroupRef");
    const struct node *chosen = minor >= 17 ? node_get(entry, "cidrGroupSelector") : NULL;
    const struct node *except = node_get(entry, "except");
    enum block_check check = peer->checked ? BLOCK_OF_CILIUM : BLOCK_UNCHECKED;
    if (!node_is(entry, NODE_MAP) || !!cidr + !!group + !!chosen != 1)
        return object_refuse(object, "not exactly one of cidr, cidrGroupRef and cidrGroupSelector");
    if (cidr)
        return node_string(cidr) ? peer_read_block(object, node_string(cidr), except, check, peer->selectors)
                                 : object_refuse(object, "a cidr that is no string");
    if (minor <= 15)
        return object_refuse(object, "cidrGroupRef in egress before 1.16");
    if (minor == 16 && peer->checked && except && except->count > 0)
        return object_refuse(object, "except beside a group in 1.16");
    return read_groups(peer, node_string(group), chosen, except);
}

static bool read_cidr(struct peer_reading *peer, const struct node *entry) {
    const char *text = node_string(entry);
    return text ? peer_read_block(peer->object, text, NULL, peer->checked ? BLOCK_OF_CILIUM : BLOCK_UNCHECKED,
                                  peer->selectors)
                : object_refuse(peer->object, "a CIDR that is no string");
}

static bool read_entity(struct peer_reading *peer, const struct node *entry) {
    static const char *const known[] = {"all",    "world", "cluster", "host",      "remote-node", "kube-apiserver",
                                        "health", "init",  "ingress", "unmanaged", "none"};
    const char *word = node_string(entry);
    for (size_t i = 0; word && i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i], word) != 0)
            continue;
        enum selector_kind kind = i == 0 ? SELECT_ANYTHING : SELECT_ENTITY;
        const char *id = i == 0 ? "all" : arena_format(peer->object->policy->arena, "entity %s", word);
        selectors_add(peer->selectors, peer->object->policy->arena, kind, id)->entity = word;
        return true;
    }
    return object_refuse(peer->object, "an unknown entity");
}

/* toFQDNs, C 3.5. Up to 1.15 an entry without content stands for the root name. */
static bool read_name(struct peer_reading *peer, const struct node *entry) {
    struct object_reading *object = peer->object;
    unsigned minor = reading_of(object)->minor;
    const struct node *name = node_get(entry, "matchName"), *pattern = node_get(entry, "matchPattern");
    if (!node_is(entry, NODE_MAP) || (name && pattern) || (!name && !pattern && minor >= 16))
        return object_refuse(object, "not exactly one of matchName and matchPattern");
    const char *text = name || pattern ? node_string(name ? name : pattern) : ".";
    if (!text || ((name || pattern) && !match_name_is_valid(text, pattern != NULL, minor)))
        return object_refuse(object, "a bad name or pattern");
    const char *id = arena_format(object->policy->arena, "%s %s", pattern ? "pattern" : "name", text);
    struct selector *selector = selectors_add(peer->selectors, object->policy->arena, SELECT_NAME, id);
    selector->name = text;
    selector->is_pattern = pattern != NULL;
    return true;
}

/* The pods of a Service with a selector (1.17+); the addresses of one without are not looked up. */
static void add_service(struct peer_reading *peer, const struct node *root, const char *namespace_name) {
    struct object_reading *object = peer->object;
    struct arena *arena = object->policy->arena;
    const struct node *chosen = node_get(node_get(root, "spec"), "selector");
    struct requirements all = {.count = 0};
    if (!chosen || chosen->count == 0) {
        selectors_add(peer->selectors, arena, SELECT_UNKNOWN, "service");
        return;
    }
    if (reading_of(object)->minor <= 16)
        return;
    for (uint32_t i = 0; i < chosen->count; i++)
        requirement_value(requirements_add(&all, arena, "k8s", node_string(&chosen->entries[i].key), LABEL_IN), arena,
                          node_string(&chosen->entries[i].value));
    requirement_value(requirements_add(&all, arena, "k8s", NAMESPACE_KEY, LABEL_IN), arena, namespace_name);
    struct requirements local = {.count = 0};
    for (size_t i = 0; i < all.count; i++)
        *requirements_add(&local, arena, "", "", LABEL_IN) = all.items[i];
    add_cluster(object, &local);
    selectors_add(peer->selectors, arena, SELECT_LABELS, requirements_id(&local, arena))->labels = local;
    /* whether the local cluster is demanded of these as it is of toEndpoints is not told */
    struct selector *anywhere = selectors_add(peer->selectors, arena, SELECT_LABELS, requirements_id(&all, arena));
    anywhere->labels = all;
    anywhere->doubtful = true;
}

/* C 3.6. A Service that is not among the inputs is unknown unless they are all there are. */
static bool read_service(struct peer_reading *peer, const struct node *entry) {
    struct object_reading *object = peer->object;
    const struct evaluator_world *world = object->policy->world;
    const struct node *named = node_get(entry, "k8sService"), *chosen = node_get(entry, "k8sServiceSelector");
    const char *wanted_namespace = node_string(node_get(chosen ? chosen : named, "namespace"));
    const char *wanted = node_string(node_get(named, "serviceName"));
    bool found = false;
    if (peer->deny)
        return true;
    for (size_t i = 0; !chosen && i < world->count; i++) {
        const struct node *root = world->objects[i], *metadata = node_get(root, "metadata");
        const char *kind = node_string(node_get(root, "kind")), *name = node_string(node_get(metadata, "name"));
        const char *own = node_string(node_get(metadata, "namespace"));
        if (!kind || strcmp(kind, "Service") != 0 || !wanted || !name || !own || strcmp(name, wanted) != 0)
            continue;
        if (wanted_namespace && *wanted_namespace && strcmp(own, wanted_namespace) != 0)
            continue;
        found = true;
        add_service(peer, root, own);
    }
    bool complete = world->services_known || (found && wanted_namespace && *wanted_namespace);
    if (chosen || !complete)
        selectors_add(peer->selectors, object->policy->arena, SELECT_UNKNOWN, "service");
    return true;
}

static bool read_node(struct peer_reading *peer, const struct node *entry) {
    (void)entry;
    return object_refuse(peer->object, "toNodes without enable-node-selector-labels");
}

static bool read_group(struct peer_reading *peer, const struct node *entry) {
    (void)entry;
    selectors_add(peer->selectors, peer->object->policy->arena, SELECT_UNKNOWN, "cloud group");
    return true;
}

/* Kinds that this entry does not have: pruned, or unknown to the version's CRD. */
static bool is_pruned(const struct peer_reading *peer, enum peer_kind kind) {
    return (kind == TO_FQDNS && peer->deny) || (kind == TO_NODES && reading_of(peer->object)->minor <= 15);
}

bool peer_read(struct object_reading *object, const struct node *entry, bool deny, bool with_ports,
               bool subject_is_init, struct selectors *selectors) {
    static bool (*const readers[PEER_KINDS])(struct peer_reading *, const struct node *) = {
        [TO_ENDPOINTS] = read_endpoints, [TO_CIDR] = read_cidr,    [TO_CIDR_SET] = read_cidr_set,
        [TO_ENTITIES] = read_entity,     [TO_NODES] = read_node,   [TO_FQDNS] = read_name,
        [TO_SERVICES] = read_service,    [TO_GROUPS] = read_group,
    };
    unsigned minor = reading_of(object)->minor, kinds = 0;
    struct peer_reading peer = {object, deny, !deny || minor >= 17, subject_is_init, selectors};
    bool poisoned = false, services = false;
    const struct node *items;
    size_t count;
    for (enum peer_kind kind = TO_ENDPOINTS; kind <= TO_GROUPS; kind++) {
        if (is_pruned(&peer, kind))
            continue;
        if (!node_items(entry, peer_words[kind], &items, &count))
            return object_refuse(object, "a list of peers that is no list");
        kinds += count > 0;
        services = services || (kind == TO_SERVICES && count > 0);
        poisoned = poisoned || (kind <= TO_NODES && count == 0 && node_get(entry, peer_words[kind]));
        for (size_t i = 0; i < count; i++)
            if (!readers[kind](&peer, &items[i]))
                return false;
    }
    if (peer.checked && kinds > 1)
        return object_refuse(object, "two kinds of peers in one rule");
    if (peer.checked && services && node_items(entry, "toPorts", &items, &count) && count > 0 && minor <= 16)
        return object_refuse(object, "toServices with toPorts before 1.17");
    if (poisoned && minor >= 16)
        selectors->count = 0;
    else if (selectors->count == 0 && with_ports && !(kinds > 0 && !services))
        selectors_add(selectors, object->policy->arena, SELECT_ANYTHING, "all");
    return true;
}

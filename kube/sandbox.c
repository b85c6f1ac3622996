#include "kube/sandbox.h"

#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/text.h"
#include "kube/evidence_labels.h"

#define DEFAULT_DOMAINS "sandbox.users.io"

static const struct node *spec_of(const struct object *object) { return node_get(object->root, "spec"); }
static const struct node *labels_of(const struct node *object) {
    return node_get(node_get(object, "metadata"), "labels");
}

/* `name` of a reference in the spec. */
static const char *reference(const struct object *object, const char *key) {
    return node_string(node_get(node_get(spec_of(object), key), "name"));
}

/* ---- objects ---- */

static struct sandbox_template read_template(const struct object *object, struct arena *arena) {
    const struct node *spec = spec_of(object), *pod = node_get(spec, "podTemplate");
    bool managed = !text_is(node_text(node_get(spec, "networkPolicyManagement")), "Unmanaged");
    const struct node *block = node_get(spec, "networkPolicy");
    return (struct sandbox_template){.object = object,
                                     .namespace = object->namespace,
                                     .name = object->name,
                                     .labels = labels_read(labels_of(pod), arena),
                                     .pod_labels = labels_of(pod),
                                     .pool_value = node_string(node_get(labels_of(object->root), SANDBOX_POOL_LABEL)),
                                     .block = managed ? block : NULL,
                                     .default_block = managed && !block};
}

static void read_templates(const struct object_list *list, struct arena *arena, struct sandboxes *sandboxes) {
    sandboxes->templates = arena_array(arena, list->count, sizeof *sandboxes->templates);
    for (size_t i = 0; i < list->count; i++)
        if (list->list[i].served && list->list[i].name)
            sandboxes->templates[sandboxes->template_count++] = read_template(&list->list[i], arena);
}

static void read_pools(const struct object_list *list, struct arena *arena, struct sandboxes *sandboxes) {
    sandboxes->pools = arena_array(arena, list->count, sizeof *sandboxes->pools);
    for (size_t i = 0; i < list->count; i++)
        if (list->list[i].served)
            sandboxes->pools[sandboxes->pool_count++] =
                (struct sandbox_pool){.object = &list->list[i],
                                      .namespace = list->list[i].namespace,
                                      .name = list->list[i].name,
                                      .template_name = reference(&list->list[i], "sandboxTemplateRef")};
}

static void read_claims(const struct object_list *list, struct arena *arena, struct sandboxes *sandboxes) {
    sandboxes->claims = arena_array(arena, list->count, sizeof *sandboxes->claims);
    for (size_t i = 0; i < list->count; i++) {
        const struct object *object = &list->list[i];
        const struct node *added = node_get(node_get(spec_of(object), "additionalPodMetadata"), "labels");
        if (object->served)
            sandboxes->claims[sandboxes->claim_count++] =
                (struct sandbox_claim){.object = object,
                                       .namespace = object->namespace,
                                       .name = object->name,
                                       .template_name = reference(object, "sandboxTemplateRef"),
                                       .pool_name = reference(object, "warmPoolRef"),
                                       .labels = labels_read(added, arena)};
    }
}

static void read_sandboxes(const struct object_list *list, struct arena *arena, struct sandboxes *sandboxes) {
    sandboxes->list = arena_array(arena, list->count, sizeof *sandboxes->list);
    for (size_t i = 0; i < list->count; i++) {
        const struct object *object = &list->list[i];
        const struct node *annotations = node_get(node_get(object->root, "metadata"), "annotations");
        if (object->served)
            sandboxes->list[sandboxes->count++] = (struct sandbox){
                .object = object,
                .namespace = object->namespace,
                .name = object->name,
                .template_name = node_string(node_get(annotations, "agents.x-k8s.io/sandbox-template-ref")),
                .labels = labels_read(labels_of(node_get(spec_of(object), "podTemplate")), arena)};
    }
}

void sandboxes_read(const struct objects *objects, struct arena *arena, struct sandboxes *sandboxes) {
    *sandboxes = (struct sandboxes){.count = 0};
    read_templates(&objects->of[OBJECT_SANDBOX_TEMPLATE], arena, sandboxes);
    read_pools(&objects->of[OBJECT_SANDBOX_WARM_POOL], arena, sandboxes);
    read_claims(&objects->of[OBJECT_SANDBOX_CLAIM], arena, sandboxes);
    read_sandboxes(&objects->of[OBJECT_SANDBOX], arena, sandboxes);
}

/* ---- references ---- */

static int compare_places(const char *a_namespace, const char *a_name, const char *b_namespace, const char *b_name) {
    int order = string_compare(a_namespace, b_namespace);
    return order ? order : string_compare(a_name, b_name);
}

const struct sandbox_template *sandbox_template_find(const struct sandboxes *sandboxes, const char *namespace,
                                                     const char *name) {
    size_t low = 0, high = sandboxes->template_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct sandbox_template *here = &sandboxes->templates[middle];
        if (compare_places(here->namespace, here->name, namespace, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct sandbox_template *found = low < sandboxes->template_count ? &sandboxes->templates[low] : NULL;
    return found && compare_places(found->namespace, found->name, namespace, name) == 0 ? found : NULL;
}

const struct sandbox_template *sandbox_template_of(const struct sandboxes *sandboxes, const struct object *object) {
    const struct sandbox_template *found =
        object->name ? sandbox_template_find(sandboxes, object->namespace, object->name) : NULL;
    const struct sandbox_template *end = sandboxes->templates + sandboxes->template_count;
    while (found && found < end && found->object != object)
        found++; /* differing copies of one name stand beside each other */
    return found != end ? found : NULL;
}

const char *sandbox_claim_template(const struct sandboxes *sandboxes, const struct sandbox_claim *claim) {
    if (claim->template_name || !claim->pool_name)
        return claim->template_name;
    size_t low = 0, high = sandboxes->pool_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct sandbox_pool *here = &sandboxes->pools[middle];
        if (compare_places(here->namespace, here->name, claim->namespace, claim->pool_name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct sandbox_pool *found = low < sandboxes->pool_count ? &sandboxes->pools[low] : NULL;
    bool same = found && compare_places(found->namespace, found->name, claim->namespace, claim->pool_name) == 0;
    return same ? found->template_name : NULL;
}

/* ---- the policy of a template ---- */

static struct node make_list(struct arena *arena, struct node *items, uint32_t count) {
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_LIST);
    for (uint32_t i = 0; i < count; i++)
        node_builder_add(&builder, items[i]);
    return node_builder_done(&builder);
}

/* Puts a list of the block, or the block itself where it is no map: then its type is wrong all the same. */
static void put_rules(struct node_builder *spec, const struct node *block, const char *key) {
    const struct node *rules = node_is(block, NODE_MAP) ? node_get(block, key) : block;
    if (rules)
        node_builder_put(spec, key, *rules);
}

static struct node make_selector(const struct sandbox_template *template, struct arena *arena) {
    struct node_builder labels, selector;
    node_builder_init(&labels, arena, NODE_MAP);
    node_builder_put(&labels, SANDBOX_POOL_LABEL,
                     node_make_string(template->pool_value ? template->pool_value : template->name));
    node_builder_init(&selector, arena, NODE_MAP);
    node_builder_put(&selector, "matchLabels", node_builder_done(&labels));
    return node_builder_done(&selector);
}

static struct node make_metadata(const struct sandbox_template *template, struct arena *arena) {
    struct node_builder metadata;
    node_builder_init(&metadata, arena, NODE_MAP);
    node_builder_put(&metadata, "name", node_make_string(arena_format(arena, "%s-network-policy", template->name)));
    if (template->namespace)
        node_builder_put(&metadata, "namespace", node_make_string(template->namespace));
    return node_builder_done(&metadata);
}

struct policy *sandbox_template_policy(const struct sandbox_template *template, struct arena *arena) {
    struct node types[] = {node_make_string("Ingress"), node_make_string("Egress")};
    struct node_builder spec, root;
    node_builder_init(&spec, arena, NODE_MAP);
    node_builder_put(&spec, "podSelector", make_selector(template, arena));
    node_builder_put(&spec, "policyTypes", make_list(arena, types, 2));
    put_rules(&spec, template->block, "ingress");
    put_rules(&spec, template->block, "egress");
    node_builder_init(&root, arena, NODE_MAP);
    node_builder_put(&root, "metadata", make_metadata(template, arena));
    node_builder_put(&root, "spec", node_builder_done(&spec));
    struct node *node = arena_alloc(arena, sizeof *node);
    *node = node_builder_done(&root);
    node->line = template->block->line;
    node->column = template->block->column;
    struct object *object = arena_alloc(arena, sizeof *object);
    *object = *template->object;
    object->kind = OBJECT_NETWORK_POLICY;
    object->root = node;
    return policy_read(object, arena);
}

/* ---- label domains ---- */

static bool same_domain(const char *domain, size_t length, const char *allowed, size_t allowed_length) {
    if (length < allowed_length)
        return false;
    const char *tail = domain + (length - allowed_length);
    for (size_t i = 0; i < allowed_length; i++)
        if (ascii_lower(tail[i]) != ascii_lower(allowed[i]))
            return false;
    return length == allowed_length || tail[-1] == '.';
}

/* Whether a list of domains, separated by commas or line ends, has the domain or one above it; `any`: it lists some. */
static bool domains_admit(const char *list, const char *domain, size_t length, bool *any) {
    bool admits = false;
    *any = false;
    while (*list) {
        struct text one = text_trim((struct text){.bytes = list, .length = strcspn(list, ",\r\n")});
        *any = *any || one.length > 0;
        admits = admits || (one.length > 0 && same_domain(domain, length, one.bytes, one.length));
        list += strcspn(list, ",\r\n");
        list += *list != '\0';
    }
    return admits;
}

bool sandbox_allows_label(const struct object *config, const char *key) {
    const char *slash = strchr(key, '/');
    const char *list = config ? node_string(node_get(node_get(config->root, "data"), "allowed-label-domains")) : NULL;
    bool any = false;
    if (!slash)
        return false;
    size_t length = (size_t)(slash - key);
    bool admits = list && domains_admit(list, key, length, &any);
    return any ? admits : domains_admit(DEFAULT_DOMAINS, key, length, &any);
}

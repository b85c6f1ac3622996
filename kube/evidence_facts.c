/*
 * What a snapshot says about its cluster: the ConfigMap cilium-config, and the images of the agents
 * (spec/config.md 9).
 */
#include <string.h>

#include "base/arena.h"
#include "kube/cilium_version.h"
#include "kube/evidence.h"

struct fact_reader {
    struct arena *arena;
    struct cluster_facts *facts;
    struct diagnostics *diagnostics;
    const struct object *object;
};

static void conflict(struct fact_reader *reader, const struct node *node, const char *path, const char *message) {
    struct diagnostic *diagnostic = diagnostics_add(reader->diagnostics, CODE_CLUSTER_FACT_CONFLICT,
                                                    node_location(reader->object->file, node), "%s", message);
    diagnostic->path = path;
    diagnostic->value = node_string(node);
    diagnostic->object = object_name_of(reader->object);
}

static void know(struct fact_reader *reader, enum fact fact, const struct node *node) {
    reader->facts->known |= 1u << fact;
    reader->facts->where[fact] = node_location(reader->object->file, node);
}

/* ---- cilium-config ---- */

/* Reads one key's value into the facts; false: it cannot be read. */
typedef bool option_reader(struct cluster_facts *facts, const char *value);

static bool read_bool(const char *value, bool *target) {
    *target = strcmp(value, "true") == 0;
    return *target || strcmp(value, "false") == 0;
}
static bool read_sctp(struct cluster_facts *facts, const char *value) { return read_bool(value, &facts->sctp); }
static bool read_proxy(struct cluster_facts *facts, const char *value) { return read_bool(value, &facts->l7_proxy); }
static bool read_local(struct cluster_facts *facts, const char *value) {
    return read_bool(value, &facts->local_cluster);
}
static bool read_match_mode(struct cluster_facts *facts, const char *value) {
    facts->match_nodes = facts->match_pods = false;
    while (*value) {
        size_t length = strcspn(value, " ,");
        struct text word = {.bytes = value, .length = length};
        facts->match_nodes |= text_is(word, "nodes");
        facts->match_pods |= text_is(word, "pods");
        if (length > 0 && !text_is(word, "nodes") && !text_is(word, "pods"))
            return false;
        value += length + (value[length] != '\0');
    }
    return true;
}
static bool read_enforcement(struct cluster_facts *facts, const char *value) {
    static const char *const words[] = {
        [ENFORCEMENT_DEFAULT] = "default", [ENFORCEMENT_ALWAYS] = "always", [ENFORCEMENT_NEVER] = "never"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(value, words[i]) == 0) {
            facts->enforcement = (enum enforcement_mode)i;
            return true;
        }
    }
    return false;
}
static bool read_labels(struct cluster_facts *facts, const char *value) {
    facts->labels = value;
    return true;
}
static bool read_cluster_name(struct cluster_facts *facts, const char *value) {
    facts->cluster_name = value;
    return *value != '\0';
}

static const struct {
    const char *key;
    enum fact fact;
    option_reader *read;
} options[] = {
    {"enable-sctp", FACT_SCTP, read_sctp},
    {"policy-cidr-match-mode", FACT_CIDR_MATCH_MODE, read_match_mode},
    {"enable-policy", FACT_ENFORCEMENT_MODE, read_enforcement},
    {"enable-l7-proxy", FACT_L7_PROXY, read_proxy},
    {"labels", FACT_LABELS, read_labels},
    {"policy-default-local-cluster", FACT_LOCAL_CLUSTER, read_local},
    {"cluster-name", FACT_CLUSTER_NAME, read_cluster_name},
};

static void read_config(struct fact_reader *reader) {
    const struct node *data = node_get(reader->object->root, "data");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct node *node = node_get(data, options[i].key);
        struct cluster_facts before = *reader->facts;
        if (!node)
            continue;
        if (node_string(node) && options[i].read(reader->facts, node_string(node))) {
            know(reader, options[i].fact, node);
            continue;
        }
        *reader->facts = before;
        conflict(reader, node, path_key(reader->arena, "data", text_of(options[i].key)),
                 "is no value that this option of the agent has; the fact stays unknown");
    }
}

/* The agent's own ConfigMap: that of kube-system, else the first. */
static const struct object *find_config(const struct objects *objects) {
    const struct object_list *list = &objects->of[OBJECT_CONFIG_MAP];
    const struct object *found = objects_find(objects, OBJECT_CONFIG_MAP, "kube-system", "cilium-config");
    for (size_t i = 0; !found && i < list->count; i++) {
        if (list->list[i].name && strcmp(list->list[i].name, "cilium-config") == 0)
            found = &list->list[i];
    }
    return found;
}

/* ---- the agents' images ---- */

/* The tag of "registry:5000/cilium/cilium:v1.17.4@sha256:..."; empty: none. */
static struct text image_tag(struct text image) {
    const char *at = memchr(image.bytes, '@', image.length);
    size_t end = at ? (size_t)(at - image.bytes) : image.length;
    for (size_t i = end; i > 0; i--) {
        if (image.bytes[i - 1] == ':')
            return (struct text){.bytes = image.bytes + i, .length = end - i};
        if (image.bytes[i - 1] == '/')
            break;
    }
    return text_of(NULL);
}

/* The agent's container: by its name, else the first. */
static const struct node *agent_image(const struct object *pod) {
    const struct node *containers = node_get(node_get(pod->root, "spec"), "containers");
    const struct node *image = NULL;
    for (uint32_t i = 0; node_is(containers, NODE_LIST) && i < containers->count; i++) {
        const struct node *container = &containers->items[i];
        bool named = text_is(node_text(node_get(container, "name")), "cilium-agent");
        if (named || i == 0)
            image = node_get(container, "image");
        if (named)
            break;
    }
    return node_string(image) ? image : NULL;
}

static bool same_version(const struct version *a, const struct version *b) {
    return a->major == b->major && a->minor == b->minor && a->has_patch == b->has_patch && a->patch == b->patch;
}

/* An agent at work; false: what it says contradicts the agents before it, or is not modelled. */
static bool read_agent(struct fact_reader *reader) {
    const struct node *image = agent_image(reader->object);
    struct version version;
    if (!image || version_parse(image_tag(node_text(image)), &version, NULL) != VERSION_OK)
        return true;
    struct cluster_facts alone = {.known = 1u << FACT_CILIUM_VERSION, .cilium = version};
    if (cilium_classes_of(&alone) == 0) {
        conflict(reader, image, "spec.containers", "is of a version of Cilium that is not modelled");
        return false;
    }
    if (facts_know(reader->facts, FACT_CILIUM_VERSION) && !same_version(&reader->facts->cilium, &version)) {
        conflict(reader, image, "spec.containers", "is of another version than the agent of another pod");
        return false;
    }
    if (!facts_know(reader->facts, FACT_CILIUM_VERSION))
        know(reader, FACT_CILIUM_VERSION, image);
    reader->facts->cilium = version;
    return true;
}

static bool is_agent(const struct object *pod) {
    const struct node *labels = node_get(node_get(pod->root, "metadata"), "labels");
    return text_is(node_text(node_get(labels, "k8s-app")), "cilium");
}

void evidence_facts(const struct objects *objects, struct arena *arena, struct cluster_facts *facts,
                    struct diagnostics *diagnostics) {
    struct fact_reader reader = {.arena = arena, .facts = facts, .diagnostics = diagnostics};
    const struct object_list *pods = &objects->of[OBJECT_POD];
    *facts = facts_default();
    reader.object = find_config(objects);
    if (reader.object)
        read_config(&reader);
    for (size_t i = 0; i < pods->count; i++) {
        reader.object = &pods->list[i];
        if (is_agent(reader.object) && !read_agent(&reader)) {
            facts->known &= ~(1u << FACT_CILIUM_VERSION);
            break;
        }
    }
}

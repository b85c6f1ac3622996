#include "kube/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kube/evidence_labels.h"
#include "kube/object_kind.h"
#include "kube/sandbox.h"

#define NAMESPACE_NAME "kubernetes.io/metadata.name"
#define SERVICE_NAME "kubernetes.io/service-name"

/* NULL before any string. */
/* The list items of a field; none where it is no list. */
static uint32_t list_count(const struct node *list) { return node_is(list, NODE_LIST) ? list->count : 0; }

/* ---- addresses and ports ---- */

/* Appends the address of a text that is one. */
static void add_address(struct address *list, uint32_t *count, const struct node *text) {
    struct address_reading reading;
    if (node_string(text) && address_parse_lax(node_text(text), &reading))
        list[(*count)++] = reading.decimal;
}

static void read_pod_addresses(const struct node *status, struct arena *arena, struct pod *pod) {
    const struct node *many = node_get(status, "podIPs"), *one = node_get(status, "podIP");
    if (!many && !one)
        return;
    struct address *list = arena_array(arena, list_count(many) + 1, sizeof *list);
    for (uint32_t i = 0; i < list_count(many); i++)
        add_address(list, &pod->address_count, node_get(&many->items[i], "ip"));
    if (pod->address_count == 0)
        add_address(list, &pod->address_count, one);
    pod->addresses = list;
}

/* Init containers listen beside the others only as sidecars. */
static bool container_listens(const struct node *container, bool init) {
    return !init || text_is(node_text(node_get(container, "restartPolicy")), "Always");
}

static void read_container(const struct node *container, struct container_port *list, uint32_t *count) {
    const struct node *ports = node_get(container, "ports");
    for (uint32_t i = 0; i < list_count(ports); i++) {
        const struct node *port = &ports->items[i];
        const char *protocol = node_string(node_get(port, "protocol"));
        int64_t number;
        if (node_integer(node_get(port, "containerPort"), &number) && number > 0 && number <= UINT16_MAX)
            list[(*count)++] = (struct container_port){.name = node_string(node_get(port, "name")),
                                                       .protocol = protocol ? protocol : "TCP",
                                                       .number = (unsigned)number};
    }
}

static void read_container_ports(const struct node *spec, struct arena *arena, struct pod *pod) {
    static const char *const keys[] = {"containers", "initContainers"};
    size_t room = 0;
    for (size_t k = 0; k < 2; k++) {
        const struct node *containers = node_get(spec, keys[k]);
        for (uint32_t i = 0; i < list_count(containers); i++)
            room += list_count(node_get(&containers->items[i], "ports"));
    }
    if (room == 0)
        return;
    struct container_port *list = arena_array(arena, room, sizeof *list);
    for (size_t k = 0; k < 2; k++) {
        const struct node *containers = node_get(spec, keys[k]);
        for (uint32_t i = 0; i < list_count(containers); i++) {
            if (container_listens(&containers->items[i], k == 1))
                read_container(&containers->items[i], list, &pod->port_count);
        }
    }
    pod->ports = list;
}

/* ---- pods ---- */

static void read_pod_spec(const struct node *spec, struct arena *arena, struct pod *pod) {
    const char *account = node_string(node_get(spec, "serviceAccountName"));
    if (!account)
        account = node_string(node_get(spec, "serviceAccount"));
    pod->service_account = account && *account ? account : "default";
    pod->host_network = node_bool(node_get(spec, "hostNetwork"));
    read_container_ports(spec, arena, pod);
}

static void read_pod(const struct object *object, struct arena *arena, struct pod *pod) {
    const struct node *status = node_get(object->root, "status");
    struct text phase = node_text(node_get(status, "phase"));
    *pod = (struct pod){.object = object, .namespace = object->namespace, .name = object->name};
    pod->labels = labels_read(node_get(node_get(object->root, "metadata"), "labels"), arena);
    pod->finished = text_is(phase, "Succeeded") || text_is(phase, "Failed");
    read_pod_spec(node_get(object->root, "spec"), arena, pod);
    read_pod_addresses(status, arena, pod);
}

/* A Sandbox out of a pool carries the pool's label itself, and its pod gets it. */
static void read_pool_label(const struct object *object, struct arena *arena, struct pod *pod) {
    const struct node *labels = node_get(node_get(object->root, "metadata"), "labels");
    const char *value = node_string(node_get(labels, SANDBOX_POOL_LABEL));
    if (value && !labels_get(&pod->labels, SANDBOX_POOL_LABEL))
        pod->labels = labels_with(pod->labels, SANDBOX_POOL_LABEL, value, arena);
}

/* Whether the workload has a template. */
static bool read_template(const struct object *object, struct arena *arena, struct pod *pod) {
    const char *const *path = object_template_path(object);
    const struct node *node = object->root;
    while (path && *path && node)
        node = node_get(node, *path++);
    if (!path || !node_is(node, NODE_MAP))
        return false;
    *pod = (struct pod){.object = object, .namespace = object->namespace, .name = object->name, .is_template = true};
    pod->labels = labels_read(node_get(node_get(node, "metadata"), "labels"), arena);
    if (object->kind == OBJECT_SANDBOX)
        read_pool_label(object, arena, pod);
    read_pod_spec(node_get(node, "spec"), arena, pod);
    return true;
}

static int compare_names(const struct pod *pod, const char *namespace, const char *name) {
    int order = string_compare(pod->namespace, namespace);
    return order ? order : string_compare(pod->name, name);
}

/* By namespace, name, Pods before templates, kind, then as their objects are. */
static int compare_pods(const void *a, const void *b) {
    const struct pod *left = a, *right = b;
    int order = compare_names(left, right->namespace, right->name);
    if (!order)
        order = left->is_template - right->is_template;
    if (!order)
        order = (int)left->object->kind - (int)right->object->kind;
    return order ? order : (left->object > right->object) - (left->object < right->object);
}

static void read_pods(const struct objects *objects, struct arena *arena, struct evidence *evidence) {
    static const enum object_kind templated[] = {OBJECT_WORKLOAD, OBJECT_SANDBOX_TEMPLATE, OBJECT_SANDBOX};
    const struct object_list *pods = &objects->of[OBJECT_POD];
    size_t room = pods->count;
    for (size_t k = 0; k < sizeof templated / sizeof *templated; k++)
        room += objects->of[templated[k]].count;
    evidence->pods = arena_array(arena, room, sizeof *evidence->pods);
    for (size_t i = 0; i < pods->count; i++) {
        if (pods->list[i].served)
            read_pod(&pods->list[i], arena, &evidence->pods[evidence->pod_count++]);
    }
    for (size_t k = 0; k < sizeof templated / sizeof *templated; k++) {
        const struct object_list *list = &objects->of[templated[k]];
        for (size_t i = 0; i < list->count; i++) {
            if (list->list[i].served && read_template(&list->list[i], arena, &evidence->pods[evidence->pod_count]))
                evidence->pod_count++;
        }
    }
    if (evidence->pod_count > 1)
        qsort(evidence->pods, evidence->pod_count, sizeof *evidence->pods, compare_pods);
}

const struct pod *evidence_pod(const struct evidence *evidence, const char *namespace, const char *name) {
    size_t low = 0, high = evidence->pod_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_names(&evidence->pods[middle], namespace, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == evidence->pod_count || compare_names(&evidence->pods[low], namespace, name) != 0)
        return NULL;
    return &evidence->pods[low];
}

/* ---- namespaces ---- */

/* The API server sets the name label, whatever a manifest says (K 2). */
static struct labels namespace_labels(const struct object *object, struct arena *arena) {
    const struct node *written = node_get(node_get(object->root, "metadata"), "labels");
    return labels_with(labels_read(written, arena), NAMESPACE_NAME, object->name, arena);
}

static void read_namespaces(const struct objects *objects, struct arena *arena, struct evidence *evidence) {
    const struct object_list *list = &objects->of[OBJECT_NAMESPACE];
    evidence->namespaces = arena_array(arena, list->count, sizeof *evidence->namespaces);
    for (size_t i = 0; i < list->count; i++) {
        const struct object *object = &list->list[i];
        if (object->name && object->served)
            evidence->namespaces[evidence->namespace_count++] = (struct namespace_evidence){
                .object = object, .name = object->name, .labels = namespace_labels(object, arena)};
    }
}

const struct namespace_evidence *evidence_namespace(const struct evidence *evidence, const char *name) {
    size_t low = 0, high = evidence->namespace_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (string_compare(evidence->namespaces[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < evidence->namespace_count && string_compare(evidence->namespaces[low].name, name) == 0;
    return found ? &evidence->namespaces[low] : NULL;
}

/* ---- Services and EndpointSlices ---- */

static struct service_port read_service_port(const struct node *port) {
    const char *protocol = node_string(node_get(port, "protocol"));
    struct service_port read = {.name = node_string(node_get(port, "name")), .protocol = protocol ? protocol : "TCP"};
    const struct node *target = node_get(port, "targetPort");
    int64_t number;
    if (node_integer(node_get(port, "port"), &number) && number > 0 && number <= UINT16_MAX)
        read.port = read.target = (unsigned)number;
    if (node_integer(target, &number) && number > 0 && number <= UINT16_MAX)
        read.target = (unsigned)number;
    if (node_string(target)) {
        read.target_name = node_string(target);
        read.target = 0;
    }
    return read;
}

static void read_cluster_ips(const struct node *spec, struct arena *arena, struct service *service) {
    const struct node *many = node_get(spec, "clusterIPs");
    struct address *list = arena_array(arena, list_count(many) + 1, sizeof *list);
    for (uint32_t i = 0; i < list_count(many); i++)
        add_address(list, &service->cluster_ip_count, &many->items[i]);
    if (service->cluster_ip_count == 0)
        add_address(list, &service->cluster_ip_count, node_get(spec, "clusterIP"));
    service->cluster_ips = list;
}

static void read_service(const struct object *object, struct arena *arena, struct service *service) {
    const struct node *spec = node_get(object->root, "spec"), *ports = node_get(spec, "ports");
    *service = (struct service){.object = object, .namespace = object->namespace, .name = object->name};
    service->labels = labels_read(node_get(node_get(object->root, "metadata"), "labels"), arena);
    service->selector = labels_read(node_get(spec, "selector"), arena);
    service->has_selector = service->selector.count > 0;
    service->is_external_name = text_is(node_text(node_get(spec, "type")), "ExternalName");
    struct service_port *list = arena_array(arena, list_count(ports), sizeof *list);
    for (uint32_t i = 0; i < list_count(ports); i++)
        list[i] = read_service_port(&ports->items[i]);
    service->ports = list;
    service->port_count = list_count(ports);
    read_cluster_ips(spec, arena, service);
}

static void read_slice(const struct object *object, struct arena *arena, struct endpoint_slice *slice) {
    const struct node *endpoints = node_get(object->root, "endpoints");
    const struct node *labels = node_get(node_get(object->root, "metadata"), "labels");
    *slice = (struct endpoint_slice){
        .object = object, .namespace = object->namespace, .service = node_string(node_get(labels, SERVICE_NAME))};
    size_t room = 0;
    for (uint32_t i = 0; i < list_count(endpoints); i++)
        room += list_count(node_get(&endpoints->items[i], "addresses"));
    struct address *list = arena_array(arena, room, sizeof *list);
    for (uint32_t i = 0; i < list_count(endpoints); i++) {
        const struct node *addresses = node_get(&endpoints->items[i], "addresses");
        for (uint32_t j = 0; j < list_count(addresses); j++)
            add_address(list, &slice->address_count, &addresses->items[j]);
    }
    slice->addresses = list;
}

/* ---- CIDR groups ---- */

static void read_group(const struct object *object, struct arena *arena, struct cidr_group *group) {
    const struct node *spec = node_get(object->root, "spec"), *cidrs = node_get(spec, "externalCIDRs");
    *group = (struct cidr_group){.object = object, .name = object->name};
    group->labels = labels_read(node_get(node_get(object->root, "metadata"), "labels"), arena);
    group->usable = node_is(cidrs, NODE_LIST);
    struct cidr *list = arena_array(arena, list_count(cidrs), sizeof *list);
    for (uint32_t i = 0; i < list_count(cidrs); i++) {
        const char *text = node_string(&cidrs->items[i]);
        if (text && cidr_parse(text_of(text), &list[group->cidr_count]) == CIDR_OK)
            group->cidr_count++;
        else
            group->usable = false;
    }
    group->cidrs = list;
}

/* ---- all ---- */

#define READ_LIST(kind, type, array, counter, reader)                                                                  \
    do {                                                                                                               \
        const struct object_list *list = &objects->of[kind];                                                           \
        evidence->array = arena_array(arena, list->count, sizeof(type));                                               \
        for (size_t i = 0; i < list->count; i++) {                                                                     \
            if (list->list[i].served)                                                                                  \
                reader(&list->list[i], arena, &evidence->array[evidence->counter++]);                                  \
        }                                                                                                              \
    } while (0)

void evidence_read(const struct objects *objects, struct arena *arena, struct evidence *evidence,
                   struct diagnostics *diagnostics) {
    memset(evidence, 0, sizeof *evidence);
    read_pods(objects, arena, evidence);
    read_namespaces(objects, arena, evidence);
    READ_LIST(OBJECT_SERVICE, struct service, services, service_count, read_service);
    READ_LIST(OBJECT_ENDPOINT_SLICE, struct endpoint_slice, slices, slice_count, read_slice);
    READ_LIST(OBJECT_CILIUM_CIDR_GROUP, struct cidr_group, groups, group_count, read_group);
    evidence_check(evidence, diagnostics);
}

#include "analyzer/ask/target.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/holder.h"
#include "analyzer/rules/entity.h"
#include "analyzer/verify/subjects.h"
#include "base/arena.h"
#include "grammar/fqdn.h"
#include "grammar/name.h"
#include "kube/cilium_rule.h"

struct target_builder {
    struct target *target;
    struct snapshot *snapshot;
    struct arena *arena;
    struct target_part *parts;
    size_t count, capacity;
    bool cilium;
};

static struct target_part *target_add(struct target_builder *builder) {
    if (builder->count == builder->capacity)
        builder->parts =
            arena_grow(builder->arena, builder->parts, &builder->capacity, builder->count + 1, sizeof *builder->parts);
    return &builder->parts[builder->count++];
}

static void target_add_set(struct target_builder *builder, struct destination_set set) {
    target_add(builder)->set = set;
}

static void target_add_address(struct target_builder *builder, const struct address *address) {
    struct target_part *part = target_add(builder);
    part->is_point = true;
    part->point = (struct destination){.kind = DESTINATION_ADDRESS, .address = *address};
}

static void target_add_specials(struct target_builder *builder, uint32_t specials) {
    for (unsigned special = 0; special < SPECIAL_COUNT; special++) {
        if ((specials >> special & 1u) == 0)
            continue;
        struct target_part *part = target_add(builder);
        part->is_point = true;
        part->point = (struct destination){.kind = DESTINATION_SPECIAL, .special = (enum special)special};
    }
    builder->target->is_node = true;
}

/* ---- pods ---- */

static int compare_pod_labels(const void *a, const void *b) {
    return label_key_compare(&((const struct label *)a)->key, &((const struct label *)b)->key);
}

static void target_add_pod(struct target_builder *builder, const char *namespace, const struct labels *labels,
                           const struct pod *pod) {
    struct arena *arena = builder->arena;
    const struct namespace_evidence *evidence = evidence_namespace(&builder->snapshot->evidence, namespace);
    struct label *list = arena_array(arena, labels->count + (evidence ? evidence->labels.count : 0) + 3u, sizeof *list);
    uint32_t count = 0;
    list[count++] = (struct label){{LABEL_NAMESPACE, "kubernetes.io/metadata.name"}, namespace};
    for (uint32_t i = 0; evidence && i < evidence->labels.count; i++)
        if (strcmp(evidence->labels.list[i].key, "kubernetes.io/metadata.name") != 0)
            list[count++] =
                (struct label){{LABEL_NAMESPACE, evidence->labels.list[i].key}, evidence->labels.list[i].value};
    for (uint32_t i = 0; i < labels->count; i++)
        list[count++] = (struct label){{LABEL_POD, labels->list[i].key}, labels->list[i].value};
    list[count++] = (struct label){{LABEL_CLUSTER, ""}, builder->snapshot->facts.cluster_name};
    if (pod)
        list[count++] =
            (struct label){{LABEL_SERVICE_ACCOUNT, ""}, pod->service_account ? pod->service_account : "default"};
    qsort(list, count, sizeof *list, compare_pod_labels);
    struct target_part *part = target_add(builder);
    *part = (struct target_part){.is_point = true,
                                 .point = {.kind = DESTINATION_POD, .endpoint = {list, count}},
                                 .pod = pod,
                                 .namespace_is_open = evidence == NULL,
                                 .account_is_open = pod == NULL};
}

/* A pod on the host's network is the node to Cilium; to the core API it is an address that only blocks reach. */
static void target_add_host_network(struct target_builder *builder, const struct pod *pod) {
    builder->target->one_of = true;
    if (builder->cilium) {
        target_add_specials(builder, NODE_HOST | NODE_REMOTE);
        return;
    }
    for (uint32_t i = 0; i < pod->address_count; i++)
        target_add_address(builder, &pod->addresses[i]);
    struct address_set everywhere = address_set_everything();
    if (pod->address_count == 0)
        target_add_set(builder, destination_set_of_addresses(builder->arena, &everywhere));
}

static void target_add_known_pod(struct target_builder *builder, const struct pod *pod) {
    if (pod->host_network)
        target_add_host_network(builder, pod);
    else
        target_add_pod(builder, pod->namespace, &pod->labels, pod);
}

static const char *parse_pod(struct target_builder *builder, const char *text) {
    const char *question = strchr(text, '?'), *slash = strchr(text, '/');
    if (question && (!slash || question < slash)) {
        struct labels labels;
        if (!labels_parse(question + 1, builder->arena, &labels))
            return "--to pod:NAMESPACE?KEY=VALUE,... wants pairs with commas between them, each key once";
        const char *namespace = arena_copy(builder->arena, text, (size_t)(question - text));
        enum name_fault name_fault = name_check_namespace(text_of(namespace), NULL);
        if (name_fault != NAME_OK)
            return arena_format(builder->arena, "--to pod: `%s` is no namespace: %s", namespace,
                                name_fault_text(name_fault));
        const char *fault = labels_fault(&labels, builder->arena);
        if (fault)
            return arena_format(builder->arena, "--to pod: %s", fault);
        target_add_pod(builder, namespace, &labels, NULL);
        return NULL;
    }
    if (!slash || slash == text || slash[1] == '\0')
        return "--to pod: wants NAMESPACE/NAME or NAMESPACE?KEY=VALUE,...";
    const char *namespace = arena_copy(builder->arena, text, (size_t)(slash - text));
    const struct pod *pod = evidence_pod(&builder->snapshot->evidence, namespace, slash + 1);
    if (!pod)
        return arena_format(builder->arena, "--to pod:%s is not among the inputs", text);
    target_add_known_pod(builder, pod);
    return NULL;
}

/* ---- addresses ---- */

static bool has_address(const struct address *list, uint32_t count, const struct address *address) {
    for (uint32_t i = 0; i < count; i++)
        if (address_compare(&list[i], address) == 0)
            return true;
    return false;
}

static bool service_backs(const struct service *service, const struct pod *pod) {
    if (!service->has_selector || !pod->namespace || strcmp(service->namespace, pod->namespace) != 0)
        return false;
    for (uint32_t i = 0; i < service->selector.count; i++) {
        const char *value = labels_get(&pod->labels, service->selector.list[i].key);
        if (!value || strcmp(value, service->selector.list[i].value) != 0)
            return false;
    }
    return true;
}

/* A ClusterIP stands for the pods behind it; false: the address is no Service's. */
static bool target_add_service(struct target_builder *builder, const struct address *address) {
    const struct evidence *evidence = &builder->snapshot->evidence;
    for (size_t i = 0; i < evidence->service_count; i++) {
        const struct service *service = &evidence->services[i];
        if (!has_address(service->cluster_ips, service->cluster_ip_count, address) || !service->namespace)
            continue;
        size_t before = builder->count;
        for (size_t k = 0; k < evidence->pod_count; k++)
            if (!evidence->pods[k].finished && service_backs(service, &evidence->pods[k]))
                target_add_known_pod(builder, &evidence->pods[k]);
        if (builder->count == before && service->has_selector)
            target_add_pod(builder, service->namespace, &service->selector, NULL);
        return builder->count > before;
    }
    return false;
}

/* Under Cilium an address is what has it. False: nothing in the cluster that is known has it. */
static bool target_add_holders(struct target_builder *builder, const struct address *address) {
    unsigned holders = holders_of_address(builder->snapshot, &builder->snapshot->facts, address);
    if (!builder->cilium || !holders)
        return false;
    struct endpoint_set every = endpoint_set_everything();
    builder->target->one_of = true;
    if (holders & (HOLDER_NODE | HOLDER_NODE_RANGE))
        target_add_specials(builder, NODE_HOST | NODE_REMOTE);
    if (holders & (HOLDER_POD_RANGE | HOLDER_SERVICE_RANGE))
        target_add_set(builder, destination_set_of_pods(&every));
    return (holders & HOLDER_NODE) != 0;
}

static const char *parse_ip(struct target_builder *builder, const char *text) {
    struct address address;
    if (!address_parse(text_of(text), &address))
        return arena_format(builder->arena, "--to ip:%s is no IPv4 or IPv6 address", text);
    if (address_is_mapped(&address))
        return arena_format(builder->arena, "--to ip:%s goes out as IPv4: write that address", text);
    if (target_add_service(builder, &address))
        return NULL;
    const struct evidence *evidence = &builder->snapshot->evidence;
    for (size_t i = 0; i < evidence->pod_count; i++) {
        const struct pod *pod = &evidence->pods[i];
        if (pod->finished || !has_address(pod->addresses, pod->address_count, &address))
            continue;
        target_add_known_pod(builder, pod);
        return NULL;
    }
    if (!target_add_holders(builder, &address))
        target_add_address(builder, &address);
    return NULL;
}

/* ---- names and entities ---- */

/* NULL, or why it is no name that DNS or a client could say. */
static const char *name_fault(const char *option, const char *text, struct arena *arena) {
    struct address address;
    if (address_parse(text_of(text), &address))
        return arena_format(arena, "%s%s is an address and no name", option, text);
    enum fqdn_fault fault = strcmp(text, ".") == 0 ? FQDN_OK : fqdn_check_name(text_of(text), NULL);
    if (fault == FQDN_OK || fault == FQDN_LONG)
        return NULL;
    return arena_format(arena, "%s%s is no DNS name: %s", option, text, fqdn_fault_text(fault));
}

static const char *parse_fqdn(struct target_builder *builder, const char *text) {
    struct arena *arena = builder->arena;
    const char *fault = *text ? name_fault("--to fqdn:", text, arena) : "--to fqdn: wants a DNS name";
    if (fault)
        return fault;
    struct name_pattern pattern = name_pattern_exact(arena, text_of(text));
    struct name_set names = name_set_of(arena, &pattern, 1);
    builder->target->name = pattern.text;
    builder->target->one_of = true;
    target_add_set(builder, destination_set_of_names(arena, &names));
    return NULL;
}

static const char *parse_entity(struct target_builder *builder, const char *text) {
    struct cluster cluster = {
        .arena = builder->arena, .evidence = &builder->snapshot->evidence, .facts = builder->snapshot->facts};
    struct destination_set set;
    if (!entity_destinations(text, &cluster, &set) || strcmp(text, "none") == 0)
        return arena_format(builder->arena,
                            "--to entity:%s is none of all, cluster, health, host, ingress, init, kube-apiserver, "
                            "remote-node, unmanaged, world",
                            text);
    if (!address_set_is_empty(&set.addresses)) {
        struct destination_set outside = {
            .addresses = set.addresses, .learned = set.learned, .learned_count = set.learned_count};
        target_add_set(builder, outside);
        set.specials &= ~(1u << SPECIAL_API_SERVER);
    }
    if (!endpoint_set_is_empty(&set.pods))
        target_add_set(builder, destination_set_of_pods(&set.pods));
    if (set.specials)
        target_add_specials(builder, set.specials);
    return NULL;
}

static const struct {
    const char *prefix;
    const char *(*parse)(struct target_builder *builder, const char *text);
} destinations[] = {{"ip:", parse_ip}, {"fqdn:", parse_fqdn}, {"pod:", parse_pod}, {"entity:", parse_entity}};

static const char *parse_destination(struct target_builder *builder, const char *to) {
    for (size_t i = 0; i < sizeof destinations / sizeof *destinations; i++) {
        size_t length = strlen(destinations[i].prefix);
        if (strncmp(to, destinations[i].prefix, length) == 0)
            return destinations[i].parse(builder, to + length);
    }
    return "--to wants ip:ADDRESS, fqdn:NAME, pod:NAMESPACE/NAME, pod:NAMESPACE?KEY=VALUE,... or entity:NAME";
}

/* ---- ports ---- */

static const char *parse_icmp(const char *text, bool ipv6, struct target *target, struct arena *arena) {
    enum protocol protocol = ipv6 ? PROTOCOL_ICMPV6 : PROTOCOL_ICMP;
    if (!*text) {
        target->ports = port_set_of(arena, protocol, 0, 255);
        return NULL;
    }
    uint64_t number;
    unsigned type;
    if (text_number(text_of(text + 1), 255, &number)) {
        type = (unsigned)number;
    } else {
        struct node name = node_make_string(text + 1);
        if (!cilium_icmp_type(&name, ipv6, &type))
            return arena_format(arena, "--port: %s is no ICMP type", text + 1);
    }
    target->ports = port_set_of(arena, protocol, type, type);
    return NULL;
}

static const char *parse_port(const char *text, struct target *target, struct arena *arena) {
    static const struct {
        const char *word;
        bool ipv6;
    } icmps[] = {{"icmpv6", true}, {"icmp", false}};
    for (size_t i = 0; i < sizeof icmps / sizeof *icmps; i++) {
        size_t length = strlen(icmps[i].word);
        if (strncmp(text, icmps[i].word, length) == 0 && (text[length] == '\0' || text[length] == ':'))
            return parse_icmp(text + length, icmps[i].ipv6, target, arena);
    }
    static const enum protocol transports[] = {PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_SCTP};
    size_t digits = strcspn(text, "/");
    uint64_t port;
    if (!text_number((struct text){text, digits}, 65535, &port) || port == 0)
        return "--port wants a number from 1 to 65535 with /TCP, /UDP or /SCTP, icmp[:TYPE] or icmpv6[:TYPE]";
    const char *word = text[digits] ? text + digits + 1 : "TCP";
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++)
        if (strcmp(word, protocol_word(transports[i])) == 0) {
            target->ports = port_set_of(arena, transports[i], (unsigned)port, (unsigned)port);
            return NULL;
        }
    return arena_format(arena, "--port: %s is none of TCP, UDP, SCTP", word);
}

static const char *parse_payload(const struct target_request *request, struct target *target, struct arena *arena) {
    if (request->dns_name && request->server_name)
        return "--dns-name and --server-name ask about different payloads: give one of them";
    const char *name = request->dns_name ? request->dns_name : request->server_name;
    target->has_payload = name != NULL;
    if (!name)
        return NULL;
    if (*name || request->dns_name) {
        const char *fault = name_fault(request->dns_name ? "--dns-name " : "--server-name ", name, arena);
        if (fault)
            return fault;
    }
    struct name_pattern pattern = name_pattern_exact(arena, text_of(name));
    struct name_set names = name_set_of(arena, &pattern, 1);
    if (request->dns_name)
        target->payload = payload_set_of_questions(&names);
    else if (*name)
        target->payload = payload_set_of_server_names(&names);
    else
        target->payload.other = true;
    return NULL;
}

static const char *describe(const struct target_request *request, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    buffer_add_string(&out, request->to);
    buffer_print(&out, ", %s%s", request->port ? "port " : "every port", request->port ? request->port : "");
    if (request->dns_name)
        buffer_print(&out, ", asking for %s", request->dns_name);
    if (request->server_name)
        buffer_print(&out, *request->server_name ? ", server name %s" : ", no server name", request->server_name);
    return buffer_string(&out);
}

const char *target_parse(const struct target_request *request, struct snapshot *snapshot, struct arena *arena,
                         struct target *target) {
    *target = (struct target){.ports = port_set_everything(), .all_ports = request->port == NULL};
    struct target_builder builder = {.target = target, .snapshot = snapshot, .arena = arena, .cilium = request->cilium};
    const char *problem = request->to ? parse_destination(&builder, request->to) : "--to must be given";
    if (!problem && request->port)
        problem = parse_port(request->port, target, arena);
    if (!problem)
        problem = parse_payload(request, target, arena);
    if (problem)
        return problem;
    target->parts = builder.parts;
    target->count = builder.count;
    target->text = describe(request, arena);
    return NULL;
}

/* ---- membership ---- */

static enum truth requirement_in(const struct target_part *part, const struct label_requirement *requirement) {
    const struct endpoint *endpoint = &part->point.endpoint;
    const char *value = NULL;
    for (uint32_t i = 0; i < endpoint->count; i++)
        if (label_key_compare(&endpoint->labels[i].key, &requirement->key) == 0)
            value = endpoint->labels[i].value;
    bool open = (part->namespace_is_open && requirement->key.scope == LABEL_NAMESPACE) ||
                (part->account_is_open && requirement->key.scope == LABEL_SERVICE_ACCOUNT);
    if (!value && open)
        return TRUTH_MAYBE;
    return value_set_contains(&requirement->values, value) ? TRUTH_YES : TRUTH_NO;
}

static enum truth labels_in(const struct target_part *part, const struct label_set *set) {
    enum truth truth = TRUTH_YES;
    for (uint32_t i = 0; i < set->count; i++)
        truth = truth_and(truth, requirement_in(part, &set->requirements[i]));
    return truth;
}

static enum truth pod_in(const struct target_part *part, const struct endpoint_set *pods) {
    static const enum truth not_in[] = {[TRUTH_NO] = TRUTH_YES, [TRUTH_MAYBE] = TRUTH_MAYBE, [TRUTH_YES] = TRUTH_NO};
    enum truth best = TRUTH_NO;
    for (uint32_t i = 0; i < pods->count && best != TRUTH_YES; i++) {
        const struct endpoint_term *term = &pods->terms[i];
        enum truth here = labels_in(part, &term->all_of);
        for (uint32_t k = 0; k < term->none_count; k++)
            here = truth_and(here, not_in[labels_in(part, &term->none_of[k])]);
        best = here > best ? here : best;
    }
    return best;
}

enum truth target_part_in(const struct target_part *part, const struct destination_set *set) {
    if (part->point.kind == DESTINATION_POD)
        return pod_in(part, &set->pods);
    return destination_set_contains(set, &part->point) ? TRUTH_YES : TRUTH_NO;
}

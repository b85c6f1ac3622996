#include "tests/evaluator/adapter.h"

#include <limits.h>
#include <string.h>

#include "analyzer/verify/union.h"
#include "base/arena.h"
#include "base/code.h"
#include "document/writer.h"
#include "tests/evaluator/match.h"

struct adapter {
    const struct world *world;
    struct arena *arena;
    struct config config;
    struct policy *compiled;
    struct snapshot snapshot;
    struct union_setup setup;
    struct subject subject;
    size_t *places; /* of the readings that count, in setup.readings */
    struct evaluator_reading *readings;
    struct pass *passes;
    size_t reading_count;
    const struct side_decision *side;
    struct adapter_verdict *verdicts;
    size_t verdict_count;
};

/* --- the config ------------------------------------------------------------------------------------------------ */

static struct node make_facts(struct maker *maker, const struct evaluator_reading *reading) {
    static const unsigned last[] = {12, 9, 8, 3, 2};
    struct node_builder cilium;
    unsigned patch = reading->patch == UINT_MAX ? last[reading->minor - 15] : reading->patch;
    node_builder_init(&cilium, maker->arena, NODE_MAP);
    node_builder_put(&cilium, "version", make_string(arena_format(maker->arena, "1.%u.%u", reading->minor, patch)));
    node_builder_put(&cilium, "sctp", node_make_bool(reading->sctp));
    node_builder_put(&cilium, "l7Proxy", node_make_bool(reading->l7_proxy));
    node_builder_put(&cilium, "localCluster", node_make_bool(reading->local_cluster));
    if (reading->always)
        node_builder_put(&cilium, "enforcementMode", make_string("always"));
    if (reading->match_nodes) {
        struct node nodes = make_string("nodes");
        node_builder_put(&cilium, "cidrMatchMode", make_list(maker, &nodes, 1));
    }
    return make_map(maker, "cilium", node_builder_done(&cilium));
}

static struct text config_text(const struct world *world, struct arena *arena) {
    struct maker maker = {.arena = arena};
    struct node_builder config;
    struct buffer out;
    node_builder_init(&config, arena, NODE_MAP);
    for (uint32_t i = 0; i < world->config.count; i++)
        node_builder_put_node(&config, world->config.entries[i].key, world->config.entries[i].value);
    if (world->reading.engine == EVALUATE_CILIUM)
        node_builder_put(&config, "cluster", make_facts(&maker, &world->reading));
    struct node node = node_builder_done(&config);
    buffer_init(&out, arena);
    writer_json(&out, &node);
    return text_of(buffer_string(&out));
}

struct adapter *adapter_open(const struct world *world, struct arena *arena) {
    struct adapter *adapter = arena_alloc(arena, sizeof *adapter);
    struct diagnostics diagnostics;
    struct config_options options = {.limits = limits_default()};
    diagnostics_init(&diagnostics, arena);
    *adapter = (struct adapter){.world = world, .arena = arena};
    if (config_read_text("config", ".", config_text(world, arena), &options, arena, &adapter->config, &diagnostics) !=
            CONFIG_OK ||
        !adapter->config.usable)
        return NULL;
    adapter->compiled = boundary_policy(&adapter->config.boundaries[0], arena);
    return adapter;
}

const struct node *adapter_compiled(const struct adapter *adapter) {
    return adapter->compiled ? adapter->compiled->object->root : NULL;
}

bool adapter_allows_everything(const struct adapter *adapter) {
    return adapter->config.boundaries[0].policy == POLICY_ALLOW_ALL;
}

/* --- the inputs ------------------------------------------------------------------------------------------------ */

static struct labels make_labels(struct arena *arena, const struct evaluator_label *labels, size_t count) {
    struct key_value *list = arena_array(arena, count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        for (; place > 0 && strcmp(labels[i].key, list[place - 1].key) < 0; place--)
            list[place] = list[place - 1];
        list[place] = (struct key_value){labels[i].key, labels[i].value};
    }
    return (struct labels){list, (uint32_t)count};
}

static struct node make_pod_ports(struct maker *maker, const struct evaluator_pod *pod) {
    struct node_builder port, container;
    node_builder_init(&port, maker->arena, NODE_MAP);
    node_builder_put(&port, "name", make_string(pod->ports[0].name));
    node_builder_put(&port, "containerPort", node_make_int(maker->arena, pod->ports[0].number));
    struct node ports = node_builder_done(&port);
    node_builder_init(&container, maker->arena, NODE_MAP);
    node_builder_put(&container, "name", make_string("c"));
    node_builder_put(&container, "ports", make_list(maker, &ports, 1));
    struct node containers = node_builder_done(&container);
    return make_map(maker, "containers", make_list(maker, &containers, 1));
}

/* A Pod for its named port; the labels do not matter, since selectors are judged for any pod. */
static struct node make_pod_object(struct maker *maker, const struct evaluator_pod *pod, size_t number) {
    struct node_builder rest;
    node_builder_init(&rest, maker->arena, NODE_MAP);
    node_builder_put(&rest, "spec", make_pod_ports(maker, pod));
    return generate_object(maker, "v1", "Pod", pod->namespace_name, arena_format(maker->arena, "pod%zu", number),
                           &rest);
}

static const struct inputs *make_inputs(const struct adapter *adapter, bool with_compiled) {
    const struct world *world = adapter->world;
    struct maker maker = {.arena = adapter->arena};
    struct inputs *inputs = arena_alloc(adapter->arena, sizeof *inputs);
    struct file *file = arena_alloc(adapter->arena, sizeof *file);
    file->name = "world";
    file->state = FILE_READ;
    file->documents = arena_array(adapter->arena, WORLD_OBJECTS + WORLD_PODS + 1, sizeof *file->documents);
    for (size_t i = 0; i < world->count; i++)
        file->documents[file->count++].root = world->objects[i];
    if (with_compiled && adapter->compiled)
        file->documents[file->count++].root = *adapter_compiled(adapter);
    for (size_t i = 0; i < world->pod_count; i++)
        if (world->pods[i].port_count)
            file->documents[file->count++].root = make_pod_object(&maker, &world->pods[i], i);
    for (size_t i = 0; i < file->count; i++)
        file->documents[i].number = (uint32_t)i + 1;
    inputs->files = file;
    inputs->count = 1;
    return inputs;
}

static void read_subject(struct adapter *adapter) {
    const struct evaluator_pod *pod = &adapter->world->subject;
    struct evaluator_label *labels = arena_array(adapter->arena, pod->namespace_label_count + 1, sizeof *labels);
    struct labels *of_namespace = arena_alloc(adapter->arena, sizeof *of_namespace);
    for (size_t i = 0; i < pod->namespace_label_count; i++)
        labels[i] = pod->namespace_labels[i];
    labels[pod->namespace_label_count] = (struct evaluator_label){LABEL_NAMESPACE_NAME, pod->namespace_name};
    *of_namespace = make_labels(adapter->arena, labels, pod->namespace_label_count + 1);
    adapter->subject = (struct subject){.namespace = pod->namespace_name,
                                        .labels = make_labels(adapter->arena, pod->labels, pod->label_count),
                                        .service_account = pod->service_account,
                                        .namespace_labels = of_namespace};
}

/* --- readings -------------------------------------------------------------------------------------------------- */

static struct evaluator_reading translate_reading(const struct reading *reading) {
    static const unsigned versions[CILIUM_CLASS_COUNT][2] = {
        [CILIUM_1_15] = {15, UINT_MAX}, [CILIUM_1_16_0] = {16, 0},        [CILIUM_1_16_4] = {16, 4},
        [CILIUM_1_17_0] = {17, 0},      [CILIUM_1_17_5] = {17, UINT_MAX}, [CILIUM_1_18] = {18, 0},
        [CILIUM_1_19] = {19, 0}};
    return (struct evaluator_reading){.engine = reading->cilium ? EVALUATE_CILIUM : EVALUATE_CORE,
                                      .minor = versions[reading->class][0],
                                      .patch = versions[reading->class][1],
                                      .sctp = reading->sctp,
                                      .default_label_filter = reading->filters_labels,
                                      .local_cluster = reading->local_cluster,
                                      .match_nodes = reading->match_nodes,
                                      .match_pods = reading->match_pods,
                                      .octal_zeros = reading->octal,
                                      .mapped_as_ipv4 = reading->mapped,
                                      .l7_proxy = reading->l7_proxy,
                                      .always = reading->always};
}

static void read_readings(struct adapter *adapter) {
    size_t count = adapter->setup.reading_count;
    adapter->places = arena_array(adapter->arena, count, sizeof *adapter->places);
    adapter->readings = arena_array(adapter->arena, count, sizeof *adapter->readings);
    adapter->passes = arena_array(adapter->arena, count, sizeof *adapter->passes);
    for (size_t i = 0; i < count; i++) {
        if (adapter->setup.readings[i].reading.refused_count)
            continue;
        size_t place = adapter->reading_count++;
        adapter->places[place] = i;
        adapter->readings[place] = translate_reading(&adapter->setup.readings[i].reading);
        pass_decide(&adapter->setup.readings[i], &adapter->setup.candidates, &adapter->subject, &adapter->setup.cluster,
                    adapter->arena, &adapter->passes[place]);
    }
}

size_t adapter_reading_count(const struct adapter *adapter) { return adapter->reading_count; }

const struct evaluator_reading *adapter_reading(const struct adapter *adapter, size_t index) {
    return &adapter->readings[index];
}

/* A Rule without rules for egress changes nothing, refused or not. */
static bool has_rules(const struct candidate *candidate, const struct reading *reading) {
    if (candidate->is_core)
        return candidate->policy->core->isolates_egress ||
               (reading->cilium && candidate->policy->core->egress.count > 0);
    return candidate->rule && (candidate->rule->egress.count > 0 || candidate->rule->egress_deny.count > 0);
}

const char *adapter_refuses(const struct adapter *adapter, size_t index, const char *name) {
    const struct reading *reading = &adapter->setup.readings[adapter->places[index]].reading;
    for (size_t i = 0; i < adapter->setup.candidates.count; i++) {
        const struct candidate *candidate = &adapter->setup.candidates.list[i];
        const struct pass_entry *entry = &adapter->passes[index].entries[i];
        if (strcmp(candidate->object->name, name) != 0 || !candidate->policy || entry->selects == TRUTH_NO ||
            !has_rules(candidate, reading))
            continue;
        const struct problem *problem = candidate_refusal(candidate, reading, &adapter->setup.cluster);
        if (!problem)
            problem = candidate_type_problem(candidate, reading);
        if (problem)
            return problem->message ? problem->message : "refused";
    }
    return NULL;
}

bool adapter_isolates(const struct adapter *adapter, size_t index) {
    struct reading_setup *setup = &adapter->setup.readings[adapter->places[index]];
    if (setup->reading.always)
        return true;
    for (size_t i = 0; i < adapter->setup.candidates.count; i++) {
        const struct candidate *candidate = &adapter->setup.candidates.list[i];
        const struct pass_entry *entry = &adapter->passes[index].entries[i];
        bool counts =
            !candidate_type_problem(candidate, &setup->reading) && !candidate_slip(candidate, &setup->reading);
        if (entry->effective && entry->selects == TRUTH_YES && setup->rules[i] && setup->rules[i]->isolates && counts)
            return true;
    }
    return false;
}

/* --- flows ----------------------------------------------------------------------------------------------------- */

static struct endpoint make_endpoint(struct arena *arena, const struct evaluator_pod *pod) {
    size_t count = 0, most = pod->label_count + pod->namespace_label_count + 3;
    struct label *labels = arena_array(arena, most, sizeof *labels);
    for (size_t i = 0; i < pod->namespace_label_count; i++)
        labels[count++] =
            (struct label){{LABEL_NAMESPACE, pod->namespace_labels[i].key}, pod->namespace_labels[i].value};
    labels[count++] = (struct label){{LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, pod->namespace_name};
    for (size_t i = 0; i < pod->label_count; i++)
        labels[count++] = (struct label){{LABEL_POD, pod->labels[i].key}, pod->labels[i].value};
    labels[count++] = (struct label){{LABEL_SERVICE_ACCOUNT, ""}, pod->service_account};
    if (pod->cluster)
        labels[count++] = (struct label){{LABEL_CLUSTER, ""}, pod->cluster};
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && label_key_compare(&labels[j].key, &labels[j - 1].key) < 0; j--) {
            struct label other = labels[j];
            labels[j] = labels[j - 1];
            labels[j - 1] = other;
        }
    return (struct endpoint){labels, (uint32_t)count};
}

static enum special translate_special(const struct evaluator_flow *flow) {
    static const enum special specials[][2] = {
        [EVALUATOR_HOST] = {SPECIAL_HOST, SPECIAL_HOST_API_SERVER},
        [EVALUATOR_REMOTE_NODE] = {SPECIAL_REMOTE_NODE, SPECIAL_REMOTE_NODE_API_SERVER},
        [EVALUATOR_HEALTH] = {SPECIAL_HEALTH, SPECIAL_HEALTH},
        [EVALUATOR_INGRESS] = {SPECIAL_INGRESS, SPECIAL_INGRESS},
        [EVALUATOR_INIT] = {SPECIAL_INIT, SPECIAL_INIT},
        [EVALUATOR_UNMANAGED] = {SPECIAL_UNMANAGED, SPECIAL_UNMANAGED}};
    return specials[flow->special][flow->api_server];
}

static struct flow translate_flow(struct arena *arena, const struct evaluator_flow *flow) {
    static const enum payload_kind payloads[] = {[EVALUATOR_ANY_OTHER] = PAYLOAD_OTHER,
                                                 [EVALUATOR_QUESTION] = PAYLOAD_QUESTION,
                                                 [EVALUATOR_SERVER_NAME] = PAYLOAD_SERVER_NAME,
                                                 [EVALUATOR_REQUEST] = PAYLOAD_REQUEST};
    struct flow translated = {.protocol = (enum protocol)flow->protocol, .port = flow->port};
    translated.payload = (struct payload){payloads[flow->payload], flow->payload_name};
    if (flow->payload == EVALUATOR_REQUEST)
        translated.payload.text = "a request that no rule lists";
    struct destination *to = &translated.destination;
    to->address.family = flow->address.family == 4 ? ADDRESS_IPV4 : ADDRESS_IPV6;
    memcpy(to->address.bytes, flow->address.bytes, sizeof to->address.bytes);
    switch (flow->sort) {
    case EVALUATOR_EXTERNAL:
        to->kind = DESTINATION_ADDRESS;
        break;
    case EVALUATOR_LEARNED:
        to->kind = DESTINATION_NAME;
        to->name = flow->name;
        break;
    case EVALUATOR_POD:
        to->kind = DESTINATION_POD;
        to->endpoint = make_endpoint(arena, flow->pod);
        break;
    case EVALUATOR_SPECIAL:
        to->kind = DESTINATION_SPECIAL;
        to->special = translate_special(flow);
        break;
    }
    return translated;
}

/* An external address that is the API server's is in a set by its address or by the mark, or only by one of them where
 * a peer asks for the mark; `both` demands both. */
static bool holds(const struct flow_set *set, const struct flow *flow, bool api_server, bool both) {
    struct flow marked = *flow;
    bool by_address = flow_set_contains(set, flow);
    if (!api_server || flow->destination.kind != DESTINATION_ADDRESS)
        return by_address;
    marked.destination.kind = DESTINATION_SPECIAL;
    marked.destination.special = SPECIAL_API_SERVER;
    bool by_mark = flow_set_contains(set, &marked);
    return both ? by_address && by_mark : by_address || by_mark;
}

struct adapter_bounds adapter_allows(const struct adapter *adapter, size_t index, const struct evaluator_flow *flow) {
    const struct effective *effective = NULL;
    struct flow translated = translate_flow(adapter->arena, flow);
    for (size_t i = 0; i < adapter->setup.candidates.count; i++)
        if (adapter->passes[index].entries[i].effective)
            effective = adapter->passes[index].entries[i].effective;
    if (!effective)
        return (struct adapter_bounds){false, false};
    bool api = flow->api_server;
    return (struct adapter_bounds){.lower = holds(&effective->allow_lower, &translated, api, true) &&
                                            !holds(&effective->deny_upper, &translated, api, false),
                                   .upper = holds(&effective->allow_upper, &translated, api, false) &&
                                            !holds(&effective->deny_lower, &translated, api, true)};
}

/* --- verdicts --------------------------------------------------------------------------------------------------- */

static bool translate_entity(const char *word, struct adapter_verdict *verdict) {
    for (enum special special = SPECIAL_API_SERVER; special < SPECIAL_COUNT; special++) {
        struct evaluator_flow *flow = &verdict->witness;
        if (strcmp(special_word(special), word) != 0)
            continue;
        flow->sort = EVALUATOR_SPECIAL;
        for (flow->special = EVALUATOR_HOST; flow->special <= EVALUATOR_UNMANAGED; flow->special++)
            for (unsigned mark = 0; mark < 2; mark++) {
                flow->api_server = mark == 1;
                if (translate_special(flow) == special)
                    return true;
            }
        flow->sort = EVALUATOR_EXTERNAL;
        flow->api_server = true;
        verdict->any_address = true;
        return true;
    }
    return false;
}

/* A pod with the witness's labels and no others. */
static const struct evaluator_pod *translate_pod(const struct witness *witness, struct arena *arena) {
    struct evaluator_pod *pod = arena_alloc(arena, sizeof *pod);
    struct evaluator_label *labels = arena_array(arena, witness->pod_labels.count + 1, sizeof *labels);
    struct evaluator_label *others = arena_array(arena, witness->namespace_labels.count + 1, sizeof *others);
    *pod = (struct evaluator_pod){.namespace_name = "default", .namespace_known = true, .ports_known = true};
    pod->service_account = "unlisted";
    for (uint32_t i = 0; i < witness->namespace_labels.count; i++) {
        const struct key_value *label = &witness->namespace_labels.list[i];
        if (strcmp(label->key, LABEL_NAMESPACE_NAME) == 0)
            pod->namespace_name = label->value;
        else
            others[pod->namespace_label_count++] = (struct evaluator_label){label->key, label->value};
    }
    for (uint32_t i = 0; i < witness->pod_labels.count; i++) {
        const struct key_value *label = &witness->pod_labels.list[i];
        if (strstr(label->key, "io.cilium.k8s.policy.serviceaccount"))
            pod->service_account = label->value;
        else if (strstr(label->key, "io.cilium.k8s.policy.cluster"))
            pod->cluster = label->value;
        else
            labels[pod->label_count++] = (struct evaluator_label){label->key, label->value};
    }
    pod->labels = labels;
    pod->namespace_labels = others;
    return pod;
}

static bool translate_witness(const struct witness *witness, struct adapter_verdict *verdict, struct arena *arena) {
    struct evaluator_flow *flow = &verdict->witness;
    for (enum protocol protocol = PROTOCOL_TCP; protocol < PROTOCOL_COUNT; protocol++)
        if (strcmp(protocol_word(protocol), witness->protocol) == 0)
            flow->protocol = (enum evaluator_protocol)protocol;
    flow->port = witness->port;
    flow->payload = witness->dns_name      ? EVALUATOR_QUESTION
                    : witness->server_name ? EVALUATOR_SERVER_NAME
                                           : EVALUATOR_ANY_OTHER;
    flow->payload_name = witness->dns_name ? witness->dns_name : witness->server_name;
    if (witness->entity)
        return translate_entity(witness->entity, verdict);
    if (witness->fqdn) {
        flow->sort = EVALUATOR_LEARNED;
        flow->name = witness->fqdn;
        verdict->any_address = true;
        return true;
    }
    if (witness->ip)
        return match_address_read(witness->ip, &flow->address);
    flow->sort = EVALUATOR_POD;
    flow->pod = translate_pod(witness, arena);
    return true;
}

static void read_verdicts(struct adapter *adapter) {
    const struct side_decision *side = adapter->side;
    adapter->verdicts = arena_array(adapter->arena, side->examined_count + 1, sizeof *adapter->verdicts);
    for (size_t i = 0; i < side->examined_count; i++) {
        const struct examined *examined = &side->examined[i];
        struct adapter_verdict *verdict = &adapter->verdicts[adapter->verdict_count++];
        verdict->object = arena_format(adapter->arena, "%s %s spec %d", examined->object.kind,
                                       examined->object.name ? examined->object.name : "-", examined->spec);
        verdict->name = examined->object.name ? examined->object.name : "";
        verdict->word = verdict_word(examined->verdict);
        verdict->widens = examined->verdict == VERDICT_WIDENS_EGRESS;
        verdict->open = examined->verdict == VERDICT_NOT_EVALUABLE;
        verdict->has_witness = examined->witness && translate_witness(examined->witness, verdict, adapter->arena);
    }
}

void adapter_decide(struct adapter *adapter, bool with_compiled) {
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, adapter->arena);
    snapshot_read(make_inputs(adapter, with_compiled), NULL, adapter->arena, &adapter->snapshot, &diagnostics);
    read_subject(adapter);
    const struct boundary *boundary = &adapter->config.boundaries[0];
    struct arena *scratch = arena_create(); /* no answer may rest in it */
    union_setup_init(&adapter->setup, &adapter->snapshot, boundary, NULL, &boundary->cluster, scratch);
    read_readings(adapter);
    adapter->side = union_decide(&adapter->setup, &adapter->subject, true, NULL);
    arena_destroy(scratch);
    read_verdicts(adapter);
}

const char *adapter_refusal(const struct adapter *adapter) {
    return adapter->side->refused ? code_word(adapter->side->refusal) : NULL;
}

const struct adapter_verdict *adapter_verdicts(const struct adapter *adapter, size_t *count) {
    *count = adapter->verdict_count;
    return adapter->verdicts;
}

#include "tests/evaluator/generate.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"

struct node make_string(const char *string) {
    return node_make_string(string);
}

struct node make_null(void) {
    return (struct node){.kind = NODE_NULL, .text = ""};
}

struct node make_map(struct maker *maker, const char *key, struct node value) {
    struct node_builder map;
    node_builder_init(&map, maker->arena, NODE_MAP);
    node_builder_put(&map, key, value);
    return node_builder_done(&map);
}

struct node make_list(struct maker *maker, const struct node *items, size_t count) {
    struct node_builder list;
    node_builder_init(&list, maker->arena, NODE_LIST);
    for (size_t i = 0; i < count; i++)
        node_builder_add(&list, items[i]);
    return node_builder_done(&list);
}

struct node make_empty(struct maker *maker, enum node_kind kind) {
    struct node_builder nothing;
    node_builder_init(&nothing, maker->arena, kind);
    return node_builder_done(&nothing);
}

/* --- selectors ------------------------------------------------------------------------------------------------ */

struct label_choice {
    const char *key, *values[3];
};

static const struct label_choice pod_labels[] = {{"app", {"web", "db", "web"}},
                                                 {"tier", {"a", "b", "a"}},
                                                 {"k8s-app", {"kube-dns", "kube-dns", "dns"}},
                                                 {"pod-template-hash", {"h", "h", "i"}}};
static const struct label_choice namespace_labels[] = {{"env", {"prod", "dev", "prod"}},
                                                       {"kubernetes.io/metadata.name", {"team", "ops", "kube-system"}}};
static const struct label_choice derived_labels[] = {
    {"io.kubernetes.pod.namespace", {"team", "ops", "kube-system"}},
    {"io.cilium.k8s.namespace.labels.env", {"prod", "dev", "prod"}},
    {"io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name", {"team", "ops", "kube-system"}},
    {"io.cilium.k8s.policy.serviceaccount", {"default", "robot", "default"}},
    {"io.cilium.k8s.policy.cluster", {"default", "far", "default"}}};
static const char *const reserved_keys[] = {"reserved:world", "reserved:host", "reserved:kube-apiserver",
                                            "reserved:remote-node", "reserved:health"};
static const char *const outside_keys[] = {"cidr:10.0.0.0/8", "fqdn:a.example.com", "a:b:c", "node:zone"};

static const struct label_choice *choose_label(struct maker *maker, bool cilium) {
    if (cilium && dice_chance(&maker->dice, 35))
        return &DICE_PICK(&maker->dice, derived_labels);
    /* pod-template-hash, which Cilium drops, is rare */
    return &pod_labels[dice_below(&maker->dice, dice_chance(&maker->dice, 20) ? 4 : 3)];
}

static const char *with_source(struct maker *maker, const char *key, bool cilium) {
    static const char *const sources[] = {"k8s:", "", "", "any:"};
    return cilium ? arena_format(maker->arena, "%s%s", DICE_PICK(&maker->dice, sources), key) : key;
}

static struct node make_expression(struct maker *maker, const char *key, const char *const values[3]) {
    static const char *const words[] = {"In", "In", "NotIn", "NotIn", "Exists", "DoesNotExist"};
    const char *word = DICE_PICK(&maker->dice, words);
    struct node_builder map, list;
    node_builder_init(&map, maker->arena, NODE_MAP);
    node_builder_put(&map, "key", make_string(key));
    node_builder_put(&map, "operator", make_string(dice_chance(&maker->dice, maker->odd) ? "Gt" : word));
    if (strstr(word, "In")) {
        node_builder_init(&list, maker->arena, NODE_LIST);
        for (size_t i = 0; i < 1 + dice_below(&maker->dice, 2); i++)
            node_builder_add(&list, make_string(values[dice_below(&maker->dice, 3)]));
        node_builder_put(&map, "values",
                         dice_chance(&maker->dice, maker->odd) ? make_empty(maker, NODE_LIST)
                                                               : node_builder_done(&list));
    }
    return node_builder_done(&map);
}

static struct node make_reserved(struct maker *maker) {
    const char *key =
        dice_chance(&maker->dice, 15) ? DICE_PICK(&maker->dice, outside_keys) : DICE_PICK(&maker->dice, reserved_keys);
    static const char *const none[] = {"", "", ""};
    /* an address is or is not the API server's: a selector that demands it is not is beyond the sets of addresses */
    if (strcmp(key, "reserved:kube-apiserver") == 0 || dice_chance(&maker->dice, 60))
        return make_map(maker, "matchLabels", make_map(maker, key, make_string("")));
    struct node expression = make_expression(maker, key, none);
    return make_map(maker, "matchExpressions", make_list(maker, &expression, 1));
}

static struct node make_selector(struct maker *maker, const struct label_choice *(*choose)(struct maker *, bool),
                                 bool cilium) {
    struct node_builder selector, labels, expressions;
    size_t label_count = dice_below(&maker->dice, 3);
    size_t expression_count = dice_chance(&maker->dice, 30) ? 1 + dice_below(&maker->dice, 2) : 0;
    node_builder_init(&selector, maker->arena, NODE_MAP);
    node_builder_init(&labels, maker->arena, NODE_MAP);
    node_builder_init(&expressions, maker->arena, NODE_LIST);
    for (size_t i = 0; i < label_count; i++) {
        const struct label_choice *choice = choose(maker, cilium);
        struct node before = node_builder_done(&labels);
        const char *key = with_source(maker, choice->key, cilium);
        if (!node_get(&before, key))
            node_builder_put(&labels, key, make_string(choice->values[dice_below(&maker->dice, 3)]));
    }
    for (size_t i = 0; i < expression_count; i++) {
        const struct label_choice *choice = choose(maker, cilium);
        node_builder_add(&expressions, make_expression(maker, with_source(maker, choice->key, cilium), choice->values));
    }
    if (label_count || dice_chance(&maker->dice, 15))
        node_builder_put(&selector, "matchLabels", node_builder_done(&labels));
    if (expression_count || dice_chance(&maker->dice, 5))
        node_builder_put(&selector, "matchExpressions", node_builder_done(&expressions));
    return node_builder_done(&selector);
}

struct node generate_selector(struct maker *maker, bool cilium) {
    if (cilium && dice_chance(&maker->dice, 10))
        return make_reserved(maker);
    return make_selector(maker, choose_label, cilium);
}

static const struct label_choice *choose_namespace_label(struct maker *maker, bool cilium) {
    (void)cilium;
    return &DICE_PICK(&maker->dice, namespace_labels);
}

struct node generate_namespace_selector(struct maker *maker) {
    return make_selector(maker, choose_namespace_label, false);
}

/* --- addresses ------------------------------------------------------------------------------------------------ */

const char *generate_cidr(struct maker *maker) {
    static const char *const usual[] = {
        "0.0.0.0/0",  "0.0.0.0/0",          "::/0",       "0.0.0.0/1",     "128.0.0.0/1",   "::/1",
        "8000::/1",   "10.0.0.0/8",         "10.0.0.0/9", "10.128.0.0/9",  "10.1.0.0/16",   "10.0.0.5/8",
        "9.9.9.9/32", "169.254.169.254/32", "fd00::/8",   "2001:db8::/32", "172.16.0.0/12", "8.0.0.0/7"};
    static const char *const odd[] = {"10.0.0.5", "10.0.0.0/33", "",          "::ffff:10.0.0.0/104", "010.0.0.0/8",
                                      "10.0.0/8", "10.0.0.0/08", "FD00:0::/8"};
    return dice_chance(&maker->dice, maker->odd) ? DICE_PICK(&maker->dice, odd) : DICE_PICK(&maker->dice, usual);
}

struct node generate_except(struct maker *maker, const char *cidr) {
    static const char *const inner[] = {"10.1.0.0/16", "10.128.0.0/9", "10.0.0.0/9", "10.1.2.0/24"};
    static const char *const ipv4[] = {"10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "0.0.0.0/1", "9.9.9.9/32"};
    static const char *const ipv6[] = {"fd00::/8", "fe80::/10", "8000::/1", "2001:db8::/32"};
    struct node_builder list;
    node_builder_init(&list, maker->arena, NODE_LIST);
    for (size_t count = dice_below(&maker->dice, 4); count > 0; count--) {
        const char *except = strchr(cidr, ':')              ? DICE_PICK(&maker->dice, ipv6)
                             : strncmp(cidr, "10.", 3) == 0 ? DICE_PICK(&maker->dice, inner)
                                                            : DICE_PICK(&maker->dice, ipv4);
        bool whole = strcmp(cidr, "0.0.0.0/0") == 0 || strcmp(cidr, "::/0") == 0 || strcmp(cidr, "10.0.0.0/8") == 0;
        if (whole || dice_chance(&maker->dice, maker->odd))
            node_builder_add(&list, make_string(dice_chance(&maker->dice, maker->odd) ? generate_cidr(maker) : except));
    }
    return node_builder_done(&list);
}

/* --- the world ------------------------------------------------------------------------------------------------ */

static const struct evaluator_label prod[] = {{"env", "prod"}}, dev[] = {{"env", "dev"}};
static const struct evaluator_named_port web_port[] = {{"web", EVALUATOR_TCP, 8080}};

static struct evaluator_pod make_pod(struct maker *maker, const char *namespace_name) {
    struct evaluator_pod pod = {.namespace_name = namespace_name, .namespace_known = true, .ports_known = true};
    struct evaluator_label *labels = arena_array(maker->arena, 4, sizeof *labels);
    for (size_t i = 0; i < 4; i++)
        if (dice_chance(&maker->dice, i == 2 ? (namespace_name[0] == 'k' ? 80 : 10) : i == 3 ? 15 : 60))
            labels[pod.label_count++] =
                (struct evaluator_label){pod_labels[i].key, pod_labels[i].values[dice_below(&maker->dice, 2)]};
    pod.labels = labels;
    if (namespace_name[0] != 'k') {
        pod.namespace_labels = namespace_name[0] == 'o' ? prod : dev;
        pod.namespace_label_count = 1;
    }
    pod.service_account = dice_chance(&maker->dice, 30) ? "robot" : "default";
    if (dice_chance(&maker->dice, 25)) {
        pod.ports = web_port;
        pod.port_count = 1;
    }
    return pod;
}

static void make_pods(struct maker *maker, struct world *world) {
    static const char *const namespaces[] = {"team", "ops", "kube-system"};
    static const struct evaluator_label web[] = {{"app", "web"}, {"tier", "a"}};
    for (size_t i = 0; i < 9; i++)
        world->pods[world->pod_count++] = make_pod(maker, namespaces[i % 3]);
    if (world->reading.engine == EVALUATE_CILIUM && dice_chance(&maker->dice, 30))
        world->pods[8].cluster = "far";
    world->subject = world->pods[0];
    world->subject.labels = web;
    world->subject.label_count = 1 + dice_below(&maker->dice, 2);
    world->subject.cluster = NULL;
    world->pods[0] = world->subject;
}

static void make_reading(struct maker *maker, struct evaluator_reading *reading) {
    static const unsigned patches[] = {UINT_MAX, UINT_MAX, 0, 3, 5};
    *reading = (struct evaluator_reading){.engine = dice_chance(&maker->dice, 40) ? EVALUATE_CORE : EVALUATE_CILIUM,
                                          .mapped_as_ipv4 = true,
                                          .l7_proxy = true,
                                          .default_label_filter = true};
    if (reading->engine == EVALUATE_CORE)
        return;
    reading->minor = 15 + (unsigned)dice_below(&maker->dice, 5);
    reading->patch = DICE_PICK(&maker->dice, patches);
    reading->sctp = dice_chance(&maker->dice, 50);
    reading->default_label_filter = dice_chance(&maker->dice, 80);
    reading->local_cluster = reading->minor >= 18 && dice_chance(&maker->dice, reading->minor == 18 ? 20 : 80);
    reading->l7_proxy = dice_chance(&maker->dice, 97);
    reading->always = dice_chance(&maker->dice, 3);
    reading->match_nodes = dice_chance(&maker->dice, 4);
}

static struct node make_service(struct maker *maker) {
    static const char *const namespaces[] = {"team", "ops", "kube-system"};
    struct node_builder root, metadata;
    node_builder_init(&root, maker->arena, NODE_MAP);
    node_builder_init(&metadata, maker->arena, NODE_MAP);
    node_builder_put(&metadata, "name", make_string("svc"));
    node_builder_put(&metadata, "namespace", make_string(DICE_PICK(&maker->dice, namespaces)));
    node_builder_put(&root, "apiVersion", make_string("v1"));
    node_builder_put(&root, "kind", make_string("Service"));
    node_builder_put(&root, "metadata", node_builder_done(&metadata));
    node_builder_put(&root, "spec", make_map(maker, "selector", make_map(maker, "app", make_string("db"))));
    return node_builder_done(&root);
}

/* What `cidrGroupRef: group` and `cidrGroupSelector` speak of: some blocks or none, sometimes of another name. */
static struct node make_cidr_group(struct maker *maker) {
    static const char *const blocks[] = {"10.1.0.0/16", "9.9.9.9/32", "2001:db8::/32", "0.0.0.0/0"};
    struct node_builder root, metadata, list;
    node_builder_init(&root, maker->arena, NODE_MAP);
    node_builder_init(&metadata, maker->arena, NODE_MAP);
    node_builder_init(&list, maker->arena, NODE_LIST);
    for (size_t count = dice_below(&maker->dice, 3); count > 0; count--)
        node_builder_add(&list, make_string(DICE_PICK(&maker->dice, blocks)));
    node_builder_put(&metadata, "name", make_string(dice_chance(&maker->dice, 85) ? "group" : "another"));
    node_builder_put(&metadata, "labels", make_map(maker, "tier", make_string("a")));
    node_builder_put(&root, "apiVersion", make_string("cilium.io/v2alpha1"));
    node_builder_put(&root, "kind", make_string("CiliumCIDRGroup"));
    node_builder_put(&root, "metadata", node_builder_done(&metadata));
    node_builder_put(&root, "spec", make_map(maker, "externalCIDRs", node_builder_done(&list)));
    return node_builder_done(&root);
}

void generate_world(struct world *world, uint64_t seed, struct arena *arena) {
    struct maker maker = {.dice = {seed}, .arena = arena, .reading = &world->reading};
    memset(world, 0, sizeof *world);
    world->seed = seed;
    make_reading(&maker, &world->reading);
    maker.odd = dice_chance(&maker.dice, 25) ? 3 : 0;
    make_pods(&maker, world);
    bool cilium = world->reading.engine == EVALUATE_CILIUM;
    for (size_t count = 1 + dice_below(&maker.dice, 5); count > 0; count--) {
        const char *name = arena_format(arena, "p%zu", count);
        size_t kind = cilium || dice_chance(&maker.dice, 4) ? dice_below(&maker.dice, 10) : 0;
        world->objects[world->count++] =
            kind < 3 ? generate_core_policy(&maker, name) : generate_cilium_policy(&maker, name, kind > 7);
    }
    if (cilium && dice_chance(&maker.dice, 50))
        world->objects[world->count++] = make_service(&maker);
    if (cilium && dice_chance(&maker.dice, 50))
        world->objects[world->count++] = make_cidr_group(&maker);
    world->config = generate_config(&maker, world);
}

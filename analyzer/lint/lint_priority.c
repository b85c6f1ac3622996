/* Admin policies of one priority that overlap and act differently (spec/kubernetes-egress.md 5.2). */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "analyzer/rules/selector_set.h"
#include "base/arena.h"
#include "ir/witness.h"
#include "kube/admin_policy.h"

enum { RULES_LIMIT = 100, TIES_LIMIT = 200 };

/* One rule: what it does, and with which flows; without what earlier rules of its policy decide. */
struct tie_rule {
    const struct node *node;
    const char *action;
    struct flow_set flows;
};

struct tie_policy {
    const struct object *object;
    const char *tier;
    int64_t priority;
    const struct node *priority_node;
    struct endpoint_set subject;
    struct tie_rule *rules;
    size_t count;
};

/* ---- reading ---- */

static bool require(struct label_set *set, enum label_scope scope, const char *key, const struct value_set *values,
                    struct arena *arena) {
    if (key)
        *set = label_set_require(arena, set, (struct label_key){scope, key}, values);
    return key != NULL;
}

/* One entry of matchExpressions; false: it cannot be read. */
static bool expression_require(const struct node *expression, enum label_scope scope, struct label_set *set,
                               struct arena *arena) {
    static const struct {
        const char *word;
        bool complement, absent, values;
    } verbs[] = {{"In", false, false, true},
                 {"NotIn", true, true, true},
                 {"Exists", true, false, false},
                 {"DoesNotExist", false, true, false}};
    const struct node *given = node_get(expression, "values");
    uint32_t count = node_is(given, NODE_LIST) ? given->count : 0;
    size_t verb = 0;
    while (verb < 4 && !text_is(node_text(node_get(expression, "operator")), verbs[verb].word))
        verb++;
    if (verb == 4 || verbs[verb].values != (count > 0))
        return false;
    const char **values = arena_array(arena, count + 1u, sizeof *values);
    for (uint32_t k = 0; k < count; k++)
        if (!(values[k] = node_string(&given->items[k])))
            return false;
    struct value_set allowed = value_set_of(arena, values, count, verbs[verb].complement, verbs[verb].absent);
    return require(set, scope, node_string(node_get(expression, "key")), &allowed, arena);
}

/* A selector of plain keys as a label set; false: it cannot be read. */
static bool labels_require(const struct node *selector, enum label_scope scope, struct label_set *set,
                           struct arena *arena) {
    const struct node *match = node_get(selector, "matchLabels"), *list = node_get(selector, "matchExpressions");
    for (uint32_t i = 0; node_is(match, NODE_MAP) && i < match->count; i++) {
        const char *value = node_string(&match->entries[i].value);
        struct value_set values = value_set_of(arena, &value, value ? 1 : 0, false, false);
        if (!value || !require(set, scope, node_string(&match->entries[i].key), &values, arena))
            return false;
    }
    for (uint32_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++)
        if (!expression_require(&list->items[i], scope, set, arena))
            return false;
    return true;
}

/* `namespaces` or `pods`, of a subject or a peer; false: it cannot be read. */
static bool endpoints_read(const struct node *member, struct endpoint_set *pods, struct arena *arena) {
    const struct node *namespaces = node_get(member, "namespaces"), *both = node_get(member, "pods");
    struct label_set set = label_set_everything();
    bool readable = namespaces
                        ? labels_require(namespaces, LABEL_NAMESPACE, &set, arena)
                        : both && labels_require(node_get(both, "namespaceSelector"), LABEL_NAMESPACE, &set, arena) &&
                              labels_require(node_get(both, "podSelector"), LABEL_POD, &set, arena);
    *pods = readable && !label_set_is_empty(&set) ? endpoint_set_of(arena, &set) : endpoint_set_nothing();
    return readable;
}

static bool networks_read(const struct node *networks, struct destination_set *set, struct arena *arena) {
    for (uint32_t i = 0; i < networks->count; i++) {
        struct cidr cidr;
        const char *text = node_string(&networks->items[i]);
        if (!text || cidr_parse(text_of(text), &cidr) != CIDR_OK)
            return false;
        struct address_set one = address_set_of(arena, &cidr.first, &cidr.last);
        struct destination_set addresses = destination_set_of_addresses(arena, &one);
        *set = destination_set_union(arena, set, &addresses);
    }
    return true;
}

/* The peers that can be read; what cannot adds nothing, so that only certain overlaps are found. */
static struct destination_set peers_read(const struct node *to, struct arena *arena) {
    struct destination_set set = destination_set_nothing();
    for (uint32_t i = 0; node_is(to, NODE_LIST) && i < to->count; i++) {
        const struct node *networks = node_get(&to->items[i], "networks");
        struct endpoint_set pods;
        struct destination_set one = destination_set_nothing();
        if (node_is(networks, NODE_LIST) && !networks_read(networks, &one, arena))
            one = destination_set_nothing();
        if (!networks && endpoints_read(&to->items[i], &pods, arena))
            one = destination_set_of_pods(&pods);
        set = destination_set_union(arena, &set, &one);
    }
    return set;
}

/* ---- ports ---- */

static enum protocol protocol_read(struct text word) {
    return text_is(word, "UDP") || text_is(word, "udp")     ? PROTOCOL_UDP
           : text_is(word, "SCTP") || text_is(word, "sctp") ? PROTOCOL_SCTP
                                                            : PROTOCOL_TCP;
}

static void add_ports(struct port_set *set, enum protocol protocol, const struct node *first, const struct node *last,
                      struct arena *arena) {
    int64_t from, to;
    if (!node_integer(first, &from) || !node_integer(last, &to) || from < 0 || to > UINT16_MAX)
        return;
    struct port_set one = port_set_of(arena, protocol, (unsigned)from, (unsigned)to);
    *set = port_set_union(arena, set, &one);
}

/* `ports` of the v1alpha1 kinds; `protocols` of a ClusterNetworkPolicy. Named ports add nothing. */
static struct port_set ports_read(const struct node *rule, struct arena *arena) {
    const struct node *ports = node_get(rule, "ports"), *protocols = node_get(rule, "protocols");
    static const char *const words[] = {"tcp", "udp", "sctp"};
    struct port_set set = port_set_nothing();
    if (!ports && !protocols)
        return port_set_everything();
    for (uint32_t i = 0; node_is(ports, NODE_LIST) && i < ports->count; i++) {
        const struct node *number = node_get(&ports->items[i], "portNumber");
        const struct node *range = node_get(&ports->items[i], "portRange"), *any = number ? number : range;
        enum protocol protocol = protocol_read(node_text(node_get(any, "protocol")));
        add_ports(&set, protocol, node_get(any, number ? "port" : "start"), node_get(any, number ? "port" : "end"),
                  arena);
    }
    for (uint32_t i = 0; node_is(protocols, NODE_LIST) && i < protocols->count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            const struct node *port = node_get(node_get(&protocols->items[i], words[k]), "destinationPort");
            const struct node *number = node_get(port, "number"), *range = node_get(port, "range");
            add_ports(&set, protocol_read(text_of(words[k])), number ? number : node_get(range, "start"),
                      number ? number : node_get(range, "end"), arena);
        }
    return set;
}

/* ---- policies ---- */

static void rules_read(struct tie_policy *policy, const struct node *egress, struct arena *arena) {
    struct flow_set decided = flow_set_nothing();
    policy->rules = arena_array(arena, node_is(egress, NODE_LIST) ? egress->count + 1u : 1, sizeof *policy->rules);
    for (uint32_t i = 0; node_is(egress, NODE_LIST) && i < egress->count && i < RULES_LIMIT; i++) {
        const struct node *rule = &egress->items[i];
        const char *action = node_string(node_get(rule, "action"));
        struct flow_box box = {.destinations = peers_read(node_get(rule, "to"), arena),
                               .ports = ports_read(rule, arena),
                               .payloads = payload_set_everything()};
        struct flow_set flows = flow_set_of(arena, &box);
        if (!action)
            continue;
        policy->rules[policy->count++] = (struct tie_rule){rule, action, flow_set_subtract(arena, &flows, &decided)};
        decided = flow_set_union(arena, &decided, &flows);
    }
}

/* False: no policy that can tie. */
static bool policy_read_tie(const struct object *object, struct tie_policy *policy, struct arena *arena) {
    const struct node *spec = node_get(object->root, "spec");
    *policy = (struct tie_policy){.object = object, .tier = node_string(node_get(spec, "tier"))};
    policy->priority_node = node_get(spec, "priority");
    if (!object->served || !node_integer(policy->priority_node, &policy->priority) ||
        !endpoints_read(node_get(spec, "subject"), &policy->subject, arena))
        return false;
    rules_read(policy, node_get(spec, "egress"), arena);
    return true;
}

static bool tiers_are_one(const struct tie_policy *a, const struct tie_policy *b) {
    return a->priority == b->priority && text_equal(text_of(a->tier), text_of(b->tier));
}

/* ---- ties ---- */

/* Two rules that act differently on one flow; false: none. */
static bool find_tie(const struct tie_policy *a, const struct tie_policy *b, const struct tie_rule **mine,
                     const struct tie_rule **theirs, struct flow *flow, struct arena *arena) {
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            struct flow_set both = flow_set_intersect(arena, &a->rules[i].flows, &b->rules[k].flows);
            if (strcmp(a->rules[i].action, b->rules[k].action) == 0 ||
                flow_set_is_empty(arena, &both) != SET_INHABITED ||
                !flow_set_sample(arena, &both, witness_order_default(), flow, NULL))
                continue;
            *mine = &a->rules[i];
            *theirs = &b->rules[k];
            return true;
        }
    return false;
}

/* Two copies of one policy are no two policies. */
static bool is_copy(const struct tie_policy *a, const struct tie_policy *b) {
    return text_equal(text_of(a->object->name), text_of(b->object->name));
}

/* True: there is a tie, and it was said. */
static bool check_pair(struct lint *lint, const struct tie_policy *a, const struct tie_policy *b, struct arena *arena) {
    struct endpoint_set both = endpoint_set_intersect(arena, &a->subject, &b->subject);
    const struct tie_rule *mine, *theirs;
    struct flow flow;
    int64_t effort = ENDPOINT_SET_EFFORT;
    if (!tiers_are_one(a, b) || is_copy(a, b) || endpoint_set_is_empty_within(&both, &effort) != SET_INHABITED ||
        !find_tie(a, b, &mine, &theirs, &flow, arena))
        return false;
    struct buffer words;
    buffer_init(&words, lint->arena);
    flow_print(&words, &flow);
    struct part part = {a->priority_node, "spec.priority"};
    struct diagnostic *finding = lint_report_object(
        lint, a->object, CODE_PRIORITY_TIE, part,
        "spec.priority is that of %s %s as well, and for %s one says %s and the other %s: which of them counts is "
        "undefined; give one of them another priority",
        b->object->kind_word, object_label(b->object, lint->arena), buffer_string(&words), mine->action,
        theirs->action);
    diagnostic_note(lint->findings, finding, node_location(b->object->file, b->priority_node), "the same priority");
    return true;
}

static void check_kind(struct lint *lint, enum object_kind kind, struct arena *arena) {
    const struct object_list *list = &lint->snapshot.objects.of[kind];
    struct tie_policy *policies = arena_array(arena, list->count + 1, sizeof *policies);
    size_t count = 0;
    for (size_t i = 0; i < list->count && count < TIES_LIMIT; i++)
        count += policy_read_tie(&list->list[i], &policies[count], arena) ? 1 : 0;
    for (size_t i = 0; i < count; i++) {
        bool tied = false;
        for (size_t k = i + 1; k < count && !tied; k++)
            tied = check_pair(lint, &policies[i], &policies[k], arena);
    }
}

void lint_check_priorities(struct lint *lint) {
    struct arena *scratch = arena_create();
    check_kind(lint, OBJECT_ADMIN_NETWORK_POLICY, scratch);
    check_kind(lint, OBJECT_CLUSTER_NETWORK_POLICY, scratch);
    arena_destroy(scratch);
}

/* Admin policies of one priority that overlap and act differently, in either direction (spec/kubernetes-egress.md 5.2). */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/scope.h"
#include "analyzer/rules/selector_set.h"
#include "base/arena.h"
#include "ir/witness.h"
#include "kube/admin_policy.h"

enum { DIRECTIONS = 2, PAIRS_LEAST = 1000 * 1000, PAIRS_PER_POLICY = 20 * 1000 };

static const struct {
    const char *rules, *peers, *with; /* fields, and how a flow is introduced */
} directions[DIRECTIONS] = {
    [DIRECTION_EGRESS] = {"egress", "to", ""}, [DIRECTION_INGRESS] = {"ingress", "from", "ingress from "}};

/* One rule: what it does, and with which flows; without what earlier rules of its policy decide. Of ingress the
 * destinations are the sources. */
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
    struct tie_rules {
        struct tie_rule *list;
        size_t count;
    } rules[DIRECTIONS]; /* by enum direction */
};

/* What is compared, and how many pairs of rules may still be. */
struct ties {
    struct lint *lint;
    struct arena *arena;
    struct tie_policy *policies; /* by tier, priority and place */
    size_t count, pairs;
    bool out; /* some were not compared */
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
    struct address_set *blocks = arena_array(arena, networks->count + 1u, sizeof *blocks);
    for (uint32_t i = 0; i < networks->count; i++) {
        struct cidr cidr;
        const char *text = node_string(&networks->items[i]);
        if (!text || cidr_parse(text_of(text), &cidr) != CIDR_OK)
            return false;
        blocks[i] = address_set_of(arena, &cidr.first, &cidr.last);
    }
    struct address_set addresses = address_set_union_of(arena, blocks, networks->count);
    *set = destination_set_of_addresses(arena, &addresses);
    return true;
}

/* The peers that can be read; what cannot adds nothing, so that only certain overlaps are found. Sources are pods. */
static struct destination_set peers_read(const struct node *list, enum direction direction, struct arena *arena) {
    struct peer *peers = arena_array(arena, node_is(list, NODE_LIST) ? list->count + 1u : 1, sizeof *peers);
    struct rule_entry all = {.peers = peers};
    for (uint32_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        const struct node *networks = node_get(&list->items[i], "networks");
        struct endpoint_set pods;
        struct destination_set one = destination_set_nothing();
        if (direction == DIRECTION_EGRESS && node_is(networks, NODE_LIST) && !networks_read(networks, &one, arena))
            one = destination_set_nothing();
        if (!networks && endpoints_read(&list->items[i], &pods, arena))
            one = destination_set_of_pods(&pods);
        peers[all.peer_count++].lower = one;
    }
    return entry_destinations(&all, false, arena);
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

static struct tie_rules rules_read(const struct node *spec, enum direction direction, struct arena *arena) {
    const struct node *list = node_get(spec, directions[direction].rules);
    uint32_t most = node_is(list, NODE_LIST) ? list->count : 0, count = 0;
    struct tie_rules rules = {.list = arena_array(arena, most + 1u, sizeof *rules.list)};
    struct flow_box *boxes = arena_array(arena, most + 1u, sizeof *boxes);
    for (uint32_t i = 0; i < most; i++) {
        const struct node *rule = &list->items[i];
        const char *action = node_string(node_get(rule, "action"));
        struct flow_box box = {.destinations =
                                   peers_read(node_get(rule, directions[direction].peers), direction, arena),
                               .ports = ports_read(rule, arena),
                               .payloads = payload_set_everything()};
        struct flow_set flows = flow_set_of(arena, &box), decided = {boxes, count};
        if (!action)
            continue;
        rules.list[rules.count++] = (struct tie_rule){rule, action, flow_set_subtract(arena, &flows, &decided)};
        if (flows.count)
            boxes[count++] = box;
    }
    return rules;
}

/* False: no policy that can tie. */
static bool policy_read_tie(const struct object *object, struct tie_policy *policy, struct arena *arena) {
    const struct node *spec = node_get(object->root, "spec");
    *policy = (struct tie_policy){.object = object, .tier = node_string(node_get(spec, "tier"))};
    policy->priority_node = node_get(spec, "priority");
    if (!object->served || !node_integer(policy->priority_node, &policy->priority) ||
        !endpoints_read(node_get(spec, "subject"), &policy->subject, arena))
        return false;
    for (unsigned i = 0; i < DIRECTIONS; i++)
        policy->rules[i] = rules_read(spec, (enum direction)i, arena);
    return true;
}

static int compare_ties(const void *a, const void *b) {
    const struct tie_policy *left = a, *right = b;
    int order = string_compare(left->tier, right->tier);
    if (order == 0)
        order = (left->priority > right->priority) - (left->priority < right->priority);
    return order ? order : (left->object > right->object) - (left->object < right->object);
}

static bool tiers_are_one(const struct tie_policy *a, const struct tie_policy *b) {
    return a->priority == b->priority && string_equal(a->tier, b->tier);
}

/* ---- ties ---- */

/* Two rules that act differently on one flow, and in which direction. */
struct tie {
    const struct tie_rule *mine, *theirs;
    enum direction direction;
    struct flow flow;
};

static bool rules_tie(const struct tie_rule *mine, const struct tie_rule *theirs, struct flow *flow,
                      struct arena *arena) {
    struct flow_set both = flow_set_intersect(arena, &mine->flows, &theirs->flows);
    return flow_set_is_empty(arena, &both) == SET_INHABITED &&
           flow_set_sample(arena, &both, witness_order_default(), flow, NULL);
}

static bool may_compare(struct ties *ties) {
    ties->out = ties->pairs == 0;
    ties->pairs -= ties->out ? 0 : 1;
    return !ties->out;
}

/* False: none, as far as pairs may still be compared. */
static bool find_tie(struct ties *ties, const struct tie_policy *a, const struct tie_policy *b, struct tie *tie) {
    for (unsigned d = 0; d < DIRECTIONS; d++)
        for (size_t i = 0; i < a->rules[d].count; i++)
            for (size_t k = 0; k < b->rules[d].count && may_compare(ties); k++) {
                *tie = (struct tie){&a->rules[d].list[i], &b->rules[d].list[k], (enum direction)d, {.port = 0}};
                if (strcmp(tie->mine->action, tie->theirs->action) != 0 &&
                    rules_tie(tie->mine, tie->theirs, &tie->flow, ties->arena))
                    return true;
            }
    return false;
}

/* Two copies of one policy are no two policies. */
static bool is_copy(const struct tie_policy *a, const struct tie_policy *b) {
    return text_equal(text_of(a->object->name), text_of(b->object->name));
}

static void report_tie(struct lint *lint, const struct tie_policy *a, const struct tie_policy *b,
                       const struct tie *tie) {
    struct buffer words;
    buffer_init(&words, lint->arena);
    buffer_add_string(&words, directions[tie->direction].with);
    flow_print(&words, &tie->flow);
    struct part part = {a->priority_node, "spec.priority"};
    struct diagnostic *finding = lint_report_object(
        lint, a->object, CODE_PRIORITY_TIE, part,
        "spec.priority is that of %s %s as well, and for %s one says %s and the other %s: which of them counts is "
        "undefined; give one of them another priority",
        b->object->kind_word, object_label(b->object, lint->arena), buffer_string(&words), tie->mine->action,
        tie->theirs->action);
    diagnostic_note(lint->findings, finding, node_location(b->object->file, b->priority_node), "the same priority");
}

/* True: there is a tie, and it was said. */
static bool check_pair(struct ties *ties, const struct tie_policy *a, const struct tie_policy *b) {
    struct endpoint_set both = endpoint_set_intersect(ties->arena, &a->subject, &b->subject);
    struct tie tie;
    int64_t effort = ENDPOINT_SET_EFFORT;
    if (is_copy(a, b) || !may_compare(ties) || endpoint_set_is_empty_within(&both, &effort) != SET_INHABITED ||
        !find_tie(ties, a, b, &tie))
        return false;
    report_tie(ties->lint, a, b, &tie);
    return true;
}

/* A policy against those after it that have its priority. */
static void check_policy(struct ties *ties, size_t place) {
    const struct tie_policy *policy = &ties->policies[place];
    bool tied = false;
    for (size_t k = place + 1; k < ties->count && !tied && tiers_are_one(policy, &ties->policies[k]); k++) {
        struct arena_mark mark = arena_mark(ties->arena);
        tied = check_pair(ties, policy, &ties->policies[k]);
        arena_rollback(ties->arena, mark);
        if (!ties->out)
            continue;
        lint_report_object(ties->lint, policy->object, CODE_NOT_EXAMINED,
                           (struct part){policy->priority_node, "spec.priority"},
                           "not all of the policy was examined for `%s`: so many policies share a priority that their "
                           "rules ask for more comparisons than lint makes; give them priorities of their own",
                           code_word(CODE_PRIORITY_TIE));
        return;
    }
}

static void check_kind(struct lint *lint, enum object_kind kind, struct arena *arena) {
    const struct object_list *list = &lint->snapshot.objects.of[kind];
    struct ties ties = {.lint = lint, .arena = arena, .pairs = PAIRS_LEAST + PAIRS_PER_POLICY * list->count};
    ties.policies = arena_array(arena, list->count + 1, sizeof *ties.policies);
    for (size_t i = 0; i < list->count; i++)
        ties.count += policy_read_tie(&list->list[i], &ties.policies[ties.count], arena) ? 1 : 0;
    if (lint->request->effort)
        ties.pairs = (size_t)lint->request->effort;
    if (ties.count > 1)
        qsort(ties.policies, ties.count, sizeof *ties.policies, compare_ties);
    for (size_t i = 0; i < ties.count; i++)
        check_policy(&ties, i);
}

void lint_check_priorities(struct lint *lint) {
    struct arena *scratch = arena_create();
    check_kind(lint, OBJECT_ADMIN_NETWORK_POLICY, scratch);
    check_kind(lint, OBJECT_CLUSTER_NETWORK_POLICY, scratch);
    arena_destroy(scratch);
}

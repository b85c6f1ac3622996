#include "kube/cilium_policy.h"

#include <stddef.h>

#include "base/arena.h"
#include "grammar/label.h"
#include "kube/cilium_rule.h"
#include "kube/metadata.h"
#include "kube/selector.h"

/* ---- Rules ---- */

static void read_entries(struct policy_reader *reader, struct part part, enum cilium_direction direction,
                         struct cilium_entries *entries) {
    cilium_classes before = reader->agent;
    if (cilium_is_deny(direction))
        reader->agent = CILIUM_SINCE_1_17;
    entries->presence = node_presence(part.node);
    entries->part = part;
    entries->list = items_read(reader, cilium_entry_items[direction], part, sizeof *entries->list, &entries->count);
    reader->agent = before;
}

#define ENTRIES_READER(name, direction)                                                                                \
    static void name(struct policy_reader *reader, const struct field *field, struct part part, void *target) {        \
        (void)field;                                                                                                   \
        read_entries(reader, part, direction, target);                                                                 \
    }
ENTRIES_READER(read_egress, CILIUM_EGRESS)
ENTRIES_READER(read_egress_deny, CILIUM_EGRESS_DENY)
ENTRIES_READER(read_ingress, CILIUM_INGRESS)
ENTRIES_READER(read_ingress_deny, CILIUM_INGRESS_DENY)

static const struct field default_deny_fields[] = {
    {.key = "egress",
     .type = FIELD_BOOL,
     .read = field_read_bool,
     .offset = offsetof(struct cilium_rule, default_deny_egress)},
    {.key = "ingress",
     .type = FIELD_BOOL,
     .read = field_read_bool,
     .offset = offsetof(struct cilium_rule, default_deny_ingress)},
    {.key = NULL},
};
static const struct field label_fields[] = {
    {.key = "key", .type = FIELD_STRING, .required = true, .code = CODE_INVALID_LABEL},
    {.key = "value", .type = FIELD_STRING},
    {.key = "source", .type = FIELD_STRING},
    {.key = NULL},
};
static const struct field label_item[] = {{.key = "", .type = FIELD_MAP, .below = label_fields}, {.key = NULL}};
static const struct field log_fields[] = {{.key = "value", .type = FIELD_STRING}, {.key = NULL}};

static const struct field rule_fields[] = {
    {.key = "endpointSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_cilium,
     .offset = offsetof(struct cilium_rule, endpoint_selector),
     .subject = true},
    {.key = "nodeSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_cilium,
     .offset = offsetof(struct cilium_rule, node_selector),
     .subject = true},
    {.key = "egress",
     .type = FIELD_LIST,
     .read = read_egress,
     .offset = offsetof(struct cilium_rule, egress),
     .widens = "the rule then does not restrict egress"},
    {.key = "egressDeny",
     .type = FIELD_LIST,
     .read = read_egress_deny,
     .offset = offsetof(struct cilium_rule, egress_deny),
     .widens = "nothing is then denied"},
    {.key = "ingress",
     .type = FIELD_LIST,
     .read = read_ingress,
     .offset = offsetof(struct cilium_rule, ingress),
     .widens = "the rule then does not restrict ingress"},
    {.key = "ingressDeny",
     .type = FIELD_LIST,
     .read = read_ingress_deny,
     .offset = offsetof(struct cilium_rule, ingress_deny),
     .widens = "nothing is then denied"},
    {.key = "enableDefaultDeny",
     .type = FIELD_MAP,
     .below = default_deny_fields,
     .read = field_read_map,
     .classes = CILIUM_SINCE_1_16},
    {.key = "labels", .type = FIELD_LIST, .below = label_item},
    {.key = "description", .type = FIELD_STRING},
    {.key = "log", .type = FIELD_MAP, .below = log_fields, .classes = CILIUM_SINCE_1_18},
    {.key = NULL},
};

static void read_rule(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_rule *rule = target;
    rule->part = part;
    fields_read(reader, field->below, part, rule);
}

/* ---- what is refused in a Rule ---- */

static void check_entries(struct policy_reader *reader, const struct cilium_entries *entries,
                          enum cilium_direction direction, bool host) {
    cilium_classes before = reader->agent;
    if (cilium_is_deny(direction))
        reader->agent = CILIUM_SINCE_1_17;
    for (uint32_t i = 0; i < entries->count; i++) {
        cilium_peers_check(reader, &entries->list[i], direction);
        cilium_ports_check(reader, &entries->list[i], direction, host);
    }
    reader->agent = before;
}

/* Exactly one of the two keys, whatever is below them (C 1.1). */
static void check_subject(struct policy_reader *reader, const struct cilium_rule *rule) {
    bool endpoints = node_get(rule->part.node, "endpointSelector"), nodes = node_get(rule->part.node, "nodeSelector");
    if (endpoints && nodes)
        refuse(reader, CODE_INVALID_RULE, rule->part, "has both endpointSelector and nodeSelector; one is allowed");
    if (!endpoints && !nodes) {
        bool before = reader->in_subject;
        reader->in_subject = true;
        refuse(reader, CODE_INVALID_RULE, rule->part, "has neither endpointSelector nor nodeSelector; one is needed");
        reader->in_subject = before;
    }
    if (nodes && reader->object->kind == OBJECT_CILIUM_NETWORK_POLICY)
        refuse_agent(reader, CODE_INVALID_RULE, CILIUM_ALL, part_field(reader, rule->part, "nodeSelector"),
                     "stands in a CiliumNetworkPolicy; only a CiliumClusterwideNetworkPolicy selects nodes");
}

/* From 1.17 on the schema wants a key of the four, and the agent an entry in one. */
static void check_lists(struct policy_reader *reader, const struct cilium_rule *rule) {
    const struct cilium_entries *const lists[] = {&rule->egress, &rule->egress_deny, &rule->ingress,
                                                  &rule->ingress_deny};
    static const char *const keys[] = {"egress", "egressDeny", "ingress", "ingressDeny"};
    bool written = false, filled = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        written |= node_get(rule->part.node, keys[i]) != NULL;
        filled |= lists[i]->presence == PRESENCE_FILLED;
    }
    if (!written)
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_RULE, CILIUM_SINCE_1_17, rule->part,
                    "has none of egress, egressDeny, ingress and ingressDeny; from 1.17 on one is needed");
    else if (!filled)
        refuse_agent(reader, CODE_INVALID_RULE, CILIUM_SINCE_1_17, rule->part,
                     "has no entry in egress, egressDeny, ingress or ingressDeny; from 1.17 on one is needed");
}

/* The schema of `log` bounds its value. */
static void check_log(struct policy_reader *reader, const struct cilium_rule *rule) {
    struct part value = part_field(reader, part_field(reader, rule->part, "log"), "value");
    size_t characters = 0;
    struct text text = node_text(value.node);
    for (size_t i = 0; i < text.length; i++)
        characters += ((unsigned char)text.bytes[i] & 0xc0) != 0x80;
    if (characters > 32)
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_RULE, CILIUM_SINCE_1_18, value,
                    "has more than 32 characters");
}

/* A label without a key does not decode. */
static void check_labels(struct policy_reader *reader, const struct cilium_rule *rule) {
    struct part labels = part_field(reader, rule->part, "labels");
    for (uint32_t i = 0; node_is(labels.node, NODE_LIST) && i < labels.node->count; i++) {
        struct part key = part_field(reader, part_index(reader, labels, i), "key");
        if (node_string(key.node) && !*node_string(key.node))
            refuse_agent(reader, CODE_INVALID_LABEL, CILIUM_ALL, key, "is empty; a label has a key");
    }
}

static void check_rule(struct policy_reader *reader, const struct cilium_rule *rule) {
    if (!node_is(rule->part.node, NODE_MAP))
        return; /* of another type or null, which is reported */
    bool host = rule->node_selector.presence != PRESENCE_ABSENT;
    check_subject(reader, rule);
    check_lists(reader, rule);
    check_log(reader, rule);
    check_labels(reader, rule);
    check_entries(reader, &rule->egress, CILIUM_EGRESS, host);
    check_entries(reader, &rule->egress_deny, CILIUM_EGRESS_DENY, host);
    check_entries(reader, &rule->ingress, CILIUM_INGRESS, host);
    check_entries(reader, &rule->ingress_deny, CILIUM_INGRESS_DENY, host);
}

/* ---- the object ---- */

struct rule_list {
    struct cilium_rule *list;
    uint32_t count;
};
struct draft {
    struct rule_list spec, specs;
};

static void read_spec(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct rule_list *list = target;
    list->list = arena_alloc(reader->arena, sizeof *list->list);
    list->count = 1;
    read_rule(reader, field, part, list->list);
}

static void read_specs(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct rule_list *list = target;
    list->list = items_read(reader, field->below, part, sizeof *list->list, &list->count);
}

static const struct field rule_item[] = {
    {.key = "", .type = FIELD_MAP, .below = rule_fields, .read = read_rule, .whole = true}, {.key = NULL}};
static const struct field object_fields[] = {
    {.key = "apiVersion", .type = FIELD_STRING},
    {.key = "kind", .type = FIELD_STRING},
    {.key = "metadata", .type = FIELD_MAP, .below = metadata_fields, .whole = true},
    {.key = "spec",
     .type = FIELD_MAP,
     .below = rule_fields,
     .read = read_spec,
     .offset = offsetof(struct draft, spec),
     .whole = true},
    {.key = "specs",
     .type = FIELD_LIST,
     .below = rule_item,
     .read = read_specs,
     .offset = offsetof(struct draft, specs),
     .whole = true},
    {.key = "status", .type = FIELD_MAP},
    {.key = NULL},
};

static void check_object(struct policy_reader *reader, const struct policy *policy) {
    struct part root = {.node = reader->object->root, .path = ""};
    struct part spec = part_field(reader, root, "spec"), specs = part_field(reader, root, "specs");
    if (!spec.node && !specs.node) {
        spec.node = root.node;
        refuse_agent(reader, CODE_INVALID_RULE, CILIUM_ALL, spec, "is missing, and so is specs; one is needed");
    }
    for (uint32_t i = 0; i < policy->rule_count; i++)
        check_rule(reader, &policy->rules[i]);
}

void cilium_policy_read(struct policy_reader *reader, struct policy *policy) {
    struct draft draft = {.spec = {.count = 0}};
    reader->cilium = true;
    fields_read(reader, object_fields, (struct part){.node = reader->object->root, .path = ""}, &draft);
    policy->rule_count = draft.spec.count + draft.specs.count;
    policy->rules = arena_array(reader->arena, policy->rule_count, sizeof *policy->rules);
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        bool first = i < draft.spec.count;
        policy->rules[i] = first ? draft.spec.list[i] : draft.specs.list[i - draft.spec.count];
        policy->rules[i].index = first ? -1 : (int)(i - draft.spec.count);
    }
    metadata_check(reader);
    check_object(reader, policy);
}

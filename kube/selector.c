#include "kube/selector.h"

#include <stddef.h>

#include "base/arena.h"
#include "grammar/cilium_label.h"
#include "grammar/label.h"

enum flavor { FLAVOR_CORE, FLAVOR_CILIUM, FLAVOR_PLAIN };

/* A selector as it stands in its table, before it becomes requirements. */
struct draft {
    struct part labels, expressions;
    struct expression *list;
    uint32_t count;
};
struct expression {
    struct part part;
    const char *key, *verb;
    struct part values_part;
    const char **values;
    uint32_t count;
};

static void read_expression_values(struct policy_reader *reader, const struct field *field, struct part part,
                                   void *target) {
    struct expression *expression = target;
    expression->values_part = part;
    expression->values = items_read(reader, field->below, part, sizeof *expression->values, &expression->count);
}
static void read_expression(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct expression *)target)->part = part;
    fields_read(reader, field->below, part, target);
}
static void read_expressions(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct draft *draft = target;
    draft->expressions = part;
    draft->list = items_read(reader, field->below, part, sizeof *draft->list, &draft->count);
}

static const struct field value_item[] = {{.key = "", .type = FIELD_STRING, .read = field_read_string}, {.key = NULL}};
static const struct field expression_fields[] = {
    {.key = "key", .type = FIELD_STRING, .read = field_read_string, .offset = offsetof(struct expression, key)},
    {.key = "operator", .type = FIELD_STRING, .read = field_read_string, .offset = offsetof(struct expression, verb)},
    {.key = "values", .type = FIELD_LIST, .below = value_item, .read = read_expression_values},
    {.key = NULL},
};
static const struct field expression_item[] = {
    {.key = "", .type = FIELD_MAP, .below = expression_fields, .read = read_expression}, {.key = NULL}};
const struct field selector_fields[] = {
    {.key = "matchLabels",
     .type = FIELD_STRING_MAP,
     .read = field_read_part,
     .offset = offsetof(struct draft, labels),
     .widens = "the selector then asks for none of these labels"},
    {.key = "matchExpressions",
     .type = FIELD_LIST,
     .below = expression_item,
     .read = read_expressions,
     .widens = "the selector then asks for none of these expressions"},
    {.key = NULL},
};

/* ---- keys and values ---- */

/* What is wrong with a key, or NULL. */
static const char *key_fault(enum flavor flavor, const char *key) {
    struct cilium_label label;
    if (flavor == FLAVOR_CILIUM) {
        enum cilium_label_fault fault = cilium_label_parse(text_of(key), &label, NULL);
        if (fault == CILIUM_LABEL_KEY)
            return label_fault_text(label.label_fault);
        return fault == CILIUM_LABEL_OK ? NULL : cilium_label_fault_text(fault);
    }
    enum label_fault fault = label_key_check(text_of(key), NULL);
    return fault == LABEL_OK ? NULL : label_fault_text(fault);
}

/* The keys of Cilium selectors, and of selectors in Cilium objects, are judged by the agent, if by anybody. */
static void report_key(struct policy_reader *reader, enum flavor flavor, struct part part, const char *key,
                       const char *fault) {
    if (flavor == FLAVOR_CORE)
        refuse(reader, CODE_INVALID_SELECTOR, part, "has the key `%s`, which is no label key: %s", key, fault);
    else if (flavor == FLAVOR_CILIUM)
        refuse_agent(reader, CODE_INVALID_SELECTOR, CILIUM_ALL, part, "has the key `%s`, which is no label key: %s",
                     key, fault);
}

static bool check_key(struct policy_reader *reader, enum flavor flavor, struct part part, const char *key) {
    const char *fault = key_fault(flavor, key);
    if (fault)
        report_key(reader, flavor, part, key, fault);
    return !fault;
}

/* A value of matchLabels: the schema of CRDs knows the grammar. */
static bool check_label(struct policy_reader *reader, struct part part, const char *value) {
    enum label_fault fault = label_value_check(text_of(value), NULL);
    if (fault != LABEL_OK)
        refuse(reader, CODE_INVALID_SELECTOR, part, "has `%s`, which is no label value: %s", value,
               label_fault_text(fault));
    return fault == LABEL_OK;
}

/* A value of an expression: a plain string in the schema of CRDs. */
static bool check_value(struct policy_reader *reader, enum flavor flavor, struct part part, const char *value) {
    enum label_fault fault = label_value_check(text_of(value), NULL);
    if (fault == LABEL_OK)
        return true;
    if (flavor == FLAVOR_CORE)
        refuse(reader, CODE_INVALID_SELECTOR, part, "`%s` is no label value: %s", value, label_fault_text(fault));
    else if (flavor == FLAVOR_CILIUM)
        refuse_agent(reader, CODE_INVALID_SELECTOR, CILIUM_ALL, part, "`%s` is no label value: %s", value,
                     label_fault_text(fault));
    return false;
}

/* ---- requirements ---- */

static enum selector_operator operator_of(const char *word) {
    static const char *const words[] = {[OPERATOR_IN] = "In",
                                        [OPERATOR_NOT_IN] = "NotIn",
                                        [OPERATOR_EXISTS] = "Exists",
                                        [OPERATOR_DOES_NOT_EXIST] = "DoesNotExist"};
    for (int i = 0; word && i < OPERATOR_INVALID; i++) {
        if (text_is(text_of(word), words[i]))
            return (enum selector_operator)i;
    }
    return OPERATOR_INVALID;
}

static struct selector_requirement label_requirement(struct policy_reader *reader, enum flavor flavor,
                                                     struct part labels, const struct node_entry *entry) {
    const char **values = arena_array(reader->arena, 1, sizeof *values);
    const char *key = node_string(&entry->key), *value = node_string(&entry->value);
    bool readable = key && (value || node_is_null(&entry->value));
    *values = value ? value : "";
    struct part place = {.node = &entry->value, .path = labels.path};
    if (readable) {
        readable = check_key(reader, flavor, place, key);
        readable &= check_label(reader, place, *values);
    }
    return (struct selector_requirement){.key = key ? key : "",
                                         .verb = OPERATOR_IN,
                                         .values = values,
                                         .count = 1,
                                         .readable = readable,
                                         .node = &entry->value};
}

/* The schema of a CRD wants key and operator to be there, and knows the operators; a core object has "" for both. */
static bool check_operator(struct policy_reader *reader, const struct expression *expression,
                           enum selector_operator relation) {
    struct part place = part_field(reader, expression->part, "operator");
    const char *word = expression->verb;
    if (relation != OPERATOR_INVALID)
        return true;
    if (word)
        refuse(reader, CODE_INVALID_SELECTOR, place, "is `%s`; In, NotIn, Exists and DoesNotExist are the operators",
               word);
    else if (!place.node) /* else of another type, which is reported */
        refuse(reader, CODE_INVALID_SELECTOR, place, "is missing; an expression needs an operator");
    return false;
}

static bool check_count(struct policy_reader *reader, enum flavor flavor, const struct expression *expression,
                        enum selector_operator relation) {
    bool wants = relation == OPERATOR_IN || relation == OPERATOR_NOT_IN;
    struct part place = part_field(reader, expression->part, "values");
    if (relation == OPERATOR_INVALID || wants == (expression->count > 0))
        return true;
    if (place.node && place.node->kind != NODE_LIST)
        return false; /* of another type, which is reported */
    const char *fault = wants ? "needs a value for In or NotIn" : "must be empty for Exists or DoesNotExist";
    if (flavor == FLAVOR_CORE)
        refuse(reader, CODE_INVALID_SELECTOR, place, "%s", fault);
    else if (flavor == FLAVOR_CILIUM)
        refuse_agent(reader, CODE_INVALID_SELECTOR, CILIUM_ALL, place, "%s", fault);
    return false;
}

static bool check_expression_key(struct policy_reader *reader, enum flavor flavor,
                                 const struct expression *expression) {
    struct part place = part_field(reader, expression->part, "key");
    if (expression->key)
        return check_key(reader, flavor, place, expression->key);
    if (!place.node) /* else of another type, which is reported */
        refuse(reader, CODE_INVALID_SELECTOR, place, "is missing; an expression needs a key");
    return false;
}

static bool check_values(struct policy_reader *reader, enum flavor flavor, const struct expression *expression) {
    bool readable = true;
    for (uint32_t i = 0; i < expression->count; i++) {
        struct part place = part_index(reader, expression->values_part, i);
        bool null = node_is_null(place.node);
        if (!expression->values[i]) {
            expression->values[i] = "";
            readable &= null;
        } else {
            readable &= check_value(reader, flavor, place, expression->values[i]);
        }
    }
    return readable;
}

static struct selector_requirement expression_requirement(struct policy_reader *reader, enum flavor flavor,
                                                          const struct expression *expression) {
    enum selector_operator relation = operator_of(expression->verb);
    bool readable = node_is(expression->part.node, NODE_MAP) || node_is_null(expression->part.node);
    if (readable) {
        readable = check_expression_key(reader, flavor, expression);
        readable &= check_operator(reader, expression, relation);
        readable &= check_count(reader, flavor, expression, relation);
        readable &= check_values(reader, flavor, expression);
    }
    return (struct selector_requirement){.key = expression->key ? expression->key : "",
                                         .verb = relation,
                                         .values = expression->values,
                                         .count = expression->count,
                                         .expression = true,
                                         .readable = readable,
                                         .node = expression->part.node};
}

static void read_selector(struct policy_reader *reader, enum flavor flavor, struct part part,
                          struct selector *selector) {
    struct draft draft = {.count = 0};
    fields_read(reader, selector_fields, part, &draft);
    const struct node *labels = draft.labels.node;
    const uint8_t *overrides = labels ? node_overrides(reader->arena, labels) : NULL;
    uint32_t label_count = labels ? labels->count : 0;
    struct selector_requirement *list = arena_array(reader->arena, (size_t)label_count + draft.count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; i < label_count; i++) {
        const struct node_entry *entry = &labels->entries[i];
        /* A null value is "" to core kinds; CRDs drop the key. */
        if ((overrides && overrides[i] != NODE_COUNTS) || (reader->cilium && node_is_null(&entry->value)))
            continue;
        list[count++] = label_requirement(reader, flavor, draft.labels, entry);
    }
    for (uint32_t i = 0; i < draft.count; i++)
        list[count++] = expression_requirement(reader, flavor, &draft.list[i]);
    *selector = (struct selector){
        .presence = count ? PRESENCE_FILLED : PRESENCE_EMPTY, .requirements = list, .count = count, .part = part};
}

void selector_read_core(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    (void)field;
    read_selector(reader, FLAVOR_CORE, part, target);
}
void selector_read_cilium(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    (void)field;
    read_selector(reader, FLAVOR_CILIUM, part, target);
}
void selector_read_plain(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    (void)field;
    read_selector(reader, FLAVOR_PLAIN, part, target);
}

void selectors_read(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_selectors *selectors = target;
    selectors->presence = node_presence(part.node);
    selectors->part = part;
    selectors->list = items_read(reader, field->below, part, sizeof *selectors->list, &selectors->count);
}

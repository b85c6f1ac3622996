#include "analyzer/rules/selector_set.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/rules/api_server.h"
#include "analyzer/rules/cilium_key.h"
#include "base/arena.h"
#include "base/text.h"

static void condition_set_values(struct label_condition *condition, const char *const *values, uint32_t count,
                                 struct arena *arena) {
    const char **sorted = arena_array(arena, count ? count : 1, sizeof *sorted);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (values[i])
            sorted[kept++] = values[i];
    qsort(sorted, kept, sizeof *sorted, string_compare_at);
    uint32_t unique = 0;
    for (uint32_t i = 0; i < kept; i++)
        if (unique == 0 || strcmp(sorted[unique - 1], sorted[i]) != 0)
            sorted[unique++] = sorted[i];
    condition->values = sorted;
    condition->count = unique;
}

static struct label_condition *conditions_slot(struct label_conditions *conditions, struct arena *arena) {
    if (conditions->count == conditions->capacity)
        conditions->list =
            arena_grow(arena, conditions->list, &conditions->capacity, conditions->count + 1, sizeof *conditions->list);
    return &conditions->list[conditions->count++];
}

void conditions_add(struct label_conditions *conditions, const char *key, enum selector_operator verb,
                    const char *value, struct arena *arena) {
    struct label_condition *condition = conditions_slot(conditions, arena);
    *condition = (struct label_condition){.key = key, .verb = verb};
    if (value) {
        const char **values = arena_array(arena, 1, sizeof *values);
        values[0] = value;
        condition->values = values;
        condition->count = 1;
    }
}

/* A key without a source is of any: both spellings are the same selector. */
static const char *key_normal_form(const char *key) {
    static const char any[] = "any:";
    return strncmp(key, any, sizeof any - 1) == 0 ? key + sizeof any - 1 : key;
}

void conditions_add_selector(struct label_conditions *conditions, const struct selector *selector, const char *prefix,
                             struct arena *arena) {
    for (uint32_t i = 0; i < selector->count; i++) {
        const struct selector_requirement *requirement = &selector->requirements[i];
        if (!requirement->key)
            continue;
        struct label_condition *condition = conditions_slot(conditions, arena);
        *condition = (struct label_condition){.key = key_normal_form(requirement->key), .verb = requirement->verb};
        if (*prefix)
            condition->key = arena_format(arena, "%s%s", prefix, requirement->key);
        condition_set_values(condition, requirement->values, requirement->count, arena);
    }
}

/* ---- normal form ---- */

static int compare_conditions(const void *left, const void *right) {
    const struct label_condition *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    if (order == 0)
        order = (a->verb > b->verb) - (a->verb < b->verb);
    if (order == 0)
        order = (a->count > b->count) - (a->count < b->count);
    for (uint32_t i = 0; order == 0 && i < a->count; i++)
        order = strcmp(a->values[i], b->values[i]);
    return order;
}

const char *conditions_normal_form(struct label_conditions *conditions, struct arena *arena) {
    static const char *const words[] = {
        [OPERATOR_IN] = " in",         [OPERATOR_NOT_IN] = " notin",
        [OPERATOR_EXISTS] = " exists", [OPERATOR_DOES_NOT_EXIST] = " absent",
        [OPERATOR_INVALID] = " ?",
    };
    if (conditions->count > 1)
        qsort(conditions->list, conditions->count, sizeof *conditions->list, compare_conditions);
    struct buffer out;
    buffer_init(&out, arena);
    buffer_add_string(&out, "labels");
    for (size_t i = 0; i < conditions->count; i++) {
        const struct label_condition *condition = &conditions->list[i];
        if (i > 0 && compare_conditions(condition, condition - 1) == 0)
            continue;
        buffer_print(&out, " %s%s", condition->key, words[condition->verb]);
        for (uint32_t k = 0; k < condition->count; k++)
            buffer_print(&out, ",%s", condition->values[k]);
        buffer_add_char(&out, ';');
    }
    return buffer_string(&out);
}

/* ---- sets ---- */

static struct value_set condition_values(enum selector_operator verb, const char *const *values, uint32_t count,
                                         struct arena *arena) {
    switch (verb) {
    case OPERATOR_IN:
        return value_set_of(arena, values, count, false, false);
    case OPERATOR_NOT_IN:
        return value_set_of(arena, values, count, true, true);
    case OPERATOR_EXISTS:
        return value_set_of(arena, NULL, 0, true, false);
    case OPERATOR_DOES_NOT_EXIST:
    case OPERATOR_INVALID:
        break;
    }
    return value_set_of(arena, NULL, 0, false, verb == OPERATOR_DOES_NOT_EXIST);
}

struct label_set selector_label_set(const struct selector *selector, enum label_scope scope, struct label_set start,
                                    struct arena *arena) {
    struct label_conditions conditions = {0};
    conditions_add_selector(&conditions, selector, "", arena);
    struct label_set set = start;
    for (size_t i = 0; i < conditions.count; i++) {
        const struct label_condition *condition = &conditions.list[i];
        struct label_key key = {scope, condition->key};
        struct value_set values = condition_values(condition->verb, condition->values, condition->count, arena);
        if (label_key_is_universal(&key))
            values.absent = false;
        set = label_set_require(arena, &set, key, &values);
    }
    return set;
}

static bool condition_is_negative(const struct label_condition *condition) {
    return condition->verb == OPERATOR_NOT_IN || condition->verb == OPERATOR_DOES_NOT_EXIST;
}

/* Whether labels that hold `key` with the empty value, and nothing else of that key, fulfil the condition. */
static bool condition_holds_for_empty(const struct label_condition *condition, bool present) {
    bool listed = false;
    for (uint32_t i = 0; present && i < condition->count; i++)
        listed = listed || *condition->values[i] == '\0';
    switch (condition->verb) {
    case OPERATOR_IN:
        return listed;
    case OPERATOR_NOT_IN:
        return !listed;
    case OPERATOR_EXISTS:
        return present;
    case OPERATOR_DOES_NOT_EXIST:
        return !present;
    case OPERATOR_INVALID:
        break;
    }
    return false;
}

static struct endpoint_set conditions_pods(const struct label_conditions *conditions, const struct cluster *cluster,
                                           const struct reading *reading) {
    struct arena *arena = cluster->arena;
    struct label_set set = label_set_everything();
    for (size_t i = 0; i < conditions->count; i++) {
        const struct label_condition *condition = &conditions->list[i];
        struct cilium_key key = cilium_key_of(condition->key);
        struct label_key label;
        if (!cilium_key_label(&key, reading, &label)) {
            if (!condition_is_negative(condition))
                return endpoint_set_nothing();
            continue;
        }
        struct value_set values = condition_values(condition->verb, condition->values, condition->count, arena);
        if (label_key_is_universal(&label))
            values.absent = false;
        set = label_set_require(arena, &set, label, &values);
    }
    return label_set_is_empty(&set) ? endpoint_set_nothing() : endpoint_set_of(arena, &set);
}

/* The reserved labels that a special identity carries. */
static const struct {
    const char *label;
    bool api_server;
} special_labels[SPECIAL_COUNT] = {
    [SPECIAL_API_SERVER] = {"world", true},
    [SPECIAL_HOST] = {"host", false},
    [SPECIAL_HOST_API_SERVER] = {"host", true},
    [SPECIAL_REMOTE_NODE] = {"remote-node", false},
    [SPECIAL_REMOTE_NODE_API_SERVER] = {"remote-node", true},
    [SPECIAL_HEALTH] = {"health", false},
    [SPECIAL_INGRESS] = {"ingress", false},
    [SPECIAL_INIT] = {"init", false},
    [SPECIAL_UNMANAGED] = {"unmanaged", false},
};

static bool key_reads_source(const struct cilium_key *key, enum cilium_source source) {
    return key->source == source || key->source == SOURCE_ANY;
}

static bool special_carries(enum special special, const struct cilium_key *key) {
    return key_reads_source(key, SOURCE_RESERVED) &&
           (strcmp(key->name, special_labels[special].label) == 0 ||
            (special_labels[special].api_server && strcmp(key->name, "kube-apiserver") == 0));
}

static uint32_t conditions_specials(const struct label_conditions *conditions) {
    uint32_t specials = 0;
    for (unsigned special = 0; special < SPECIAL_COUNT; special++) {
        bool fulfilled = true;
        for (size_t i = 0; fulfilled && i < conditions->count; i++) {
            struct cilium_key key = cilium_key_of(conditions->list[i].key);
            fulfilled = condition_holds_for_empty(&conditions->list[i], special_carries((enum special)special, &key));
        }
        if (fulfilled)
            specials |= 1u << special;
    }
    return specials;
}

/* Outside addresses carry reserved:world, a cidr: label for each prefix they lie in, and a fqdn: label for each selector
 * that matches a name which DNS gave for them. The conditions narrow addresses and names apart from one another. */
struct outside {
    struct address_set addresses;
    struct name_set names;
    bool needs_name; /* a fqdn: label is demanded: no plain external address has one */
    bool nothing;
};

static void outside_narrow_addresses(struct outside *outside, const struct label_condition *condition, const char *name,
                                     struct arena *arena) {
    struct cidr cidr;
    struct text text = text_of(name);
    if (cidr_parse(text, &cidr) != CIDR_OK) {
        outside->nothing = outside->nothing || !condition_holds_for_empty(condition, false);
        return;
    }
    struct address_set inside = address_set_of(arena, &cidr.first, &cidr.last);
    bool within = condition_holds_for_empty(condition, true), beyond = condition_holds_for_empty(condition, false);
    if (!within)
        outside->addresses = address_set_subtract(arena, &outside->addresses, &inside);
    if (!beyond)
        outside->addresses = address_set_intersect(arena, &outside->addresses, &inside);
}

static void outside_narrow_names(struct outside *outside, const struct label_condition *condition, const char *name,
                                 const struct reading *reading, struct arena *arena) {
    struct name_pattern pattern = name_pattern_of(arena, text_of(name), reading->class >= CILIUM_1_19);
    struct name_set matched = name_set_of(arena, &pattern, 1);
    bool within = condition_holds_for_empty(condition, true), beyond = condition_holds_for_empty(condition, false);
    if (!within)
        outside->names = name_set_subtract(arena, &outside->names, &matched);
    if (!beyond) {
        outside->names = name_set_intersect(arena, &outside->names, &matched);
        outside->needs_name = true;
    }
}

/* The label of half the world, which the identities of outside addresses carry where there are both families. */
static bool key_is_half(const struct cilium_key *key, struct address_set *half) {
    bool ipv4 = strcmp(key->name, "world-ipv4") == 0;
    if (!key_reads_source(key, SOURCE_RESERVED) || !(ipv4 || strcmp(key->name, "world-ipv6") == 0))
        return false;
    *half = address_set_family(ipv4 ? ADDRESS_IPV4 : ADDRESS_IPV6);
    return true;
}

static bool outside_carries(const struct cilium_key *key, bool api_server) {
    return key_reads_source(key, SOURCE_RESERVED) &&
           (strcmp(key->name, "world") == 0 || (api_server && strcmp(key->name, "kube-apiserver") == 0));
}

/* `api_server`: of the API server's addresses, which carry its label as well. */
static struct outside conditions_outside(const struct label_conditions *conditions, bool api_server,
                                         const struct reading *reading, struct arena *arena) {
    struct outside outside = {address_set_everything(), name_set_everything(), false, false};
    for (size_t i = 0; i < conditions->count; i++) {
        const struct label_condition *condition = &conditions->list[i];
        struct cilium_key key = cilium_key_of(condition->key);
        struct address_set half;
        bool demanded = condition_holds_for_empty(condition, true) && !condition_holds_for_empty(condition, false);
        if (demanded && key_is_half(&key, &half))
            outside.addresses = address_set_intersect(arena, &outside.addresses, &half);
        else if (key.source == SOURCE_CIDR)
            outside_narrow_addresses(&outside, condition, key.name, arena);
        else if (key.source == SOURCE_FQDN)
            outside_narrow_names(&outside, condition, key.name, reading, arena);
        else if (!condition_holds_for_empty(condition, outside_carries(&key, api_server)))
            outside.nothing = true;
    }
    return outside;
}

static struct destination_set outside_destinations(const struct outside *outside, struct arena *arena) {
    if (outside->nothing)
        return destination_set_nothing();
    struct destination_set by_address = destination_set_of_addresses(arena, &outside->addresses);
    struct destination_set by_name = destination_set_of_names(arena, &outside->names);
    struct destination_set result = by_address;
    struct destination_set learned = destination_set_intersect(arena, &by_address, &by_name);
    if (outside->needs_name)
        result.addresses = address_set_nothing();
    result.learned = learned.learned;
    result.learned_count = learned.learned_count;
    return result;
}

static bool conditions_speak_of_api_server(const struct label_conditions *conditions) {
    for (size_t i = 0; i < conditions->count; i++) {
        struct cilium_key key = cilium_key_of(conditions->list[i].key);
        if (key_reads_source(&key, SOURCE_RESERVED) && strcmp(key.name, "kube-apiserver") == 0)
            return true;
    }
    return false;
}

struct destination_set conditions_destinations(const struct label_conditions *conditions, const struct cluster *cluster,
                                               const struct reading *reading) {
    struct arena *arena = cluster->arena;
    struct outside outside = conditions_outside(conditions, false, reading, arena);
    struct destination_set result = outside_destinations(&outside, arena);
    struct address_set known = api_server_addresses(cluster);
    uint32_t specials = conditions_specials(conditions);
    if (!address_set_is_empty(&known) && conditions_speak_of_api_server(conditions)) {
        struct destination_set servers = destination_set_of_addresses(arena, &known);
        outside = conditions_outside(conditions, true, reading, arena);
        struct destination_set selected = outside_destinations(&outside, arena);
        selected = destination_set_intersect(arena, &selected, &servers);
        result = destination_set_subtract(arena, &result, &servers);
        result = destination_set_union(arena, &result, &selected);
        specials &= ~(1u << SPECIAL_API_SERVER);
    }
    result.pods = conditions_pods(conditions, cluster, reading);
    result.specials = specials;
    return result;
}

bool conditions_single_out_api_server(const struct label_conditions *conditions, const struct cluster *cluster,
                                      const struct destination_set *selected) {
    struct address_set known = api_server_addresses(cluster);
    bool outside = !address_set_is_empty(&selected->addresses) || selected->learned_count > 0;
    return conditions_speak_of_api_server(conditions) && outside && address_set_is_empty(&known);
}

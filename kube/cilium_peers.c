/*
 * Reading the entries of egress, egressDeny, ingress and ingressDeny (spec/cilium-egress.md 3, 6).
 */
#include <stddef.h>

#include "base/arena.h"
#include "kube/cilium_rule.h"
#include "kube/selector.h"

/* ---- words and names ---- */

void cilium_words_read(struct policy_reader *reader, const struct field *item, struct part part, void *target) {
    struct cilium_words *words = target;
    uint32_t count;
    words->presence = node_presence(part.node);
    words->part = part;
    items_read(reader, item, part, 0, &count);
    words->count = count;
    words->list = arena_array(reader->arena, count, sizeof *words->list);
    words->parts = arena_array(reader->arena, count, sizeof *words->parts);
    for (uint32_t i = 0; i < count; i++) {
        words->parts[i] = part_index(reader, part, i);
        words->list[i] = node_string(words->parts[i].node);
    }
}

static void read_words(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    cilium_words_read(reader, field->below, part, target);
}

static const struct field name_fields[] = {
    {.key = "matchName",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct cilium_name, match_name)},
    {.key = "matchPattern",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct cilium_name, match_pattern)},
    {.key = NULL},
};
static void read_name(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct cilium_name *)target)->part = part;
    fields_read(reader, field->below, part, target);
}
const struct field cilium_name_item[] = {{.key = "", .type = FIELD_MAP, .below = name_fields, .read = read_name},
                                         {.key = NULL}};

void cilium_names_read(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_names *names = target;
    names->presence = node_presence(part.node);
    names->part = part;
    names->names = items_read(reader, field->below, part, sizeof *names->names, &names->count);
}

/* ---- CIDRs ---- */

static bool read_prefix(const struct node *node, struct cidr *cidr) {
    const char *text = node_string(node);
    return text && cidr_parse(text_of(text), cidr) == CIDR_OK;
}

static void read_cidr(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_cidr *cidr = target;
    (void)reader, (void)field;
    cidr->part = part;
    cidr->usable = read_prefix(part.node, &cidr->cidr);
}

static void read_set_cidr(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_cidr *cidr = target;
    (void)reader, (void)field;
    cidr->usable = read_prefix(part.node, &cidr->cidr);
}

static void read_except(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct core_except *except = target;
    (void)reader, (void)field;
    except->part = part;
    except->usable = read_prefix(part.node, &except->cidr);
}

static void read_excepts(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_cidr *cidr = target;
    cidr->excepts = items_read(reader, field->below, part, sizeof *cidr->excepts, &cidr->except_count);
}

static void read_set_entry(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct cilium_cidr *)target)->part = part;
    fields_read(reader, field->below, part, target);
}

static void read_cidrs(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_cidrs *cidrs = target;
    cidrs->presence = node_presence(part.node);
    cidrs->part = part;
    cidrs->list = items_read(reader, field->below, part, sizeof *cidrs->list, &cidrs->count);
}

static const struct field except_item[] = {{.key = "", .type = FIELD_STRING, .read = read_except}, {.key = NULL}};
static const struct field set_fields[] = {
    {.key = "cidr", .type = FIELD_STRING, .read = read_set_cidr},
    {.key = "cidrGroupRef",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct cilium_cidr, group)},
    {.key = "cidrGroupSelector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_plain,
     .offset = offsetof(struct cilium_cidr, group_selector),
     .classes = CILIUM_SINCE_1_17},
    {.key = "except",
     .type = FIELD_LIST,
     .below = except_item,
     .read = read_excepts,
     .widens = "the block then has no holes"},
    {.key = NULL},
};
static const struct field cidr_item[] = {{.key = "", .type = FIELD_STRING, .read = read_cidr}, {.key = NULL}};
static const struct field set_item[] = {{.key = "", .type = FIELD_MAP, .below = set_fields, .read = read_set_entry},
                                        {.key = NULL}};

/* ---- services and groups ---- */

static void read_service_name(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct cilium_service *)target)->has_service = true;
    fields_read(reader, field->below, part, target);
}

static void read_service_selector(struct policy_reader *reader, const struct field *field, struct part part,
                                  void *target) {
    ((struct cilium_service *)target)->has_selector = true;
    fields_read(reader, field->below, part, target);
}

static void read_service(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct cilium_service *)target)->part = part;
    fields_read(reader, field->below, part, target);
}

static void read_services(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_services *services = target;
    services->presence = node_presence(part.node);
    services->part = part;
    services->list = items_read(reader, field->below, part, sizeof *services->list, &services->count);
}

static const struct field service_name_fields[] = {
    {.key = "serviceName",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct cilium_service, name)},
    {.key = "namespace",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct cilium_service, namespace),
     .widens = "every namespace is then meant"},
    {.key = NULL},
};
static const struct field service_selector_fields[] = {
    {.key = "selector",
     .type = FIELD_MAP,
     .below = selector_fields,
     .read = selector_read_plain,
     .offset = offsetof(struct cilium_service, selector),
     .required = true,
     .code = CODE_INVALID_PEER},
    {.key = "namespace",
     .type = FIELD_STRING,
     .read = field_read_string,
     .offset = offsetof(struct cilium_service, selector_namespace),
     .widens = "every namespace is then meant"},
    {.key = NULL},
};
static const struct field service_fields[] = {
    {.key = "k8sService", .type = FIELD_MAP, .below = service_name_fields, .read = read_service_name},
    {.key = "k8sServiceSelector", .type = FIELD_MAP, .below = service_selector_fields, .read = read_service_selector},
    {.key = NULL},
};
static const struct field service_item[] = {
    {.key = "", .type = FIELD_MAP, .below = service_fields, .read = read_service}, {.key = NULL}};

static const struct field string_item[] = {{.key = "", .type = FIELD_STRING}, {.key = NULL}};
static const struct field aws_fields[] = {
    {.key = "labels", .type = FIELD_STRING_MAP},
    {.key = "securityGroupsIds", .type = FIELD_LIST, .below = string_item},
    {.key = "securityGroupsNames", .type = FIELD_LIST, .below = string_item},
    {.key = "region", .type = FIELD_STRING},
    {.key = NULL},
};
static const struct field group_fields[] = {{.key = "aws", .type = FIELD_MAP, .below = aws_fields}, {.key = NULL}};
static const struct field group_item[] = {{.key = "", .type = FIELD_MAP, .below = group_fields}, {.key = NULL}};

static void read_groups(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    struct cilium_entry *entry = target;
    uint32_t count;
    items_read(reader, field->below, part, 0, &count);
    entry->groups = node_presence(part.node);
    entry->groups_part = part;
}

/* ---- entries ---- */

static const char *const authentication_words[] = {"disabled", "required", "test-always-fail", NULL};
static const struct field authentication_fields[] = {
    {.key = "mode",
     .type = FIELD_STRING,
     .required = true,
     .words = authentication_words,
     .code = CODE_INVALID_RULE,
     .read = field_read_string,
     .offset = offsetof(struct cilium_entry, authentication)},
    {.key = NULL},
};
static const struct field selector_item[] = {
    {.key = "", .type = FIELD_MAP, .below = selector_fields, .read = selector_read_cilium}, {.key = NULL}};

static const char *const entity_words[] = {"all",       "world",       "cluster", "host", "init",           "ingress",
                                           "unmanaged", "remote-node", "health",  "none", "kube-apiserver", NULL};
static const struct field entity_item[] = {
    {.key = "", .type = FIELD_STRING, .words = entity_words, .code = CODE_INVALID_PEER}, {.key = NULL}};

#define WITHOUT_PEERS "without peers, a rule with ports reaches everything on them, and one without ports nothing"
#define WITHOUT_PORTS "every port and protocol is then meant"

#define PEER(key_, member_, item_, read_, classes_)                                                                    \
    {                                                                                                                  \
        .key = key_, .type = FIELD_LIST, .below = item_, .read = read_,                                                \
        .offset = offsetof(struct cilium_entry, member_), .classes = classes_, .widens = WITHOUT_PEERS                 \
    }
/* What all four lists share; `way` is "to" or "from". Groups of sources came with 1.16. */
#define PEERS(way, group_classes)                                                                                      \
    PEER(way "Endpoints", endpoints, selector_item, selectors_read, 0),                                                \
        PEER(way "Entities", entities, entity_item, read_words, 0), PEER(way "CIDR", cidrs, cidr_item, read_cidrs, 0), \
        PEER(way "CIDRSet", cidr_sets, set_item, read_cidrs, 0),                                                       \
        PEER(way "Nodes", nodes, selector_item, selectors_read, CILIUM_SINCE_1_16),                                    \
        PEER(way "Requires", requires, selector_item, selectors_read, 0), {                                            \
        .key = way "Groups", .type = FIELD_LIST, .below = group_item, .read = read_groups, .classes = group_classes,   \
        .widens = WITHOUT_PEERS                                                                                        \
    }
#define PORTS(item_)                                                                                                   \
    {.key = "toPorts", .type = FIELD_LIST, .below = item_, .read = cilium_port_rules_read, .widens = WITHOUT_PORTS}, { \
        .key = "icmps", .type = FIELD_LIST, .below = cilium_icmp_rule_item, .read = cilium_icmps_read,                 \
        .widens = WITHOUT_PORTS                                                                                        \
    }
#define AUTHENTICATION                                                                                                 \
    {                                                                                                                  \
        .key = "authentication", .type = FIELD_MAP, .below = authentication_fields, .read = field_read_map,            \
        .widens = "no handshake is then asked for"                                                                     \
    }

static const struct field egress_fields[] = {
    PEERS("to", 0),
    PEER("toFQDNs", fqdns, cilium_name_item, cilium_names_read, 0),
    PEER("toServices", services, service_item, read_services, 0),
    PORTS(cilium_port_rule_item),
    AUTHENTICATION,
    {.key = NULL},
};
static const struct field egress_deny_fields[] = {
    PEERS("to", 0),
    {.key = "toFQDNs",
     .type = FIELD_PRUNED,
     .code = CODE_DENY_FQDN_PRUNED,
     .widens = "with ports the deny then holds for every destination, and without ports for none"},
    PEER("toServices", services, service_item, read_services, 0),
    PORTS(cilium_deny_port_rule_item),
    {.key = NULL},
};
static const struct field ingress_fields[] = {
    PEERS("from", CILIUM_SINCE_1_16), PORTS(cilium_port_rule_item), AUTHENTICATION, {.key = NULL}};
static const struct field ingress_deny_fields[] = {
    PEERS("from", CILIUM_SINCE_1_16), PORTS(cilium_deny_port_rule_item), {.key = NULL}};

static void read_entry(struct policy_reader *reader, const struct field *field, struct part part, void *target) {
    ((struct cilium_entry *)target)->part = part;
    fields_read(reader, field->below, part, target);
}

#define ENTRY(fields_)                                                                                                 \
    {                                                                                                                  \
        {.key = "", .type = FIELD_MAP, .below = fields_, .read = read_entry}, { .key = NULL }                          \
    }
const struct field cilium_entry_items[4][2] = {
    [CILIUM_EGRESS] = ENTRY(egress_fields),
    [CILIUM_EGRESS_DENY] = ENTRY(egress_deny_fields),
    [CILIUM_INGRESS] = ENTRY(ingress_fields),
    [CILIUM_INGRESS_DENY] = ENTRY(ingress_deny_fields),
};

/*
 * What API server and agent refuse in the peers of a Cilium rule (spec/cilium-egress.md 3, 8).
 */
#include <string.h>

#include "grammar/fqdn.h"
#include "grammar/name.h"
#include "kube/cilium_rule.h"

/* ---- combinations ---- */

/* Two kinds of peers with entries in one rule; an empty list is no kind (C 3.1). */
static void check_combination(struct policy_reader *reader, const struct cilium_entry *entry) {
    const struct {
        const char *word;
        enum presence presence;
    } kinds[] = {
        {"Endpoints", entry->endpoints.presence},
        {"Entities", entry->entities.presence},
        {"CIDR", entry->cidrs.presence},
        {"CIDRSet", entry->cidr_sets.presence},
        {"FQDNs", entry->fqdns.presence},
        {"Services", entry->services.presence},
        {"Groups", entry->groups},
        {"Nodes", entry->nodes.presence},
    };
    const char *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].presence != PRESENCE_FILLED)
            continue;
        /* Before 1.16 there is no field for nodes. */
        cilium_classes classes = strcmp(kinds[i].word, "Nodes") == 0 ? CILIUM_SINCE_1_16 : CILIUM_ALL;
        if (first)
            refuse_agent(reader, CODE_INVALID_PEER, classes, entry->part,
                         "has peers of the kinds %s and %s; a rule has one kind", first, kinds[i].word);
        first = first ? first : kinds[i].word;
    }
}

static void check_services(struct policy_reader *reader, const struct cilium_entry *entry) {
    bool both = entry->services.presence == PRESENCE_FILLED && entry->port_presence == PRESENCE_FILLED;
    if (both)
        refuse_agent(reader, CODE_INVALID_PEER, cilium_before(CILIUM_1_17_0), entry->part,
                     "has toServices with toPorts, which agents before 1.17 refuse");
}

static void check_nodes(struct policy_reader *reader, const struct cilium_entry *entry) {
    if (entry->nodes.presence == PRESENCE_FILLED)
        refuse_agent(reader, CODE_INVALID_PEER, CILIUM_SINCE_1_16, entry->nodes.part,
                     "needs the agent's option enable-node-selector-labels, which is off by default");
}

static void check_requires(struct policy_reader *reader, const struct cilium_entry *entry) {
    if (entry->requires.presence == PRESENCE_FILLED)
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_PEER, cilium_from(CILIUM_1_19), entry->requires.part,
                    "has entries, which the schema of 1.19 does not allow any more");
}

/* ---- CIDRs ---- */

/* The schema up to 1.15 is a pattern: three digits an octet at most, no leading zero in the prefix length, no dotted quad
 * in IPv6. Later ones ask a lax parser. The agent's parser takes no leading zeros, and no zone. */
static void check_cidr(struct policy_reader *reader, struct part part) {
    const char *text = node_string(part.node);
    struct cidr cidr;
    if (!text)
        return; /* of another type or null, which is reported */
    enum cidr_fault fault = cidr_parse(text_of(text), &cidr);
    if (fault != CIDR_OK) {
        refuse(reader, CODE_INVALID_CIDR, part, "is `%s`, which is no CIDR: %s", text, cidr_fault_text(fault));
        return;
    }
    if (strchr(text, ':') && strchr(text, '.'))
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_CIDR, cilium_before(CILIUM_1_16_0), part,
                    "is `%s`; the schema up to 1.15 takes no dotted quad in IPv6", text);
    if (cidr.flags & CIDR_LEADING_ZEROS)
        refuse_agent(reader, CODE_INVALID_CIDR, CILIUM_ALL, part, "is `%s`; the agent takes no leading zeros", text);
}

/* Up to 1.19 the agent looks at the except's own address, host bits included, and not at its length. */
static bool holds_address(const struct cidr *outer, const struct cidr *inner) {
    return outer->first.family == inner->address.family && address_compare(&outer->first, &inner->address) <= 0 &&
           address_compare(&inner->address, &outer->last) <= 0;
}

static void check_excepts(struct policy_reader *reader, const struct cilium_cidr *cidr) {
    for (uint32_t i = 0; i < cidr->except_count; i++) {
        const struct core_except *except = &cidr->excepts[i];
        check_cidr(reader, except->part);
        if (cidr->usable && except->usable && !holds_address(&cidr->cidr, &except->cidr))
            refuse_agent(reader, CODE_INVALID_CIDR, CILIUM_ALL, except->part, "is `%s`, which is not inside the block",
                         node_string(except->part.node));
    }
}

static void check_group(struct policy_reader *reader, const struct cilium_cidr *cidr, bool ingress) {
    cilium_classes with_except = CILIUM_BIT(CILIUM_1_16_0) | CILIUM_BIT(CILIUM_1_16_4);
    struct part ref = part_field(reader, cidr->part, "cidrGroupRef");
    if (cidr->group && name_check_subdomain(text_of(cidr->group), NULL) != NAME_OK)
        refuse(reader, CODE_INVALID_NAME, ref, "is `%s`, which is no name of an object", cidr->group);
    if (cidr->group && !ingress)
        problem_add(reader, PROBLEM_REFUSED_AGENT, CODE_INVALID_PEER, cilium_before(CILIUM_1_16_0), ref,
                    "stands in egress, where agents before 1.16 refuse it");
    if (cidr->group && cidr->except_count > 0)
        refuse_agent(reader, CODE_INVALID_CIDR, with_except, part_field(reader, cidr->part, "except"),
                     "stands beside a group, which agents of 1.16 refuse");
}

/* Exactly one of the keys; the selector is none to schemas before 1.17. */
static void check_one_source(struct policy_reader *reader, const struct cilium_cidr *cidr) {
    const struct node *node = cidr->part.node;
    if (!node_is(node, NODE_MAP))
        return;
    int older = (node_get(node, "cidr") != NULL) + (node_get(node, "cidrGroupRef") != NULL);
    int newer = older + (node_get(node, "cidrGroupSelector") != NULL);
    cilium_classes classes =
        (cilium_classes)((older != 1 ? cilium_before(CILIUM_1_17_0) : 0) | (newer != 1 ? CILIUM_SINCE_1_17 : 0));
    problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_CIDR, classes, cidr->part,
                "needs exactly one of cidr, cidrGroupRef and (from 1.17 on) cidrGroupSelector");
}

static void check_cidrs(struct policy_reader *reader, const struct cilium_entry *entry, bool ingress) {
    for (uint32_t i = 0; i < entry->cidrs.count; i++)
        check_cidr(reader, entry->cidrs.list[i].part);
    for (uint32_t i = 0; i < entry->cidr_sets.count; i++) {
        const struct cilium_cidr *cidr = &entry->cidr_sets.list[i];
        check_one_source(reader, cidr);
        check_cidr(reader, part_field(reader, cidr->part, "cidr"));
        check_group(reader, cidr, ingress);
        check_excepts(reader, cidr);
    }
}

/* ---- names ---- */

static void check_name_text(struct policy_reader *reader, struct part part, const char *text, enum fqdn_fault fault) {
    cilium_classes classes = fault == FQDN_LONG ? CILIUM_SINCE_1_17 : CILIUM_ALL;
    if (fault != FQDN_OK)
        problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_FQDN, classes, part, "is `%.300s`, which is refused: %s",
                    text, fqdn_fault_text(fault));
}

void cilium_names_check(struct policy_reader *reader, const struct cilium_names *names, cilium_classes agent) {
    for (uint32_t i = 0; i < names->count; i++) {
        const struct cilium_name *name = &names->names[i];
        struct part match_name = part_field(reader, name->part, "matchName");
        struct part match_pattern = part_field(reader, name->part, "matchPattern");
        if (!node_is(name->part.node, NODE_MAP))
            continue;
        if ((match_name.node != NULL) == (match_pattern.node != NULL))
            problem_add(reader, PROBLEM_REFUSED_API, CODE_INVALID_FQDN, CILIUM_SINCE_1_16, name->part,
                        "needs exactly one of matchName and matchPattern");
        if (match_name.node && match_pattern.node)
            refuse_agent(reader, CODE_INVALID_FQDN, agent, name->part, "has both matchName and matchPattern");
        if (name->match_name)
            check_name_text(reader, match_name, name->match_name, fqdn_check_name(text_of(name->match_name), NULL));
        if (name->match_pattern)
            check_name_text(reader, match_pattern, name->match_pattern,
                            fqdn_check_pattern(text_of(name->match_pattern), NULL));
    }
}

void cilium_peers_check(struct policy_reader *reader, const struct cilium_entry *entry,
                        enum cilium_direction direction) {
    check_combination(reader, entry);
    check_services(reader, entry);
    check_nodes(reader, entry);
    check_requires(reader, entry);
    check_cidrs(reader, entry, cilium_is_ingress(direction));
    cilium_names_check(reader, &entry->fqdns, CILIUM_ALL);
}

/*
 * Address ranges that leave out more than they seem to (spec/kubernetes-egress.md 1.6, trap T12).
 */
#include <string.h>

#include "analyzer/lint/object.h"

/* Which families a policy opens as a whole, and the first block that says so of each. */
struct families {
    bool open[2]; /* IPv4, IPv6 */
    struct part first[2];
};

static void families_add(struct families *families, const struct cidr *cidr, struct part part) {
    if (cidr->prefix != 0)
        return;
    unsigned index = cidr->first.family == ADDRESS_IPV4 ? 0 : 1;
    if (!families->open[index])
        families->first[index] = part;
    families->open[index] = true;
}

static void families_of_core(struct families *families, const struct core_policy *core) {
    for (uint32_t i = 0; i < core->egress.count; i++)
        for (uint32_t j = 0; j < core->egress.rules[i].peer_count; j++) {
            const struct core_peer *peer = &core->egress.rules[i].peers[j];
            if (peer->cidr_usable)
                families_add(families, &peer->cidr, peer->cidr_part);
        }
}

static void families_of_list(struct families *families, struct lint *lint, const struct cilium_cidrs *cidrs,
                             bool sets) {
    for (uint32_t i = 0; i < cidrs->count; i++) {
        const struct cilium_cidr *cidr = &cidrs->list[i];
        struct part part = cidr->part;
        if (!cidr->usable)
            continue;
        if (sets)
            part = (struct part){node_get(part.node, "cidr"), path_field(lint->arena, part.path, "cidr")};
        families_add(families, &cidr->cidr, part);
    }
}

/* Entities that hold the world hold both families. */
static bool opens_world(const struct cilium_entry *entry) {
    for (uint32_t i = 0; i < entry->entities.count; i++) {
        const char *word = entry->entities.list[i];
        if (word && (strcmp(word, "world") == 0 || strcmp(word, "all") == 0))
            return true;
    }
    return false;
}

static void families_of_rule(struct families *families, struct lint *lint, const struct cilium_rule *rule) {
    for (uint32_t i = 0; i < rule->egress.count; i++) {
        const struct cilium_entry *entry = &rule->egress.list[i];
        families_of_list(families, lint, &entry->cidrs, false);
        families_of_list(families, lint, &entry->cidr_sets, true);
        if (opens_world(entry))
            families->open[0] = families->open[1] = true;
    }
}

void lint_one_family(struct lint *lint, const struct policy *policy) {
    struct families families = {{false, false}, {{NULL, NULL}, {NULL, NULL}}};
    if (policy->core)
        families_of_core(&families, policy->core);
    for (uint32_t i = 0; i < policy->rule_count; i++)
        families_of_rule(&families, lint, &policy->rules[i]);
    if (families.open[0] == families.open[1])
        return;
    unsigned open = families.open[0] ? 0 : 1;
    struct part part = families.first[open];
    lint_report(
        lint, policy, CODE_ONE_FAMILY, part,
        "%s opens all of %s and nothing of %s, which a cluster with both families then denies; if both are meant, "
        "add `%s`",
        part.path, open == 0 ? "IPv4" : "IPv6", open == 0 ? "IPv6" : "IPv4", open == 0 ? "::/0" : "0.0.0.0/0");
}

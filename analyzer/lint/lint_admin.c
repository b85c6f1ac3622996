/* Blocks of policies of policy.networking.k8s.io that hold one family only (spec/kubernetes-egress.md 8, T12 and T29). */
#include "analyzer/lint/scope.h"
#include "base/arena.h"

/* Where a whole family stands first in the lists of networks. */
struct families {
    struct part first[2]; /* by enum address_family; no node: nowhere */
};

static void families_add(struct families *families, const struct node *networks, const char *path,
                         struct arena *arena) {
    for (uint32_t i = 0; node_is(networks, NODE_LIST) && i < networks->count; i++) {
        const char *text = node_string(&networks->items[i]);
        struct cidr cidr;
        if (!text || cidr_parse(text_of(text), &cidr) != CIDR_OK || cidr.prefix != 0)
            continue;
        struct part *first = &families->first[cidr.first.family];
        if (!first->node)
            *first = (struct part){&networks->items[i], path_index(arena, path, i)};
    }
}

static struct families families_of(const struct object *object, struct arena *arena) {
    const struct node *egress = node_get(node_get(object->root, "spec"), "egress");
    struct families families = {{{NULL, NULL}, {NULL, NULL}}};
    for (uint32_t i = 0; node_is(egress, NODE_LIST) && i < egress->count; i++) {
        const struct node *to = node_get(&egress->items[i], "to");
        for (uint32_t k = 0; node_is(to, NODE_LIST) && k < to->count; k++) {
            const char *path = arena_format(arena, "spec.egress[%u].to[%u].networks", i, k);
            families_add(&families, node_get(&to->items[k], "networks"), path, arena);
        }
    }
    return families;
}

static void check_object(struct lint *lint, const struct object *object) {
    struct families families = families_of(object, lint->arena);
    bool ipv4 = families.first[ADDRESS_IPV4].node != NULL, ipv6 = families.first[ADDRESS_IPV6].node != NULL;
    if (ipv4 == ipv6)
        return;
    struct part part = families.first[ipv4 ? ADDRESS_IPV4 : ADDRESS_IPV6];
    lint_report_object(
        lint, object, CODE_ONE_FAMILY, part,
        "%s holds all of %s, pods and Services among it, and nothing of %s; add `%s` if both families are "
        "meant, and a Pass rule for pods above it if only what is outside is",
        part.path, ipv4 ? "IPv4" : "IPv6", ipv4 ? "IPv6" : "IPv4", ipv4 ? "::/0" : "0.0.0.0/0");
}

void lint_check_families(struct lint *lint) {
    static const enum object_kind kinds[] = {OBJECT_ADMIN_NETWORK_POLICY, OBJECT_BASELINE_ADMIN_NETWORK_POLICY,
                                             OBJECT_CLUSTER_NETWORK_POLICY};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct object_list *list = &lint->snapshot.objects.of[kinds[i]];
        for (size_t k = 0; k < list->count; k++)
            if (list->list[k].served)
                check_object(lint, &list->list[k]);
    }
}

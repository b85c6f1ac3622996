#include "analyzer/ask/holder.h"

#include "grammar/cidr.h"

static bool node_has_address(const struct node *root, const struct address *address) {
    const struct node *addresses = node_get(node_get(root, "status"), "addresses");
    for (uint32_t i = 0; node_is(addresses, NODE_LIST) && i < addresses->count; i++) {
        const char *text = node_string(node_get(&addresses->items[i], "address"));
        struct address other;
        if (text && address_parse(text_of(text), &other) && address_compare(&other, address) == 0)
            return true;
    }
    return false;
}

static bool is_in_ranges(const char *const *cidrs, const struct address *address) {
    for (; cidrs && *cidrs; cidrs++) {
        struct cidr cidr;
        if (cidr_parse(text_of(*cidrs), &cidr) == CIDR_OK && address_compare(&cidr.first, address) <= 0 &&
            address_compare(address, &cidr.last) <= 0)
            return true;
    }
    return false;
}

unsigned holders_of_address(const struct snapshot *snapshot, const struct cluster_facts *facts,
                            const struct address *address) {
    const struct object_list *nodes = &snapshot->objects.of[OBJECT_NODE];
    unsigned holders = 0;
    for (size_t i = 0; i < nodes->count; i++)
        if (node_has_address(nodes->list[i].root, address))
            holders |= HOLDER_NODE;
    if (is_in_ranges((const char *const *)facts->node_cidrs, address))
        holders |= HOLDER_NODE_RANGE;
    if (is_in_ranges((const char *const *)facts->pod_cidrs, address))
        holders |= HOLDER_POD_RANGE;
    if (is_in_ranges((const char *const *)facts->service_cidrs, address))
        holders |= HOLDER_SERVICE_RANGE;
    return holders;
}

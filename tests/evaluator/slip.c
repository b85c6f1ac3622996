/* Keys that are dropped or overridden: what such an object allows counts, that it isolates does not. */
#include <string.h>

#include "tests/evaluator/parts.h"

/* Every key of the three kinds, wherever it stands: a misspelt one is none of them. */
static const char *const known[] = {
    "spec",
    "specs",
    "metadata",
    "apiVersion",
    "kind",
    "status",
    /* NetworkPolicy */
    "podSelector",
    "policyTypes",
    "ingress",
    "egress",
    "to",
    "from",
    "ports",
    "namespaceSelector",
    "ipBlock",
    "cidr",
    "except",
    "protocol",
    "port",
    "endPort",
    /* selectors */
    "matchLabels",
    "matchExpressions",
    "key",
    "operator",
    "values",
    /* Cilium */
    "endpointSelector",
    "nodeSelector",
    "ingressDeny",
    "egressDeny",
    "labels",
    "enableDefaultDeny",
    "description",
    "log",
    "toEndpoints",
    "toEntities",
    "toCIDR",
    "toCIDRSet",
    "toFQDNs",
    "toServices",
    "toGroups",
    "toNodes",
    "toRequires",
    "toPorts",
    "icmps",
    "authentication",
    "mode",
    "cidrGroupRef",
    "cidrGroupSelector",
    "matchName",
    "matchPattern",
    "k8sService",
    "k8sServiceSelector",
    "serviceName",
    "namespace",
    "selector",
    "aws",
    "region",
    "fields",
    "family",
    "type",
    "rules",
    "dns",
    "http",
    "kafka",
    "l7",
    "l7proto",
    "path",
    "method",
    "serverNames",
    "terminatingTLS",
    "originatingTLS",
    "listener",
    "secret",
    "name",
};

static bool is_known(const char *key) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], key) == 0)
            return true;
    return false;
}

/* Keys that egressDeny does not have (C 6), and keys that came later than 1.`minor` (C 8, 12). */
static bool is_missing(const char *key, bool deny, unsigned minor) {
    static const char *const of_allows[] = {"toFQDNs",        "authentication", "rules",   "serverNames",
                                            "terminatingTLS", "originatingTLS", "listener"};
    static const struct {
        const char *key;
        unsigned since;
    } later[] = {{"enableDefaultDeny", 16}, {"endPort", 16}, {"toNodes", 16}, {"cidrGroupSelector", 17}, {"log", 18}};
    for (size_t i = 0; deny && i < sizeof of_allows / sizeof *of_allows; i++)
        if (strcmp(of_allows[i], key) == 0)
            return true;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(later[i].key, key) == 0)
            return minor < later[i].since;
    return !is_known(key);
}

static bool slip_below(const struct node *node, bool free_keys, bool deny, unsigned minor) {
    bool by_merge;
    if (node->kind == NODE_LIST)
        for (uint32_t i = 0; i < node->count; i++)
            if (slip_below(&node->items[i], false, deny, minor))
                return true;
    if (node->kind != NODE_MAP)
        return false;
    for (uint32_t i = 0; i < node->count; i++) {
        const char *key = node_string(&node->entries[i].key);
        /* Null is absent, but a key that nobody knows is unknown with null too. */
        if (!key || node_entry_is_overridden(node, i, &by_merge) || (!free_keys && is_missing(key, deny, minor)))
            return true;
        bool free_below = strcmp(key, "matchLabels") == 0 || strcmp(key, "labels") == 0;
        if (slip_below(&node->entries[i].value, free_below, deny || strcmp(key, "egressDeny") == 0, minor))
            return true;
    }
    return false;
}

bool slip_is_in(const struct node *root, unsigned minor) {
    const struct node *spec = node_get(root, "spec"), *specs = node_get(root, "specs");
    return (spec && slip_below(spec, false, false, minor)) || (specs && slip_below(specs, false, false, minor));
}

#include "kube/facts.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "document/node.h"
#include "grammar/cidr.h"
#include "grammar/host.h"
#include "grammar/label.h"
#include "grammar/name.h"
#include "kube/shape.h"

static const char *const fact_paths[FACT_COUNT] = {
    [FACT_KUBERNETES_VERSION] = "kubernetes.version",
    [FACT_CILIUM_VERSION] = "cilium.version",
    [FACT_SCTP] = "cilium.sctp",
    [FACT_CIDR_MATCH_MODE] = "cilium.cidrMatchMode",
    [FACT_ENFORCEMENT_MODE] = "cilium.enforcementMode",
    [FACT_L7_PROXY] = "cilium.l7Proxy",
    [FACT_LABELS] = "cilium.labels",
    [FACT_LOCAL_CLUSTER] = "cilium.localCluster",
    [FACT_CLUSTER_NAME] = "clusterName",
    [FACT_CLUSTER_DOMAIN] = "clusterDomain",
    [FACT_POD_CIDRS] = "podCidrs",
    [FACT_SERVICE_CIDRS] = "serviceCidrs",
    [FACT_NODE_CIDRS] = "nodeCidrs",
    [FACT_DNS_PODS] = "dnsPods",
};

static const struct shape_field root_fields[] = {
    {"kubernetes", SHAPE_MAP, CODE_CONFIG_UNUSABLE, false},
    {"cilium", SHAPE_MAP, CODE_CONFIG_UNUSABLE, false},
    {"clusterName", SHAPE_STRING, CODE_CONFIG_UNUSABLE, false},
    {"clusterDomain", SHAPE_STRING, CODE_CONFIG_UNUSABLE, false},
    {"podCidrs", SHAPE_LIST, CODE_CONFIG_UNUSABLE, false},
    {"serviceCidrs", SHAPE_LIST, CODE_CONFIG_UNUSABLE, false},
    {"nodeCidrs", SHAPE_LIST, CODE_CONFIG_UNUSABLE, false},
    {"dnsPods", SHAPE_MAP, CODE_CONFIG_UNUSABLE, false},
    {0},
};

static const struct shape_field kubernetes_fields[] = {
    {"version", SHAPE_STRING, CODE_CONFIG_UNUSABLE, false},
    {0},
};

static const struct shape_field cilium_fields[] = {
    {"version", SHAPE_STRING, CODE_CONFIG_UNUSABLE, false},
    {"sctp", SHAPE_BOOL, CODE_CONFIG_UNUSABLE, false},
    {"cidrMatchMode", SHAPE_LIST, CODE_CONFIG_UNUSABLE, false},
    {"enforcementMode", SHAPE_STRING, CODE_CONFIG_UNUSABLE, false},
    {"l7Proxy", SHAPE_BOOL, CODE_CONFIG_UNUSABLE, false},
    {"labels", SHAPE_STRING, CODE_CONFIG_UNUSABLE, false},
    {"localCluster", SHAPE_BOOL, CODE_CONFIG_UNUSABLE, false},
    {0},
};

static const struct shape_field dns_fields[] = {
    {"namespace", SHAPE_STRING, CODE_CONFIG_UNUSABLE, false},
    {"labels", SHAPE_MAP, CODE_CONFIG_UNUSABLE, false},
    {0},
};

static const char *const enforcement_words[] = {
    [ENFORCEMENT_DEFAULT] = "default",
    [ENFORCEMENT_ALWAYS] = "always",
    [ENFORCEMENT_NEVER] = "never",
};

static const struct fact_label default_dns_labels[] = {{"k8s-app", "kube-dns"}};

/* The minors that are modelled. */
static const struct {
    const char *product;
    unsigned first, last;
} modelled[] = {
    [FACT_KUBERNETES_VERSION] = {"Kubernetes", 30, 36},
    [FACT_CILIUM_VERSION] = {"Cilium", 15, 19},
};

struct cluster_facts facts_default(void) {
    return (struct cluster_facts){
        .enforcement = ENFORCEMENT_DEFAULT,
        .l7_proxy = true,
        .cluster_name = "default",
        .cluster_domain = "cluster.local",
        .dns_namespace = "kube-system",
        .dns_labels = default_dns_labels,
        .dns_label_count = 1,
    };
}

const char *fact_path(enum fact fact) { return fact_paths[fact]; }

/* Reading of one map of facts. */
struct facts_reader {
    struct shape shape;
    const char *path; /* of the map that is read */
    struct cluster_facts *facts;
};

static const char *below(const struct facts_reader *reader, const char *field) {
    return path_field(reader->shape.arena, reader->path, field);
}

static void know(struct facts_reader *reader, enum fact fact, const struct node *node) {
    reader->facts->known |= 1u << fact;
    reader->facts->where[fact] = node_location(reader->shape.file, node);
}

static const struct node *field(struct facts_reader *reader, const struct node *map, const char *name,
                                enum shape_type type, enum fact fact) {
    const struct node *value = shape_get(map, name, type);
    if (value) {
        know(reader, fact, value);
    }
    return value;
}

/* NULL, or what is wrong with the version. */
static const char *version_problem(struct arena *arena, enum fact fact, struct text text, struct version *version) {
    enum version_fault fault = version_parse(text, version, NULL);
    if (fault != VERSION_OK) {
        return arena_format(arena, "%s; write MAJOR.MINOR or MAJOR.MINOR.PATCH", version_fault_text(fault));
    }
    if (version->major != 1 || version->minor < modelled[fact].first || version->minor > modelled[fact].last) {
        return arena_format(arena, "only %s 1.%u to 1.%u are modelled; write one of them, or leave it out",
                            modelled[fact].product, modelled[fact].first, modelled[fact].last);
    }
    return NULL;
}

static void read_version(struct facts_reader *reader, const struct node *map, enum fact fact, struct version *version) {
    const struct node *node = shape_get(map, "version", SHAPE_STRING);
    if (!node) {
        return;
    }
    struct version read;
    const char *problem = version_problem(reader->shape.arena, fact, node_text(node), &read);
    if (problem) {
        const char *path = below(reader, "version");
        shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, node, path, "%s cannot be used: %s", path, problem);
        return;
    }
    *version = read;
    know(reader, fact, node);
}

bool facts_set_version(struct cluster_facts *facts, enum fact fact, const char *version, struct location where,
                       struct diagnostics *diagnostics) {
    struct version read;
    const char *problem = version_problem(diagnostics->arena, fact, text_of(version), &read);
    if (problem) {
        struct diagnostic *refusal = diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, where, "%s cannot be used: %s",
                                                     fact_path(fact), problem);
        refusal->path = fact_path(fact);
        refusal->value = arena_copy(diagnostics->arena, version, strlen(version));
        return false;
    }
    *(fact == FACT_KUBERNETES_VERSION ? &facts->kubernetes : &facts->cilium) = read;
    facts->known |= 1u << fact;
    facts->where[fact] = where;
    return true;
}

static void read_match_mode(struct facts_reader *reader, const struct node *map) {
    const struct node *list = field(reader, map, "cidrMatchMode", SHAPE_LIST, FACT_CIDR_MATCH_MODE);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct node *item = &list->items[i];
        if (text_is(node_text(item), "nodes") && item->kind == NODE_STRING) {
            reader->facts->match_nodes = true;
        } else if (text_is(node_text(item), "pods") && item->kind == NODE_STRING) {
            reader->facts->match_pods = true;
        } else {
            const char *path = path_index(reader->shape.arena, below(reader, "cidrMatchMode"), i);
            shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, item, path, "%s is %s; write nodes or pods", path,
                         shape_quote(reader->shape.arena, item));
        }
    }
}

static void read_enforcement(struct facts_reader *reader, const struct node *map) {
    const struct node *node = shape_get(map, "enforcementMode", SHAPE_STRING);
    if (!node) {
        return;
    }
    for (size_t i = 0; i < sizeof enforcement_words / sizeof *enforcement_words; i++) {
        if (text_is(node_text(node), enforcement_words[i])) {
            reader->facts->enforcement = (enum enforcement_mode)i;
            know(reader, FACT_ENFORCEMENT_MODE, node);
            return;
        }
    }
    const char *path = below(reader, "enforcementMode");
    shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, node, path, "%s is %s; write default, always or never", path,
                 shape_quote(reader->shape.arena, node));
}

static void read_bool(struct facts_reader *reader, const struct node *map, const char *name, enum fact fact,
                      bool *out) {
    const struct node *node = field(reader, map, name, SHAPE_BOOL, fact);
    if (node) {
        *out = node_bool(node);
    }
}

static void read_cilium(struct facts_reader *reader, const struct node *map) {
    struct cluster_facts *facts = reader->facts;
    read_version(reader, map, FACT_CILIUM_VERSION, &facts->cilium);
    read_bool(reader, map, "sctp", FACT_SCTP, &facts->sctp);
    read_match_mode(reader, map);
    read_enforcement(reader, map);
    read_bool(reader, map, "l7Proxy", FACT_L7_PROXY, &facts->l7_proxy);
    const struct node *labels = field(reader, map, "labels", SHAPE_STRING, FACT_LABELS);
    if (labels) {
        facts->labels = node_string(labels);
    }
    read_bool(reader, map, "localCluster", FACT_LOCAL_CLUSTER, &facts->local_cluster);
}

static void read_cluster_names(struct facts_reader *reader, const struct node *map) {
    const struct node *name = field(reader, map, "clusterName", SHAPE_STRING, FACT_CLUSTER_NAME);
    if (name) {
        reader->facts->cluster_name = node_string(name);
        enum label_fault fault = label_value_check(node_text(name), NULL);
        if (name->count == 0 || fault != LABEL_OK) {
            const char *path = below(reader, "clusterName");
            shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, name, path,
                         "%s must be a label value that is not empty; write the agent's cluster-name", path);
        }
    }
    const struct node *domain = field(reader, map, "clusterDomain", SHAPE_STRING, FACT_CLUSTER_DOMAIN);
    if (domain) {
        reader->facts->cluster_domain = node_string(domain);
        enum host_fault fault = host_name_check(node_text(domain), NULL);
        if (fault != HOST_OK) {
            const char *path = below(reader, "clusterDomain");
            shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, domain, path, "%s is no DNS name: %s", path,
                         host_fault_text(fault));
        }
    }
}

static void read_cidrs(struct facts_reader *reader, const struct node *map, enum fact fact, const char ***out) {
    const char *name = fact_path(fact);
    const struct node *list = field(reader, map, name, SHAPE_LIST, fact);
    if (!list) {
        return;
    }
    *out = arena_array(reader->shape.arena, (size_t)list->count + 1, sizeof **out);
    size_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct node *item = &list->items[i];
        struct cidr cidr;
        const char *problem = "it is no string";
        if (node_string(item)) {
            enum cidr_strict_fault fault = cidr_parse_strict(node_text(item), &cidr);
            /* A range of all addresses is no mistake here: these are facts, not exceptions. */
            problem =
                fault == CIDR_STRICT_OK || fault == CIDR_STRICT_ZERO_PREFIX ? NULL : cidr_strict_fault_text(fault);
        }
        if (problem) {
            const char *path = path_index(reader->shape.arena, below(reader, name), i);
            shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, item, path,
                         "%s cannot be used: %s; write a CIDR such as 10.244.0.0/16", path, problem);
        } else {
            (*out)[count++] = node_string(item);
        }
    }
}

static void read_dns_labels(struct facts_reader *reader, const struct node *map) {
    const char *path = below(reader, "labels");
    shape_check_keys(&reader->shape, map, path);
    struct fact_label *labels = arena_array(reader->shape.arena, map->count, sizeof *labels);
    size_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct node *key = &map->entries[i].key, *value = &map->entries[i].value;
        const char *here = path_key(reader->shape.arena, path, node_text(key));
        if (label_key_check(node_text(key), NULL) != LABEL_OK) {
            shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, key, here,
                         "%s is no label key; write one that pods carry", shape_quote(reader->shape.arena, key));
        } else if (!node_string(value)) {
            shape_refuse_type(&reader->shape, CODE_CONFIG_UNUSABLE, value, here, SHAPE_STRING);
        } else if (label_value_check(node_text(value), NULL) != LABEL_OK) {
            shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, value, here,
                         "%s is no label value; write one that pods carry", shape_quote(reader->shape.arena, value));
        } else {
            labels[count++] = (struct fact_label){node_string(key), node_string(value)};
        }
    }
    reader->facts->dns_labels = labels;
    reader->facts->dns_label_count = count;
}

static void read_dns_pods(struct facts_reader *reader, const struct node *map) {
    shape_check(&reader->shape, map, reader->path, dns_fields);
    know(reader, FACT_DNS_PODS, map);
    const struct node *namespace = shape_get(map, "namespace", SHAPE_STRING);
    if (namespace) {
        reader->facts->dns_namespace = node_string(namespace);
        enum name_fault fault = name_check_namespace(node_text(namespace), NULL);
        if (fault != NAME_OK) {
            const char *path = below(reader, "namespace");
            shape_refuse(&reader->shape, CODE_CONFIG_UNUSABLE, namespace, path, "%s is no namespace: %s", path,
                         name_fault_text(fault));
        }
    }
    const struct node *labels = shape_get(map, "labels", SHAPE_MAP);
    if (labels) {
        read_dns_labels(reader, labels);
    }
}

static void read_part(const struct facts_reader *reader, const struct node *root, const char *name,
                      const struct shape_field *fields, void (*read)(struct facts_reader *, const struct node *)) {
    const struct node *map = shape_get(root, name, SHAPE_MAP);
    if (!map) {
        return;
    }
    struct facts_reader part = *reader;
    part.path = below(reader, name);
    if (fields) {
        shape_check(&part.shape, map, part.path, fields);
    }
    read(&part, map);
}

static void read_kubernetes(struct facts_reader *reader, const struct node *map) {
    read_version(reader, map, FACT_KUBERNETES_VERSION, &reader->facts->kubernetes);
}

bool facts_read(const struct node *node, const char *file, const char *path, struct arena *arena,
                struct cluster_facts *facts, struct diagnostics *diagnostics) {
    struct facts_reader reader = {.shape = {file, arena, diagnostics}, .path = path, .facts = facts};
    size_t before = diagnostics->errors;
    if (!node_is(node, NODE_MAP)) {
        const char *what = path && *path ? path : "a facts file";
        shape_refuse(&reader.shape, CODE_CONFIG_UNUSABLE, node, path, "%s must be a map of cluster facts", what);
        return false;
    }
    if (!shape_check_weight(&reader.shape, node, path, path && *path ? path : "the facts file")) {
        return false;
    }
    shape_check(&reader.shape, node, path, root_fields);
    read_part(&reader, node, "kubernetes", kubernetes_fields, read_kubernetes);
    read_part(&reader, node, "cilium", cilium_fields, read_cilium);
    read_cluster_names(&reader, node);
    read_cidrs(&reader, node, FACT_POD_CIDRS, &facts->pod_cidrs);
    read_cidrs(&reader, node, FACT_SERVICE_CIDRS, &facts->service_cidrs);
    read_cidrs(&reader, node, FACT_NODE_CIDRS, &facts->node_cidrs);
    read_part(&reader, node, "dnsPods", NULL, read_dns_pods);
    return diagnostics->errors == before;
}

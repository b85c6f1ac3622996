#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "kube/facts.h"

/* Where versions agree as far as both go, the one with a patch says more. */
static bool version_agrees(const struct version *a, const struct version *b) {
    return a->major == b->major && a->minor == b->minor && (!a->has_patch || !b->has_patch || a->patch == b->patch);
}

static bool lists_equal(const char *const *a, const char *const *b) {
    if (!a || !b) {
        return a == b;
    }
    while (*a && *b && strcmp(*a, *b) == 0) {
        a++, b++;
    }
    return !*a && !*b;
}

static bool label_in(const struct cluster_facts *facts, const struct fact_label *label) {
    for (size_t i = 0; i < facts->dns_label_count; i++) {
        const struct fact_label *other = &facts->dns_labels[i];
        if (strcmp(other->key, label->key) == 0 && strcmp(other->value, label->value) == 0) {
            return true;
        }
    }
    return false;
}

static bool dns_pods_equal(const struct cluster_facts *a, const struct cluster_facts *b) {
    if (a->dns_label_count != b->dns_label_count || !string_equal(a->dns_namespace, b->dns_namespace)) {
        return false;
    }
    for (size_t i = 0; i < a->dns_label_count; i++) {
        if (!label_in(b, &a->dns_labels[i])) {
            return false;
        }
    }
    return true;
}

static bool fact_agrees(enum fact fact, const struct cluster_facts *a, const struct cluster_facts *b) {
    switch (fact) {
    case FACT_KUBERNETES_VERSION:
        return version_agrees(&a->kubernetes, &b->kubernetes);
    case FACT_CILIUM_VERSION:
        return version_agrees(&a->cilium, &b->cilium);
    case FACT_SCTP:
        return a->sctp == b->sctp;
    case FACT_CIDR_MATCH_MODE:
        return a->match_nodes == b->match_nodes && a->match_pods == b->match_pods;
    case FACT_ENFORCEMENT_MODE:
        return a->enforcement == b->enforcement;
    case FACT_L7_PROXY:
        return a->l7_proxy == b->l7_proxy;
    case FACT_LABELS:
        return string_equal(a->labels, b->labels);
    case FACT_LOCAL_CLUSTER:
        return a->local_cluster == b->local_cluster;
    case FACT_CLUSTER_NAME:
        return string_equal(a->cluster_name, b->cluster_name);
    case FACT_CLUSTER_DOMAIN:
        return string_equal(a->cluster_domain, b->cluster_domain);
    case FACT_POD_CIDRS:
        return lists_equal(a->pod_cidrs, b->pod_cidrs);
    case FACT_SERVICE_CIDRS:
        return lists_equal(a->service_cidrs, b->service_cidrs);
    case FACT_NODE_CIDRS:
        return lists_equal(a->node_cidrs, b->node_cidrs);
    case FACT_DNS_PODS:
        return dns_pods_equal(a, b);
    case FACT_COUNT:
        break;
    }
    return true;
}

static void copy_dns_pods(struct cluster_facts *to, const struct cluster_facts *from) {
    to->dns_namespace = from->dns_namespace;
    to->dns_labels = from->dns_labels;
    to->dns_label_count = from->dns_label_count;
}

static void copy_match_mode(struct cluster_facts *to, const struct cluster_facts *from) {
    to->match_nodes = from->match_nodes;
    to->match_pods = from->match_pods;
}

static void fact_copy(enum fact fact, struct cluster_facts *to, const struct cluster_facts *from) {
    switch (fact) {
    case FACT_KUBERNETES_VERSION:
        to->kubernetes = from->kubernetes;
        break;
    case FACT_CILIUM_VERSION:
        to->cilium = from->cilium;
        break;
    case FACT_SCTP:
        to->sctp = from->sctp;
        break;
    case FACT_CIDR_MATCH_MODE:
        copy_match_mode(to, from);
        break;
    case FACT_ENFORCEMENT_MODE:
        to->enforcement = from->enforcement;
        break;
    case FACT_L7_PROXY:
        to->l7_proxy = from->l7_proxy;
        break;
    case FACT_LABELS:
        to->labels = from->labels;
        break;
    case FACT_LOCAL_CLUSTER:
        to->local_cluster = from->local_cluster;
        break;
    case FACT_CLUSTER_NAME:
        to->cluster_name = from->cluster_name;
        break;
    case FACT_CLUSTER_DOMAIN:
        to->cluster_domain = from->cluster_domain;
        break;
    case FACT_POD_CIDRS:
        to->pod_cidrs = from->pod_cidrs;
        break;
    case FACT_SERVICE_CIDRS:
        to->service_cidrs = from->service_cidrs;
        break;
    case FACT_NODE_CIDRS:
        to->node_cidrs = from->node_cidrs;
        break;
    case FACT_DNS_PODS:
        copy_dns_pods(to, from);
        break;
    case FACT_COUNT:
        return;
    }
    to->known |= 1u << fact;
    to->where[fact] = from->where[fact];
}

/* Whether `more` has the patch that `facts` lacks. */
static bool adds_patch(enum fact fact, const struct cluster_facts *facts, const struct cluster_facts *more) {
    return (fact == FACT_CILIUM_VERSION && !facts->cilium.has_patch && more->cilium.has_patch) ||
           (fact == FACT_KUBERNETES_VERSION && !facts->kubernetes.has_patch && more->kubernetes.has_patch);
}

static void report_conflict(enum fact fact, const struct cluster_facts *facts, const struct cluster_facts *more,
                            struct diagnostics *diagnostics) {
    struct arena *arena = diagnostics->arena;
    const char *value = fact_value(arena, facts, fact);
    const char *other = fact_value(arena, more, fact);
    struct diagnostic *conflict =
        diagnostics_add(diagnostics, CODE_CLUSTER_FACT_CONFLICT, facts->where[fact],
                        "cluster fact %s is %s here, and the inputs show %s; correct the fact or the inputs",
                        fact_path(fact), value, other);
    conflict->path = arena_format(arena, "cluster.%s", fact_path(fact));
    conflict->value = value;
    diagnostic_note(diagnostics, conflict, more->where[fact], "%s is shown here", other);
}

bool facts_merge(struct cluster_facts *facts, const struct cluster_facts *more, struct diagnostics *diagnostics) {
    bool fine = true;
    for (enum fact fact = 0; fact < FACT_COUNT; fact++) {
        if (!facts_know(more, fact)) {
            continue;
        }
        if (!facts_know(facts, fact)) {
            fact_copy(fact, facts, more);
        } else if (!fact_agrees(fact, facts, more)) {
            report_conflict(fact, facts, more, diagnostics);
            fine = false;
        } else if (adds_patch(fact, facts, more)) {
            fact_copy(fact, facts, more);
        }
    }
    return fine;
}

void facts_override(struct cluster_facts *facts, const struct cluster_facts *over) {
    for (enum fact fact = 0; fact < FACT_COUNT; fact++) {
        if (facts_know(over, fact)) {
            fact_copy(fact, facts, over);
        }
    }
}

static const char *version_text(struct arena *arena, const struct version *version) {
    return version->has_patch ? arena_format(arena, "%u.%u.%u", version->major, version->minor, version->patch)
                              : arena_format(arena, "%u.%u", version->major, version->minor);
}

static const char *list_text(struct arena *arena, const char *const *list) {
    if (!list) {
        return "unset";
    }
    struct buffer text;
    buffer_init(&text, arena);
    for (size_t i = 0; list[i]; i++) {
        buffer_print(&text, "%s%s", i ? ", " : "", list[i]);
    }
    return text.length ? buffer_string(&text) : "empty";
}

static const char *dns_pods_text(struct arena *arena, const struct cluster_facts *facts) {
    struct buffer text;
    buffer_init(&text, arena);
    for (size_t i = 0; i < facts->dns_label_count; i++) {
        buffer_print(&text, "%s%s=%s", i ? "," : "", facts->dns_labels[i].key, facts->dns_labels[i].value);
    }
    buffer_print(&text, "%s in %s", facts->dns_label_count ? "" : "all pods", facts->dns_namespace);
    return buffer_string(&text);
}

static const char *match_mode_text(const struct cluster_facts *facts) {
    if (facts->match_nodes) {
        return facts->match_pods ? "nodes, pods" : "nodes";
    }
    return facts->match_pods ? "pods" : "empty";
}

static const char *enforcement_text(enum enforcement_mode mode) {
    switch (mode) {
    case ENFORCEMENT_DEFAULT:
        return "default";
    case ENFORCEMENT_ALWAYS:
        return "always";
    case ENFORCEMENT_NEVER:
        return "never";
    }
    return "default";
}

static const char *bool_text(bool value) { return value ? "true" : "false"; }

const char *fact_value(struct arena *arena, const struct cluster_facts *facts, enum fact fact) {
    bool known = facts_know(facts, fact);
    switch (fact) {
    case FACT_KUBERNETES_VERSION:
        return known ? version_text(arena, &facts->kubernetes) : "unset";
    case FACT_CILIUM_VERSION:
        return known ? version_text(arena, &facts->cilium) : "unset";
    case FACT_SCTP:
        return bool_text(facts->sctp);
    case FACT_CIDR_MATCH_MODE:
        return match_mode_text(facts);
    case FACT_ENFORCEMENT_MODE:
        return enforcement_text(facts->enforcement);
    case FACT_L7_PROXY:
        return bool_text(facts->l7_proxy);
    case FACT_LABELS:
        return facts->labels ? facts->labels : "unset";
    case FACT_LOCAL_CLUSTER:
        return known ? bool_text(facts->local_cluster) : "unset";
    case FACT_CLUSTER_NAME:
        return facts->cluster_name;
    case FACT_CLUSTER_DOMAIN:
        return facts->cluster_domain;
    case FACT_POD_CIDRS:
        return list_text(arena, facts->pod_cidrs);
    case FACT_SERVICE_CIDRS:
        return list_text(arena, facts->service_cidrs);
    case FACT_NODE_CIDRS:
        return list_text(arena, facts->node_cidrs);
    case FACT_DNS_PODS:
        return dns_pods_text(arena, facts);
    case FACT_COUNT:
        break;
    }
    return "unset";
}

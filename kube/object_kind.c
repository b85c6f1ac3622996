#include "kube/object_kind.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"

/* ---- what the readers keep ---- */

static const struct document_keep keep_nothing[] = {{NULL, NULL}};
static const struct document_keep keep_ignore[] = {{"egressc.io/ignore", NULL}, {NULL, NULL}};
static const struct document_keep keep_policy_metadata[] = {
    {"managedFields", keep_nothing}, {"annotations", keep_ignore}, {"*", NULL}, {NULL, NULL}};
static const struct document_keep keep_conditions[] = {{"conditions", NULL}, {NULL, NULL}};
static const struct document_keep keep_annotated_metadata[] = {
    {"managedFields", keep_nothing}, {"*", NULL}, {NULL, NULL}};
static const struct document_keep keep_core_policy[] = {{"metadata", keep_policy_metadata}, {"*", NULL}, {NULL, NULL}};
/* The same with the conditions of the status only. */
static const struct document_keep keep_policy[] = {
    {"metadata", keep_policy_metadata}, {"status", keep_conditions}, {"*", NULL}, {NULL, NULL}};

static const struct document_keep keep_annotated_core_policy[] = {
    {"metadata", keep_annotated_metadata}, {"*", NULL}, {NULL, NULL}};
static const struct document_keep keep_annotated_policy[] = {
    {"metadata", keep_annotated_metadata}, {"status", keep_conditions}, {"*", NULL}, {NULL, NULL}};

static const struct document_keep keep_names[] = {{"name", NULL}, {"namespace", NULL}, {NULL, NULL}};
static const struct document_keep keep_labels[] = {
    {"name", NULL}, {"namespace", NULL}, {"labels", NULL}, {"deletionTimestamp", NULL}, {NULL, NULL}};
static const struct document_keep keep_only_name[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"metadata", keep_names}, {NULL, NULL}};

static const struct document_keep keep_container[] = {
    {"name", NULL}, {"image", NULL}, {"ports", NULL}, {"restartPolicy", NULL}, {NULL, NULL}};
static const struct document_keep keep_pod_spec[] = {
    {"hostNetwork", NULL},          {"serviceAccountName", NULL},       {"serviceAccount", NULL},
    {"containers", keep_container}, {"initContainers", keep_container}, {NULL, NULL}};
static const struct document_keep keep_pod_status[] = {
    {"phase", NULL}, {"podIP", NULL}, {"podIPs", NULL}, {"hostIP", NULL}, {NULL, NULL}};
static const struct document_keep keep_pod[] = {{"apiVersion", NULL},        {"kind", NULL},
                                                {"metadata", keep_labels},   {"spec", keep_pod_spec},
                                                {"status", keep_pod_status}, {NULL, NULL}};
static const struct document_keep keep_template[] = {{"metadata", keep_labels}, {"spec", keep_pod_spec}, {NULL, NULL}};
static const struct document_keep keep_job_spec[] = {{"template", keep_template}, {NULL, NULL}};
static const struct document_keep keep_job_template[] = {{"spec", keep_job_spec}, {NULL, NULL}};
static const struct document_keep keep_workload_spec[] = {
    {"template", keep_template}, {"jobTemplate", keep_job_template}, {NULL, NULL}};
static const struct document_keep keep_workload[] = {{"apiVersion", NULL},        {"kind", NULL},
                                                     {"metadata", keep_labels},   {"spec", keep_workload_spec},
                                                     {"template", keep_template}, {NULL, NULL}};

static const struct document_keep keep_labelled[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"metadata", keep_labels}, {NULL, NULL}};
static const struct document_keep keep_service_spec[] = {
    {"type", NULL},  {"clusterIP", NULL},    {"clusterIPs", NULL}, {"selector", NULL},
    {"ports", NULL}, {"externalName", NULL}, {NULL, NULL}};
static const struct document_keep keep_service[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"metadata", keep_labels}, {"spec", keep_service_spec}, {NULL, NULL}};
static const struct document_keep keep_endpoints[] = {{"addresses", NULL}, {"conditions", NULL}, {NULL, NULL}};
static const struct document_keep keep_slice[] = {{"apiVersion", NULL},
                                                  {"kind", NULL},
                                                  {"metadata", keep_labels},
                                                  {"endpoints", keep_endpoints},
                                                  {"addressType", NULL},
                                                  {"ports", NULL},
                                                  {NULL, NULL}};
static const struct document_keep keep_group[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"metadata", keep_labels}, {"spec", NULL}, {NULL, NULL}};
static const struct document_keep keep_addresses[] = {{"addresses", NULL}, {NULL, NULL}};
static const struct document_keep keep_node[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"metadata", keep_labels}, {"status", keep_addresses}, {NULL, NULL}};
static const struct document_keep keep_config_map[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"metadata", keep_labels}, {"data", NULL}, {NULL, NULL}};

/* Labels, owners and the one annotation that tells a Sandbox's template. */
static const struct document_keep keep_template_ref[] = {{"agents.x-k8s.io/sandbox-template-ref", NULL}, {NULL, NULL}};
static const struct document_keep keep_owner[] = {{"kind", NULL}, {"name", NULL}, {"uid", NULL}, {NULL, NULL}};
static const struct document_keep keep_sandbox_metadata[] = {{"name", NULL},
                                                             {"namespace", NULL},
                                                             {"uid", NULL},
                                                             {"labels", NULL},
                                                             {"ownerReferences", keep_owner},
                                                             {"annotations", keep_template_ref},
                                                             {NULL, NULL}};
static const struct document_keep keep_sandbox_spec[] = {{"podTemplate", keep_template},
                                                         {"networkPolicy", NULL},
                                                         {"networkPolicyManagement", NULL},
                                                         {"sandboxTemplateRef", NULL},
                                                         {"warmPoolRef", NULL},
                                                         {"additionalPodMetadata", keep_labels},
                                                         {NULL, NULL}};
static const struct document_keep keep_sandbox[] = {{"apiVersion", NULL},
                                                    {"kind", NULL},
                                                    {"metadata", keep_sandbox_metadata},
                                                    {"spec", keep_sandbox_spec},
                                                    {NULL, NULL}};

/* ---- the kinds ---- */

static const char *const path_self[] = {"spec", "template", NULL};
static const char *const path_cron_job[] = {"spec", "jobTemplate", "spec", "template", NULL};
static const char *const path_pod_template[] = {"template", NULL};
static const char *const path_sandbox[] = {"spec", "podTemplate", NULL};

#define WORKLOAD(word_, group_, versions_, path_)                                                                      \
    {                                                                                                                  \
        .word = word_, .group = group_, .versions = versions_, .kind = OBJECT_WORKLOAD, .keep = keep_workload,         \
        .template = path_                                                                                              \
    }
#define KIND(word_, group_, versions_, kind_, keep_)                                                                   \
    { .word = word_, .group = group_, .versions = versions_, .kind = kind_, .keep = keep_ }
#define SANDBOX(word_, group_, kind_, path_)                                                                           \
    {                                                                                                                  \
        .word = word_, .group = group_, .versions = "v1beta1 v1alpha1", .kind = kind_, .keep = keep_sandbox,           \
        .template = path_                                                                                              \
    }

/* Sorted by nothing: a kind is found by comparing words, and there are few. */
static const struct object_kind_row rows[] = {
    KIND("Pod", "", "v1", OBJECT_POD, keep_pod),
    KIND("NetworkPolicy", "networking.k8s.io", "v1", OBJECT_NETWORK_POLICY, keep_core_policy),
    KIND("NetworkPolicy", "extensions", "", OBJECT_NETWORK_POLICY, keep_core_policy),
    KIND("CiliumNetworkPolicy", "cilium.io", "v2", OBJECT_CILIUM_NETWORK_POLICY, keep_policy),
    KIND("CiliumClusterwideNetworkPolicy", "cilium.io", "v2", OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY, keep_policy),
    KIND("AdminNetworkPolicy", "policy.networking.k8s.io", "v1alpha1", OBJECT_ADMIN_NETWORK_POLICY, keep_policy),
    KIND("BaselineAdminNetworkPolicy", "policy.networking.k8s.io", "v1alpha1", OBJECT_BASELINE_ADMIN_NETWORK_POLICY,
         keep_policy),
    KIND("ClusterNetworkPolicy", "policy.networking.k8s.io", "v1alpha2", OBJECT_CLUSTER_NETWORK_POLICY, keep_policy),
    KIND("ValidatingAdmissionPolicy", "admissionregistration.k8s.io", "v1 v1beta1", OBJECT_ADMISSION_POLICY,
         keep_policy),
    KIND("ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io", "v1 v1beta1", OBJECT_ADMISSION_BINDING,
         keep_policy),
    KIND("Namespace", "", "v1", OBJECT_NAMESPACE, keep_labelled),
    KIND("Service", "", "v1", OBJECT_SERVICE, keep_service),
    KIND("EndpointSlice", "discovery.k8s.io", "v1", OBJECT_ENDPOINT_SLICE, keep_slice),
    KIND("CiliumCIDRGroup", "cilium.io", "v2 v2alpha1", OBJECT_CILIUM_CIDR_GROUP, keep_group),
    KIND("Node", "", "v1", OBJECT_NODE, keep_node),
    KIND("ConfigMap", "", "v1", OBJECT_CONFIG_MAP, keep_config_map),
    WORKLOAD("Deployment", "apps", "v1", path_self),
    WORKLOAD("ReplicaSet", "apps", "v1", path_self),
    WORKLOAD("StatefulSet", "apps", "v1", path_self),
    WORKLOAD("DaemonSet", "apps", "v1", path_self),
    WORKLOAD("ReplicationController", "", "v1", path_self),
    WORKLOAD("Job", "batch", "v1", path_self),
    WORKLOAD("CronJob", "batch", "v1", path_cron_job),
    WORKLOAD("PodTemplate", "", "v1", path_pod_template),
    WORKLOAD("Rollout", "argoproj.io", NULL, path_self),
    WORKLOAD("DeploymentConfig", "apps.openshift.io", NULL, path_self),
    WORKLOAD("CloneSet", "apps.kruise.io", NULL, path_self),
    WORKLOAD("Service", "serving.knative.dev", NULL, path_self),
    WORKLOAD("Configuration", "serving.knative.dev", NULL, path_self),
    WORKLOAD("VirtualMachine", "kubevirt.io", NULL, path_self),
    SANDBOX("SandboxTemplate", "extensions.agents.x-k8s.io", OBJECT_SANDBOX_TEMPLATE, path_sandbox),
    SANDBOX("SandboxClaim", "extensions.agents.x-k8s.io", OBJECT_SANDBOX_CLAIM, NULL),
    SANDBOX("SandboxWarmPool", "extensions.agents.x-k8s.io", OBJECT_SANDBOX_WARM_POOL, NULL),
    SANDBOX("Sandbox", "agents.x-k8s.io", OBJECT_SANDBOX, path_sandbox),
};

/* Kinds of network policies that other groups have; words of ours in a group that has no row are foreign too. */
static const char *const foreign_words[] = {
    "GlobalNetworkPolicy", "StagedNetworkPolicy", "StagedGlobalNetworkPolicy", "EgressNetworkPolicy",
    "EgressFirewall",      "MultiNetworkPolicy",  "ApplicationNetworkPolicy",  NULL};

struct kind_traits {
    const char *word;
    bool namespaced, policy;
};
static const struct kind_traits traits[] = {
    [OBJECT_NETWORK_POLICY] = {"NetworkPolicy", true, true},
    [OBJECT_CILIUM_NETWORK_POLICY] = {"CiliumNetworkPolicy", true, true},
    [OBJECT_CILIUM_CLUSTERWIDE_NETWORK_POLICY] = {"CiliumClusterwideNetworkPolicy", false, true},
    [OBJECT_ADMIN_NETWORK_POLICY] = {"AdminNetworkPolicy", false, true},
    [OBJECT_BASELINE_ADMIN_NETWORK_POLICY] = {"BaselineAdminNetworkPolicy", false, true},
    [OBJECT_CLUSTER_NETWORK_POLICY] = {"ClusterNetworkPolicy", false, true},
    [OBJECT_NAMESPACE] = {"Namespace", false, false},
    [OBJECT_POD] = {"Pod", true, false},
    [OBJECT_WORKLOAD] = {"workload", true, false},
    [OBJECT_SERVICE] = {"Service", true, false},
    [OBJECT_ENDPOINT_SLICE] = {"EndpointSlice", true, false},
    [OBJECT_CILIUM_CIDR_GROUP] = {"CiliumCIDRGroup", false, false},
    [OBJECT_NODE] = {"Node", false, false},
    [OBJECT_CONFIG_MAP] = {"ConfigMap", true, false},
    [OBJECT_ADMISSION_POLICY] = {"ValidatingAdmissionPolicy", false, false},
    [OBJECT_ADMISSION_BINDING] = {"ValidatingAdmissionPolicyBinding", false, false},
    [OBJECT_SANDBOX_TEMPLATE] = {"SandboxTemplate", true, false},
    [OBJECT_SANDBOX_CLAIM] = {"SandboxClaim", true, false},
    [OBJECT_SANDBOX] = {"Sandbox", true, false},
    [OBJECT_SANDBOX_WARM_POOL] = {"SandboxWarmPool", true, false},
};
static_assert(sizeof traits / sizeof *traits == OBJECT_KIND_COUNT, "one row a kind");

const char *object_kind_word(enum object_kind kind) { return traits[kind].word; }
bool object_kind_is_namespaced(enum object_kind kind) { return traits[kind].namespaced; }
bool object_kind_is_policy(enum object_kind kind) { return traits[kind].policy; }

/* ---- resources ---- */

/* "y" becomes "ies", a word that ends in a hiss gets "es", any other "s". */
bool resource_names_kind(struct text resource, struct text kind) {
    const char *ending = "s";
    size_t stem = kind.length;
    if (text_ends_with(kind, "y")) {
        ending = "ies";
        stem--;
    } else if (text_ends_with(kind, "s") || text_ends_with(kind, "x") || text_ends_with(kind, "ch")) {
        ending = "es";
    }
    if (kind.length == 0 || resource.length != stem + strlen(ending))
        return false;
    for (size_t i = 0; i < stem; i++)
        if (resource.bytes[i] != ascii_lower(kind.bytes[i]))
            return false;
    return memcmp(resource.bytes + stem, ending, strlen(ending)) == 0;
}

bool object_kind_is_resource(enum object_kind kind, const char *group, const char *resource) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].kind == kind && (!group || strcmp(group, rows[i].group) == 0) &&
            resource_names_kind(text_of(resource), text_of(rows[i].word)))
            return true;
    }
    return false;
}

const char *object_kind_group(enum object_kind kind) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].kind == kind)
            return rows[i].group;
    }
    return "";
}

/* ---- what an object is ---- */

static void split_api_version(struct text api_version, struct text *group, struct text *version) {
    const char *slash = api_version.length ? memchr(api_version.bytes, '/', api_version.length) : NULL;
    size_t length = slash ? (size_t)(slash - api_version.bytes) : 0;
    *group = (struct text){.bytes = api_version.bytes, .length = length};
    size_t skip = slash ? length + 1 : 0;
    *version = (struct text){.bytes = slash ? slash + 1 : api_version.bytes, .length = api_version.length - skip};
}

/* Whether the blank-separated list has the word. */
static bool list_has(const char *list, struct text word) {
    while (*list) {
        size_t length = strcspn(list, " ");
        if (word.length == length && memcmp(list, word.bytes, length) == 0)
            return true;
        list += length + (list[length] == ' ');
    }
    return false;
}

static bool is_foreign_word(struct text kind) {
    for (const char *const *word = foreign_words; *word; word++) {
        if (text_is(kind, *word))
            return true;
    }
    return false;
}

enum object_class object_classify(struct text api_version, struct text kind, const struct object_kind_row **row) {
    struct text group, version;
    split_api_version(api_version, &group, &version);
    bool policy_word = is_foreign_word(kind);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!text_is(kind, rows[i].word))
            continue;
        policy_word |= traits[rows[i].kind].policy;
        if (text_is(group, rows[i].group)) {
            *row = &rows[i];
            return !rows[i].versions || list_has(rows[i].versions, version) ? OBJECT_KNOWN : OBJECT_UNSERVED;
        }
    }
    return policy_word ? OBJECT_FOREIGN : OBJECT_UNKNOWN;
}

const char *const *object_template_path(const struct object *object) {
    const struct object_kind_row *row = NULL;
    object_classify(text_of(object->api_version), text_of(object->kind_word), &row);
    return row ? row->template : NULL;
}

const struct document_keep *object_keep(struct text api_version, struct text kind) {
    const struct object_kind_row *row = NULL;
    if (text_is(kind, "List") || text_starts_with(api_version, "egressc.io/"))
        return NULL;
    if (object_classify(api_version, kind, &row) <= OBJECT_UNSERVED)
        return row->keep;
    struct text item = kind;
    if (text_ends_with(kind, "List")) {
        item.length -= strlen("List");
        if (object_classify(api_version, item, &row) <= OBJECT_UNSERVED)
            return row->keep;
    }
    return keep_only_name;
}

const struct document_keep *object_keep_annotations(struct text api_version, struct text kind) {
    const struct document_keep *keep = object_keep(api_version, kind);
    if (keep == keep_core_policy)
        return keep_annotated_core_policy;
    return keep == keep_policy ? keep_annotated_policy : keep;
}

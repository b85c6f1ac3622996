#include "online/collections.h"

#include <assert.h>
#include <string.h>

/* ---- what is kept ---- */

/* A superset of what kube/object_kind.c reads (a test compares them). Free text of people and programs is where secrets
 * end up, so that of pods only what is named here is kept; policies are kept whole, but for what the server adds. */
#define ALL(key)                                                                                                       \
    { key, NULL, 0 }
#define SOME(key, rules)                                                                                               \
    { key, rules, 0 }
#define DROPPED_UNLESS(key, option)                                                                                    \
    { key, prune_nothing, option }
#define END                                                                                                            \
    { NULL, NULL, 0 }

static const struct prune_rule read_annotations[] = {ALL("egressc.io/ignore"),
                                                     ALL("agents.x-k8s.io/sandbox-template-ref"), END};
static const struct prune_rule metadata[] = {DROPPED_UNLESS("managedFields", PRUNE_KEEP_MANAGED_FIELDS),
                                             {"annotations", read_annotations, PRUNE_KEEP_ANNOTATIONS},
                                             ALL("*"),
                                             END};

static const struct prune_rule conditions[] = {ALL("conditions"), END};
static const struct prune_rule policy[] = {
    SOME("metadata", metadata), {"status", conditions, PRUNE_KEEP_STATUS}, ALL("*"), END};

static const struct prune_rule container[] = {ALL("name"),
                                              ALL("image"),
                                              ALL("ports"),
                                              ALL("restartPolicy"),
                                              DROPPED_UNLESS("env", PRUNE_KEEP_ENVIRONMENT),
                                              DROPPED_UNLESS("envFrom", PRUNE_KEEP_ENVIRONMENT),
                                              END};
static const struct prune_rule pod_spec[] = {ALL("hostNetwork"),
                                             ALL("serviceAccountName"),
                                             ALL("serviceAccount"),
                                             ALL("automountServiceAccountToken"),
                                             ALL("nodeName"),
                                             ALL("restartPolicy"),
                                             ALL("runtimeClassName"),
                                             ALL("dnsPolicy"),
                                             ALL("dnsConfig"),
                                             ALL("hostAliases"),
                                             SOME("containers", container),
                                             SOME("initContainers", container),
                                             SOME("ephemeralContainers", container),
                                             END};
static const struct prune_rule pod_status[] = {ALL("phase"),  ALL("podIP"),   ALL("podIPs"),
                                               ALL("hostIP"), ALL("hostIPs"), END};
static const struct prune_rule pod[] = {ALL("apiVersion"),
                                        ALL("kind"),
                                        SOME("metadata", metadata),
                                        SOME("spec", pod_spec),
                                        {"status", pod_status, PRUNE_KEEP_STATUS},
                                        END};

static const struct prune_rule pod_template[] = {SOME("metadata", metadata), SOME("spec", pod_spec), END};
static const struct prune_rule sandbox_spec[] = {SOME("podTemplate", pod_template),
                                                 ALL("networkPolicy"),
                                                 ALL("networkPolicyManagement"),
                                                 ALL("sandboxTemplateRef"),
                                                 ALL("warmPoolRef"),
                                                 SOME("additionalPodMetadata", metadata),
                                                 ALL("replicas"),
                                                 END};
static const struct prune_rule sandbox[] = {ALL("apiVersion"),
                                            ALL("kind"),
                                            SOME("metadata", metadata),
                                            SOME("spec", sandbox_spec),
                                            {"status", conditions, PRUNE_KEEP_STATUS},
                                            END};

static const struct prune_rule phase[] = {ALL("phase"), END};
static const struct prune_rule namespace[] = {
    ALL("apiVersion"), ALL("kind"), SOME("metadata", metadata), {"status", phase, PRUNE_KEEP_STATUS}, END};
static const struct prune_rule plain[] = {ALL("apiVersion"),
                                          ALL("kind"),
                                          SOME("metadata", metadata),
                                          ALL("spec"),
                                          {"status", conditions, PRUNE_KEEP_STATUS},
                                          END};
static const struct prune_rule slice[] = {
    ALL("apiVersion"), ALL("kind"), SOME("metadata", metadata), ALL("endpoints"), ALL("addressType"),
    ALL("ports"),      END};
static const struct prune_rule addresses[] = {ALL("addresses"), END};
static const struct prune_rule pod_ranges[] = {ALL("podCIDR"), ALL("podCIDRs"), END};
static const struct prune_rule node[] = {ALL("apiVersion"),
                                         ALL("kind"),
                                         SOME("metadata", metadata),
                                         SOME("spec", pod_ranges),
                                         {"status", addresses, PRUNE_KEEP_STATUS},
                                         END};
static const struct prune_rule config_map[] = {ALL("apiVersion"), ALL("kind"), SOME("metadata", metadata), ALL("data"),
                                               END};

/* ---- the collections ---- */

#define ROW(resource_, group_, versions_, kind_, namespaced_, need_, keep_)                                            \
    {                                                                                                                  \
        .resource = resource_, .group = group_, .versions = versions_, .kind = kind_, .is_namespaced = namespaced_,    \
        .need = COLLECTION_##need_, .keep = keep_                                                                      \
    }

/* In the order of the index, and that in which workers take them: the longest first. */
const struct collection_row collection_rows[COLLECTION_ROWS] = {
    ROW("pods", "", "v1", "Pod", true, ALWAYS, pod),
    ROW("networkpolicies", "networking.k8s.io", "v1", "NetworkPolicy", true, ALWAYS, policy),
    ROW("ciliumnetworkpolicies", "cilium.io", "v2", "CiliumNetworkPolicy", true, OF_CILIUM, policy),
    ROW("ciliumclusterwidenetworkpolicies", "cilium.io", "v2", "CiliumClusterwideNetworkPolicy", false, OF_CILIUM,
        policy),
    ROW("ciliumcidrgroups", "cilium.io", "v2 v2alpha1", "CiliumCIDRGroup", false, OF_CILIUM, plain),
    ROW("namespaces", "", "v1", "Namespace", false, ALWAYS, namespace),
    ROW("services", "", "v1", "Service", true, ALWAYS, plain),
    ROW("endpointslices", "discovery.k8s.io", "v1", "EndpointSlice", true, ALWAYS, slice),
    ROW("nodes", "", "v1", "Node", false, ALWAYS, node),
    ROW("adminnetworkpolicies", "policy.networking.k8s.io", "v1alpha1", "AdminNetworkPolicy", false, ALWAYS, policy),
    ROW("baselineadminnetworkpolicies", "policy.networking.k8s.io", "v1alpha1", "BaselineAdminNetworkPolicy", false,
        ALWAYS, policy),
    ROW("clusternetworkpolicies", "policy.networking.k8s.io", "v1alpha2", "ClusterNetworkPolicy", false, ALWAYS,
        policy),
    ROW("validatingadmissionpolicies", "admissionregistration.k8s.io", "v1 v1beta1", "ValidatingAdmissionPolicy", false,
        OF_ADMISSION, policy),
    ROW("validatingadmissionpolicybindings", "admissionregistration.k8s.io", "v1 v1beta1",
        "ValidatingAdmissionPolicyBinding", false, OF_ADMISSION, policy),
    ROW("sandboxtemplates", "extensions.agents.x-k8s.io", "v1beta1 v1alpha1", "SandboxTemplate", true, ALWAYS, sandbox),
    ROW("sandboxwarmpools", "extensions.agents.x-k8s.io", "v1beta1 v1alpha1", "SandboxWarmPool", true, ALWAYS, sandbox),
    ROW("sandboxclaims", "extensions.agents.x-k8s.io", "v1beta1 v1alpha1", "SandboxClaim", true, ALWAYS, sandbox),
    ROW("sandboxes", "agents.x-k8s.io", "v1beta1 v1alpha1", "Sandbox", true, ALWAYS, sandbox),
};
static_assert(sizeof collection_rows / sizeof *collection_rows == COLLECTION_ROWS, "as the header says");

const struct collection_row collection_config_map = ROW("configmaps", "", "v1", "ConfigMap", true, ALWAYS, config_map);

const struct collection_row *collection_find(const char *resource) {
    for (size_t i = 0; i < COLLECTION_ROWS; i++)
        if (strcmp(collection_rows[i].resource, resource) == 0)
            return &collection_rows[i];
    return NULL;
}

/* Rows of objects and the finding that they draw, for the tests of what lint says of sets. */
#ifndef TESTS_ANALYZER_SET_ROWS_H
#define TESTS_ANALYZER_SET_ROWS_H

#include <stddef.h>

/* `found`: "NAME PATH" of the only finding of the code; NULL: there is none. */
struct set_row {
    const char *code, *found, *objects;
    const char *cilium;     /* the version, or NULL */
    const char **pod_cidrs; /* facts, or NULL */
};

void set_rows_assert(const struct set_row *rows, size_t count);
#define ASSERT_SETS(rows) set_rows_assert(rows, sizeof(rows) / sizeof *(rows))

/* Objects in flow style; `spec` is a YAML map. */
#define NP(name, spec)                                                                                                 \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " name                               \
    ", namespace: ns}\nspec: " spec "\n"
#define CNP(name, spec)                                                                                                \
    "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: " name ", namespace: ns}\nspec: " spec \
    "\n"
#define CCNP(name, spec)                                                                                               \
    "---\napiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: " name "}\nspec: " spec "\n"
#define OTHER(version, kind, metadata, rest)                                                                           \
    "---\napiVersion: " version "\nkind: " kind "\nmetadata: {" metadata "}\n" rest "\n"
#define POD(name, namespace, labels, spec)                                                                             \
    OTHER("v1", "Pod", "name: " name ", namespace: " namespace ", labels: {" labels "}", "spec: {" spec "}")
#define NAMESPACE(name) OTHER("v1", "Namespace", "name: " name, "")
#define SERVICE(name, namespace, spec)                                                                                 \
    OTHER("v1", "Service", "name: " name ", namespace: " namespace, "spec: {" spec "}")

#define ALL "podSelector: {}, policyTypes: [Egress], "
#define WEB "podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], "
#define CALL "endpointSelector: {}, "
#define CWEB "endpointSelector: {matchLabels: {app: web}}, "
#define DNS_PODS                                                                                                       \
    "toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}]"
#define DNS_LIST(names) "{" DNS_PODS ", toPorts: [{ports: [{port: '53', protocol: ANY}], rules: {dns: [" names "]}}]}"
#define DNS_PLAIN "{" DNS_PODS ", toPorts: [{ports: [{port: '53', protocol: ANY}]}]}"

#endif

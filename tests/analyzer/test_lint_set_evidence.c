/* What lint says of selectors, ports and Services where pods, namespaces and Services are among the inputs (spec/lint.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/analyzer/set_rows.h"

#define TO(peer) "{" ALL "egress: [{to: [{" peer "}], ports: [{port: 80}]}]}"
#define PEER(labels) "podSelector: {matchLabels: {" labels "}}"
#define DEPLOYMENT(name, namespace, labels)                                                                            \
    OTHER("apps/v1", "Deployment", "name: " name ", namespace: " namespace,                                            \
          "spec: {selector: {matchLabels: {" labels "}}, template: {metadata: {labels: {" labels                       \
          "}}, spec: {containers: [{name: c, image: i}]}}}")

static void subjects_without_pods_select_nothing(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"selects-nothing", "a spec.podSelector", NP("a", "{" WEB "egress: []}") POD("p", "ns", "app: api", ""), NULL,
         NULL},
        {"selects-nothing", NULL, NP("a", "{" WEB "egress: []}") POD("p", "ns", "app: web", ""), NULL, NULL},
        {"selects-nothing", NULL, NP("a", "{" WEB "egress: []}") DEPLOYMENT("d", "ns", "app: web"), NULL, NULL},
        {"selects-nothing", NULL, NP("a", "{" WEB "egress: []}"), NULL, NULL},
        /* Pods of other namespaces tell nothing; those without one may be here. */
        {"selects-nothing", NULL, NP("a", "{" WEB "egress: []}") POD("p", "other", "app: api", ""), NULL, NULL},
        {"selects-nothing", NULL,
         NP("a", "{" WEB "egress: []}") POD("p", "ns", "app: api", "")
             OTHER("v1", "Pod", "name: q, labels: {app: web}", ""),
         NULL, NULL},
        /* Labels that controllers add to the pods of a template. */
        {"selects-nothing", NULL,
         NP("a", "{podSelector: {matchLabels: {pod-template-hash: abc}}, policyTypes: [Egress]}")
             DEPLOYMENT("d", "ns", "app: web"),
         NULL, NULL},
        {"selects-nothing", "a spec.endpointSelector",
         CCNP("a", "{" CWEB "egress: [{toEntities: [host]}]}") POD("p", "ns", "app: api", ""), NULL, NULL},
        {"selects-nothing", NULL,
         CCNP("a", "{endpointSelector: {matchLabels: {app: web, 'k8s:io.kubernetes.pod.namespace': other}}, egress: "
                   "[{toEntities: [host]}]}") POD("p", "ns", "app: api", ""),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

#define SYSTEM NAMESPACE("kube-system") NAMESPACE("ns")

static void peers_without_pods_are_told_where_the_cluster_is_known(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"selects-nothing", "a spec.egress[0].to[0]",
         NP("a", TO(PEER("app: db"))) SYSTEM POD("p", "ns", "app: web", ""), NULL, NULL},
        {"selects-nothing", NULL, NP("a", TO(PEER("app: db"))) POD("p", "ns", "app: web", ""), NULL, NULL},
        {"selects-nothing", "a spec.egress[0].to[0]",
         NP("a", TO("namespaceSelector: {matchLabels: {team: red}}")) SYSTEM POD("p", "ns", "app: web", ""), NULL,
         NULL},
        {"selects-nothing", NULL,
         NP("a", TO("namespaceSelector: {matchLabels: {team: red}}")) POD("p", "ns", "app: web", ""), NULL, NULL},
        {"selects-nothing", NULL,
         NP("a", TO("namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: later}}"))
             SYSTEM POD("p", "ns", "app: web", ""),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void peers_without_a_namespace_mean_their_own(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"own-namespace-only", "a spec.egress[0].to[0]",
         NP("a", TO(PEER("app: db"))) POD("p", "ns", "app: web", "") POD("q", "other", "app: db", ""), NULL, NULL},
        {"own-namespace-only", NULL,
         NP("a", TO(PEER("app: db"))) POD("p", "ns", "app: db", "") POD("q", "other", "app: db", ""), NULL, NULL},
        /* Nothing is known of the own namespace. */
        {"own-namespace-only", NULL, NP("a", TO(PEER("app: db"))) POD("q", "other", "app: db", ""), NULL, NULL},
        {"own-namespace-only", "a spec.egress[0].toEndpoints[0]",
         CNP("a", "{" CALL "egress: [{toEndpoints: [{matchLabels: {app: db}}]}]}") POD("p", "ns", "app: web", "")
             POD("q", "other", "app: db", ""),
         NULL, NULL},
        {"own-namespace-only", NULL,
         CNP("a",
             "{" CALL "egress: [{toEndpoints: [{matchLabels: {app: db, 'k8s:io.kubernetes.pod.namespace': ns}}]}]}")
             POD("p", "ns", "app: web", "") POD("q", "other", "app: db", ""),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void pods_on_the_hosts_network_are_neither_subjects_nor_peers(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"host-network", "a spec.podSelector",
         NP("a", "{" WEB "egress: []}") POD("p", "ns", "app: web", "hostNetwork: true"), NULL, NULL},
        {"host-network", NULL, NP("a", "{" WEB "egress: []}") POD("p", "ns", "app: api", "hostNetwork: true"), NULL,
         NULL},
        {"host-network", "a spec.podSelector",
         NP("a", "{" ALL "egress: []}") POD("p", "ns", "app: web", "hostNetwork: true") POD("q", "ns", "app: web", ""),
         NULL, NULL},
        {"peer-host-network", "a spec.egress[0].to[0]",
         NP("a", TO(PEER("app: db"))) POD("p", "ns", "app: db", "hostNetwork: true"), NULL, NULL},
        {"peer-host-network", NULL,
         NP("a", TO(PEER("app: db"))) POD("p", "ns", "app: db", "hostNetwork: true") POD("q", "ns", "app: db", ""),
         NULL, NULL},
        {"peer-host-network", NULL, NP("a", TO("namespaceSelector: {}")) POD("p", "ns", "app: db", ""), NULL, NULL},
    };
    ASSERT_SETS(rows);
}

#define WEB_POD(ports) POD("p", "ns", "app: web", "containers: [{name: c, image: i, ports: [" ports "]}]")
#define TO_WEB(port) NP("a", "{" ALL "egress: [{to: [{" PEER("app: web") "}], ports: [" port "]}]}")

static void ports_of_services_are_not_those_of_pods(void **state) {
    (void)state;
#define FRONT(target) SERVICE("s", "ns", "selector: {app: web}, ports: [{port: 80, targetPort: " target "}]")
    const struct set_row rows[] = {
        {"service-port", "a spec.egress[0].ports[0].port", TO_WEB("{port: 80}") FRONT("8080") WEB_POD(""), NULL, NULL},
        {"service-port", "a spec.egress[0].ports[0].port",
         TO_WEB("{port: 80}") FRONT("http") WEB_POD("{containerPort: 8080, name: http}"), NULL, NULL},
        {"service-port", NULL, TO_WEB("{port: 80}") FRONT("80") WEB_POD(""), NULL, NULL},
        {"service-port", NULL, TO_WEB("{port: 80}") FRONT("http") WEB_POD(""), NULL, NULL},
        /* The target is allowed beside it; the pods listen on it as well; another Service leads to it. */
        {"service-port", NULL, TO_WEB("{port: 80}, {port: 8080}") FRONT("8080") WEB_POD(""), NULL, NULL},
        {"service-port", NULL, TO_WEB("{port: 80}") FRONT("8080") WEB_POD("{containerPort: 80}, {containerPort: 8080}"),
         NULL, NULL},
        {"service-port", NULL,
         TO_WEB("{port: 80}") FRONT("8080")
             SERVICE("t", "ns", "selector: {app: web}, ports: [{port: 81, targetPort: 80}]") WEB_POD(""),
         NULL, NULL},
        {"service-port", NULL, TO_WEB("{port: 80, protocol: UDP}") FRONT("8080") WEB_POD("{containerPort: 8080}"), NULL,
         NULL},
        /* Without pods or the Service there is nothing to say. */
        {"service-port", NULL, TO_WEB("{port: 80}") FRONT("8080"), NULL, NULL},
        {"service-port", NULL, TO_WEB("{port: 80}") WEB_POD("{containerPort: 8080}"), NULL, NULL},
        {"service-port", "a spec.egress[0].toPorts[0].ports[0].port",
         CNP("a", "{" CALL "egress: [{toEndpoints: [{matchLabels: {app: web}}], toPorts: [{ports: [{port: '80'}]}]}]}")
             FRONT("8080") WEB_POD(""),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void port_names_are_those_of_the_selected_pods(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"named-port-unresolved", "a spec.egress[0].ports[0].port",
         TO_WEB("{port: http}") WEB_POD("{containerPort: 80, name: web}"), NULL, NULL},
        {"named-port-unresolved", NULL, TO_WEB("{port: http}") WEB_POD("{containerPort: 80, name: http}"), NULL, NULL},
        {"named-port-unresolved", "a spec.egress[0].ports[0].port",
         TO_WEB("{port: http, protocol: UDP}") WEB_POD("{containerPort: 80, name: http}"), NULL, NULL},
        {"named-port-unresolved", NULL, TO_WEB("{port: http}"), NULL, NULL},
        {"named-port-unresolved", "a spec.egress[0].ports[0].port",
         TO_WEB("{port: http}") WEB_POD("")
             POD("q", "ns", "app: api", "containers: [{name: c, image: i, ports: [{containerPort: 1, name: http}]}]"),
         NULL, NULL},
        /* Cilium asks all pods of the cluster. */
        {"named-port-unresolved", NULL,
         CNP("a",
             "{" CALL
             "egress: [{toEndpoints: [{matchLabels: {app: web}}], toPorts: [{ports: [{port: http, protocol: TCP}]}]}]}")
             WEB_POD("") POD("q", "ns", "app: api",
                             "containers: [{name: c, image: i, ports: [{containerPort: 1, name: http}]}]"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void services_are_looked_for_where_some_are_known(void **state) {
    (void)state;
#define TO_SERVICE(service) CNP("a", "{" CALL "egress: [{toServices: [{" service "}]}]}")
    const struct set_row rows[] = {
        {"service-unresolved", "a spec.egress[0].toServices[0]",
         TO_SERVICE("k8sService: {serviceName: x, namespace: ns}") SERVICE("s", "ns", "selector: {app: web}"), NULL,
         NULL},
        {"service-unresolved", NULL,
         TO_SERVICE("k8sService: {serviceName: s, namespace: ns}") SERVICE("s", "ns", "selector: {app: web}"), NULL,
         NULL},
        {"service-unresolved", NULL,
         TO_SERVICE("k8sService: {serviceName: x, namespace: other}") SERVICE("s", "ns", "selector: {app: web}"), NULL,
         NULL},
        {"service-unresolved", NULL, TO_SERVICE("k8sService: {serviceName: x, namespace: ns}"), NULL, NULL},
        {"service-unresolved", NULL,
         TO_SERVICE("k8sServiceSelector: {selector: {matchLabels: {a: b}}, namespace: ns}")
             OTHER("v1", "Service", "name: s, namespace: ns, labels: {a: b}", "spec: {selector: {app: web}}"),
         NULL, NULL},
        {"service-unresolved", "a spec.egress[0].toServices[0]",
         TO_SERVICE("k8sServiceSelector: {selector: {matchLabels: {a: c}}, namespace: ns}")
             OTHER("v1", "Service", "name: s, namespace: ns, labels: {a: b}", "spec: {selector: {app: web}}"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static const char *pod_range[] = {"10.244.0.0/16", NULL};

static void blocks_inside_the_cluster_select_nothing_under_cilium(void **state) {
    (void)state;
#define BLOCK(cidr) CNP("a", "{" CALL "egress: [{toCIDR: [" cidr "]}]}")
#define NODES_TOO                                                                                                      \
    OTHER("v1", "ConfigMap", "name: cilium-config, namespace: kube-system", "data: {policy-cidr-match-mode: nodes}")
#define SERVED(address) OTHER("v1", "Service", "name: s, namespace: ns", "spec: {clusterIP: " address "}")
    const struct set_row rows[] = {
        {"cidr-inside-cluster", "a spec.egress[0].toCIDR[0]", BLOCK("10.244.3.0/24"), NULL, pod_range},
        {"cidr-inside-cluster", NULL, BLOCK("10.245.0.0/16"), NULL, pod_range},
        {"cidr-inside-cluster", NULL, BLOCK("10.244.3.0/24"), NULL, NULL},
        /* A private range as a whole, where something tells that the cluster is in it, or may be. */
        {"cidr-inside-cluster", NULL, BLOCK("10.0.0.0/8"), NULL, NULL},
        {"cidr-inside-cluster", "a spec.egress[0].toCIDR[0]", BLOCK("10.0.0.0/8") POD("p", "ns", "app: web", ""), NULL,
         NULL},
        {"cidr-inside-cluster", "a spec.egress[0].toCIDR[0]", BLOCK("10.0.0.0/8") SERVED("10.96.0.7"), NULL, NULL},
        {"cidr-inside-cluster", NULL, BLOCK("192.168.0.0/16") POD("p", "ns", "app: web", "") SERVED("10.96.0.7"), NULL,
         NULL},
        {"cidr-inside-cluster", "a spec.egress[0].toCIDR[0]", BLOCK("10.0.0.0/8"), NULL, pod_range},
        {"cidr-inside-cluster", NULL, BLOCK("192.168.0.0/16"), NULL, pod_range},
        {"cidr-inside-cluster", NULL, BLOCK("10.0.0.0/8") NODES_TOO, NULL, NULL},
        {"cidr-inside-cluster", NULL, BLOCK("0.0.0.0/0"), NULL, pod_range},
        /* What is not Cilium's may select pods by their addresses. */
        {"cidr-inside-cluster", NULL, NP("a", "{" ALL "egress: [{to: [{ipBlock: {cidr: 10.244.3.0/24}}]}]}"), NULL,
         pod_range},
    };
    ASSERT_SETS(rows);
}

#define ANP(name, priority, action, namespace, more)                                                                   \
    OTHER("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", "name: " name,                                    \
          "spec: {priority: " priority                                                                                 \
          ", subject: {namespaces: {matchLabels: {team: " namespace "}}}, egress: [{action: " action                   \
                                                                    ", to: [{namespaces: {}}]" more "}]}")

static void priorities_tie_where_actions_meet(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"priority-tie", "a spec.priority", ANP("a", "5", "Allow", "red", "") ANP("b", "5", "Deny", "red", ""), NULL,
         NULL},
        {"priority-tie", NULL, ANP("a", "5", "Allow", "red", "") ANP("b", "6", "Deny", "red", ""), NULL, NULL},
        {"priority-tie", NULL, ANP("a", "5", "Deny", "red", "") ANP("b", "5", "Deny", "red", ""), NULL, NULL},
        {"priority-tie", NULL, ANP("a", "5", "Allow", "red", "") ANP("b", "5", "Deny", "blue", ""), NULL, NULL},
        {"priority-tie", NULL,
         ANP("a", "5", "Allow", "red", ", ports: [{portNumber: {protocol: TCP, port: 80}}]")
             ANP("b", "5", "Deny", "red", ", ports: [{portRange: {protocol: TCP, start: 81, end: 90}}]"),
         NULL, NULL},
        {"priority-tie", "a spec.priority",
         ANP("a", "5", "Allow", "red", ", ports: [{portNumber: {protocol: TCP, port: 85}}]")
             ANP("b", "5", "Pass", "red", ", ports: [{portRange: {protocol: TCP, start: 81, end: 90}}]"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

#define ANP_INGRESS(name, action, from)                                                                                \
    OTHER("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", "name: " name,                                    \
          "spec: {priority: 5, subject: {namespaces: {}}, ingress: [{action: " action ", from: [" from "]}]}")
#define CNP_INGRESS(name, tier, action, from)                                                                          \
    OTHER("policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", "name: " name,                                  \
          "spec: {tier: " tier ", priority: 5, subject: {namespaces: {}}, ingress: [{action: " action ", from: [" from \
          "]}]}")
#define RED "{namespaces: {matchLabels: {team: red}}}"
#define BLUE "{namespaces: {matchLabels: {team: blue}}}"

static void priorities_tie_for_ingress_too(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"priority-tie", "a spec.priority", ANP_INGRESS("a", "Allow", RED) ANP_INGRESS("b", "Deny", RED), NULL, NULL},
        {"priority-tie", "a spec.priority", ANP_INGRESS("a", "Pass", BLUE ", " RED) ANP_INGRESS("b", "Deny", RED), NULL,
         NULL},
        {"priority-tie", NULL, ANP_INGRESS("a", "Deny", RED) ANP_INGRESS("b", "Deny", RED), NULL, NULL},
        {"priority-tie", NULL,
         ANP_INGRESS("a", "Allow", "{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: x}}}}")
             ANP_INGRESS("b", "Deny", "{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: y}}}}"),
         NULL, NULL},
        /* One direction does not meet the other. */
        {"priority-tie", NULL, ANP("a", "5", "Allow", "red", "") ANP_INGRESS("b", "Deny", RED), NULL, NULL},
        /* Priorities are those of a tier. */
        {"priority-tie", "a spec.priority",
         CNP_INGRESS("a", "Admin", "Accept", RED) CNP_INGRESS("b", "Admin", "Deny", RED), NULL, NULL},
        {"priority-tie", NULL, CNP_INGRESS("a", "Admin", "Accept", RED) CNP_INGRESS("b", "Baseline", "Deny", RED), NULL,
         NULL},
        /* Sources are pods: a block is no source that is known. */
        {"priority-tie", NULL,
         ANP_INGRESS("a", "Allow", "{networks: [10.0.0.0/8]}") ANP_INGRESS("b", "Deny", "{networks: [10.0.0.0/8]}"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subjects_without_pods_select_nothing),
        cmocka_unit_test(peers_without_pods_are_told_where_the_cluster_is_known),
        cmocka_unit_test(peers_without_a_namespace_mean_their_own),
        cmocka_unit_test(pods_on_the_hosts_network_are_neither_subjects_nor_peers),
        cmocka_unit_test(ports_of_services_are_not_those_of_pods),
        cmocka_unit_test(port_names_are_those_of_the_selected_pods),
        cmocka_unit_test(services_are_looked_for_where_some_are_known),
        cmocka_unit_test(blocks_inside_the_cluster_select_nothing_under_cilium),
        cmocka_unit_test(priorities_tie_where_actions_meet),
        cmocka_unit_test(priorities_tie_for_ingress_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What lint says of names: port 53, DNS lists, toFQDNs (spec/lint.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/analyzer/set_rows.h"

#define BLOCK "{to: [{ipBlock: {cidr: 203.0.113.0/24}}], ports: [{port: 443}]}"
#define RESOLVER                                                                                                       \
    "to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}, podSelector: {matchLabels: "  \
    "{k8s-app: kube-dns}}}]"
#define BOTH "{" RESOLVER ", ports: [{port: 53, protocol: UDP}, {port: 53}]}"
#define CBLOCK "{toCIDR: [203.0.113.0/24], toPorts: [{ports: [{port: '443', protocol: TCP}]}]}"

static void isolated_pods_that_can_ask_nobody_lack_dns(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"dns-missing", "a spec.egress", NP("a", "{" ALL "egress: [" BLOCK "]}"), NULL, NULL},
        {"dns-missing", NULL, NP("a", "{" ALL "egress: [" BLOCK ", " BOTH "]}"), NULL, NULL},
        {"dns-missing", "a spec.egress", CNP("a", "{" CALL "egress: [" CBLOCK "]}"), NULL, NULL},
        /* Nothing is allowed at all, so nothing needs a name. */
        {"dns-missing", NULL, NP("a", "{" ALL "egress: []}"), NULL, NULL},
        {"dns-missing", NULL, CNP("a", "{" CALL "egress: [{}]}"), NULL, NULL},
        /* Not isolated for egress. */
        {"dns-missing", NULL, NP("a", "{podSelector: {}, ingress: [{}]}"), NULL, NULL},
        /* A port name, a range or all ports may be it. */
        {"dns-missing", NULL, NP("a", "{" ALL "egress: [" BLOCK ", {ports: [{port: dns, protocol: UDP}]}]}"), NULL,
         NULL},
        {"dns-missing", NULL, NP("a", "{" ALL "egress: [{to: [{namespaceSelector: {}}]}]}"), NULL, NULL},
        /* The resolver listens elsewhere after translation. */
        {"dns-missing", NULL,
         NP("a", "{" ALL "egress: [" BLOCK ", {" RESOLVER ", ports: [{port: 5353, protocol: UDP}]}]}"), NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void another_policy_that_may_select_the_same_pods_opens_dns(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"dns-missing", NULL, NP("a", "{" WEB "egress: [" BLOCK "]}") NP("b", "{" ALL "egress: [" BOTH "]}"), NULL,
         NULL},
        /* It selects by another label, which the pods may carry too. */
        {"dns-missing", NULL,
         NP("a", "{" WEB "egress: [" BLOCK "]}")
             NP("b", "{podSelector: {matchLabels: {dns: allowed}}, policyTypes: [Egress], egress: [" BOTH "]}"),
         NULL, NULL},
        /* It selects by the same label, and other pods. */
        {"dns-missing", "a spec.egress",
         NP("a", "{" WEB "egress: [" BLOCK "]}")
             NP("b", "{podSelector: {matchLabels: {app: api}}, policyTypes: [Egress], egress: [" BOTH "]}"),
         NULL, NULL},
        /* Another namespace; one that is not told may be this one. */
        {"dns-missing", "a spec.egress",
         NP("a", "{" WEB "egress: [" BLOCK "]}") OTHER(
             "networking.k8s.io/v1", "NetworkPolicy", "name: b, namespace: other", "spec: {" ALL "egress: [" BOTH "]}"),
         NULL, NULL},
        {"dns-missing", NULL,
         NP("a", "{" WEB "egress: [" BLOCK "]}")
             OTHER("networking.k8s.io/v1", "NetworkPolicy", "name: b", "spec: {" ALL "egress: [" BOTH "]}"),
         NULL, NULL},
        /* A cluster-wide one, and one that is refused and might have been in force before. */
        {"dns-missing", NULL, CNP("a", "{" CWEB "egress: [" CBLOCK "]}") CCNP("b", "{" CALL "egress: [" DNS_PLAIN "]}"),
         NULL, NULL},
        {"dns-missing", NULL, NP("a", "{" WEB "egress: [" BLOCK "]}") NP("b", "{" ALL "oops: 1, egress: [" BOTH "]}"),
         NULL, NULL},
        /* The pods of the inputs decide where there are any. */
        {"dns-missing", "a spec.egress",
         NP("a", "{" WEB "egress: [" BLOCK "]}")
             NP("b", "{podSelector: {matchLabels: {dns: allowed}}, policyTypes: [Egress], egress: [" BOTH "]}")
                 POD("web-0", "ns", "app: web", ""),
         NULL, NULL},
        {"dns-missing", NULL,
         NP("a", "{" WEB "egress: [" BLOCK "]}")
             NP("b", "{podSelector: {matchLabels: {dns: allowed}}, policyTypes: [Egress], egress: [" BOTH "]}")
                 POD("web-0", "ns", "app: web", "") POD("web-1", "ns", "app: web, dns: allowed", ""),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void one_protocol_of_port_53_is_too_few(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"dns-one-protocol", "a spec.egress[0]", NP("a", "{" ALL "egress: [{" RESOLVER ", ports: [{port: 53}]}]}"),
         NULL, NULL},
        {"dns-one-protocol", "a spec.egress[0]",
         NP("a", "{" ALL "egress: [{" RESOLVER ", ports: [{port: 53, protocol: UDP}]}]}"), NULL, NULL},
        {"dns-one-protocol", NULL, NP("a", "{" ALL "egress: [" BOTH "]}"), NULL, NULL},
        {"dns-one-protocol", NULL,
         NP("a", "{" ALL "egress: [{" RESOLVER ", ports: [{port: 53, protocol: UDP}]}]}")
             NP("b", "{" ALL "egress: [{ports: [{port: 1, endPort: 1000}]}]}"),
         NULL, NULL},
        /* All of TCP is port 53 over TCP as well. */
        {"dns-one-protocol", "a spec.egress[0]", NP("a", "{" ALL "egress: [{ports: [{}]}]}"), NULL, NULL},
    };
    ASSERT_SETS(rows);
}

#define NAMES(name) "{toFQDNs: [{" name "}], toPorts: [{ports: [{port: '443', protocol: TCP}]}]}"

static void names_open_nothing_where_the_proxy_sees_no_answer(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"fqdn-without-dns", "a spec.egress[0].toFQDNs",
         CNP("a", "{" CALL "egress: [" NAMES("matchName: a.example") "]}"), NULL, NULL},
        {"fqdn-without-dns", "a spec.egress[1].toFQDNs",
         CNP("a", "{" CALL "egress: [" DNS_PLAIN ", " NAMES("matchName: a.example") "]}"), NULL, NULL},
        {"fqdn-without-dns", NULL,
         CNP("a", "{" CALL "egress: [" NAMES("matchName: a.example") "]}")
             CNP("b", "{" CALL "egress: [" DNS_LIST("{matchName: b.example}") "]}"),
         NULL, NULL},
        {"fqdn-without-dns", "a spec.egress[0].toFQDNs",
         CNP("a", "{" CWEB "egress: [" NAMES("matchName: a.example") "]}") CNP(
             "b", "{endpointSelector: {matchLabels: {app: api}}, egress: [" DNS_LIST("{matchName: b.example}") "]}"),
         NULL, NULL},
        /* Without default deny everything is reachable. */
        {"fqdn-without-dns", NULL,
         CNP("a", "{" CALL "enableDefaultDeny: {egress: false}, egress: [" NAMES("matchName: a.example") "]}"), NULL,
         NULL},
    };
    ASSERT_SETS(rows);
}

static void names_that_may_not_be_asked_for_are_a_gap(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"fqdn-dns-gap", "a spec.egress[1].toFQDNs[0]",
         CNP("a",
             "{" CALL "egress: [" DNS_LIST("{matchPattern: '*.example'}") ", " NAMES("matchName: a.b.example") "]}"),
         NULL, NULL},
        {"fqdn-dns-gap", NULL,
         CNP("a",
             "{" CALL "egress: [" DNS_LIST("{matchPattern: '*.example'}") ", " NAMES("matchName: A.Example.") "]}"),
         NULL, NULL},
        {"fqdn-dns-gap", "a spec.egress[1].toFQDNs[0]",
         CNP("a",
             "{" CALL "egress: [" DNS_LIST("{matchPattern: '*.example'}") ", " NAMES("matchPattern: '*example'") "]}"),
         NULL, NULL},
        /* Before 1.19 `**.` is one label, so deeper names are not allowed either. */
        {"fqdn-dns-gap", NULL,
         CNP("a", "{" CALL
                  "egress: [" DNS_LIST("{matchPattern: '*.example'}") ", " NAMES("matchPattern: '**.example'") "]}"),
         "1.18", NULL},
        {"fqdn-dns-gap", "a spec.egress[1].toFQDNs[0]",
         CNP("a", "{" CALL
                  "egress: [" DNS_LIST("{matchPattern: '*.example'}") ", " NAMES("matchPattern: '**.example'") "]}"),
         "1.19", NULL},
        /* Another policy lets them be asked for: by a list of its own, or by lifting this one. */
        {"fqdn-dns-gap", NULL,
         CNP("a", "{" CALL "egress: [" DNS_LIST("{matchName: b.example}") ", " NAMES("matchName: a.example") "]}")
             CCNP("b", "{" CALL "egress: [" DNS_LIST("{matchName: a.example}") "]}"),
         NULL, NULL},
        {"fqdn-dns-gap", NULL,
         CNP("a", "{" CALL "egress: [" DNS_LIST("{matchName: b.example}") ", " NAMES("matchName: a.example") "]}")
             CNP("b", "{" CALL "egress: [" DNS_PLAIN "]}"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void lists_are_lifted_by_their_own_port_alone(void **state) {
    (void)state;
#define NARROW CNP("narrow", "{" CALL "egress: [" DNS_LIST("{matchName: a.example}") "]}")
    const struct set_row rows[] = {
        {"dns-narrowing-lifted", "b spec.egress[0]", NARROW CNP("b", "{" CALL "egress: [" DNS_PLAIN "]}"), NULL, NULL},
        {"dns-narrowing-lifted", "b spec.egress[0].toPorts[0]",
         NARROW CNP("b", "{" CALL "egress: [" DNS_LIST("{matchPattern: '*'}") "]}"), NULL, NULL},
        {"dns-narrowing-lifted", "b spec.egress[0]",
         NARROW NP("b", "{" ALL "egress: [{to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}]}]}"), NULL,
         NULL},
        {"dns-narrowing-lifted", NULL, NARROW CNP("b", "{" CALL "egress: [{" DNS_PODS "}]}"), NULL, NULL},
        {"dns-narrowing-lifted", NULL, NARROW CNP("b", "{" CALL "egress: [" DNS_LIST("{matchName: b.example}") "]}"),
         NULL, NULL},
        /* Other servers, other pods, and a deny that takes the port away again. */
        {"dns-narrowing-lifted", NULL,
         NARROW CNP("b",
                    "{" CALL "egress: [{toCIDR: [192.0.2.53/32], toPorts: [{ports: [{port: '53', protocol: ANY}]}]}]}"),
         NULL, NULL},
        {"dns-narrowing-lifted", NULL,
         CNP("narrow", "{" CWEB "egress: [" DNS_LIST("{matchName: a.example}") "]}")
             CNP("b", "{endpointSelector: {matchLabels: {app: api}}, egress: [" DNS_PLAIN "]}"),
         NULL, NULL},
        {"dns-narrowing-lifted", NULL,
         NARROW CNP("b", "{" CALL "egress: [" DNS_PLAIN "], egressDeny: [{" DNS_PODS "}]}"), NULL, NULL},
        /* The list holds for UDP, and TCP is open beside it. */
        {"dns-narrowing-lifted", "b spec.egress[1]",
         CNP("b", "{" CALL "egress: [{" DNS_PODS ", toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: "
                  "[{matchName: a.example}]}}]}, {" DNS_PODS ", toPorts: [{ports: [{port: '53', protocol: TCP}]}]}]}"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

#define RESOLVER_POD POD("dns-0", "kube-system", "k8s-app: kube-dns", "")

static void rules_for_dns_that_miss_the_resolver_are_told(void **state) {
    (void)state;
#define TO(labels)                                                                                                     \
    "{" CALL "egress: [{toEndpoints: [{matchLabels: {" labels                                                          \
    "}}], toPorts: [{ports: [{port: '53', protocol: ANY}]}]}]}"
    const struct set_row rows[] = {
        {"dns-resolver-mismatch", "a spec.egress[0].toEndpoints[0]", CNP("a", TO("k8s-app: kube-dns")) RESOLVER_POD,
         NULL, NULL},
        {"dns-resolver-mismatch", "a spec.egress[0].toEndpoints[0]",
         CNP("a", TO("'k8s:io.kubernetes.pod.namespace': kube-system, app: coredns")) RESOLVER_POD, NULL, NULL},
        {"dns-resolver-mismatch", NULL, CNP("a", TO("'k8s:io.kubernetes.pod.namespace': kube-system")) RESOLVER_POD,
         NULL, NULL},
        /* No resolver is known. */
        {"dns-resolver-mismatch", NULL, CNP("a", TO("k8s-app: kube-dns")), NULL, NULL},
        /* Another server, which may answer. */
        {"dns-resolver-mismatch", NULL, CNP("a", TO("app: unbound")) RESOLVER_POD POD("u", "ns", "app: unbound", ""),
         NULL, NULL},
        /* One rule a cluster: the other meets the resolver. */
        {"dns-resolver-mismatch", NULL,
         CNP("a",
             "{" CALL "egress: [{toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': openshift-dns}}], "
             "toPorts: [{ports: [{port: '53', protocol: ANY}]}]}, " DNS_PLAIN "]}") RESOLVER_POD,
         NULL, NULL},
        {"dns-resolver-mismatch", NULL,
         CNP("a", "{" CALL "egress: [{toCIDR: [169.254.20.10/32], toPorts: [{ports: [{port: '53', protocol: ANY}]}]}]}")
             RESOLVER_POD,
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void forms_of_the_search_list_are_missed(void **state) {
    (void)state;
#define LIST(names) CNP("a", "{" CALL "egress: [" DNS_LIST(names) "]}")
    const struct set_row rows[] = {
        {"dns-search-gap", "a spec.egress[0].toPorts[0].rules.dns", LIST("{matchName: a.example}"), NULL, NULL},
        {"dns-search-gap", NULL, LIST("{matchPattern: '*'}"), NULL, NULL},
        /* Names of five dots and more are asked as they are. */
        {"dns-search-gap", NULL, LIST("{matchName: a.b.c.d.e.example}"), NULL, NULL},
        {"dns-search-gap", NULL,
         LIST("{matchName: a.example}, {matchPattern: 'a.example.*.svc.cluster.local'}, {matchName: "
              "a.example.svc.cluster.local}, {matchName: a.example.cluster.local}"),
         NULL, NULL},
        {"dns-search-gap", NULL,
         LIST("{matchName: a.example}") OTHER("v1", "ConfigMap", "name: cilium-config, namespace: kube-system",
                                              "data: {tofqdns-dns-reject-response-code: nameError}"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated_pods_that_can_ask_nobody_lack_dns),
        cmocka_unit_test(another_policy_that_may_select_the_same_pods_opens_dns),
        cmocka_unit_test(one_protocol_of_port_53_is_too_few),
        cmocka_unit_test(names_open_nothing_where_the_proxy_sees_no_answer),
        cmocka_unit_test(names_that_may_not_be_asked_for_are_a_gap),
        cmocka_unit_test(lists_are_lifted_by_their_own_port_alone),
        cmocka_unit_test(rules_for_dns_that_miss_the_resolver_are_told),
        cmocka_unit_test(forms_of_the_search_list_are_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

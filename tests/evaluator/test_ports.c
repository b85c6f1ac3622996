/* Ports, L7 rules and denies: the tables of spec/cilium-egress.md 4 to 6, as facts about single flows. */
#include "tests/evaluator/facts.h"

/* --- C 4 ----------------------------------------------------------------------------------------------------- */

static void cilium_port_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[{" P("010") "}]"), "ip 9.9.9.9 TCP 8", ALLOWED},
        {15, 19, CNP("[{" P("010") "}]"), "ip 9.9.9.9 TCP 10", DENIED},
        {15, 19, CNP("[{" P("1_000") "}]"), "ip 9.9.9.9 TCP 1000", ALLOWED},
        {15, 19, CNP("[{" P("08") "}]"), "ip 9.9.9.9 TCP 8", REFUSED},
        {15, 19, CNP("[{" P("70000") "}]"), "ip 9.9.9.9 TCP 8", REFUSED},
        {15, 19, CNP("[{" P("0x10") "}]"), "ip 9.9.9.9 TCP 16", UNKNOWN},
        {15, 19, CNP("[{" P("0") "}]"), "ip 9.9.9.9 TCP 65535", ALLOWED},
        {15, 19, CNP("[{" TCP("0") "}]"), "ip 9.9.9.9 UDP 1", DENIED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: 80}]}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {15, 19, CNP("[{toPorts: [{ports: [{protocol: TCP}]}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '80', protocol: tcp}]}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '80', protocol: ICMP}]}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {15, 18, CNP("[{toPorts: [{ports: [{port: '0', protocol: VRRP}]}]}]"), "ip 9.9.9.9 other", REFUSED},
        {19, 19, CNP("[{toPorts: [{ports: [{port: '0', protocol: VRRP}]}]}]"), "ip 9.9.9.9 other", UNKNOWN},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '80', protocol: ANY}]}]}]"), "ip 9.9.9.9 SCTP 80", ALLOWED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '80', protocol: ANY}]}]}]"), "ip 9.9.9.9 ICMP 80", DENIED},
        {15, 15, CNP("[{toPorts: [{ports: [{port: '80', endPort: 90}]}]}]"), "ip 9.9.9.9 TCP 85", DENIED},
        {16, 19, CNP("[{toPorts: [{ports: [{port: '80', endPort: 90}]}]}]"), "ip 9.9.9.9 TCP 85", ALLOWED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '80', endPort: 70}]}]}]"), "ip 9.9.9.9 TCP 80", ALLOWED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '80', endPort: 70}]}]}]"), "ip 9.9.9.9 TCP 75", DENIED},
        {15, 19, CNP("[{icmps: [{fields: [{type: 8}]}]}]"), "ip 9.9.9.9 ICMP 8", ALLOWED},
        {15, 19, CNP("[{icmps: [{fields: [{type: 8}]}]}]"), "ip fd00::1 ICMPv6 8", DENIED},
        {15, 19, CNP("[{icmps: [{fields: [{type: 128, family: IPv6}]}]}]"), "ip fd00::1 ICMPv6 128", ALLOWED},
        {15, 15, CNP("[{icmps: [{fields: [{type: EchoRequest}]}]}]"), "ip 9.9.9.9 ICMP 8", REFUSED},
        {16, 19, CNP("[{icmps: [{fields: [{type: EchoRequest}]}]}]"), "ip 9.9.9.9 ICMP 8", ALLOWED},
        {15, 19, CNP("[{icmps: [{fields: [{type: 8}]}], " P("80") "}]"), "ip 9.9.9.9 ICMP 8", REFUSED},
        {15, 19, CNP("[{icmps: [{fields: [{type: 256}]}]}]"), "ip 9.9.9.9 ICMP 8", REFUSED},
    };
    CHECK(facts);
    struct evaluator_reading reading = reading_of(17);
    reading.sctp = false;
    struct fact sctp = {17, 17, CNP("[{toEntities: [all]}]"), "ip 9.9.9.9 SCTP 80", DENIED};
    assert_int_equal(ask(&sctp, &reading).answer, DENIED);
}

static void converted_network_policies(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, NP("[{}]"), "host other", ALLOWED},
        {15, 19, NP("[{to: [{namespaceSelector: {}}]}]"), "pod ops a=b TCP 1", ALLOWED},
        {15, 19, NP("[{to: [{namespaceSelector: {}}]}]"), "host TCP 1", DENIED},
        {15, 19, NP("[{to: [{podSelector: {}}]}]"), "pod ops a=b TCP 1", DENIED},
        {15, 19, NP("[{to: [{podSelector: {}}]}]"), "pod team a=b TCP 1", ALLOWED},
        {15, 19, NP("[{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]"), "pod team a=b TCP 1", DENIED},
        {15, 19, NP("[{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, NP("[{ports: [{}]}]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, NP("[{ports: [{}]}]"), "ip 9.9.9.9 UDP 1", DENIED},
        {15, 15, NP("[{ports: [{port: 80, endPort: 90}]}]"), "ip 9.9.9.9 TCP 81", DENIED},
        {16, 19, NP("[{ports: [{port: 80, endPort: 90}]}]"), "ip 9.9.9.9 TCP 81", ALLOWED},
    };
    CHECK(facts);
}

/* --- C 5 ----------------------------------------------------------------------------------------------------- */

#define DNS_RULE(proto, entries)                                                                                       \
    "{" DNS ", toPorts: [{ports: [{port: '53', protocol: " proto "}], rules: {dns: [" entries "]}}]}"
#define ASK_A "pod kube-system k8s-app=kube-dns UDP 53 ask a.com"
#define ASK_B "pod kube-system k8s-app=kube-dns UDP 53 ask b.com"

static void dns_rules_restrict_questions(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") "]"), ASK_A, ALLOWED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") "]"), ASK_B, DENIED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") "]"), "pod kube-system k8s-app=kube-dns UDP 53", DENIED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchPattern: '*'}") "]"), ASK_B, ALLOWED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchPattern: '*'}") "]"), "pod kube-system k8s-app=kube-dns TCP 53",
         ALLOWED},
        /* the same key without DNS rules lifts, whatever its selector and policy kind */
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") ", {toEntities: [all], " P("53") "}]"), ASK_B, ALLOWED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") "]") NP("[{ports: [{port: 53, protocol: UDP}]}]"), ASK_B,
         ALLOWED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") ", {toEndpoints: [{}], " P("53") "}]"), ASK_B, DENIED},
        /* more entries */
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") "]") CNP("[" DNS_RULE("UDP", "{matchName: b.com}") "]"),
         ASK_B, ALLOWED},
        /* without ports, and port 0 */
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") ", {toEntities: [all]}]"), ASK_B, DENIED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") ", {toEntities: [all]}]"), ASK_A, ALLOWED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") ", {toEntities: [all], " P("0") "}]"), ASK_B, DENIED},
        {15, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") "]") NP("[{to: [{namespaceSelector: {}}]}]"), ASK_B,
         DENIED},
        /* a range */
        {17, 19, CNP("[" DNS_RULE("ANY", "{matchName: a.com}") ", {toPorts: [{ports: [{port: '50', endPort: 60}]}]}]"),
         ASK_B, DENIED},
        /* another protocol */
        {15, 19, CNP("[" DNS_RULE("UDP", "{matchName: a.com}") ", {toEntities: [all]}]"),
         "pod kube-system k8s-app=kube-dns TCP 53 ask b.com", ALLOWED},
        {15, 19, CNP("[" DNS_RULE("UDP", "{matchName: a.com}") ", {toEntities: [all], " TCP("53") "}]"),
         "pod kube-system k8s-app=kube-dns TCP 53 ask b.com", ALLOWED},
        {15, 19, CNP("[" DNS_RULE("UDP", "{matchName: a.com}") ", {toEntities: [all], " TCP("53") "}]"), ASK_B, DENIED},
    };
    CHECK(facts);
}

static void l7_rules_that_are_refused(void **state) {
    (void)state;
#define L7(port, rules) CNP("[{toPorts: [{ports: [" port "], rules: " rules "}]}]")
    static const struct fact facts[] = {
        {15, 19, L7("{port: '0'}", "{dns: [{matchPattern: '*'}]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19, L7("{port: '80'}", "{http: [{path: /}]}"), "ip 9.9.9.9 TCP 80", REFUSED},
        {15, 19, L7("{port: '80', protocol: ANY}", "{http: [{path: /}]}"), "ip 9.9.9.9 TCP 80", REFUSED},
        {15, 19, L7("{port: '80', protocol: TCP}", "{http: [{path: /}]}"), "ip 9.9.9.9 TCP 80 http", UNKNOWN},
        {15, 19, L7("{port: '80', protocol: TCP}", "{http: [{path: /}], dns: [{matchPattern: '*'}]}"),
         "ip 9.9.9.9 TCP 80", REFUSED},
        {17, 19, L7("{port: '53', endPort: 60}", "{dns: [{matchPattern: '*'}]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 16, L7("{port: '53', endPort: 60}", "{dns: [{matchPattern: '*'}]}"), "ip 9.9.9.9 UDP 53 ask a.com",
         ALLOWED},
        {15, 15, L7("{port: '53'}", "{dns: [{matchName: a.com, matchPattern: '*.b.com'}]}"),
         "ip 9.9.9.9 UDP 53 ask x.b.com", ALLOWED},
        {16, 19, L7("{port: '53'}", "{dns: [{matchName: a.com, matchPattern: '*.b.com'}]}"),
         "ip 9.9.9.9 UDP 53 ask x.b.com", REFUSED},
    };
    CHECK(facts);
    struct evaluator_reading reading = reading_of(17);
    reading.l7_proxy = false;
    struct fact fact = {17, 17, L7("{port: '53'}", "{dns: [{matchPattern: '*'}]}"), "ip 9.9.9.9 UDP 53", REFUSED};
    assert_int_equal(ask(&fact, &reading).answer, REFUSED);
}

#define HTTP(peer) "{" peer ", toPorts: [{ports: [{port: '80', protocol: TCP}], rules: {http: [{path: /}]}}]}"
static void http_rules_are_lifted(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[" HTTP("toEntities: [world]") "]"), "ip 9.9.9.9 TCP 80 http", UNKNOWN},
        {15, 19, CNP("[" HTTP("toEntities: [world]") ", {toEntities: [world], " TCP("80") "}]"),
         "ip 9.9.9.9 TCP 80 http", ALLOWED},
        {15, 19, CNP("[" HTTP("toEntities: [world]") ", {toCIDR: [9.0.0.0/8], " TCP("80") "}]"),
         "ip 9.9.9.9 TCP 80 http", ALLOWED},
        {15, 19, CNP("[" HTTP("toEntities: [world]") ", {toCIDR: [9.0.0.0/8]}]"), "ip 9.9.9.9 TCP 80 http", ALLOWED},
        {15, 19, CNP("[" HTTP("toEntities: [world]") ", {toCIDR: [9.0.0.0/8], " P("0") "}]"), "ip 9.9.9.9 TCP 80 http",
         ALLOWED},
        {16, 19, CNP("[" HTTP("toEntities: [world]") ", {toPorts: [{ports: [{port: '70', endPort: 90}]}]}]"),
         "ip 9.9.9.9 TCP 80 http", ALLOWED},
        {15, 19, CNP("[" HTTP("toEntities: [world]") ", {toCIDR: [8.0.0.0/8], " TCP("80") "}]"),
         "ip 9.9.9.9 TCP 80 http", UNKNOWN},
        /* two parsers on one key */
        {15, 17,
         CNP("[" HTTP("toEntities: [world]") ", {toEntities: [host], toPorts: [{ports: [{port: '80', protocol: TCP}], "
                                             "rules: {dns: [{matchPattern: '*'}]}}]}]"),
         "ip 9.9.9.9 TCP 80", UNKNOWN},
        {18, 19,
         CNP("[" HTTP("toEntities: [world]") ", {toEntities: [host], toPorts: [{ports: [{port: '80', protocol: TCP}], "
                                             "rules: {dns: [{matchPattern: '*'}]}}]}]"),
         "host TCP 80", ALLOWED},
        {18, 19,
         CNP("[" HTTP("toEntities: [world]") ", {toEntities: [world], toPorts: [{ports: [{port: '80', protocol: TCP}], "
                                             "rules: {dns: [{matchPattern: '*'}]}}]}]"),
         "host TCP 80", UNKNOWN},
    };
    CHECK(facts);
}

#define SNI(peer, name) "{" peer ", toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: ['" name "']}]}"
static void server_names_merge_and_lift(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") "]"), "ip 9.9.9.9 TCP 443 sni a.com", ALLOWED},
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") "]"), "ip 9.9.9.9 TCP 443 sni b.com", DENIED},
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") "]"), "ip 9.9.9.9 TCP 443", DENIED},
        /* the same selector and key: narrowed with the other, from whatever policy */
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") "]") CNP("[{toEntities: [world], " TCP("443") "}]"),
         "ip 9.9.9.9 TCP 443 sni b.com", DENIED},
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") ", " SNI("toEntities: [world]", "b.com") "]"),
         "ip 9.9.9.9 TCP 443 sni b.com", ALLOWED},
        {15, 19,
         CNP("[" SNI("toCIDR: [9.0.0.0/8]", "a.com") "]")
             NP("[{to: [{ipBlock: {cidr: 9.0.0.1/8}}], ports: [{port: 443}]}]"),
         "ip 9.9.9.9 TCP 443 sni b.com", DENIED},
        {15, 19,
         CNP("[" SNI("toFQDNs: [{matchName: a.com}]", "a.com") ", {toFQDNs: [{matchName: a.com}], " TCP("443") "}]"),
         "name a.com 9.9.9.9 TCP 443", DENIED},
        /* another selector, another key */
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") ", {toCIDR: [9.0.0.0/8], " TCP("443") "}]"),
         "ip 9.9.9.9 TCP 443 sni b.com", ALLOWED},
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") ", {toEntities: [world]}]"), "ip 9.9.9.9 TCP 443",
         ALLOWED},
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.com") ", {toEntities: [world], " P("0") "}]"),
         "ip 9.9.9.9 TCP 443", ALLOWED},
        {16, 19,
         CNP("[" SNI("toEntities: [world]",
                     "a.com") ", {toEntities: [world], toPorts: [{ports: [{port: '400', endPort: 500}]}]}]"),
         "ip 9.9.9.9 TCP 443", ALLOWED},
        {15, 19,
         CNP("[" SNI("toEntities: [world]",
                     "a.com") ", {toEntities: [world], toPorts: [{ports: [{port: '443', protocol: UDP}]}]}]"),
         "ip 9.9.9.9 TCP 443", DENIED},
        /* wildcards */
        {18, 19, CNP("[" SNI("toEntities: [world]", "*.a.com") "]"), "ip 9.9.9.9 TCP 443 sni x.a.com", ALLOWED},
        {18, 19, CNP("[" SNI("toEntities: [world]", "*.a.com") "]"), "ip 9.9.9.9 TCP 443 sni x.y.a.com", DENIED},
        {18, 19, CNP("[" SNI("toEntities: [world]", "**.a.com") "]"), "ip 9.9.9.9 TCP 443 sni x.y.a.com", ALLOWED},
        {18, 19, CNP("[" SNI("toEntities: [world]", "**.a.com") "]"), "ip 9.9.9.9 TCP 443 sni a.com", DENIED},
        {15, 19, CNP("[" SNI("toEntities: [world]", "a.*.com") "]"), "ip 9.9.9.9 TCP 443 sni a.com", REFUSED},
        {15, 19, CNP("[" SNI("toEntities: [world]", "") "]"), "ip 9.9.9.9 TCP 443", REFUSED},
        {15, 19,
         CNP("[{toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: [a.com], rules: {http: [{path: "
             "/}]}}]}]"),
         "ip 9.9.9.9 TCP 443", REFUSED},
    };
    CHECK(facts);
}

/* --- C 6 ----------------------------------------------------------------------------------------------------- */

static void denies_win(void **state) {
    (void)state;
#define ALL CNP("[{toEntities: [all]}]")
    static const struct fact facts[] = {
        {15, 19, ALL DENY("[{toEntities: [world], " TCP("443") "}]"), "ip 9.9.9.9 TCP 443", DENIED},
        {15, 19, ALL DENY("[{toEntities: [world], " TCP("443") "}]"), "ip 9.9.9.9 TCP 444", ALLOWED},
        {15, 19, ALL DENY("[{toCIDR: [9.0.0.0/8]}]"), "ip 9.9.9.9 other", DENIED},
        {15, 19, ALL DENY("[{toCIDR: [9.0.0.0/8], " P("0") "}]"), "ip 9.9.9.9 ICMP 8", ALLOWED},
        {15, 19, ALL DENY("[{toCIDR: [9.0.0.0/8]}]"), "name a.com 9.9.9.9 TCP 1", DENIED},
        {15, 19, ALL DENY("[{toCIDR: [0.0.0.0/0]}]"), "pod team a=b TCP 1", ALLOWED},
        {15, 19, CNP("[{toCIDR: [9.9.0.0/16]}]") DENY("[{toCIDR: [9.0.0.0/8]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CNP("[{toCIDR: [9.0.0.0/8]}]") DENY("[{toCIDR: [9.9.0.0/16]}]"), "ip 9.8.9.9 TCP 1", ALLOWED},
        {15, 19, ALL DENY("[{toCIDRSet: [{cidr: 9.0.0.0/8, except: [9.9.0.0/16]}]}]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, ALL DENY("[{toFQDNs: [{matchName: a.com}], " TCP("443") "}]"), "host TCP 443", DENIED},
        {15, 19, ALL DENY("[{toFQDNs: [{matchName: a.com}]}]"), "name a.com 9.9.9.9 TCP 443", ALLOWED},
        {15, 19, DENY("[{toFQDNs: [{matchName: a.com}]}]"), "name a.com 9.9.9.9 TCP 443", DENIED},
        {15, 19, NP("[{}]") CCNP_SPEC("{endpointSelector: {}, egressDeny: [{toEntities: [host]}]}"), "host TCP 1",
         DENIED},
        {15, 19, ALL DENY("[{}]"), "host TCP 1", ALLOWED},
        {15, 19, ALL DENY("[{icmps: [{fields: [{type: 8}]}]}]"), "ip 9.9.9.9 ICMP 8", DENIED},
    };
    CHECK(facts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cilium_port_table),
        cmocka_unit_test(converted_network_policies),
        cmocka_unit_test(dns_rules_restrict_questions),
        cmocka_unit_test(l7_rules_that_are_refused),
        cmocka_unit_test(http_rules_are_lifted),
        cmocka_unit_test(server_names_merge_and_lift),
        cmocka_unit_test(denies_win),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

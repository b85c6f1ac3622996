/* How rules of several policies act on one another (spec/cilium-egress.md 5.3, 5.4, 6), and the bounds of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* A rule beside the first one, the classes that this holds for, a flow, and whether both together allow it. */
struct row {
    const char *beside;
    cilium_classes classes;
    const char *flow, *allowed;
};
#define LAST_ROW                                                                                                       \
    { NULL, 0, NULL, NULL }

static void expect(struct arena *arena, const char *first, const struct row *rows) {
    int wrong = 0;
    for (; rows->beside; rows++) {
        struct stage *stage = stage_of(arena, arena_format(arena, "%s%s", first, rows->beside));
        stage_complete(stage, OBJECT_POD);
        for (unsigned class = 0; class < CILIUM_CLASS_COUNT; class ++) {
            if (((unsigned)rows->classes >> class & 1u) == 0)
                continue;
            stage_read_cilium(stage, (enum cilium_class) class);
            struct effective effective = stage_effective(stage);
            const char *allowed = truth_word(stage_allows(stage, &effective, rows->flow));
            if (strcmp(allowed, rows->allowed) == 0)
                continue;
            print_error("%s under %s beside %s: %s\n", rows->flow, cilium_class_word((enum cilium_class) class),
                        rows->beside, allowed);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

#define EGRESS(name, rules) CNP(name, "{endpointSelector: {}, egress: [" rules "]}")
#define PORTS(entry) "toPorts: [{ports: [" entry "]}]"

/* ---- DNS names ---- */

#define DNS_LABELS "'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns"
#define DNS_PEER "toEndpoints: [{matchLabels: {" DNS_LABELS "}}]"
#define DNS_POD "pod:kube-system?k8s-app=kube-dns"
#define ASKS_A DNS_POD " 53/UDP dns:a.example"
#define ASKS_B DNS_POD " 53/UDP dns:b.example"
#define DNS_RULE(protocol, name)                                                                                       \
    "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: " protocol "}], rules: {dns: [{matchName: " name "}]}}]" \
    "}"
#define LIST EGRESS("list", DNS_RULE("UDP", "a.example"))

static void dns_list_restricts_the_questions_to_its_servers(void **state) {
    static const struct row rows[] = {
        {"", EVERY, ASKS_A, "yes"},
        {"", EVERY, ASKS_B, "no"},
        {"", EVERY, DNS_POD " 53/UDP", "no"},
        {"", EVERY, "pod:ns?k8s-app=kube-dns 53/UDP dns:a.example", "no"},
        {EGRESS("q", DNS_RULE("UDP", "b.example")), EVERY, ASKS_A, "yes"},
        {EGRESS("q", DNS_RULE("UDP", "b.example")), EVERY, ASKS_B, "yes"},
        {EGRESS("q", DNS_RULE("UDP", "b.example")), EVERY, DNS_POD " 53/UDP dns:c.example", "no"},
        LAST_ROW,
    };
    expect(*state, LIST, rows);
}

#define PLAIN_UDP PORTS("{port: '53', protocol: UDP}")

static void plain_rule_under_the_same_key_lifts_a_dns_list(void **state) {
    static const struct row rows[] = {
        {EGRESS("q", "{" DNS_PEER ", " PLAIN_UDP "}"), EVERY, ASKS_B, "yes"},
        {EGRESS("q", "{" PLAIN_UDP "}"), EVERY, ASKS_B, "yes"},
        {EGRESS("q", "{toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system}}], " PLAIN_UDP "}"),
         EVERY, ASKS_B, "yes"},
        {EGRESS("q", "{" DNS_PEER ", " PORTS("{port: '53'}") "}"), EVERY, ASKS_B, "yes"},
        {CCNP("q", "{endpointSelector: {}, egress: [{toEntities: [cluster], " PLAIN_UDP "}]}"), EVERY, ASKS_B, "yes"},
        {CORE("q", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {}}], ports: [{port: "
                   "53, protocol: UDP}]}]}"),
         EVERY, ASKS_B, "yes"},
        /* Servers that the plain rule does not reach keep their list. */
        {EGRESS("q", "{toEndpoints: [{}], " PLAIN_UDP "}"), EVERY, ASKS_B, "no"},
        {EGRESS("q", "{toEntities: [world], " PLAIN_UDP "}"), EVERY, ASKS_B, "no"},
        LAST_ROW,
    };
    expect(*state, LIST, rows);
}

static void rule_under_another_key_leaves_a_dns_list(void **state) {
    static const struct row rows[] = {
        {EGRESS("q", "{" DNS_PEER "}"), EVERY, ASKS_B, "no"},
        {EGRESS("q", "{toEntities: [all]}"), EVERY, ASKS_B, "no"},
        {EGRESS("q", "{" DNS_PEER ", " PORTS("{port: '0', protocol: UDP}") "}"), EVERY, ASKS_B, "no"},
        {CORE("q", "{podSelector: {}, policyTypes: [Egress], egress: [{}]}"), EVERY, ASKS_B, "no"},
        {CORE("q", "{podSelector: {}, policyTypes: [Egress], egress: [{ports: [{protocol: UDP}]}]}"), EVERY, ASKS_B,
         "no"},
        {EGRESS("q", "{" DNS_PEER "}"), EVERY, ASKS_A, "yes"},
        {EGRESS("q", "{" DNS_PEER "}"), EVERY, DNS_POD " 54/UDP", "yes"},
        LAST_ROW,
    };
    expect(*state, LIST, rows);
}

#define RANGE_RULE EGRESS("q", "{" DNS_PEER ", " PORTS("{port: '1', endPort: 100, protocol: UDP}") "}")

static void range_bypasses_a_dns_list_in_the_first_patches_of_1_16_alone(void **state) {
    static const struct row rows[] = {
        {RANGE_RULE, ONLY(CILIUM_1_15), ASKS_B, "no"}, /* endPort is pruned: port 1 alone */
        {RANGE_RULE, ONLY(CILIUM_1_15), DNS_POD " 2/UDP", "no"},
        {RANGE_RULE, ONLY(CILIUM_1_16_0), ASKS_B, "yes"},
        {RANGE_RULE, FROM(CILIUM_1_16_4), ASKS_B, "no"},
        {RANGE_RULE, FROM(CILIUM_1_16_0), DNS_POD " 54/UDP", "yes"},
        LAST_ROW,
    };
    expect(*state, LIST, rows);
}

#define DNS_PORT_POD                                                                                                   \
    OBJECT("v1", "Pod", "name: dns, namespace: kube-system, labels: {k8s-app: kube-dns}",                              \
           "spec: {containers: [{name: c, ports: [{name: dns, containerPort: 53, protocol: UDP}, {name: web, "         \
           "containerPort: 443}]}]}")

static void port_name_that_stands_for_the_port_leaves_a_dns_list(void **state) {
    static const struct row rows[] = {
        {DNS_PORT_POD EGRESS("q", "{" DNS_PEER ", " PORTS("{port: dns, protocol: UDP}") "}"), EVERY, ASKS_B, "no"},
        {DNS_PORT_POD EGRESS("q", "{toEndpoints: [{}], " PORTS("{port: dns, protocol: UDP}") "}"), EVERY,
         "pod:ns? 53/UDP", "yes"},
        LAST_ROW,
    };
    expect(*state, LIST, rows);
}

static void dns_list_binds_the_protocols_of_its_key_alone(void **state) {
    static const struct row rows[] = {
        {EGRESS("q", "{" DNS_PEER ", " PORTS("{port: '53', protocol: TCP}") "}"), EVERY,
         DNS_POD " 53/TCP dns:b.example", "yes"},
        {EGRESS("q", "{" DNS_PEER ", " PORTS("{port: '53', protocol: TCP}") "}"), EVERY, ASKS_B, "no"},
        {EGRESS("q", "{" DNS_PEER "}"), EVERY, DNS_POD " 53/TCP dns:b.example", "yes"},
        LAST_ROW,
    };
    expect(*state, LIST, rows);
    static const struct row any[] = {
        {"", EVERY, DNS_POD " 53/TCP dns:a.example", "yes"},
        {EGRESS("q", "{" DNS_PEER ", " PORTS("{port: '53', protocol: TCP}") "}"), EVERY,
         DNS_POD " 53/TCP dns:b.example", "yes"},
        {EGRESS("q", "{" DNS_PEER ", " PORTS("{port: '53', protocol: TCP}") "}"), EVERY, ASKS_B, "no"},
        {EGRESS("q", "{" DNS_PEER "}"), EVERY, DNS_POD " 53/TCP dns:b.example", "no"},
        LAST_ROW,
    };
    expect(*state, EGRESS("list", DNS_RULE("ANY", "a.example")), any);
}

static void dns_list_of_every_name_is_no_restriction(void **state) {
    static const char every[] =
        EGRESS("list", "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchPattern: "
                       "'*'}]}}]}");
    static const struct row rows[] = {
        {"", EVERY, ASKS_B, "yes"},
        {"", EVERY, DNS_POD " 53/UDP", "yes"},
        {EGRESS("q", DNS_RULE("UDP", "a.example")), EVERY, ASKS_B, "yes"},
        LAST_ROW,
    };
    expect(*state, every, rows);
}

/* ---- HTTP ---- */

#define WEB_PEER "toEndpoints: [{matchLabels: {app: web}}]"
#define HTTP_RULE(method)                                                                                              \
    "{" WEB_PEER ", toPorts: [{ports: [{port: '443', protocol: TCP}], rules: {http: [{method: " method "}]}}]}"
#define REQUESTS "pod:ns?app=web 443/TCP http:anything"

static void http_rules_are_lifted_by_whatever_reaches_the_port(void **state) {
    static const struct row rows[] = {
        {"", EVERY, REQUESTS, "no"},
        {"", EVERY, "pod:ns?app=web 443/TCP", "no"},
        {EGRESS("q", HTTP_RULE("POST")), EVERY, REQUESTS, "no"},
        {EGRESS("q", "{" WEB_PEER ", " PORTS("{port: '443', protocol: TCP}") "}"), EVERY, REQUESTS, "yes"},
        {EGRESS("q", "{toEndpoints: [{}], " PORTS("{port: '443', protocol: TCP}") "}"), EVERY, REQUESTS, "yes"},
        {EGRESS("q", "{" WEB_PEER "}"), EVERY, REQUESTS, "yes"},
        {EGRESS("q", "{" WEB_PEER ", " PORTS("{port: '0', protocol: TCP}") "}"), EVERY, REQUESTS, "yes"},
        {EGRESS("q", "{" WEB_PEER ", " PORTS("{port: '400', endPort: 500, protocol: TCP}") "}"), FROM(CILIUM_1_16_0),
         REQUESTS, "yes"},
        {DNS_PORT_POD EGRESS("q", "{" WEB_PEER ", " PORTS("{port: web, protocol: TCP}") "}"), EVERY, REQUESTS, "yes"},
        {EGRESS("q", "{" WEB_PEER ", " PORTS("{port: '443', protocol: UDP}") "}"), EVERY, REQUESTS, "no"},
        LAST_ROW,
    };
    expect(*state, EGRESS("list", HTTP_RULE("GET")), rows);
}

/* ---- server names ---- */

#define SNI(peer, name) "{" peer ", toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: [" name "]}]}"
#define PLAIN_443(peer) "{" peer ", " PORTS("{port: '443', protocol: TCP}") "}"
#define TEN "toCIDR: [10.0.0.0/8]"
#define SHOWS_A "10.0.0.1 443/TCP sni:a.example"
#define SHOWS_B "10.0.0.1 443/TCP sni:b.example"

static void plain_rule_with_the_same_selector_and_key_becomes_restricted_by_server_names(void **state) {
    static const struct row rows[] = {
        {"", EVERY, SHOWS_A, "yes"},
        {"", EVERY, SHOWS_B, "no"},
        {"", EVERY, "10.0.0.1 443/TCP", "no"},
        {EGRESS("q", PLAIN_443(TEN)), EVERY, SHOWS_A, "yes"},
        {EGRESS("q", PLAIN_443(TEN)), EVERY, SHOWS_B, "no"},
        {EGRESS("q", PLAIN_443(TEN)), EVERY, "10.0.0.1 443/TCP", "no"},
        {CORE("q", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: "
                   "[{port: 443}]}]}"),
         EVERY, SHOWS_B, "no"},
        {EGRESS("q", SNI(TEN, "b.example")), EVERY, SHOWS_A, "yes"},
        {EGRESS("q", SNI(TEN, "b.example")), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", SNI(TEN, "b.example")), EVERY, "10.0.0.1 443/TCP sni:c.example", "no"},
        /* The other peers of such a rule stay plain. */
        {EGRESS("q", PLAIN_443("toCIDR: [10.0.0.0/8, 11.0.0.0/8]")), EVERY, "11.0.0.1 443/TCP", "yes"},
        {EGRESS("q", PLAIN_443("toCIDR: [10.0.0.0/8, 11.0.0.0/8]")), EVERY, "10.0.0.1 443/TCP", "no"},
        LAST_ROW,
    };
    expect(*state, EGRESS("names", SNI(TEN, "a.example")), rows);
}

static void rule_with_another_selector_or_key_lifts_server_names(void **state) {
    static const struct row rows[] = {
        {EGRESS("q", PLAIN_443("toCIDR: [10.0.0.0/9]")), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", PLAIN_443("toCIDR: [0.0.0.0/0]")), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", PLAIN_443("toEntities: [world]")), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", PLAIN_443("toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}]")), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", "{" TEN "}"), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", "{" TEN ", " PORTS("{port: '0', protocol: TCP}") "}"), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", "{" TEN ", " PORTS("{port: '400', endPort: 500, protocol: TCP}") "}"), FROM(CILIUM_1_16_0),
         SHOWS_B, "yes"},
        {DNS_PORT_POD EGRESS("q", "{" TEN ", " PORTS("{port: web, protocol: TCP}") "}"), EVERY, SHOWS_B, "yes"},
        {EGRESS("q", PLAIN_443("toCIDR: [11.0.0.0/8]")), EVERY, SHOWS_B, "no"},
        {EGRESS("q", "{" TEN ", " PORTS("{port: '443', protocol: UDP}") "}"), EVERY, SHOWS_B, "no"},
        LAST_ROW,
    };
    expect(*state, EGRESS("names", SNI(TEN, "a.example")), rows);
}

/* The peer of a rule with server names, another spelling of a peer in a plain rule, a destination of both. */
static void selectors_are_the_same_after_normalisation(void **state) {
    static const struct {
        const char *one, *other, *destination;
        bool same;
    } rows[] = {
        {TEN, "toCIDR: [10.0.0.5/8]", "10.0.0.1", true},
        {TEN, "toCIDRSet: [{cidr: 10.0.0.0/8}]", "10.0.0.1", true},
        {TEN, "toCIDRSet: [{cidr: 10.0.0.0/8, except: []}]", "10.0.0.1", true},
        {"toFQDNs: [{matchName: a.example}]", "toFQDNs: [{matchName: A.Example.}]", "name:a.example", true},
        {"toFQDNs: [{matchName: a.example}]", "toFQDNs: [{matchPattern: '*.example'}]", "name:a.example", false},
        {WEB_PEER, "toEndpoints: [{matchLabels: {'any:app': web}}]", "pod:ns?app=web", true},
        {WEB_PEER, "toEndpoints: [{matchLabels: {'k8s:app': web}}]", "pod:ns?app=web", false},
        {WEB_PEER, "toEndpoints: [{}]", "pod:ns?app=web", false},
        {WEB_PEER, "toEndpoints: [{matchLabels: {app: web, 'k8s:io.kubernetes.pod.namespace': ns}}]", "pod:ns?app=web",
         true},
        {"toEndpoints: [{matchLabels: {a: x, b: z}}]", "toEndpoints: [{matchLabels: {b: z, a: x}}]", "pod:ns?a=x,b=z",
         true},
        {"toEndpoints: [{matchExpressions: [{key: a, operator: In, values: [x, z]}]}]",
         "toEndpoints: [{matchExpressions: [{key: a, operator: In, values: [z, x]}]}]", "pod:ns?a=x", true},
        {"toEntities: [world]", "toEntities: [world]", "10.0.0.1", true},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *objects = arena_format(
            *state,
            EGRESS("names", "{%s, toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: "
                            "[a.example]}]}") EGRESS("q", "{%s, toPorts: [{ports: [{port: '443', protocol: TCP}]}]}"),
            rows[i].one, rows[i].other);
        struct stage *stage = stage_of(*state, objects);
        stage_read_cilium(stage, CILIUM_1_18);
        struct effective effective = stage_effective(stage);
        const char *flow = arena_format(*state, "%s 443/TCP sni:b.example", rows[i].destination);
        enum truth lifted = stage_allows(stage, &effective, flow);
        if (lifted == (rows[i].same ? TRUTH_NO : TRUTH_YES))
            continue;
        print_error("%s beside %s: %s\n", rows[i].other, rows[i].one, truth_word(lifted));
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void server_names_are_patterns_from_1_18_on(void **state) {
    static const struct row rows[] = {
        {EGRESS("names", SNI(TEN, "'*.example'")), FROM(CILIUM_1_18), SHOWS_A, "yes"},
        {EGRESS("names", SNI(TEN, "'*.example'")), FROM(CILIUM_1_18), "10.0.0.1 443/TCP sni:a.b.example", "no"},
        {EGRESS("names", SNI(TEN, "'**.example'")), FROM(CILIUM_1_18), "10.0.0.1 443/TCP sni:a.b.example", "yes"},
        {EGRESS("names", SNI(TEN, "'**.example'")), FROM(CILIUM_1_18), "10.0.0.1 443/TCP sni:example", "no"},
        {EGRESS("names", SNI(TEN, "'*.example'")), BEFORE(CILIUM_1_18), SHOWS_A, "no"},
        LAST_ROW,
    };
    expect(*state, "", rows);
}

static void core_rules_do_not_act_on_one_another(void **state) {
    struct stage *stage = stage_of(
        *state, CORE("a", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}], "
                          "ports: [{port: 443}]}]}")
                    CORE("b", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{podSelector: {}}]}]}"));
    struct effective effective = stage_effective(stage);
    assert_string_equal(truth_word(stage_allows(stage, &effective, "10.0.0.1 443/TCP")), "yes");
    assert_string_equal(truth_word(stage_allows(stage, &effective, "10.0.0.1 444/TCP")), "no");
    assert_string_equal(truth_word(stage_allows(stage, &effective, "pod:ns? 444/SCTP")), "yes");
    assert_string_equal(truth_word(stage_allows(stage, &effective, "pod:other? 443/TCP")), "no");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dns_list_restricts_the_questions_to_its_servers, begin, end),
        cmocka_unit_test_setup_teardown(plain_rule_under_the_same_key_lifts_a_dns_list, begin, end),
        cmocka_unit_test_setup_teardown(rule_under_another_key_leaves_a_dns_list, begin, end),
        cmocka_unit_test_setup_teardown(range_bypasses_a_dns_list_in_the_first_patches_of_1_16_alone, begin, end),
        cmocka_unit_test_setup_teardown(port_name_that_stands_for_the_port_leaves_a_dns_list, begin, end),
        cmocka_unit_test_setup_teardown(dns_list_binds_the_protocols_of_its_key_alone, begin, end),
        cmocka_unit_test_setup_teardown(dns_list_of_every_name_is_no_restriction, begin, end),
        cmocka_unit_test_setup_teardown(http_rules_are_lifted_by_whatever_reaches_the_port, begin, end),
        cmocka_unit_test_setup_teardown(plain_rule_with_the_same_selector_and_key_becomes_restricted_by_server_names,
                                        begin, end),
        cmocka_unit_test_setup_teardown(rule_with_another_selector_or_key_lifts_server_names, begin, end),
        cmocka_unit_test_setup_teardown(selectors_are_the_same_after_normalisation, begin, end),
        cmocka_unit_test_setup_teardown(server_names_are_patterns_from_1_18_on, begin, end),
        cmocka_unit_test_setup_teardown(core_rules_do_not_act_on_one_another, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

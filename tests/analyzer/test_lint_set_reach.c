/* What lint says of addresses that rules open, and of rules that change nothing (spec/lint.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/analyzer/linting.h"
#include "tests/analyzer/set_rows.h"

#define CIDR(cidr) "{to: [{ipBlock: {cidr: " cidr "}}]}"
#define CIDR_PORT(cidr, port) "{to: [{ipBlock: {cidr: " cidr "}}], ports: [{port: " port "}]}"

static void the_metadata_service_is_reached_through_flows(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"metadata-address", "a spec.egress[0].to[0]", NP("a", "{" ALL "egress: [" CIDR("0.0.0.0/0") "]}"), NULL, NULL},
        {"metadata-address", "a spec.egress[0].to[0]", NP("a", "{" ALL "egress: [" CIDR("169.254.0.0/16") "]}"), NULL,
         NULL},
        {"metadata-address", "a spec.egress[0].to[0]", NP("a", "{" ALL "egress: [" CIDR("'fd00::/8'") "]}"), NULL,
         NULL},
        {"metadata-address", NULL, NP("a", "{" ALL "egress: [" CIDR("169.254.170.0/24") "]}"), NULL, NULL},
        {"metadata-address", "a spec.egress[0]", NP("a", "{" ALL "egress: [{}]}"), NULL, NULL},
        {"metadata-address", NULL, NP("prod-allow-all-egress", "{" ALL "egress: [{}]}"), NULL, NULL},
        {"metadata-address", "a spec.egress[0].toEntities[1]",
         CNP("a", "{" CALL "egress: [{toEntities: [host, world]}]}"), NULL, NULL},
        {"metadata-address", NULL, CNP("a", "{" CALL "egress: [{toEntities: [cluster]}]}"), NULL, NULL},
        /* A deny takes it away, of whatever policy that selects the same pods. */
        {"metadata-address", NULL,
         CNP("a", "{" CALL "egress: [{toEntities: [world]}]}")
             CCNP("b", "{" CALL "egressDeny: [{toCIDR: [169.254.169.254/32, 'fd00:ec2::254/128']}]}"),
         NULL, NULL},
        {"metadata-address", "a spec.egress[0].toEntities[0]",
         CNP("a", "{" CALL "egress: [{toEntities: [world]}]}")
             CCNP("b", "{endpointSelector: {matchLabels: {app: other}}, egressDeny: [{toCIDR: [169.254.169.254/32, "
                       "'fd00:ec2::254/128']}]}") POD("web", "ns", "app: web", ""),
         NULL, NULL},
        /* It answers HTTP, not questions of other protocols. */
        {"metadata-address", NULL, NP("a", "{" ALL "egress: [{ports: [{port: 53, protocol: UDP}, {port: 53}]}]}"), NULL,
         NULL},
        {"metadata-address", "a spec.egress[0].to[0]", NP("a", "{" ALL "egress: [" CIDR_PORT("0.0.0.0/0", "80") "]}"),
         NULL, NULL},
        /* Two halves are no way around it. */
        {"metadata-address", "a spec.egress[0].to[1]",
         NP("a", "{" ALL "egress: [{to: [{ipBlock: {cidr: 0.0.0.0/1}}, {ipBlock: {cidr: 128.0.0.0/1}}]}]}"), NULL,
         NULL},
        /* Names that DNS gives are no addresses that the rule opens. */
        {"metadata-address", NULL, CNP("a", "{" CALL "egress: [{toFQDNs: [{matchPattern: '*'}]}]}"), NULL, NULL},
    };
    ASSERT_SETS(rows);
}

/* The severity of a finding: what is a guess, or opens little, is a note. */
static const char *severity_of(const char *code, const char *objects) {
    struct linting linting;
    linting_text(&linting, objects, NULL);
    const struct diagnostic *finding = linting_find(&linting, code);
    const char *word = finding ? severity_word(finding->severity) : "";
    linting_end(&linting);
    return word;
}

static void what_is_less_certain_is_a_note(void **state) {
    (void)state;
    static const char *const metadata = "metadata-address", *const inside = "cidr-inside-cluster";
    assert_string_equal(severity_of(metadata, NP("a", "{" ALL "egress: [" CIDR_PORT("0.0.0.0/0", "80") "]}")),
                        "warning");
    assert_string_equal(severity_of(metadata, NP("a", "{" ALL "egress: [" CIDR("0.0.0.0/0") "]}")), "warning");
    assert_string_equal(severity_of(metadata, NP("a", "{" ALL "egress: [" CIDR_PORT("0.0.0.0/0", "443") "]}")), "note");
    assert_string_equal(severity_of(metadata, NP("a", "{" ALL "egress: [" CIDR_PORT("0.0.0.0/0", "22") "]}")), "");
    assert_string_equal(
        severity_of(inside, CNP("a", "{" CALL "egress: [{toCIDR: [10.0.0.0/8]}]}") POD("p", "ns", "app: web", "")),
        "note");
    assert_string_equal(
        severity_of(inside, CNP("a", "{" CALL "egress: [{toCIDR: [10.0.0.0/8]}]}")
                                OTHER("v1", "Service", "name: s, namespace: ns", "spec: {clusterIP: 10.96.0.7}")),
        "warning");
}

#define HOLE(ports) "{to: [{ipBlock: {cidr: 198.51.100.0/24, except: [198.51.100.128/25]}}]" ports "}"

static void excepts_are_reopened_by_other_peers(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"deny-reopened", "a spec.egress[1].to[0]",
         NP("a", "{" ALL "egress: [" HOLE("") ", " CIDR("198.51.100.255/32") "]}"), NULL, NULL},
        {"deny-reopened", NULL, NP("a", "{" ALL "egress: [" HOLE("") ", " CIDR("198.51.100.0/25") "]}"), NULL, NULL},
        {"deny-reopened", "a spec.egress[0].to[1]",
         NP("a", "{" ALL "egress: [{to: [{ipBlock: {cidr: 198.51.100.0/24, except: [198.51.100.128/25]}}, {ipBlock: "
                 "{cidr: 198.51.100.200/32}}]}]}"),
         NULL, NULL},
        /* Other ports; other pods; another policy for the same pods. */
        {"deny-reopened", NULL,
         NP("a", "{" ALL "egress: [" HOLE(", ports: [{port: 80}]") ", " CIDR_PORT("198.51.100.255/32", "443") "]}"),
         NULL, NULL},
        {"deny-reopened", "b spec.egress[0].to[0]",
         NP("a", "{" WEB "egress: [" HOLE("") "]}") NP("b", "{" ALL "egress: [" CIDR("198.51.100.255/32") "]}"), NULL,
         NULL},
        {"deny-reopened", NULL,
         NP("a", "{" WEB "egress: [" HOLE("") "]}")
             NP("b", "{podSelector: {matchLabels: {app: api}}, policyTypes: [Egress], egress: [" CIDR(
                         "198.51.100.255/32") "]}"),
         NULL, NULL},
        /* Denied again. */
        {"deny-reopened", NULL,
         CNP("a", "{" CALL "egress: [{toCIDRSet: [{cidr: 198.51.100.0/24, except: [198.51.100.128/25]}]}, {toCIDR: "
                  "[198.51.100.255/32]}], egressDeny: [{toCIDR: [198.51.100.128/25]}]}"),
         NULL, NULL},
        /* An except of a deny closes nothing and is reopened by nothing. */
        {"deny-reopened", NULL,
         CNP("a", "{" CALL "egress: [{toCIDR: [198.51.100.255/32]}], egressDeny: [{toCIDRSet: [{cidr: 198.51.100.0/24, "
                  "except: [198.51.100.128/25]}]}]}"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

#define NAMED "{toFQDNs: [{matchName: a.example}], toPorts: [{ports: [{port: '443', protocol: TCP}]}]}"
#define TO_PORT(peers, port) "{" peers ", toPorts: [{ports: [{port: '" port "', protocol: TCP}]}]}"

static void lists_are_void_beside_what_is_wide(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"allowlist-voided", "a spec.egress[1].toEntities[0]",
         CNP("a", "{" CALL "egress: [" NAMED ", " TO_PORT("toEntities: [world]", "443") "]}"), NULL, NULL},
        {"allowlist-voided", NULL, CNP("a", "{" CALL "egress: [" NAMED ", " TO_PORT("toEntities: [world]", "80") "]}"),
         NULL, NULL},
        {"allowlist-voided", "a spec.egress[1].toCIDR[0]",
         CNP("a", "{" CALL "egress: [" NAMED ", {toCIDR: [0.0.0.0/0]}]}"), NULL, NULL},
        {"allowlist-voided", NULL, CNP("a", "{" CALL "egress: [" NAMED ", {toCIDR: [10.0.0.0/8]}]}"), NULL, NULL},
        /* Names may lead to what an except leaves out. */
        {"allowlist-voided", NULL,
         CNP("a", "{" CALL "egress: [" NAMED ", {toCIDRSet: [{cidr: 0.0.0.0/0, except: [10.0.0.0/8]}]}]}"), NULL, NULL},
        {"allowlist-voided", "b spec.egress[0]",
         NP("a", "{" WEB "egress: [" CIDR_PORT("203.0.113.0/24", "443") "]}") NP("b", "{" ALL "egress: [{}]}"), NULL,
         NULL},
        {"allowlist-voided", NULL,
         NP("a", "{" WEB "egress: [" CIDR_PORT("203.0.113.0/24", "443") "]}")
             NP("b", "{podSelector: {matchLabels: {app: api}}, policyTypes: [Egress], egress: [{}]}"),
         NULL, NULL},
        {"allowlist-voided", NULL,
         NP("a", "{" WEB "egress: [" CIDR_PORT("203.0.113.0/24", "443") "]}")
             NP("b", "{podSelector: {matchLabels: {role: any}}, policyTypes: [Egress], egress: [{}]}"),
         NULL, NULL},
        /* The wide one is denied what the list lists. */
        {"allowlist-voided", NULL,
         CNP("a",
             "{" CALL "egress: [" TO_PORT("toCIDR: [203.0.113.0/24]", "443") ", {toEntities: [world]}], egressDeny: "
                                                                             "[{toCIDR: [203.0.113.0/24]}]}"),
         NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void rules_that_allow_nothing_are_unused(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"unused-rule", "a spec.egress[0]", CNP("a", "{" CALL "egress: [{toEntities: [none]}]}"), NULL, NULL},
        {"unused-rule", "a spec.egress[0]",
         NP("a", "{" ALL "egress: [{to: [{podSelector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: "
                 "DoesNotExist}]}}]}]}"),
         NULL, NULL},
        {"unused-rule", "a spec.egress[0]",
         CNP("a", "{" CALL "egress: [{toCIDR: [10.1.0.0/16]}], egressDeny: [{toCIDR: [10.0.0.0/8]}]}"), NULL, NULL},
        {"unused-rule", NULL,
         CNP("a", "{" CALL "egress: [{toCIDR: [10.1.0.0/16]}], egressDeny: [{toCIDR: [10.0.0.0/8], toPorts: [{ports: "
                  "[{port: '80', protocol: TCP}]}]}]}"),
         NULL, NULL},
        /* Said otherwise, or meant. */
        {"unused-rule", NULL, CNP("a", "{" CALL "egress: [{}]}"), NULL, NULL},
        {"unused-rule", NULL, CNP("a", "{" CALL "egress: [{toEndpoints: []}]}"), NULL, NULL},
        {"unused-rule", NULL, CNP("a", "{" CALL "egress: [{toCIDR: [10.0.0.0/8], toPorts: [{}]}]}"), NULL, NULL},
        {"unused-rule", NULL, CNP("a", "{" CALL "egress: [{toGroups: [{aws: {region: r}}]}]}"), NULL, NULL},
    };
    ASSERT_SETS(rows);
}

static void rules_within_the_rest_of_their_policy_are_redundant(void **state) {
    (void)state;
    const struct set_row rows[] = {
        {"redundant-rule", "a spec.egress[1]", NP("a", "{" ALL "egress: [{}, " CIDR("10.0.0.0/8") "]}"), NULL, NULL},
        {"redundant-rule", "a spec.egress[0]",
         NP("a", "{" ALL "egress: [" CIDR_PORT("10.1.0.0/16", "443") ", " CIDR("10.0.0.0/8") "]}"), NULL, NULL},
        {"redundant-rule", "a spec.egress[1]",
         NP("a", "{" ALL "egress: [" CIDR("10.0.0.0/8") ", " CIDR("10.0.0.0/8") "]}"), NULL, NULL},
        /* Two rules together hold a third. */
        {"redundant-rule", "a spec.egress[2]",
         NP("a", "{" ALL "egress: [" CIDR("10.0.0.0/9") ", " CIDR("10.128.0.0/9") ", " CIDR("10.0.0.0/8") "]}"), NULL,
         NULL},
        {"redundant-rule", NULL,
         NP("a", "{" ALL "egress: [" CIDR_PORT("10.0.0.0/8", "443") ", " CIDR("10.1.0.0/16") "]}"), NULL, NULL},
        {"redundant-rule", "a spec.egress[1]",
         NP("a",
            "{" ALL "egress: [{to: [{namespaceSelector: {}}]}, {to: [{podSelector: {matchLabels: {app: web}}}]}]}"),
         NULL, NULL},
        {"redundant-rule", "a spec.egress[0]", CNP("a", "{" CALL "egress: [" NAMED ", {toEntities: [all]}]}"), NULL,
         NULL},
        /* A list of DNS names makes the proxy see answers, whatever else is open. */
        {"redundant-rule", NULL,
         CNP("a", "{" CALL "egress: [" DNS_LIST("{matchPattern: '*'}") ", {toEntities: [all]}]}"), NULL, NULL},
        /* Server names narrow the plain rule of the same selector and port, which adds nothing to them. */
        {"redundant-rule", "a spec.egress[1]",
         CNP("a",
             "{" CALL "egress: [{toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: "
             "[a.example]}]}, {toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '443', protocol: TCP}]}]}, {toCIDR: "
             "[192.0.2.0/24]}]}"),
         NULL, NULL},
        /* Another policy is not the rest of this one. */
        {"redundant-rule", NULL, NP("a", "{" ALL "egress: [" CIDR("10.0.0.0/8") "]}") NP("b", "{" ALL "egress: [{}]}"),
         NULL, NULL},
        /* With a misspelt field nobody knows what is meant. */
        {"redundant-rule", NULL, NP("a", "{" ALL "egress: [{}, {tos: [], ports: [{port: 80}]}]}"), NULL, NULL},
    };
    ASSERT_SETS(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_metadata_service_is_reached_through_flows),
        cmocka_unit_test(what_is_less_certain_is_a_note),
        cmocka_unit_test(excepts_are_reopened_by_other_peers),
        cmocka_unit_test(lists_are_void_beside_what_is_wide),
        cmocka_unit_test(rules_that_allow_nothing_are_unused),
        cmocka_unit_test(rules_within_the_rest_of_their_policy_are_redundant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What one object shows by itself (spec/lint.md, "Not what it seems"): which spellings draw a code, and which do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/analyzer/linting.h"

/* One spec, and the path of the only finding of that code; NULL: there is none. */
struct row {
    const char *code, *path, *spec;
    const char *cilium; /* the version, or NULL */
};

typedef const char *object_of(struct arena *arena, const char *spec);

static void assert_rows(const struct row *rows, size_t count, object_of *object) {
    for (size_t i = 0; i < count; i++) {
        struct linting linting;
        struct arena *arena = arena_create();
        const struct linting_options options = {.cilium = rows[i].cilium};
        linting_text(&linting, object(arena, rows[i].spec), &options);
        size_t found = linting_count(&linting, rows[i].code);
        const struct diagnostic *finding = linting_find(&linting, rows[i].code);
        if (found != (rows[i].path != NULL))
            fail_msg("row %zu (%s): %zu findings %s", i, rows[i].code, found, finding ? finding->path : "");
        if (found && strcmp(finding->path, rows[i].path) != 0)
            fail_msg("row %zu (%s): %s", i, rows[i].code, finding->path);
        linting_end(&linting);
        arena_destroy(arena);
    }
}
#define ASSERT_ROWS(rows, object) assert_rows(rows, sizeof(rows) / sizeof *(rows), object)

static const char *clusterwide(struct arena *arena, const char *spec) {
    return arena_format(arena,
                        "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: p}\n"
                        "spec:\n%s",
                        spec);
}

/* ---- NetworkPolicies ---- */

#define PODS "  podSelector: {}\n"
#define EGRESS PODS "  policyTypes: [Egress]\n"

static void policy_types_decide_whether_egress_rules_count(void **state) {
    static const struct row rows[] = {
        {"policy-types-absent", "spec.policyTypes", PODS "  egress: [{}]\n", NULL},
        {"policy-types-absent", "spec.policyTypes", PODS "  policyTypes: []\n  egress: [{}]\n", NULL},
        {"policy-types-absent", "spec.policyTypes", PODS "  policyTypes:\n  egress: [{}]\n", NULL},
        {"policy-types-absent", NULL, PODS "  egress: []\n", NULL},
        {"policy-types-absent", NULL, PODS "  ingress: [{}]\n", NULL},
        {"egress-not-listed", "spec.policyTypes", PODS "  policyTypes: [Ingress]\n  egress: [{}]\n", NULL},
        {"egress-not-listed", NULL, PODS "  policyTypes: [Ingress, Egress]\n  egress: [{}]\n", NULL},
        {"egress-not-listed", NULL, PODS "  policyTypes: [Ingress]\n  egress: []\n", NULL},
        {"empty-egress-inert", "spec.policyTypes", PODS "  egress:\n", NULL},
        {"empty-egress-inert", "spec.egress", PODS "  policyTypes: [Ingress]\n  egress: []\n", NULL},
        {"empty-egress-inert", NULL, PODS "  ingress: []\n", NULL},
        {"empty-egress-inert", NULL, EGRESS "  egress: []\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_core);
}

static void nulls_are_told_where_they_widen(void **state) {
    static const struct row rows[] = {
        {"null-entry", "spec.egress[0]", EGRESS "  egress:\n  -\n", NULL},
        {"null-entry", "spec.egress[0].ports[1]", EGRESS "  egress:\n  - ports:\n    - port: 80\n    -\n", NULL},
        {"null-entry", "spec.egress[0].to", EGRESS "  egress:\n  - to:\n    ports: [{port: 80}]\n", NULL},
        {"null-entry", "spec.egress[0].ports", EGRESS "  egress:\n  - ports:\n    to: [{podSelector: {}}]\n", NULL},
        {"null-entry", "spec.egress[0].ports[0].port", EGRESS "  egress:\n  - ports: [{port: null, protocol: UDP}]\n",
         NULL},
        {"null-entry", "spec.podSelector.matchLabels", "  podSelector: {matchLabels: }\n  policyTypes: [Egress]\n",
         NULL},
        {"null-entry", "spec.podSelector.matchLabels[\"app\"]",
         "  podSelector: {matchLabels: {app: }}\n  policyTypes: [Egress]\n", NULL},
        {"null-entry", NULL, EGRESS "  egress:\n", NULL},
        {"null-entry", NULL, EGRESS "  egress: [{}]\n", NULL},
        {"null-entry", NULL, EGRESS "  ingress:\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_core);
}

static void peers_of_every_namespace_are_told(void **state) {
    static const struct row rows[] = {
        {"every-namespace", "spec.egress[0].to[1].namespaceSelector",
         EGRESS "  egress:\n  - to:\n    - podSelector: {}\n    - namespaceSelector: {}\n", NULL},
        {"every-namespace", "spec.egress[0].to[0].namespaceSelector",
         EGRESS
         "  egress:\n  - to:\n    - namespaceSelector: {}\n      podSelector: {matchLabels: {k8s-app: kube-dns}}\n",
         NULL},
        {"every-namespace", NULL, EGRESS "  egress:\n  - to: [{namespaceSelector: {matchLabels: {a: b}}}]\n", NULL},
        {"every-namespace", NULL, EGRESS "  egress:\n  - to: [{namespaceSelector: {matchLabels: [a]}}]\n", NULL},
        {"every-namespace", NULL, EGRESS "  ingress:\n  - from: [{namespaceSelector: {}}]\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_core);
}

static void two_lone_selectors_side_by_side_are_told(void **state) {
#define ONE "    - namespaceSelector: {matchLabels: {team: a}}\n"
#define OTHER "    - podSelector: {matchLabels: {app: b}}\n"
    static const struct row rows[] = {
        {"or-for-and", "spec.egress[0].to[0]", EGRESS "  egress:\n  - to:\n" ONE OTHER, NULL},
        {"or-for-and", "spec.egress[0].to[1]",
         EGRESS "  egress:\n  - to:\n    - ipBlock: {cidr: 192.0.2.0/24}\n" OTHER ONE, NULL},
        {"or-for-and", NULL, EGRESS "  egress:\n  - to:\n" ONE "    - ipBlock: {cidr: 192.0.2.0/24}\n" OTHER, NULL},
        {"or-for-and", NULL, EGRESS "  egress:\n  - to:\n" ONE OTHER OTHER, NULL},
        {"or-for-and", NULL, EGRESS "  egress:\n  - to:\n" ONE "    - podSelector: {}\n", NULL},
        {"or-for-and", NULL, EGRESS "  egress:\n  - to:\n" ONE "  - to:\n" OTHER, NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_core);
}

static void port_names_on_blocks_and_ports_without_peers_are_told(void **state) {
    static const struct row rows[] = {
        {"named-port-unresolved", "spec.egress[0].ports[1].port",
         EGRESS "  egress:\n  - to: [{podSelector: {}}, {ipBlock: {cidr: 192.0.2.0/24}}]\n"
                "    ports: [{port: 80}, {port: web}]\n",
         NULL},
        {"named-port-unresolved", NULL, EGRESS "  egress:\n  - to: [{podSelector: {}}]\n    ports: [{port: web}]\n",
         NULL},
        {"ports-to-anywhere", "spec.egress[0]", EGRESS "  egress:\n  - to: []\n    ports: [{port: 80}]\n", NULL},
        {"ports-to-anywhere", NULL, EGRESS "  egress: [{}]\n", NULL},
        {"ports-to-anywhere", NULL, EGRESS "  egress:\n  - to: {}\n    ports: [{port: 80}]\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_core);
}

static void one_family_is_told_where_the_policy_lacks_the_other(void **state) {
#define BLOCK(cidr) "    - ipBlock: {cidr: \"" cidr "\"}\n"
    static const struct row rows[] = {
        {"one-family", "spec.egress[0].to[0].ipBlock.cidr", EGRESS "  egress:\n  - to:\n" BLOCK("0.0.0.0/0"), NULL},
        {"one-family", "spec.egress[0].to[0].ipBlock.cidr", EGRESS "  egress:\n  - to:\n" BLOCK("::/0"), NULL},
        {"one-family", NULL, EGRESS "  egress:\n  - to:\n" BLOCK("0.0.0.0/0") "  - to:\n" BLOCK("::/0"), NULL},
        {"one-family", NULL, EGRESS "  egress:\n  - to:\n" BLOCK("10.0.0.0/8"), NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_core);
}

/* ---- Cilium ---- */

#define SUBJECT "  endpointSelector: {}\n"
#define TCP443 "    toPorts: [{ports: [{port: \"443\", protocol: TCP}]}]\n"

static void ports_without_a_peer_that_bounds_them_are_told(void **state) {
    static const struct row rows[] = {
        {"empty-peer-opens-all", "spec.egress[0]", SUBJECT "  egress:\n  - toPorts: [{ports: [{port: \"443\"}]}]\n",
         NULL},
        {"ports-to-anywhere", "spec.egress[0]", SUBJECT "  egress:\n  - toPorts: [{ports: [{port: \"443\"}]}]\n", NULL},
        {"empty-peer-opens-all", "spec.egress[0].toEndpoints", SUBJECT "  egress:\n  - toEndpoints:\n" TCP443, NULL},
        {"ports-to-anywhere", NULL, SUBJECT "  egress:\n  - toEndpoints:\n" TCP443, NULL},
        {"empty-peer-opens-all", "spec.egress[0].toServices", SUBJECT "  egress:\n  - toServices: []\n" TCP443, NULL},
        {"empty-peer-opens-all", "spec.egress[0].toGroups", SUBJECT "  egress:\n  - toGroups: []\n" TCP443, NULL},
        {"empty-peer-opens-all", "spec.egress[0]", SUBJECT "  egress:\n  - icmps: [{fields: [{type: 8}]}]\n", NULL},
        {"empty-peer-opens-all", NULL, SUBJECT "  egress:\n  - toFQDNs: []\n", NULL},
        {"empty-peer-opens-all", NULL, SUBJECT "  egress:\n  - toEndpoints: []\n" TCP443, NULL},
        {"empty-peer-opens-all", NULL, SUBJECT "  egress:\n  - toFQDNs: []\n    toCIDR: [192.0.2.0/24]\n" TCP443, NULL},
        {"empty-peer-opens-all", NULL, SUBJECT "  egressDeny:\n  - toPorts: [{ports: [{port: \"443\"}]}]\n", NULL},
        {"empty-peer-opens-all", NULL, SUBJECT "  egress: [{}]\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_cilium);
}

static void empty_lists_that_select_nothing_are_told(void **state) {
    static const struct row rows[] = {
        {"empty-peer-selects-nothing", "spec.egress[0].toCIDR", SUBJECT "  egress:\n  - toCIDR: []\n" TCP443, NULL},
        {"empty-peer-selects-nothing", "spec.egress[0].toEntities",
         SUBJECT "  egress:\n  - toEntities: []\n    toCIDR: [192.0.2.0/24]\n", NULL},
        {"empty-peer-selects-nothing", "spec.egress[0].toFQDNs", SUBJECT "  egress:\n  - toFQDNs: []\n", NULL},
        {"empty-peer-selects-nothing", "spec.egressDeny[0].toEndpoints", SUBJECT "  egressDeny:\n  - toEndpoints: []\n",
         NULL},
        {"empty-peer-selects-nothing", NULL, SUBJECT "  egress:\n  - toFQDNs: []\n" TCP443, NULL},
        {"empty-peer-selects-nothing", NULL, SUBJECT "  egress:\n  - toEndpoints: [{}]\n", NULL},
        {"empty-ports-allow-nothing", "spec.egress[0].toPorts[0]",
         SUBJECT "  egress:\n  - toEntities: [world]\n    toPorts: [{ports: []}]\n", NULL},
        {"empty-ports-allow-nothing", "spec.egress[0].icmps[0]",
         SUBJECT "  egress:\n  - toEntities: [world]\n    icmps: [{}]\n", NULL},
        {"empty-ports-allow-nothing", NULL, SUBJECT "  egress:\n  - toEntities: [world]\n    toPorts: []\n", NULL},
        {"empty-egress-inert", "spec.egress", SUBJECT "  egress: []\n  ingress: [{}]\n", NULL},
        {"empty-egress-inert", NULL, SUBJECT "  egress: [{}]\n", NULL},
        {"empty-egress-inert", NULL, SUBJECT "  ingress: [{}]\n", NULL},
        {"deny-only", "spec.egressDeny", SUBJECT "  egressDeny: [{toEntities: [world]}]\n", NULL},
        {"deny-only", NULL, SUBJECT "  egressDeny: [{toEntities: [world]}]\n  egress: [{toEntities: [all]}]\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_cilium);
}

#define NOT_IN(key) "    - matchExpressions: [{key: \"" key "\", operator: NotIn, values: [a]}]\n"

static void negative_peers_are_told_where_they_reach_the_outside(void **state) {
    static const char *const namespace = SUBJECT "  egress:\n  - toEndpoints:\n" NOT_IN("io.kubernetes.pod.namespace");
    static const char *const label = SUBJECT "  egress:\n  - toEndpoints:\n" NOT_IN("app");
    const struct row rows[] = {
        {"negative-only-selector", "spec.egress[0].toEndpoints[0]", namespace, NULL},
        {"negative-only-selector", "spec.egress[0].toEndpoints[0]", namespace, "1.18"},
        {"negative-only-selector", NULL, namespace, "1.19"}, /* the local cluster is required there */
        {"negative-only-selector", NULL, label, "1.18"},     /* the own namespace is */
    };
    (void)state;
    ASSERT_ROWS(rows, linting_cilium);
}

static void labels_that_identities_lack_are_told(void **state) {
    static const struct row rows[] = {
        {"identity-label-dropped", "spec.endpointSelector.matchLabels[\"k8s:controller-revision-hash\"]",
         "  endpointSelector: {matchLabels: {\"k8s:controller-revision-hash\": a}}\n  egress: [{}]\n", NULL},
        {"identity-label-dropped", "spec.egress[0].toEndpoints[0].matchExpressions[0]",
         SUBJECT "  egress:\n  - toEndpoints:\n" NOT_IN("kubernetes.io/metadata.name"), NULL},
        {"identity-label-dropped", NULL,
         "  endpointSelector: {matchLabels: {\"k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name\": a}}\n"
         "  egress: [{}]\n",
         NULL},
        {"identity-label-dropped", NULL,
         "  endpointSelector: {matchLabels: {\"reserved:ingress\": \"\"}}\n  egress: [{}]\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_cilium);
}

#define NAMES(pattern) SUBJECT "  egress:\n  - toFQDNs: [{matchPattern: \"" pattern "\"}]\n"

static void patterns_that_look_wider_or_narrower_are_told(void **state) {
    static const char *const path = "spec.egress[0].toFQDNs[0].matchPattern";
    const struct row rows[] = {
        {"not-matched-by-pattern", path, NAMES("*.Example.com."), NULL},
        {"not-matched-by-pattern", path, NAMES("*example.com"), NULL},
        {"not-matched-by-pattern", NULL, NAMES("*"), NULL},
        {"not-matched-by-pattern", NULL, NAMES("api-*.example.com"), NULL},
        {"not-matched-by-pattern", NULL, NAMES("*-api.example.com"), NULL},
        {"version-dependent", path, NAMES("**.example.com"), NULL},
        {"version-dependent", path, NAMES("**"), NULL},
        {"version-dependent", NULL, NAMES("**.example.com"), "1.18"},
        {"version-dependent", NULL, NAMES("**.example.com"), "1.19"},
        {"version-dependent", NULL, NAMES("a.**.example.com"), NULL},
        {"version-dependent", NULL, NAMES("*.example.com"), NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_cilium);
}

static void clusterwide_peers_of_every_namespace_are_told(void **state) {
    static const struct row rows[] = {
        {"every-namespace", "spec.egress[0].toEndpoints[0]", SUBJECT "  egress: [{toEndpoints: [{}]}]\n", NULL},
        {"every-namespace", NULL, SUBJECT "  egress: [{toEndpoints: [{matchLabels: {a: b}}]}]\n", NULL},
        {"every-namespace", NULL, SUBJECT "  egressDeny: [{toEndpoints: [{}]}]\n", NULL},
    };
    static const struct row own[] = {
        {"every-namespace", NULL, SUBJECT "  egress: [{toEndpoints: [{}]}]\n", NULL},
        {"every-namespace", "spec.egress[0].toEndpoints[0]",
         SUBJECT "  egress:\n  - toEndpoints:\n"
                 "    - matchExpressions: [{key: \"k8s:io.kubernetes.pod.namespace\", operator: Exists}]\n",
         NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, clusterwide);
    ASSERT_ROWS(own, linting_cilium);
}

/* ---- texts ---- */

static void scalars_that_surprise_are_told(void **state) {
    static const struct row rows[] = {
        {"scalar-surprise", "spec.egress[0].ports[0].port", EGRESS "  egress:\n  - ports: [{port: 1_000}]\n", NULL},
        {"scalar-surprise", "spec.egress[0].ports[0].port", EGRESS "  egress:\n  - ports: [{port: 1:30}]\n", NULL},
        {"scalar-surprise", "spec.egress[0].ports[0].port", EGRESS "  egress:\n  - ports: [{port: .inf}]\n", NULL},
        {"scalar-surprise", "spec.podSelector", "  podSelector: ~\n  policyTypes: [Egress]\n", NULL},
        {"scalar-surprise", "spec.podSelector.matchLabels[\"day\"]",
         "  podSelector: {matchLabels: {day: 2024-01-31}}\n  policyTypes: [Egress]\n", NULL},
        {"scalar-surprise", "spec.podSelector.matchLabels[\"true\"]",
         "  podSelector: {matchLabels: {on: v}}\n  policyTypes: [Egress]\n", NULL},
        {"scalar-surprise", NULL, "  podSelector: {matchLabels: {\"on\": v}}\n  policyTypes: [Egress]\n", NULL},
        {"scalar-surprise", NULL, "  podSelector: {matchLabels: {day: \"2024-01-31\"}}\n  policyTypes: [Egress]\n",
         NULL},
        {"scalar-surprise", NULL, EGRESS "  egress:\n  - ports: [{port: 80}, {port: web}]\n", NULL},
    };
    (void)state;
    ASSERT_ROWS(rows, linting_core);
}

static void keys_that_stand_twice_are_told_with_both_places(void **state) {
    struct linting linting;
    (void)state;
    linting_text(&linting,
                 "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: ns}\nspec:\n  selector: {a: b}\n"
                 "  ports: []\n  selector: {c: d}\n",
                 NULL);
    const struct diagnostic *finding = linting_find(&linting, "duplicate-key");
    assert_non_null(finding);
    assert_string_equal(finding->path, "spec.selector");
    assert_int_equal(finding->location.line, 7);
    assert_non_null(finding->notes);
    assert_int_equal(finding->notes->location.line, 5);
    linting_end(&linting);
}

static void keys_of_large_maps_are_compared_too(void **state) {
    struct linting linting;
    struct arena *arena = arena_create();
    struct buffer labels;
    (void)state;
    buffer_init(&labels, arena);
    for (int i = 0; i < 40; i++)
        buffer_print(&labels, "      k%d: v\n", i == 39 ? 7 : i);
    const char *spec =
        arena_format(arena, "  podSelector:\n    matchLabels:\n%s  policyTypes: [Egress]\n", buffer_string(&labels));
    linting_text(&linting, linting_core(arena, spec), NULL);
    assert_int_equal(linting_count(&linting, "duplicate-key"), 1);
    assert_string_equal(linting_find(&linting, "duplicate-key")->path, "spec.podSelector.matchLabels[\"k7\"]");
    linting_end(&linting);
    arena_destroy(arena);
}

static void keys_that_a_merge_brings_stand_once(void **state) {
    struct linting linting;
    (void)state;
    linting_text(&linting,
                 "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: &m {name: p, namespace: ns}\n"
                 "spec:\n  podSelector:\n    matchLabels:\n      <<: *m\n      name: other\n  policyTypes: [Egress]\n",
                 NULL);
    assert_int_equal(linting_count(&linting, "duplicate-key"), 0);
    linting_end(&linting);
}

/* As kubectl and recipes write a selector of all pods: `matchLabels:` with nothing after it. */
static void selectors_of_null_labels_may_be_meant(void **state) {
    struct arena *arena = arena_create();
    struct linting linting;
    (void)state;
    linting_text(
        &linting,
        linting_core(arena, "  podSelector:\n    matchLabels:\n  ingress:\n  - from:\n    - podSelector: {}\n"), NULL);
    assert_int_equal(linting_find(&linting, "null-entry")->severity, SEVERITY_WARNING);
    assert_int_equal(linting.result.findings.errors, 0);
    linting_end(&linting);
    linting_text(&linting, linting_core(arena, "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n"),
                 NULL);
    assert_int_equal(linting_find(&linting, "null-entry")->severity, SEVERITY_ERROR);
    linting_end(&linting);
    arena_destroy(arena);
}

static void nothing_to_lint_is_told(void **state) {
    static const char text[] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
    const struct linting_options strict = {.strict = true};
    struct linting linting;
    (void)state;
    linting_text(&linting, text, NULL);
    assert_int_equal(linting_find(&linting, "no-policies")->severity, SEVERITY_WARNING);
    linting_end(&linting);
    linting_text(&linting, text, &strict);
    assert_int_equal(linting_find(&linting, "no-policies")->severity, SEVERITY_ERROR);
    linting_end(&linting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policy_types_decide_whether_egress_rules_count),
        cmocka_unit_test(nulls_are_told_where_they_widen),
        cmocka_unit_test(peers_of_every_namespace_are_told),
        cmocka_unit_test(two_lone_selectors_side_by_side_are_told),
        cmocka_unit_test(port_names_on_blocks_and_ports_without_peers_are_told),
        cmocka_unit_test(one_family_is_told_where_the_policy_lacks_the_other),
        cmocka_unit_test(ports_without_a_peer_that_bounds_them_are_told),
        cmocka_unit_test(empty_lists_that_select_nothing_are_told),
        cmocka_unit_test(negative_peers_are_told_where_they_reach_the_outside),
        cmocka_unit_test(labels_that_identities_lack_are_told),
        cmocka_unit_test(patterns_that_look_wider_or_narrower_are_told),
        cmocka_unit_test(clusterwide_peers_of_every_namespace_are_told),
        cmocka_unit_test(scalars_that_surprise_are_told),
        cmocka_unit_test(keys_that_stand_twice_are_told_with_both_places),
        cmocka_unit_test(keys_of_large_maps_are_compared_too),
        cmocka_unit_test(keys_that_a_merge_brings_stand_once),
        cmocka_unit_test(selectors_of_null_labels_may_be_meant),
        cmocka_unit_test(nothing_to_lint_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

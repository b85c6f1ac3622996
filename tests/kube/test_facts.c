#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "document/reader.h"
#include "kube/facts.h"

struct read {
    struct arena *arena;
    struct cluster_facts facts;
    struct diagnostics diagnostics;
    bool fine;
};

static struct read read_facts(const char *text, const char *path) {
    struct read read = {.arena = arena_create(), .facts = facts_default()};
    struct reader_options options = {.limits = limits_default()};
    struct file file = {0};
    diagnostics_init(&read.diagnostics, read.arena);
    reader_read_text("facts.yaml", text_of(text), &options, read.arena, &file, &read.diagnostics);
    assert_int_equal(file.count, 1);
    read.fine = facts_read(&file.documents[0].root, "facts.yaml", path, read.arena, &read.facts, &read.diagnostics);
    return read;
}

static void read_free(struct read *read) { arena_destroy(read->arena); }

static void the_defaults_are_those_of_the_contract(void **state) {
    (void)state;
    struct cluster_facts facts = facts_default();
    assert_int_equal(facts.known, 0);
    assert_false(facts.sctp);
    assert_false(facts.match_nodes);
    assert_false(facts.match_pods);
    assert_int_equal(facts.enforcement, ENFORCEMENT_DEFAULT);
    assert_true(facts.l7_proxy);
    assert_null(facts.labels);
    assert_string_equal(facts.cluster_name, "default");
    assert_string_equal(facts.cluster_domain, "cluster.local");
    assert_null(facts.pod_cidrs);
    assert_string_equal(facts.dns_namespace, "kube-system");
    assert_int_equal(facts.dns_label_count, 1);
    assert_string_equal(facts.dns_labels[0].key, "k8s-app");
    assert_string_equal(facts.dns_labels[0].value, "kube-dns");
}

static const char everything[] = "kubernetes: {version: v1.33.4-gke.1}\n"
                                 "cilium:\n"
                                 "  version: '1.18'\n"
                                 "  sctp: true\n"
                                 "  cidrMatchMode: [pods, nodes]\n"
                                 "  enforcementMode: always\n"
                                 "  l7Proxy: false\n"
                                 "  labels: 'k8s:app !k8s:pod'\n"
                                 "  localCluster: true\n"
                                 "clusterName: east\n"
                                 "clusterDomain: corp.example\n"
                                 "podCidrs: [10.244.0.0/16, 'fd00::/64']\n"
                                 "serviceCidrs: []\n"
                                 "nodeCidrs: [192.0.2.0/24]\n"
                                 "dnsPods: {namespace: dns, labels: {app: coredns, tier: infra}}\n";

static void every_fact_is_read(void **state) {
    (void)state;
    struct read read = read_facts(everything, "");
    const struct cluster_facts *facts = &read.facts;
    assert_true(read.fine);
    assert_int_equal(facts->known, (1u << FACT_COUNT) - 1u);
    assert_int_equal(facts->kubernetes.minor, 33);
    assert_int_equal(facts->kubernetes.patch, 4);
    assert_true(facts->kubernetes.has_patch);
    assert_int_equal(facts->cilium.minor, 18);
    assert_false(facts->cilium.has_patch);
    assert_true(facts->sctp && facts->match_nodes && facts->match_pods && !facts->l7_proxy && facts->local_cluster);
    assert_int_equal(facts->enforcement, ENFORCEMENT_ALWAYS);
    assert_string_equal(facts->labels, "k8s:app !k8s:pod");
    assert_string_equal(facts->cluster_name, "east");
    assert_string_equal(facts->cluster_domain, "corp.example");
    assert_string_equal(facts->pod_cidrs[1], "fd00::/64");
    assert_null(facts->pod_cidrs[2]);
    assert_null(facts->service_cidrs[0]);
    assert_string_equal(facts->dns_namespace, "dns");
    assert_int_equal(facts->dns_label_count, 2);
    assert_string_equal(facts->dns_labels[1].value, "infra");
    assert_int_equal(facts->where[FACT_CILIUM_VERSION].line, 3);
    assert_int_equal(facts->where[FACT_CILIUM_VERSION].column, 12);
    read_free(&read);
}

static void null_and_empty_maps_set_nothing(void **state) {
    (void)state;
    struct read read = read_facts("kubernetes: {}\ncilium: {version: null, sctp: null}\nclusterName: null\n", "");
    assert_true(read.fine);
    assert_int_equal(read.facts.known, 0);
    read_free(&read);
}

static void dns_pods_keep_the_default_of_what_is_absent(void **state) {
    (void)state;
    struct read read = read_facts("dnsPods: {namespace: dns}\n", "");
    assert_true(facts_know(&read.facts, FACT_DNS_PODS));
    assert_string_equal(read.facts.dns_namespace, "dns");
    assert_string_equal(read.facts.dns_labels[0].value, "kube-dns");
    read_free(&read);
}

struct refusal {
    const char *text, *path;
    unsigned line, column;
};

static const struct refusal refusals[] = {
    {"[]", "cluster", 1, 1},
    {"cillium: {}\n", "cluster.cillium", 1, 1},
    {"cilium: {}\ncilium: {}\n", "cluster.cilium", 2, 1},
    {"cilium: 1.18\n", "cluster.cilium", 1, 9},
    {"cilium: {version: 1.18}\n", "cluster.cilium.version", 1, 19},
    {"cilium: {version: '1'}\n", "cluster.cilium.version", 1, 19},
    {"cilium: {version: '1.14'}\n", "cluster.cilium.version", 1, 19},
    {"cilium: {version: '1.20'}\n", "cluster.cilium.version", 1, 19},
    {"cilium: {version: '2.18'}\n", "cluster.cilium.version", 1, 19},
    {"kubernetes: {version: '1.29.9'}\n", "cluster.kubernetes.version", 1, 23},
    {"kubernetes: {version: '1.37'}\n", "cluster.kubernetes.version", 1, 23},
    {"kubernetes: {versoin: '1.33'}\n", "cluster.kubernetes.versoin", 1, 14},
    {"cilium: {sctp: 'true'}\n", "cluster.cilium.sctp", 1, 16},
    {"cilium: {cidrMatchMode: nodes}\n", "cluster.cilium.cidrMatchMode", 1, 25},
    {"cilium: {cidrMatchMode: [nodes, Pods]}\n", "cluster.cilium.cidrMatchMode[1]", 1, 33},
    {"cilium: {enforcementMode: Always}\n", "cluster.cilium.enforcementMode", 1, 27},
    {"cilium: {labels: [a]}\n", "cluster.cilium.labels", 1, 18},
    {"clusterName: ''\n", "cluster.clusterName", 1, 14},
    {"clusterDomain: .local\n", "cluster.clusterDomain", 1, 16},
    {"podCidrs: [10.0.0.0]\n", "cluster.podCidrs[0]", 1, 12},
    {"nodeCidrs: [10]\n", "cluster.nodeCidrs[0]", 1, 13},
    {"dnsPods: {namespace: Dns}\n", "cluster.dnsPods.namespace", 1, 22},
    {"dnsPods: {labels: {a: 1}}\n", "cluster.dnsPods.labels[\"a\"]", 1, 23},
    {"dnsPods: {labels: {-a: b}}\n", "cluster.dnsPods.labels[\"-a\"]", 1, 20},
    {"dnsPods: {pods: {}}\n", "cluster.dnsPods.pods", 1, 11},
};

static void every_refusal_has_path_and_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct read read = read_facts(refusals[i].text, "cluster");
        if (read.fine || read.diagnostics.errors != 1) {
            fail_msg("%s: %zu refusals", refusals[i].text, read.diagnostics.errors);
        }
        const struct diagnostic *refusal = &read.diagnostics.list[read.diagnostics.count - 1];
        assert_int_equal(refusal->code, CODE_CONFIG_UNUSABLE);
        assert_string_equal(refusal->path, refusals[i].path);
        if (refusal->location.line != refusals[i].line || refusal->location.column != refusals[i].column) {
            fail_msg("%s: at %u:%u", refusals[i].text, (unsigned)refusal->location.line,
                     (unsigned)refusal->location.column);
        }
        read_free(&read);
    }
}

static void a_version_that_is_a_number_is_said_to_be_one(void **state) {
    (void)state;
    struct read read = read_facts("cilium: {version: 1.18}\n", "");
    assert_non_null(strstr(read.diagnostics.list[read.diagnostics.count - 1].message, "quotes"));
    read_free(&read);
}

static void a_misspelt_key_draws_the_nearest(void **state) {
    (void)state;
    struct read read = read_facts("clusterDomian: a\n", "");
    assert_non_null(strstr(read.diagnostics.list[0].message, "clusterDomain"));
    assert_string_equal(read.diagnostics.list[0].path, "clusterDomian");
    read_free(&read);
}

static void merging_fills_what_is_unset(void **state) {
    (void)state;
    struct read given = read_facts("clusterName: east\n", ""), more = read_facts(everything, "");
    assert_true(facts_merge(&given.facts, &more.facts, &given.diagnostics));
    assert_int_equal(given.facts.known, more.facts.known);
    assert_int_equal(given.facts.where[FACT_CLUSTER_NAME].line, 1);
    assert_int_equal(given.facts.where[FACT_SCTP].line, 4);
    for (enum fact fact = 0; fact < FACT_COUNT; fact++) {
        assert_string_equal(fact_value(given.arena, &given.facts, fact), fact_value(more.arena, &more.facts, fact));
    }
    read_free(&given);
    read_free(&more);
}

/* Another value of each fact than that of `everything`. */
static const char *const contradictions[FACT_COUNT] = {
    [FACT_KUBERNETES_VERSION] = "kubernetes: {version: '1.33.5'}",
    [FACT_CILIUM_VERSION] = "cilium: {version: '1.17'}",
    [FACT_SCTP] = "cilium: {sctp: false}",
    [FACT_CIDR_MATCH_MODE] = "cilium: {cidrMatchMode: [nodes]}",
    [FACT_ENFORCEMENT_MODE] = "cilium: {enforcementMode: never}",
    [FACT_L7_PROXY] = "cilium: {l7Proxy: true}",
    [FACT_LABELS] = "cilium: {labels: ''}",
    [FACT_LOCAL_CLUSTER] = "cilium: {localCluster: false}",
    [FACT_CLUSTER_NAME] = "clusterName: west",
    [FACT_CLUSTER_DOMAIN] = "clusterDomain: cluster.local",
    [FACT_POD_CIDRS] = "podCidrs: [10.244.0.0/16]",
    [FACT_SERVICE_CIDRS] = "serviceCidrs: [10.0.0.0/8]",
    [FACT_NODE_CIDRS] = "nodeCidrs: [192.0.2.0/25]",
    [FACT_DNS_PODS] = "dnsPods: {namespace: dns, labels: {app: coredns}}",
};

static void every_contradiction_is_a_conflict(void **state) {
    (void)state;
    for (enum fact fact = 0; fact < FACT_COUNT; fact++) {
        struct read given = read_facts(contradictions[fact], ""), more = read_facts(everything, "");
        assert_true(given.fine);
        struct cluster_facts before = given.facts;
        assert_false(facts_merge(&given.facts, &more.facts, &given.diagnostics));
        assert_int_equal(given.diagnostics.count, 1);
        const struct diagnostic *conflict = &given.diagnostics.list[0];
        assert_int_equal(conflict->code, CODE_CLUSTER_FACT_CONFLICT);
        assert_non_null(strstr(conflict->path, fact_path(fact)));
        assert_int_equal(conflict->location.line, 1);
        assert_non_null(conflict->notes);
        assert_int_equal(conflict->notes->location.line, more.facts.where[fact].line);
        /* What was given stands. */
        assert_string_equal(fact_value(given.arena, &given.facts, fact), fact_value(given.arena, &before, fact));
        read_free(&given);
        read_free(&more);
    }
}

static void a_patch_is_added_to_a_version_without_one(void **state) {
    (void)state;
    struct read given = read_facts("cilium: {version: '1.18'}", ""), more = read_facts("cilium: {version: 1.18.3}", "");
    assert_true(facts_merge(&given.facts, &more.facts, &given.diagnostics));
    assert_string_equal(fact_value(given.arena, &given.facts, FACT_CILIUM_VERSION), "1.18.3");
    read_free(&given);
    given = read_facts("cilium: {version: '1.18'}", "");
    assert_true(facts_merge(&more.facts, &given.facts, &more.diagnostics));
    assert_string_equal(fact_value(more.arena, &more.facts, FACT_CILIUM_VERSION), "1.18.3");
    read_free(&given);
    read_free(&more);
}

static void overriding_takes_what_is_known_without_a_word(void **state) {
    (void)state;
    struct read facts = read_facts(everything, ""), over = read_facts("cilium: {version: '1.16', sctp: false}", "");
    facts_override(&facts.facts, &over.facts);
    assert_int_equal(facts.facts.cilium.minor, 16);
    assert_false(facts.facts.sctp);
    assert_string_equal(facts.facts.cluster_name, "east");
    read_free(&facts);
    read_free(&over);
}

static void a_version_of_an_option_is_held_to_the_same_range(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct diagnostics diagnostics;
    struct location nowhere = {0};
    diagnostics_init(&diagnostics, arena);
    struct cluster_facts facts = facts_default();
    assert_true(facts_set_version(&facts, FACT_KUBERNETES_VERSION, "v1.36.1", nowhere, &diagnostics));
    assert_int_equal(facts.kubernetes.minor, 36);
    assert_false(facts_set_version(&facts, FACT_CILIUM_VERSION, "1.36.1", nowhere, &diagnostics));
    assert_false(facts_know(&facts, FACT_CILIUM_VERSION));
    assert_int_equal(diagnostics.count, 1);
    assert_string_equal(diagnostics.list[0].value, "1.36.1");
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_are_those_of_the_contract),
        cmocka_unit_test(every_fact_is_read),
        cmocka_unit_test(null_and_empty_maps_set_nothing),
        cmocka_unit_test(dns_pods_keep_the_default_of_what_is_absent),
        cmocka_unit_test(every_refusal_has_path_and_place),
        cmocka_unit_test(a_version_that_is_a_number_is_said_to_be_one),
        cmocka_unit_test(a_misspelt_key_draws_the_nearest),
        cmocka_unit_test(merging_fills_what_is_unset),
        cmocka_unit_test(every_contradiction_is_a_conflict),
        cmocka_unit_test(a_patch_is_added_to_a_version_without_one),
        cmocka_unit_test(overriding_takes_what_is_known_without_a_word),
        cmocka_unit_test(a_version_of_an_option_is_held_to_the_same_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

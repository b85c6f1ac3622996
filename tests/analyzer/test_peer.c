/* Peers of NetworkPolicies and of Cilium policies (spec/kubernetes-egress.md 1.5, 1.6, spec/cilium-egress.md 1.4, 3, 4.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/peer.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* An entry of egress, a destination, whether it is reached. */
struct row {
    const char *entry;
    cilium_classes classes;
    const char *destination, *reached;
};
#define LAST_ROW                                                                                                       \
    { NULL, 0, NULL, NULL }

enum kind { KIND_CORE, KIND_CNP, KIND_CCNP };

/* What is asked of a stage before its rules are built. */
typedef void preparation(struct stage *stage);
static void nothing(struct stage *stage) { (void)stage; }

static void expect_with(struct arena *arena, enum kind kind, bool cilium, preparation *prepare, const char *beside,
                        const struct row *rows) {
    static const char *const formats[] = {
        CORE("p", "{podSelector: {}, policyTypes: [Egress], egress: [%s]}"),
        CNP("p", "{endpointSelector: {}, egress: [%s]}"),
        CCNP("p", "{endpointSelector: {}, egress: [%s]}"),
    };
    int wrong = 0;
    for (; rows->entry; rows++) {
        const char *policy = stage_filled(arena, formats[kind], rows->entry);
        struct stage *stage = stage_of(arena, arena_format(arena, "%s%s", beside, policy));
        for (unsigned class = 0; class < CILIUM_CLASS_COUNT; class ++) {
            if (((unsigned)rows->classes >> class & 1u) == 0)
                continue;
            if (cilium)
                stage_read_cilium(stage, (enum cilium_class) class);
            prepare(stage);
            const char *reached = truth_word(stage_reaches(stage, stage_entry(stage), rows->destination));
            if (strcmp(reached, rows->reached) == 0)
                continue;
            print_error("%s and %s under %s: %s\n", rows->entry, rows->destination,
                        cilium_class_word((enum cilium_class) class), reached);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void expect(struct arena *arena, enum kind kind, bool cilium, const struct row *rows) {
    expect_with(arena, kind, cilium, nothing, "", rows);
}

#define API ONLY(CILIUM_1_19) /* the Kubernetes API has one reading */

/* ---- NetworkPolicy ---- */

static void core_peer_selects_by_its_selectors(void **state) {
    static const struct row rows[] = {
        {"{to: [{podSelector: {matchLabels: {app: web}}}]}", API, "pod:ns?app=web", "yes"},
        {"{to: [{podSelector: {matchLabels: {app: web}}}]}", API, "pod:other?app=web", "no"},
        {"{to: [{podSelector: {}}]}", API, "pod:ns?", "yes"},
        {"{to: [{podSelector: {}}]}", API, "pod:other?", "no"},
        {"{to: [{namespaceSelector: {}}]}", API, "pod:other?", "yes"},
        {"{to: [{namespaceSelector: {}}]}", API, "192.0.2.1", "no"},
        {"{to: [{namespaceSelector: {}}]}", API, "host", "no"},
        {"{to: [{namespaceSelector: {matchLabels: {team: a}}}]}", API, "pod:other?ns:team=a", "yes"},
        {"{to: [{namespaceSelector: {matchLabels: {team: a}}}]}", API, "pod:other?team=a", "no"},
        {"{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}}]}", API, "pod:other?", "yes"},
        {"{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}}]}", API, "pod:ns?", "no"},
        {"{to: [{namespaceSelector: {matchLabels: {team: a}}, podSelector: {matchLabels: {app: web}}}]}", API,
         "pod:other?ns:team=a,app=web", "yes"},
        {"{to: [{namespaceSelector: {matchLabels: {team: a}}, podSelector: {matchLabels: {app: web}}}]}", API,
         "pod:other?ns:team=a", "no"},
        /* null is absent: the peer is of the policy's own namespace */
        {"{to: [{namespaceSelector: null, podSelector: {}}]}", API, "pod:other?", "no"},
        {"{to: [{namespaceSelector: null, podSelector: {}}]}", API, "pod:ns?", "yes"},
        {"{to: [{podSelector: {}}, {ipBlock: {cidr: 192.0.2.0/24}}]}", API, "192.0.2.1", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, rows);
}

static void core_rule_without_peers_reaches_everything(void **state) {
    static const char *const entries[] = {"{}", "null", "{to: []}", "{to: null}"};
    static const char *const destinations[] = {"192.0.2.1", "pod:other?", "host", "name:a.example", "kube-apiserver"};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        for (size_t k = 0; k < sizeof destinations / sizeof *destinations; k++) {
            const struct row rows[] = {{entries[i], API, destinations[k], "yes"}, LAST_ROW};
            expect(*state, KIND_CORE, false, rows);
            expect(*state, KIND_CORE, true, rows);
        }
}

static void block_is_its_addresses_less_the_excepts(void **state) {
#define BLOCK(rest) "{to: [{ipBlock: {" rest "}}]}"
    static const struct row rows[] = {
        {BLOCK("cidr: 10.0.0.0/8"), API, "10.255.255.255", "yes"},
        {BLOCK("cidr: 10.0.0.0/8"), API, "11.0.0.0", "no"},
        {BLOCK("cidr: 10.0.0.5/8"), API, "10.0.0.1", "yes"}, /* host bits are masked */
        {BLOCK("cidr: 0.0.0.0/0"), API, "2001:db8::1", "no"},
        {BLOCK("cidr: '::/0'"), API, "192.0.2.1", "no"},
        {BLOCK("cidr: 10.0.0.0/8, except: [10.1.0.0/16, 10.2.0.0/16]"), API, "10.1.2.3", "no"},
        {BLOCK("cidr: 10.0.0.0/8, except: [10.1.0.0/16, 10.2.0.0/16]"), API, "10.3.0.0", "yes"},
        {"{to: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}, {ipBlock: {cidr: 10.1.2.0/24}}]}", API,
         "10.1.2.3", "yes"},
        {BLOCK("cidr: 10.0.0.0/8"), API, "name:a.example@10.0.0.1", "yes"},
        {BLOCK("cidr: 10.0.0.0/8"), API, "name:a.example@11.0.0.1", "no"},
        {BLOCK("cidr: 0.0.0.0/0"), API, "pod:ns?", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, rows);
    expect(*state, KIND_CORE, true, rows);
}

static void leading_zeros_are_octal(struct stage *stage) { stage->reading.octal = true; }
static void mapped_is_ipv4(struct stage *stage) { stage->reading.mapped = true; }
static void whole_blocks(struct stage *stage) { stage->reading.whole_blocks = true; }

static void odd_spellings_of_blocks_have_two_readings(void **state) {
    static const struct row decimal[] = {
        {BLOCK("cidr: 010.0.0.0/8"), API, "10.0.0.1", "yes"},
        {BLOCK("cidr: 010.0.0.0/8"), API, "8.0.0.1", "no"},
        {BLOCK("cidr: '::ffff:10.0.0.0/104'"), API, "10.0.0.1", "no"},
        {BLOCK("cidr: '::ffff:10.0.0.0/104'"), API, "::ffff:10.0.0.1", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, decimal);
    static const struct row octal[] = {
        {BLOCK("cidr: 010.0.0.0/8"), API, "10.0.0.1", "no"}, {BLOCK("cidr: 010.0.0.0/8"), API, "8.0.0.1", "yes"},
        {BLOCK("cidr: 09.0.0.0/8"), API, "9.0.0.1", "no"}, /* no octal number: such a reader refuses it */
        {BLOCK("cidr: 10.0.0.0/8"), API, "10.0.0.1", "yes"}, LAST_ROW,
    };
    expect_with(*state, KIND_CORE, false, leading_zeros_are_octal, "", octal);
    static const struct row mapped[] = {
        {BLOCK("cidr: '::ffff:10.0.0.0/104'"), API, "10.0.0.1", "yes"},
        {BLOCK("cidr: '::ffff:10.0.0.0/104'"), API, "11.0.0.1", "no"},
        LAST_ROW,
    };
    expect_with(*state, KIND_CORE, false, mapped_is_ipv4, "", mapped);
    static const struct row whole[] = {
        {BLOCK("cidr: 10.0.0.0/8, except: [10.1.0.0/16]"), API, "10.1.2.3", "yes"},
        LAST_ROW,
    };
    expect_with(*state, KIND_CORE, false, whole_blocks, "", whole);
}

static void peer_that_cannot_be_read_may_be_anything(void **state) {
    static const struct row rows[] = {
        {BLOCK("cidr: nonsense"), API, "192.0.2.1", "maybe"},
        {"{to: [{podSelector: {matchExpressions: [{key: a, operator: Like}]}}]}", API, "pod:ns?", "maybe"},
        {"{to: [{}]}", API, "pod:ns?", "maybe"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, false, rows);
}

static void cilium_reads_core_selectors_as_labels_of_pods(void **state) {
    static const struct row rows[] = {
        {"{to: [{podSelector: {matchLabels: {app: web}}}]}", EVERY, "pod:ns?app=web", "yes"},
        {"{to: [{podSelector: {matchLabels: {app: web}}}]}", EVERY, "pod:other?app=web", "no"},
        {"{to: [{namespaceSelector: {}}]}", EVERY, "pod:other?", "yes"},
        {"{to: [{namespaceSelector: {}}]}", EVERY, "192.0.2.1", "no"},
        {"{to: [{namespaceSelector: {matchLabels: {team: a}}}]}", EVERY, "pod:other?ns:team=a", "yes"},
        {"{to: [{podSelector: {matchLabels: {pod-template-hash: x}}}]}", EVERY, "pod:ns?pod-template-hash=x", "no"},
        /* Negative requirements alone hold of the world and the nodes, until the cluster is asked for. */
        {"{to: [{namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}]}",
         BEFORE(CILIUM_1_19), "192.0.2.1", "yes"},
        {"{to: [{namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}]}",
         BEFORE(CILIUM_1_19), "host", "yes"},
        {"{to: [{namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}]}",
         FROM(CILIUM_1_19), "192.0.2.1", "no"},
        {"{to: [{namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}]}",
         FROM(CILIUM_1_19), "pod:other?", "yes"},
        {"{to: [{namespaceSelector: {}}]}", BEFORE(CILIUM_1_19), "pod:ns?cluster:=east", "yes"},
        {"{to: [{namespaceSelector: {}}]}", FROM(CILIUM_1_19), "pod:ns?cluster:=east", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CORE, true, rows);
}

/* ---- toEndpoints ---- */

#define TO(selector) "{toEndpoints: [{" selector "}]}"

static void scope_is_added_to_a_peer_selector(void **state) {
    static const struct row rows[] = {
        {TO(""), EVERY, "pod:ns?", "yes"},
        {TO(""), EVERY, "pod:other?", "no"},
        {TO("matchLabels: {app: web}"), EVERY, "pod:other?app=web", "no"},
        {TO("matchLabels: {'k8s:io.kubernetes.pod.namespace': other}"), EVERY, "pod:other?", "yes"},
        {TO("matchLabels: {io.kubernetes.pod.namespace: other}"), EVERY, "pod:other?", "yes"},
        {TO("matchLabels: {'any:io.kubernetes.pod.namespace': other}"), EVERY, "pod:ns?", "no"},
        {TO("matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: Exists}]"), EVERY, "pod:other?",
         "yes"},
        /* A key of namespace labels frees the namespace from 1.16 on. */
        {TO("matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}"), BEFORE(CILIUM_1_16_0),
         "pod:other?ns:team=a", "no"},
        {TO("matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}"), BEFORE(CILIUM_1_16_0), "pod:ns?ns:team=a",
         "yes"},
        {TO("matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}"), FROM(CILIUM_1_16_0), "pod:other?ns:team=a",
         "yes"},
        /* Reserved keys stand as written. */
        {TO("matchLabels: {'reserved:host': ''}"), EVERY, "host", "yes"},
        {TO("matchExpressions: [{key: 'reserved:host', operator: DoesNotExist}]"), EVERY, "pod:other?", "yes"},
        {TO("matchExpressions: [{key: 'reserved:host', operator: DoesNotExist}]"), EVERY, "192.0.2.1", "yes"},
        {TO("matchLabels: {'reserved:kube-apiserver': ''}"), EVERY, "kube-apiserver", "yes"},
        /* The cluster is asked for from 1.19 on. */
        {TO(""), BEFORE(CILIUM_1_19), "pod:ns?cluster:=east", "yes"},
        {TO(""), FROM(CILIUM_1_19), "pod:ns?cluster:=east", "no"},
        {TO("matchLabels: {'k8s:io.cilium.k8s.policy.cluster': east}"), EVERY, "pod:ns?cluster:=east", "yes"},
        {TO("matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: [prod]}]"),
         BEFORE(CILIUM_1_19), "192.0.2.1", "yes"},
        {TO("matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: [prod]}]"),
         FROM(CILIUM_1_19), "192.0.2.1", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CNP, true, rows);
    static const struct row clusterwide[] = {
        {TO(""), EVERY, "pod:other?", "yes"},
        {TO(""), EVERY, "192.0.2.1", "no"},
        {TO("matchExpressions: [{key: app, operator: DoesNotExist}]"), EVERY, "pod:other?", "yes"},
        {TO("matchExpressions: [{key: app, operator: DoesNotExist}]"), EVERY, "host", "no"},
        {TO("matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: [prod]}]"),
         BEFORE(CILIUM_1_19), "192.0.2.1", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CCNP, true, clusterwide);
}

/* ---- empty lists (3.2) ---- */

#define PORTS ", toPorts: [{ports: [{port: '443'}]}]}"

static void empty_list_of_the_five_kinds_selects_nothing_from_1_16_on(void **state) {
    static const char *const lists[] = {"toEndpoints", "toCIDR", "toCIDRSet", "toEntities", "toNodes"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *alone = arena_format(*state, "{%s: []}", lists[i]);
        const char *ports = arena_format(*state, "{%s: []%s", lists[i], PORTS);
        const char *beside = strcmp(lists[i], "toCIDR") == 0 ? "toEntities: [world]" : "toCIDR: [192.0.2.0/24]";
        const char *poison = arena_format(*state, "{%s: [], %s}", lists[i], beside);
        const char *null = arena_format(*state, "{%s: null%s", lists[i], PORTS);
        const struct row rows[] = {
            {alone, EVERY, "192.0.2.1", "no"},
            {ports, BEFORE(CILIUM_1_16_0), "192.0.2.1", "yes"},
            {ports, BEFORE(CILIUM_1_16_0), "pod:other?", "yes"},
            {ports, FROM(CILIUM_1_16_0), "192.0.2.1", "no"},
            {ports, FROM(CILIUM_1_16_0), "pod:ns?", "no"},
            {poison, BEFORE(CILIUM_1_16_0), "192.0.2.1", "yes"},
            {poison, FROM(CILIUM_1_16_0), "192.0.2.1", "no"},
            {null, EVERY, "192.0.2.1", "yes"}, /* null is absent */
            LAST_ROW,
        };
        expect(*state, KIND_CNP, true, rows);
    }
}

static void empty_list_of_other_kinds_is_as_if_absent(void **state) {
    static const struct row rows[] = {
        {"{toFQDNs: []" PORTS, EVERY, "192.0.2.1", "yes"},
        {"{toFQDNs: []" PORTS, EVERY, "pod:other?", "yes"},
        {"{toFQDNs: []}", EVERY, "192.0.2.1", "no"},
        {"{toServices: []" PORTS, EVERY, "192.0.2.1", "yes"},
        {"{toServices: []}", EVERY, "192.0.2.1", "no"},
        {"{toGroups: []" PORTS, EVERY, "192.0.2.1", "yes"},
        {"{toPorts: [{ports: [{port: '443'}]}]}", EVERY, "host", "yes"},
        {"{icmps: [{fields: [{type: 8}]}]}", EVERY, "192.0.2.1", "yes"},
        {"{}", EVERY, "192.0.2.1", "no"},
        {"{}", EVERY, "pod:ns?", "no"},
        {"{toEndpoints: [{}]}", EVERY, "pod:ns?", "yes"},
        {"{toEntities: [none]" PORTS, EVERY, "192.0.2.1", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CNP, true, rows);
}

/* ---- blocks, groups, names, nodes ---- */

static void match_nodes(struct stage *stage) { stage->reading.match_nodes = true; }
static void complete_groups(struct stage *stage) { stage_complete(stage, OBJECT_CILIUM_CIDR_GROUP); }

static void block_of_cilium_selects_the_world_alone(void **state) {
    static const struct row rows[] = {
        {"{toCIDR: [0.0.0.0/0, '::/0']}", EVERY, "192.0.2.1", "yes"},
        {"{toCIDR: [0.0.0.0/0, '::/0']}", EVERY, "name:a.example", "yes"},
        {"{toCIDR: [0.0.0.0/0, '::/0']}", EVERY, "pod:ns?", "no"},
        {"{toCIDR: [0.0.0.0/0, '::/0']}", EVERY, "host", "no"},
        {"{toCIDR: [0.0.0.0/0, '::/0']}", EVERY, "health", "no"},
        {"{toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}]}", EVERY, "10.1.2.3", "no"},
        {"{toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}, {cidr: 10.1.2.0/24}]}", EVERY, "10.1.2.3", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CNP, true, rows);
    static const struct row nodes[] = {
        {"{toCIDR: [10.0.0.0/8]}", EVERY, "host", "maybe"},
        {"{toCIDR: [10.0.0.0/8]}", EVERY, "remote-node", "maybe"},
        {"{toCIDR: [10.0.0.0/8]}", EVERY, "10.0.0.1", "yes"},
        {"{toCIDR: [10.0.0.0/8]}", EVERY, "pod:ns?", "no"},
        LAST_ROW,
    };
    expect_with(*state, KIND_CNP, true, match_nodes, "", nodes);
}

#define GROUP                                                                                                          \
    OBJECT("cilium.io/v2alpha1", "CiliumCIDRGroup", "name: g, labels: {site: a}", "spec: {externalCIDRs: [10.0.0.0/8]}")

static void group_is_its_blocks_where_the_inputs_hold_it(void **state) {
#define GROUP_REF "{toCIDRSet: [{cidrGroupRef: g}]}"
#define GROUP_LABELS "{toCIDRSet: [{cidrGroupSelector: {matchLabels: {site: a}}}]}"
    static const struct row there[] = {
        {GROUP_REF, FROM(CILIUM_1_16_0), "10.0.0.1", "yes"},
        {GROUP_REF, FROM(CILIUM_1_16_0), "11.0.0.1", "no"},
        {"{toCIDRSet: [{cidrGroupRef: g, except: [10.1.0.0/16]}]}", FROM(CILIUM_1_17_0), "10.1.0.1", "no"},
        {"{toCIDRSet: [{cidrGroupRef: h}]}", FROM(CILIUM_1_16_0), "11.0.0.1", "maybe"},
        {GROUP_LABELS, FROM(CILIUM_1_17_0), "10.0.0.1", "yes"},
        {GROUP_LABELS, FROM(CILIUM_1_17_0), "11.0.0.1", "maybe"}, /* another group may carry the label */
        {"{toCIDRSet: [{cidrGroupSelector: {matchLabels: {site: b}}}]}", FROM(CILIUM_1_17_0), "10.0.0.1", "maybe"},
        LAST_ROW,
    };
    expect_with(*state, KIND_CNP, true, nothing, GROUP, there);
    static const struct row all[] = {
        {GROUP_LABELS, FROM(CILIUM_1_17_0), "10.0.0.1", "yes"},
        {GROUP_LABELS, FROM(CILIUM_1_17_0), "11.0.0.1", "no"},
        {"{toCIDRSet: [{cidrGroupRef: h}]}", FROM(CILIUM_1_16_0), "11.0.0.1", "no"}, /* missing: nothing */
        {"{toCIDRSet: [{cidrGroupSelector: {matchExpressions: [{key: site, operator: NotIn, values: [a]}]}}]}",
         FROM(CILIUM_1_17_0), "10.0.0.1", "no"},
        {"{toCIDRSet: [{cidrGroupSelector: {matchExpressions: [{key: zone, operator: DoesNotExist}]}}]}",
         FROM(CILIUM_1_17_0), "10.0.0.1", "yes"},
        LAST_ROW,
    };
    expect_with(*state, KIND_CNP, true, complete_groups, GROUP, all);
}

/* The table of 3.5. */
static void name_peer_reaches_the_addresses_learned_for_its_names(void **state) {
#define NAME(entry) "{toFQDNs: [{" entry "}]}"
    static const struct row rows[] = {
        {NAME("matchName: example.com"), EVERY, "name:example.com", "yes"},
        {NAME("matchName: Example.COM."), EVERY, "name:example.com", "yes"},
        {NAME("matchName: example.com"), EVERY, "name:a.example.com", "no"},
        {NAME("matchName: example.com"), EVERY, "203.0.113.9", "no"},
        {NAME("matchPattern: '*.example.com'"), EVERY, "name:example.com", "no"},
        {NAME("matchPattern: '*.example.com'"), EVERY, "name:a.example.com", "yes"},
        {NAME("matchPattern: '*.example.com'"), EVERY, "name:a.b.example.com", "no"},
        {NAME("matchPattern: '*example.com'"), EVERY, "name:xexample.com", "yes"},
        {NAME("matchPattern: '*example.com'"), EVERY, "name:a.example.com", "no"},
        {NAME("matchPattern: '**.example.com'"), EVERY, "name:a.example.com", "yes"},
        {NAME("matchPattern: '**.example.com'"), BEFORE(CILIUM_1_19), "name:a.b.example.com", "no"},
        {NAME("matchPattern: '**.example.com'"), FROM(CILIUM_1_19), "name:a.b.example.com", "yes"},
        {NAME("matchPattern: '**.example.com'"), EVERY, "name:example.com", "no"},
        {NAME("matchPattern: 'a.**.example.com'"), EVERY, "name:a.b.example.com", "yes"},
        {NAME("matchPattern: '*'"), EVERY, "name:a.b.example.com", "yes"},
        {NAME("matchPattern: '**'"), BEFORE(CILIUM_1_19), "name:a.example.com", "no"},
        {NAME("matchPattern: '**'"), BEFORE(CILIUM_1_19), "name:a", "yes"},
        {NAME("matchPattern: '**'"), FROM(CILIUM_1_19), "name:a.example.com", "yes"},
        {NAME("matchPattern: '*'"), EVERY, "pod:ns?", "no"},
        LAST_ROW,
    };
    expect(*state, KIND_CNP, true, rows);
}

static void what_only_a_cloud_or_a_node_settles_is_reached_perhaps(void **state) {
    static const struct row rows[] = {
        {"{toNodes: [{matchLabels: {a: b}}]}", FROM(CILIUM_1_16_0), "remote-node", "maybe"},
        {"{toNodes: [{matchLabels: {a: b}}]}", FROM(CILIUM_1_16_0), "host", "no"},
        {"{toNodes: [{matchLabels: {a: b}}]}", FROM(CILIUM_1_16_0), "192.0.2.1", "no"},
        {"{toGroups: [{aws: {}}]}", EVERY, "192.0.2.1", "maybe"},
        {"{toGroups: [{aws: {}}]}", EVERY, "pod:ns?", "no"},
        {"{toEndpoints: [{}], toRequires: [{matchLabels: {a: b}}]}", BEFORE(CILIUM_1_19), "pod:ns?", "maybe"},
        {"{toEndpoints: [{}], toRequires: [{matchLabels: {a: b}}]}", BEFORE(CILIUM_1_19), "pod:other?", "no"},
        {"{toEndpoints: [{}], toRequires: [{matchLabels: {a: b}}]}", FROM(CILIUM_1_19), "pod:ns?", "yes"},
        LAST_ROW,
    };
    expect(*state, KIND_CNP, true, rows);
}

/* Names are pruned from a deny, which then has no peer. */
static void names_are_no_peers_of_a_deny(void **state) {
    struct stage *stage = stage_of(*state, CNP("p", "{endpointSelector: {}, egressDeny: [{toFQDNs: [{matchName: "
                                                    "a.example}], toPorts: [{ports: [{port: '443'}]}]}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    assert_string_equal(truth_word(stage_reaches(stage, stage_entry(stage), "pod:other?")), "yes");
    stage = stage_of(*state, CNP("p", "{endpointSelector: {}, egressDeny: [{toFQDNs: [{matchName: a.example}]}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    assert_string_equal(truth_word(stage_reaches(stage, stage_entry(stage), "name:a.example")), "no");
}

/* What Cilium calls the same selector has the same text, and nothing else has. */
static void groups_of_other_labels_or_excepts_are_other_selectors(void **state) {
    struct stage *stage = stage_of(
        *state, CNP("a", "{endpointSelector: {}, egress: [{toCIDRSet: [{cidrGroupSelector: {matchLabels: {a: b}}}, "
                         "{cidrGroupSelector: {matchLabels: {a: c}}}, {cidrGroupRef: g}, {cidrGroupRef: g, except: "
                         "[10.0.0.0/8]}, {cidrGroupRef: g, except: [11.0.0.0/8]}, {cidrGroupSelector: {matchLabels: "
                         "{a: b}}}]}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    const struct rule_entry *entry = stage_entry(stage);
    assert_int_equal(entry->peer_count, 6);
    for (size_t i = 0; i < entry->peer_count; i++)
        for (size_t k = 0; k < i; k++)
            assert_int_equal(strcmp(entry->peers[i].selector, entry->peers[k].selector) == 0, i == 5 && k == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(core_peer_selects_by_its_selectors, begin, end),
        cmocka_unit_test_setup_teardown(groups_of_other_labels_or_excepts_are_other_selectors, begin, end),
        cmocka_unit_test_setup_teardown(core_rule_without_peers_reaches_everything, begin, end),
        cmocka_unit_test_setup_teardown(block_is_its_addresses_less_the_excepts, begin, end),
        cmocka_unit_test_setup_teardown(odd_spellings_of_blocks_have_two_readings, begin, end),
        cmocka_unit_test_setup_teardown(peer_that_cannot_be_read_may_be_anything, begin, end),
        cmocka_unit_test_setup_teardown(cilium_reads_core_selectors_as_labels_of_pods, begin, end),
        cmocka_unit_test_setup_teardown(scope_is_added_to_a_peer_selector, begin, end),
        cmocka_unit_test_setup_teardown(empty_list_of_the_five_kinds_selects_nothing_from_1_16_on, begin, end),
        cmocka_unit_test_setup_teardown(empty_list_of_other_kinds_is_as_if_absent, begin, end),
        cmocka_unit_test_setup_teardown(block_of_cilium_selects_the_world_alone, begin, end),
        cmocka_unit_test_setup_teardown(group_is_its_blocks_where_the_inputs_hold_it, begin, end),
        cmocka_unit_test_setup_teardown(name_peer_reaches_the_addresses_learned_for_its_names, begin, end),
        cmocka_unit_test_setup_teardown(what_only_a_cloud_or_a_node_settles_is_reached_perhaps, begin, end),
        cmocka_unit_test_setup_teardown(names_are_no_peers_of_a_deny, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

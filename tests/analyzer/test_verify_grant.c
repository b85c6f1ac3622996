/* `verify` with grants (spec/analysis.md 2, 3, 4): whose allowance holds for whom, under which reading, and the objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "base/code.h"
#include "scene.h"

#define KEY "sandbox.namzu.ai/per-sandbox-egress"
#define TEMPLATE "sandbox.namzu.ai/template=box"
#define PER_SANDBOX(fields) "perSandbox: {engine: cilium, admissionPolicyName: fence" fields "}"
#define BOX(kind, fields) "{policy: {kind: " kind "}, " PER_SANDBOX(fields) "}"
#define GRANT(name, uid, hosts)                                                                                        \
    "---\nowner: {kind: SandboxClaim, name: " name ", uid: " uid "}\nallowedHosts: [" hosts "]\n"

/* A policy of the namespace: `pods` is its selector, `rules` are its egress. */
#define CNP(name, pods, rules)                                                                                         \
    "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: " name ", namespace: ns}\n"            \
    "spec:\n  endpointSelector: {matchLabels: {" pods "}}\n  egress: [" rules "]\n"
#define NP(name, rules)                                                                                                \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " name ", namespace: ns}\n"          \
    "spec:\n  podSelector: {matchLabels: {sandbox.namzu.ai/template: box}}\n  policyTypes: [Egress]\n"                 \
    "  egress: [" rules "]\n"
#define POD(name, labels)                                                                                              \
    "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: " name                                                         \
    "\n  namespace: ns\n  labels: {sandbox.namzu.ai/template: "                                                        \
    "box" labels "}\nspec: {}\n"
#define OF(claim) KEY ": " claim
#define DNS_PEER                                                                                                       \
    "toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}]"
#define DNS(rules) "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: ANY}]" rules "}]}"
#define ALL_NAMES DNS(", rules: {dns: [{matchPattern: '*'}]}")
#define FQDN(name) "{toFQDNs: [{matchName: " name "}]}"
#define NO_NETWORK NP("box-egress", "")
#define METADATA(uid)                                                                                                  \
    "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata:\n  name: namzu-sbx-" uid "\n  namespace: "    \
    "ns\n"
#define OWNED_AS(claim, uid, more)                                                                                     \
    "  ownerReferences: [{apiVersion: extensions.agents.x-k8s.io/v1beta1, kind: SandboxClaim, name: " claim            \
    ", uid: " uid more "}]\n"
#define OWNED_BY(claim, uid) OWNED_AS(claim, uid, "")
#define SPEC(claim, hosts)                                                                                             \
    "spec:\n  endpointSelector: {matchLabels: {" OF(claim) "}}\n  egress: [" ALL_NAMES ", {toFQDNs: [" hosts "]}]\n"
#define WRITTEN(claim, uid, hosts) METADATA(uid) OWNED_BY(claim, uid) SPEC(claim, hosts)

struct verdict_row {
    const char *name;
    const char *egress, *grants, *objects, *labels;
    const char *policy, *verdict, *refusal;
};

#define CLAIM_7 GRANT("claim-7", "u-7", "a.example")
#define LABELS_7 TEMPLATE "," KEY "=claim-7"

static const struct verdict_row rows[] = {
    {"what the grant allows is within", BOX("no-network", ""), CLAIM_7,
     NO_NETWORK CNP("more", OF("claim-7"), ALL_NAMES "," FQDN("a.example")), LABELS_7, "more", "within", "pass"},
    {"another host is not", BOX("no-network", ""), CLAIM_7,
     NO_NETWORK CNP("more", OF("claim-7"), ALL_NAMES "," FQDN("b.example")), LABELS_7, "more", "widens-egress",
     "policy-widens-egress"},
    {"hosts are compared in lower case", BOX("no-network", ""), GRANT("claim-7", "u-7", "A.Example"),
     NO_NETWORK CNP("more", "", FQDN("a.example")), LABELS_7, "more", "within", "pass"},
    {"the grant's port binds", BOX("no-network", ", narrowing: {ports: [443]}"), CLAIM_7,
     NO_NETWORK CNP("more", "", FQDN("a.example")), LABELS_7, "more", "widens-egress", "policy-widens-egress"},
    {"config and grant are one allowance",
     "{engine: cilium, policy: {kind: static, allowedHosts: [b.example]}, " PER_SANDBOX("") "}", CLAIM_7,
     CNP("more", "", "{toFQDNs: [{matchName: a.example}, {matchName: b.example}]}"), LABELS_7, "more", "within",
     "pass"},
    {"a pod of another label has the config alone", BOX("no-network", ""), CLAIM_7,
     NO_NETWORK CNP("more", "", FQDN("a.example")), TEMPLATE "," KEY "=claim-8", "more", "widens-egress",
     "policy-widens-egress"},
    {"a pod without the label has the config alone", BOX("no-network", ""), CLAIM_7,
     NO_NETWORK CNP("more", "", FQDN("a.example")), TEMPLATE, "more", "widens-egress", "policy-widens-egress"},
    {"two grants of one owner are united", BOX("no-network", ""), CLAIM_7 GRANT("claim-7", "u-8", "b.example"),
     NO_NETWORK CNP("more", "", "{toFQDNs: [{matchName: a.example}, {matchName: b.example}]}"), LABELS_7, "more",
     "within", "pass"},
    {"grants of two owners are not", BOX("no-network", ""), CLAIM_7 GRANT("claim-8", "u-8", "b.example"),
     NO_NETWORK CNP("more", "", FQDN("b.example")), LABELS_7, "more", "widens-egress", "policy-widens-egress"},
    {"nothing is beyond allow-all", BOX("allow-all", ""), CLAIM_7, CNP("more", "", "{toEntities: [all]}"), LABELS_7,
     "more", "within", "pass"},

    /* DNS names */
    {"the grant's names are the only ones", BOX("no-network", ", narrowing: {dnsNames: true}"), CLAIM_7,
     NO_NETWORK CNP("more", "", DNS(", rules: {dns: [{matchName: a.example}, {matchName: a.example.cluster.local}]}")),
     LABELS_7, "more", "within", "pass"},
    {"a further name widens", BOX("no-network", ", narrowing: {dnsNames: true}"), CLAIM_7,
     NO_NETWORK CNP("more", "", DNS(", rules: {dns: [{matchName: b.example}]}")), LABELS_7, "more", "widens-egress",
     "policy-widens-egress"},
    {"a rule without names lifts them", BOX("no-network", ", narrowing: {dnsNames: true}"), CLAIM_7,
     NO_NETWORK CNP("more", "", DNS("")), LABELS_7, "more", "widens-egress", "policy-widens-egress"},
    {"a config that lets all names through leaves no list", BOX("deny-all", ", narrowing: {dnsNames: true}"), CLAIM_7,
     NP("box-egress", "{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}}], "
                      "ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]}")
         CNP("more", "", DNS(", rules: {dns: [{matchName: b.example}]}")),
     LABELS_7, "more", "within", "pass"},
    {"names of both sides are united",
     "{engine: cilium, policy: {kind: static, allowedHosts: [b.example]}, ciliumNarrowing: {dnsNames: "
     "true}, " PER_SANDBOX(", narrowing: {dnsNames: true}") "}",
     CLAIM_7, CNP("more", "", DNS(", rules: {dns: [{matchName: a.example}, {matchName: b.example}]}")), LABELS_7,
     "more", "within", "pass"},

    /* readings */
    {"Cilium's policies count under engine core", BOX("no-network", ""), CLAIM_7, CNP("only", OF("claim-7"), ALL_NAMES),
     LABELS_7, "only", "within", "pass"},
    {"without a grant they do not", BOX("no-network", ""), NULL, CNP("only", "", FQDN("a.example")), TEMPLATE, "only",
     "not-evaluable", "not-evaluable"},
    {"NetworkPolicies are read as Cilium's", BOX("no-network", ""), CLAIM_7,
     NO_NETWORK "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: odd, namespace: ns}\n"
                "spec: {podSelector: {}, policyTypes: [Ingress], egress: [{to: [{ipBlock: {cidr: 9.9.9.9/32}}]}]}\n",
     LABELS_7, "odd", "widens-egress", "policy-widens-egress"},

    /* a grant without hosts */
    {"its object is judged as any other", BOX("no-network", ""), GRANT("claim-7", "u-7", ""),
     NO_NETWORK WRITTEN("claim-7", "u-7", "{matchName: a.example}"), LABELS_7, "namzu-sbx-u-7", "widens-egress",
     "policy-widens-egress"},
    {"it is no exception for its object", BOX("no-network", ""), CLAIM_7,
     NO_NETWORK WRITTEN("claim-7", "u-7", "{matchName: a.example}, {matchName: b.example}"), LABELS_7, "namzu-sbx-u-7",
     "widens-egress", "policy-widens-egress"},
    {"the written object is within", BOX("no-network", ""), CLAIM_7,
     NO_NETWORK WRITTEN("claim-7", "u-7", "{matchName: a.example}"), LABELS_7, "namzu-sbx-u-7", "within", "pass"},
};

static void every_policy_has_its_verdict_and_every_pod_its_answer(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct verdict_row *row = &rows[i];
        struct arena *arena = arena_create();
        const struct boundary_decision *decision =
            scene_decide_granted(arena, row->egress, row->grants, row->objects, row->labels);
        const char *verdict = scene_verdict(decision, row->policy, -1);
        if (strcmp(verdict, row->verdict) != 0 || strcmp(scene_refusal(decision), row->refusal) != 0) {
            fail_msg("%s: %s, %s", row->name, verdict, scene_refusal(decision));
        }
        arena_destroy(arena);
    }
}

/* ---- subjects ---- */

static const char *label_of(const struct boundary_decision *decision, size_t subject) {
    const char *value = labels_get(&decision->subjects[subject].labels, KEY);
    return value ? value : "none";
}

static const char *answer_of(const struct boundary_decision *decision, size_t subject) {
    const struct side_decision *side = decision->subjects[subject].egress;
    return side->refused ? code_word(side->refusal) : "pass";
}

static void check_subjects(const char *grants, const char *objects, const char *wanted) {
    struct arena *arena = arena_create();
    const struct boundary_decision *decision =
        scene_decide_granted(arena, BOX("no-network", ""), grants, objects, NULL);
    struct buffer got;
    buffer_init(&got, arena);
    for (size_t i = 0; i < decision->subject_count; i++) {
        buffer_print(&got, "%s of %zu: %s\n", label_of(decision, i), decision->subjects[i].pod_count,
                     answer_of(decision, i));
    }
    assert_string_equal(buffer_string(&got), wanted);
    arena_destroy(arena);
}

#define TWO CLAIM_7 GRANT("claim-8", "u-8", "b.example")
#define OPEN_A CNP("open", "", FQDN("a.example"))

static void without_pods_each_grant_has_the_pod_that_the_config_describes(void **state) {
    (void)state;
    check_subjects(CLAIM_7, NO_NETWORK, "claim-7 of 0: pass\n");
    check_subjects(TWO, NO_NETWORK OPEN_A, "claim-7 of 0: pass\nclaim-8 of 0: policy-widens-egress\n");
    check_subjects(GRANT("claim-7", "u-7", ""), NO_NETWORK OPEN_A, "claim-7 of 0: policy-widens-egress\n");
}

static void every_pod_of_the_boundary_is_decided_by_its_own_grants(void **state) {
    (void)state;
    check_subjects(CLAIM_7,
                   NO_NETWORK OPEN_A POD("p-1", ", " OF("claim-7")) POD("p-2", ", " OF("claim-9")) POD("p-3", ""),
                   "claim-7 of 1: pass\nnone of 2: policy-widens-egress\n");
}

static void a_grant_without_a_pod_is_decided_beside_those_with_one(void **state) {
    (void)state;
    check_subjects(TWO, NO_NETWORK OPEN_A POD("p-1", ", " OF("claim-7")),
                   "claim-7 of 1: pass\nclaim-8 of 0: policy-widens-egress\n");
}

static void pods_of_a_template_carry_the_labels_of_the_grants(void **state) {
    (void)state;
    static const char deployment[] =
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: ns}\n"
        "spec: {template: {metadata: {labels: {sandbox.namzu.ai/template: box}}, spec: {}}}\n";
    struct arena *arena = arena_create();
    check_subjects(TWO, arena_format(arena, "%s%s", NO_NETWORK OPEN_A, deployment),
                   "claim-7 of 1: pass\nclaim-8 of 1: policy-widens-egress\n");
    arena_destroy(arena);
}

/* ---- objects ---- */

static void check_object(const char *grants, const char *objects, enum named_status status, const char *part) {
    struct arena *arena = arena_create();
    const struct boundary_decision *decision =
        scene_decide_granted(arena, BOX("no-network", ""), grants, objects, LABELS_7);
    assert_true(decision->has_grants);
    assert_int_equal(decision->grant_object_count, 1);
    const struct named_decision *named = &decision->grant_objects[0];
    assert_string_equal(named_status_word(named->status), named_status_word(status));
    assert_string_equal(named->object.name, "namzu-sbx-u-7");
    assert_string_equal(named->part ? named->part : "", part);
    bool refused = status != NAMED_MATCH && status != NAMED_SKIPPED;
    assert_int_equal(decision->refusals.count > 0, refused);
    assert_int_equal(decision->refused, refused || scene_egress(decision)->refused);
    arena_destroy(arena);
}

#define HOST "{matchName: a.example}"

static void the_object_of_a_grant_must_be_there_and_exactly_that(void **state) {
    (void)state;
    check_object(CLAIM_7, NO_NETWORK WRITTEN("claim-7", "u-7", HOST), NAMED_MATCH, "");
    check_object(CLAIM_7, NO_NETWORK, NAMED_MISSING, "missing");
    check_object(CLAIM_7, NO_NETWORK WRITTEN("claim-7", "u-8", HOST), NAMED_MISSING, "missing");
    check_object(CLAIM_7, NO_NETWORK WRITTEN("claim-7", "u-7", "{matchName: b.example}"), NAMED_MISMATCH, "egress");
    check_object(CLAIM_7, NO_NETWORK METADATA("u-7") OWNED_BY("claim-7", "u-7") SPEC("claim-8", HOST), NAMED_MISMATCH,
                 "selector");
    check_object(CLAIM_7, NO_NETWORK WRITTEN("claim-7", "u-7", HOST) "specs: [{endpointSelector: {}}]\n",
                 NAMED_MISMATCH, "specs");
    check_object(CLAIM_7, NO_NETWORK WRITTEN("claim-7", "u-7", HOST) "  ingress: [{}]\n", NAMED_MISMATCH, "other");
}

static void an_owner_must_be_there_as_it_is(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "  ownerReferences: []\n",
        "  ownerReferences: null\n",
        "  ownerReferences: x\n",
        OWNED_BY("claim-8", "u-7"),
        OWNED_BY("claim-7", "u-8"),
        OWNED_AS("claim-7", "u-7", ", controller: true"),
        "  ownerReferences: [{apiVersion: agents.x-k8s.io/v1beta1, kind: SandboxClaim, name: claim-7, uid: u-7}]\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena *arena = arena_create();
        check_object(CLAIM_7,
                     arena_format(arena, "%s%s%s", NO_NETWORK METADATA("u-7"), wrong[i], SPEC("claim-7", HOST)),
                     NAMED_MISMATCH, "ownerReferences");
        arena_destroy(arena);
    }
    check_object(
        CLAIM_7,
        NO_NETWORK METADATA("u-7") "  ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: q}, {uid: u-7, "
                                   "name: claim-7, kind: SandboxClaim, apiVersion: "
                                   "extensions.agents.x-k8s.io/v1beta1}]\n" SPEC("claim-7", HOST),
        NAMED_MATCH, "");
}

static void the_object_of_a_grant_without_hosts_is_not_asked_for(void **state) {
    (void)state;
    check_object(GRANT("claim-7", "u-7", ""), NO_NETWORK WRITTEN("claim-7", "u-7", HOST), NAMED_SKIPPED, "");
}

static void objects_are_listed_in_the_order_of_the_grants(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    const struct boundary_decision *decision = scene_decide_granted(
        arena, BOX("no-network", ""), GRANT("z", "u-1", "a.example") GRANT("a", "u-2", "a.example"),
        NO_NETWORK WRITTEN("z", "u-1", HOST), LABELS_7);
    assert_int_equal(decision->grant_object_count, 2);
    assert_int_equal(decision->grant_objects[0].status, NAMED_MATCH);
    assert_string_equal(decision->grant_objects[1].object.name, "namzu-sbx-u-2");
    assert_int_equal(decision->grant_objects[1].status, NAMED_MISSING);
    arena_destroy(arena);
}

static void without_grants_there_are_no_grant_objects(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    assert_false(scene_decide(arena, BOX("no-network", ""), NO_NETWORK, LABELS_7)->has_grants);
    arena_destroy(arena);
}

/* Labels of a grant that was taken back ask about that grant alone; a policy that is left of it is looked at. */
static void labels_of_a_grant_that_was_taken_back_are_not_decided(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    const struct boundary_decision *decision =
        scene_decide_granted(arena, BOX("no-network", ""), GRANT("claim-7", "u-7", ""), NO_NETWORK OPEN_A, LABELS_7);
    assert_int_equal(decision->subject_count, 0);
    assert_false(decision->refused);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_has_its_verdict_and_every_pod_its_answer),
        cmocka_unit_test(without_pods_each_grant_has_the_pod_that_the_config_describes),
        cmocka_unit_test(every_pod_of_the_boundary_is_decided_by_its_own_grants),
        cmocka_unit_test(a_grant_without_a_pod_is_decided_beside_those_with_one),
        cmocka_unit_test(pods_of_a_template_carry_the_labels_of_the_grants),
        cmocka_unit_test(the_object_of_a_grant_must_be_there_and_exactly_that),
        cmocka_unit_test(an_owner_must_be_there_as_it_is),
        cmocka_unit_test(the_object_of_a_grant_without_hosts_is_not_asked_for),
        cmocka_unit_test(objects_are_listed_in_the_order_of_the_grants),
        cmocka_unit_test(without_grants_there_are_no_grant_objects),
        cmocka_unit_test(labels_of_a_grant_that_was_taken_back_are_not_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

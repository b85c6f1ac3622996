/* The rows of the tables of spec/cilium-egress.md and spec/kubernetes-egress.md, as facts about single flows. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/reader.h"
#include "tests/evaluator/evaluate.h"
#include "tests/evaluator/spell.h"

#define DENIED EVALUATE_DENIED
#define ALLOWED EVALUATE_ALLOWED
#define UNKNOWN EVALUATE_UNKNOWN
#define REFUSED EVALUATE_REFUSED_OBJECT

#define CNP_SPEC(spec)                                                                                                 \
    "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: p, namespace: team}, spec: " spec "}\n---" \
                                                                                                              "\n"
#define CCNP_SPEC(spec)                                                                                                \
    "{apiVersion: cilium.io/v2, kind: CiliumClusterwideNetworkPolicy, metadata: {name: p}, spec: " spec "}\n---\n"
#define NP_SPEC(spec)                                                                                                  \
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: p, namespace: team}, spec: " spec        \
    "}\n---\n"
/* Of the pod's namespace, selecting every pod there. */
#define CNP(egress) CNP_SPEC("{endpointSelector: {}, egress: " egress "}")
#define CCNP(egress) CCNP_SPEC("{endpointSelector: {}, egress: " egress "}")
#define DENY(egress) CNP_SPEC("{endpointSelector: {}, egressDeny: " egress "}")
#define NP(egress) NP_SPEC("{podSelector: {}, policyTypes: [Egress], egress: " egress "}")
#define DNS "toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}]"
#define P(port) "toPorts: [{ports: [{port: '" port "'}]}]"
#define TCP(port) "toPorts: [{ports: [{port: '" port "', protocol: TCP}]}]"

/* What one flow gets in Cilium 1.`from` to 1.`to` (0 to 0: under the core engine). The subject is team/app=web. */
struct fact {
    unsigned from, to;
    const char *policies, *flow;
    enum evaluator_answer answer;
};

struct scene {
    struct arena *arena;
    const struct node *objects[32];
    size_t count;
};

static void scene_read(struct scene *scene, const char *policies) {
    struct diagnostics diagnostics;
    struct reader_options options = {.limits = limits_default()};
    struct file file;
    scene->arena = arena_create();
    scene->count = 0;
    diagnostics_init(&diagnostics, scene->arena);
    reader_read_text("policies", text_of(policies), &options, scene->arena, &file, &diagnostics);
    assert_int_equal(file.state, FILE_READ);
    assert_true(file.count <= 32);
    for (size_t i = 0; i < file.count; i++)
        scene->objects[scene->count++] = &file.documents[i].root;
}

static struct evaluator_reading reading_of(unsigned minor) {
    return (struct evaluator_reading){.engine = minor ? EVALUATE_CILIUM : EVALUATE_CORE,
                                      .minor = minor,
                                      .patch = UINT_MAX,
                                      .sctp = true,
                                      .default_label_filter = true,
                                      .local_cluster = minor >= 19,
                                      .mapped_as_ipv4 = true,
                                      .l7_proxy = true};
}

static struct evaluator_result ask(const struct fact *fact, const struct evaluator_reading *reading) {
    struct scene scene;
    struct evaluator_flow flow;
    scene_read(&scene, fact->policies);
    struct evaluator_pod subject = spell_read_pod("team", "app=web", scene.arena);
    if (!spell_read_flow(fact->flow, scene.arena, &flow))
        fail_msg("no flow: %s", fact->flow);
    struct evaluator_result result = evaluate(scene.objects, scene.count, reading, &subject, &flow, scene.arena);
    arena_destroy(scene.arena);
    return result;
}

static void check(const struct fact *facts, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (unsigned minor = facts[i].from; minor <= facts[i].to; minor++) {
            struct evaluator_reading reading = reading_of(minor);
            struct evaluator_result result = ask(&facts[i], &reading);
            if (result.answer != facts[i].answer)
                fail_msg("fact %zu, 1.%u: %s is %s (%s), and should be %s, under\n%s", i, minor, facts[i].flow,
                         evaluator_answer_word(result.answer), result.why ? result.why : "",
                         evaluator_answer_word(facts[i].answer), facts[i].policies);
        }
}
#define CHECK(facts) check(facts, sizeof(facts) / sizeof *(facts))

/* --- C 1 ----------------------------------------------------------------------------------------------------- */

static void subjects_are_scoped_to_the_namespace(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {app: web}}, egress: [{}]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {'k8s:app': web}}, egress: [{}]}"), "ip 9.9.9.9 TCP 1",
         DENIED},
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {'reserved:app': web}}, egress: [{}]}"), "ip 9.9.9.9 TCP 1",
         ALLOWED},
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {app: db}}, egress: [{}]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        /* exactly the k8s key in matchLabels is overwritten; any other spelling selects nothing */
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': x}}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {io.kubernetes.pod.namespace: x}}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19,
         CNP_SPEC("{endpointSelector: {matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: In, "
                  "values: [x]}]}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19,
         "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: x}, spec: {endpointSelector: {}, "
         "egress: [{}]}}",
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CCNP("[{}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CCNP_SPEC("{endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': x}}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19,
         CCNP_SPEC("{endpointSelector: {matchLabels: {io.cilium.k8s.policy.serviceaccount: default}}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19,
         CCNP_SPEC("{endpointSelector: {matchLabels: {'k8s:io.cilium.k8s.policy.cluster': default}}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19,
         CCNP_SPEC("{endpointSelector: {matchLabels: "
                   "{'k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name': team}}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CCNP_SPEC("{nodeSelector: {}, egress: [{}]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
    };
    CHECK(facts);
}

static void invalid_rules_refuse_the_whole_object(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP_SPEC("{egress: [{}]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP_SPEC("{endpointSelector: {}, nodeSelector: {}, egress: [{}]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19,
         "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: team}, specs: "
         "[{endpointSelector: {}, egress: [{toCIDR: [9.9.9.9/32]}]}, {endpointSelector: {}, egress: [{toCIDR: "
         "[9.9.9.9]}]}]}",
         "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19,
         "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: team}, specs: "
         "[{endpointSelector: {}, egress: [{toCIDR: [9.9.9.9/32]}]}, {endpointSelector: {}, egress: [{toCIDR: "
         "[8.8.8.8/32]}]}]}",
         "ip 8.8.8.8 TCP 1", ALLOWED},
        /* a rule without rules: accepted up to 1.16 */
        {15, 16,
         "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: team}, spec: {endpointSelector: "
         "{}, egress: []}, specs: [{endpointSelector: {}, egress: [{}]}]}",
         "ip 9.9.9.9 TCP 1", DENIED},
        {17, 19,
         "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {namespace: team}, spec: {endpointSelector: "
         "{}, egress: []}, specs: [{endpointSelector: {}, egress: [{}]}]}",
         "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {'a:b:c': x}}, egress: [{}]}"), "ip 9.9.9.9 TCP 1",
         REFUSED},
        {15, 19, CNP_SPEC("{endpointSelector: {matchExpressions: [{key: a, operator: In, values: []}]}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19,
         CNP_SPEC("{endpointSelector: {matchExpressions: [{key: a, operator: Exists, values: [x]}]}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19,
         CNP_SPEC("{endpointSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}, egress: [{}]}"),
         "ip 9.9.9.9 TCP 1", REFUSED},
        /* it does not select this pod, or holds no rules for egress */
        {15, 19, CNP_SPEC("{endpointSelector: {matchLabels: {app: db}}, egress: [{toCIDR: [9.9.9.9]}]}"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP_SPEC("{egress: []}"), "ip 9.9.9.9 TCP 1", ALLOWED},
    };
    CHECK(facts);
}

static void filtered_labels_are_not_in_the_identity(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {pod-template-hash: a}}]}]"), "pod team pod-template-hash=a TCP 1",
         DENIED},
        {15, 19, CNP("[{toEndpoints: [{matchExpressions: [{key: pod-template-hash, operator: DoesNotExist}]}]}]"),
         "pod team pod-template-hash=a TCP 1", ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {kubernetes.io/x: a}}]}]"), "pod team kubernetes.io/x=a TCP 1",
         DENIED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {app.kubernetes.io/name: a}}]}]"),
         "pod team app.kubernetes.io/name=a TCP 1", ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {node.beta.kubernetes.io/x: a}}]}]"),
         "pod team node.beta.kubernetes.io/x=a TCP 1", DENIED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {topology.kubernetes.io/zone: a}}]}]"),
         "pod team topology.kubernetes.io/zone=a TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{podSelector: {matchLabels: {pod-template-hash: a}}}]}]"),
         "pod team pod-template-hash=a TCP 1", ALLOWED},
    };
    CHECK(facts);
}

static void peers_get_their_namespace_and_cluster(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[{toEndpoints: [{}]}]"), "pod team x=y TCP 1", ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{}]}]"), "pod ops x=y TCP 1", DENIED},
        {15, 19, CCNP("[{toEndpoints: [{}]}]"), "pod ops x=y TCP 1", ALLOWED},
        {15, 19, CCNP("[{toEndpoints: [{}]}]"), "host TCP 1", DENIED},
        {15, 19, CCNP("[{toEndpoints: [{}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 18, CNP("[{toEndpoints: [{}]}]"), "pod team@other x=y TCP 1", ALLOWED},
        {19, 19, CNP("[{toEndpoints: [{}]}]"), "pod team@other x=y TCP 1", DENIED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {'k8s:io.cilium.k8s.policy.cluster': other}}]}]"),
         "pod team@other x=y TCP 1", ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {io.kubernetes.pod.namespace: ops}}]}]"), "pod ops x=y TCP 1",
         ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {'any:io.kubernetes.pod.namespace': ops}}]}]"),
         "pod team x=y TCP 1", DENIED},
        {15, 15, CNP("[{toEndpoints: [{matchLabels: {'k8s:io.cilium.k8s.namespace.labels.env': prod}}]}]"),
         "pod ops/env=prod x=y TCP 1", DENIED},
        {16, 19, CNP("[{toEndpoints: [{matchLabels: {'k8s:io.cilium.k8s.namespace.labels.env': prod}}]}]"),
         "pod ops/env=prod x=y TCP 1", ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {'k8s:io.cilium.k8s.namespace.labels.env': prod}}]}]"),
         "pod team/env=prod x=y TCP 1", ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{matchLabels: {'reserved:host': ''}}]}]"), "host TCP 1", ALLOWED},
        {15, 19, CNP("[{toEndpoints: [{matchExpressions: [{key: 'reserved:host', operator: DoesNotExist}]}]}]"),
         "pod ops x=y TCP 1", ALLOWED},
        /* negative requirements on the namespace alone also reach what is no pod, unless the cluster is added */
        {15, 18,
         CNP("[{toEndpoints: [{matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: "
             "[ops]}]}]}]"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 18,
         CNP("[{toEndpoints: [{matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: "
             "[ops]}]}]}]"),
         "host TCP 1", ALLOWED},
        {19, 19,
         CNP("[{toEndpoints: [{matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: "
             "[ops]}]}]}]"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19,
         CNP("[{toEndpoints: [{matchExpressions: [{key: 'k8s:io.kubernetes.pod.namespace', operator: NotIn, values: "
             "[ops]}]}]}]"),
         "pod ops x=y TCP 1", DENIED},
        {15, 18, NP("[{to: [{namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}]}]"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {19, 19, NP("[{to: [{namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}]}]"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}]}]"),
         "ip 9.9.9.9 TCP 1", DENIED},
    };
    CHECK(facts);
}

/* --- C 2 ----------------------------------------------------------------------------------------------------- */

static void default_deny_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, "", "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 16, CNP("[]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP_SPEC("{endpointSelector: {}, ingress: [{}]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP_SPEC("{endpointSelector: {}, ingress: [{}], enableDefaultDeny: {egress: true}}"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP("[{}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CNP("[{}]"), "ip 9.9.9.9 other", DENIED},
        {15, 19, CNP("[{toEntities: [none]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, DENY("[{toCIDR: [8.8.8.8/32]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 15,
         CNP_SPEC("{endpointSelector: {}, enableDefaultDeny: {egress: false}, egressDeny: [{toCIDR: [8.8.8.8/32]}]}"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {16, 19,
         CNP_SPEC("{endpointSelector: {}, enableDefaultDeny: {egress: false}, egressDeny: [{toCIDR: [8.8.8.8/32]}]}"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {16, 19,
         CNP_SPEC("{endpointSelector: {}, enableDefaultDeny: {egress: false}, egressDeny: [{toCIDR: [8.8.8.8/32]}]}"),
         "ip 8.8.8.8 TCP 1", DENIED},
        {16, 19,
         CNP_SPEC("{endpointSelector: {}, enableDefaultDeny: {egress: false}, egress: [{toCIDR: [8.8.8.8/32]}]}"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {16, 19,
         CNP_SPEC("{endpointSelector: {}, enableDefaultDeny: {egress: false}, egress: [{toCIDR: [8.8.8.8/32]}]}")
             CNP("[{}]"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {16, 19,
         CNP_SPEC("{endpointSelector: {}, enableDefaultDeny: {egress: false}, egress: [{toCIDR: [8.8.8.8/32]}]}")
             CNP("[{}]"),
         "ip 8.8.8.8 TCP 1", ALLOWED},
        {15, 19, NP("[]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, NP_SPEC("{podSelector: {}, policyTypes: [Ingress], egress: [{ports: [{port: 53}]}]}"),
         "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, NP_SPEC("{podSelector: {}, policyTypes: [Ingress], egress: [{ports: [{port: 53}]}]}"),
         "ip 9.9.9.9 TCP 53", ALLOWED},
    };
    CHECK(facts);
}

static void l7_rules_without_default_deny_depend_on_the_patch(void **state) {
    (void)state;
    static const struct {
        unsigned minor, patch;
        enum evaluator_answer answer;
    } rows[] = {{16, UINT_MAX, DENIED}, {17, 3, DENIED}, {17, 5, ALLOWED}, {17, UINT_MAX, ALLOWED}, {18, 0, ALLOWED}};
    struct fact fact = {
        0, 0,
        CNP_SPEC("{endpointSelector: {}, enableDefaultDeny: {egress: false}, egress: [{" DNS
                 ", toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchName: a.com}]}}]}]}"),
        "pod kube-system k8s-app=kube-dns UDP 53 ask b.com", ALLOWED};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct evaluator_reading reading = reading_of(rows[i].minor);
        reading.patch = rows[i].patch;
        assert_int_equal(ask(&fact, &reading).answer, rows[i].answer);
    }
}

/* --- C 3 ----------------------------------------------------------------------------------------------------- */

static void peers_and_ports_combine(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32], toEntities: [host]}]"), "host TCP 1", REFUSED},
        {15, 16, DENY("[{toCIDR: [9.9.9.9/32], toEntities: [host]}]") CNP("[{toEntities: [all]}]"), "host TCP 1",
         DENIED},
        {17, 19, DENY("[{toCIDR: [9.9.9.9/32], toEntities: [host]}]") CNP("[{toEntities: [all]}]"), "host TCP 1",
         REFUSED},
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32]}]"), "ip 9.9.9.9 ICMP 8", ALLOWED},
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32]}]"), "ip 9.9.9.9 other", ALLOWED},
        {15, 19, CNP("[{" P("80") "}]"), "pod ops x=y TCP 80", ALLOWED},
        {15, 19, CNP("[{" P("80") "}]"), "host+api TCP 80", ALLOWED},
        {15, 19, CNP("[{" P("80") "}]"), "ip fd00::1 SCTP 80", ALLOWED},
        {15, 19, CNP("[{" P("80") "}]"), "ip 9.9.9.9 ICMP 80", DENIED},
        {15, 19, CNP("[{" P("80") "}]"), "ip 9.9.9.9 TCP 81", DENIED},
    };
    CHECK(facts);
}

static void empty_lists_with_ports(void **state) {
    (void)state;
    static const char *const five[] = {"toEndpoints", "toCIDR", "toCIDRSet", "toEntities"};
    static const char *const others[] = {"toFQDNs", "toServices", "toGroups"};
    char policy[512];
    for (unsigned minor = 15; minor <= 19; minor++) {
        struct evaluator_reading reading = reading_of(minor);
        struct fact fact = {minor, minor, policy, "ip 9.9.9.9 TCP 80", DENIED};
        for (size_t i = 0; i < sizeof five / sizeof *five; i++) {
            snprintf(policy, sizeof policy, CNP("[{%s: [], " P("80") "}]"), five[i]);
            assert_int_equal(ask(&fact, &reading).answer, minor <= 15 ? ALLOWED : DENIED);
            snprintf(policy, sizeof policy, CNP("[{%s: []}]"), five[i]);
            assert_int_equal(ask(&fact, &reading).answer, DENIED);
            snprintf(policy, sizeof policy, CNP("[{%s: null, " P("80") "}]"), five[i]);
            assert_int_equal(ask(&fact, &reading).answer, ALLOWED);
            snprintf(policy, sizeof policy, CNP("[{%s: [], toFQDNs: [{matchName: x.com}]}]"), five[i]);
            fact.flow = "name x.com 9.9.9.9 TCP 80";
            assert_int_equal(ask(&fact, &reading).answer, minor <= 15 ? ALLOWED : DENIED);
            fact.flow = "ip 9.9.9.9 TCP 80";
        }
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            snprintf(policy, sizeof policy, CNP("[{%s: [], " P("80") "}]"), others[i]);
            assert_int_equal(ask(&fact, &reading).answer, ALLOWED);
            snprintf(policy, sizeof policy, CNP("[{%s: []}]"), others[i]);
            assert_int_equal(ask(&fact, &reading).answer, DENIED);
        }
    }
}

static void other_empty_lists(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32], toPorts: []}]"), "ip 9.9.9.9 other", ALLOWED},
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32], icmps: []}]"), "ip 9.9.9.9 other", ALLOWED},
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32], toPorts: [{}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32], toPorts: [{ports: []}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 19, CNP("[{toCIDR: [9.9.9.9/32], icmps: [{}]}]"), "ip 9.9.9.9 ICMP 8", DENIED},
        {15, 15, CNP("[{toPorts: [{ports: [{port: '53'}], rules: {}}]}]"), "ip 9.9.9.9 UDP 53 ask a.com", ALLOWED},
        {16, 19, CNP("[{toPorts: [{ports: [{port: '53'}], rules: {}}]}]"), "ip 9.9.9.9 UDP 53 ask a.com", REFUSED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '53'}], rules: {dns: []}}]}]"), "ip 9.9.9.9 UDP 53 ask a.com",
         ALLOWED},
        {15, 19, CNP("[{toPorts: [{ports: [{port: '53'}], rules: {http: []}}]}]"), "ip 9.9.9.9 TCP 53 http", ALLOWED},
        {15, 17, CNP("[{toPorts: [{ports: [{port: '53'}], serverNames: []}]}]"), "ip 9.9.9.9 TCP 53", ALLOWED},
        {18, 19, CNP("[{toPorts: [{ports: [{port: '53'}], serverNames: []}]}]"), "ip 9.9.9.9 TCP 53", REFUSED},
        {15, 19, CNP("[{toCIDRSet: [{cidr: 9.0.0.0/8, except: []}]}]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 15, DENY("[{toCIDR: [], " P("80") "}]") CNP("[{toEntities: [all]}]"), "ip 9.9.9.9 TCP 80", DENIED},
        {16, 19, DENY("[{toCIDR: [], " P("80") "}]") CNP("[{toEntities: [all]}]"), "ip 9.9.9.9 TCP 80", ALLOWED},
    };
    CHECK(facts);
}

static void entity_table(void **state) {
    (void)state;
    static const char *const flows[] = {"ip 9.9.9.9 TCP 1",
                                        "api 9.9.9.9 TCP 1",
                                        "name x.com 9.9.9.9 TCP 1",
                                        "pod team a=b TCP 1",
                                        "pod ops a=b TCP 1",
                                        "pod ops@far a=b TCP 1",
                                        "host TCP 1",
                                        "host+api TCP 1",
                                        "remote-node TCP 1",
                                        "remote-node+api TCP 1",
                                        "health TCP 1",
                                        "ingress TCP 1",
                                        "init TCP 1",
                                        "unmanaged TCP 1"};
    static const struct {
        const char *entity, *covers; /* one character a flow */
    } rows[] = {
        {"all", "++++++++++++++"},       {"world", "+++-----------"},       {"cluster", "-+-++-++++++++"},
        {"host", "------++------"},      {"remote-node", "--------++----"}, {"kube-apiserver", "-+-----+-+----"},
        {"health", "----------+---"},    {"ingress", "-----------+--"},     {"init", "------------+-"},
        {"unmanaged", "-------------+"}, {"none", "--------------"},
    };
    char policy[512];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof flows / sizeof *flows; j++) {
            snprintf(policy, sizeof policy, CNP("[{toEntities: [%s]}]"), rows[i].entity);
            struct fact fact = {15, 19, policy, flows[j], rows[i].covers[j] == '+' ? ALLOWED : DENIED};
            check(&fact, 1);
        }
    static const struct fact refused[] = {
        {15, 19, CNP("[{toEntities: [world-ipv4]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP("[{toEntities: [cluster-mesh]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP("[{toEntities: [All]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
    };
    CHECK(refused);
}

static void cidrs_mean_the_world(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {15, 19, CNP("[{toCIDR: [0.0.0.0/0, '::/0']}]"), "pod ops a=b TCP 1", DENIED},
        {15, 19, CNP("[{toCIDR: [0.0.0.0/0, '::/0']}]"), "host TCP 1", DENIED},
        {15, 19, CNP("[{toCIDR: [0.0.0.0/0, '::/0']}]"), "health TCP 1", DENIED},
        {15, 19, CNP("[{toCIDR: [0.0.0.0/0]}]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP("[{toCIDR: [0.0.0.0/0]}]"), "api 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP("[{toCIDR: [0.0.0.0/0]}]"), "ip fd00::1 TCP 1", DENIED},
        {15, 19, CNP("[{toCIDR: [0.0.0.0/0]}]"), "ip 169.254.169.254 TCP 80", ALLOWED},
        {15, 19, CNP("[{toEntities: [cluster]}]"), "ip 169.254.169.254 TCP 80", DENIED},
        {15, 19, CNP("[{toCIDR: [10.0.0.5/8]}]"), "ip 10.255.0.1 TCP 1", ALLOWED},
        {15, 19, CNP("[{toCIDR: [10.0.0.5]}]"), "ip 10.0.0.5 TCP 1", REFUSED},
        {15, 19, CNP("[{toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}]}]"), "ip 10.1.0.1 TCP 1", DENIED},
        {15, 19, CNP("[{toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}]}]"), "ip 10.2.0.1 TCP 1", ALLOWED},
        {15, 19, CNP("[{toCIDRSet: [{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}, {cidr: 10.1.2.0/24}]}]"),
         "ip 10.1.2.3 TCP 1", ALLOWED},
        {15, 19, CNP("[{toCIDRSet: [{cidr: 10.0.0.0/8, except: [11.0.0.0/16]}]}]"), "ip 10.2.0.1 TCP 1", REFUSED},
        {15, 19, CNP("[{toCIDRSet: [{cidr: 10.1.0.0/16, except: [10.1.0.0/8]}]}]"), "ip 10.1.0.1 TCP 1", DENIED},
        {15, 15, CNP("[{toCIDRSet: [{cidrGroupRef: g}]}]"), "ip 10.1.0.1 TCP 1", REFUSED},
        {16, 19, CNP("[{toCIDRSet: [{cidrGroupRef: g}]}]"), "ip 10.1.0.1 TCP 1", UNKNOWN},
        {16, 19,
         CNP("[{toCIDRSet: [{cidrGroupRef: g}]}]") "{kind: CiliumCIDRGroup, metadata: {name: g}, spec: {externalCIDRs: "
                                                   "[10.0.0.0/8]}}",
         "ip 10.1.0.1 TCP 1", ALLOWED},
        {15, 16, CNP("[{toCIDRSet: [{cidrGroupSelector: {}}]}]"), "ip 10.1.0.1 TCP 1", REFUSED},
        {15, 19, CNP("[{toCIDRSet: [{cidr: 10.0.0.0/8, cidrGroupRef: g}]}]"), "ip 10.1.0.1 TCP 1", REFUSED},
    };
    CHECK(facts);
    struct evaluator_reading nodes = reading_of(17);
    nodes.match_nodes = true;
    struct fact fact = {17, 17, CNP("[{toCIDR: [0.0.0.0/0]}]"), "host TCP 1", UNKNOWN};
    assert_int_equal(ask(&fact, &nodes).answer, UNKNOWN);
}

static void name_pattern_table(void **state) {
    (void)state;
    static const char *const names[] = {"example.com", "a.example.com", "a.b.example.com", "xexample.com"};
    static const struct {
        const char *pattern;
        unsigned from, to;
        const char *holds;
    } rows[] = {
        {"example.com", 15, 19, "+---"},
        {"*.example.com", 15, 19, "-+--"},
        {"*example.com", 15, 19, "+--+"},
        {"**.example.com", 15, 18, "-+--"},
        {"**.example.com", 19, 19, "-++-"},
        {"a.**.example.com", 15, 19, "--+-"},
        {"*", 15, 19, "++++"},
        {"**", 15, 18, "----"},
        {"**", 19, 19, "++++"},
        {"*.", 15, 18, "----"},
        {"*.", 19, 19, "++++"},
        {"**.", 15, 18, "----"},
        {"**.", 19, 19, "++++"},
        {"EXAMPLE.com.", 15, 19, "+---"},
    };
    char policy[512], flow[128];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            snprintf(policy, sizeof policy, CNP("[{toFQDNs: [{matchPattern: '%s'}]}]"), rows[i].pattern);
            snprintf(flow, sizeof flow, "name %s 9.9.9.9 TCP 443", names[j]);
            struct fact fact = {rows[i].from, rows[i].to, policy, flow, rows[i].holds[j] == '+' ? ALLOWED : DENIED};
            check(&fact, 1);
        }
    static const struct fact facts[] = {
        {15, 18, CNP("[{toFQDNs: [{matchPattern: '**'}]}]"), "name com 9.9.9.9 TCP 1", ALLOWED},
        {15, 18, CNP("[{toFQDNs: [{matchPattern: '*.'}]}]"), "name . 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP("[{toFQDNs: [{matchPattern: '*'}]}]"), "name . 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP("[{toFQDNs: [{matchPattern: '*.*.svc.cluster.local'}]}]"),
         "name a.b.svc.cluster.local 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP("[{toFQDNs: [{matchPattern: '*.*.svc.cluster.local'}]}]"),
         "name a.b.c.svc.cluster.local 9.9.9.9 TCP 1", DENIED},
        {15, 19, CNP("[{toFQDNs: [{matchName: example.com}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {15, 15, CNP("[{toFQDNs: [{}]}]"), "name . 9.9.9.9 TCP 1", ALLOWED},
        {16, 19, CNP("[{toFQDNs: [{}]}]"), "name . 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP("[{toFQDNs: [{matchName: a.com, matchPattern: '*'}]}]"), "name a.com 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP("[{toFQDNs: [{matchName: '*.a.com'}]}]"), "name a.com 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP("[{toFQDNs: [{matchName: .a.com}]}]"), "name a.com 9.9.9.9 TCP 1", REFUSED},
        {15, 19, CNP("[{toCIDR: [9.0.0.0/8]}]"), "name a.com 9.9.9.9 TCP 1", ALLOWED},
        {15, 19, CNP("[{toCIDR: [8.0.0.0/8]}]"), "name a.com 9.9.9.9 TCP 1", DENIED},
    };
    CHECK(facts);
}

#define SERVICE "{kind: Service, metadata: {name: s, namespace: ops}, spec: {selector: {app: db}}}"
static void services_nodes_groups_and_requires(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {17, 19, CNP("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}]}]") SERVICE,
         "pod ops app=db TCP 1", ALLOWED},
        {17, 19, CNP("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}]}]") SERVICE,
         "pod ops app=web TCP 1", DENIED},
        {17, 19, CNP("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}], " P("80") "}]") SERVICE,
         "pod ops app=db TCP 80", ALLOWED},
        {17, 19, CNP("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}], " P("80") "}]") SERVICE,
         "pod ops app=db TCP 81", DENIED},
        {15, 16, CNP("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}], " P("80") "}]") SERVICE,
         "pod ops app=db TCP 80", REFUSED},
        {15, 16, CNP("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}]}]") SERVICE,
         "pod ops app=db TCP 80", DENIED},
        {15, 19, CNP("[{toServices: [{k8sService: {serviceName: t, namespace: ops}}]}]") SERVICE,
         "pod ops app=db TCP 80", UNKNOWN},
        {15, 19,
         DENY("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}], " P("80") "}]")
             CNP("[{toEntities: [all]}]"),
         "ip 9.9.9.9 TCP 80", DENIED},
        {15, 19, DENY("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}]}]") CNP("[{toEntities: [all]}]"),
         "pod ops app=db TCP 80", ALLOWED},
        {15, 19, CNP("[{toGroups: [{aws: {region: x}}]}]"), "ip 9.9.9.9 TCP 80", UNKNOWN},
        {15, 15, CNP("[{toNodes: [{}], " P("80") "}]"), "ip 9.9.9.9 TCP 80", ALLOWED},
        {16, 19, CNP("[{toNodes: [{}]}]"), "remote-node TCP 80", REFUSED},
        {15, 18, CNP("[{toEndpoints: [{}], toRequires: [{matchLabels: {a: b}}]}]"), "pod team a=c TCP 80", UNKNOWN},
        {19, 19, CNP("[{toEndpoints: [{}], toRequires: [{matchLabels: {a: b}}]}]"), "pod team a=c TCP 80", REFUSED},
    };
    CHECK(facts);
}

static void unresolved_services_with_ports_open_everything(void **state) {
    (void)state;
    struct scene scene;
    struct evaluator_flow flow;
    scene_read(&scene, CNP("[{toServices: [{k8sService: {serviceName: s, namespace: ops}}], " P("80") "}]"));
    struct evaluator_pod subject = spell_read_pod("team", "app=web", scene.arena);
    struct evaluator_world world = {.objects = scene.objects, .count = scene.count, .services_known = true};
    struct evaluator_reading reading = reading_of(18);
    assert_true(spell_read_flow("ip 9.9.9.9 TCP 80", scene.arena, &flow));
    struct evaluator_policy *policy = evaluate_prepare(&world, &reading, &subject, scene.arena);
    assert_int_equal(evaluate_flow(policy, &flow).answer, ALLOWED);
    flow.port = 81;
    assert_int_equal(evaluate_flow(policy, &flow).answer, DENIED);
    arena_destroy(scene.arena);
}

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

/* --- K 1 ----------------------------------------------------------------------------------------------------- */

static void policy_types_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {0, 0, "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: team}}",
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}, egress: []}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}, policyTypes: [], egress: null}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{podSelector: {}, egress: [{ports: [{port: 53}]}]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{egress: [null]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{policyTypes: [Ingress], egress: [{ports: [{port: 53}]}]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP_SPEC("{policyTypes: [Egress]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Egress], egress: []}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Ingress, Egress]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Egress, Egress]}"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP_SPEC("{policyTypes: [Egress, Egress, Egress]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP_SPEC("{policyTypes: [egress]}"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP_SPEC("{podSelector: {matchLabels: {app: db}}, policyTypes: [Egress]}"), "ip 9.9.9.9 TCP 1", ALLOWED},
    };
    CHECK(facts);
}

static void peer_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {0, 0, NP("[{to: []}]"), "ip 9.9.9.9 other", ALLOWED},
        {0, 0, NP("[{to: [{}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [null]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{podSelector: {matchLabels: {a: b}}}]}]"), "pod team a=b TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{podSelector: {matchLabels: {a: b}}}]}]"), "pod ops a=b TCP 1", DENIED},
        {0, 0, NP("[{to: [{podSelector: {}}]}]"), "pod team - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{podSelector: {}, namespaceSelector: null}]}]"), "pod ops - TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}}]}]"), "pod ops/env=prod - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}}]}]"), "pod ops - TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ops}}}]}]"),
         "pod ops - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {}}]}]"), "pod ops - TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {}}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}, podSelector: {matchLabels: {a: b}}}]}]"),
         "pod ops/env=prod a=c TCP 1", DENIED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}, podSelector: {matchLabels: {a: b}}}]}]"),
         "pod ops/env=prod a=b TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{namespaceSelector: {matchLabels: {env: prod}}}, {podSelector: {matchLabels: {a: b}}}]}]"),
         "pod ops/env=prod a=c TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8}, podSelector: {}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [9.9.0.0/16]}}]}]"), "ip 9.9.9.9 TCP 1", DENIED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [9.9.0.0/16]}}, {ipBlock: {cidr: 9.9.9.0/24}}]}]"),
         "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [9.0.0.0/8]}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.0/8, except: [8.0.0.0/16]}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: '::/0', except: [8.0.0.0/16]}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.0.0.5/8}}]}]"), "ip 9.255.0.1 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 010.0.0.0/08}}]}]"), "ip 10.1.0.1 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: '::ffff:10.0.0.0/104'}}]}]"), "ip 10.1.0.1 TCP 1", ALLOWED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 9.9.9.9}}]}]"), "ip 9.9.9.9 TCP 1", REFUSED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]"), "ip fd00::1 TCP 1", DENIED},
        {0, 0, NP("[{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]"), "pod team - TCP 1", DENIED},
    };
    CHECK(facts);
    struct evaluator_reading octal = reading_of(0);
    octal.octal_zeros = true;
    octal.mapped_as_ipv4 = false;
    struct fact eight = {0, 0, NP("[{to: [{ipBlock: {cidr: 010.0.0.0/8}}]}]"), "ip 8.1.0.1 TCP 1", ALLOWED};
    assert_int_equal(ask(&eight, &octal).answer, ALLOWED);
    struct fact mapped = {0, 0, NP("[{to: [{ipBlock: {cidr: '::ffff:10.0.0.0/104'}}]}]"), "ip ::ffff:10.1.0.1 TCP 1",
                          ALLOWED};
    assert_int_equal(ask(&mapped, &octal).answer, ALLOWED);
}

static void port_table(void **state) {
    (void)state;
    static const struct fact facts[] = {
        {0, 0, NP("[{ports: []}]"), "ip 9.9.9.9 ICMP 8", ALLOWED},
        {0, 0, NP("[{ports: [{}]}]"), "ip 9.9.9.9 TCP 65535", ALLOWED},
        {0, 0, NP("[{ports: [null]}]"), "ip 9.9.9.9 TCP 1", ALLOWED},
        {0, 0, NP("[{ports: [{}]}]"), "ip 9.9.9.9 UDP 1", DENIED},
        {0, 0, NP("[{ports: [{protocol: UDP}]}]"), "ip 9.9.9.9 UDP 1", ALLOWED},
        {0, 0, NP("[{ports: [{protocol: null, port: 80}]}]"), "ip 9.9.9.9 TCP 80", ALLOWED},
        {0, 0, NP("[{ports: [{protocol: '', port: 80}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{protocol: tcp, port: 80}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 90}]}]"), "ip 9.9.9.9 TCP 90", ALLOWED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 90}]}]"), "ip 9.9.9.9 TCP 91", DENIED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 80}]}]"), "ip 9.9.9.9 TCP 80", ALLOWED},
        {0, 0, NP("[{ports: [{port: 80, endPort: 79}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{endPort: 79}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: web, endPort: 79}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: 0}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: '80'}]}]"), "ip 9.9.9.9 TCP 80", REFUSED},
        {0, 0, NP("[{ports: [{port: web}]}]"), "ip 9.9.9.9 TCP 80", DENIED},
        {0, 0, NP("[{ports: [{port: web}]}]"), "pod team - TCP 80", DENIED},
        {0, 0, NP("[{ports: [{port: 80}]}]"), "ip 9.9.9.9 ICMP 80", DENIED},
    };
    CHECK(facts);
}

static void selector_table(void **state) {
    (void)state;
#define SELECT(expression) NP("[{to: [{podSelector: {matchExpressions: [" expression "]}}]}]")
    static const struct fact facts[] = {
        {0, 19, SELECT("{key: a, operator: In, values: [b, c]}"), "pod team a=c TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: In, values: [b, c]}"), "pod team a=d TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: In, values: [b, c]}"), "pod team - TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: NotIn, values: [b]}"), "pod team - TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: NotIn, values: [b]}"), "pod team a=b TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: NotIn, values: [b]}"), "pod team a=B TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists}"), "pod team a= TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists}"), "pod team b=a TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: DoesNotExist}"), "pod team b=a TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists, values: []}"), "pod team a=b TCP 1", ALLOWED},
        {0, 19, SELECT("{key: a, operator: Exists}, {key: a, operator: DoesNotExist}"), "pod team a=b TCP 1", DENIED},
        {0, 19, SELECT("{key: a, operator: In, values: []}"), "pod team a=b TCP 1", REFUSED},
        {0, 19, SELECT("{key: a, operator: exists}"), "pod team a=b TCP 1", REFUSED},
        {0, 19, SELECT("{key: '', operator: Exists}"), "pod team a=b TCP 1", REFUSED},
        {0, 19, SELECT("{key: a/b/c, operator: Exists}"), "pod team a=b TCP 1", REFUSED},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        struct fact core = facts[i], cilium = facts[i];
        core.to = 0;
        cilium.from = 15;
        check(&core, 1);
        check(&cilium, 1);
    }
}

static void named_ports_resolve(void **state) {
    (void)state;
    static const struct evaluator_named_port web[] = {{"web", EVALUATOR_TCP, 8080}},
                                             other[] = {{"web", EVALUATOR_TCP, 81}};
    struct scene scene;
    struct evaluator_flow flow;
    scene_read(&scene, NP("[{ports: [{port: web}]}]"));
    struct evaluator_pod subject = spell_read_pod("team", "app=web", scene.arena), pods[2] = {subject, subject};
    pods[0].ports = web;
    pods[1].ports = other;
    pods[0].port_count = pods[1].port_count = 1;
    struct evaluator_world world = {.objects = scene.objects, .count = 1, .pods = pods, .pod_count = 1};
    struct evaluator_reading core = reading_of(0), cilium = reading_of(18);
    assert_true(spell_read_flow("pod team - TCP 8080", scene.arena, &flow));
    flow.pod = &pods[0];
    struct evaluator_policy *by_core = evaluate_prepare(&world, &core, &subject, scene.arena);
    struct evaluator_policy *by_cilium = evaluate_prepare(&world, &cilium, &subject, scene.arena);
    assert_int_equal(evaluate_flow(by_core, &flow).answer, ALLOWED);
    assert_int_equal(evaluate_flow(by_cilium, &flow).answer, ALLOWED);
    flow.pod = &pods[1]; /* the destination's own number counts in core, the cluster's one number in Cilium */
    assert_int_equal(evaluate_flow(by_core, &flow).answer, DENIED);
    assert_int_equal(evaluate_flow(by_cilium, &flow).answer, ALLOWED);
    world.pod_count = 2; /* two numbers for one name */
    assert_int_equal(evaluate_flow(by_cilium, &flow).answer, UNKNOWN);
    arena_destroy(scene.arena);
}

static void host_network_pods_are_outside_every_policy(void **state) {
    (void)state;
    struct scene scene;
    struct evaluator_flow flow;
    scene_read(&scene, NP("[]"));
    struct evaluator_pod subject = spell_read_pod("team", "app=web", scene.arena);
    struct evaluator_reading reading = reading_of(0);
    assert_true(spell_read_flow("ip 9.9.9.9 TCP 1", scene.arena, &flow));
    struct evaluator_result before = evaluate(scene.objects, 1, &reading, &subject, &flow, scene.arena);
    subject.host_network = true;
    struct evaluator_result after = evaluate(scene.objects, 1, &reading, &subject, &flow, scene.arena);
    assert_int_equal(before.answer, DENIED);
    assert_true(before.isolated);
    assert_int_equal(after.answer, ALLOWED);
    assert_false(after.isolated);
    arena_destroy(scene.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subjects_are_scoped_to_the_namespace),
        cmocka_unit_test(invalid_rules_refuse_the_whole_object),
        cmocka_unit_test(filtered_labels_are_not_in_the_identity),
        cmocka_unit_test(peers_get_their_namespace_and_cluster),
        cmocka_unit_test(default_deny_table),
        cmocka_unit_test(l7_rules_without_default_deny_depend_on_the_patch),
        cmocka_unit_test(peers_and_ports_combine),
        cmocka_unit_test(empty_lists_with_ports),
        cmocka_unit_test(other_empty_lists),
        cmocka_unit_test(entity_table),
        cmocka_unit_test(cidrs_mean_the_world),
        cmocka_unit_test(name_pattern_table),
        cmocka_unit_test(services_nodes_groups_and_requires),
        cmocka_unit_test(unresolved_services_with_ports_open_everything),
        cmocka_unit_test(cilium_port_table),
        cmocka_unit_test(converted_network_policies),
        cmocka_unit_test(dns_rules_restrict_questions),
        cmocka_unit_test(l7_rules_that_are_refused),
        cmocka_unit_test(http_rules_are_lifted),
        cmocka_unit_test(server_names_merge_and_lift),
        cmocka_unit_test(denies_win),
        cmocka_unit_test(policy_types_table),
        cmocka_unit_test(peer_table),
        cmocka_unit_test(port_table),
        cmocka_unit_test(selector_table),
        cmocka_unit_test(named_ports_resolve),
        cmocka_unit_test(host_network_pods_are_outside_every_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

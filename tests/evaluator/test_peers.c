/* Subjects, default deny and peers: the tables of spec/cilium-egress.md 1 to 3, as facts about single flows. */
#include "tests/evaluator/facts.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Answers about one flow of one pod (spec/cli.md "explain"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/ask/explain.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

static const struct inputs *inputs_of(struct arena *arena, const char *objects, struct diagnostics *diagnostics) {
    struct file *file = arena_alloc(arena, sizeof *file);
    struct inputs *inputs = arena_alloc(arena, sizeof *inputs);
    struct reader_options options = {.limits = limits_default()};
    reader_read_text("objects.yaml", text_of(objects), &options, arena, file, diagnostics);
    *inputs = (struct inputs){.files = file, .count = 1};
    return inputs;
}

/* Asks for the pod of --labels app=web in `ns`, unless the request names one; Cilium is of that version (NULL: unknown). */
static const char *ask(struct arena *arena, const char *objects, const char *version, struct explain_request request,
                       struct explanation *explanation) {
    struct diagnostics *diagnostics = arena_alloc(arena, sizeof *diagnostics);
    struct cluster_facts facts = facts_default();
    diagnostics_init(diagnostics, arena);
    if (version)
        assert_true(facts_set_version(&facts, FACT_CILIUM_VERSION, version, (struct location){0}, diagnostics));
    request.inputs = inputs_of(arena, objects, diagnostics);
    request.facts = &facts;
    if (!request.pod && !request.labels) {
        request.namespace = "ns";
        request.labels = "app=web";
    }
    return explain_answer(&request, arena, diagnostics, explanation);
}

static struct explanation answer(struct arena *arena, const char *objects, const char *version,
                                 struct explain_request request) {
    struct explanation explanation;
    const char *problem = ask(arena, objects, version, request, &explanation);
    if (problem)
        fail_msg("--to %s: %s", request.to, problem);
    assert_non_null(explanation.reason);
    return explanation;
}

static const char *answer_word(enum answer value) {
    return value == ANSWER_YES ? "yes" : value == ANSWER_NO ? "no" : "unknown";
}

struct row {
    const char *objects, *version;
    struct explain_request request;
    const char *allowed, *isolated;
};

static void expect(struct arena *arena, const struct row *rows, size_t count) {
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct explanation explanation = answer(arena, rows[i].objects, rows[i].version, rows[i].request);
        if (strcmp(answer_word(explanation.allowed), rows[i].allowed) == 0 &&
            strcmp(answer_word(explanation.isolated), rows[i].isolated) == 0)
            continue;
        print_error("row %zu, %s: allowed %s, isolated %s (%s)\n", i, rows[i].request.to,
                    answer_word(explanation.allowed), answer_word(explanation.isolated), explanation.reason);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}
#define EXPECT(rows) expect(*state, rows, sizeof(rows) / sizeof *(rows))

#define TO(...)                                                                                                        \
    { .engine = EXPLAIN_BY_INPUTS, .to = __VA_ARGS__ }
#define AS(as, ...)                                                                                                    \
    { .engine = as, .to = __VA_ARGS__ }
#define EGRESS(name, rules) CNP(name, "{endpointSelector: {}, egress: [" rules "]}")
#define NETWORK_POLICY(rules) CORE("p", "{podSelector: {}, policyTypes: [Egress], egress: [" rules "]}")

/* ---- ports ---- */

static void without_a_port_the_ports_are_listed(void **state) {
    static const struct {
        const char *objects, *allowed, *ports;
    } rows[] = {
        {EGRESS("p", "{toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '443', protocol: TCP}, {port: '1', endPort: "
                     "100, protocol: UDP}]}]}"),
         "no", "443/TCP 1-100/UDP"},
        {EGRESS("p", "{toCIDR: [10.0.0.0/8]}"), "yes", "1-65535/TCP 1-65535/UDP icmp icmpv6 other"},
        {EGRESS("p", "{toCIDR: [11.0.0.0/8]}"), "no", ""},
        {EGRESS("p", "{toCIDR: [10.0.0.0/8], icmps: [{fields: [{type: 8}]}]}"), "no", "icmp:8"},
        {NETWORK_POLICY("{to: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{}]}"), "no", "1-65535/TCP"},
        {NETWORK_POLICY("{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}"), "yes",
         "1-65535/TCP 1-65535/UDP 1-65535/SCTP icmp icmpv6 other"},
        {EGRESS("p", "{toCIDR: [10.0.0.0/8]}")
             CNP("q", "{endpointSelector: {}, egressDeny: [{toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '22', "
                      "protocol: TCP}]}]}]}"),
         "no", "1-21/TCP 23-65535/TCP 1-65535/UDP icmp icmpv6 other"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct explanation explanation =
            answer(*state, rows[i].objects, "1.18", (struct explain_request)TO("ip:10.0.0.1"));
        assert_true(explanation.has_ports);
        struct buffer out;
        buffer_init(&out, *state);
        for (size_t k = 0; k < explanation.ports.count; k++)
            buffer_print(&out, "%s%s", k ? " " : "", explanation.ports.list[k]);
        if (strcmp(answer_word(explanation.allowed), rows[i].allowed) != 0 ||
            strcmp(buffer_string(&out), rows[i].ports) != 0)
            fail_msg("row %zu: %s, %s", i, answer_word(explanation.allowed), buffer_string(&out));
    }
    struct explanation one =
        answer(*state, rows[0].objects, "1.18", (struct explain_request)TO("ip:10.0.0.1", .port = "443"));
    assert_int_equal(one.allowed, ANSWER_YES);
    assert_false(one.has_ports);
}

/* ---- learned ---- */

#define DNS_RULE                                                                                                       \
    "{toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}], "       \
    "toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchName: a.example}]}}]}"
#define TO_A "{toFQDNs: [{matchName: a.example}], toPorts: [{ports: [{port: '443', protocol: TCP}]}]}"

static void name_that_is_never_learned_is_not_reached_and_its_rule_is_listed(void **state) {
    static const struct {
        const char *objects;
        enum answer allowed, learned;
    } rows[] = {{EGRESS("p", TO_A), ANSWER_NO, ANSWER_NO}, {EGRESS("p", TO_A ", " DNS_RULE), ANSWER_YES, ANSWER_YES}};
    for (size_t i = 0; i < 2; i++) {
        struct explanation explanation =
            answer(*state, rows[i].objects, "1.18", (struct explain_request)TO("fqdn:a.example", .port = "443"));
        assert_int_equal(explanation.allowed, rows[i].allowed);
        assert_int_equal(explanation.learned, rows[i].learned);
        bool allows = false;
        for (size_t k = 0; k < explanation.rule_count; k++)
            allows = allows || (explanation.rules[k].effect == EFFECT_ALLOWS &&
                                strcmp(explanation.rules[k].path, "spec.egress[0].toFQDNs[0]") == 0);
        assert_true(allows);
    }
    struct explanation address =
        answer(*state, EGRESS("p", TO_A), "1.18", (struct explain_request)TO("ip:10.0.0.1", .port = "443"));
    assert_int_equal(address.learned, ANSWER_UNKNOWN); /* it is asked of names alone */
}

/* ---- the inputs ---- */

#define POD(name, namespace, rest)                                                                                     \
    OBJECT("v1", "Pod", "name: " name ", namespace: " namespace ", labels: {app: db}", rest)
#define DB POD("db", "data", "spec: {containers: [{name: c}]}\nstatus: {podIPs: [{ip: 10.0.0.7}]}")
#define DB_SERVICE                                                                                                     \
    OBJECT("v1", "Service", "name: db, namespace: data", "spec: {clusterIPs: [10.96.0.9], selector: {app: db}}")
#define TO_DB                                                                                                          \
    "{toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': data, app: db}}], toPorts: [{ports: [{port: "    \
    "'5432'}]}]}"

static void cluster_ip_stands_for_the_pods_of_its_service(void **state) {
    static const struct row rows[] = {
        {DB DB_SERVICE EGRESS("p", TO_DB), "1.18", TO("ip:10.96.0.9", .port = "5432"), "yes", "yes"},
        {DB DB_SERVICE EGRESS("p", "{toCIDR: [10.96.0.0/16]}"), "1.18", TO("ip:10.96.0.9", .port = "5432"), "no",
         "yes"},
        {EGRESS("p", "{toCIDR: [10.96.0.0/16]}"), "1.18", TO("ip:10.96.0.9", .port = "5432"), "yes", "yes"},
        /* Without pods it is whatever the Service selects. */
        {DB_SERVICE EGRESS("p", TO_DB), "1.18", TO("ip:10.96.0.9", .port = "5432"), "yes", "yes"},
    };
    EXPECT(rows);
}

static void pod_on_the_host_network_is_outside_every_policy(void **state) {
    static const char objects[] =
        POD("h", "ns", "spec: {hostNetwork: true, containers: [{name: c}]}") EGRESS("p", "{toEntities: [none]}");
    static const struct row rows[] = {
        {objects, "1.18", {.to = "ip:10.0.0.1", .pod = "ns/h", .engine = EXPLAIN_BY_INPUTS}, "yes", "no"},
        {objects, "1.18", {.to = "ip:10.0.0.1", .pod = "ns/h", .port = "443", .engine = EXPLAIN_CORE}, "yes", "no"},
    };
    EXPECT(rows);
}

#define TEAM_A NETWORK_POLICY("{to: [{namespaceSelector: {matchLabels: {team: a}}}]}")

static void labels_of_a_namespace_that_is_not_there_are_unknown(void **state) {
    static const struct row rows[] = {
        {TEAM_A, NULL, TO("pod:data?app=db"), "unknown", "yes"},
        {TEAM_A OBJECT("v1", "Namespace", "name: data, labels: {team: a}", ""), NULL, TO("pod:data?app=db"), "yes",
         "yes"},
        {TEAM_A OBJECT("v1", "Namespace", "name: data, labels: {team: b}", ""), NULL, TO("pod:data?app=db"), "no",
         "yes"},
        {NETWORK_POLICY("{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: data}}}]}"), NULL,
         TO("pod:data?app=db"), "yes", "yes"},
        {NETWORK_POLICY("{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: data}}}]}"), NULL,
         TO("pod:ns?app=db"), "no", "yes"},
    };
    EXPECT(rows);
}

static void core_api_leaves_nodes_and_blocks_over_pods_open(void **state) {
    static const struct row rows[] = {
        {NETWORK_POLICY(""), NULL, AS(EXPLAIN_CORE, "entity:host"), "unknown", "yes"},
        {NETWORK_POLICY("{}"), NULL, AS(EXPLAIN_CORE, "entity:host"), "unknown", "yes"},
        {NETWORK_POLICY("{}"), NULL, AS(EXPLAIN_CILIUM, "entity:host"), "yes", "yes"},
        {NETWORK_POLICY("{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}"), NULL, TO("ip:10.0.0.7"), "yes", "yes"},
        {DB NETWORK_POLICY("{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}"), NULL, TO("pod:data/db"), "unknown", "yes"},
        {DB NETWORK_POLICY("{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}"), NULL, TO("ip:10.0.0.7"), "unknown", "yes"},
        {DB NETWORK_POLICY("{to: [{ipBlock: {cidr: 11.0.0.0/8}}]}"), NULL, TO("pod:data/db"), "no", "yes"},
        {DB NETWORK_POLICY("{to: [{namespaceSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8}}]}"), NULL, TO("pod:data/db"),
         "yes", "yes"},
        /* Cilium decides it: a block never selects a pod. */
        {DB NETWORK_POLICY("{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}"), "1.18", AS(EXPLAIN_CILIUM, "pod:data/db"), "no",
         "yes"},
    };
    EXPECT(rows);
}

/* ---- payloads and default-deny ---- */

#define DNS_POD "pod:kube-system?k8s-app=kube-dns"
#define OPEN_LIST CNP("p", "{endpointSelector: {}, enableDefaultDeny: {egress: false}, egress: [" DNS_RULE "]}")

static void policy_without_default_deny_refuses_other_names_by_version(void **state) {
#define ASKS_B TO(DNS_POD, .port = "53/UDP", .dns_name = "b.example")
    static const struct row rows[] = {
        {OPEN_LIST, "1.15", ASKS_B, "no", "yes"}, /* the field is pruned */
        {OPEN_LIST, "1.15", TO("ip:10.0.0.1"), "no", "yes"},
        {OPEN_LIST, "1.16.0", ASKS_B, "no", "no"},
        {OPEN_LIST, "1.16.9", ASKS_B, "no", "no"},
        {OPEN_LIST, "1.17.3", ASKS_B, "no", "no"},
        {OPEN_LIST, "1.17.5", ASKS_B, "yes", "no"},
        {OPEN_LIST, "1.17", ASKS_B, "unknown", "no"}, /* the patch decides */
        {OPEN_LIST, "1.18", ASKS_B, "yes", "no"},
        {OPEN_LIST, "1.19", ASKS_B, "yes", "no"},
        {OPEN_LIST, "1.17.3", TO("ip:10.0.0.1"), "yes", "no"},
        {OPEN_LIST, "1.17.3", TO(DNS_POD, .port = "53/UDP", .dns_name = "a.example"), "yes", "no"},
        {OPEN_LIST EGRESS("q", "{toEntities: [none]}"), "1.18", ASKS_B, "no", "yes"}, /* another one isolates */
    };
    EXPECT(rows);
}

static void names_asked_and_presented_are_what_the_rules_list(void **state) {
    static const struct row rows[] = {
        {EGRESS("p", DNS_RULE), "1.18", TO(DNS_POD, .port = "53/UDP", .dns_name = "a.example"), "yes", "yes"},
        {EGRESS("p", DNS_RULE), "1.18", ASKS_B, "no", "yes"},
        {EGRESS("p", DNS_RULE), "1.18", TO(DNS_POD, .port = "53/UDP"), "yes", "yes"},
        {EGRESS("p", "{toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: "
                     "[a.example]}]}"),
         "1.18", TO("ip:10.0.0.1", .port = "443", .server_name = "a.example"), "yes", "yes"},
        {EGRESS("p", "{toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: "
                     "[a.example]}]}"),
         "1.18", TO("ip:10.0.0.1", .port = "443", .server_name = ""), "no", "yes"},
    };
    EXPECT(rows);
}

static void pod_that_no_policy_isolates_may_send_everything(void **state) {
    static const struct row rows[] = {
        {"", NULL, TO("ip:10.0.0.1"), "yes", "no"},
        {CORE("p", "{podSelector: {matchLabels: {app: other}}, policyTypes: [Egress]}"), NULL, TO("ip:10.0.0.1"), "yes",
         "no"},
        {CORE("p", "{podSelector: {}, policyTypes: [Ingress]}"), NULL, TO("ip:10.0.0.1"), "yes", "no"},
        {NETWORK_POLICY(""), NULL, TO("ip:10.0.0.1"), "no", "yes"},
        {CNP("p", "{endpointSelector: {}, enableDefaultDeny: {egress: false}, egressDeny: [{toCIDR: [10.0.0.0/8]}]}"),
         "1.18", TO("ip:10.0.0.1"), "no", "no"},
        /* A policy of Cilium counts where Cilium's reading is asked for. */
        {EGRESS("p", "{toEntities: [none]}"), "1.18", AS(EXPLAIN_CORE, "ip:10.0.0.1"), "yes", "no"},
        {EGRESS("p", "{toEntities: [none]}"), "1.18", TO("ip:10.0.0.1"), "no", "yes"},
    };
    EXPECT(rows);
}

/* ---- around the answer ---- */

static void request_must_say_which_pod(void **state) {
    static const struct explain_request rows[] = {
        {.to = "ip:10.0.0.1", .pod = "ns/missing"},
        {.to = "ip:10.0.0.1", .pod = "missing"},
        {.to = "ip:10.0.0.1", .pod = "ns/db", .labels = "app=web"},
        {.to = "ip:10.0.0.1", .labels = "app=web"}, /* no namespace */
        {.to = "ip:10.0.0.1", .labels = "app", .namespace = "ns"},
        {.to = NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct explanation explanation;
        if (!ask(*state, DB, NULL, rows[i], &explanation))
            fail_msg("row %zu is answered", i);
    }
}

static size_t notes(const struct explanation *explanation, enum code code) {
    size_t count = 0;
    for (size_t i = 0; i < explanation->findings.count; i++)
        count += explanation->findings.list[i].code == code ? 1 : 0;
    return count;
}

static void policy_over_the_destinations_ingress_draws_a_note(void **state) {
    static const char in_data[] = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: i, "
                                  "namespace: data}\nspec: {podSelector: {matchLabels: {app: db}}}\n";
    struct explanation explanation =
        answer(*state, arena_format(*state, "%s%s", DB, in_data), NULL, (struct explain_request)TO("pod:data/db"));
    assert_int_equal(explanation.allowed, ANSWER_YES);
    assert_int_equal(notes(&explanation, CODE_INGRESS_OF_DESTINATION), 1);
    explanation = answer(*state, DB, NULL, (struct explain_request)TO("pod:data/db"));
    assert_int_equal(notes(&explanation, CODE_INGRESS_OF_DESTINATION), 0);
}

static void compiled_object_stands_beside_the_inputs(void **state) {
    static const char text[] = "namespace: ns\nsandboxTemplateName: box\negress: {policy: {kind: no-network}}\n";
    struct config config;
    struct diagnostics diagnostics;
    struct config_options options = {.limits = limits_default()};
    diagnostics_init(&diagnostics, *state);
    assert_int_equal(config_read_text("egress.yaml", ".", text_of(text), &options, *state, &config, &diagnostics),
                     CONFIG_OK);
    struct explain_request request = {
        .to = "ip:10.0.0.1", .labels = "sandbox.namzu.ai/template=box", .namespace = "ns", .engine = EXPLAIN_BY_INPUTS};
    assert_int_equal(answer(*state, "", NULL, request).allowed, ANSWER_YES);
    request.config = &config;
    assert_int_equal(answer(*state, "", NULL, request).allowed, ANSWER_NO);
    request.labels = "app=web"; /* not of the boundary */
    assert_int_equal(answer(*state, "", NULL, request).allowed, ANSWER_YES);
    request.labels = "sandbox.namzu.ai/template=box";
    request.namespace = "other";
    assert_int_equal(answer(*state, "", NULL, request).allowed, ANSWER_YES);
}

static void what_could_not_be_read_leaves_the_answer_open(void **state) {
    static const struct row rows[] = {
        {NETWORK_POLICY("{}") "---\na: [\n", NULL, TO("ip:10.0.0.1"), "unknown", "yes"},
        {"---\na: [\n", NULL, TO("ip:10.0.0.1"), "unknown", "unknown"},
    };
    EXPECT(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_port_the_ports_are_listed, begin, end),
        cmocka_unit_test_setup_teardown(name_that_is_never_learned_is_not_reached_and_its_rule_is_listed, begin, end),
        cmocka_unit_test_setup_teardown(cluster_ip_stands_for_the_pods_of_its_service, begin, end),
        cmocka_unit_test_setup_teardown(pod_on_the_host_network_is_outside_every_policy, begin, end),
        cmocka_unit_test_setup_teardown(labels_of_a_namespace_that_is_not_there_are_unknown, begin, end),
        cmocka_unit_test_setup_teardown(core_api_leaves_nodes_and_blocks_over_pods_open, begin, end),
        cmocka_unit_test_setup_teardown(policy_without_default_deny_refuses_other_names_by_version, begin, end),
        cmocka_unit_test_setup_teardown(names_asked_and_presented_are_what_the_rules_list, begin, end),
        cmocka_unit_test_setup_teardown(pod_that_no_policy_isolates_may_send_everything, begin, end),
        cmocka_unit_test_setup_teardown(request_must_say_which_pod, begin, end),
        cmocka_unit_test_setup_teardown(policy_over_the_destinations_ingress_draws_a_note, begin, end),
        cmocka_unit_test_setup_teardown(compiled_object_stands_beside_the_inputs, begin, end),
        cmocka_unit_test_setup_teardown(what_could_not_be_read_leaves_the_answer_open, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

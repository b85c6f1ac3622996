/* What a question names (spec/cli.md "explain"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/ask/target.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

#define WEB                                                                                                            \
    OBJECT("v1", "Pod", "name: web, namespace: x, labels: {app: web}",                                                 \
           "spec: {containers: [{name: c}]}\nstatus: {podIPs: [{ip: 10.0.0.7}]}")
#define OTHER_WEB                                                                                                      \
    OBJECT("v1", "Pod", "name: web-2, namespace: x, labels: {app: web}",                                               \
           "spec: {serviceAccountName: robot, containers: [{name: c}]}\nstatus: {podIPs: [{ip: 10.0.0.8}]}")
#define DONE                                                                                                           \
    OBJECT("v1", "Pod", "name: job, namespace: x, labels: {app: web}",                                                 \
           "spec: {containers: [{name: c}]}\nstatus: {phase: Succeeded, podIPs: [{ip: 10.0.0.9}]}")
#define HOSTED                                                                                                         \
    OBJECT("v1", "Pod", "name: hosted, namespace: x, labels: {app: hosted}",                                           \
           "spec: {hostNetwork: true, containers: [{name: c}]}\nstatus: {podIPs: [{ip: 10.9.0.1}]}")
#define SERVICE                                                                                                        \
    OBJECT("v1", "Service", "name: web, namespace: x", "spec: {clusterIPs: [10.96.0.1], selector: {app: web}}")

static const char *parse(struct stage *stage, const struct target_request *request, struct target *target) {
    return target_parse(request, &stage->snapshot, stage->arena, target);
}

static struct target target_of(struct stage *stage, const char *to, bool cilium) {
    const struct target_request request = {.to = to, .cilium = cilium};
    struct target target;
    const char *problem = parse(stage, &request, &target);
    if (problem)
        fail_msg("%s: %s", to, problem);
    return target;
}

static void request_that_names_nothing_is_refused_with_a_sentence(void **state) {
    static const struct target_request rows[] = {
        {.to = NULL},
        {.to = ""},
        {.to = "10.0.0.1"},
        {.to = "ip:10.0.0"},
        {.to = "ip:10.0.0.0/8"},
        {.to = "fqdn:"},
        {.to = "pod:web"},
        {.to = "pod:x/"},
        {.to = "pod:/web"},
        {.to = "pod:x/missing"},
        {.to = "pod:x?app"},
        {.to = "pod:x?app=a,app=b"},
        {.to = "entity:none"},
        {.to = "entity:World"},
        {.to = "entity:"},
        {.to = "ip:10.0.0.1", .port = "0"},
        {.to = "ip:10.0.0.1", .port = "65536"},
        {.to = "ip:10.0.0.1", .port = "http"},
        {.to = "ip:10.0.0.1", .port = "80/tcp"},
        {.to = "ip:10.0.0.1", .port = "80/"},
        {.to = "ip:10.0.0.1", .port = "80/ICMP"},
        {.to = "ip:10.0.0.1", .port = "icmp:256"},
        {.to = "ip:10.0.0.1", .port = "icmp:Nonsense"},
        {.to = "ip:10.0.0.1", .port = "-1"},
        {.to = "ip:10.0.0.1", .port = ""},
        {.to = "ip:10.0.0.1", .dns_name = "a.example", .server_name = "a.example"},
    };
    struct stage *stage = stage_of(*state, WEB);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct target target;
        if (!parse(stage, &rows[i], &target))
            fail_msg("--to %s --port %s is taken", rows[i].to ? rows[i].to : "(none)",
                     rows[i].port ? rows[i].port : "(none)");
    }
}

static void port_is_a_number_with_a_protocol_or_an_icmp_type(void **state) {
    static const struct {
        const char *port;
        enum protocol protocol;
        unsigned first, last;
    } rows[] = {
        {"443", PROTOCOL_TCP, 443, 443},
        {"443/TCP", PROTOCOL_TCP, 443, 443},
        {"53/UDP", PROTOCOL_UDP, 53, 53},
        {"5/SCTP", PROTOCOL_SCTP, 5, 5},
        {"65535", PROTOCOL_TCP, 65535, 65535},
        {"icmp", PROTOCOL_ICMP, 0, 255},
        {"icmp:8", PROTOCOL_ICMP, 8, 8},
        {"icmp:EchoRequest", PROTOCOL_ICMP, 8, 8},
        {"icmpv6", PROTOCOL_ICMPV6, 0, 255},
        {"icmpv6:128", PROTOCOL_ICMPV6, 128, 128},
        {"icmpv6:EchoRequest", PROTOCOL_ICMPV6, 128, 128},
    };
    struct stage *stage = stage_of(*state, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct target_request request = {.to = "ip:10.0.0.1", .port = rows[i].port};
        struct target target;
        assert_null(parse(stage, &request, &target));
        struct port_set wanted = port_set_of(*state, rows[i].protocol, rows[i].first, rows[i].last);
        if (target.all_ports || !port_set_equal(&target.ports, &wanted))
            fail_msg("%s", rows[i].port);
    }
    struct target every = target_of(stage, "ip:10.0.0.1", false);
    struct port_set all = port_set_everything();
    assert_true(every.all_ports && port_set_equal(&every.ports, &all));
}

static void payload_is_a_question_a_server_name_or_none(void **state) {
    struct stage *stage = stage_of(*state, "");
    static const struct {
        const char *dns_name, *server_name;
        struct payload inside, outside;
    } rows[] = {
        {"A.example.", NULL, {PAYLOAD_QUESTION, "a.example"}, {PAYLOAD_SERVER_NAME, "a.example"}},
        {NULL, "a.example", {PAYLOAD_SERVER_NAME, "a.example"}, {PAYLOAD_QUESTION, "a.example"}},
        {NULL, "", {PAYLOAD_OTHER, NULL}, {PAYLOAD_SERVER_NAME, "a.example"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct target_request request = {
            .to = "ip:10.0.0.1", .dns_name = rows[i].dns_name, .server_name = rows[i].server_name};
        struct target target;
        assert_null(parse(stage, &request, &target));
        assert_true(target.has_payload);
        assert_true(payload_set_contains(&target.payload, &rows[i].inside));
        assert_false(payload_set_contains(&target.payload, &rows[i].outside));
    }
    assert_false(target_of(stage, "ip:10.0.0.1", false).has_payload);
}

/* ---- destinations ---- */

static void address_is_what_the_inputs_know_it_as(void **state) {
    static const struct {
        const char *to;
        size_t parts;
        enum destination_kind kind;
        const char *pod; /* of the first part */
    } rows[] = {
        {"ip:192.0.2.1", 1, DESTINATION_ADDRESS, NULL},
        {"ip:2001:db8::1", 1, DESTINATION_ADDRESS, NULL},
        {"ip:10.0.0.7", 1, DESTINATION_POD, "web"},
        {"ip:10.96.0.1", 2, DESTINATION_POD, "web"},   /* a ClusterIP stands for the pods behind it, not the finished */
        {"ip:10.0.0.9", 1, DESTINATION_ADDRESS, NULL}, /* of a finished pod: free again */
        {"pod:x/web-2", 1, DESTINATION_POD, "web-2"},
        {"pod:x?app=web", 1, DESTINATION_POD, NULL},
        {"pod:x?", 1, DESTINATION_POD, NULL},
    };
    struct stage *stage = stage_of(*state, WEB OTHER_WEB DONE SERVICE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct target target = target_of(stage, rows[i].to, true);
        if (target.count != rows[i].parts || target.parts[0].point.kind != rows[i].kind || target.one_of)
            fail_msg("%s: %zu parts", rows[i].to, target.count);
        const struct pod *pod = target.parts[0].pod;
        if ((pod != NULL) != (rows[i].pod != NULL) || (pod && strcmp(pod->name, rows[i].pod) != 0))
            fail_msg("%s: pod %s", rows[i].to, pod ? pod->name : "(none)");
    }
}

/* To Cilium it is a node, and which is not known; to the core API it is an address. */
static void pod_on_the_host_network_is_the_node(void **state) {
    struct stage *stage = stage_of(*state, HOSTED);
    struct target cilium = target_of(stage, "pod:x/hosted", true), core = target_of(stage, "pod:x/hosted", false);
    assert_true(cilium.is_node && cilium.one_of);
    for (size_t i = 0; i < cilium.count; i++)
        assert_int_equal(cilium.parts[i].point.kind, DESTINATION_SPECIAL);
    assert_int_equal(cilium.count, 4);
    assert_int_equal(core.count, 1);
    assert_int_equal(core.parts[0].point.kind, DESTINATION_ADDRESS);
}

static void name_is_some_address_learned_for_it(void **state) {
    struct stage *stage = stage_of(*state, "");
    struct target target = target_of(stage, "fqdn:A.Example.", true);
    assert_string_equal(target.name, "a.example");
    assert_true(target.one_of);
    assert_int_equal(target.count, 1);
    struct destination inside = stage_destination(stage, "name:a.example"),
                       outside = stage_destination(stage, "name:b.example");
    assert_false(target.parts[0].is_point);
    assert_true(destination_set_contains(&target.parts[0].set, &inside));
    assert_false(destination_set_contains(&target.parts[0].set, &outside));
}

static void entity_is_all_of_it(void **state) {
    static const struct {
        const char *to;
        size_t points, sets;
        bool is_node;
    } rows[] = {
        {"entity:world", 0, 1, false},  {"entity:host", 2, 0, true}, {"entity:remote-node", 2, 0, true},
        {"entity:cluster", 9, 1, true}, {"entity:all", 8, 2, true},  {"entity:kube-apiserver", 3, 0, true},
        {"entity:health", 1, 0, true},
    };
    struct stage *stage = stage_of(*state, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct target target = target_of(stage, rows[i].to, true);
        size_t points = 0, sets = 0;
        for (size_t k = 0; k < target.count; k++)
            *(target.parts[k].is_point ? &points : &sets) += 1;
        if (points != rows[i].points || sets != rows[i].sets || target.is_node != rows[i].is_node || target.one_of)
            fail_msg("%s: %zu points and %zu sets", rows[i].to, points, sets);
    }
}

/* ---- membership ---- */

static void what_is_not_known_of_a_pod_may_put_it_into_a_set(void **state) {
    static const struct {
        const char *objects, *to, *peer, *in;
    } rows[] = {
        {"", "pod:x?app=web", "matchLabels: {'k8s:io.kubernetes.pod.namespace': x, app: web}", "yes"},
        {"", "pod:x?app=web", "matchLabels: {'k8s:io.kubernetes.pod.namespace': x, app: db}", "no"},
        {"", "pod:x?app=web", "matchLabels: {'k8s:io.kubernetes.pod.namespace': z, app: web}", "no"},
        {"", "pod:x?app=web", "matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}", "maybe"},
        {"", "pod:x?app=web", "matchLabels: {app: db, 'k8s:io.cilium.k8s.namespace.labels.team': a}",
         "no"}, /* its labels are told */
        {OBJECT("v1", "Namespace", "name: x, labels: {team: a}", ""), "pod:x?app=web",
         "matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}", "yes"},
        {OBJECT("v1", "Namespace", "name: x, labels: {team: b}", ""), "pod:x?app=web",
         "matchLabels: {'k8s:io.cilium.k8s.namespace.labels.team': a}", "no"},
        {"", "pod:x?app=web",
         "matchLabels: {'k8s:io.kubernetes.pod.namespace': x, 'k8s:io.cilium.k8s.policy.serviceaccount': robot}",
         "maybe"},
        {OTHER_WEB, "pod:x/web-2",
         "matchLabels: {'k8s:io.kubernetes.pod.namespace': x, 'k8s:io.cilium.k8s.policy.serviceaccount': robot}",
         "yes"},
        {WEB, "pod:x/web",
         "matchLabels: {'k8s:io.kubernetes.pod.namespace': x, 'k8s:io.cilium.k8s.policy.serviceaccount': default}",
         "yes"},
        {"", "ip:10.0.0.1", "matchLabels: {'k8s:io.kubernetes.pod.namespace': x}", "no"},
        {"", "entity:health", "matchLabels: {'reserved:health': ''}", "yes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *policy =
            stage_filled(*state, CNP("p", "{endpointSelector: {}, egress: [{toEndpoints: [{%s}]}]}"), rows[i].peer);
        struct stage *stage = stage_of(*state, arena_format(*state, "%s%s", rows[i].objects, policy));
        stage_read_cilium(stage, CILIUM_1_18);
        struct target target = target_of(stage, rows[i].to, true);
        const char *in = truth_word(target_part_in(&target.parts[0], &stage_entry(stage)->peers[0].upper));
        if (strcmp(in, rows[i].in) != 0)
            fail_msg("row %zu, %s: %s", i, rows[i].to, in);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(request_that_names_nothing_is_refused_with_a_sentence, begin, end),
        cmocka_unit_test_setup_teardown(port_is_a_number_with_a_protocol_or_an_icmp_type, begin, end),
        cmocka_unit_test_setup_teardown(payload_is_a_question_a_server_name_or_none, begin, end),
        cmocka_unit_test_setup_teardown(address_is_what_the_inputs_know_it_as, begin, end),
        cmocka_unit_test_setup_teardown(pod_on_the_host_network_is_the_node, begin, end),
        cmocka_unit_test_setup_teardown(name_is_some_address_learned_for_it, begin, end),
        cmocka_unit_test_setup_teardown(entity_is_all_of_it, begin, end),
        cmocka_unit_test_setup_teardown(what_is_not_known_of_a_pod_may_put_it_into_a_set, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Witnesses of what a policy adds (spec/analysis.md 4, "Witness"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "scene.h"
#include "stage.h"
#include "tests/arena_state.h"

/* The config lets nothing out, so whatever a policy allows is an excess. */
#define NO_NETWORK "{policy: {kind: no-network}, engine: cilium}"

static const struct examined *examine(struct arena *arena, const char *config, const char *beside, const char *rules) {
    const char *policy = stage_filled(arena, CNP("p", "{endpointSelector: {}, egress: [%s]}"), rules);
    const struct boundary_decision *decision =
        scene_decide(arena, config, arena_format(arena, "%s%s", beside, policy), "sandbox.namzu.ai/template=box");
    const struct examined *examined = scene_examined(decision, "p", -1);
    if (examined->verdict != VERDICT_WIDENS_EGRESS)
        fail_msg("%s: %s", rules, verdict_word(examined->verdict));
    assert_non_null(examined->witness);
    return examined;
}

/* "10.0.0.1 443/TCP", "name a.example 443/TCP", "pod NAMESPACE K=V 443/TCP", then the payload. */
static const char *spell(struct arena *arena, const struct witness *witness) {
    struct buffer out;
    buffer_init(&out, arena);
    if (witness->ip || witness->entity)
        buffer_add_string(&out, witness->ip ? witness->ip : witness->entity);
    else if (witness->fqdn)
        buffer_print(&out, "name %s", witness->fqdn);
    else
        buffer_print(&out, "pod %s", labels_get(&witness->namespace_labels, LABEL_NAMESPACE_NAME));
    for (uint32_t i = 0; i < witness->pod_labels.count; i++)
        buffer_print(&out, " %s=%s", witness->pod_labels.list[i].key, witness->pod_labels.list[i].value);
    if (witness->has_port)
        buffer_print(&out, " %u/%s", witness->port, witness->protocol);
    else
        buffer_print(&out, " %s", witness->protocol);
    if (witness->dns_name)
        buffer_print(&out, " dns %s", witness->dns_name);
    if (witness->server_name)
        buffer_print(&out, " sni %s", witness->server_name);
    return buffer_string(&out);
}

struct row {
    const char *rules, *witness;
};

static void expect(struct arena *arena, const struct row *rows, size_t count) {
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const char *witness = spell(arena, examine(arena, NO_NETWORK, "", rows[i].rules)->witness);
        if (strcmp(witness, rows[i].witness) == 0)
            continue;
        print_error("%s: %s\n", rows[i].rules, witness);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define CIDRS(list) "{toCIDR: [" list "]}"

static void destination_is_the_first_of_the_order(void **state) {
    static const struct row rows[] = {
        {"{toEntities: [all]}", "169.254.169.254 443/TCP"},
        {CIDRS("'fd00:ec2::254/128', 168.63.129.16/32"), "fd00:ec2::254 443/TCP"},
        {CIDRS("169.254.170.2/32, 168.63.129.16/32"), "168.63.129.16 443/TCP"},
        {CIDRS("100.100.100.200/32, 169.254.170.2/32"), "169.254.170.2 443/TCP"},
        {CIDRS("10.0.0.0/8, 100.100.100.200/32"), "100.100.100.200 443/TCP"},
        {CIDRS("172.16.0.0/12, 10.5.0.0/16"), "10.5.0.0 443/TCP"},
        {CIDRS("192.168.0.0/16, 172.20.0.0/16"), "172.20.0.0 443/TCP"},
        {CIDRS("100.64.0.0/16, 192.168.7.0/24"), "192.168.7.0 443/TCP"},
        {CIDRS("'fd12::/16', 100.65.0.0/16"), "100.65.0.0 443/TCP"},
        {CIDRS("8.8.8.8/32, 'fd12::/16'"), "fd12:: 443/TCP"},
        {CIDRS("8.8.8.8/32") ", {toEntities: [host, kube-apiserver, remote-node]}", "kube-apiserver 443/TCP"},
        {CIDRS("8.8.8.8/32") ", {toEntities: [remote-node, host]}", "host 443/TCP"},
        {CIDRS("8.8.8.8/32") ", {toEntities: [remote-node]}", "remote-node 443/TCP"},
        {CIDRS("8.8.8.8/32, 1.1.1.0/24, '2001:db8::/32'"), "1.1.1.0 443/TCP"},
        {"{toEndpoints: [{}]}, " CIDRS("'2001:db8::/32'"), "2001:db8:: 443/TCP"},
        {"{toFQDNs: [{matchName: a.example}]}, {toEndpoints: [{matchLabels: {app: web}}]}", "pod ns app=web 443/TCP"},
        {"{toEndpoints: [{matchLabels: {b: a}}]}, {toEndpoints: [{matchLabels: {a: b}}]}", "pod ns b=a 443/TCP"},
        {"{toFQDNs: [{matchName: bb.example}, {matchName: z.io}, {matchName: a.io}]}", "name a.io 443/TCP"},
        {"{toFQDNs: [{matchName: bb.example}, {matchName: z.io}]}", "name z.io 443/TCP"},
    };
    expect(*state, rows, sizeof rows / sizeof *rows);
}

#define PORTS(list) "{toCIDR: [8.8.8.8/32], toPorts: [{ports: [" list "]}]}"

static void port_and_payload_are_the_first_of_the_order(void **state) {
    static const struct row rows[] = {
        {PORTS("{port: '80', protocol: TCP}, {port: '443', protocol: TCP}"), "8.8.8.8 443/TCP"},
        {PORTS("{port: '53', protocol: TCP}, {port: '80', protocol: TCP}"), "8.8.8.8 80/TCP"},
        {PORTS("{port: '22', protocol: TCP}, {port: '53', protocol: TCP}"), "8.8.8.8 53/TCP"},
        {PORTS("{port: '1', protocol: TCP}, {port: '22', protocol: TCP}"), "8.8.8.8 22/TCP"},
        {PORTS("{port: '9000', protocol: TCP}, {port: '8080', protocol: TCP}"), "8.8.8.8 8080/TCP"},
        {PORTS("{port: '443', protocol: UDP}, {port: '9', protocol: TCP}"), "8.8.8.8 9/TCP"},
        {PORTS("{port: '443', protocol: UDP}"), "8.8.8.8 443/UDP"},
        {"{toCIDR: [8.8.8.8/32], icmps: [{fields: [{type: 8}]}]}", "8.8.8.8 8/ICMP"},
        {"{toCIDR: [8.8.8.8/32], icmps: [{fields: [{type: 8}]}]}, " PORTS("{port: '9', protocol: UDP}"),
         "8.8.8.8 9/UDP"},
        {"{toCIDR: [8.8.8.8/32], toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchPattern: "
         "'*.example'}]}}]}",
         "8.8.8.8 53/UDP dns -.example"},
        {"{toCIDR: [8.8.8.8/32], toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: [b.example, a.io]}]}",
         "8.8.8.8 443/TCP sni a.io"},
    };
    expect(*state, rows, sizeof rows / sizeof *rows);
}

/* ---- several ways ---- */

static void each_maximal_excess_is_listed_once(void **state) {
    static const struct {
        const char *rules;
        size_t more;
        const char *further[3]; /* paths */
    } rows[] = {
        {CIDRS("11.0.0.0/8"), 0, {NULL}},
        {CIDRS("11.0.0.0/8, 12.0.0.0/8"), 0, {NULL}}, /* one rule is one way */
        {CIDRS("11.0.0.0/8") ", " CIDRS("12.0.0.0/8"), 1, {"spec.egress[1].toCIDR[0]"}},
        {CIDRS("12.0.0.0/8") ", " CIDRS("11.0.0.0/8"), 1, {"spec.egress[0].toCIDR[0]"}},
        /* What lies within another adds nothing, wherever it stands. */
        {CIDRS("11.0.0.0/8") ", " CIDRS("11.1.0.0/16"), 0, {NULL}},
        {CIDRS("11.1.0.0/16") ", " CIDRS("11.0.0.0/8"), 0, {NULL}},
        {CIDRS("11.0.0.0/8") ", " CIDRS("11.0.0.0/8") ", " CIDRS("12.0.0.0/8"), 1, {"spec.egress[2].toCIDR[0]"}},
        {CIDRS("11.0.0.0/8") ", " CIDRS("12.1.0.0/16") ", " CIDRS("12.0.0.0/8") ", " CIDRS("12.0.0.0/8"),
         1,
         {"spec.egress[2].toCIDR[0]"}},
        {CIDRS("11.0.0.0/8") ", {toEntities: [host]}, {toFQDNs: [{matchName: a.example}]}",
         2,
         {"spec.egress[0].toCIDR[0]", "spec.egress[2].toFQDNs[0]"}},
        {CIDRS("11.0.0.0/8") ", {toEntities: [none]}, {}", 0, {NULL}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct examined *examined = examine(*state, NO_NETWORK, "", rows[i].rules);
        if (examined->more != rows[i].more || examined->further_count != rows[i].more)
            fail_msg("%s: %zu more", rows[i].rules, examined->more);
        for (size_t k = 0; k < rows[i].more; k++)
            assert_string_equal(examined->further[k].path, rows[i].further[k]);
    }
}

static void at_most_eight_are_listed_and_the_rest_counted(void **state) {
    for (unsigned count = 7; count <= 12; count++) {
        struct buffer rules;
        buffer_init(&rules, *state);
        for (unsigned i = 0; i < count; i++)
            buffer_print(&rules, "%s{toCIDR: [%u.0.0.0/8]}", i ? ", " : "", 20 + i);
        const struct examined *examined = examine(*state, NO_NETWORK, "", buffer_string(&rules));
        assert_int_equal(examined->more, count - 1);
        assert_int_equal(examined->further_count, count - 1 > 7 ? 7 : count - 1);
    }
}

static void excess_is_what_the_config_does_not_let_out(void **state) {
    static const char public[] = "{policy: {kind: public-internet}, engine: cilium}";
    static const struct row rows[] = {
        {"{toCIDR: [0.0.0.0/0]}", "169.254.169.254 443/TCP"},
        {"{toCIDR: [8.0.0.0/6]}", "10.0.0.0 443/TCP"},
        {"{toEntities: [host]}", "host 443/TCP"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(spell(*state, examine(*state, public, "", rows[i].rules)->witness), rows[i].witness);
}

static void path_and_place_are_those_of_the_peer(void **state) {
    const struct examined *examined = examine(*state, NO_NETWORK, "", "{}, {toCIDR: [11.0.0.0/8, 10.0.0.0/8]}");
    assert_string_equal(examined->path, "spec.egress[1].toCIDR[1]");
    assert_string_equal(examined->location.file, "objects.yaml");
    assert_int_equal(examined->location.line, 5);
    assert_true(examined->location.column > 1);
    examined = examine(*state, NO_NETWORK, "", "{toPorts: [{ports: [{port: '443'}]}]}");
    assert_string_equal(examined->path, "spec.egress[0]"); /* no peer: the rule itself */
}

#define TO_WEB "{toEndpoints: [{matchLabels: {app: web}}]}"

static void witness_says_whether_such_a_pod_is_among_the_inputs(void **state) {
    static const struct {
        const char *beside;
        bool present;
    } rows[] = {
        {"", false},
        {OBJECT("v1", "Pod", "name: w, labels: {app: web}", "spec: {containers: [{name: c}]}"), true},
        {OBJECT("v1", "Pod", "name: w, namespace: other, labels: {app: web}", "spec: {containers: [{name: c}]}"),
         false},
        {OBJECT("v1", "Pod", "name: w, labels: {app: db}", "spec: {containers: [{name: c}]}"), false},
        {OBJECT("v1", "PodTemplate", "name: w", "template: {metadata: {labels: {app: web}}, spec: {containers: []}}"),
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (examine(*state, NO_NETWORK, rows[i].beside, TO_WEB)->witness->present != rows[i].present)
            fail_msg("row %zu", i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(destination_is_the_first_of_the_order, begin, end),
        cmocka_unit_test_setup_teardown(port_and_payload_are_the_first_of_the_order, begin, end),
        cmocka_unit_test_setup_teardown(each_maximal_excess_is_listed_once, begin, end),
        cmocka_unit_test_setup_teardown(at_most_eight_are_listed_and_the_rest_counted, begin, end),
        cmocka_unit_test_setup_teardown(excess_is_what_the_config_does_not_let_out, begin, end),
        cmocka_unit_test_setup_teardown(path_and_place_are_those_of_the_peer, begin, end),
        cmocka_unit_test_setup_teardown(witness_says_whether_such_a_pod_is_among_the_inputs, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

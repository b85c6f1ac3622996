/* Ports of rules (spec/kubernetes-egress.md 1.7, spec/cilium-egress.md 4, 5.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/key.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* An entry of egress, the classes, PORT/PROTOCOL, whether the keys hold it. */
struct row {
    const char *entry;
    cilium_classes classes;
    const char *port, *held;
};
#define LAST_ROW                                                                                                       \
    { NULL, 0, NULL, NULL }
#define API ONLY(CILIUM_1_19)

static enum truth keys_hold(struct stage *stage, const struct rule_entry *entry, const char *port) {
    struct flow flow = stage_flow(stage, arena_format(stage->arena, "host %s", port));
    bool lower = false, upper = false;
    for (size_t i = 0; i < entry->key_count; i++) {
        lower = lower || port_set_contains(&entry->keys[i].lower, flow.protocol, flow.port);
        upper = upper || port_set_contains(&entry->keys[i].upper, flow.protocol, flow.port);
    }
    assert_true(upper || !lower);
    return lower ? TRUTH_YES : upper ? TRUTH_MAYBE : TRUTH_NO;
}

typedef void preparation(struct stage *stage);
static void nothing(struct stage *stage) { (void)stage; }
static void complete_pods(struct stage *stage) { stage_complete(stage, OBJECT_POD); }
static void sctp(struct stage *stage) { stage->reading.sctp = true; }

static void expect(struct arena *arena, const char *format, bool cilium, preparation *prepare, const struct row *rows) {
    int wrong = 0;
    for (; rows->entry; rows++) {
        struct stage *stage = stage_of(arena, stage_filled(arena, format, rows->entry));
        for (unsigned class = 0; class < CILIUM_CLASS_COUNT; class ++) {
            if (((unsigned)rows->classes >> class & 1u) == 0)
                continue;
            if (cilium)
                stage_read_cilium(stage, (enum cilium_class) class);
            prepare(stage);
            const char *held = truth_word(keys_hold(stage, stage_entry(stage), rows->port));
            if (strcmp(held, rows->held) == 0)
                continue;
            print_error("%s and %s under %s: %s\n", rows->entry, rows->port,
                        cilium_class_word((enum cilium_class) class), held);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

#define CORE_FORMAT CORE("p", "{podSelector: {}, policyTypes: [Egress], egress: [%s]}")
#define CNP_FORMAT CNP("p", "{endpointSelector: {}, egress: [%s]}")

static void core_ports_are_of_one_protocol(void **state) {
    static const struct row rows[] = {
        {"{ports: [{port: 443}]}", API, "443/TCP", "yes"},
        {"{ports: [{port: 443}]}", API, "443/UDP", "no"}, /* absent is TCP */
        {"{ports: [{port: 443}]}", API, "444/TCP", "no"},
        {"{ports: [{port: 53, protocol: UDP}]}", API, "53/UDP", "yes"},
        {"{ports: [{port: 5, protocol: SCTP}]}", API, "5/SCTP", "yes"},
        {"{ports: [{protocol: UDP}]}", API, "1/UDP", "yes"},
        {"{ports: [{}]}", API, "65535/TCP", "yes"},
        {"{ports: [{}]}", API, "1/UDP", "no"},
        {"{ports: [null]}", API, "1/TCP", "yes"},
        {"{ports: [{port: 80, endPort: 90}]}", API, "90/TCP", "yes"},
        {"{ports: [{port: 80, endPort: 90}]}", API, "91/TCP", "no"},
        {"{ports: [{port: 80, endPort: 80}]}", API, "80/TCP", "yes"},
        {"{ports: [{port: 80}, {port: 90}]}", API, "90/TCP", "yes"},
        {"{ports: [{}]}", API, "8/ICMP", "no"},
        LAST_ROW,
    };
    expect(*state, CORE_FORMAT, false, nothing, rows);
}

static void rule_without_ports_is_of_every_protocol(void **state) {
    static const struct row rows[] = {
        {"{}", API, "443/TCP", "yes"},         {"{}", API, "8/ICMP", "yes"}, {"{}", API, "0/other", "yes"},
        {"{ports: []}", API, "8/ICMP", "yes"}, {"{}", API, "1/SCTP", "yes"}, LAST_ROW,
    };
    expect(*state, CORE_FORMAT, false, nothing, rows);
    static const struct row cilium[] = {
        {"{toEntities: [all]}", EVERY, "443/TCP", "yes"},
        {"{toEntities: [all]}", EVERY, "8/ICMP", "yes"},
        {"{toEntities: [all]}", EVERY, "0/other", "yes"},
        {"{toEntities: [all], toPorts: []}", EVERY, "8/ICMP", "yes"},
        {"{toEntities: [all], icmps: []}", EVERY, "443/TCP", "yes"},
        {"{toEntities: [all]}", EVERY, "1/SCTP", "no"}, /* the option is off */
        LAST_ROW,
    };
    expect(*state, CNP_FORMAT, true, nothing, cilium);
    static const struct row with_sctp[] = {
        {"{toEntities: [all]}", EVERY, "1/SCTP", "yes"},
        {"{toPorts: [{ports: [{port: '5'}]}]}", EVERY, "5/SCTP", "yes"},
        LAST_ROW,
    };
    expect(*state, CNP_FORMAT, true, sctp, with_sctp);
}

static void core_ports_under_cilium_know_no_range_before_1_16(void **state) {
    static const struct row rows[] = {
        {"{ports: [{port: 80, endPort: 90}]}", BEFORE(CILIUM_1_16_0), "80/TCP", "yes"},
        {"{ports: [{port: 80, endPort: 90}]}", BEFORE(CILIUM_1_16_0), "81/TCP", "no"},
        {"{ports: [{port: 80, endPort: 90}]}", FROM(CILIUM_1_16_0), "90/TCP", "yes"},
        {"{ports: [{port: 5, protocol: SCTP}]}", EVERY, "5/SCTP", "no"},
        {"{ports: [{protocol: TCP}]}", EVERY, "1/TCP", "yes"},
        LAST_ROW,
    };
    expect(*state, CORE_FORMAT, true, nothing, rows);
}

#define PORTS(entry) "{toPorts: [{ports: [" entry "]}]}"

static void cilium_ports_are_strings_of_numbers(void **state) {
    static const struct row rows[] = {
        {PORTS("{port: '443', protocol: TCP}"), EVERY, "443/TCP", "yes"},
        {PORTS("{port: '443', protocol: TCP}"), EVERY, "443/UDP", "no"},
        {PORTS("{port: '443'}"), EVERY, "443/UDP", "yes"}, /* absent is ANY */
        {PORTS("{port: '443', protocol: ANY}"), EVERY, "443/TCP", "yes"},
        {PORTS("{port: '443', protocol: ANY}"), EVERY, "8/ICMP", "no"},
        {PORTS("{port: '0', protocol: TCP}"), EVERY, "1/TCP", "yes"},
        {PORTS("{port: '0', protocol: TCP}"), EVERY, "1/UDP", "no"},
        {PORTS("{port: '010', protocol: TCP}"), EVERY, "8/TCP", "yes"},
        {PORTS("{port: '010', protocol: TCP}"), EVERY, "10/TCP", "no"},
        {PORTS("{port: '80', endPort: 90, protocol: TCP}"), BEFORE(CILIUM_1_16_0), "81/TCP", "no"},
        {PORTS("{port: '80', endPort: 90, protocol: TCP}"), FROM(CILIUM_1_16_0), "81/TCP", "yes"},
        {PORTS("{port: '80', endPort: 70, protocol: TCP}"), EVERY, "80/TCP", "yes"},
        {PORTS("{port: '80', endPort: 70, protocol: TCP}"), EVERY, "75/TCP", "no"},
        {"{toEntities: [all], toPorts: [{}]}", EVERY, "443/TCP", "no"},
        {"{toEntities: [all], toPorts: [{ports: []}]}", EVERY, "443/TCP", "no"},
        {"{toEntities: [all], toPorts: [{ports: []}, {ports: [{port: '5'}]}]}", EVERY, "5/TCP", "yes"},
        LAST_ROW,
    };
    expect(*state, CNP_FORMAT, true, nothing, rows);
}

static void icmps_are_types_of_a_family(void **state) {
    static const struct row rows[] = {
        {"{icmps: [{fields: [{type: 8}]}]}", EVERY, "8/ICMP", "yes"},
        {"{icmps: [{fields: [{type: 8}]}]}", EVERY, "0/ICMP", "no"},
        {"{icmps: [{fields: [{type: 8}]}]}", EVERY, "8/ICMPv6", "no"}, /* the family is IPv4 where it is absent */
        {"{icmps: [{fields: [{type: 128, family: IPv6}]}]}", EVERY, "128/ICMPv6", "yes"},
        {"{icmps: [{fields: [{type: EchoRequest}]}]}", FROM(CILIUM_1_16_0), "8/ICMP", "yes"},
        {"{icmps: [{fields: [{type: 8}]}]}", EVERY, "443/TCP", "no"},
        {"{toEntities: [all], icmps: [{}]}", EVERY, "8/ICMP", "no"},
        LAST_ROW,
    };
    expect(*state, CNP_FORMAT, true, nothing, rows);
}

/* ---- names ---- */

#define POD_WITH(name, namespace, number)                                                                              \
    OBJECT("v1", "Pod", "name: " name ", namespace: " namespace,                                                       \
           "spec: {containers: [{name: c, ports: [{name: web, containerPort: " number "}]}]}")

static void cilium_resolves_a_port_name_over_all_pods_to_one_number(void **state) {
#define NAMED PORTS("{port: web, protocol: TCP}")
    static const struct row one[] = {
        {NAMED, EVERY, "8080/TCP", "yes"},
        {NAMED, EVERY, "8081/TCP", "no"},
        {PORTS("{port: WEB, protocol: TCP}"), EVERY, "8080/TCP", "yes"}, /* names are lower-cased */
        {PORTS("{port: web, protocol: UDP}"), EVERY, "8080/UDP", "maybe"},
        {PORTS("{port: other, protocol: TCP}"), EVERY, "8080/TCP", "maybe"}, /* none: not evaluable */
        LAST_ROW,
    };
    expect(*state, POD_WITH("a", "x", "8080") POD_WITH("b", "z", "8080") CNP_FORMAT, true, complete_pods, one);
    static const struct row open[] = {
        {NAMED, EVERY, "8080/TCP", "maybe"},
        {NAMED, EVERY, "8081/TCP", "maybe"},
        {NAMED, EVERY, "8080/UDP", "no"},
        LAST_ROW,
    };
    expect(*state, POD_WITH("a", "x", "8080") CNP_FORMAT, true, nothing, open);
    static const struct row conflict[] = {
        {NAMED, EVERY, "8080/TCP", "maybe"}, /* two numbers: not evaluable */
        {NAMED, EVERY, "8082/TCP", "maybe"},
        {NAMED, EVERY, "8080/UDP", "no"},
        LAST_ROW,
    };
    expect(*state, POD_WITH("a", "x", "8080") POD_WITH("b", "z", "8081") CNP_FORMAT, true, complete_pods, conflict);
}

static void core_resolves_a_port_name_at_each_destination_pod(void **state) {
    struct stage *stage = stage_of(*state, POD_WITH("a", "x", "8080") POD_WITH("b", "z", "8081")
                                               CORE("p", "{podSelector: {}, policyTypes: [Egress], egress: [{ports: "
                                                         "[{port: web}]}]}"));
    const struct object_list *list = &stage->snapshot.objects.of[OBJECT_NETWORK_POLICY];
    const struct core_rule *rule = &snapshot_policy(&stage->snapshot, &list->list[0])->core->egress.rules[0];
    static const struct {
        const char *namespace, *pod;
        unsigned number, other;
    } rows[] = {{"x", "a", 8080, 8081}, {"z", "b", 8081, 8080}};
    for (size_t i = 0; i < 2; i++) {
        const struct rule_options options = {
            .destination = evidence_pod(&stage->snapshot.evidence, rows[i].namespace, rows[i].pod)};
        struct key_list keys = {0};
        keys_of_core_rule(rule, &stage->cluster, &stage->reading, &options, &keys);
        assert_int_equal(keys.count, 1);
        assert_true(keys.list[0].pods_only);
        assert_true(port_set_contains(&keys.list[0].lower, PROTOCOL_TCP, rows[i].number));
        assert_false(port_set_contains(&keys.list[0].upper, PROTOCOL_TCP, rows[i].other));
    }
    struct key_list unsettled = {0};
    keys_of_core_rule(rule, &stage->cluster, &stage->reading, NULL, &unsettled);
    assert_true(port_set_is_empty(&unsettled.list[0].lower));
    assert_true(port_set_contains(&unsettled.list[0].upper, PROTOCOL_TCP, 9));
    assert_non_null(unsettled.list[0].doubt);
}

/* ---- identity of keys ---- */

static void keys_are_equal_by_port_end_and_protocol(void **state) {
    static const struct {
        const char *one, *other;
        bool same;
    } rows[] = {
        {PORTS("{port: '443', protocol: TCP}"), PORTS("{port: '443', protocol: TCP}"), true},
        {PORTS("{port: '443', protocol: TCP}"), PORTS("{port: '0x1bb', protocol: TCP}"), false}, /* that is a name */
        {PORTS("{port: '8', protocol: TCP}"), PORTS("{port: '010', protocol: TCP}"), true},
        {PORTS("{port: '443', protocol: TCP}"), PORTS("{port: '443', protocol: UDP}"), false},
        {PORTS("{port: '443', protocol: TCP}"), PORTS("{port: '443', endPort: 444, protocol: TCP}"), false},
        {PORTS("{port: '443', protocol: TCP}"), PORTS("{port: '443', endPort: 443, protocol: TCP}"), true},
        {PORTS("{port: '1', endPort: 9, protocol: TCP}"), PORTS("{port: '1', endPort: 9, protocol: TCP}"), true},
        {PORTS("{port: '0', protocol: TCP}"), "{toEntities: [all]}", false},
        {PORTS("{port: web, protocol: TCP}"), PORTS("{port: '443', protocol: TCP}"), false},
        {PORTS("{port: web, protocol: TCP}"), PORTS("{port: WEB, protocol: TCP}"), true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *one = stage_of(*state, stage_filled(*state, CNP_FORMAT, rows[i].one));
        struct stage *other = stage_of(*state, stage_filled(*state, CNP_FORMAT, rows[i].other));
        stage_read_cilium(one, CILIUM_1_18);
        stage_read_cilium(other, CILIUM_1_18);
        const char *a = stage_entry(one)->keys[0].id, *b = stage_entry(other)->keys[0].id;
        if ((strcmp(a, b) == 0) != rows[i].same)
            fail_msg("%s and %s: %s, %s", rows[i].one, rows[i].other, a, b);
    }
}

static void restriction_stands_on_every_key_of_its_entry(void **state) {
    struct stage *stage = stage_of(
        *state,
        stage_filled(*state, CNP_FORMAT,
                     "{toEntities: [all], toPorts: [{ports: [{port: '53'}, {port: '54', protocol: UDP}], rules: "
                     "{dns: [{matchName: A.Example}]}}, {ports: [{port: '55', protocol: TCP}], rules: {dns: "
                     "[]}}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    const struct rule_entry *entry = stage_entry(stage);
    assert_int_equal(entry->key_count, 4); /* 53 as TCP and UDP, 54, 55 */
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(entry->keys[i].restriction);
        assert_true(entry->keys[i].restriction->has_questions);
        assert_true(name_set_contains(&entry->keys[i].restriction->questions, text_of("a.example")));
        assert_false(name_set_contains(&entry->keys[i].restriction->questions, text_of("b.example")));
    }
    assert_null(entry->keys[3].restriction); /* an empty list restricts nothing */
}

static void deny_knows_no_restriction(void **state) {
    struct stage *stage = stage_of(
        *state, CNP("p", "{endpointSelector: {}, egressDeny: [{toEntities: [all], toPorts: [{ports: [{port: '53', "
                         "protocol: UDP}], rules: {dns: [{matchName: a.example}]}}]}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    assert_null(stage_entry(stage)->keys[0].restriction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(core_ports_are_of_one_protocol, begin, end),
        cmocka_unit_test_setup_teardown(rule_without_ports_is_of_every_protocol, begin, end),
        cmocka_unit_test_setup_teardown(core_ports_under_cilium_know_no_range_before_1_16, begin, end),
        cmocka_unit_test_setup_teardown(cilium_ports_are_strings_of_numbers, begin, end),
        cmocka_unit_test_setup_teardown(icmps_are_types_of_a_family, begin, end),
        cmocka_unit_test_setup_teardown(cilium_resolves_a_port_name_over_all_pods_to_one_number, begin, end),
        cmocka_unit_test_setup_teardown(core_resolves_a_port_name_at_each_destination_pod, begin, end),
        cmocka_unit_test_setup_teardown(keys_are_equal_by_port_end_and_protocol, begin, end),
        cmocka_unit_test_setup_teardown(restriction_stands_on_every_key_of_its_entry, begin, end),
        cmocka_unit_test_setup_teardown(deny_knows_no_restriction, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

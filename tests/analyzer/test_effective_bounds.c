/* What effective sets say where rules are in doubt or the API server's address is unknown, and that no order matters
 * (spec/design.md "From objects to sets", spec/cilium-egress.md 5.3, 5.4, 6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* Policies, of which those called maybe... are not certain; a flow; whether they allow it. */
struct row {
    const char *objects, *flow, *allowed;
};
#define LAST_ROW                                                                                                       \
    { NULL, NULL, NULL }

static void expect(struct arena *arena, const struct row *rows) {
    int wrong = 0;
    for (; rows->objects; rows++) {
        struct stage *stage = stage_of(arena, rows->objects);
        stage_read_cilium(stage, CILIUM_1_18);
        struct effective effective = stage_effective(stage);
        const char *allowed = truth_word(stage_allows(stage, &effective, rows->flow));
        if (strcmp(allowed, rows->allowed) == 0)
            continue;
        print_error("%s: %s with %s\n", rows->flow, allowed, rows->objects);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define EGRESS(name, rules) CNP(name, "{endpointSelector: {}, egress: [" rules "]}")
#define DENY(name, rules) CNP(name, "{endpointSelector: {}, egressDeny: [" rules "]}")
#define TCP_443 "toPorts: [{ports: [{port: '443', protocol: TCP}]}]"
#define ALL_ADDRESSES "toCIDR: [0.0.0.0/0, '::/0']"

/* ---- rules in doubt ---- */

static void policy_in_doubt_allows_and_denies_perhaps(void **state) {
    static const struct row rows[] = {
        {EGRESS("maybe", "{toCIDR: [10.0.0.0/8]}"), "10.0.0.1 1/TCP", "maybe"},
        {EGRESS("maybe", "{toCIDR: [10.0.0.0/8]}") EGRESS("sure", "{toCIDR: [10.0.0.1/32]}"), "10.0.0.1 1/TCP", "yes"},
        {EGRESS("sure", "{toCIDR: [10.0.0.0/8]}") DENY("maybe", "{toCIDR: [10.0.0.0/9]}"), "10.0.0.1 1/TCP", "maybe"},
        {EGRESS("sure", "{toCIDR: [10.0.0.0/8]}") DENY("maybe", "{toCIDR: [10.0.0.0/9]}"), "10.200.0.1 1/TCP", "yes"},
        {EGRESS("maybe", "{toCIDR: [10.0.0.0/8]}") DENY("sure", "{toCIDR: [10.0.0.0/9]}"), "10.0.0.1 1/TCP", "no"},
        LAST_ROW,
    };
    expect(*state, rows);
}

static void peer_in_doubt_allows_and_denies_perhaps(void **state) {
    static const struct row rows[] = {
        {EGRESS("a", "{toGroups: [{aws: {securityGroupsIds: [sg-1]}}]}"), "10.0.0.1 1/TCP", "maybe"},
        {EGRESS("a", "{toGroups: [{aws: {securityGroupsIds: [sg-1]}}]}"), "pod:ns? 1/TCP", "no"},
        {EGRESS("a", "{toEntities: [all]}") DENY("b", "{toGroups: [{aws: {securityGroupsIds: [sg-1]}}]}"),
         "10.0.0.1 1/TCP", "maybe"},
        {EGRESS("a", "{toEntities: [all]}") DENY("b", "{toGroups: [{aws: {securityGroupsIds: [sg-1]}}]}"),
         "pod:ns? 1/TCP", "yes"},
        {EGRESS("a", "{toCIDRSet: [{cidrGroupRef: g}]}"), "10.0.0.1 1/TCP", "maybe"},
        LAST_ROW,
    };
    expect(*state, rows);
}

#define DNS_PEER "toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system}}]"
#define DNS_RULE(name)                                                                                                 \
    "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchName: " name "}]}}]}"
#define ASKS_B "pod:kube-system? 53/UDP dns:b.example"

static void dns_list_and_what_lifts_it_may_each_be_in_doubt(void **state) {
    static const struct row rows[] = {
        {EGRESS("list", DNS_RULE("a.example"))
             EGRESS("maybe", "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: UDP}]}]}"),
         ASKS_B, "maybe"},
        /* Where the list is not in force, the rule without ports opens every name. */
        {EGRESS("maybe", DNS_RULE("a.example")) EGRESS("sure", "{" DNS_PEER "}"), ASKS_B, "maybe"},
        {EGRESS("list", DNS_RULE("a.example")) EGRESS("maybe", "{" DNS_PEER "}"), ASKS_B, "no"},
        {EGRESS("maybe", DNS_RULE("a.example")) EGRESS("sure", "{" DNS_PEER "}"), "pod:kube-system? 54/UDP", "yes"},
        LAST_ROW,
    };
    expect(*state, rows);
}

#define TEN "toCIDR: [10.0.0.0/8]"
#define SNI(name) "{" TEN ", toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: [" name "]}]}"

static void server_names_and_what_they_narrow_may_each_be_in_doubt(void **state) {
    static const struct row rows[] = {
        {EGRESS("maybe", SNI("a.example")) EGRESS("sure", "{" TEN ", " TCP_443 "}"), "10.0.0.1 443/TCP sni:b.example",
         "maybe"},
        {EGRESS("maybe", SNI("a.example")) EGRESS("sure", "{" TEN ", " TCP_443 "}"), "10.0.0.1 443/TCP", "maybe"},
        {EGRESS("sure", SNI("a.example")) EGRESS("maybe", "{" TEN ", " TCP_443 "}"), "10.0.0.1 443/TCP sni:b.example",
         "no"},
        {EGRESS("sure", SNI("a.example")) EGRESS("maybe", SNI("b.example")), "10.0.0.1 443/TCP sni:b.example", "maybe"},
        {EGRESS("sure", SNI("a.example")) EGRESS("maybe", SNI("b.example")), "10.0.0.1 443/TCP sni:a.example", "yes"},
        {EGRESS("sure", "{" TEN ", " TCP_443 "}"
                        ", " SNI("a.example")) EGRESS("maybe", SNI("b.example")),
         "10.0.0.1 443/TCP sni:b.example", "maybe"},
        LAST_ROW,
    };
    expect(*state, rows);
}

/* ---- the API server at an unknown address ---- */

#define API_443 "{toEntities: [kube-apiserver], " TCP_443 "}"

static void denies_of_all_addresses_take_the_api_server_along(void **state) {
    static const struct row rows[] = {
        {EGRESS("a", API_443), "kube-apiserver 443/TCP", "yes"},
        {EGRESS("a", API_443) DENY("b", "{" ALL_ADDRESSES "}"), "kube-apiserver 443/TCP", "no"},
        {EGRESS("a", API_443) DENY("b", "{toCIDR: [0.0.0.0/0]}, {toCIDR: ['::/0']}"), "kube-apiserver 443/TCP", "no"},
        {EGRESS("a", API_443) DENY("b", "{toCIDR: [0.0.0.0/0]}") DENY("c", "{toCIDR: ['::/0']}"),
         "kube-apiserver 443/TCP", "no"},
        {EGRESS("a", API_443) DENY("b", "{" ALL_ADDRESSES ", " TCP_443 "}"), "kube-apiserver 443/TCP", "no"},
        {EGRESS("a", API_443) DENY("b", "{toEntities: [world]}"), "kube-apiserver 443/TCP", "no"},
        {EGRESS("a", API_443) DENY("b", "{toCIDR: [0.0.0.0/1, 128.0.0.0/1, '::/1', '8000::/1']}"),
         "kube-apiserver 443/TCP", "no"},
        {EGRESS("a", API_443) DENY("maybe", "{" ALL_ADDRESSES "}"), "kube-apiserver 443/TCP", "maybe"},
        /* The rule that opens it is of nodes as well, which no block reaches. */
        {EGRESS("a", API_443) DENY("b", "{" ALL_ADDRESSES "}"), "host+kube-apiserver 443/TCP", "yes"},
        {EGRESS("a", API_443) DENY("b", "{" ALL_ADDRESSES ", toPorts: [{ports: [{port: '80', protocol: TCP}]}]}"),
         "kube-apiserver 443/TCP", "yes"},
        LAST_ROW,
    };
    expect(*state, rows);
}

static void denies_of_all_addresses_close_on_the_ports_that_they_share(void **state) {
    static const struct row rows[] = {
        {EGRESS("a", API_443) DENY("b", "{toCIDR: [0.0.0.0/0]}, {toCIDR: ['::/0'], " TCP_443 "}"),
         "kube-apiserver 443/TCP", "no"},
        {EGRESS("a", "{toEntities: [kube-apiserver]}")
             DENY("b", "{toCIDR: [0.0.0.0/0]}, {toCIDR: ['::/0'], " TCP_443 "}"),
         "kube-apiserver 443/TCP", "no"},
        LAST_ROW,
    };
    expect(*state, rows);
}

static void dns_lists_of_all_addresses_take_the_api_server_from_other_keys(void **state) {
#define LIST_RULE(cidrs)                                                                                               \
    "{toCIDR: [" cidrs "], toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [{matchName: a.example}]}}]}"
    static const struct row rows[] = {
        {EGRESS("list", LIST_RULE("0.0.0.0/0, '::/0'")) EGRESS("api", "{toEntities: [kube-apiserver]}"),
         "kube-apiserver 53/UDP dns:b.example", "no"},
        {EGRESS("list", LIST_RULE("0.0.0.0/0, '::/0'")) EGRESS("api", "{toEntities: [kube-apiserver]}"),
         "kube-apiserver 53/UDP dns:a.example", "yes"},
        {EGRESS("list", LIST_RULE("0.0.0.0/0") ", " LIST_RULE("'::/0'"))
             EGRESS("api", "{toEntities: [kube-apiserver]}"),
         "kube-apiserver 53/UDP dns:b.example", "no"},
        {EGRESS("list", LIST_RULE("0.0.0.0/0, '::/0'")) EGRESS("api", "{toEntities: [kube-apiserver]}"),
         "kube-apiserver 54/UDP", "yes"},
        LAST_ROW,
    };
    expect(*state, rows);
}

#define RESERVED(key, rest) "toEndpoints: [{matchExpressions: [{key: '" key "', " rest "}]}]"
#define SLICE                                                                                                          \
    OBJECT("discovery.k8s.io/v1", "EndpointSlice",                                                                     \
           "name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}",                   \
           "addressType: IPv4\nendpoints: [{addresses: [10.1.1.1]}]")

/* A selector that tells the API server's address from others is not certain of any while that address is unknown. */
static void selector_that_leaves_the_api_server_out_is_certain_of_addresses_once_the_inputs_tell_it(void **state) {
#define ABSENT RESERVED("reserved:kube-apiserver", "operator: DoesNotExist")
#define NOT_IN RESERVED("reserved:kube-apiserver", "operator: NotIn, values: ['']")
    static const struct row rows[] = {
        {EGRESS("a", "{toEntities: [all]}") DENY("b", "{" ABSENT "}"), "10.1.1.1 1/TCP", "maybe"},
        {EGRESS("a", "{toEntities: [all]}") DENY("b", "{" NOT_IN "}"), "10.1.1.1 1/TCP", "maybe"},
        {EGRESS("a", "{toEntities: [all]}") DENY("b", "{" ABSENT "}"), "192.0.2.1 1/TCP", "maybe"},
        {EGRESS("a", "{" ABSENT "}"), "192.0.2.1 1/TCP", "maybe"},
        {EGRESS("a", "{toEntities: [all]}") DENY("b", "{" ABSENT "}"), "host 1/TCP", "no"},
        {SLICE EGRESS("a", "{toEntities: [all]}") DENY("b", "{" ABSENT "}"), "10.1.1.1 1/TCP", "yes"},
        {SLICE EGRESS("a", "{toEntities: [all]}") DENY("b", "{" NOT_IN "}"), "10.1.1.1 1/TCP", "yes"},
        {SLICE EGRESS("a", "{toEntities: [all]}") DENY("b", "{" ABSENT "}"), "192.0.2.1 1/TCP", "no"},
        {SLICE EGRESS("a", "{" ABSENT "}"), "10.1.1.1 1/TCP", "no"},
        {SLICE EGRESS("a", "{" ABSENT "}"), "192.0.2.1 1/TCP", "yes"},
        LAST_ROW,
    };
    expect(*state, rows);
}

/* ---- order and grouping ---- */

static const char crowd[] =
    EGRESS("a", DNS_RULE("a.example") ", {" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: TCP}]}]}")
        EGRESS("b", "{" DNS_PEER "}, {toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '400', endPort: 500}]}]}")
            EGRESS("c", SNI("a.example") ", " SNI("b.example") ", {" TEN ", " TCP_443 "}")
                EGRESS("maybe-d", SNI("c.example") ", {toCIDR: [0.0.0.0/0], " TCP_443 "}")
                    EGRESS("e", "{toEntities: [kube-apiserver]}, {toFQDNs: [{matchPattern: '*.example'}], " TCP_443 "}")
                        DENY("f", "{toCIDR: [0.0.0.0/1]}, {toCIDR: ['128.0.0.0/1'], " TCP_443 "}")
                            DENY("maybe-g", "{toCIDR: ['::/0']}, {toEntities: [health]}")
                                CORE("h", "{podSelector: {}, policyTypes: [Egress], egress: [{to: "
                                          "[{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}]}]}")
                                    EGRESS("maybe-i", DNS_RULE("b.example"));

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Every entry as a policy of its own, in a random order. */
static struct effective scattered(struct stage *stage, const struct stage_rules *rules, uint32_t *seed) {
    size_t count = 0;
    for (size_t i = 0; i < rules->count; i++)
        count += rules->rules[i].count;
    struct policy_rules *single = arena_array(stage->arena, count, sizeof *single);
    struct selected_rules *selected = arena_array(stage->arena, count, sizeof *selected);
    size_t place = 0;
    for (size_t i = 0; i < rules->count; i++)
        for (size_t k = 0; k < rules->rules[i].count; k++, place++) {
            single[place] = rules->rules[i];
            single[place].entries = &rules->rules[i].entries[k];
            single[place].count = 1;
            selected[place] = (struct selected_rules){&single[place], rules->selected[i].certain};
        }
    for (size_t i = count; i > 1; i--) {
        size_t other = next(seed) % i;
        struct selected_rules kept = selected[i - 1];
        selected[i - 1] = selected[other];
        selected[other] = kept;
    }
    struct effective effective;
    effective_of(selected, count, &stage->reading, stage->arena, &effective);
    return effective;
}

static bool equal(struct arena *arena, const struct flow_set *a, const struct flow_set *b) {
    struct flow_set more = flow_set_subtract(arena, a, b), less = flow_set_subtract(arena, b, a);
    return flow_set_is_empty(arena, &more) == SET_EMPTY && flow_set_is_empty(arena, &less) == SET_EMPTY;
}

static void effective_sets_are_the_same_in_any_order_and_grouping(void **state) {
    enum { ROUNDS = 12 };
    static const enum cilium_class classes[] = {CILIUM_1_16_0, CILIUM_1_18};
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        struct stage *stage = stage_of(*state, crowd);
        stage_read_cilium(stage, classes[c]);
        struct stage_rules rules = stage_rules(stage);
        assert_int_equal(rules.count, 9);
        struct effective first = stage_effective(stage);
        assert_true(first.allow_lower.count > 0 && first.deny_lower.count > 0);
        assert_false(equal(*state, &first.allow_lower, &first.allow_upper));
        uint32_t seed = 20240611;
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct effective other = scattered(stage, &rules, &seed);
            if (!equal(*state, &first.allow_lower, &other.allow_lower) ||
                !equal(*state, &first.allow_upper, &other.allow_upper) ||
                !equal(*state, &first.deny_lower, &other.deny_lower) ||
                !equal(*state, &first.deny_upper, &other.deny_upper))
                fail_msg("class %s, round %u differs", cilium_class_word(classes[c]), round);
        }
    }
}

static void boxes_remember_the_entry_they_come_from(void **state) {
    struct stage *stage = stage_of(*state, EGRESS("a", "{toCIDR: [10.0.0.0/8]}, {toCIDR: [11.0.0.0/8]}")
                                               EGRESS("b", "{toCIDR: [12.0.0.0/8]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    struct effective effective = stage_effective(stage);
    static const char *const expected[] = {"spec.egress[0]", "spec.egress[1]", "spec.egress[0]"};
    assert_int_equal(effective.allow_lower.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct origin *origin = &effective.origins[effective.allow_lower.boxes[i].origin];
        assert_string_equal(origin->entry->part.path, expected[i]);
        assert_int_equal(origin->selected, i == 2 ? 1 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(policy_in_doubt_allows_and_denies_perhaps, begin, end),
        cmocka_unit_test_setup_teardown(peer_in_doubt_allows_and_denies_perhaps, begin, end),
        cmocka_unit_test_setup_teardown(dns_list_and_what_lifts_it_may_each_be_in_doubt, begin, end),
        cmocka_unit_test_setup_teardown(server_names_and_what_they_narrow_may_each_be_in_doubt, begin, end),
        cmocka_unit_test_setup_teardown(denies_of_all_addresses_take_the_api_server_along, begin, end),
        cmocka_unit_test_setup_teardown(denies_of_all_addresses_close_on_the_ports_that_they_share, begin, end),
        cmocka_unit_test_setup_teardown(dns_lists_of_all_addresses_take_the_api_server_from_other_keys, begin, end),
        cmocka_unit_test_setup_teardown(
            selector_that_leaves_the_api_server_out_is_certain_of_addresses_once_the_inputs_tell_it, begin, end),
        cmocka_unit_test_setup_teardown(effective_sets_are_the_same_in_any_order_and_grouping, begin, end),
        cmocka_unit_test_setup_teardown(boxes_remember_the_entry_they_come_from, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

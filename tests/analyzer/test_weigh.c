/* Targets against the rules that select a pod, under one reading (spec/cli.md "explain", spec/cilium-egress.md 2, 3.5, 5.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/ask/weigh.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

static const char *answer_word(enum answer answer) {
    return answer == ANSWER_YES ? "yes" : answer == ANSWER_NO ? "no" : "unknown";
}

/* Policies (those called maybe... are not certain), a question, the answer. The pod is isolated. */
struct row {
    const char *objects, *to, *port, *dns_name, *server_name, *allowed;
};
#define LAST_ROW                                                                                                       \
    { NULL, NULL, NULL, NULL, NULL, NULL }

struct case_of {
    struct stage *stage;
    struct stage_rules rules;
    struct target target;
    struct weighing weighing;
};

static struct case_of case_of(struct arena *arena, const struct row *row, bool cilium, enum cilium_class class) {
    struct case_of it = {.stage = stage_of(arena, row->objects)};
    if (cilium)
        stage_read_cilium(it.stage, class);
    it.rules = stage_rules(it.stage);
    const struct target_request request = {row->to, row->port, row->dns_name, row->server_name, cilium};
    const char *problem = target_parse(&request, &it.stage->snapshot, arena, &it.target);
    if (problem)
        fail_msg("%s: %s", row->to, problem);
    it.weighing = (struct weighing){.selected = it.rules.selected,
                                    .count = it.rules.count,
                                    .reading = &it.stage->reading,
                                    .cluster = &it.stage->cluster,
                                    .isolates = TRUTH_YES};
    return it;
}

static void expect(struct arena *arena, bool cilium, const struct row *rows) {
    int wrong = 0;
    for (; rows->objects; rows++) {
        struct case_of it = case_of(arena, rows, cilium, CILIUM_1_18);
        struct weighed weighed;
        weigh(&it.weighing, &it.target, &weighed);
        if (strcmp(answer_word(weighed.allowed), rows->allowed) == 0)
            continue;
        print_error("%s %s: %s with %s\n", rows->to, rows->port ? rows->port : "every port",
                    answer_word(weighed.allowed), rows->objects);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define EGRESS(name, rules) CNP(name, "{endpointSelector: {}, egress: [" rules "]}")
#define DENY(name, rules) CNP(name, "{endpointSelector: {}, egressDeny: [" rules "]}")
#define TCP_443 "toPorts: [{ports: [{port: '443', protocol: TCP}]}]"
#define TEN EGRESS("a", "{toCIDR: [10.0.0.0/8], " TCP_443 "}")

static void flow_is_allowed_by_a_rule_that_no_deny_takes_back(void **state) {
    static const struct row rows[] = {
        {TEN, "ip:10.0.0.1", "443", NULL, NULL, "yes"},
        {TEN, "ip:10.0.0.1", "443/TCP", NULL, NULL, "yes"},
        {TEN, "ip:10.0.0.1", "443/UDP", NULL, NULL, "no"},
        {TEN, "ip:10.0.0.1", "80", NULL, NULL, "no"},
        {TEN, "ip:11.0.0.1", "443", NULL, NULL, "no"},
        {TEN, "ip:10.0.0.1", NULL, NULL, NULL, "no"}, /* only part of the ports */
        {EGRESS("a", "{toCIDR: [10.0.0.0/8]}"), "ip:10.0.0.1", NULL, NULL, NULL, "yes"},
        {EGRESS("a", "{toCIDR: [10.0.0.0/8]}"), "ip:10.0.0.1", "icmp:8", NULL, NULL, "yes"},
        {TEN DENY("b", "{toCIDR: [10.0.0.0/9]}"), "ip:10.0.0.1", "443", NULL, NULL, "no"},
        {TEN DENY("b", "{toCIDR: [10.0.0.0/9]}"), "ip:10.200.0.1", "443", NULL, NULL, "yes"},
        {TEN DENY("maybe-b", "{toCIDR: [10.0.0.0/9]}"), "ip:10.0.0.1", "443", NULL, NULL, "unknown"},
        {EGRESS("maybe", "{toCIDR: [10.0.0.0/8]}"), "ip:10.0.0.1", "443", NULL, NULL, "unknown"},
        {EGRESS("a", "{toGroups: [{aws: {}}]}"), "ip:10.0.0.1", "443", NULL, NULL, "unknown"},
        LAST_ROW,
    };
    expect(*state, true, rows);
}

static void entity_is_allowed_where_all_of_it_is(void **state) {
    static const struct row rows[] = {
        {EGRESS("a", "{toEntities: [world]}"), "entity:world", NULL, NULL, NULL, "yes"},
        {EGRESS("a", "{toCIDR: [0.0.0.0/0]}"), "entity:world", NULL, NULL, NULL, "no"}, /* the other half is not */
        {EGRESS("a", "{toEntities: [cluster]}"), "entity:host", NULL, NULL, NULL, "yes"},
        {EGRESS("a", "{toEntities: [host]}"), "entity:cluster", NULL, NULL, NULL, "no"},
        {EGRESS("a", "{toEntities: [kube-apiserver]}"), "entity:kube-apiserver", NULL, NULL, NULL, "yes"},
        {EGRESS("a", "{toEntities: [world]}"), "entity:kube-apiserver", NULL, NULL, NULL, "no"}, /* nor on nodes */
        {EGRESS("a", "{toEntities: [remote-node]}"), "entity:host", NULL, NULL, NULL, "no"},
        {EGRESS("a", "{toCIDR: [0.0.0.0/0, '::/0']}, {toEntities: [cluster]}"), "entity:all", NULL, NULL, NULL, "no"},
        {EGRESS("a", "{toEntities: [all]}"), "entity:all", NULL, NULL, NULL, "yes"},
        LAST_ROW,
    };
    expect(*state, true, rows);
}

/* ---- payloads ---- */

#define DNS_PEER                                                                                                       \
    "toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}]"
#define DNS_RULE(entry) "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: UDP}], rules: {dns: [" entry "]}}]}"
#define DNS_POD "pod:kube-system?k8s-app=kube-dns"
#define LIST EGRESS("list", DNS_RULE("{matchName: a.example}"))
#define NAMES                                                                                                          \
    EGRESS("a", "{toCIDR: [10.0.0.0/8], toPorts: [{ports: [{port: '443', protocol: TCP}], serverNames: "               \
                "[a.example]}]}")

static void question_with_a_payload_asks_for_that_payload(void **state) {
    static const struct row rows[] = {
        {LIST, DNS_POD, "53/UDP", "a.example", NULL, "yes"},
        {LIST, DNS_POD, "53/UDP", "A.Example.", NULL, "yes"},
        {LIST, DNS_POD, "53/UDP", "b.example", NULL, "no"},
        {LIST, DNS_POD, "53/UDP", NULL, NULL, "yes"}, /* some payload is allowed */
        {LIST, DNS_POD, "53/TCP", NULL, NULL, "no"},
        {LIST EGRESS("b", "{" DNS_PEER "}"), DNS_POD, "53/UDP", "b.example", NULL, "no"},
        {LIST EGRESS("b", "{" DNS_PEER "}"), DNS_POD, "53/TCP", "b.example", NULL, "yes"},
        {NAMES, "ip:10.0.0.1", "443", NULL, "a.example", "yes"},
        {NAMES, "ip:10.0.0.1", "443", NULL, "b.example", "no"},
        {NAMES, "ip:10.0.0.1", "443", NULL, "", "no"}, /* no name presented */
        {NAMES, "ip:10.0.0.1", "443", NULL, NULL, "yes"},
        {TEN, "ip:10.0.0.1", "443", NULL, "", "yes"},
        {TEN NAMES, "ip:10.0.0.1", "443", NULL, "b.example", "no"}, /* the plain rule is restricted with it */
        LAST_ROW,
    };
    expect(*state, true, rows);
}

/* ---- names ---- */

#define TO_A "{toFQDNs: [{matchName: a.example}], " TCP_443 "}"
#define TO_B "{toFQDNs: [{matchName: b.example}], " TCP_443 "}"

static void name_is_reached_where_its_addresses_can_be_learned(void **state) {
    static const struct {
        const char *objects, *name, *allowed, *learned;
    } rows[] = {
        {EGRESS("a", TO_A) LIST, "a.example", "yes", "yes"},
        {EGRESS("a", TO_A) LIST, "A.EXAMPLE", "yes", "yes"},
        {EGRESS("a", TO_A), "a.example", "no", "no"},
        {EGRESS("a", TO_A) LIST, "b.example", "no", "no"},
        {EGRESS("a", TO_B) LIST, "b.example", "no", "no"},
        {EGRESS("a", TO_B) EGRESS("l", DNS_RULE("{matchPattern: '*'}")), "b.example", "yes", "yes"},
        {EGRESS("a", TO_B) EGRESS("l", DNS_RULE("{matchPattern: '*.example'}")), "b.example", "yes", "yes"},
        /* A plain rule under the key of the list lets every name through its proxy, one under another key none. */
        {EGRESS("a", TO_B) LIST EGRESS("p", "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: UDP}]}]}"),
         "b.example", "yes", "yes"},
        {EGRESS("a", TO_B) LIST EGRESS("p", "{" DNS_PEER ", toPorts: [{ports: [{port: '9153', protocol: TCP}]}]}"),
         "b.example", "no", "no"},
        {EGRESS("a", TO_B) LIST EGRESS("p", "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: TCP}]}]}"),
         "b.example", "no", "no"},
        {EGRESS("a", TO_B) LIST EGRESS("p", "{" DNS_PEER "}"), "b.example", "no", "no"},
        /* A list at pods that are no DNS servers shows nothing. */
        {EGRESS("a", TO_A) EGRESS("l", "{toEndpoints: [{}], toPorts: [{ports: [{port: '53', protocol: UDP}], rules: "
                                       "{dns: [{matchName: a.example}]}}]}"),
         "a.example", "no", "no"},
        /* What opens every address needs no look-up. */
        {EGRESS("a", "{toEntities: [world]}"), "a.example", "yes", "no"},
        {EGRESS("a", "{toCIDR: [0.0.0.0/0, '::/0'], " TCP_443 "}"), "a.example", "yes", "no"},
        {EGRESS("a", "{toCIDR: [0.0.0.0/0], " TCP_443 "}"), "a.example", "unknown", "no"},
        /* Whether the list is in force is not known. */
        {EGRESS("a", TO_A) EGRESS("maybe", DNS_RULE("{matchName: a.example}")), "a.example", "unknown", "unknown"},
        {EGRESS("maybe", TO_A) LIST, "a.example", "unknown", "yes"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row row = {
            .objects = rows[i].objects, .to = arena_format(*state, "fqdn:%s", rows[i].name), .port = "443"};
        struct case_of it = case_of(*state, &row, true, CILIUM_1_18);
        struct weighed weighed;
        weigh(&it.weighing, &it.target, &weighed);
        if (strcmp(answer_word(weighed.allowed), rows[i].allowed) == 0 &&
            strcmp(answer_word(weighed.learned), rows[i].learned) == 0)
            continue;
        print_error("row %zu, %s: allowed %s, learned %s\n", i, rows[i].name, answer_word(weighed.allowed),
                    answer_word(weighed.learned));
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* ---- isolation ---- */

static void pod_that_nothing_isolates_sends_what_no_deny_takes(void **state) {
    static const struct {
        const char *objects;
        enum truth isolates;
        const char *to, *allowed, *isolated;
    } rows[] = {
        {TEN, TRUTH_NO, "ip:11.0.0.1", "yes", "no"},
        {DENY("b", "{toCIDR: [11.0.0.0/8]}"), TRUTH_NO, "ip:11.0.0.1", "no", "no"},
        {DENY("b", "{toCIDR: [11.0.0.0/8]}"), TRUTH_NO, "ip:12.0.0.1", "yes", "no"},
        {TEN, TRUTH_MAYBE, "ip:11.0.0.1", "unknown", "unknown"},
        {TEN, TRUTH_MAYBE, "ip:10.0.0.1", "yes", "unknown"}, /* either way */
        {DENY("b", "{toCIDR: [11.0.0.0/8]}"), TRUTH_MAYBE, "ip:11.0.0.1", "no", "unknown"},
        {TEN, TRUTH_YES, "ip:11.0.0.1", "no", "yes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row row = {.objects = rows[i].objects, .to = rows[i].to, .port = "443"};
        struct case_of it = case_of(*state, &row, true, CILIUM_1_18);
        struct weighed weighed;
        it.weighing.isolates = rows[i].isolates;
        weigh(&it.weighing, &it.target, &weighed);
        if (strcmp(answer_word(weighed.allowed), rows[i].allowed) != 0 ||
            strcmp(answer_word(weighed.isolated), rows[i].isolated) != 0)
            fail_msg("row %zu: %s, isolated %s", i, answer_word(weighed.allowed), answer_word(weighed.isolated));
    }
}

/* Where only policies that lift default-deny select the pod, L7 rules still refuse other names, until 1.17.5. */
static void dns_list_without_default_deny_refuses_other_names_before_1_17_5(void **state) {
    for (unsigned class = CILIUM_1_16_0; class < CILIUM_CLASS_COUNT; class ++) {
        static const struct row rows[] = {
            {LIST, DNS_POD, "53/UDP", "b.example", NULL, NULL},
            {LIST, DNS_POD, "53/UDP", "a.example", NULL, "yes"},
            {LIST, DNS_POD, "53/TCP", "b.example", NULL, "yes"},
            {LIST, "ip:11.0.0.1", "443", NULL, NULL, "yes"},
        };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct case_of it = case_of(*state, &rows[i], true, (enum cilium_class) class);
            struct weighed weighed;
            it.weighing.isolates = TRUTH_NO;
            weigh(&it.weighing, &it.target, &weighed);
            const char *wanted = rows[i].allowed ? rows[i].allowed : class < CILIUM_1_17_5 ? "no" : "yes";
            if (strcmp(answer_word(weighed.allowed), wanted) != 0)
                fail_msg("row %zu under %s: %s", i, cilium_class_word((enum cilium_class) class),
                         answer_word(weighed.allowed));
        }
    }
}

static void kinds_that_are_not_modelled_leave_the_answer_open(void **state) {
    static const struct row row = {
        CORE("a", "{podSelector: {}, policyTypes: [Egress], egress: [{}]}"), "ip:10.0.0.1", "443", NULL, NULL, NULL};
    struct case_of it = case_of(*state, &row, false, CILIUM_1_19);
    struct weighed weighed;
    weigh(&it.weighing, &it.target, &weighed);
    assert_int_equal(weighed.allowed, ANSWER_YES);
    it.weighing.unmodelled = true;
    weigh(&it.weighing, &it.target, &weighed);
    assert_int_equal(weighed.allowed, ANSWER_UNKNOWN);
    assert_non_null(weighed.why);
}

/* ---- entries ---- */

static void entry_says_which_part_of_it_fails(void **state) {
    static const struct {
        struct row row;
        bool bears;
        enum rule_effect effect;
        const char *path, *detail;
    } rows[] = {
        {{TEN, "ip:10.0.0.1", "443", NULL, NULL, NULL}, true, EFFECT_ALLOWS, "spec.egress[0].toCIDR[0]", NULL},
        {{TEN, "ip:10.0.0.1", "80", NULL, NULL, NULL}, true, EFFECT_MISSES, "spec.egress[0].toCIDR[0]", "other ports"},
        {{TEN, "ip:11.0.0.1", "443", NULL, NULL, NULL}, true, EFFECT_MISSES, "spec.egress[0]", "another destination"},
        {{TEN, "ip:11.0.0.1", "80", NULL, NULL, NULL}, false, EFFECT_MISSES, "spec.egress[0]", NULL},
        {{TEN, "ip:11.0.0.1", NULL, NULL, NULL, NULL}, false, EFFECT_MISSES, "spec.egress[0]", NULL},
        {{NAMES, "ip:10.0.0.1", "443", NULL, "b.example", NULL},
         true,
         EFFECT_MISSES,
         "spec.egress[0].toCIDR[0]",
         "another name"},
        {{DENY("b", "{toCIDR: [11.0.0.0/8, 10.0.0.0/8]}"), "ip:10.0.0.1", "443", NULL, NULL, NULL},
         true,
         EFFECT_DENIES,
         "spec.egressDeny[0].toCIDR[1]",
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct case_of it = case_of(*state, &rows[i].row, true, CILIUM_1_18);
        enum rule_effect effect;
        struct part part;
        const char *detail;
        bool bears = weigh_entry(&it.weighing, &it.rules.rules[0].entries[0], &it.target, &effect, &part, &detail);
        if (bears != rows[i].bears || effect != rows[i].effect)
            fail_msg("row %zu: %s, effect %s", i, bears ? "bears" : "does not bear", rule_effect_word(effect));
        assert_string_equal(part.path, rows[i].path);
        if (rows[i].detail)
            assert_string_equal(detail, rows[i].detail);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flow_is_allowed_by_a_rule_that_no_deny_takes_back, begin, end),
        cmocka_unit_test_setup_teardown(entity_is_allowed_where_all_of_it_is, begin, end),
        cmocka_unit_test_setup_teardown(question_with_a_payload_asks_for_that_payload, begin, end),
        cmocka_unit_test_setup_teardown(name_is_reached_where_its_addresses_can_be_learned, begin, end),
        cmocka_unit_test_setup_teardown(pod_that_nothing_isolates_sends_what_no_deny_takes, begin, end),
        cmocka_unit_test_setup_teardown(dns_list_without_default_deny_refuses_other_names_before_1_17_5, begin, end),
        cmocka_unit_test_setup_teardown(kinds_that_are_not_modelled_leave_the_answer_open, begin, end),
        cmocka_unit_test_setup_teardown(entry_says_which_part_of_it_fails, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* No verdict depends on the order of policies or rules, or on how they are grouped (spec/design.md "The middle"). */
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

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void shuffle(const char **list, size_t count, uint32_t *seed) {
    for (size_t i = count; i > 1; i--) {
        size_t other = next(seed) % i;
        const char *kept = list[i - 1];
        list[i - 1] = list[other];
        list[other] = kept;
    }
}

#define STATIC "{engine: cilium, policy: {kind: static, allowedHosts: [a.example, b.example]}}"
#define SELECTOR "endpointSelector: {matchLabels: {sandbox.namzu.ai/template: box}}"
#define DNS_PEER                                                                                                       \
    "toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}]"
#define DNS_RULE(name) "{" DNS_PEER ", toPorts: [{ports: [{port: '53', protocol: ANY}], rules: {dns: [" name "]}}]}"
#define NAMED                                                                                                          \
    CNP("box-egress",                                                                                                  \
        "{" SELECTOR ", egress: [" DNS_RULE("{matchPattern: '*'}") ", {toFQDNs: [{matchName: "                         \
                                                                   "a.example}, {matchName: b.example}]}]}")

/* Policies, and the verdict about each, with the refusal of all. */
struct policy_row {
    const char *name, *rules, *verdict;
};

static const char *policy_text(struct arena *arena, const char *name, const char *rules) {
    return arena_format(arena,
                        "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: %s}\n"
                        "spec: {endpointSelector: {}, %s}\n",
                        name, rules);
}

enum { ROUNDS = 20, MOST = 8 };

static void check_orders(struct arena *arena, const struct policy_row *rows, size_t count, const char *refusal) {
    const char *texts[MOST + 1];
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; i++)
        texts[i] = policy_text(arena, rows[i].name, rows[i].rules);
    texts[count] = NAMED;
    uint32_t seed = 7;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct buffer stream;
        buffer_init(&stream, arena);
        for (size_t i = 0; i <= count; i++)
            buffer_add_string(&stream, texts[i]);
        const struct boundary_decision *decision =
            scene_decide(arena, STATIC, buffer_string(&stream), "sandbox.namzu.ai/template=box");
        assert_string_equal(scene_refusal(decision), refusal);
        for (size_t i = 0; i < count; i++)
            if (strcmp(scene_verdict(decision, rows[i].name, -1), rows[i].verdict) != 0)
                fail_msg("round %u: %s is %s", round, rows[i].name, scene_verdict(decision, rows[i].name, -1));
        const struct side_decision *side = scene_egress(decision);
        for (size_t i = 1; i < side->examined_count; i++) /* by name, whatever the inputs' order */
            assert_true(strcmp(side->examined[i - 1].object.name, side->examined[i].object.name) < 0);
        shuffle(texts, count + 1, &seed);
    }
}

static void verdicts_are_the_same_in_any_order_of_the_inputs(void **state) {
    /* `wide` is only within because of the denies of the others. */
    static const struct policy_row within[] = {
        {"a-deny", "egressDeny: [{toEntities: [cluster]}, {toCIDR: [0.0.0.0/1]}]", "within"},
        {"b-deny", "egressDeny: [{toCIDR: [128.0.0.0/1, '::/0']}]", "within"},
        {"wide", "egress: [{toEntities: [world, cluster], toPorts: [{ports: [{port: '443', protocol: TCP}]}]}]",
         "within"},
        {"names", "egress: [{toFQDNs: [{matchName: b.example}, {matchName: a.example}]}]", "within"},
        {"open", "ingress: [{}]", "not-egress-scoped"},
    };
    check_orders(*state, within, sizeof within / sizeof *within, "pass");
    static const struct policy_row widening[] = {
        {"deny", "egressDeny: [{toCIDR: [11.0.0.0/9]}]", "within"},
        {"half", "egress: [{toCIDR: [11.0.0.0/9]}]", "within"},
        {"whole", "egress: [{toCIDR: [11.0.0.0/8]}]", "widens-egress"},
        {"groups", "egress: [{toGroups: [{aws: {}}]}]", "not-evaluable"},
    };
    check_orders(*state, widening, sizeof widening / sizeof *widening, "policy-widens-egress");
}

/* The same rules as one policy, in every order, and as a policy each. */
static void verdicts_are_the_same_in_any_grouping_of_the_rules(void **state) {
    static const struct {
        const char *rules[4];
        const char *refusal;
    } rows[] = {
        {{"{toFQDNs: [{matchName: a.example}]}",
          "{toFQDNs: [{matchName: b.example}], toPorts: [{ports: [{port: '443'}]}]}",
          DNS_RULE("{matchName: a.example}"), "{toEntities: [none]}"},
         "pass"},
        {{"{toFQDNs: [{matchName: a.example}]}", "{toFQDNs: [{matchPattern: '*.example'}]}",
          DNS_RULE("{matchName: a.example}"), "{}"},
         "policy-widens-egress"},
        {{DNS_RULE("{matchName: a.example}"), "{" DNS_PEER "}", "{toEntities: [none]}", "{}"},
         "policy-widens-egress"}, /* other ports of the servers */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *rules[4];
        uint32_t seed = 11;
        memcpy(rules, rows[i].rules, sizeof rules);
        for (unsigned round = 0; round < ROUNDS; round++) {
            const char *together =
                arena_format(*state, "egress: [%s, %s, %s, %s]", rules[0], rules[1], rules[2], rules[3]);
            struct buffer apart;
            buffer_init(&apart, *state);
            buffer_add_string(&apart, NAMED);
            for (size_t k = 0; k < 4; k++)
                buffer_add_string(&apart, policy_text(*state, arena_format(*state, "p%zu", k),
                                                      arena_format(*state, "egress: [%s]", rules[k])));
            const char *streams[] = {arena_format(*state, "%s%s", NAMED, policy_text(*state, "p", together)),
                                     buffer_string(&apart)};
            for (size_t k = 0; k < 2; k++) {
                const char *refusal =
                    scene_refusal(scene_decide(*state, STATIC, streams[k], "sandbox.namzu.ai/template=box"));
                if (strcmp(refusal, rows[i].refusal) != 0)
                    fail_msg("row %zu, round %u, %s: %s", i, round, k ? "apart" : "together", refusal);
            }
            shuffle(rules, 4, &seed);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verdicts_are_the_same_in_any_order_of_the_inputs, begin, end),
        cmocka_unit_test_setup_teardown(verdicts_are_the_same_in_any_grouping_of_the_rules, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

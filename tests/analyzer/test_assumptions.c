/* What a decision rests on and the inputs do not show (spec/config.md 9, spec/analysis.md 2, 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/assumptions.h"
#include "base/arena.h"
#include "given.h"
#include "stage.h"
#include "tests/arena_state.h"

static void sentences_stand_once_in_byte_order(void **state) {
    struct assumptions assumptions;
    assumptions_init(&assumptions, *state);
    assert_int_equal(assumptions_list(&assumptions).count, 0);
    static const char *const added[] = {"b", "a", "b", "C", "a"}, *const expected[] = {"C", "a", "b"};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        assumptions_add(&assumptions, arena_format(*state, "%s", added[i]));
    struct string_list list = assumptions_list(&assumptions);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(list.list[i], expected[i]);
}

/* Each fact that is not given is one sentence; a given one is none. */
static void fact_that_is_not_given_is_assumed(void **state) {
    static const struct {
        enum fact fact;
        const char *part; /* of the sentence */
    } rows[] = {
        {FACT_CILIUM_VERSION, "version of Cilium"}, {FACT_SCTP, "SCTP"},        {FACT_CIDR_MATCH_MODE, "cidrMatchMode"},
        {FACT_ENFORCEMENT_MODE, "enforcementMode"}, {FACT_L7_PROXY, "l7Proxy"}, {FACT_CLUSTER_NAME, "clusterName"},
        {FACT_LOCAL_CLUSTER, "localCluster"},
    };
    enum { FACTS = sizeof rows / sizeof *rows };
    for (size_t i = 0; i < FACTS; i++) {
        struct cluster_facts none = facts_default(), one = facts_default();
        struct assumptions all, less;
        one.known = 1u << rows[i].fact;
        assumptions_init(&all, *state);
        assumptions_init(&less, *state);
        assumptions_of_cilium(&all, &none);
        assumptions_of_cilium(&less, &one);
        assert_int_equal(assumptions_list(&all).count, FACTS);
        assert_int_equal(assumptions_list(&less).count, FACTS - 1);
        size_t with = 0, without = 0;
        for (size_t k = 0; k < FACTS; k++)
            with += strstr(all.list[k], rows[i].part) ? 1 : 0;
        for (size_t k = 0; k < FACTS - 1; k++)
            without += strstr(less.list[k], rows[i].part) ? 1 : 0;
        if (with != 1 || without != 0)
            fail_msg("%s: %zu, %zu", rows[i].part, with, without);
    }
}

static bool assumes(const struct decision *decision, const char *part) {
    for (size_t i = 0; i < decision->assumptions.count; i++)
        if (strstr(decision->assumptions.list[i], part))
            return true;
    return false;
}

#define POD(kind, rest)                                                                                                \
    "---\napiVersion: " kind "\nmetadata: {name: a, namespace: ns, labels: {sandbox.namzu.ai/template: box}}\n" rest   \
    "\n"
#define AS_CONFIG "no pod or workload of the boundary is among the inputs"
#define AS_TEMPLATE "labels of their workload's template"
#define AS_REFUSED "no earlier generation"

static void decision_lists_what_it_takes_its_subjects_to_be(void **state) {
    static const struct {
        const char *objects, *labels;
        bool config, template, refused;
    } rows[] = {
        {GIVEN_CLOSED, NULL, true, false, false},
        {GIVEN_CLOSED, "sandbox.namzu.ai/template=box", false, false, false},
        {GIVEN_CLOSED POD("v1\nkind: Pod", "spec: {containers: []}"), NULL, false, false, false},
        {GIVEN_CLOSED POD("apps/v1\nkind: Deployment",
                          "spec: {template: {metadata: {labels: {sandbox.namzu.ai/template: box}}, spec: {containers: "
                          "[]}}}"),
         NULL, false, true, false},
        {GIVEN_CLOSED "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: r, namespace: "
                      "ns}\nspec: {podSelector: {}, policyTypes: [Egress], egress: [{to: [{}]}]}\n",
         "sandbox.namzu.ai/template=box", false, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct given given = {.files = {{"objects.yaml", rows[i].objects}}, .labels = rows[i].labels};
        const struct decision *decision = given_decide(*state, &given);
        if (assumes(decision, AS_CONFIG) != rows[i].config || assumes(decision, AS_TEMPLATE) != rows[i].template ||
            assumes(decision, AS_REFUSED) != rows[i].refused)
            fail_msg("row %zu", i);
        assert_false(assumes(decision, "SCTP")); /* the core API has no such option */
    }
}

static void decision_about_cilium_lists_what_it_takes_the_agent_to_be(void **state) {
    static const char config[] = "namespace: ns\nsandboxTemplateName: box\ningress: unverified\n"
                                 "egress: {policy: {kind: no-network}, engine: cilium}\n%s";
    static const struct {
        const char *cluster;
        bool version, sctp;
    } rows[] = {
        {"", true, true},
        {"cluster: {cilium: {version: '1.18'}}\n", false, true},
        {"cluster: {cilium: {version: '1.18', sctp: false}}\n", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct given given = {.config = stage_filled(*state, config, rows[i].cluster),
                                    .files = {{"objects.yaml", GIVEN_CLOSED}}};
        const struct decision *decision = given_decide(*state, &given);
        if (assumes(decision, "version of Cilium") != rows[i].version || assumes(decision, "SCTP") != rows[i].sctp)
            fail_msg("row %zu", i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sentences_stand_once_in_byte_order, begin, end),
        cmocka_unit_test_setup_teardown(fact_that_is_not_given_is_assumed, begin, end),
        cmocka_unit_test_setup_teardown(decision_lists_what_it_takes_its_subjects_to_be, begin, end),
        cmocka_unit_test_setup_teardown(decision_about_cilium_lists_what_it_takes_the_agent_to_be, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Policies that would select the pod that the config describes if it carried further labels (spec/analysis.md 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "given.h"
#include "stage.h"
#include "tests/arena_state.h"

#define EGRESS(kind, egress)                                                                                           \
    "namespace: ns\nsandboxTemplateName: box\ningress: unverified\negress: {" egress "policy: {kind: " kind "}}\n"
#define CORE_IN(selector, rest)                                                                                        \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: ns}\nspec: "           \
    "{podSelector: {" selector "}, " rest "}\n"
#define CILIUM_IN(selector, rest)                                                                                      \
    "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: p, namespace: ns}\nspec: "             \
    "{endpointSelector: {" selector "}, " rest "}\n"
#define APP "matchLabels: {app: web}"
#define OPEN "policyTypes: [Egress], egress: [{}]"

struct row {
    const char *config, *objects, *labels;
    size_t warnings;
};

static void expect(struct arena *arena, const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct given given = {.config = rows[i].config,
                                    .files = {{"named.yaml", GIVEN_CLOSED}, {"objects.yaml", rows[i].objects}},
                                    .labels = rows[i].labels};
        const struct decision *decision = given_decide(arena, &given);
        size_t warnings = given_findings(decision, CODE_MIGHT_SELECT);
        if (warnings != rows[i].warnings)
            fail_msg("row %zu: %zu warnings", i, warnings);
        for (size_t k = 0; k < decision->findings.count; k++)
            if (decision->findings.list[k].code == CODE_MIGHT_SELECT) {
                assert_int_equal(decision->findings.list[k].severity, SEVERITY_WARNING);
                assert_string_equal(decision->findings.list[k].object.name, "p");
            }
    }
}

static void policy_for_further_labels_that_would_matter_is_warned_of(void **state) {
    static const struct row rows[] = {
        {NULL, CORE_IN(APP, OPEN), NULL, 1},
        {NULL, CORE_IN("matchExpressions: [{key: app, operator: Exists}]", OPEN), NULL, 1},
        {NULL, CORE_IN(APP, "policyTypes: [Egress]"), NULL, 1},  /* would isolate */
        {NULL, CORE_IN(APP, "policyTypes: [Ingress]"), NULL, 0}, /* egress is what is asked */
        /* One that selects it as it is, or can never select it, is judged and not warned of. */
        {NULL, CORE_IN("", OPEN), NULL, 0},
        {NULL, CORE_IN("matchExpressions: [{key: app, operator: DoesNotExist}]", OPEN), NULL, 0},
        {NULL, CORE_IN("matchLabels: {sandbox.namzu.ai/template: other}", OPEN), NULL, 0},
        {NULL, CORE_IN("matchLabels: {app: web, sandbox.namzu.ai/template: other}", OPEN), NULL, 0},
        /* Labels that are told are all there are. */
        {NULL, CORE_IN(APP, OPEN), "sandbox.namzu.ai/template=box", 0},
    };
    expect(*state, rows, sizeof rows / sizeof *rows);
}

#define CILIUM EGRESS("no-network", "engine: cilium, ")

static void policy_of_cilium_is_warned_of_where_the_engine_is_cilium(void **state) {
    static const struct row rows[] = {
        {CILIUM, CILIUM_IN(APP, "egress: [{toEntities: [all]}]"), NULL, 1},
        {CILIUM, CILIUM_IN(APP, "egress: [{toEntities: [none]}]"), NULL, 1},
        {CILIUM, CILIUM_IN(APP, "ingress: [{}]"), NULL, 0},
        /* Without default-deny it matters only where it widens. */
        {CILIUM, CILIUM_IN(APP, "enableDefaultDeny: {egress: false}, egress: [{toEntities: [none]}]"), NULL, 0},
        {CILIUM, CILIUM_IN(APP, "enableDefaultDeny: {egress: false}, egress: [{toEntities: [all]}]"), NULL, 1},
    };
    expect(*state, rows, sizeof rows / sizeof *rows);
}

static void pod_of_the_inputs_carries_what_it_carries(void **state) {
    static const char pod[] = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: ns, labels: "
                              "{sandbox.namzu.ai/template: box}}\nspec: {containers: []}\n" CORE_IN(APP, OPEN);
    static const struct row rows[] = {{NULL, pod, NULL, 0}};
    expect(*state, rows, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(policy_for_further_labels_that_would_matter_is_warned_of, begin, end),
        cmocka_unit_test_setup_teardown(policy_of_cilium_is_warned_of_where_the_engine_is_cilium, begin, end),
        cmocka_unit_test_setup_teardown(pod_of_the_inputs_carries_what_it_carries, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

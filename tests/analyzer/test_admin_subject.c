/* Policies of policy.networking.k8s.io: whom they select, and what follows (spec/analysis.md 4, "Readings"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "given.h"
#include "tests/arena_state.h"

static const char cilium_config[] = "namespace: ns\nsandboxTemplateName: box\ningress: unverified\n"
                                    "egress: {policy: {kind: no-network}, engine: cilium}\n";

static const char namespaces[] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ns, labels: {team: a}}\n";

static const char *admin(struct arena *arena, const char *kind, const char *spec) {
    const char *version = strcmp(kind, "ClusterNetworkPolicy") == 0 ? "v1alpha2" : "v1alpha1";
    return arena_format(arena, "apiVersion: policy.networking.k8s.io/%s\nkind: %s\nmetadata: {name: x}\nspec: %s\n",
                        version, kind, spec);
}

static const struct side_decision *decide(struct arena *arena, const char *config, const char *kind, const char *spec) {
    struct given given = {
        .config = config,
        .files = {{"a.yaml", GIVEN_CLOSED}, {"b.yaml", admin(arena, kind, spec)}, {"c.yaml", namespaces}}};
    return given_egress(given_decide(arena, &given));
}

#define RULES "egress: [{action: Allow, to: [{namespaces: {}}]}]"

static const struct {
    const char *subject, *verdict, *refusal;
} subjects[] = {
    {"namespaces: {}", "not-evaluable", "not-evaluable"},
    {"namespaces: {matchLabels: {kubernetes.io/metadata.name: ns}}", "not-evaluable", "not-evaluable"},
    {"namespaces: {matchLabels: {kubernetes.io/metadata.name: other}}", "does-not-select", "pass"},
    {"namespaces: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [ns]}]}",
     "does-not-select", "pass"},
    {"namespaces: {matchLabels: {team: a}}", "not-evaluable", "not-evaluable"},
    {"namespaces: {matchLabels: {team: b}}", "does-not-select", "pass"},
    {"namespaces: {matchExpressions: [{key: stage, operator: Exists}]}", "does-not-select", "pass"},
    {"pods: {namespaceSelector: {}, podSelector: {}}", "not-evaluable", "not-evaluable"},
    {"pods: {namespaceSelector: {}, podSelector: {matchLabels: {sandbox.namzu.ai/template: other}}}", "does-not-select",
     "pass"},
    {"pods: {namespaceSelector: {matchLabels: {team: b}}, podSelector: {}}", "does-not-select", "pass"},
    {"pods: {namespaceSelector: {matchLabels: {team: a}}, podSelector: {matchLabels: {sandbox.namzu.ai/template: "
     "box}}}",
     "not-evaluable", "not-evaluable"},
    /* refused or misread: whom it selects cannot be told */
    {"namespaces: {matchLabels: {team: b}}, pods: {namespaceSelector: {}, podSelector: {}}", "not-evaluable",
     "not-evaluable"},
    {"namespaces: {namespaceSelector: {matchLabels: {team: b}}}", "not-evaluable", "not-evaluable"},
};

static void a_subject_that_does_not_hold_the_pod_does_not_select(void **state) {
    static const char *const kinds[] = {"AdminNetworkPolicy", "BaselineAdminNetworkPolicy", "ClusterNetworkPolicy"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
            const char *spec = arena_format(*state, "{subject: {%s}, " RULES "}", subjects[i].subject);
            const struct side_decision *side = decide(*state, NULL, kinds[k], spec);
            if (strcmp(given_verdict(side, kinds[k], "x"), subjects[i].verdict) != 0 ||
                strcmp(given_refusal(side), subjects[i].refusal) != 0)
                fail_msg("%s %s: %s, %s", kinds[k], subjects[i].subject, given_verdict(side, kinds[k], "x"),
                         given_refusal(side));
        }
}

static void an_unknown_namespace_may_carry_any_label(void **state) {
    const char *spec = "{subject: {namespaces: {matchLabels: {team: b}}}, " RULES "}";
    struct given given = {.files = {{"a.yaml", GIVEN_CLOSED}, {"b.yaml", admin(*state, "AdminNetworkPolicy", spec)}}};
    const struct side_decision *side = given_egress(given_decide(*state, &given));
    assert_string_equal(given_verdict(side, "AdminNetworkPolicy", "x"), "not-evaluable");
    assert_non_null(strstr(given_examined(side, "AdminNetworkPolicy", "x")->detail, "may select"));
}

static void a_cluster_policy_without_namespace_selector_means_all_namespaces(void **state) {
    const char *spec = "{subject: {pods: {podSelector: {}}}, " RULES "}";
    const struct side_decision *side = decide(*state, NULL, "ClusterNetworkPolicy", spec);
    assert_string_equal(given_verdict(side, "ClusterNetworkPolicy", "x"), "not-evaluable");
    assert_non_null(strstr(given_examined(side, "ClusterNetworkPolicy", "x")->detail, "it selects"));
}

static void without_egress_rules_it_adds_nothing(void **state) {
    static const char *const specs[] = {
        "{subject: {namespaces: {}}}",
        "{subject: {namespaces: {}}, egress: []}",
        "{subject: {namespaces: {}}, egress: null}",
        "{subject: {namespaces: {}}, ingress: [{action: Allow, from: [{namespaces: {}}]}]}",
        "{subject: {}}",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const struct side_decision *side = decide(*state, NULL, "AdminNetworkPolicy", specs[i]);
        assert_string_equal(given_verdict(side, "AdminNetworkPolicy", "x"), "not-egress-scoped");
        assert_string_equal(given_refusal(side), "pass");
    }
}

static void pods_on_the_hosts_network_are_no_subject(void **state) {
    static const char pod[] = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns, labels: "
                              "{sandbox.namzu.ai/template: box}}\nspec: {hostNetwork: true}\n";
    const char *spec = "{subject: {namespaces: {}}, " RULES "}";
    struct given given = {
        .files = {{"a.yaml", GIVEN_CLOSED}, {"b.yaml", admin(*state, "AdminNetworkPolicy", spec)}, {"c.yaml", pod}}};
    assert_string_equal(given_refusal(given_egress(given_decide(*state, &given))), "host-network");
}

/* ---- where Cilium enforces ---- */

static bool assumes(const struct decision *decision, const char *words) {
    for (size_t i = 0; i < decision->assumptions.count; i++)
        if (strstr(decision->assumptions.list[i], words))
            return true;
    return false;
}

static void under_cilium_they_are_noted_as_not_enforced(void **state) {
    static const struct {
        const char *kind, *detail, *assumption;
    } cases[] = {
        {"AdminNetworkPolicy", "Cilium does not enforce", "Cilium does not enforce AdminNetworkPolicies"},
        {"BaselineAdminNetworkPolicy", "Cilium does not enforce", "BaselineAdminNetworkPolicies"},
        {"ClusterNetworkPolicy", "from Cilium 1.20 on", "ClusterNetworkPolicies count from Cilium 1.20 on"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *object = admin(*state, cases[i].kind, "{subject: {namespaces: {}}, " RULES "}");
        struct given given = {.config = cilium_config, .files = {{"a.yaml", GIVEN_CLOSED}, {"b.yaml", object}}};
        const struct decision *decision = given_decide(*state, &given);
        const struct side_decision *side = given_egress(decision);
        assert_string_equal(given_refusal(side), "pass");
        assert_string_equal(given_verdict(side, cases[i].kind, "x"), "not-egress-scoped");
        assert_non_null(strstr(given_examined(side, cases[i].kind, "x")->detail, cases[i].detail));
        assert_true(assumes(decision, cases[i].assumption));
    }
}

static void ingress_asks_for_ingress_rules(void **state) {
    static const struct {
        const char *spec, *verdict;
    } cases[] = {
        {"{subject: {namespaces: {}}, " RULES "}", "not-ingress-scoped"},
        {"{subject: {namespaces: {}}, ingress: [{action: Allow, from: [{namespaces: {}}]}]}", "not-evaluable"},
        {"{subject: {namespaces: {matchLabels: {team: b}}}, ingress: [{action: Deny, from: []}]}", "does-not-select"},
    };
    static const char config[] = "namespace: ns\nsandboxTemplateName: box\negress: {policy: {kind: no-network}}\n";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct given given = {.config = config,
                              .files = {{"a.yaml", GIVEN_CLOSED},
                                        {"b.yaml", admin(*state, "AdminNetworkPolicy", cases[i].spec)},
                                        {"c.yaml", namespaces}},
                              .checks = 1u << CHECK_INGRESS};
        const struct decision *decision = given_decide(*state, &given);
        const struct side_decision *side = decision->boundaries[0].subjects[0].ingress;
        assert_string_equal(given_verdict(side, "AdminNetworkPolicy", "x"), cases[i].verdict);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_subject_that_does_not_hold_the_pod_does_not_select, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_namespace_may_carry_any_label, begin, end),
        cmocka_unit_test_setup_teardown(a_cluster_policy_without_namespace_selector_means_all_namespaces, begin, end),
        cmocka_unit_test_setup_teardown(without_egress_rules_it_adds_nothing, begin, end),
        cmocka_unit_test_setup_teardown(pods_on_the_hosts_network_are_no_subject, begin, end),
        cmocka_unit_test_setup_teardown(under_cilium_they_are_noted_as_not_enforced, begin, end),
        cmocka_unit_test_setup_teardown(ingress_asks_for_ingress_rules, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

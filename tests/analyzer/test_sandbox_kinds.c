/* SandboxTemplates, claims and Sandboxes in decisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "given.h"
#include "tests/arena_state.h"

#define HASH "agents.x-k8s.io/sandbox-template-ref-hash"
#define LABEL "sandbox.namzu.ai/template"

static const char *object(struct arena *arena, const char *kind, const char *metadata, const char *spec) {
    const char *group = strcmp(kind, "Sandbox") == 0 ? "agents.x-k8s.io" : "extensions.agents.x-k8s.io";
    return arena_format(arena, "---\napiVersion: %s/v1beta1\nkind: %s\nmetadata: {namespace: ns, %s}\nspec: %s\n",
                        group, kind, metadata, spec);
}

static const char *template(struct arena *arena, const char *labels, const char *rest) {
    return object(
        arena, "SandboxTemplate", "name: box",
        arena_format(arena, "{podTemplate: {metadata: {labels: {%s}}}%s%s}", labels, *rest ? ", " : "", rest));
}

static const char *pod(struct arena *arena, const char *name, const char *labels) {
    return arena_format(arena, "---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: ns, name: %s, labels: {%s}}\n",
                        name, labels);
}

#define OPEN "networkPolicy: {egress: [{}]}"
#define SHUT "networkPolicy: {}"

static const struct decision *decide(struct arena *arena, const char *config, const char *objects) {
    struct given given = {.config = config,
                          .files = {{"a.yaml", GIVEN_CLOSED}, {"b.yaml", arena_format(arena, "%s", objects)}}};
    return given_decide(arena, &given);
}

static const char *verdict(const struct decision *decision) {
    return given_verdict(given_egress(decision), "SandboxTemplate", "box");
}

/* ---- subjects ---- */

static void a_template_gives_the_labels_of_its_pods(void **state) {
    const struct decision *decision =
        decide(*state, NULL, template(*state, LABEL ": box, app: x", "networkPolicyManagement: Unmanaged"));
    const struct subject_decision *subject = &decision->boundaries[0].subjects[0];
    assert_string_equal(given_refusal(given_egress(decision)), "pass");
    assert_string_equal(labels_get(&subject->labels, "app"), "x");
    assert_string_equal(subject->pods.list[0], "ns/box");
}

static void labels_that_the_controller_adds_are_not_known(void **state) {
    static const char policy[] = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: q, "
                                 "namespace: ns}\nspec: {podSelector: {matchLabels: {agents.x-k8s.io/pool: p}}, "
                                 "policyTypes: [Egress], egress: [{}]}\n";
    const char *objects =
        arena_format(*state, "%s%s", policy, template(*state, LABEL ": box", "networkPolicyManagement: Unmanaged"));
    const struct decision *decision = decide(*state, NULL, objects);
    assert_string_equal(given_verdict(given_egress(decision), "NetworkPolicy", "q"), "not-evaluable");
}

/* ---- the block ---- */

static void a_block_may_select_a_pod_of_the_template(void **state) {
    const struct decision *decision = decide(*state, NULL, template(*state, LABEL ": box", OPEN));
    assert_string_equal(verdict(decision), "not-evaluable");
    assert_string_equal(given_refusal(given_egress(decision)), "not-evaluable");
    decision = decide(*state, NULL, template(*state, LABEL ": box", SHUT));
    assert_string_equal(verdict(decision), "not-evaluable");
    assert_string_equal(given_refusal(given_egress(decision)), "pass");
}

static void a_block_never_selects_a_pod_that_was_made_directly(void **state) {
    const char *objects =
        arena_format(*state, "%s%s", template(*state, LABEL ": box", OPEN), pod(*state, "p", LABEL ": box"));
    const struct decision *decision = decide(*state, NULL, objects);
    assert_string_equal(verdict(decision), "does-not-select");
    assert_string_equal(given_refusal(given_egress(decision)), "pass");
}

static void a_block_may_select_a_pod_with_the_pools_label(void **state) {
    const char *pooled = pod(*state, "p", LABEL ": box, " HASH ": h");
    const struct decision *decision =
        decide(*state, NULL, arena_format(*state, "%s%s", template(*state, LABEL ": box", OPEN), pooled));
    assert_string_equal(verdict(decision), "not-evaluable");
    static const struct {
        const char *value, *verdict;
    } cases[] = {{"h", "widens-egress"}, {"other", "does-not-select"}};
    for (size_t i = 0; i < 2; i++) {
        const char *known =
            object(*state, "SandboxTemplate", arena_format(*state, "name: box, labels: {" HASH ": %s}", cases[i].value),
                   "{podTemplate: {metadata: {labels: {" LABEL ": box}}}, " OPEN "}");
        decision = decide(*state, NULL, arena_format(*state, "%s%s", known, pooled));
        assert_string_equal(verdict(decision), cases[i].verdict);
    }
    const struct examined *examined = NULL;
    decision = decide(*state, NULL,
                      arena_format(*state, "%s%s",
                                   object(*state, "SandboxTemplate", "name: box, labels: {" HASH ": h}", "{" OPEN "}"),
                                   pooled));
    examined = given_examined(given_egress(decision), "SandboxTemplate", "box");
    assert_string_equal(examined->path, "spec.networkPolicy.egress[0]");
    assert_true(examined->location.line > 1);
}

static void a_block_may_select_a_pod_that_the_config_describes(void **state) {
    /* The profile comes with the claim, so the template's own pods are not the boundary's. */
    static const char profile[] =
        "namespace: ns\nsandboxTemplateName: box\ningress: unverified\negress: {policy: {kind: "
        "no-network}, profile: shut}\n";
    const struct decision *decision = decide(*state, profile, template(*state, LABEL ": box", OPEN));
    assert_string_equal(verdict(decision), "not-evaluable");
    decision = decide(*state, profile, template(*state, LABEL ": other, app: x", OPEN));
    assert_string_equal(verdict(decision), "does-not-select");
}

static void labels_that_are_all_there_are_lack_the_pools(void **state) {
    struct given given = {.labels = LABEL "=box",
                          .files = {{"a.yaml", GIVEN_CLOSED}, {"b.yaml", template(*state, LABEL ": box", OPEN)}}};
    assert_string_equal(verdict(given_decide(*state, &given)), "does-not-select");
}

static void an_unmanaged_template_makes_no_policy(void **state) {
    const struct decision *decision =
        decide(*state, NULL, template(*state, LABEL ": box", OPEN ", networkPolicyManagement: Unmanaged"));
    assert_string_equal(verdict(decision), "none");
}

static void the_policy_that_was_made_stands_for_the_block(void **state) {
    const char *block = template(*state, LABEL ": box", OPEN);
    struct arena *arena = *state;
    for (unsigned differs = 0; differs < 2; differs++) {
        struct buffer out;
        buffer_init(&out, arena);
        buffer_add_string(&out, block);
        buffer_print(&out,
                     "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: box-network-policy, "
                     "namespace: ns}\nspec: {podSelector: {matchLabels: {" HASH
                     ": h}}, policyTypes: [Ingress, Egress], egress: %s}\n",
                     differs ? "[]" : "[{}]");
        const struct decision *decision = decide(arena, NULL, buffer_string(&out));
        assert_string_equal(verdict(decision), differs ? "not-evaluable" : "none");
        assert_string_equal(given_verdict(given_egress(decision), "NetworkPolicy", "box-network-policy"),
                            "not-evaluable");
    }
}

static void without_a_pool_no_pod_comes_out_of_one(void **state) {
    static const char index[] =
        "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"collections\": ["
        "{\"resource\": \"networkpolicies\", \"status\": \"read\", \"file\": \"np.yaml\", \"items\": 1},"
        "{\"resource\": \"adminnetworkpolicies\", \"status\": \"not-served\"},"
        "{\"resource\": \"baselineadminnetworkpolicies\", \"status\": \"not-served\"},"
        "{\"resource\": \"clusternetworkpolicies\", \"status\": \"not-served\"},"
        "{\"resource\": \"sandboxtemplates\", \"status\": \"read\", \"file\": \"t.yaml\", \"items\": 1},"
        "{\"resource\": \"sandboxwarmpools\", \"status\": \"read\", \"file\": \"p.yaml\", \"items\": 1}]}";
    static const struct {
        const char *of, *verdict;
    } cases[] = {{"other", "does-not-select"}, {"box", "not-evaluable"}};
    for (size_t i = 0; i < 2; i++) {
        const char *spec = arena_format(*state, "{sandboxTemplateRef: {name: %s}}", cases[i].of);
        struct given given = {.files = {{"s/snapshot.json", index},
                                        {"s/np.yaml", GIVEN_CLOSED},
                                        {"s/t.yaml", template(*state, LABEL ": box", OPEN)},
                                        {"s/p.yaml", object(*state, "SandboxWarmPool", "name: p", spec)}}};
        assert_string_equal(verdict(given_decide(*state, &given)), cases[i].verdict);
    }
}

static void a_template_without_a_block_gets_one_that_is_warned_of(void **state) {
    static const struct {
        const char *rest;
        size_t warnings;
    } cases[] = {
        {"", 1}, {SHUT, 0}, {"networkPolicyManagement: Unmanaged", 0}, {"networkPolicyManagement: Managed", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct decision *decision = decide(*state, NULL, template(*state, LABEL ": box", cases[i].rest));
        assert_int_equal(given_findings(decision, CODE_MIGHT_SELECT), cases[i].warnings);
        assert_string_equal(given_refusal(given_egress(decision)), "pass");
    }
}

/* ---- the template label ---- */

static void the_template_label_is_the_templates_name(void **state) {
    static const struct {
        const char *name, *labels;
        size_t refusals;
    } cases[] = {
        {"box", LABEL ": box", 0},     {"box", LABEL ": other", 1}, {"box", "app: x", 1},
        {"other", LABEL ": other", 0}, {"other", LABEL ": box", 1}, {"other", LABEL ": third", 0},
        {"other", "app: x", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *spec = arena_format(
            *state, "{podTemplate: {metadata: {labels: {%s}}}, networkPolicyManagement: Unmanaged}", cases[i].labels);
        const char *metadata = arena_format(*state, "name: %s", cases[i].name);
        const struct decision *decision = decide(*state, NULL, object(*state, "SandboxTemplate", metadata, spec));
        if (given_refusals(decision, CODE_TEMPLATE_LABEL_MISMATCH) != cases[i].refusals)
            fail_msg("%s with %s", cases[i].name, cases[i].labels);
        assert_int_equal(decision->refused, cases[i].refusals > 0);
    }
}

/* ---- claims and Sandboxes ---- */

static const char profiled[] = "namespace: ns\nsandboxTemplateName: box\ningress: unverified\n"
                               "egress: {policy: {kind: no-network}, profile: shut, profileLabelKey: "
                               "sandbox.users.io/profile, networkPolicyName: box-egress}\n";

static size_t missing(struct arena *arena, const char *config, const char *objects, bool warnings) {
    const struct decision *decision = decide(arena, config, objects);
    return warnings ? given_findings(decision, CODE_POD_LABEL_MISSING)
                    : given_refusals(decision, CODE_POD_LABEL_MISSING);
}

static void pods_of_claims_carry_what_the_config_stamps(void **state) {
    const char *plain = template(*state, LABEL ": box", "networkPolicyManagement: Unmanaged");
    static const struct {
        const char *spec;
        size_t refusals;
    } cases[] = {
        {"{sandboxTemplateRef: {name: box}}", 1},
        {"{sandboxTemplateRef: {name: box}, additionalPodMetadata: {labels: {sandbox.users.io/profile: shut}}}", 0},
        {"{sandboxTemplateRef: {name: box}, additionalPodMetadata: {labels: {sandbox.users.io/profile: open}}}", 0},
        {"{sandboxTemplateRef: {name: other}}", 0},
        {"{warmPoolRef: {name: p}}", 1},
        {"{warmPoolRef: {name: q}}", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *objects =
            arena_format(*state, "%s%s%s", plain, object(*state, "SandboxClaim", "name: c", cases[i].spec),
                         object(*state, "SandboxWarmPool", "name: p", "{sandboxTemplateRef: {name: box}}"));
        if (missing(*state, profiled, objects, false) != cases[i].refusals)
            fail_msg("%s", cases[i].spec);
    }
}

static void without_its_template_a_claim_is_only_warned_of(void **state) {
    const char *claim = object(*state, "SandboxClaim", "name: c", "{sandboxTemplateRef: {name: box}}");
    assert_int_equal(missing(*state, profiled, claim, false), 0);
    assert_int_equal(missing(*state, profiled, claim, true), 2);
}

static void a_claim_without_a_profile_may_be_of_the_boundary_without_one(void **state) {
    const char *config = arena_format(*state,
                                      "%s---\nnamespace: ns\nsandboxTemplateName: box\ningress: unverified\negress: "
                                      "{policy: {kind: no-network}, networkPolicyName: plain}\n",
                                      profiled);
    const char *objects =
        arena_format(*state, "%s%s", template(*state, LABEL ": box", "networkPolicyManagement: Unmanaged"),
                     object(*state, "SandboxClaim", "name: c", "{sandboxTemplateRef: {name: box}}"));
    const struct decision *decision = decide(*state, config, objects);
    for (size_t i = 0; i < decision->boundaries[0].refusals.count; i++)
        assert_int_not_equal(decision->boundaries[0].refusals.list[i].code, CODE_POD_LABEL_MISSING);
}

static void pods_of_sandboxes_carry_what_the_config_stamps(void **state) {
    static const struct {
        const char *metadata, *labels;
        size_t refusals;
    } cases[] = {
        {"name: s", LABEL ": box, sandbox.users.io/profile: shut", 0},
        {"name: s", LABEL ": box", 1},
        {"name: s", LABEL ": box, sandbox.users.io/profile: open", 0},
        {"name: s", LABEL ": other", 0},
        {"name: s", "app: x", 0},
        {"name: s, annotations: {agents.x-k8s.io/sandbox-template-ref: box}", "sandbox.users.io/profile: shut", 1},
        {"name: s, annotations: {agents.x-k8s.io/sandbox-template-ref: other}", "sandbox.users.io/profile: shut", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *spec = arena_format(*state, "{podTemplate: {metadata: {labels: {%s}}}}", cases[i].labels);
        if (missing(*state, profiled, object(*state, "Sandbox", cases[i].metadata, spec), false) != cases[i].refusals)
            fail_msg("%s: %s", cases[i].metadata, cases[i].labels);
    }
}

/* ---- label domains ---- */

static void the_controller_must_admit_the_profiles_domain(void **state) {
    static const char config[] = "namespace: ns\nsandboxTemplateName: box\ningress: unverified\n"
                                 "egress: {policy: {kind: no-network}, profile: shut, networkPolicyName: box-egress}\n";
    static const char maps[] =
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: agent-sandbox-config, namespace: "
        "agent-sandbox-system}\ndata: {allowed-label-domains: '%s'}\n";
    const char *claim =
        object(*state, "SandboxClaim", "name: c",
               "{sandboxTemplateRef: {name: box}, additionalPodMetadata: {labels: {sandbox.namzu.ai/egress-profile: "
               "shut}}}");
    static const struct {
        const char *domains; /* NULL: no ConfigMap */
        bool claims;
        size_t refusals;
    } cases[] = {
        {NULL, true, 1},
        {NULL, false, 0},
        {"sandbox.namzu.ai", true, 0},
        {"sandbox.users.io", true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer out;
        buffer_init(&out, *state);
        buffer_add_string(&out, cases[i].claims ? claim : "");
        if (cases[i].domains) {
            const char *mark = strstr(maps, "%s");
            buffer_add(&out, maps, (size_t)(mark - maps));
            buffer_add_string(&out, cases[i].domains);
            buffer_add_string(&out, mark + 2);
        }
        const struct decision *decision = decide(*state, config, buffer_string(&out));
        assert_int_equal(given_refusals(decision, CODE_LABEL_DOMAIN_NOT_ALLOWED), cases[i].refusals);
    }
}

static void the_controller_must_admit_the_per_sandbox_domain(void **state) {
    static const char config[] =
        "namespace: ns\nsandboxTemplateName: box\ningress: unverified\negress: {policy: {kind: no-network}, "
        "networkPolicyName: box-egress, perSandbox: {engine: cilium, admissionPolicyName: fence}}\n";
    const char *objects =
        arena_format(*state, "%s%s", template(*state, LABEL ": box", "networkPolicyManagement: Unmanaged"),
                     object(*state, "SandboxClaim", "name: c", "{sandboxTemplateRef: {name: box}}"));
    assert_int_equal(given_refusals(decide(*state, config, objects), CODE_LABEL_DOMAIN_NOT_ALLOWED), 1);
    assert_int_equal(given_refusals(decide(*state, NULL, objects), CODE_LABEL_DOMAIN_NOT_ALLOWED), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_template_gives_the_labels_of_its_pods, begin, end),
        cmocka_unit_test_setup_teardown(labels_that_the_controller_adds_are_not_known, begin, end),
        cmocka_unit_test_setup_teardown(a_block_may_select_a_pod_of_the_template, begin, end),
        cmocka_unit_test_setup_teardown(a_block_never_selects_a_pod_that_was_made_directly, begin, end),
        cmocka_unit_test_setup_teardown(a_block_may_select_a_pod_with_the_pools_label, begin, end),
        cmocka_unit_test_setup_teardown(a_block_may_select_a_pod_that_the_config_describes, begin, end),
        cmocka_unit_test_setup_teardown(labels_that_are_all_there_are_lack_the_pools, begin, end),
        cmocka_unit_test_setup_teardown(an_unmanaged_template_makes_no_policy, begin, end),
        cmocka_unit_test_setup_teardown(the_policy_that_was_made_stands_for_the_block, begin, end),
        cmocka_unit_test_setup_teardown(without_a_pool_no_pod_comes_out_of_one, begin, end),
        cmocka_unit_test_setup_teardown(a_template_without_a_block_gets_one_that_is_warned_of, begin, end),
        cmocka_unit_test_setup_teardown(the_template_label_is_the_templates_name, begin, end),
        cmocka_unit_test_setup_teardown(pods_of_claims_carry_what_the_config_stamps, begin, end),
        cmocka_unit_test_setup_teardown(without_its_template_a_claim_is_only_warned_of, begin, end),
        cmocka_unit_test_setup_teardown(a_claim_without_a_profile_may_be_of_the_boundary_without_one, begin, end),
        cmocka_unit_test_setup_teardown(pods_of_sandboxes_carry_what_the_config_stamps, begin, end),
        cmocka_unit_test_setup_teardown(the_controller_must_admit_the_profiles_domain, begin, end),
        cmocka_unit_test_setup_teardown(the_controller_must_admit_the_per_sandbox_domain, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sandbox kinds as evidence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "kube/sandbox.h"
#include "sample.h"

#define TEMPLATE(name, labels, spec)                                                                                   \
    "---\napiVersion: extensions.agents.x-k8s.io/v1beta1\nkind: SandboxTemplate\nmetadata: {namespace: ns, "           \
    "name: " name ", labels: " labels "}\nspec: " spec "\n"
#define CLAIM(name, spec)                                                                                              \
    "---\napiVersion: extensions.agents.x-k8s.io/v1beta1\nkind: SandboxClaim\nmetadata: {namespace: ns, name: " name   \
    "}\n"                                                                                                              \
    "spec: " spec "\n"
#define POOL(name, template)                                                                                           \
    "---\napiVersion: extensions.agents.x-k8s.io/v1beta1\nkind: SandboxWarmPool\nmetadata: {namespace: ns, "           \
    "name: " name "}\nspec: {sandboxTemplateRef: {name: " template "}}\n"

static struct sample *read(const char *yaml, struct sandboxes *sandboxes) {
    struct sample *sample = sample_read(yaml, NULL);
    sandboxes_read(&sample->objects, sample->arena, sandboxes);
    return sample;
}

static void a_template_gives_labels_and_a_block(void **state) {
    (void)state;
    struct sandboxes sandboxes;
    struct sample *sample =
        read(TEMPLATE("a", "{}", "{podTemplate: {metadata: {labels: {x: one}}}, networkPolicy: {egress: []}}")
                 TEMPLATE("b", "{}", "{networkPolicy: {}, networkPolicyManagement: Unmanaged}")
                     TEMPLATE("c", "{agents.x-k8s.io/sandbox-template-ref-hash: h}", "{}"),
             &sandboxes);
    assert_int_equal(sandboxes.template_count, 3);
    const struct sandbox_template *a = sandbox_template_find(&sandboxes, "ns", "a");
    const struct sandbox_template *b = sandbox_template_find(&sandboxes, "ns", "b");
    const struct sandbox_template *c = sandbox_template_find(&sandboxes, "ns", "c");
    assert_string_equal(labels_get(&a->labels, "x"), "one");
    assert_non_null(a->block);
    assert_false(a->default_block);
    assert_null(b->block);
    assert_false(b->default_block);
    assert_null(c->block);
    assert_true(c->default_block);
    assert_string_equal(c->pool_value, "h");
    assert_null(sandbox_template_find(&sandboxes, "other", "a"));
    assert_null(sandbox_template_find(&sandboxes, "ns", "d"));
    sample_destroy(sample);
}

static void a_block_becomes_a_policy_that_isolates_both_ways(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint32_t egress, ingress;
    } cases[] = {
        {TEMPLATE("t", "{}", "{networkPolicy: {}}"), 0, 0},
        {TEMPLATE("t", "{}", "{networkPolicy: {egress: [{}, {}]}}"), 2, 0},
        {TEMPLATE("t", "{}", "{networkPolicy: {ingress: [{}], egress: []}}"), 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sandboxes sandboxes;
        struct sample *sample = read(cases[i].spec, &sandboxes);
        const struct policy *policy = sandbox_template_policy(&sandboxes.templates[0], sample->arena);
        assert_int_equal(policy->problem_count, 0);
        assert_true(policy->core->isolates_egress && policy->core->isolates_ingress);
        assert_int_equal(policy->core->egress.count, cases[i].egress);
        assert_int_equal(policy->core->ingress.count, cases[i].ingress);
        assert_int_equal(policy->core->pods.count, 1);
        assert_string_equal(policy->core->pods.requirements[0].key, SANDBOX_POOL_LABEL);
        sample_destroy(sample);
    }
}

static void a_block_of_another_type_cannot_be_evaluated(void **state) {
    (void)state;
    struct sandboxes sandboxes;
    struct sample *sample = read(TEMPLATE("t", "{}", "{networkPolicy: closed}"), &sandboxes);
    const struct policy *policy = sandbox_template_policy(&sandboxes.templates[0], sample->arena);
    assert_non_null(policy_problem(policy, PROBLEM_TYPE, cilium_from(CILIUM_1_15)));
    sample_destroy(sample);
}

static void a_claim_names_its_template_or_a_pool(void **state) {
    (void)state;
    struct sandboxes sandboxes;
    struct sample *sample =
        read(CLAIM("a", "{sandboxTemplateRef: {name: t}, additionalPodMetadata: {labels: {x: one}}}")
                 CLAIM("b", "{warmPoolRef: {name: p}}") CLAIM("c", "{warmPoolRef: {name: q}}") CLAIM("d", "{}")
                     POOL("p", "u"),
             &sandboxes);
    assert_int_equal(sandboxes.claim_count, 4);
    assert_string_equal(sandbox_claim_template(&sandboxes, &sandboxes.claims[0]), "t");
    assert_string_equal(labels_get(&sandboxes.claims[0].labels, "x"), "one");
    assert_string_equal(sandbox_claim_template(&sandboxes, &sandboxes.claims[1]), "u");
    assert_null(sandbox_claim_template(&sandboxes, &sandboxes.claims[2]));
    assert_null(sandbox_claim_template(&sandboxes, &sandboxes.claims[3]));
    sample_destroy(sample);
}

static void templates_and_sandboxes_hold_pod_templates(void **state) {
    (void)state;
    struct sample *sample = sample_read(TEMPLATE("t", "{}",
                                                 "{podTemplate: {metadata: {labels: {x: one}}, spec: {hostNetwork: "
                                                 "true}}}") "---\napiVersion: agents.x-k8s.io/v1beta1\nkind: "
                                                            "Sandbox\nmetadata: {namespace: ns, name: s, labels: "
                                                            "{agents.x-k8s.io/sandbox-template-ref-hash: h}}\nspec: "
                                                            "{podTemplate: {metadata: {labels: {x: two}}}}\n",
                                        NULL);
    struct evidence evidence;
    evidence_read(&sample->objects, sample->arena, &evidence, &sample->diagnostics);
    assert_int_equal(evidence.pod_count, 2);
    assert_string_equal(evidence.pods[0].name, "s");
    assert_true(evidence.pods[0].is_template);
    assert_string_equal(labels_get(&evidence.pods[0].labels, SANDBOX_POOL_LABEL), "h");
    assert_string_equal(labels_get(&evidence.pods[1].labels, "x"), "one");
    assert_true(evidence.pods[1].host_network);
    sample_destroy(sample);
}

static void domains_are_sandbox_users_io_unless_listed(void **state) {
    (void)state;
    static const struct {
        const char *list, *key; /* no list: no ConfigMap */
        bool allows;
    } cases[] = {
        {NULL, "sandbox.users.io/x", true},
        {NULL, "a.sandbox.users.io/x", true},
        {NULL, "notsandbox.users.io/x", false},
        {NULL, "sandbox.namzu.ai/x", false},
        {NULL, "x", false},
        {"''", "sandbox.users.io/x", true},
        {"' ,, '", "sandbox.users.io/x", true},
        {"sandbox.namzu.ai", "sandbox.namzu.ai/x", true},
        {"sandbox.namzu.ai", "sandbox.users.io/x", false},
        {"namzu.ai", "sandbox.namzu.ai/x", true},
        {"\"a.example\\r\\n Sandbox.Namzu.AI \\n\"", "sandbox.namzu.ai/x", true},
        {"'a.example, sandbox.namzu.ai'", "sandbox.namzu.ai/x", true},
        {"'a.example b.example'", "a.example/x", false},
        {"amzu.ai", "sandbox.namzu.ai/x", false},
        {"5", "sandbox.users.io/x", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *scratch = arena_create();
        const char *yaml = arena_format(scratch,
                                        "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: x, name: "
                                        "agent-sandbox-config}\ndata: {allowed-label-domains: %s}\n",
                                        cases[i].list ? cases[i].list : "a");
        struct sample *sample = sample_read(yaml, NULL);
        const struct object *config = cases[i].list ? sample_object(sample, OBJECT_CONFIG_MAP) : NULL;
        if (sandbox_allows_label(config, cases[i].key) != cases[i].allows)
            fail_msg("%s of %s", cases[i].key, cases[i].list ? cases[i].list : "no list");
        sample_destroy(sample);
        arena_destroy(scratch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_gives_labels_and_a_block),
        cmocka_unit_test(a_block_becomes_a_policy_that_isolates_both_ways),
        cmocka_unit_test(a_block_of_another_type_cannot_be_evaluated),
        cmocka_unit_test(a_claim_names_its_template_or_a_pool),
        cmocka_unit_test(templates_and_sandboxes_hold_pod_templates),
        cmocka_unit_test(domains_are_sandbox_users_io_unless_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

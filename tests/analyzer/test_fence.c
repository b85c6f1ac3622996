#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/verify.h"
#include "base/arena.h"
#include "compiler/fence.h"
#include "document/writer.h"

/* The objects of a fence, in the order of output. */
enum { POLICY, BINDING, HOSTS_POLICY, HOSTS_BINDING, CONFIG_MAP };

static const char identified[] = "    hostIdentity: system:serviceaccount:agents-system:grant-writer\n";

/* One change of a fence, and what verify says then: the codes of the refusals and of drift, in order. */
struct change {
    unsigned object;
    const char *from, *to; /* NULL: the object is left out */
    const char *said;
};

struct scene {
    struct arena *arena;
    struct config config;
    struct fence fence;
    struct diagnostics diagnostics;
    const char *extra; /* further objects */
};

static void set_up(struct scene *scene, const char *fields) {
    *scene = (struct scene){.arena = arena_create(), .extra = ""};
    struct config_options options = {.limits = limits_default()};
    diagnostics_init(&scene->diagnostics, scene->arena);
    const char *text = arena_format(scene->arena,
                                    "namespace: agents\n"
                                    "sandboxTemplateName: coder\n"
                                    "egress:\n"
                                    "  engine: cilium\n"
                                    "  policy: {kind: deny-all}\n"
                                    "  perSandbox:\n"
                                    "    engine: cilium\n"
                                    "    admissionPolicyName: grants\n"
                                    "%s",
                                    fields);
    if (config_read_text("egress.yaml", ".", text_of(text), &options, scene->arena, &scene->config,
                         &scene->diagnostics) != CONFIG_OK) {
        fail_msg("the config is refused: %s", fields);
    }
}

static void compile(struct scene *scene) {
    if (!fence_of_config(&scene->config, scene->arena, &scene->fence, &scene->diagnostics)) {
        fail_msg("no fence is compiled");
    }
}

/* `text` with the only `from` in it as `to`. */
static const char *replaced(struct arena *arena, const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at || strstr(at + 1, from)) {
        fail_msg("%s stands %s in\n%s", from, at ? "twice" : "nowhere", text);
        return text;
    }
    return arena_format(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static const char *spell(struct scene *scene, const struct change *change) {
    struct buffer stream;
    buffer_init(&stream, scene->arena);
    buffer_add_string(&stream, scene->extra);
    for (unsigned i = 0; i < scene->fence.count; i++) {
        struct buffer object;
        buffer_init(&object, scene->arena);
        writer_yaml(&object, &scene->fence.list[i].tree);
        const char *text = buffer_string(&object);
        bool changed = change && change->object == i;
        if (changed && !change->from) {
            continue;
        }
        buffer_add_string(&stream, "---\n");
        buffer_add_string(&stream, changed ? replaced(scene->arena, text, change->from, change->to) : text);
    }
    return buffer_string(&stream);
}

static const struct fence_decision *decide(struct scene *scene, const char *objects, struct decision *decision) {
    struct file *file = arena_alloc(scene->arena, sizeof *file);
    struct inputs *inputs = arena_alloc(scene->arena, sizeof *inputs);
    struct reader_options options = {.limits = limits_default()};
    reader_read_text("objects.yaml", text_of(objects), &options, scene->arena, file, &scene->diagnostics);
    *inputs = (struct inputs){.files = file, .count = 1};
    const struct verify_request request = {.config = &scene->config, .inputs = inputs, .checks = 1u << CHECK_FENCE};
    const char *problem = verify_decide(&request, scene->arena, &scene->diagnostics, decision);
    if (problem) {
        fail_msg("nothing is decided: %s", problem);
    }
    assert_int_equal(decision->boundary_count, 1);
    return decision->boundaries[0].fence;
}

/* The codes of the fence's refusals, then those of drift among the findings; "match" where there is none. */
static const char *said(struct scene *scene, const char *objects) {
    struct decision decision;
    const struct fence_decision *fence = decide(scene, objects, &decision);
    struct buffer codes;
    assert_non_null(fence);
    buffer_init(&codes, scene->arena);
    for (size_t i = 0; i < fence->refusals.count; i++) {
        buffer_print(&codes, "%s%s", codes.length ? " " : "", code_word(fence->refusals.list[i].code));
    }
    for (size_t i = 0; i < decision.findings.count; i++) {
        if (decision.findings.list[i].code == CODE_FENCE_DRIFT) {
            buffer_print(&codes, "%s%s", codes.length ? " " : "", "fence-drift");
        }
    }
    assert_int_equal(fence->refusals.count > 0, decision.refused);
    assert_int_equal(fence->refusals.count > 0, decision.boundaries[0].refusals.count > 0);
    if (codes.length == 0) {
        assert_int_equal(fence->status, FENCE_MATCH);
    }
    return codes.length ? buffer_string(&codes) : "match";
}

static void judge_changes(const char *fields, const char *extra, const struct change *changes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct scene scene;
        set_up(&scene, fields);
        compile(&scene);
        scene.extra = extra;
        const char *got = said(&scene, spell(&scene, &changes[i]));
        if (strcmp(got, changes[i].said) != 0) {
            fail_msg("%s -> %s: said %s, expected %s", changes[i].from ? changes[i].from : "(left out)",
                     changes[i].to ? changes[i].to : "", got, changes[i].said);
        }
        arena_destroy(scene.arena);
    }
}
#define JUDGE(fields, extra, changes) judge_changes(fields, extra, changes, sizeof changes / sizeof *(changes))

#define MATCH_LABELS "    namespaceSelector:\n      matchLabels:\n        kubernetes.io/metadata.name: agents\n"
#define RESOURCES "        resources:\n          - ciliumnetworkpolicies\n"
#define CONDITION "'request.userInfo.username == ''system:serviceaccount:agents-system:grant-writer'''"
#define CONDITIONS "  matchConditions:\n    - name: written-by-the-fenced-identity\n      expression: " CONDITION "\n"
#define ACTIONS "  validationActions:\n    - Deny\n"

static void what_is_compiled_matches(void **state) {
    (void)state;
    struct scene scene;
    set_up(&scene, identified);
    compile(&scene);
    assert_string_equal(said(&scene, spell(&scene, NULL)), "match");
    arena_destroy(scene.arena);
    const char *both = "    hostIdentity: o'neil\\writer\"1\n"
                       "    permittedHostsParam: {name: permitted-hosts, namespace: agents-system}\n"
                       "    narrowing: {ports: [443], dnsNames: true, hostPorts: {.example.com: [80]}}\n";
    set_up(&scene, both);
    compile(&scene);
    assert_string_equal(said(&scene, spell(&scene, NULL)), "match");
    arena_destroy(scene.arena);
}

static void what_the_api_server_fills_in_is_no_difference(void **state) {
    (void)state;
    static const struct change changes[] = {
        {POLICY, MATCH_LABELS, MATCH_LABELS "    matchPolicy: Equivalent\n    objectSelector: {}\n", "match"},
        {POLICY, "metadata:\n", "metadata:\n  uid: 1f\n  generation: 1\n  managedFields: []\n", "match"},
        {POLICY, "spec:\n", "status: {observedGeneration: 1, typeChecking: {}}\nspec:\n", "match"},
        {POLICY, "  failurePolicy: Fail\n", "", "match"},
        {POLICY, "        scope: Namespaced\n", "        scope: '*'\n", "match"},
        {POLICY, "        scope: Namespaced\n", "", "match"},
        {POLICY, "          - CREATE\n          - UPDATE\n          - DELETE\n", "          - '*'\n", "match"},
        {POLICY, RESOURCES, "        resources: ['*/*']\n", "match"},
        {POLICY, "          - cilium.io\n", "          - '*'\n", "match"},
        {POLICY, "          - v2\n", "          - '*'\n", "match"},
        {BINDING, ACTIONS, ACTIONS "    - Audit\n", "match"},
        {BINDING, ACTIONS,
         ACTIONS "  matchResources: {matchPolicy: Equivalent, namespaceSelector: {}, objectSelector: {}}\n", "match"},
        {HOSTS_POLICY, MATCH_LABELS, MATCH_LABELS "    matchPolicy: Equivalent\n    objectSelector: {}\n", "match"},
    };
    const char *fields = "    hostIdentity: w\n"
                         "    permittedHostsParam: {name: permitted-hosts, namespace: agents-system}\n";
    JUDGE(fields, "", changes);
}

static const char whole[] = "    hostIdentity: system:serviceaccount:agents-system:grant-writer\n"
                            "    permittedHostsParam: {name: permitted-hosts, namespace: agents-system}\n";

static void each_object_that_is_missing_is_named(void **state) {
    (void)state;
    static const struct change changes[] = {
        {POLICY, NULL, NULL, "fence-missing"},
        {BINDING, NULL, NULL, "fence-missing"},
        {HOSTS_POLICY, NULL, NULL, "fence-param"},
        {HOSTS_BINDING, NULL, NULL, "fence-param"},
        {CONFIG_MAP, NULL, NULL, "fence-param"},
        {POLICY, "  name: grants\n", "  name: others\n", "fence-missing"},
        {BINDING, "  name: grants-binding\n", "  name: others\n", "fence-missing"},
    };
    JUDGE(whole, "", changes);
    struct scene scene;
    set_up(&scene, whole);
    assert_string_equal(said(&scene, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"),
                        "fence-missing fence-missing fence-param fence-param fence-param");
    arena_destroy(scene.arena);
}

/* The rows of spec/kubernetes-egress.md 7.3. */
static void what_denies_nothing_is_inert(void **state) {
    (void)state;
    static const struct change changes[] = {
        /* the binding names another policy, or observes only */
        {BINDING, "  policyName: grants\n", "  policyName: others\n", "fence-inert"},
        {BINDING, "    - Deny\n", "    - Warn\n", "fence-inert"},
        {BINDING, "    - Deny\n", "    - Audit\n", "fence-inert"},
        {BINDING, ACTIONS, "", "fence-inert"},
        {BINDING, ACTIONS, ACTIONS "    - Warn\n", "fence-inert"},
        /* another namespace */
        {POLICY, "        kubernetes.io/metadata.name: agents\n", "        kubernetes.io/metadata.name: labs\n",
         "fence-inert"},
        {POLICY, MATCH_LABELS,
         "    namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: "
         "[agents]}]}\n",
         "fence-inert"},
        {BINDING, ACTIONS,
         ACTIONS "  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: labs}}}\n",
         "fence-inert"},
        /* excluded */
        {POLICY, MATCH_LABELS,
         MATCH_LABELS "    excludeResourceRules: [{apiGroups: [cilium.io], apiVersions: ['*'], operations: [DELETE], "
                      "resources: ['*']}]\n",
         "fence-inert"},
        {BINDING, ACTIONS,
         ACTIONS "  matchResources: {excludeResourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: "
                 "[UPDATE], resources: ['*']}]}\n",
         "fence-inert"},
        /* rules about something else */
        {POLICY, "          - cilium.io\n", "          - cilium\n", "fence-inert fence-inert fence-inert"},
        {POLICY, "          - v2\n", "          - v2alpha1\n", "fence-inert fence-inert fence-inert"},
        {POLICY, RESOURCES, "        resources: [ciliumnetworkpolicies/status]\n",
         "fence-inert fence-inert fence-inert"},
        {POLICY, RESOURCES, "        resources: ['*/status']\n", "fence-inert fence-inert fence-inert"},
        {POLICY, "        scope: Namespaced\n", "        scope: Cluster\n", "fence-inert fence-inert fence-inert"},
        {POLICY, "          - CREATE\n", "", "fence-inert"},
        {POLICY, "          - UPDATE\n", "", "fence-inert"},
        {POLICY, "          - DELETE\n", "", "fence-inert"},
        {POLICY, "    resourceRules:\n", "    rules:\n", "fence-inert fence-inert fence-inert"},
        {BINDING, ACTIONS,
         ACTIONS "  matchResources: {resourceRules: [{apiGroups: [cilium.io], apiVersions: [v2], operations: [CREATE, "
                 "UPDATE], resources: [ciliumnetworkpolicies]}]}\n",
         "fence-inert"},
        /* resource names, object selectors */
        {POLICY, RESOURCES, RESOURCES "        resourceNames: [namzu-sbx-1]\n", "fence-inert fence-inert fence-inert"},
        {POLICY, MATCH_LABELS, MATCH_LABELS "    objectSelector: {matchLabels: {fenced: 'yes'}}\n", "fence-inert"},
        {POLICY, MATCH_LABELS, MATCH_LABELS "    objectSelector: {matchExpressions: [{key: a, operator: Exists}]}\n",
         "fence-inert"},
        {BINDING, ACTIONS, ACTIONS "  matchResources: {objectSelector: {matchLabels: {a: b}}}\n", "fence-inert"},
        /* errors admit */
        {POLICY, "  failurePolicy: Fail\n", "  failurePolicy: Ignore\n", "fence-inert"},
    };
    JUDGE(identified, "", changes);
}

/* A label of the namespace tells only where the Namespace is among the inputs. */
static void a_selector_of_other_labels_hangs_on_the_namespace(void **state) {
    (void)state;
    static const char other[] = "    namespaceSelector: {matchLabels: {team: sandbox}}\n";
    static const char absent[] = "    namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}\n";
    static const struct change unknown[] = {{POLICY, MATCH_LABELS, other, "fence-drift"},
                                            {POLICY, MATCH_LABELS, absent, "fence-drift"}};
    static const struct change there[] = {{POLICY, MATCH_LABELS, other, "match"},
                                          {POLICY, MATCH_LABELS, absent, "fence-inert"}};
    static const struct change elsewhere[] = {{POLICY, MATCH_LABELS, other, "fence-inert"},
                                              {POLICY, MATCH_LABELS, absent, "match"}};
    JUDGE(identified, "", unknown);
    JUDGE(identified, "apiVersion: v1\nkind: Namespace\nmetadata: {name: agents, labels: {team: sandbox}}\n", there);
    JUDGE(identified, "apiVersion: v1\nkind: Namespace\nmetadata: {name: agents, labels: {}}\n", elsewhere);
}

static void validations_that_deny_nothing_are_inert(void **state) {
    (void)state;
    static const char *const lists[] = {"[]", "[{expression: 'true'}, {expression: ' true '}]"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct scene scene;
        set_up(&scene, identified);
        compile(&scene);
        const char *text = spell(&scene, NULL), *from = strstr(text, "  validations:\n");
        const char *to = strstr(text, "---\napiVersion: admissionregistration.k8s.io/v1\nkind: "
                                      "ValidatingAdmissionPolicyBinding\n");
        assert_non_null(from);
        assert_non_null(to);
        text = arena_format(scene.arena, "%.*s  validations: %s\n%s", (int)(from - text), text, lists[i], to);
        assert_string_equal(said(&scene, text), "fence-inert");
        arena_destroy(scene.arena);
    }
}

static void the_identity_is_compared_and_nothing_else(void **state) {
    (void)state;
    static const struct change changes[] = {
        {POLICY, CONDITION, "\"request.userInfo.username == \\\"system:serviceaccount:agents-system:grant-writer\\\"\"",
         "match"},
        {POLICY, CONDITION, "\"'system:serviceaccount:agents-system:grant-writer'==request.userInfo.username\\n\"",
         "match"},
        {POLICY, "name: written-by-the-fenced-identity", "name: other", "match"},
        {POLICY, "agents-system:grant-writer", "agents-system:other", "fence-identity"},
        {POLICY, CONDITIONS, "", "fence-identity"},
        {POLICY, CONDITIONS, "  matchConditions: []\n", "fence-identity"},
        {POLICY, CONDITIONS, CONDITIONS "    - {name: b, expression: '!(\"admins\" in request.userInfo.groups)'}\n",
         "fence-identity"},
        {POLICY, "request.userInfo.username ==", "request.userInfo.username !=", "fence-identity"},
        {POLICY, "request.userInfo.username ==", "request.userInfo.uid ==", "fence-identity"},
        {POLICY, "grant-writer'''", "grant-writer'' && false'", "fence-identity"},
    };
    JUDGE(identified, "", changes);
}

static void without_an_identity_only_a_false_condition_is_refused(void **state) {
    (void)state;
    struct scene scene;
    set_up(&scene, identified);
    compile(&scene);
    const struct change never = {POLICY, CONDITION, "'false '", ""};
    const char *as_compiled = spell(&scene, NULL), *inert = spell(&scene, &never);
    scene.config.boundaries[0].per_sandbox.host_identity = NULL;
    assert_string_equal(said(&scene, as_compiled), "match");
    assert_string_equal(said(&scene, inert), "fence-inert");
    arena_destroy(scene.arena);
}

static void other_expressions_are_drift(void **state) {
    (void)state;
    static const struct change changes[] = {
        {POLICY, "|| variables.owners.size() == 1'", "|| variables.owners.size() <= 1'", "fence-drift"},
        {POLICY, "    - name: policy\n      expression: 'dyn(object)'\n",
         "    - name: policy\n      expression: 'dyn({})'\n", "fence-drift"},
        {POLICY, "    - name: ownerUid\n", "    - name: ownerUID\n", "fence-drift"},
        {POLICY, "  validations:\n", "  validations:\n    - {expression: 'object != null'}\n", "fence-drift"},
        {POLICY, "  validations:\n", "  auditAnnotations: [{key: a, valueExpression: '\"b\"'}]\n  validations:\n",
         "match"},
        {POLICY, "message: 'a grant has no specs'", "message: 'no specs'", "match"},
        {POLICY, "message: 'a grant has no specs'", "reason: Forbidden", "match"},
        {HOSTS_POLICY, "int(l) <= 65535", "int(l) <= 99999", "fence-drift"},
    };
    JUDGE(whole, "", changes);
}

static void drift_is_told_of_an_intact_fence_alone(void **state) {
    (void)state;
    static const struct change ignoring = {POLICY, "  failurePolicy: Fail\n", "  failurePolicy: Ignore\n", ""};
    struct scene scene;
    set_up(&scene, identified);
    compile(&scene);
    const char *intact = spell(&scene, NULL), *inert = spell(&scene, &ignoring);
    scene.config.boundaries[0].per_sandbox.label_key = "agents.example.com/other";
    assert_string_equal(said(&scene, intact), "fence-drift");
    scene.diagnostics.count = 0;
    assert_string_equal(said(&scene, inert), "fence-inert");
    arena_destroy(scene.arena);
}

static void the_companion_is_held_to_the_same(void **state) {
    (void)state;
    static const struct change changes[] = {
        {HOSTS_BINDING, "  policyName: grants-hosts\n", "  policyName: grants\n", "fence-param"},
        {HOSTS_BINDING, "    - Deny\n", "    - Audit\n", "fence-param"},
        {HOSTS_POLICY, "  failurePolicy: Fail\n", "  failurePolicy: Ignore\n", "fence-param"},
        {HOSTS_POLICY, "          - DELETE\n", "", "fence-param"},
        {HOSTS_POLICY, CONDITIONS, "", "fence-param"},
        {HOSTS_POLICY, "    kind: ConfigMap\n", "    kind: Secret\n", "fence-param"},
        {HOSTS_POLICY, "  paramKind:\n    apiVersion: v1\n    kind: ConfigMap\n", "", "fence-param"},
        {HOSTS_BINDING, "    name: permitted-hosts\n", "    name: others\n", "fence-param"},
        {HOSTS_BINDING, "    namespace: agents-system\n", "    namespace: agents\n", "fence-param"},
        {HOSTS_BINDING, "    namespace: agents-system\n", "", "fence-param"},
        {HOSTS_BINDING, "    name: permitted-hosts\n", "    selector: {}\n", "fence-param"},
        {HOSTS_BINDING, "    parameterNotFoundAction: Deny\n", "    parameterNotFoundAction: Allow\n", "fence-param"},
        {HOSTS_BINDING, "    parameterNotFoundAction: Deny\n", "", "fence-param"},
        {HOSTS_BINDING,
         "  paramRef:\n    name: permitted-hosts\n    namespace: agents-system\n    parameterNotFoundAction: Deny\n",
         "", "fence-param fence-param"},
    };
    JUDGE(whole, "", changes);
}

static void a_malformed_config_map_is_refused(void **state) {
    (void)state;
    static const char ports[] = "  ports: \"# one TCP port a line, or * for all of them\\n\"\n";
    static const struct change changes[] = {
        {CONFIG_MAP, ports, "  ports: \"443\\r\\n\\r\\n# more\\r\\n8443\"\n", "match"},
        {CONFIG_MAP, ports, "  ports: '*'\n", "match"},
        {CONFIG_MAP, ports, "", "match"},
        {CONFIG_MAP, ports, "  ports: \"443\\nhttps\\n65536\\n\"\n", "fence-param fence-param"},
        {CONFIG_MAP, ports, "  ports: 443\n", "fence-param"},
    };
    JUDGE(whole, "", changes);
}

/* A parameter that nothing needs can still disarm a policy. */
static void a_stray_parameter_that_admits_is_inert(void **state) {
    (void)state;
    struct scene scene;
    set_up(&scene, identified);
    compile(&scene);
    const struct change kind = {POLICY, "  failurePolicy: Fail\n",
                                "  failurePolicy: Fail\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n", ""};
    const char *text = spell(&scene, &kind);
    const char *allowing = replaced(scene.arena, text, ACTIONS,
                                    ACTIONS "  paramRef: {name: a, namespace: b, parameterNotFoundAction: Allow}\n");
    const char *denying = replaced(scene.arena, text, ACTIONS,
                                   ACTIONS "  paramRef: {name: a, namespace: b, parameterNotFoundAction: Deny}\n");
    assert_string_equal(said(&scene, allowing), "fence-inert");
    assert_string_equal(said(&scene, denying), "match");
    arena_destroy(scene.arena);
}

static void differing_copies_are_not_judged(void **state) {
    (void)state;
    struct scene scene;
    struct decision decision;
    set_up(&scene, identified);
    compile(&scene);
    const struct change weaker = {POLICY, "  failurePolicy: Fail\n", "  failurePolicy: Ignore\n", ""};
    const char *twice = arena_format(scene.arena, "%s%s", spell(&scene, NULL), spell(&scene, &weaker));
    const struct fence_decision *fence = decide(&scene, twice, &decision);
    assert_int_equal(fence->status, FENCE_NOT_EVALUABLE);
    assert_int_equal(fence->refusals.count, 1);
    assert_int_equal(fence->refusals.list[0].code, CODE_FENCE_UNREADABLE);
    assert_true(decision.refused);
    arena_destroy(scene.arena);
}

static void a_version_that_no_server_serves_is_not_there(void **state) {
    (void)state;
    static const char compiled[] = "apiVersion: admissionregistration.k8s.io/v1\n";
    static const struct change changes[] = {
        {POLICY, compiled, "apiVersion: admissionregistration.k8s.io/v1alpha1\n", "fence-missing"},
        {POLICY, compiled, "apiVersion: admissionregistration.k8s.io/v1beta1\n", "match"},
        {POLICY, compiled, "apiVersion: example.com/v1\n", "fence-missing"},
    };
    JUDGE(identified, "", changes);
}

/* What the index says of the collections that hold the fence. */
static const char *index_of(struct arena *arena, const char *policies, const char *bindings, const char *config_maps) {
    return arena_format(
        arena,
        "---\napiVersion: egressc.io/v1\nkind: EgressSnapshot\ntakenAt: '2024-01-01T00:00:00Z'\nserver: https://a\n"
        "serverVersion: v1.31.2\ncontext: a\nnamespaces: all\ncollections:\n"
        "  - {resource: validatingadmissionpolicies, group: admissionregistration.k8s.io, version: v1, namespace: "
        "null, "
        "status: %s, reason: no}\n"
        "  - {resource: validatingadmissionpolicybindings, group: admissionregistration.k8s.io, version: v1, "
        "namespace: "
        "null, status: %s, reason: no}\n"
        "  - {resource: configmaps, group: '', version: v1, namespace: null, status: %s, reason: no}\n",
        policies, bindings, config_maps);
}

static void what_was_not_read_is_not_missing(void **state) {
    (void)state;
    struct scene scene;
    struct decision decision;
    set_up(&scene, whole);
    const struct fence_decision *fence =
        decide(&scene, index_of(scene.arena, "forbidden", "not-served", "failed"), &decision);
    assert_int_equal(fence->status, FENCE_NOT_EVALUABLE);
    assert_int_equal(fence->refusals.count, 5);
    for (size_t i = 0; i < fence->refusals.count; i++) {
        assert_int_equal(fence->refusals.list[i].code, CODE_FENCE_UNREADABLE);
    }
    assert_int_equal(decision.unread_count, 3);
    arena_destroy(scene.arena);
}

static void the_ways_around_a_fence_are_listed_once(void **state) {
    (void)state;
    struct scene scene;
    struct decision decision;
    set_up(&scene, whole);
    compile(&scene);
    decide(&scene, spell(&scene, NULL), &decision);
    assert_int_equal(decision.assumptions.count, 6);
    for (size_t i = 0; i < decision.assumptions.count; i++) {
        assert_true(text_starts_with(text_of(decision.assumptions.list[i]), "the fence: "));
    }
    arena_destroy(scene.arena);
}

static void no_fence_is_asked_for_without_per_sandbox(void **state) {
    (void)state;
    struct scene scene;
    struct decision decision;
    set_up(&scene, identified);
    scene.config.boundaries[0].has_per_sandbox = false;
    assert_null(decide(&scene, "", &decision));
    assert_false(decision.refused);
    arena_destroy(scene.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_compiled_matches),
        cmocka_unit_test(what_the_api_server_fills_in_is_no_difference),
        cmocka_unit_test(each_object_that_is_missing_is_named),
        cmocka_unit_test(what_denies_nothing_is_inert),
        cmocka_unit_test(a_selector_of_other_labels_hangs_on_the_namespace),
        cmocka_unit_test(validations_that_deny_nothing_are_inert),
        cmocka_unit_test(the_identity_is_compared_and_nothing_else),
        cmocka_unit_test(without_an_identity_only_a_false_condition_is_refused),
        cmocka_unit_test(other_expressions_are_drift),
        cmocka_unit_test(drift_is_told_of_an_intact_fence_alone),
        cmocka_unit_test(the_companion_is_held_to_the_same),
        cmocka_unit_test(a_malformed_config_map_is_refused),
        cmocka_unit_test(a_stray_parameter_that_admits_is_inert),
        cmocka_unit_test(differing_copies_are_not_judged),
        cmocka_unit_test(a_version_that_no_server_serves_is_not_there),
        cmocka_unit_test(what_was_not_read_is_not_missing),
        cmocka_unit_test(the_ways_around_a_fence_are_listed_once),
        cmocka_unit_test(no_fence_is_asked_for_without_per_sandbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "compiler/fence.h"
#include "compiler/fence_parts.h"
#include "document/writer.h"
#include "load.h"

/* A config of one document; `fields` stand in `perSandbox`. */
static struct loaded load_fields(struct arena *arena, const char *fields) {
    return load_text(arena_format(arena,
                                  "namespace: agents\n"
                                  "sandboxTemplateName: coder\n"
                                  "egress:\n"
                                  "  engine: cilium\n"
                                  "  policy: {kind: deny-all}\n"
                                  "  perSandbox:\n"
                                  "    engine: cilium\n"
                                  "    admissionPolicyName: grants\n"
                                  "%s",
                                  fields));
}

static struct fence fence_of(struct loaded *loaded) {
    struct fence fence = {0};
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, loaded->arena);
    if (!fence_of_config(&loaded->config, loaded->arena, &fence, &diagnostics)) {
        fail_msg("no fence is compiled");
    }
    return fence;
}

static const struct fence_object *find(const struct fence *fence, const char *kind, const char *name) {
    for (size_t i = 0; i < fence->count; i++) {
        if (strcmp(fence->list[i].name.kind, kind) == 0 && strcmp(fence->list[i].name.name, name) == 0) {
            return &fence->list[i];
        }
    }
    fail_msg("there is no %s %s", kind, name);
    return NULL;
}

static const char *compact(struct arena *arena, const struct node *node) {
    struct buffer out;
    buffer_init(&out, arena);
    writer_json_compact(&out, node);
    return buffer_string(&out);
}

static void strings_are_escaped_for_their_quotes(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct buffer out;
    buffer_init(&out, arena);
    fence_cel_string(&out, "a\"b'c\\d\n\x7f\xc3\xbc");
    assert_string_equal(buffer_string(&out), "\"a\\\"b'c\\\\d\\u000a\\u007f\xc3\xbc\"");
    buffer_init(&out, arena);
    fence_cel_single_quoted(&out, "a\"b'c\\d");
    assert_string_equal(buffer_string(&out), "'a\"b\\'c\\\\d'");
    arena_destroy(arena);
}

/* The API server refuses lists and maps whose items or values differ in type, unless they are dynamic. */
static void literals_hold_values_of_one_type(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct node text = node_make_string("x"), gap = node_make_string("*." FENCE_HOST ".y"), empty, list, map, both;
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_LIST);
    empty = node_builder_done(&builder);
    node_builder_init(&builder, arena, NODE_LIST);
    node_builder_add(&builder, text);
    node_builder_add(&builder, gap);
    list = node_builder_done(&builder);
    node_builder_init(&builder, arena, NODE_MAP);
    node_builder_put(&builder, "a", list);
    node_builder_put(&builder, "b", empty);
    map = node_builder_done(&builder);
    node_builder_init(&builder, arena, NODE_LIST);
    node_builder_add(&builder, map);
    node_builder_add(&builder, map);
    both = node_builder_done(&builder);
    const struct fence_gaps gaps = {.host = "h", .empty_list = "variables.e"};
    struct buffer out;
    buffer_init(&out, arena);
    fence_cel_literal(&out, &both, &gaps);
    const char *one = "dyn({\"a\": dyn([\"x\", \"*.\" + h + \".y\"]), \"b\": dyn(variables.e)})";
    assert_string_equal(buffer_string(&out), arena_format(arena, "[%s, %s]", one, one));
    arena_destroy(arena);
}

static void objects_come_in_the_order_of_the_contract(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    static const char *const kinds[] = {"ValidatingAdmissionPolicy",
                                        "ValidatingAdmissionPolicyBinding",
                                        "ValidatingAdmissionPolicy",
                                        "ValidatingAdmissionPolicyBinding",
                                        "ConfigMap",
                                        "Role",
                                        "RoleBinding",
                                        "ClusterRole",
                                        "ClusterRoleBinding",
                                        "Role",
                                        "RoleBinding"};
    struct loaded loaded = load_fields(arena, "    admissionPolicyBindingName: attach\n"
                                              "    hostIdentity: w\n"
                                              "    permittedHostsParam: {name: hosts, namespace: other}\n");
    struct fence fence = fence_of(&loaded);
    assert_int_equal(fence.count, sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < fence.count; i++) {
        assert_string_equal(fence.list[i].name.kind, kinds[i]);
        assert_int_equal(fence.list[i].skeleton, strcmp(kinds[i], "ConfigMap") == 0);
    }
    find(&fence, "ValidatingAdmissionPolicyBinding", "attach");
    find(&fence, "ValidatingAdmissionPolicy", "grants-hosts");
    find(&fence, "ValidatingAdmissionPolicyBinding", "grants-hosts-binding");
    assert_string_equal(find(&fence, "ConfigMap", "hosts")->name.namespace, "other");
    assert_string_equal(find(&fence, "Role", "grants-writer")->name.namespace, "agents");
    assert_string_equal(find(&fence, "Role", "grants-hosts-reader")->name.namespace, "other");
    loaded_free(&loaded);
    arena_destroy(arena);
}

static void the_identity_is_a_service_account_or_a_user(void **state) {
    (void)state;
    static const struct {
        const char *identity, *subject;
    } rows[] = {
        {"system:serviceaccount:a:b", "[{\"kind\": \"ServiceAccount\", \"name\": \"b\", \"namespace\": \"a\"}]"},
        {"system:serviceaccount:a", NULL},
        {"system:serviceaccount::b", NULL},
        {"system:serviceaccount:a:", NULL},
        {"system:serviceaccount:a:b:c", NULL},
        {"somebody", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_create();
        struct loaded loaded = load_fields(arena, arena_format(arena, "    hostIdentity: '%s'\n", rows[i].identity));
        struct fence fence = fence_of(&loaded);
        const char *user =
            arena_format(arena, "[{\"apiGroup\": \"rbac.authorization.k8s.io\", \"kind\": \"User\", \"name\": \"%s\"}]",
                         rows[i].identity);
        const struct node *subjects = node_get(&find(&fence, "RoleBinding", "grants-writer")->tree, "subjects");
        assert_string_equal(compact(loaded.arena, subjects), rows[i].subject ? rows[i].subject : user);
        loaded_free(&loaded);
        arena_destroy(arena);
    }
}

static void rights_are_no_more_than_needed(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct loaded loaded = load_fields(arena, "    hostIdentity: w\n");
    struct fence fence = fence_of(&loaded);
    assert_int_equal(fence.count, 6);
    assert_string_equal(compact(loaded.arena, node_get(&find(&fence, "Role", "grants-writer")->tree, "rules")),
                        "[{\"apiGroups\": [\"cilium.io\"], \"resources\": [\"ciliumnetworkpolicies\"], \"verbs\": "
                        "[\"create\", \"patch\", "
                        "\"delete\"]}]");
    assert_string_equal(compact(loaded.arena, node_get(&find(&fence, "ClusterRole", "grants-reader")->tree, "rules")),
                        "[{\"apiGroups\": [\"admissionregistration.k8s.io\"], \"resources\": ["
                        "\"validatingadmissionpolicies\", \"validatingadmissionpolicybindings\"], \"resourceNames\": ["
                        "\"grants\", \"grants-binding\"], \"verbs\": [\"get\"]}]");
    loaded_free(&loaded);
    arena_destroy(arena);
}

/* `fields`: the last names of the paths of the refusals, joined by commas. */
static void expect_refused(const char *config, const char *fields) {
    struct arena *arena = arena_create();
    struct loaded loaded = load_fields(arena, config);
    struct diagnostics found;
    diagnostics_init(&found, loaded.arena);
    bool usable = fence_check(loaded_first(&loaded), loaded.arena, &found);
    assert_int_equal(usable, found.errors == 0);
    struct buffer out;
    buffer_init(&out, loaded.arena);
    for (size_t i = 0; i < found.count; i++) {
        buffer_print(&out, "%s%s", i ? "," : "", strrchr(found.list[i].path, '.') + 1);
        assert_int_equal(found.list[i].code, CODE_PER_SANDBOX_UNUSABLE);
    }
    assert_string_equal(buffer_string(&out), fields);
    loaded_free(&loaded);
    arena_destroy(arena);
}

static void what_no_api_server_takes_is_refused(void **state) {
    (void)state;
    expect_refused("    hostIdentity: w\n", "");
    expect_refused("", "hostIdentity");
    expect_refused("    hostIdentity: w\n    admissionPolicyBindingName: a_b\n", "admissionPolicyBindingName");
    expect_refused("    hostIdentity: w\n    permittedHostsParam: {name: a_b, namespace: c.d}\n", "name,namespace");
    expect_refused("    hostIdentity: w\n    permittedHostsParam: {name: a, namespace: c}\n"
                   "    admissionPolicyBindingName: grants-hosts-binding\n",
                   "admissionPolicyBindingName");
}

/* The names of the companion are longer than the policy's own. */
static void the_names_of_the_companion_are_judged_as_well(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct loaded loaded = load_fields(arena, "    hostIdentity: w\n"
                                              "    admissionPolicyBindingName: b\n"
                                              "    permittedHostsParam: {name: a, namespace: c}\n");
    char name[254];
    memset(name, 'a', sizeof name - 1);
    name[253] = '\0';
    struct boundary boundary = *loaded_first(&loaded);
    boundary.per_sandbox.admission_policy_name = name;
    struct diagnostics found;
    diagnostics_init(&found, arena);
    assert_false(fence_check(&boundary, arena, &found));
    boundary.per_sandbox.has_permitted_hosts = false;
    assert_true(fence_check(&boundary, arena, &found));
    boundary.per_sandbox.has_permitted_hosts = true;
    name[253 - strlen("-hosts-binding")] = '\0';
    assert_true(fence_check(&boundary, arena, &found));
    loaded_free(&loaded);
    arena_destroy(arena);
}

/* Nothing but matchConditions hangs on the identity: verify compares fences without one. */
static void without_an_identity_only_the_conditions_are_absent(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct loaded with = load_fields(arena, "    hostIdentity: w\n"), without = load_fields(arena, "");
    struct node a = fence_policy(loaded_first(&with), false, with.arena);
    struct node b = fence_policy(loaded_first(&without), false, without.arena);
    const struct node *mine = node_get(&a, "spec"), *theirs = node_get(&b, "spec");
    assert_null(node_get(theirs, "matchConditions"));
    assert_non_null(node_get(mine, "matchConditions"));
    assert_true(node_equal(node_get(mine, "variables"), node_get(theirs, "variables")));
    assert_true(node_equal(node_get(mine, "validations"), node_get(theirs, "validations")));
    loaded_free(&with);
    loaded_free(&without);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_escaped_for_their_quotes),
        cmocka_unit_test(literals_hold_values_of_one_type),
        cmocka_unit_test(objects_come_in_the_order_of_the_contract),
        cmocka_unit_test(the_identity_is_a_service_account_or_a_user),
        cmocka_unit_test(rights_are_no_more_than_needed),
        cmocka_unit_test(what_no_api_server_takes_is_refused),
        cmocka_unit_test(the_names_of_the_companion_are_judged_as_well),
        cmocka_unit_test(without_an_identity_only_the_conditions_are_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

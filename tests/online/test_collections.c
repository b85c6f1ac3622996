/* The table of collections against what the offline program reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/reader.h"
#include "kube/object.h"
#include "kube/object_kind.h"
#include "online/plan.h"

static const struct prune_rule *find(const struct prune_rule *rules, const char *key) {
    for (; rules->key; rules++)
        if (strcmp(rules->key, key) == 0 || strcmp(rules->key, "*") == 0)
            return rules;
    return NULL;
}

/* Whether everything that the reader keeps is kept by the rules. Returns how many keys were compared. */
static size_t covers(const struct document_keep *keep, const struct prune_rule *rules, const char *kind) {
    size_t count = 0;
    for (; keep->key; keep++, count++) {
        if (keep->below && !keep->below->key)
            continue; /* dropped by the reader */
        if (strcmp(keep->key, "*") == 0) {
            const struct prune_rule *any = find(rules, "*");
            if (!any || any->below)
                fail_msg("%s: any key is read, and not kept", kind);
            continue;
        }
        const struct prune_rule *rule = find(rules, keep->key);
        if (!rule || rule->below == prune_nothing)
            fail_msg("%s: %s is read, and dropped", kind, keep->key);
        if (!rule->below)
            continue;
        if (!keep->below)
            fail_msg("%s: all of %s is read, and not all of it kept", kind, keep->key);
        count += covers(keep->below, rule->below, kind);
    }
    return count;
}

static void nothing_is_dropped_that_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i <= COLLECTION_ROWS; i++) {
        const struct collection_row *row = i < COLLECTION_ROWS ? &collection_rows[i] : &collection_config_map;
        struct arena *arena = arena_create();
        size_t length = strcspn(row->versions, " ");
        const char *version =
            arena_format(arena, "%s%s%.*s", row->group, *row->group ? "/" : "", (int)length, row->versions);
        const struct document_keep *keep = object_keep(text_of(version), text_of(row->kind));
        assert_non_null(keep);
        assert_true(covers(keep, row->keep, row->kind) > 3);
        arena_destroy(arena);
    }
}

static void rows_are_called_as_the_offline_program_calls_them(void **state) {
    (void)state;
    for (size_t i = 0; i < COLLECTION_ROWS; i++) {
        const struct collection_row *row = &collection_rows[i];
        const struct object_kind_row *found = NULL;
        assert_true(resource_names_kind(text_of(row->resource), text_of(row->kind)));
        assert_ptr_equal(collection_find(row->resource), row);
        for (const char *version = row->versions; *version;) {
            char api_version[128] = "";
            size_t length = strcspn(version, " ");
            snprintf(api_version, sizeof api_version, "%s%s%.*s", row->group, *row->group ? "/" : "", (int)length,
                     version);
            assert_int_equal(object_classify(text_of(api_version), text_of(row->kind), &found), OBJECT_KNOWN);
            version += length + (version[length] == ' ');
        }
    }
    assert_null(collection_find("secrets"));
}

static bool plans(const struct plan *plan, const char *file) {
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->fetches[i].file, file) == 0)
            return true;
    return false;
}

static void a_plan_reads_each_namespaced_collection_of_each_namespace(void **state) {
    static const char *const namespaces[] = {"agents", "tools"};
    struct arena *arena = arena_create();
    struct plan plan;
    (void)state;
    plan_make(&(struct plan_wanted){.namespaces = namespaces, .namespace_count = 2}, arena, &plan);
    assert_true(plans(&plan, "pods.agents.json") && plans(&plan, "pods.tools.json"));
    assert_true(plans(&plan, "nodes.json") && !plans(&plan, "pods.json"));
    assert_true(plans(&plan, "configmaps.kube-system.cilium-config.json"));
    arena_destroy(arena);
}

static void a_config_chooses_what_is_read(void **state) {
    static const struct {
        const char *config;
        bool cilium, admission, permitted;
    } cases[] = {{"fixtures/configs/deny_all.yaml", false, false, false},
                 {"fixtures/configs/deny_all_cilium.yaml", true, false, false},
                 {"fixtures/fence/configs/permitted.yaml", true, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *arena = arena_create();
        struct config config;
        struct config_options options = {.limits = limits_default()};
        struct diagnostics diagnostics;
        struct plan plan;
        diagnostics_init(&diagnostics, arena);
        const char *path = arena_format(arena, "%s/%s", TEST_SOURCE_DIR, cases[i].config);
        assert_int_equal(config_read(path, &options, arena, &config, &diagnostics), CONFIG_OK);
        plan_make(&(struct plan_wanted){.config = &config}, arena, &plan);
        assert_true(plans(&plan, "networkpolicies.json") && plans(&plan, "clusternetworkpolicies.json"));
        assert_int_equal(plans(&plan, "ciliumnetworkpolicies.json"), cases[i].cilium);
        assert_int_equal(plans(&plan, "configmaps.kube-system.cilium-config.json"), cases[i].cilium);
        assert_int_equal(plans(&plan, "validatingadmissionpolicies.json"), cases[i].admission);
        assert_int_equal(plans(&plan, "configmaps.agents-system.permitted-hosts.json"), cases[i].permitted);
        arena_destroy(arena);
    }
}

static void a_list_of_collections_narrows_a_plan(void **state) {
    static const char *const collections[] = {"pods", "configmaps"};
    struct arena *arena = arena_create();
    struct plan plan;
    (void)state;
    plan_make(&(struct plan_wanted){.collections = collections, .collection_count = 2}, arena, &plan);
    assert_int_equal(plan.count, 3);
    arena_destroy(arena);
}

/* ---- the manifest of rights ---- */

static bool list_has(const struct node *list, const char *word) {
    for (uint32_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++)
        if (text_is(node_text(&list->items[i]), word))
            return true;
    return false;
}

static bool may_list(const struct node *role, const struct collection_row *row) {
    const struct node *rules = node_get(role, "rules");
    for (uint32_t i = 0; node_is(rules, NODE_LIST) && i < rules->count; i++) {
        const struct node *rule = &rules->items[i];
        if (list_has(node_get(rule, "apiGroups"), row->group) && list_has(node_get(rule, "resources"), row->resource))
            return list_has(node_get(rule, "verbs"), "list") && node_get(rule, "verbs")->count == 1;
    }
    return false;
}

static void the_manifest_of_rights_has_those_and_no_others(void **state) {
    struct arena *arena = arena_create();
    struct reader_options options = {.limits = limits_default()};
    struct diagnostics diagnostics;
    struct file file = {0};
    struct text text;
    size_t resources = 0;
    (void)state;
    diagnostics_init(&diagnostics, arena);
    assert_true(access_read_file(TEST_SOURCE_DIR "/docs/rbac-snapshot.yaml", arena, &text));
    reader_read_text("rbac", text, &options, arena, &file, &diagnostics);
    assert_int_equal(diagnostics.count, 0);
    assert_int_equal(file.count, 8);
    const struct node *role = &file.documents[0].root;
    assert_true(text_is(node_text(node_get(role, "kind")), "ClusterRole"));
    for (size_t i = 0; i < COLLECTION_ROWS; i++)
        if (!may_list(role, &collection_rows[i]))
            fail_msg("%s may not be listed", collection_rows[i].resource);
    const struct node *rules = node_get(role, "rules");
    for (uint32_t i = 0; i < rules->count; i++)
        resources += node_get(&rules->items[i], "resources")->count;
    assert_int_equal(resources, COLLECTION_ROWS);
    for (size_t i = 2; i < file.count; i += 2) { /* of ConfigMaps, with their bindings between */
        const struct node *rule = &node_get(&file.documents[i].root, "rules")->items[0];
        assert_true(list_has(node_get(rule, "verbs"), "get") && node_get(rule, "verbs")->count == 1);
        assert_int_equal(node_get(rule, "resourceNames")->count, 1);
    }
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_dropped_that_is_read),
        cmocka_unit_test(rows_are_called_as_the_offline_program_calls_them),
        cmocka_unit_test(a_plan_reads_each_namespaced_collection_of_each_namespace),
        cmocka_unit_test(a_config_chooses_what_is_read),
        cmocka_unit_test(a_list_of_collections_narrows_a_plan),
        cmocka_unit_test(the_manifest_of_rights_has_those_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Indexes of snapshots: spec/snapshot.md, spec/analysis.md 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "folder.h"

#define HEAD                                                                                                           \
    "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"takenAt\": \"2026-09-01T10:00:00Z\", "        \
    "\"collections\": ["
#define POLICIES(namespace, items)                                                                                     \
    "{\"resource\": \"networkpolicies\", \"group\": \"networking.k8s.io\", \"version\": \"v1\", "                      \
    "\"namespace\": " namespace ", \"status\": \"read\", \"file\": \"np.json\", \"items\": " items "}"
#define ONE_POLICY                                                                                                     \
    "{\"apiVersion\": \"networking.k8s.io/v1\", \"kind\": \"NetworkPolicyList\", \"items\": [{\"metadata\": "          \
    "{\"name\": "                                                                                                      \
    "\"p\"}}]}"

static enum collection_status status_of(const struct folder *folder, enum object_kind kind, const char *namespace) {
    return snapshot_indexes_view(&folder->indexes, kind, namespace).status;
}

static void expect(const struct folder *folder, enum object_kind kind, const char *namespace, const char *word) {
    assert_string_equal(collection_status_word(status_of(folder, kind, namespace)), word);
}

static void without_an_index_nothing_is_told(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){{"np.json", ONE_POLICY}, {NULL, NULL}});
    assert_int_equal(folder->indexes.count, 0);
    expect(folder, OBJECT_NETWORK_POLICY, "ns", "untold");
    assert_null(folder->indexes.taken_at);
    folder_destroy(folder);
}

static void a_sound_index_tells_each_status(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"snap/np.json", ONE_POLICY},
        {"snap/snapshot.json",
         HEAD POLICIES("null", "1") ", {\"resource\": \"pods\", \"status\": \"forbidden\", \"reason\": \"no\"}, "
                                    "{\"resource\": \"clusternetworkpolicies\", \"status\": \"not-served\"}, "
                                    "{\"resource\": \"services\", \"status\": \"failed\", \"reason\": \"500\"}]}"},
        {NULL, NULL}});
    assert_int_equal(folder->diagnostics.count, 0);
    expect(folder, OBJECT_NETWORK_POLICY, "ns", "read");
    expect(folder, OBJECT_POD, "ns", "forbidden");
    expect(folder, OBJECT_CLUSTER_NETWORK_POLICY, "ns", "not-served");
    expect(folder, OBJECT_SERVICE, "ns", "failed");
    expect(folder, OBJECT_NODE, "ns", "absent");
    assert_string_equal(snapshot_indexes_view(&folder->indexes, OBJECT_POD, NULL).reason, "no");
    assert_string_equal(folder->indexes.taken_at, "2026-09-01T10:00:00Z");
    folder_destroy(folder);
}

static void a_collection_of_one_namespace_counts_there_alone(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"snap/np.json", ONE_POLICY}, {"snap/snapshot.json", HEAD POLICIES("\"a\"", "1") "]}"}, {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 0);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "read");
    expect(folder, OBJECT_NETWORK_POLICY, "b", "absent");
    expect(folder, OBJECT_NETWORK_POLICY, NULL, "absent");
    assert_string_equal(folder->indexes.namespaces[0], "a");
    folder_destroy(folder);
}

static void an_index_of_some_namespaces_read_no_others(void **state) {
    (void)state;
    struct folder *folder = folder_read(
        (struct folder_file[]){{"s/np.json", ONE_POLICY},
                               {"s/snapshot.json", HEAD POLICIES("null", "1") "], \"namespaces\": [\"a\", \"c\"]}"},
                               {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 0);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "read");
    expect(folder, OBJECT_NETWORK_POLICY, "c", "read");
    expect(folder, OBJECT_NETWORK_POLICY, "b", "absent");
    expect(folder, OBJECT_NETWORK_POLICY, NULL, "absent");
    folder_destroy(folder);
}

static void an_index_of_all_namespaces_read_each(void **state) {
    (void)state;
    struct folder *folder = folder_read(
        (struct folder_file[]){{"s/np.json", ONE_POLICY},
                               {"s/snapshot.json", HEAD POLICIES("null", "1") "], \"namespaces\": \"all\"}"},
                               {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 0);
    expect(folder, OBJECT_NETWORK_POLICY, "b", "read");
    expect(folder, OBJECT_NETWORK_POLICY, NULL, "read");
    folder_destroy(folder);
}

static void a_group_tells_resources_of_one_name_apart(void **state) {
    (void)state;
    struct folder *folder = folder_read(
        (struct folder_file[]){{"s/snapshot.json", HEAD
                                "{\"resource\": \"networkpolicies\", \"group\": \"crd.projectcalico.org\", \"status\": "
                                "\"forbidden\"}]}"},
                               {NULL, NULL}});
    expect(folder, OBJECT_NETWORK_POLICY, "ns", "absent");
    folder_destroy(folder);
}

static void of_several_entries_one_that_was_read_counts(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"a/np.json", ONE_POLICY},
        {"a/snapshot.json", HEAD POLICIES("\"a\"", "1") ", {\"resource\": \"networkpolicies\", \"namespace\": null, "
                                                        "\"status\": \"forbidden\"}]}"},
        {"b/snapshot.json", HEAD "{\"resource\": \"nodes\", \"status\": \"not-served\"}, {\"resource\": \"pods\", "
                                 "\"status\": \"not-served\"}]}"},
        {"c/snapshot.json", HEAD "{\"resource\": \"pods\", \"status\": \"forbidden\"}]}"},
        {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 0);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "read");
    expect(folder, OBJECT_NETWORK_POLICY, "b", "forbidden");
    expect(folder, OBJECT_POD, "a", "forbidden");
    expect(folder, OBJECT_NODE, NULL, "not-served");
    folder_destroy(folder);
}

static void the_earliest_time_is_told(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"a/snapshot.json", "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"takenAt\": "
                            "\"2026-09-01T10:00:00Z\", \"collections\": []}"},
        {"b/snapshot.json", "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"takenAt\": "
                            "\"2026-09-01T11:30:00+02:00\", \"collections\": []}"},
        {NULL, NULL}});
    assert_string_equal(folder->indexes.taken_at, "2026-09-01T11:30:00+02:00");
    folder_destroy(folder);
}

/* ---- what the folder does not bear out ---- */

struct disagreement {
    const char *items, *namespace, *file, *text;
    const char *word; /* of the networkpolicies afterwards */
};

static void what_the_folder_does_not_bear_out_has_failed(void **state) {
    (void)state;
    static const struct disagreement cases[] = {
        {"1", "null", "snap/np.json", ONE_POLICY, "read"},
        {"0", "null", "snap/np.json", ONE_POLICY, "failed"},
        {"2", "null", "snap/np.json", ONE_POLICY, "failed"},
        {"1", "null", "snap/other.json", ONE_POLICY, "failed"}, /* missing, and the other is not listed */
        {"1", "null", "snap/np.json",
         "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [{\"metadata\": {\"name\": \"p\"}}]}", "failed"},
        {"1", "null", "snap/np.json",
         "{\"apiVersion\": \"crd.projectcalico.org/v1\", \"kind\": \"NetworkPolicyList\", \"items\": [{\"metadata\": "
         "{\"name\": \"p\"}}]}",
         "failed"},
        {"1", "\"a\"", "snap/np.json",
         "{\"apiVersion\": \"networking.k8s.io/v1\", \"kind\": \"NetworkPolicyList\", \"items\": [{\"metadata\": "
         "{\"name\": \"p\", \"namespace\": \"b\"}}]}",
         "failed"},
        {"1", "null", "snap/np.json",
         "{\"apiVersion\": \"networking.k8s.io/v1\", \"kind\": \"NetworkPolicy\", \"metadata\": {\"name\": \"p\"}}",
         "read"},
        {"0", "null", "snap/np.json", "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}", "read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *arena = arena_create();
        const char *index = arena_format(arena, HEAD POLICIES("%s", "%s") "]}", cases[i].namespace, cases[i].items);
        struct folder *folder = folder_read(
            (struct folder_file[]){{cases[i].file, cases[i].text}, {"snap/snapshot.json", index}, {NULL, NULL}});
        bool fails = strcmp(cases[i].word, "failed") == 0;
        if ((folder_faults(folder) > 0) != fails)
            fail_msg("case %zu: %zu faults", i, folder_faults(folder));
        expect(folder, OBJECT_NETWORK_POLICY, "a", cases[i].word);
        folder_destroy(folder);
        arena_destroy(arena);
    }
}

static void a_broken_file_fails_its_collection(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"s/np.json", "{\"apiVersion\": "}, {"s/snapshot.json", HEAD POLICIES("null", "0") "]}"}, {NULL, NULL}});
    expect(folder, OBJECT_NETWORK_POLICY, "a", "failed");
    folder_destroy(folder);
}

static void a_file_that_is_not_listed_fails_what_it_holds(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"s/np.json", ONE_POLICY},
        {"s/more.json", ONE_POLICY},
        {"s/snapshot.json", HEAD POLICIES("null", "1") ", {\"resource\": \"pods\", \"status\": \"read\", \"file\": "
                                                       "\"pods.json\", \"items\": 0}]}"},
        {"s/pods.json", "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": []}"},
        {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 1);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "failed");
    expect(folder, OBJECT_POD, "a", "read");
    folder_destroy(folder);
}

static void files_outside_the_folder_are_none_of_its_business(void **state) {
    (void)state;
    struct folder *folder =
        folder_read((struct folder_file[]){{"np.json", ONE_POLICY},
                                           {"snap/np.json", ONE_POLICY},
                                           {"snap/snapshot.json", HEAD POLICIES("null", "1") "]}"},
                                           {"snapshots/np.json", ONE_POLICY},
                                           {"snap/below/np.json", ONE_POLICY},
                                           {"snap/below/snapshot.json", HEAD POLICIES("\"b\"", "1") "]}"},
                                           {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 0);
    folder_destroy(folder);
}

static void a_file_below_the_folder_must_be_listed_too(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){{"snap/below/np.json", ONE_POLICY},
                                                               {"snap/np.json", ONE_POLICY},
                                                               {"snap/snapshot.json", HEAD POLICIES("null", "1") "]}"},
                                                               {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 1);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "failed");
    folder_destroy(folder);
}

static void what_stands_twice_has_failed(void **state) {
    (void)state;
    struct folder *folder = folder_read(
        (struct folder_file[]){{"s/np.json", ONE_POLICY},
                               {"s/snapshot.json", HEAD POLICIES("null", "1") ", " POLICIES("\"b\"", "1") "]}"},
                               {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 1);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "failed");
    expect(folder, OBJECT_NETWORK_POLICY, "b", "failed");
    folder_destroy(folder);
    folder = folder_read((struct folder_file[]){
        {"s/snapshot.json", HEAD "{\"resource\": \"pods\", \"status\": \"not-served\"}, {\"resource\": \"pods\", "
                                 "\"status\": \"forbidden\"}]}"},
        {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 1);
    expect(folder, OBJECT_POD, NULL, "failed");
    folder_destroy(folder);
}

/* ---- malformed ---- */

static const char *const malformed[] = {
    "{\"apiVersion\": \"egressc.io/v2\", \"kind\": \"EgressSnapshot\", \"collections\": []}",
    "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\"}",
    "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"collections\": {}}",
    "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"collections\": null}",
    "{\"kind\": \"EgressSnapshot\", \"collections\": []}",
    "{\"collections\": []}",
    "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"takenAt\": \"yesterday\", \"collections\": "
    "[]}",
    "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"takenAt\": 5, \"collections\": []}",
    "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"collections\": [], \"collections\": []}",
    HEAD "], \"namespaces\": 5}",
    HEAD "], \"namespaces\": \"some\"}",
    HEAD "], \"namespaces\": {\"a\": true}}",
    HEAD "], \"namespaces\": [1]}",
    HEAD "], \"namespaces\": [\"a\", \"\"]}",
    HEAD "1]}",
    HEAD "{\"status\": \"read\"}]}",
    HEAD "{\"resource\": \"pods\"}]}",
    HEAD "{\"resource\": \"\", \"status\": \"failed\"}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"Read\"}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"untold\"}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\"}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"np.json\"}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"np.json\", \"items\": \"1\"}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"np.json\", \"items\": -1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"np.json\", \"items\": 1.5}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"/etc/passwd\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"../np.json\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"a/../../np.json\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"./np.json\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"a//np.json\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"-\", \"items\": 1}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"failed\", \"namespaces\": \"a\"}]}",
    HEAD "{\"resource\": \"pods\", \"status\": \"failed\", \"namespace\": 3}]}",
};

static void of_a_malformed_index_every_collection_has_failed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct folder *folder = folder_read(
            (struct folder_file[]){{"s/np.json", ONE_POLICY}, {"s/snapshot.json", malformed[i]}, {NULL, NULL}});
        if (folder_faults(folder) != 1)
            fail_msg("%s: %zu faults", malformed[i], folder_faults(folder));
        for (size_t k = 0; k < folder->diagnostics.count; k++)
            if (folder->diagnostics.list[k].code == CODE_SNAPSHOT_INDEX)
                assert_true(folder->diagnostics.list[k].location.line > 0);
        expect(folder, OBJECT_NETWORK_POLICY, "a", "failed");
        expect(folder, OBJECT_POD, "a", "failed");
        folder_destroy(folder);
    }
}

static void what_a_malformed_index_lists_well_has_failed_all_the_same(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"s/np.json", ONE_POLICY},
        {"s/snapshot.json", HEAD POLICIES("\"a\"", "1") ", {\"resource\": \"pods\", \"status\": \"odd\"}]}"},
        {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 1);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "failed");
    assert_string_equal(folder->indexes.namespaces[0], "a");
    folder_destroy(folder);
}

static void an_index_that_is_no_document_is_malformed(void **state) {
    (void)state;
    struct folder *folder = folder_read(
        (struct folder_file[]){{"s/np.json", ONE_POLICY}, {"s/snapshot.json", "{\"collections\": ["}, {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 0);
    assert_true(folder->diagnostics.errors > 0);
    expect(folder, OBJECT_NETWORK_POLICY, "a", "failed");
    expect(folder, OBJECT_POD, "a", "failed");
    folder_destroy(folder);
}

static void an_empty_index_is_malformed(void **state) {
    static const char *const empty[] = {"", "\n", "# nothing\n"};
    (void)state;
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        struct folder *folder =
            folder_read((struct folder_file[]){{"s/np.json", ONE_POLICY}, {"s/snapshot.json", empty[i]}, {NULL, NULL}});
        if (folder_faults(folder) == 0)
            fail_msg("%zu is taken", i);
        expect(folder, OBJECT_NETWORK_POLICY, "ns", "failed");
        folder_destroy(folder);
    }
}

static void keys_that_no_version_knows_yet_are_passed_over(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"s/snapshot.json", "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"tool\": \"x\", "
                            "\"collections\": [{\"resource\": \"pods\", \"status\": \"failed\", \"attempts\": 3}]}"},
        {NULL, NULL}});
    assert_int_equal(folder_faults(folder), 0);
    expect(folder, OBJECT_POD, NULL, "failed");
    folder_destroy(folder);
}

static void other_files_of_that_name_are_no_index(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){{"s/snapshot.json", ONE_POLICY}, {NULL, NULL}});
    assert_int_equal(folder->indexes.count, 0);
    folder_destroy(folder);
}

/* ---- paths ---- */

static void listed_files_that_are_not_there_are_asked_for(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"s/np.json", ONE_POLICY},
        {"s/snapshot.json",
         HEAD POLICIES("null", "1") ", {\"resource\": \"pods\", \"status\": \"read\", \"file\": \"ns/pods.json\", "
                                    "\"items\": 0}, {\"resource\": \"nodes\", \"status\": \"read\", \"file\": "
                                    "\"../x.json\", \"items\": 0}]}"},
        {NULL, NULL}});
    size_t count;
    const char *const *paths = snapshot_index_paths(&folder->inputs, folder->arena, &count);
    assert_int_equal(count, 1);
    assert_string_equal(paths[0], "s/ns/pods.json");
    folder_destroy(folder);
}

static void items_get_the_namespace_of_their_file(void **state) {
    (void)state;
    struct folder *folder = folder_read((struct folder_file[]){
        {"s/np.json", ONE_POLICY}, {"s/snapshot.json", HEAD POLICIES("\"a\"", "1") "]}"}, {NULL, NULL}});
    struct objects objects;
    objects_collect_placed(&folder->inputs, folder->indexes.namespaces, "other", folder->arena, &objects,
                           &folder->diagnostics);
    assert_int_equal(objects.of[OBJECT_NETWORK_POLICY].count, 1);
    assert_string_equal(objects.of[OBJECT_NETWORK_POLICY].list[0].namespace, "a");
    folder_destroy(folder);
}

static void resources_are_plurals_of_kinds(void **state) {
    (void)state;
    static const struct {
        const char *resource, *kind;
        bool names;
    } cases[] = {
        {"networkpolicies", "NetworkPolicy", true},
        {"endpointslices", "EndpointSlice", true},
        {"sandboxes", "Sandbox", true},
        {"ciliumcidrgroups", "CiliumCIDRGroup", true},
        {"ingresses", "Ingress", true},
        {"pods", "Pod", true},
        {"networkpolicys", "NetworkPolicy", false},
        {"NetworkPolicies", "NetworkPolicy", false},
        {"pod", "Pod", false},
        {"", "", false},
        {"s", "", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(resource_names_kind(text_of(cases[i].resource), text_of(cases[i].kind)), cases[i].names);
    assert_true(object_kind_is_resource(OBJECT_SERVICE, "", "services"));
    assert_false(object_kind_is_resource(OBJECT_SERVICE, "serving.knative.dev", "services"));
    assert_true(object_kind_is_resource(OBJECT_WORKLOAD, "apps", "deployments"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_index_nothing_is_told),
        cmocka_unit_test(a_sound_index_tells_each_status),
        cmocka_unit_test(a_collection_of_one_namespace_counts_there_alone),
        cmocka_unit_test(an_index_of_some_namespaces_read_no_others),
        cmocka_unit_test(an_index_of_all_namespaces_read_each),
        cmocka_unit_test(a_group_tells_resources_of_one_name_apart),
        cmocka_unit_test(of_several_entries_one_that_was_read_counts),
        cmocka_unit_test(the_earliest_time_is_told),
        cmocka_unit_test(what_the_folder_does_not_bear_out_has_failed),
        cmocka_unit_test(a_broken_file_fails_its_collection),
        cmocka_unit_test(a_file_that_is_not_listed_fails_what_it_holds),
        cmocka_unit_test(files_outside_the_folder_are_none_of_its_business),
        cmocka_unit_test(a_file_below_the_folder_must_be_listed_too),
        cmocka_unit_test(what_stands_twice_has_failed),
        cmocka_unit_test(of_a_malformed_index_every_collection_has_failed),
        cmocka_unit_test(what_a_malformed_index_lists_well_has_failed_all_the_same),
        cmocka_unit_test(an_index_that_is_no_document_is_malformed),
        cmocka_unit_test(an_empty_index_is_malformed),
        cmocka_unit_test(keys_that_no_version_knows_yet_are_passed_over),
        cmocka_unit_test(other_files_of_that_name_are_no_index),
        cmocka_unit_test(listed_files_that_are_not_there_are_asked_for),
        cmocka_unit_test(items_get_the_namespace_of_their_file),
        cmocka_unit_test(resources_are_plurals_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

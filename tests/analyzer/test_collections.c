/* What had to be read of a cluster (spec/analysis.md 1); with an index: test_unread.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/verify/collections.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

static void words_are_the_plurals_that_the_api_serves(void **state) {
    static const char *const known[] = {"networkpolicies",
                                        "ciliumnetworkpolicies",
                                        "ciliumclusterwidenetworkpolicies",
                                        "adminnetworkpolicies",
                                        "baselineadminnetworkpolicies",
                                        "clusternetworkpolicies",
                                        "pods",
                                        "services",
                                        "endpointslices",
                                        "namespaces",
                                        "nodes",
                                        "ciliumcidrgroups",
                                        "configmaps",
                                        "validatingadmissionpolicies",
                                        "validatingadmissionpolicybindings",
                                        "sandboxtemplates",
                                        "sandboxclaims",
                                        "sandboxes"};
    static const char *const unknown[] = {"", "Pods", "pod", "networkpolicy", "secrets", "networkpolicies "};
    const char *const *words = collection_words(*state);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool listed = false;
        for (size_t k = 0; words[k]; k++)
            listed = listed || strcmp(words[k], known[i]) == 0;
        if (!listed || !collection_is_known(known[i]))
            fail_msg("%s", known[i]);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (collection_is_known(unknown[i]))
            fail_msg("%s", unknown[i]);
    for (size_t k = 0; words[k]; k++) {
        assert_true(collection_is_known(words[k]));
        assert_true(k == 0 || strcmp(words[k - 1], words[k]) < 0);
    }
}

/* Policy kinds: what is there is taken as all there is. */
static void without_an_index_nothing_lacks(void **state) {
    struct stage *stage = stage_of(*state, "");
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        assert_null(snapshot_lacks(&stage->snapshot, (enum object_kind)kind, "ns"));
    assert_null(snapshot_lacks_policies(&stage->snapshot, false, "ns"));
    assert_null(snapshot_lacks_policies(&stage->snapshot, true, "ns"));
    size_t count;
    snapshot_unread(&stage->snapshot, *state, &count);
    assert_int_equal(count, 0);
}

static void collection_that_is_required_must_hold_something_without_an_index(void **state) {
    static const struct {
        const char *objects;
        const char *required[3];
        const char *unread; /* with spaces between them */
    } rows[] = {
        {CORE("p", "{podSelector: {}}"), {"networkpolicies", NULL, NULL}, ""},
        {"", {"networkpolicies", NULL, NULL}, "networkpolicies"},
        {CORE("p", "{podSelector: {}}"), {"networkpolicies", "pods", NULL}, "pods"},
        {CORE("p", "{podSelector: {}}"), {"services", "networkpolicies", "nodes"}, "nodes services"},
        {CNP("p", "{endpointSelector: {}, egress: [{}]}"), {"networkpolicies", NULL, NULL}, "networkpolicies"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_of(*state, rows[i].objects);
        size_t wanted = 0, count;
        while (wanted < 3 && rows[i].required[wanted])
            wanted++;
        const char *sentence = snapshot_lacks_required(&stage->snapshot, rows[i].required, wanted, "ns");
        snapshot_lacks_required(&stage->snapshot, rows[i].required, wanted, "ns"); /* listed once all the same */
        const struct unread *unread = snapshot_unread(&stage->snapshot, *state, &count);
        struct buffer words;
        buffer_init(&words, *state);
        for (size_t k = 0; k < count; k++)
            buffer_print(&words, "%s%s", k ? " " : "", unread[k].resource);
        if (strcmp(buffer_string(&words), rows[i].unread) != 0 || (sentence == NULL) != (count == 0))
            fail_msg("row %zu: %s", i, buffer_string(&words));
        for (size_t k = 0; k < count; k++)
            assert_string_equal(unread[k].why, "absent");
    }
}

static void cluster_carries_the_facts_and_what_is_complete(void **state) {
    struct stage *stage = stage_of(*state, "");
    struct cluster_facts facts = facts_default();
    facts.cluster_name = "east";
    stage->snapshot.complete[OBJECT_POD] = true;
    struct cluster cluster = snapshot_cluster(&stage->snapshot, &facts);
    assert_string_equal(cluster.facts.cluster_name, "east");
    assert_ptr_equal(cluster.evidence, &stage->snapshot.evidence);
    for (unsigned kind = 0; kind < OBJECT_KIND_COUNT; kind++)
        assert_int_equal(cluster.complete[kind], kind == OBJECT_POD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_are_the_plurals_that_the_api_serves, begin, end),
        cmocka_unit_test_setup_teardown(without_an_index_nothing_lacks, begin, end),
        cmocka_unit_test_setup_teardown(collection_that_is_required_must_hold_something_without_an_index, begin, end),
        cmocka_unit_test_setup_teardown(cluster_carries_the_facts_and_what_is_complete, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

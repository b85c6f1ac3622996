/* What rests on collections that were not read: spec/analysis.md 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "given.h"
#include "tests/arena_state.h"

/* ---- indexes ---- */

static const char *const core_kinds[] = {"networkpolicies", "adminnetworkpolicies", "baselineadminnetworkpolicies",
                                         "clusternetworkpolicies"};
static const char *const cilium_kinds[] = {"networkpolicies", "ciliumnetworkpolicies",
                                           "ciliumclusterwidenetworkpolicies", "clusternetworkpolicies"};

/* An index that lists those of `kinds` as read, with a file each; `but` has `status`, or is left out where that is NULL. */
static const char *index_of(struct arena *arena, const char *const *kinds, const char *but, const char *status,
                            unsigned policies) {
    struct buffer out;
    buffer_init(&out, arena);
    buffer_add_string(&out, "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"collections\": [");
    const char *comma = "";
    for (size_t i = 0; i < 4; i++) {
        bool is_core = strcmp(kinds[i], "networkpolicies") == 0;
        bool fails = but && strcmp(kinds[i], but) == 0;
        if (fails && !status)
            continue;
        buffer_print(&out, "%s{\"resource\": \"%s\", \"namespace\": null, \"status\": \"%s\"", comma, kinds[i],
                     fails ? status : "read");
        if (is_core || !fails)
            buffer_print(&out, ", \"file\": \"%s.yaml\", \"items\": %u", kinds[i], is_core ? policies : 0);
        buffer_add_string(&out, "}");
        comma = ", ";
    }
    buffer_add_string(&out, "]}");
    return buffer_string(&out);
}

static const char empty_list[] = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}";

static const char cilium_config[] = "namespace: ns\nsandboxTemplateName: box\ningress: unverified\n"
                                    "egress: {policy: {kind: no-network}, engine: cilium}\n";

/* The boundary against a snapshot of these policies, whose index gives `but` the status; NULL: it does not list it. */
static const struct decision *decide(struct arena *arena, bool cilium, const char *policies, unsigned count,
                                     const char *but, const char *status) {
    const char *const *kinds = cilium ? cilium_kinds : core_kinds;
    struct given given = {.config = cilium ? cilium_config : NULL};
    size_t files = 0;
    given.files[files++] = (struct given_file){"s/snapshot.json", index_of(arena, kinds, but, status, count)};
    for (size_t i = 0; i < 4; i++) {
        bool is_core = strcmp(kinds[i], "networkpolicies") == 0;
        if (!is_core && but && strcmp(kinds[i], but) == 0)
            continue;
        given.files[files++] =
            (struct given_file){arena_format(arena, "s/%s.yaml", kinds[i]), is_core ? policies : empty_list};
    }
    return given_decide(arena, &given);
}

static void a_snapshot_that_was_read_decides(void **state) {
    const struct decision *decision = decide(*state, false, GIVEN_CLOSED, 1, NULL, NULL);
    assert_string_equal(given_refusal(given_egress(decision)), "pass");
    assert_string_equal(given_unread(decision, *state), "none");
    assert_false(decision->refused);
    decision = decide(*state, true, GIVEN_CLOSED, 1, NULL, NULL);
    assert_string_equal(given_refusal(given_egress(decision)), "pass");
}

/* "not-served" means that there are none of the kinds of policy.networking.k8s.io, and nothing else. */
static bool means_none(const char *kind, const char *status) {
    return strcmp(status, "not-served") == 0 && strcmp(kind, "networkpolicies") != 0 && !strstr(kind, "cilium");
}

static void expect_unread(struct arena *arena, bool cilium, const char *kind, const char *status) {
    const char *word = status ? status : "absent";
    bool none = means_none(kind, word);
    const struct decision *decision = decide(arena, cilium, GIVEN_CLOSED, 1, kind, status);
    const char *refusal = given_refusal(given_egress(decision));
    if (strcmp(refusal, none ? "pass" : "not-evaluable") != 0)
        fail_msg("%s %s: %s", kind, word, refusal);
    assert_string_equal(given_unread(decision, arena), none ? "none" : arena_format(arena, "%s %s", kind, word));
}

static void each_collection_of_an_engine_must_be_read(void **state) {
    static const char *const statuses[] = {"forbidden", "failed", "not-served"};
    for (unsigned cilium = 0; cilium < 2; cilium++)
        for (size_t kind = 0; kind < 4; kind++) {
            const char *word = cilium ? cilium_kinds[kind] : core_kinds[kind];
            for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
                expect_unread(*state, cilium, word, statuses[i]);
            /* Without networkpolicies their file would not be listed, which is a fault of its own. */
            if (strcmp(word, "networkpolicies") != 0)
                expect_unread(*state, cilium, word, NULL);
        }
}

static void what_was_read_still_proves_that_it_widens(void **state) {
    const struct decision *decision =
        decide(*state, false, GIVEN_CLOSED GIVEN_OPEN, 2, "clusternetworkpolicies", "forbidden");
    assert_string_equal(given_refusal(given_egress(decision)), "policy-widens-egress");
    assert_string_equal(given_unread(decision, *state), "clusternetworkpolicies forbidden");
    decision = decide(*state, false, GIVEN_CLOSED GIVEN_OPEN, 2, "networkpolicies", "failed");
    assert_string_equal(given_refusal(given_egress(decision)), "policy-widens-egress");
}

static void an_unread_collection_is_no_empty_one(void **state) {
    const struct decision *decision = decide(*state, false, "", 0, "adminnetworkpolicies", "failed");
    assert_string_equal(given_refusal(given_egress(decision)), "not-evaluable");
    decision = decide(*state, false, "", 0, NULL, NULL);
    assert_string_equal(given_refusal(given_egress(decision)), "no-enforcing-policy");
}

static void the_remedy_tells_forbidden_from_not_served(void **state) {
    const struct decision *forbidden = decide(*state, true, GIVEN_CLOSED, 1, "ciliumnetworkpolicies", "forbidden");
    const struct decision *missing = decide(*state, true, GIVEN_CLOSED, 1, "ciliumnetworkpolicies", "not-served");
    assert_non_null(
        strstr(given_egress(forbidden)->reason, "grant the reader `list` on ciliumnetworkpolicies.cilium.io"));
    assert_non_null(strstr(given_egress(missing)->reason, "install the CRD ciliumnetworkpolicies.cilium.io"));
    assert_non_null(strstr(forbidden->unread[0].reason, "grant the reader"));
    assert_non_null(strstr(missing->unread[0].reason, "install the CRD"));
}

/* ---- the named object ---- */

static void a_named_object_of_an_unread_kind_is_not_missing(void **state) {
    const struct decision *decision = decide(*state, false, "", 0, "networkpolicies", "failed");
    assert_int_equal(decision->boundaries[0].named_object->status, NAMED_NOT_EVALUABLE);
    assert_int_equal(given_refusals(decision, CODE_NAMED_OBJECT_MISSING), 0);
    assert_int_equal(given_refusals(decision, CODE_NOT_EVALUABLE), 1);
    decision = decide(*state, false, "", 0, "adminnetworkpolicies", "failed");
    assert_int_equal(decision->boundaries[0].named_object->status, NAMED_MISSING);
}

static void a_named_object_that_is_there_is_compared(void **state) {
    const struct decision *decision = decide(*state, false, GIVEN_CLOSED, 1, "networkpolicies", "failed");
    assert_int_equal(decision->boundaries[0].named_object->status, NAMED_MATCH);
}

/* ---- namespaces ---- */

static const struct decision *decide_in(struct arena *arena, const char *namespace) {
    const char *index = arena_format(
        arena,
        "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"takenAt\": \"2026-09-01T10:00:00Z\", "
        "\"collections\": [{\"resource\": \"networkpolicies\", \"namespace\": \"%s\", \"status\": \"read\", \"file\": "
        "\"np.yaml\", \"items\": 1}, {\"resource\": \"adminnetworkpolicies\", \"status\": \"not-served\"}, "
        "{\"resource\": \"baselineadminnetworkpolicies\", \"status\": \"not-served\"}, {\"resource\": "
        "\"clusternetworkpolicies\", \"status\": \"not-served\"}]}",
        namespace);
    const char *policy =
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: box-egress}\nspec: "
        "{podSelector: {matchLabels: {sandbox.namzu.ai/template: box}}, policyTypes: [Egress], egress: "
        "[]}\n";
    return given_decide(arena, &(struct given){.files = {{"s/np.yaml", policy}, {"s/snapshot.json", index}}});
}

static void a_collection_of_the_boundarys_namespace_is_enough(void **state) {
    const struct decision *decision = decide_in(*state, "ns");
    assert_string_equal(given_refusal(given_egress(decision)), "pass");
    assert_int_equal(decision->boundaries[0].named_object->status, NAMED_MATCH);
    assert_string_equal(decision->inputs.taken_at, "2026-09-01T10:00:00Z");
    decision = decide_in(*state, "other");
    assert_string_equal(given_refusal(given_egress(decision)), "not-evaluable");
    assert_string_equal(given_unread(decision, *state), "networkpolicies absent");
}

/* ---- what is required ---- */

static void what_is_required_must_be_read(void **state) {
    struct given given = {.files = {{"a.yaml", GIVEN_CLOSED}}, .require = {"networkpolicies"}};
    const struct decision *decision = given_decide(*state, &given);
    assert_string_equal(given_refusal(given_egress(decision)), "pass");
    given.require[1] = "pods";
    decision = given_decide(*state, &given);
    assert_string_equal(given_refusal(given_egress(decision)), "not-evaluable");
    assert_string_equal(given_unread(decision, *state), "pods absent");
}

static void an_index_answers_for_what_is_required(void **state) {
    static const struct {
        const char *entry, *refusal, *unread;
    } cases[] = {
        {"{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"pods.json\", \"items\": 0}", "pass", "none"},
        {"{\"resource\": \"pods\", \"status\": \"forbidden\"}", "not-evaluable", "pods forbidden"},
        {"{\"resource\": \"pods\", \"status\": \"not-served\"}", "not-evaluable", "pods not-served"},
        {"{\"resource\": \"pods\", \"status\": \"failed\"}", "not-evaluable", "pods failed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *index = arena_format(
            *state,
            "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"collections\": [{\"resource\": "
            "\"networkpolicies\", \"status\": \"read\", \"file\": \"np.yaml\", \"items\": 1}, {\"resource\": "
            "\"adminnetworkpolicies\", \"status\": \"not-served\"}, {\"resource\": \"baselineadminnetworkpolicies\", "
            "\"status\": \"not-served\"}, {\"resource\": \"clusternetworkpolicies\", \"status\": \"not-served\"}, %s]}",
            cases[i].entry);
        struct given given = {.files = {{"s/snapshot.json", index}, {"s/np.yaml", GIVEN_CLOSED}}, .require = {"pods"}};
        if (i == 0)
            given.files[2] = (struct given_file){"s/pods.json", empty_list};
        const struct decision *decision = given_decide(*state, &given);
        assert_string_equal(given_refusal(given_egress(decision)), cases[i].refusal);
        assert_string_equal(given_unread(decision, *state), cases[i].unread);
    }
}

static void what_is_required_counts_where_no_pod_is_decided_about(void **state) {
    struct given given = {
        .files = {{"a.yaml", GIVEN_CLOSED}}, .require = {"services"}, .checks = 1u << CHECK_NAMED_OBJECT};
    const struct decision *decision = given_decide(*state, &given);
    assert_true(decision->refused);
    assert_int_equal(given_refusals(decision, CODE_NOT_READ), 1);
    assert_string_equal(given_unread(decision, *state), "services absent");
}

/* ---- evidence ---- */

static const char *named_port_index(struct arena *arena, const char *pods) {
    return arena_format(
        arena,
        "{\"apiVersion\": \"egressc.io/v1\", \"kind\": \"EgressSnapshot\", \"collections\": [{\"resource\": "
        "\"networkpolicies\", \"status\": \"read\", \"file\": \"np.yaml\", \"items\": 2}, {\"resource\": "
        "\"ciliumnetworkpolicies\", \"status\": \"read\", \"file\": \"cnp.json\", \"items\": 0}, {\"resource\": "
        "\"ciliumclusterwidenetworkpolicies\", \"status\": \"read\", \"file\": \"ccnp.json\", \"items\": 0}, "
        "{\"resource\": \"clusternetworkpolicies\", \"status\": \"not-served\"}, %s]}",
        pods);
}

static void names_resolve_where_all_evidence_was_read(void **state) {
    static const char policies[] = GIVEN_CLOSED
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: named, namespace: ns}\nspec: "
        "{podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: metrics}]}]}\n";
    struct given given = {.config = cilium_config,
                          .files = {{"s/np.yaml", policies},
                                    {"s/cnp.json", empty_list},
                                    {"s/ccnp.json", empty_list},
                                    {"s/snapshot.json",
                                     named_port_index(*state, "{\"resource\": \"pods\", \"status\": \"forbidden\"}")}}};
    const struct decision *decision = given_decide(*state, &given);
    assert_string_equal(given_verdict(given_egress(decision), "NetworkPolicy", "named"), "not-evaluable");
    assert_string_equal(given_unread(decision, *state), "pods forbidden");
    given.files[3].text = named_port_index(
        *state, "{\"resource\": \"pods\", \"status\": \"read\", \"file\": \"pods.json\", \"items\": 1}");
    given.files[4] =
        (struct given_file){"s/pods.json", "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [{\"metadata\": "
                                           "{\"name\": \"m\", \"namespace\": \"x\"}, \"spec\": {\"containers\": "
                                           "[{\"name\": \"c\", \"ports\": [{\"name\": \"metrics\", "
                                           "\"containerPort\": 9100}]}]}}]}"};
    decision = given_decide(*state, &given);
    assert_string_equal(given_verdict(given_egress(decision), "NetworkPolicy", "named"), "widens-egress");
    assert_string_equal(given_refusal(given_egress(decision)), "policy-widens-egress");
    assert_string_equal(given_unread(decision, *state), "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_snapshot_that_was_read_decides, begin, end),
        cmocka_unit_test_setup_teardown(each_collection_of_an_engine_must_be_read, begin, end),
        cmocka_unit_test_setup_teardown(what_was_read_still_proves_that_it_widens, begin, end),
        cmocka_unit_test_setup_teardown(an_unread_collection_is_no_empty_one, begin, end),
        cmocka_unit_test_setup_teardown(the_remedy_tells_forbidden_from_not_served, begin, end),
        cmocka_unit_test_setup_teardown(a_named_object_of_an_unread_kind_is_not_missing, begin, end),
        cmocka_unit_test_setup_teardown(a_named_object_that_is_there_is_compared, begin, end),
        cmocka_unit_test_setup_teardown(a_collection_of_the_boundarys_namespace_is_enough, begin, end),
        cmocka_unit_test_setup_teardown(what_is_required_must_be_read, begin, end),
        cmocka_unit_test_setup_teardown(an_index_answers_for_what_is_required, begin, end),
        cmocka_unit_test_setup_teardown(what_is_required_counts_where_no_pod_is_decided_about, begin, end),
        cmocka_unit_test_setup_teardown(names_resolve_where_all_evidence_was_read, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What one policy says: whether it isolates, and its entries (spec/kubernetes-egress.md 1.3, 1.4, spec/cilium-egress.md 2, 4.3,
 * spec/analysis.md 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

enum stand { LEAVES, ISOLATES, OPENS /* selects without isolating: allow-all is added below */ };

static enum stand stand_of(const struct policy_rules *rules) {
    assert_false(rules->isolates && rules->adds_allow_all);
    return rules->isolates ? ISOLATES : rules->adds_allow_all ? OPENS : LEAVES;
}

static void core_policy_isolates_egress_by_its_types(void **state) {
    static const struct {
        const char *spec;
        enum stand core, cilium;
    } rows[] = {
        {"{podSelector: {}}", LEAVES, LEAVES},
        {"{podSelector: {}, egress: []}", LEAVES, LEAVES},
        {"{podSelector: {}, egress: null}", LEAVES, LEAVES},
        {"{podSelector: {}, egress: [{}]}", ISOLATES, ISOLATES},
        {"{podSelector: {}, egress: [null]}", ISOLATES, ISOLATES},
        {"{podSelector: {}, policyTypes: [], egress: [{}]}", ISOLATES, ISOLATES},
        {"{podSelector: {}, policyTypes: [Ingress]}", LEAVES, LEAVES},
        /* The rules of a direction that is not listed are inert, but Cilium counts them. */
        {"{podSelector: {}, policyTypes: [Ingress], egress: [{}]}", LEAVES, ISOLATES},
        {"{podSelector: {}, policyTypes: [Egress]}", ISOLATES, ISOLATES},
        {"{podSelector: {}, policyTypes: [Egress], egress: []}", ISOLATES, ISOLATES},
        {"{podSelector: {}, policyTypes: [Ingress, Egress]}", ISOLATES, ISOLATES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_of(*state, stage_filled(*state, CORE("p", "%s"), rows[i].spec));
        if (stand_of(&stage_rules(stage).rules[0]) != rows[i].core)
            fail_msg("%s", rows[i].spec);
        stage_read_cilium(stage, CILIUM_1_18);
        if (stand_of(&stage_rules(stage).rules[0]) != rows[i].cilium)
            fail_msg("%s under Cilium", rows[i].spec);
    }
}

static void inert_rules_allow_nothing(void **state) {
    static const char policy[] = CORE("p", "{podSelector: {}, policyTypes: [Ingress], egress: [{}]}");
    struct stage *stage = stage_of(*state, policy);
    assert_int_equal(stage_rules(stage).rules[0].count, 0);
    stage_read_cilium(stage, CILIUM_1_18);
    assert_int_equal(stage_rules(stage).rules[0].count, 1);
}

/* The table of 2. */
static void cilium_policy_isolates_where_a_list_has_an_entry(void **state) {
    static const struct {
        const char *lists;
        enum stand before_1_16, since;
    } rows[] = {
        {"ingress: [{}]", LEAVES, LEAVES},
        {"egress: []", LEAVES, LEAVES},
        {"egress: [], enableDefaultDeny: {egress: true}", LEAVES, LEAVES},
        {"ingress: [{}], enableDefaultDeny: {egress: true}", LEAVES, LEAVES},
        {"egress: [{}]", ISOLATES, ISOLATES},
        {"egressDeny: [{toEntities: [all]}]", ISOLATES, ISOLATES},
        {"egressDeny: [{}]", ISOLATES, ISOLATES},
        {"egress: [{toEndpoints: []}]", ISOLATES, ISOLATES},
        {"egress: [{toEntities: [none]}]", ISOLATES, ISOLATES},
        {"egress: [{}], enableDefaultDeny: {egress: true}", ISOLATES, ISOLATES},
        {"egress: [{}], enableDefaultDeny: {ingress: false}", ISOLATES, ISOLATES},
        {"egress: [{}], enableDefaultDeny: {egress: false}", ISOLATES, OPENS},
        {"egressDeny: [{toEntities: [all]}], enableDefaultDeny: {egress: false}", ISOLATES, OPENS},
        {"egress: [], enableDefaultDeny: {egress: false}", LEAVES, LEAVES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage =
            stage_of(*state, stage_filled(*state, CNP("p", "{endpointSelector: {}, %s}"), rows[i].lists));
        for (unsigned class = 0; class < CILIUM_CLASS_COUNT; class ++) {
            stage_read_cilium(stage, (enum cilium_class) class);
            enum stand wanted = class < CILIUM_1_16_0 ? rows[i].before_1_16 : rows[i].since;
            if (stand_of(&stage_rules(stage).rules[0]) != wanted)
                fail_msg("%s under %s", rows[i].lists, cilium_class_word((enum cilium_class) class));
        }
    }
}

static void entries_stand_in_order_denies_last(void **state) {
    struct stage *stage = stage_of(
        *state, CNP("p", "{endpointSelector: {}, egressDeny: [{toCIDR: [10.0.0.0/8]}], egress: [{toEntities: [all]}, "
                         "{}]}"));
    stage_read_cilium(stage, CILIUM_1_18);
    struct stage_rules rules = stage_rules(stage);
    assert_int_equal(rules.count, 1);
    assert_int_equal(rules.rules[0].count, 3);
    static const struct {
        const char *path;
        bool deny;
    } rows[] = {{"spec.egress[0]", false}, {"spec.egress[1]", false}, {"spec.egressDeny[0]", true}};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(rules.rules[0].entries[i].part.path, rows[i].path);
        assert_int_equal(rules.rules[0].entries[i].deny, rows[i].deny);
    }
}

static void each_entry_of_specs_is_a_rule_of_its_own(void **state) {
    struct stage *stage =
        stage_of(*state, "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: p}\n"
                         "spec: {endpointSelector: {}, egress: [{toCIDR: [10.0.0.0/8]}]}\n"
                         "specs: [{endpointSelector: {}, egress: [{toCIDR: [11.0.0.0/8]}]}, {endpointSelector: {}, "
                         "ingress: [{}]}]\n");
    stage_read_cilium(stage, CILIUM_1_18);
    struct stage_rules rules = stage_rules(stage);
    assert_int_equal(rules.count, 3);
    assert_int_equal(rules.rules[0].rule->index, -1);
    assert_string_equal(rules.rules[0].entries[0].part.path, "spec.egress[0]");
    assert_int_equal(rules.rules[1].rule->index, 0);
    assert_string_equal(rules.rules[1].entries[0].part.path, "specs[0].egress[0]");
    assert_true(rules.rules[1].isolates);
    assert_false(rules.rules[2].isolates);
    assert_int_equal(rules.rules[2].count, 0);
}

static struct policy_rules ingress_of(struct stage *stage, enum object_kind kind) {
    const struct object_list *list = &stage->snapshot.objects.of[kind];
    const struct policy *policy = snapshot_policy(&stage->snapshot, &list->list[0]);
    struct policy_rules rules;
    ingress_rules_of(policy, policy->rule_count ? &policy->rules[0] : NULL, &stage->cluster, &stage->reading, &rules);
    return rules;
}

/* Absent policyTypes include Ingress; where it is left out there are no rules, for Cilium too. */
static void ingress_of_a_core_policy_goes_by_its_types(void **state) {
    static const struct {
        const char *spec;
        enum stand stand;
        size_t entries;
    } rows[] = {
        {"{podSelector: {}}", ISOLATES, 0},
        {"{podSelector: {}, egress: [{}]}", ISOLATES, 0},
        {"{podSelector: {}, ingress: [{}]}", ISOLATES, 1},
        {"{podSelector: {}, policyTypes: [Egress], ingress: [{}]}", LEAVES, 0},
        {"{podSelector: {}, policyTypes: [Ingress]}", ISOLATES, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned cilium = 0; cilium < 2; cilium++) {
            struct stage *stage = stage_of(*state, stage_filled(*state, CORE("p", "%s"), rows[i].spec));
            if (cilium)
                stage_read_cilium(stage, CILIUM_1_18);
            struct policy_rules rules = ingress_of(stage, OBJECT_NETWORK_POLICY);
            if (stand_of(&rules) != rows[i].stand || rules.count != rows[i].entries)
                fail_msg("%s", rows[i].spec);
        }
}

static void ingress_of_a_cilium_policy_has_its_own_default_deny(void **state) {
    static const struct {
        const char *lists;
        enum stand stand;
    } rows[] = {
        {"egress: [{}]", LEAVES},
        {"ingress: [{}]", ISOLATES},
        {"ingressDeny: [{}]", ISOLATES},
        {"ingress: [{}], enableDefaultDeny: {egress: false}", ISOLATES},
        {"ingress: [{}], enableDefaultDeny: {ingress: false}", OPENS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage =
            stage_of(*state, stage_filled(*state, CNP("p", "{endpointSelector: {}, %s}"), rows[i].lists));
        stage_read_cilium(stage, CILIUM_1_18);
        struct policy_rules rules = ingress_of(stage, OBJECT_CILIUM_NETWORK_POLICY);
        if (stand_of(&rules) != rows[i].stand)
            fail_msg("%s", rows[i].lists);
    }
}

static void destinations_of_an_entry_are_those_of_its_peers_together(void **state) {
    struct stage *stage = stage_of(*state, CNP("p", "{endpointSelector: {}, egressDeny: [{toCIDR: [10.0.0.0/8], "
                                                    "toEntities: [host], toGroups: [{aws: {}}]}]}"));
    stage_read_cilium(stage, CILIUM_1_16_4);
    const struct rule_entry *entry = stage_entry(stage);
    assert_int_equal(entry->peer_count, 3);
    assert_string_equal(truth_word(stage_reaches(stage, entry, "10.0.0.1")), "yes");
    assert_string_equal(truth_word(stage_reaches(stage, entry, "host")), "yes");
    assert_string_equal(truth_word(stage_reaches(stage, entry, "11.0.0.1")), "maybe");
    assert_string_equal(truth_word(stage_reaches(stage, entry, "pod:ns?")), "no");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(core_policy_isolates_egress_by_its_types, begin, end),
        cmocka_unit_test_setup_teardown(inert_rules_allow_nothing, begin, end),
        cmocka_unit_test_setup_teardown(cilium_policy_isolates_where_a_list_has_an_entry, begin, end),
        cmocka_unit_test_setup_teardown(entries_stand_in_order_denies_last, begin, end),
        cmocka_unit_test_setup_teardown(each_entry_of_specs_is_a_rule_of_its_own, begin, end),
        cmocka_unit_test_setup_teardown(ingress_of_a_core_policy_goes_by_its_types, begin, end),
        cmocka_unit_test_setup_teardown(ingress_of_a_cilium_policy_has_its_own_default_deny, begin, end),
        cmocka_unit_test_setup_teardown(destinations_of_an_entry_are_those_of_its_peers_together, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

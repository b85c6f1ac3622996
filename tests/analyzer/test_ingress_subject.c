/* Ingress by subjects and configs: port names, refusals, engines (spec/analysis.md 5, spec/config.md 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "ingress_case.h"
#include "tests/arena_state.h"

#define POD_OBJECT(name, more, port)                                                                                   \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name ", labels: {sandbox.namzu.ai/template: box}}\n"           \
    "spec: {" more "containers: [{name: c, ports: [{name: agent, containerPort: " port "}]}]}\n"
#define NAMED_PORT CORE_OBJECT("p", "{podSelector: {}, ingress: [{ports: [{port: agent}]}]}")
#define NARROW_NAMED_PORT                                                                                              \
    CORE_OBJECT("p", "{podSelector: {}, ingress: [{from: [{podSelector: {}}], ports: [{port: agent}]}]}")

static void port_names_are_settled_by_the_subjects_containers(void **state) {
    static const struct {
        const char *objects, *labels, *verdict;
    } rows[] = {
        {POD_OBJECT("a", "", "1024") NAMED_PORT, NULL, "opens-agent-port"},
        {POD_OBJECT("a", "", "1025") NAMED_PORT, NULL, "covers"},
        {POD_OBJECT("a", "", "1024") NAMED_PORT, POD, "not-evaluable"},
        {NAMED_PORT, NULL, "not-evaluable"},
        {NARROW_NAMED_PORT, NULL, "covers"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct question question = {"", rows[i].objects, rows[i].labels};
        const struct side_decision *side = decide_ingress(*state, &question);
        assert_string_equal(verdict_word(examined_of(side, "p")->verdict), rows[i].verdict);
    }
}

static void pods_with_other_ports_are_decided_apart_where_names_matter(void **state) {
    const char *pods = POD_OBJECT("a", "", "1024") POD_OBJECT("b", "", "1025");
    const char *named = arena_format(*state, "%s%s", pods, NAMED_PORT);
    const struct boundary_decision *decision = decide(*state, &(struct question){"", named, NULL});
    assert_int_equal(decision->subject_count, 2);
    assert_true(decision->subjects[0].refused);
    assert_false(decision->subjects[1].refused);
    const char *plain = arena_format(*state, "%s%s", pods, CORE_OBJECT("p", "{podSelector: {}}"));
    assert_int_equal(decide(*state, &(struct question){"", plain, NULL})->subject_count, 1);
}

static void refusals_stand_in_their_order(void **state) {
    static const struct {
        const char *objects, *refusal;
    } rows[] = {
        {POD_OBJECT("a", "hostNetwork: true, ", "1024") CORE_OBJECT("p", "{podSelector: {}, ingress: [{}]}"),
         "host-network"},
        {CORE_OBJECT("p", "{podSelector: {}, ingress: [{}]}") CORE_OBJECT("q", "{podSelector: {}, ingress: x}"),
         "port-open"},
        {CORE_OBJECT("p", "{podSelector: {}}") CORE_OBJECT("q", "{podSelector: {}, ingress: x}"), "not-evaluable"},
        {CORE_OBJECT("p", "{podSelector: {}, policyTypes: [Egress]}"), "no-covering-policy"},
        {"", "no-covering-policy"},
        {CORE_OBJECT("p", "{podSelector: {}}"), "pass"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct question question = {"", rows[i].objects, NULL};
        assert_string_equal(refusal_of(decide_ingress(*state, &question)), rows[i].refusal);
    }
}

static void what_opens_is_named_with_its_place(void **state) {
    const char *objects = CORE_OBJECT("p", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}, "
                                           "{from: [{podSelector: {}}, {ipBlock: {cidr: '::/0'}}]}]}");
    const struct examined *examined = examined_of(decide_ingress(*state, &(struct question){"", objects, POD}), "p");
    assert_string_equal(examined->path, "spec.ingress[1].from[1]");
    assert_string_equal(examined->detail, "it admits every IPv6 address on TCP port 1024");
    assert_int_equal(examined->location.line, 5);
}

/* ---- the config ---- */

static void agent_port_is_the_configs(void **state) {
    const char *objects = CORE_OBJECT("p", "{podSelector: {}, ingress: [{ports: [{port: 9090}]}]}");
    const struct question other = {"", objects, POD}, same = {"agentPort: 9090", objects, POD};
    assert_string_equal(refusal_of(decide_ingress(*state, &other)), "pass");
    assert_string_equal(refusal_of(decide_ingress(*state, &same)), "port-open");
}

static void engine_defaults_to_that_of_egress(void **state) {
    const char *objects = CILIUM_OBJECT("p", "{endpointSelector: {}, ingress: [{fromEntities: [host]}]}");
    static const struct {
        const char *config, *refusal;
    } rows[] = {
        {"", "no-covering-policy"},
        {"egress: {policy: {kind: no-network}, engine: cilium}", "pass"},
        {"egress: {policy: {kind: no-network}, engine: cilium}\ningress: {engine: core}", "no-covering-policy"},
        {"egress: {policy: {kind: no-network}, verify: named-object-only}\ningress: {engine: cilium}", "pass"},
        {"ingress: {engine: cilium}\ncluster: {cilium: {enforcementMode: never}}", "no-covering-policy"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct question question = {rows[i].config, objects, POD};
        assert_string_equal(refusal_of(decide_ingress(*state, &question)), rows[i].refusal);
    }
    const struct question always = {"ingress: {engine: cilium}\ncluster: {cilium: {enforcementMode: always}}", "", POD};
    assert_string_equal(refusal_of(decide_ingress(*state, &always)), "pass");
}

static void unverified_ingress_is_not_looked_at(void **state) {
    const char *objects = CORE_OBJECT("p", "{podSelector: {}, ingress: [{}]}");
    const struct boundary_decision *decision = decide(*state, &(struct question){"ingress: unverified", objects, POD});
    assert_false(decision->refused);
    assert_int_equal(decision->subject_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(port_names_are_settled_by_the_subjects_containers, begin, end),
        cmocka_unit_test_setup_teardown(pods_with_other_ports_are_decided_apart_where_names_matter, begin, end),
        cmocka_unit_test_setup_teardown(refusals_stand_in_their_order, begin, end),
        cmocka_unit_test_setup_teardown(what_opens_is_named_with_its_place, begin, end),
        cmocka_unit_test_setup_teardown(agent_port_is_the_configs, begin, end),
        cmocka_unit_test_setup_teardown(engine_defaults_to_that_of_egress, begin, end),
        cmocka_unit_test_setup_teardown(unverified_ingress_is_not_looked_at, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Services as peers, and where the API server is (spec/cilium-egress.md 3.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/api_server.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

#define DATABASE                                                                                                       \
    OBJECT("v1", "Service", "name: db, namespace: data, labels: {tier: back}",                                         \
           "spec: {selector: {app: db}, ports: [{port: 5432}]}")
#define BARE                                                                                                           \
    OBJECT("v1", "Service", "name: bare, namespace: data, labels: {tier: out}", "spec: {ports: [{port: 5432}]}")
#define BARE_SLICE                                                                                                     \
    OBJECT("discovery.k8s.io/v1", "EndpointSlice",                                                                     \
           "name: bare-1, namespace: data, labels: {kubernetes.io/service-name: bare}",                                \
           "addressType: IPv4\nendpoints: [{addresses: [192.0.2.7]}]")
#define ALIAS                                                                                                          \
    OBJECT("v1", "Service", "name: alias, namespace: data, labels: {tier: back}",                                      \
           "spec: {type: ExternalName, externalName: a.example}")

#define TO(name) "toServices: [{k8sService: {serviceName: " name ", namespace: data}}]"
#define WITH_PORTS ", toPorts: [{ports: [{port: '5432'}]}]"
#define BY_LABELS(labels) "toServices: [{k8sServiceSelector: {selector: {matchLabels: {" labels "}}}}]"

/* The rule beside the Services, whether they and the slices are known to be all there are, whether it reaches a
 * destination. */
struct row {
    const char *services, *rule;
    cilium_classes classes;
    bool complete;
    const char *destination, *reached;
};
#define LAST_ROW                                                                                                       \
    { NULL, NULL, 0, false, NULL, NULL }

static void expect(struct arena *arena, const char *list, const struct row *rows) {
    int wrong = 0;
    for (; rows->services; rows++) {
        const char *policy = arena_format(arena, CNP("p", "{endpointSelector: {}, %s: [{%s}]}"), list, rows->rule);
        struct stage *stage = stage_of(arena, arena_format(arena, "%s%s", rows->services, policy));
        stage->cluster.complete[OBJECT_SERVICE] = stage->cluster.complete[OBJECT_ENDPOINT_SLICE] = rows->complete;
        for (unsigned class = 0; class < CILIUM_CLASS_COUNT; class ++) {
            if (((unsigned)rows->classes >> class & 1u) == 0)
                continue;
            stage_read_cilium(stage, (enum cilium_class) class);
            const char *reached = truth_word(stage_reaches(stage, stage_entry(stage), rows->destination));
            if (strcmp(reached, rows->reached) == 0)
                continue;
            print_error("%s and %s under %s, %s: %s\n", rows->rule, rows->destination,
                        cilium_class_word((enum cilium_class) class), rows->complete ? "complete" : "open", reached);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void service_with_a_selector_is_its_pods_from_1_17_on(void **state) {
    static const struct row rows[] = {
        {DATABASE, TO("db"), FROM(CILIUM_1_17_0), true, "pod:data?app=db", "yes"},
        {DATABASE, TO("db"), FROM(CILIUM_1_17_0), false, "pod:data?app=db", "yes"},
        {DATABASE, TO("db") WITH_PORTS, FROM(CILIUM_1_17_0), false, "pod:data?app=db", "yes"},
        {DATABASE, TO("db"), FROM(CILIUM_1_17_0), false, "pod:ns?app=db", "no"},
        {DATABASE, TO("db"), FROM(CILIUM_1_17_0), false, "pod:data?app=web", "no"},
        {DATABASE, TO("db"), FROM(CILIUM_1_17_0), false, "192.0.2.7", "no"},
        {DATABASE, TO("db"), BEFORE(CILIUM_1_17_0), true, "pod:data?app=db", "no"},
        LAST_ROW,
    };
    expect(*state, "egress", rows);
}

static void service_without_a_selector_is_the_addresses_of_its_slices(void **state) {
    static const struct row rows[] = {
        {BARE BARE_SLICE, TO("bare"), EVERY, true, "192.0.2.7", "yes"},
        {BARE BARE_SLICE, TO("bare"), EVERY, true, "192.0.2.8", "no"},
        {BARE BARE_SLICE, TO("bare"), EVERY, true, "pod:data?app=db", "no"},
        {BARE BARE_SLICE, TO("bare"), EVERY, false, "192.0.2.7", "maybe"}, /* a slice that is not read may replace it */
        {BARE BARE_SLICE, TO("bare"), EVERY, false, "192.0.2.8", "maybe"},
        {BARE BARE_SLICE, TO("bare"), EVERY, false, "pod:data?app=db", "no"},
        LAST_ROW,
    };
    expect(*state, "egress", rows);
}

static void rule_whose_services_resolve_to_nothing_has_no_peer_left(void **state) {
    static const struct row rows[] = {
        {DATABASE, TO("missing") WITH_PORTS, FROM(CILIUM_1_17_0), true, "192.0.2.7", "yes"},
        {DATABASE, TO("missing") WITH_PORTS, FROM(CILIUM_1_17_0), true, "pod:ns?", "yes"},
        {DATABASE, TO("missing") WITH_PORTS, FROM(CILIUM_1_17_0), false, "pod:ns?", "maybe"},
        {DATABASE, TO("missing"), EVERY, true, "192.0.2.7", "no"},
        /* A Service that is there and has no addresses leaves no peer either. */
        {BARE, TO("bare") WITH_PORTS, FROM(CILIUM_1_17_0), true, "192.0.2.7", "yes"},
        {BARE, TO("bare") WITH_PORTS, FROM(CILIUM_1_17_0), true, "pod:ns?", "yes"},
        {BARE, TO("bare") WITH_PORTS, FROM(CILIUM_1_17_0), false, "pod:ns?", "maybe"},
        {BARE, TO("bare"), EVERY, true, "192.0.2.7", "no"},
        {ALIAS, TO("alias") WITH_PORTS, FROM(CILIUM_1_17_0), true, "192.0.2.7", "yes"},
        /* One that resolves is a peer. */
        {DATABASE BARE,
         "toServices: [{k8sService: {serviceName: db, namespace: data}}, {k8sService: {serviceName: bare, namespace: "
         "data}}]" WITH_PORTS,
         FROM(CILIUM_1_17_0), true, "192.0.2.7", "no"},
        LAST_ROW,
    };
    expect(*state, "egress", rows);
}

static void selector_of_services_asks_their_labels_in_any_namespace(void **state) {
    static const struct row rows[] = {
        {DATABASE, BY_LABELS("tier: back"), FROM(CILIUM_1_17_0), true, "pod:data?app=db", "yes"},
        {DATABASE, BY_LABELS("'k8s:tier': back"), FROM(CILIUM_1_17_0), true, "pod:data?app=db", "yes"},
        {DATABASE, BY_LABELS("tier: front"), FROM(CILIUM_1_17_0), true, "pod:data?app=db", "no"},
        {DATABASE, BY_LABELS("app: db"), FROM(CILIUM_1_17_0), true, "pod:data?app=db", "no"}, /* its pods' label */
        {DATABASE, BY_LABELS("tier: back"), FROM(CILIUM_1_17_0), false, "pod:other?", "maybe"},
        {DATABASE, "toServices: [{k8sServiceSelector: {selector: {matchLabels: {tier: back}}, namespace: other}}]",
         FROM(CILIUM_1_17_0), true, "pod:data?app=db", "no"},
        {DATABASE, "toServices: [{k8sServiceSelector: {selector: {matchLabels: {tier: back}}, namespace: data}}]",
         FROM(CILIUM_1_17_0), true, "pod:data?app=db", "yes"},
        /* The selector wins over the name. */
        {DATABASE BARE BARE_SLICE,
         "toServices: [{k8sService: {serviceName: db, namespace: data}, k8sServiceSelector: {selector: {matchLabels: "
         "{tier: out}}}}]",
         FROM(CILIUM_1_17_0), true, "pod:data?app=db", "no"},
        {DATABASE BARE BARE_SLICE,
         "toServices: [{k8sService: {serviceName: db, namespace: data}, k8sServiceSelector: {selector: {matchLabels: "
         "{tier: out}}}}]",
         FROM(CILIUM_1_17_0), true, "192.0.2.7", "yes"},
        LAST_ROW,
    };
    expect(*state, "egress", rows);
}

/* With ports they are denied to everywhere, without nothing is; other peers stand as they are. */
static void deny_of_services_is_never_resolved(void **state) {
    static const struct row rows[] = {
        {DATABASE, TO("db") WITH_PORTS, EVERY, true, "pod:data?app=db", "yes"},
        {DATABASE, TO("db") WITH_PORTS, EVERY, true, "192.0.2.7", "yes"},
        {DATABASE, TO("db") WITH_PORTS, EVERY, false, "host", "yes"},
        {DATABASE, TO("db"), EVERY, true, "pod:data?app=db", "no"},
        {DATABASE, TO("db"), EVERY, true, "192.0.2.7", "no"},
        {DATABASE, "toCIDR: [10.0.0.0/8], " TO("db") WITH_PORTS, EVERY, true, "10.0.0.1", "yes"},
        {DATABASE, "toCIDR: [10.0.0.0/8], " TO("db") WITH_PORTS, EVERY, true, "192.0.2.7", "no"},
        {DATABASE, "toCIDR: [10.0.0.0/8], " TO("db") WITH_PORTS, EVERY, true, "pod:data?app=db", "no"},
        {DATABASE, "toEndpoints: [{}], " TO("db") WITH_PORTS, EVERY, true, "pod:ns?", "yes"},
        {DATABASE, "toEndpoints: [{}], " TO("db") WITH_PORTS, EVERY, true, "pod:data?app=db", "no"},
        {DATABASE, "toEntities: [host], " TO("db"), EVERY, true, "host", "yes"},
        LAST_ROW,
    };
    expect(*state, "egressDeny", rows);
}

static void api_server_is_where_its_slices_say(void **state) {
#define SLICE(name, namespace, type, address)                                                                          \
    OBJECT("discovery.k8s.io/v1", "EndpointSlice",                                                                     \
           "name: " name ", namespace: " namespace ", labels: {kubernetes.io/service-name: kubernetes}",               \
           "addressType: " type "\nendpoints: [{addresses: ['" address "']}]")
    static const struct {
        const char *objects, *addresses;
    } rows[] = {
        {"", "nothing"},
        {SLICE("a", "default", "IPv4", "192.0.2.1"), "192.0.2.1"},
        {SLICE("a", "default", "IPv4", "192.0.2.1") SLICE("b", "default", "IPv6", "2001:db8::1"),
         "192.0.2.1, 2001:db8::1"},
        {SLICE("a", "other", "IPv4", "192.0.2.1"), "nothing"},
        {BARE BARE_SLICE, "nothing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *stage = stage_of(*state, rows[i].objects);
        struct address_set addresses = api_server_addresses(&stage->cluster);
        struct buffer out;
        buffer_init(&out, *state);
        address_set_print(&out, &addresses);
        assert_string_equal(buffer_string(&out), rows[i].addresses);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(service_with_a_selector_is_its_pods_from_1_17_on, begin, end),
        cmocka_unit_test_setup_teardown(service_without_a_selector_is_the_addresses_of_its_slices, begin, end),
        cmocka_unit_test_setup_teardown(rule_whose_services_resolve_to_nothing_has_no_peer_left, begin, end),
        cmocka_unit_test_setup_teardown(selector_of_services_asks_their_labels_in_any_namespace, begin, end),
        cmocka_unit_test_setup_teardown(deny_of_services_is_never_resolved, begin, end),
        cmocka_unit_test_setup_teardown(api_server_is_where_its_slices_say, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What the entities cover (spec/cilium-egress.md 3.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/entity.h"
#include "base/arena.h"
#include "stage.h"
#include "tests/arena_state.h"

/* The sorts of destinations, in the order of the columns below. */
static const char *const destinations[] = {
    "192.0.2.1",                  /* 0: an IPv4 address outside */
    "2001:db8::1",                /* 1 */
    "name:a.example@192.0.2.1",   /* 2: learned */
    "name:a.example@2001:db8::1", /* 3 */
    "pod:ns?app=web",             /* 4: of the local cluster */
    "pod:ns?cluster:=east",       /* 5: of another one */
    "host",                       /* 6 */
    "host+kube-apiserver",        /* 7 */
    "remote-node",                /* 8 */
    "remote-node+kube-apiserver", /* 9 */
    "health",                     /* 10 */
    "ingress",                    /* 11 */
    "init",                       /* 12 */
    "unmanaged",                  /* 13 */
};
enum { DESTINATIONS = sizeof destinations / sizeof *destinations };

static void entities_cover_what_the_table_says(void **state) {
    static const struct {
        const char *word, *covers; /* a column each */
    } rows[] = {
        {"all", "xxxxxxxxxxxxxx"},         {"world", "xxxx.........."},          {"world-ipv4", "x.x..........."},
        {"world-ipv6", ".x.x.........."},  {"cluster", "....x.xxxxxxxx"},        {"host", "......xx......"},
        {"remote-node", "........xx...."}, {"kube-apiserver", ".......x.x...."}, {"health", "..........x..."},
        {"ingress", "...........x.."},     {"init", "............x."},           {"unmanaged", ".............x"},
        {"none", ".............."},
    };
    struct stage *stage = stage_of(*state, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct destination_set set;
        assert_true(entity_destinations(rows[i].word, &stage->cluster, &set));
        assert_int_equal(strlen(rows[i].covers), DESTINATIONS);
        for (size_t k = 0; k < DESTINATIONS; k++) {
            struct destination destination = stage_destination(stage, destinations[k]);
            if (destination_set_contains(&set, &destination) != (rows[i].covers[k] == 'x'))
                fail_msg("%s and %s", rows[i].word, destinations[k]);
        }
    }
}

#define SLICE                                                                                                          \
    OBJECT("discovery.k8s.io/v1", "EndpointSlice",                                                                     \
           "name: kubernetes-x, namespace: default, labels: {kubernetes.io/service-name: kubernetes}",                 \
           "addressType: IPv4\nendpoints: [{addresses: [192.0.2.1]}]")

/* The word; whether it covers an API server at an address that the inputs do not tell; whether it covers the address that
 * they tell. */
static void api_server_outside_is_covered_wherever_it_is(void **state) {
    static const struct {
        const char *word;
        bool unknown, known, another;
    } rows[] = {
        {"kube-apiserver", true, true, false}, {"cluster", true, true, false},
        {"world", true, true, true},           {"all", true, true, true},
        {"host", false, false, false},         {"remote-node", false, false, false},
    };
    struct stage *unknown = stage_of(*state, ""), *known = stage_of(*state, SLICE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct destination server = stage_destination(unknown, "kube-apiserver");
        struct destination address = stage_destination(unknown, "192.0.2.1"),
                           other = stage_destination(unknown, "192.0.2.2");
        struct destination_set untold, told;
        assert_true(entity_destinations(rows[i].word, &unknown->cluster, &untold));
        assert_true(entity_destinations(rows[i].word, &known->cluster, &told));
        if (destination_set_contains(&untold, &server) != rows[i].unknown ||
            destination_set_contains(&told, &address) != rows[i].known ||
            destination_set_contains(&told, &other) != rows[i].another)
            fail_msg("%s", rows[i].word);
    }
}

static void slices_of_other_services_tell_nothing_of_the_api_server(void **state) {
    static const char *const slices[] = {
        OBJECT("discovery.k8s.io/v1", "EndpointSlice",
               "name: a, namespace: default, labels: {kubernetes.io/service-name: other}",
               "addressType: IPv4\nendpoints: [{addresses: [192.0.2.1]}]"),
        OBJECT("discovery.k8s.io/v1", "EndpointSlice",
               "name: kubernetes, namespace: ns, labels: {kubernetes.io/service-name: kubernetes}",
               "addressType: IPv4\nendpoints: [{addresses: [192.0.2.1]}]"),
    };
    for (size_t i = 0; i < 2; i++) {
        struct stage *stage = stage_of(*state, slices[i]);
        struct destination_set set;
        assert_true(entity_destinations("kube-apiserver", &stage->cluster, &set));
        struct destination address = stage_destination(stage, "192.0.2.1"),
                           server = stage_destination(stage, "kube-apiserver");
        assert_false(destination_set_contains(&set, &address));
        assert_true(destination_set_contains(&set, &server));
    }
}

static void cluster_holds_pods_of_the_local_cluster_by_its_name(void **state) {
    struct stage *stage = stage_of(*state, "");
    stage->cluster.facts.cluster_name = "east";
    struct destination_set set;
    assert_true(entity_destinations("cluster", &stage->cluster, &set));
    struct destination east = stage_destination(stage, "pod:ns?cluster:=east"),
                       plain = stage_destination(stage, "pod:ns?");
    assert_true(destination_set_contains(&set, &east));
    assert_false(destination_set_contains(&set, &plain));
}

static void no_other_word_is_an_entity(void **state) {
    static const char *const words[] = {"", "World", "kube-api-server", "node", "cluster-mesh", "any"};
    struct stage *stage = stage_of(*state, "");
    struct destination_set set;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (entity_destinations(words[i], &stage->cluster, &set))
            fail_msg("%s", words[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entities_cover_what_the_table_says, begin, end),
        cmocka_unit_test_setup_teardown(api_server_outside_is_covered_wherever_it_is, begin, end),
        cmocka_unit_test_setup_teardown(slices_of_other_services_tell_nothing_of_the_api_server, begin, end),
        cmocka_unit_test_setup_teardown(cluster_holds_pods_of_the_local_cluster_by_its_name, begin, end),
        cmocka_unit_test_setup_teardown(no_other_word_is_an_entity, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The order of witnesses (spec/analysis.md 4), row by row: each row is taken away and the next must come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "ir/witness.h"
#include "tests/arena_state.h"

static struct address_set block(struct arena *arena, const char *first, const char *last) {
    struct address low, high;
    assert_true(address_parse(text_of(first), &low));
    assert_true(address_parse(text_of(last), &high));
    return address_set_of(arena, &low, &high);
}

static struct name_set names(struct arena *arena, const char *text) {
    struct name_pattern pattern = name_pattern_of(arena, text_of(text), true);
    return name_set_of(arena, &pattern, 1);
}

static struct endpoint_set pods(struct arena *arena, struct label_key key, const char *value) {
    struct value_set values = value_set_of(arena, &value, value != NULL, value == NULL, false);
    struct label_set everything = label_set_everything();
    struct label_set one = label_set_require(arena, &everything, key, &values);
    return endpoint_set_of(arena, &one);
}

static void assert_witness(struct arena *arena, const struct flow_set *set, const char *expected) {
    struct flow flow;
    uint32_t box = UINT32_MAX;
    assert_true(flow_set_sample(arena, set, witness_order_default(), &flow, &box));
    assert_true(box < set->count);
    assert_true(flow_set_contains(set, &flow));
    struct buffer out;
    buffer_init(&out, arena);
    flow_print(&out, &flow);
    assert_string_equal(buffer_string(&out), expected);
}

/* A box of all TCP ports to the destinations. */
static struct flow_set to(struct arena *arena, const struct destination_set *destinations) {
    struct flow_box box = {*destinations, port_set_of(arena, PROTOCOL_TCP, 0, 65535), payload_set_everything(), 0};
    return flow_set_of(arena, &box);
}

static void assert_first(struct arena *arena, const struct destination_set *set, const char *expected) {
    struct flow_set flows = to(arena, set);
    assert_witness(arena, &flows, arena_format(arena, "%s, port 443/TCP", expected));
    struct destination destination;
    assert_true(destination_set_sample(arena, set, &destination));
    struct buffer out;
    buffer_init(&out, arena);
    destination_print(&out, &destination);
    assert_string_equal(buffer_string(&out), expected);
}

static void destinations_come_in_the_order_of_the_list(void **state) {
    struct arena *arena = *state;
    const uint32_t nodes = 1U << SPECIAL_REMOTE_NODE | 1U << SPECIAL_REMOTE_NODE_API_SERVER;
    const struct {
        const char *expected, *first, *last; /* addresses to take away after this row, or */
        uint32_t specials;                   /* special identities */
    } rows[] = {
        {"169.254.169.254", "169.254.169.254", "169.254.169.254", 0},
        {"fd00:ec2::254", "fd00:ec2::254", "fd00:ec2::254", 0},
        {"168.63.129.16", "168.63.129.16", "168.63.129.16", 0},
        {"169.254.170.2", "169.254.170.2", "169.254.170.2", 0},
        {"100.100.100.200", "100.100.100.200", "100.100.100.200", 0},
        {"10.0.0.0", "10.0.0.0", "10.200.3.4", 0},
        {"10.200.3.5", "10.0.0.0", "10.255.255.255", 0},
        {"172.16.0.0", "172.16.0.0", "172.31.255.255", 0},
        {"192.168.0.0", "192.168.0.0", "192.168.255.255", 0},
        {"100.64.0.0", "100.64.0.0", "100.127.255.255", 0},
        {"fc00::", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 0},
        {"kube-apiserver", NULL, NULL, 1U << SPECIAL_API_SERVER},
        {"host", NULL, NULL, 1U << SPECIAL_HOST},
        {"host (kube-apiserver)", NULL, NULL, 1U << SPECIAL_HOST_API_SERVER},
        {"remote-node", NULL, NULL, nodes},
        {"0.0.0.0", "0.0.0.0", "1.2.3.4", 0},
        {"1.2.3.5", "0.0.0.0", "255.255.255.255", 0},
        {"::", "::", "2001:db8::", 0},
        {"2001:db8::1", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 0},
        {"health", NULL, NULL, 1U << SPECIAL_HEALTH},
        {"ingress", NULL, NULL, 1U << SPECIAL_INGRESS},
        {"init", NULL, NULL, 1U << SPECIAL_INIT},
        {"unmanaged", NULL, NULL, 1U << SPECIAL_UNMANAGED},
    };
    struct destination_set set = destination_set_everything();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_first(arena, &set, rows[i].expected);
        struct destination_set taken = destination_set_of_specials(rows[i].specials);
        if (rows[i].first) {
            /* The external addresses alone: learned pairs come last and stay. */
            taken.addresses = block(arena, rows[i].first, rows[i].last);
        }
        set = destination_set_subtract(arena, &set, &taken);
    }
    assert_first(arena, &set, "pod namespace=default");
    struct endpoint_set every_pod = endpoint_set_everything();
    struct destination_set taken = destination_set_of_pods(&every_pod);
    set = destination_set_subtract(arena, &set, &taken);
    assert_first(arena, &set, "name .");
    struct name_set root = names(arena, ".");
    taken = destination_set_of_names(arena, &root);
    set = destination_set_subtract(arena, &set, &taken);
    assert_first(arena, &set, "name -");
    struct name_set every_name = name_set_everything();
    taken = destination_set_of_names(arena, &every_name);
    set = destination_set_subtract(arena, &set, &taken);
    struct destination none;
    assert_false(destination_set_sample(arena, &set, &none));
}

static void metadata_comes_before_an_earlier_box(void **state) {
    struct arena *arena = *state;
    struct address_set wide = block(arena, "1.0.0.0", "1.255.255.255"),
                       link = block(arena, "169.254.0.0", "169.254.255.255");
    struct destination_set first = destination_set_of_addresses(arena, &wide);
    struct destination_set second = destination_set_of_addresses(arena, &link);
    struct flow_set a = to(arena, &first), b = to(arena, &second), set = flow_set_union(arena, &a, &b);
    struct flow flow;
    uint32_t box;
    assert_true(flow_set_sample(arena, &set, witness_order_default(), &flow, &box));
    assert_int_equal(box, 1);
    assert_witness(arena, &set, "169.254.169.254, port 443/TCP");
    assert_witness(arena, &a, "1.0.0.0, port 443/TCP");
}

static void pods_of_several_boxes_are_compared_by_labels(void **state) {
    struct arena *arena = *state;
    const struct label_key app = {LABEL_POD, "app"}, zone = {LABEL_POD, "zone"};
    struct endpoint_set sets[] = {pods(arena, app, "web"), pods(arena, app, "api"), pods(arena, zone, "a")};
    struct destination_set one = destination_set_of_pods(&sets[0]), two = destination_set_of_pods(&sets[1]);
    struct flow_set a = to(arena, &one), b = to(arena, &two), set = flow_set_union(arena, &a, &b);
    assert_witness(arena, &set, "pod namespace=default, app=api, port 443/TCP");
    /* The key that comes first is absent. */
    struct destination_set three = destination_set_of_pods(&sets[2]);
    struct flow_set c = to(arena, &three);
    set = flow_set_union(arena, &set, &c);
    assert_witness(arena, &set, "pod namespace=default, zone=a, port 443/TCP");
}

/* Port 443 is open to pods of some accounts alone, and the witness names none. */
static void a_port_is_open_to_the_pod_whatever_its_unlisted_account(void **state) {
    struct arena *arena = *state;
    const struct label_key account = {LABEL_SERVICE_ACCOUNT, ""};
    struct endpoint_set every = endpoint_set_everything(), robots = pods(arena, account, "robot");
    struct endpoint_set others = endpoint_set_subtract(arena, &every, &robots);
    struct destination_set all = destination_set_of_pods(&every);
    const struct endpoint_set *denied[] = {&robots, &others};
    for (size_t i = 0; i < 2; i++) {
        struct destination_set closed = destination_set_of_pods(denied[i]);
        struct flow_box open = {all, port_set_of(arena, PROTOCOL_TCP, 80, 443), payload_set_everything(), 0};
        struct flow_box shut = {closed, port_set_of(arena, PROTOCOL_TCP, 443, 443), payload_set_everything(), 0};
        struct flow_set a = flow_set_of(arena, &open), b = flow_set_of(arena, &shut);
        struct flow_set left = flow_set_subtract(arena, &a, &b);
        assert_witness(arena, &left, "pod namespace=default, port 80/TCP");
    }
}

static void the_shortest_name_has_its_lowest_address(void **state) {
    struct arena *arena = *state;
    struct name_set texts[] = {names(arena, "aaa.c"), names(arena, "b.c"), names(arena, "a.c")};
    struct flow_set set = flow_set_nothing();
    for (size_t i = 0; i < 3; i++) {
        struct destination_set one = destination_set_of_names(arena, &texts[i]);
        struct flow_set piece = to(arena, &one);
        set = flow_set_union(arena, &set, &piece);
    }
    assert_witness(arena, &set, "name a.c, port 443/TCP");
    struct learned_set pairs[] = {{texts[2], block(arena, "9.0.0.0", "9.0.0.9")},
                                  {texts[2], block(arena, "8.0.0.7", "8.0.0.9")}};
    struct destination_set apart[] = {{.learned = &pairs[0], .learned_count = 1},
                                      {.learned = &pairs[1], .learned_count = 1}};
    struct flow_set a = to(arena, &apart[0]), b = to(arena, &apart[1]), both = flow_set_union(arena, &a, &b);
    struct flow flow;
    uint32_t box;
    assert_true(flow_set_sample(arena, &both, witness_order_default(), &flow, &box));
    assert_int_equal(box, 1);
    char text[46];
    address_print(&flow.destination.address, text);
    assert_string_equal(text, "8.0.0.7");
}

static struct flow_set host_box(struct arena *arena, enum protocol protocol, unsigned first, unsigned last,
                                struct payload_set payloads) {
    struct flow_box box = {destination_set_of_specials(1U << SPECIAL_HOST), port_set_of(arena, protocol, first, last),
                           payloads, 0};
    return flow_set_of(arena, &box);
}

static void protocols_and_ports_come_after_the_destination(void **state) {
    struct arena *arena = *state;
    struct payload_set all = payload_set_everything();
    const struct {
        enum protocol protocol;
        unsigned first, last;
        const char *expected;
    } rows[] = {
        /* Each row is added to those before, and comes first of all of them. */
        {PROTOCOL_OTHER, 0, 0, "host, a protocol other than TCP, UDP, SCTP, ICMP and ICMPv6"},
        {PROTOCOL_ICMPV6, 128, 129, "host, ICMPv6 type 128"},
        {PROTOCOL_ICMP, 8, 255, "host, ICMP type 8"},
        {PROTOCOL_SCTP, 1, 9, "host, port 1/SCTP"},
        {PROTOCOL_UDP, 5000, 6000, "host, port 5000/UDP"},
        {PROTOCOL_UDP, 60, 70, "host, port 60/UDP"},
        {PROTOCOL_UDP, 22, 22, "host, port 22/UDP"},
        {PROTOCOL_UDP, 30, 59, "host, port 53/UDP"},
        {PROTOCOL_UDP, 79, 81, "host, port 80/UDP"},
        {PROTOCOL_UDP, 400, 500, "host, port 443/UDP"},
        {PROTOCOL_TCP, 8080, 8081, "host, port 8080/TCP"},
        {PROTOCOL_TCP, 443, 443, "host, port 443/TCP"},
    };
    struct flow_set set = flow_set_nothing();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct flow_set more = host_box(arena, rows[i].protocol, rows[i].first, rows[i].last, all);
        set = i % 2 ? flow_set_union(arena, &more, &set) : flow_set_union(arena, &set, &more);
        assert_witness(arena, &set, rows[i].expected);
    }
}

static void payloads_come_last(void **state) {
    struct arena *arena = *state;
    struct name_set name = names(arena, "*.c"), root = names(arena, ".");
    struct payload_set of[] = {payload_set_of_requests(arena, "get"), payload_set_of_server_names(&name),
                               payload_set_of_questions(&name), payload_set_of_questions(&root),
                               payload_set_everything()};
    static const char *const expected[] = {
        "host, port 53/UDP, HTTP request of get", "host, port 53/UDP, TLS server name -.c",
        "host, port 53/UDP, DNS question for -.c", "host, port 53/UDP, DNS question for .", "host, port 53/UDP"};
    struct flow_set set = flow_set_nothing();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        /* The last one has the port too, but begins with another. */
        struct flow_set more = host_box(arena, PROTOCOL_UDP, 53, i % 2 ? 53 : 60, of[i]);
        set = flow_set_union(arena, &set, &more);
        assert_witness(arena, &set, expected[i]);
    }
}

static void a_box_of_undecided_or_no_payload_gives_no_witness(void **state) {
    struct arena *arena = *state;
    struct flow_box box = {destination_set_everything(), port_set_everything(), payload_set_nothing(), 0};
    struct flow_set set = {&box, 1};
    struct flow flow;
    assert_false(flow_set_sample(arena, &set, witness_order_default(), &flow, NULL));
    struct flow_set host = host_box(arena, PROTOCOL_UDP, 9, 9, payload_set_everything());
    set = flow_set_union(arena, &set, &host);
    assert_witness(arena, &set, "host, port 9/UDP");
}

static void an_order_of_ones_own_is_followed(void **state) {
    struct arena *arena = *state;
    static const struct witness_step steps[] = {{.kind = WITNESS_NAMES},
                                                {.kind = WITNESS_ADDRESSES, .first = "8.8.0.0", .last = "8.8.255.255"}};
    const struct witness_order order = {steps, 2};
    struct flow_set set = flow_set_everything();
    struct flow flow;
    assert_true(flow_set_sample(arena, &set, &order, &flow, NULL));
    assert_int_equal(flow.destination.kind, DESTINATION_NAME);
    struct address_set addresses = address_set_everything();
    struct destination_set only = {.addresses = addresses};
    set = to(arena, &only);
    assert_true(flow_set_sample(arena, &set, &order, &flow, NULL));
    char text[46];
    address_print(&flow.destination.address, text);
    assert_string_equal(text, "8.8.0.0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(destinations_come_in_the_order_of_the_list, begin, end),
        cmocka_unit_test_setup_teardown(metadata_comes_before_an_earlier_box, begin, end),
        cmocka_unit_test_setup_teardown(pods_of_several_boxes_are_compared_by_labels, begin, end),
        cmocka_unit_test_setup_teardown(a_port_is_open_to_the_pod_whatever_its_unlisted_account, begin, end),
        cmocka_unit_test_setup_teardown(the_shortest_name_has_its_lowest_address, begin, end),
        cmocka_unit_test_setup_teardown(protocols_and_ports_come_after_the_destination, begin, end),
        cmocka_unit_test_setup_teardown(payloads_come_last, begin, end),
        cmocka_unit_test_setup_teardown(a_box_of_undecided_or_no_payload_gives_no_witness, begin, end),
        cmocka_unit_test_setup_teardown(an_order_of_ones_own_is_followed, begin, end),
    };
    return cmocka_run_group_tests_name("ir/witness", tests, NULL, NULL);
}

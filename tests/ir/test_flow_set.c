/* Payloads, destinations and flows: against enumeration of points of a tiny universe, and by example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "ir/flow_set.h"
#include "ir/witness.h"
#include "tests/ir/random.h"

enum { ADDRESSES = 4, NAMES = 8, DESTINATIONS = 64, FLOWS_LARGEST = 6000, ROUNDS = 400 };

static const char *const names[NAMES] = {"", "a", "b", "a.c", "b.c", "a.a.c", "ab", "c"};
static const char *const addresses[ADDRESSES] = {"10.0.0.1", "10.0.0.2", "8.8.8.8", "fd00::1"};
static const char *const words[] = {"x", "y"};
static const struct label_key namespace_key = {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, app_key = {LABEL_POD, "app"};

/* Every point, and the sets of points as a bit each. */
struct universe {
    struct arena *arena;
    struct flow flows[FLOWS_LARGEST];
    unsigned count;
};

static struct address address_of(const char *text) {
    struct address address;
    assert_true(address_parse(text_of(text), &address));
    return address;
}

static unsigned list_destinations(struct arena *arena, struct destination list[static DESTINATIONS]) {
    unsigned count = 0;
    for (unsigned i = 0; i < ADDRESSES; i++) {
        list[count++] = (struct destination){.kind = DESTINATION_ADDRESS, .address = address_of(addresses[i])};
        for (unsigned k = 0; k < NAMES; k++) {
            list[count++] =
                (struct destination){.kind = DESTINATION_NAME, .name = names[k], .address = address_of(addresses[i])};
        }
    }
    for (unsigned i = 0; i < 6; i++) {
        struct label *labels = arena_array(arena, 2, sizeof *labels);
        labels[0] = (struct label){namespace_key, words[i % 2]};
        labels[1] = (struct label){app_key, words[i / 2 % 2]};
        list[count++] = (struct destination){.kind = DESTINATION_POD, .endpoint = {labels, i < 4 ? 2 : 1}};
    }
    for (unsigned i = 0; i < 3; i++) {
        list[count++] = (struct destination){.kind = DESTINATION_SPECIAL, .special = (enum special)(3 * i)};
    }
    return count;
}

static const struct payload payloads[] = {
    {PAYLOAD_OTHER, NULL},        {PAYLOAD_QUESTION, "a"},      {PAYLOAD_QUESTION, "a.c"}, {PAYLOAD_QUESTION, ""},
    {PAYLOAD_SERVER_NAME, "a.c"}, {PAYLOAD_SERVER_NAME, "b.c"}, {PAYLOAD_REQUEST, "get"},  {PAYLOAD_REQUEST, "put"}};
enum { PAYLOADS = sizeof payloads / sizeof *payloads };

static const struct {
    enum protocol protocol;
    unsigned port;
} ports[] = {{PROTOCOL_TCP, 1}, {PROTOCOL_TCP, 443}, {PROTOCOL_UDP, 53}, {PROTOCOL_ICMP, 8}, {PROTOCOL_OTHER, 0}};
enum { PORTS = sizeof ports / sizeof *ports };

static int set_up(void **state) {
    struct arena *arena = arena_create();
    struct universe *universe = arena_alloc(arena, sizeof *universe);
    universe->arena = arena;
    struct destination destinations[DESTINATIONS];
    unsigned count = list_destinations(arena, destinations);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < PORTS; k++) {
            for (unsigned p = 0; p < PAYLOADS; p++) {
                universe->flows[universe->count++] =
                    (struct flow){destinations[i], ports[k].protocol, ports[k].port, payloads[p]};
            }
        }
    }
    *state = universe;
    return 0;
}

static int tear_down(void **state) {
    arena_destroy(((struct universe *)*state)->arena);
    return 0;
}

static struct name_set random_names(struct random *random, struct arena *arena) {
    static const char *const texts[] = {"*", "**.c", "*.c", "a*", "*b", "a.c", "a", "", "**", "*a*"};
    struct name_pattern patterns[2];
    uint32_t count = random_below(random, 3);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = texts[random_below(random, sizeof texts / sizeof *texts)];
        patterns[i] = name_pattern_of(arena, text_of(text), random_one(random, 2));
    }
    return name_set_of(arena, patterns, count);
}

static struct address_set random_addresses(struct random *random, struct arena *arena) {
    if (random_one(random, 4)) {
        return address_set_everything();
    }
    struct address_set set = address_set_nothing();
    for (unsigned i = random_below(random, 3); i > 0; i--) {
        unsigned first = random_below(random, ADDRESSES), last = first + random_below(random, ADDRESSES - first);
        for (unsigned k = first; k <= last; k++) {
            struct address address = address_of(addresses[k]);
            struct address_set one = address_set_of(arena, &address, &address);
            set = address_set_union(arena, &set, &one);
        }
    }
    return set;
}

static struct endpoint_set random_pods(struct random *random, struct arena *arena) {
    struct label_set set = label_set_everything();
    for (unsigned i = random_below(random, 3); i > 0; i--) {
        /* One call a statement, for compilers order the arguments of one as they like. */
        const char *const *word = &words[random_below(random, 2)];
        uint32_t count = random_below(random, 2);
        bool complement = random_one(random, 2), absent = random_one(random, 2);
        struct value_set values = value_set_of(arena, word, count, complement, absent);
        set = label_set_require(arena, &set, random_one(random, 2) ? app_key : namespace_key, &values);
    }
    return endpoint_set_of(arena, &set);
}

static struct destination_set random_destinations(struct random *random, struct arena *arena) {
    struct destination_set set = random_one(random, 6) ? destination_set_everything() : destination_set_nothing();
    for (unsigned i = random_below(random, 4); i > 0; i--) {
        struct destination_set piece = destination_set_nothing();
        struct address_set some = random_addresses(random, arena);
        struct name_set set_of_names = random_names(random, arena);
        struct endpoint_set pods = random_pods(random, arena);
        switch (random_below(random, 4)) {
        case 0:
            piece = destination_set_of_addresses(arena, &some);
            break;
        case 1:
            piece = destination_set_of_names(arena, &set_of_names);
            break;
        case 2:
            piece = destination_set_of_pods(&pods);
            break;
        case 3:
            piece = destination_set_of_specials(random_below(random, 1U << SPECIAL_COUNT));
            break;
        }
        set = destination_set_union(arena, &set, &piece);
        if (random_one(random, 4)) {
            struct address_set others = random_addresses(random, arena);
            piece = destination_set_of_addresses(arena, &others);
            set = destination_set_subtract(arena, &set, &piece);
        }
    }
    return set;
}

static struct port_set random_ports(struct random *random, struct arena *arena) {
    if (random_one(random, 4)) {
        return random_one(random, 2) ? port_set_everything() : port_set_transport();
    }
    struct port_set set = port_set_nothing();
    for (unsigned i = 1 + random_below(random, 3); i > 0; i--) {
        unsigned at = random_below(random, PORTS);
        unsigned last = ports[at].port + random_below(random, 100);
        struct port_set piece = port_set_of(arena, ports[at].protocol, ports[at].port, last);
        set = port_set_union(arena, &set, &piece);
    }
    return set;
}

static struct payload_set random_payloads(struct random *random, struct arena *arena) {
    struct payload_set set = payload_set_everything();
    struct name_set some = random_names(random, arena);
    struct payload_set piece = payload_set_of_requests(arena, random_one(random, 2) ? "get" : "put");
    switch (random_below(random, 6)) {
    case 0:
        return payload_set_of_questions(&some);
    case 1:
        return payload_set_of_server_names(&some);
    case 2:
        return piece;
    case 3:
        return payload_set_subtract(arena, &set, &piece);
    case 4:
        piece = payload_set_of_questions(&some);
        return payload_set_subtract(arena, &set, &piece);
    default:
        return set;
    }
}

static bool box_holds(const struct flow_box *box, const struct flow *flow) {
    return port_set_contains(&box->ports, flow->protocol, flow->port) &&
           destination_set_contains(&box->destinations, &flow->destination) &&
           payload_set_contains(&box->payloads, &flow->payload);
}

/* A set, and which flows of the universe are in it. */
struct sample {
    struct flow_set set;
    bool in[FLOWS_LARGEST];
};

static struct sample *random_sample(struct random *random, const struct universe *universe) {
    struct arena *arena = universe->arena;
    struct sample *sample = arena_alloc(arena, sizeof *sample);
    for (uint32_t i = random_below(random, 4); i > 0; i--) {
        struct flow_box box = {.destinations = random_destinations(random, arena), .origin = i};
        box.ports = random_ports(random, arena);
        box.payloads = random_payloads(random, arena);
        struct flow_set piece = flow_set_of(arena, &box);
        sample->set = flow_set_union(arena, &sample->set, &piece);
        for (unsigned k = 0; k < universe->count; k++) {
            sample->in[k] = sample->in[k] || box_holds(&box, &universe->flows[k]);
        }
    }
    return sample;
}

static void assert_agrees(const struct universe *universe, const struct flow_set *set, const bool *in) {
    bool any = false;
    for (unsigned i = 0; i < universe->count; i++) {
        assert_int_equal(flow_set_contains(set, &universe->flows[i]), in[i]);
        any = any || in[i];
    }
    enum emptiness emptiness = flow_set_is_empty(universe->arena, set);
    assert_true(emptiness != SET_UNDECIDED);
    assert_false(any && emptiness == SET_EMPTY);
    struct flow flow;
    uint32_t box;
    bool found = flow_set_sample(universe->arena, set, witness_order_default(), &flow, &box);
    assert_int_equal(found, emptiness == SET_INHABITED);
    if (found) {
        assert_true(box < set->count && box_holds(&set->boxes[box], &flow));
    }
}

static void assert_empty(struct arena *arena, struct flow_set set) {
    assert_int_equal(flow_set_is_empty(arena, &set), SET_EMPTY);
}

static void verbs_agree_with_enumeration(void **state) {
    struct universe *universe = *state;
    struct arena *arena = universe->arena;
    struct random random = random_of(13);
    bool *in = arena_alloc(arena, FLOWS_LARGEST);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        const struct sample *a = random_sample(&random, universe), *b = random_sample(&random, universe);
        assert_agrees(universe, &a->set, a->in);
        struct flow_set both = flow_set_intersect(arena, &a->set, &b->set);
        struct flow_set left = flow_set_subtract(arena, &a->set, &b->set);
        struct flow_set either = flow_set_union(arena, &a->set, &b->set);
        for (unsigned i = 0; i < universe->count; i++) {
            in[i] = a->in[i] && b->in[i];
        }
        assert_agrees(universe, &both, in);
        for (unsigned i = 0; i < universe->count; i++) {
            in[i] = a->in[i] && !b->in[i];
        }
        assert_agrees(universe, &left, in);
        for (unsigned i = 0; i < universe->count; i++) {
            in[i] = a->in[i] || b->in[i];
        }
        assert_agrees(universe, &either, in);
        assert_empty(arena, flow_set_intersect(arena, &left, &b->set));
        assert_empty(arena, flow_set_subtract(arena, &a->set, &either));
        struct flow_set again = flow_set_union(arena, &left, &both);
        assert_empty(arena, flow_set_subtract(arena, &a->set, &again));
        assert_empty(arena, flow_set_subtract(arena, &again, &a->set));
        arena_rollback(arena, start);
    }
}

static void everything_less_itself_is_empty(void **state) {
    struct universe *universe = *state;
    struct flow_set everything = flow_set_everything();
    struct flow_box box = *everything.boxes;
    struct flow_set copy = flow_set_of(universe->arena, &box);
    assert_empty(universe->arena, flow_set_subtract(universe->arena, &everything, &copy));
    for (unsigned i = 0; i < universe->count; i++) {
        assert_true(flow_set_contains(&everything, &universe->flows[i]));
    }
}

static struct address_set block(struct arena *arena, const char *first, const char *last) {
    struct address low = address_of(first), high = address_of(last);
    return address_set_of(arena, &low, &high);
}

static struct name_set one_name(struct arena *arena, const char *text) {
    struct name_pattern pattern = name_pattern_of(arena, text_of(text), true);
    return name_set_of(arena, &pattern, 1);
}

static void addresses_cover_names_only_if_they_are_all(void **state) {
    struct arena *arena = ((struct universe *)*state)->arena;
    struct name_set name = one_name(arena, "*.example.com");
    struct destination_set learned = destination_set_of_names(arena, &name);
    struct address_set four = address_set_family(ADDRESS_IPV4), all = address_set_everything();
    struct destination_set part = destination_set_of_addresses(arena, &four);
    struct destination_set whole = destination_set_of_addresses(arena, &all);
    struct destination_set left = destination_set_subtract(arena, &learned, &whole);
    assert_int_equal(destination_set_is_empty(arena, &left), SET_EMPTY);
    left = destination_set_subtract(arena, &learned, &part);
    assert_int_equal(destination_set_is_empty(arena, &left), SET_INHABITED);
    struct destination destination;
    assert_true(destination_set_sample(arena, &left, &destination));
    assert_int_equal(destination.kind, DESTINATION_NAME);
    assert_string_equal(destination.name, "-.example.com");
    assert_int_equal(destination.address.family, ADDRESS_IPV6);
    struct address_set six = address_set_family(ADDRESS_IPV6);
    struct destination_set other = destination_set_of_addresses(arena, &six);
    left = destination_set_subtract(arena, &left, &other);
    assert_int_equal(destination_set_is_empty(arena, &left), SET_EMPTY);
    /* A name covers no external address, and names cover addresses of their own only. */
    left = destination_set_subtract(arena, &whole, &learned);
    assert_true(address_set_equal(&left.addresses, &all));
    assert_int_equal(left.learned_count, 1);
}

static void boxes_keep_their_origin(void **state) {
    struct arena *arena = ((struct universe *)*state)->arena;
    struct flow_box a = {destination_set_everything(), port_set_everything(), payload_set_everything(), 7}, b = a;
    b.origin = 9;
    b.ports = port_set_transport();
    b.destinations.specials = 0;
    struct flow_set of_a = flow_set_of(arena, &a), of_b = flow_set_of(arena, &b);
    struct flow_set both = flow_set_intersect(arena, &of_a, &of_b), left = flow_set_subtract(arena, &of_a, &of_b);
    assert_int_equal(both.count, 1);
    assert_int_equal(both.boxes[0].origin, 7);
    assert_int_equal(left.count, 2);
    assert_int_equal(left.boxes[0].origin, 7);
    assert_int_equal(left.boxes[1].origin, 7);
}

/* A box that holds names that only a search tells from nothing. */
static void undecided_boxes_are_kept(void **state) {
    struct arena *arena = ((struct universe *)*state)->arena;
    struct name_set left = one_name(arena, "*a*.c");
    enum { COUNT = 22 };
    for (unsigned i = 0; i < COUNT; i++) {
        char c = (char)('a' + i);
        struct name_set need = one_name(arena, arena_format(arena, "*%c*.c", c));
        struct name_set twice = one_name(arena, arena_format(arena, "*%c*%c*.c", c, c));
        left = name_set_intersect(arena, &left, &need);
        left = name_set_subtract(arena, &left, &twice);
    }
    assert_int_equal(name_set_is_empty(arena, &left), SET_UNDECIDED);
    assert_null(name_set_sample(arena, &left));
    struct flow_box box = {destination_set_of_names(arena, &left), port_set_everything(), payload_set_everything(), 0};
    struct flow_set set = flow_set_of(arena, &box);
    assert_int_equal(set.count, 1);
    assert_int_equal(flow_set_is_empty(arena, &set), SET_UNDECIDED);
    struct flow flow;
    assert_false(flow_set_sample(arena, &set, witness_order_default(), &flow, NULL));
    /* One that is inhabited decides. */
    box.destinations = destination_set_of_specials(1U << SPECIAL_HOST);
    struct flow_set more = flow_set_of(arena, &box);
    set = flow_set_union(arena, &set, &more);
    assert_int_equal(flow_set_is_empty(arena, &set), SET_INHABITED);
    struct flow_set none = flow_set_subtract(arena, &set, &set);
    assert_int_equal(flow_set_is_empty(arena, &none), SET_EMPTY);
    box.ports = port_set_of(arena, PROTOCOL_TCP, 1, 9);
    struct flow_set low = flow_set_of(arena, &box), rest = flow_set_subtract(arena, &set, &low);
    assert_int_equal(rest.count, 2);
}

static void assert_prints(struct arena *arena, const struct flow_set *set, const char *expected) {
    struct buffer out;
    buffer_init(&out, arena);
    flow_set_print(&out, set);
    assert_string_equal(buffer_string(&out), expected);
}

static void print_is_a_line_a_box(void **state) {
    struct arena *arena = ((struct universe *)*state)->arena;
    struct flow_set set = flow_set_everything();
    assert_prints(arena, &set, "to everything, ports everything, payload everything\n");
    struct address_set private = block(arena, "10.0.0.0", "10.255.255.255");
    struct name_set name = one_name(arena, "*.example.com");
    struct destination_set learned = destination_set_of_names(arena, &name);
    struct flow_box box = {destination_set_of_addresses(arena, &private), port_set_of(arena, PROTOCOL_TCP, 443, 443),
                           payload_set_of_server_names(&name), 0};
    box.destinations = destination_set_subtract(arena, &learned, &box.destinations);
    box.destinations.specials = 1U << SPECIAL_HOST | 1U << SPECIAL_HEALTH;
    set = flow_set_of(arena, &box);
    assert_prints(arena, &set,
                  "to name *.example.com at 0.0.0.0-9.255.255.255, 11.0.0.0-255.255.255.255, ::/0; host, health, "
                  "ports 443/TCP, payload TLS server names (name *.example.com)\n");
    struct payload_set get = payload_set_of_requests(arena, "get"), all = payload_set_everything();
    box = (struct flow_box){destination_set_of_addresses(arena, &private), port_set_transport(),
                            payload_set_subtract(arena, &all, &get), 0};
    set = flow_set_of(arena, &box);
    assert_prints(
        arena, &set,
        "to addresses 10.0.0.0/8; every name at 10.0.0.0/8, ports every port/TCP, every port/UDP, every "
        "port/SCTP, payload DNS questions (every name), TLS server names (every name), HTTP requests but get, "
        "anything else\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_agree_with_enumeration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(everything_less_itself_is_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(addresses_cover_names_only_if_they_are_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(boxes_keep_their_origin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(undecided_boxes_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(print_is_a_line_a_box, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("ir/flow_set", tests, NULL, NULL);
}

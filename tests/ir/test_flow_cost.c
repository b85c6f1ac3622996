/* What questions about flows cost: common ones, large ones, and hostile ones, which end and say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "base/arena.h"
#include "ir/flow_set.h"
#include "ir/witness.h"
#include "tests/arena_state.h"
#include "tests/ir/random.h"

static struct name_set one_name(struct arena *arena, const char *text) {
    struct name_pattern pattern = name_pattern_of(arena, text_of(text), true);
    return name_set_of(arena, &pattern, 1);
}

static struct address_set block(struct arena *arena, const char *first, const char *last) {
    struct address low, high;
    assert_true(address_parse(text_of(first), &low));
    assert_true(address_parse(text_of(last), &high));
    return address_set_of(arena, &low, &high);
}

static void assert_empty(struct arena *arena, struct flow_set set) {
    assert_int_equal(flow_set_is_empty(arena, &set), SET_EMPTY);
}

/* Blocks of addresses and a name, or pods by two labels; some ports; sometimes DNS questions alone. */
static struct flow_set random_boxes(struct random *random, struct arena *arena, unsigned count, bool varied) {
    struct flow_set set = flow_set_nothing();
    for (unsigned i = 0; i < count; i++) {
        struct flow_box box = {.payloads = payload_set_everything(), .origin = i};
        unsigned low = random_below(random, 250), high = low + random_below(random, 255 - low);
        struct address_set some =
            block(arena, arena_format(arena, "10.%u.0.0", low), arena_format(arena, "10.%u.0.255", high));
        const char *glob = random_one(random, 2) ? "*.zone%u.com" : "a.zone%u.com";
        struct name_set name = one_name(arena, arena_format(arena, glob, random_below(random, 40)));
        struct destination_set by_name = destination_set_of_names(arena, &name);
        box.destinations = destination_set_of_addresses(arena, &some);
        box.destinations = destination_set_union(arena, &box.destinations, &by_name);
        if (varied && random_one(random, 2)) {
            struct label_set labels = label_set_everything();
            for (unsigned k = 0; k < 2; k++) {
                const char *value = arena_format(arena, "v%u", random_below(random, 4));
                struct label_key key = {LABEL_POD, arena_format(arena, "k%u", random_below(random, 12))};
                struct value_set values = value_set_of(arena, &value, 1, random_one(random, 4), false);
                labels = label_set_require(arena, &labels, key, &values);
            }
            struct endpoint_set pods = endpoint_set_of(arena, &labels);
            box.destinations = destination_set_of_pods(&pods);
        }
        if (varied && random_one(random, 3)) {
            box.payloads = payload_set_of_questions(&name);
        }
        unsigned port = random_below(random, 60000), last = port + random_below(random, varied ? 65536 - port : 5000);
        box.ports = port_set_of(arena, random_one(random, 3) ? PROTOCOL_UDP : PROTOCOL_TCP, port, last);
        struct flow_set piece = flow_set_of(arena, &box);
        set = flow_set_union(arena, &set, &piece);
    }
    return set;
}

static void check_many_boxes(struct arena *arena, uint64_t seed, bool varied) {
    struct random random = random_of(seed);
    struct flow_set a = random_boxes(&random, arena, 200, varied), b = random_boxes(&random, arena, 200, varied);
    clock_t start = clock();
    struct flow_set left = flow_set_subtract(arena, &a, &b);
    print_message("%u boxes, %.3f s, %zu KiB\n", left.count, (double)(clock() - start) / CLOCKS_PER_SEC,
                  arena_size(arena) / 1024);
    assert_int_equal(flow_set_is_empty(arena, &left), SET_INHABITED);
    struct flow flow;
    uint32_t box;
    assert_true(flow_set_sample(arena, &left, witness_order_default(), &flow, &box));
    assert_true(flow_set_contains(&a, &flow) && !flow_set_contains(&b, &flow));
    assert_empty(arena, flow_set_intersect(arena, &left, &b));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10.0);
}

static void two_hundred_boxes_less_two_hundred_are_fast(void **state) {
    struct arena *arena = *state;
    check_many_boxes(arena, 14, false);
    check_many_boxes(arena, 15, true);
}

/* A box to the pods that have a key of their own, on ports that overlap; with questions for names that have a letter. */
static struct flow_set box_of_its_own(struct random *random, struct arena *arena, unsigned i, bool questions) {
    const char *value = "a";
    struct value_set values = value_set_of(arena, &value, 1, false, false);
    struct label_set everything = label_set_everything();
    struct label_key key = {LABEL_POD, arena_format(arena, "k%u", i)};
    struct label_set labels = label_set_require(arena, &everything, key, &values);
    struct endpoint_set pods = endpoint_set_of(arena, &labels);
    struct flow_box box = {.destinations = destination_set_of_pods(&pods), .payloads = payload_set_everything()};
    unsigned port = random_below(random, 60000), last = port + random_below(random, 65536 - port);
    box.ports = port_set_of(arena, PROTOCOL_TCP, port, last);
    if (questions) {
        struct name_set names_asked = one_name(arena, arena_format(arena, "*%c*.c", (int)('a' + i)));
        box.payloads = payload_set_of_questions(&names_asked);
        box.ports = port_set_of(arena, PROTOCOL_UDP, 53, 53);
    }
    return flow_set_of(arena, &box);
}

static void boxes_without_common_keys_do_not_multiply(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(16);
    struct flow_set everything = flow_set_everything(), taken = flow_set_nothing();
    for (unsigned i = 0; i < 200; i++) {
        struct flow_set piece = box_of_its_own(&random, arena, i, false);
        taken = flow_set_union(arena, &taken, &piece);
    }
    clock_t start = clock();
    struct flow_set left = flow_set_subtract(arena, &everything, &taken);
    print_message("%u boxes, %.3f s, %zu KiB\n", left.count, (double)(clock() - start) / CLOCKS_PER_SEC,
                  arena_size(arena) / 1024);
    assert_true(left.count <= 2 * 200 + 2);
    assert_int_equal(flow_set_is_empty(arena, &left), SET_INHABITED);
    assert_empty(arena, flow_set_intersect(arena, &left, &taken));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10.0);
}

/* Lists of questions that overlap in every way: what cannot be taken away in time stays in, and is said to be open. */
static void pieces_beyond_the_limit_are_undecided(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(17);
    struct name_set asked = one_name(arena, "**.c");
    struct flow_box box = {.payloads = payload_set_of_questions(&asked)};
    struct endpoint_set pods = endpoint_set_everything();
    box.destinations = destination_set_of_pods(&pods);
    box.ports = port_set_of(arena, PROTOCOL_UDP, 53, 53);
    struct flow_set all = flow_set_of(arena, &box), taken = flow_set_nothing();
    for (unsigned i = 0; i < 26; i++) {
        struct flow_set piece = box_of_its_own(&random, arena, i, true);
        taken = flow_set_union(arena, &taken, &piece);
    }
    clock_t start = clock();
    struct flow_set left = flow_set_subtract(arena, &all, &taken);
    print_message("%u boxes, %.3f s, %zu KiB\n", left.count, (double)(clock() - start) / CLOCKS_PER_SEC,
                  arena_size(arena) / 1024);
    assert_int_equal(flow_set_is_empty(arena, &left), SET_UNDECIDED);
    struct flow flow;
    assert_false(flow_set_sample(arena, &left, witness_order_default(), &flow, NULL));
    /* It is still a bound: what is certainly left is in it, and to take it away proves nothing. */
    flow = (struct flow){{.kind = DESTINATION_POD}, PROTOCOL_UDP, 53, {PAYLOAD_QUESTION, "0.c"}};
    struct label labels[] = {{{LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, "x"}};
    flow.destination.endpoint = (struct endpoint){labels, 1};
    assert_true(flow_set_contains(&left, &flow));
    struct flow_set rest = flow_set_subtract(arena, &all, &left);
    assert_int_equal(flow_set_is_empty(arena, &rest), SET_UNDECIDED);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10.0);
}

/* What the analyzer asks thousands of times: a few allowed names and ports, and the same again. */
static void common_questions_take_microseconds(void **state) {
    struct arena *arena = *state;
    struct flow_set sides[2] = {flow_set_nothing(), flow_set_nothing()};
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < 8; i++) {
            struct name_set name = one_name(arena, arena_format(arena, "host%u.example.com", i));
            struct flow_box box = {destination_set_of_names(arena, &name), port_set_of(arena, PROTOCOL_TCP, 443, 443),
                                   payload_set_everything(), i};
            struct flow_set piece = flow_set_of(arena, &box);
            sides[side] = flow_set_union(arena, &sides[side], &piece);
        }
    }
    enum { TIMES = 1000 };
    clock_t start = clock();
    for (int i = 0; i < TIMES; i++) {
        struct arena_mark mark = arena_mark(arena);
        assert_empty(arena, flow_set_subtract(arena, &sides[0], &sides[1]));
        arena_rollback(arena, mark);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%.1f us a question\n", seconds / TIMES * 1e6);
    assert_true(seconds < 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_hundred_boxes_less_two_hundred_are_fast, begin, end),
        cmocka_unit_test_setup_teardown(boxes_without_common_keys_do_not_multiply, begin, end),
        cmocka_unit_test_setup_teardown(pieces_beyond_the_limit_are_undecided, begin, end),
        cmocka_unit_test_setup_teardown(common_questions_take_microseconds, begin, end),
    };
    return cmocka_run_group_tests_name("ir/flow_cost", tests, NULL, NULL);
}

/* Ports: against bit masks of a universe of 16 ports a protocol, and by example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "ir/port_set.h"
#include "tests/arena_state.h"
#include "tests/ir/random.h"

enum { PORTS = 16, ROUNDS = 20000 };

/* The reference: a bit a port. */
struct mask {
    unsigned of[PROTOCOL_COUNT];
};

static void random_set(struct random *random, struct arena *arena, struct port_set *set, struct mask *mask) {
    *set = port_set_nothing();
    *mask = (struct mask){{0}};
    for (unsigned pieces = random_below(random, 6); pieces > 0; pieces--) {
        enum protocol protocol = (enum protocol)random_below(random, PROTOCOL_COUNT);
        unsigned first = random_below(random, PORTS), last = first + random_below(random, PORTS - first);
        if (protocol == PROTOCOL_OTHER) {
            first = last = 0;
        }
        struct port_set piece = port_set_of(arena, protocol, first, last);
        *set = port_set_union(arena, set, &piece);
        for (unsigned port = first; port <= last; port++) {
            mask->of[protocol] |= 1U << port;
        }
    }
}

static void assert_canonical(const struct port_set *set) {
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        for (uint32_t k = 0; k < set->of[i].count; k++) {
            const struct port_range *range = &set->of[i].ranges[k];
            assert_true(range->first <= range->last);
            assert_true(k == 0 || range->first > range[-1].last + 1);
        }
    }
}

static void assert_same(const struct port_set *set, const struct mask *mask) {
    bool any = false;
    for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
        for (unsigned port = 0; port < 2 * PORTS; port++) {
            bool expected = (mask->of[i] >> port) & 1U;
            any = any || expected;
            assert_int_equal(port_set_contains(set, (enum protocol)i, port), expected);
        }
    }
    assert_int_equal(port_set_is_empty(set), !any);
    assert_canonical(set);
}

static void verbs_agree_with_enumeration(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(1);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        struct port_set a, b;
        struct mask of_a, of_b, both, either, left;
        random_set(&random, arena, &a, &of_a);
        random_set(&random, arena, &b, &of_b);
        bool equal = true;
        for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
            both.of[i] = of_a.of[i] & of_b.of[i];
            either.of[i] = of_a.of[i] | of_b.of[i];
            left.of[i] = of_a.of[i] & ~of_b.of[i];
            equal = equal && of_a.of[i] == of_b.of[i];
        }
        struct port_set set = port_set_intersect(arena, &a, &b);
        assert_same(&set, &both);
        set = port_set_union(arena, &a, &b);
        assert_same(&set, &either);
        set = port_set_subtract(arena, &a, &b);
        assert_same(&set, &left);
        assert_int_equal(port_set_equal(&a, &b), equal);
        arena_rollback(arena, start);
    }
}

static void union_of_many_is_the_union_of_each(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(4);
    enum { MOST = 9 };
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        struct port_set sets[MOST];
        const struct port_set *list[MOST];
        struct mask any = {{0}};
        for (size_t i = 0; i < MOST; i++) {
            struct mask mask;
            struct port_set many = port_set_union_of(arena, list, i);
            assert_same(&many, &any);
            random_set(&random, arena, &sets[i], &mask);
            list[i] = &sets[i];
            for (unsigned p = 0; p < PROTOCOL_COUNT; p++) {
                any.of[p] |= mask.of[p];
            }
        }
        arena_rollback(arena, start);
    }
}

static void sample_is_first_of_the_order(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(2);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        struct port_set set;
        struct mask mask;
        random_set(&random, arena, &set, &mask);
        enum protocol protocol = PROTOCOL_OTHER;
        unsigned port = 999;
        assert_int_equal(port_set_sample(&set, &protocol, &port), !port_set_is_empty(&set));
        for (unsigned i = 0; i < PROTOCOL_COUNT; i++) {
            for (unsigned other = 0; other < PORTS; other++) {
                if ((mask.of[i] >> other) & 1U) {
                    assert_true(port_witness_compare(protocol, port, (enum protocol)i, other) <= 0);
                }
            }
        }
        arena_rollback(arena, start);
    }
}

static void check_sample(struct arena *arena, const unsigned (*ranges)[3], size_t count, enum protocol protocol,
                         unsigned port) {
    struct port_set set = port_set_nothing();
    for (size_t i = 0; i < count; i++) {
        struct port_set piece = port_set_of(arena, (enum protocol)ranges[i][0], ranges[i][1], ranges[i][2]);
        set = port_set_union(arena, &set, &piece);
    }
    enum protocol got_protocol;
    unsigned got_port;
    assert_true(port_set_sample(&set, &got_protocol, &got_port));
    assert_int_equal(got_protocol, protocol);
    assert_int_equal(got_port, port);
}

static void sample_prefers_tcp_then_443_80_53_22_then_the_lowest(void **state) {
    const unsigned all[][3] = {{PROTOCOL_UDP, 0, 65535}, {PROTOCOL_TCP, 0, 65535}};
    check_sample(*state, all, 2, PROTOCOL_TCP, 443);
    const unsigned web[][3] = {{PROTOCOL_TCP, 1, 442}};
    check_sample(*state, web, 1, PROTOCOL_TCP, 80);
    const unsigned dns[][3] = {{PROTOCOL_UDP, 1, 79}};
    check_sample(*state, dns, 1, PROTOCOL_UDP, 53);
    const unsigned shell[][3] = {{PROTOCOL_SCTP, 9, 52}};
    check_sample(*state, shell, 1, PROTOCOL_SCTP, 22);
    const unsigned low[][3] = {{PROTOCOL_SCTP, 5, 21}, {PROTOCOL_SCTP, 7000, 8000}};
    check_sample(*state, low, 2, PROTOCOL_SCTP, 5);
    const unsigned types[][3] = {{PROTOCOL_ICMP, 0, 255}, {PROTOCOL_OTHER, 0, 0}};
    check_sample(*state, types, 2, PROTOCOL_ICMP, 0);
    const unsigned types6[][3] = {{PROTOCOL_ICMPV6, 128, 255}, {PROTOCOL_OTHER, 0, 0}};
    check_sample(*state, types6, 2, PROTOCOL_ICMPV6, 128);
    const unsigned other[][3] = {{PROTOCOL_OTHER, 0, 0}};
    check_sample(*state, other, 1, PROTOCOL_OTHER, 0);
}

static void union_merges_adjacent_ranges_up_to_the_last_port(void **state) {
    struct arena *arena = *state;
    struct port_set low = port_set_of(arena, PROTOCOL_TCP, 0, 32767);
    struct port_set high = port_set_of(arena, PROTOCOL_TCP, 32768, 65535);
    struct port_set all = port_set_union(arena, &high, &low);
    assert_int_equal(all.of[PROTOCOL_TCP].count, 1);
    struct port_set more = port_set_union(arena, &all, &high);
    assert_true(port_set_equal(&all, &more));
    struct port_set left = port_set_subtract(arena, &all, &low);
    assert_true(port_set_equal(&left, &high));
}

static void ranges_end_where_the_protocol_does(void **state) {
    struct arena *arena = *state;
    struct port_set types = port_set_of(arena, PROTOCOL_ICMP, 3, 70000);
    assert_true(port_set_contains(&types, PROTOCOL_ICMP, 255));
    assert_false(port_set_contains(&types, PROTOCOL_ICMP, 256));
    struct port_set none = port_set_of(arena, PROTOCOL_ICMP, 256, 300);
    assert_true(port_set_is_empty(&none));
    struct port_set transport = port_set_transport();
    assert_true(port_set_contains(&transport, PROTOCOL_SCTP, 65535));
    assert_false(port_set_contains(&transport, PROTOCOL_ICMP, 8));
    assert_false(port_set_contains(&transport, PROTOCOL_OTHER, 0));
}

static void assert_prints(struct arena *arena, const struct port_set *set, const char *expected) {
    struct buffer out;
    buffer_init(&out, arena);
    port_set_print(&out, set);
    assert_string_equal(buffer_string(&out), expected);
}

static void print_names_ports_types_and_wholes(void **state) {
    struct arena *arena = *state;
    struct port_set set = port_set_everything();
    assert_prints(arena, &set, "everything");
    set = port_set_nothing();
    assert_prints(arena, &set, "nothing");
    set = port_set_transport();
    assert_prints(arena, &set, "every port/TCP, every port/UDP, every port/SCTP");
    const unsigned pieces[][3] = {{PROTOCOL_TCP, 443, 443}, {PROTOCOL_UDP, 1, 65535},    {PROTOCOL_ICMP, 0, 255},
                                  {PROTOCOL_ICMPV6, 1, 3},  {PROTOCOL_ICMPV6, 128, 128}, {PROTOCOL_OTHER, 0, 0}};
    set = port_set_nothing();
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct port_set piece = port_set_of(arena, (enum protocol)pieces[i][0], pieces[i][1], pieces[i][2]);
        set = port_set_union(arena, &set, &piece);
    }
    assert_prints(arena, &set, "443/TCP, 1-65535/UDP, icmp, icmpv6:1-3, icmpv6:128, other");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_agree_with_enumeration, begin, end),
        cmocka_unit_test_setup_teardown(union_of_many_is_the_union_of_each, begin, end),
        cmocka_unit_test_setup_teardown(sample_is_first_of_the_order, begin, end),
        cmocka_unit_test_setup_teardown(sample_prefers_tcp_then_443_80_53_22_then_the_lowest, begin, end),
        cmocka_unit_test_setup_teardown(union_merges_adjacent_ranges_up_to_the_last_port, begin, end),
        cmocka_unit_test_setup_teardown(ranges_end_where_the_protocol_does, begin, end),
        cmocka_unit_test_setup_teardown(print_names_ports_types_and_wholes, begin, end),
    };
    return cmocka_run_group_tests_name("ir/port_set", tests, NULL, NULL);
}

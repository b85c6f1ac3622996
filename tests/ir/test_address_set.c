/* Addresses: against bit masks of 32 addresses a family, placed at the low end, in the middle and at the high end of
 * the real families, and by example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "ir/address_set.h"
#include "tests/arena_state.h"
#include "tests/ir/random.h"

enum { POINTS = 32, FAMILIES = 2, ROUNDS = 8000 };

struct mask {
    uint32_t of[FAMILIES];
};

/* Where the 32 addresses lie: at the end of what `base` fills. */
static struct address point(unsigned family, uint8_t base, unsigned i) {
    struct address address = {(enum address_family)family, {0}};
    unsigned bytes = family == ADDRESS_IPV4 ? 4 : 16;
    memset(address.bytes, base, bytes);
    address.bytes[bytes - 1] = (uint8_t)((base & 0xe0U) | i);
    return address;
}

static void random_set(struct random *random, struct arena *arena, uint8_t base, struct address_set *set,
                       struct mask *mask) {
    *set = address_set_nothing();
    *mask = (struct mask){{0}};
    for (unsigned pieces = random_below(random, 6); pieces > 0; pieces--) {
        unsigned family = random_below(random, FAMILIES), first = random_below(random, POINTS);
        unsigned last = first + random_below(random, POINTS - first);
        struct address low = point(family, base, first), high = point(family, base, last);
        struct address_set piece = address_set_of(arena, &low, &high);
        *set = address_set_union(arena, set, &piece);
        for (unsigned i = first; i <= last; i++) {
            mask->of[family] |= 1U << i;
        }
    }
}

static void assert_canonical(const struct address_set *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        const struct address_range *range = &set->ranges[i];
        assert_int_equal(range->first.family, range->last.family);
        assert_true(address_compare(&range->first, &range->last) <= 0);
        if (i > 0 && range[-1].last.family == range->first.family) {
            struct address next = range[-1].last;
            for (unsigned k = next.family == ADDRESS_IPV4 ? 4 : 16; k-- > 0 && ++next.bytes[k] == 0;) {
            }
            assert_true(address_compare(&next, &range->first) < 0);
        }
    }
}

static void assert_same(const struct address_set *set, uint8_t base, const struct mask *mask) {
    for (unsigned family = 0; family < FAMILIES; family++) {
        for (unsigned i = 0; i < POINTS; i++) {
            struct address address = point(family, base, i);
            assert_int_equal(address_set_contains(set, &address), (mask->of[family] >> i) & 1U);
        }
    }
    assert_int_equal(address_set_is_empty(set), mask->of[0] == 0 && mask->of[1] == 0);
    assert_canonical(set);
}

static void check_verbs(struct arena *arena, struct random *random, uint8_t base) {
    struct address_set a, b;
    struct mask of_a, of_b, both, either, left;
    random_set(random, arena, base, &a, &of_a);
    random_set(random, arena, base, &b, &of_b);
    for (unsigned i = 0; i < FAMILIES; i++) {
        both.of[i] = of_a.of[i] & of_b.of[i];
        either.of[i] = of_a.of[i] | of_b.of[i];
        left.of[i] = of_a.of[i] & ~of_b.of[i];
    }
    struct address_set set = address_set_intersect(arena, &a, &b);
    assert_same(&set, base, &both);
    set = address_set_union(arena, &a, &b);
    assert_same(&set, base, &either);
    set = address_set_subtract(arena, &a, &b);
    assert_same(&set, base, &left);
    assert_int_equal(address_set_equal(&a, &b), memcmp(&of_a, &of_b, sizeof of_a) == 0);
    /* By way of the complement, whose ranges reach the ends of the families. */
    struct address_set everything = address_set_everything();
    struct address_set rest = address_set_subtract(arena, &everything, &b);
    assert_canonical(&rest);
    set = address_set_intersect(arena, &a, &rest);
    assert_same(&set, base, &left);
    set = address_set_union(arena, &rest, &b);
    assert_true(address_set_equal(&set, &everything));
}

static void verbs_agree_with_enumeration(void **state) {
    struct arena *arena = *state;
    static const uint8_t bases[] = {0x00, 0xff, 0x40, 0x9f};
    struct random random = random_of(3);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        check_verbs(arena, &random, bases[round % 4]);
        arena_rollback(arena, start);
    }
}

static void union_of_many_is_the_union_of_each(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(5);
    enum { MOST = 9 };
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        struct address_set sets[MOST], any = address_set_nothing();
        for (size_t i = 0; i < MOST; i++) {
            struct mask mask;
            struct address_set many = address_set_union_of(arena, sets, i);
            assert_canonical(&many);
            assert_true(address_set_equal(&many, &any));
            random_set(&random, arena, 0x40, &sets[i], &mask);
            any = address_set_union(arena, &any, &sets[i]);
        }
        arena_rollback(arena, start);
    }
}

static void lowest_agrees_with_enumeration(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(4);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        struct address_set set;
        struct mask mask;
        random_set(&random, arena, 0xff, &set, &mask);
        unsigned family = random_below(&random, FAMILIES), from = random_below(&random, POINTS);
        unsigned to = from + random_below(&random, POINTS - from), expected = from;
        while (expected <= to && !((mask.of[family] >> expected) & 1U)) {
            expected++;
        }
        struct address first = point(family, 0xff, from), last = point(family, 0xff, to), lowest;
        bool found = address_set_lowest(&set, &first, &last, &lowest);
        assert_int_equal(found, expected <= to);
        if (found) {
            struct address wanted = point(family, 0xff, expected);
            assert_int_equal(address_compare(&lowest, &wanted), 0);
        }
        arena_rollback(arena, start);
    }
}

static struct address_set range(struct arena *arena, const char *first, const char *last) {
    struct address low, high;
    assert_true(address_parse(text_of(first), &low));
    assert_true(address_parse(text_of(last), &high));
    return address_set_of(arena, &low, &high);
}

static void families_never_merge(void **state) {
    struct arena *arena = *state;
    struct address_set four = range(arena, "1.2.3.4", "255.255.255.255"), six = range(arena, "::", "::5");
    struct address_set set = address_set_union(arena, &six, &four);
    assert_int_equal(set.count, 2);
    assert_int_equal(set.ranges[0].first.family, ADDRESS_IPV4);
    struct address low = {ADDRESS_IPV4, {1}}, high = {ADDRESS_IPV6, {0}};
    struct address_set none = address_set_of(arena, &low, &high);
    assert_true(address_set_is_empty(&none));
    struct address_set all4 = address_set_family(ADDRESS_IPV4), all6 = address_set_family(ADDRESS_IPV6);
    struct address_set all = address_set_union(arena, &all6, &all4), everything = address_set_everything();
    assert_true(address_set_equal(&all, &everything));
}

static void assert_samples(const struct address_set *set, const char *expected) {
    struct address address;
    char text[46];
    assert_true(address_set_sample(set, &address));
    address_print(&address, text);
    assert_string_equal(text, expected);
}

static void sample_follows_the_witness_order(void **state) {
    struct arena *arena = *state;
    static const char *const order[] = {"169.254.169.254", "fd00:ec2::254", "168.63.129.16", "169.254.170.2",
                                        "100.100.100.200", "10.0.0.0",      "172.16.0.0",    "192.168.0.0",
                                        "100.64.0.0",      "fc00::",        "0.0.0.0",       "::"};
    struct address_set set = address_set_everything();
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_samples(&set, order[i]);
        struct address_set block = range(arena, order[i], order[i]);
        if (i == 5) {
            block = range(arena, "10.0.0.0", "10.255.255.255");
        } else if (i == 6) {
            block = range(arena, "172.16.0.0", "172.31.255.255");
        } else if (i == 7) {
            block = range(arena, "192.168.0.0", "192.168.255.255");
        } else if (i == 8) {
            block = range(arena, "100.64.0.0", "100.127.255.255");
        } else if (i == 9) {
            block = range(arena, "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        } else if (i == 10) {
            block = address_set_family(ADDRESS_IPV4);
        }
        set = address_set_subtract(arena, &set, &block);
    }
    assert_samples(&set, "::1");
    struct address address;
    set = address_set_nothing();
    assert_false(address_set_sample(&set, &address));
}

static void assert_prints(struct arena *arena, const struct address_set *set, const char *expected) {
    struct buffer out;
    buffer_init(&out, arena);
    address_set_print(&out, set);
    assert_string_equal(buffer_string(&out), expected);
}

static void print_shows_blocks_where_they_fit(void **state) {
    struct arena *arena = *state;
    struct address_set set = address_set_everything();
    assert_prints(arena, &set, "everything");
    set = address_set_nothing();
    assert_prints(arena, &set, "nothing");
    set = address_set_family(ADDRESS_IPV6);
    assert_prints(arena, &set, "::/0");
    struct address_set block = range(arena, "10.0.0.0", "10.255.255.255"), odd = range(arena, "11.0.0.1", "11.0.0.4");
    struct address_set one = range(arena, "fd00::1", "fd00::1"), pair = range(arena, "1.0.0.2", "1.0.0.3");
    set = address_set_union(arena, &block, &odd);
    set = address_set_union(arena, &set, &one);
    set = address_set_union(arena, &set, &pair);
    assert_prints(arena, &set, "1.0.0.2/31, 10.0.0.0/8, 11.0.0.1-11.0.0.4, fd00::1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_agree_with_enumeration, begin, end),
        cmocka_unit_test_setup_teardown(lowest_agrees_with_enumeration, begin, end),
        cmocka_unit_test_setup_teardown(union_of_many_is_the_union_of_each, begin, end),
        cmocka_unit_test_setup_teardown(families_never_merge, begin, end),
        cmocka_unit_test_setup_teardown(sample_follows_the_witness_order, begin, end),
        cmocka_unit_test_setup_teardown(print_shows_blocks_where_they_fit, begin, end),
    };
    return cmocka_run_group_tests_name("ir/address_set", tests, NULL, NULL);
}

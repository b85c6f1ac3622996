#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grammar/cidr.h"

static void assert_address(const struct address *address, const char *expected) {
    char out[46];
    address_print(address, out);
    assert_string_equal(out, expected);
}

static struct cidr parsed(const char *text) {
    struct cidr cidr;
    if (cidr_parse(text_of(text), &cidr) != CIDR_OK)
        fail_msg("%s is not read", text);
    return cidr;
}

static void cidr_reads_what_api_servers_read(void **state) {
    (void)state;
    static const struct {
        const char *text, *address, *first, *last;
        unsigned prefix, flags;
    } cases[] = {
        {"10.0.0.0/8", "10.0.0.0", "10.0.0.0", "10.255.255.255", 8, 0},
        {"0.0.0.0/0", "0.0.0.0", "0.0.0.0", "255.255.255.255", 0, 0},
        {"192.0.2.7/32", "192.0.2.7", "192.0.2.7", "192.0.2.7", 32, 0},
        {"192.0.2.128/25", "192.0.2.128", "192.0.2.128", "192.0.2.255", 25, 0},
        {"::/0", "::", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 0, 0},
        {"2001:db8::/33", "2001:db8::", "2001:db8::", "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff", 33, 0},
        {"::1/128", "::1", "::1", "::1", 128, 0},
        {"10.0.0.5/8", "10.0.0.5", "10.0.0.0", "10.255.255.255", 8, CIDR_HOST_BITS},
        {"2001:db8::1/64", "2001:db8::1", "2001:db8::", "2001:db8::ffff:ffff:ffff:ffff", 64, CIDR_HOST_BITS},
        {"010.0.0.0/8", "10.0.0.0", "10.0.0.0", "10.255.255.255", 8, CIDR_LEADING_ZEROS | CIDR_NOT_CANONICAL},
        {"10.0.0.0/08", "10.0.0.0", "10.0.0.0", "10.255.255.255", 8, CIDR_LEADING_ZEROS | CIDR_NOT_CANONICAL},
        {"0.0.0.0/00", "0.0.0.0", "0.0.0.0", "255.255.255.255", 0, CIDR_LEADING_ZEROS | CIDR_NOT_CANONICAL},
        {"010.0.0.1/008", "10.0.0.1", "10.0.0.0", "10.255.255.255", 8,
         CIDR_LEADING_ZEROS | CIDR_HOST_BITS | CIDR_NOT_CANONICAL},
        {"FD00:0::/8", "fd00::", "fd00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 8, CIDR_NOT_CANONICAL},
        {"2001:db8:0:0::/64", "2001:db8::", "2001:db8::", "2001:db8::ffff:ffff:ffff:ffff", 64, CIDR_NOT_CANONICAL},
        {"64:ff9b::192.0.2.0/120", "64:ff9b::c000:200", "64:ff9b::c000:200", "64:ff9b::c000:2ff", 120,
         CIDR_NOT_CANONICAL},
        {"::ffff:10.0.0.0/104", "::ffff:10.0.0.0", "::ffff:10.0.0.0", "::ffff:10.255.255.255", 104, CIDR_MAPPED},
        {"::ffff:a00:0/104", "::ffff:10.0.0.0", "::ffff:10.0.0.0", "::ffff:10.255.255.255", 104,
         CIDR_MAPPED | CIDR_NOT_CANONICAL},
        {"::ffff:0.0.0.0/96", "::ffff:0.0.0.0", "::ffff:0.0.0.0", "::ffff:255.255.255.255", 96, CIDR_MAPPED},
        {"::ffff:0.0.0.0/95", "::ffff:0.0.0.0", "::fffe:0:0", "::ffff:255.255.255.255", 95, CIDR_HOST_BITS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cidr cidr = parsed(cases[i].text);
        assert_address(&cidr.address, cases[i].address);
        assert_address(&cidr.first, cases[i].first);
        assert_address(&cidr.last, cases[i].last);
        assert_int_equal(cidr.prefix, cases[i].prefix);
        if (cidr.flags != cases[i].flags)
            fail_msg("%s: flags %u, not %u", cases[i].text, cidr.flags, cases[i].flags);
    }
}

static void cidr_tells_the_first_fault_and_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum cidr_fault fault;
        size_t fault_at;
    } cases[] = {
        {"", CIDR_EMPTY, 0},
        {"10.0.0.0", CIDR_NO_PREFIX, 8},
        {"abc", CIDR_NO_PREFIX, 3},
        {"/8", CIDR_BAD_ADDRESS, 0},
        {"abc/8", CIDR_BAD_ADDRESS, 0},
        {"10.0.0/8", CIDR_BAD_ADDRESS, 6},
        {"10.0.0.256/8", CIDR_BAD_ADDRESS, 7},
        {"10.0.0.0 /8", CIDR_BAD_ADDRESS, 8},
        {"fe80::1%eth0/64", CIDR_BAD_ADDRESS, 7},
        {"[2001:db8::]/32", CIDR_BAD_ADDRESS, 0},
        {"10.0.0.0/", CIDR_BAD_PREFIX, 9},
        {"10.0.0.0/33", CIDR_BAD_PREFIX, 9},
        {"::/129", CIDR_BAD_PREFIX, 3},
        {"10.0.0.0/+8", CIDR_BAD_PREFIX, 9},
        {"10.0.0.0/-1", CIDR_BAD_PREFIX, 9},
        {"10.0.0.0/8 ", CIDR_BAD_PREFIX, 9},
        {"10.0.0.0/8/8", CIDR_BAD_PREFIX, 9},
        {"10.0.0.0/255.0.0.0", CIDR_BAD_PREFIX, 9},
        {"10.0.0.0/99999999999999999999", CIDR_BAD_PREFIX, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cidr cidr;
        if (cidr_parse(text_of(cases[i].text), &cidr) != cases[i].fault)
            fail_msg("%s: another fault", cases[i].text);
        assert_int_equal(cidr.fault_at, cases[i].fault_at);
    }
}

static void cidr_keeps_the_octal_reading_of_leading_zeros(void **state) {
    (void)state;
    struct cidr cidr = parsed("010.0.0.0/8");
    assert_true(cidr.octal_valid);
    assert_address(&cidr.octal_first, "8.0.0.0");
    assert_address(&cidr.octal_last, "8.255.255.255");
    cidr = parsed("10.0.0.019/24");
    assert_false(cidr.octal_valid);
    /* Leading zeros in the prefix length alone: the octal reading is the same range. */
    cidr = parsed("10.0.0.0/08");
    assert_true(cidr.octal_valid);
    assert_address(&cidr.octal_first, "10.0.0.0");
    assert_address(&cidr.octal_last, "10.255.255.255");
    cidr = parsed("10.0.0.0/8");
    assert_false(cidr.octal_valid);
}

static void cidr_gives_the_ipv4_reading_of_mapped_ranges(void **state) {
    (void)state;
    struct cidr cidr = parsed("::ffff:10.1.2.3/112");
    assert_int_equal(cidr.address.family, ADDRESS_IPV6);
    assert_int_equal(cidr.mapped_first.family, ADDRESS_IPV4);
    assert_address(&cidr.mapped_first, "10.1.0.0");
    assert_address(&cidr.mapped_last, "10.1.255.255");
}

static void cidr_contains_compares_ranges_within_one_family(void **state) {
    (void)state;
    static const struct {
        const char *outer, *inner;
        bool contains;
    } cases[] = {
        {"10.0.0.0/8", "10.1.0.0/16", true},   {"10.0.0.0/8", "10.0.0.0/8", true},
        {"10.0.0.0/8", "10.9.9.9/8", true},    {"10.1.0.0/16", "10.0.0.0/8", false},
        {"10.0.0.0/8", "11.0.0.0/16", false},  {"0.0.0.0/0", "255.255.255.255/32", true},
        {"0.0.0.0/0", "::/0", false},          {"::/0", "0.0.0.0/0", false},
        {"::/0", "::ffff:10.0.0.0/104", true}, {"10.0.0.0/8", "::ffff:10.0.0.0/104", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cidr outer = parsed(cases[i].outer), inner = parsed(cases[i].inner);
        if (cidr_contains(&outer, &inner) != cases[i].contains)
            fail_msg("%s in %s: not %d", cases[i].inner, cases[i].outer, cases[i].contains);
    }
}

static void strict_cidr_refuses_in_order(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum cidr_strict_fault fault;
        size_t fault_at;
    } cases[] = {
        {"10.0.0.0/8", CIDR_STRICT_OK, 0},
        {"192.0.2.7/24", CIDR_STRICT_OK, 0},
        {"2001:DB8:0:0::/32", CIDR_STRICT_OK, 0},
        {"64:ff9b::192.0.2.0/120", CIDR_STRICT_OK, 0},
        {"1:2:3:4:5:6:192.0.2.1/128", CIDR_STRICT_OK, 0},
        {"::1.2.3.4/128", CIDR_STRICT_OK, 0},
        {"", CIDR_STRICT_EMPTY, 0},
        {"10.0.0.0", CIDR_STRICT_NO_PREFIX, 8},
        {"192.0.2/24", CIDR_STRICT_BAD_ADDRESS, 7},
        {":::/0", CIDR_STRICT_BAD_ADDRESS, 2},
        {"1:2:3:4:5:6:7:8::/64", CIDR_STRICT_BAD_ADDRESS, 17},
        {":1:2:3:4:5:6:7:8/128", CIDR_STRICT_BAD_ADDRESS, 0},
        {"1:2:3:4:5:6:7:8:/128", CIDR_STRICT_BAD_ADDRESS, 15},
        {"2001:db8:::1/64", CIDR_STRICT_BAD_ADDRESS, 10},
        {"010.0.0.0/8", CIDR_STRICT_ADDRESS_ZEROS, 0},
        {"10.0.00.0/8", CIDR_STRICT_ADDRESS_ZEROS, 5},
        {"010.0.0.0/99", CIDR_STRICT_ADDRESS_ZEROS, 0},
        {"::ffff:10.0.0.01/128", CIDR_STRICT_ADDRESS_ZEROS, 14},
        {"192.0.2.0/33", CIDR_STRICT_BAD_PREFIX, 10},
        {"192.0.2.0/", CIDR_STRICT_BAD_PREFIX, 10},
        {"10.0.0.0/08", CIDR_STRICT_PREFIX_ZEROS, 9},
        {"0.0.0.0/00", CIDR_STRICT_PREFIX_ZEROS, 8},
        {"::ffff:192.0.2.0/120", CIDR_STRICT_MAPPED, 0},
        {"::ffff:c000:200/120", CIDR_STRICT_MAPPED, 0},
        {"::ffff:192.0.2.0/64", CIDR_STRICT_MAPPED, 0},
        {"0.0.0.0/0", CIDR_STRICT_ZERO_PREFIX, 8},
        {"::/0", CIDR_STRICT_ZERO_PREFIX, 3},
        {"10.0.0.0/0", CIDR_STRICT_ZERO_PREFIX, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cidr cidr;
        enum cidr_strict_fault fault = cidr_parse_strict(text_of(cases[i].text), &cidr);
        if (fault != cases[i].fault || cidr.fault_at != cases[i].fault_at)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, cidr.fault_at);
    }
}

static void every_cidr_fault_has_a_text(void **state) {
    (void)state;
    for (int fault = CIDR_OK; fault <= CIDR_BAD_PREFIX; fault++)
        assert_non_null(cidr_fault_text((enum cidr_fault)fault));
    for (int fault = CIDR_STRICT_OK; fault <= CIDR_STRICT_ZERO_PREFIX; fault++)
        assert_non_null(cidr_strict_fault_text((enum cidr_strict_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cidr_reads_what_api_servers_read),
        cmocka_unit_test(cidr_tells_the_first_fault_and_its_place),
        cmocka_unit_test(cidr_keeps_the_octal_reading_of_leading_zeros),
        cmocka_unit_test(cidr_gives_the_ipv4_reading_of_mapped_ranges),
        cmocka_unit_test(cidr_contains_compares_ranges_within_one_family),
        cmocka_unit_test(strict_cidr_refuses_in_order),
        cmocka_unit_test(every_cidr_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

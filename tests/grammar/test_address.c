#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>

#include "grammar/address.h"
#include "random.h"

static struct address parsed(const char *text) {
    struct address address;
    if (!address_parse(text_of(text), &address))
        fail_msg("%s is not read", text);
    return address;
}

static void prints(const char *text, const char *canonical) {
    struct address address = parsed(text);
    char out[46];
    size_t length = address_print(&address, out);
    assert_string_equal(out, canonical);
    assert_int_equal(length, strlen(canonical));
}

static void address_prints_in_canonical_form(void **state) {
    (void)state;
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {"0.0.0.0", "0.0.0.0"},
        {"255.255.255.255", "255.255.255.255"},
        {"192.0.2.1", "192.0.2.1"},
        {"::", "::"},
        {"::1", "::1"},
        {"1::", "1::"},
        {"0:0:0:0:0:0:0:0", "::"},
        {"2001:DB8::1", "2001:db8::1"},
        {"2001:0db8::0001", "2001:db8::1"},
        {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
        {"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
        {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
        {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
        {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
        {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
        {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
        {"1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"},
        {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.1"},
        {"::ffff:c000:201", "::ffff:192.0.2.1"},
        {"::192.0.2.1", "::c000:201"},
        {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        prints(cases[i].text, cases[i].canonical);
}

static void address_refuses_what_is_no_address(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t fault_at;
    } cases[] = {
        {"", 0},
        {".", 0},
        {":", 0},
        {":::", 2},
        {"1.2.3", 5},
        {"1.2.3.", 6},
        {"1.2.3.4.", 7},
        {"1.2.3.4.5", 7},
        {"1..2.3", 2},
        {"256.0.0.1", 0},
        {"1.2.3.1000", 6},
        {"1.2.3.4 ", 7},
        {" 1.2.3.4", 0},
        {"+1.2.3.4", 0},
        {"0x10.0.0.0", 1},
        {"1.2.3.1e1", 7},
        {"abc", 0},
        {":1", 0},
        {"1:", 1},
        {"::1:", 3},
        {"::1::", 4},
        {"1::2::3", 5},
        {"12345::", 0},
        {"00001::", 0},
        {"g::", 0},
        {"1:2:3:4:5:6:7", 13},
        {"1:2:3:4:5:6:7:8:9", 16},
        {"1:2:3:4:5:6:7:8::", 17},
        {"::1:2:3:4:5:6:7:8", 17},
        {"1:2:3:4:5:6:7:1.2.3.4", 14},
        {"::1.2.3.4:5", 9},
        {"::1.2.3", 7},
        {"1.2.3.4::", 7},
        {"fe80::1%eth0", 7},
        {"[::1]", 0},
        {"::1 ", 3},
        {"2001:db8:::1", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct address_reading reading;
        struct address untouched = {.family = ADDRESS_IPV6, .bytes = {7}};
        if (address_parse_lax(text_of(cases[i].text), &reading))
            fail_msg("%s is read", cases[i].text);
        if (reading.fault_at != cases[i].fault_at)
            fail_msg("%s: fault at %zu, not %zu", cases[i].text, reading.fault_at, cases[i].fault_at);
        assert_false(address_parse(text_of(cases[i].text), &untouched));
        assert_int_equal(untouched.bytes[0], 7);
    }
}

static void address_keeps_both_readings_of_leading_zeros(void **state) {
    (void)state;
    static const struct {
        const char *text, *decimal, *octal; /* octal NULL: not valid */
        size_t zeros_at;
    } cases[] = {
        {"010.0.0.0", "10.0.0.0", "8.0.0.0", 0},
        {"10.00.0.0", "10.0.0.0", "10.0.0.0", 3},
        {"1.2.3.0000000000000004", "1.2.3.4", "1.2.3.4", 6},
        {"1.2.3.019", "1.2.3.19", NULL, 6},
        {"1.2.3.08", "1.2.3.8", NULL, 6},
        {"0177.0.0.1", "177.0.0.1", "127.0.0.1", 0},
        {"0377.0.0.1", NULL, NULL, 0},
        {"0100.0200.8.9", "100.200.8.9", "64.128.8.9", 0},
        {"::ffff:010.0.0.1", "::ffff:10.0.0.1", "::ffff:8.0.0.1", 7},
        {"::00001.0.0.1", "::1.0.0.1", "::1.0.0.1", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct address_reading reading;
        struct address strict;
        bool ok = address_parse_lax(text_of(cases[i].text), &reading);
        assert_int_equal(ok, cases[i].decimal != NULL);
        assert_false(address_parse(text_of(cases[i].text), &strict));
        if (!ok)
            continue;
        struct address decimal = parsed(cases[i].decimal);
        assert_true(reading.leading_zeros);
        assert_int_equal(reading.zeros_at, cases[i].zeros_at);
        assert_int_equal(address_compare(&reading.decimal, &decimal), 0);
        assert_int_equal(reading.octal_valid, cases[i].octal != NULL);
        if (cases[i].octal != NULL) {
            struct address octal = parsed(cases[i].octal);
            assert_int_equal(address_compare(&reading.octal, &octal), 0);
        }
    }
}

static void address_order_is_family_then_bytes(void **state) {
    (void)state;
    static const char *const sorted[] = {"0.0.0.0", "9.255.255.255", "10.0.0.0", "255.255.255.255", "::", "::1", "a::"};
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++)
        for (size_t j = 0; j < sizeof sorted / sizeof *sorted; j++) {
            struct address a = parsed(sorted[i]), b = parsed(sorted[j]);
            int order = address_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void address_mapped_is_the_96_bit_prefix(void **state) {
    (void)state;
    static const char *const mapped[] = {"::ffff:0:0", "::ffff:255.255.255.255"};
    static const char *const other[] = {"10.0.0.1", "::fffe:0:0", "::1.2.3.4", "1::ffff:1.2.3.4", "::ffff:0:1.2.3.4"};
    for (size_t i = 0; i < sizeof mapped / sizeof *mapped; i++) {
        struct address address = parsed(mapped[i]);
        assert_true(address_is_mapped(&address));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct address address = parsed(other[i]);
        assert_false(address_is_mapped(&address));
    }
}

static void assert_same_as_inet_pton(const char *text) {
    struct address address;
    unsigned char expected[16] = {0};
    bool ok = address_parse(text_of(text), &address);
    int family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET;
    if (ok != (inet_pton(family, text, expected) == 1))
        fail_msg("%s: the parser says %d", text, ok);
    if (!ok)
        return;
    assert_memory_equal(address.bytes, expected, sizeof expected);
    /* What is printed reads back, and is the system's text where that has no embedded IPv4 of its own. */
    char out[46], system[INET6_ADDRSTRLEN];
    address_print(&address, out);
    struct address again = parsed(out);
    assert_int_equal(address_compare(&address, &again), 0);
    inet_ntop(family, expected, system, sizeof system);
    if (family == AF_INET || strchr(system, '.') == NULL || address_is_mapped(&address))
        assert_string_equal(out, system);
}

static void address_reads_what_inet_pton_reads(void **state) {
    (void)state;
    static const char *const pieces[] = {":",       "::",      ".",   "0",  "1",    "10",   "255",  "256",
                                         "00",      "01",      "a",   "ff", "ffff", "FFFF", "0000", "abc",
                                         "1.2.3.4", "0.0.0.0", "1:2", ":0", "0:",   "g",    " ",    "12345"};
    uint32_t seed = 20240817;
    for (int round = 0; round < 200000; round++) {
        char text[128] = "";
        uint32_t count = 1 + random_next(&seed) % 15;
        for (uint32_t i = 0; i < count; i++)
            strcat(text, pieces[random_next(&seed) % (sizeof pieces / sizeof *pieces)]);
        assert_same_as_inet_pton(text);
    }
}

static void address_reads_what_inet_ntop_writes(void **state) {
    (void)state;
    uint32_t seed = 4711;
    for (int round = 0; round < 50000; round++) {
        unsigned char bytes[16];
        char text[INET6_ADDRSTRLEN];
        for (size_t i = 0; i < 16; i++)
            bytes[i] = (unsigned char)(random_next(&seed) % 3 == 0 ? random_next(&seed) : 0);
        inet_ntop(AF_INET6, bytes, text, sizeof text);
        assert_same_as_inet_pton(text);
        inet_ntop(AF_INET, bytes, text, sizeof text);
        assert_same_as_inet_pton(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_prints_in_canonical_form),
        cmocka_unit_test(address_refuses_what_is_no_address),
        cmocka_unit_test(address_keeps_both_readings_of_leading_zeros),
        cmocka_unit_test(address_order_is_family_then_bytes),
        cmocka_unit_test(address_mapped_is_the_96_bit_prefix),
        cmocka_unit_test(address_reads_what_inet_pton_reads),
        cmocka_unit_test(address_reads_what_inet_ntop_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

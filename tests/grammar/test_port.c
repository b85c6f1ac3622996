#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grammar/pattern.h"
#include "grammar/port.h"
#include "random.h"

static void port_number_is_1_to_65535_without_leading_zeros(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int value; /* -1: none */
    } cases[] = {
        {"1", 1},      {"443", 443},   {"65535", 65535},   {"65536", -1}, {"0", -1},    {"0443", -1}, {"", -1},
        {"-1", -1},    {"+1", -1},     {" 1", -1},         {"1 ", -1},    {"1e3", -1},  {"*", -1},    {"80.0", -1},
        {"99999", -1}, {"100000", -1}, {"4294967739", -1}, {"0x50", -1},  {"http", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t port = 7;
        if (port_number(text_of(cases[i].text), &port) != (cases[i].value >= 0))
            fail_msg("%s is judged wrongly", cases[i].text);
        assert_int_equal(port, cases[i].value >= 0 ? cases[i].value : 7);
    }
}

static void port_range_is_1_to_65535(void **state) {
    (void)state;
    assert_true(port_in_range(1));
    assert_true(port_in_range(65535));
    assert_false(port_in_range(0));
    assert_false(port_in_range(-1));
    assert_false(port_in_range(65536));
    assert_false(port_in_range(INT64_MAX));
    assert_false(port_in_range(INT64_MIN));
}

static void core_port_name_tells_every_broken_rule(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned faults;
        size_t offset;
    } cases[] = {
        {"http", 0, 0},
        {"a", 0, 0},
        {"8080a", 0, 0},
        {"a-b-c", 0, 0},
        {"abcdefghijklmno", 0, 0},
        {"", PORT_NAME_BYTE | PORT_NAME_NO_LETTER, 0},
        {"80", PORT_NAME_NO_LETTER, 0},
        {"abcdefghijklmnop", PORT_NAME_LONG, 15},
        {"1234567890123456", PORT_NAME_LONG | PORT_NAME_NO_LETTER, 15},
        {"HTTP", PORT_NAME_BYTE | PORT_NAME_NO_LETTER, 0},
        {"hTTP", PORT_NAME_BYTE, 1},
        {"ht_tp", PORT_NAME_BYTE, 2},
        {"443#c", PORT_NAME_BYTE, 3},
        {"22:22", PORT_NAME_BYTE | PORT_NAME_NO_LETTER, 2},
        {"a--b", PORT_NAME_DOUBLE_HYPHEN, 2},
        {"-a", PORT_NAME_EDGE_HYPHEN, 0},
        {"a-", PORT_NAME_EDGE_HYPHEN, 1},
        {"--", PORT_NAME_NO_LETTER | PORT_NAME_DOUBLE_HYPHEN | PORT_NAME_EDGE_HYPHEN, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t offset = 99999;
        unsigned faults = port_name_check(text_of(cases[i].text), &offset);
        if (faults != cases[i].faults || offset != cases[i].offset)
            fail_msg("%s: faults %u at %zu", cases[i].text, faults, offset);
    }
}

static void first_port_name_fault_is_the_lowest_bit(void **state) {
    (void)state;
    assert_int_equal(port_name_first(0), PORT_NAME_OK);
    assert_int_equal(port_name_first(PORT_NAME_EDGE_HYPHEN | PORT_NAME_NO_LETTER), PORT_NAME_NO_LETTER);
    assert_int_equal(port_name_first(31), PORT_NAME_LONG);
    for (unsigned fault = 1; fault <= PORT_NAME_EDGE_HYPHEN; fault *= 2)
        assert_string_not_equal(port_name_fault_text(port_name_first(fault)), port_name_fault_text(PORT_NAME_OK));
}

static void cilium_port_is_a_name_before_it_is_a_number(void **state) {
    (void)state;
    static const struct {
        const char *text, *name; /* name NULL: a number */
        unsigned number;
    } cases[] = {
        {"80", NULL, 80},
        {"0", NULL, 0},
        {"65535", NULL, 65535},
        {"010", NULL, 8},
        {"00", NULL, 0},
        {"0177777", NULL, 65535},
        {"1_000", NULL, 1000},
        {"0_10", NULL, 8},
        {"0x_10", NULL, 16},
        {"0x1_0", NULL, 16},
        {"0b1_0", NULL, 2},
        {"0O1_0", NULL, 8},
        {"0x00000000000050", NULL, 80},
        {"0b00000001010000", NULL, 80},
        {"0000000000000000120", NULL, 80},
        {"http", "http", 0},
        {"HTTP-Alt", "http-alt", 0},
        {"0x10", "0x10", 0},
        {"0b1", "0b1", 0},
        {"1e3", "1e3", 0},
        {"7a", "7a", 0},
        {"abcdefghijklmno", "abcdefghijklmno", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cilium_port_reading port;
        enum cilium_port_kind kind = cilium_port_parse(text_of(cases[i].text), &port);
        if (kind != (cases[i].name == NULL ? CILIUM_PORT_NUMBER : CILIUM_PORT_NAME))
            fail_msg("%s: kind %d", cases[i].text, (int)kind);
        assert_int_equal(port.kind, kind);
        assert_int_equal(port.number, cases[i].number);
        assert_string_equal(port.name, cases[i].name == NULL ? "" : cases[i].name);
        assert_int_equal(port.fault, CILIUM_PORT_OK);
    }
}

static void cilium_port_tells_why_the_agent_refuses_it(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum cilium_port_fault fault;
        size_t fault_at;
        bool crd_accepts;
    } cases[] = {
        {"", CILIUM_PORT_EMPTY, 0, false},
        {"08", CILIUM_PORT_DIGIT, 1, true},
        {"0128", CILIUM_PORT_DIGIT, 3, true},
        {"0b2_1", CILIUM_PORT_DIGIT, 2, true},
        {"70000", CILIUM_PORT_RANGE, 0, true},
        {"65536", CILIUM_PORT_RANGE, 0, true},
        {"0200000", CILIUM_PORT_RANGE, 0, true},
        {"99999999999999999999999999", CILIUM_PORT_RANGE, 0, true},
        {"0x0000000000010000", CILIUM_PORT_RANGE, 0, true},
        {"1__0", CILIUM_PORT_UNDERSCORE, 2, true},
        {"_1", CILIUM_PORT_UNDERSCORE, 0, false},
        {"1_", CILIUM_PORT_UNDERSCORE, 1, true},
        {"0x_", CILIUM_PORT_UNDERSCORE, 2, true},
        {"+80", CILIUM_PORT_NO_NUMBER, 0, false},
        {"-1", CILIUM_PORT_NO_NUMBER, 0, false},
        {"80-90", CILIUM_PORT_NO_NUMBER, 2, true},
        {" 80", CILIUM_PORT_NO_NUMBER, 0, false},
        {"80 ", CILIUM_PORT_NO_NUMBER, 2, true},
        {"a-", CILIUM_PORT_NO_NUMBER, 0, false},
        {"a--b", CILIUM_PORT_NO_NUMBER, 0, true},
        {"-a", CILIUM_PORT_NO_NUMBER, 0, true},
        {"abcdefghijklmnop", CILIUM_PORT_NO_NUMBER, 0, true},
        {"!!!a", CILIUM_PORT_NO_NUMBER, 0, true},
        {"a!", CILIUM_PORT_NO_NUMBER, 0, false},
        {"a!1", CILIUM_PORT_NO_NUMBER, 0, false},
        {"a--1", CILIUM_PORT_NO_NUMBER, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cilium_port_reading port;
        assert_int_equal(cilium_port_parse(text_of(cases[i].text), &port), CILIUM_PORT_INVALID);
        if (port.fault != cases[i].fault || port.fault_at != cases[i].fault_at)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)port.fault, port.fault_at);
        if (port.crd_accepts != cases[i].crd_accepts)
            fail_msg("%s: the CRD takes it? %d", cases[i].text, port.crd_accepts);
        assert_int_equal(port.number, 0);
    }
}

static const char published[] = "^(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4})|"
                                "([a-zA-Z0-9]-?)*[a-zA-Z](-?[a-zA-Z0-9])*$";

static void cilium_port_crd_reading_is_the_published_pattern(void **state) {
    (void)state;
    struct pattern *pattern = pattern_compile(text_of(published), PATTERN_ANYWHERE, NULL);
    uint32_t seed = 65535;
    char bytes[8];
    size_t accepted = 0;
    assert_non_null(pattern);
    for (int round = 0; round < 60000; round++) {
        struct text text = random_text(&seed, "aZ059---_!", bytes, sizeof bytes);
        enum pattern_result expected = pattern_match(pattern, text);
        assert_int_not_equal(expected, PATTERN_LIMIT);
        if (cilium_port_crd_accepts(text) != (expected == PATTERN_YES))
            fail_msg("%.*s is read in two ways", (int)text.length, text.bytes);
        accepted += expected == PATTERN_YES;
    }
    assert_in_range(accepted, 1000, 59000);
    pattern_destroy(pattern);
}

/* The name test of the agent is the CRD's second alternative, anchored at both ends, with a bound on length. */
static void cilium_port_names_are_the_anchored_pattern(void **state) {
    (void)state;
    struct pattern *pattern = pattern_compile(text_of("([a-zA-Z0-9]-?)*[a-zA-Z](-?[a-zA-Z0-9])*"), PATTERN_WHOLE, NULL);
    uint32_t seed = 99;
    char bytes[8];
    assert_non_null(pattern);
    for (int round = 0; round < 60000; round++) {
        struct text text = random_text(&seed, "aZ09-_", bytes, sizeof bytes);
        struct cilium_port_reading port;
        bool name = cilium_port_parse(text, &port) == CILIUM_PORT_NAME;
        if (name != (pattern_match(pattern, text) == PATTERN_YES))
            fail_msg("%.*s is read in two ways", (int)text.length, text.bytes);
    }
    pattern_destroy(pattern);
}

static void every_cilium_port_fault_has_a_text(void **state) {
    (void)state;
    for (int fault = CILIUM_PORT_OK; fault <= CILIUM_PORT_RANGE; fault++)
        assert_non_null(cilium_port_fault_text((enum cilium_port_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(port_number_is_1_to_65535_without_leading_zeros),
        cmocka_unit_test(port_range_is_1_to_65535),
        cmocka_unit_test(core_port_name_tells_every_broken_rule),
        cmocka_unit_test(first_port_name_fault_is_the_lowest_bit),
        cmocka_unit_test(cilium_port_is_a_name_before_it_is_a_number),
        cmocka_unit_test(cilium_port_tells_why_the_agent_refuses_it),
        cmocka_unit_test(cilium_port_crd_reading_is_the_published_pattern),
        cmocka_unit_test(cilium_port_names_are_the_anchored_pattern),
        cmocka_unit_test(every_cilium_port_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

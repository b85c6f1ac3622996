#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grammar/version.h"

static void version_drops_the_v_and_the_suffix(void **state) {
    (void)state;
    static const struct {
        const char *text;
        struct version version;
    } cases[] = {
        {"1.30", {1, 30, 0, false}},       {"1.17.5", {1, 17, 5, true}},
        {"v1.36.0", {1, 36, 0, true}},     {"v1.29.4-gke.1043000", {1, 29, 4, true}},
        {"1.30.2+k3s1", {1, 30, 2, true}}, {"1.20.0-pre.2", {1, 20, 0, true}},
        {"1.30-rc1", {1, 30, 0, false}},   {"1.28+", {1, 28, 0, false}},
        {"0.0.0", {0, 0, 0, true}},        {"999999.0", {999999, 0, 0, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct version version;
        size_t offset = 7;
        if (version_parse(text_of(cases[i].text), &version, &offset) != VERSION_OK)
            fail_msg("%s is not read", cases[i].text);
        assert_int_equal(offset, 0);
        assert_int_equal(version.major, cases[i].version.major);
        assert_int_equal(version.minor, cases[i].version.minor);
        assert_int_equal(version.patch, cases[i].version.patch);
        assert_int_equal(version.has_patch, cases[i].version.has_patch);
    }
}

static void version_tells_the_first_fault_and_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum version_fault fault;
        size_t offset;
    } cases[] = {
        {"", VERSION_EMPTY, 0},          {"v", VERSION_MAJOR, 1},         {"V1.30", VERSION_MAJOR, 0},
        {"vv1.30", VERSION_MAJOR, 1},    {"latest", VERSION_MAJOR, 0},    {" 1.30", VERSION_MAJOR, 0},
        {"01.30", VERSION_MAJOR, 0},     {"1000000.1", VERSION_MAJOR, 0}, {"1", VERSION_NO_MINOR, 1},
        {"v1-rc1", VERSION_NO_MINOR, 2}, {"1.", VERSION_MINOR, 2},        {"1.x", VERSION_MINOR, 2},
        {"1.030", VERSION_MINOR, 2},     {"1.-1", VERSION_MINOR, 2},      {"1.30.", VERSION_PATCH, 5},
        {"1.30.x", VERSION_PATCH, 5},    {"1.30.07", VERSION_PATCH, 5},   {"1.30 ", VERSION_REST, 4},
        {"1.30rc1", VERSION_REST, 4},    {"1.30.1.2", VERSION_REST, 6},   {"1.30.1-a b", VERSION_REST, 6},
        {"1.30.1\n", VERSION_REST, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct version version = {.major = 4711};
        size_t offset = 99999;
        enum version_fault fault = version_parse(text_of(cases[i].text), &version, &offset);
        if (fault != cases[i].fault || offset != cases[i].offset)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, offset);
        assert_int_equal(version.major, 4711);
    }
}

static void version_at_least_compares_numbers(void **state) {
    (void)state;
    const struct version version = {.major = 1, .minor = 19, .patch = 3, .has_patch = true};
    assert_true(version_at_least(&version, 1, 19));
    assert_true(version_at_least(&version, 1, 9));
    assert_false(version_at_least(&version, 1, 20));
    assert_false(version_at_least(&version, 2, 0));
    assert_true(version_at_least(&version, 0, 99));
}

static void every_version_fault_has_a_text(void **state) {
    (void)state;
    for (int fault = VERSION_OK; fault <= VERSION_REST; fault++)
        assert_non_null(version_fault_text((enum version_fault)fault));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_drops_the_v_and_the_suffix),
        cmocka_unit_test(version_tells_the_first_fault_and_its_place),
        cmocka_unit_test(version_at_least_compares_numbers),
        cmocka_unit_test(every_version_fault_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Typing of plain scalars: every row of spec/kubernetes-egress.md 3.3, its corners, and when strings are quoted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/scalar.h"

/* `key`: the string as a map key, NULL: refused. `json`: a number as JSON, "" for none. */
struct row {
    const char *plain;
    enum node_kind kind;
    const char *key, *json;
};

static void assert_rows(const struct row *rows, size_t count) {
    struct arena *arena = arena_create();
    for (size_t i = 0; i < count; i++) {
        struct text plain = text_of(rows[i].plain);
        if (scalar_kind(plain) != rows[i].kind) {
            fail_msg("`%s` is %s", rows[i].plain, node_kind_word(scalar_kind(plain)));
        }
        const char *key = scalar_key(arena, plain);
        if (!key != !rows[i].key || (key && strcmp(key, rows[i].key) != 0)) {
            fail_msg("the key `%s` is `%s`", rows[i].plain, key ? key : "refused");
        }
        char json[SCALAR_SPELLING];
        size_t length = scalar_spell(plain, json);
        assert_int_equal(length, strlen(json));
        if (strcmp(json, rows[i].json) != 0) {
            fail_msg("`%s` as JSON is `%s`", rows[i].plain, json);
        }
    }
    arena_destroy(arena);
}

#define ASSERT_ROWS(rows) assert_rows(rows, sizeof(rows) / sizeof(rows)[0])

static void rows_of_the_spec_are_typed_so(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"0443", NODE_INT, "291", "291"},
        {"0100", NODE_INT, "64", "64"},
        {"+0443", NODE_INT, "291", "291"},
        {"080", NODE_FLOAT, "80", "80"},
        {"09", NODE_FLOAT, "9", "9"},
        {"0x50", NODE_INT, "80", "80"},
        {"0o120", NODE_INT, "80", "80"},
        {"0b1010000", NODE_INT, "80", "80"},
        {"8_080", NODE_INT, "8080", "8080"},
        {"8e1", NODE_FLOAT, "80", "80"},
        {"80.0", NODE_FLOAT, "80", "80"},
        {"80.5", NODE_FLOAT, "80.5", "80.5"},
        {"4294967376", NODE_INT, "4294967376", "4294967376"},
        {"443#c", NODE_STRING, "443#c", ""},
        {"22:22", NODE_STRING, "22:22", ""},
        {"http", NODE_STRING, "http", ""},
        {"1", NODE_INT, "1", "1"},
        {"1.10", NODE_FLOAT, "1.1", "1.1"},
        {"1e3", NODE_FLOAT, "1000", "1000"},
        {"2024-01-01", NODE_STRING, "2024-01-01", ""},
        {"12:30", NODE_STRING, "12:30", ""},
        {"0123", NODE_INT, "83", "83"},
        {"<<", NODE_STRING, "<<", ""},
        {"::/0", NODE_STRING, "::/0", ""},
    };
    ASSERT_ROWS(rows);
}

static void words_are_null_true_or_false_in_their_casings_only(void **state) {
    (void)state;
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const trues[] = {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"};
    static const char *const falses[] = {"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"};
    static const char *const strings[] = {"yEs", "nUll", "oN", "tRUE", "FalsE", "NOn", "yy", "nu", "~~", "none", "nan"};
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++) {
        ASSERT_ROWS(((struct row[]){{nulls[i], NODE_NULL, NULL, ""}}));
    }
    for (size_t i = 0; i < sizeof trues / sizeof trues[0]; i++) {
        ASSERT_ROWS(((struct row[]){{trues[i], NODE_BOOL, "true", ""}, {falses[i], NODE_BOOL, "false", ""}}));
        assert_true(scalar_bool(text_of(trues[i])));
        assert_false(scalar_bool(text_of(falses[i])));
    }
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        ASSERT_ROWS(((struct row[]){{strings[i], NODE_STRING, strings[i], ""}}));
    }
}

static void integers_have_prefixes_signs_and_underscores(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"0", NODE_INT, "0", "0"},         {"-0", NODE_INT, "0", "0"},        {"00", NODE_INT, "0", "0"},
        {"-12", NODE_INT, "-12", "-12"},   {"-010", NODE_INT, "-8", "-8"},    {"0X1f", NODE_INT, "31", "31"},
        {"-0x1F", NODE_INT, "-31", "-31"}, {"0O17", NODE_INT, "15", "15"},    {"+0b11", NODE_INT, "3", "3"},
        {"1_", NODE_INT, "1", "1"},        {"+_1__0", NODE_INT, "10", "10"},  {"0_x1", NODE_INT, "1", "1"},
        {"0b-101", NODE_INT, "-5", "-5"},  {"0b+1", NODE_INT, "1", "1"},      {"0x", NODE_STRING, "0x", ""},
        {"0o", NODE_STRING, "0o", ""},     {"0o8", NODE_STRING, "0o8", ""},   {"0b2", NODE_STRING, "0b2", ""},
        {"0xg", NODE_STRING, "0xg", ""},   {"0x-1", NODE_STRING, "0x-1", ""}, {"-0b-1", NODE_STRING, "-0b-1", ""},
        {"+", NODE_STRING, "+", ""},       {"-", NODE_STRING, "-", ""},       {"+-1", NODE_STRING, "+-1", ""},
        {"_1", NODE_STRING, "_1", ""},     {"1-1", NODE_STRING, "1-1", ""},   {"1,000", NODE_STRING, "1,000", ""},
    };
    ASSERT_ROWS(rows);
}

static void integers_end_at_64_bits(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"9223372036854775807", NODE_INT, "9223372036854775807", "9223372036854775807"},
        {"9223372036854775808", NODE_INT, NULL, "9223372036854775808"},
        {"18446744073709551615", NODE_INT, NULL, "18446744073709551615"},
        {"18446744073709551616", NODE_FLOAT, "1.8446744e+19", "18446744073709552000"},
        {"+18446744073709551615", NODE_FLOAT, "1.8446744e+19", "18446744073709552000"},
        {"-9223372036854775808", NODE_INT, "-9223372036854775808", "-9223372036854775808"},
        {"-9223372036854775809", NODE_FLOAT, "-9.223372e+18", "-9223372036854776000"},
        {"0xFFFFFFFFFFFFFFFF", NODE_INT, NULL, "18446744073709551615"},
        {"0x1FFFFFFFFFFFFFFFF", NODE_STRING, "0x1FFFFFFFFFFFFFFFF", ""},
    };
    ASSERT_ROWS(rows);
}

static void floats_have_points_and_exponents(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"1.", NODE_FLOAT, "1", "1"},
        {".5", NODE_FLOAT, "0.5", "0.5"},
        {"+.5", NODE_FLOAT, "0.5", "0.5"},
        {"-0.0", NODE_FLOAT, "-0", "-0"},
        {"1.e3", NODE_FLOAT, "1000", "1000"},
        {"1E+5", NODE_FLOAT, "100000", "100000"},
        {"1e6", NODE_FLOAT, "1e+06", "1000000"},
        {"0.0001", NODE_FLOAT, "0.0001", "0.0001"},
        {"0.00001", NODE_FLOAT, "1e-05", "0.00001"},
        {"1e-7", NODE_FLOAT, "1e-07", "1e-7"},
        {"1e20", NODE_FLOAT, "1e+20", "100000000000000000000"},
        {"1e21", NODE_FLOAT, "1e+21", "1e+21"},
        {"16777217.0", NODE_FLOAT, "1.6777216e+07", "16777217"}, /* keys are of single precision */
        {"1_0e1_0", NODE_FLOAT, "1e+11", "100000000000"},
        {"0.1_0", NODE_FLOAT, "0.1", "0.1"},
        {".5_0", NODE_FLOAT, "0.5", "0.5"},
        {"1e-400", NODE_FLOAT, "0", "0"},
        {"0e99999999999999999999", NODE_FLOAT, "0", "0"},
        {"3.5e38", NODE_FLOAT, ".inf", "3.5e+38"},
        {"1e400", NODE_STRING, "1e400", ""},
        {"-1e99999999999999999999", NODE_STRING, "-1e99999999999999999999", ""},
        {"._5", NODE_STRING, "._5", ""},
        {".5_", NODE_STRING, ".5_", ""},
        {".", NODE_STRING, ".", ""},
        {"...", NODE_STRING, "...", ""},
        {".e5", NODE_STRING, ".e5", ""},
        {"1e", NODE_STRING, "1e", ""},
        {"1e+", NODE_STRING, "1e+", ""},
        {"1.2.3", NODE_STRING, "1.2.3", ""},
        {"0x1p3", NODE_STRING, "0x1p3", ""},
    };
    ASSERT_ROWS(rows);
}

static void infinities_are_floats_without_json(void **state) {
    (void)state;
    static const struct row rows[] = {
        {".inf", NODE_FLOAT, ".inf", ""},   {".Inf", NODE_FLOAT, ".inf", ""},  {"+.INF", NODE_FLOAT, ".inf", ""},
        {"-.inf", NODE_FLOAT, "-.inf", ""}, {".nan", NODE_FLOAT, ".nan", ""},  {".NaN", NODE_FLOAT, ".nan", ""},
        {".NAN", NODE_FLOAT, ".nan", ""},   {".iNf", NODE_STRING, ".iNf", ""}, {"+.nan", NODE_STRING, "+.nan", ""},
        {"inf", NODE_STRING, "inf", ""},
    };
    ASSERT_ROWS(rows);
    assert_true(isinf(scalar_float(text_of("-.inf"))) && scalar_float(text_of("-.inf")) < 0);
    assert_true(isnan(scalar_float(text_of(".NaN"))));
}

static void whole_numbers_of_either_kind_have_an_integer(void **state) {
    (void)state;
    static const struct {
        const char *plain;
        bool good;
        int64_t value;
    } rows[] = {
        {"80.0", true, 80},
        {"8e1", true, 80},
        {"080", true, 80},
        {"-0.0", true, 0},
        {"80.5", false, 0},
        {"9e18", true, INT64_C(9000000000000000000)},
        {"9007199254740993.0", true, INT64_C(9007199254740992)},
        {"9223372036854775807.0", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"1e300", false, 0},
        {".inf", false, 0},
        {".nan", false, 0},
        {"true", false, 0},
        {"", false, 0},
        {"x", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t value = 0;
        assert_int_equal(scalar_integer(text_of(rows[i].plain), &value), rows[i].good);
        assert_true(!rows[i].good || value == rows[i].value);
    }
}

static void floats_are_exact_however_long(void **state) {
    (void)state;
    char plain[3000];
    assert_true(scalar_float(text_of("0.1")) == 0.1);
    assert_true(scalar_float(text_of("0xff")) == 255);
    assert_true(scalar_float(text_of("-1.7976931348623157e308")) == -1.7976931348623157e308);
    memset(plain, '0', sizeof plain); /* 0.00...01 with an exponent that moves the point back */
    memcpy(plain, "0.", 2);
    snprintf(plain + 2000, sizeof plain - 2000, "125e2001");
    assert_true(scalar_float(text_of(plain)) == 125);
    memset(plain, '0', sizeof plain); /* halfway between two doubles, and one digit far behind that decides */
    memcpy(plain, "9007199254740993.", 17);
    plain[2000] = '\0';
    assert_true(scalar_float(text_of(plain)) == 9007199254740992.0);
    plain[1999] = '1';
    assert_true(scalar_float(text_of(plain)) == 9007199254740994.0);
}

static void surprises_are_what_yaml_1_2_types_otherwise(void **state) {
    (void)state;
    static const char *const surprising[] = {
        "y",     "N",      "on",   "OFF", "yes",  "No",   "0443",  "+0443", "-010",   "080",
        "09",    "8_080",  "0b11", "0B1", "0X1f", "0O17", "-0x1F", ".5_0",  "0b-101", "18446744073709551616",
        "1e400", "1_0e1_0"};
    static const char *const plain[] = {"",     "~",     "null", "true", "False",      "0",     "-0",   "00",
                                        "007",  "80",    "-1",   "0x50", "0o120",      "1.10",  "1e3",  ".5",
                                        ".inf", "-.INF", ".nan", "a",    "2024-01-01", "12:30", "yEs",  "443#c",
                                        "_1",   "*",     "new",  "+",    "1.2.3",      "+.5",   "80.0", "off-by-one"};
    for (size_t i = 0; i < sizeof surprising / sizeof surprising[0]; i++) {
        if (!scalar_is_surprising(text_of(surprising[i]))) {
            fail_msg("%s does not surprise", surprising[i]);
        }
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (scalar_is_surprising(text_of(plain[i]))) {
            fail_msg("%s surprises", plain[i]);
        }
    }
}

static void strings_that_no_reader_mistakes_are_plain(void **state) {
    (void)state;
    static const char *const plain[] = {"k8s:k8s-app",
                                        "10.0.0.0/8",
                                        "fc00::/7",
                                        "64:ff9b::/96",
                                        "NetworkPolicy",
                                        "networking.k8s.io/v1",
                                        "cilium.io/v2",
                                        "kube-dns",
                                        "api.example.com",
                                        ".example.com",
                                        "a",
                                        "/",
                                        "_",
                                        "_1",
                                        "1a",
                                        "0b74",
                                        "0o8",
                                        "1e",
                                        "0x1g",
                                        "1-1",
                                        "443/TCP",
                                        "2024-01-01-backup",
                                        "2024-01",
                                        "22:99",
                                        "nulls",
                                        "nope",
                                        "y1",
                                        "a:b",
                                        "a@b",
                                        "a+b",
                                        "x.",
                                        "sha256:0a",
                                        "1.0-rc1",
                                        "v1.2.3",
                                        "0.0.0.0/0",
                                        "2001:db8::1",
                                        "infinity",
                                        "nan",
                                        "123-45-6789"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (scalar_needs_quotes(text_of(plain[i]))) {
            fail_msg("%s is quoted", plain[i]);
        }
    }
}

static void strings_that_some_reader_mistakes_are_quoted(void **state) {
    (void)state;
    static const char *const quoted[] = {"",
                                         "::/0",
                                         "*",
                                         "53",
                                         "on",
                                         "1:30",
                                         "1e3",
                                         ".inf",
                                         "0x1F",
                                         "1_000",
                                         "=",
                                         "<<",
                                         "null",
                                         "~",
                                         "nUll",
                                         "y",
                                         "N",
                                         "yes",
                                         "OFF",
                                         "True",
                                         "1.5",
                                         ".5",
                                         "1.",
                                         ".",
                                         "...",
                                         "1.2.3",
                                         "10.0.0.1",
                                         "0b11",
                                         "0o17",
                                         "0O17",
                                         "0b-101",
                                         "0o-7",
                                         "190:20:30.15",
                                         "12:30:45",
                                         "0777",
                                         "089",
                                         "1E5",
                                         "1.e+5",
                                         ".NaN",
                                         "+1",
                                         "-1",
                                         "-a",
                                         "a:",
                                         "a b",
                                         "a#b",
                                         "a,b",
                                         "a*",
                                         "'",
                                         "\"",
                                         "\xC3\xA9",
                                         "a\nb",
                                         "@a",
                                         ":a",
                                         "+a",
                                         "[a]",
                                         "{a}",
                                         "!a",
                                         "2024-1-1",
                                         "2024-01-01",
                                         "%a",
                                         "2024-01-01T10:00:00Z",
                                         "1_0e1_0",
                                         "a\tb",
                                         "1e400",
                                         "18446744073709551616"};
    for (size_t i = 0; i < sizeof quoted / sizeof quoted[0]; i++) {
        if (!scalar_needs_quotes(text_of(quoted[i]))) {
            fail_msg("%s is plain", quoted[i]);
        }
    }
    assert_true(scalar_needs_quotes((struct text){.bytes = "a\0b", .length = 3}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_spec_are_typed_so),
        cmocka_unit_test(words_are_null_true_or_false_in_their_casings_only),
        cmocka_unit_test(integers_have_prefixes_signs_and_underscores),
        cmocka_unit_test(integers_end_at_64_bits),
        cmocka_unit_test(floats_have_points_and_exponents),
        cmocka_unit_test(infinities_are_floats_without_json),
        cmocka_unit_test(whole_numbers_of_either_kind_have_an_integer),
        cmocka_unit_test(floats_are_exact_however_long),
        cmocka_unit_test(surprises_are_what_yaml_1_2_types_otherwise),
        cmocka_unit_test(strings_that_no_reader_mistakes_are_plain),
        cmocka_unit_test(strings_that_some_reader_mistakes_are_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

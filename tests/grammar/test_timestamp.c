#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grammar/timestamp.h"

static void timestamp_gives_seconds_since_the_epoch(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01t00:00:01z", 1},
        {"1969-12-31T23:59:59Z", -1},
        {"2000-02-29T00:00:00Z", 951782400},
        {"2026-09-01T10:00:00Z", 1788256800},
        {"2026-09-01T12:00:00+02:00", 1788256800},
        {"2026-09-01T04:30:00-05:30", 1788256800},
        {"2026-09-01T10:00:00.999Z", 1788256800},
        {"2016-12-31T23:59:60Z", 1483228800},
        {"0000-01-01T00:00:00Z", -62167219200},
        {"9999-12-31T23:59:59Z", 253402300799},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t seconds = 42;
        if (timestamp_parse(text_of(cases[i].text), &seconds, NULL) != TIMESTAMP_OK)
            fail_msg("%s is not read", cases[i].text);
        if (seconds != cases[i].seconds)
            fail_msg("%s gives %lld", cases[i].text, (long long)seconds);
    }
}

static void timestamp_tells_the_first_fault_and_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum timestamp_fault fault;
        size_t offset;
    } cases[] = {
        {"", TIMESTAMP_DATE, 0},
        {"yesterday", TIMESTAMP_DATE, 0},
        {"2026-13-01T00:00:00Z", TIMESTAMP_DATE, 10},
        {"2026-02-29T00:00:00Z", TIMESTAMP_DATE, 10},
        {"1900-02-29T00:00:00Z", TIMESTAMP_DATE, 10},
        {"2026-04-31T00:00:00Z", TIMESTAMP_DATE, 10},
        {"2026-09-00T00:00:00Z", TIMESTAMP_DATE, 10},
        {"2026-9-1T00:00:00Z", TIMESTAMP_DATE, 5},
        {"2026-09-01", TIMESTAMP_TIME, 10},
        {"2026-09-01 10:00:00Z", TIMESTAMP_TIME, 10},
        {"2026-09-01T24:00:00Z", TIMESTAMP_TIME, 19},
        {"2026-09-01T10:60:00Z", TIMESTAMP_TIME, 19},
        {"2026-09-01T10:00Z", TIMESTAMP_TIME, 16},
        {"2026-09-01T10:00:00", TIMESTAMP_ZONE, 19},
        {"2026-09-01T10:00:00.Z", TIMESTAMP_ZONE, 19},
        {"2026-09-01T10:00:00+2", TIMESTAMP_ZONE, 20},
        {"2026-09-01T10:00:00+24:00", TIMESTAMP_ZONE, 25},
        {"2026-09-01T10:00:00Z ", TIMESTAMP_TRAILING, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t seconds = 42;
        size_t offset = 99;
        enum timestamp_fault fault = timestamp_parse(text_of(cases[i].text), &seconds, &offset);
        if (fault != cases[i].fault || offset != cases[i].offset || seconds != 42)
            fail_msg("%s: fault %d at %zu", cases[i].text, (int)fault, offset);
        assert_non_null(timestamp_fault_text(fault));
    }
}

static void every_day_follows_the_day_before(void **state) {
    (void)state;
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t before = 0;
    for (unsigned year = 1896; year <= 2104; year++)
        for (unsigned month = 1; month <= 12; month++) {
            bool leap = month == 2 && ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
            for (unsigned day = 1; day <= days[month - 1] + (leap ? 1u : 0u); day++) {
                char text[21] = "0000-00-00T00:00:00Z";
                int64_t seconds = 0;
                for (unsigned i = 0, rest = year; i < 4; i++, rest /= 10)
                    text[3 - i] = (char)('0' + rest % 10);
                text[5] = (char)('0' + month / 10);
                text[6] = (char)('0' + month % 10);
                text[8] = (char)('0' + day / 10);
                text[9] = (char)('0' + day % 10);
                assert_int_equal(timestamp_parse(text_of(text), &seconds, NULL), TIMESTAMP_OK);
                if (year != 1896 || month != 1 || day != 1)
                    assert_int_equal(seconds - before, 86400);
                before = seconds;
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timestamp_gives_seconds_since_the_epoch),
        cmocka_unit_test(timestamp_tells_the_first_fault_and_its_place),
        cmocka_unit_test(every_day_follows_the_day_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "grammar/timestamp.h"

#include "base/ascii.h"

/* A number of exactly `digits` digits at *at, which moves behind it. */
static bool scan_digits(struct text text, size_t *at, unsigned digits, unsigned *number) {
    *number = 0;
    if (text.length - *at < digits)
        return false;
    for (unsigned i = 0; i < digits; i++) {
        if (!ascii_is_digit(text.bytes[*at + i]))
            return false;
        *number = *number * 10 + ascii_digit_value(text.bytes[*at + i]);
    }
    *at += digits;
    return true;
}

static bool scan_byte(struct text text, size_t *at, char byte) {
    if (*at == text.length || ascii_lower(text.bytes[*at]) != byte)
        return false;
    ++*at;
    return true;
}

static unsigned days_of_month(unsigned year, unsigned month) {
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

/* Days since 1970-01-01 in the Gregorian calendar; March is the first month, so that a leap day ends its year. */
static int64_t days_since_epoch(unsigned year, unsigned month, unsigned day) {
    int64_t y = (int64_t)year - (month <= 2 ? 1 : 0);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static bool scan_date(struct text text, size_t *at, int64_t *days) {
    unsigned year, month, day;
    if (!scan_digits(text, at, 4, &year) || !scan_byte(text, at, '-') || !scan_digits(text, at, 2, &month) ||
        !scan_byte(text, at, '-') || !scan_digits(text, at, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
        return false;
    *days = days_since_epoch(year, month, day);
    return true;
}

static bool scan_time(struct text text, size_t *at, int64_t *seconds) {
    unsigned hour, minute, second;
    if (!scan_byte(text, at, 't') || !scan_digits(text, at, 2, &hour) || !scan_byte(text, at, ':') ||
        !scan_digits(text, at, 2, &minute) || !scan_byte(text, at, ':') || !scan_digits(text, at, 2, &second))
        return false;
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    *seconds = (int64_t)hour * 3600 + minute * 60 + second;
    size_t digits = *at + 1;
    while (digits < text.length && ascii_is_digit(text.bytes[digits]))
        digits++;
    if (*at < text.length && text.bytes[*at] == '.' && digits > *at + 1)
        *at = digits;
    return true;
}

static bool scan_zone(struct text text, size_t *at, int64_t *seconds) {
    unsigned hour, minute;
    *seconds = 0;
    if (scan_byte(text, at, 'z'))
        return true;
    bool east = scan_byte(text, at, '+');
    if ((!east && !scan_byte(text, at, '-')) || !scan_digits(text, at, 2, &hour) || !scan_byte(text, at, ':') ||
        !scan_digits(text, at, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *seconds = ((int64_t)hour * 3600 + minute * 60) * (east ? 1 : -1);
    return true;
}

static enum timestamp_fault scan(struct text text, size_t *at, int64_t *seconds) {
    int64_t days, time, zone;
    if (!scan_date(text, at, &days))
        return TIMESTAMP_DATE;
    if (!scan_time(text, at, &time))
        return TIMESTAMP_TIME;
    if (!scan_zone(text, at, &zone))
        return TIMESTAMP_ZONE;
    *seconds = days * 86400 + time - zone;
    return *at == text.length ? TIMESTAMP_OK : TIMESTAMP_TRAILING;
}

enum timestamp_fault timestamp_parse(struct text text, int64_t *seconds, size_t *offset) {
    size_t at = 0;
    int64_t value = 0;
    enum timestamp_fault fault = scan(text, &at, &value);
    if (fault != TIMESTAMP_OK)
        offset_set(offset, at);
    else if (seconds)
        *seconds = value;
    return fault;
}

const char *timestamp_fault_text(enum timestamp_fault fault) {
    static const char *const texts[] = {
        [TIMESTAMP_OK] = "is a time",
        [TIMESTAMP_DATE] = "does not start with a date (YYYY-MM-DD)",
        [TIMESTAMP_TIME] = "has no time (THH:MM:SS) after the date",
        [TIMESTAMP_ZONE] = "has no zone (Z, or +HH:MM) after the time",
        [TIMESTAMP_TRAILING] = "has something after the zone",
    };
    return texts[fault];
}

#include "document/scalar_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits beyond these cannot change a double other than by not being all zeros. */
#define SIGNIFICANT 800
/* Far beyond any double, far from overflow. */
#define EXPONENT_LARGEST INT64_C(1000000000)

/* A walk over a scalar that passes over underscores. */
struct cursor {
    const char *at, *end;
};

static struct cursor cursor_of(struct text plain) {
    return (struct cursor){.at = plain.bytes, .end = plain.bytes + plain.length};
}

/* The next byte, or -1 at the end. */
static int peek(struct cursor *cursor) {
    while (cursor->at < cursor->end && *cursor->at == '_') {
        cursor->at++;
    }
    return cursor->at < cursor->end ? (unsigned char)*cursor->at : -1;
}

static bool accept(struct cursor *cursor, char byte) {
    bool found = peek(cursor) == byte;
    cursor->at += found;
    return found;
}

/* Takes an optional sign; true: it was a minus. `signed_too`: whether there was any, or NULL. */
static bool accept_sign(struct cursor *cursor, bool *signed_too) {
    bool minus = accept(cursor, '-');
    bool plus = !minus && accept(cursor, '+');
    if (signed_too) {
        *signed_too = minus || plus;
    }
    return minus;
}

static bool is_digit(int byte) { return byte >= '0' && byte <= '9'; }

static unsigned digit_value(int byte) {
    int lower = byte | 0x20;
    if (is_digit(byte)) {
        return (unsigned)(byte - '0');
    }
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : UINT32_MAX;
}

/* Takes the prefix that tells the base. A prefix with nothing behind it is none. */
static unsigned accept_base(struct cursor *cursor) {
    if (!accept(cursor, '0')) {
        return 10;
    }
    struct cursor after = *cursor;
    int letter = peek(&after);
    unsigned base = letter == 'x' || letter == 'X'   ? 16
                    : letter == 'o' || letter == 'O' ? 8
                    : letter == 'b' || letter == 'B' ? 2
                                                     : 0;
    if (base == 0) {
        return 8;
    }
    after.at++;
    if (peek(&after) >= 0) {
        *cursor = after;
    }
    return base;
}

/* The rest of the scalar as digits of the base; false: it is something else, or larger than 64 bits. */
static bool read_digits(struct cursor *cursor, unsigned base, uint64_t *magnitude) {
    *magnitude = 0;
    for (int byte = peek(cursor); byte >= 0; byte = peek(cursor)) {
        unsigned digit = digit_value(byte);
        if (digit >= base || *magnitude > (UINT64_MAX - digit) / base) {
            return false;
        }
        *magnitude = *magnitude * base + digit;
        cursor->at++;
    }
    return true;
}

/* An explicit sign leaves the 63 bits of int64 only. */
static bool fits_sign(bool negative, bool has_sign, uint64_t magnitude) {
    uint64_t bound = negative ? (uint64_t)INT64_MAX + 1 : has_sign ? (uint64_t)INT64_MAX : UINT64_MAX;
    return magnitude <= bound;
}

/* The toolchain's second look at binary numbers lets a sign follow the prefix: 0b-101 is -5. */
static bool read_signed_binary(struct text plain, struct scalar_integer *integer) {
    struct cursor cursor = cursor_of(plain);
    if (!accept(&cursor, '0') || !accept(&cursor, 'b')) {
        return false;
    }
    bool has_sign;
    integer->negative = accept_sign(&cursor, &has_sign);
    return has_sign && peek(&cursor) >= 0 && read_digits(&cursor, 2, &integer->magnitude) &&
           fits_sign(integer->negative, true, integer->magnitude);
}

bool scalar_number_integer(struct text plain, struct scalar_integer *integer) {
    struct cursor cursor = cursor_of(plain);
    bool has_sign;
    integer->negative = accept_sign(&cursor, &has_sign);
    if (peek(&cursor) < 0) {
        return false;
    }
    unsigned base = accept_base(&cursor);
    if (read_digits(&cursor, base, &integer->magnitude)) {
        return fits_sign(integer->negative, has_sign, integer->magnitude);
    }
    return read_signed_binary(plain, integer);
}

/* The number 0.DIGITS times ten to the power of `exponent`. */
struct decimal {
    char digits[SIGNIFICANT + 1];
    size_t count;
    int64_t exponent;
};

/* Takes a run of digits, before or after the point; returns how many there were. Leading zeros are not kept. */
static size_t read_mantissa(struct cursor *cursor, struct decimal *decimal, bool after_point) {
    size_t count = 0;
    for (int byte = peek(cursor); is_digit(byte); byte = peek(cursor), count++) {
        cursor->at++;
        bool leading_zero = decimal->count == 0 && byte == '0';
        decimal->exponent += !leading_zero && !after_point;
        decimal->exponent -= leading_zero && after_point;
        if (leading_zero) {
            continue;
        }
        if (decimal->count < SIGNIFICANT) {
            decimal->digits[decimal->count++] = (char)byte;
        } else if (byte != '0') {
            decimal->digits[SIGNIFICANT - 1] = '1';
        }
    }
    return count;
}

static bool read_exponent(struct cursor *cursor, struct decimal *decimal) {
    bool minus = accept_sign(cursor, NULL);
    int64_t exponent = 0;
    if (!is_digit(peek(cursor))) {
        return false;
    }
    for (int byte = peek(cursor); is_digit(byte); byte = peek(cursor)) {
        cursor->at++;
        exponent = exponent * 10 + (byte - '0');
        exponent = exponent < EXPONENT_LARGEST ? exponent : EXPONENT_LARGEST;
    }
    decimal->exponent += minus ? -exponent : exponent;
    return true;
}

static double decimal_value(const struct decimal *decimal, bool negative) {
    char spelling[SIGNIFICANT + 32];
    if (decimal->count == 0) {
        return negative ? -0.0 : 0.0;
    }
    snprintf(spelling, sizeof spelling, "%s0.%.*se%lld", negative ? "-" : "", (int)decimal->count, decimal->digits,
             (long long)decimal->exponent);
    return strtod(spelling, NULL);
}

/* Scalars that start with a point are not cleaned of underscores: these must stand between digits. */
static bool underscores_stand_well(struct text plain) {
    for (size_t i = 0; i < plain.length; i++) {
        if (plain.bytes[i] == '_' && (i == 0 || i + 1 == plain.length || !is_digit((unsigned char)plain.bytes[i - 1]) ||
                                      !is_digit((unsigned char)plain.bytes[i + 1]))) {
            return false;
        }
    }
    return true;
}

bool scalar_number_float(struct text plain, double *value) {
    struct cursor cursor = cursor_of(plain);
    struct decimal decimal;
    decimal.count = 0;
    decimal.exponent = 0;
    bool negative = accept_sign(&cursor, NULL);
    size_t whole = read_mantissa(&cursor, &decimal, false);
    size_t fraction = accept(&cursor, '.') ? read_mantissa(&cursor, &decimal, true) : 0;
    if (whole + fraction == 0) {
        return false;
    }
    if ((accept(&cursor, 'e') || accept(&cursor, 'E')) && !read_exponent(&cursor, &decimal)) {
        return false;
    }
    if (peek(&cursor) >= 0 || (plain.bytes[0] == '.' && !underscores_stand_well(plain))) {
        return false;
    }
    *value = decimal_value(&decimal, negative);
    return true;
}

struct scalar_digits scalar_number_digits(double value, bool single) {
    struct scalar_digits result = {.negative = signbit(value) != 0};
    char spelling[SCALAR_NUMBER_SPELLING];
    double wanted = single ? (double)(float)fabs(value) : fabs(value);
    for (int precision = 0; precision < 17; precision++) {
        snprintf(spelling, sizeof spelling, "%.*e", precision, wanted);
        if (single ? (double)strtof(spelling, NULL) == wanted : strtod(spelling, NULL) == wanted) {
            break;
        }
    }
    for (const char *at = spelling; *at != 'e'; at++) {
        if (*at != '.') {
            result.digits[result.count++] = *at;
        }
    }
    result.exponent = (int)strtol(strchr(spelling, 'e') + 1, NULL, 10);
    return result;
}

size_t scalar_number_fixed(const struct scalar_digits *digits, char *spelling) {
    char *at = spelling;
    if (digits->negative) {
        *at++ = '-';
    }
    for (int place = digits->exponent < 0 ? 0 : digits->exponent;
         place >= 0 || digits->exponent - place < digits->count; place--) {
        int index = digits->exponent - place;
        if (place == -1) {
            *at++ = '.';
        }
        *at++ = index >= 0 && index < digits->count ? digits->digits[index] : '0';
    }
    *at = '\0';
    return (size_t)(at - spelling);
}

size_t scalar_number_scientific(const struct scalar_digits *digits, int width, char *spelling) {
    int length = snprintf(spelling, SCALAR_NUMBER_SPELLING, "%s%c%s%se%c%0*d", digits->negative ? "-" : "",
                          digits->digits[0], digits->count > 1 ? "." : "", digits->digits + 1,
                          digits->exponent < 0 ? '-' : '+', width, abs(digits->exponent));
    return (size_t)length;
}

/*
 * Numbers in plain scalars: the integer and float rules of spec/kubernetes-egress.md 3.3. For scalar.c alone.
 */
#ifndef DOCUMENT_SCALAR_NUMBER_H
#define DOCUMENT_SCALAR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { SCALAR_NUMBER_SPELLING = 40 }; /* bytes of any spelling, with the NUL */

struct scalar_integer {
    bool negative;
    uint64_t magnitude; /* at most 2^63 where negative */
};

/* Optional sign, prefix 0x, 0o, 0b or a leading 0 (octal), digits; underscores do not count. False: it is no integer,
 * or needs more than 64 bits. */
bool scalar_number_integer(struct text plain, struct scalar_integer *integer);

/* Optional sign, decimal digits with an optional point and exponent; underscores do not count. False: it is no float.
 * An infinite value: it is too large for a double, which makes it a string to the toolchain. */
bool scalar_number_float(struct text plain, double *value);

/* The fewest decimal digits that read back to the same number. */
struct scalar_digits {
    bool negative;
    char digits[18]; /* NUL-terminated, no trailing zeros, "0" for zero */
    int count;
    int exponent; /* of the first digit: 80 has 1 */
};
/* Of a finite number; `single`: that read back to the same number in single precision. */
struct scalar_digits scalar_number_digits(double value, bool single);

/* Spellings like 0.0015 and like 1.5e-03 (`width`: least digits of the exponent), into
 * SCALAR_NUMBER_SPELLING bytes; return the length. */
size_t scalar_number_fixed(const struct scalar_digits *digits, char *spelling);
size_t scalar_number_scientific(const struct scalar_digits *digits, int width, char *spelling);

#endif

#include "document/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "document/scalar_number.h"

/* Whole numbers up to this size have one double each. */
#define EXACT_LARGEST 9007199254740992.0

/* What the first byte tells; all other bytes begin strings only. */
enum hint { HINT_STRING, HINT_WORD, HINT_NUMBER, HINT_POINT };

static const uint8_t hints[256] = {
    ['y'] = HINT_WORD,   ['Y'] = HINT_WORD,   ['n'] = HINT_WORD,   ['N'] = HINT_WORD,   ['t'] = HINT_WORD,
    ['T'] = HINT_WORD,   ['f'] = HINT_WORD,   ['F'] = HINT_WORD,   ['o'] = HINT_WORD,   ['O'] = HINT_WORD,
    ['~'] = HINT_WORD,   ['+'] = HINT_NUMBER, ['-'] = HINT_NUMBER, ['0'] = HINT_NUMBER, ['1'] = HINT_NUMBER,
    ['2'] = HINT_NUMBER, ['3'] = HINT_NUMBER, ['4'] = HINT_NUMBER, ['5'] = HINT_NUMBER, ['6'] = HINT_NUMBER,
    ['7'] = HINT_NUMBER, ['8'] = HINT_NUMBER, ['9'] = HINT_NUMBER, ['.'] = HINT_POINT,
};

struct word {
    char spelling[8];
    uint8_t kind;  /* enum node_kind */
    uint8_t value; /* of a boolean */
    bool core;     /* YAML 1.2 core knows it too */
};

static const struct word words[] = {
    {"~", NODE_NULL, 0, true},      {"null", NODE_NULL, 0, true},   {"Null", NODE_NULL, 0, true},
    {"NULL", NODE_NULL, 0, true},   {"true", NODE_BOOL, 1, true},   {"True", NODE_BOOL, 1, true},
    {"TRUE", NODE_BOOL, 1, true},   {"false", NODE_BOOL, 0, true},  {"False", NODE_BOOL, 0, true},
    {"FALSE", NODE_BOOL, 0, true},  {"y", NODE_BOOL, 1, false},     {"Y", NODE_BOOL, 1, false},
    {"yes", NODE_BOOL, 1, false},   {"Yes", NODE_BOOL, 1, false},   {"YES", NODE_BOOL, 1, false},
    {"on", NODE_BOOL, 1, false},    {"On", NODE_BOOL, 1, false},    {"ON", NODE_BOOL, 1, false},
    {"n", NODE_BOOL, 0, false},     {"N", NODE_BOOL, 0, false},     {"no", NODE_BOOL, 0, false},
    {"No", NODE_BOOL, 0, false},    {"NO", NODE_BOOL, 0, false},    {"off", NODE_BOOL, 0, false},
    {"Off", NODE_BOOL, 0, false},   {"OFF", NODE_BOOL, 0, false},   {".inf", NODE_FLOAT, 0, true},
    {".Inf", NODE_FLOAT, 0, true},  {".INF", NODE_FLOAT, 0, true},  {"+.inf", NODE_FLOAT, 0, true},
    {"+.Inf", NODE_FLOAT, 0, true}, {"+.INF", NODE_FLOAT, 0, true}, {"-.inf", NODE_FLOAT, 0, true},
    {"-.Inf", NODE_FLOAT, 0, true}, {"-.INF", NODE_FLOAT, 0, true}, {".nan", NODE_FLOAT, 0, true},
    {".NaN", NODE_FLOAT, 0, true},  {".NAN", NODE_FLOAT, 0, true},
};

static const struct word *find_word(struct text plain) {
    bool is_digit = plain.bytes[0] >= '0' && plain.bytes[0] <= '9';
    if (plain.length > 5 || is_digit) { /* most scalars need no search */
        return NULL;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i].spelling[0] == plain.bytes[0] && text_is(plain, words[i].spelling)) {
            return &words[i];
        }
    }
    return NULL;
}

static enum hint hint_of(struct text plain) { return (enum hint)hints[(unsigned char)plain.bytes[0]]; }

enum node_kind scalar_kind(struct text plain) {
    if (plain.length == 0) {
        return NODE_NULL;
    }
    enum hint hint = hint_of(plain);
    if (hint == HINT_STRING) {
        return NODE_STRING;
    }
    const struct word *word = find_word(plain);
    if (word) {
        return (enum node_kind)word->kind;
    }
    /* Dates need no rule of their own: with or without their underscores they are no numbers. */
    struct scalar_integer integer;
    if (hint == HINT_NUMBER && scalar_number_integer(plain, &integer)) {
        return NODE_INT;
    }
    double value;
    bool is_float = hint != HINT_WORD && scalar_number_float(plain, &value) && !isinf(value);
    return is_float ? NODE_FLOAT : NODE_STRING;
}

bool scalar_bool(struct text plain) {
    const struct word *word = plain.length > 0 ? find_word(plain) : NULL;
    return word && word->value;
}

double scalar_float(struct text plain) {
    if (plain.length == 0) {
        return 0;
    }
    const struct word *word = find_word(plain);
    if (word && word->kind == NODE_FLOAT) {
        char last = plain.bytes[plain.length - 1];
        return last == 'n' || last == 'N' ? (double)NAN : plain.bytes[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    }
    struct scalar_integer integer;
    if (hint_of(plain) == HINT_NUMBER && scalar_number_integer(plain, &integer)) {
        double magnitude = (double)integer.magnitude;
        return integer.negative ? -magnitude : magnitude;
    }
    double value;
    return scalar_number_float(plain, &value) ? value : 0;
}

static bool to_int64(bool negative, uint64_t magnitude, int64_t *value) {
    if (magnitude > (uint64_t)INT64_MAX + negative) {
        return false;
    }
    *value = negative ? (int64_t)(UINT64_C(0) - magnitude) : (int64_t)magnitude;
    return true;
}

/* Large floats count as the decimal digits that JSON shows for them. */
static bool float_integer(double number, int64_t *value) {
    if (!(fabs(number) <= EXACT_LARGEST)) {
        char spelling[SCALAR_NUMBER_SPELLING];
        if (!(fabs(number) < 1e19)) {
            return false;
        }
        struct scalar_digits digits = scalar_number_digits(fabs(number), false);
        uint64_t magnitude;
        struct text shown = {.bytes = spelling, .length = scalar_number_fixed(&digits, spelling)};
        return text_number(shown, UINT64_MAX, &magnitude) && to_int64(number < 0, magnitude, value);
    }
    *value = (int64_t)number;
    return (double)*value == number;
}

bool scalar_integer(struct text plain, int64_t *value) {
    enum node_kind kind = scalar_kind(plain);
    if (kind == NODE_FLOAT) {
        return float_integer(scalar_float(plain), value);
    }
    struct scalar_integer integer;
    return kind == NODE_INT && scalar_number_integer(plain, &integer) &&
           to_int64(integer.negative, integer.magnitude, value);
}

/* As the toolchain spells a float that is a key: single precision, an exponent from 1e+06 on. */
static const char *float_key(struct arena *arena, double value) {
    char spelling[SCALAR_NUMBER_SPELLING];
    if (isnan(value)) {
        return ".nan";
    }
    if (isinf((float)value)) {
        return value > 0 ? ".inf" : "-.inf";
    }
    struct scalar_digits digits = scalar_number_digits(value, true);
    size_t length = digits.exponent < -4 || digits.exponent >= 6 ? scalar_number_scientific(&digits, 2, spelling)
                                                                 : scalar_number_fixed(&digits, spelling);
    return arena_copy(arena, spelling, length);
}

const char *scalar_key(struct arena *arena, struct text plain) {
    int64_t value;
    switch (scalar_kind(plain)) {
    case NODE_NULL:
        return NULL;
    case NODE_BOOL:
        return scalar_bool(plain) ? "true" : "false";
    case NODE_INT:
        return scalar_integer(plain, &value) ? arena_format(arena, "%lld", (long long)value) : NULL;
    case NODE_FLOAT:
        return float_key(arena, scalar_float(plain));
    case NODE_STRING:
    case NODE_LIST:
    case NODE_MAP:
        break;
    }
    return arena_copy(arena, plain.bytes, plain.length);
}

size_t scalar_spell(struct text plain, char spelling[SCALAR_SPELLING]) {
    _Static_assert((int)SCALAR_SPELLING >= (int)SCALAR_NUMBER_SPELLING, "room for every spelling");
    struct scalar_integer integer;
    enum node_kind kind = scalar_kind(plain);
    if (kind == NODE_INT && scalar_number_integer(plain, &integer)) {
        const char *sign = integer.negative && integer.magnitude > 0 ? "-" : "";
        return (size_t)snprintf(spelling, SCALAR_SPELLING, "%s%llu", sign, (unsigned long long)integer.magnitude);
    }
    double value = kind == NODE_FLOAT ? scalar_float(plain) : (double)NAN;
    if (!isfinite(value)) {
        spelling[0] = '\0';
        return 0;
    }
    struct scalar_digits digits = scalar_number_digits(value, false);
    return value != 0 && (fabs(value) < 1e-6 || fabs(value) >= 1e21) ? scalar_number_scientific(&digits, 1, spelling)
                                                                     : scalar_number_fixed(&digits, spelling);
}

/* Whether all of the text from `at` are digits of the base; at least one. */
static bool all_digits(struct text plain, size_t at, unsigned base) {
    bool all = at < plain.length;
    for (; all && at < plain.length; at++) {
        char byte = plain.bytes[at], lower = (char)(byte | 0x20);
        unsigned value = byte >= '0' && byte <= '9'     ? (unsigned)(byte - '0')
                         : lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10
                                                        : base;
        all = value < base;
    }
    return all;
}

/* What the core schema of YAML 1.2 takes a scalar for that begins like a number. */
static enum node_kind core_number_kind(struct text plain) {
    bool has_sign = plain.bytes[0] == '+' || plain.bytes[0] == '-';
    if (all_digits(plain, has_sign, 10) || (text_starts_with(plain, "0o") && all_digits(plain, 2, 8)) ||
        (text_starts_with(plain, "0x") && all_digits(plain, 2, 16))) {
        return NODE_INT;
    }
    double value;
    bool underscore = memchr(plain.bytes, '_', plain.length) != NULL;
    return !underscore && scalar_number_float(plain, &value) ? NODE_FLOAT : NODE_STRING;
}

/* Whether an integer of decimal digits is read in another base. */
static bool is_octal_surprise(struct text plain, struct scalar_integer integer) {
    size_t sign = plain.bytes[0] == '+' || plain.bytes[0] == '-';
    uint64_t decimal;
    struct text digits = {.bytes = plain.bytes + sign, .length = plain.length - sign};
    return all_digits(plain, sign, 10) && !(text_number(digits, UINT64_MAX, &decimal) && decimal == integer.magnitude);
}

bool scalar_is_surprising(struct text plain) {
    enum hint hint = plain.length > 0 ? hint_of(plain) : HINT_STRING;
    if (hint == HINT_STRING) {
        return false;
    }
    const struct word *word = find_word(plain);
    if (word || hint == HINT_WORD) {
        return word && !word->core;
    }
    enum node_kind kind = scalar_kind(plain);
    struct scalar_integer integer;
    return kind != core_number_kind(plain) ||
           (kind == NODE_INT && scalar_number_integer(plain, &integer) && is_octal_surprise(plain, integer));
}

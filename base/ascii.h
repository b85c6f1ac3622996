/*
 * Classes of ASCII bytes, without locale: every textual grammar here is ASCII, and a byte of 0x80 or more is in no class.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool ascii_is_digit(char byte) { return byte >= '0' && byte <= '9'; }
static inline bool ascii_is_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
static inline bool ascii_is_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }
static inline bool ascii_is_letter(char byte) { return ascii_is_lower(byte) || ascii_is_upper(byte); }
static inline bool ascii_is_alphanumeric(char byte) { return ascii_is_digit(byte) || ascii_is_letter(byte); }
static inline char ascii_lower(char byte) { return ascii_is_upper(byte) ? (char)(byte - 'A' + 'a') : byte; }

/* The value of a digit in bases up to 36; 36 or more: it is no digit of any. */
static inline unsigned ascii_digit_value(char byte) {
    if (ascii_is_digit(byte))
        return (unsigned)(byte - '0');
    if (ascii_is_letter(byte))
        return (unsigned)(ascii_lower(byte) - 'a') + 10;
    return 36;
}

/* Checkers report where a fault is through a pointer that may be NULL. */
static inline void offset_set(size_t *offset, size_t value) {
    if (offset != NULL)
        *offset = value;
}

#endif

/*
 * Scanning JSON text where it matters for speed: strings, eight bytes at a time; and the grammar of numbers (RFC 8259).
 */
#ifndef ONLINE_JSON_TEXT_H
#define ONLINE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Where the first quote, backslash or control character of eight bytes is, 8: nowhere. A bit above the first hit may be
 * set without one (a borrow went there), below it none is, and the first in memory is the lowest. */
static inline size_t json_text_end(const char *bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    uint64_t quotes = eight ^ ones * '"', slashes = eight ^ ones * '\\';
    uint64_t hits =
        (((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes) | ((eight - ones * 0x20) & ~eight)) & tops;
    return hits ? (size_t)__builtin_ctzll(hits) / 8 : 8;
#else
    size_t i = 0;
    while (i < 8 && bytes[i] != '"' && bytes[i] != '\\' && (unsigned char)bytes[i] >= 0x20)
        i++;
    return i;
#endif
}

#ifdef __SSE2__
/* The same of sixteen bytes; 16: nowhere. */
static inline size_t json_text_end_of_sixteen(const char *bytes) {
    __m128i part = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    __m128i hits =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(part, _mm_set1_epi8('"')), _mm_cmpeq_epi8(part, _mm_set1_epi8('\\'))),
                     _mm_cmpeq_epi8(_mm_min_epu8(part, _mm_set1_epi8(0x1f)), part));
    return (size_t)__builtin_ctz((unsigned)_mm_movemask_epi8(hits) | 1u << 16);
}
#endif

/* Everything up to the next quote, backslash or control character; returns how much. */
static inline size_t json_text_plain(const char *bytes, size_t length) {
    size_t i = 0;
#ifdef __SSE2__
    while (length - i >= 16) {
        size_t found = json_text_end_of_sixteen(bytes + i);
        i += found;
        if (found < 16)
            return i;
    }
#endif
    while (length - i >= 8) {
        size_t found = json_text_end(bytes + i);
        i += found;
        if (found < 8)
            return i;
    }
    while (i < length && bytes[i] != '"' && bytes[i] != '\\' && (unsigned char)bytes[i] >= 0x20)
        i++;
    return i;
}

/* Whether all of the text, which is not empty, is a number. */
bool json_text_is_number(const char *bytes, size_t length);

#endif

#include "online/json_skip.h"

#include <stdint.h>

#include "online/json_text.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 64 };

/* A bit for each byte of a block, the lowest for the first. */
struct masks {
    uint64_t quotes, slashes, opening, closing, controls;
};

#ifdef __SSE2__
static inline uint64_t bits(__m128i hits) { return (uint64_t)(unsigned)_mm_movemask_epi8(hits); }

static inline struct masks look(const char *bytes) {
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), low = _mm_set1_epi8(0x1f),
                  fold = _mm_set1_epi8(0x20), opening = _mm_set1_epi8('{'), closing = _mm_set1_epi8('}');
    struct masks masks = {0};
    for (unsigned at = 0; at < BLOCK; at += 16) {
        __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(bytes + at));
        __m128i folded = _mm_or_si128(part, fold); /* [ is as {, ] is as } */
        masks.quotes |= bits(_mm_cmpeq_epi8(part, quote)) << at;
        masks.slashes |= bits(_mm_cmpeq_epi8(part, slash)) << at;
        masks.opening |= bits(_mm_cmpeq_epi8(folded, opening)) << at;
        masks.closing |= bits(_mm_cmpeq_epi8(folded, closing)) << at;
        masks.controls |= bits(_mm_cmpeq_epi8(_mm_min_epu8(part, low), part)) << at;
    }
    return masks;
}
#else
static inline struct masks look(const char *bytes) {
    struct masks masks = {0};
    for (unsigned at = 0; at < BLOCK; at++) {
        unsigned char byte = (unsigned char)bytes[at];
        masks.quotes |= (uint64_t)(byte == '"') << at;
        masks.slashes |= (uint64_t)(byte == '\\') << at;
        masks.opening |= (uint64_t)((byte | 0x20) == '{') << at;
        masks.closing |= (uint64_t)((byte | 0x20) == '}') << at;
        masks.controls |= (uint64_t)(byte < 0x20) << at;
    }
    return masks;
}
#endif

/* The bytes after an odd number of backslashes. Runs of them that begin at an even place and at an odd one are told apart
 * by a sum that carries through each run. */
static uint64_t find_escaped(uint64_t slashes, bool *escaped) {
    const uint64_t even = 0x5555555555555555u;
    slashes &= ~(uint64_t)*escaped;
    uint64_t follows = slashes << 1 | (uint64_t)*escaped;
    uint64_t odd_starts = slashes & ~even & ~follows;
    uint64_t sum = odd_starts + slashes;
    *escaped = sum < odd_starts;
    return (even ^ sum << 1) & follows;
}

/* Each bit with all below it: one between an opening quote and its closing one, the opening one among them. */
static uint64_t between(uint64_t quotes, bool in_string) {
    for (unsigned shift = 1; shift < BLOCK; shift <<= 1)
        quotes ^= quotes << shift;
    return in_string ? ~quotes : quotes;
}

/* The bit of the bracket that closes the last open one, 0: it is not here. */
static inline uint64_t find_end(size_t *depth, uint64_t opening, uint64_t closing) {
    size_t open = *depth;
    for (uint64_t left = opening | closing; left; left &= left - 1) {
        uint64_t bit = left & -left;
        open = opening & bit ? open + 1 : open - 1;
        if (open == 0) {
            *depth = 0;
            return bit;
        }
    }
    *depth = open;
    return 0;
}

const char *json_skip(struct json_skip *skip, const char *bytes, size_t length) {
    for (; length >= BLOCK; bytes += BLOCK, length -= BLOCK) {
        struct masks masks = look(bytes);
        uint64_t escaped = masks.slashes || skip->escaped ? find_escaped(masks.slashes, &skip->escaped) : 0;
        uint64_t inside = between(masks.quotes & ~escaped, skip->in_string);
        uint64_t end = find_end(&skip->depth, masks.opening & ~inside, masks.closing & ~inside);
        uint64_t wrong = (masks.controls & inside) | (masks.slashes & ~inside);
        skip->in_string = inside >> (BLOCK - 1);
        if (wrong & (end - 1)) /* before the end, or anywhere */
            return NULL;
        if (end) {
            skip->in_string = skip->escaped = false;
            return bytes + __builtin_ctzll(end) + 1;
        }
    }
    return json_skip_plainly(skip, bytes, length);
}

/* Within a string. False: at a control character. */
static bool take_string_byte(struct json_skip *skip, char byte) {
    if (skip->escaped)
        skip->escaped = false;
    else if (byte == '"')
        skip->in_string = false;
    else
        skip->escaped = byte == '\\';
    return (unsigned char)byte >= 0x20;
}

/* Outside of strings. False: at a backslash. */
static bool take_mark(struct json_skip *skip, char byte) {
    skip->in_string = byte == '"';
    if (byte == '{' || byte == '[')
        skip->depth++;
    else if (byte == '}' || byte == ']')
        skip->depth--;
    return byte != '\\';
}

const char *json_skip_plainly(struct json_skip *skip, const char *bytes, size_t length) {
    const char *end = bytes + length;
    while (bytes < end && skip->depth > 0) {
        if (skip->in_string && !skip->escaped)
            bytes += json_text_plain(bytes, (size_t)(end - bytes));
        if (bytes == end)
            break;
        if (!(skip->in_string ? take_string_byte(skip, *bytes) : take_mark(skip, *bytes)))
            return NULL;
        bytes++;
    }
    return bytes;
}

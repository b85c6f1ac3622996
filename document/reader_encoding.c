#include "document/reader_encoding.h"

#include <string.h>

#include "base/arena.h"

enum text_encoding encoding_of(struct text bytes, size_t *mark_length) {
    static const struct {
        struct text mark;
        enum text_encoding encoding;
    } marks[] = {
        {{"\xEF\xBB\xBF", 3}, ENCODING_UTF8},
        {{"\xFF\xFE", 2}, ENCODING_UTF16_LITTLE},
        {{"\xFE\xFF", 2}, ENCODING_UTF16_BIG},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (text_starts_with(bytes, marks[i].mark.bytes)) {
            *mark_length = marks[i].mark.length;
            return marks[i].encoding;
        }
    }
    *mark_length = 0;
    return ENCODING_UTF8;
}

size_t utf8_length(const char *at, const char *end) {
    const unsigned char *byte = (const unsigned char *)at;
    size_t length = byte[0] < 0x80 ? 1 : byte[0] < 0xC2 ? 0 : byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
    if (byte[0] > 0xF4 || (size_t)(end - at) < length) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xF0 && byte[1] < 0x90);
    bool outside = (byte[0] == 0xED && byte[1] > 0x9F) || (byte[0] == 0xF4 && byte[1] > 0x8F);
    return overlong || outside ? 0 : length;
}

static uint32_t unit_at(const unsigned char *at, enum text_encoding encoding) {
    return encoding == ENCODING_UTF16_LITTLE ? (uint32_t)(at[0] | at[1] << 8) : (uint32_t)(at[0] << 8 | at[1]);
}

static char *put_utf8(char *out, uint32_t point) {
    if (point < 0x80) {
        *out++ = (char)point;
        return out;
    }
    if (point < 0x800) {
        *out++ = (char)(0xC0 | point >> 6);
    } else {
        if (point < 0x10000) {
            *out++ = (char)(0xE0 | point >> 12);
        } else {
            *out++ = (char)(0xF0 | point >> 18);
            *out++ = (char)(0x80 | (point >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (point >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (point & 0x3F));
    return out;
}

bool encoding_from_utf16(struct text bytes, enum text_encoding encoding, struct arena *arena, struct text *out) {
    /* A unit of two bytes becomes at most three. */
    char *start = arena_alloc(arena, bytes.length / 2 * 3 + 1), *to = start;
    const unsigned char *at = (const unsigned char *)bytes.bytes, *end = at + bytes.length;
    bool right = true;
    while (right && end - at >= 2) {
        uint32_t point = unit_at(at, encoding);
        at += 2;
        if (point >= 0xD800 && point <= 0xDFFF) {
            uint32_t low = end - at >= 2 ? unit_at(at, encoding) : 0;
            right = point < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF;
            point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
            at += 2;
        }
        if (right) {
            to = put_utf8(to, point);
        }
    }
    *out = (struct text){start, (size_t)(to - start)};
    return right && at == end;
}

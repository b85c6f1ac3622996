#include "online/base64.h"

#include "base/arena.h"
#include "base/ascii.h"

/* The value of a digit; 64: it is none. */
static unsigned digit_value(char byte) {
    if (ascii_is_upper(byte))
        return (unsigned)(byte - 'A');
    if (ascii_is_lower(byte))
        return (unsigned)(byte - 'a') + 26;
    if (ascii_is_digit(byte))
        return (unsigned)(byte - '0') + 52;
    if (byte == '+')
        return 62;
    return byte == '/' ? 63 : 64;
}

bool base64_decode(struct text encoded, struct arena *arena, struct text *decoded) {
    char *out = arena_alloc(arena, encoded.length / 4 * 3 + 4);
    size_t length = 0, digits = 0, padding = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < encoded.length; i++) {
        char byte = encoded.bytes[i];
        if (byte == '\n' || byte == '\r')
            continue;
        unsigned value = digit_value(byte);
        if (byte == '=')
            padding++;
        else if (value == 64 || padding > 0)
            return false;
        bits = bits << 6 | (value & 63u);
        if (++digits % 4 == 0) {
            out[length++] = (char)(bits >> 16 & 0xff);
            out[length++] = (char)(bits >> 8 & 0xff);
            out[length++] = (char)(bits & 0xff);
        }
    }
    if (digits % 4 != 0 || padding > 2)
        return false;
    length -= padding;
    out[length] = '\0';
    *decoded = (struct text){.bytes = out, .length = length};
    return true;
}

const char *base64_encode(struct text bytes, struct arena *arena) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = arena_alloc(arena, (bytes.length + 2) / 3 * 4 + 1);
    size_t length = 0;
    for (size_t i = 0; i < bytes.length; i += 3) {
        uint32_t bits = (uint32_t)(unsigned char)bytes.bytes[i] << 16;
        size_t more = bytes.length - i - 1;
        if (more > 0)
            bits |= (uint32_t)(unsigned char)bytes.bytes[i + 1] << 8;
        if (more > 1)
            bits |= (uint32_t)(unsigned char)bytes.bytes[i + 2];
        out[length++] = digits[bits >> 18 & 63];
        out[length++] = digits[bits >> 12 & 63];
        out[length++] = more > 0 ? digits[bits >> 6 & 63] : '=';
        out[length++] = more > 1 ? digits[bits & 63] : '=';
    }
    return out;
}

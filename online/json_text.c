#include "online/json_text.h"

#include "base/ascii.h"

static size_t digits(const char *bytes, size_t length, size_t from) {
    while (from < length && ascii_is_digit(bytes[from]))
        from++;
    return from;
}

bool json_text_is_number(const char *bytes, size_t length) {
    size_t at = bytes[0] == '-', whole = digits(bytes, length, at);
    if (whole == at || (bytes[at] == '0' && whole > at + 1))
        return false;
    at = whole;
    if (at < length && bytes[at] == '.') {
        size_t end = digits(bytes, length, at + 1);
        if (end == at + 1)
            return false;
        at = end;
    }
    if (at < length && (bytes[at] | 0x20) == 'e') {
        at++;
        if (at < length && (bytes[at] == '+' || bytes[at] == '-'))
            at++;
        size_t end = digits(bytes, length, at);
        if (end == at)
            return false;
        at = end;
    }
    return at == length;
}

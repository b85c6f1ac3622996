#include "grammar/version.h"

#include "base/ascii.h"

enum { NUMBER_MAX = 999999 };

/* A number without leading zeros at *at, which moves behind it; false: there is none, and *at stays. */
static bool scan_number(struct text text, size_t *at, unsigned *number) {
    size_t i = *at;
    unsigned value = 0;
    for (; i < text.length && ascii_is_digit(text.bytes[i]); i++) {
        value = value * 10 + ascii_digit_value(text.bytes[i]);
        if (value > NUMBER_MAX)
            return false;
    }
    if (i == *at || (text.bytes[*at] == '0' && i - *at > 1))
        return false;
    *at = i;
    *number = value;
    return true;
}

static bool scan_dot(struct text text, size_t *at) {
    if (*at == text.length || text.bytes[*at] != '.')
        return false;
    ++*at;
    return true;
}

/* Whether the text from `at` on is nothing or a suffix of printable ASCII. */
static bool is_suffix(struct text text, size_t at) {
    if (at == text.length)
        return true;
    if (text.bytes[at] != '-' && text.bytes[at] != '+')
        return false;
    for (; at < text.length; at++)
        if (text.bytes[at] <= ' ' || text.bytes[at] > '~')
            return false;
    return true;
}

static enum version_fault scan(struct text text, struct version *version, size_t *at) {
    if (text.length == 0)
        return VERSION_EMPTY;
    if (text.bytes[0] == 'v')
        *at = 1;
    if (!scan_number(text, at, &version->major))
        return VERSION_MAJOR;
    if (!scan_dot(text, at))
        return VERSION_NO_MINOR;
    if (!scan_number(text, at, &version->minor))
        return VERSION_MINOR;
    version->has_patch = scan_dot(text, at);
    if (version->has_patch && !scan_number(text, at, &version->patch))
        return VERSION_PATCH;
    return is_suffix(text, *at) ? VERSION_OK : VERSION_REST;
}

enum version_fault version_parse(struct text text, struct version *version, size_t *offset) {
    struct version read = {.has_patch = false};
    size_t at = 0;
    enum version_fault fault = scan(text, &read, &at);
    offset_set(offset, fault == VERSION_OK ? 0 : at);
    if (fault == VERSION_OK)
        *version = read;
    return fault;
}

bool version_at_least(const struct version *version, unsigned major, unsigned minor) {
    return version->major != major ? version->major > major : version->minor >= minor;
}

const char *version_fault_text(enum version_fault fault) {
    static const char *const texts[] = {
        [VERSION_OK] = "nothing is wrong",
        [VERSION_EMPTY] = "the version is empty",
        [VERSION_MAJOR] = "a version begins with a number, as in 1.30",
        [VERSION_NO_MINOR] = "a version needs a minor number, as in 1.30",
        [VERSION_MINOR] = "what follows the first dot of the version is not a number without leading zeros",
        [VERSION_PATCH] = "what follows the second dot of the version is not a number without leading zeros",
        [VERSION_REST] = "what follows the numbers of the version is no suffix, which begins with - or +",
    };
    return texts[fault];
}

#include "tests/evaluator/match.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- addresses ---------------------------------------------------------------------------------------------- */

/* One decimal (or octal) field of an IPv4 address, up to `maximum`, at *text, which moves behind it. */
static bool field_read(const char **text, bool octal, unsigned maximum, unsigned *value) {
    const char *start = *text;
    const char *p = start;
    while (isdigit((unsigned char)*p))
        p++;
    if (p == start || p - start > 9)
        return false;
    unsigned base = octal && *start == '0' && p - start > 1 ? 8 : 10;
    *value = 0;
    for (const char *q = start; q < p; q++) {
        unsigned digit = (unsigned)(*q - '0');
        if (digit >= base)
            return false;
        *value = *value * base + digit;
    }
    *text = p;
    return *value <= maximum;
}

static bool ipv4_read(const char *text, bool octal, uint8_t bytes[4]) {
    for (int i = 0; i < 4; i++) {
        unsigned value;
        if (i > 0 && *text++ != '.')
            return false;
        if (!field_read(&text, octal, 255, &value))
            return false;
        bytes[i] = (uint8_t)value;
    }
    return *text == '\0';
}

bool match_address_read(const char *text, struct evaluator_address *address) {
    memset(address, 0, sizeof *address);
    address->family = strchr(text, ':') ? 6 : 4;
    if (address->family == 6)
        return inet_pton(AF_INET6, text, address->bytes) == 1;
    return ipv4_read(text, false, address->bytes);
}

static bool bit_of(const uint8_t *bytes, unsigned bit) { return (bytes[bit / 8] >> (7 - bit % 8)) & 1; }

static void mask_block(struct block *block) {
    unsigned bits = block->first.family == 4 ? 32 : 128;
    for (unsigned bit = block->length; bit < bits; bit++)
        block->first.bytes[bit / 8] = (uint8_t)(block->first.bytes[bit / 8] & ~(1U << (7 - bit % 8)));
}

/* An IPv4-mapped block of at least 96 bits becomes the IPv4 block that Go makes of it (K 1.6). */
static void unmap_block(struct block *block) {
    static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
    if (block->first.family != 6 || block->length < 96 || memcmp(block->first.bytes, prefix, sizeof prefix) != 0)
        return;
    memmove(block->first.bytes, block->first.bytes + 12, 4);
    memset(block->first.bytes + 4, 0, 12);
    block->first.family = 4;
    block->length -= 96;
}

bool match_block_read(const char *text, const struct evaluator_reading *reading, struct block *block) {
    char address[64];
    const char *slash = strchr(text, '/');
    if (!slash || (size_t)(slash - text) >= sizeof address)
        return false;
    memcpy(address, text, (size_t)(slash - text));
    address[slash - text] = '\0';
    memset(block, 0, sizeof *block);
    block->first.family = strchr(address, ':') ? 6 : 4;
    bool is_address = block->first.family == 6 ? inet_pton(AF_INET6, address, block->first.bytes) == 1
                                               : ipv4_read(address, reading->octal_zeros, block->first.bytes);
    const char *p = slash + 1;
    if (!is_address || !field_read(&p, false, block->first.family == 4 ? 32 : 128, &block->length) || *p != '\0')
        return false;
    block->written = block->length;
    if (reading->mapped_as_ipv4)
        unmap_block(block);
    block->address = block->first;
    mask_block(block);
    return true;
}

bool match_block_has_zeros(const char *text) {
    bool inside = false; /* behind another digit, or in an IPv6 group */
    for (const char *p = text; *p; p++) {
        if (!inside && p[0] == '0' && isdigit((unsigned char)p[1]) && (!strchr(text, ':') || strchr(text, '/') < p))
            return true;
        inside = isalnum((unsigned char)*p) != 0;
    }
    return false;
}

bool match_block_has(const struct block *block, const struct evaluator_address *address) {
    if (block->first.family != address->family)
        return false;
    for (unsigned bit = 0; bit < block->length; bit++)
        if (bit_of(block->first.bytes, bit) != bit_of(address->bytes, bit))
            return false;
    return true;
}

/* --- names -------------------------------------------------------------------------------------------------- */

enum { NAME_SPACE = 1024 };

static bool is_name_byte(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

/* Lower case with a trailing dot, as both sides are before they are compared. */
static bool canonical(const char *from, char to[NAME_SPACE]) {
    size_t length = strlen(from);
    if (length + 2 > NAME_SPACE)
        return false;
    for (size_t i = 0; i < length; i++)
        to[i] = (char)tolower((unsigned char)from[i]);
    if (length == 0 || to[length - 1] != '.')
        to[length++] = '.';
    to[length] = '\0';
    return true;
}

/* Stars stand for runs of bytes inside one label. */
static bool glob(const char *pattern, const char *name) {
    if (*pattern == '\0')
        return *name == '\0';
    if (*pattern != '*')
        return *pattern == *name && glob(pattern + 1, name + 1);
    if (glob(pattern + 1, name))
        return true;
    return is_name_byte(*name) && glob(pattern, name + 1);
}

/* What a leading run of two or more stars and a dot leaves of a pattern; NULL: there is none. */
static const char *after_deep_star(const char *pattern) {
    size_t stars = strspn(pattern, "*");
    return stars >= 2 && pattern[stars] == '.' ? pattern + stars + 1 : NULL;
}

bool match_name_is_all(const char *pattern, unsigned minor) {
    if (strcmp(pattern, "*") == 0)
        return true;
    return minor >= 19 && (!strcmp(pattern, "**") || !strcmp(pattern, "*.") || !strcmp(pattern, "**."));
}

bool match_name(const char *entry, bool is_pattern, unsigned minor, const char *name) {
    char pattern[NAME_SPACE], whole[NAME_SPACE];
    if (is_pattern && match_name_is_all(entry, minor))
        return true;
    if (!canonical(entry, pattern) || !canonical(name, whole))
        return false;
    if (!is_pattern)
        return strcmp(pattern, whole) == 0;
    const char *rest = minor >= 19 ? after_deep_star(pattern) : NULL;
    if (!rest)
        return glob(pattern, whole);
    for (const char *dot = strchr(whole, '.'); dot && dot > whole; dot = strchr(dot + 1, '.'))
        if (glob(rest, dot + 1))
            return true;
    return false;
}

bool match_name_is_valid(const char *entry, bool is_pattern, unsigned minor) {
    bool after_dot = true;
    if (*entry == '\0' || (minor >= 17 && strlen(entry) > 255))
        return false;
    for (const char *p = entry; *p; p++) {
        if (*p == '.' && after_dot)
            return false;
        if (*p != '.' && !is_name_byte(*p) && !(is_pattern && *p == '*'))
            return false;
        after_dot = *p == '.';
    }
    return true;
}

bool match_server_name_is_valid(const char *entry, unsigned minor) {
    if (minor >= 18 && strncmp(entry, "**.", 3) == 0)
        entry += 3;
    else if (minor >= 18 && strncmp(entry, "*.", 2) == 0)
        entry += 2;
    return *entry != '\0' && strchr(entry, '*') == NULL;
}

bool match_server_name(const char *entry, const char *name) {
    bool deep = strncmp(entry, "**.", 3) == 0;
    if (!deep && strncmp(entry, "*.", 2) != 0)
        return strcmp(entry, name) == 0;
    const char *rest = entry + (deep ? 3 : 2);
    for (const char *dot = strchr(name, '.'); dot && dot > name; dot = strchr(dot + 1, '.')) {
        if (strcmp(rest, dot + 1) == 0)
            return true;
        if (!deep)
            return false;
    }
    return false;
}

/* --- ports -------------------------------------------------------------------------------------------------- */

/* C 4.1: at most 15 letters, digits and inner single hyphens, one letter at least. */
static bool is_port_name(const char *text, bool lower_only) {
    size_t length = strlen(text);
    bool letter = false;
    if (length < 1 || length > 15 || text[0] == '-' || text[length - 1] == '-' || strstr(text, "--"))
        return false;
    for (const char *p = text; *p; p++) {
        bool upper = isupper((unsigned char)*p) != 0;
        if (!isalnum((unsigned char)*p) && *p != '-')
            return false;
        if (upper && lower_only)
            return false;
        letter = letter || isalpha((unsigned char)*p);
    }
    return letter;
}

bool match_port_name_is_valid(const char *text) { return is_port_name(text, true); }

/* Go's integers with the base taken from the prefix; underscores stand between digits or behind the prefix. */
static bool go_number(const char *text, unsigned *number) {
    unsigned base = 10;
    const char *p = text;
    bool after_digit = false;
    if (p[0] == '0' && p[1] != '\0') {
        char mark = (char)tolower((unsigned char)p[1]);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        p += mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;
        after_digit = true;
    }
    *number = 0;
    if (*p == '\0')
        return false;
    for (; *p; p++) {
        if (*p == '_') {
            if (!after_digit)
                return false;
            after_digit = false;
            continue;
        }
        unsigned digit = isdigit((unsigned char)*p)   ? (unsigned)(*p - '0')
                         : isalpha((unsigned char)*p) ? (unsigned)(tolower((unsigned char)*p) - 'a') + 10
                                                      : UINT_MAX;
        if (digit >= base)
            return false;
        *number = *number * base + digit;
        if (*number > 65535)
            return false;
        after_digit = true;
    }
    return after_digit;
}

enum match_port match_port_read(const char *text, unsigned *number) {
    if (is_port_name(text, false))
        return MATCH_PORT_NAME;
    return go_number(text, number) ? MATCH_PORT_NUMBER : MATCH_PORT_REFUSED;
}

/* --- labels ------------------------------------------------------------------------------------------------- */

static bool is_label_part(const char *text, size_t length) {
    if (length < 1 || length > 63 || !isalnum((unsigned char)text[0]) || !isalnum((unsigned char)text[length - 1]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("-_.", text[i]))
            return false;
    return true;
}

static bool is_subdomain(const char *text, size_t length) {
    if (length < 1 || length > 253)
        return false;
    for (size_t i = 0; i < length; i++) {
        bool edge = i == 0 || i + 1 == length || text[i - 1] == '.' || text[i + 1] == '.';
        bool alnum = islower((unsigned char)text[i]) || isdigit((unsigned char)text[i]);
        if (text[i] == '.' ? edge : !alnum && (text[i] != '-' || edge))
            return false;
    }
    return true;
}

bool match_label_key_is_valid(const char *key) {
    const char *slash = strchr(key, '/');
    if (!slash)
        return is_label_part(key, strlen(key));
    return is_subdomain(key, (size_t)(slash - key)) && is_label_part(slash + 1, strlen(slash + 1));
}

bool match_label_value_is_valid(const char *value) { return *value == '\0' || is_label_part(value, strlen(value)); }

bool match_label_is_kept(const char *key) {
    static const char *const kept[] = {"io.kubernetes.pod.namespace", "io.cilium.k8s.namespace.labels",
                                       "app.kubernetes.io", "io.cilium.k8s.policy."};
    static const char *const dropped[] = {"io.kubernetes",
                                          "kubernetes.io",
                                          "k8s.io",
                                          "statefulset.kubernetes.io/pod-name",
                                          "apps.kubernetes.io/pod-index",
                                          "batch.kubernetes.io/job-completion-index",
                                          "batch.kubernetes.io/controller-uid",
                                          "controller-uid",
                                          "pod-template-generation",
                                          "pod-template-hash",
                                          "controller-revision-hash",
                                          "annotation.",
                                          "etcd_node"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strncmp(key, kept[i], strlen(kept[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (strncmp(key, dropped[i], strlen(dropped[i])) == 0)
            return false;
    return strstr(key, "beta.kubernetes.io") == NULL;
}

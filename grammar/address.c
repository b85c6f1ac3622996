#include "grammar/address.h"

#include <string.h>

#include "base/ascii.h"

enum { GROUPS = 8, QUAD = 4 };

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

/* One text being read. `octal` follows `decimal` as long as no octet has leading zeros. */
struct scan {
    struct text text;
    size_t at; /* the next byte; after a fault, the byte that cannot stand */
    bool leading_zeros, octal_invalid;
    size_t zeros_at;
};

static bool at_end(const struct scan *scan) { return scan->at == scan->text.length; }

static bool next_is(const struct scan *scan, char byte) { return !at_end(scan) && scan->text.bytes[scan->at] == byte; }

/* An octet in both readings; false: there is none here, or it is over 255. */
static bool scan_octet(struct scan *scan, uint8_t *decimal, uint8_t *octal) {
    size_t start = scan->at;
    unsigned ten = 0, eight = 0;
    bool octal_digits = true;
    for (; !at_end(scan) && ascii_is_digit(scan->text.bytes[scan->at]); scan->at++) {
        unsigned digit = ascii_digit_value(scan->text.bytes[scan->at]);
        ten = ten * 10 + digit;
        eight = eight * 8 + digit;
        octal_digits = octal_digits && digit < 8;
        if (ten > 255) {
            scan->at = start;
            return false;
        }
    }
    if (scan->at == start)
        return false;
    *decimal = *octal = (uint8_t)ten;
    if (scan->text.bytes[start] == '0' && scan->at - start > 1) {
        if (!scan->leading_zeros)
            scan->zeros_at = start;
        scan->leading_zeros = true;
        /* A decimal value of at most 255 is larger than the octal one, so only the digits can spoil it. */
        scan->octal_invalid = scan->octal_invalid || !octal_digits;
        *octal = (uint8_t)eight;
    }
    return true;
}

/* A dotted quad up to the end of the text. */
static bool scan_quad(struct scan *scan, uint8_t decimal[static QUAD], uint8_t octal[static QUAD]) {
    for (size_t i = 0; i < QUAD; i++) {
        if (i > 0) {
            if (!next_is(scan, '.'))
                return false;
            scan->at++;
        }
        if (!scan_octet(scan, &decimal[i], &octal[i]))
            return false;
    }
    return at_end(scan);
}

static size_t hex_run(const struct scan *scan) {
    size_t end = scan->at;
    while (end < scan->text.length && ascii_digit_value(scan->text.bytes[end]) < 16)
        end++;
    return end - scan->at;
}

/* The groups of an IPv6 text before "::" is expanded, two bytes a group, in both readings. */
struct groups {
    uint8_t decimal[2 * GROUPS], octal[2 * GROUPS];
    size_t count;
    size_t gap; /* how many groups stand before "::"; SIZE_MAX: there is none */
};

/* One group, or a closing dotted quad, which counts as two. */
static bool scan_group(struct scan *scan, struct groups *groups) {
    size_t run = hex_run(scan), index = 2 * groups->count;
    if (scan->at + run < scan->text.length && scan->text.bytes[scan->at + run] == '.') {
        if (groups->count > GROUPS - 2)
            return false;
        groups->count += 2;
        return scan_quad(scan, &groups->decimal[index], &groups->octal[index]);
    }
    if (run == 0 || run > 4 || groups->count == GROUPS)
        return false;
    unsigned value = 0;
    for (size_t end = scan->at + run; scan->at < end; scan->at++)
        value = value * 16 + ascii_digit_value(scan->text.bytes[scan->at]);
    groups->decimal[index] = groups->octal[index] = (uint8_t)(value >> 8);
    groups->decimal[index + 1] = groups->octal[index + 1] = (uint8_t)(value & 0xff);
    groups->count++;
    return true;
}

/* What follows a group: the end, or a colon and one more group, or "::". */
static bool scan_colons(struct scan *scan, struct groups *groups) {
    if (!next_is(scan, ':'))
        return false;
    scan->at++;
    if (at_end(scan)) {
        scan->at--;
        return false;
    }
    if (!next_is(scan, ':'))
        return true;
    if (groups->gap != SIZE_MAX)
        return false;
    groups->gap = groups->count;
    scan->at++;
    return true;
}

static bool scan_groups(struct scan *scan, struct groups *groups) {
    groups->gap = SIZE_MAX;
    if (next_is(scan, ':')) {
        if (scan->text.length < 2 || scan->text.bytes[1] != ':')
            return false;
        groups->gap = 0;
        scan->at = 2;
    }
    while (!at_end(scan)) {
        if (!scan_group(scan, groups))
            return false;
        if (!at_end(scan) && !scan_colons(scan, groups))
            return false;
    }
    return groups->gap == SIZE_MAX ? groups->count == GROUPS : groups->count < GROUPS;
}

/* The 16 bytes, "::" filled with zero groups. */
static void expand(const struct groups *groups, const uint8_t written[static 2 * GROUPS],
                   uint8_t bytes[static 2 * GROUPS]) {
    size_t before = groups->gap == SIZE_MAX ? groups->count : groups->gap;
    size_t after = groups->count - before;
    memcpy(bytes, written, 2 * before);
    memcpy(bytes + 2 * (GROUPS - after), written + 2 * before, 2 * after);
}

static bool scan_ipv6(struct scan *scan, struct address_reading *reading) {
    struct groups groups = {.count = 0};
    reading->decimal.family = reading->octal.family = ADDRESS_IPV6;
    if (!scan_groups(scan, &groups))
        return false;
    expand(&groups, groups.decimal, reading->decimal.bytes);
    expand(&groups, groups.octal, reading->octal.bytes);
    return true;
}

bool address_parse_lax(struct text text, struct address_reading *reading) {
    struct scan scan = {.text = text};
    *reading = (struct address_reading){.fault_at = 0};
    bool is_ipv6 = text.length > 0 && memchr(text.bytes, ':', text.length) != NULL;
    bool ok = is_ipv6 ? scan_ipv6(&scan, reading) : scan_quad(&scan, reading->decimal.bytes, reading->octal.bytes);
    if (!ok) {
        *reading = (struct address_reading){.fault_at = scan.at};
        return false;
    }
    reading->leading_zeros = scan.leading_zeros;
    reading->zeros_at = scan.zeros_at;
    reading->octal_valid = !scan.octal_invalid;
    return true;
}

bool address_parse(struct text text, struct address *address) {
    struct address_reading reading;
    if (!address_parse_lax(text, &reading) || reading.leading_zeros)
        return false;
    *address = reading.decimal;
    return true;
}

/* The longest run of two zero groups or more, the first of equal ones (RFC 5952 4.2); length 0: there is none. */
static size_t longest_zero_run(const uint8_t *bytes, size_t *start) {
    size_t best = 1, run = 0;
    for (size_t i = 0; i < GROUPS; i++) {
        run = bytes[2 * i] == 0 && bytes[2 * i + 1] == 0 ? run + 1 : 0;
        if (run > best) {
            best = run;
            *start = i + 1 - run;
        }
    }
    return best > 1 ? best : 0;
}

/* The writers below put bytes at `out` and return how many; CIDRs are printed once each when read, so no printf. */
static size_t put_number(unsigned value, unsigned base, char *out) {
    static const char digits[] = "0123456789abcdef";
    char reversed[8];
    size_t length = 0;
    do {
        reversed[length++] = digits[value % base];
        value /= base;
    } while (value > 0);
    for (size_t i = 0; i < length; i++)
        out[i] = reversed[length - 1 - i];
    return length;
}

/* NUL-terminated. */
static size_t print_quad(const uint8_t *bytes, char *out) {
    size_t length = 0;
    for (size_t i = 0; i < QUAD; i++) {
        if (i > 0)
            out[length++] = '.';
        length += put_number(bytes[i], 10, out + length);
    }
    out[length] = '\0';
    return length;
}

static size_t print_ipv6(const uint8_t *bytes, char out[static 46]) {
    size_t start = GROUPS, length = 0;
    size_t run = longest_zero_run(bytes, &start);
    for (size_t i = 0; i < GROUPS; i++) {
        if (run > 0 && i == start) {
            out[length++] = ':';
            i += run - 1;
            if (i == GROUPS - 1)
                out[length++] = ':';
            continue;
        }
        if (i > 0)
            out[length++] = ':';
        length += put_number((unsigned)(bytes[2 * i] << 8 | bytes[2 * i + 1]), 16, out + length);
    }
    out[length] = '\0';
    return length;
}

size_t address_print(const struct address *address, char out[static 46]) {
    if (address->family == ADDRESS_IPV4)
        return print_quad(address->bytes, out);
    if (!address_is_mapped(address))
        return print_ipv6(address->bytes, out);
    static const char prefix[] = "::ffff:";
    memcpy(out, prefix, sizeof prefix);
    return sizeof prefix - 1 + print_quad(address->bytes + 12, out + sizeof prefix - 1);
}

int address_compare(const struct address *a, const struct address *b) {
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

bool address_is_mapped(const struct address *address) {
    return address->family == ADDRESS_IPV6 && memcmp(address->bytes, mapped_prefix, sizeof mapped_prefix) == 0;
}

unsigned address_bits(enum address_family family) { return family == ADDRESS_IPV4 ? 32 : 128; }

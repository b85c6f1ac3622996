#include "grammar/cidr.h"

#include <string.h>

#include "base/ascii.h"

/* The first and the last address of a prefix. */
static void mask(const struct address *address, unsigned prefix, struct address *first, struct address *last) {
    *first = *last = *address;
    size_t bytes = address_bits(address->family) / 8;
    for (size_t i = prefix / 8; i < bytes; i++) {
        unsigned kept = i == prefix / 8 ? prefix % 8 : 0;
        unsigned host = 0xffu >> kept;
        first->bytes[i] = (uint8_t)(first->bytes[i] & ~host);
        last->bytes[i] = (uint8_t)(last->bytes[i] | host);
    }
}

/* The last four bytes as an IPv4 address. */
static struct address embedded_ipv4(const struct address *address) {
    struct address ipv4 = {.family = ADDRESS_IPV4};
    memcpy(ipv4.bytes, address->bytes + 12, 4);
    return ipv4;
}

/* Digits only, at most `maximum`; leading zeros are dropped. */
static bool read_prefix(struct text text, unsigned maximum, unsigned *prefix) {
    *prefix = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (!ascii_is_digit(text.bytes[i]))
            return false;
        *prefix = *prefix * 10 + ascii_digit_value(text.bytes[i]);
        if (*prefix > maximum)
            return false;
    }
    return text.length > 0;
}

static bool is_canonical(struct text address_text, const struct address *address) {
    char canonical[46];
    size_t length = address_print(address, canonical);
    return length == address_text.length && memcmp(canonical, address_text.bytes, length) == 0;
}

/* Sets ranges and flags from the address as read; `cidr->prefix` is set. */
static void complete(struct cidr *cidr, const struct address_reading *reading, struct text address_text,
                     bool prefix_zeros) {
    cidr->address = reading->decimal;
    mask(&cidr->address, cidr->prefix, &cidr->first, &cidr->last);
    if (reading->leading_zeros || prefix_zeros) {
        cidr->flags |= CIDR_LEADING_ZEROS;
        cidr->octal_valid = reading->octal_valid;
        if (cidr->octal_valid)
            mask(&reading->octal, cidr->prefix, &cidr->octal_first, &cidr->octal_last);
    }
    if (cidr->prefix >= 96 && address_is_mapped(&cidr->address)) {
        cidr->flags |= CIDR_MAPPED;
        cidr->mapped_first = embedded_ipv4(&cidr->first);
        cidr->mapped_last = embedded_ipv4(&cidr->last);
    }
    if (address_compare(&cidr->address, &cidr->first) != 0)
        cidr->flags |= CIDR_HOST_BITS;
    if (prefix_zeros || !is_canonical(address_text, &cidr->address))
        cidr->flags |= CIDR_NOT_CANONICAL;
}

static enum cidr_fault fail(struct cidr *cidr, size_t offset, enum cidr_fault fault) {
    *cidr = (struct cidr){.fault_at = offset};
    return fault;
}

enum cidr_fault cidr_parse(struct text text, struct cidr *cidr) {
    *cidr = (struct cidr){.prefix = 0};
    if (text.length == 0)
        return fail(cidr, 0, CIDR_EMPTY);
    const char *slash = memchr(text.bytes, '/', text.length);
    if (slash == NULL)
        return fail(cidr, text.length, CIDR_NO_PREFIX);
    struct text address = {text.bytes, (size_t)(slash - text.bytes)};
    struct text prefix = {slash + 1, text.length - address.length - 1};
    struct address_reading reading;
    if (!address_parse_lax(address, &reading))
        return fail(cidr, reading.fault_at, CIDR_BAD_ADDRESS);
    if (!read_prefix(prefix, address_bits(reading.decimal.family), &cidr->prefix))
        return fail(cidr, address.length + 1, CIDR_BAD_PREFIX);
    complete(cidr, &reading, address, prefix.length > 1 && prefix.bytes[0] == '0');
    return CIDR_OK;
}

bool cidr_contains(const struct cidr *outer, const struct cidr *inner) {
    return outer->address.family == inner->address.family && address_compare(&outer->first, &inner->first) <= 0 &&
           address_compare(&inner->last, &outer->last) <= 0;
}

const char *cidr_fault_text(enum cidr_fault fault) {
    static const char *const texts[] = {
        [CIDR_OK] = "nothing is wrong",
        [CIDR_EMPTY] = "the CIDR is empty",
        [CIDR_NO_PREFIX] = "a CIDR needs a prefix length, as in 10.0.0.0/8 or 2001:db8::/32",
        [CIDR_BAD_ADDRESS] = "what stands before the slash is neither an IPv4 nor an IPv6 address",
        [CIDR_BAD_PREFIX] = "the prefix length is not a number of 0 to 32 (IPv4) or 0 to 128 (IPv6)",
    };
    return texts[fault];
}

static const enum cidr_strict_fault strict_of_lax[] = {
    [CIDR_OK] = CIDR_STRICT_OK,
    [CIDR_EMPTY] = CIDR_STRICT_EMPTY,
    [CIDR_NO_PREFIX] = CIDR_STRICT_NO_PREFIX,
    [CIDR_BAD_ADDRESS] = CIDR_STRICT_BAD_ADDRESS,
    [CIDR_BAD_PREFIX] = CIDR_STRICT_BAD_PREFIX,
};

/* Whether an octet of the address has leading zeros, and where it begins. */
static bool octet_zeros(struct text address, size_t *offset) {
    struct address_reading reading;
    if (!address_parse_lax(address, &reading) || !reading.leading_zeros)
        return false;
    *offset = reading.zeros_at;
    return true;
}

/* What a CIDR that the lax reading takes is refused for, and where. `slash` is the offset of the slash. */
static enum cidr_strict_fault stricter(const struct cidr *cidr, size_t slash, size_t *offset) {
    *offset = slash + 1;
    if ((cidr->flags & CIDR_LEADING_ZEROS) != 0)
        return CIDR_STRICT_PREFIX_ZEROS;
    if (address_is_mapped(&cidr->address)) {
        *offset = 0;
        return CIDR_STRICT_MAPPED;
    }
    return cidr->prefix == 0 ? CIDR_STRICT_ZERO_PREFIX : CIDR_STRICT_OK;
}

enum cidr_strict_fault cidr_parse_strict(struct text text, struct cidr *cidr) {
    enum cidr_fault lax = cidr_parse(text, cidr);
    enum cidr_strict_fault fault = strict_of_lax[lax];
    if (lax != CIDR_OK && lax != CIDR_BAD_PREFIX)
        return fault;
    size_t slash = (size_t)((const char *)memchr(text.bytes, '/', text.length) - text.bytes);
    size_t offset = cidr->fault_at;
    if (octet_zeros((struct text){text.bytes, slash}, &offset))
        fault = CIDR_STRICT_ADDRESS_ZEROS;
    else if (lax == CIDR_OK)
        fault = stricter(cidr, slash, &offset);
    if (fault != CIDR_STRICT_OK)
        *cidr = (struct cidr){.fault_at = offset};
    return fault;
}

const char *cidr_strict_fault_text(enum cidr_strict_fault fault) {
    static const char *const texts[] = {
        [CIDR_STRICT_OK] = "nothing is wrong",
        [CIDR_STRICT_EMPTY] = "the CIDR is empty",
        [CIDR_STRICT_NO_PREFIX] = "a CIDR needs a prefix length, as in 10.0.0.0/8 or 2001:db8::/32",
        [CIDR_STRICT_BAD_ADDRESS] = "what stands before the slash is neither an IPv4 nor an IPv6 address",
        [CIDR_STRICT_ADDRESS_ZEROS] = "an octet has leading zeros, which some readers take for octal; drop them",
        [CIDR_STRICT_BAD_PREFIX] = "the prefix length is not a number of 0 to 32 (IPv4) or 0 to 128 (IPv6)",
        [CIDR_STRICT_PREFIX_ZEROS] = "the prefix length has leading zeros; drop them",
        [CIDR_STRICT_MAPPED] = "an IPv4-mapped IPv6 address is read as IPv4 by some and as IPv6 by others; write IPv4",
        [CIDR_STRICT_ZERO_PREFIX] = "prefix length 0 excepts every address, which no API server takes here",
    };
    return texts[fault];
}

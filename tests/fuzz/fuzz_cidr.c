/* CIDRs: the two readings agree, and what is printed reads back. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "grammar/cidr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fact) {
    if (!fact)
        abort();
}

static void check_round_trip(const struct address *address) {
    char out[46];
    struct address again;
    size_t length = address_print(address, out);
    check(length < sizeof out && out[length] == '\0');
    check(address_parse((struct text){out, length}, &again) && address_compare(address, &again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text text = {(const char *)data, size};
    struct cidr lax, strict;
    enum cidr_fault fault = cidr_parse(text, &lax);
    bool strict_ok = cidr_parse_strict(text, &strict) == CIDR_STRICT_OK;
    check(fault == CIDR_OK || !strict_ok);
    check(lax.fault_at <= size && strict.fault_at <= size);
    if (fault != CIDR_OK)
        return 0;
    check(lax.prefix <= address_bits(lax.address.family));
    check(cidr_contains(&lax, &lax));
    check(address_compare(&lax.first, &lax.address) <= 0 && address_compare(&lax.address, &lax.last) <= 0);
    check_round_trip(&lax.address);
    check_round_trip(&lax.first);
    check_round_trip(&lax.last);
    check(!strict_ok || (lax.flags & (CIDR_LEADING_ZEROS | CIDR_MAPPED)) == 0);
    return 0;
}

/*
 * Addresses: sorted, disjoint intervals of IPv4 and of IPv6; the families never mix.
 */
#ifndef IR_ADDRESS_SET_H
#define IR_ADDRESS_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "grammar/address.h"

struct address_range {
    struct address first, last; /* of one family, both included */
};

struct address_set {
    const struct address_range *ranges; /* IPv4 before IPv6, ascending, not adjacent */
    uint32_t count;
};

struct address_set address_set_nothing(void);
struct address_set address_set_everything(void);
struct address_set address_set_family(enum address_family family);
struct address_set address_set_of(struct arena *arena, const struct address *first, const struct address *last);

struct address_set address_set_union(struct arena *arena, const struct address_set *a, const struct address_set *b);
struct address_set address_set_union_of(struct arena *arena, const struct address_set *sets, size_t count);
struct address_set address_set_intersect(struct arena *arena, const struct address_set *a, const struct address_set *b);
struct address_set address_set_subtract(struct arena *arena, const struct address_set *a, const struct address_set *b);
bool address_set_is_empty(const struct address_set *set);
bool address_set_equal(const struct address_set *a, const struct address_set *b);
bool address_set_contains(const struct address_set *set, const struct address *address);
/* The lowest address that is in both `set` and first..last; false: none. */
bool address_set_lowest(const struct address_set *set, const struct address *first, const struct address *last,
                        struct address *lowest);
/* By the witness order (ir/witness.h). */
bool address_set_sample(const struct address_set *set, struct address *address);
/* CIDRs where they fit, else first-last; "everything", "nothing". */
void address_set_print(struct buffer *out, const struct address_set *set);

#endif

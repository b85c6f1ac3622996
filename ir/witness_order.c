#include "ir/witness.h"

#define BIT(special) (1U << (special))

/* The order of spec/analysis.md 4. */
static const struct witness_step steps[] = {
    {.kind = WITNESS_ADDRESSES, .first = "169.254.169.254", .last = "169.254.169.254"},
    {.kind = WITNESS_ADDRESSES, .first = "fd00:ec2::254", .last = "fd00:ec2::254"},
    {.kind = WITNESS_ADDRESSES, .first = "168.63.129.16", .last = "168.63.129.16"},
    {.kind = WITNESS_ADDRESSES, .first = "169.254.170.2", .last = "169.254.170.2"},
    {.kind = WITNESS_ADDRESSES, .first = "100.100.100.200", .last = "100.100.100.200"},
    {.kind = WITNESS_ADDRESSES, .first = "10.0.0.0", .last = "10.255.255.255"},
    {.kind = WITNESS_ADDRESSES, .first = "172.16.0.0", .last = "172.31.255.255"},
    {.kind = WITNESS_ADDRESSES, .first = "192.168.0.0", .last = "192.168.255.255"},
    {.kind = WITNESS_ADDRESSES, .first = "100.64.0.0", .last = "100.127.255.255"},
    {.kind = WITNESS_ADDRESSES, .first = "fc00::", .last = "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {.kind = WITNESS_SPECIALS,
     .specials = BIT(SPECIAL_API_SERVER) | BIT(SPECIAL_HOST) | BIT(SPECIAL_HOST_API_SERVER) | BIT(SPECIAL_REMOTE_NODE) |
                 BIT(SPECIAL_REMOTE_NODE_API_SERVER)},
    {.kind = WITNESS_ADDRESSES, .first = "0.0.0.0", .last = "255.255.255.255"},
    {.kind = WITNESS_ADDRESSES, .first = "::", .last = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {.kind = WITNESS_SPECIALS, .specials = BIT(SPECIAL_COUNT) - 1},
    {.kind = WITNESS_PODS},
    {.kind = WITNESS_NAMES},
};

static const struct witness_order order = {steps, sizeof steps / sizeof *steps};

const struct witness_order *witness_order_default(void) { return &order; }

bool witness_step_range(const struct witness_step *step, struct address *first, struct address *last) {
    return step->kind == WITNESS_ADDRESSES && address_parse(text_of(step->first), first) &&
           address_parse(text_of(step->last), last);
}

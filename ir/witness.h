/*
 * Witnesses: the concrete flow that stands for a set, the first in the order of spec/analysis.md 4.
 */
#ifndef IR_WITNESS_H
#define IR_WITNESS_H

#include "ir/flow_set.h"

/* One step of the order of destinations: an address range (its lowest address that is in the set), special identities,
 * the lowest address of a family, pods, names. */
enum witness_step_kind { WITNESS_ADDRESSES, WITNESS_SPECIALS, WITNESS_PODS, WITNESS_NAMES };
struct witness_step {
    enum witness_step_kind kind;
    const char *first, *last; /* addresses as text */
    uint32_t specials;        /* of WITNESS_SPECIALS: any of these, lowest enum first */
};
struct witness_order {
    const struct witness_step *steps;
    uint32_t count;
};

/* 169.254.169.254, fd00:ec2::254, 168.63.129.16, 169.254.170.2, 100.100.100.200; the lowest of 10/8, 172.16/12,
 * 192.168/16, 100.64/10, fc00::/7; the API server, the host, a remote node; the lowest IPv4, IPv6 address; other special
 * identities; pods by labels in byte order; the shortest name. */
const struct witness_order *witness_order_default(void);

/* The range of a WITNESS_ADDRESSES step; false for others and for text that is no address. */
bool witness_step_range(const struct witness_step *step, struct address *first, struct address *last);

/* The first destination of the set in this step, spending from *effort (ir/name_set.h); false: none, or undecided. */
bool witness_step_sample(struct arena *arena, const struct witness_step *step, const struct destination_set *set,
                         struct destination *destination, int64_t *effort);

/* The first flow of the set by the order: destination first, then protocol and port, then payload. `box` (may be NULL)
 * is the number of the box that it was found in. false: empty, or undecided. */
bool flow_set_sample(struct arena *arena, const struct flow_set *set, const struct witness_order *order,
                     struct flow *flow, uint32_t *box);

/* "169.254.169.254, port 443/TCP", "name a.example.com, ...": one line for messages. */
void flow_print(struct buffer *out, const struct flow *flow);

#endif

/*
 * Protocols and ports: intervals of 0 to 65535 for TCP, UDP and SCTP; types 0 to 255 of ICMP and ICMPv6; one bit for
 * all other protocols.
 */
#ifndef IR_PORT_SET_H
#define IR_PORT_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum protocol {
    PROTOCOL_TCP,
    PROTOCOL_UDP,
    PROTOCOL_SCTP,
    PROTOCOL_ICMP,
    PROTOCOL_ICMPV6,
    PROTOCOL_OTHER,
    PROTOCOL_COUNT
};

struct port_range {
    uint16_t first, last;
};

/* Sorted, disjoint, not adjacent. ICMP types are ranges as well (0 to 255); OTHER holds {0, 0} or nothing. */
struct port_ranges {
    const struct port_range *ranges;
    uint32_t count;
};

struct port_set {
    struct port_ranges of[PROTOCOL_COUNT];
};

const char *protocol_word(enum protocol protocol); /* "TCP", ..., "other" */
bool protocol_has_ports(enum protocol protocol);   /* TCP, UDP and SCTP */

struct port_set port_set_nothing(void);
struct port_set port_set_everything(void); /* all protocols */
/* Ports first to last of a protocol (ICMP: types; OTHER: 0 to 0); what is beyond the protocol's range is left out. */
struct port_set port_set_of(struct arena *arena, enum protocol protocol, unsigned first, unsigned last);
/* All ports of TCP, UDP and SCTP. */
struct port_set port_set_transport(void);

struct port_set port_set_union(struct arena *arena, const struct port_set *a, const struct port_set *b);
struct port_set port_set_union_of(struct arena *arena, const struct port_set *const *sets, size_t count);
struct port_set port_set_intersect(struct arena *arena, const struct port_set *a, const struct port_set *b);
struct port_set port_set_subtract(struct arena *arena, const struct port_set *a, const struct port_set *b);
bool port_set_is_empty(const struct port_set *set);
bool port_set_equal(const struct port_set *a, const struct port_set *b);
bool port_set_contains(const struct port_set *set, enum protocol protocol, unsigned port);

/* The first flow part in the order of witnesses: TCP, UDP, SCTP, ICMP, ICMPv6, other; then ports 443, 80, 53, 22, the
 * lowest (spec/analysis.md 4). false: empty. */
bool port_set_sample(const struct port_set *set, enum protocol *protocol, unsigned *port);

/* That order, of two single ports: negative, 0 or positive. The preferred numbers count for protocols with ports only. */
int port_witness_compare(enum protocol a, unsigned port_a, enum protocol b, unsigned port_b);

/* "443/TCP, every port/UDP, icmp, icmpv6:1-3, other"; "everything"; "nothing". */
void port_set_print(struct buffer *out, const struct port_set *set);

#endif

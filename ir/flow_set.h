/*
 * Flows: a list of boxes destination × ports × payload (spec/design.md).
 *
 *   A − B = D_A×(P_A−P_B)×X_A  ∪  D_A×(P_A∩P_B)×(X_A−X_B)  ∪  (D_A−D_B)×(P_A∩P_B)×(X_A∩X_B)
 *
 * Boxes may overlap. Each carries the number of the rule it came from, which intersect and subtract keep.
 */
#ifndef IR_FLOW_SET_H
#define IR_FLOW_SET_H

#include "ir/destination_set.h"
#include "ir/payload_set.h"
#include "ir/port_set.h"

struct flow_box {
    struct destination_set destinations;
    struct port_set ports;
    struct payload_set payloads;
    uint32_t origin; /* whatever the maker of the box wants to find again */
};

struct flow_set {
    const struct flow_box *boxes; /* none that is known to be empty */
    uint32_t count;
};

struct flow_set flow_set_nothing(void);
struct flow_set flow_set_everything(void);
/* A set of one box; nothing where the box is known to be empty. */
struct flow_set flow_set_of(struct arena *arena, const struct flow_box *box);
struct flow_set flow_set_union(struct arena *arena, const struct flow_set *a, const struct flow_set *b);
struct flow_set flow_set_intersect(struct arena *arena, const struct flow_set *a, const struct flow_set *b);
struct flow_set flow_set_subtract(struct arena *arena, const struct flow_set *a, const struct flow_set *b);
/* The boxes of one origin. */
struct flow_set flow_set_of_origin(struct arena *arena, const struct flow_set *set, size_t origin);
/* SET_INHABITED where one box certainly is, SET_UNDECIDED where only undecided ones are left. */
enum emptiness flow_set_is_empty(struct arena *arena, const struct flow_set *set);
/* A line a box, each ended: "to DESTINATIONS, ports PORTS, payload PAYLOADS". */
void flow_set_print(struct buffer *out, const struct flow_set *set);

/* One concrete flow. */
struct flow {
    struct destination destination;
    enum protocol protocol;
    unsigned port; /* or ICMP type; 0 for other protocols */
    struct payload payload;
};
bool flow_set_contains(const struct flow_set *set, const struct flow *flow);

#endif

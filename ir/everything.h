/*
 * The constants that the sets of everything are made of. They need no arena, so such a set outlives all of them.
 */
#ifndef IR_EVERYTHING_H
#define IR_EVERYTHING_H

#include "ir/flow_set.h"

enum { EVERYTHING_FAMILIES = 2, EVERYTHING_SPECIALS = (1 << SPECIAL_COUNT) - 1 };

extern const struct address_range everything_addresses[EVERYTHING_FAMILIES]; /* by enum address_family */
extern const struct port_range everything_ports, everything_types, everything_other;
extern const struct name_term everything_name;
extern const struct endpoint_term everything_pod;
extern const struct learned_set everything_pair;
extern const struct flow_box everything_flow;

#endif

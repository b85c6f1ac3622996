/*
 * Flows near the constants of a world: the ends of each block and the addresses next to them, each name and an instance
 * of each pattern, each port and its neighbours; and what every world has: metadata addresses, pods, nodes.
 */
#ifndef TESTS_EVALUATOR_NEIGHBOURHOOD_H
#define TESTS_EVALUATOR_NEIGHBOURHOOD_H

#include "tests/evaluator/generate.h"

struct neighbourhood {
    struct arena *arena;
    const struct world *world;
    struct evaluator_address *addresses;
    size_t address_count, address_capacity;
    const char **names;
    size_t name_count, name_capacity;
    unsigned *ports;
    size_t port_count, port_capacity;
};

/* `extra` is a further object whose constants count, or NULL. */
void neighbourhood_find(struct neighbourhood *place, const struct world *world, const struct node *extra,
                        struct arena *arena);
/* One of the flows there. */
void neighbourhood_flow(const struct neighbourhood *place, struct dice *dice, struct evaluator_flow *flow);

#endif

/*
 * Numbers for the property tests: the same sequence for the same seed, on every machine.
 */
#ifndef TESTS_IR_RANDOM_H
#define TESTS_IR_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

struct random random_of(uint64_t seed);
/* 0 to bound - 1; bound > 0. */
unsigned random_below(struct random *random, unsigned bound);
/* True one time in `in`. */
bool random_one(struct random *random, unsigned in);

#endif

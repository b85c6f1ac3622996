/*
 * Seeded randomness: the same seed gives the same world on every machine.
 */
#ifndef TESTS_EVALUATOR_DICE_H
#define TESTS_EVALUATOR_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

/* splitmix64. */
static inline uint64_t dice_next(struct dice *dice) {
    uint64_t z = dice->state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* 0 to `bound` - 1; the bias of the remainder does not matter here. */
static inline size_t dice_below(struct dice *dice, size_t bound) { return (size_t)(dice_next(dice) % bound); }

/* True in `percent` of a hundred throws. */
static inline bool dice_chance(struct dice *dice, unsigned percent) { return dice_below(dice, 100) < percent; }

/* An element of a constant array of strings. */
#define DICE_PICK(dice, array) ((array)[dice_below((dice), sizeof(array) / sizeof *(array))])

#endif

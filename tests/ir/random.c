#include "tests/ir/random.h"

struct random random_of(uint64_t seed) {
    return (struct random){seed * 0x9e3779b97f4a7c15U + 0x2545f4914f6cdd1dU};
}

unsigned random_below(struct random *random, unsigned bound) {
    random->state += 0x9e3779b97f4a7c15U;
    uint64_t mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    mixed ^= mixed >> 31;
    return (unsigned)((mixed >> 32) % bound);
}

bool random_one(struct random *random, unsigned in) { return random_below(random, in) == 0; }

/*
 * A small generator (xorshift) for property tests: the same texts on every machine.
 */
#ifndef TESTS_GRAMMAR_RANDOM_H
#define TESTS_GRAMMAR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The next number; the seed is not 0. */
uint32_t random_next(uint32_t *seed);

/* A text of up to `room` bytes, each drawn from `alphabet`. */
struct text random_text(uint32_t *seed, const char *alphabet, char *out, size_t room);

#endif

/*
 * Terms of endpoint sets: a label set less others (ir/endpoint_set.h). Only ir/endpoint_*.c include this.
 */
#ifndef IR_ENDPOINT_TERM_H
#define IR_ENDPOINT_TERM_H

#include "ir/endpoint_set.h"

/* Drops exclusions that take nothing away; one with a single open requirement becomes a requirement. The pods stay the
 * same. False: none is left. `all_of` must not be empty. */
bool endpoint_term_reduce(struct arena *arena, struct endpoint_term *term);
/* Of a reduced term. */
enum emptiness endpoint_term_is_empty(const struct endpoint_term *term, int64_t *effort);
/* Whether some pod may be in both; whether every pod of `a` certainly is one of `b`. */
bool endpoint_term_meets(const struct endpoint_term *a, const struct endpoint_term *b);
bool endpoint_term_is_within(const struct endpoint_term *a, const struct endpoint_term *b);

#endif

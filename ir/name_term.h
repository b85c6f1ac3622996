/*
 * Terms of name sets: their reduction by the texts of patterns, and the search for their first name. Only ir/name_*.c
 * include this.
 */
#ifndef IR_NAME_TERM_H
#define IR_NAME_TERM_H

#include "ir/name_pattern.h"

/* Makes the term as small as the texts of its patterns allow: no union that every name is in or that follows from
 * another, no pattern that adds or takes away nothing; a list of exact names and nothing else where a union of exact
 * names is among the conditions. The language stays the same. False: certainly empty. */
bool name_term_reduce(struct arena *arena, struct name_term *term);

bool name_term_contains(const struct name_term *term, struct text name);
/* Whether every name of `a` is certainly one of `b`. */
bool name_term_is_within(const struct name_term *a, const struct name_term *b);
/* A guess at a name of the term, from the texts of its patterns; NULL: none was found, which says nothing. */
const char *name_term_guess(struct arena *arena, const struct name_term *term);

/* The first name, by length and then by bytes. `effort` is what may be spent and is lowered by what was: about one a
 * state of the search. *emptiness says what NULL means. */
const char *name_term_search(struct arena *arena, const struct name_term *term, int64_t *effort,
                             enum emptiness *emptiness);

#endif

/*
 * What all sets of flows have in common (spec/design.md, "The middle").
 *
 * Every set is a canonical value: sorted, merged, const once built, living in an arena. Every set has the verbs
 * intersect, subtract, is_empty, sample and print. Sets that hold names may give up on hostile patterns: they answer
 * SET_UNDECIDED, which no caller may take for either of the others.
 */
#ifndef IR_SET_H
#define IR_SET_H

enum emptiness { SET_EMPTY, SET_INHABITED, SET_UNDECIDED };

#endif

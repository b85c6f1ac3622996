/*
 * Times of a day: when a snapshot was taken.
 *
 * Source: RFC 3339 5.6, `date-time`. The ABNF:
 *
 *   timestamp = date ("T" / "t") time [fraction] zone
 *   date      = 4DIGIT "-" 2DIGIT "-" 2DIGIT         ; a day that the calendar has
 *   time      = 2DIGIT ":" 2DIGIT ":" 2DIGIT         ; to 23:59:60, a leap second
 *   fraction  = "." 1*DIGIT
 *   zone      = "Z" / "z" / ("+" / "-") 2DIGIT ":" 2DIGIT
 *
 * Refused: see enum timestamp_fault, in the order of the text.
 */
#ifndef GRAMMAR_TIMESTAMP_H
#define GRAMMAR_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum timestamp_fault {
    TIMESTAMP_OK,
    TIMESTAMP_DATE, /* no date at the start, or one that no calendar has */
    TIMESTAMP_TIME, /* no `T` and time after it */
    TIMESTAMP_ZONE, /* no zone at the end */
    TIMESTAMP_TRAILING
};

/* Seconds since 1970-01-01T00:00:00Z, the fraction left out. `offset` (may be NULL): where the fault begins. */
enum timestamp_fault timestamp_parse(struct text text, int64_t *seconds, size_t *offset);

/* "has no date at its start": one clause. */
const char *timestamp_fault_text(enum timestamp_fault fault);

#endif

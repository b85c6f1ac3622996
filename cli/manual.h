/*
 * The manual page egressc(1), made from the tables of commands, options, formats and codes.
 */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "base/text.h"

/* The page, in the macros of man(7). docs/egressc.1 holds what this writes. */
void manual_write(struct buffer *out);

#endif

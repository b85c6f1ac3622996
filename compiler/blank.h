/*
 * Blanks as Unicode has them: names padded with a no-break space look right and are not.
 */
#ifndef COMPILER_BLANK_H
#define COMPILER_BLANK_H

#include "base/text.h"

/* Without white space and line ends (Unicode's, and the byte order mark) at either end. UTF-8. */
struct text blank_trim(struct text text);

#endif

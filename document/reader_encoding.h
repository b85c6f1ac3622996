/*
 * UTF-8 and UTF-16. Private to the readers.
 */
#ifndef DOCUMENT_READER_ENCODING_H
#define DOCUMENT_READER_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum text_encoding { ENCODING_UTF8, ENCODING_UTF16_LITTLE, ENCODING_UTF16_BIG };

/* What the byte order mark says, and its length (0: there is none, so UTF-8). */
enum text_encoding encoding_of(struct text bytes, size_t *mark_length);

/* The bytes of the UTF-8 character at `at` (no surrogates, no overlong forms), or 0 where there is none. */
size_t utf8_length(const char *at, const char *end);

/* `bytes` without their mark, as UTF-8 in the arena; false: a surrogate stands alone or a byte is left over, and `out`
 * is what comes before that. */
bool encoding_from_utf16(struct text bytes, enum text_encoding encoding, struct arena *arena, struct text *out);

#endif

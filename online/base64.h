/*
 * Base64 (RFC 4648, section 4), as kubeconfigs carry certificates and keys.
 */
#ifndef ONLINE_BASE64_H
#define ONLINE_BASE64_H

#include <stdbool.h>

#include "base/text.h"

struct arena;

/* Decodes into the arena; line breaks are passed over. False: it is no base64. */
bool base64_decode(struct text encoded, struct arena *arena, struct text *decoded);
/* Encodes into the arena, NUL-terminated. */
const char *base64_encode(struct text bytes, struct arena *arena);

#endif

/*
 * Passing over a map or list of JSON text: of what is dropped only strings and brackets matter, to find its end. Sixty-four
 * bytes are looked at together.
 */
#ifndef ONLINE_JSON_SKIP_H
#define ONLINE_JSON_SKIP_H

#include <stdbool.h>
#include <stddef.h>

struct json_skip {
    size_t depth;            /* brackets that are open; 0: the end was passed */
    bool in_string, escaped; /* where the text goes on; `escaped`: after a backslash */
};

/* Where `skip` has an open bracket: passes over what it can, and that is all of it or up to the bracket that closes the
 * first one. NULL: a string holds a control character, or a backslash stands in none. */
const char *json_skip(struct json_skip *skip, const char *bytes, size_t length);

/* The same, byte by byte: what the other one is tested against. */
const char *json_skip_plainly(struct json_skip *skip, const char *bytes, size_t length);

#endif

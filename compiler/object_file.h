/*
 * Files of compiled objects in an output directory (spec/cli.md, `compile`).
 */
#ifndef COMPILER_OBJECT_FILE_H
#define COMPILER_OBJECT_FILE_H

#include <stdbool.h>

#include "base/diagnostic.h"
#include "base/text.h"

struct arena;

/* `<kind>_<namespace>_<name>EXTENSION`, kind in lower case, `_` alone for no namespace. Over 255 bytes: the first 233 of
 * the part before the extension, `_`, 16 hex digits of the 64-bit FNV-1a of the whole name, the extension. `extension`
 * is ".yaml" or ".json". */
const char *object_file_name(struct arena *arena, struct object_name object, const char *extension);

/* Whether a file name has that form for a kind, whatever the extension of the two. */
bool object_file_name_matches(struct text name, const char *kind);

#endif

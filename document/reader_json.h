/*
 * What the JSON scanner hands to the decoder: the text of one object without what is not kept, and for each value of
 * it, in order, where it stands. Private to the readers.
 */
#ifndef DOCUMENT_READER_JSON_H
#define DOCUMENT_READER_JSON_H

#include "document/reader_build.h"

/* The decoder's own bound on nesting; a larger --max-depth does not reach JSON. */
enum { JSON_DEPTH_MOST = 900 };

/* One of each value and each key. */
struct json_mark {
    uint32_t line, column;
    uint32_t length;          /* bytes: of a string when decoded; of a number as written */
    const char *text;         /* a number as written, in the source */
    const struct node *built; /* a value that is a node already; the text has a null in its place */
};

/* Decodes the object of `text` (with cJSON) into a node; the first mark is its own. */
bool json_decode(struct reader *reader, struct text text, const struct json_mark *marks, struct node *node);

#endif

/*
 * What the tests of the readers share: reading a text, and a short spelling of trees and diagnostics.
 */
#ifndef TESTS_DOCUMENT_READING_H
#define TESTS_DOCUMENT_READING_H

#include "base/arena.h"
#include "document/reader.h"

struct reading {
    struct arena *arena;
    struct diagnostics diagnostics;
    struct file file;
    struct reader_options options;
};

/* cmocka fixtures: the state is a struct reading with the default limits and no filter. */
int reading_setup(void **state);
int reading_teardown(void **state);

void reading_text(struct reading *reading, const char *name, struct text text);
/* The same by a descriptor of a temporary file, and of a pipe that another process fills. */
void reading_file(struct reading *reading, const char *name, struct text text);
void reading_pipe(struct reading *reading, const char *name, struct text text);
/* A NUL-terminated text under the name "t.yaml". */
void reading_yaml(struct reading *reading, const char *text);
void reading_json(struct reading *reading, const char *text);

/* All documents: `{k=s'v' l=[i1 n~]}`, with b i f n s for the kinds, upper case where quoted, and after the letter `!`
 * where retyped; keys: `k`, quoted `"k"`, retyped `!k`, merged `<k`. Documents are separated by " | ". */
const char *reading_trees(struct reading *reading);
/* The same with `line:column ` before each node. */
const char *reading_places(struct reading *reading);
/* All diagnostics in order: `line:column code`, separated by ", ". */
const char *reading_codes(struct reading *reading);

#endif

/*
 * Where a reader's bytes come from: a text, or a descriptor that is read in blocks. Private to the readers.
 *
 * The last blocks stay in a window, so that columns (libyaml counts characters, we show bytes), positions of byte
 * offsets and the line of an error can be found without keeping the file. All places here count from 0; offsets count
 * the bytes that follow a byte order mark.
 */
#ifndef DOCUMENT_READER_SOURCE_H
#define DOCUMENT_READER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* One read. The window holds at least this much of what was handed out, which is more than libyaml reads ahead. */
enum { SOURCE_BLOCK = 128 * 1024 };

/* Why no more bytes come: the end, a bound of spec/design.md "Hostile input", or errno in `error`. */
enum source_stop { SOURCE_GOES_ON, SOURCE_ENDED, SOURCE_TOO_LARGE, SOURCE_SILENT, SOURCE_FAILED };

struct source_place {
    size_t offset; /* in bytes */
    size_t line, character, byte;
};

struct source {
    int descriptor; /* -1: a text */
    char *buffer;   /* of two blocks; NULL for a text */
    const char *window;
    size_t window_length;
    size_t next;               /* offset in the window of the next byte to hand out */
    struct source_place start; /* of the window */
    struct source_place
        cursor;                /* the last place asked for; places are asked for in order, so the search goes on here */
    size_t total, total_limit; /* bytes of the file so far */
    size_t silent, silent_limit;     /* bytes handed out since the reader last said that it got something from them */
    bool non_ascii, returns, braces; /* whether such bytes, CRs, or "{{" were handed out so far */
    bool ignores;                    /* and "c:i", which `egressc:ignore` holds and little else */
    char before_last, last;
    enum source_stop stop;
    int error;
};

void source_open_text(struct source *source, struct text text, size_t silent_limit);
/* `buffer`: of 2 * SOURCE_BLOCK bytes. Reads the first block; its bytes are the window. */
void source_open_descriptor(struct source *source, int descriptor, char *buffer, size_t total_limit,
                            size_t silent_limit);
/* Passes over a byte order mark of `length` bytes, before anything is read. */
void source_skip_mark(struct source *source, size_t length);

/* Hands out up to `size` bytes; 0: look at `stop`. */
size_t source_read(struct source *source, char *out, size_t size);
/* Makes the window longer (and maybe drops its front); false: look at `stop`. */
bool source_fill(struct source *source);

/* The column in bytes of the place that libyaml calls (line, character). */
size_t source_column(struct source *source, size_t line, size_t character);
/* The place of a byte offset, as near as the window allows. */
struct source_place source_place_of(const struct source *source, size_t offset);
/* The line without its end, where all of it is in the window. */
bool source_line(const struct source *source, size_t line, struct text *text);
/* Where a "{{" is that may explain an error in `line`: in the line itself, or before it without a "}}" since. */
bool source_open_braces(const struct source *source, size_t line, struct source_place *place);
/* Goes back to `line`, or where the window no longer holds it as far as it can (all between was one scalar, which holds
 * no marker), and on to the first line that starts with "---"; sets its number. False: there is none, or `stop` says
 * why the search ended. */
bool source_seek_marker(struct source *source, size_t line, size_t *found);

#endif

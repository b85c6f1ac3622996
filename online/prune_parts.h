/*
 * What the two ways through an answer share: byte by byte (prune.c), and whole members at a time (prune_members.c). Private
 * to prune*.c.
 *
 * What takes text gets it from `at` to `end` and returns where it goes on; NULL: it failed.
 */
#ifndef ONLINE_PRUNE_PARTS_H
#define ONLINE_PRUNE_PARTS_H

#include "online/prune.h"

enum prune_state {
    AT_VALUE,
    AT_FIRST_VALUE, /* or the end of the list */
    AT_FIRST_KEY,   /* or the end of the map */
    AT_KEY,
    AT_COLON,
    AT_NEXT, /* a comma, or the end of the innermost map or list */
    AT_END,
    IN_STRING,
    IN_ESCAPE,
    IN_HEX,
    IN_SCALAR, /* a number or a word */
    IN_DROPPED /* a map or list that is passed over */
};

/* Notes the first thing that is wrong; false and NULL, for who returns it. */
bool prune_fail(struct prune *prune, const char *problem);
const char *prune_fail_here(struct prune *prune, const char *problem);

/* ---- output ---- */

/* Hands on the run. */
bool prune_flush(struct prune *prune);
/* From here on it goes to the head, or to the items. */
bool prune_direct(struct prune *prune, bool to_head);

/* What stands in the text that is fed, or is constant. What follows one another there is one run. */
static inline bool prune_put(struct prune *prune, const char *bytes, size_t length) {
    if (prune->run_length == 0 || bytes != prune->run + prune->run_length) {
        if (!prune_flush(prune))
            return false;
        prune->run = bytes;
    }
    prune->run_length += length;
    return true;
}

/* ---- keys and values ---- */

/* What becomes of the value of that key. */
void prune_judge_key(struct prune *prune, const char *key, size_t length);
/* What becomes of an element of the innermost list. */
void prune_judge_element(struct prune *prune);

static inline void prune_end_value(struct prune *prune) {
    prune->state = prune->depth == 0 ? AT_END : AT_NEXT;
    prune->done = prune->depth == 0;
}

/* At a bracket; for one that opens, what becomes of it was judged. */
const char *prune_open(struct prune *prune, const char *at);
const char *prune_close(struct prune *prune, const char *at);

/* How many bytes may belong to a number or word. */
size_t prune_scalar_length(const char *at, const char *end);
/* Whether one that is whole is one. */
bool prune_is_scalar(const char *bytes, size_t length);

/* ---- whole members ---- */

/* At the quote of a key: takes members as long as each stands whole in the text and plainly, with what is opened and
 * closed between them. Returns `at` where not even the first one does: then nothing has happened. */
const char *prune_members(struct prune *prune, const char *at, const char *end);

#endif

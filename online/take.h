/*
 * Taking a snapshot: a few workers read the collections of a plan side by side, then the index is written and the folder
 * put into its place.
 */
#ifndef ONLINE_TAKE_H
#define ONLINE_TAKE_H

#include "online/snapshot_file.h"

enum take_result {
    TAKE_WHOLE,
    TAKE_INCOMPLETE, /* it is in its place, and its index says what could not be read */
    TAKE_FAILED      /* there is none */
};

struct take {
    struct client *client;
    struct plan *plan;
    const struct writer_calls *calls;
    const char *output;
    bool replaces;
    unsigned workers;
    struct snapshot_head head; /* but for server, version and context, which are found here */

    /* Progress, from any worker, one at a time; or NULL. */
    void (*progress)(void *context, size_t collections, uint64_t items);
    void *progress_context;

    const char *problem; /* what went wrong where it failed; where it did not, what else is to be said, or NULL */
};

/* Takes it. An interruption fails too, and leaves nothing. Strings live in the arenas, which are the caller's: one of the
 * run and one a worker, made by take_snapshot and destroyed by take_destroy. */
struct take_arenas {
    struct arena *run;
    struct arena **workers;
    size_t count;
};
enum take_result take_snapshot(struct take *take, struct take_arenas *arenas);
void take_destroy(struct take_arenas *arenas);

#endif

/*
 * The client: lists of an API server, page by page, into files (spec/snapshot.md).
 *
 * Every request and the whole run have an end; what may pass is tried again, with growing waits or as long as the server
 * says, as often as a budget that all requests share allows. What cannot be read is told apart: not allowed, not served,
 * failed.
 */
#ifndef ONLINE_CLIENT_H
#define ONLINE_CLIENT_H

#include <pthread.h>

#include "online/access.h"
#include "online/clock.h"
#include "online/collections.h"
#include "online/writer.h"

struct client_limits {
    unsigned page;       /* objects a page */
    unsigned request_ms; /* from its begin to the end of its answer */
    unsigned connect_ms;
    uint64_t run_ms;          /* of all requests together */
    unsigned retries;         /* of one request */
    unsigned budget;          /* of all requests together */
    uint64_t page_bytes;      /* of one answer */
    uint64_t longest_wait_ms; /* before a retry, whatever the server asks for */
};
struct client_limits client_limits_default(void);

/* What all workers share; `budget`, and what follows it, under the lock. */
struct client {
    const struct access *access;
    /* Asked for other credentials (online/renewal.h): puts them into the access; strings live in the arena. NULL: well, or
     * why not. The function NULL: there are none. */
    const char *(*renew)(void *context, struct access *access, struct arena *arena);
    void *renew_context;
    const struct transport *transport;
    const struct clock *clock;
    struct client_limits limits;
    unsigned keep; /* enum prune_keep */
    uint64_t began_ms;
    pthread_mutex_t lock;
    unsigned budget;
    unsigned renewals, refusals; /* other credentials that came; 401s that were answered by asking */
    struct access renewed;       /* the access as it is by now */
    struct arena *arena;         /* of renewals */
    void (*progress)(void *context, uint64_t items); /* so many more were read; from any worker; or NULL */
    void *progress_context;
};

bool client_init(struct client *client, const struct access *access, const struct transport *transport,
                 const struct clock *clock, const struct client_limits *limits, unsigned keep);
void client_destroy(struct client *client);

enum fetch_status { FETCH_READ, FETCH_NOT_SERVED, FETCH_FORBIDDEN, FETCH_FAILED };

/* One collection of one namespace, or one ConfigMap: what is wanted, and what came of it. */
struct fetch {
    const struct collection_row *row;
    const char *namespace; /* NULL: the whole cluster */
    const char *name;      /* of the one object, or NULL */
    const char *file;      /* its name */

    enum fetch_status status;
    const char *reason; /* NULL where it was read */
    struct text version;
    uint64_t items;
    const char *resource_version; /* or NULL */
    bool unreachable;             /* no answer ever came */
    bool unwritable;              /* the disk's fault, not the server's */
};

/* A worker's own: a session, buffers, and memory for what it finds. */
struct client_session;
/* NULL: the transport cannot be set up. Strings of fetches live in `results`, which is the worker's
 * alone, as is the session. */
struct client_session *client_session_open(struct client *client, struct arena *results);
void client_session_close(struct client_session *session);

/* Reads it into its file. A file that is not whole is removed. */
void client_fetch(struct client_session *session, const struct writer *writer, struct fetch *fetch);

/* The server's version ("v1.31.2"); NULL: it does not tell. `reason`: where no answer came at all, why; else NULL. */
const char *client_version(struct client_session *session, const char **reason);

#endif

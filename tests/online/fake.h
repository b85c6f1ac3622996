/*
 * An API server that is a table of answers, behind the transport; a clock that tests move; a folder that goes away.
 */
#ifndef TESTS_ONLINE_FAKE_H
#define TESTS_ONLINE_FAKE_H

#include "online/take.h"

struct fake_answer {
    const char *path; /* how the URL goes on after the server, up to a "*" if it ends in one */
    unsigned times;   /* how often it is given; 0: always */
    long status;      /* 0: none */
    enum transport_result result;
    const char *type; /* NULL: application/json */
    const char *body; /* NULL: none */
    uint64_t retry_after_ms;
    const char *error;
    unsigned long spends_ms; /* on the clock */
};

enum { FAKE_ANSWERS = 64, FAKE_URLS = 256, FAKE_URL = 512, FAKE_DAWN_S = 1000000000 };

struct fake {
    const struct fake_answer *answers; /* ends with a NULL path; what no answer has is not served */
    unsigned given[FAKE_ANSWERS];
    size_t piece; /* bytes at once of a body; 0: all */
    char urls[FAKE_URLS][FAKE_URL];
    size_t url_count;
    char authorization[FAKE_URL]; /* of the last request */
    uint64_t now_ms, slept_ms;
    size_t stops_after; /* requests; 0: never */
    size_t fails_at;    /* the number of a request, from 1, of which half the body comes and then this; 0: none */
    enum transport_result fails_with;
    unsigned open_sessions;
    pthread_mutex_t lock;

    const char *(*renew)(void *context, struct access *access, struct arena *arena);
    unsigned renewals;          /* for `renew`, whose context is the fake */
    char certificate[FAKE_URL]; /* of the session that asked last */
    unsigned sessions;          /* that were ever opened */

    struct access access;
    struct transport transport;
    struct clock clock;
    struct arena *arena;
    char folder[64];    /* a new one */
    const char *output; /* a path in it where nothing is */
};

void fake_open(struct fake *fake, const struct fake_answer *answers);
/* Removes the folder and what is in it; fails the test where more than `output` stands there, or a session is open. */
void fake_close(struct fake *fake);

/* How often a URL was asked for that goes on like this. */
size_t fake_count(const struct fake *fake, const char *path);

/* One collection through a client: "networkpolicies", of a namespace or NULL. */
struct fetch fake_fetch(struct fake *fake, const char *resource, const char *namespace,
                        const struct client_limits *limits);
/* That this came of it; `reason` NULL: none is told. */
void fake_expect(const struct fetch *fetch, enum fetch_status status, const char *reason);
/* The content of a file below `output`, in the fake's arena; NULL: there is none. */
const char *fake_read(struct fake *fake, const char *name);
/* How many entries a folder has; -1: there is none. */
int fake_entries(const char *path);

/* A whole run. `collections` ends with NULL; NULL: all of them. */
enum take_result fake_take(struct fake *fake, const char *const *collections, const struct writer_calls *calls,
                           bool replaces, const char **problem);

#endif

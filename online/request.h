/*
 * One request of the client, tried again as often as that may help. Private to the client.
 */
#ifndef ONLINE_REQUEST_H
#define ONLINE_REQUEST_H

#include "online/client.h"

enum {
    REQUEST_MESSAGE = 64 * 1024, /* bytes that are kept of an answer that is no success */
    REQUEST_TOKEN = 16 * 1024,   /* bytes of a token to continue with */
    REQUEST_VERSION = 128        /* of a resource version */
};

struct client_session {
    struct client *client;
    struct access access; /* of the client, with the credentials as they are by now */
    unsigned renewals;    /* that it knows of */
    struct transport_session *transport;
    struct arena *arena; /* rolled back after each page */
    struct arena *results;
    struct prune *prune;
    struct writer_file *file;
    char message[REQUEST_MESSAGE]; /* of the last answer that was no success */
    size_t message_length;
    char more[REQUEST_TOKEN], resource_version[REQUEST_VERSION]; /* "": none */
};

/* A request whose successful answers go through `session->prune`. */
struct request {
    const char *url;
    bool (*begin)(void *context); /* before each try: makes `session->prune` ready for an answer from its start */
    void *context;
};

enum request_result {
    REQUEST_DONE,      /* 200, and the prune has finished well */
    REQUEST_ANSWERED,  /* another status; `message` has the answer */
    REQUEST_MALFORMED, /* 200, and what came is not what was asked for */
    REQUEST_LOST,      /* no whole answer */
    REQUEST_UNWRITABLE
};

struct request_outcome {
    enum request_result result;
    long status;
    const char *reason; /* NULL where it is done */
    bool unreachable;
};

/* Strings of the outcome live in the session's arena. */
struct request_outcome request_send(struct client_session *session, const struct request *request);

#endif

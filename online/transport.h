/*
 * Transport: HTTP requests, as little of them as a reader of an API server needs. All that is above knows libcurl, TLS and
 * sockets through this header alone, and is tested with another implementation.
 *
 * A session is used by one thread at a time and keeps its connection. Redirects are never followed, other protocols than
 * HTTP and HTTPS never spoken, TLS is 1.2 at least.
 */
#ifndef ONLINE_TRANSPORT_H
#define ONLINE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Whom to trust and who we are. Texts are PEM; empty and NULL: absent. */
struct transport_identity {
    struct text authorities; /* empty: those of the system */
    struct text certificate, key;
    const char *server_name; /* that the server's certificate must have, where it is not the URL's host */
    const char *proxy;       /* URL; "": none; NULL: what the environment says. socks5h: it resolves names itself */
    bool skip_verify;
    bool uncompressed; /* answers are wanted as they are */
};

enum transport_result {
    TRANSPORT_ANSWERED,    /* the whole answer was taken, whatever its status */
    TRANSPORT_UNREACHABLE, /* no connection: may be tried again */
    TRANSPORT_BROKEN,      /* the connection ended in the middle: may be tried again */
    TRANSPORT_TIMED_OUT,   /* may be tried again */
    TRANSPORT_UNTRUSTED,   /* TLS failed */
    TRANSPORT_TOO_LARGE,
    TRANSPORT_STOPPED, /* `stopped` said so */
    TRANSPORT_REFUSED, /* the taker of the answer wanted no more */
    TRANSPORT_UNUSABLE /* the request itself, or the program's set-up */
};

enum { TRANSPORT_ERROR = 256, TRANSPORT_TYPE = 80 };

struct transport_answer {
    enum transport_result result;
    long status;                       /* of HTTP, 0: none came */
    char content_type[TRANSPORT_TYPE]; /* without parameters, in lower case; "" where absent */
    uint64_t retry_after_ms;           /* 0: not told */
    char error[TRANSPORT_ERROR];       /* what went wrong below HTTP */
};

struct transport_request {
    const char *url;
    const char *const *headers; /* "Name: value"; ends with NULL */
    unsigned timeout_ms, connect_timeout_ms;
    uint64_t byte_limit; /* of the body, uncompressed */
    /* Takes a piece of the body; status and content type of the answer are known. False: no more. */
    bool (*take)(void *context, const struct transport_answer *answer, const char *bytes, size_t length);
    /* Asked at least once a second; true: give up. */
    bool (*stopped)(void *context);
    void *context;
};

struct transport_session;

struct transport {
    /* NULL: it could not be set up. The identity must outlive the session. */
    struct transport_session *(*open)(void *state, const struct transport_identity *identity);
    void (*get)(struct transport_session *session, const struct transport_request *request,
                struct transport_answer *answer);
    void (*close)(struct transport_session *session);
    void *state;
};

/* libcurl. The first call of a process must come before there are threads; false: it cannot be used. */
bool transport_curl(struct transport *transport);
void transport_curl_end(void);

#endif

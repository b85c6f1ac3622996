/*
 * A real HTTP server for tests, on the loopback address: libmicrohttpd behind a table of answers.
 */
#ifndef TESTS_ONLINE_HTTP_SERVER_H
#define TESTS_ONLINE_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server_answer {
    const char *path; /* of the URL, without its query; ends with NULL */
    unsigned times;   /* how often it is given; 0: always */
    unsigned status;
    const char *type;           /* NULL: application/json */
    const char *body;           /* NULL: none */
    const char *header, *value; /* one more header, or NULL */
    size_t repeats;             /* how often `body` is sent; 0: once */
    size_t break_after;         /* bytes, after which the connection ends; 0: it does not */
    unsigned wait_ms;           /* before the answer */
    unsigned wait_inside_ms;    /* after its first byte */
};

/* TLS: texts in PEM; NULL: plain HTTP. */
struct server_identity {
    const char *certificate, *key;
    const char *client_authority; /* of whom a client's certificate is asked; NULL: it is not */
};

struct server;

/* NULL: it cannot be started. The answers must outlive it. */
struct server *server_start(const struct server_answer *answers, const struct server_identity *identity);
void server_stop(struct server *server);
unsigned server_port(const struct server *server);
/* How many connections and requests came, and what the last one had for that header ("" where absent). */
unsigned server_connections(struct server *server);
unsigned server_requests(struct server *server);
const char *server_last_authorization(struct server *server);
const char *server_last_host(struct server *server);
/* Its headers whose names begin with "Impersonate-", in their order, as "Name=value;" each. */
const char *server_last_impersonation(struct server *server);
/* Whether the last request came with a client's certificate that was verified. */
bool server_last_was_known(struct server *server);

#endif

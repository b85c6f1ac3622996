#include "server.h"

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWERS = 64, HEADER = 256 };

struct server {
    struct MHD_Daemon *daemon;
    const struct server_answer *answers;
    unsigned given[ANSWERS], connections, requests;
    bool knows_clients, known;
    char authorization[HEADER], host[HEADER], impersonation[HEADER];
    pthread_mutex_t lock;
};

static void wait_ms(unsigned span) {
    struct timespec time = {.tv_sec = span / 1000, .tv_nsec = (long)(span % 1000) * 1000000};
    nanosleep(&time, NULL);
}

/* ---- bodies ---- */

struct body {
    const struct server_answer *answer;
    size_t length; /* of one time */
};

static ssize_t read_body(void *context, uint64_t position, char *out, size_t size) {
    const struct body *body = context;
    const struct server_answer *answer = body->answer;
    size_t count = answer->repeats > 0 ? answer->repeats : 1;
    if (answer->wait_inside_ms > 0 && position == 1)
        wait_ms(answer->wait_inside_ms);
    if (answer->break_after > 0 && position >= answer->break_after)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (position >= body->length * count)
        return MHD_CONTENT_READER_END_OF_STREAM;
    size_t at = (size_t)(position % body->length), part = body->length - at;
    part = answer->wait_inside_ms > 0 ? 1 : part < size ? part : size;
    memcpy(out, answer->body + at, part);
    return (ssize_t)part;
}

static struct MHD_Response *make_response(const struct server_answer *answer) {
    struct body *body = malloc(sizeof *body);
    *body = (struct body){.answer = answer, .length = answer->body ? strlen(answer->body) : 0};
    size_t count = answer->repeats > 0 ? answer->repeats : 1;
    struct MHD_Response *response =
        MHD_create_response_from_callback(body->length * count, 64 * 1024, read_body, body, free);
    MHD_add_response_header(response, "Content-Type", answer->type ? answer->type : "application/json");
    if (answer->header)
        MHD_add_response_header(response, answer->header, answer->value);
    return response;
}

/* ---- requests ---- */

static const struct server_answer *find_answer(struct server *server, const char *path) {
    static const struct server_answer not_served = {
        .status = 404, .type = "text/plain", .body = "404 page not found\n"};
    for (size_t i = 0; server->answers[i].path; i++) {
        const struct server_answer *answer = &server->answers[i];
        if (strcmp(answer->path, path) == 0 && (answer->times == 0 || server->given[i] < answer->times)) {
            server->given[i]++;
            return answer;
        }
    }
    return &not_served;
}

static void copy_header(struct MHD_Connection *connection, const char *name, char out[HEADER]) {
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    snprintf(out, HEADER, "%s", value ? value : "");
}

static enum MHD_Result add_impersonation(void *context, enum MHD_ValueKind kind, const char *key, const char *value) {
    char *out = context;
    size_t length = strlen(out);
    (void)kind;
    if (strncmp(key, "Impersonate-", 12) == 0)
        snprintf(out + length, HEADER - length, "%s=%s;", key + 12, value ? value : "");
    return MHD_YES;
}

static bool is_known(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    unsigned problems = 1;
    return info && info->tls_session && gnutls_certificate_verify_peers2(info->tls_session, &problems) == 0 &&
           problems == 0;
}

static enum MHD_Result answer_request(void *context, struct MHD_Connection *connection, const char *url,
                                      const char *method, const char *version, const char *upload, size_t *upload_size,
                                      void **state) {
    struct server *server = context;
    (void)version, (void)upload, (void)upload_size;
    /* The first call is about the headers: an answer to it would end the connection. */
    if (!*state) {
        *state = context;
        return MHD_YES;
    }
    pthread_mutex_lock(&server->lock);
    server->requests++;
    copy_header(connection, "Authorization", server->authorization);
    copy_header(connection, "Host", server->host);
    server->impersonation[0] = '\0';
    MHD_get_connection_values(connection, MHD_HEADER_KIND, add_impersonation, server->impersonation);
    server->known = server->knows_clients && is_known(connection);
    const struct server_answer *answer = find_answer(server, url);
    pthread_mutex_unlock(&server->lock);
    if (strcmp(method, "GET") != 0)
        return MHD_NO;
    wait_ms(answer->wait_ms);
    struct MHD_Response *response = make_response(answer);
    enum MHD_Result result = MHD_queue_response(connection, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

static void count_connection(void *context, struct MHD_Connection *connection, void **state,
                             enum MHD_ConnectionNotificationCode code) {
    struct server *server = context;
    (void)connection, (void)state;
    pthread_mutex_lock(&server->lock);
    server->connections += code == MHD_CONNECTION_NOTIFY_STARTED;
    pthread_mutex_unlock(&server->lock);
}

/* ---- the server ---- */

struct server *server_start(const struct server_answer *answers, const struct server_identity *identity) {
    struct server *server = calloc(1, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
    struct MHD_OptionItem options[5] = {{MHD_OPTION_SOCK_ADDR, 0, &address},
                                        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)count_connection, server},
                                        {MHD_OPTION_END, 0, NULL}};
    if (identity) {
        flags |= MHD_USE_TLS;
        options[2] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)identity->certificate};
        options[3] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)identity->key};
        options[4] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    }
    server->answers = answers;
    server->knows_clients = identity && identity->client_authority;
    pthread_mutex_init(&server->lock, NULL);
    if (server->knows_clients)
        server->daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer_request, server, MHD_OPTION_HTTPS_MEM_TRUST,
                                          identity->client_authority, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    else
        server->daemon =
            MHD_start_daemon(flags, 0, NULL, NULL, answer_request, server, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (server->daemon)
        return server;
    pthread_mutex_destroy(&server->lock);
    free(server);
    return NULL;
}

void server_stop(struct server *server) {
    MHD_stop_daemon(server->daemon);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

unsigned server_port(const struct server *server) {
    return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

static unsigned locked(struct server *server, const unsigned *count) {
    pthread_mutex_lock(&server->lock);
    unsigned now = *count;
    pthread_mutex_unlock(&server->lock);
    return now;
}

unsigned server_connections(struct server *server) { return locked(server, &server->connections); }
unsigned server_requests(struct server *server) { return locked(server, &server->requests); }

const char *server_last_authorization(struct server *server) { return server->authorization; }
const char *server_last_host(struct server *server) { return server->host; }
const char *server_last_impersonation(struct server *server) { return server->impersonation; }
bool server_last_was_known(struct server *server) { return server->known; }

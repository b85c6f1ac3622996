/* The transport over real sockets: TLS and who is trusted, time, size, redirects, connections that break. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "online/access.h"
#include "online/transport.h"
#include "server.h"

/* What the tests share, made once. */
struct shared {
    char folder[64];
    struct arena *arena;
    struct transport transport;
};

static struct text pem(const struct shared *shared, const char *name) {
    struct text text;
    assert_true(access_read_file(arena_format(shared->arena, "%s/%s", shared->folder, name), shared->arena, &text));
    return text;
}

static int set_up(void **state) {
    struct shared *shared = calloc(1, sizeof *shared);
    char command[256];
    /* What the environment says of proxies is not what is tested. */
    static const char *const variables[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    shared->arena = arena_create();
    snprintf(shared->folder, sizeof shared->folder, "/tmp/egressc-test.XXXXXX");
    if (!mkdtemp(shared->folder) || !transport_curl(&shared->transport))
        return -1;
    snprintf(command, sizeof command, "%s/tests/online/http/certificates.sh %s", TEST_SOURCE_DIR, shared->folder);
    *state = shared;
    return system(command);
}

static int tear_down(void **state) {
    struct shared *shared = *state;
    DIR *stream = opendir(shared->folder);
    for (const struct dirent *entry; stream && (entry = readdir(stream));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
    int result = rmdir(shared->folder);
    arena_destroy(shared->arena);
    free(shared);
    transport_curl_end();
    return result;
}

/* ---- one request ---- */

struct got {
    struct transport_answer answer;
    size_t length, refuse_after;
    char body[256];
    unsigned asked;
    bool stops;
};

static bool take(void *context, const struct transport_answer *answer, const char *bytes, size_t length) {
    struct got *got = context;
    assert_true(answer->status > 0);
    for (size_t i = 0; i < length && got->length + i < sizeof got->body - 1; i++)
        got->body[got->length + i] = bytes[i];
    got->length += length;
    return got->refuse_after == 0 || got->length < got->refuse_after;
}

static bool stopped(void *context) {
    struct got *got = context;
    got->asked++;
    return got->stops && got->asked > 3;
}

static const struct transport_request usual = {
    .timeout_ms = 5000, .connect_timeout_ms = 2000, .byte_limit = 1 << 20, .take = take, .stopped = stopped};

static struct transport_session *open_session(const struct shared *shared, const struct transport_identity *identity) {
    static const struct transport_identity nobody = {0};
    struct transport_session *session = shared->transport.open(NULL, identity ? identity : &nobody);
    assert_non_null(session);
    return session;
}

static void get_in(const struct shared *shared, struct transport_session *session, const char *url,
                   const struct transport_request *like, struct got *got) {
    static const char *const headers[] = {"Accept: application/json", "Authorization: Bearer t", NULL};
    struct transport_request request = *like;
    request.url = url;
    request.headers = request.headers ? request.headers : headers;
    request.context = got;
    shared->transport.get(session, &request, &got->answer);
}

static void get(const struct shared *shared, const char *url, const struct transport_identity *identity,
                const struct transport_request *like, struct got *got) {
    struct transport_session *session = open_session(shared, identity);
    get_in(shared, session, url, like, got);
    shared->transport.close(session);
}

static const char *url_of(const struct shared *shared, const char *scheme, const struct server *server,
                          const char *path) {
    return arena_format(shared->arena, "%s://127.0.0.1:%u%s", scheme, server_port(server), path);
}

static struct got get_plain(void **state, const struct server_answer *answers, const struct transport_request *like) {
    struct shared *shared = *state;
    struct server *server = server_start(answers, NULL);
    struct got got = {.stops = like->timeout_ms == 4999};
    assert_non_null(server);
    get(shared, url_of(shared, "http", server, "/it?limit=1"), NULL, like, &got);
    server_stop(server);
    return got;
}

/* ---- HTTP ---- */

static void an_answer_is_taken_with_its_type(void **state) {
    static const struct server_answer answers[] = {
        {.path = "/it", .status = 200, .type = "Application/JSON; charset=utf-8", .body = "{}"}, {.path = NULL}};
    struct got got = get_plain(state, answers, &usual);
    assert_int_equal(got.answer.result, TRANSPORT_ANSWERED);
    assert_int_equal(got.answer.status, 200);
    assert_string_equal(got.answer.content_type, "application/json");
    assert_string_equal(got.body, "{}");
}

static void statuses_come_with_their_bodies(void **state) {
    static const unsigned statuses[] = {401, 403, 404, 410, 429, 500, 503};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        const struct server_answer answers[] = {
            {.path = "/it", .status = statuses[i], .body = "no", .header = "Retry-After", .value = "7"},
            {.path = NULL}};
        struct got got = get_plain(state, answers, &usual);
        assert_int_equal(got.answer.result, TRANSPORT_ANSWERED);
        assert_int_equal(got.answer.status, statuses[i]);
        assert_int_equal(got.answer.retry_after_ms, 7000);
        assert_string_equal(got.body, "no");
    }
}

static void a_session_keeps_its_connection(void **state) {
    static const struct server_answer answers[] = {{.path = "/it", .times = 1, .status = 200, .body = "{}"},
                                                   {.path = "/it", .status = 403, .body = "no"},
                                                   {.path = NULL}};
    struct shared *shared = *state;
    struct server *server = server_start(answers, NULL);
    struct transport_session *session = open_session(shared, NULL);
    struct got got = {.length = 0};
    assert_non_null(server);
    for (unsigned i = 0; i < 3; i++)
        get_in(shared, session, url_of(shared, "http", server, "/it"), &usual, &got);
    assert_int_equal(server_requests(server), 3);
    assert_int_equal(server_connections(server), 1);
    shared->transport.close(session);
    server_stop(server);
}

static void headers_arrive_as_they_are_given(void **state) {
    static const struct server_answer answers[] = {{.path = "/it", .status = 200, .body = "{}"}, {.path = NULL}};
    static const char *const headers[] = {"Impersonate-User: jane",
                                          "Impersonate-Group: one",
                                          "Impersonate-Group: ",
                                          "Impersonate-Group:  \t",
                                          "Impersonate-Extra-a.b%2Fc: x y",
                                          "Impersonate-Extra-a.b%2Fc: ;",
                                          NULL};
    struct shared *shared = *state;
    struct server *server = server_start(answers, NULL);
    struct transport_request request = usual;
    struct got got = {.length = 0};
    request.headers = headers;
    assert_non_null(server);
    get(shared, url_of(shared, "http", server, "/it"), NULL, &request, &got);
    assert_string_equal(server_last_impersonation(server),
                        "User=jane;Group=one;Group=;Group=;Extra-a.b%2Fc=x y;Extra-a.b%2Fc=;;");
    server_stop(server);
}

static void a_redirect_is_not_followed(void **state) {
    static const struct server_answer answers[] = {
        {.path = "/it", .status = 302, .header = "Location", .value = "/other", .body = ""},
        {.path = "/other", .status = 200, .body = "{}"},
        {.path = NULL}};
    struct got got = get_plain(state, answers, &usual);
    assert_int_equal(got.answer.status, 302);
    assert_int_equal(got.length, 0);
}

static void a_connection_that_breaks_is_told_from_an_end(void **state) {
    static const struct server_answer answers[] = {
        {.path = "/it", .status = 200, .body = "0123456789", .repeats = 1000, .break_after = 5000}, {.path = NULL}};
    struct got got = get_plain(state, answers, &usual);
    assert_int_equal(got.answer.result, TRANSPORT_BROKEN);
}

static void an_answer_has_a_bound_in_size(void **state) {
    static const struct server_answer answers[] = {
        {.path = "/it", .status = 200, .body = "0123456789", .repeats = 1 << 20}, {.path = NULL}};
    struct got got = get_plain(state, answers, &usual);
    assert_int_equal(got.answer.result, TRANSPORT_TOO_LARGE);
    assert_true(got.length <= 1 << 20);
}

static void a_request_has_a_bound_in_time(void **state) {
    static const struct server_answer late[] = {{.path = "/it", .status = 200, .body = "{}", .wait_ms = 1500},
                                                {.path = NULL}};
    static const struct server_answer slow[] = {{.path = "/it", .status = 200, .body = "{}", .wait_inside_ms = 1500},
                                                {.path = NULL}};
    struct transport_request hasty = usual;
    hasty.timeout_ms = 300;
    assert_int_equal(get_plain(state, late, &hasty).answer.result, TRANSPORT_TIMED_OUT);
    struct got got = get_plain(state, slow, &hasty);
    assert_int_equal(got.answer.result, TRANSPORT_TIMED_OUT);
}

static void who_stops_ends_a_request(void **state) {
    static const struct server_answer late[] = {{.path = "/it", .status = 200, .body = "{}", .wait_ms = 4000},
                                                {.path = NULL}};
    struct transport_request request = usual;
    request.timeout_ms = 4999; /* see get_plain */
    assert_int_equal(get_plain(state, late, &request).answer.result, TRANSPORT_STOPPED);
}

static void nobody_there_is_unreachable(void **state) {
    struct shared *shared = *state;
    static const struct server_answer none[] = {{.path = NULL}};
    struct server *server = server_start(none, NULL);
    const char *url = url_of(shared, "http", server, "/it");
    struct got got = {.length = 0};
    server_stop(server);
    get(shared, url, NULL, &usual, &got);
    assert_int_equal(got.answer.result, TRANSPORT_UNREACHABLE);
    assert_int_equal(got.answer.status, 0);
    assert_true(got.answer.error[0] != '\0');
}

static void other_protocols_are_not_spoken(void **state) {
    struct shared *shared = *state;
    struct got got = {.length = 0};
    get(shared, "file:///etc/hostname", NULL, &usual, &got);
    assert_int_equal(got.answer.result, TRANSPORT_UNUSABLE);
    assert_int_equal(got.length, 0);
}

static void a_proxy_is_used(void **state) {
    struct shared *shared = *state;
    static const struct server_answer answers[] = {{.path = "http://127.0.0.1:1/it", .status = 200, .body = "{}"},
                                                   {.path = "/it", .status = 200, .body = "{}"},
                                                   {.path = NULL}};
    struct server *server = server_start(answers, NULL);
    struct transport_identity identity = {.proxy =
                                              arena_format(shared->arena, "http://127.0.0.1:%u", server_port(server))};
    struct got got = {.length = 0};
    get(shared, "http://127.0.0.1:1/it", &identity, &usual, &got);
    assert_int_equal(got.answer.status, 200);
    assert_int_equal(server_requests(server), 1);
    assert_string_equal(server_last_host(server), "127.0.0.1:1");
    server_stop(server);
}

/* ---- TLS ---- */

static const struct server_answer fine[] = {{.path = "/it", .status = 200, .body = "{}"}, {.path = NULL}};

/* A request to a server of that certificate. */
static struct got get_tls(struct shared *shared, const char *certificate, const struct transport_identity *identity) {
    const struct server_identity its = {.certificate =
                                            pem(shared, arena_format(shared->arena, "%s.pem", certificate)).bytes,
                                        .key = pem(shared, arena_format(shared->arena, "%s.key", certificate)).bytes};
    struct server *server = server_start(fine, &its);
    struct got got = {.length = 0};
    assert_non_null(server);
    get(shared, url_of(shared, "https", server, "/it"), identity, &usual, &got);
    if (got.answer.result != TRANSPORT_ANSWERED)
        assert_int_equal(server_requests(server), 0); /* no token went out */
    server_stop(server);
    return got;
}

static void a_server_is_believed_by_its_authority_and_name(void **state) {
    struct shared *shared = *state;
    struct transport_identity trusting = {.authorities = pem(shared, "authority.pem")};
    struct transport_identity other = {.authorities = pem(shared, "stranger.pem")};
    struct transport_identity named = {.authorities = pem(shared, "authority.pem"), .server_name = "api.test"};
    struct transport_identity misnamed = {.authorities = pem(shared, "authority.pem"), .server_name = "api2.test"};
    struct transport_identity careless = {.skip_verify = true};
    static const struct transport_identity of_system = {0};
    assert_int_equal(get_tls(shared, "server", &trusting).answer.status, 200);
    assert_int_equal(get_tls(shared, "server", &other).answer.result, TRANSPORT_UNTRUSTED);
    assert_int_equal(get_tls(shared, "server", &of_system).answer.result, TRANSPORT_UNTRUSTED);
    assert_int_equal(get_tls(shared, "expired", &trusting).answer.result, TRANSPORT_UNTRUSTED);
    assert_int_equal(get_tls(shared, "other", &trusting).answer.result, TRANSPORT_UNTRUSTED);
    assert_int_equal(get_tls(shared, "other", &named).answer.status, 200);
    assert_int_equal(get_tls(shared, "other", &misnamed).answer.result, TRANSPORT_UNTRUSTED);
    assert_int_equal(get_tls(shared, "expired", &careless).answer.status, 200);
}

static void a_client_shows_its_certificate(void **state) {
    struct shared *shared = *state;
    const struct server_identity its = {.certificate = pem(shared, "server.pem").bytes,
                                        .key = pem(shared, "server.key").bytes,
                                        .client_authority = pem(shared, "authority.pem").bytes};
    struct transport_identity known = {.authorities = pem(shared, "authority.pem"),
                                       .certificate = pem(shared, "client.pem"),
                                       .key = pem(shared, "client.key")};
    struct transport_identity unknown = {.authorities = pem(shared, "authority.pem")};
    struct server *server = server_start(fine, &its);
    struct got got = {.length = 0};
    get(shared, url_of(shared, "https", server, "/it"), &known, &usual, &got);
    assert_int_equal(got.answer.status, 200);
    assert_true(server_last_was_known(server));
    assert_string_equal(server_last_authorization(server), "Bearer t");
    got = (struct got){.length = 0};
    get(shared, url_of(shared, "https", server, "/it"), &unknown, &usual, &got);
    assert_false(got.answer.status == 200 && server_last_was_known(server));
    server_stop(server);
}

static void a_key_that_is_none_is_no_session_that_answers(void **state) {
    struct shared *shared = *state;
    struct transport_identity identity = {
        .authorities = pem(shared, "authority.pem"),
        .certificate = pem(shared, "client.pem"),
        .key = text_of("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")};
    struct got got = get_tls(shared, "server", &identity);
    assert_int_equal(got.answer.result, TRANSPORT_UNTRUSTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_taken_with_its_type),
        cmocka_unit_test(statuses_come_with_their_bodies),
        cmocka_unit_test(a_session_keeps_its_connection),
        cmocka_unit_test(headers_arrive_as_they_are_given),
        cmocka_unit_test(a_redirect_is_not_followed),
        cmocka_unit_test(a_connection_that_breaks_is_told_from_an_end),
        cmocka_unit_test(an_answer_has_a_bound_in_size),
        cmocka_unit_test(a_request_has_a_bound_in_time),
        cmocka_unit_test(who_stops_ends_a_request),
        cmocka_unit_test(nobody_there_is_unreachable),
        cmocka_unit_test(other_protocols_are_not_spoken),
        cmocka_unit_test(a_proxy_is_used),
        cmocka_unit_test(a_server_is_believed_by_its_authority_and_name),
        cmocka_unit_test(a_client_shows_its_certificate),
        cmocka_unit_test(a_key_that_is_none_is_no_session_that_answers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#include "fake.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"

#define SERVER "https://api.test:6443"

struct transport_session {
    struct fake *fake;
    const struct transport_identity *identity;
};

/* ---- transport ---- */

static struct transport_session *session_open(void *state, const struct transport_identity *identity) {
    struct fake *fake = state;
    struct transport_session *session = malloc(sizeof *session);
    *session = (struct transport_session){fake, identity};
    pthread_mutex_lock(&fake->lock);
    fake->open_sessions++;
    fake->sessions++;
    pthread_mutex_unlock(&fake->lock);
    return session;
}

static void session_close(struct transport_session *session) {
    pthread_mutex_lock(&session->fake->lock);
    session->fake->open_sessions--;
    pthread_mutex_unlock(&session->fake->lock);
    free(session);
}

static bool path_is(const char *pattern, const char *path) {
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, path, length - 1) == 0;
    return strcmp(pattern, path) == 0;
}

static const struct fake_answer *find_answer(struct fake *fake, const char *path) {
    for (size_t i = 0; fake->answers && fake->answers[i].path; i++) {
        const struct fake_answer *answer = &fake->answers[i];
        if (path_is(answer->path, path) && (answer->times == 0 || fake->given[i] < answer->times)) {
            fake->given[i]++;
            return answer;
        }
    }
    return NULL;
}

static void note(struct fake *fake, const struct transport_request *request, const char *path) {
    if (fake->url_count < FAKE_URLS)
        snprintf(fake->urls[fake->url_count], FAKE_URL, "%s", path);
    fake->url_count++;
    fake->authorization[0] = '\0';
    for (const char *const *header = request->headers; *header; header++)
        if (strncmp(*header, "Authorization: ", 15) == 0)
            snprintf(fake->authorization, FAKE_URL, "%s", *header + 15);
}

static void give_body(const struct fake *fake, const struct transport_request *request, const char *body,
                      struct transport_answer *answer) {
    size_t left = body ? strlen(body) : 0, taken = 0;
    while (left > 0) {
        size_t part = fake->piece > 0 && fake->piece < left ? fake->piece : left;
        taken += part;
        if (taken > request->byte_limit) {
            answer->result = TRANSPORT_TOO_LARGE;
            return;
        }
        if (!request->take(request->context, answer, body, part)) {
            answer->result = TRANSPORT_REFUSED;
            return;
        }
        body += part;
        left -= part;
    }
}

static void session_get(struct transport_session *session, const struct transport_request *request,
                        struct transport_answer *answer) {
    struct fake *fake = session->fake;
    static const struct fake_answer not_served = {.status = 404, .type = "text/plain", .body = "404 page not found\n"};
    assert_true(strncmp(request->url, SERVER, strlen(SERVER)) == 0);
    const char *path = request->url + strlen(SERVER);
    pthread_mutex_lock(&fake->lock);
    note(fake, request, path);
    struct text certificate = session->identity->certificate;
    snprintf(fake->certificate, FAKE_URL, "%.*s", (int)certificate.length, certificate.bytes ? certificate.bytes : "");
    const struct fake_answer *found = find_answer(fake, path);
    found = found ? found : &not_served;
    fake->now_ms += found->spends_ms;
    bool fails = fake->url_count == fake->fails_at;
    pthread_mutex_unlock(&fake->lock);
    bool stopped = request->stopped(request->context);
    *answer = (struct transport_answer){.status = found->status, .retry_after_ms = found->retry_after_ms};
    snprintf(answer->content_type, sizeof answer->content_type, "%s", found->type ? found->type : "application/json");
    snprintf(answer->error, sizeof answer->error, "%s", found->error ? found->error : "");
    if (stopped) {
        answer->result = TRANSPORT_STOPPED;
        return;
    }
    if (fails) {
        char half[FAKE_URL];
        snprintf(half, sizeof half, "%.*s", (int)(strlen(found->body) / 2), found->body);
        give_body(fake, request, half, answer);
        answer->result = fake->fails_with;
        return;
    }
    give_body(fake, request, found->body, answer);
    if (answer->result == TRANSPORT_ANSWERED)
        answer->result = found->result;
}

/* ---- clock ---- */

static uint64_t clock_now(void *state) {
    struct fake *fake = state;
    pthread_mutex_lock(&fake->lock);
    uint64_t now = fake->now_ms;
    pthread_mutex_unlock(&fake->lock);
    return now;
}

static int64_t clock_wall(void *state) { return FAKE_DAWN_S + (int64_t)(clock_now(state) / 1000); }

static void clock_sleep(void *state, uint64_t span) {
    struct fake *fake = state;
    pthread_mutex_lock(&fake->lock);
    fake->now_ms += span;
    fake->slept_ms += span;
    pthread_mutex_unlock(&fake->lock);
}

static bool clock_stopped(void *state) {
    struct fake *fake = state;
    pthread_mutex_lock(&fake->lock);
    bool stopped = fake->stops_after > 0 && fake->url_count >= fake->stops_after;
    pthread_mutex_unlock(&fake->lock);
    return stopped;
}

/* ---- the whole ---- */

void fake_open(struct fake *fake, const struct fake_answer *answers) {
    *fake = (struct fake){.answers = answers, .arena = arena_create()};
    pthread_mutex_init(&fake->lock, NULL);
    fake->access = (struct access){.server = SERVER, .context = "test", .token = "the-token-of-tests"};
    fake->transport =
        (struct transport){.open = session_open, .get = session_get, .close = session_close, .state = fake};
    fake->clock = (struct clock){
        .now_ms = clock_now, .wall_s = clock_wall, .sleep_ms = clock_sleep, .stopped = clock_stopped, .state = fake};
    snprintf(fake->folder, sizeof fake->folder, "/tmp/egressc-test.XXXXXX");
    assert_non_null(mkdtemp(fake->folder));
    fake->output = arena_format(fake->arena, "%s/snap", fake->folder);
}

static void remove_files(const char *path) {
    DIR *stream = opendir(path);
    for (const struct dirent *entry; stream && (entry = readdir(stream));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
    rmdir(path);
}

void fake_close(struct fake *fake) {
    assert_int_equal(fake->open_sessions, 0);
    remove_files(fake->output);
    assert_int_equal(rmdir(fake->folder), 0);
    pthread_mutex_destroy(&fake->lock);
    arena_destroy(fake->arena);
}

size_t fake_count(const struct fake *fake, const char *path) {
    size_t count = 0;
    for (size_t i = 0; i < fake->url_count && i < FAKE_URLS; i++)
        count += path_is(path, fake->urls[i]);
    return count;
}

static struct client_limits usual_limits(const struct client_limits *limits) {
    return limits ? *limits : client_limits_default();
}

struct fetch fake_fetch(struct fake *fake, const char *resource, const char *namespace,
                        const struct client_limits *limits) {
    struct client client;
    struct writer writer;
    struct client_limits used = usual_limits(limits);
    const struct collection_row *row = collection_find(resource);
    struct fetch fetch = {.row = row ? row : &collection_config_map, .namespace = namespace, .file = "list.json"};
    if (!row)
        fetch.name = resource;
    assert_true(client_init(&client, &fake->access, &fake->transport, &fake->clock, &used, 0));
    client.renew = fake->renew;
    client.renew_context = fake;
    assert_true(writer_open(&writer, &writer_system, fake->output, false, fake->arena));
    struct client_session *session = client_session_open(&client, fake->arena);
    client_fetch(session, &writer, &fetch);
    client_session_close(session);
    client_destroy(&client);
    assert_true(writer_place(&writer));
    return fetch;
}

void fake_expect(const struct fetch *fetch, enum fetch_status status, const char *reason) {
    assert_int_equal(fetch->status, status);
    if (reason)
        assert_string_equal(fetch->reason, reason);
    else
        assert_null(fetch->reason);
}

const char *fake_read(struct fake *fake, const char *name) {
    struct text content;
    return access_read_file(arena_format(fake->arena, "%s/%s", fake->output, name), fake->arena, &content)
               ? content.bytes
               : NULL;
}

int fake_entries(const char *path) {
    DIR *stream = opendir(path);
    int count = 0;
    if (!stream)
        return -1;
    for (const struct dirent *entry; (entry = readdir(stream));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(stream);
    return count;
}

enum take_result fake_take(struct fake *fake, const char *const *collections, const struct writer_calls *calls,
                           bool replaces, const char **problem) {
    struct client client;
    struct plan plan;
    struct take_arenas arenas;
    struct client_limits limits = client_limits_default();
    size_t count = 0;
    while (collections && collections[count])
        count++;
    struct plan_wanted wanted = {.collections = collections, .collection_count = count};
    plan_make(&wanted, fake->arena, &plan);
    assert_true(client_init(&client, &fake->access, &fake->transport, &fake->clock, &limits, 0));
    struct take take = {.client = &client,
                        .plan = &plan,
                        .calls = calls ? calls : &writer_system,
                        .output = fake->output,
                        .replaces = replaces,
                        .workers = 3,
                        .head = {.taken_at = "2026-09-01T10:00:00Z"}};
    enum take_result result = take_snapshot(&take, &arenas);
    if (problem)
        *problem = take.problem ? arena_format(fake->arena, "%s", take.problem) : NULL;
    take_destroy(&arenas);
    client_destroy(&client);
    return result;
}

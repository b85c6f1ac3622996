#include "online/request.h"

#include <string.h>

#include "base/arena.h"
#include "document/reader.h"
#include "online/renewal.h"

enum { FIRST_WAIT_MS = 200 };

struct attempt {
    struct client_session *session;
    bool wrong_type;
};

/* ---- one try ---- */

static bool take(void *context, const struct transport_answer *answer, const char *bytes, size_t length) {
    struct attempt *attempt = context;
    struct client_session *session = attempt->session;
    if (answer->status != 200) {
        size_t room = REQUEST_MESSAGE - session->message_length, part = length < room ? length : room;
        memcpy(session->message + session->message_length, bytes, part);
        session->message_length += part;
        return true; /* all of it is read, so that the connection stays */
    }
    attempt->wrong_type = strcmp(answer->content_type, "application/json") != 0;
    return !attempt->wrong_type && prune_feed(session->prune, bytes, length);
}

static bool stopped(void *context) {
    const struct attempt *attempt = context;
    const struct clock *clock = attempt->session->client->clock;
    return clock->stopped(clock->state);
}

static uint64_t time_left(const struct client *client) {
    uint64_t used = client->clock->now_ms(client->clock->state) - client->began_ms;
    return used < client->limits.run_ms ? client->limits.run_ms - used : 0;
}

/* Credentials are read for each try: token files change. */
static const char *const *make_headers(struct client_session *session, const char **problem) {
    enum { MORE = 3 };
    const struct access *access = &session->access;
    const char **headers = arena_array(session->arena, access->header_count + MORE, sizeof *headers);
    struct diagnostics diagnostics;
    size_t count = 0;
    diagnostics_init(&diagnostics, session->arena);
    headers[count++] = "Accept: application/json";
    if (!access_authorize(access, session->arena, &headers[count], &diagnostics))
        *problem = diagnostics.list[0].message;
    count += headers[count] != NULL;
    for (size_t i = 0; i < access->header_count; i++)
        headers[count++] = access->headers[i];
    return headers;
}

static struct transport_answer try_once(struct client_session *session, const struct request *request,
                                        struct attempt *attempt, const char **problem) {
    const struct client *client = session->client;
    struct transport_answer answer = {.result = TRANSPORT_UNUSABLE};
    uint64_t left = time_left(client);
    *attempt = (struct attempt){.session = session};
    session->message_length = 0;
    if (left == 0) {
        answer.result = TRANSPORT_TIMED_OUT;
        *problem = "the run had no time left";
        return answer;
    }
    *problem = renewal_refresh(session);
    if (*problem)
        return answer;
    struct transport_request sent = {.url = request->url,
                                     .headers = make_headers(session, problem),
                                     .timeout_ms =
                                         left < client->limits.request_ms ? (unsigned)left : client->limits.request_ms,
                                     .connect_timeout_ms = client->limits.connect_ms,
                                     .byte_limit = client->limits.page_bytes,
                                     .take = take,
                                     .stopped = stopped,
                                     .context = attempt};
    if (!*problem && !request->begin(request->context))
        *problem = "what was read could not be written";
    if (!*problem)
        client->transport->get(session->transport, &sent, &answer);
    return answer;
}

/* ---- what came of it ---- */

/* The message of a Status object, the text of what is none, or nothing. */
static const char *message_of(struct client_session *session) {
    struct text text = {.bytes = session->message, .length = session->message_length};
    text = text_trim(text);
    if (text.length == 0)
        return "";
    if (*text.bytes == '{') {
        struct reader_options options = {.limits = limits_default()};
        struct file file = {0};
        struct diagnostics unsaid;
        diagnostics_init(&unsaid, session->arena);
        reader_read_text("answer", text, &options, session->arena, &file, &unsaid);
        const char *message = file.count > 0 ? node_string(node_get(&file.documents[0].root, "message")) : NULL;
        return message ? message : "";
    }
    if (*text.bytes == '<')
        return "";
    return arena_copy(session->arena, text.bytes, text.length);
}

static const char *reason_of_status(struct client_session *session, long status) {
    const char *message = access_redact(&session->access, message_of(session), session->arena);
    if (status >= 300 && status < 400)
        return arena_format(session->arena, "status %ld: a redirect, which is not followed", status);
    if (*message && (status == 401 || status == 403 || status == 404))
        return message;
    return arena_format(session->arena, "status %ld%s%s", status, *message ? ": " : "", message);
}

static const char *reason_of_loss(struct client_session *session, const struct transport_answer *answer) {
    static const char *const words[] = {
        [TRANSPORT_ANSWERED] = "",
        [TRANSPORT_UNREACHABLE] = "no connection",
        [TRANSPORT_BROKEN] = "the connection broke off",
        [TRANSPORT_TIMED_OUT] = "no whole answer in time",
        [TRANSPORT_UNTRUSTED] = "TLS failed",
        [TRANSPORT_TOO_LARGE] = "the answer is too large",
        [TRANSPORT_STOPPED] = "interrupted",
        [TRANSPORT_REFUSED] = "the answer could not be used",
        [TRANSPORT_UNUSABLE] = "the request could not be made",
    };
    if (answer->result == TRANSPORT_TOO_LARGE)
        return arena_format(session->arena,
                            "the answer is larger than %llu bytes, the most that is taken (--answer-limit)",
                            (unsigned long long)session->client->limits.page_bytes);
    const char *error = access_redact(&session->access, answer->error, session->arena);
    return arena_format(session->arena, "%s%s%s", words[answer->result], *error ? ": " : "", error);
}

static struct request_outcome judge_success(struct client_session *session, const struct attempt *attempt,
                                            const struct transport_answer *answer) {
    struct request_outcome outcome = {.result = REQUEST_MALFORMED, .status = answer->status};
    if (session->file->error != 0) {
        outcome.result = REQUEST_UNWRITABLE;
        outcome.reason =
            arena_format(session->arena, "what was read could not be written: %s", strerror(session->file->error));
    } else if (attempt->wrong_type || strcmp(answer->content_type, "application/json") != 0) {
        outcome.reason =
            arena_format(session->arena, "the answer is %s, not application/json",
                         *answer->content_type ? access_redact(&session->access, answer->content_type, session->arena)
                                               : "of no type");
    } else if (!prune_finish(session->prune)) {
        outcome.reason = arena_format(session->arena, "the answer is malformed: %s", session->prune->problem);
    } else {
        outcome.result = REQUEST_DONE;
    }
    return outcome;
}

static struct request_outcome judge(struct client_session *session, const struct attempt *attempt,
                                    const struct transport_answer *answer) {
    bool whole = answer->result == TRANSPORT_ANSWERED;
    if (answer->status == 200 && (whole || answer->result == TRANSPORT_REFUSED))
        return judge_success(session, attempt, answer);
    if (whole)
        return (struct request_outcome){
            .result = REQUEST_ANSWERED, .status = answer->status, .reason = reason_of_status(session, answer->status)};
    return (struct request_outcome){.result = REQUEST_LOST,
                                    .status = answer->status,
                                    .reason = reason_of_loss(session, answer),
                                    .unreachable = answer->status == 0};
}

/* ---- trying again ---- */

static bool may_pass(const struct transport_answer *answer) {
    switch (answer->result) {
    case TRANSPORT_ANSWERED:
        return answer->status == 429 || answer->status == 500 || (answer->status >= 502 && answer->status <= 504);
    case TRANSPORT_UNREACHABLE:
    case TRANSPORT_BROKEN:
    case TRANSPORT_TIMED_OUT:
        return true;
    case TRANSPORT_UNTRUSTED:
    case TRANSPORT_TOO_LARGE:
    case TRANSPORT_STOPPED:
    case TRANSPORT_REFUSED:
    case TRANSPORT_UNUSABLE:
        break;
    }
    return false;
}

static bool take_from_budget(struct client *client) {
    pthread_mutex_lock(&client->lock);
    bool some = client->budget > 0;
    client->budget -= some;
    pthread_mutex_unlock(&client->lock);
    return some;
}

/* Waits before the next try; false: there is to be none. */
static bool wait_for_turn(struct client_session *session, const struct transport_answer *answer, unsigned tries) {
    struct client *client = session->client;
    uint64_t wait = (uint64_t)FIRST_WAIT_MS << (tries < 8 ? tries : 8);
    if (answer->retry_after_ms > 0)
        wait = answer->retry_after_ms;
    if (wait > client->limits.longest_wait_ms)
        wait = client->limits.longest_wait_ms;
    if (tries >= client->limits.retries || wait >= time_left(client) || !take_from_budget(client))
        return false;
    client->clock->sleep_ms(client->clock->state, wait);
    return !client->clock->stopped(client->clock->state);
}

struct request_outcome request_send(struct client_session *session, const struct request *request) {
    bool renewed = false;
    for (unsigned tries = 0;; tries++) {
        struct attempt attempt;
        const char *problem = NULL;
        struct transport_answer answer = try_once(session, request, &attempt, &problem);
        if (session->file->error != 0 && !problem)
            problem = "what was read could not be written";
        if (problem)
            return (struct request_outcome){
                .result = session->file->error != 0 ? REQUEST_UNWRITABLE : REQUEST_LOST,
                .reason = session->file->error != 0
                              ? arena_format(session->arena, "%s: %s", problem, strerror(session->file->error))
                              : problem};
        if (answer.result == TRANSPORT_ANSWERED && answer.status == 401 && !renewed &&
            (renewed = renewal_after_refusal(session)))
            continue;
        if (!may_pass(&answer) || !wait_for_turn(session, &answer, tries))
            return judge(session, &attempt, &answer);
    }
}

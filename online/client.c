#include "online/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "document/reader.h"
#include "online/request.h"

enum { RESTARTS = 3 };

struct client_limits client_limits_default(void) {
    return (struct client_limits){.page = 500,
                                  .request_ms = 60 * 1000,
                                  .connect_ms = 10 * 1000,
                                  .run_ms = 30 * 60 * 1000,
                                  .retries = 5,
                                  .budget = 40,
                                  .page_bytes = (uint64_t)4 << 30,
                                  .longest_wait_ms = 60 * 1000};
}

bool client_init(struct client *client, const struct access *access, const struct transport *transport,
                 const struct clock *clock, const struct client_limits *limits, unsigned keep) {
    *client = (struct client){.access = access,
                              .transport = transport,
                              .clock = clock,
                              .limits = *limits,
                              .keep = keep,
                              .began_ms = clock->now_ms(clock->state),
                              .budget = limits->budget,
                              .renewed = *access,
                              .arena = arena_create()};
    if (pthread_mutex_init(&client->lock, NULL) == 0)
        return true;
    arena_destroy(client->arena);
    return false;
}

void client_destroy(struct client *client) {
    pthread_mutex_destroy(&client->lock);
    arena_destroy(client->arena);
}

struct client_session *client_session_open(struct client *client, struct arena *results) {
    struct client_session *session = arena_alloc(results, sizeof *session);
    session->client = client;
    session->access = *client->access;
    session->transport = client->transport->open(client->transport->state, &session->access.identity);
    if (!session->transport)
        return NULL;
    session->arena = arena_create();
    session->results = results;
    session->prune = arena_alloc(results, sizeof *session->prune);
    session->file = arena_alloc(results, sizeof *session->file);
    session->file->descriptor = -1;
    return session;
}

void client_session_close(struct client_session *session) {
    if (!session)
        return;
    session->client->transport->close(session->transport);
    arena_destroy(session->arena);
}

/* ---- URLs ---- */

static void add_escaped(struct buffer *out, const char *text) {
    static const char digits[] = "0123456789ABCDEF";
    for (; *text; text++) {
        if (ascii_is_alphanumeric(*text) || strchr("-._~", *text)) {
            buffer_add_char(out, *text);
        } else {
            buffer_add_char(out, '%');
            buffer_add_char(out, digits[(unsigned char)*text >> 4]);
            buffer_add_char(out, digits[(unsigned char)*text & 15]);
        }
    }
}

static const char *make_url(const struct client_session *session, const struct fetch *fetch, const char *more) {
    const struct collection_row *row = fetch->row;
    struct buffer url;
    buffer_init(&url, session->arena);
    buffer_print(&url, "%s/%s%s/%.*s", session->client->access->server, *row->group ? "apis/" : "api", row->group,
                 (int)fetch->version.length, fetch->version.bytes);
    if (fetch->namespace) {
        buffer_add_string(&url, "/namespaces/");
        add_escaped(&url, fetch->namespace);
    }
    buffer_print(&url, "/%s", row->resource);
    if (fetch->name) {
        buffer_add_char(&url, '/');
        add_escaped(&url, fetch->name);
        return buffer_string(&url);
    }
    buffer_print(&url, "?limit=%u", session->client->limits.page);
    if (more) {
        buffer_add_string(&url, "&continue=");
        add_escaped(&url, more);
    }
    return buffer_string(&url);
}

/* ---- answers ---- */

struct page {
    struct client_session *session;
    const struct fetch *fetch;
    uint64_t items; /* that stand in the file before this page */
    uint64_t place; /* where it begins in the file */
};

static bool emit(void *context, const char *bytes, size_t length) {
    struct page *page = context;
    return writer_file_put(page->session->file, bytes, length);
}

static bool begin_page(void *context) {
    struct page *page = context;
    prune_list(page->session->prune, page->fetch->row->keep, page->session->client->keep, page->items, emit, page);
    return writer_file_rewind(page->session->file, page->place);
}

static bool begin_object(void *context) {
    struct page *page = context;
    prune_object(page->session->prune, page->fetch ? page->fetch->row->keep : NULL, page->session->client->keep);
    return true;
}

/* What stands beside the items of the list that the prune holds; NULL: it cannot be read. */
static const struct node *read_head(struct client_session *session) {
    struct reader_options options = {.limits = limits_default()};
    struct file file = {0};
    struct diagnostics unsaid;
    struct text head = {.bytes = session->prune->head, .length = session->prune->head_length};
    diagnostics_init(&unsaid, session->arena);
    reader_read_text("answer", head, &options, session->arena, &file, &unsaid);
    return file.state == FILE_READ && file.count == 1 ? &file.documents[0].root : NULL;
}

static const char *api_version_of(const struct fetch *fetch, struct arena *arena) {
    return arena_format(arena, "%s%s%.*s", fetch->row->group, *fetch->row->group ? "/" : "", (int)fetch->version.length,
                        fetch->version.bytes);
}

/* Whether the answer is what was asked for: another kind must not pass for an empty list. */
static const char *check_kind(const struct client_session *session, const struct fetch *fetch,
                              const struct node *head) {
    const char *kind = head ? node_string(node_get(head, "kind")) : NULL;
    const char *version = head ? node_string(node_get(head, "apiVersion")) : NULL;
    const char *wanted = arena_format(session->arena, "%s%s", fetch->row->kind, fetch->name ? "" : "List");
    if (kind && version && strcmp(kind, wanted) == 0 && strcmp(version, api_version_of(fetch, session->arena)) == 0)
        return NULL;
    return arena_format(session->arena, "the answer is no %s of %s", wanted, api_version_of(fetch, session->arena));
}

static void settle(struct fetch *fetch, enum fetch_status status, const char *reason) {
    fetch->status = status;
    fetch->reason = reason;
}

static void settle_outcome(const struct client_session *session, struct fetch *fetch,
                           const struct request_outcome *outcome) {
    enum fetch_status status = FETCH_FAILED;
    if (outcome->result == REQUEST_ANSWERED && (outcome->status == 401 || outcome->status == 403))
        status = FETCH_FORBIDDEN;
    else if (outcome->result == REQUEST_ANSWERED && outcome->status == 404)
        status = FETCH_NOT_SERVED;
    fetch->unreachable = outcome->unreachable;
    fetch->unwritable = outcome->result == REQUEST_UNWRITABLE;
    settle(fetch, status, arena_copy(session->results, outcome->reason, strlen(outcome->reason)));
}

/* ---- lists ---- */

static void put_string(struct client_session *session, const char *string) {
    writer_file_put(session->file, string, strlen(string));
}

static uint64_t begin_file(struct client_session *session, const struct fetch *fetch) {
    writer_file_rewind(session->file, 0);
    put_string(session, arena_format(session->arena, "{\"apiVersion\":\"%s\",\"kind\":\"%sList\",\"items\":[\n",
                                     api_version_of(fetch, session->arena), fetch->row->kind));
    return writer_file_tell(session->file);
}

/* Resource versions are opaque: what would need escapes in JSON is left out. */
static void take_resource_version(struct client_session *session, const char *version) {
    size_t length = 0;
    for (; version && version[length]; length++)
        if (length == REQUEST_VERSION - 1 ||
            (!ascii_is_alphanumeric(version[length]) && !strchr("-._", version[length])))
            break;
    if (!version || version[length])
        length = 0;
    memcpy(session->resource_version, length ? version : "", length);
    session->resource_version[length] = '\0';
}

static void end_file(struct client_session *session, const struct fetch *fetch) {
    put_string(session, fetch->items > 0 ? "\n]" : "]");
    if (*session->resource_version) {
        put_string(session, ",\"metadata\":{\"resourceVersion\":\"");
        put_string(session, session->resource_version);
        put_string(session, "\"}");
    }
    put_string(session, "}\n");
}

static void report_progress(const struct client *client, uint64_t items) {
    if (client->progress)
        client->progress(client->progress_context, items);
}

/* Keeps the token of the next page. */
static const char *take_token(struct client_session *session, const char *next) {
    size_t length = next ? strlen(next) : 0;
    if (length >= REQUEST_TOKEN)
        return "the token to continue with is too long";
    if (length > 0 && strcmp(next, session->more) == 0)
        return "the answer continues with itself";
    memcpy(session->more, length ? next : "", length);
    session->more[length] = '\0';
    return NULL;
}

/* Takes over what a page says of the list. */
static void take_page(struct client_session *session, struct fetch *fetch) {
    const struct node *head = read_head(session);
    const struct node *metadata = node_get(head, "metadata");
    const char *fault = check_kind(session, fetch, head);
    fault = fault ? fault : take_token(session, node_string(node_get(metadata, "continue")));
    if (fault) {
        settle(fetch, FETCH_FAILED, arena_copy(session->results, fault, strlen(fault)));
        return;
    }
    report_progress(session->client, session->prune->items - fetch->items);
    fetch->items = session->prune->items;
    take_resource_version(session, node_string(node_get(metadata, "resourceVersion")));
}

enum page_result { PAGE_MORE, PAGE_LAST, PAGE_EXPIRED, PAGE_FAILED };

static enum page_result read_page(struct client_session *session, struct fetch *fetch, struct page *page) {
    const char *more = *session->more ? session->more : NULL;
    struct request request = {make_url(session, fetch, more), begin_page, page};
    struct request_outcome outcome = request_send(session, &request);
    if (outcome.result == REQUEST_ANSWERED && outcome.status == 410 && more)
        return PAGE_EXPIRED;
    if (outcome.result != REQUEST_DONE) {
        settle_outcome(session, fetch, &outcome);
        return PAGE_FAILED;
    }
    take_page(session, fetch);
    page->items = fetch->items;
    page->place = writer_file_tell(session->file);
    if (fetch->status != FETCH_READ)
        return PAGE_FAILED;
    return *session->more ? PAGE_MORE : PAGE_LAST;
}

/* The pages of a list, from its first. True: the list changed too much meanwhile, and is to be read anew. */
static bool read_pages(struct client_session *session, struct fetch *fetch) {
    struct page page = {.session = session, .fetch = fetch, .place = begin_file(session, fetch)};
    enum page_result result = PAGE_MORE;
    fetch->items = 0;
    session->more[0] = session->resource_version[0] = '\0';
    settle(fetch, FETCH_READ, NULL);
    while (result == PAGE_MORE) {
        struct arena_mark mark = arena_mark(session->arena);
        result = read_page(session, fetch, &page);
        arena_rollback(session->arena, mark);
    }
    if (result == PAGE_LAST)
        end_file(session, fetch);
    return result == PAGE_EXPIRED;
}

static void read_list(struct client_session *session, struct fetch *fetch) {
    for (unsigned i = 0; read_pages(session, fetch); i++)
        if (i == RESTARTS) {
            settle(fetch, FETCH_FAILED, "the list changes faster than it can be read (status 410 again and again)");
            return;
        }
}

/* ---- single objects ---- */

/* One that is not there was asked for all the same: that there is none is what was read. */
static bool is_absent_object(const struct client_session *session, const struct request_outcome *outcome) {
    struct text message = {.bytes = session->message, .length = session->message_length};
    return outcome->result == REQUEST_ANSWERED && outcome->status == 404 && text_starts_with(text_trim(message), "{");
}

static void read_object(struct client_session *session, struct fetch *fetch) {
    struct page page = {.session = session, .fetch = fetch};
    struct request request = {make_url(session, fetch, NULL), begin_object, &page};
    struct request_outcome outcome = request_send(session, &request);
    session->resource_version[0] = '\0';
    if (is_absent_object(session, &outcome)) {
        begin_file(session, fetch);
        settle(fetch, FETCH_READ, arena_format(session->results, "there is no %s", fetch->name));
    } else if (outcome.result != REQUEST_DONE) {
        settle_outcome(session, fetch, &outcome);
        return;
    } else {
        const struct node *head = read_head(session);
        const char *fault = check_kind(session, fetch, head);
        if (fault) {
            settle(fetch, FETCH_FAILED, arena_copy(session->results, fault, strlen(fault)));
            return;
        }
        begin_file(session, fetch);
        writer_file_put(session->file, session->prune->head, session->prune->head_length);
        fetch->items = 1;
        settle(fetch, FETCH_READ, NULL);
        report_progress(session->client, 1);
    }
    end_file(session, fetch);
}

/* ---- the whole ---- */

/* Each version in turn, until one is served. */
static void read_versions(struct client_session *session, struct fetch *fetch) {
    const char *versions = fetch->row->versions;
    while (*versions) {
        size_t length = strcspn(versions, " ");
        fetch->version = (struct text){.bytes = versions, .length = length};
        if (fetch->name)
            read_object(session, fetch);
        else
            read_list(session, fetch);
        if (fetch->status != FETCH_NOT_SERVED)
            return;
        versions += length + (versions[length] == ' ');
    }
}

static void settle_unwritable(const struct client_session *session, struct fetch *fetch) {
    fetch->unwritable = true;
    settle(fetch, FETCH_FAILED,
           arena_format(session->results, "what was read could not be written: %s", strerror(session->file->error)));
}

void client_fetch(struct client_session *session, const struct writer *writer, struct fetch *fetch) {
    fetch->items = 0;
    if (!writer_file_open(session->file, writer, fetch->file)) {
        settle_unwritable(session, fetch);
        return;
    }
    struct arena_mark mark = arena_mark(session->arena);
    read_versions(session, fetch);
    arena_rollback(session->arena, mark);
    if (fetch->status == FETCH_READ && *session->resource_version)
        fetch->resource_version =
            arena_copy(session->results, session->resource_version, strlen(session->resource_version));
    if (!writer_file_close(session->file, false, fetch->status == FETCH_READ))
        settle_unwritable(session, fetch);
    session->file->error = 0;
    if (fetch->status != FETCH_READ)
        fetch->items = 0;
}

const char *client_version(struct client_session *session, const char **reason) {
    struct page page = {.session = session};
    struct request request = {arena_format(session->arena, "%s/version", session->client->access->server), begin_object,
                              &page};
    struct request_outcome outcome = request_send(session, &request);
    *reason = outcome.unreachable ? outcome.reason : NULL;
    if (outcome.result != REQUEST_DONE)
        return NULL;
    const struct node *head = read_head(session);
    const char *version = head ? node_string(node_get(head, "gitVersion")) : NULL;
    return version ? access_redact(&session->access, version, session->results) : NULL;
}

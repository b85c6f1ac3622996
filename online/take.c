#include "online/take.h"

#include <string.h>

#include "base/arena.h"

/* What the workers of a run share; `next` and the counts under the lock. */
struct run {
    struct take *take;
    const struct writer *writer;
    pthread_mutex_t lock;
    size_t next, done;
    uint64_t items;
    bool unwritable;
};

struct worker {
    struct run *run;
    struct arena *arena;
    struct client_session *session;
    pthread_t thread;
    bool started;
};

static bool is_stopped(const struct take *take) {
    const struct clock *clock = take->client->clock;
    return clock->stopped(clock->state);
}

static void report(struct run *run) {
    if (run->take->progress)
        run->take->progress(run->take->progress_context, run->done, run->items);
}

static void count_items(void *context, uint64_t items) {
    struct run *run = context;
    pthread_mutex_lock(&run->lock);
    run->items += items;
    report(run);
    pthread_mutex_unlock(&run->lock);
}

/* The next one to read; NULL: there is none, or it is of no use any more. */
static struct fetch *next_fetch(struct run *run) {
    struct fetch *fetch = NULL;
    pthread_mutex_lock(&run->lock);
    if (run->next < run->take->plan->count && !run->unwritable && !is_stopped(run->take))
        fetch = &run->take->plan->fetches[run->next++];
    pthread_mutex_unlock(&run->lock);
    return fetch;
}

static void count_fetch(struct run *run, const struct fetch *fetch) {
    pthread_mutex_lock(&run->lock);
    run->done++;
    run->unwritable = run->unwritable || fetch->unwritable;
    report(run);
    pthread_mutex_unlock(&run->lock);
}

static void *work(void *context) {
    struct worker *worker = context;
    for (struct fetch *fetch; (fetch = next_fetch(worker->run));) {
        client_fetch(worker->session, worker->run->writer, fetch);
        count_fetch(worker->run, fetch);
    }
    return NULL;
}

/* ---- workers ---- */

/* At least the first worker is there, and is the caller's thread; others are a gain where they can be had. */
static void run_workers(struct run *run, struct worker *workers, size_t count) {
    for (size_t i = 1; i < count; i++) {
        workers[i].session = client_session_open(run->take->client, workers[i].arena);
        workers[i].started = workers[i].session && pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    }
    work(&workers[0]);
    for (size_t i = 1; i < count; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        client_session_close(workers[i].session);
    }
}

static bool write_index(struct take *take, const struct writer *writer, struct arena *arena) {
    struct buffer out;
    struct writer_file *file = arena_alloc(arena, sizeof *file);
    buffer_init(&out, arena);
    snapshot_file_print(&out, &take->head, take->plan);
    if (writer_file_open(file, writer, "snapshot.json")) {
        writer_file_put(file, out.bytes, out.length);
        if (writer_file_close(file, true, true))
            return true;
    }
    take->problem = arena_format(arena, "cannot write the index: %s", strerror(file->error));
    return false;
}

static const struct fetch *find_unwritable(const struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->fetches[i].unwritable)
            return &plan->fetches[i];
    return NULL;
}

static enum take_result finish(struct take *take, struct writer *writer, struct arena *arena) {
    const struct fetch *unwritable = find_unwritable(take->plan);
    enum take_result result = TAKE_WHOLE;
    if (is_stopped(take)) {
        take->problem = "interrupted";
        return TAKE_FAILED;
    }
    if (unwritable) {
        take->problem = arena_format(arena, "%s: %s", unwritable->file, unwritable->reason);
        return TAKE_FAILED;
    }
    if (!write_index(take, writer, arena))
        return TAKE_FAILED;
    bool placed = writer_place(writer);
    take->problem = writer->problem;
    if (!placed)
        return TAKE_FAILED;
    for (size_t i = 0; i < take->plan->count; i++)
        if (take->plan->fetches[i].status == FETCH_FORBIDDEN || take->plan->fetches[i].status == FETCH_FAILED)
            result = TAKE_INCOMPLETE;
    return result;
}

/* ---- the whole ---- */

/* With the first worker's session: whether there is an API server at all. */
static bool greet(struct take *take, struct client_session *session, struct arena *arena) {
    const char *reason = NULL;
    take->head.server = take->client->access->server;
    take->head.context = take->client->access->context;
    take->head.server_version = client_version(session, &reason);
    if (reason)
        take->problem = arena_format(arena, "cannot reach %s: %s", take->head.server, reason);
    return !reason;
}

static enum take_result take_into(struct take *take, struct take_arenas *arenas, struct worker *workers,
                                  struct writer *writer) {
    struct run run = {.take = take, .writer = writer};
    enum take_result result;
    if (pthread_mutex_init(&run.lock, NULL) != 0) {
        take->problem = "no lock can be had";
        result = TAKE_FAILED;
    } else {
        take->client->progress = count_items;
        take->client->progress_context = &run;
        for (size_t i = 0; i < arenas->count; i++)
            workers[i].run = &run;
        run_workers(&run, workers, arenas->count);
        take->client->progress = NULL;
        pthread_mutex_destroy(&run.lock);
        result = finish(take, writer, arenas->run);
    }
    writer_abandon(writer);
    return result;
}

enum take_result take_snapshot(struct take *take, struct take_arenas *arenas) {
    struct writer writer;
    enum take_result result = TAKE_FAILED;
    size_t count = take->workers < take->plan->count ? take->workers : take->plan->count;
    count = count > 0 ? count : 1;
    *arenas = (struct take_arenas){.run = arena_create(), .count = count};
    arenas->workers = arena_array(arenas->run, count, sizeof *arenas->workers);
    struct worker *workers = arena_array(arenas->run, count, sizeof *workers);
    for (size_t i = 0; i < count; i++)
        workers[i].arena = arenas->workers[i] = arena_create();
    workers[0].session = client_session_open(take->client, workers[0].arena);
    if (!workers[0].session)
        take->problem = "the connection cannot be set up: are the certificates and the key usable?";
    else if (!writer_open(&writer, take->calls, take->output, take->replaces, arenas->run))
        take->problem = writer.problem;
    else if (!greet(take, workers[0].session, arenas->run))
        writer_abandon(&writer);
    else
        result = take_into(take, arenas, workers, &writer);
    client_session_close(workers[0].session);
    return result;
}

void take_destroy(struct take_arenas *arenas) {
    for (size_t i = 0; i < arenas->count; i++)
        arena_destroy(arenas->workers[i]);
    arena_destroy(arenas->run);
}

#include "document/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "document/inputs_walk.h"
#include "document/reader_build.h"

/* What the workers share: each takes the next file of `order` and writes to that file's own place. */
struct work {
    pthread_mutex_t mutex;
    size_t next;         /* guarded by the mutex */
    const size_t *order; /* indexes, the largest file first */
    const struct input *list;
    struct file *files;
    size_t count;
    const struct reader_options *options;
};

struct worker {
    struct work *work;
    struct arena *arena;
    struct diagnostics diagnostics;
    pthread_t thread;
    bool started;
};

static bool take_index(struct work *work, size_t *index) {
    pthread_mutex_lock(&work->mutex);
    bool more = work->next < work->count;
    if (more) {
        *index = work->order[work->next++];
    }
    pthread_mutex_unlock(&work->mutex);
    return more;
}

static void read_failed(struct worker *worker, const struct input *input, struct file *file, int error) {
    *file = (struct file){.name = input->name, .state = FILE_UNREADABLE};
    const char *reason = error == EINVAL ? "neither a regular file nor a directory" : strerror(error);
    diagnostics_add(&worker->diagnostics, CODE_UNREADABLE, (struct location){.file = input->name}, "cannot be read: %s",
                    reason);
}

static void read_input(struct worker *worker, struct reader *reader, const struct input *input, struct file *file) {
    int descriptor = STDIN_FILENO;
    if (input->error == 0 && input->path) {
        descriptor = open(input->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (input->error != 0 || descriptor < 0) {
        read_failed(worker, input, file, input->error != 0 ? input->error : errno);
        return;
    }
    reader_descriptor(reader, input->name, descriptor, worker->work->options, file, &worker->diagnostics);
    if (input->path) {
        close(descriptor);
    }
}

static void *worker_run(void *argument) {
    struct worker *worker = argument;
    struct reader *reader = reader_create(worker->arena);
    size_t index;
    while (take_index(worker->work, &index)) {
        read_input(worker, reader, &worker->work->list[index], &worker->work->files[index]);
    }
    reader_destroy(reader);
    return NULL;
}

/* Where a thread cannot be had, fewer do the work; the first worker is the caller itself. */
static void run_workers(struct worker *workers, size_t count) {
    for (size_t i = 1; i < count; i++) {
        workers[i].started = pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]) == 0;
    }
    worker_run(&workers[0]);
    for (size_t i = 1; i < count; i++) {
        if (workers[i].started) {
            pthread_join(workers[i].thread, NULL);
        }
    }
}

struct sized_index {
    size_t size, index;
};

static int compare_sizes(const void *a, const void *b) {
    const struct sized_index *one = a, *other = b;
    if (one->size != other->size) {
        return one->size > other->size ? -1 : 1;
    }
    return one->index < other->index ? -1 : one->index > other->index;
}

/* The largest first, so that no worker is left with a large file at the end. */
static const size_t *work_order(const struct input_list *list) {
    struct sized_index *sized = arena_array(list->arena, list->count, sizeof *sized);
    size_t *order = arena_array(list->arena, list->count, sizeof *order);
    for (size_t i = 0; i < list->count; i++) {
        sized[i] = (struct sized_index){list->list[i].size, i};
    }
    if (list->count > 1) {
        qsort(sized, list->count, sizeof *sized, compare_sizes);
    }
    for (size_t i = 0; i < list->count; i++) {
        order[i] = sized[i].index;
    }
    return order;
}

static void read_all(const struct input_list *list, const struct inputs_options *options, struct arena *arena,
                     struct inputs *inputs, struct diagnostics *diagnostics) {
    struct work work = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                        .order = work_order(list),
                        .list = list->list,
                        .files = inputs->files,
                        .count = list->count,
                        .options = &options->reader};
    size_t count = options->jobs < list->count ? options->jobs : list->count;
    count = count == 0 ? 1 : count;
    struct worker *workers = arena_array(arena, count, sizeof *workers);
    inputs->arenas = arena_array(arena, count, sizeof *inputs->arenas);
    inputs->arena_count = count;
    for (size_t i = 0; i < count; i++) {
        inputs->arenas[i] = arena_create();
        workers[i] = (struct worker){.work = &work, .arena = inputs->arenas[i]};
        diagnostics_init(&workers[i].diagnostics, workers[i].arena);
    }
    run_workers(workers, count);
    pthread_mutex_destroy(&work.mutex);
    for (size_t i = 0; i < count; i++) {
        diagnostics_append(diagnostics, &workers[i].diagnostics);
    }
    diagnostics_sort(diagnostics);
}

static const struct input_origin *origins_of(const struct input_list *list) {
    struct input_origin *origins = arena_array(list->arena, list->count, sizeof *origins);
    for (size_t i = 0; i < list->count; i++) {
        const struct input *input = &list->list[i];
        origins[i] = (struct input_origin){
            .device = input->device, .inode = input->inode, .known = input->inode != 0, .named = input->named};
    }
    return origins;
}

bool inputs_read(const char *const *paths, size_t path_count, const struct inputs_options *options, struct arena *arena,
                 struct inputs *inputs, struct diagnostics *diagnostics) {
    struct input_list list = {.arena = arena, .exclude = options->exclude};
    inputs_walk(paths, path_count, &list);
    *inputs = (struct inputs){.files = arena_array(arena, list.count, sizeof *inputs->files),
                              .count = list.count,
                              .origins = origins_of(&list),
                              .excluded = list.excluded,
                              .excluded_count = list.excluded_count};
    read_all(&list, options, arena, inputs, diagnostics);
    bool opened = true;
    for (size_t i = 0; i < list.count; i++) {
        inputs->bytes += inputs->files[i].bytes;
        opened &= !(list.list[i].named && inputs->files[i].state == FILE_UNREADABLE);
    }
    return opened;
}

/* ---- files that inputs name ---- */

static int compare_origins(const void *a, const void *b) {
    const struct input_origin *one = a, *other = b;
    if (one->device != other->device) {
        return one->device < other->device ? -1 : 1;
    }
    return one->inode < other->inode ? -1 : one->inode > other->inode;
}

/* Leaves those that exist and are not among the inputs yet. */
static void drop_known(struct input_list *list, const struct inputs *inputs) {
    struct input_origin *known = arena_array(list->arena, inputs->count, sizeof *known);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        if (inputs->origins[i].known) {
            known[count++] = inputs->origins[i];
        }
    }
    if (count > 1) {
        qsort(known, count, sizeof *known, compare_origins);
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct input *input = &list->list[i];
        struct input_origin origin = {.device = input->device, .inode = input->inode};
        bool there = count > 0 && bsearch(&origin, known, count, sizeof *known, compare_origins);
        if (input->error == 0 && input->regular && !there) {
            list->list[kept++] = *input;
        }
    }
    list->count = kept;
}

/* One array after another. */
static void *join(struct arena *arena, const void *first, size_t first_count, const void *second, size_t second_count,
                  size_t size) {
    char *joined = arena_array(arena, first_count + second_count, size);
    if (first_count > 0) {
        memcpy(joined, first, first_count * size);
    }
    if (second_count > 0) {
        memcpy(joined + first_count * size, second, second_count * size);
    }
    return joined;
}

static void keep_excluded(struct inputs *inputs, const struct input_list *list) {
    inputs->excluded = join(list->arena, inputs->excluded, inputs->excluded_count, list->excluded, list->excluded_count,
                            sizeof *inputs->excluded);
    inputs->excluded_count += list->excluded_count;
    if (inputs->excluded_count > 1) {
        qsort(inputs->excluded, inputs->excluded_count, sizeof *inputs->excluded, string_compare_at);
    }
    size_t kept = 0;
    for (size_t i = 0; i < inputs->excluded_count; i++) {
        if (kept == 0 || strcmp(inputs->excluded[kept - 1], inputs->excluded[i]) != 0) {
            inputs->excluded[kept++] = inputs->excluded[i];
        }
    }
    inputs->excluded_count = kept;
}

void inputs_read_more(const char *const *paths, size_t path_count, const struct inputs_options *options,
                      struct arena *arena, struct inputs *inputs, struct diagnostics *diagnostics) {
    struct input_list list = {.arena = arena, .exclude = options->exclude};
    inputs_walk(paths, path_count, &list);
    for (size_t i = 0; i < list.count; i++) {
        list.list[i].named = false;
    }
    keep_excluded(inputs, &list);
    drop_known(&list, inputs);
    if (list.count == 0) {
        return;
    }
    struct inputs more = {.files = arena_array(arena, list.count, sizeof *more.files)};
    read_all(&list, options, arena, &more, diagnostics);
    for (size_t i = 0; i < list.count; i++) {
        inputs->bytes += more.files[i].bytes;
    }
    inputs->files = join(arena, inputs->files, inputs->count, more.files, list.count, sizeof *inputs->files);
    inputs->origins =
        join(arena, inputs->origins, inputs->count, origins_of(&list), list.count, sizeof *inputs->origins);
    inputs->arenas =
        join(arena, inputs->arenas, inputs->arena_count, more.arenas, more.arena_count, sizeof(struct arena *));
    inputs->count += list.count;
    inputs->arena_count += more.arena_count;
}

void inputs_destroy(struct inputs *inputs) {
    for (size_t i = 0; i < inputs->arena_count; i++) {
        arena_destroy(inputs->arenas[i]);
    }
    inputs->arenas = NULL;
    inputs->arena_count = 0;
}

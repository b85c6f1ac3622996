#include "online/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define INDEX_NAME "snapshot.json"

static int create_file(int folder, const char *name) {
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

const struct writer_calls writer_system = {.make_folder = mkdtemp,
                                           .create = create_file,
                                           .write = write,
                                           .truncate = ftruncate,
                                           .sync = fsync,
                                           .close = close,
                                           .rename = rename};

static bool fail(struct writer *writer, const char *what, const char *name) {
    writer->problem = arena_format(writer->arena, "cannot %s %s: %s", what, name, strerror(errno));
    return false;
}

/* ---- what stands there ---- */

typedef bool entry_visitor(int folder, const char *name, void *context);

/* Visits the entries of a folder until one says no; false: one did, or the folder cannot be read. */
static bool visit_entries(const char *path, entry_visitor *visit, void *context) {
    DIR *stream = opendir(path);
    bool well = stream != NULL;
    while (well) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry) {
            well = errno == 0;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            well = visit(dirfd(stream), entry->d_name, context);
    }
    if (stream)
        closedir(stream);
    return well;
}

struct census {
    struct arena *arena;
    const char *stranger; /* an entry that no snapshot has */
    bool has_index, any;
};

static bool count_entry(int folder, const char *name, void *context) {
    struct census *census = context;
    struct stat status;
    census->any = true;
    census->has_index = census->has_index || strcmp(name, INDEX_NAME) == 0;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
        !text_ends_with(text_of(name), ".json")) {
        census->stranger = arena_copy(census->arena, name, strlen(name));
        return false;
    }
    return true;
}

static bool check_place(struct writer *writer) {
    struct stat status;
    struct census census = {.arena = writer->arena};
    if (lstat(writer->place, &status) != 0) {
        writer->replaces = false; /* there is nothing to replace */
        return errno == ENOENT || fail(writer, "look at", writer->place);
    }
    if (!writer->replaces) {
        writer->problem = arena_format(writer->arena, "%s exists; --force replaces a snapshot", writer->place);
        return false;
    }
    if (S_ISDIR(status.st_mode) && visit_entries(writer->place, count_entry, &census) &&
        (census.has_index || !census.any))
        return true;
    writer->problem =
        census.stranger
            ? arena_format(writer->arena, "%s is not replaced: it holds %s, which is no part of a snapshot",
                           writer->place, census.stranger)
            : arena_format(writer->arena, "%s is not replaced: it is no folder with an index", writer->place);
    return false;
}

/* ---- the folder ---- */

static bool remove_entry(int folder, const char *name, void *context) {
    (void)context;
    return unlinkat(folder, name, 0) == 0;
}

/* Removes a folder of files. */
static bool remove_folder(const char *path) { return visit_entries(path, remove_entry, NULL) && rmdir(path) == 0; }

/* The place without slashes at its end, which would go into its folder. */
static const char *trim_place(const char *place, struct arena *arena) {
    size_t length = strlen(place);
    while (length > 1 && place[length - 1] == '/')
        length--;
    return arena_copy(arena, place, length);
}

static bool make_stage(struct writer *writer) {
    char *stage = arena_format(writer->arena, "%s.XXXXXX", writer->place);
    if (!writer->calls->make_folder(stage))
        return fail(writer, "make a folder beside", writer->place);
    writer->stage = stage;
    writer->folder = open(stage, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (writer->folder >= 0)
        return true;
    fail(writer, "open", stage);
    writer_abandon(writer);
    return false;
}

bool writer_open(struct writer *writer, const struct writer_calls *calls, const char *place, bool replaces,
                 struct arena *arena) {
    *writer = (struct writer){
        .calls = calls, .place = trim_place(place, arena), .folder = -1, .replaces = replaces, .arena = arena};
    return check_place(writer) && make_stage(writer);
}

void writer_abandon(struct writer *writer) {
    if (writer->folder >= 0)
        close(writer->folder);
    writer->folder = -1;
    if (writer->stage)
        remove_folder(writer->stage);
    writer->stage = NULL;
}

/* What stood there goes out of the way, and comes back if the new one cannot take its place. */
static bool replace(struct writer *writer) {
    char *old = arena_format(writer->arena, "%s.XXXXXX", writer->place);
    if (!writer->calls->make_folder(old))
        return fail(writer, "make a folder beside", writer->place);
    if (writer->calls->rename(writer->place, old) != 0) {
        fail(writer, "move away", writer->place);
        rmdir(old);
        return false;
    }
    if (writer->calls->rename(writer->stage, writer->place) != 0) {
        fail(writer, "put the snapshot at", writer->place);
        if (rename(old, writer->place) != 0)
            writer->problem = arena_format(writer->arena, "%s; what stood there is now %s", writer->problem, old);
        return false;
    }
    if (!remove_folder(old))
        writer->problem = arena_format(writer->arena, "what stood there could not be removed, and is now %s", old);
    return true;
}

bool writer_place(struct writer *writer) {
    bool placed = writer->replaces ? replace(writer) : writer->calls->rename(writer->stage, writer->place) == 0;
    if (!placed && !writer->replaces)
        fail(writer, "put the snapshot at", writer->place);
    if (placed)
        writer->stage = NULL;
    writer_abandon(writer);
    return placed;
}

/* ---- files ---- */

bool writer_file_open(struct writer_file *file, const struct writer *writer, const char *name) {
    file->writer = writer;
    file->name = name;
    file->error = 0;
    file->flushed = 0;
    file->length = 0;
    file->descriptor = writer->calls->create(writer->folder, name);
    if (file->descriptor < 0)
        file->error = errno;
    return file->descriptor >= 0;
}

static bool flush(struct writer_file *file) {
    const char *bytes = file->block;
    size_t left = file->length;
    file->length = 0;
    while (left > 0 && file->error == 0) {
        ssize_t written = file->writer->calls->write(file->descriptor, bytes, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            file->error = written < 0 ? errno : EIO;
            break;
        }
        bytes += written;
        left -= (size_t)written;
        file->flushed += (uint64_t)written;
    }
    return file->error == 0;
}

bool writer_file_put(struct writer_file *file, const char *bytes, size_t length) {
    while (length > 0 && file->error == 0) {
        size_t room = WRITER_BLOCK - file->length, part = length < room ? length : room;
        memcpy(file->block + file->length, bytes, part);
        file->length += part;
        bytes += part;
        length -= part;
        if (file->length == WRITER_BLOCK)
            flush(file);
    }
    return file->error == 0;
}

uint64_t writer_file_tell(const struct writer_file *file) { return file->flushed + file->length; }

bool writer_file_rewind(struct writer_file *file, uint64_t place) {
    if (place >= file->flushed) {
        file->length = (size_t)(place - file->flushed);
        return file->error == 0;
    }
    file->length = 0;
    if (file->error == 0 && (file->writer->calls->truncate(file->descriptor, (off_t)place) != 0 ||
                             lseek(file->descriptor, (off_t)place, SEEK_SET) < 0))
        file->error = errno;
    file->flushed = place;
    return file->error == 0;
}

bool writer_file_close(struct writer_file *file, bool sync, bool keep) {
    if (file->descriptor < 0)
        return false;
    if (keep && file->error == 0)
        flush(file);
    if (keep && sync && file->error == 0 && file->writer->calls->sync(file->descriptor) != 0)
        file->error = errno;
    if (file->writer->calls->close(file->descriptor) != 0 && file->error == 0)
        file->error = errno;
    file->descriptor = -1;
    bool well = file->error == 0;
    if (!keep || !well)
        unlinkat(file->writer->folder, file->name, 0);
    return well;
}

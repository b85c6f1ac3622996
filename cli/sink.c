#include "cli/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

bool sink_write(int descriptor, struct text bytes) {
    while (bytes.length > 0) {
        ssize_t written = write(descriptor, bytes.bytes, bytes.length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        bytes.bytes += written;
        bytes.length -= (size_t)written;
    }
    return true;
}

/* Closing tells of errors that writing did not see. */
static bool write_and_close(int descriptor, struct text bytes) {
    bool written = sink_write(descriptor, bytes);
    int why = errno;
    bool closed = close(descriptor) == 0;
    errno = written ? errno : why;
    return written && closed;
}

/* A new file beside `path`; the number is the process's, then what follows where that name is taken. */
static int open_beside(const char *path, struct arena *arena, const char **name) {
    enum { TRIES = 100 };
    int descriptor = -1;
    for (long i = 0; i < TRIES && descriptor < 0; i++) {
        *name = arena_format(arena, "%s.%ld.tmp", path, (long)getpid() + i);
        descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

static bool replace_file(const char *path, struct text bytes, struct arena *arena) {
    const char *name;
    int descriptor = open_beside(path, arena, &name);
    if (descriptor < 0) {
        return false;
    }
    if (write_and_close(descriptor, bytes) && rename(name, path) == 0) {
        return true;
    }
    int why = errno;
    unlink(name);
    errno = why;
    return false;
}

/* Where a chain of symbolic links ends; a link is relative to its own folder. NULL: it has no end, or is too long. */
static const char *follow_links(const char *path, struct arena *arena) {
    enum { LINKS = 40, LONGEST = 4096 };
    char link[LONGEST];
    for (int i = 0; i < LINKS; i++) {
        ssize_t length = readlink(path, link, sizeof link - 1);
        if (length < 0) {
            return path; /* no link */
        }
        link[length] = '\0';
        const char *slash = link[0] == '/' ? NULL : strrchr(path, '/');
        int folder = slash ? (int)(slash - path) + 1 : 0;
        path = arena_format(arena, "%.*s%s", folder, path, link);
    }
    errno = ELOOP;
    return NULL;
}

bool sink_write_file(const char *path, struct text bytes, struct arena *arena) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        int descriptor = open(path, O_WRONLY | O_CLOEXEC);
        return descriptor >= 0 && write_and_close(descriptor, bytes);
    }
    const char *target = follow_links(path, arena);
    return target && replace_file(target, bytes, arena);
}

/*
 * Loaded before the C library: lets one call of the system fail, the one of the number in EGRESSC_FAULT_AT, and writes its
 * name into the file of EGRESSC_FAULT_SAID. Only calls that a program makes to get something done; those by which it cleans
 * up after itself do not fail.
 */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RTLD_NEXT /* which is no part of POSIX */
#define RTLD_NEXT ((void *)-1L)
#endif

static bool is_to_fail(const char *name, int error) {
    static atomic_uint calls;
    const char *at = getenv("EGRESSC_FAULT_AT"), *said = getenv("EGRESSC_FAULT_SAID");
    if (!at || !said || ++calls != strtoul(at, NULL, 10))
        return false;
    long descriptor = syscall(SYS_openat, AT_FDCWD, said, O_WRONLY | O_CREAT | O_APPEND, 0600);
    syscall(SYS_write, descriptor, name, strlen(name));
    syscall(SYS_close, descriptor);
    errno = error;
    return true;
}

/* A function of that name which fails or does what the real one does. */
#define FAILING(type, name, parameters, arguments, failure, error)                                                     \
    type name parameters;                                                                                              \
    type name parameters {                                                                                             \
        type(*real) parameters;                                                                                        \
        void *found = dlsym(RTLD_NEXT, #name);                                                                         \
        memcpy(&real, &found, sizeof real);                                                                            \
        return is_to_fail(#name, error) ? (failure) : real arguments;                                                  \
    }

FAILING(ssize_t, read, (int descriptor, void *bytes, size_t length), (descriptor, bytes, length), -1, EIO)
FAILING(ssize_t, write, (int descriptor, const void *bytes, size_t length), (descriptor, bytes, length), -1, ENOSPC)
FAILING(ssize_t, recv, (int descriptor, void *bytes, size_t length, int flags), (descriptor, bytes, length, flags), -1,
        ECONNRESET)
FAILING(ssize_t, send, (int descriptor, const void *bytes, size_t length, int flags),
        (descriptor, bytes, length, flags), -1, EPIPE)
FAILING(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE)
FAILING(int, connect, (int descriptor, const struct sockaddr *address, socklen_t length), (descriptor, address, length),
        -1, ENETUNREACH)
FAILING(int, fsync, (int descriptor), (descriptor), -1, EIO)
FAILING(int, ftruncate, (int descriptor, off_t length), (descriptor, length), -1, EIO)
FAILING(off_t, lseek, (int descriptor, off_t offset, int whence), (descriptor, offset, whence), -1, EIO)
FAILING(int, rename, (const char *from, const char *to), (from, to), -1, EXDEV)
FAILING(char *, mkdtemp, (char *template), (template), NULL, EACCES)
FAILING(int, pipe, (int ends[2]), (ends), -1, EMFILE)
FAILING(int, posix_spawnp,
        (pid_t * child, const char *file, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const arguments[], char *const variables[]),
        (child, file, actions, attributes, arguments, variables), EAGAIN, EAGAIN)
FAILING(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context),
        (thread, attributes, run, context), EAGAIN, EAGAIN)

/* It is closed all the same. */
int close(int descriptor) {
    long result = syscall(SYS_close, descriptor);
    return is_to_fail("close", EIO) ? -1 : (int)result;
}

/* Those that take a mode if they create. */
int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return is_to_fail("open", EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return is_to_fail("openat", EMFILE) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

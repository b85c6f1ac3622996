/*
 * Sinks: where results go, with write errors seen to.
 */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include <stdbool.h>

#include "base/text.h"

struct arena;

/* Writes all bytes to a descriptor. False: it failed, and errno says why. */
bool sink_write(int descriptor, struct text bytes);

/* Writes a file atomically: a new file beside it (mode 0666 less the umask), renamed over it at the end, so that no
 * reader sees half of it and a failure leaves the old one. What is there and is no regular file (/dev/null, a pipe) is
 * written to directly; a symbolic link is followed. False: it failed, and errno says why. */
bool sink_write_file(const char *path, struct text bytes, struct arena *arena);

#endif

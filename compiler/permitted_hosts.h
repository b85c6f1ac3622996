/*
 * The ConfigMap of `permittedHostsParam`: which hosts and ports may be granted (spec/config.md 6).
 *
 *   data.hosts   one host entry a line; a leading dot permits the domain, its subdomains, and itself as an entry
 *   data.ports   one port a line, or `*` for all of them
 *
 * Lines end in LF or CRLF. Blank lines, and lines that begin with `#`, are passed over; any other line is a fault, and so
 * is a value that is no string. A key that is absent permits nothing. Entries are compared in lower case.
 */
#ifndef COMPILER_PERMITTED_HOSTS_H
#define COMPILER_PERMITTED_HOSTS_H

#include "document/limits.h"
#include "kube/object.h"

struct permitted_hosts {
    struct object_name object;
    struct location location;
    const char *const *hosts; /* in lower case, byte order */
    size_t host_count;
    const uint8_t *ports; /* a bit for each port */
    bool any_port;
    struct diagnostics faults; /* grant-not-permitted, at the lines; any: it is malformed, and no grant is permitted */
};

/* The ConfigMap among objects; NULL: it is not there. An object that names no namespace is none. */
const struct object *permitted_hosts_find(const struct objects *objects, const char *namespace, const char *name);

/* Reads it; differing copies behind it in `objects` are a fault. Everything is copied into the arena. To tell the line of
 * a block scalar, its file is read again, within the limits. */
void permitted_hosts_read(const struct object *object, const struct objects *objects, const struct limits *limits,
                          struct arena *arena, struct permitted_hosts *permitted);

/* Whether an entry in lower case may be granted. */
bool permitted_hosts_has_host(const struct permitted_hosts *permitted, const char *entry);
bool permitted_hosts_has_port(const struct permitted_hosts *permitted, uint16_t port);

#endif

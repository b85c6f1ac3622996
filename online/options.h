/*
 * The command line of egressc-snapshot: one table drives parsing and help.
 */
#ifndef ONLINE_OPTIONS_H
#define ONLINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct option_values {
    const char **list; /* NULL where count is 0 */
    size_t count, capacity;
};

struct snapshot_options {
    const char *kubeconfig, *context, *config, *output; /* NULL: absent */
    struct option_values namespaces, collections;
    bool all_namespaces, force, help, version;
    unsigned keep; /* enum prune_keep */
    unsigned timeout_s, deadline_s, retries, connections, page, answer_mib;
};

/* Strings are those of the command line, or live in the arena. False: bad usage, and `problem` says what. */
bool snapshot_options_parse(const char *const *arguments, size_t count, struct arena *arena,
                            struct snapshot_options *options, struct buffer *problem);

void snapshot_options_help(struct buffer *out);

#endif

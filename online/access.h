/*
 * Access to an API server: where it is, whom to trust, who we are. Made from kubeconfigs (online/kubeconfig.h) or from what
 * a pod is given (online/incluster.h).
 *
 * What is secret here (keys, tokens, passwords, a proxy's user) is never printed: messages from elsewhere that might hold
 * some of it go through access_redact.
 */
#ifndef ONLINE_ACCESS_H
#define ONLINE_ACCESS_H

#include "base/diagnostic.h"
#include "online/transport.h"

struct arena;

struct access_variable {
    const char *name, *value;
};

/* A program that gives credentials (client.authentication.k8s.io). */
struct access_plugin {
    const char *api_version, *command;
    const char *const *arguments; /* without the command; ends with NULL */
    const struct access_variable *variables;
    size_t variable_count;
    const char *install_hint; /* or NULL */
    const char *folder;       /* of the kubeconfig: a command with a slash is relative to it */
    bool give_cluster, may_ask, must_ask;
    struct location location; /* of the command */
};

struct access {
    const char *server;    /* https://host[:port][/path], without a slash at the end */
    const char *context;   /* or NULL */
    const char *namespace; /* of the context, or NULL */
    struct transport_identity identity;
    const char *token, *token_file, *username, *password; /* or NULL */
    struct location token_location;
    int64_t expires_s;    /* when token and certificate do, in seconds since 1970; 0: that is not known */
    const char **headers; /* whom to act as */
    size_t header_count, header_capacity;
    bool has_plugin;
    struct access_plugin plugin;
};

/* Reads a small file whole, NUL-terminated; false: errno says why (EFBIG: it is larger than a credential may be). */
bool access_read_file(const char *path, struct arena *arena, struct text *content);

/* The Authorization header of these credentials, NULL: none. A token file is read each time. False: it cannot be read,
 * holds no token, or what it holds cannot stand in a header, and a diagnostic says so. */
bool access_authorize(const struct access *access, struct arena *arena, const char **header,
                      struct diagnostics *diagnostics);

/* The message with every secret in it replaced, without control characters, and cut to a bearable length. */
const char *access_redact(const struct access *access, const char *message, struct arena *arena);

/* Whether a server's URL, in which nothing is wrong, is of the loopback interface. */
bool access_is_this_machine(const char *url);

/* What is wrong with a server's URL, NULL: nothing. Plain HTTP is for this machine alone. */
const char *access_check_server(const char *url);

#endif

#include "online/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "document/reader.h"
#include "document/writer.h"
#include "grammar/timestamp.h"
#include "online/base64.h"

extern char **environ;

enum { PRINTED_MOST = 1024 * 1024, TURN_MS = 100 };

struct run {
    const struct access_plugin *plugin;
    const struct exec_plugin_options *options;
    struct arena *arena;
    struct diagnostics *diagnostics;
    bool interactive;
    pid_t child;
    int descriptor; /* what it prints */
};

static bool refuse(const struct run *run, const char *what, const char *more) {
    const char *hint = run->plugin->install_hint;
    diagnostics_add(run->diagnostics, CODE_CONFIG_UNUSABLE, run->plugin->location, "the plug-in %s %s%s%s%s%s",
                    run->plugin->command, what, more ? ": " : "", more ? more : "", hint ? "\n" : "", hint ? hint : "");
    return false;
}

/* ---- what it is told ---- */

static void write_cluster(struct json_writer *json, const struct access *access, struct arena *arena) {
    json_key(json, "cluster");
    json_begin_object(json);
    json_key(json, "server");
    json_string(json, access->server);
    if (access->identity.server_name) {
        json_key(json, "tls-server-name");
        json_string(json, access->identity.server_name);
    }
    if (access->identity.skip_verify) {
        json_key(json, "insecure-skip-tls-verify");
        json_bool(json, true);
    }
    if (access->identity.authorities.length > 0) {
        json_key(json, "certificate-authority-data");
        json_string(json, base64_encode(access->identity.authorities, arena));
    }
    if (access->identity.proxy && *access->identity.proxy) {
        json_key(json, "proxy-url");
        json_string(json, access->identity.proxy);
    }
    json_end_object(json);
}

static const char *exec_info(const struct run *run, const struct access *access) {
    struct buffer out;
    struct json_writer json;
    buffer_init(&out, run->arena);
    json_writer_init(&json, &out);
    json_begin_object(&json);
    json_key(&json, "apiVersion");
    json_string(&json, run->plugin->api_version);
    json_key(&json, "kind");
    json_string(&json, "ExecCredential");
    json_key(&json, "spec");
    json_begin_object(&json);
    json_key(&json, "interactive");
    json_bool(&json, run->interactive);
    if (run->plugin->give_cluster)
        write_cluster(&json, access, run->arena);
    json_end_object(&json);
    json_end_object(&json);
    return buffer_string(&out);
}

static bool is_variable(const char *entry, const char *name) {
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Sets a variable in place of one of that name. The array has room. */
static void set_variable(const struct run *run, char **variables, size_t *count, const char *name, const char *value) {
    size_t i = 0;
    while (i < *count && !is_variable(variables[i], name))
        i++;
    variables[i] = arena_format(run->arena, "%s=%s", name, value);
    if (i == *count)
        variables[++*count] = NULL;
}

static char **environment(const struct run *run, const struct access *access) {
    const struct access_plugin *plugin = run->plugin;
    size_t count = 0;
    while (environ[count])
        count++;
    char **variables = arena_array(run->arena, count + plugin->variable_count + 2, sizeof *variables);
    memcpy(variables, environ, count * sizeof *variables);
    for (size_t i = 0; i < plugin->variable_count; i++)
        set_variable(run, variables, &count, plugin->variables[i].name, plugin->variables[i].value);
    set_variable(run, variables, &count, "KUBERNETES_EXEC_INFO", exec_info(run, access));
    return variables;
}

static char **arguments(const struct run *run, const char *command) {
    const char *const *given = run->plugin->arguments;
    size_t count = 0;
    while (given[count])
        count++;
    char **list = arena_array(run->arena, count + 2, sizeof *list);
    list[0] = arena_format(run->arena, "%s", command);
    for (size_t i = 0; i < count; i++)
        list[i + 1] = arena_format(run->arena, "%s", given[i]);
    return list;
}

/* ---- the process ---- */

static const char *command_path(const struct run *run) {
    const struct access_plugin *plugin = run->plugin;
    if (!strchr(plugin->command, '/') || plugin->command[0] == '/' || !*plugin->folder)
        return plugin->command;
    return arena_format(run->arena, "%s/%s", plugin->folder, plugin->command);
}

/* Its own group, so that its children end with it; not where it asks a person, who could not answer it then. */
static bool set_attributes(const struct run *run, posix_spawnattr_t *attributes) {
    sigset_t none, usual;
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    if (!run->interactive)
        flags = (short)(flags | POSIX_SPAWN_SETPGROUP);
    return posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &usual) == 0 && posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setflags(attributes, flags) == 0;
}

static bool set_actions(const struct run *run, posix_spawn_file_actions_t *actions, const int ends[2]) {
    if (posix_spawn_file_actions_adddup2(actions, ends[1], STDOUT_FILENO) != 0)
        return false;
    return run->interactive ||
           (posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
            posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0);
}

static int spawn(struct run *run, const struct access *access, const int ends[2]) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    const char *command = command_path(run);
    int why = posix_spawnattr_init(&attributes);
    if (why != 0)
        return why;
    why = posix_spawn_file_actions_init(&actions);
    if (why == 0) {
        why = ENOMEM;
        if (set_attributes(run, &attributes) && set_actions(run, &actions, ends))
            why = posix_spawnp(&run->child, command, &actions, &attributes, arguments(run, command),
                               environment(run, access));
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return why;
}

static bool start(struct run *run, const struct access *access) {
    int ends[2];
    if (pipe(ends) != 0)
        return refuse(run, "cannot be run", strerror(errno));
    bool set = fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
    int why = set ? spawn(run, access, ends) : errno;
    close(ends[1]);
    run->descriptor = ends[0];
    if (why == 0)
        return true;
    close(ends[0]);
    return refuse(run, "cannot be run", strerror(why));
}

/* Reads until the program closes its output; the reason where that does not come to a good end, else NULL. */
static const char *collect(const struct run *run, struct buffer *printed) {
    const struct clock *clock = run->options->clock;
    uint64_t began = clock->now_ms(clock->state);
    char block[4096];
    for (;;) {
        struct pollfd wait = {.fd = run->descriptor, .events = POLLIN};
        if (clock->stopped(clock->state))
            return "was interrupted";
        if (clock->now_ms(clock->state) - began > run->options->timeout_ms)
            return "does not answer in time";
        if (poll(&wait, 1, TURN_MS) <= 0)
            continue;
        ssize_t got = read(run->descriptor, block, sizeof block);
        if (got == 0)
            return NULL;
        if (got < 0 && errno != EINTR)
            return "cannot be read from";
        buffer_add(printed, block, got > 0 ? (size_t)got : 0);
        if (printed->length > PRINTED_MOST)
            return "prints too much";
    }
}

/* Waits for its end, for as long as it has; true: it has ended. */
static bool wait_for_end(const struct run *run, uint64_t until, int *status) {
    const struct clock *clock = run->options->clock;
    for (;;) {
        pid_t ended = waitpid(run->child, status, WNOHANG);
        if (ended == run->child || (ended < 0 && errno != EINTR))
            return true;
        if (clock->now_ms(clock->state) >= until || clock->stopped(clock->state))
            return false;
        poll(NULL, 0, 10);
    }
}

static bool finish(const struct run *run, const char *problem) {
    const struct clock *clock = run->options->clock;
    int status = 0;
    close(run->descriptor);
    bool ended = !problem && wait_for_end(run, clock->now_ms(clock->state) + run->options->timeout_ms, &status);
    if (!ended) {
        kill(run->interactive ? run->child : -run->child, SIGKILL);
        while (waitpid(run->child, &status, 0) < 0 && errno == EINTR)
            ;
        return refuse(run, problem ? problem : "does not end in time", NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFEXITED(status))
        return refuse(run, arena_format(run->arena, "ended with status %d", WEXITSTATUS(status)), NULL);
    return refuse(run, "was ended by a signal", NULL);
}

/* ---- what it prints ---- */

static bool read_expiry(const struct run *run, const struct node *node, int64_t *seconds) {
    size_t offset;
    *seconds = 0;
    if (!node || (node_is(node, NODE_STRING) && timestamp_parse(node_text(node), seconds, &offset) == TIMESTAMP_OK))
        return true;
    return refuse(run, "gave an expirationTimestamp that is no time", NULL);
}

/* All that it gives, and nothing of before. */
static bool take_credential(const struct run *run, const struct node *status, struct access *access) {
    const char *token = node_string(node_get(status, "token"));
    const struct node *certificate = node_get(status, "clientCertificateData"),
                      *key = node_get(status, "clientKeyData");
    if (!node_is(certificate, NODE_STRING) != !node_is(key, NODE_STRING))
        return refuse(run, "gave a certificate without its key, or a key without its certificate", NULL);
    if (!token && !certificate)
        return refuse(run, "gave neither a token nor a certificate", NULL);
    if (!read_expiry(run, node_get(status, "expirationTimestamp"), &access->expires_s))
        return false;
    access->token = token;
    access->token_file = NULL;
    access->token_location = run->plugin->location;
    access->identity.certificate = certificate ? node_text(certificate) : (struct text){0};
    access->identity.key = certificate ? node_text(key) : (struct text){0};
    return true;
}

static bool read_printed(const struct run *run, struct text printed, struct access *access) {
    struct reader_options options = {.limits = limits_default()};
    struct file file = {0};
    struct diagnostics unsaid; /* they would show what was printed */
    diagnostics_init(&unsaid, run->arena);
    reader_read_text("plug-in", printed, &options, run->arena, &file, &unsaid);
    if (file.state != FILE_READ || file.count != 1)
        return refuse(run, "printed no ExecCredential", NULL);
    const struct node *root = &file.documents[0].root;
    if (!text_is(node_text(node_get(root, "kind")), "ExecCredential"))
        return refuse(run, "printed no ExecCredential", NULL);
    if (!text_is(node_text(node_get(root, "apiVersion")), run->plugin->api_version))
        return refuse(run, "printed an ExecCredential of another version than", run->plugin->api_version);
    const struct node *status = node_get(root, "status");
    if (!node_is(status, NODE_MAP))
        return refuse(run, "printed an ExecCredential without a status", NULL);
    return take_credential(run, status, access);
}

bool exec_plugin_read(struct access *access, struct text printed, struct arena *arena,
                      struct diagnostics *diagnostics) {
    struct run run = {.plugin = &access->plugin, .arena = arena, .diagnostics = diagnostics};
    return read_printed(&run, printed, access);
}

bool exec_plugin_run(struct access *access, const struct exec_plugin_options *options, struct arena *arena,
                     struct diagnostics *diagnostics) {
    struct run run = {.plugin = &access->plugin,
                      .options = options,
                      .arena = arena,
                      .diagnostics = diagnostics,
                      .interactive = access->plugin.may_ask && options->has_terminal};
    struct buffer printed;
    if (access->plugin.must_ask && !options->has_terminal)
        return refuse(&run, "must ask a person, and there is no terminal", NULL);
    if (!start(&run, access))
        return false;
    buffer_init(&printed, arena);
    const char *problem = collect(&run, &printed);
    return finish(&run, problem) &&
           read_printed(&run, (struct text){.bytes = buffer_string(&printed), .length = printed.length}, access);
}

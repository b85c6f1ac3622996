/*
 * egressc-snapshot: the process around it: options, where access comes from, the terminal, signals, exit status.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "online/exec_plugin.h"
#include "online/incluster.h"
#include "online/kubeconfig.h"
#include "online/options.h"
#include "online/take.h"

enum exit_status { EXIT_WELL, EXIT_INCOMPLETE, EXIT_TROUBLE };
enum { PLUGIN_MS = 60 * 1000 };

struct program {
    struct arena *arena;
    struct snapshot_options options;
    struct diagnostics diagnostics;
    struct clock clock;
    struct access access;
    struct config config;
};

static enum exit_status complain(const char *what) {
    fprintf(stderr, "egressc-snapshot: %s\n", what);
    return EXIT_TROUBLE;
}

static enum exit_status print_diagnostics(const struct diagnostics *diagnostics) {
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *diagnostic = &diagnostics->list[i];
        if (diagnostic->severity != SEVERITY_ERROR)
            continue;
        if (diagnostic->location.file)
            fprintf(stderr, "%s:", diagnostic->location.file);
        if (diagnostic->location.line > 0)
            fprintf(stderr, "%u:%u:", (unsigned)diagnostic->location.line, (unsigned)diagnostic->location.column);
        fprintf(stderr, "%s%s\n", diagnostic->location.file ? " " : "egressc-snapshot: ", diagnostic->message);
    }
    return EXIT_TROUBLE;
}

/* ---- what is needed ---- */

/* A kubeconfig where one is named or found; else what a pod is given. */
static bool find_access(struct program *program) {
    struct kubeconfig kubeconfig;
    const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
    if (!kubeconfig_load(program->options.kubeconfig, getenv("KUBECONFIG"), getenv("HOME"), program->arena, &kubeconfig,
                         &program->diagnostics))
        return false;
    if (kubeconfig.count > 0)
        return kubeconfig_access(&kubeconfig, program->options.context, program->arena, &program->access,
                                 &program->diagnostics);
    if (host && *host && port && *port && !program->options.context)
        return incluster_access(host, port, INCLUSTER_FOLDER, program->arena, &program->access, &program->diagnostics);
    diagnostics_add(&program->diagnostics, CODE_UNREADABLE, (struct location){0},
                    "there is no kubeconfig: give --kubeconfig FILE, or set KUBECONFIG");
    return false;
}

static bool find_credentials(struct program *program) {
    struct exec_plugin_options options = {.timeout_ms = PLUGIN_MS,
                                          .has_terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO),
                                          .clock = &program->clock};
    const char *header;
    if (program->access.has_plugin &&
        !exec_plugin_run(&program->access, &options, program->arena, &program->diagnostics))
        return false;
    return access_authorize(&program->access, program->arena, &header, &program->diagnostics);
}

/* From a worker: what the program's arena and diagnostics hold is not for it. */
static const char *renew(void *context, struct access *access, struct arena *arena) {
    const struct program *program = context;
    struct exec_plugin_options options = {.timeout_ms = PLUGIN_MS, .clock = &program->clock};
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, arena);
    return exec_plugin_run(access, &options, arena, &diagnostics) ? NULL : diagnostics.list[0].message;
}

static bool read_config(struct program *program) {
    struct config_options options = {.limits = limits_default()};
    if (!program->options.config || config_read(program->options.config, &options, program->arena, &program->config,
                                                &program->diagnostics) == CONFIG_OK)
        return true;
    config_diagnostics(&program->config, &program->diagnostics);
    return false;
}

/* ---- the run ---- */

static void show_progress(void *context, size_t collections, uint64_t items) {
    const size_t *all = context;
    fprintf(stderr, "\r%zu of %zu collections, %llu objects", collections, *all, (unsigned long long)items);
}

static void tell_unread(const struct plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        const struct fetch *fetch = &plan->fetches[i];
        if (fetch->status == FETCH_FORBIDDEN || fetch->status == FETCH_FAILED)
            fprintf(stderr, "egressc-snapshot: %s%s%s: %s: %s\n", fetch->row->resource,
                    fetch->namespace ? " of namespace " : "", fetch->namespace ? fetch->namespace : "",
                    fetch->status == FETCH_FORBIDDEN ? "forbidden" : "failed", fetch->reason);
    }
}

static enum exit_status take(struct program *program, struct client *client) {
    const struct snapshot_options *options = &program->options;
    struct plan plan;
    char stamp[CLOCK_STAMP];
    bool shows = isatty(STDERR_FILENO);
    struct plan_wanted wanted = {.config = options->config ? &program->config : NULL,
                                 .namespaces = options->namespaces.list,
                                 .namespace_count = options->namespaces.count,
                                 .collections = options->collections.list,
                                 .collection_count = options->collections.count};
    plan_make(&wanted, program->arena, &plan);
    clock_stamp(stamp);
    struct take_arenas arenas;
    struct take take = {.client = client,
                        .plan = &plan,
                        .calls = &writer_system,
                        .output = options->output,
                        .replaces = options->force,
                        .workers = options->connections,
                        .head = {.taken_at = stamp,
                                 .namespaces = options->namespaces.list,
                                 .namespace_count = options->namespaces.count},
                        .progress = shows ? show_progress : NULL,
                        .progress_context = &plan.count};
    enum take_result result = take_snapshot(&take, &arenas);
    if (shows)
        fputs("\n", stderr);
    if (result != TAKE_FAILED)
        tell_unread(&plan);
    if (take.problem)
        complain(take.problem);
    take_destroy(&arenas);
    return result == TAKE_FAILED ? EXIT_TROUBLE : result == TAKE_INCOMPLETE ? EXIT_INCOMPLETE : EXIT_WELL;
}

static enum exit_status connect_and_take(struct program *program) {
    const struct snapshot_options *options = &program->options;
    struct client client;
    struct transport transport;
    struct client_limits limits = client_limits_default();
    enum exit_status status = EXIT_TROUBLE;
    limits.page = options->page;
    limits.request_ms = options->timeout_s * 1000;
    limits.run_ms = (uint64_t)options->deadline_s * 1000;
    limits.retries = options->retries;
    limits.page_bytes = (uint64_t)options->answer_mib << 20;
    if (!transport_curl(&transport))
        return complain("libcurl cannot be used");
    if (client_init(&client, &program->access, &transport, &program->clock, &limits, options->keep)) {
        client.renew = program->access.has_plugin ? renew : NULL;
        client.renew_context = program;
        status = take(program, &client);
        client_destroy(&client);
    }
    transport_curl_end();
    return status;
}

static enum exit_status run(struct program *program, const char *const *arguments, size_t count) {
    struct buffer text;
    buffer_init(&text, program->arena);
    if (!snapshot_options_parse(arguments, count, program->arena, &program->options, &text)) {
        buffer_add_string(&text, "; see egressc-snapshot --help");
        return complain(buffer_string(&text));
    }
    if (program->options.help || program->options.version) {
        if (program->options.help)
            snapshot_options_help(&text);
        else
            buffer_add_string(&text, "egressc-snapshot " EGRESSC_VERSION "\n");
        return fputs(buffer_string(&text), stdout) == EOF || fflush(stdout) == EOF ? EXIT_TROUBLE : EXIT_WELL;
    }
    diagnostics_init(&program->diagnostics, program->arena);
    if (!read_config(program) || !find_access(program) || !find_credentials(program))
        return print_diagnostics(&program->diagnostics);
    return connect_and_take(program);
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    clock_hold_signals();
    struct program program = {.arena = arena_create(), .clock = clock_host()};
    enum exit_status status = run(&program, (const char *const *)argv + 1, argc > 0 ? (size_t)argc - 1 : 0);
    arena_destroy(program.arena);
    clock_release_signals();
    return (int)status;
}

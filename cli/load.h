/*
 * Loading: what commands read before they decide anything, with failures mapped to exit statuses (spec/cli.md).
 *
 * Each function appends to `diagnostics`, and returns EXIT_TROUBLE where a named file cannot be read, after which the
 * command prints the diagnostics and ends. EXIT_REFUSED: it was read and is refused.
 */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/command.h"
#include "compiler/config.h"
#include "document/inputs.h"
#include "kube/facts.h"

/* The facts of --facts, and over them --cilium-version and --kubernetes-version. A version that is none is bad usage. */
enum exit_status load_facts(const struct command_context *context, struct cluster_facts *facts,
                            struct diagnostics *diagnostics);

/* The config of --config, which must be given, under `facts`. */
enum exit_status load_config(const struct command_context *context, const struct cluster_facts *facts,
                             struct config *config, struct diagnostics *diagnostics);

/* The inputs, kept as the analysis needs them (object_keep). The caller calls inputs_destroy, whatever is returned. */
enum exit_status load_inputs(const struct command_context *context, struct inputs *inputs,
                             struct diagnostics *diagnostics);

/* The same of other paths. */
enum exit_status load_paths(const struct command_context *context, const char *const *paths, size_t count,
                            struct inputs *inputs, struct diagnostics *diagnostics);

/* --jobs, else the online CPUs. */
unsigned load_jobs(const struct command_context *context);

#endif

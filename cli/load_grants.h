/*
 * Loading of grants, and of the ConfigMap that says what may be granted (spec/config.md 6, spec/cli.md).
 */
#ifndef CLI_LOAD_GRANTS_H
#define CLI_LOAD_GRANTS_H

#include "cli/load.h"
#include "compiler/grant.h"

/* The grants of every --grant. The config has a document. */
enum exit_status load_grants(const struct command_context *context, const struct config *config,
                             struct grant_set *grants, struct diagnostics *diagnostics);

/* Holds them against the ConfigMap, which is looked for in `inputs`, then in the files of the config's folder, by name. */
void load_permitted_hosts(const struct command_context *context, const struct inputs *inputs, struct grant_set *grants);

#endif

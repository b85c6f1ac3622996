/*
 * Loading of grants, and of the ConfigMap that says what may be granted (spec/config.md 6, spec/cli.md).
 */
#ifndef CLI_LOAD_GRANTS_H
#define CLI_LOAD_GRANTS_H

#include "cli/load.h"
#include "compiler/grant.h"

/* The grants of every --grant, checked; their diagnostics become those of their boundary in `config`, which has a document.
 * The ConfigMap is looked for in `inputs` (NULL: none), then in the files of the config's folder, by name. Statuses are
 * those of cli/load.h; EXIT_TROUBLE: `config` is as it was. */
enum exit_status load_grants(const struct command_context *context, const struct inputs *inputs, struct config *config,
                             struct grant_set *grants, struct diagnostics *diagnostics);

#endif

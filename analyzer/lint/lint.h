/*
 * `lint`: what is wrong with the policies themselves (spec/lint.md).
 *
 * Checks are rows of tables, one function a code or a few that belong together; each looks at one policy, or at all of
 * them, and appends diagnostics. Findings that need other objects speak only when those are among the inputs. Where sets
 * decide, they decide here too: no pattern of text stands for a question about flows.
 */
#ifndef ANALYZER_LINT_LINT_H
#define ANALYZER_LINT_LINT_H

#include "analyzer/decision.h"
#include "analyzer/rules/effective.h"
#include "analyzer/snapshot.h"
#include "compiler/config.h"
#include "document/inputs.h"

struct lint_request {
    const struct inputs *inputs;
    const struct config *config;       /* --config: the boundaries are known; or NULL */
    const struct cluster_facts *facts; /* of --facts and the options */
    const char *namespace;             /* of objects that name none, or NULL */
    bool strict;                       /* warnings fail too */
    bool fix;                          /* fill in `fixes` of the result */
    bool excerpts;                     /* give findings their source lines */
    int64_t effort; /* for comparing rules with one another; 0: as much as the rules are worth (scope.h, lint_spend) */
};

/* An edit of a file that mends a finding for certain: the bytes from `first` to `last` (of the file, from 0, last not
 * included) become `text`. */
struct lint_fix {
    const char *file;
    enum code code;
    struct location location; /* of the finding */
    const char *path;
    size_t first, last;
    const char *text;
    size_t size; /* of the file, with the hash: it is to be left alone if it is another by now */
    uint64_t hash;
};

struct lint_result {
    struct diagnostics findings; /* sorted */
    struct diagnostics untold;   /* what ignores took away from them, each with its ignore; sorted */
    const struct lint_fix *fixes;
    size_t fix_count;
    size_t policy_count; /* policy objects that were looked at */
    struct inputs_summary inputs;
};

/* `diagnostics` holds what reading the inputs has found; it becomes part of the findings. */
void lint_run(const struct lint_request *request, struct arena *arena, const struct diagnostics *diagnostics,
              struct lint_result *result);

#endif

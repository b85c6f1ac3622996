/*
 * Grants: what one sandbox is given on top of its boundary (spec/config.md 6), read, checked and translated.
 *
 * A document is a grant; a file may hold several, and several files make one set. All grants of a set belong to one
 * boundary, whose diagnostics theirs become part of (grants_finish). Everything lives in the arena of the set.
 */
#ifndef COMPILER_GRANT_H
#define COMPILER_GRANT_H

#include "compiler/config.h"
#include "compiler/permitted_hosts.h"

struct source_lines;

struct grant {
    const char *file;  /* as shown */
    unsigned document; /* from 1 */
    struct location location;

    const char *owner_kind; /* "SandboxClaim" or "Sandbox" */
    const char *owner_name, *owner_uid;
    const char *object_name;    /* `namzu-sbx-<uid>`; NULL where the uid is refused */
    const struct host *hosts;   /* entries in lower case, duplicates kept; none: no object */
    const char *const *written; /* the entries as written */
    size_t host_count;

    const struct boundary *boundary;
    const struct source_lines *lines; /* of its file */
    bool usable;                      /* no refusal; else nothing but place and diagnostics can be relied on */
    struct diagnostics diagnostics;   /* refusals and warnings: of the shape, then of hosts */
};

struct grant_set {
    struct arena *arena;
    struct limits limits;
    struct boundary *boundary;
    struct grant *list; /* in the order of files and documents */
    size_t count, capacity;
    bool broken; /* a file was refused as a whole */
    bool usable; /* after grants_finish: every grant is, and nothing is wrong between them */
};

/* The boundary that grants belong to: the document of that number, from 1; 0: the only one with `perSandbox`, else the
 * first. NULL: it cannot be told, and `problem` says why in one sentence (bad usage). The config has a document. */
struct boundary *grant_boundary(const struct config *config, unsigned number, struct arena *arena,
                                const char **problem);

void grants_init(struct grant_set *set, struct boundary *boundary, const struct limits *limits, struct arena *arena);

/* Reads the grants of a file, "-" for standard input. CONFIG_REFUSED: the file as a whole (syntax, no document), and
 * `diagnostics` says so; the refusals of grants stand in each. */
enum config_result grants_read(struct grant_set *set, const char *path, struct diagnostics *diagnostics);
/* The same for a text in memory, shown as `name`. */
enum config_result grants_read_text(struct grant_set *set, const char *name, struct text source,
                                    struct diagnostics *diagnostics);

/* Whether hosts and ports are bound by a ConfigMap that must be looked for. */
bool grants_need_permission(const struct grant_set *set);
/* Holds every grant against the ConfigMap. NULL: it was not found, which is a warning. */
void grants_check_permitted(struct grant_set *set, const struct permitted_hosts *permitted);

/* Whether what was read so far is refused, whatever is permitted: a file, a grant, or all for want of `perSandbox`. */
bool grants_are_refused(const struct grant_set *set);

/* Ends the checks: a boundary without `perSandbox`; grants that compile to the object of another grant or of a boundary of
 * the config (`diagnostics`). The diagnostics of the grants become the boundary's, after its own hosts (config.md 7). A
 * config with a grant that is refused is not usable; the boundary itself stays what it was. `diagnostics` is all that was
 * found outside boundaries, the config's own too. */
void grants_finish(struct grant_set *set, struct config *config, struct diagnostics *diagnostics);

/* The object of a usable grant; NULL where it has no hosts. Strings are shared with grant and boundary. */
struct node *grant_compile(const struct grant *grant, struct arena *arena);
struct object_name grant_object(const struct grant *grant);

#endif

/*
 * Checks of one config document: reading it into a boundary, with its refusals sorted into the steps of config.md 7.
 *
 * Every check appends to the list of the step that it belongs to, in whatever order the code runs; checks_finish lays the
 * lists end to end. So the order of the contract is kept in one place. Only the folder's own files use this header.
 */
#ifndef COMPILER_CHECKS_H
#define COMPILER_CHECKS_H

#include "compiler/config.h"
#include "kube/shape.h"

/* Numbered as in config.md 7. */
enum step {
    STEP_SHAPE = 1,   /* shape and types */
    STEP_POLICY,      /* kind against engine, exceptCidrs, ciliumNarrowing */
    STEP_PROFILE,     /* profileLabelKey, profile */
    STEP_PER_SANDBOX, /* perSandbox */
    STEP_NAME,        /* a kind that does not exist, the default name with a profile */
    STEP_HOSTS,       /* hosts one by one, then leading dots under tlsServerNames */
    STEP_REST,        /* all the rest */
    STEP_COUNT
};

struct identity_filter;

struct checks {
    const char *file;   /* as shown */
    const char *folder; /* of the config; "" for the current one */
    struct arena *arena;
    const struct config_options *options;
    struct boundary *boundary;
    struct diagnostics steps[STEP_COUNT];
    struct diagnostics *outside;            /* what is no fault of the document: a file that cannot be read */
    bool unreadable;                        /* such a file ends the command */
    const struct identity_filter *identity; /* Cilium's default filter */

    /* What of the document is known well enough to judge other fields by it. */
    const struct node *root, *egress, *policy; /* maps, or NULL */
    bool kind_known, engine_known, hosts_known;
    bool kind_unknown_word;  /* a kind that does not exist */
    bool template_malformed; /* already refused, so what is made of it is not judged again */
    bool profile_malformed;
    struct location profile_location;

    size_t about_meaning; /* refusals before the last step that leave no doubt what the config would compile to */
};

void checks_init(struct checks *checks, struct arena *arena);

/* The shape reader whose refusals belong to a step. */
struct shape checks_at(struct checks *checks, enum step step);

/* Lays the steps end to end into the boundary's diagnostics and says whether the boundary is usable. */
void checks_finish(struct checks *checks);

/* A place for what has no node. */
struct place {
    struct location location;
    const char *path, *value;
};
struct diagnostic *checks_report(struct checks *checks, enum step step, enum code code, struct place place,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A required field that is absent, at its map. */
void checks_refuse_absent(struct checks *checks, enum step step, enum code code, const struct node *map,
                          const char *path, const char *advice);

/* config_boundary.c: reads the root of a document. */
void checks_read_root(struct checks *checks);
/* config_egress.c: reads `egress`, and everything below it by the functions that follow. */
void checks_read_egress(struct checks *checks);

/* checks_labels.c: the labels of the pods and of the selector, profile and names. */
void checks_read_labels(struct checks *checks);
void checks_read_profile(struct checks *checks);
void checks_selector(struct checks *checks);
void checks_object_name(struct checks *checks);
/* Whether Cilium's default filter leaves the key out of identities. */
bool checks_key_is_dropped(const struct checks *checks, const char *key);

/* checks_policy.c: kind, engine, exceptCidrs. */
void checks_read_policy(struct checks *checks);
void checks_except_cidrs(struct checks *checks);
void checks_enforceable(struct checks *checks);

/* hosts.c: the hosts of static and resolver, and what narrowing asks of them. */
void checks_read_hosts(struct checks *checks);
void checks_hosts_against_narrowing(struct checks *checks);

/* narrowing.c: whether anything is set in a narrowing (config.md 5); NULL: there is none. */
bool checks_narrowing_is_set(const struct node *node);
/* Reads a narrowing (NULL: there is none). Faults of values go to `step` if it is active, else to the last step.
 * `for_grants`: the keys of hostPorts are folded and judged as a grant's hosts are. */
void checks_read_narrowing(struct checks *checks, const struct node *node, const char *path, enum step step,
                           bool for_grants, struct narrowing *narrowing);

/* checks_per_sandbox.c */
void checks_read_per_sandbox(struct checks *checks);

/* checks_between.c: what is wrong between the documents of one file. False: a refusal. */
bool checks_between(const struct config *config, struct arena *arena, struct diagnostics *diagnostics);

#endif

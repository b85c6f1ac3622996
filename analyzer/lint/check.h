/*
 * Checks of `lint`: what a check gets, and the tables that hold them. Private to analyzer/lint/.
 */
#ifndef ANALYZER_LINT_CHECK_H
#define ANALYZER_LINT_CHECK_H

#include "analyzer/lint/lint.h"
#include "analyzer/rules/subject.h"

/* One run. */
struct lint {
    const struct lint_request *request;
    struct arena *arena;
    struct snapshot snapshot;
    struct cluster cluster; /* facts of request and snapshot; evidence of which there is some counts as complete */
    struct diagnostics *findings;
    struct diagnostics *untold;   /* what ignores take away */
    struct diagnostic unkept;     /* stands for findings beyond the bound */
    bool cilium;                  /* any Cilium policy is among the inputs: NetworkPolicies are enforced by Cilium */
    struct reading_list readings; /* of the Cilium versions that the facts leave open */
    struct reading core, newest;  /* the Kubernetes API's; the newest Cilium version's */
    unsigned kubernetes_minor; /* of the API server that refuses: 1.MINOR, the newest modelled where it is not told */
    cilium_classes refusing;   /* the Cilium versions that refuse: those of the facts, else the newest modelled */
    const struct policy **policies; /* of the three kinds, in the order of places */
    size_t policy_count;
    const struct policy **copies; /* equal to one of `policies` in all that isolates pods; each stands for itself */
    size_t copy_count;
    const struct policy *misread_of; /* whose values of another type stand here, by address; lint_core.c */
    const struct node **misread;
    size_t misread_count;
    struct lint_edit *edits; /* what mends findings, before their places in the files are known */
    size_t edit_count, edit_capacity;
};

/* A check of one policy; of one run. */
typedef void lint_policy_check(struct lint *lint, const struct policy *policy);
typedef void lint_run_check(struct lint *lint);

/* Tables end with NULL. lint_object.c: what the API server, the schema or the agent refuse, and what one object shows by
 * itself. lint_set.c: what needs sets, other policies or evidence, in one survey of the run. */
extern lint_policy_check *const lint_object_checks[];
extern lint_run_check *const lint_run_checks[];

/* lint_reading.c: what the text of all objects shows, whatever they mean. */
extern lint_run_check *const lint_reading_checks[];

/* Appends a finding at a part of a policy; the message is one sentence of rule and effect and one of what to write. */
struct diagnostic *lint_report(struct lint *lint, const struct policy *policy, enum code code, struct part part,
                               const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same at a part of any object. */
struct diagnostic *lint_report_object(struct lint *lint, const struct object *object, enum code code, struct part part,
                                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* How to mend a finding. The place is that of a node; what stands there is looked up again before anything is changed. */
enum lint_edit_kind {
    LINT_EDIT_SCALAR,  /* the scalar becomes `text`; quotes around it stay */
    LINT_EDIT_UNQUOTE, /* the same, and its quotes go */
    LINT_EDIT_KEY,     /* quotes around a plain key, as it is written */
    LINT_EDIT_INSERT,  /* a line with `text` before that of the key, indented alike */
    LINT_EDIT_REMOVE   /* the line goes, if it holds nothing but a dash, or a dash and a null */
};
struct lint_edit {
    enum lint_edit_kind kind;
    enum code code;
    struct location location; /* of the finding */
    const char *path;
    struct location place; /* of the node */
    struct text expected;  /* the scalar or key that stands there */
    const char *text;
};

/* Notes an edit for a finding that was just reported; nothing where the caller asked for no fixes. */
void lint_propose(struct lint *lint, const struct diagnostic *finding, enum lint_edit_kind kind,
                  const struct node *node, const char *text);

/* lint_ignore.c: moves what the inputs ignore with a reason to what is not told, and reports ignores that do nothing. The
 * findings are sorted, before and after. */
void lint_ignore(struct lint *lint);

/* lint_excerpt.c: the source lines of sorted findings. */
void lint_add_excerpts(struct diagnostics *findings);

/* The edits as bytes of their files, as far as what was read still stands there; in the order of files and places. */
const struct lint_fix *lint_resolve(struct lint *lint, size_t *fix_count);

#endif

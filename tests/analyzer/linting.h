/* Runs of lint on texts, for the tests of analyzer/lint/. */
#ifndef TESTS_ANALYZER_LINTING_H
#define TESTS_ANALYZER_LINTING_H

#include "analyzer/lint/lint.h"

/* What to run with; zero: the newest versions, nothing else. */
struct linting_options {
    const char *kubernetes, *cilium; /* "1.33", or NULL */
    const char *namespace;
    bool strict, fix, excerpts;
    int64_t effort;         /* 0: lint's own */
    const char **pod_cidrs; /* facts, NULL-terminated, or NULL */
};

struct linting {
    char path[64]; /* of the file that holds a text; "": none */
    struct arena *arena;
    struct inputs inputs;
    struct lint_result result;
};

/* Lints a file. End it with linting_end. */
void linting_file(struct linting *linting, const char *path, const struct linting_options *options);
/* The same of a text, which becomes a file until linting_end. */
void linting_text(struct linting *linting, const char *text, const struct linting_options *options);
void linting_end(struct linting *linting);

/* How many findings have the code, and the first of them (NULL: none). */
size_t linting_count(const struct linting *linting, const char *code);
const struct diagnostic *linting_find(const struct linting *linting, const char *code);

/* The content of a NetworkPolicy `p` in namespace `ns`, and of a CiliumNetworkPolicy; `spec` is indented by two. */
const char *linting_core(struct arena *arena, const char *spec);
const char *linting_cilium(struct arena *arena, const char *spec);

#endif

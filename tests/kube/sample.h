/* Objects and policies from snippets of YAML, for the tests of kube/. */
#ifndef TESTS_KUBE_SAMPLE_H
#define TESTS_KUBE_SAMPLE_H

#include "kube/policy.h"

struct sample {
    struct arena *arena;
    struct diagnostics diagnostics;
    struct inputs inputs;
    struct objects objects;
};

/* Collects the objects of a YAML stream that stands in the file "sample.yaml". */
struct sample *sample_read(const char *yaml, const char *namespace);
/* The same of several files "0.yaml", "1.yaml", ...; ends with NULL. */
struct sample *sample_read_files(const char *const *yaml, const char *namespace);
void sample_destroy(struct sample *sample);

/* The only object of that kind. */
const struct object *sample_object(const struct sample *sample, enum object_kind kind);

/* A policy of that kind, named default/sample, whose `spec` is the snippet (flow style). */
struct policy *sample_policy(struct sample **sample, enum object_kind kind, const char *spec);
/* The same with anything after the metadata: "spec: ...\nspecs: ...\n". */
struct policy *sample_policy_body(struct sample **sample, enum object_kind kind, const char *body);

/* One expected problem. */
struct expected_problem {
    const char *spec; /* flow style; NULL ends a table */
    enum problem_effect effect;
    enum code code;
    const char *path;
    cilium_classes classes; /* 0: all */
    bool selects;
};

/* Each row's policy has that problem, and no other in those classes. */
void sample_expect_problems(enum object_kind kind, const struct expected_problem *rows);
/* None of the snippets has any problem in those classes. */
void sample_expect_none(enum object_kind kind, const char *const *specs, cilium_classes classes);

#endif

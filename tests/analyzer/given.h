/* Decisions about a config and a folder of files that stand in snippets, for the tests of analyzer/. */
#ifndef TESTS_ANALYZER_GIVEN_H
#define TESTS_ANALYZER_GIVEN_H

#include "analyzer/verify/verify.h"

struct given_file {
    const char *name, *text;
};

enum { GIVEN_FILES_MAX = 12 };

struct given {
    const char *config;                       /* the whole of it; NULL: boundary `box` of namespace `ns`, no-network */
    struct given_file files[GIVEN_FILES_MAX]; /* a NULL name ends them */
    unsigned checks;                          /* 0: the named object and the union */
    const char *pod, *labels;                 /* --pod, --labels */
    const char *require[4];                   /* --require; NULL ends it */
};

/* The files are as found in a walk. Fails the test where there is no decision. */
const struct decision *given_decide(struct arena *arena, const struct given *given);

/* The egress (ingress) of the only subject of the only boundary; its refusal's word, or "pass". */
const struct side_decision *given_egress(const struct decision *decision);
const char *given_refusal(const struct side_decision *side);
/* The verdict's word about the object of that kind and name; "none": it is not listed. */
const char *given_verdict(const struct side_decision *side, const char *kind, const char *name);
const struct examined *given_examined(const struct side_decision *side, const char *kind, const char *name);

/* The only unread collection as "RESOURCE WHY"; "none"; several: with commas between them. */
const char *given_unread(const struct decision *decision, struct arena *arena);

/* How many refusals of that code the only boundary has, and how many findings of it there are. */
size_t given_refusals(const struct decision *decision, enum code code);
size_t given_findings(const struct decision *decision, enum code code);

/* A NetworkPolicy of namespace `ns` that closes what the boundary of a NULL config selects, and is its named object. */
#define GIVEN_CLOSED                                                                                                   \
    "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: box-egress, namespace: ns}\n"             \
    "spec: {podSelector: {matchLabels: {sandbox.namzu.ai/template: box}}, policyTypes: [Egress], egress: []}\n"
/* One that opens everything for every pod of the namespace. */
#define GIVEN_OPEN                                                                                                     \
    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: open, namespace: ns}\n"              \
    "spec: {podSelector: {}, policyTypes: [Egress], egress: [{}]}\n"

#endif

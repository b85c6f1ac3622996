/*
 * Decisions: what `verify` found, as plain values (spec/analysis.md, spec/cli.md "JSON report").
 *
 * The analyzer fills them and the writers of report/ print them, members in the order of the JSON keys. Whoever fills
 * one sorts and counts; a writer does neither. Strings and arrays live in the arena of the run or longer. NULL stands
 * for what does not apply (`null` in JSON), also for a check that was not run.
 */
#ifndef ANALYZER_DECISION_H
#define ANALYZER_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnostic.h"
#include "compiler/config.h"
#include "document/node.h"
#include "ir/flow_set.h"
#include "kube/evidence.h"

/* Checks that may be chosen (--verify-only). */
enum check { CHECK_NAMED_OBJECT, CHECK_UNION, CHECK_INGRESS, CHECK_FENCE, CHECK_COUNT };
const char *check_word(enum check check); /* "named-object", "union", "ingress", "fence" */

/* What one policy means for one subject: analysis.md 4 (egress) and 5 (ingress). */
enum verdict {
    VERDICT_DOES_NOT_SELECT,
    VERDICT_NOT_EVALUABLE,
    VERDICT_WITHIN, /* egress */
    VERDICT_NOT_EGRESS_SCOPED,
    VERDICT_WIDENS_EGRESS,
    VERDICT_COVERS, /* ingress */
    VERDICT_NOT_INGRESS_SCOPED,
    VERDICT_OPENS_AGENT_PORT,
    VERDICT_COUNT
};
const char *verdict_word(enum verdict verdict); /* "does-not-select", ... */

/* Strings in the order of output. */
struct string_list {
    const char *const *list;
    size_t count;
};

struct diagnostic_list {
    const struct diagnostic *list;
    size_t count;
};

/* WITNESS: one concrete flow. Exactly one of `ip`, `fqdn` and `entity` is set, or none of them, and then it is a pod. */
struct witness {
    const char *ip;                     /* canonical text */
    const char *fqdn;                   /* "" is the root */
    const char *entity;                 /* a special identity: "host", "kube-apiserver", ... */
    struct labels namespace_labels;     /* of a pod: those that its namespace must carry */
    struct labels pod_labels;           /* of a pod: those that it must carry; service account and cluster under
                                              the keys of Cilium's identities */
    bool present;                       /* such a pod is among the inputs */
    const char *protocol;               /* "TCP", ..., "other" */
    bool has_port;                      /* false: of protocols without ports */
    unsigned port;                      /* or ICMP type */
    const char *dns_name, *server_name; /* of the payload; both NULL: it asks no name and presents none */
};

/* A further excess of a policy that widens in several ways. */
struct excess {
    struct witness witness;
    const char *path; /* of the rule or peer */
    struct location location;
};

/* EXAMINED: a policy, or one Rule of a Cilium policy, and its verdict for a subject. */
struct examined {
    struct object_name object;
    int spec; /* index in `specs`; -1 for `spec` and for a NetworkPolicy */
    enum verdict verdict;
    const char *detail; /* one sentence: why; for not-evaluable what is missing or unreadable. NULL: nothing to say */
    struct location location;      /* of the rule or peer that decides, else of the object */
    const char *path;              /* of that rule or peer from the object's root, or NULL */
    const struct witness *witness; /* of a verdict that has one, else NULL */
    const struct excess *further;  /* excesses after the first, at most 7 */
    size_t further_count;
    size_t more; /* excesses after the first, listed or not */
};

/* One direction of one subject. */
struct side_decision {
    bool refused;
    enum code refusal;  /* if refused: host-network, policy-widens-egress, not-evaluable, ... */
    const char *reason; /* if refused: one sentence for readers of text, naming the policy or collection; or NULL */
    const struct examined *examined; /* in the order of analysis.md 4 */
    size_t examined_count;
    size_t not_selecting; /* policies that do not select the subject, listed in `examined` or not */
};

/* A set of pods that the same rules select. */
struct subject_decision {
    const char *namespace;
    struct labels labels;    /* what they share */
    struct string_list pods; /* "NAMESPACE/NAME", at most 100 unless all are wanted; none for a subject without pods */
    size_t pod_count;
    bool refused;                                 /* on either side */
    const struct side_decision *egress, *ingress; /* NULL: that check was not run */
};

enum named_status {
    NAMED_MATCH,
    NAMED_MISSING,
    NAMED_MISMATCH,
    NAMED_NOT_EVALUABLE,
    NAMED_SKIPPED,
    NAMED_STATUS_COUNT
};
const char *named_status_word(enum named_status status); /* "match", ... */

/* How the flows of a differing object relate to those of the compiled one. */
enum relation {
    RELATION_NONE, /* does not apply */
    RELATION_EQUIVALENT,
    RELATION_NARROWER,
    RELATION_WIDER,
    RELATION_INCOMPARABLE,
    RELATION_UNKNOWN,
    RELATION_COUNT
};
const char *relation_word(enum relation relation); /* "equivalent", ...; NULL for RELATION_NONE */

/* NAMED: the object that the config or a grant compiles to against the one of the inputs (analysis.md 3). */
struct named_decision {
    enum named_status status;
    struct object_name object;
    struct location location;            /* of the object of the inputs; no file where it is missing */
    const char *part;                    /* of the first difference: "specs", "selector", "policyTypes", ... or NULL */
    const char *path;                    /* of the first differing value, or NULL */
    const struct node *expected, *found; /* the values there; NULL: none */
    enum relation relation;
    const struct witness *witness; /* of RELATION_WIDER, else NULL */
};

enum fence_status { FENCE_MATCH, FENCE_DRIFT, FENCE_REFUSED, FENCE_NOT_EVALUABLE, FENCE_STATUS_COUNT };
const char *fence_status_word(enum fence_status status);

struct fence_decision {
    enum fence_status status;
    struct diagnostic_list refusals; /* they stand among the boundary's too */
};

/* BOUNDARY: one document of the config. */
struct boundary_decision {
    const char *config_file;
    unsigned config_document;  /* from 1 */
    struct location location;  /* of the document, for readers of text */
    const char *policy_kind;   /* or NULL */
    struct object_name object; /* kind NULL: nothing is compiled */
    bool refused;
    struct diagnostic_list refusals; /* the config's (in the order of config.md 7), the named object's, the fence's */
    const struct named_decision *named_object; /* NULL: that check was not run */
    const struct named_decision *grant_objects;
    size_t grant_object_count;
    bool has_grants; /* false: `grantObjects` is null */
    const struct subject_decision *subjects;
    size_t subject_count;
    const struct fence_decision *fence; /* NULL: not run */
};

/* UNREAD: a collection that was not read. */
struct unread {
    const char *resource; /* "networkpolicies", ... */
    const char *why;      /* "forbidden", "failed", "not-served", "absent", ... */
    const char *reason;   /* what the index says, or NULL */
};

/* What the decision was taken from. */
struct inputs_summary {
    size_t files, bytes, objects, skipped;
    struct string_list excluded; /* paths */
    const char *taken_at;        /* of a snapshot, or NULL */
};
struct snapshot;
struct inputs_summary inputs_summary_of(const struct snapshot *snapshot);

struct decision {
    bool refused; /* "decision": "refuse", else "pass" */
    const struct boundary_decision *boundaries;
    size_t boundary_count;
    struct diagnostic_list findings; /* sorted (diagnostics_sort); what is no boundary's refusal */
    const struct unread *unread;     /* by resource */
    size_t unread_count;
    struct inputs_summary inputs;
    struct string_list assumptions; /* sentences, in byte order, each once */
};

/* The witness of a flow; `present` is for pods. HTTP requests are payloads without a name. */
struct witness witness_of_flow(const struct flow *flow, bool present, struct arena *arena);

/* What a config alone decides: a boundary for each document with its refusals, everything else null; warnings and notes,
 * and those of `diagnostics` (which belong to no document), are the findings, sorted. `refused` is set where the config is
 * not usable; an error among the findings alone does not set it. The boundaries may be completed through `*boundaries`,
 * which is what the decision shows. */
void decision_of_config(const struct config *config, const struct diagnostics *diagnostics, struct arena *arena,
                        struct decision *decision, struct boundary_decision **boundaries);

#endif

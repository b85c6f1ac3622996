/*
 * Explanations: what `explain` found, as plain values (spec/cli.md, "explain"), members in the order of the JSON keys.
 */
#ifndef ANALYZER_EXPLANATION_H
#define ANALYZER_EXPLANATION_H

#include "analyzer/decision.h"

/* Yes, no, or it cannot be told from the inputs (`null` in JSON). */
enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

enum rule_effect { EFFECT_ALLOWS, EFFECT_DENIES, EFFECT_MISSES, EFFECT_COUNT };
const char *rule_effect_word(enum rule_effect effect); /* "allows", "denies", "misses" */

/* A rule that selects the pod and bears on the flow. */
struct explained_rule {
    enum rule_effect effect;
    struct object_name object;
    const char *path; /* of the rule or peer, from the object's root */
    struct location location;
    const char *detail; /* what it allows or denies, or which part fails; or NULL */
};

struct explanation {
    const char *question; /* for readers of text: "agents/shell-0 to ip:10.0.0.1, port 443/TCP" */
    enum answer allowed;
    enum answer isolated;     /* whether anything puts the pod into default-deny for egress */
    const char *reason;       /* one sentence; where the answer is unknown, what is missing */
    enum answer learned;      /* of an fqdn, else ANSWER_UNKNOWN */
    bool has_ports;           /* false: `ports` is null */
    struct string_list ports; /* "443/TCP", "1-65535/UDP", "icmp", ... */
    const struct explained_rule *rules;
    size_t rule_count;
    struct string_list assumptions;
    struct diagnostic_list findings; /* sorted */
};

#endif

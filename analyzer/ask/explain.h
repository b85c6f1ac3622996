/*
 * `explain`: whether a pod may send one flow, and by which rules (spec/cli.md, "explain").
 */
#ifndef ANALYZER_ASK_EXPLAIN_H
#define ANALYZER_ASK_EXPLAIN_H

#include "analyzer/explanation.h"
#include "compiler/config.h"
#include "document/inputs.h"

enum explain_engine { EXPLAIN_CORE, EXPLAIN_CILIUM, EXPLAIN_BY_INPUTS /* cilium if any Cilium policy is there */ };

struct explain_request {
    const struct inputs *inputs;
    const struct config *config;       /* its compiled objects are added; NULL: none */
    const struct cluster_facts *facts; /* of --facts and the options */
    const char *namespace;             /* --namespace, or NULL */
    enum explain_engine engine;
    const char *pod, *labels;           /* one of them */
    const char *to;                     /* ip:, fqdn:, pod:, entity: */
    const char *port;                   /* N[/TCP|UDP|SCTP], icmp[:TYPE], icmpv6[:TYPE]; NULL: all */
    const char *dns_name, *server_name; /* NULL: not asked; server_name "": none presented */
};

/* Answers. `diagnostics` holds what reading the inputs has found so far; it becomes part of the findings. Returns NULL, or
 * one sentence: the request itself is bad (exit 2). */
const char *explain_answer(const struct explain_request *request, struct arena *arena, struct diagnostics *diagnostics,
                           struct explanation *explanation);

#endif

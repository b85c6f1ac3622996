/*
 * Facts about single flows, as tests state them: which policies, which flow, which answer.
 */
#ifndef TESTS_EVALUATOR_FACTS_H
#define TESTS_EVALUATOR_FACTS_H

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/evaluator/evaluate.h"
#include "tests/evaluator/spell.h"

#define DENIED EVALUATE_DENIED
#define ALLOWED EVALUATE_ALLOWED
#define UNKNOWN EVALUATE_UNKNOWN
#define REFUSED EVALUATE_REFUSED_OBJECT

#define CNP_SPEC(spec)                                                                                                 \
    "{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {name: p, namespace: team}, spec: " spec "}\n---" \
    "\n"
#define CCNP_SPEC(spec)                                                                                                \
    "{apiVersion: cilium.io/v2, kind: CiliumClusterwideNetworkPolicy, metadata: {name: p}, spec: " spec "}\n---\n"
#define NP_SPEC(spec)                                                                                                  \
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: p, namespace: team}, spec: " spec        \
    "}\n---\n"
/* Of the pod's namespace, selecting every pod there. */
#define CNP(egress) CNP_SPEC("{endpointSelector: {}, egress: " egress "}")
#define CCNP(egress) CCNP_SPEC("{endpointSelector: {}, egress: " egress "}")
#define DENY(egress) CNP_SPEC("{endpointSelector: {}, egressDeny: " egress "}")
#define NP(egress) NP_SPEC("{podSelector: {}, policyTypes: [Egress], egress: " egress "}")
#define DNS "toEndpoints: [{matchLabels: {'k8s:io.kubernetes.pod.namespace': kube-system, 'k8s:k8s-app': kube-dns}}]"
#define P(port) "toPorts: [{ports: [{port: '" port "'}]}]"
#define TCP(port) "toPorts: [{ports: [{port: '" port "', protocol: TCP}]}]"

/* What one flow gets in Cilium 1.`from` to 1.`to` (0 to 0: under the core engine). The subject is team/app=web. */
struct fact {
    unsigned from, to;
    const char *policies, *flow;
    enum evaluator_answer answer;
};

struct scene {
    struct arena *arena;
    const struct node *objects[32];
    size_t count;
};

/* Reads the policies, several documents of YAML; the arena is the test's to destroy. */
void scene_read(struct scene *scene, const char *policies);
/* Cilium 1.`minor` with its defaults; 0: the core engine. */
struct evaluator_reading reading_of(unsigned minor);
struct evaluator_result ask(const struct fact *fact, const struct evaluator_reading *reading);
void check(const struct fact *facts, size_t count);
#define CHECK(facts) check(facts, sizeof(facts) / sizeof *(facts))

#endif

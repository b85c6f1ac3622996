/*
 * Flows as one line of text, to write them in tests and to show them.
 *
 *   ip A | api A | name N A | pod NS[/K=V,...][@CLUSTER] [K=V,...] | host | host+api | remote-node | remote-node+api |
 *   health | ingress | init | unmanaged
 * then `TCP 443`, `UDP 53`, `SCTP 1`, `ICMP 8`, `ICMPv6 128` or `other`,
 * then nothing, `ask NAME`, `sni NAME` or `http`. Labels may be `-`, for none.
 */
#ifndef TESTS_EVALUATOR_SPELL_H
#define TESTS_EVALUATOR_SPELL_H

#include "tests/evaluator/evaluate.h"

/* False: the text is no flow. The flow lives in the arena. */
bool spell_read_flow(const char *text, struct arena *arena, struct evaluator_flow *flow);
const char *spell_flow(const struct evaluator_flow *flow, struct arena *arena);
const char *spell_pod(const struct evaluator_pod *pod, struct arena *arena);
const char *spell_reading(const struct evaluator_reading *reading, struct arena *arena);
/* A pod from `NS[/K=V,...][@CLUSTER]` and `K=V,...`. */
struct evaluator_pod spell_read_pod(const char *namespace_name, const char *labels, struct arena *arena);

#endif

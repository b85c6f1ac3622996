/*
 * The analyzer, asked about a generated world: which flows it holds for allowed, and what `verify` says. The only file
 * here that knows the analyzer.
 */
#ifndef TESTS_EVALUATOR_ADAPTER_H
#define TESTS_EVALUATOR_ADAPTER_H

#include "tests/evaluator/generate.h"

/* The verdict of one policy, or of one Rule of it. */
struct adapter_verdict {
    const char *object, *name, *word; /* "CiliumNetworkPolicy p1 spec -1", "p1", "within" */
    bool widens, open;                /* widens-egress; not-evaluable */
    bool has_witness;
    bool any_address; /* the witness is an API server at an address that is not told */
    struct evaluator_flow witness;
};

/* What the analyzer knows of a flow: in the lower bound it is allowed for certain, outside the upper denied. */
struct adapter_bounds {
    bool lower, upper;
};

struct adapter;
/* Reads the config, with the facts of the world's reading, and compiles it; NULL: it is refused. */
struct adapter *adapter_open(const struct world *world, struct arena *arena);
/* The compiled object; NULL: nothing is compiled. */
const struct node *adapter_compiled(const struct adapter *adapter);
bool adapter_allows_everything(const struct adapter *adapter);
/* Reads the world's objects, and the compiled one if it stands among them, and decides about the subject. */
void adapter_decide(struct adapter *adapter, bool with_compiled);

/* The readings that the facts leave open, those in which refused objects count left out. */
size_t adapter_reading_count(const struct adapter *adapter);
const struct evaluator_reading *adapter_reading(const struct adapter *adapter, size_t index);
/* Under a reading: why the object of that name, which may select the subject, is refused, or NULL; whether something
 * isolates the subject; a flow. */
const char *adapter_refuses(const struct adapter *adapter, size_t index, const char *name);
bool adapter_isolates(const struct adapter *adapter, size_t index);
struct adapter_bounds adapter_allows(const struct adapter *adapter, size_t index, const struct evaluator_flow *flow);

/* NULL: the subject passes; else the word of its refusal. */
const char *adapter_refusal(const struct adapter *adapter);
const struct adapter_verdict *adapter_verdicts(const struct adapter *adapter, size_t *count);

#endif

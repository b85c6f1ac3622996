/*
 * Random worlds: a pod, the policies around it, an egress config, and under which reading they are asked. Small
 * universes, so that rules meet; every field and odd shape of the semantics pages, so that none goes untested.
 */
#ifndef TESTS_EVALUATOR_GENERATE_H
#define TESTS_EVALUATOR_GENERATE_H

#include "document/node.h"
#include "tests/evaluator/dice.h"
#include "tests/evaluator/evaluate.h"

enum { WORLD_OBJECTS = 12, WORLD_PODS = 12 };

struct world {
    uint64_t seed;
    struct evaluator_reading reading;
    struct evaluator_pod subject;
    struct evaluator_pod pods[WORLD_PODS]; /* whom the pod may meet, the subject among them */
    size_t pod_count;
    struct node objects[WORLD_OBJECTS]; /* policies, Services, groups of CIDRs */
    size_t count;
    struct node config; /* an egress config of the subject's boundary */
};

/* The world of a seed. Trees live in the arena. */
void generate_world(struct world *world, uint64_t seed, struct arena *arena);

/* --- inside ------------------------------------------------------------------------------------------------- */

struct maker {
    struct dice dice;
    struct arena *arena;
    const struct evaluator_reading *reading; /* what is refused under it is rare */
    unsigned odd;                            /* percent of odd and refused shapes, here and there */
};

struct node make_string(const char *string);
struct node make_map(struct maker *maker, const char *key, struct node value);
struct node make_list(struct maker *maker, const struct node *items, size_t count);
struct node make_empty(struct maker *maker, enum node_kind kind);
struct node make_null(void);

/* A label selector; `cilium`: keys may have sources and derived keys. */
struct node generate_selector(struct maker *maker, bool cilium);
/* A namespaceSelector of a NetworkPolicy. */
struct node generate_namespace_selector(struct maker *maker);
const char *generate_cidr(struct maker *maker);
/* Blocks that lie in `cidr`, as a rule; an empty list now and then. */
struct node generate_except(struct maker *maker, const char *cidr);
/* An object of a kind, with the keys of `rest` behind its metadata; `namespace_name` NULL: cluster-wide. */
struct node generate_object(struct maker *maker, const char *version, const char *kind, const char *namespace_name,
                            const char *name, struct node_builder *rest);
struct node generate_core_policy(struct maker *maker, const char *name);
struct node generate_cilium_policy(struct maker *maker, const char *name, bool clusterwide);
struct node generate_config(struct maker *maker, const struct world *world);

#endif

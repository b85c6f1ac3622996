/*
 * Translation: a usable boundary becomes the tree of the object that enforces it (spec/config.md 3, 5).
 *
 * The trees are generated (no positions); the canonical writers of document/writer.h give the bytes. Nothing is checked
 * here: that is what config_read is for.
 */
#ifndef COMPILER_TRANSLATE_H
#define COMPILER_TRANSLATE_H

#include "compiler/config.h"
#include "document/node.h"

/* The object of a usable boundary; NULL where it has no `egress`. Strings are shared with the boundary. */
struct node *boundary_compile(const struct boundary *boundary, struct arena *arena);

/* "NetworkPolicy" or "CiliumNetworkPolicy"; NULL where nothing is compiled. */
const char *boundary_kind_word(const struct boundary *boundary);
/* "networking.k8s.io/v1" or "cilium.io/v2"; NULL where nothing is compiled. */
const char *boundary_api_version(const struct boundary *boundary);
/* Kind, namespace and name of the object; all NULL where nothing is compiled. */
struct object_name boundary_object(const struct boundary *boundary);

/* What the rules of a host list are made from: a boundary's own, or a grant's. */
struct host_rules {
    const struct host *hosts;
    size_t host_count;
    const struct narrowing *narrowing;
    bool deep_subdomains;
};

/* `egress` of a CiliumNetworkPolicy: the DNS rule, then the host rules. */
struct node translate_host_rules(const struct host_rules *rules, struct arena *arena);

/* A one-entry-per-label map. */
struct node translate_labels(const struct config_label *labels, size_t count, struct arena *arena);

#endif

/*
 * Checks of one object that need nothing beside it, row by row of lint_object.c. Private to analyzer/lint/.
 */
#ifndef ANALYZER_LINT_OBJECT_H
#define ANALYZER_LINT_OBJECT_H

#include "analyzer/lint/check.h"

/* lint_refused.c: what API server, schema and agent refuse. */
lint_policy_check lint_problems, lint_generated_name, lint_strict_cidrs;

/* lint_metadata.c: where the object goes. */
lint_policy_check lint_system_namespace;

/* lint_nulls.c: nulls where something belongs. */
lint_policy_check lint_core_nulls, lint_cilium_nulls;

/* lint_core.c: NetworkPolicies. */
lint_policy_check lint_policy_types, lint_core_peers, lint_core_ports;

/* lint_cilium.c: Rules and entries of Cilium's kinds. */
lint_policy_check lint_cilium_rules, lint_cilium_entries;

/* lint_names.c: names and patterns; what they mean to which version. */
lint_policy_check lint_names, lint_versions;

/* lint_selector.c: what selectors of either kind reach. */
lint_policy_check lint_dropped_labels, lint_negative_selectors, lint_or_for_and;

/* lint_blocks.c: address ranges. */
lint_policy_check lint_one_family;

/* Whether reading found another type than the schema's in a map, as one of its values or as the map itself: what it means
 * cannot be told then. Values further below are for those to see who look there. */
bool lint_is_misread(struct lint *lint, const struct policy *policy, const struct node *map);

/* The node of a key (of its value where it came from elsewhere), for findings on what a key says by being there. */
struct part lint_key_part(const struct node *map, const char *key, const char *path);

#endif

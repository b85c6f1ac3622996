/*
 * The table of what one object shows by itself, in the order of spec/lint.md.
 */
#include "analyzer/lint/object.h"

lint_policy_check *const lint_object_checks[] = {lint_problems,       lint_generated_name,   lint_strict_cidrs,
                                                 lint_policy_types,   lint_core_nulls,       lint_cilium_nulls,
                                                 lint_core_peers,     lint_core_ports,       lint_cilium_rules,
                                                 lint_cilium_entries, lint_or_for_and,       lint_negative_selectors,
                                                 lint_dropped_labels, lint_one_family,       lint_names,
                                                 lint_versions,       lint_system_namespace, NULL};

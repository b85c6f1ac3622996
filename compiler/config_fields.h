/*
 * The fields of a config: one table a map (spec/config.md 1, 2, 5, 6), with the code that a wrong type draws (7).
 */
#ifndef COMPILER_CONFIG_FIELDS_H
#define COMPILER_CONFIG_FIELDS_H

#include "compiler/config.h"
#include "kube/shape.h"

extern const struct shape_field config_root_fields[];
extern const struct shape_field config_ingress_fields[];
extern const struct shape_field config_egress_fields[];
extern const struct shape_field config_policy_fields[];
extern const struct shape_field config_narrowing_fields[];
extern const struct shape_field config_dns_names_fields[];
extern const struct shape_field config_per_sandbox_fields[];
extern const struct shape_field config_permitted_hosts_fields[];

/* The kind of a word; false: there is none of that name. */
bool policy_kind_of(struct text word, enum policy_kind *kind);
bool engine_of(struct text word, enum engine *engine);

/* Whether a field of `egress.policy` other than `kind` belongs to the kind. */
bool policy_kind_takes(enum policy_kind kind, const char *field);

#endif

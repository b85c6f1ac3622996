/*
 * Pieces that the files of the fence share. Only they use this header.
 */
#ifndef COMPILER_FENCE_PARTS_H
#define COMPILER_FENCE_PARTS_H

#include "base/text.h"
#include "compiler/fence.h"

/* The group and version of both admission kinds. */
#define FENCE_ADMISSION_GROUP "admissionregistration.k8s.io"
#define FENCE_ADMISSION_VERSION FENCE_ADMISSION_GROUP "/v1"

/* The start of the names of all grants. */
#define FENCE_NAME_PREFIX "namzu-sbx-"

/* fence_cel.c: a string literal in double quotes, or in single ones. */
void fence_cel_string(struct buffer *out, const char *string);
void fence_cel_single_quoted(struct buffer *out, const char *string);

/* How a tree with gaps is printed as a literal. */
struct fence_gaps {
    const char *host;       /* the expression for FENCE_HOST inside a string */
    const char *empty_list; /* the expression for a list without items; NULL: `[]` */
};
/* Stands for a host that is not known before the request. */
#define FENCE_HOST "\001"
/* A tree of strings, lists and maps as a literal. The API server wants items and values of one type in a list or map,
 * so those of several are made dynamic. */
void fence_cel_literal(struct buffer *out, const struct node *tree, const struct fence_gaps *gaps);

/* Variables and validations of a policy, as they are added. */
struct fence_rules {
    struct arena *arena;
    struct node_builder variables, validations;
};
/* `variables.NAME` of later expressions. */
void fence_variable(struct fence_rules *rules, const char *name, const char *expression);
/* A validation. `for_writes`: deletions pass. */
void fence_validation(struct fence_rules *rules, bool for_writes, const char *expression, const char *message);

/* fence_grant.c: what a grant may be. */
void fence_grant_rules(const struct boundary *boundary, struct fence_rules *rules);
/* fence_grant_hosts.c: the host rules of it, and the DNS names that go with them. */
void fence_grant_host_rules(const struct boundary *boundary, struct fence_rules *rules);
/* fence_permitted.c: what the ConfigMap permits. */
void fence_permitted_rules(const struct boundary *boundary, struct fence_rules *rules);

/* fence_rbac.c: the roles of the identity, and who has them. */
void fence_rbac(const struct boundary *boundary, struct arena *arena, struct fence *fence);

/* Appends an object. */
void fence_add(struct fence *fence, struct arena *arena, struct object_name name, struct node tree);

#endif

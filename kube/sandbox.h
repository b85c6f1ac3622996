/*
 * Sandboxes: SandboxTemplate, SandboxWarmPool, SandboxClaim and Sandbox, as far as decisions need them. The controller
 * makes a Sandbox of a claim, fresh from the template or taken out of a pool, and a pod of a Sandbox.
 *
 * What the fields are called is taken from the API of kubernetes-sigs/agent-sandbox (v1beta1; v1alpha1 differs in nothing
 * that is read here).
 */
#ifndef KUBE_SANDBOX_H
#define KUBE_SANDBOX_H

#include "kube/evidence.h"

/* On the pods of a template's pools alone; the value is made of the template's name. */
#define SANDBOX_POOL_LABEL "agents.x-k8s.io/sandbox-template-ref-hash"

struct sandbox_template {
    const struct object *object;
    const char *namespace, *name;
    struct labels labels;          /* of its pod template */
    const struct node *pod_labels; /* where they stand, or NULL */
    const char *pool_value;   /* of SANDBOX_POOL_LABEL, where the controller has noted it on the template, or NULL */
    const struct node *block; /* `spec.networkPolicy`; NULL: none, or the controller does not manage policies */
    bool default_block;       /* there is none, and the controller makes a default policy of its own */
};

struct sandbox_pool {
    const struct object *object;
    const char *namespace, *name, *template_name;
};

struct sandbox_claim {
    const struct object *object;
    const char *namespace, *name;
    const char *template_name, *pool_name; /* one of them, as a rule; NULL: not named */
    struct labels labels;                  /* that it adds to the pod */
};

struct sandbox {
    const struct object *object;
    const char *namespace, *name;
    const char *template_name; /* of its annotation, or NULL */
    struct labels labels;      /* of its pod */
};

struct sandboxes {
    struct sandbox_template *templates; /* all by namespace and name */
    size_t template_count;
    struct sandbox_pool *pools;
    size_t pool_count;
    struct sandbox_claim *claims;
    size_t claim_count;
    struct sandbox *list;
    size_t count;
};

void sandboxes_read(const struct objects *objects, struct arena *arena, struct sandboxes *sandboxes);

/* The template of that name; NULL: it is not among the inputs. */
const struct sandbox_template *sandbox_template_find(const struct sandboxes *sandboxes, const char *namespace,
                                                     const char *name);
/* The template that an object of the inputs is; NULL: it has no name. */
const struct sandbox_template *sandbox_template_of(const struct sandboxes *sandboxes, const struct object *object);
/* The name of the template that a claim's sandbox comes from; NULL: its pool is not among the inputs. */
const char *sandbox_claim_template(const struct sandboxes *sandboxes, const struct sandbox_claim *claim);

/* The NetworkPolicy that the controller makes of the template's block, typed. Its nodes are the block's: their places are
 * in the template's file, and a path `spec.egress` stands for `spec.networkPolicy.egress` there. */
struct policy *sandbox_template_policy(const struct sandbox_template *template, struct arena *arena);

/* The domains of labels that the controller lets claims put on pods: the ConfigMap `agent-sandbox-config`, by default
 * `sandbox.users.io`. `config`: the object, or NULL. */
bool sandbox_allows_label(const struct object *config, const char *key);

#endif

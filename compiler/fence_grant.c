/* What the fence lets through, but for the rules of hosts: whose the object is, whom it selects, what its spec holds. */
#include "base/arena.h"
#include "compiler/fence_parts.h"

/* A name of parts `[a-z0-9]`, inner hyphens and dots, as metadata.name has it. */
#define OBJECT_NAME "\"^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$\""

/* The object is read as dynamic: fields that its schema lacks are to give an answer, not an error. */
static const struct {
    const char *name, *expression;
} variables[] = {
    {"policy", "dyn(object)"},
    {"owners",
     "has(variables.policy.metadata.ownerReferences) && type(variables.policy.metadata.ownerReferences) == list ? "
     "variables.policy.metadata.ownerReferences : []"},
    {"owner", "variables.owners.size() == 1 && type(variables.owners[0]) == map ? dyn(variables.owners[0]) : dyn({})"},
    {"ownerName",
     "has(variables.owner.name) && type(variables.owner.name) == string ? string(variables.owner.name) : \"\""},
    {"ownerUid",
     "has(variables.owner.uid) && type(variables.owner.uid) == string ? string(variables.owner.uid) : \"\""},
    {"spec", "has(variables.policy.spec) && type(variables.policy.spec) == map ? dyn(variables.policy.spec) : dyn({})"},
    {"egress",
     "has(variables.spec.egress) && type(variables.spec.egress) == list ? dyn(variables.spec.egress) : dyn([])"},
};

/* In the order of spec/fence.md 2. */
static const struct {
    const char *expression, *message;
} identity_rules[] = {
    {"variables.owners.size() == 1", "a grant has exactly one owner reference"},
    {"variables.ownerUid != \"\" && variables.policy.metadata.name == \"" FENCE_NAME_PREFIX "\" + variables.ownerUid",
     "the name of a grant is " FENCE_NAME_PREFIX " and the uid of its owner"},
    {"has(variables.owner.apiVersion) && has(variables.owner.kind) && "
     "(variables.owner.kind == \"SandboxClaim\" && variables.owner.apiVersion == "
     "\"extensions.agents.x-k8s.io/v1beta1\" || variables.owner.kind == \"Sandbox\" && "
     "variables.owner.apiVersion == \"agents.x-k8s.io/v1beta1\")",
     "the owner of a grant is a SandboxClaim of extensions.agents.x-k8s.io/v1beta1 or a Sandbox of "
     "agents.x-k8s.io/v1beta1"},
    {"variables.ownerName.size() <= 63 && variables.ownerName.matches(" OBJECT_NAME ")",
     "the owner's name is an object name of at most 63 characters, since it is the value of a label"},
    {"variables.owner.all(k, k in [\"apiVersion\", \"kind\", \"name\", \"uid\"] || "
     "k in [\"blockOwnerDeletion\", \"controller\"] && variables.owner[k] == false)",
     "the owner reference of a grant holds apiVersion, kind, name and uid: blockOwnerDeletion and controller stay off"},
    {"!has(variables.policy.metadata.finalizers) || variables.policy.metadata.finalizers == []",
     "a grant has no finalizers: it goes with its owner"},
    {"!has(variables.policy.specs)", "a grant has no specs"},
    {"variables.spec.all(k, k in [\"endpointSelector\", \"egress\"])",
     "the spec of a grant holds endpointSelector and egress, and neither ingress, ingressDeny, egressDeny, "
     "nodeSelector "
     "nor enableDefaultDeny"},
};

static void add_selector(const struct boundary *boundary, struct fence_rules *rules) {
    struct buffer expression;
    buffer_init(&expression, rules->arena);
    buffer_add_string(&expression, "has(variables.spec.endpointSelector) && variables.spec.endpointSelector == "
                                   "{\"matchLabels\": {");
    fence_cel_string(&expression, boundary->per_sandbox.label_key);
    buffer_add_string(&expression, ": variables.ownerName}}");
    fence_validation(rules, true, buffer_string(&expression),
                     arena_format(rules->arena,
                                  "the endpointSelector of a grant is the one matchLabel %s with the name of its owner",
                                  boundary->per_sandbox.label_key));
}

void fence_grant_rules(const struct boundary *boundary, struct fence_rules *rules) {
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        fence_variable(rules, variables[i].name, variables[i].expression);
    }
    /* deletecollection leaves request.name empty, and gives each object as oldObject. */
    fence_validation(rules, false,
                     "request.operation != \"DELETE\" || dyn(oldObject).metadata.name.startsWith(\"" FENCE_NAME_PREFIX
                     "\")",
                     "only grants may be deleted: names that begin with " FENCE_NAME_PREFIX);
    for (size_t i = 0; i < sizeof identity_rules / sizeof *identity_rules; i++) {
        fence_validation(rules, true, identity_rules[i].expression, identity_rules[i].message);
    }
    add_selector(boundary, rules);
    fence_grant_host_rules(boundary, rules);
}

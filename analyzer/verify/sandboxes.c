#include "analyzer/verify/sandboxes.h"

#include <string.h>

#include "analyzer/verify/pooled.h"
#include "base/arena.h"

#define TEMPLATE_LABEL "sandbox.namzu.ai/template"
#define CONTROLLER_NAMESPACE "agent-sandbox-system"

struct checking {
    const struct boundary *boundary;
    const struct config *config;
    const struct grant_set *grants;
    const struct snapshot *snapshot;
    const struct sandboxes *sandboxes;
    struct diagnostics *refusals, *findings;
};

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

static bool is_here(const struct checking *checking, const char *namespace) {
    return same(namespace, checking->boundary->namespace);
}

/* What is certainly wrong refuses the boundary; what may be wrong is a warning. */
static struct diagnostic *report(const struct checking *checking, bool certain, enum code code,
                                 const struct object *object, const struct node *node, const char *message) {
    struct location location = node ? node_location(object->file, node) : object_location(object);
    struct diagnostics *list = certain ? checking->refusals : checking->findings;
    struct diagnostic *diagnostic = diagnostics_add(list, code, location, "%s", message);
    diagnostic->object = object_name_of(object);
    if (!certain)
        diagnostic_set_severity(list, diagnostic, SEVERITY_WARNING);
    return diagnostic;
}

/* ---- templates ---- */

/* A template of the boundary's name whose pods carry another, or another template whose pods carry this one. */
static void check_template(const struct checking *checking, const struct sandbox_template *template) {
    struct arena *arena = checking->snapshot->arena;
    const char *wanted = checking->boundary->template_name;
    const char *value = labels_get(&template->labels, TEMPLATE_LABEL);
    bool is_ours = same(template->name, wanted);
    if (same(value, template->name) || (!is_ours && !same(value, wanted)))
        return;
    const struct node *node = template->pod_labels ? node_get(template->pod_labels, TEMPLATE_LABEL) : NULL;
    const char *message =
        value
            ? arena_format(arena,
                           "the pods of SandboxTemplate %s carry the template label `%s`; it must be the template's "
                           "name, which the boundary selects by",
                           template->name, value)
            : arena_format(arena,
                           "the pods of SandboxTemplate %s lack the label %s: %s, so the boundary does not select them",
                           template->name, TEMPLATE_LABEL, template->name);
    struct diagnostic *refusal = report(checking, true, CODE_TEMPLATE_LABEL_MISMATCH, template->object, node, message);
    refusal->path = path_key(arena, "spec.podTemplate.metadata.labels", text_of(TEMPLATE_LABEL));
    refusal->value = value;
}

static bool policy_is_there(const struct checking *checking, const struct sandbox_template *template) {
    const char *name = arena_format(checking->snapshot->arena, "%s-network-policy", template->name);
    return objects_find(&checking->snapshot->objects, OBJECT_NETWORK_POLICY, template->namespace, name);
}

/* A template without rules of its own gets some from the controller, which let its pooled pods out to the internet. */
static void warn_of_default(const struct checking *checking, const struct sandbox_template *template) {
    if (!template->default_block || checking->boundary->policy == POLICY_ALLOW_ALL ||
        checking->boundary->policy == POLICY_ABSENT || !same(template->name, checking->boundary->template_name) ||
        policy_is_there(checking, template) || pooled_of(template, checking->snapshot)->no_pool)
        return;
    report(checking, false, CODE_MIGHT_SELECT, template->object, NULL,
           "the template has no networkPolicy, so the controller makes one that lets pods out of its pools reach the "
           "public internet; write the block, or set networkPolicyManagement: Unmanaged");
}

/* ---- label domains ---- */

static const struct object *find_allowlist(const struct snapshot *snapshot) {
    const struct objects *objects = &snapshot->objects;
    const struct object *found = objects_find(objects, OBJECT_CONFIG_MAP, CONTROLLER_NAMESPACE, "agent-sandbox-config");
    const struct object_list *list = &objects->of[OBJECT_CONFIG_MAP];
    for (size_t i = 0; !found && i < list->count; i++)
        if (same(list->list[i].name, "agent-sandbox-config"))
            found = &list->list[i];
    return found;
}

static const struct sandbox_claim *first_claim(const struct checking *checking) {
    for (size_t i = 0; i < checking->sandboxes->claim_count; i++) {
        const struct sandbox_claim *claim = &checking->sandboxes->claims[i];
        const char *template = sandbox_claim_template(checking->sandboxes, claim);
        if (is_here(checking, claim->namespace) && (!template || same(template, checking->boundary->template_name)))
            return claim;
    }
    return NULL;
}

static void check_domain(const struct checking *checking, const struct sandbox_claim *claim, const char *field,
                         const char *key) {
    struct arena *arena = checking->snapshot->arena;
    const struct object *allowlist = find_allowlist(checking->snapshot);
    if (sandbox_allows_label(allowlist, key))
        return;
    struct collection_view maps =
        snapshot_indexes_view(&checking->snapshot->indexes, OBJECT_CONFIG_MAP, CONTROLLER_NAMESPACE);
    const char *slash = strchr(key, '/');
    const char *domain = slash ? arena_copy(arena, key, (size_t)(slash - key)) : NULL;
    /* Where nothing says that it could not be read, what is not there has its default. */
    bool certain = allowlist || maps.status == COLLECTION_READ || maps.status == COLLECTION_UNTOLD;
    const struct node *list = allowlist ? node_get(node_get(allowlist->root, "data"), "allowed-label-domains") : NULL;
    const char *message = arena_format(
        arena,
        "the sandbox controller refuses claims with the label %s: %s; %s allowed-label-domains of the ConfigMap "
        "agent-sandbox-config%s",
        key, domain ? "its domain is not allowed" : "it has no domain",
        domain ? arena_format(arena, "add %s to", domain) : "use a key of a domain in",
        allowlist ? "" : ", which is not among the inputs and by default allows sandbox.users.io alone");
    struct diagnostic *refusal =
        report(checking, certain, CODE_LABEL_DOMAIN_NOT_ALLOWED, allowlist ? allowlist : claim->object, list, message);
    refusal->path = list ? path_key(arena, "data", text_of("allowed-label-domains")) : field;
    refusal->value = key;
}

static void check_domains(const struct checking *checking) {
    const struct sandbox_claim *claim = first_claim(checking);
    if (!claim)
        return;
    if (checking->boundary->profile)
        check_domain(checking, claim, "egress.profileLabelKey", checking->boundary->profile_label_key);
    if (checking->boundary->has_per_sandbox)
        check_domain(checking, claim, "egress.perSandbox.labelKey", checking->boundary->per_sandbox.label_key);
}

/* ---- labels of pods ---- */

/* Whether another boundary of the config holds the template's pods that carry no profile. */
static bool has_plain_boundary(const struct checking *checking) {
    for (size_t i = 0; i < checking->config->count; i++) {
        const struct boundary *other = &checking->config->boundaries[i];
        if (other != checking->boundary && !other->profile && same(other->namespace, checking->boundary->namespace) &&
            same(other->template_name, checking->boundary->template_name))
            return true;
    }
    return false;
}

/* A pod that is to be: a claim's or a Sandbox's. */
struct future_pod {
    const struct object *object;
    const char *name;
    const struct labels *labels, *of_template; /* both count; the second is NULL for a Sandbox */
    bool certain;                              /* false: its template is not among the inputs, and may say more */
};

static const char *pod_label(const struct future_pod *pod, const char *key) {
    const char *value = labels_get(pod->labels, key);
    return value || !pod->of_template ? value : labels_get(pod->of_template, key);
}

static void refuse_label(const struct checking *checking, const struct future_pod *pod, const char *key,
                         const char *wanted) {
    struct arena *arena = checking->snapshot->arena;
    const char *found = pod_label(pod, key);
    const char *message =
        found
            ? arena_format(arena, "the pod of %s %s carries %s: %s; the config stamps %s on it", pod->object->kind_word,
                           pod->name ? pod->name : "(unnamed)", key, found, wanted)
            : arena_format(arena,
                           "the pod of %s %s lacks the label %s: %s, which the config stamps on it, so what selects by "
                           "it does not hold the pod",
                           pod->object->kind_word, pod->name ? pod->name : "(unnamed)", key, wanted);
    struct diagnostic *refusal = report(checking, pod->certain, CODE_POD_LABEL_MISSING, pod->object, NULL, message);
    refusal->path = path_key(arena,
                             pod->object->kind == OBJECT_SANDBOX ? "spec.podTemplate.metadata.labels"
                                                                 : "spec.additionalPodMetadata.labels",
                             text_of(key));
    refusal->value = found;
}

/* The profile label tells boundaries of one template apart: with another value the pod is another boundary's. */
static bool is_of_profile(const struct checking *checking, const struct future_pod *pod) {
    const struct boundary *boundary = checking->boundary;
    if (!boundary->profile)
        return true;
    const char *value = pod_label(pod, boundary->profile_label_key);
    return value ? same(value, boundary->profile) : !has_plain_boundary(checking);
}

static const struct grant *grant_of(const struct checking *checking, const struct future_pod *pod) {
    for (size_t i = 0; checking->grants && i < checking->grants->count; i++) {
        const struct grant *grant = &checking->grants->list[i];
        if (grant->usable && grant->host_count > 0 && same(grant->owner_name, pod->name) &&
            same(grant->owner_kind, pod->object->kind_word))
            return grant;
    }
    return NULL;
}

static void check_pod(const struct checking *checking, const struct future_pod *pod) {
    const struct boundary *boundary = checking->boundary;
    if (!is_of_profile(checking, pod))
        return;
    for (size_t i = 0; i < boundary->selector_count + boundary->pod_label_count; i++) {
        const struct config_label *label =
            i < boundary->selector_count ? &boundary->selector[i] : &boundary->pod_labels[i - boundary->selector_count];
        if (!pod_label(pod, label->key))
            refuse_label(checking, pod, label->key, label->value);
    }
    const struct grant *grant = grant_of(checking, pod);
    if (grant && !same(pod_label(pod, boundary->per_sandbox.label_key), grant->owner_name))
        refuse_label(checking, pod, boundary->per_sandbox.label_key, grant->owner_name);
}

static void check_claim(const struct checking *checking, const struct sandbox_claim *claim) {
    const char *name = sandbox_claim_template(checking->sandboxes, claim);
    if (!is_here(checking, claim->namespace) || !same(name, checking->boundary->template_name))
        return;
    const struct sandbox_template *template = sandbox_template_find(checking->sandboxes, claim->namespace, name);
    check_pod(checking, &(struct future_pod){.object = claim->object,
                                             .name = claim->name,
                                             .labels = &claim->labels,
                                             .of_template = template ? &template->labels : NULL,
                                             .certain = template != NULL});
}

/* A Sandbox is the boundary's if it says so: by the label that the boundary selects by, or by where it comes from. */
static void check_sandbox(const struct checking *checking, const struct sandbox *sandbox) {
    const char *wanted = checking->boundary->template_name;
    const char *value = labels_get(&sandbox->labels, TEMPLATE_LABEL);
    if (!is_here(checking, sandbox->namespace) ||
        !(same(value, wanted) || (!value && same(sandbox->template_name, wanted))))
        return;
    check_pod(checking,
              &(struct future_pod){
                  .object = sandbox->object, .name = sandbox->name, .labels = &sandbox->labels, .certain = true});
}

void sandboxes_check(const struct boundary *boundary, const struct config *config, const struct grant_set *grants,
                     const struct snapshot *snapshot, struct diagnostics *refusals, struct diagnostics *findings) {
    const struct sandboxes *sandboxes = &snapshot->sandboxes;
    const struct checking checking = {boundary, config, grants, snapshot, sandboxes, refusals, findings};
    if (!boundary->template_name)
        return;
    for (size_t i = 0; i < sandboxes->template_count; i++)
        if (is_here(&checking, sandboxes->templates[i].namespace)) {
            check_template(&checking, &sandboxes->templates[i]);
            warn_of_default(&checking, &sandboxes->templates[i]);
        }
    check_domains(&checking);
    for (size_t i = 0; i < sandboxes->claim_count; i++)
        check_claim(&checking, &sandboxes->claims[i]);
    for (size_t i = 0; i < sandboxes->count; i++)
        check_sandbox(&checking, &sandboxes->list[i]);
}

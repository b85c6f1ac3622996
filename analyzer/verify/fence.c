#include "analyzer/verify/fence.h"

#include <string.h>

#include "analyzer/verify/collections.h"
#include "analyzer/verify/fence_parts.h"
#include "base/arena.h"
#include "compiler/fence.h"
#include "compiler/permitted_hosts.h"

#define PER_SANDBOX "egress.perSandbox"

struct diagnostic *fence_refuse(const struct fence_pair *pair, enum code code, const struct object *object,
                                const struct node *at, const char *path, const char *message) {
    struct location location = at ? node_location(object->file, at) : object_location(object);
    struct diagnostic *refusal = diagnostics_add(pair->refusals, code, location, "%s %s: %s", object->kind_word,
                                                 object_label(object, pair->arena), message);
    refusal->path = path;
    refusal->object = object_name_of(object);
    return refusal;
}

/* ---- whether it is there ---- */

/* An object that had to be there, refused at the config; `unread` says why it cannot be told. */
static void refuse_absent(const struct fence_pair *pair, struct object_name object, enum code code, const char *field,
                          const char *message) {
    struct diagnostic *refusal =
        diagnostics_add(pair->refusals, code, pair->request->boundary->per_sandbox.location, "%s", message);
    refusal->path = field;
    refusal->object = object;
    refusal->value = object.name;
}

static void report_absent(const struct fence_pair *pair, enum object_kind kind, struct object_name name,
                          const char *field, const char *consequence) {
    struct snapshot *snapshot = pair->request->snapshot;
    const char *shown = name.namespace ? arena_format(pair->arena, "%s/%s", name.namespace, name.name) : name.name;
    const char *unread = snapshot_lacks(snapshot, kind, name.namespace);
    unread = unread ? unread : pair->request->unreadable;
    if (unread) {
        refuse_absent(pair, name, CODE_FENCE_UNREADABLE, field,
                      arena_format(pair->arena, "whether %s %s is there cannot be told: %s", name.kind, shown, unread));
        return;
    }
    refuse_absent(pair, name, fence_code(pair, CODE_FENCE_MISSING), field,
                  arena_format(pair->arena,
                               "%s %s is not among the inputs, so %s; compile it with `egressc compile --fence` and "
                               "apply it",
                               name.kind, shown, consequence));
}

/* The object of that name that an API server serves; NULL after a refusal. */
static const struct object *find(const struct fence_pair *pair, enum object_kind kind, const char *name,
                                 const char *field, const char *consequence) {
    struct snapshot *snapshot = pair->request->snapshot;
    const struct object_list *all = &snapshot->objects.of[kind];
    const struct object *first = objects_find(&snapshot->objects, kind, NULL, name), *found = first;
    while (found && !found->served) {
        bool more = found + 1 < all->list + all->count && found[1].name && strcmp(found[1].name, name) == 0;
        found = more ? found + 1 : NULL;
    }
    const struct object_name wanted = {object_kind_word(kind), NULL, name};
    if (!found) {
        report_absent(pair, kind, wanted, field, consequence);
    } else if (snapshot_has_twin(snapshot, found)) {
        fence_refuse(pair, CODE_FENCE_UNREADABLE, found, NULL, NULL,
                     "it stands several times among the inputs, and the copies differ; keep one");
        return NULL;
    } else {
        /* What is there decides, but a collection that was not read as a whole is still listed. */
        (void)snapshot_lacks(snapshot, kind, NULL);
    }
    return found;
}

static const char *binding_field(bool hosts) {
    return hosts ? PER_SANDBOX ".permittedHostsParam" : PER_SANDBOX ".admissionPolicyBindingName";
}

static const char *policy_field(bool hosts) {
    return hosts ? PER_SANDBOX ".permittedHostsParam" : PER_SANDBOX ".admissionPolicyName";
}

static bool judge_pair(struct fence_pair *pair) {
    const struct boundary *boundary = pair->request->boundary;
    size_t before = pair->refusals->errors;
    pair->policy = find(
        pair, OBJECT_ADMISSION_POLICY, fence_policy_name(boundary, pair->hosts, pair->arena), policy_field(pair->hosts),
        pair->hosts ? "nothing holds grants against the ConfigMap" : "nothing bounds the writer of grants");
    pair->binding = find(pair, OBJECT_ADMISSION_BINDING, fence_binding_name(boundary, pair->hosts, pair->arena),
                         binding_field(pair->hosts), "its policy is attached to nothing");
    if (pair->policy) {
        fence_judge_policy_match(pair);
        fence_judge_identity(pair);
        fence_judge_validations(pair);
    }
    if (pair->binding) {
        fence_judge_binding_match(pair);
    }
    fence_judge_parameter(pair);
    fence_judge_config_map(pair);
    return pair->refusals->errors == before && fence_judge_drift(pair);
}

/* ---- the whole ---- */

static bool only_unreadable(const struct diagnostics *refusals) {
    for (size_t i = 0; i < refusals->count; i++) {
        if (refusals->list[i].code != CODE_FENCE_UNREADABLE) {
            return false;
        }
    }
    return true;
}

struct fence_decision *fence_decide(const struct fence_request *request, struct arena *arena,
                                    struct diagnostics *findings) {
    struct diagnostics refusals;
    diagnostics_init(&refusals, arena);
    struct fence_pair pair = {.request = request, .arena = arena, .refusals = &refusals, .findings = findings};
    bool drifted = judge_pair(&pair);
    if (request->boundary->per_sandbox.has_permitted_hosts) {
        pair.hosts = true;
        drifted = judge_pair(&pair) || drifted;
    }
    struct fence_decision *decision = arena_alloc(arena, sizeof *decision);
    decision->refusals = (struct diagnostic_list){refusals.list, refusals.count};
    decision->status = refusals.errors == 0         ? drifted ? FENCE_DRIFT : FENCE_MATCH
                       : only_unreadable(&refusals) ? FENCE_NOT_EVALUABLE
                                                    : FENCE_REFUSED;
    return decision;
}

void fence_assumptions(const struct boundary *boundary, struct assumptions *assumptions) {
    static const char *const around[] = {
        "the fence: the writer of grants cannot change ValidatingAdmissionPolicies and their bindings, which no such "
        "policy can match",
        "the fence: the writer of grants cannot relabel the namespace or change the ConfigMap of permitted hosts",
        "the fence: the writer of grants cannot impersonate, mint tokens, or run pods under another service account",
        "the fence: the writer of grants cannot write other kinds of the same effect "
        "(CiliumClusterwideNetworkPolicy, NetworkPolicy, ClusterNetworkPolicy, AdminNetworkPolicy)",
        "the fence: the writer of grants cannot delete the namespace or the definition of the kind, set owner "
        "references that have others' policies collected, or write to etcd",
        "the fence: no admission policy of the API server's own files, which the API does not show, is counted",
    };
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        assumptions_add(assumptions, around[i]);
    }
    if (!boundary->per_sandbox.host_identity) {
        assumptions_add(assumptions,
                        "the fence: it bounds the writer of grants, whom egress.perSandbox.hostIdentity does not name");
    }
}

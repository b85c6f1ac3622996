/* Whom a fence bounds and to what: matchConditions, expressions, parameters (spec/fence.md 3). */
#include <string.h>

#include "analyzer/verify/collections.h"
#include "analyzer/verify/fence_parts.h"
#include "base/arena.h"
#include "compiler/fence.h"
#include "compiler/permitted_hosts.h"

static const struct node *spec_field(const struct object *object, const char *field) {
    return node_get(node_get(object->root, "spec"), field);
}

/* ---- the identity ---- */

static bool skip(struct text *rest, const char *word) {
    if (!text_starts_with(*rest, word)) {
        return false;
    }
    size_t length = strlen(word);
    *rest = text_trim((struct text){rest->bytes + length, rest->length - length});
    return true;
}

static const char *quoted(struct arena *arena, const char *string, char quote) {
    struct buffer out;
    buffer_init(&out, arena);
    buffer_add_char(&out, quote);
    for (; *string; string++) {
        if (*string == quote || *string == '\\') {
            buffer_add_char(&out, '\\');
        }
        buffer_add_char(&out, *string);
    }
    buffer_add_char(&out, quote);
    return buffer_string(&out);
}

/* Whether an expression compares the user name with the identity and does nothing else, however it is spelt. */
static bool compares_identity(struct text expression, const char *compiled, const char *identity, struct arena *arena) {
    static const char *const subject = "request.userInfo.username";
    expression = text_trim(expression);
    if (text_is(expression, compiled)) {
        return true;
    }
    const char *const literals[] = {quoted(arena, identity, '\''), quoted(arena, identity, '"')};
    for (size_t i = 0; i < 2; i++) {
        struct text left = expression, right = expression;
        if (skip(&left, subject) && skip(&left, "==") && text_is(left, literals[i])) {
            return true;
        }
        if (skip(&right, literals[i]) && skip(&right, "==") && text_is(right, subject)) {
            return true;
        }
    }
    return false;
}

static void judge_other_conditions(const struct fence_pair *pair, const struct node *conditions) {
    for (uint32_t i = 0; node_is(conditions, NODE_LIST) && i < conditions->count; i++) {
        const struct node *expression = node_get(&conditions->items[i], "expression");
        if (text_is(text_trim(node_text(expression)), "false")) {
            fence_refuse(pair, fence_code(pair, CODE_FENCE_INERT), pair->policy, expression, "spec.matchConditions",
                         "a condition of it is never true, so it is never asked; remove the condition");
        }
    }
}

void fence_judge_identity(const struct fence_pair *pair) {
    const char *identity = pair->request->boundary->per_sandbox.host_identity;
    const struct node *conditions = spec_field(pair->policy, "matchConditions");
    if (!identity) {
        judge_other_conditions(pair, conditions);
        return;
    }
    const struct node policy = fence_policy(pair->request->boundary, pair->hosts, pair->arena);
    const struct node *compiled = node_get(node_get(&policy, "spec"), "matchConditions");
    const char *wanted = node_string(node_get(&compiled->items[0], "expression"));
    uint32_t count = node_is(conditions, NODE_LIST) ? conditions->count : 0;
    bool holds = count == 1 && compares_identity(node_text(node_get(&conditions->items[0], "expression")), wanted,
                                                 identity, pair->arena);
    if (!holds) {
        fence_refuse(pair, fence_code(pair, CODE_FENCE_IDENTITY), pair->policy, conditions, "spec.matchConditions",
                     arena_format(pair->arena,
                                  count == 0  ? "it has no matchConditions, so it bounds everybody, and not the "
                                                "hostIdentity of the config alone; write the one condition %s"
                                  : count > 1 ? "it has further matchConditions, each of which may exempt the "
                                                "hostIdentity of the config; keep the one condition %s"
                                              : "its matchCondition is not the comparison with the hostIdentity of the "
                                                "config; write %s",
                                  wanted));
    }
}

/* ---- validations ---- */

void fence_judge_validations(const struct fence_pair *pair) {
    const struct node *list = spec_field(pair->policy, "validations");
    uint32_t count = node_is(list, NODE_LIST) ? list->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!text_is(text_trim(node_text(node_get(&list->items[i], "expression"))), "true")) {
            return;
        }
    }
    fence_refuse(pair, fence_code(pair, CODE_FENCE_INERT), pair->policy, list, "spec.validations",
                 count ? "every validation of it is true, so nothing is denied; compile it again"
                       : "it has no validations, so nothing is denied; compile it again");
}

static bool same_expressions(const struct node *compiled, const struct node *found, uint32_t *differs) {
    uint32_t mine = compiled->count, theirs = node_is(found, NODE_LIST) ? found->count : 0;
    for (uint32_t i = 0; i < mine && i < theirs; i++) {
        struct text a = text_trim(node_text(node_get(&compiled->items[i], "expression")));
        struct text b = text_trim(node_text(node_get(&found->items[i], "expression")));
        const struct node *name = node_get(&compiled->items[i], "name");
        bool same_name = !name || text_equal(node_text(name), node_text(node_get(&found->items[i], "name")));
        if (!text_equal(a, b) || !same_name) {
            *differs = i;
            return false;
        }
    }
    *differs = mine < theirs ? mine : theirs;
    return mine == theirs;
}

bool fence_judge_drift(const struct fence_pair *pair) {
    static const char *const lists[] = {"variables", "validations"};
    const struct node compiled = fence_policy(pair->request->boundary, pair->hosts, pair->arena);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct node *list = spec_field(pair->policy, lists[i]);
        uint32_t at;
        if (same_expressions(node_get(node_get(&compiled, "spec"), lists[i]), list, &at)) {
            continue;
        }
        const struct node *place = node_is(list, NODE_LIST) && at < list->count ? &list->items[at] : list;
        struct location location = place ? node_location(pair->policy->file, place) : object_location(pair->policy);
        const char *path = path_index(pair->arena, path_field(pair->arena, "spec", lists[i]), at);
        struct diagnostic *warning = diagnostics_add(
            pair->findings, CODE_FENCE_DRIFT, location,
            "%s %s: its %s are not those that this config compiles to, so what they bound is not proven; compile it "
            "again with `egressc compile --fence`",
            pair->policy->kind_word, object_label(pair->policy, pair->arena), lists[i]);
        warning->path = path;
        warning->object = object_name_of(pair->policy);
        return true;
    }
    return false;
}

/* ---- parameters ---- */

static bool is_kind_of_parameter(const struct node *kind) {
    return text_is(node_text(node_get(kind, "apiVersion")), "v1") &&
           text_is(node_text(node_get(kind, "kind")), "ConfigMap");
}

static bool denies_without_parameter(const struct node *reference) {
    return text_is(node_text(node_get(reference, "parameterNotFoundAction")), "Deny");
}

/* Where no parameter is asked for, one may still disarm: its absence admits. */
static void judge_stray_parameter(const struct fence_pair *pair) {
    const struct node *reference = pair->binding ? spec_field(pair->binding, "paramRef") : NULL;
    if (pair->policy && spec_field(pair->policy, "paramKind") && reference && !denies_without_parameter(reference)) {
        fence_refuse(pair, CODE_FENCE_INERT, pair->binding, reference, "spec.paramRef",
                     "its paramRef admits everything while the parameter is missing; remove it");
    }
}

static void judge_reference(const struct fence_pair *pair) {
    const struct per_sandbox *per_sandbox = &pair->request->boundary->per_sandbox;
    const struct node *reference = spec_field(pair->binding, "paramRef");
    struct text namespace = node_text(node_get(reference, "namespace"));
    /* Without a namespace, that of the request is taken. */
    bool same_namespace = namespace.length > 0
                              ? text_is(namespace, per_sandbox->permitted_hosts_namespace)
                              : strcmp(pair->request->boundary->namespace, per_sandbox->permitted_hosts_namespace) == 0;
    if (!text_is(node_text(node_get(reference, "name")), per_sandbox->permitted_hosts_name) || !same_namespace ||
        node_get(reference, "selector")) {
        fence_refuse(pair, CODE_FENCE_PARAM, pair->binding, reference, "spec.paramRef",
                     arena_format(pair->arena,
                                  "its paramRef does not name the ConfigMap %s/%s; write its name and "
                                  "namespace",
                                  per_sandbox->permitted_hosts_namespace, per_sandbox->permitted_hosts_name));
    }
    if (!denies_without_parameter(reference)) {
        fence_refuse(pair, CODE_FENCE_PARAM, pair->binding, reference, "spec.paramRef.parameterNotFoundAction",
                     "it admits everything while the ConfigMap is missing; write parameterNotFoundAction: Deny");
    }
}

void fence_judge_parameter(const struct fence_pair *pair) {
    if (!pair->hosts) {
        judge_stray_parameter(pair);
        return;
    }
    const struct node *kind = pair->policy ? spec_field(pair->policy, "paramKind") : NULL;
    if (pair->policy && !is_kind_of_parameter(kind)) {
        fence_refuse(pair, CODE_FENCE_PARAM, pair->policy, kind, "spec.paramKind",
                     "its paramKind is not ConfigMap of v1, so it is not given the permitted hosts; write it");
    }
    if (pair->binding) {
        judge_reference(pair);
    }
}

static void refuse_config_map(const struct fence_pair *pair, enum code code, const char *message) {
    const struct boundary *boundary = pair->request->boundary;
    struct diagnostic *refusal = diagnostics_add(pair->refusals, code, boundary->per_sandbox.location, "%s", message);
    refusal->path = "egress.perSandbox.permittedHostsParam";
    refusal->object = (struct object_name){"ConfigMap", boundary->per_sandbox.permitted_hosts_namespace,
                                           boundary->per_sandbox.permitted_hosts_name};
}

void fence_judge_config_map(const struct fence_pair *pair) {
    const struct per_sandbox *per_sandbox = &pair->request->boundary->per_sandbox;
    struct snapshot *snapshot = pair->request->snapshot;
    const char *name = per_sandbox->permitted_hosts_name, *namespace = per_sandbox->permitted_hosts_namespace;
    if (!pair->hosts) {
        return;
    }
    const struct object *found = permitted_hosts_find(&snapshot->objects, namespace, name);
    const char *unread = snapshot_lacks(snapshot, OBJECT_CONFIG_MAP, namespace);
    if (!found) {
        unread = unread ? unread : pair->request->unreadable;
        refuse_config_map(pair, unread ? CODE_FENCE_UNREADABLE : CODE_FENCE_PARAM,
                          unread ? arena_format(pair->arena, "whether ConfigMap %s/%s is there cannot be told: %s",
                                                namespace, name, unread)
                                 : arena_format(pair->arena,
                                                "ConfigMap %s/%s is not among the inputs, so every grant is refused; "
                                                "apply it with the hosts and ports that may be granted",
                                                namespace, name));
        return;
    }
    struct permitted_hosts permitted;
    const struct limits limits = limits_default();
    permitted_hosts_read(found, &snapshot->objects, &limits, pair->arena, &permitted);
    for (size_t i = 0; i < permitted.faults.count; i++) {
        struct diagnostic *fault = &permitted.faults.list[i];
        fault->code = CODE_FENCE_PARAM;
        diagnostics_append(pair->refusals, &(struct diagnostics){.list = fault, .count = 1, .errors = 1});
    }
}

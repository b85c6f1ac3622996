#include "analyzer/decision.h"

#include <string.h>

#include "analyzer/explanation.h"
#include "base/arena.h"
#include "compiler/translate.h"

/* The keys under which Cilium's identities carry what is no label of the pod or its namespace. */
#define SERVICE_ACCOUNT_KEY "io.cilium.k8s.policy.serviceaccount"
#define CLUSTER_KEY "io.cilium.k8s.policy.cluster"

static const char *const checks[] = {
    [CHECK_NAMED_OBJECT] = "named-object", [CHECK_UNION] = "union", [CHECK_INGRESS] = "ingress"};
_Static_assert(sizeof checks / sizeof checks[0] == CHECK_COUNT, "a word for each check");

static const char *const verdicts[] = {[VERDICT_DOES_NOT_SELECT] = "does-not-select",
                                       [VERDICT_NOT_EVALUABLE] = "not-evaluable",
                                       [VERDICT_WITHIN] = "within",
                                       [VERDICT_NOT_EGRESS_SCOPED] = "not-egress-scoped",
                                       [VERDICT_WIDENS_EGRESS] = "widens-egress",
                                       [VERDICT_COVERS] = "covers",
                                       [VERDICT_NOT_INGRESS_SCOPED] = "not-ingress-scoped",
                                       [VERDICT_OPENS_AGENT_PORT] = "opens-agent-port"};
_Static_assert(sizeof verdicts / sizeof verdicts[0] == VERDICT_COUNT, "a word for each verdict");

static const char *const named_statuses[] = {[NAMED_MATCH] = "match",
                                             [NAMED_MISSING] = "missing",
                                             [NAMED_MISMATCH] = "mismatch",
                                             [NAMED_NOT_EVALUABLE] = "not-evaluable",
                                             [NAMED_SKIPPED] = "skipped"};
_Static_assert(sizeof named_statuses / sizeof named_statuses[0] == NAMED_STATUS_COUNT, "a word for each status");

static const char *const relations[] = {
    [RELATION_NONE] = NULL,     [RELATION_EQUIVALENT] = "equivalent",     [RELATION_NARROWER] = "narrower",
    [RELATION_WIDER] = "wider", [RELATION_INCOMPARABLE] = "incomparable", [RELATION_UNKNOWN] = "unknown"};
_Static_assert(sizeof relations / sizeof relations[0] == RELATION_COUNT, "a word for each relation");

static const char *const fence_statuses[] = {[FENCE_MATCH] = "match",
                                             [FENCE_DRIFT] = "drift",
                                             [FENCE_REFUSED] = "refused",
                                             [FENCE_NOT_EVALUABLE] = "not-evaluable"};
_Static_assert(sizeof fence_statuses / sizeof fence_statuses[0] == FENCE_STATUS_COUNT, "a word for each status");

static const char *const effects[] = {
    [EFFECT_ALLOWS] = "allows", [EFFECT_DENIES] = "denies", [EFFECT_MISSES] = "misses"};
_Static_assert(sizeof effects / sizeof effects[0] == EFFECT_COUNT, "a word for each effect");

const char *check_word(enum check check) { return checks[check]; }
const char *verdict_word(enum verdict verdict) { return verdicts[verdict]; }
const char *named_status_word(enum named_status status) { return named_statuses[status]; }
const char *relation_word(enum relation relation) { return relations[relation]; }
const char *fence_status_word(enum fence_status status) { return fence_statuses[status]; }
const char *rule_effect_word(enum rule_effect effect) { return effects[effect]; }

static const char *witness_label_key(const struct label_key *key) {
    switch (key->scope) {
    case LABEL_NAMESPACE:
    case LABEL_POD:
        return key->name;
    case LABEL_SERVICE_ACCOUNT:
        return SERVICE_ACCOUNT_KEY;
    case LABEL_CLUSTER:
        return CLUSTER_KEY;
    }
    return key->name;
}

/* The labels of the namespace, or all others, sorted by key: the list is short, and nearly in order. */
static struct labels witness_labels(const struct endpoint *endpoint, bool of_namespace, struct arena *arena) {
    struct key_value *list = arena_array(arena, endpoint->count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; i < endpoint->count; i++) {
        const struct label *label = &endpoint->labels[i];
        if ((label->key.scope == LABEL_NAMESPACE) != of_namespace) {
            continue;
        }
        const char *key = witness_label_key(&label->key);
        uint32_t at = count++;
        for (; at > 0 && strcmp(list[at - 1].key, key) > 0; at--) {
            list[at] = list[at - 1];
        }
        list[at] = (struct key_value){.key = key, .value = label->value};
    }
    return (struct labels){.list = list, .count = count};
}

static void witness_set_destination(struct witness *witness, const struct destination *destination,
                                    struct arena *arena) {
    switch (destination->kind) {
    case DESTINATION_ADDRESS: {
        char text[46];
        size_t length = address_print(&destination->address, text);
        witness->ip = arena_copy(arena, text, length);
        break;
    }
    case DESTINATION_NAME:
        witness->fqdn = destination->name;
        break;
    case DESTINATION_SPECIAL:
        witness->entity = special_word(destination->special);
        break;
    case DESTINATION_POD:
        witness->namespace_labels = witness_labels(&destination->endpoint, true, arena);
        witness->pod_labels = witness_labels(&destination->endpoint, false, arena);
        break;
    }
}

struct witness witness_of_flow(const struct flow *flow, bool present, struct arena *arena) {
    struct witness witness = {
        .present = present,
        .protocol = protocol_word(flow->protocol),
        .has_port = flow->protocol != PROTOCOL_OTHER,
        .port = flow->port,
        .dns_name = flow->payload.kind == PAYLOAD_QUESTION ? flow->payload.text : NULL,
        .server_name = flow->payload.kind == PAYLOAD_SERVER_NAME ? flow->payload.text : NULL,
    };
    witness_set_destination(&witness, &flow->destination, arena);
    return witness;
}

/* Errors of a boundary are its refusals, in the order in which they were found; the rest are findings. */
static struct diagnostic_list split_refusals(const struct diagnostics *diagnostics, struct diagnostics *findings,
                                             struct arena *arena) {
    struct diagnostic *refusals = arena_array(arena, diagnostics->errors, sizeof *refusals);
    size_t count = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        if (diagnostics->list[i].severity == SEVERITY_ERROR) {
            refusals[count++] = diagnostics->list[i];
        } else {
            diagnostics_append(findings, &(struct diagnostics){.list = &diagnostics->list[i], .count = 1});
        }
    }
    return (struct diagnostic_list){.list = refusals, .count = count};
}

/* An unusable boundary's kind and names cannot be relied on: they stay null. */
static struct boundary_decision boundary_of_config(const struct boundary *boundary, struct diagnostics *findings,
                                                   struct arena *arena) {
    return (struct boundary_decision){
        .config_file = boundary->file,
        .config_document = boundary->document,
        .location = boundary->location,
        .policy_kind = boundary->usable ? policy_kind_word(boundary->policy) : NULL,
        .object = boundary->usable ? boundary_object(boundary) : (struct object_name){0},
        .refused = !boundary->usable,
        .refusals = split_refusals(&boundary->diagnostics, findings, arena),
    };
}

void decision_of_config(const struct config *config, const struct diagnostics *diagnostics, struct arena *arena,
                        struct decision *decision, struct boundary_decision **boundaries) {
    struct diagnostics findings;
    diagnostics_init(&findings, arena);
    diagnostics_append(&findings, diagnostics);
    struct boundary_decision *list = arena_array(arena, config->count, sizeof *list);
    *decision = (struct decision){.refused = !config->usable || diagnostics->errors > 0};
    for (size_t i = 0; i < config->count; i++) {
        list[i] = boundary_of_config(&config->boundaries[i], &findings, arena);
        decision->refused = decision->refused || list[i].refused;
    }
    diagnostics_sort(&findings);
    decision->findings = (struct diagnostic_list){.list = findings.list, .count = findings.count};
    decision->boundaries = *boundaries = list;
    decision->boundary_count = config->count;
}

#include "analyzer/decision.h"

#include "analyzer/explanation.h"
#include "analyzer/snapshot.h"

static const char *const checks[] = {[CHECK_NAMED_OBJECT] = "named-object",
                                     [CHECK_UNION] = "union",
                                     [CHECK_INGRESS] = "ingress",
                                     [CHECK_FENCE] = "fence"};
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

struct inputs_summary inputs_summary_of(const struct snapshot *snapshot) {
    const struct inputs *inputs = snapshot->inputs;
    return (struct inputs_summary){.files = inputs->count,
                                   .bytes = inputs->bytes,
                                   .objects = snapshot->objects.total,
                                   .skipped = snapshot->objects.skipped,
                                   .excluded = {inputs->excluded, inputs->excluded_count},
                                   .taken_at = snapshot->indexes.taken_at};
}

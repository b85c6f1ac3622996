#include "analyzer/decision.h"
#include "base/arena.h"
#include "compiler/translate.h"

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
        .refused = !boundary->usable || boundary->diagnostics.errors > 0, /* by its grants */
        .refusals = split_refusals(&boundary->diagnostics, findings, arena),
    };
}

void decision_of_config(const struct config *config, const struct diagnostics *diagnostics, struct arena *arena,
                        struct decision *decision, struct boundary_decision **boundaries) {
    struct diagnostics findings;
    diagnostics_init(&findings, arena);
    diagnostics_append(&findings, diagnostics);
    struct boundary_decision *list = arena_array(arena, config->count, sizeof *list);
    *decision = (struct decision){.refused = !config->usable};
    for (size_t i = 0; i < config->count; i++) {
        list[i] = boundary_of_config(&config->boundaries[i], &findings, arena);
        decision->refused = decision->refused || list[i].refused;
    }
    diagnostics_sort(&findings);
    decision->findings = (struct diagnostic_list){.list = findings.list, .count = findings.count};
    decision->boundaries = *boundaries = list;
    decision->boundary_count = config->count;
}

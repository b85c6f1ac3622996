#include "ingress_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/code.h"

const struct boundary_decision *decide(struct arena *arena, const struct question *question) {
    struct config *config = arena_alloc(arena, sizeof *config);
    struct file *file = arena_alloc(arena, sizeof *file);
    struct inputs *inputs = arena_alloc(arena, sizeof *inputs);
    struct diagnostics diagnostics;
    struct config_options config_options = {.limits = limits_default()};
    struct reader_options reader_options = {.limits = limits_default()};
    diagnostics_init(&diagnostics, arena);
    const char *text = arena_format(arena, "namespace: ns\nsandboxTemplateName: box\n%s\n", question->config);
    if (config_read_text("egress.yaml", ".", text_of(text), &config_options, arena, config, &diagnostics) !=
            CONFIG_OK ||
        !config->boundaries[0].usable)
        fail_msg("the config is refused: %s", text);
    reader_read_text("objects.yaml", text_of(question->objects), &reader_options, arena, file, &diagnostics);
    *inputs = (struct inputs){.files = file, .count = 1};
    struct verify_request request = {.config = config,
                                     .inputs = inputs,
                                     .namespace = "ns",
                                     .checks = 1u << CHECK_INGRESS,
                                     .choice = {.labels = question->labels},
                                     .all = true};
    struct decision *decision = arena_alloc(arena, sizeof *decision);
    if (verify_decide(&request, arena, &diagnostics, decision))
        fail_msg("nothing is decided");
    return &decision->boundaries[0];
}

const struct side_decision *decide_ingress(struct arena *arena, const struct question *question) {
    const struct boundary_decision *decision = decide(arena, question);
    assert_int_equal(decision->subject_count, 1);
    assert_null(decision->subjects[0].egress);
    assert_non_null(decision->subjects[0].ingress);
    return decision->subjects[0].ingress;
}

const char *refusal_of(const struct side_decision *side) { return side->refused ? code_word(side->refusal) : "pass"; }

const struct examined *examined_of(const struct side_decision *side, const char *name) {
    for (size_t i = 0; i < side->examined_count; i++)
        if (strcmp(side->examined[i].object.name, name) == 0)
            return &side->examined[i];
    fail_msg("%s is not examined", name);
    return NULL;
}

static const char *with_rules(struct arena *arena, const char *objects, const char *rules) {
    const char *place = strstr(objects, "%s");
    assert_non_null(place);
    return arena_format(arena, "%.*s%s%s", (int)(place - objects), objects, rules, place + 2);
}

void expect(struct arena *arena, const char *config, const char *objects, const struct row *rows) {
    for (; rows->rules; rows++) {
        const struct question question = {config, with_rules(arena, objects, rows->rules), POD};
        const struct side_decision *side = decide_ingress(arena, &question);
        const char *verdict = verdict_word(examined_of(side, "p")->verdict);
        if (strcmp(verdict, rows->verdict) != 0 || strcmp(refusal_of(side), rows->refusal) != 0)
            fail_msg("%s: %s, %s", rows->rules, verdict, refusal_of(side));
    }
}

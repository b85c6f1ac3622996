#include "given.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static const char default_config[] = "namespace: ns\n"
                                     "sandboxTemplateName: box\n"
                                     "ingress: unverified\n"
                                     "egress: {policy: {kind: no-network}}\n";

static struct inputs *read_files(const struct given *given, struct arena *arena, struct diagnostics *diagnostics) {
    struct reader_options options = {.limits = limits_default(), .filter = object_keep};
    struct inputs *inputs = arena_alloc(arena, sizeof *inputs);
    struct file *files = arena_array(arena, GIVEN_FILES_MAX, sizeof *files);
    *inputs = (struct inputs){.files = files};
    for (size_t i = 0; i < GIVEN_FILES_MAX && given->files[i].name; i++)
        reader_read_text(given->files[i].name, text_of(given->files[i].text), &options, arena, &files[inputs->count++],
                         diagnostics);
    return inputs;
}

const struct decision *given_decide(struct arena *arena, const struct given *given) {
    struct config *config = arena_alloc(arena, sizeof *config);
    struct decision *decision = arena_alloc(arena, sizeof *decision);
    struct config_options options = {.limits = limits_default()};
    struct diagnostics diagnostics;
    size_t required = 0;
    diagnostics_init(&diagnostics, arena);
    const char *text = given->config ? given->config : default_config;
    if (config_read_text("egress.yaml", ".", text_of(text), &options, arena, config, &diagnostics) != CONFIG_OK)
        fail_msg("the config is refused: %s", text);
    while (required < 4 && given->require[required])
        required++;
    struct verify_request request = {.config = config,
                                     .inputs = read_files(given, arena, &diagnostics),
                                     .checks =
                                         given->checks ? given->checks : 1u << CHECK_NAMED_OBJECT | 1u << CHECK_UNION,
                                     .choice = {.pod = given->pod, .labels = given->labels},
                                     .required = given->require,
                                     .required_count = required,
                                     .all = true};
    const char *problem = verify_decide(&request, arena, &diagnostics, decision);
    if (problem)
        fail_msg("nothing is decided: %s", problem);
    return decision;
}

const struct side_decision *given_egress(const struct decision *decision) {
    assert_int_equal(decision->boundary_count, 1);
    assert_int_equal(decision->boundaries[0].subject_count, 1);
    assert_non_null(decision->boundaries[0].subjects[0].egress);
    return decision->boundaries[0].subjects[0].egress;
}

const char *given_refusal(const struct side_decision *side) {
    return side->refused ? code_word(side->refusal) : "pass";
}

const struct examined *given_examined(const struct side_decision *side, const char *kind, const char *name) {
    for (size_t i = 0; i < side->examined_count; i++)
        if (strcmp(side->examined[i].object.kind, kind) == 0 && strcmp(side->examined[i].object.name, name) == 0)
            return &side->examined[i];
    return NULL;
}

const char *given_verdict(const struct side_decision *side, const char *kind, const char *name) {
    const struct examined *examined = given_examined(side, kind, name);
    return examined ? verdict_word(examined->verdict) : "none";
}

const char *given_unread(const struct decision *decision, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    for (size_t i = 0; i < decision->unread_count; i++)
        buffer_print(&out, "%s%s %s", i ? ", " : "", decision->unread[i].resource, decision->unread[i].why);
    return decision->unread_count ? buffer_string(&out) : "none";
}

static size_t count_code(const struct diagnostic_list *list, enum code code) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->list[i].code == code;
    return count;
}

size_t given_refusals(const struct decision *decision, enum code code) {
    assert_int_equal(decision->boundary_count, 1);
    return count_code(&decision->boundaries[0].refusals, code);
}

size_t given_findings(const struct decision *decision, enum code code) { return count_code(&decision->findings, code); }

#include "scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/code.h"

static const char config_format[] = "namespace: ns\n"
                                    "sandboxTemplateName: box\n"
                                    "egress: %s\n"
                                    "cluster: {cilium: {version: '1.18'}}\n";

static const struct grant_set *read_grants(struct arena *arena, const char *grants, struct config *config,
                                           struct diagnostics *diagnostics) {
    struct grant_set *set = arena_alloc(arena, sizeof *set);
    struct limits limits = limits_default();
    grants_init(set, &config->boundaries[0], &limits, arena);
    grants_read_text(set, "grant.yaml", text_of(grants), diagnostics);
    grants_finish(set, config, diagnostics);
    if (!set->usable)
        fail_msg("the grants are refused: %s", grants);
    return set;
}

const struct boundary_decision *scene_decide(struct arena *arena, const char *egress, const char *objects,
                                             const char *labels) {
    return scene_decide_granted(arena, egress, NULL, objects, labels);
}

const struct boundary_decision *scene_decide_granted(struct arena *arena, const char *egress, const char *grants,
                                                     const char *objects, const char *labels) {
    struct config *config = arena_alloc(arena, sizeof *config);
    struct file *file = arena_alloc(arena, sizeof *file);
    struct inputs *inputs = arena_alloc(arena, sizeof *inputs);
    struct diagnostics diagnostics;
    struct config_options config_options = {.limits = limits_default()};
    struct reader_options reader_options = {.limits = limits_default()};
    diagnostics_init(&diagnostics, arena);
    if (config_read_text("egress.yaml", ".", text_of(arena_format(arena, config_format, egress)), &config_options,
                         arena, config, &diagnostics) != CONFIG_OK ||
        !config->usable)
        fail_msg("the config is refused: %s", egress);
    reader_read_text("objects.yaml", text_of(objects), &reader_options, arena, file, &diagnostics);
    *inputs = (struct inputs){.files = file, .count = 1};
    struct verify_request request = {.config = config,
                                     .grants = grants ? read_grants(arena, grants, config, &diagnostics) : NULL,
                                     .inputs = inputs,
                                     .namespace = "ns",
                                     .checks = 1u << CHECK_NAMED_OBJECT | 1u << CHECK_UNION,
                                     .choice = {.labels = labels},
                                     .all = true};
    struct decision *decision = arena_alloc(arena, sizeof *decision);
    const char *problem = verify_decide(&request, arena, &diagnostics, decision);
    if (problem)
        fail_msg("nothing is decided: %s", problem);
    assert_int_equal(decision->boundary_count, 1);
    return &decision->boundaries[0];
}

const char *scene_core(struct arena *arena, const char *body) {
    return arena_format(arena,
                        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, "
                        "namespace: ns}\n%s\n",
                        body);
}

const char *scene_cilium(struct arena *arena, const char *body) {
    return arena_format(
        arena, "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: p, namespace: ns}\n%s\n",
        body);
}

const struct side_decision *scene_egress(const struct boundary_decision *decision) {
    assert_int_equal(decision->subject_count, 1);
    assert_non_null(decision->subjects[0].egress);
    return decision->subjects[0].egress;
}

const struct examined *scene_examined(const struct boundary_decision *decision, const char *name, int spec) {
    const struct side_decision *side = scene_egress(decision);
    for (size_t i = 0; i < side->examined_count; i++)
        if (side->examined[i].spec == spec && side->examined[i].object.name &&
            strcmp(side->examined[i].object.name, name) == 0)
            return &side->examined[i];
    fail_msg("%s is not examined", name);
    return NULL;
}

const char *scene_verdict(const struct boundary_decision *decision, const char *name, int spec) {
    return verdict_word(scene_examined(decision, name, spec)->verdict);
}

const char *scene_refusal(const struct boundary_decision *decision) {
    const struct side_decision *side = scene_egress(decision);
    return side->refused ? code_word(side->refusal) : "pass";
}

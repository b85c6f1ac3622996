#include "tests/evaluator/facts.h"

#include "document/reader.h"

void scene_read(struct scene *scene, const char *policies) {
    struct diagnostics diagnostics;
    struct reader_options options = {.limits = limits_default()};
    struct file file;
    scene->arena = arena_create();
    scene->count = 0;
    diagnostics_init(&diagnostics, scene->arena);
    reader_read_text("policies", text_of(policies), &options, scene->arena, &file, &diagnostics);
    assert_int_equal(file.state, FILE_READ);
    assert_true(file.count <= 32);
    for (size_t i = 0; i < file.count; i++)
        scene->objects[scene->count++] = &file.documents[i].root;
}

struct evaluator_reading reading_of(unsigned minor) {
    return (struct evaluator_reading){.engine = minor ? EVALUATE_CILIUM : EVALUATE_CORE,
                                      .minor = minor,
                                      .patch = UINT_MAX,
                                      .sctp = true,
                                      .default_label_filter = true,
                                      .local_cluster = minor >= 19,
                                      .mapped_as_ipv4 = true,
                                      .l7_proxy = true};
}

struct evaluator_result ask(const struct fact *fact, const struct evaluator_reading *reading) {
    struct scene scene;
    struct evaluator_flow flow;
    scene_read(&scene, fact->policies);
    struct evaluator_pod subject = spell_read_pod("team", "app=web", scene.arena);
    if (!spell_read_flow(fact->flow, scene.arena, &flow))
        fail_msg("no flow: %s", fact->flow);
    struct evaluator_result result = evaluate(scene.objects, scene.count, reading, &subject, &flow, scene.arena);
    arena_destroy(scene.arena);
    return result;
}

void check(const struct fact *facts, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (unsigned minor = facts[i].from; minor <= facts[i].to; minor++) {
            struct evaluator_reading reading = reading_of(minor);
            struct evaluator_result result = ask(&facts[i], &reading);
            if (result.answer != facts[i].answer)
                fail_msg("fact %zu, 1.%u: %s is %s (%s), and should be %s, under\n%s", i, minor, facts[i].flow,
                         evaluator_answer_word(result.answer), result.why ? result.why : "",
                         evaluator_answer_word(facts[i].answer), facts[i].policies);
        }
}

#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"

struct sample *sample_read_files(const char *const *yaml, const char *namespace) {
    struct arena *arena = arena_create();
    struct sample *sample = arena_alloc(arena, sizeof *sample);
    struct reader_options options = {.limits = limits_default()};
    size_t count = 0;
    while (yaml[count])
        count++;
    sample->arena = arena;
    diagnostics_init(&sample->diagnostics, arena);
    sample->inputs = (struct inputs){.files = arena_array(arena, count, sizeof(struct file)), .count = count};
    for (size_t i = 0; i < count; i++)
        reader_read_text(arena_format(arena, "%zu.yaml", i), text_of(yaml[i]), &options, arena,
                         &sample->inputs.files[i], &sample->diagnostics);
    objects_collect(&sample->inputs, namespace, arena, &sample->objects, &sample->diagnostics);
    return sample;
}

struct sample *sample_read(const char *yaml, const char *namespace) {
    const char *const files[] = {yaml, NULL};
    return sample_read_files(files, namespace);
}

void sample_destroy(struct sample *sample) { arena_destroy(sample->arena); }

const struct object *sample_object(const struct sample *sample, enum object_kind kind) {
    assert_int_equal(sample->objects.of[kind].count, 1);
    return sample->objects.of[kind].list;
}

struct policy *sample_policy_body(struct sample **sample, enum object_kind kind, const char *body) {
    struct arena *scratch = arena_create();
    const char *version = kind == OBJECT_NETWORK_POLICY ? "networking.k8s.io/v1" : "cilium.io/v2";
    const char *yaml =
        arena_format(scratch, "apiVersion: %s\nkind: %s\nmetadata: {name: sample%s}\n%s\n", version,
                     object_kind_word(kind), object_kind_is_namespaced(kind) ? ", namespace: default" : "", body);
    *sample = sample_read(yaml, NULL);
    arena_destroy(scratch);
    if ((*sample)->diagnostics.errors > 0)
        fail_msg("%s: %s", body, (*sample)->diagnostics.list[0].message);
    return policy_read(sample_object(*sample, kind), (*sample)->arena);
}

struct policy *sample_policy(struct sample **sample, enum object_kind kind, const char *spec) {
    struct arena *scratch = arena_create();
    struct policy *policy = sample_policy_body(sample, kind, arena_format(scratch, "spec: %s", spec));
    arena_destroy(scratch);
    return policy;
}

static void print_problems(const struct policy *policy) {
    for (uint32_t i = 0; i < policy->problem_count; i++) {
        const struct problem *problem = &policy->problems[i];
        print_error("  %s (%d, %02x%s): %s %s\n", code_word(problem->code), problem->effect, problem->classes,
                    problem->selects ? ", selects" : "", problem->part.path, problem->message);
    }
}

static bool is_expected(const struct problem *problem, const struct expected_problem *row) {
    cilium_classes classes = row->classes ? row->classes : cilium_from(CILIUM_1_15);
    return problem->effect == row->effect && problem->code == row->code && problem->classes == classes &&
           problem->selects == row->selects && text_is(text_of(problem->part.path), row->path);
}

static void expect_problem(enum object_kind kind, const struct expected_problem *row) {
    struct sample *sample;
    const struct policy *policy = sample_policy(&sample, kind, row->spec);
    cilium_classes classes = row->classes ? row->classes : cilium_from(CILIUM_1_15);
    unsigned found = 0, others = 0;
    for (uint32_t i = 0; i < policy->problem_count; i++) {
        bool expected = is_expected(&policy->problems[i], row);
        found += expected;
        others += !expected && (policy->problems[i].classes & classes);
        if (!policy->problems[i].part.node || policy->problems[i].part.node->line == 0)
            fail_msg("%s: a problem has no place", row->spec);
    }
    if (found != 1 || others > 0) {
        print_error("%s\n", row->spec);
        print_problems(policy);
        fail_msg("wanted %s at %s alone", code_word(row->code), row->path);
    }
    sample_destroy(sample);
}

void sample_expect_problems(enum object_kind kind, const struct expected_problem *rows) {
    for (; rows->spec; rows++)
        expect_problem(kind, rows);
}

void sample_expect_none(enum object_kind kind, const char *const *specs, cilium_classes classes) {
    for (; *specs; specs++) {
        struct sample *sample;
        const struct policy *policy = sample_policy(&sample, kind, *specs);
        if (policy_problem(policy, PROBLEM_DROPPED, classes)) {
            print_error("%s\n", *specs);
            print_problems(policy);
            fail_msg("wanted no problem");
        }
        sample_destroy(sample);
    }
}

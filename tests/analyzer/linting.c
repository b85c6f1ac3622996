#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "kube/object.h"
#include "tests/analyzer/linting.h"

static void set_version(struct linting *linting, struct cluster_facts *facts, enum fact fact, const char *version) {
    struct diagnostics problems;
    diagnostics_init(&problems, linting->arena);
    if (version)
        assert_true(facts_set_version(facts, fact, version, (struct location){.file = "test"}, &problems));
}

void linting_file(struct linting *linting, const char *path, const struct linting_options *options) {
    const struct linting_options none = {0};
    const struct inputs_options how = {.reader = {.limits = limits_default(), .filter = object_keep_annotations},
                                       .jobs = 1};
    struct diagnostics diagnostics;
    struct cluster_facts facts = facts_default();
    options = options ? options : &none;
    *linting = (struct linting){.arena = arena_create()};
    diagnostics_init(&diagnostics, linting->arena);
    set_version(linting, &facts, FACT_KUBERNETES_VERSION, options->kubernetes);
    set_version(linting, &facts, FACT_CILIUM_VERSION, options->cilium);
    facts.pod_cidrs = options->pod_cidrs;
    facts.known |= options->pod_cidrs ? 1u << FACT_POD_CIDRS : 0u;
    path = arena_format(linting->arena, "%s", path);
    assert_true(inputs_read(&path, 1, &how, linting->arena, &linting->inputs, &diagnostics));
    const struct lint_request request = {.inputs = &linting->inputs,
                                         .facts = &facts,
                                         .namespace = options->namespace,
                                         .strict = options->strict,
                                         .fix = options->fix,
                                         .excerpts = options->excerpts,
                                         .effort = options->effort};
    lint_run(&request, linting->arena, &diagnostics, &linting->result);
}

void linting_text(struct linting *linting, const char *text, const struct linting_options *options) {
    char path[sizeof linting->path] = "/tmp/egressc-lint-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    assert_int_equal(close(descriptor), 0);
    linting_file(linting, path, options);
    memcpy(linting->path, path, sizeof path);
}

void linting_end(struct linting *linting) {
    if (linting->path[0])
        unlink(linting->path);
    inputs_destroy(&linting->inputs);
    arena_destroy(linting->arena);
}

const struct diagnostic *linting_find(const struct linting *linting, const char *code) {
    for (size_t i = 0; i < linting->result.findings.count; i++)
        if (strcmp(code_word(linting->result.findings.list[i].code), code) == 0)
            return &linting->result.findings.list[i];
    return NULL;
}

size_t linting_count(const struct linting *linting, const char *code) {
    size_t count = 0;
    for (size_t i = 0; i < linting->result.findings.count; i++)
        count += strcmp(code_word(linting->result.findings.list[i].code), code) == 0;
    return count;
}

const char *linting_core(struct arena *arena, const char *spec) {
    return arena_format(arena,
                        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
                        "metadata:\n  name: p\n  namespace: ns\nspec:\n%s",
                        spec);
}

const char *linting_cilium(struct arena *arena, const char *spec) {
    return arena_format(arena,
                        "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\n"
                        "metadata:\n  name: p\n  namespace: ns\nspec:\n%s",
                        spec);
}

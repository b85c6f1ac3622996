#include "cli/load.h"

#include <unistd.h>

#include "document/reader.h"
#include "kube/object.h"
#include "kube/snapshot_index.h"

/* A version of the command line, which stands over what `facts` holds; NULL: not given. */
static enum exit_status set_version(const struct command_context *context, const char *option, enum fact fact,
                                    const char *version, struct cluster_facts *facts) {
    struct diagnostics problems;
    struct location place = {.file = option};
    diagnostics_init(&problems, context->arena);
    if (!version || facts_set_version(facts, fact, version, place, &problems)) {
        return EXIT_WELL;
    }
    return command_misuse(context, "option '%s' does not take '%s': %s", option, version, problems.list[0].message);
}

/* The one document of a facts file. */
static enum exit_status read_facts_file(const struct command_context *context, struct cluster_facts *facts,
                                        struct diagnostics *diagnostics) {
    const struct reader_options reader = {.limits = context->options->limits, .keep_excerpts = true};
    const char *path = context->options->facts;
    struct text content;
    struct file file = {0};
    if (!reader_slurp(path, &reader.limits, context->arena, &content, diagnostics)) {
        return EXIT_TROUBLE;
    }
    const char *name = text_is(text_of(path), "-") ? "<stdin>" : path;
    reader_read_text(name, content, &reader, context->arena, &file, diagnostics);
    struct location place = {.file = name};
    if (file.state == FILE_READ && file.count != 1) {
        diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, place, "a facts file holds one document, and this one %zu",
                        file.count);
    }
    if (file.state != FILE_READ || file.count != 1) {
        return EXIT_REFUSED;
    }
    bool usable = facts_read(&file.documents[0].root, name, "", context->arena, facts, diagnostics);
    return usable ? EXIT_WELL : EXIT_REFUSED;
}

enum exit_status load_facts(const struct command_context *context, struct cluster_facts *facts,
                            struct diagnostics *diagnostics) {
    const struct options *options = context->options;
    enum exit_status status = EXIT_WELL;
    *facts = facts_default();
    if (options->facts) {
        status = read_facts_file(context, facts, diagnostics);
    }
    if (status == EXIT_WELL) {
        status = set_version(context, "--cilium-version", FACT_CILIUM_VERSION, options->cilium_version, facts);
    }
    if (status == EXIT_WELL) {
        status =
            set_version(context, "--kubernetes-version", FACT_KUBERNETES_VERSION, options->kubernetes_version, facts);
    }
    return status;
}

enum exit_status load_config(const struct command_context *context, const struct cluster_facts *facts,
                             struct config *config, struct diagnostics *diagnostics) {
    if (!context->options->config) {
        return command_misuse(context, "it needs a config: --config FILE");
    }
    const struct config_options options = {.limits = context->options->limits, .facts = facts};
    switch (config_read(context->options->config, &options, context->arena, config, diagnostics)) {
    case CONFIG_OK:
        return EXIT_WELL;
    case CONFIG_REFUSED:
        return EXIT_REFUSED;
    case CONFIG_UNREADABLE:
        break;
    }
    return EXIT_TROUBLE;
}

enum exit_status load_paths(const struct command_context *context, const char *const *paths, size_t count,
                            struct inputs *inputs, struct diagnostics *diagnostics) {
    const struct inputs_options options = {
        .reader = {.limits = context->options->limits, .filter = object_keep, .keep_excerpts = true},
        .exclude = context->options->exclude.list,
        .jobs = load_jobs(context),
    };
    if (!inputs_read(paths, count, &options, context->arena, inputs, diagnostics)) {
        return EXIT_TROUBLE;
    }
    size_t listed_count;
    const char *const *listed = snapshot_index_paths(inputs, context->arena, &listed_count);
    inputs_read_more(listed, listed_count, &options, context->arena, inputs, diagnostics);
    return EXIT_WELL;
}

enum exit_status load_inputs(const struct command_context *context, struct inputs *inputs,
                             struct diagnostics *diagnostics) {
    return load_paths(context, context->inputs, context->input_count, inputs, diagnostics);
}

unsigned load_jobs(const struct command_context *context) {
    if (context->options->jobs > 0) {
        return context->options->jobs;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* `egressc compile`: a config's objects, on standard output or in a directory (spec/cli.md). */
#include "analyzer/decision.h"
#include "cli/compile_directory.h"
#include "cli/load_grants.h"
#include "compiler/fence.h"
#include "compiler/object_file.h"
#include "compiler/translate.h"
#include "document/writer.h"

/* Refusals as they were found are for the report; people read them in the order of the file. */
static void print_problems(const struct command_context *context, const struct config *config,
                           const struct diagnostics *outside) {
    struct diagnostics all;
    diagnostics_init(&all, context->arena);
    diagnostics_append(&all, outside);
    config_diagnostics(config, &all);
    diagnostics_sort(&all);
    command_print_diagnostics(context, &all);
}

static enum exit_status refuse(const struct command_context *context, const struct config *config,
                               const struct diagnostics *outside) {
    if (context->options->report == REPORT_TEXT) {
        print_problems(context, config, outside);
        return EXIT_REFUSED;
    }
    struct decision decision;
    struct boundary_decision *boundaries;
    decision_of_config(config, outside, context->arena, &decision, &boundaries);
    const struct report_options options = command_report_options(context);
    report_write_decision(context->out, &decision, (enum report_format)context->options->report, &options);
    return EXIT_REFUSED;
}

/* Objects as bytes, in the order in which they are added. */
struct compilation {
    const struct command_context *context;
    struct compiled *objects;
    size_t count, capacity;
};

/* Nothing where there is no tree. */
static void add_object(struct compilation *compilation, const struct node *tree, struct object_name name) {
    struct arena *arena = compilation->context->arena;
    bool json = compilation->context->options->format == OUTPUT_JSON;
    if (!tree) {
        return;
    }
    struct buffer bytes;
    buffer_init(&bytes, arena);
    (json ? writer_json : writer_yaml)(&bytes, tree);
    compilation->objects = arena_grow(arena, compilation->objects, &compilation->capacity, compilation->count + 1,
                                      sizeof *compilation->objects);
    compilation->objects[compilation->count++] = (struct compiled){
        .file = object_file_name(arena, name, json ? ".json" : ".yaml"),
        .bytes = {bytes.bytes, bytes.length},
    };
}

static void add_boundaries(struct compilation *compilation, const struct config *config) {
    for (size_t i = 0; i < config->count; i++) {
        const struct boundary *boundary = &config->boundaries[i];
        add_object(compilation, boundary_compile(boundary, compilation->context->arena), boundary_object(boundary));
    }
}

static void add_grants(struct compilation *compilation, const struct grant_set *grants) {
    for (size_t i = 0; i < grants->count; i++) {
        const struct grant *grant = &grants->list[i];
        add_object(compilation, grant_compile(grant, compilation->context->arena), grant_object(grant));
    }
}

static enum exit_status print_objects(const struct command_context *context, const struct compiled *objects,
                                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && context->options->format == OUTPUT_YAML) {
            buffer_add_string(context->out, "---\n");
        }
        buffer_add_text(context->out, objects[i].bytes);
    }
    return EXIT_WELL;
}

static void add_fence(struct compilation *compilation, const struct fence *fence) {
    for (size_t i = 0; i < fence->count; i++) {
        add_object(compilation, &fence->list[i].tree, fence->list[i].name);
        compilation->objects[compilation->count - 1].skeleton = fence->list[i].skeleton;
    }
}

/* With grants or --fence, their objects only. */
static enum exit_status deliver(const struct command_context *context, const struct config *config,
                                const struct grant_set *grants, const struct fence *fence) {
    struct compilation compilation = {.context = context};
    if (context->options->fence) {
        add_fence(&compilation, fence);
    } else if (context->options->grant.count > 0) {
        add_grants(&compilation, grants);
    } else {
        add_boundaries(&compilation, config);
    }
    if (!context->options->output_dir) {
        return print_objects(context, compilation.objects, compilation.count);
    }
    return context->options->check ? compile_check_directory(context, compilation.objects, compilation.count)
                                   : compile_write_directory(context, compilation.objects, compilation.count);
}

/* A warning fails the command with --strict, and changes nothing that it prints or writes. */
static enum exit_status status_of_warnings(const struct command_context *context, const struct config *config,
                                           const struct diagnostics *outside) {
    struct diagnostics all;
    diagnostics_init(&all, context->arena);
    diagnostics_append(&all, outside);
    config_diagnostics(config, &all);
    return command_status(context, &all);
}

/* What is asked for and does nothing is a mistake. */
static const char *bad_usage(const struct options *options) {
    if (options->check && !options->output_dir) {
        return "option '--check' needs --output-dir";
    }
    if (options->fence && options->grant.count > 0) {
        return "options '--fence' and '--grant' print different objects; give one of them";
    }
    if (options->grant.count == 0 && options->input.count > 0) {
        return "option '--input' needs --grant";
    }
    return options->grant.count == 0 && options->boundary > 0 ? "option '--boundary' needs --grant" : NULL;
}

static bool has_errors(const struct config *config, const struct diagnostics *outside) {
    size_t errors = outside->errors;
    for (size_t i = 0; i < config->count; i++) {
        errors += config->boundaries[i].diagnostics.errors;
    }
    return errors > 0;
}

/* The grants, and the inputs that their ConfigMap is looked for in. */
static enum exit_status read_grants(const struct command_context *context, struct inputs *inputs, struct config *config,
                                    struct grant_set *grants, struct diagnostics *outside) {
    const struct option_list *paths = &context->options->input;
    enum exit_status status = load_grants(context, config, grants, outside);
    if (status != EXIT_TROUBLE) {
        status = load_paths(context, paths->list, paths->count, inputs, outside);
    }
    if (status != EXIT_TROUBLE) {
        load_permitted_hosts(context, inputs, grants);
        grants_finish(grants, config, outside);
        status = has_errors(config, outside) ? EXIT_REFUSED : EXIT_WELL;
    }
    return status;
}

/* What is wrong with the inputs lives as long as they do. */
static enum exit_status compile(const struct command_context *context, struct inputs *inputs) {
    struct diagnostics outside;
    struct cluster_facts facts;
    struct config config = {0};
    struct grant_set grants = {0};
    struct fence fence = {0};
    diagnostics_init(&outside, context->arena);
    enum exit_status status = load_facts(context, &facts, &outside);
    if (status == EXIT_WELL) {
        status = load_config(context, &facts, &config, &outside);
    }
    if (status != EXIT_TROUBLE && context->options->grant.count > 0 && config.count > 0) {
        status = read_grants(context, inputs, &config, &grants, &outside);
    }
    if (status == EXIT_WELL && context->options->fence && !fence_of_config(&config, context->arena, &fence, &outside)) {
        status = EXIT_REFUSED;
    }
    if (status == EXIT_REFUSED) {
        return refuse(context, &config, &outside);
    }
    print_problems(context, &config, &outside);
    if (status != EXIT_WELL) {
        return status;
    }
    status = deliver(context, &config, &grants, &fence);
    enum exit_status warned = status_of_warnings(context, &config, &outside);
    return status == EXIT_WELL ? warned : status;
}

enum exit_status command_compile(const struct command_context *context) {
    const char *problem = bad_usage(context->options);
    if (problem) {
        return command_misuse(context, "%s", problem);
    }
    struct inputs inputs = {0};
    enum exit_status status = compile(context, &inputs);
    inputs_destroy(&inputs);
    return status;
}

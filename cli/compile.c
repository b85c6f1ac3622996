/* `egressc compile`: a config's objects, on standard output or in a directory (spec/cli.md). */
#include "analyzer/decision.h"
#include "cli/compile_directory.h"
#include "cli/load.h"
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
    const struct report_options options = {
        .color = context->color_out, .quiet = context->options->quiet, .all = context->options->all};
    report_write_decision(context->out, &decision, (enum report_format)context->options->report, &options);
    return EXIT_REFUSED;
}

/* The objects of all boundaries in document order, as bytes. */
static struct compiled *compile_all(const struct command_context *context, const struct config *config, size_t *count) {
    struct compiled *objects = arena_array(context->arena, config->count, sizeof *objects);
    bool json = context->options->format == OUTPUT_JSON;
    *count = 0;
    for (size_t i = 0; i < config->count; i++) {
        const struct node *tree = boundary_compile(&config->boundaries[i], context->arena);
        if (!tree) {
            continue;
        }
        struct buffer bytes;
        buffer_init(&bytes, context->arena);
        (json ? writer_json : writer_yaml)(&bytes, tree);
        struct object_name name = boundary_object(&config->boundaries[i]);
        objects[(*count)++] = (struct compiled){
            .file = object_file_name(context->arena, name, json ? ".json" : ".yaml"),
            .bytes = {bytes.bytes, bytes.length},
        };
    }
    return objects;
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

static enum exit_status deliver(const struct command_context *context, const struct config *config) {
    size_t count;
    const struct compiled *objects = compile_all(context, config, &count);
    if (!context->options->output_dir) {
        return print_objects(context, objects, count);
    }
    return context->options->check ? compile_check_directory(context, objects, count)
                                   : compile_write_directory(context, objects, count);
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

enum exit_status command_compile(const struct command_context *context) {
    struct diagnostics outside;
    struct cluster_facts facts;
    struct config config = {0};
    diagnostics_init(&outside, context->arena);
    if (context->options->check && !context->options->output_dir) {
        return command_misuse(context, "option '--check' needs --output-dir");
    }
    enum exit_status status = load_facts(context, &facts, &outside);
    if (status == EXIT_WELL) {
        status = load_config(context, &facts, &config, &outside);
    }
    if (status == EXIT_REFUSED) {
        return refuse(context, &config, &outside);
    }
    print_problems(context, &config, &outside);
    if (status != EXIT_WELL) {
        return status;
    }
    status = deliver(context, &config);
    enum exit_status warned = status_of_warnings(context, &config, &outside);
    return status == EXIT_WELL ? warned : status;
}

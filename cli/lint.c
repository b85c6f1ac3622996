/* `egressc lint`: what is wrong with the policies themselves (spec/lint.md, spec/cli.md). */
#include "analyzer/lint/lint.h"

#include "cli/load.h"

static enum exit_status write_findings(const struct command_context *context, const struct diagnostics *findings) {
    const struct report_options options = command_report_options(context);
    const struct diagnostic_list list = {.list = findings->list, .count = findings->count};
    report_write_findings(context->out, &list, (enum report_format)context->options->report, &options);
    return command_status(context, findings);
}

static enum exit_status judge(const struct command_context *context, const struct config *config,
                              const struct cluster_facts *facts, const struct inputs *inputs,
                              const struct diagnostics *diagnostics) {
    const struct lint_request request = {
        .inputs = inputs, .config = config, .facts = facts, .namespace = context->options->namespace};
    struct lint_result result;
    lint_run(&request, context->arena, diagnostics, &result);
    return write_findings(context, &result.findings);
}

enum exit_status command_lint(const struct command_context *context) {
    struct diagnostics diagnostics;
    struct cluster_facts facts;
    struct config config = {0};
    struct inputs inputs = {0};
    diagnostics_init(&diagnostics, context->arena);
    enum exit_status status = load_facts(context, &facts, &diagnostics);
    if (status == EXIT_WELL && context->options->config) {
        status = load_config(context, &facts, &config, &diagnostics);
        config_diagnostics(&config, &diagnostics);
    }
    if (status == EXIT_REFUSED) {
        diagnostics_sort(&diagnostics);
        return write_findings(context, &diagnostics);
    }
    status = status == EXIT_WELL ? load_inputs(context, &inputs, &diagnostics) : status;
    if (status == EXIT_TROUBLE) {
        diagnostics_sort(&diagnostics);
        command_print_diagnostics(context, &diagnostics);
    } else {
        status = judge(context, context->options->config ? &config : NULL, &facts, &inputs, &diagnostics);
    }
    inputs_destroy(&inputs);
    return status;
}

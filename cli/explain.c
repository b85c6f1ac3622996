/* `egressc explain`: whether a pod may send a flow, and by which rules (spec/cli.md, "explain"). */
#include "analyzer/ask/explain.h"

#include "cli/load.h"

static const enum explain_engine engines[] = {
    [ENGINE_CORE] = EXPLAIN_CORE, [ENGINE_CILIUM] = EXPLAIN_CILIUM, [ENGINE_BY_INPUTS] = EXPLAIN_BY_INPUTS};

static enum exit_status check_question(const struct command_context *context) {
    const struct options *options = context->options;
    if (!options->pod == !options->labels) {
        return command_misuse(context, "it needs one pod: --pod NS/NAME or --labels KEY=VALUE,...");
    }
    return options->to ? EXIT_WELL : command_misuse(context, "it needs a destination: --to DEST");
}

/* An answer that cannot be told meets no expectation. */
static bool is_expected(const struct command_context *context, enum answer allowed) {
    switch ((enum expectation)context->options->expect) {
    case EXPECT_ALLOW:
        return allowed == ANSWER_YES;
    case EXPECT_DENY:
        return allowed == ANSWER_NO;
    case EXPECT_NOTHING:
        break;
    }
    return true;
}

static enum exit_status write_answer(const struct command_context *context, const struct explanation *explanation) {
    struct report_options options = command_report_options(context);
    options.unexpected = !is_expected(context, explanation->allowed);
    report_write_explanation(context->out, explanation, (enum report_format)context->options->report, &options);
    return options.unexpected ? EXIT_REFUSED : command_status_of(context, &explanation->findings);
}

static enum exit_status answer(const struct command_context *context, const struct config *config,
                               const struct cluster_facts *facts, const struct inputs *inputs,
                               struct diagnostics *diagnostics) {
    const struct options *options = context->options;
    const struct explain_request request = {
        .inputs = inputs,
        .config = config,
        .facts = facts,
        .namespace = options->namespace,
        .engine = engines[options->engine],
        .pod = options->pod,
        .labels = options->labels,
        .to = options->to,
        .port = options->port,
        .dns_name = options->dns_name,
        .server_name = options->server_name,
    };
    struct explanation explanation;
    const char *problem = explain_answer(&request, context->arena, diagnostics, &explanation);
    return problem ? command_misuse(context, "%s", problem) : write_answer(context, &explanation);
}

/* Text and JSON speak of an answer, and there is none: what is wrong goes to standard error. The other formats are lists of
 * findings, and these are some. */
static void refuse_question(const struct command_context *context, const struct diagnostics *diagnostics,
                            enum exit_status status) {
    enum report_format format = (enum report_format)context->options->report;
    if (status == EXIT_TROUBLE || format == REPORT_TEXT || format == REPORT_JSON) {
        command_print_diagnostics(context, diagnostics);
        return;
    }
    const struct report_options options = command_report_options(context);
    report_write_findings(context->out,
                          &(struct diagnostic_list){.list = diagnostics->list, .count = diagnostics->count}, NULL, NULL,
                          format, &options);
}

/* What was read of the command line's files before the inputs. A config that is refused compiles to nothing that could be
 * asked about: its refusals are all there is to say. */
static enum exit_status load_question(const struct command_context *context, struct config *config,
                                      struct cluster_facts *facts, struct diagnostics *diagnostics) {
    enum exit_status status = check_question(context);
    if (status == EXIT_WELL) {
        status = load_facts(context, facts, diagnostics);
    }
    if (status == EXIT_WELL && context->options->config) {
        status = load_config(context, facts, config, diagnostics);
        config_diagnostics(config, diagnostics);
    }
    if (status != EXIT_WELL) {
        diagnostics_sort(diagnostics);
        refuse_question(context, diagnostics, status);
    }
    return status;
}

enum exit_status command_explain(const struct command_context *context) {
    struct diagnostics diagnostics;
    struct cluster_facts facts;
    struct config config = {0};
    struct inputs inputs = {0};
    diagnostics_init(&diagnostics, context->arena);
    enum exit_status status = load_question(context, &config, &facts, &diagnostics);
    if (status != EXIT_WELL) {
        return status;
    }
    status = load_inputs(context, &inputs, &diagnostics);
    if (status == EXIT_TROUBLE) {
        command_print_diagnostics(context, &diagnostics);
    } else {
        status = answer(context, context->options->config ? &config : NULL, &facts, &inputs, &diagnostics);
    }
    inputs_destroy(&inputs);
    return status;
}

/* `egressc verify`: whether the policies of the inputs hold pods to a config (spec/analysis.md, spec/cli.md). */
#include "analyzer/verify/verify.h"

#include "analyzer/verify/collections.h"
#include "cli/load_grants.h"

static enum exit_status check_required(const struct command_context *context) {
    const struct option_list *required = &context->options->require;
    for (size_t i = 0; i < required->count; i++) {
        if (collection_is_known(required->list[i])) {
            continue;
        }
        const char *nearest = text_nearest(text_of(required->list[i]), collection_words(context->arena));
        return nearest
                   ? command_misuse(context, "option '--require' does not know '%s'; did you mean '%s'?",
                                    required->list[i], nearest)
                   : command_misuse(context, "option '--require' does not know the collection '%s'", required->list[i]);
    }
    return EXIT_WELL;
}

static enum exit_status write_decision(const struct command_context *context, const struct decision *decision) {
    const struct report_options options = command_report_options(context);
    report_write_decision(context->out, decision, (enum report_format)context->options->report, &options);
    return decision->refused ? EXIT_REFUSED : EXIT_WELL;
}

/* A config that could be read is verified as far as it is usable, so that one run shows all faults. */
static enum exit_status decide(const struct command_context *context, const struct config *config,
                               const struct grant_set *grants, const struct inputs *inputs,
                               struct diagnostics *diagnostics) {
    const struct options *options = context->options;
    const struct verify_request request = {
        .config = config,
        .grants = grants->boundary ? grants : NULL,
        .inputs = inputs,
        .namespace = options->namespace,
        .checks = options->checks,
        .choice = {.pod = options->pod, .labels = options->labels},
        .required = options->require.list,
        .required_count = options->require.count,
        .all = options->all,
    };
    struct decision decision;
    const char *problem = verify_decide(&request, context->arena, diagnostics, &decision);
    if (problem) {
        return command_misuse(context, "%s", problem);
    }
    enum exit_status status = write_decision(context, &decision);
    return status == EXIT_WELL ? command_status_of(context, &decision.findings) : status;
}

static enum exit_status read_and_decide(const struct command_context *context, struct config *config,
                                        struct grant_set *grants, struct diagnostics *diagnostics) {
    struct inputs inputs = {0};
    enum exit_status status = load_inputs(context, &inputs, diagnostics);
    if (status == EXIT_TROUBLE) {
        command_print_diagnostics(context, diagnostics);
    } else {
        if (grants->boundary) {
            load_permitted_hosts(context, &inputs, grants);
            grants_finish(grants, config, diagnostics);
        }
        status = decide(context, config, grants, &inputs, diagnostics);
    }
    inputs_destroy(&inputs);
    return status;
}

/* Facts or grants that are refused, or a config without a document that could be read, leave nothing to verify. */
static enum exit_status refuse(const struct command_context *context, struct config *config, struct grant_set *grants,
                               struct diagnostics *diagnostics) {
    struct decision decision;
    struct boundary_decision *boundaries;
    if (grants->boundary) {
        grants_finish(grants, config, diagnostics);
    }
    decision_of_config(config, diagnostics, context->arena, &decision, &boundaries);
    return write_decision(context, &decision);
}

/* Whether anything can be compared with the inputs: else reading them would only bury the config's faults. */
static bool any_translatable(const struct config *config) {
    for (size_t i = 0; i < config->count; i++) {
        if (config->boundaries[i].translatable) {
            return true;
        }
    }
    return false;
}

enum exit_status command_verify(const struct command_context *context) {
    struct diagnostics diagnostics;
    struct cluster_facts facts;
    struct config config = {0};
    struct grant_set grants = {0};
    diagnostics_init(&diagnostics, context->arena);
    if (context->options->boundary > 0 && context->options->grant.count == 0) {
        return command_misuse(context, "option '--boundary' needs --grant");
    }
    enum exit_status status = check_required(context);
    if (status == EXIT_WELL) {
        status = load_facts(context, &facts, &diagnostics);
    }
    if (status == EXIT_WELL) {
        status = load_config(context, &facts, &config, &diagnostics);
    }
    enum exit_status granted = EXIT_WELL;
    if (status != EXIT_TROUBLE && context->options->grant.count > 0 && config.count > 0) {
        granted = load_grants(context, &config, &grants, &diagnostics);
    }
    if (status == EXIT_TROUBLE || granted == EXIT_TROUBLE) {
        command_print_diagnostics(context, &diagnostics);
        return EXIT_TROUBLE;
    }
    return granted == EXIT_WELL && any_translatable(&config) ? read_and_decide(context, &config, &grants, &diagnostics)
                                                             : refuse(context, &config, &grants, &diagnostics);
}

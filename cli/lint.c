/* `egressc lint`: what is wrong with the policies themselves (spec/lint.md, spec/cli.md). */
#include "analyzer/lint/lint.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/lint/baseline.h"
#include "cli/lint_fix.h"
#include "cli/load.h"
#include "cli/sink.h"
#include "document/reader.h"
#include "kube/object.h"
#include "kube/snapshot_index.h"
#include "report/paint.h"

static enum exit_status write_findings(const struct command_context *context, const struct lint_result *result) {
    const struct report_options options = command_report_options(context);
    const struct diagnostic_list list = {.list = result->findings.list, .count = result->findings.count};
    const struct diagnostic_list more = {.list = result->untold.list, .count = result->untold.count};
    if (!context->options->diff) {
        report_write_findings(context->out, &list, &more, &result->inputs, (enum report_format)context->options->report,
                              &options);
    }
    return command_status(context, &result->findings);
}

/* ---- the baseline ---- */

/* A baseline that is not there yet is empty, if it may grow. */
static enum exit_status read_baseline(const struct command_context *context, struct baseline *baseline,
                                      struct diagnostics *diagnostics) {
    const struct options *options = context->options;
    struct text text;
    *baseline = (struct baseline){.name = options->baseline};
    if (options->update_baseline && options->allow_growth && access(options->baseline, F_OK) != 0 && errno == ENOENT) {
        return EXIT_WELL;
    }
    if (!reader_slurp(options->baseline, &options->limits, context->arena, &text, diagnostics)) {
        return EXIT_TROUBLE;
    }
    bool well = baseline_read(options->baseline, text, &options->limits, context->arena, baseline, diagnostics);
    return well ? EXIT_WELL : EXIT_REFUSED;
}

static enum exit_status write_baseline(const struct command_context *context, const struct baseline *next) {
    struct buffer text;
    buffer_init(&text, context->arena);
    baseline_write(&text, next);
    if (sink_write_file(next->name, (struct text){text.bytes, text.length}, context->arena)) {
        return EXIT_WELL;
    }
    const char *why = strerror(errno);
    buffer_add_string(context->err, "egressc lint: ");
    paint_escaped(context->err, next->name);
    buffer_print(context->err, ": cannot be written: %s\n", why);
    return EXIT_TROUBLE;
}

/* What would be known is said as such only after the findings are complete. */
static enum exit_status hold_against_baseline(const struct command_context *context, const struct baseline *baseline,
                                              struct lint_result *result) {
    const struct options *options = context->options;
    struct baseline next;
    if (!options->baseline) {
        return EXIT_WELL;
    }
    bool grow = options->update_baseline && options->allow_growth;
    baseline_apply(baseline, grow, &result->findings, &result->untold, options->update_baseline ? &next : NULL);
    return options->update_baseline ? write_baseline(context, &next) : EXIT_WELL;
}

/* ---- one run over the inputs ---- */

struct run {
    const struct command_context *context;
    const struct config *config; /* or NULL */
    struct cluster_facts facts;
    struct baseline baseline;
    struct inputs inputs;
};

/* The inputs with all annotations of policies, which lint judges too. */
static enum exit_status read_inputs(struct run *run, struct diagnostics *diagnostics) {
    const struct command_context *context = run->context;
    const struct inputs_options options = {
        .reader = {.limits = context->options->limits, .filter = object_keep_annotations, .keep_excerpts = true},
        .exclude = context->options->exclude.list,
        .jobs = load_jobs(context),
    };
    if (!inputs_read(context->inputs, context->input_count, &options, context->arena, &run->inputs, diagnostics)) {
        return EXIT_TROUBLE;
    }
    size_t listed_count;
    const char *const *listed = snapshot_index_paths(&run->inputs, context->arena, &listed_count);
    inputs_read_more(listed, listed_count, &options, context->arena, &run->inputs, diagnostics);
    return EXIT_WELL;
}

static enum exit_status look(struct run *run, bool fix, const struct diagnostics *read, struct lint_result *result) {
    const struct command_context *context = run->context;
    const struct options *options = context->options;
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, context->arena);
    diagnostics_append(&diagnostics, read);
    enum exit_status status = read_inputs(run, &diagnostics);
    if (status == EXIT_TROUBLE) {
        diagnostics_sort(&diagnostics);
        command_print_diagnostics(context, &diagnostics);
        return status;
    }
    const struct lint_request request = {
        .inputs = &run->inputs,
        .config = run->config,
        .facts = &run->facts,
        .namespace = options->namespace,
        .strict = options->strict,
        .fix = fix,
        .excerpts = options->report != REPORT_JSON && !options->quiet,
    };
    lint_run(&request, context->arena, &diagnostics, result);
    return EXIT_WELL;
}

/* After a fix the inputs are read again: what is left is what is told. */
static enum exit_status look_and_mend(struct run *run, const struct diagnostics *read, struct lint_result *result) {
    const struct options *options = run->context->options;
    size_t mended;
    enum exit_status status = look(run, options->fix || options->diff, read, result);
    if (status != EXIT_WELL || result->fix_count == 0) {
        return status;
    }
    status = lint_mend(run->context, result, &mended);
    if (status != EXIT_WELL || mended == 0) {
        return status;
    }
    inputs_destroy(&run->inputs);
    run->inputs = (struct inputs){0};
    return look(run, false, read, result);
}

static enum exit_status judge(struct run *run, const struct diagnostics *read) {
    struct lint_result result;
    enum exit_status status = look_and_mend(run, read, &result);
    if (status == EXIT_WELL) {
        status = hold_against_baseline(run->context, &run->baseline, &result);
    }
    if (status == EXIT_WELL) {
        status = write_findings(run->context, &result);
    }
    inputs_destroy(&run->inputs);
    return status;
}

/* ---- before the inputs ---- */

static enum exit_status check_options(const struct command_context *context) {
    const struct options *options = context->options;
    bool reads_stdin = false;
    for (size_t i = 0; i < context->input_count; i++) {
        reads_stdin = reads_stdin || strcmp(context->inputs[i], "-") == 0;
    }
    if (options->update_baseline && !options->baseline) {
        return command_misuse(context, "option '--update-baseline' needs --baseline");
    }
    if (options->allow_growth && !options->update_baseline) {
        return command_misuse(context, "option '--allow-growth' needs --update-baseline");
    }
    if (options->fix && options->diff) {
        return command_misuse(context, "option '--diff' only shows what --fix would do; give one of them");
    }
    if (options->fix && reads_stdin) {
        return command_misuse(context, "option '--fix' mends files, and standard input is none");
    }
    return EXIT_WELL;
}

static enum exit_status load(struct run *run, struct config *config, struct diagnostics *diagnostics) {
    const struct command_context *context = run->context;
    enum exit_status status = load_facts(context, &run->facts, diagnostics);
    if (status == EXIT_WELL && context->options->config) {
        status = load_config(context, &run->facts, config, diagnostics);
        config_diagnostics(config, diagnostics);
        run->config = config;
    }
    if (status == EXIT_WELL && context->options->baseline) {
        status = read_baseline(context, &run->baseline, diagnostics);
    }
    return status;
}

enum exit_status command_lint(const struct command_context *context) {
    struct diagnostics diagnostics;
    struct config config = {0};
    struct run run = {.context = context};
    diagnostics_init(&diagnostics, context->arena);
    enum exit_status status = check_options(context);
    if (status != EXIT_WELL) {
        return status;
    }
    status = load(&run, &config, &diagnostics);
    diagnostics_sort(&diagnostics);
    if (status == EXIT_REFUSED) {
        return write_findings(context, &(struct lint_result){.findings = diagnostics});
    }
    if (status == EXIT_TROUBLE) {
        command_print_diagnostics(context, &diagnostics);
        return status;
    }
    return judge(&run, &diagnostics);
}

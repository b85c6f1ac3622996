#include "cli/manual.h"

#include <string.h>

#include "base/code.h"
#include "cli/help.h"

static const char *const description[] = {
    "egressc answers, from files, what the pods of a Kubernetes cluster may reach. It compiles a short config to a "
    "NetworkPolicy or a CiliumNetworkPolicy, decides whether the policies of a repo or of an export of a cluster let "
    "out "
    "more than a config does, says of one flow whether it is allowed, and by which rules, and what is wrong with the "
    "policies themselves.",
    "An input is a file, a directory (its .yaml, .yml and .json files, in byte order of names), or - for standard "
    "input. "
    "Nothing opens a socket. The same inputs give the same bytes, whatever the locale, the time or the order in which "
    "files are found.",
    "Options are long, with an equals sign or a blank before the value. -- ends them; options and inputs may be mixed.",
};

static const struct {
    const char *word, *text;
} formats[REPORT_FORMAT_COUNT] = {
    [REPORT_TEXT] = {"text", "for a reader at a terminal: each with file, line and column, the source line, and notes"},
    [REPORT_JSON] = {"json", "everything that was decided, in the schemas egressc.report/1 and egressc.explain/1"},
    [REPORT_SARIF] = {"sarif",
                      "SARIF 2.1.0 for code scanning: rules with their help, regions, and fingerprints that "
                      "stay when lines move. Paths are against %SRCROOT%, the folder that the command ran in. "
                      "Columns count code points; where the source line is not at hand they count bytes, which "
                      "is the same unless something beyond ASCII stands before them on the line"},
    [REPORT_JUNIT] = {"junit",
                      "JUnit XML: a failed test case for each error (with --strict for each warning), a passed "
                      "one for each subject and object that is well"},
    [REPORT_GITHUB] = {"github", "workflow commands of GitHub Actions, which become annotations: ten of each severity "
                                 "a step, the rest stands in "
                                 "the log"},
    [REPORT_MARKDOWN] = {"markdown", "a comment on a pull request: the worst few findings, the rest folded"},
};

static const char *const upkeep[] = {
    "The comment # egressc:ignore CODE REASON, at the end of a line or on the one above it, silences what lint finds "
    "of "
    "that code there; the annotation egressc.io/ignore: \"CODE REASON; CODE REASON\" does so for its object. Without a "
    "reason an ignore ignores nothing, and one that matches nothing is itself a finding.",
    "With --baseline, findings that the file lists by code, object and path are known and do not fail, and those that "
    "are gone are named. --update-baseline drops these from it, and adds others with --allow-growth only.",
};

static const struct {
    const char *tag, *text;
} statuses[] = {
    {"0", "All is well."},
    {"1", "What was read is refused or has findings. Warnings count with --strict only."},
    {"2", "The command could not do its work: bad usage, a named file that cannot be read, out of memory."},
};

static const struct {
    const char *tag, *text;
} variables[] = {
    {"NO_COLOR", "Set and not empty: no colours."},
    {"TERM", "\"dumb\": no colours."},
};

static const struct {
    const char *command, *text;
} examples[] = {
    {"egressc compile --config egress.yaml --output-dir manifests/compiled",
     "Writes the object of each boundary of the config, where its bytes differ."},
    {"egressc verify --config egress.yaml manifests",
     "Decides whether the policies of a repo hold the pods to the config."},
    {"kubectl get networkpolicies,pods,namespaces -A -o yaml | egressc verify --config egress.yaml -",
     "The same for what a cluster has now."},
    {"egressc verify --config egress.yaml --report sarif --output egressc.sarif manifests",
     "A report for code scanning."},
    {"egressc lint --report markdown --output comment.md manifests", "A comment on a pull request."},
    {"egressc explain --pod agents/shell-0 --to fqdn:api.example.com --port 443 snapshot", "Why a connection fails."},
    {"egressc help policy-widens-egress", "What a code means, why it matters, and what to write."},
};

/* Text of a line. What roff would obey is escaped; a dash that is typed is no hyphen. */
static void add_text(struct buffer *out, const char *text) {
    if (text[0] == '.' || text[0] == '\'') {
        buffer_add_string(out, "\\&");
    }
    for (; *text; text++) {
        if (*text == '\\') {
            buffer_add_string(out, "\\e");
        } else if (*text == '-') {
            buffer_add_string(out, "\\-");
        } else {
            buffer_add_char(out, *text);
        }
    }
}

static void add_line(struct buffer *out, const char *text) {
    add_text(out, text);
    buffer_add_char(out, '\n');
}

static void begin_section(struct buffer *out, const char *name) { buffer_print(out, ".SH %s\n", name); }

static void add_tag(struct buffer *out, const char *tag) {
    buffer_add_string(out, ".TP\n\\fB");
    add_text(out, tag);
    buffer_add_string(out, "\\fR\n");
}

static void add_options_of(struct buffer *out, enum command_id id) {
    const char *between = "Options: ";
    for (size_t i = 0; i < option_count; i++) {
        if (option_table[i].commands >> id & 1u) {
            buffer_print(out, "%s\\fB\\-\\-", between);
            add_text(out, option_table[i].name);
            buffer_add_string(out, "\\fR");
            between = ",\n";
        }
    }
    buffer_add_string(out, ".\n");
}

static void add_command(struct buffer *out, const struct command *command) {
    add_tag(out, command->name);
    buffer_print(out, "egressc %s%s", command->name, command->usage[0] ? " " : "");
    add_line(out, command->usage);
    buffer_print(out, ".br\n%c", command->summary[0] - 'a' + 'A');
    add_text(out, command->summary + 1);
    buffer_add_string(out, ".\n");
    if (command->fails) {
        buffer_add_string(out, ".br\nExit status 1: ");
        add_text(out, command->fails);
        buffer_add_string(out, ".\n");
    }
    buffer_add_string(out, ".br\n");
    add_options_of(out, (enum command_id)(command - command_table));
}

static void add_commands(struct buffer *out) {
    begin_section(out, "COMMANDS");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run) {
            add_command(out, &command_table[i]);
        }
    }
}

static void add_option(struct buffer *out, const struct option_row *row) {
    buffer_add_string(out, ".TP\n\\fB\\-\\-");
    add_text(out, row->name);
    buffer_add_string(out, "\\fR");
    if (row->argument) {
        buffer_add_string(out, " \\fI");
        add_text(out, row->argument);
        buffer_add_string(out, "\\fR");
    }
    buffer_add_char(out, '\n');
    add_text(out, help_option_sentence(row, out->arena));
    buffer_add_string(out, ".\n");
}

static void add_options(struct buffer *out) {
    begin_section(out, "OPTIONS");
    for (size_t i = 0; i < option_count; i++) {
        add_option(out, &option_table[i]);
    }
}

static void add_paragraphs(struct buffer *out, const char *const *paragraphs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        buffer_add_string(out, i ? ".PP\n" : "");
        add_line(out, paragraphs[i]);
    }
}

static void add_formats(struct buffer *out) {
    begin_section(out, "REPORTS");
    for (size_t i = 0; i < REPORT_FORMAT_COUNT; i++) {
        add_tag(out, formats[i].word);
        add_text(out, formats[i].text);
        buffer_add_string(out, ".\n");
    }
}

static void add_codes(struct buffer *out) {
    begin_section(out, "CODES");
    buffer_add_string(out, "\\fBegressc help\\fR \\fICODE\\fR says more of each.\n");
    for (size_t i = 0; i < CODE_COUNT; i++) {
        enum code code = (enum code)i;
        add_tag(out, code_word(code));
        add_text(out, code_summary(code));
        buffer_print(out, " (%s).\n", severity_word(code_severity(code)));
    }
}

static void add_environment(struct buffer *out) {
    begin_section(out, "EXIT STATUS");
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        add_tag(out, statuses[i].tag);
        add_line(out, statuses[i].text);
    }
    begin_section(out, "ENVIRONMENT");
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        add_tag(out, variables[i].tag);
        add_line(out, variables[i].text);
    }
}

static void add_examples(struct buffer *out) {
    begin_section(out, "EXAMPLES");
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        buffer_add_string(out, i ? ".PP\n" : "");
        add_line(out, examples[i].text);
        buffer_add_string(out, ".PP\n.nf\n.RS\n");
        add_line(out, examples[i].command);
        buffer_add_string(out, ".RE\n.fi\n");
    }
}

void manual_write(struct buffer *out) {
    buffer_add_string(out, ".\\\" Made by 'egressc help --manual' from the program's tables.\n"
                           ".TH EGRESSC 1 \"\" \"egressc " EGRESSC_VERSION "\" \"egressc\"\n"
                           ".nh\n.ad l\n"); /* options are copied: no hyphens in them, no blanks between */
    begin_section(out, "NAME");
    buffer_add_string(out, "egressc \\- what pods of a Kubernetes cluster may reach, decided from files\n");
    begin_section(out, "SYNOPSIS");
    buffer_add_string(out, "\\fBegressc\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIINPUT\\fR...]\n");
    begin_section(out, "DESCRIPTION");
    add_paragraphs(out, description, sizeof description / sizeof description[0]);
    add_commands(out);
    add_options(out);
    begin_section(out, "IGNORES AND BASELINES");
    add_paragraphs(out, upkeep, sizeof upkeep / sizeof upkeep[0]);
    add_formats(out);
    add_environment(out);
    add_examples(out);
    add_codes(out);
}

#include "cli/completion.h"

#include <string.h>

#include "base/arena.h"
#include "base/code.h"
#include "cli/command.h"

const char *const completion_words[] = {
    [COMPLETION_BASH] = "bash", [COMPLETION_FISH] = "fish", [COMPLETION_ZSH] = "zsh", NULL};

/* What a shell offers as the value of an option. */
enum offer { OFFER_NOTHING, OFFER_WORDS, OFFER_FILES, OFFER_FOLDERS };

static enum offer offer_of(const struct option_row *row) {
    if (row->words) {
        return OFFER_WORDS;
    }
    if (row->argument && strcmp(row->argument, "DIR") == 0) {
        return OFFER_FOLDERS;
    }
    bool file = row->argument && (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "PATH") == 0);
    return file ? OFFER_FILES : OFFER_NOTHING;
}

static bool is_repeatable(const struct option_row *row) {
    return row->kind == OPTION_LIST || row->kind == OPTION_WORDS || row->kind == OPTION_SET;
}

static bool belongs_to(const struct option_row *row, size_t command) { return (row->commands >> command & 1u) != 0; }

static bool takes_inputs(size_t command) { return command_table[command].most > 1; }

/* Inside single quotes of any of the three shells. `special` is escaped with a backslash as well. */
static void add_quoted(struct buffer *out, const char *text, const char *special, const char *quote) {
    for (; *text; text++) {
        if (*text == '\'') {
            buffer_add_string(out, quote);
            continue;
        }
        if (strchr(special, *text)) {
            buffer_add_char(out, '\\');
        }
        buffer_add_char(out, *text);
    }
}

static void add_words(struct buffer *out, const char *const *words) {
    for (size_t i = 0; words[i]; i++) {
        buffer_print(out, "%s%s", i ? " " : "", words[i]);
    }
}

static void add_codes(struct buffer *out) {
    for (size_t i = 0; i < CODE_COUNT; i++) {
        buffer_print(out, " %s", code_word((enum code)i));
    }
}

/* bash: options are looked up by the word before the cursor, which may end in an equals sign. */

static void add_bash_values(struct buffer *out, const struct option_row *row) {
    if (row->kind == OPTION_FLAG) {
        return;
    }
    buffer_print(out, "    --%s) ", row->name);
    switch (offer_of(row)) {
    case OFFER_WORDS:
        buffer_add_string(out, "words='");
        add_words(out, row->words);
        buffer_add_string(out, "' kind=words");
        break;
    case OFFER_FILES:
        buffer_add_string(out, "kind=files");
        break;
    case OFFER_FOLDERS:
        buffer_add_string(out, "kind=folders");
        break;
    case OFFER_NOTHING:
        buffer_add_string(out, "return");
        break;
    }
    buffer_add_string(out, " ;;\n");
}

static void add_bash_options(struct buffer *out, size_t command) {
    buffer_print(out, "    %s)\n        options='", command_table[command].name);
    const char *between = "";
    for (size_t i = 0; i < option_count; i++) {
        if (belongs_to(&option_table[i], command)) {
            buffer_print(out, "%s--%s", between, option_table[i].name);
            between = " ";
        }
    }
    buffer_print(out, "'\n%s        ;;\n", takes_inputs(command) ? "        inputs=files\n" : "");
}

static void write_bash(struct buffer *out) {
    const char *const *commands = command_names(out->arena);
    buffer_add_string(out, "# bash completion of egressc, made by 'egressc help --completion bash'\n"
                           "_egressc() {\n"
                           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                           "    local commands='");
    add_words(out, commands);
    buffer_add_string(out, "' options='' words='' kind='' inputs=words\n"
                           "    COMPREPLY=()\n"
                           "    if [[ $current == = ]]; then\n"
                           "        current=\n"
                           "    elif [[ $before == = ]]; then\n"
                           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                           "    fi\n"
                           "    case $before in\n");
    for (size_t i = 0; i < option_count; i++) {
        add_bash_values(out, &option_table[i]);
    }
    buffer_add_string(out, "    esac\n"
                           "    if ((COMP_CWORD == 1)); then\n"
                           "        words=$commands kind=words\n"
                           "    fi\n"
                           "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run) {
            add_bash_options(out, i);
        }
    }
    buffer_add_string(out, "    esac\n"
                           "    if [[ -z $kind && $current == -* ]]; then\n"
                           "        words=$options kind=words\n"
                           "    elif [[ -z $kind ]]; then\n"
                           "        kind=$inputs\n"
                           "        [[ ${COMP_WORDS[1]} == help ]] && words=\"$commands");
    add_codes(out);
    buffer_add_string(out,
                      "\"\n"
                      "    fi\n"
                      "    case $kind in\n"
                      "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
                      "    files) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
                      "    folders) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
                      "    esac\n"
                      "}\n"
                      "complete -F _egressc egressc\n");
}

/* fish: one line a command, and one a command and option. */

static void add_fish_option(struct buffer *out, size_t command, const struct option_row *row) {
    buffer_print(out, "complete -c egressc -n '__fish_seen_subcommand_from %s' -l %s", command_table[command].name,
                 row->name);
    if (row->kind != OPTION_FLAG) {
        switch (offer_of(row)) {
        case OFFER_WORDS:
            buffer_add_string(out, " -x -a '");
            add_words(out, row->words);
            buffer_add_char(out, '\'');
            break;
        case OFFER_FILES:
            buffer_add_string(out, " -r -F");
            break;
        case OFFER_FOLDERS:
            buffer_add_string(out, " -x -a '(__fish_complete_directories)'");
            break;
        case OFFER_NOTHING:
            buffer_add_string(out, " -x");
            break;
        }
    }
    buffer_add_string(out, " -d '");
    add_quoted(out, row->help, "\\", "\\'");
    buffer_add_string(out, "'\n");
}

static void add_fish_command(struct buffer *out, size_t command) {
    const struct command *row = &command_table[command];
    buffer_print(out, "complete -c egressc -n __fish_use_subcommand -a %s -d '", row->name);
    add_quoted(out, row->summary, "\\", "\\'");
    buffer_add_string(out, "'\n");
    if (takes_inputs(command)) {
        buffer_print(out, "complete -c egressc -n '__fish_seen_subcommand_from %s' -F\n", row->name);
    }
    for (size_t i = 0; i < option_count; i++) {
        if (belongs_to(&option_table[i], command)) {
            add_fish_option(out, command, &option_table[i]);
        }
    }
}

static void write_fish(struct buffer *out) {
    buffer_add_string(out, "# fish completion of egressc, made by 'egressc help --completion fish'\n"
                           "complete -c egressc -f\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run) {
            add_fish_command(out, i);
        }
    }
    buffer_add_string(out, "complete -c egressc -n '__fish_seen_subcommand_from help' -a '");
    add_words(out, command_names(out->arena));
    add_codes(out);
    buffer_add_string(out, "'\n");
}

/* zsh: one call of _arguments a command. */

static void add_zsh_option(struct buffer *out, const struct option_row *row) {
    buffer_print(out, "      '%s--%s%s[", is_repeatable(row) ? "*" : "", row->name,
                 row->kind == OPTION_FLAG ? "" : "=");
    add_quoted(out, row->help, "\\[]:", "'\\''");
    buffer_add_char(out, ']');
    if (row->kind != OPTION_FLAG) {
        buffer_add_char(out, ':');
        add_quoted(out, row->argument, "\\:", "'\\''");
        buffer_add_char(out, ':');
        switch (offer_of(row)) {
        case OFFER_WORDS:
            buffer_add_char(out, '(');
            add_words(out, row->words);
            buffer_add_char(out, ')');
            break;
        case OFFER_FILES:
            buffer_add_string(out, "_files");
            break;
        case OFFER_FOLDERS:
            buffer_add_string(out, "_files -/");
            break;
        case OFFER_NOTHING:
            buffer_add_char(out, ' ');
            break;
        }
    }
    buffer_add_string(out, "' \\\n");
}

static void add_zsh_command(struct buffer *out, size_t command) {
    buffer_print(out, "  %s)\n    _arguments -S \\\n", command_table[command].name);
    for (size_t i = 0; i < option_count; i++) {
        if (belongs_to(&option_table[i], command)) {
            add_zsh_option(out, &option_table[i]);
        }
    }
    if (takes_inputs(command)) {
        buffer_add_string(out, "      '*:INPUT:_files'\n");
    } else if (command_table[command].most == 1) {
        buffer_add_string(out, "      '1:COMMAND or CODE:(");
        add_words(out, command_names(out->arena));
        add_codes(out);
        buffer_add_string(out, ")'\n");
    } else {
        buffer_add_string(out, "      && return\n");
    }
    buffer_add_string(out, "    ;;\n");
}

static void write_zsh(struct buffer *out) {
    buffer_add_string(out, "#compdef egressc\n"
                           "# zsh completion of egressc, made by 'egressc help --completion zsh'\n"
                           "_egressc() {\n"
                           "  local -a commands=(\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run) {
            buffer_print(out, "    '%s:", command_table[i].name);
            add_quoted(out, command_table[i].summary, "\\:", "'\\''");
            buffer_add_string(out, "'\n");
        }
    }
    buffer_add_string(out, "  )\n"
                           "  if (( CURRENT == 2 )); then\n"
                           "    _describe -t commands command commands\n"
                           "    return\n"
                           "  fi\n"
                           "  shift words\n"
                           "  (( CURRENT-- ))\n"
                           "  case $words[1] in\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (command_table[i].run) {
            add_zsh_command(out, i);
        }
    }
    buffer_add_string(out, "  esac\n"
                           "}\n"
                           "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                           "  _egressc \"$@\"\n"
                           "else\n"
                           "  compdef _egressc egressc\n"
                           "fi\n");
}

void completion_write(struct buffer *out, enum completion_shell shell) {
    static void (*const writers[])(struct buffer *) = {
        [COMPLETION_BASH] = write_bash, [COMPLETION_FISH] = write_fish, [COMPLETION_ZSH] = write_zsh};
    writers[shell](out);
}

/*
 * Options: one table drives parsing, help and the test that holds the manual against it (spec/cli.md).
 *
 * Long options only, with `=` or a space before the value; `--` ends them; options and inputs may be mixed. An option
 * that takes one value and is given two that differ is bad usage: which was meant cannot be told.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "compiler/config.h"
#include "document/limits.h"
#include "report/writer.h"

enum command_id {
    COMMAND_COMPILE,
    COMMAND_EXPLAIN,
    COMMAND_HELP,
    COMMAND_LINT,
    COMMAND_VERIFY,
    COMMAND_VERSION,
    COMMAND_COUNT
};

/* Values of a repeatable option, or the words of a comma-separated one, in the order given; ends with NULL. */
struct option_list {
    const char **list; /* NULL where count is 0 */
    size_t count, capacity;
};

enum output_format { OUTPUT_YAML, OUTPUT_JSON, OUTPUT_FORMAT_COUNT };

/* What the command line says; later stages see it as const. NULL, false and 0 where an option is absent and has no
 * default. Strings are those of the command line. */
struct options {
    /* inputs and facts */
    const char *config, *facts, *cilium_version, *kubernetes_version, *namespace;
    struct option_list exclude;
    unsigned jobs; /* 0: not given, see load_jobs */
    struct limits limits;

    /* results */
    const char *output;
    unsigned report; /* enum report_format */
    bool quiet, strict, all, help;

    /* verify */
    unsigned checks; /* bits 1 << enum check; all where the option is absent */
    struct option_list require;

    /* verify, explain: which pod. `labels` may be "", the empty set. */
    const char *pod, *labels;

    /* help */
    unsigned completion; /* enum completion_shell; COMPLETION_COUNT: none */
    bool manual;

    /* explain */
    const char *to, *port, *dns_name, *server_name;
    unsigned engine; /* enum engine, or ENGINE_BY_INPUTS */
    unsigned expect; /* enum expectation */

    /* lint */
    const char *baseline;
    bool update_baseline, allow_growth, fix, diff;

    /* compile, verify */
    struct option_list grant;
    unsigned boundary; /* number of the document that grants belong to; 0: not given */

    /* compile */
    struct option_list input;
    unsigned format; /* enum output_format */
    const char *output_dir;
    bool check, fence;
};

enum { ENGINE_BY_INPUTS = ENGINE_CILIUM + 1 };
enum expectation { EXPECT_ALLOW, EXPECT_DENY, EXPECT_NOTHING };

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_STRING, /* const char * */
    OPTION_LIST,   /* struct option_list: repeatable, one value each */
    OPTION_WORDS,  /* struct option_list: comma-separated, repeatable */
    OPTION_CHOICE, /* unsigned: index in `words` */
    OPTION_SET,    /* unsigned: bits of indexes in `words`, comma-separated */
    OPTION_NUMBER, /* unsigned */
    OPTION_SIZE    /* size_t */
};

struct option_row {
    const char *name;     /* without the dashes */
    const char *argument; /* what help calls the value: "FILE"; NULL for flags */
    const char *help;     /* one line */
    enum option_kind kind;
    bool may_be_empty;                       /* of strings: the empty value is one */
    const char *(*fault)(const char *value); /* of strings: NULL, or a clause on what is wrong with one; NULL: all do */
    size_t offset;                           /* in struct options */
    unsigned commands;                       /* bits 1 << enum command_id */
    uint64_t minimum, maximum;               /* of numbers and sizes */
    const char *const *words;                /* of choices and sets, ends with NULL */
};

/* Sorted by name. */
extern const struct option_row option_table[];
extern const size_t option_count;

/* All defaults. */
struct options options_default(void);

/* Parses the arguments after the command's word. `positionals` gets the rest, in order, ending with NULL. False: bad
 * usage, and `problem` says what in one sentence without a final stop. */
bool options_parse(enum command_id command, const char *const *arguments, size_t count, struct arena *arena,
                   struct options *options, struct option_list *positionals, struct buffer *problem);

#endif

#include "online/options.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "grammar/name.h"
#include "online/plan.h"

enum value_type { VALUE_NONE, VALUE_TEXT, VALUE_LIST, VALUE_NUMBER, VALUE_KEEP };

struct option_row {
    const char *name, *value, *help;
    enum value_type type;
    size_t member;
    unsigned least, most; /* of a number */
};

#define MEMBER(name) offsetof(struct snapshot_options, name)

/* In order of names. */
static const struct option_row rows[] = {
    {"all-namespaces", NULL, "read all namespaces (the default)", VALUE_NONE, MEMBER(all_namespaces), 0, 0},
    {"answer-limit", "MIB", "take no answer beyond so many MiB (4096)", VALUE_NUMBER, MEMBER(answer_mib), 1, 1 << 20},
    {"collections", "NAME,...", "read these collections only", VALUE_LIST, MEMBER(collections), 0, 0},
    {"config", "FILE", "read what the boundaries of this config need", VALUE_TEXT, MEMBER(config), 0, 0},
    {"connections", "N", "read so many collections side by side (3)", VALUE_NUMBER, MEMBER(connections), 1, 16},
    {"context", "NAME", "the context of the kubeconfig (its current one)", VALUE_TEXT, MEMBER(context), 0, 0},
    {"deadline", "SECONDS", "the longest that all requests may take together (1800)", VALUE_NUMBER, MEMBER(deadline_s),
     1, 86400},
    {"force", NULL, "replace a snapshot that stands at DIR", VALUE_NONE, MEMBER(force), 0, 0},
    {"help", NULL, "print this", VALUE_NONE, MEMBER(help), 0, 0},
    {"keep", "WHAT,...", "keep annotations, environment, managed-fields or status, which are dropped", VALUE_KEEP,
     MEMBER(keep), 0, 0},
    {"kubeconfig", "FILE", "the kubeconfig ($KUBECONFIG, ~/.kube/config, or what a pod is given)", VALUE_TEXT,
     MEMBER(kubeconfig), 0, 0},
    {"namespace", "NS", "read this namespace (may be repeated)", VALUE_LIST, MEMBER(namespaces), 0, 0},
    {"output", "DIR", "the folder that is made", VALUE_TEXT, MEMBER(output), 0, 0},
    {"page", "N", "ask for so many objects at once (500)", VALUE_NUMBER, MEMBER(page), 1, 10000},
    {"retries", "N", "try a request again so often (5)", VALUE_NUMBER, MEMBER(retries), 0, 20},
    {"timeout", "SECONDS", "the longest that a request may take (60)", VALUE_NUMBER, MEMBER(timeout_s), 1, 3600},
    {"version", NULL, "print the version", VALUE_NONE, MEMBER(version), 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct parser {
    struct arena *arena;
    struct snapshot_options *options;
    struct buffer *problem;
};

static bool refuse(const struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const struct parser *parser, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    buffer_vprint(parser->problem, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- values ---- */

static void *member_of(const struct parser *parser, const struct option_row *row) {
    return (char *)parser->options + row->member;
}

static bool take_text(const struct parser *parser, const struct option_row *row, const char *value) {
    const char **member = member_of(parser, row);
    if (!*value)
        return refuse(parser, "--%s is empty", row->name);
    if (*member && strcmp(*member, value) != 0)
        return refuse(parser, "--%s is given twice", row->name);
    *member = value;
    return true;
}

static bool take_number(const struct parser *parser, const struct option_row *row, const char *value) {
    uint64_t number;
    if (!text_number(text_of(value), row->most, &number) || number < row->least)
        return refuse(parser, "--%s must be a number from %u to %u", row->name, row->least, row->most);
    *(unsigned *)member_of(parser, row) = (unsigned)number;
    return true;
}

static bool check_word(const struct parser *parser, const struct option_row *row, const char *word) {
    if (row->member == MEMBER(namespaces))
        return name_check_namespace(text_of(word), NULL) == NAME_OK ||
               refuse(parser, "'%s' is no name of a namespace", word);
    if (plan_knows(word))
        return true;
    const char *nearest = text_nearest(text_of(word), plan_words(parser->arena));
    return refuse(parser, "there is no collection '%s'%s%s%s", word, nearest ? "; did you mean '" : "",
                  nearest ? nearest : "", nearest ? "'?" : "");
}

static bool take_list(const struct parser *parser, const struct option_row *row, const char *value) {
    struct option_values *values = member_of(parser, row);
    for (;; value++) {
        size_t length = strcspn(value, ",");
        const char *word = arena_copy(parser->arena, value, length);
        bool known = false;
        if (!check_word(parser, row, word))
            return false;
        for (size_t i = 0; i < values->count; i++)
            known = known || strcmp(values->list[i], word) == 0;
        if (!known) {
            values->list =
                arena_grow(parser->arena, values->list, &values->capacity, values->count + 1, sizeof *values->list);
            values->list[values->count++] = word;
        }
        value += length;
        if (!*value)
            return true;
    }
}

static bool take_keep(const struct parser *parser, const char *value) {
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {{"annotations", PRUNE_KEEP_ANNOTATIONS},
                 {"environment", PRUNE_KEEP_ENVIRONMENT},
                 {"managed-fields", PRUNE_KEEP_MANAGED_FIELDS},
                 {"status", PRUNE_KEEP_STATUS}};
    for (;; value++) {
        struct text word = {.bytes = value, .length = strcspn(value, ",")};
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            bit |= text_is(word, words[i].word) ? words[i].bit : 0;
        if (bit == 0)
            return refuse(parser, "--keep takes annotations, environment, managed-fields and status");
        parser->options->keep |= bit;
        value += word.length;
        if (!*value)
            return true;
    }
}

static bool take_value(const struct parser *parser, const struct option_row *row, const char *value) {
    switch (row->type) {
    case VALUE_TEXT:
        return take_text(parser, row, value);
    case VALUE_LIST:
        return take_list(parser, row, value);
    case VALUE_NUMBER:
        return take_number(parser, row, value);
    case VALUE_KEEP:
        return take_keep(parser, value);
    case VALUE_NONE:
        break;
    }
    *(bool *)member_of(parser, row) = true;
    return true;
}

/* ---- arguments ---- */

static const struct option_row *find_row(struct text name) {
    for (size_t i = 0; i < ROWS; i++)
        if (text_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

static bool refuse_unknown(const struct parser *parser, const char *name) {
    const char *names[ROWS + 1] = {NULL};
    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    const char *nearest = text_nearest(text_of(name), names);
    return nearest ? refuse(parser, "there is no option --%s; did you mean --%s?", name, nearest)
                   : refuse(parser, "there is no option --%s", name);
}

/* Takes the option at the front; `used`: how many arguments it and its value are. */
static bool take_option(const struct parser *parser, const char *const *arguments, size_t count, size_t *used) {
    const char *name = arguments[0] + 2, *equals = strchr(name, '=');
    struct text word = {.bytes = name, .length = equals ? (size_t)(equals - name) : strlen(name)};
    const struct option_row *row = find_row(word);
    *used = 1;
    if (!row)
        return refuse_unknown(parser, arena_copy(parser->arena, word.bytes, word.length));
    if (row->type == VALUE_NONE && equals)
        return refuse(parser, "--%s takes no value", row->name);
    if (row->type == VALUE_NONE || equals)
        return take_value(parser, row, equals ? equals + 1 : NULL);
    if (count < 2)
        return refuse(parser, "--%s needs a value", row->name);
    *used = 2;
    return take_value(parser, row, arguments[1]);
}

static bool check_together(const struct parser *parser) {
    const struct snapshot_options *options = parser->options;
    if (options->help || options->version)
        return true;
    if (!options->output)
        return refuse(parser, "--output DIR is missing");
    if (options->all_namespaces && options->namespaces.count > 0)
        return refuse(parser, "--namespace and --all-namespaces cannot both be meant");
    return true;
}

bool snapshot_options_parse(const char *const *arguments, size_t count, struct arena *arena,
                            struct snapshot_options *options, struct buffer *problem) {
    struct parser parser = {arena, options, problem};
    size_t used;
    *options = (struct snapshot_options){
        .timeout_s = 60, .deadline_s = 1800, .retries = 5, .connections = 3, .page = 500, .answer_mib = 4096};
    for (size_t i = 0; i < count; i += used) {
        const char *argument = strcmp(arguments[i], "-h") == 0 ? "--help" : arguments[i];
        if (strncmp(argument, "--", 2) != 0)
            return refuse(&parser, "there is no use for '%s'", argument);
        const char *pair[] = {argument, i + 1 < count ? arguments[i + 1] : NULL};
        if (!take_option(&parser, pair, count - i, &used))
            return false;
    }
    return check_together(&parser);
}

void snapshot_options_help(struct buffer *out) {
    buffer_add_string(out, "egressc-snapshot: reads a cluster into a folder that egressc reads\n\n"
                           "Usage: egressc-snapshot [OPTIONS] --output DIR\n\n"
                           "It lists objects, and neither writes to the API server nor reads a Secret.\n\nOptions:\n");
    for (size_t i = 0; i < ROWS; i++) {
        const char *value = rows[i].value ? rows[i].value : "";
        int pad = 24 - (int)strlen(rows[i].name) - (int)strlen(value);
        buffer_print(out, "  --%s %s%*s %s\n", rows[i].name, value, pad > 0 ? pad : 0, "", rows[i].help);
    }
    buffer_add_string(out,
                      "\nExit status: 0, the snapshot is whole; 1, it is there, and its index says what could not be\n"
                      "read; 2, there is none.\n");
}

#include "cli/options.h"

#include <string.h>

#include "base/arena.h"
#include "cli/completion.h"

/* One pass over the arguments. */
struct parse {
    enum command_id command;
    struct arena *arena;
    struct options *options;
    struct buffer *problem;
    bool *given; /* by row of the table */
};

struct options options_default(void) {
    return (struct options){
        .limits = limits_default(),
        .report = REPORT_TEXT,
        .checks = (1u << CHECK_COUNT) - 1,
        .engine = ENGINE_BY_INPUTS,
        .expect = EXPECT_NOTHING,
        .completion = COMPLETION_COUNT,
        .format = OUTPUT_YAML,
    };
}

static const struct option_row *find_row(struct text name) {
    size_t low = 0, high = option_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_compare(name, text_of(option_table[middle].name));
        if (order == 0) {
            return &option_table[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

static bool belongs_to(const struct option_row *row, enum command_id command) {
    return (row->commands >> command & 1u) != 0;
}

static bool refuse_unknown(struct parse *parse, struct text name) {
    const char **known = arena_array(parse->arena, option_count + 1, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; i < option_count; i++) {
        if (belongs_to(&option_table[i], parse->command)) {
            known[count++] = option_table[i].name;
        }
    }
    const char *nearest = text_nearest(name, known);
    buffer_print(parse->problem, "there is no option '--%.*s'", (int)name.length, name.bytes);
    if (nearest) {
        buffer_print(parse->problem, "; did you mean '--%s'?", nearest);
    }
    return false;
}

/* "a, b or c". */
static void print_words(struct buffer *out, const char *const *words) {
    for (size_t i = 0; words[i]; i++) {
        buffer_add_string(out, i == 0 ? "" : words[i + 1] ? ", " : " or ");
        buffer_add_string(out, words[i]);
    }
}

static bool refuse_value(struct parse *parse, const struct option_row *row, struct text value) {
    buffer_print(parse->problem, "option '--%s' does not take '%.*s', but ", row->name, (int)value.length, value.bytes);
    if (row->words) {
        print_words(parse->problem, row->words);
    } else {
        buffer_print(parse->problem, "a number from %llu to %llu", (unsigned long long)row->minimum,
                     (unsigned long long)row->maximum);
    }
    return false;
}

static bool find_word(const char *const *words, struct text word, unsigned *index) {
    for (unsigned i = 0; words[i]; i++) {
        if (text_is(word, words[i])) {
            *index = i;
            return true;
        }
    }
    return false;
}

static void list_add(struct arena *arena, struct option_list *list, const char *value) {
    list->list = arena_grow(arena, list->list, &list->capacity, list->count + 2, sizeof *list->list);
    list->list[list->count++] = value;
    list->list[list->count] = NULL;
}

/* Takes what stands before the next comma; false: there is nothing left. An empty piece is one. */
static bool next_piece(struct text *rest, struct text *piece) {
    if (!rest->bytes) {
        return false;
    }
    const char *comma = rest->length ? memchr(rest->bytes, ',', rest->length) : NULL;
    piece->bytes = rest->bytes;
    piece->length = comma ? (size_t)(comma - rest->bytes) : rest->length;
    rest->length = comma ? rest->length - piece->length - 1 : 0;
    rest->bytes = comma ? comma + 1 : NULL;
    return true;
}

static void *member(const struct parse *parse, const struct option_row *row) {
    return (char *)parse->options + row->offset;
}

static bool refuse_twice(struct parse *parse, const struct option_row *row) {
    buffer_print(parse->problem, "option '--%s' is given twice, with different values", row->name);
    return false;
}

static bool set_string(struct parse *parse, const struct option_row *row, const char *value, bool again) {
    const char **string = member(parse, row);
    if (again && strcmp(*string, value) != 0) {
        return refuse_twice(parse, row);
    }
    const char *fault = row->fault ? row->fault(value) : NULL;
    if (fault) {
        buffer_print(parse->problem, "option '--%s' does not take '%s': %s", row->name, value, fault);
        return false;
    }
    *string = value;
    return true;
}

static bool set_choice(struct parse *parse, const struct option_row *row, const char *value, bool again) {
    unsigned *choice = member(parse, row), index;
    if (!find_word(row->words, text_of(value), &index)) {
        return refuse_value(parse, row, text_of(value));
    }
    if (again && *choice != index) {
        return refuse_twice(parse, row);
    }
    *choice = index;
    return true;
}

static bool set_set(struct parse *parse, const struct option_row *row, const char *value, bool again) {
    unsigned *set = member(parse, row), index;
    struct text rest = text_of(value), piece;
    *set = again ? *set : 0;
    while (next_piece(&rest, &piece)) {
        if (!find_word(row->words, piece, &index)) {
            return refuse_value(parse, row, piece);
        }
        *set |= 1u << index;
    }
    return true;
}

static bool set_words(struct parse *parse, const struct option_row *row, const char *value) {
    struct text rest = text_of(value), piece;
    while (next_piece(&rest, &piece)) {
        if (piece.length == 0) {
            buffer_print(parse->problem, "option '--%s' has an empty entry in '%s'", row->name, value);
            return false;
        }
        list_add(parse->arena, member(parse, row), arena_copy(parse->arena, piece.bytes, piece.length));
    }
    return true;
}

static bool set_number(struct parse *parse, const struct option_row *row, const char *value, bool again) {
    uint64_t number, before;
    if (!text_number(text_of(value), row->maximum, &number) || number < row->minimum) {
        return refuse_value(parse, row, text_of(value));
    }
    if (row->kind == OPTION_SIZE) {
        size_t *size = member(parse, row);
        before = *size;
        *size = (size_t)number;
    } else {
        unsigned *small = member(parse, row);
        before = *small;
        *small = (unsigned)number;
    }
    return again && before != number ? refuse_twice(parse, row) : true;
}

static bool set_value(struct parse *parse, const struct option_row *row, const char *value) {
    bool again = parse->given[row - option_table];
    parse->given[row - option_table] = true;
    if (!value[0] && !row->may_be_empty) {
        buffer_print(parse->problem, "option '--%s' needs a value that is not empty", row->name);
        return false;
    }
    switch (row->kind) {
    case OPTION_FLAG:
        break; /* takes no value: parse_option */
    case OPTION_STRING:
        return set_string(parse, row, value, again);
    case OPTION_LIST:
        list_add(parse->arena, member(parse, row), value);
        return true;
    case OPTION_WORDS:
        return set_words(parse, row, value);
    case OPTION_CHOICE:
        return set_choice(parse, row, value, again);
    case OPTION_SET:
        return set_set(parse, row, value, again);
    case OPTION_NUMBER:
    case OPTION_SIZE:
        return set_number(parse, row, value, again);
    }
    return false;
}

static bool set_flag(struct parse *parse, const struct option_row *row, bool has_value) {
    if (has_value) {
        buffer_print(parse->problem, "option '--%s' takes no value", row->name);
        return false;
    }
    *(bool *)member(parse, row) = true;
    return true;
}

/* An argument that begins with two dashes; `*used` tells whether `next`, which may be NULL, was its value. */
static bool parse_option(struct parse *parse, const char *argument, const char *next, bool *used) {
    const char *equals = strchr(argument, '=');
    struct text name = text_of(argument + 2);
    if (equals) {
        name.length = (size_t)(equals - argument) - 2;
    }
    const struct option_row *row = find_row(name);
    if (!row) {
        return refuse_unknown(parse, name);
    }
    if (!belongs_to(row, parse->command)) {
        buffer_print(parse->problem, "option '--%s' belongs to other commands", row->name);
        return false;
    }
    if (row->kind == OPTION_FLAG) {
        return set_flag(parse, row, equals != NULL);
    }
    *used = !equals;
    const char *value = equals ? equals + 1 : next;
    if (!value) {
        buffer_print(parse->problem, "option '--%s' needs a value, %s", row->name, row->argument);
        return false;
    }
    return set_value(parse, row, value);
}

bool options_parse(enum command_id command, const char *const *arguments, size_t count, struct arena *arena,
                   struct options *options, struct option_list *positionals, struct buffer *problem) {
    struct parse parse = {.command = command,
                          .arena = arena,
                          .options = options,
                          .problem = problem,
                          .given = arena_array(arena, option_count, sizeof *parse.given)};
    bool ended = false;
    for (size_t i = 0; i < count; i++) {
        const char *argument = arguments[i];
        bool used = false;
        if (ended || argument[0] != '-' || strcmp(argument, "-") == 0) {
            list_add(arena, positionals, argument);
        } else if (strcmp(argument, "--") == 0) {
            ended = true;
        } else if (strcmp(argument, "-h") == 0) {
            options->help = true;
        } else if (argument[1] != '-') {
            buffer_print(problem, "there is no option '%s'; options are words after two dashes", argument);
            return false;
        } else if (!parse_option(&parse, argument, i + 1 < count ? arguments[i + 1] : NULL, &used)) {
            return false;
        }
        i += used;
    }
    return true;
}

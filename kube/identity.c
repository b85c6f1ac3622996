#include "kube/identity.h"

#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/text.h"
#include "grammar/pattern.h"

/* One entry of the option: [source ":"] ["!"] expression, which is anchored at the key's start. */
struct label_pattern {
    bool ignore;
    bool applies;                /* to labels of source k8s, which those of pods have */
    bool floats, runs_on;        /* ".*" stands before the literal, behind it */
    const char *literal;         /* an expression that is plain text but for those; NULL: see `match` */
    size_t length;               /* of the literal */
    const struct pattern *match; /* else */
};

struct identity_filter {
    const struct label_pattern *list;
    size_t count;
    bool whitelist; /* an entry of the option's own includes: what no entry includes is dropped */
};

/* The agent's own entries; those of the option are added (C 1.2). */
static const char *const default_entries[] = {
    "reserved:.*",
    "io\\.kubernetes\\.pod\\.namespace",
    "io\\.cilium\\.k8s\\.namespace\\.labels",
    "app\\.kubernetes\\.io",
    "io\\.cilium\\.k8s\\.policy\\.",
    "!io\\.kubernetes",
    "!kubernetes\\.io",
    "!.*beta\\.kubernetes\\.io",
    "!k8s\\.io",
    "!statefulset\\.kubernetes\\.io/pod-name",
    "!apps\\.kubernetes\\.io/pod-index",
    "!batch\\.kubernetes\\.io/job-completion-index",
    "!batch\\.kubernetes\\.io/controller-uid",
    "!controller-uid",
    "!pod-template-generation",
    "!pod-template-hash",
    "!controller-revision-hash",
    "!annotation.*",
    "!etcd_node",
};
enum { DEFAULT_COUNT = sizeof default_entries / sizeof *default_entries };

/* Takes the ".*" off both ends: the agent's own expressions have nothing else that is not plain. A "\\.*" leaves a lone
 * backslash, which is not plain. */
static struct text take_ends(struct text expression, struct label_pattern *pattern) {
    pattern->floats = text_starts_with(expression, ".*");
    if (pattern->floats) {
        expression.bytes += 2;
        expression.length -= 2;
    }
    pattern->runs_on = text_ends_with(expression, ".*");
    if (pattern->runs_on)
        expression.length -= 2;
    return expression;
}

/* The text that an expression stands for if it is plain: escapes of punctuation only. NULL: it is not plain. */
static char *literal_of(struct text expression, struct arena *arena, size_t *length) {
    char *literal = arena_alloc(arena, expression.length + 1);
    *length = 0;
    for (size_t i = 0; i < expression.length; i++) {
        char byte = expression.bytes[i];
        bool escaped = byte == '\\' && i + 1 < expression.length && !ascii_is_alphanumeric(expression.bytes[i + 1]);
        if (escaped)
            byte = expression.bytes[++i];
        else if (byte == '\0' || strchr("\\.+*?()|[]{}^$", byte))
            return NULL;
        literal[(*length)++] = byte;
    }
    return literal;
}

static bool read_pattern(struct text entry, struct arena *arena, struct label_pattern *pattern) {
    const char *colon = memchr(entry.bytes, ':', entry.length);
    struct text source = {.bytes = entry.bytes, .length = colon ? (size_t)(colon - entry.bytes) : 0};
    size_t skip = colon ? source.length + 1 : 0;
    struct text expression = {.bytes = entry.bytes + skip, .length = entry.length - skip};
    *pattern = (struct label_pattern){.applies = source.length == 0 || text_is(source, "k8s")};
    if (expression.length == 0)
        return false;
    if (expression.bytes[0] == '!') {
        pattern->ignore = true;
        expression.bytes++;
        expression.length--;
    }
    pattern->literal = literal_of(take_ends(expression, pattern), arena, &pattern->length);
    if (!pattern->literal)
        pattern->match = pattern_compile_in(arena, expression, PATTERN_AT_START, NULL);
    return pattern->literal || pattern->match;
}

/* The next entry of the option, which is separated by blanks, or by commas outside braces; false: there is none. */
static bool next_entry(const char **option, struct text *entry) {
    const char *start = *option + strspn(*option, " \t\r\n,");
    const char *end = start;
    for (int braces = 0; *end && !strchr(" \t\r\n", *end) && !(*end == ',' && braces == 0); end++)
        braces += (*end == '{') - (*end == '}');
    *entry = (struct text){.bytes = start, .length = (size_t)(end - start)};
    *option = end;
    return end > start;
}

const struct identity_filter *identity_filter_of(const char *option, struct arena *arena) {
    struct identity_filter *filter = arena_alloc(arena, sizeof *filter);
    struct label_pattern *list = NULL;
    size_t capacity = 0;
    struct text entry;
    option = option ? option : "";
    for (size_t i = 0;; i++) {
        if (i < DEFAULT_COUNT)
            entry = text_of(default_entries[i]);
        else if (!next_entry(&option, &entry))
            break;
        if (filter->count == capacity)
            list = arena_grow(arena, list, &capacity, filter->count + 1, sizeof *list);
        if (!read_pattern(entry, arena, &list[filter->count]))
            return NULL;
        if (i >= DEFAULT_COUNT && !list[filter->count].ignore)
            filter->whitelist = true;
        filter->count++;
    }
    filter->list = list;
    return filter;
}

/* Where the literal ends in the line: the last one where it floats, as ".*" takes what it can; false: it is not there. */
static bool find_literal(const struct label_pattern *pattern, struct text line, size_t *end) {
    if (line.length < pattern->length)
        return false;
    size_t at = pattern->floats ? line.length - pattern->length : 0;
    while (at > 0 && memcmp(line.bytes + at, pattern->literal, pattern->length) != 0)
        at--;
    *end = pattern->runs_on ? line.length : at + pattern->length;
    return at > 0 || memcmp(line.bytes, pattern->literal, pattern->length) == 0;
}

/* Whether the pattern matches at the start of the key, and over which length. */
static bool pattern_covers(const struct label_pattern *pattern, struct text key, size_t *length) {
    if (!pattern->applies)
        return false;
    if (!pattern->literal)
        return pattern_find(pattern->match, key, length) == PATTERN_YES;
    const char *end = memchr(key.bytes, '\n', key.length); /* which "." does not match */
    return find_literal(pattern, (struct text){key.bytes, end ? (size_t)(end - key.bytes) : key.length}, length);
}

bool identity_filter_keeps(const struct identity_filter *filter, const char *key) {
    if (!filter)
        return true;
    size_t included = 0, ignored = 0, length = 0; /* longest include, shortest ignore; 0: none */
    for (size_t i = 0; i < filter->count; i++) {
        const struct label_pattern *pattern = &filter->list[i];
        if (!pattern_covers(pattern, text_of(key), &length))
            continue;
        if (!pattern->ignore)
            included = length > included ? length : included;
        else if (ignored == 0 || length < ignored)
            ignored = length;
    }
    return (!filter->whitelist && ignored == 0) || included > ignored;
}

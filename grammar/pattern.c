#include "grammar/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"
#include "base/ascii.h"

enum { NEST_LIMIT = 100, HEAP_LIMIT_KIB = 20480 };

/* `struct pattern` is PCRE2's compiled code under a name of ours; nothing else ever sees the type. */
static pcre2_code *code_of(struct pattern *pattern) { return (pcre2_code *)pattern; }
static const pcre2_code *const_code_of(const struct pattern *pattern) { return (const pcre2_code *)pattern; }

static uint32_t options(enum pattern_anchor anchor) {
    const uint32_t always = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE;
    switch (anchor) {
    case PATTERN_ANYWHERE:
        return always;
    case PATTERN_AT_START:
        return always | PCRE2_ANCHORED;
    case PATTERN_WHOLE:
        return always | PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    }
    return always;
}

static struct pattern *compile(pcre2_general_context *memory, struct text expression, enum pattern_anchor anchor,
                               size_t *offset) {
    int error = 0;
    PCRE2_SIZE at = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    offset_set(offset, 0);
    if (context == NULL)
        return NULL;
    pcre2_set_max_pattern_length(context, PATTERN_MAX_LENGTH);
    pcre2_set_parens_nest_limit(context, NEST_LIMIT);
    const char *bytes = expression.length == 0 ? "" : expression.bytes;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)bytes, expression.length, options(anchor), &error, &at, context);
    pcre2_compile_context_free(context);
    if (code == NULL)
        offset_set(offset, at);
    return (struct pattern *)code;
}

struct pattern *pattern_compile(struct text expression, enum pattern_anchor anchor, size_t *offset) {
    return compile(NULL, expression, anchor, offset);
}

static void *allocate(size_t size, void *arena) { return arena_alloc(arena, size); }
static void release(void *memory, void *arena) { (void)memory, (void)arena; }

const struct pattern *pattern_compile_in(struct arena *arena, struct text expression, enum pattern_anchor anchor,
                                         size_t *offset) {
    return compile(pcre2_general_context_create(allocate, release, arena), expression, anchor, offset);
}

void pattern_destroy(struct pattern *pattern) { pcre2_code_free(code_of(pattern)); }

static enum pattern_result result_of(int status) {
    if (status == PCRE2_ERROR_NOMATCH)
        return PATTERN_NO;
    return status < 0 ? PATTERN_LIMIT : PATTERN_YES;
}

enum pattern_result pattern_match(const struct pattern *pattern, struct text text) {
    size_t end;
    return pattern_find(pattern, text, &end);
}

enum pattern_result pattern_find(const struct pattern *pattern, struct text text, size_t *end) {
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    int status = PCRE2_ERROR_NOMEMORY;
    if (data != NULL && context != NULL) {
        pcre2_set_match_limit(context, PATTERN_MATCH_LIMIT);
        pcre2_set_heap_limit(context, HEAP_LIMIT_KIB);
        const char *bytes = text.length == 0 ? "" : text.bytes;
        status = pcre2_match(const_code_of(pattern), (PCRE2_SPTR)bytes, text.length, 0, 0, data, context);
    }
    if (status >= 0)
        *end = pcre2_get_ovector_pointer(data)[1];
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    return result_of(status);
}

/*
 * The quick way: most of what an API server answers are members of maps, without blanks and escapes, and whole in the text
 * that is fed. What is not is left to prune.c, which takes any JSON and says what is wrong.
 */
#include "online/json_text.h"
#include "online/prune_parts.h"

static inline const char *find_quote(const char *at, const char *end) {
    at += json_text_plain(at, (size_t)(end - at));
    return at < end && *at == '"' ? at : NULL;
}

/* The value of the key at `at`; NULL: key or colon are not whole, or not plain. */
static inline const char *find_value(const char *at, const char *end) {
    const char *quote = find_quote(at + 1, end);
    return quote && end - quote >= 3 && quote[1] == ':' && quote - at <= PRUNE_KEY ? quote + 2 : NULL;
}

static inline bool is_opening(char byte) { return byte == '{' || byte == '['; }

/* After a value of which nothing is opened; NULL: it is not whole, not plain or no value. */
static inline const char *find_end(const char *at, const char *end) {
    if (*at == '"') {
        const char *quote = find_quote(at + 1, end);
        return quote ? quote + 1 : NULL;
    }
    if (is_opening(*at)) {
        struct json_skip skip = {.depth = 1};
        const char *after = json_skip(&skip, at + 1, (size_t)(end - at - 1));
        return skip.depth == 0 ? after : NULL;
    }
    size_t length = prune_scalar_length(at, end);
    bool is_whole = at + length < end && length > 0 && length <= PRUNE_NUMBER;
    return is_whole && prune_is_scalar(at, length) ? at + length : NULL;
}

/* Puts what is kept of a member, with the comma that may stand before it. */
static inline bool put_member(struct prune *prune, struct prune_frame *frame, const char *at, const char *after) {
    bool comma = frame->any, joined = comma && at > prune->text && at[-1] == ',';
    frame->any = true;
    return (!comma || joined || prune_put(prune, ",", 1)) &&
           prune_put(prune, at - joined, (size_t)(after - at) + joined);
}

/* Closes what ends here; NULL: another bracket is missing. */
static inline const char *close_all(struct prune *prune, const char *at, const char *end) {
    while (at && at < end && (*at == '}' || *at == ']') && prune->depth > 0)
        at = prune_close(prune, at);
    return at;
}

static inline bool another_follows(const struct prune *prune, const char *at, const char *end) {
    return end - at >= 2 && at[0] == ',' && at[1] == '"' && prune->frames[prune->depth].is_map;
}

const char *prune_members(struct prune *prune, const char *at, const char *end) {
    for (;;) {
        struct prune_frame *frame = &prune->frames[prune->depth];
        const char *value = find_value(at, end);
        if (!value)
            return at;
        prune_judge_key(prune, at + 1, (size_t)(value - at) - 3);
        bool opens = prune->value_kept && is_opening(*value);
        const char *after = opens ? value : find_end(value, end);
        if (!after || prune->value_is_items)
            return at;
        if (prune->value_kept && !put_member(prune, frame, at, after))
            return NULL;
        if (opens) {
            at = prune_open(prune, value);
            if (!at || at == end || *at != '"' || prune->state != AT_FIRST_KEY)
                return at;
            continue;
        }
        prune_end_value(prune);
        at = close_all(prune, after, end);
        if (!at || !another_follows(prune, at, end))
            return at;
        prune->state = AT_KEY;
        at++;
    }
}

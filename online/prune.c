#include "online/prune.h"

#include <string.h>

#include "online/json_text.h"
#include "online/prune_parts.h"

const struct prune_rule prune_nothing[] = {{NULL, NULL, 0}};

/* What is cut off at the end of the text that is fed goes on with the next: its beginning stands in `key` or `scalar`. */

bool prune_fail(struct prune *prune, const char *problem) {
    if (!prune->problem)
        prune->problem = problem;
    return false;
}

const char *prune_fail_here(struct prune *prune, const char *problem) {
    prune_fail(prune, problem);
    return NULL;
}

/* ---- output ---- */

static bool put_head(struct prune *prune, const char *bytes, size_t length) {
    if (length > PRUNE_HEAD - prune->head_length)
        return prune_fail(prune, "what stands beside the items is too long");
    memcpy(prune->head + prune->head_length, bytes, length);
    prune->head_length += length;
    return true;
}

/* Hands on the run. */
bool prune_flush(struct prune *prune) {
    size_t length = prune->run_length;
    prune->run_length = 0;
    if (length == 0)
        return true;
    if (prune->to_head)
        return put_head(prune, prune->run, length);
    return prune->emit(prune->context, prune->run, length) || prune_fail(prune, "what was read could not be written");
}

/* What stands in a buffer that will hold something else. */
static bool put_at_once(struct prune *prune, const char *bytes, size_t length) {
    return prune_put(prune, bytes, length) && prune_flush(prune);
}

bool prune_direct(struct prune *prune, bool to_head) {
    bool flushed = prune_flush(prune);
    prune->to_head = to_head;
    return flushed;
}

/* ---- keys ---- */

static int hex_digit(char byte) {
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte = (char)(byte | 0x20);
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Writes the key without its escapes, as far as it is ASCII: keys of rules are. Returns its length. */
static size_t decode_key(const struct prune *prune, char decoded[PRUNE_KEY]) {
    size_t length = 0;
    for (size_t i = 0; i < prune->key_length; i++) {
        char byte = prune->key[i];
        if (byte == '\\') {
            byte = prune->key[++i];
            if (byte == 'u') {
                unsigned value = 0;
                for (int k = 0; k < 4; k++)
                    value = value << 4 | (unsigned)hex_digit(prune->key[++i]);
                byte = value < 0x80 ? (char)value : '\x7f';
            } else if (strchr("bfnrt", byte)) {
                byte = '\x7f';
            }
        }
        decoded[length++] = byte;
    }
    return length;
}

/* Of bytes without a NUL. */
static inline bool key_is(const char *key, const char *bytes, size_t length) {
    return *key == (length > 0 ? *bytes : '\0') && strncmp(key, bytes, length) == 0 && key[length] == '\0';
}

static const struct prune_rule *find_rule(const struct prune_rule *rules, const char *bytes, size_t length) {
    for (const char *key; (key = rules->key); rules++)
        if (key_is(key, bytes, length) || (*key == '*' && !key[1]))
            return rules;
    return NULL;
}

void prune_judge_key(struct prune *prune, const char *key, size_t length) {
    const struct prune_frame *frame = &prune->frames[prune->depth];
    prune->value_is_items = prune->depth == 1 && prune->is_list && key_is("items", key, length);
    prune->value_kept = frame->kept && !prune->value_is_items;
    prune->value_rule = NULL;
    if (!frame->rule || !frame->kept)
        return;
    const struct prune_rule *row = find_rule(frame->rule, key, length);
    bool whole = row && (row->unless & prune->keep);
    prune->value_kept = whole || (row && row->below != prune_nothing);
    prune->value_rule = row && !whole ? row->below : NULL;
}

static void end_key(struct prune *prune) {
    char decoded[PRUNE_KEY];
    prune->state = AT_COLON;
    if (prune->escaped)
        prune_judge_key(prune, decoded, decode_key(prune, decoded));
    else
        prune_judge_key(prune, prune->key, prune->key_length);
}

/* ---- values ---- */

/* The comma and the key before a value. */
static bool lead_in(struct prune *prune) {
    struct prune_frame *frame = &prune->frames[prune->depth];
    if (frame->is_items)
        return prune_direct(prune, false) && (prune->items++ == 0 || prune_put(prune, ",\n", 2));
    if (!prune->value_kept || prune->depth == 0)
        return true;
    bool first = !frame->any;
    frame->any = true;
    if (!first && !prune_put(prune, ",", 1))
        return false;
    return !frame->is_map || (prune_put(prune, "\"", 1) && put_at_once(prune, prune->key, prune->key_length) &&
                              prune_put(prune, "\":", 2));
}

const char *prune_open(struct prune *prune, const char *at) {
    if (prune->depth == PRUNE_DEPTH)
        return prune_fail_here(prune, "it is nested too deep");
    struct prune_frame *frame = &prune->frames[++prune->depth];
    *frame = (struct prune_frame){
        .rule = prune->value_rule, .is_map = *at == '{', .kept = prune->value_kept, .is_items = prune->value_is_items};
    prune->value_is_items = false;
    prune->state = *at == '{' ? AT_FIRST_KEY : AT_FIRST_VALUE;
    return !frame->kept || prune_put(prune, at, 1) ? at + 1 : NULL;
}

const char *prune_close(struct prune *prune, const char *at) {
    const struct prune_frame *frame = &prune->frames[prune->depth];
    if (*at != (frame->is_map ? '}' : ']'))
        return prune_fail_here(prune, "a comma or the end of a map or list is missing");
    if (frame->kept && !prune_put(prune, at, 1))
        return NULL;
    prune->depth--;
    if (prune->frames[prune->depth].is_items && !prune_direct(prune, true))
        return NULL;
    prune_end_value(prune);
    return at + 1;
}

/* What becomes of an element of the innermost list. */
void prune_judge_element(struct prune *prune) {
    const struct prune_frame *frame = &prune->frames[prune->depth];
    prune->value_is_items = false;
    prune->value_kept = frame->kept || frame->is_items;
    prune->value_rule = frame->is_items ? prune->rule : frame->rule;
}

static const char *feed_dropped(struct prune *prune, const char *at, const char *end) {
    const char *next = json_skip(&prune->skip, at, (size_t)(end - at));
    if (!next)
        return prune_fail_here(prune, "a string holds a control character, or a backslash stands in none");
    if (prune->skip.depth == 0)
        prune_end_value(prune);
    return next;
}

/* ---- strings ---- */

static bool take_string_bytes(struct prune *prune, const char *bytes, size_t length) {
    if (!prune->is_key)
        return !prune->value_kept || prune_put(prune, bytes, length);
    if (length > PRUNE_KEY - prune->key_length)
        return prune_fail(prune, "a key is too long");
    memcpy(prune->key + prune->key_length, bytes, length);
    prune->key_length += length;
    return true;
}

static bool is_escape(char byte) { return byte != '\0' && strchr("\"\\/bfnrt", byte) != NULL; }

/* Up to the end of a string, or what is there of it. */
static const char *feed_string(struct prune *prune, const char *at, const char *end) {
    const char *from = at;
    for (;;) {
        at += json_text_plain(at, (size_t)(end - at));
        if (at == end)
            break;
        if (*at == '"') {
            if (!take_string_bytes(prune, from, (size_t)(at - from) + !prune->is_key))
                return NULL;
            if (prune->is_key)
                end_key(prune);
            else
                prune_end_value(prune);
            return at + 1;
        }
        if (*at != '\\')
            return prune_fail_here(prune, "a string holds a control character");
        prune->escaped = true;
        if (end - at < 2 || !is_escape(at[1])) {
            prune->state = IN_ESCAPE;
            at++;
            break;
        }
        at += 2;
    }
    return take_string_bytes(prune, from, (size_t)(at - from)) ? at : NULL;
}

static const char *feed_escape(struct prune *prune, const char *at) {
    if (prune->state == IN_HEX) {
        if (hex_digit(*at) < 0)
            return prune_fail_here(prune, "an escape in a string is malformed");
        prune->state = --prune->hex_left == 0 ? IN_STRING : IN_HEX;
    } else {
        if (*at != 'u' && !is_escape(*at))
            return prune_fail_here(prune, "an escape in a string is malformed");
        prune->state = *at == 'u' ? IN_HEX : IN_STRING;
        prune->hex_left = 4;
    }
    return take_string_bytes(prune, at, 1) ? at + 1 : NULL;
}

/* ---- numbers and words ---- */

static bool is_scalar_byte(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == 'E' || byte == '+' || byte == '-' ||
           byte == '.';
}

size_t prune_scalar_length(const char *at, const char *end) {
    const char *from = at;
    while (at < end && is_scalar_byte(*at))
        at++;
    return (size_t)(at - from);
}

bool prune_is_scalar(const char *bytes, size_t length) {
    return key_is("null", bytes, length) || key_is("true", bytes, length) || key_is("false", bytes, length) ||
           json_text_is_number(bytes, length);
}

/* Whatever begins it: what is none is told when it has ended. */
static const char *begin_scalar(struct prune *prune, const char *at) {
    prune->scalar[0] = *at;
    prune->scalar_length = 1;
    prune->state = IN_SCALAR;
    return at + 1;
}

static const char *feed_scalar(struct prune *prune, const char *at, const char *end) {
    size_t length = prune_scalar_length(at, end);
    if (length > PRUNE_NUMBER - prune->scalar_length)
        return prune_fail_here(prune, "a number is too long");
    memcpy(prune->scalar + prune->scalar_length, at, length);
    prune->scalar_length += length;
    if (at + length == end)
        return end;
    if (!prune_is_scalar(prune->scalar, prune->scalar_length))
        return prune_fail_here(prune, "no JSON value begins so");
    if (prune->value_is_items && !key_is("null", prune->scalar, prune->scalar_length))
        return prune_fail_here(prune, "`items` is no list");
    prune_end_value(prune);
    return !prune->value_kept || put_at_once(prune, prune->scalar, prune->scalar_length) ? at + length : NULL;
}

/* ---- what comes next ---- */

static const char *begin_value(struct prune *prune, const char *at) {
    bool is_item = prune->frames[prune->depth].is_items;
    if ((is_item || prune->depth == 0) && *at != '{')
        return prune_fail_here(prune, is_item ? "an item is no object" : "it is no JSON object");
    if (prune->value_is_items && (*at == '{' || *at == '"'))
        return prune_fail_here(prune, "`items` is no list");
    if (!lead_in(prune))
        return NULL;
    if (*at == '{' || *at == '[') {
        if (prune->value_kept || prune->value_is_items)
            return prune_open(prune, at);
        prune->skip = (struct json_skip){.depth = 1};
        prune->state = IN_DROPPED;
        return at + 1;
    }
    if (*at != '"')
        return begin_scalar(prune, at);
    prune->state = IN_STRING;
    prune->is_key = false;
    return !prune->value_kept || prune_put(prune, at, 1) ? at + 1 : NULL;
}

static const char *begin_key(struct prune *prune, const char *at, const char *end) {
    if (*at != '"')
        return prune_fail_here(prune, "a key is missing");
    const char *next = prune_members(prune, at, end);
    if (next != at)
        return next;
    prune->state = IN_STRING;
    prune->is_key = true;
    prune->escaped = false;
    prune->key_length = 0;
    return at + 1;
}

static const char *feed_next(struct prune *prune, const char *at) {
    if (*at != ',')
        return prune_close(prune, at);
    bool is_map = prune->frames[prune->depth].is_map;
    prune->state = is_map ? AT_KEY : AT_VALUE;
    if (!is_map)
        prune_judge_element(prune);
    return at + 1;
}

static const char *feed_mark(struct prune *prune, const char *at, const char *end) {
    if (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
        return at + 1;
    switch ((enum prune_state)prune->state) {
    case AT_FIRST_VALUE:
        if (*at == ']')
            return prune_close(prune, at);
        prune_judge_element(prune);
        return begin_value(prune, at);
    case AT_VALUE:
        return begin_value(prune, at);
    case AT_FIRST_KEY:
        return *at == '}' ? prune_close(prune, at) : begin_key(prune, at, end);
    case AT_KEY:
        return begin_key(prune, at, end);
    case AT_COLON:
        prune->state = AT_VALUE;
        return *at == ':' ? at + 1 : prune_fail_here(prune, "a colon is missing");
    case AT_NEXT:
        return feed_next(prune, at);
    case AT_END:
    case IN_STRING:
    case IN_ESCAPE:
    case IN_HEX:
    case IN_SCALAR:
    case IN_DROPPED:
        break;
    }
    return prune_fail_here(prune, "there is text after its end");
}

static const char *feed_some(struct prune *prune, const char *at, const char *end) {
    switch ((enum prune_state)prune->state) {
    case IN_STRING:
        return feed_string(prune, at, end);
    case IN_ESCAPE:
    case IN_HEX:
        return feed_escape(prune, at);
    case IN_SCALAR:
        return feed_scalar(prune, at, end);
    case IN_DROPPED:
        return feed_dropped(prune, at, end);
    case AT_VALUE:
    case AT_FIRST_VALUE:
    case AT_FIRST_KEY:
    case AT_KEY:
    case AT_COLON:
    case AT_NEXT:
    case AT_END:
        break;
    }
    return feed_mark(prune, at, end);
}

/* ---- the whole ---- */

static void begin(struct prune *prune, const struct prune_rule *rule, unsigned keep) {
    /* The buffers need no zeros; the frames are set when they are opened. */
    prune->rule = rule;
    prune->keep = keep;
    prune->items = 0;
    prune->problem = NULL;
    prune->done = false;
    prune->head_length = prune->depth = prune->key_length = prune->scalar_length = prune->run_length = 0;
    prune->state = AT_VALUE;
    prune->is_key = prune->escaped = prune->value_is_items = false;
    prune->value_kept = prune->to_head = true;
    prune->value_rule = NULL;
    prune->frames[0] = (struct prune_frame){.kept = true};
}

void prune_list(struct prune *prune, const struct prune_rule *rule, unsigned keep, uint64_t items, prune_emit *emit,
                void *context) {
    begin(prune, rule, keep);
    prune->is_list = true;
    prune->items = items;
    prune->emit = emit;
    prune->context = context;
}

void prune_object(struct prune *prune, const struct prune_rule *rule, unsigned keep) {
    begin(prune, rule, keep);
    prune->is_list = false;
    prune->emit = NULL;
    prune->context = NULL;
    prune->value_rule = rule;
}

bool prune_feed(struct prune *prune, const char *bytes, size_t length) {
    const char *at = bytes, *end = bytes + length;
    if (prune->problem)
        return false;
    prune->text = bytes;
    while (at && at < end)
        at = feed_some(prune, at, end);
    return at && prune_flush(prune);
}

bool prune_finish(struct prune *prune) {
    if (prune->problem)
        return false;
    return prune->done || prune_fail(prune, "the text ends too early");
}

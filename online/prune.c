#include "online/prune.h"

#include <string.h>

#include "online/json_text.h"

const struct prune_rule prune_nothing[] = {{NULL, NULL, 0}};

enum state {
    AT_VALUE,
    AT_FIRST_VALUE, /* or the end of the list */
    AT_FIRST_KEY,   /* or the end of the map */
    AT_KEY,
    AT_COLON,
    AT_NEXT, /* a comma, or the end of the innermost map or list */
    AT_END,
    IN_STRING,
    IN_ESCAPE,
    IN_HEX,
    IN_SCALAR,  /* a number or a word */
    IN_DROPPED, /* a map or list that is passed over */
    IN_DROPPED_STRING,
    IN_DROPPED_ESCAPE
};

static bool fail(struct prune *prune, const char *problem) {
    if (!prune->problem)
        prune->problem = problem;
    return false;
}

/* ---- output ---- */

static bool hand_on(struct prune *prune) {
    size_t length = prune->block_length;
    prune->block_length = 0;
    if (length > 0 && !prune->emit(prune->context, prune->block, length))
        return fail(prune, "what was read could not be written");
    return true;
}

static bool put_head(struct prune *prune, const char *bytes, size_t length) {
    if (length > PRUNE_HEAD - prune->head_length)
        return fail(prune, "what stands beside the items is too long");
    memcpy(prune->head + prune->head_length, bytes, length);
    prune->head_length += length;
    return true;
}

static bool put_long(struct prune *prune, const char *bytes, size_t length) {
    if (prune->to_head)
        return put_head(prune, bytes, length);
    while (length > PRUNE_BLOCK - prune->block_length) {
        size_t part = PRUNE_BLOCK - prune->block_length;
        memcpy(prune->block + prune->block_length, bytes, part);
        prune->block_length = PRUNE_BLOCK;
        if (!hand_on(prune))
            return false;
        bytes += part;
        length -= part;
    }
    memcpy(prune->block + prune->block_length, bytes, length);
    prune->block_length += length;
    return true;
}

static inline bool put(struct prune *prune, const char *bytes, size_t length) {
    if (prune->to_head || length > PRUNE_BLOCK - prune->block_length)
        return put_long(prune, bytes, length);
    memcpy(prune->block + prune->block_length, bytes, length);
    prune->block_length += length;
    return true;
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
    for (; rules->key; rules++)
        if (key_is(rules->key, bytes, length) || (rules->key[0] == '*' && !rules->key[1]))
            return rules;
    return NULL;
}

/* What becomes of the value of the key that was read. */
static void judge_key(struct prune *prune) {
    const struct prune_frame *frame = &prune->frames[prune->depth];
    char decoded[PRUNE_KEY];
    const char *bytes = prune->key;
    size_t length = prune->key_length;
    if (prune->escaped) {
        length = decode_key(prune, decoded);
        bytes = decoded;
    }
    prune->value_is_items = prune->is_list && prune->depth == 1 && key_is("items", bytes, length);
    prune->value_kept = frame->kept && !prune->value_is_items;
    prune->value_rule = NULL;
    if (!frame->rule || !frame->kept)
        return;
    const struct prune_rule *row = find_rule(frame->rule, bytes, length);
    prune->value_kept = row && row->below != prune_nothing;
    prune->value_rule = row ? row->below : NULL;
    if (row && (row->unless & prune->keep)) {
        prune->value_kept = true;
        prune->value_rule = NULL;
    }
}

/* ---- values ---- */

/* The comma and the key before a value. */
static bool lead_in(struct prune *prune) {
    struct prune_frame *frame = &prune->frames[prune->depth];
    if (frame->is_items) {
        prune->to_head = false;
        bool led = put(prune, ",\n", prune->items++ > 0 ? 2 : 0);
        return led;
    }
    if (!prune->value_kept || prune->depth == 0)
        return true;
    bool first = !frame->any;
    frame->any = true;
    if (!first && !put(prune, ",", 1))
        return false;
    return !frame->is_map || (put(prune, "\"", 1) && put(prune, prune->key, prune->key_length) && put(prune, "\":", 2));
}

static bool open_frame(struct prune *prune, char byte) {
    if (prune->depth == PRUNE_DEPTH)
        return fail(prune, "it is nested too deep");
    struct prune_frame *frame = &prune->frames[++prune->depth];
    *frame = (struct prune_frame){
        .rule = prune->value_rule, .is_map = byte == '{', .kept = prune->value_kept, .is_items = prune->value_is_items};
    prune->value_is_items = false;
    prune->state = byte == '{' ? AT_FIRST_KEY : AT_FIRST_VALUE;
    return !frame->kept || put(prune, &byte, 1);
}

/* Passes over a map or list: of what is dropped only strings and brackets matter. */
static bool begin_dropped(struct prune *prune) {
    prune->dropped_depth = 1;
    prune->state = IN_DROPPED;
    return true;
}

/* What becomes of an element of the innermost list. */
static void judge_element(struct prune *prune) {
    const struct prune_frame *frame = &prune->frames[prune->depth];
    prune->value_is_items = false;
    prune->value_kept = frame->kept || frame->is_items;
    prune->value_rule = frame->is_items ? prune->rule : frame->rule;
}

static bool begin_scalar(struct prune *prune, char byte) {
    if (prune->value_is_items && byte != 'n')
        return fail(prune, "`items` is no list");
    prune->scalar[0] = byte;
    prune->scalar_length = 1;
    prune->state = IN_SCALAR;
    return true;
}

static bool begin_value(struct prune *prune, char byte) {
    bool is_item = prune->frames[prune->depth].is_items;
    if ((is_item || prune->depth == 0) && byte != '{')
        return fail(prune, is_item ? "an item is no object" : "it is no JSON object");
    if (!lead_in(prune))
        return false;
    if (byte == '{' || byte == '[') {
        if (prune->value_is_items && byte == '{')
            return fail(prune, "`items` is no list");
        return prune->value_kept || prune->value_is_items ? open_frame(prune, byte) : begin_dropped(prune);
    }
    if (byte != '"')
        return begin_scalar(prune, byte);
    if (prune->value_is_items)
        return fail(prune, "`items` is no list");
    prune->state = IN_STRING;
    prune->is_key = false;
    return !prune->value_kept || put(prune, "\"", 1);
}

/* A value has ended. */
static void end_value(struct prune *prune) {
    prune->state = prune->depth == 0 ? AT_END : AT_NEXT;
    prune->done = prune->depth == 0;
}

static bool close_frame(struct prune *prune, char byte) {
    const struct prune_frame *frame = &prune->frames[prune->depth];
    if (byte != (frame->is_map ? '}' : ']'))
        return fail(prune, "a comma or the end of a map or list is missing");
    if (frame->kept && !put(prune, &byte, 1))
        return false;
    prune->depth--;
    if (prune->frames[prune->depth].is_items)
        prune->to_head = true;
    end_value(prune);
    return true;
}

/* ---- strings ---- */

static inline bool take_string_bytes(struct prune *prune, const char *bytes, size_t length) {
    if (!prune->is_key)
        return !prune->value_kept || put(prune, bytes, length);
    if (length > PRUNE_KEY - prune->key_length)
        return fail(prune, "a key is too long");
    memcpy(prune->key + prune->key_length, bytes, length);
    prune->key_length += length;
    return true;
}

static bool end_string(struct prune *prune) {
    if (prune->is_key) {
        judge_key(prune);
        prune->state = AT_COLON;
        return true;
    }
    end_value(prune);
    return !prune->value_kept || put(prune, "\"", 1);
}

/* Takes what it can of a string; returns how many bytes, 0 where it failed. */
static inline size_t feed_string(struct prune *prune, const char *bytes, size_t length) {
    size_t plain = json_text_plain(bytes, length);
    if (plain > 0 && !take_string_bytes(prune, bytes, plain))
        return 0;
    if (plain == length)
        return plain;
    if (bytes[plain] == '"')
        return end_string(prune) ? plain + 1 : 0;
    if (bytes[plain] != '\\') {
        fail(prune, "a string holds a control character");
        return 0;
    }
    prune->state = IN_ESCAPE;
    prune->escaped = true;
    return take_string_bytes(prune, "\\", 1) ? plain + 1 : 0;
}

static bool feed_escape(struct prune *prune, char byte) {
    if (prune->state == IN_HEX) {
        if (hex_digit(byte) < 0)
            return fail(prune, "an escape in a string is malformed");
        prune->state = --prune->hex_left == 0 ? IN_STRING : IN_HEX;
    } else {
        if (byte == '\0' || !strchr("\"\\/bfnrtu", byte))
            return fail(prune, "an escape in a string is malformed");
        prune->state = byte == 'u' ? IN_HEX : IN_STRING;
        prune->hex_left = 4;
    }
    return take_string_bytes(prune, &byte, 1);
}

/* ---- what is passed over ---- */

/* Up to the end of a string within; returns how many bytes, 0 where it failed. */
static inline size_t feed_dropped_string(struct prune *prune, const char *bytes, size_t length) {
    size_t plain = json_text_plain(bytes, length);
    if (plain == length)
        return plain;
    if (bytes[plain] != '"' && bytes[plain] != '\\') {
        fail(prune, "a string holds a control character");
        return 0;
    }
    prune->state = bytes[plain] == '"' ? IN_DROPPED : IN_DROPPED_ESCAPE;
    return plain + 1;
}

/* Up to the next string, or the end of what is dropped. */
static inline size_t feed_brackets(struct prune *prune, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char byte = bytes[i];
        if (byte == '"') {
            prune->state = IN_DROPPED_STRING;
            return i + 1;
        }
        if (byte == '{' || byte == '[')
            prune->dropped_depth++;
        if ((byte == '}' || byte == ']') && --prune->dropped_depth == 0) {
            end_value(prune);
            return i + 1;
        }
    }
    return length;
}

static size_t feed_dropped(struct prune *prune, const char *bytes, size_t length) {
    size_t at = 0, used = 1;
    while (at < length && used > 0 && prune->state >= IN_DROPPED) {
        used = 1;
        if (prune->state == IN_DROPPED_STRING)
            used = feed_dropped_string(prune, bytes + at, length - at);
        else if (prune->state == IN_DROPPED)
            used = feed_brackets(prune, bytes + at, length - at);
        else
            prune->state = IN_DROPPED_STRING;
        at += used;
    }
    return used > 0 ? at : 0;
}

/* ---- numbers and words ---- */

static bool end_scalar(struct prune *prune) {
    const char *bytes = prune->scalar;
    size_t length = prune->scalar_length;
    bool null = key_is("null", bytes, length);
    if (!null && !key_is("true", bytes, length) && !key_is("false", bytes, length) &&
        !json_text_is_number(bytes, length))
        return fail(prune, "no JSON value begins so");
    if (prune->value_is_items && !null)
        return fail(prune, "`items` is no list");
    end_value(prune);
    return !prune->value_kept || put(prune, bytes, length);
}

static bool is_scalar_byte(char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == 'E' || byte == '+' || byte == '-' ||
           byte == '.';
}

/* Takes a byte of a number or word; `used`: false where the byte ended it and is still to be read. */
static bool feed_scalar(struct prune *prune, char byte, bool *used) {
    *used = is_scalar_byte(byte);
    if (!*used)
        return end_scalar(prune);
    if (prune->scalar_length == PRUNE_NUMBER)
        return fail(prune, "a number is too long");
    prune->scalar[prune->scalar_length++] = byte;
    return true;
}

/* ---- between values ---- */

static bool begin_key(struct prune *prune, char byte) {
    if (byte != '"')
        return fail(prune, "a key is missing");
    prune->state = IN_STRING;
    prune->is_key = true;
    prune->escaped = false;
    prune->key_length = 0;
    return true;
}

static bool feed_next(struct prune *prune, char byte) {
    if (byte != ',')
        return close_frame(prune, byte);
    bool is_map = prune->frames[prune->depth].is_map;
    prune->state = is_map ? AT_KEY : AT_VALUE;
    if (!is_map)
        judge_element(prune);
    return true;
}

static inline bool feed_mark(struct prune *prune, char byte) {
    if (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t')
        return true;
    switch ((enum state)prune->state) {
    case AT_FIRST_VALUE:
        if (byte == ']')
            return close_frame(prune, byte);
        judge_element(prune);
        return begin_value(prune, byte);
    case AT_VALUE:
        return begin_value(prune, byte);
    case AT_FIRST_KEY:
        return byte == '}' ? close_frame(prune, byte) : begin_key(prune, byte);
    case AT_KEY:
        return begin_key(prune, byte);
    case AT_COLON:
        prune->state = AT_VALUE;
        return byte == ':' || fail(prune, "a colon is missing");
    case AT_NEXT:
        return feed_next(prune, byte);
    case AT_END:
    case IN_STRING:
    case IN_ESCAPE:
    case IN_HEX:
    case IN_SCALAR:
    case IN_DROPPED:
    case IN_DROPPED_STRING:
    case IN_DROPPED_ESCAPE:
        break;
    }
    return fail(prune, "there is text after its end");
}

/* Takes at least one byte; returns how many, 0 where it failed. */
static size_t feed_some(struct prune *prune, const char *bytes, size_t length) {
    if (prune->state == IN_STRING)
        return feed_string(prune, bytes, length);
    if (prune->state >= IN_DROPPED)
        return feed_dropped(prune, bytes, length);
    if (prune->state == IN_ESCAPE || prune->state == IN_HEX)
        return feed_escape(prune, *bytes);
    if (prune->state == IN_SCALAR) {
        bool used;
        if (!feed_scalar(prune, *bytes, &used))
            return 0;
        if (used)
            return 1;
    }
    return feed_mark(prune, *bytes);
}

/* ---- the whole ---- */

static void begin(struct prune *prune, const struct prune_rule *rule, unsigned keep) {
    /* The buffers need no zeros; the frames are set when they are opened. */
    prune->rule = rule;
    prune->keep = keep;
    prune->items = 0;
    prune->problem = NULL;
    prune->done = false;
    prune->head_length = prune->depth = prune->key_length = prune->scalar_length = prune->block_length = 0;
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
    while (length > 0 && !prune->problem) {
        size_t used = feed_some(prune, bytes, length);
        if (used == 0)
            return false;
        bytes += used;
        length -= used;
    }
    return !prune->problem;
}

bool prune_finish(struct prune *prune) {
    if (prune->problem)
        return false;
    if (!prune->done)
        return fail(prune, "the text ends too early");
    return hand_on(prune);
}

/* Any bytes as a plain scalar and as a string: document/scalar.h, document/writer.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "document/scalar.h"
#include "document/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
    if (!condition) {
        abort();
    }
}

/* What the typing of one spelling promises. */
static void check_typing(struct arena *arena, struct text plain) {
    enum node_kind kind = scalar_kind(plain);
    char spelling[SCALAR_SPELLING];
    size_t length = scalar_spell(plain, spelling);
    int64_t value;
    bool whole = scalar_integer(plain, &value);
    const char *key = scalar_key(arena, plain);
    require(length < SCALAR_SPELLING && strlen(spelling) == length);
    require(length == 0 || kind == NODE_INT || kind == NODE_FLOAT);
    require(!whole || (length > 0 && text_is(text_of(arena_format(arena, "%lld", (long long)value)),
                                             strcmp(spelling, "-0") == 0 ? "0" : spelling)));
    require(key || kind == NODE_NULL || kind == NODE_INT);
    require(kind == NODE_STRING || scalar_needs_quotes(plain));
    require(kind != NODE_STRING || text_equal((struct text){.bytes = key, .length = plain.length}, plain));
    scalar_is_surprising(plain);
    scalar_bool(plain);
    scalar_float(plain);
}

/* The spelling of a number is spelled the same; only of a negative zero the sign gets lost. */
static void check_spelling(struct text plain) {
    char first[SCALAR_SPELLING], second[SCALAR_SPELLING];
    size_t length = scalar_spell(plain, first);
    struct text spelled = {.bytes = first, .length = length};
    if (length > 0 && !text_is(spelled, "-0")) {
        require(scalar_spell(spelled, second) == length && memcmp(first, second, length) == 0);
    }
}

static void check_writers(struct arena *arena, struct text string) {
    struct buffer buffer;
    struct node node = {.kind = NODE_STRING, .count = (uint32_t)string.length, .text = string.bytes};
    buffer_init(&buffer, arena);
    writer_yaml(&buffer, &node);
    require(buffer.length >= string.length && buffer.bytes[buffer.length - 1] == '\n');
    require(memchr(buffer.bytes, '\n', buffer.length - 1) == NULL);
    buffer_init(&buffer, arena);
    writer_json_string(&buffer, string);
    require(buffer.length >= string.length + 2);
    for (size_t i = 0; i < buffer.length; i++) {
        require((unsigned char)buffer.bytes[i] >= 0x20);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text text = {.bytes = (const char *)data, .length = size};
    check_typing(arena, text);
    check_spelling(text);
    check_writers(arena, text);
    arena_destroy(arena);
    return 0;
}

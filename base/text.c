#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"

/* Longer names have no near neighbour: no key or word of ours comes near it. */
#define NEAREST_LONGEST ((size_t)127)

struct text text_of(const char *string) {
    return (struct text){.bytes = string ? string : "", .length = string ? strlen(string) : 0};
}

bool text_equal(struct text a, struct text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool text_is(struct text a, const char *string) { return text_equal(a, text_of(string)); }

int text_compare(struct text a, struct text b) {
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

bool text_starts_with(struct text a, const char *prefix) {
    size_t length = strlen(prefix);
    return length <= a.length && (length == 0 || memcmp(a.bytes, prefix, length) == 0);
}

bool text_ends_with(struct text a, const char *suffix) {
    size_t length = strlen(suffix);
    return length <= a.length && (length == 0 || memcmp(a.bytes + a.length - length, suffix, length) == 0);
}

static bool is_blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

struct text text_trim(struct text a) {
    while (a.length > 0 && is_blank(a.bytes[0])) {
        a.bytes++;
        a.length--;
    }
    while (a.length > 0 && is_blank(a.bytes[a.length - 1])) {
        a.length--;
    }
    return a;
}

int string_compare(const char *a, const char *b) {
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

bool string_equal(const char *a, const char *b) { return string_compare(a, b) == 0; }

int string_compare_at(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

uint64_t text_hash(struct text a) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < a.length; i++) {
        hash = (hash ^ (unsigned char)a.bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

char *text_lower(struct arena *arena, struct text a) {
    char *lower = arena_copy(arena, a.bytes, a.length);
    for (size_t i = 0; i < a.length; i++) {
        lower[i] = ascii_lower(lower[i]);
    }
    return lower;
}

bool text_number(struct text a, uint64_t maximum, uint64_t *value) {
    uint64_t number = 0;
    for (size_t i = 0; i < a.length; i++) {
        if (a.bytes[i] < '0' || a.bytes[i] > '9') {
            return false;
        }
        unsigned digit = (unsigned)(a.bytes[i] - '0');
        if (digit > maximum || number > (maximum - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    if (a.length == 0) {
        return false;
    }
    *value = number;
    return true;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, changes and swaps of neighbours that turn `a` into `b`; both at most NEAREST_LONGEST. */
static size_t edit_distance(struct text a, struct text b) {
    size_t rows[3][NEAREST_LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b.length; j++) {
        last[j] = j;
    }
    for (size_t i = 1; i <= a.length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            bool same = a.bytes[i - 1] == b.bytes[j - 1];
            row[j] = smaller(last[j - 1] + !same, smaller(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.bytes[i - 1] == b.bytes[j - 2] && a.bytes[i - 2] == b.bytes[j - 1]) {
                row[j] = smaller(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b.length];
}

const char *text_nearest(struct text name, const char *const *known) {
    size_t limit = name.length / 3 > 1 ? name.length / 3 : 1;
    const char *nearest = NULL;
    for (; name.length <= NEAREST_LONGEST && *known; known++) {
        struct text entry = text_of(*known);
        size_t difference = entry.length > name.length ? entry.length - name.length : name.length - entry.length;
        if (entry.length > NEAREST_LONGEST || difference > limit) {
            continue;
        }
        size_t distance = edit_distance(name, entry);
        if (distance <= limit && (!nearest || distance < limit)) {
            nearest = *known;
            limit = distance;
        }
    }
    return nearest;
}

void buffer_init(struct buffer *buffer, struct arena *arena) { *buffer = (struct buffer){.arena = arena}; }

static void buffer_reserve(struct buffer *buffer, size_t more) {
    size_t wanted = buffer->length + more;
    if (wanted > buffer->capacity || !buffer->bytes) {
        wanted = wanted < 64 ? 64 : wanted;
        buffer->bytes = arena_grow(buffer->arena, buffer->bytes, &buffer->capacity, wanted, 1);
    }
}

void buffer_add(struct buffer *buffer, const char *bytes, size_t length) {
    if (length > 0) {
        buffer_reserve(buffer, length);
        memcpy(buffer->bytes + buffer->length, bytes, length);
        buffer->length += length;
    }
}

void buffer_add_string(struct buffer *buffer, const char *string) { buffer_add(buffer, string, strlen(string)); }

void buffer_add_text(struct buffer *buffer, struct text text) { buffer_add(buffer, text.bytes, text.length); }

void buffer_add_char(struct buffer *buffer, char byte) {
    buffer_reserve(buffer, 1);
    buffer->bytes[buffer->length++] = byte;
}

void buffer_vprint(struct buffer *buffer, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    size_t room = buffer->capacity - buffer->length;
    int length = vsnprintf(room ? buffer->bytes + buffer->length : NULL, room, format, arguments);
    if (length > 0 && (size_t)length >= room) {
        buffer_reserve(buffer, (size_t)length + 1);
        vsnprintf(buffer->bytes + buffer->length, (size_t)length + 1, format, again);
    }
    buffer->length += length > 0 ? (size_t)length : 0;
    va_end(again);
}

void buffer_print(struct buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    buffer_vprint(buffer, format, arguments);
    va_end(arguments);
}

const char *buffer_string(struct buffer *buffer) {
    buffer_reserve(buffer, 1);
    buffer->bytes[buffer->length] = '\0';
    return buffer->bytes;
}

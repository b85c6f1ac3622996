#include "compiler/hosts_file.h"

#include <string.h>

#include "base/arena.h"

const char *hosts_file_path(struct arena *arena, const char *folder, const char *name) {
    if (name[0] == '/') {
        return name;
    }
    if (*folder == '\0' || strcmp(folder, ".") == 0) {
        return strcmp(name, "-") == 0 ? "./-" : name;
    }
    return arena_format(arena, "%s%s%s", folder, text_ends_with(text_of(folder), "/") ? "" : "/", name);
}

/* The length of the well-formed UTF-8 sequence at the start of `text` (RFC 3629), or 0. */
static size_t utf8_sequence(const unsigned char *bytes, size_t length) {
    unsigned char first = bytes[0];
    if (first < 0x80) {
        return 1;
    }
    size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || size > length) {
        return 0;
    }
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (bytes[1] < low || bytes[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return size;
}

/* The offset of the first byte that is no UTF-8, or the length. */
static size_t utf8_valid(struct text text) {
    size_t at = 0;
    while (at < text.length) {
        size_t size = utf8_sequence((const unsigned char *)text.bytes + at, text.length - at);
        if (size == 0) {
            break;
        }
        at += size;
    }
    return at;
}

static struct text next_line(struct text *rest) {
    const char *end = memchr(rest->bytes, '\n', rest->length);
    size_t length = end ? (size_t)(end - rest->bytes) : rest->length;
    struct text line = {rest->bytes, length};
    size_t taken = end ? length + 1 : length;
    *rest = (struct text){rest->bytes + taken, rest->length - taken};
    if (line.length && line.bytes[line.length - 1] == '\r') {
        line.length--;
    }
    return line;
}

void hosts_file_split(const char *name, struct text content, struct arena *arena, struct hosts_file *file) {
    *file = (struct hosts_file){0};
    struct text rest = content;
    if (text_starts_with(rest, "\xEF\xBB\xBF")) {
        rest = (struct text){rest.bytes + 3, rest.length - 3};
    }
    size_t capacity = 0;
    for (uint32_t number = 1; rest.length > 0; number++) {
        struct text line = next_line(&rest);
        struct text entry = text_trim(line);
        size_t valid = utf8_valid(line);
        if (valid < line.length && !file->not_utf8) {
            file->not_utf8 = true;
            file->fault = (struct location){name, number, (uint32_t)valid + 1};
        }
        if (entry.length == 0 || entry.bytes[0] == '#') {
            continue;
        }
        file->lines = arena_grow(arena, file->lines, &capacity, file->count + 1, sizeof *file->lines);
        uint32_t column = (uint32_t)(entry.bytes - line.bytes) + 1;
        file->lines[file->count++] = (struct hosts_line){entry, line, {name, number, column}};
    }
}

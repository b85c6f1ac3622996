#include "document/reader_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The length of the line break at `at` as libyaml sees breaks (CR LF, LF, CR, NEL, LS, PS), or 0. */
static size_t break_length(const unsigned char *at, const unsigned char *end) {
    if (*at == '\n') {
        return 1;
    }
    if (*at == '\r') {
        return at + 1 < end && at[1] == '\n' ? 2 : 1;
    }
    if (*at == 0xC2 && at + 1 < end && at[1] == 0x85) {
        return 2;
    }
    if (*at == 0xE2 && at + 2 < end && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9)) {
        return 3;
    }
    return 0;
}

/* Moves `place` over one character or line break. */
static void place_step(struct source_place *place, const unsigned char *at, const unsigned char *end) {
    size_t length = break_length(at, end);
    if (length > 0) {
        place->line++;
        place->character = place->byte = 0;
        place->offset += length;
        return;
    }
    length = 1;
    while (at + length < end && (at[length] & 0xC0) == 0x80) {
        length++;
    }
    place->character++;
    place->byte += length;
    place->offset += length;
}

static void place_advance(struct source_place *place, const char *from, size_t length, const char *window_end) {
    const unsigned char *start = (const unsigned char *)from;
    size_t first = place->offset;
    while (place->offset - first < length) {
        place_step(place, start + (place->offset - first), (const unsigned char *)window_end);
    }
}

/* In runs whose sum a byte holds, which compilers make fast. */
static size_t count_newlines(const char *from, size_t length) {
    size_t lines = 0;
    for (size_t at = 0; at < length;) {
        size_t end = length - at > 240 ? at + 240 : length;
        unsigned char sum = 0;
        for (; at < end; at++) {
            sum = (unsigned char)(sum + (from[at] == '\n'));
        }
        lines += sum;
    }
    return lines;
}

/* The same for text that is ASCII and has no CR, which is nearly all there is. */
static void place_advance_fast(struct source_place *place, const char *from, size_t length) {
    size_t lines = count_newlines(from, length), rest = 0;
    while (rest < length && from[length - 1 - rest] != '\n') {
        rest++;
    }
    place->line += lines;
    place->byte = lines > 0 ? rest : place->byte + length;
    place->character = lines > 0 ? rest : place->character + length;
    place->offset += length;
}

void source_open_text(struct source *source, struct text text, size_t silent_limit) {
    *source = (struct source){.descriptor = -1,
                              .window = text.bytes,
                              .window_length = text.length,
                              .total = text.length,
                              .total_limit = text.length,
                              .silent_limit = silent_limit};
}

void source_open_descriptor(struct source *source, int descriptor, char *buffer, size_t total_limit,
                            size_t silent_limit) {
    *source = (struct source){.descriptor = descriptor,
                              .buffer = buffer,
                              .window = buffer,
                              .total_limit = total_limit,
                              .silent_limit = silent_limit};
    source_fill(source);
}

void source_skip_mark(struct source *source, size_t length) {
    source->window_length -= length;
    if (source->buffer) {
        memmove(source->buffer, source->buffer + length, source->window_length);
    } else {
        source->window += length;
    }
}

/* Keeps one block of what was handed out, so that a further one has room. */
static void window_drop(struct source *source) {
    size_t dropped = source->window_length - SOURCE_BLOCK;
    if (source->non_ascii || source->returns) {
        size_t first = source->start.offset;
        place_advance(&source->start, source->window, dropped, source->window + source->window_length);
        dropped = source->start.offset - first; /* a character that the cut would split goes as a whole */
    } else {
        place_advance_fast(&source->start, source->window, dropped);
    }
    memmove(source->buffer, source->buffer + dropped, source->window_length - dropped);
    source->window_length -= dropped;
    source->next -= dropped;
    if (source->cursor.offset < source->start.offset) {
        source->cursor = source->start;
    }
}

bool source_fill(struct source *source) {
    if (source->stop != SOURCE_GOES_ON) {
        return false;
    }
    if (!source->buffer) {
        source->stop = SOURCE_ENDED;
        return false;
    }
    if (source->window_length > SOURCE_BLOCK) {
        window_drop(source);
    }
    ssize_t got;
    do {
        got = read(source->descriptor, source->buffer + source->window_length, SOURCE_BLOCK);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        source->stop = got < 0 ? SOURCE_FAILED : SOURCE_ENDED;
        source->error = errno;
        return false;
    }
    source->window_length += (size_t)got;
    source->total += (size_t)got;
    if (source->total > source->total_limit) {
        source->stop = SOURCE_TOO_LARGE;
        return false;
    }
    return true;
}

/* Notes what is rare, so that nothing is searched for it where it is not. One pass that compilers make fast. */
static void chunk_look_at(struct source *source, const char *chunk, size_t length) {
    const unsigned char *bytes = (const unsigned char *)chunk;
    unsigned char all = bytes[length - 1], pairs = source->last == '{' && bytes[0] == '{';
    unsigned char returns = bytes[length - 1] == '\r';
    unsigned char ignores = source->before_last == 'c' && source->last == ':' && bytes[0] == 'i';
    ignores |= length > 1 && source->last == 'c' && bytes[0] == ':' && bytes[1] == 'i';
    for (size_t i = 0; i + 1 < length; i++) {
        all = (unsigned char)(all | bytes[i]);
        pairs = (unsigned char)(pairs | ((bytes[i] == '{') & (bytes[i + 1] == '{')));
        returns = (unsigned char)(returns | (bytes[i] == '\r'));
    }
    for (size_t i = 0; i + 2 < length; i++) {
        ignores = (unsigned char)(ignores | ((bytes[i] == 'c') & (bytes[i + 1] == ':') & (bytes[i + 2] == 'i')));
    }
    source->non_ascii |= all >= 0x80;
    source->braces |= pairs;
    source->returns |= returns;
    source->ignores |= ignores;
    source->before_last = length > 1 ? chunk[length - 2] : source->last;
    source->last = chunk[length - 1];
}

size_t source_read(struct source *source, char *out, size_t size) {
    if (source->next == source->window_length && !source_fill(source)) {
        return 0;
    }
    if (source->silent > source->silent_limit) {
        source->stop = SOURCE_SILENT;
        return 0;
    }
    size_t length = source->window_length - source->next;
    length = length < size ? length : size;
    if (length == 0) {
        return 0;
    }
    memcpy(out, source->window + source->next, length);
    chunk_look_at(source, out, length);
    source->next += length;
    source->silent += length;
    return length;
}

static bool place_is_before(const struct source_place *place, size_t line, size_t character) {
    return place->line < line || (place->line == line && place->character < character);
}

size_t source_column(struct source *source, size_t line, size_t character) {
    if (!source->non_ascii) {
        return character;
    }
    struct source_place *cursor = &source->cursor;
    if (cursor->line > line || (cursor->line == line && cursor->character > character)) {
        *cursor = source->start;
    }
    const unsigned char *end = (const unsigned char *)source->window + source->window_length;
    while (place_is_before(cursor, line, character)) {
        const unsigned char *at = (const unsigned char *)source->window + (cursor->offset - source->start.offset);
        if (at >= end) {
            break;
        }
        place_step(cursor, at, end);
    }
    return cursor->line == line && cursor->character == character ? cursor->byte : character;
}

struct source_place source_place_of(const struct source *source, size_t offset) {
    struct source_place place = source->start;
    if (offset > place.offset) {
        size_t length = offset - place.offset;
        length = length < source->window_length ? length : source->window_length;
        place_advance(&place, source->window, length, source->window + source->window_length);
    }
    return place;
}

/* The place of the first byte of a line; false: it is not in the window. */
static bool line_start(const struct source *source, size_t line, struct source_place *place) {
    *place = source->cursor.line < line ? source->cursor : source->start;
    const unsigned char *window = (const unsigned char *)source->window;
    while (place->line < line && place->offset - source->start.offset < source->window_length) {
        place_step(place, window + (place->offset - source->start.offset), window + source->window_length);
    }
    return place->line == line && place->byte == 0;
}

bool source_line(const struct source *source, size_t line, struct text *text) {
    struct source_place place;
    if (!line_start(source, line, &place)) {
        return false;
    }
    size_t from = place.offset - source->start.offset, to = from;
    while (to < source->window_length && source->window[to] != '\n' && source->window[to] != '\r') {
        to++;
    }
    *text = (struct text){source->window + from, to - from};
    return true;
}

/* Where two equal bytes stand together, or `length`. */
static size_t find_pair(const char *bytes, size_t length, char byte) {
    for (size_t at = 0; at + 1 < length; at++) {
        if (bytes[at] == byte && bytes[at + 1] == byte) {
            return at;
        }
    }
    return length;
}

bool source_open_braces(const struct source *source, size_t line, struct source_place *place) {
    struct text text;
    if (!source->braces || !source_line(source, line, &text)) {
        return false;
    }
    size_t from = (size_t)(text.bytes - source->window), at = find_pair(text.bytes, text.length, '{');
    if (at < text.length) {
        *place = source_place_of(source, source->start.offset + from + at);
        return true;
    }
    for (at = from; at >= 2; at--) {
        const char *pair = source->window + at - 2;
        if (pair[0] == pair[1] && (pair[0] == '{' || pair[0] == '}')) {
            *place = source_place_of(source, source->start.offset + at - 2);
            return pair[0] == '{';
        }
    }
    return false;
}

bool source_seek_marker(struct source *source, size_t line, size_t *found) {
    struct source_place place;
    if (!line_start(source, line, &place)) {
        place = source->start;
    }
    source->cursor = place;
    source->next = place.offset - source->start.offset;
    for (bool fresh = place.byte == 0;; fresh = source->window[source->next++] == '\n') {
        while (source->window_length - source->next < 3 && source_fill(source)) {
        }
        if (source->window_length - source->next < 3) {
            return false;
        }
        if (fresh && memcmp(source->window + source->next, "---", 3) == 0) {
            break;
        }
    }
    place_advance(&source->cursor, source->window + (source->cursor.offset - source->start.offset),
                  source->start.offset + source->next - source->cursor.offset, source->window + source->window_length);
    *found = source->cursor.line;
    source->last = '\n';
    source->silent = 0;
    return true;
}

#include "analyzer/lint/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

enum { BLOCK = 128 * 1024 };

/* Lines are put together here; what is beyond the bound is passed over. */
struct lines {
    source_visit *visit;
    void *context;
    char line[SOURCE_LINE_MAX];
    size_t length;
    bool whole, goes_on;
    uint32_t number;
    unsigned char before[2]; /* the last two bytes, for breaks that are longer than one */
};

static void lines_end(struct lines *lines, size_t cut) {
    size_t length = lines->length - (cut < lines->length ? cut : lines->length);
    lines->goes_on = lines->visit(lines->context, ++lines->number, (struct text){lines->line, length}, lines->whole);
    lines->length = 0;
    lines->whole = true;
}

static void lines_keep(struct lines *lines, const char *bytes, size_t length) {
    size_t room = sizeof lines->line - lines->length;
    size_t kept = length < room ? length : room;
    memcpy(lines->line + lines->length, bytes, kept);
    lines->length += kept;
    lines->whole = lines->whole && kept == length;
}

/* How many bytes before `byte` belong to the break that it ends; -1: it ends none. Breaks are LF, CR LF, CR, NEL, LS, PS. */
static int break_before(const struct lines *lines, unsigned char byte) {
    if (byte == '\n')
        return 0;
    if (byte == 0x85 && lines->before[1] == 0xC2)
        return 1;
    if ((byte == 0xA8 || byte == 0xA9) && lines->before[0] == 0xE2 && lines->before[1] == 0x80)
        return 2;
    return -1;
}

/* Byte by byte, where a chunk has more than plain lines. */
static void lines_add_odd(struct lines *lines, const unsigned char *bytes, size_t length) {
    for (size_t i = 0; i < length && lines->goes_on; i++) {
        int cut = break_before(lines, bytes[i]);
        bool after_return = lines->before[1] == '\r';
        if (after_return)
            lines_end(lines, 0);
        if (cut >= 0 && !(after_return && bytes[i] == '\n'))
            lines_end(lines, (size_t)cut);
        else if (cut < 0 && bytes[i] != '\r')
            lines_keep(lines, (const char *)&bytes[i], 1);
        lines->before[0] = lines->before[1];
        lines->before[1] = bytes[i];
    }
}

static bool is_plain(const struct lines *lines, const char *bytes, size_t length) {
    return lines->before[1] < 0x80 && lines->before[1] != '\r' && !memchr(bytes, '\r', length) &&
           !memchr(bytes, 0xC2, length) && !memchr(bytes, 0xE2, length);
}

static void lines_add(struct lines *lines, const char *bytes, size_t length) {
    if (!is_plain(lines, bytes, length)) {
        lines_add_odd(lines, (const unsigned char *)bytes, length);
        return;
    }
    for (const char *at = bytes, *end = bytes + length; at < end && lines->goes_on;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        lines_keep(lines, at, (size_t)((stop ? stop : end) - at));
        if (stop)
            lines_end(lines, 0);
        at = stop ? stop + 1 : end;
    }
    lines->before[0] = length > 1 ? (unsigned char)bytes[length - 2] : lines->before[1];
    lines->before[1] = (unsigned char)bytes[length - 1];
}

static ssize_t read_block(int descriptor, char *block) {
    ssize_t got;
    do
        got = read(descriptor, block, BLOCK);
    while (got < 0 && errno == EINTR);
    return got;
}

static bool read_lines(int descriptor, struct lines *lines, char *block) {
    ssize_t got = read_block(descriptor, block);
    struct text first = {block, got > 0 ? (size_t)got : 0};
    size_t mark = text_starts_with(first, "\xEF\xBB\xBF") ? 3 : 0;
    if (text_starts_with(first, "\xFE\xFF") || text_starts_with(first, "\xFF\xFE"))
        return false;
    for (; got > 0 && lines->goes_on; got = read_block(descriptor, block), mark = 0)
        lines_add(lines, block + mark, (size_t)got - mark);
    if (got == 0 && lines->goes_on && (lines->length > 0 || lines->before[1] == '\r'))
        lines_end(lines, 0);
    return got >= 0;
}

bool source_read_lines(const char *file, source_visit *visit, void *context) {
    int descriptor = strcmp(file, "<stdin>") == 0 ? -1 : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return false;
    struct arena *scratch = arena_create();
    struct lines *lines = arena_alloc(scratch, sizeof *lines);
    *lines = (struct lines){.visit = visit, .context = context, .whole = true, .goes_on = true};
    bool well = read_lines(descriptor, lines, arena_alloc(scratch, BLOCK));
    arena_destroy(scratch);
    close(descriptor);
    return well;
}

#include "report/plain.h"

#include <string.h>

#include "base/arena.h"
#include "document/reader_encoding.h"
#include "report/text_parts.h"

/* Two code points that are valid UTF-8 and that no XML document may hold. */
static bool is_noncharacter(const char *bytes, size_t length) {
    return length == 3 && memcmp(bytes, "\xEF\xBF", 2) == 0 && ((unsigned char)bytes[2] & 0xFE) == 0xBE;
}

const char *plain_of(const char *string, struct arena *arena) {
    struct buffer painted, out;
    buffer_init(&painted, arena);
    paint_escaped(&painted, string);
    buffer_init(&out, arena);
    const char *at = buffer_string(&painted), *end = at + painted.length;
    while (at < end) {
        size_t length = utf8_length(at, end);
        if (length == 0 || is_noncharacter(at, length)) {
            buffer_print(&out, "\\x%02x", (unsigned char)*at);
            length = 1;
        } else if (*at == '\t') {
            buffer_add_char(&out, ' ');
        } else {
            buffer_add(&out, at, length);
        }
        at += length;
    }
    return buffer_string(&out);
}

static const char *skip_idle(const char *path) {
    for (;;) {
        if (path[0] == '.' && path[1] == '/') {
            path += 2;
        } else if (path[0] == '/') {
            path++;
        } else {
            return path;
        }
    }
}

const char *plain_path(const char *file, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    const char *at = file[0] == '/' ? file : skip_idle(file);
    while (*at) {
        buffer_add_char(&out, *at);
        at = *at == '/' ? skip_idle(at + 1) : at + 1;
    }
    return buffer_string(&out);
}

const char *plain_object(const struct object_name *object, struct arena *arena) {
    struct buffer name;
    buffer_init(&name, arena);
    if (object->kind) {
        text_object(&name, object);
    }
    return plain_of(buffer_string(&name), arena);
}

const char *plain_place(const struct location *location, struct arena *arena) {
    struct buffer place;
    buffer_init(&place, arena);
    report_write_location(&place, location);
    return plain_of(buffer_string(&place), arena);
}

const char *plain_subject(const struct finding *finding, struct arena *arena) {
    struct buffer subject;
    buffer_init(&subject, arena);
    text_subject(&subject, &finding->object, finding->path, finding->message);
    return plain_of(buffer_string(&subject), arena);
}

const char *plain_sentence(const char *message, struct arena *arena) {
    const char *plain = plain_of(message, arena);
    size_t length = strlen(plain);
    bool ended = length > 0 && strchr(".!?", plain[length - 1]);
    return ended ? plain : arena_format(arena, "%s.", plain);
}

#include "document/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "document/reader_build.h"
#include "document/reader_encoding.h"

/* A file's content as a whole; the arena is its own, so that it can go before the trees do. */
struct content {
    struct arena *arena;
    char *bytes;
    size_t length;
    bool too_large;
    int error; /* errno, or 0 */
};

static void note_encoding(struct reader *reader, const char *message) {
    struct diagnostic *diagnostic = reader_report(reader, CODE_ENCODING, 1, 1, message);
    diagnostic_set_severity(reader->diagnostics, diagnostic, SEVERITY_NOTE);
}

static void report_unreadable(struct reader *reader, int error) {
    reader_report(reader, CODE_UNREADABLE, 0, 0,
                  arena_format(reader->diagnostics->arena, "cannot be read: %s", strerror(error)));
    reader->file->state = FILE_UNREADABLE;
}

static void start_file(struct reader *reader, const char *name, const struct reader_options *options, struct file *file,
                       struct diagnostics *diagnostics) {
    *file = (struct file){.name = name};
    reader->options = options;
    reader->diagnostics = diagnostics;
    reader->file = file;
    reader->document_capacity = 0;
    reader->nodes = 0;
    reader->top = 0;
}

/* A template is skipped: what came before its first "{{" is none of its objects. */
static void end_file(struct reader *reader) {
    if (reader->file->state == FILE_TEMPLATE) {
        reader->file->count = 0;
    }
}

/* The most bytes without an event: a scalar's, and what is read ahead of it. */
static size_t silent_limit(const struct reader *reader) {
    size_t scalar = reader->options->limits.scalar;
    return scalar > SIZE_MAX - SOURCE_BLOCK ? SIZE_MAX : scalar + SOURCE_BLOCK;
}

/* Text as a whole. */

static void read_yaml(struct reader *reader, struct text text) {
    struct source source;
    source_open_text(&source, text, silent_limit(reader));
    reader_yaml(reader, &source);
    reader->file->may_ignore = source.ignores;
}

/* Whether the text is to be tried as JSON: it starts with "{", or is in a file that is called JSON. */
static bool may_be_json(const char *name, struct text text) {
    size_t at = 0;
    while (at < text.length && memchr(" \t\r\n", text.bytes[at], 4)) {
        at++;
    }
    return at < text.length && (text.bytes[at] == '{' || text_ends_with(text_of(name), ".json"));
}

static bool is_after(const struct location *a, const struct location *b) {
    return a->line > b->line || (a->line == b->line && a->column >= b->column);
}

/* No JSON. If it is no YAML either, the complaint stands that is to the point: of a file that is called JSON that of
 * the JSON reader, else of the reader that came farther. */
static void read_yaml_after_json(struct reader *reader, struct text text) {
    struct diagnostics *diagnostics = reader->diagnostics;
    struct file *file = reader->file, json = *file;
    struct diagnostic complaint = diagnostics->list[--diagnostics->count];
    diagnostics->errors--;
    size_t before = diagnostics->count;
    file->documents = NULL;
    file->count = reader->document_capacity = reader->nodes = 0;
    read_yaml(reader, text);
    if (file->state != FILE_BROKEN || diagnostics->count == before) {
        return;
    }
    const struct diagnostic *other = &diagnostics->list[diagnostics->count - 1];
    bool is_syntax = other->code == CODE_SYNTAX;
    if (is_syntax &&
        (text_ends_with(text_of(file->name), ".json") || is_after(&complaint.location, &other->location))) {
        diagnostics->errors -= diagnostics->count - before;
        diagnostics->count = before;
        *diagnostics_add(diagnostics, complaint.code, complaint.location, "%s", complaint.message) = complaint;
        file->documents = json.documents;
        file->count = json.count;
    }
}

static void read_utf8(struct reader *reader, struct text text) {
    if (!may_be_json(reader->file->name, text)) {
        read_yaml(reader, text);
        return;
    }
    switch (reader_json(reader, text)) {
    case JSON_READ:
        break;
    case JSON_REFUSED:
        reader->file->state = FILE_BROKEN;
        break;
    case JSON_SYNTAX:
        read_yaml_after_json(reader, text);
        break;
    }
}

static void read_utf16(struct reader *reader, struct text bytes, enum text_encoding encoding) {
    struct arena *arena = arena_create();
    struct text text;
    note_encoding(reader, "the text is UTF-16");
    bool whole = encoding_from_utf16(bytes, encoding, arena, &text);
    if (whole) {
        read_utf8(reader, text);
    } else {
        struct source source;
        source_open_text(&source, text, 0);
        struct source_place place = source_place_of(&source, text.length);
        reader_report(reader, CODE_ENCODING, (uint32_t)place.line + 1, (uint32_t)place.byte + 1,
                      "these bytes are not UTF-16");
        reader->file->state = FILE_BROKEN;
    }
    arena_destroy(arena);
}

static void read_text(struct reader *reader, struct text bytes) {
    size_t mark_length;
    enum text_encoding encoding = encoding_of(bytes, &mark_length);
    struct text rest = {bytes.bytes + mark_length, bytes.length - mark_length};
    if (encoding != ENCODING_UTF8) {
        read_utf16(reader, rest, encoding);
        return;
    }
    if (mark_length > 0) {
        note_encoding(reader, "the text starts with a byte order mark");
    }
    read_utf8(reader, rest);
}

void reader_text(struct reader *reader, const char *name, struct text bytes, const struct reader_options *options,
                 struct file *file, struct diagnostics *diagnostics) {
    start_file(reader, name, options, file, diagnostics);
    file->bytes = bytes.length;
    if (bytes.length > options->limits.bytes) {
        reader_limit(reader, LIMIT_BYTES, 0, 0);
        return;
    }
    read_text(reader, bytes);
    end_file(reader);
}

/* Descriptors. */

/* What is known of the size before reading: enough for a regular file, a first guess for a pipe. */
static size_t expected_size(int descriptor) {
    struct stat status;
    bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    return regular ? (size_t)status.st_size : SOURCE_BLOCK;
}

/* Twice the room, in a new arena, so that the old bytes are returned at once. */
static void content_grow(struct content *content, size_t *capacity) {
    struct arena *arena = arena_create();
    char *bytes = arena_alloc(arena, *capacity * 2 + 1);
    memcpy(bytes, content->bytes, content->length);
    arena_destroy(content->arena);
    content->arena = arena;
    content->bytes = bytes;
    *capacity *= 2;
}

/* All that the descriptor holds, after `first`, which was read already. */
static struct content content_read(int descriptor, struct text first, size_t limit) {
    size_t capacity = expected_size(descriptor) + 1;
    capacity = capacity < first.length + 1 ? first.length + 1 : capacity;
    struct content content = {.arena = arena_create(), .length = first.length};
    content.bytes = arena_alloc(content.arena, capacity + 1);
    if (first.length > 0) {
        memcpy(content.bytes, first.bytes, first.length);
    }
    for (;;) {
        if (content.length > limit) {
            content.too_large = true;
            return content;
        }
        if (content.length == capacity) {
            content_grow(&content, &capacity);
        }
        ssize_t got = read(descriptor, content.bytes + content.length, capacity - content.length);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            content.error = got < 0 ? errno : 0;
            content.bytes[content.length] = '\0';
            return content;
        }
        content.length += got > 0 ? (size_t)got : 0;
    }
}

static void read_whole(struct reader *reader, int descriptor, struct text first) {
    struct content content = content_read(descriptor, first, reader->options->limits.bytes);
    reader->file->bytes = content.length;
    if (content.error) {
        report_unreadable(reader, content.error);
    } else if (content.too_large) {
        reader_limit(reader, LIMIT_BYTES, 0, 0);
    } else {
        read_text(reader, (struct text){content.bytes, content.length});
    }
    arena_destroy(content.arena);
}

/* YAML streams through the window; JSON and UTF-16 are read as a whole. */
static void read_descriptor(struct reader *reader, int descriptor) {
    struct source source;
    size_t mark_length;
    if (!reader->blocks) {
        reader->blocks = arena_alloc(reader->scratch, 2 * SOURCE_BLOCK);
    }
    source_open_descriptor(&source, descriptor, reader->blocks, reader->options->limits.bytes, silent_limit(reader));
    struct text first = {source.window, source.window_length};
    enum text_encoding encoding = encoding_of(first, &mark_length);
    struct text rest = {first.bytes + mark_length, first.length - mark_length};
    if (source.stop == SOURCE_GOES_ON && (encoding != ENCODING_UTF8 || may_be_json(reader->file->name, rest))) {
        read_whole(reader, descriptor, first);
        return;
    }
    if (mark_length > 0) {
        note_encoding(reader, "the text starts with a byte order mark");
        source_skip_mark(&source, mark_length);
    }
    reader_yaml(reader, &source);
    reader->file->bytes = source.total;
    reader->file->may_ignore = source.ignores;
}

void reader_descriptor(struct reader *reader, const char *name, int descriptor, const struct reader_options *options,
                       struct file *file, struct diagnostics *diagnostics) {
    struct stat status;
    start_file(reader, name, options, file, diagnostics);
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        (uintmax_t)status.st_size > options->limits.bytes) {
        file->bytes = (size_t)status.st_size;
        reader_limit(reader, LIMIT_BYTES, 0, 0);
        return;
    }
    read_descriptor(reader, descriptor);
    end_file(reader);
}

void reader_read_text(const char *name, struct text bytes, const struct reader_options *options, struct arena *arena,
                      struct file *file, struct diagnostics *diagnostics) {
    struct reader *reader = reader_create(arena);
    reader_text(reader, name, bytes, options, file, diagnostics);
    reader_destroy(reader);
}

void reader_read_descriptor(const char *name, int descriptor, const struct reader_options *options, struct arena *arena,
                            struct file *file, struct diagnostics *diagnostics) {
    struct reader *reader = reader_create(arena);
    reader_descriptor(reader, name, descriptor, options, file, diagnostics);
    reader_destroy(reader);
}

bool reader_slurp(const char *path, const struct limits *limits, struct arena *arena, struct text *content,
                  struct diagnostics *diagnostics) {
    bool standard = strcmp(path, "-") == 0;
    struct location location = {.file = standard ? "<stdin>" : path};
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct content read = {.error = errno};
    if (descriptor >= 0) {
        read = content_read(descriptor, (struct text){NULL, 0}, limits->bytes);
    }
    if (descriptor >= 0 && !standard) {
        close(descriptor);
    }
    if (read.error) {
        diagnostics_add(diagnostics, CODE_UNREADABLE, location, "cannot be read: %s", strerror(read.error));
    } else if (read.too_large) {
        diagnostics_add(diagnostics, CODE_LIMIT, location,
                        "the file is larger than %zu bytes; --max-bytes moves this limit", limits->bytes);
    } else {
        *content = (struct text){arena_copy(arena, read.bytes, read.length), read.length};
    }
    bool whole = !read.error && !read.too_large;
    arena_destroy(read.arena);
    return whole;
}

#include "compiler/source_lines.h"

#include <string.h>

#include "base/arena.h"

enum { EXCERPT_MAX = 4096 };

void source_lines_init(struct source_lines *lines, const char *file, struct text text, struct arena *arena) {
    *lines = (struct source_lines){.file = file, .text = text};
    if (text_starts_with(text, "\xFE\xFF") || text_starts_with(text, "\xFF\xFE")) {
        return;
    }
    size_t capacity = 0;
    for (size_t at = 0; at < text.length;) {
        lines->starts = arena_grow(arena, lines->starts, &capacity, lines->count + 1, sizeof *lines->starts);
        lines->starts[lines->count++] = at;
        const char *end = memchr(text.bytes + at, '\n', text.length - at);
        at = end ? (size_t)(end - text.bytes) + 1 : text.length;
    }
}

/* NULL: there is no such line, or it is too long to help. */
static const char *line_text(const struct source_lines *lines, uint32_t line, struct arena *arena) {
    if (line == 0 || line > lines->count) {
        return NULL;
    }
    size_t start = lines->starts[line - 1];
    size_t end = line < lines->count ? lines->starts[line] : lines->text.length;
    while (end > start && (lines->text.bytes[end - 1] == '\n' || lines->text.bytes[end - 1] == '\r')) {
        end--;
    }
    return end - start <= EXCERPT_MAX ? arena_copy(arena, lines->text.bytes + start, end - start) : NULL;
}

void source_lines_excerpt(const struct source_lines *lines, struct diagnostics *diagnostics) {
    for (size_t i = 0; i < diagnostics->count; i++) {
        struct diagnostic *diagnostic = &diagnostics->list[i];
        const char *file = diagnostic->location.file;
        if (!diagnostic->excerpt && file && strcmp(file, lines->file) == 0) {
            diagnostic->excerpt = line_text(lines, diagnostic->location.line, diagnostics->arena);
        }
    }
}

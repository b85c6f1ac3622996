#include <string.h>

#include "report/text_parts.h"

/* Of a source line this many bytes are shown, up to so many of them before the caret: lines may be millions of bytes long,
 * and with what stands around them they fit into the 80 columns of a terminal, as a caret below a line that wraps points
 * nowhere. */
enum { SHOWN = 68, BEFORE_CARET = 40 };

static bool continues_character(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

/* The part of the line that is shown; `at` is the byte that the caret points at. */
struct window {
    size_t from, to, at;
};

static struct window window_of(struct text line, uint32_t column) {
    size_t at = column - 1;
    struct window window = {.from = 0, .to = line.length, .at = at};
    if (line.length > SHOWN) {
        size_t last = line.length - SHOWN;
        window.from = at > BEFORE_CARET ? at - BEFORE_CARET : 0;
        window.from = window.from < last ? window.from : last;
        window.to = window.from + SHOWN;
    }
    while (window.from < at && continues_character(line.bytes[window.from])) {
        window.from++;
    }
    while (window.to > at && window.to < line.length && continues_character(line.bytes[window.to])) {
        window.to--;
    }
    return window;
}

/* Blanks up to where the caret stands, as wide as what is shown before it; tabs stay, whatever their width is. */
static void write_pad(struct buffer *out, struct text before) {
    struct buffer shown;
    buffer_init(&shown, out->arena);
    paint_escaped_text(&shown, before);
    for (size_t i = 0; i < shown.length; i++) {
        if (!continues_character(shown.bytes[i])) {
            buffer_add_char(out, shown.bytes[i] == '\t' ? '\t' : ' ');
        }
    }
}

static void write_excerpt(struct buffer *out, const struct diagnostic *diagnostic,
                          const struct report_options *options) {
    struct text line = text_of(diagnostic->excerpt);
    uint32_t column = diagnostic->location.column;
    if (column == 0 || column > line.length + 1 || text_trim(line).length == 0) {
        return; /* nothing to point at */
    }
    struct window window = window_of(line, column);
    buffer_add_string(out, window.from > 0 ? "    ..." : "    ");
    paint_escaped_text(out, (struct text){.bytes = line.bytes + window.from, .length = window.to - window.from});
    buffer_add_string(out, window.to < line.length ? "...\n" : "\n");
    buffer_add_string(out, window.from > 0 ? "       " : "    ");
    write_pad(out, (struct text){.bytes = line.bytes + window.from, .length = window.at - window.from});
    paint_string(out, options, PAINT_CARET, "^");
    buffer_add_char(out, '\n');
}

static void write_subject(struct buffer *out, const struct diagnostic *diagnostic) {
    struct buffer subject;
    buffer_init(&subject, out->arena);
    text_subject(&subject, &diagnostic->object, diagnostic->path, diagnostic->message);
    if (subject.length > 0) {
        buffer_print(out, "    at %s\n", buffer_string(&subject));
    }
}

static void write_diagnostic(struct buffer *out, const struct diagnostic *diagnostic,
                             const struct report_options *options) {
    text_opening(out, options, &diagnostic->location, diagnostic->severity);
    paint_escaped(out, diagnostic->message);
    text_closing(out, diagnostic->code);
    if (diagnostic->excerpt) {
        write_excerpt(out, diagnostic, options);
    }
    write_subject(out, diagnostic);
    for (const struct diagnostic_note *note = diagnostic->notes; note; note = note->next) {
        buffer_add_string(out, "    ");
        text_opening(out, options, &note->location, SEVERITY_NOTE);
        paint_escaped(out, note->message);
        buffer_add_char(out, '\n');
    }
}

void report_write_diagnostics(struct buffer *out, const struct diagnostic *list, size_t count,
                              const struct report_options *options) {
    for (size_t i = 0; i < count; i++) {
        if (!options->quiet || list[i].severity == SEVERITY_ERROR) {
            write_diagnostic(out, &list[i], options);
        }
    }
}

#include "report/paint.h"

#include <string.h>

static const char *const sequences[] = {
    [PAINT_PLACE] = "\033[1m",   [PAINT_ERROR] = "\033[1;31m", [PAINT_WARNING] = "\033[1;35m",
    [PAINT_NOTE] = "\033[1;36m", [PAINT_PASS] = "\033[1;32m",  [PAINT_CARET] = "\033[32m"};
_Static_assert(sizeof sequences / sizeof sequences[0] == PAINT_COUNT, "a sequence for each paint");

void paint_begin(struct buffer *out, const struct report_options *options, enum paint paint) {
    if (options->color) {
        buffer_add_string(out, sequences[paint]);
    }
}

void paint_end(struct buffer *out, const struct report_options *options) {
    if (options->color) {
        buffer_add_string(out, "\033[0m");
    }
}

void paint_string(struct buffer *out, const struct report_options *options, enum paint paint, const char *string) {
    paint_begin(out, options, paint);
    buffer_add_string(out, string);
    paint_end(out, options);
}

/* How many bytes at the start of `rest` (not empty) make one mark that turns the direction of writing (U+202A to U+202E,
 * U+2066 to U+2069) or a control character of two bytes (U+0080 to U+009F); 0: none. */
static size_t hidden_mark(const unsigned char *rest, size_t length) {
    if (length >= 2 && rest[0] == 0xC2 && rest[1] >= 0x80 && rest[1] <= 0x9F) {
        return 2;
    }
    if (length >= 3 && rest[0] == 0xE2) {
        bool embedding = rest[1] == 0x80 && rest[2] >= 0xAA && rest[2] <= 0xAE;
        bool isolate = rest[1] == 0x81 && rest[2] >= 0xA6 && rest[2] <= 0xA9;
        return embedding || isolate ? 3 : 0;
    }
    return 0;
}

void paint_escaped_text(struct buffer *out, struct text text) {
    const unsigned char *bytes = (const unsigned char *)text.bytes;
    for (size_t i = 0; i < text.length;) {
        size_t hidden = hidden_mark(bytes + i, text.length - i);
        bool control = (bytes[i] < 0x20 && bytes[i] != '\t') || bytes[i] == 0x7F;
        if (bytes[i] == '\n') {
            buffer_add_string(out, "\\n");
            i++;
        } else if (hidden == 0 && !control) {
            buffer_add_char(out, text.bytes[i++]);
        } else {
            for (size_t end = i + (hidden ? hidden : 1); i < end; i++) {
                buffer_print(out, "\\x%02x", bytes[i]);
            }
        }
    }
}

void paint_escaped(struct buffer *out, const char *string) { paint_escaped_text(out, text_of(string)); }

void paint_place(struct buffer *out, const struct report_options *options, const struct location *location) {
    if (location->file) {
        paint_begin(out, options, PAINT_PLACE);
        report_write_location(out, location);
        buffer_add_char(out, ':');
        paint_end(out, options);
        buffer_add_char(out, ' ');
    }
}

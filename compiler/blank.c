#include "compiler/blank.h"

#include <string.h>

/* White space of Unicode beyond ASCII, and U+FEFF. */
static const char *const wide_blanks[] = {
    "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84",
    "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
    "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF",
};

static struct text drop_wide(struct text text) {
    for (size_t i = 0; i < sizeof wide_blanks / sizeof *wide_blanks; i++) {
        size_t size = strlen(wide_blanks[i]);
        if (text_starts_with(text, wide_blanks[i])) {
            return (struct text){text.bytes + size, text.length - size};
        }
        if (text_ends_with(text, wide_blanks[i])) {
            return (struct text){text.bytes, text.length - size};
        }
    }
    return text;
}

struct text blank_trim(struct text text) {
    struct text before;
    do {
        before = text;
        text = drop_wide(text_trim(text));
    } while (text.length != before.length);
    return text;
}

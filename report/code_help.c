#include "report/code_help.h"

#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/code_document.h"

#define HEADING "## "
#define FENCE "```"

const char *code_help_markdown(enum code code) {
    const char *page = code_document(code);
    const char *body = page ? strchr(page, '\n') : NULL;
    return body ? body + strspn(body, "\n") : code_summary(code);
}

/* Takes the next line, without its end; false: there is none. */
static bool next_line(const char **rest, struct text *line) {
    if (!(*rest)[0]) {
        return false;
    }
    line->bytes = *rest;
    line->length = strcspn(*rest, "\n");
    *rest += line->length;
    *rest += (*rest)[0] == '\n';
    return true;
}

void code_help_write(struct buffer *out, enum code code) {
    const char *rest = code_help_markdown(code);
    struct text line;
    bool fenced = false;
    while (next_line(&rest, &line)) {
        if (text_starts_with(line, FENCE)) {
            fenced = !fenced;
            continue;
        }
        if (!fenced && text_starts_with(line, HEADING)) {
            line.bytes += strlen(HEADING);
            line.length -= strlen(HEADING);
        }
        buffer_add_string(out, fenced && line.length > 0 ? "    " : "");
        buffer_add_text(out, line);
        buffer_add_char(out, '\n');
    }
}

const char *code_help_sentence(enum code code, struct arena *arena) {
    char *sentence = arena_format(arena, "%s.", code_summary(code));
    if (ascii_is_lower(sentence[0])) {
        sentence[0] = (char)(sentence[0] - 'a' + 'A');
    }
    return sentence;
}

const char *code_help_meaning(enum code code, struct arena *arena) {
    const char *rest = code_document(code) ? code_help_markdown(code) : "";
    struct buffer meaning;
    struct text line;
    buffer_init(&meaning, arena);
    while (next_line(&rest, &line)) {
        if (text_starts_with(line, HEADING)) {
            if (meaning.length > 0) {
                break;
            }
        } else if (text_starts_with(line, FENCE) && meaning.length > 0) {
            break;
        } else if (line.length > 0) {
            buffer_add_string(&meaning, meaning.length > 0 ? " " : "");
            buffer_add_text(&meaning, line);
        }
    }
    return meaning.length > 0 ? buffer_string(&meaning) : code_help_sentence(code, arena);
}

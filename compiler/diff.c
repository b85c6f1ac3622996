#include "compiler/diff.h"

#include <string.h>

#include "base/arena.h"

enum { DIFF_CONTEXT = 3, DIFF_CELLS_MAX = 16000000 };

/* A text as lines; each keeps its newline, so that a missing last one is a difference. */
struct diff_lines {
    struct text *list;
    size_t count;
};

/* What happens to a line: kept, or removed from the old text, or added from the new one. */
enum edit { EDIT_KEEP = ' ', EDIT_REMOVE = '-', EDIT_ADD = '+' };

struct diff_edit {
    enum edit edit;
    struct text line;
};

struct diff_script {
    struct diff_edit *list;
    size_t count;
};

static struct diff_lines split(struct arena *arena, struct text text) {
    struct diff_lines lines = {arena_array(arena, 0, sizeof *lines.list), 0};
    size_t capacity = 0;
    for (size_t at = 0; at < text.length;) {
        const char *end = memchr(text.bytes + at, '\n', text.length - at);
        size_t length = end ? (size_t)(end - text.bytes) + 1 - at : text.length - at;
        lines.list = arena_grow(arena, lines.list, &capacity, lines.count + 1, sizeof *lines.list);
        lines.list[lines.count++] = (struct text){text.bytes + at, length};
        at += length;
    }
    return lines;
}

static void add_edit(struct diff_script *script, enum edit edit, struct text line) {
    script->list[script->count++] = (struct diff_edit){edit, line};
}

/* Lengths of longest common subsequences of the ends of both, by index; NULL: too many lines to look for one. */
static uint32_t *common_lengths(struct arena *arena, struct diff_lines a, struct diff_lines b) {
    if (a.count == 0 || b.count == 0 || a.count > DIFF_CELLS_MAX / b.count) {
        return NULL;
    }
    size_t width = b.count + 1;
    uint32_t *lengths = arena_array(arena, (a.count + 1) * width, sizeof *lengths);
    for (size_t i = a.count; i-- > 0;) {
        for (size_t j = b.count; j-- > 0;) {
            uint32_t down = lengths[(i + 1) * width + j], right = lengths[i * width + j + 1];
            uint32_t both = lengths[(i + 1) * width + j + 1] + 1;
            lengths[i * width + j] = text_equal(a.list[i], b.list[j]) ? both : down > right ? down : right;
        }
    }
    return lengths;
}

/* The middle, where both texts differ. Without lengths all of one is removed and all of the other added. */
static void edit_middle(struct arena *arena, struct diff_lines a, struct diff_lines b, struct diff_script *script) {
    uint32_t *lengths = common_lengths(arena, a, b);
    size_t i = 0, j = 0, width = b.count + 1;
    while (lengths && i < a.count && j < b.count) {
        if (text_equal(a.list[i], b.list[j])) {
            add_edit(script, EDIT_KEEP, a.list[i]);
            i++, j++;
        } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
            add_edit(script, EDIT_REMOVE, a.list[i++]);
        } else {
            add_edit(script, EDIT_ADD, b.list[j++]);
        }
    }
    while (i < a.count) {
        add_edit(script, EDIT_REMOVE, a.list[i++]);
    }
    while (j < b.count) {
        add_edit(script, EDIT_ADD, b.list[j++]);
    }
}

static struct diff_script compare(struct arena *arena, struct diff_lines a, struct diff_lines b) {
    struct diff_script script = {arena_array(arena, a.count + b.count, sizeof *script.list), 0};
    size_t start = 0, end = 0, shorter = a.count < b.count ? a.count : b.count;
    while (start < shorter && text_equal(a.list[start], b.list[start])) {
        start++;
    }
    while (end < shorter - start && text_equal(a.list[a.count - 1 - end], b.list[b.count - 1 - end])) {
        end++;
    }
    for (size_t i = 0; i < start; i++) {
        add_edit(&script, EDIT_KEEP, a.list[i]);
    }
    struct diff_lines middle_a = {a.list + start, a.count - start - end};
    struct diff_lines middle_b = {b.list + start, b.count - start - end};
    edit_middle(arena, middle_a, middle_b, &script);
    for (size_t i = a.count - end; i < a.count; i++) {
        add_edit(&script, EDIT_KEEP, a.list[i]);
    }
    return script;
}

/* "start,count" of a hunk; of an empty side the line before it, of one line no count. */
static void print_range(struct buffer *out, size_t lines_before, size_t count) {
    size_t start = count ? lines_before + 1 : lines_before;
    if (count == 1) {
        buffer_print(out, "%zu", start);
    } else {
        buffer_print(out, "%zu,%zu", start, count);
    }
}

static void print_line(struct buffer *out, const struct diff_edit *edit) {
    buffer_add_char(out, (char)edit->edit);
    buffer_add_text(out, edit->line);
    if (edit->line.bytes[edit->line.length - 1] != '\n') {
        buffer_add_string(out, "\n\\ No newline at end of file\n");
    }
}

/* Where the hunk that begins at `from` ends: at the first change after which more than twice the context is kept. */
static size_t hunk_end(const struct diff_script *script, size_t from) {
    size_t last = from;
    for (size_t i = from; i < script->count && i - last <= 2 * DIFF_CONTEXT + 1; i++) {
        if (script->list[i].edit != EDIT_KEEP) {
            last = i;
        }
    }
    return last + 1;
}

/* Prints the hunk of the changes [from, to) with its context, which `start` begins; counts lines of both texts. */
static void print_hunk(struct buffer *out, const struct diff_script *script, size_t start, size_t end, size_t before_a,
                       size_t before_b) {
    size_t count_a = 0, count_b = 0;
    for (size_t i = start; i < end; i++) {
        count_a += script->list[i].edit != EDIT_ADD;
        count_b += script->list[i].edit != EDIT_REMOVE;
    }
    buffer_add_string(out, "@@ -");
    print_range(out, before_a, count_a);
    buffer_add_string(out, " +");
    print_range(out, before_b, count_b);
    buffer_add_string(out, " @@\n");
    for (size_t i = start; i < end; i++) {
        print_line(out, &script->list[i]);
    }
}

static void print_hunks(struct buffer *out, const struct diff_script *script) {
    size_t line_a = 0, line_b = 0, printed = 0;
    for (size_t i = 0; i < script->count;) {
        if (script->list[i].edit == EDIT_KEEP) {
            i++;
            continue;
        }
        size_t start = i - printed > DIFF_CONTEXT ? i - DIFF_CONTEXT : printed;
        size_t changed = hunk_end(script, i);
        size_t end = script->count - changed > DIFF_CONTEXT ? changed + DIFF_CONTEXT : script->count;
        for (size_t k = printed; k < start; k++) {
            line_a += script->list[k].edit != EDIT_ADD;
            line_b += script->list[k].edit != EDIT_REMOVE;
        }
        print_hunk(out, script, start, end, line_a, line_b);
        for (size_t k = start; k < end; k++) {
            line_a += script->list[k].edit != EDIT_ADD;
            line_b += script->list[k].edit != EDIT_REMOVE;
        }
        printed = i = end;
    }
}

bool diff_unified(struct buffer *out, const char *before_name, struct text before, const char *after_name,
                  struct text after) {
    if (text_equal(before, after)) {
        return false;
    }
    /* The work lives in an arena of its own: `out` must be able to grow in place. */
    struct arena *arena = arena_create();
    struct diff_script script = compare(arena, split(arena, before), split(arena, after));
    buffer_print(out, "--- %s\n+++ %s\n", before_name, after_name);
    print_hunks(out, &script);
    arena_destroy(arena);
    return true;
}

/*
 * Fixes: from what is to be mended to bytes of a file (spec/lint.md, `--fix`).
 *
 * Nodes know their line and column, so the text is read again and looked at: what does not stand there as it was read (an
 * anchor, an escape, a file that changed) is left alone.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/lint/check.h"
#include "base/arena.h"
#include "document/scalar.h"

void lint_propose(struct lint *lint, const struct diagnostic *finding, enum lint_edit_kind kind,
                  const struct node *node, const char *text) {
    if (!lint->request->fix || !node || (node->flags & (NODE_GENERATED | NODE_MERGED)))
        return;
    if (lint->edit_count == lint->edit_capacity)
        lint->edits =
            arena_grow(lint->arena, lint->edits, &lint->edit_capacity, lint->edit_count + 1, sizeof *lint->edits);
    lint->edits[lint->edit_count++] = (struct lint_edit){.kind = kind,
                                                         .code = finding->code,
                                                         .location = finding->location,
                                                         .path = finding->path,
                                                         .place = node_location(finding->location.file, node),
                                                         .expected = node_text(node),
                                                         .text = text};
}

/* ---- a place in a text ---- */

struct spot {
    struct text text;     /* of the file */
    size_t at;            /* of the node */
    size_t line, next;    /* where its line begins, and the one after it */
    const char *line_end; /* "\n" or "\r\n" */
};

/* Where the next line begins; line breaks are LF, CR LF and CR. */
static size_t line_after(struct text text, size_t at) {
    while (at < text.length && text.bytes[at] != '\n' && text.bytes[at] != '\r')
        at++;
    if (at + 1 < text.length && text.bytes[at] == '\r' && text.bytes[at + 1] == '\n')
        return at + 2;
    return at < text.length ? at + 1 : at;
}

/* Goes on from line `*line`, which begins at `*start`. */
static bool spot_find(struct text text, const struct location *place, size_t *start, uint32_t *line,
                      struct spot *spot) {
    while (*line < place->line && *start < text.length) {
        *start = line_after(text, *start);
        ++*line;
    }
    *spot = (struct spot){.text = text, .line = *start, .next = line_after(text, *start), .line_end = "\n"};
    spot->at = *start + (place->column > 0 ? place->column - 1 : 0);
    if (spot->next - *start >= 2 && text.bytes[spot->next - 2] == '\r')
        spot->line_end = "\r\n";
    return *line == place->line && spot->at <= spot->next;
}

static bool stands_at(const struct spot *spot, size_t at, struct text expected) {
    return at + expected.length <= spot->text.length &&
           memcmp(spot->text.bytes + at, expected.bytes, expected.length) == 0;
}

/* Whether a plain scalar ends here. */
static bool ends_at(const struct spot *spot, size_t at) {
    return at >= spot->text.length || memchr(" \t\r\n,]}", spot->text.bytes[at], 7) ||
           (spot->text.bytes[at] == ':' && ends_at(spot, at + 1));
}

static bool is_blank(const struct spot *spot, size_t from, size_t to) {
    for (; from < to; from++)
        if (spot->text.bytes[from] != ' ')
            return false;
    return true;
}

/* ---- the kinds of edits; false: the text is not what it was ---- */

typedef bool edit_resolver(const struct lint_edit *edit, const struct spot *spot, struct arena *arena,
                           struct lint_fix *fix);

static char quote_at(const struct spot *spot) {
    char byte = spot->at < spot->text.length ? spot->text.bytes[spot->at] : '\0';
    return byte == '"' || byte == '\'' ? byte : '\0';
}

static bool resolve_scalar(const struct lint_edit *edit, const struct spot *spot, struct arena *arena,
                           struct lint_fix *fix) {
    char quote = quote_at(spot);
    size_t from = spot->at + (quote != '\0'), to = from + edit->expected.length;
    (void)arena;
    if (!stands_at(spot, from, edit->expected) || (quote ? spot->text.bytes[to] != quote : !ends_at(spot, to)))
        return false;
    fix->first = from;
    fix->last = to;
    fix->text = edit->text;
    return true;
}

static bool resolve_unquote(const struct lint_edit *edit, const struct spot *spot, struct arena *arena,
                            struct lint_fix *fix) {
    if (!quote_at(spot) || !resolve_scalar(edit, spot, arena, fix))
        return false;
    fix->first--;
    fix->last++;
    return true;
}

static bool resolve_key(const struct lint_edit *edit, const struct spot *spot, struct arena *arena,
                        struct lint_fix *fix) {
    size_t to = spot->at;
    while (to < spot->next && !ends_at(spot, to))
        to++;
    struct text written = {spot->text.bytes + spot->at, to - spot->at};
    const char *key = written.length > 0 && !quote_at(spot) ? scalar_key(arena, written) : NULL;
    if (!key || !text_is(edit->expected, key))
        return false;
    fix->first = spot->at;
    fix->last = to;
    fix->text = arena_format(arena, "\"%.*s\"", (int)written.length, written.bytes);
    return true;
}

/* Comments of the same indentation right above a key belong to it. */
static size_t before_comments(const struct spot *spot, size_t indentation) {
    size_t start = spot->line;
    while (start > 0) {
        size_t above = start - 1;
        while (above > 0 && spot->text.bytes[above - 1] != '\n' && spot->text.bytes[above - 1] != '\r')
            above--;
        if (above + indentation >= start || !is_blank(spot, above, above + indentation) ||
            spot->text.bytes[above + indentation] != '#')
            break;
        start = above;
    }
    return start;
}

static bool resolve_insert(const struct lint_edit *edit, const struct spot *spot, struct arena *arena,
                           struct lint_fix *fix) {
    size_t indentation = spot->at - spot->line;
    if (!stands_at(spot, spot->at, edit->expected) || !is_blank(spot, spot->line, spot->at))
        return false;
    fix->first = fix->last = before_comments(spot, indentation);
    fix->text = arena_format(arena, "%*s%s%s", (int)indentation, "", edit->text, spot->line_end);
    return true;
}

static bool resolve_remove(const struct lint_edit *edit, const struct spot *spot, struct arena *arena,
                           struct lint_fix *fix) {
    struct text line = text_trim((struct text){spot->text.bytes + spot->line, spot->next - spot->line});
    (void)edit, (void)arena;
    if (!text_is(line, "-") && !text_is(line, "- null") && !text_is(line, "- ~"))
        return false;
    fix->first = spot->line;
    fix->last = spot->next;
    fix->text = "";
    return true;
}

static edit_resolver *const resolvers[] = {
    [LINT_EDIT_SCALAR] = resolve_scalar, [LINT_EDIT_UNQUOTE] = resolve_unquote, [LINT_EDIT_KEY] = resolve_key,
    [LINT_EDIT_INSERT] = resolve_insert, [LINT_EDIT_REMOVE] = resolve_remove,
};

/* ---- files ---- */

static int compare_places(const struct location *a, const struct location *b) {
    int order = string_compare(a->file, b->file);
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    return order ? order : (a->column > b->column) - (a->column < b->column);
}

/* Whether the finding that an edit mends is still there, and not ignored. */
static bool is_wanted(const struct diagnostics *findings, const struct lint_edit *edit) {
    size_t low = 0, high = findings->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&findings->list[middle].location, &edit->location) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < findings->count && compare_places(&findings->list[low].location, &edit->location) == 0; low++)
        if (findings->list[low].code == edit->code)
            return true;
    return false;
}

static int compare_edits(const void *a, const void *b) {
    const struct lint_edit *left = a, *right = b;
    return compare_places(&left->place, &right->place);
}

static int compare_fixes(const void *a, const void *b) {
    const struct lint_fix *left = a, *right = b;
    int order = string_compare(left->file, right->file);
    if (!order)
        order = (left->first > right->first) - (left->first < right->first);
    return order ? order : (left->last > right->last) - (left->last < right->last);
}

/* The text of a file as nodes count it; false: it cannot be read, or counts otherwise. */
static bool read_text(const char *file, struct arena *scratch, struct text *text, size_t *mark) {
    const struct limits limits = limits_default();
    struct diagnostics unused;
    diagnostics_init(&unused, scratch);
    if (strcmp(file, "<stdin>") == 0 || !reader_slurp(file, &limits, scratch, text, &unused))
        return false;
    *mark = text_starts_with(*text, "\xEF\xBB\xBF") ? 3 : 0;
    return !text_starts_with(*text, "\xFE\xFF") && !text_starts_with(*text, "\xFF\xFE");
}

static size_t resolve_file(struct lint *lint, const struct lint_edit *edits, size_t count, struct lint_fix *fixes) {
    struct arena *scratch = arena_create();
    struct text text;
    size_t mark, start, resolved = 0;
    uint32_t line = 1;
    if (read_text(edits->place.file, scratch, &text, &mark)) {
        struct text body = {text.bytes + mark, text.length - mark};
        uint64_t hash = text_hash(text);
        start = 0;
        for (size_t i = 0; i < count; i++) {
            struct spot spot;
            struct lint_fix fix = {.file = edits[i].place.file,
                                   .code = edits[i].code,
                                   .location = edits[i].location,
                                   .path = edits[i].path,
                                   .size = text.length,
                                   .hash = hash};
            if (!is_wanted(lint->findings, &edits[i]) || !spot_find(body, &edits[i].place, &start, &line, &spot) ||
                !resolvers[edits[i].kind](&edits[i], &spot, lint->arena, &fix))
                continue;
            fix.first += mark;
            fix.last += mark;
            fixes[resolved++] = fix;
        }
    }
    arena_destroy(scratch);
    return resolved;
}

/* Of edits that meet, the first stands; the others wait for the next run. */
static size_t drop_overlaps(struct lint_fix *fixes, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct lint_fix *last = kept > 0 ? &fixes[kept - 1] : NULL;
        bool meets = last && strcmp(last->file, fixes[i].file) == 0 &&
                     (fixes[i].first < last->last || (fixes[i].first == last->first && fixes[i].last == last->last));
        if (!meets)
            fixes[kept++] = fixes[i];
    }
    return kept;
}

const struct lint_fix *lint_resolve(struct lint *lint, size_t *fix_count) {
    struct lint_fix *fixes = arena_array(lint->arena, lint->edit_count + 1, sizeof *fixes);
    size_t count = 0;
    if (lint->edit_count > 1)
        qsort(lint->edits, lint->edit_count, sizeof *lint->edits, compare_edits);
    for (size_t start = 0, end; start < lint->edit_count; start = end) {
        for (end = start + 1;
             end < lint->edit_count && strcmp(lint->edits[end].place.file, lint->edits[start].place.file) == 0;)
            end++;
        count += resolve_file(lint, &lint->edits[start], end - start, &fixes[count]);
    }
    if (count > 1)
        qsort(fixes, count, sizeof *fixes, compare_fixes);
    *fix_count = drop_overlaps(fixes, count);
    return fixes;
}

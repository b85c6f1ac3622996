/*
 * The source lines of findings, for reports that show them.
 */

#include "analyzer/lint/check.h"
#include "analyzer/lint/source.h"
#include "base/arena.h"
#include "base/text.h"

/* Findings of one file, in the order of lines. */
struct excerpts {
    struct arena *arena;
    struct diagnostic *next, *end;
};

static bool take_line(void *context, uint32_t line, struct text text, bool whole) {
    struct excerpts *excerpts = context;
    const char *copy = NULL;
    while (excerpts->next < excerpts->end && excerpts->next->location.line <= line) {
        struct diagnostic *finding = excerpts->next++;
        if (finding->location.line != line || finding->excerpt || !whole)
            continue;
        copy = copy ? copy : arena_copy(excerpts->arena, text.bytes, text.length);
        finding->excerpt = copy;
    }
    return excerpts->next < excerpts->end;
}

void lint_add_excerpts(struct diagnostics *findings) {
    for (size_t start = 0, end; start < findings->count; start = end) {
        const char *file = findings->list[start].location.file;
        for (end = start + 1; end < findings->count && string_equal(findings->list[end].location.file, file);)
            end++;
        struct excerpts excerpts = {findings->arena, &findings->list[start], &findings->list[end]};
        if (file)
            source_read_lines(file, take_line, &excerpts);
    }
}

#include "cli/lint_fix.h"

#include <errno.h>
#include <string.h>

#include "cli/sink.h"
#include "compiler/diff.h"
#include "document/reader.h"
#include "report/paint.h"

/* "egressc lint: FILE: WHAT." */
static void tell(const struct command_context *context, const char *file, const char *what) {
    buffer_add_string(context->err, "egressc lint: ");
    paint_escaped(context->err, file);
    buffer_print(context->err, ": %s\n", what);
}

static const char *mend_text(struct text text, const struct lint_fix *fixes, size_t count, struct buffer *mended) {
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        buffer_add(mended, text.bytes + at, fixes[i].first - at);
        buffer_add_string(mended, fixes[i].text);
        at = fixes[i].last;
    }
    buffer_add(mended, text.bytes + at, text.length - at);
    return buffer_string(mended);
}

/* The text of the file, if it is the one that was looked at. */
static bool read_again(const struct command_context *context, const struct lint_fix *fix, struct text *text) {
    struct diagnostics unused;
    diagnostics_init(&unused, context->arena);
    if (reader_slurp(fix->file, &context->options->limits, context->arena, text, &unused) &&
        text->length == fix->size && text_hash(*text) == fix->hash) {
        return true;
    }
    tell(context, fix->file, "the file has changed meanwhile and is left alone");
    return false;
}

static enum exit_status mend_file(const struct command_context *context, const struct lint_fix *fixes, size_t count,
                                  size_t *mended) {
    struct text text;
    struct buffer buffer;
    buffer_init(&buffer, context->arena);
    if (!read_again(context, fixes, &text)) {
        return EXIT_WELL;
    }
    mend_text(text, fixes, count, &buffer);
    struct text after = {buffer.bytes, buffer.length};
    if (context->options->diff) {
        diff_unified(context->out, fixes->file, text, fixes->file, after);
        return EXIT_WELL;
    }
    if (!sink_write_file(fixes->file, after, context->arena)) {
        tell(context, fixes->file, arena_format(context->arena, "cannot be written: %s", strerror(errno)));
        return EXIT_TROUBLE;
    }
    *mended += count;
    if (!context->options->quiet) {
        tell(context, fixes->file, arena_format(context->arena, "%zu mended", count));
    }
    return EXIT_WELL;
}

enum exit_status lint_mend(const struct command_context *context, const struct lint_result *result, size_t *mended) {
    enum exit_status status = EXIT_WELL;
    *mended = 0;
    for (size_t start = 0, end; start < result->fix_count; start = end) {
        for (end = start + 1;
             end < result->fix_count && strcmp(result->fixes[end].file, result->fixes[start].file) == 0;) {
            end++;
        }
        enum exit_status one = mend_file(context, &result->fixes[start], end - start, mended);
        status = one == EXIT_TROUBLE ? one : status;
    }
    return status;
}

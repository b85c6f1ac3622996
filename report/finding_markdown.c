/*
 * A comment on a pull request, in GitHub's Markdown: one line that says how it stands, the worst few findings, and folded
 * below them the rest, the boundaries, what the codes mean and what is assumed.
 *
 * Text from the inputs is escaped, so that no name makes a link, a mention or HTML. A comment may hold 65536 characters:
 * lists end early, with a count of what is left.
 */
#include <string.h>

#include "base/arena.h"
#include "report/code_help.h"
#include "report/finding_writer.h"
#include "report/plain.h"

enum { WORST = 5, MOST_NOTES = 3, LONGEST_TEXT = 800 };

/* Where the findings, the boundaries, and the whole end; the list of codes has less than 15000 bytes. */
#define FINDINGS_BYTES ((size_t)40000)
#define SUMMARIES_BYTES ((size_t)45000)
#define COMMENT_BYTES ((size_t)62000)

/* How much of a text is shown: not more than LONGEST_TEXT bytes, and whole characters. */
static size_t shown_length(const char *plain) {
    size_t length = strlen(plain);
    if (length <= LONGEST_TEXT) {
        return length;
    }
    length = LONGEST_TEXT;
    while (length > 0 && ((unsigned char)plain[length] & 0xC0) == 0x80) {
        length--;
    }
    return length;
}

/* Plain text as Markdown that shows it. Behind @ and # stands an empty comment: neither is a mention then, as an escape
 * alone would leave it to be. */
static void add_text(struct buffer *out, const char *plain) {
    size_t length = shown_length(plain);
    for (size_t i = 0; i < length; i++) {
        bool scheme = plain[i] == ':' && plain[i + 1] == '/';
        bool host = plain[i] == '.' && i >= 3 && strncmp(plain + i - 3, "www", 3) == 0;
        if (strchr("\\`*_[]<>|~&#$", plain[i]) || scheme || host) {
            buffer_add_char(out, '\\');
        }
        buffer_add_char(out, plain[i]);
        if (plain[i] == '@' || plain[i] == '#') {
            buffer_add_string(out, "<!-- -->");
        }
    }
    buffer_add_string(out, plain[length] ? "..." : "");
}

/* Appends what is in `piece`; false: it would go beyond `limit`. */
static bool add_piece(struct buffer *out, const struct buffer *piece, size_t limit) {
    if (out->length + piece->length > limit) {
        return false;
    }
    buffer_add(out, piece->bytes, piece->length);
    return true;
}

/* A code span, with more backticks around it than it holds. */
static void add_code(struct buffer *out, const char *plain) {
    size_t longest = 0, run = 0;
    for (const char *at = plain; *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    bool pad = longest > 0;
    for (size_t i = 0; i <= longest; i++) {
        buffer_add_char(out, '`');
    }
    buffer_print(out, "%s%s%s", pad ? " " : "", plain, pad ? " " : "");
    for (size_t i = 0; i <= longest; i++) {
        buffer_add_char(out, '`');
    }
}

static void write_finding(struct buffer *out, const struct finding *finding) {
    struct arena *arena = out->arena;
    const char *place = plain_place(&finding->location, arena), *subject = plain_subject(finding, arena);
    buffer_print(out, "- **%s** `%s`", severity_word(finding->severity), code_word(finding->code));
    if (place[0]) {
        buffer_add_char(out, ' ');
        add_code(out, place);
    }
    buffer_add_string(out, ": ");
    add_text(out, plain_of(finding->message, arena));
    if (subject[0]) {
        buffer_add_string(out, " (");
        add_text(out, subject);
        buffer_add_char(out, ')');
    }
    buffer_add_char(out, '\n');
    for (size_t i = 0; i < finding->note_count && i < MOST_NOTES; i++) {
        place = plain_place(&finding->notes[i].location, arena);
        buffer_add_string(out, "  - ");
        add_text(out, plain_of(finding->notes[i].message, arena));
        if (place[0]) {
            buffer_add_char(out, ' ');
            add_code(out, place);
        }
        buffer_add_char(out, '\n');
    }
}

/* Findings by severity, in the order of the report within one. */
static const struct finding **worst_first(const struct finding_list *findings, bool quiet, size_t *count) {
    const struct finding **order = arena_array(findings->arena, findings->count, sizeof *order);
    *count = 0;
    for (int severity = SEVERITY_ERROR; severity <= (quiet ? SEVERITY_ERROR : SEVERITY_NOTE); severity++) {
        for (size_t i = 0; i < findings->count; i++) {
            if (findings->list[i].severity == (enum severity)severity) {
                order[(*count)++] = &findings->list[i];
            }
        }
    }
    return order;
}

static void begin_details(struct buffer *out, const char *summary) {
    buffer_print(out, "\n<details>\n<summary>%s</summary>\n\n", summary);
}

static void end_details(struct buffer *out) { buffer_add_string(out, "\n</details>\n"); }

static const char *counted(struct arena *arena, size_t count, const char *what) {
    return arena_format(arena, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

/* Findings from `*shown` on, up to `last` or to where there is no more room. */
static void add_some(struct buffer *out, const struct finding *const *order, size_t *shown, size_t last) {
    for (; *shown < last; ++*shown) {
        struct buffer piece;
        buffer_init(&piece, out->arena);
        write_finding(&piece, order[*shown]);
        if (!add_piece(out, &piece, FINDINGS_BYTES)) {
            return;
        }
    }
}

static void add_findings(struct buffer *out, const struct finding *const *order, size_t count) {
    size_t shown = 0;
    if (count > 0) {
        buffer_add_char(out, '\n');
    }
    add_some(out, order, &shown, count < WORST ? count : WORST);
    if (shown == count) {
        return;
    }
    begin_details(out, counted(out->arena, count - shown, "more finding"));
    add_some(out, order, &shown, count);
    if (shown < count) {
        buffer_print(out, "- and %s, for which a comment has no room\n",
                     counted(out->arena, count - shown, "more finding"));
    }
    end_details(out);
}

static void add_list(struct buffer *out, const char *summary, const struct string_list *strings, size_t limit) {
    if (strings->count == 0) {
        return;
    }
    begin_details(out, summary);
    size_t shown = 0;
    for (; shown < strings->count; shown++) {
        struct buffer piece;
        buffer_init(&piece, out->arena);
        buffer_add_string(&piece, "- ");
        add_text(&piece, plain_of(strings->list[shown], out->arena));
        buffer_add_char(&piece, '\n');
        if (!add_piece(out, &piece, limit)) {
            break;
        }
    }
    if (shown < strings->count) {
        buffer_print(out, "- and %zu more\n", strings->count - shown);
    }
    end_details(out);
}

/* Each code that occurs, once, in order of words. */
static void add_meanings(struct buffer *out, const struct finding *const *order, size_t count) {
    bool *occurs = arena_array(out->arena, CODE_COUNT, sizeof *occurs);
    for (size_t i = 0; i < count; i++) {
        occurs[order[i]->code] = true;
    }
    if (count == 0) {
        return;
    }
    begin_details(out, "What the codes mean");
    for (size_t code = 0; code < CODE_COUNT; code++) {
        if (occurs[code]) {
            buffer_print(out, "- `%s`: %s\n", code_word((enum code)code),
                         code_help_sentence((enum code)code, out->arena));
        }
    }
    buffer_add_string(out, "\n`egressc help CODE` says why it matters and what to write.\n");
    end_details(out);
}

static void add_counts(struct buffer *out, const struct finding_report *report, bool quiet) {
    struct arena *arena = out->arena;
    buffer_add_string(out, counted(arena, finding_count(&report->findings, SEVERITY_ERROR), "error"));
    if (!quiet) {
        buffer_print(out, ", %s", counted(arena, finding_count(&report->findings, SEVERITY_WARNING), "warning"));
        buffer_print(out, ", %s", counted(arena, finding_count(&report->findings, SEVERITY_NOTE), "note"));
    }
}

void finding_write_markdown(struct buffer *out, const struct finding_report *report,
                            const struct report_options *options) {
    size_t count;
    const struct finding **order = worst_first(&report->findings, options->quiet, &count);
    buffer_add_string(out, "### egressc: ");
    if (report->verdict) {
        buffer_print(out, "%s (", report->verdict);
    }
    add_counts(out, report, options->quiet);
    buffer_add_string(out, report->verdict ? ")\n" : "\n");
    add_findings(out, order, count);
    add_list(out, "How it was decided", &report->summaries, SUMMARIES_BYTES);
    add_meanings(out, order, count);
    if (!options->quiet) {
        add_list(out, "What it rests on", &report->notes, COMMENT_BYTES);
    }
}

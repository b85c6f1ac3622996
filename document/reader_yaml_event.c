#include "document/reader_yaml_event.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/arena.h"

/* After so many documents whose rest was dropped after "...", the file is given up: each costs a new parser. */
enum { RESTARTS_MOST = 1000 };

struct yaml_stream {
    struct reader *reader;
    struct source *source;
    yaml_parser_t parser;
    yaml_event_t raw;
    size_t first_line, first_offset; /* in the source, of the text that the parser was given */
    size_t depth;
    size_t brace_index; /* after the last "{" that began a map, or 0 */
    size_t restarts;
    bool after_end; /* the last document ended with "...", and no other has begun */
};

static int read_source(void *data, unsigned char *buffer, size_t size, size_t *got) {
    struct source *source = data;
    *got = source_read(source, (char *)buffer, size);
    return *got > 0 || source->stop == SOURCE_ENDED;
}

_Noreturn static void out_of_memory(const struct yaml_stream *stream) {
    arena_array(stream->reader->scratch, SIZE_MAX, SIZE_MAX); /* ends the program as any lack of memory does */
    abort();
}

static void start_parser(struct yaml_stream *stream) {
    if (!yaml_parser_initialize(&stream->parser)) {
        out_of_memory(stream);
    }
    yaml_parser_set_encoding(&stream->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&stream->parser, read_source, stream->source);
    stream->first_offset = stream->source->start.offset + stream->source->next;
    stream->depth = 0;
    stream->brace_index = 0;
    stream->after_end = false;
}

struct yaml_stream *yaml_stream_open(struct reader *reader, struct source *source) {
    if (!reader->stream) {
        reader->stream = arena_alloc(reader->scratch, sizeof *reader->stream);
    }
    struct yaml_stream *stream = reader->stream;
    *stream = (struct yaml_stream){.reader = reader, .source = source};
    start_parser(stream);
    return stream;
}

static void stop_parser(struct yaml_stream *stream) {
    yaml_event_delete(&stream->raw);
    yaml_parser_delete(&stream->parser);
}

void yaml_stream_close(struct yaml_stream *stream) { stop_parser(stream); }

size_t yaml_stream_depth(const struct yaml_stream *stream) { return stream->depth; }

/* Positions and errors. */

static struct yaml_place mark_place(struct yaml_stream *stream, size_t mark_line, size_t character) {
    size_t line = stream->first_line + mark_line;
    return (struct yaml_place){(uint32_t)(line + 1), (uint32_t)(source_column(stream->source, line, character) + 1)};
}

struct yaml_place yaml_stream_place(struct yaml_stream *stream, const struct yaml_event *event) {
    return mark_place(stream, event->line, event->character);
}

static bool fail_at(struct yaml_stream *stream, enum code code, struct yaml_place place, const char *message) {
    struct diagnostic *diagnostic = reader_report(stream->reader, code, place.line, place.column, message);
    struct text line;
    if (source_line(stream->source, place.line - 1, &line)) {
        reader_excerpt(stream->reader, diagnostic, line);
    }
    stream->reader->file->state = code == CODE_TEMPLATE ? FILE_TEMPLATE : FILE_BROKEN;
    return false;
}

bool yaml_stream_fail(struct yaml_stream *stream, enum code code, const struct yaml_event *event, const char *message) {
    return fail_at(stream, code, yaml_stream_place(stream, event), message);
}

bool yaml_stream_fail_limit(struct yaml_stream *stream, enum limit_kind kind, const struct yaml_event *event) {
    struct yaml_place place = yaml_stream_place(stream, event);
    reader_limit(stream->reader, kind, place.line, place.column);
    return false;
}

static bool fail_template(struct yaml_stream *stream, struct yaml_place place) {
    return fail_at(stream, CODE_TEMPLATE, place,
                   "'{{' outside quotes: a template, not a manifest; the file is skipped");
}

/* What the parser's complaint is, in `place`; the message is in the arena or a literal. */
static const char *syntax_message(struct yaml_stream *stream, struct yaml_place place) {
    const yaml_parser_t *parser = &stream->parser;
    struct text line;
    if (source_line(stream->source, place.line - 1, &line) && place.column <= line.length &&
        line.bytes[place.column - 1] == '\t') {
        return "a tab where only spaces may indent";
    }
    return parser->context
               ? arena_format(stream->reader->diagnostics->arena, "%s, %s", parser->context, parser->problem)
               : parser->problem;
}

static bool fail_syntax(struct yaml_stream *stream) {
    const yaml_parser_t *parser = &stream->parser;
    const yaml_mark_t *mark = &parser->problem_mark, *context = parser->context ? &parser->context_mark : mark;
    struct source_place braces;
    if (source_open_braces(stream->source, stream->first_line + mark->line, &braces) ||
        source_open_braces(stream->source, stream->first_line + context->line, &braces)) {
        return fail_template(stream, (struct yaml_place){(uint32_t)braces.line + 1, (uint32_t)braces.byte + 1});
    }
    struct yaml_place place = mark_place(stream, mark->line, mark->column);
    fail_at(stream, CODE_SYNTAX, place, syntax_message(stream, place));
    if (context->line != mark->line) {
        struct diagnostics *diagnostics = stream->reader->diagnostics;
        place = mark_place(stream, context->line, context->column);
        struct location location = {stream->reader->file->name, place.line, place.column};
        diagnostic_note(diagnostics, &diagnostics->list[diagnostics->count - 1], location, "what failed began here");
    }
    return false;
}

static bool fail_encoding(struct yaml_stream *stream) {
    struct source_place found = source_place_of(stream->source, stream->first_offset + stream->parser.problem_offset);
    struct yaml_place place = {(uint32_t)(found.line + 1), (uint32_t)(found.byte + 1)};
    if (strncmp(stream->parser.problem, "control", strlen("control")) == 0) {
        return fail_at(stream, CODE_SYNTAX, place, "a control character, which YAML does not allow");
    }
    return fail_at(stream, CODE_ENCODING, place, "these bytes are not UTF-8");
}

static bool fail_source(struct yaml_stream *stream) {
    struct yaml_place place = mark_place(stream, stream->parser.mark.line, stream->parser.mark.column);
    if (stream->source->stop == SOURCE_FAILED) {
        reader_report(
            stream->reader, CODE_UNREADABLE, 0, 0,
            arena_format(stream->reader->diagnostics->arena, "cannot be read: %s", strerror(stream->source->error)));
        stream->reader->file->state = FILE_UNREADABLE;
        return false;
    }
    reader_limit(stream->reader, stream->source->stop == SOURCE_TOO_LARGE ? LIMIT_BYTES : LIMIT_SCALAR, place.line,
                 place.column);
    return false;
}

bool yaml_stream_restart(struct yaml_stream *stream, const struct yaml_event *event) {
    stop_parser(stream);
    size_t line = stream->first_line;
    bool found = source_seek_marker(stream->source, stream->first_line + event->line, &line);
    stream->first_line = line;
    start_parser(stream);
    if (found && ++stream->restarts > RESTARTS_MOST) {
        return yaml_stream_fail(stream, CODE_SYNTAX, &(struct yaml_event){0},
                                "too many documents that go on after '...'; the rest of the file is not read");
    }
    if (!found && stream->source->stop != SOURCE_ENDED) {
        return fail_source(stream);
    }
    return found;
}

static bool fail_parser(struct yaml_stream *stream) {
    enum source_stop stop = stream->source->stop;
    if (stop != SOURCE_GOES_ON && stop != SOURCE_ENDED) {
        return fail_source(stream);
    }
    if (stream->parser.error == YAML_MEMORY_ERROR) {
        out_of_memory(stream);
    }
    return stream->parser.error == YAML_READER_ERROR ? fail_encoding(stream) : fail_syntax(stream);
}

/* Events. */

/* Where a plain scalar has "{{", the text is a template. */
static bool check_scalar(struct yaml_stream *stream, const struct yaml_event *event) {
    if (event->value.length > stream->reader->options->limits.scalar) {
        return yaml_stream_fail_limit(stream, LIMIT_SCALAR, event);
    }
    const char *braces = stream->source->braces && event->plain ? strstr(event->value.bytes, "{{") : NULL;
    if (!braces) {
        return true;
    }
    struct yaml_place place = yaml_stream_place(stream, event);
    if (stream->raw.start_mark.line == stream->raw.end_mark.line) {
        place.column += (uint32_t)(braces - event->value.bytes);
    }
    return fail_template(stream, place);
}

/* A flow map that begins where another just began is "{{". */
static bool check_map(struct yaml_stream *stream, const struct yaml_event *event) {
    const yaml_event_t *raw = &stream->raw;
    if (raw->data.mapping_start.style != YAML_FLOW_MAPPING_STYLE) {
        return true;
    }
    if (stream->brace_index > 0 && raw->start_mark.index == stream->brace_index) {
        struct yaml_place place = yaml_stream_place(stream, event);
        place.column--;
        return fail_template(stream, place);
    }
    stream->brace_index = raw->end_mark.index;
    return true;
}

static bool count_node(struct yaml_stream *stream, const struct yaml_event *event) {
    return ++stream->reader->nodes <= stream->reader->options->limits.nodes ||
           yaml_stream_fail_limit(stream, LIMIT_NODES, event);
}

static bool open_collection(struct yaml_stream *stream, const struct yaml_event *event) {
    if (++stream->depth > stream->reader->options->limits.depth) {
        return yaml_stream_fail_limit(stream, LIMIT_DEPTH, event);
    }
    return count_node(stream, event);
}

static bool take_document(struct yaml_stream *stream, struct yaml_event *event) {
    const yaml_event_t *raw = &stream->raw;
    if (raw->data.document_start.version_directive ||
        raw->data.document_start.tag_directives.start != raw->data.document_start.tag_directives.end) {
        return yaml_stream_fail(stream, CODE_SYNTAX, event, "a directive: Kubernetes refuses '%' lines");
    }
    event->marked = !raw->data.document_start.implicit;
    event->kind = stream->after_end && !event->marked ? EVENT_DROPPED : EVENT_DOCUMENT;
    stream->after_end = false;
    return true;
}

static bool take_raw(struct yaml_stream *stream, struct yaml_event *event) {
    const yaml_event_t *raw = &stream->raw;
    event->line = raw->start_mark.line;
    event->character = raw->start_mark.column;
    switch (raw->type) {
    case YAML_SCALAR_EVENT:
        event->kind = EVENT_SCALAR;
        event->value = (struct text){(const char *)raw->data.scalar.value, raw->data.scalar.length};
        event->plain = raw->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        event->anchor = (const char *)raw->data.scalar.anchor;
        event->tag = (const char *)raw->data.scalar.tag;
        return check_scalar(stream, event) && count_node(stream, event);
    case YAML_MAPPING_START_EVENT:
        event->kind = EVENT_MAP;
        event->anchor = (const char *)raw->data.mapping_start.anchor;
        event->tag = (const char *)raw->data.mapping_start.tag;
        return check_map(stream, event) && open_collection(stream, event);
    case YAML_SEQUENCE_START_EVENT:
        event->kind = EVENT_LIST;
        event->anchor = (const char *)raw->data.sequence_start.anchor;
        event->tag = (const char *)raw->data.sequence_start.tag;
        return open_collection(stream, event);
    case YAML_ALIAS_EVENT:
        event->kind = EVENT_ALIAS;
        event->anchor = NULL;
        event->value = text_of((const char *)raw->data.alias.anchor);
        return count_node(stream, event);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        event->kind = EVENT_END;
        event->anchor = NULL;
        stream->depth--;
        return true;
    case YAML_DOCUMENT_START_EVENT:
        return take_document(stream, event);
    case YAML_DOCUMENT_END_EVENT:
        event->kind = EVENT_DOCUMENT_END;
        stream->after_end = !raw->data.document_end.implicit;
        return true;
    case YAML_STREAM_END_EVENT:
        event->kind = EVENT_STREAM_END;
        return true;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
        break;
    }
    event->kind = EVENT_NONE;
    return true;
}

/* Counts an event of which nothing else need be looked at where nothing is kept; false: it is not such a one, or it
 * reaches a limit, and nothing was counted. */
static inline bool count_plain(struct yaml_stream *stream) {
    const yaml_event_t *raw = &stream->raw;
    const struct limits *limits = &stream->reader->options->limits;
    switch (raw->type) {
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        stream->depth--;
        return true;
    case YAML_SCALAR_EVENT:
        if (raw->data.scalar.anchor || raw->data.scalar.length > limits->scalar) {
            return false;
        }
        break;
    case YAML_SEQUENCE_START_EVENT:
        if (raw->data.sequence_start.anchor || stream->depth == limits->depth) {
            return false;
        }
        break;
    case YAML_MAPPING_START_EVENT:
        if (raw->data.mapping_start.anchor || raw->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE ||
            stream->depth == limits->depth) {
            return false;
        }
        break;
    default:
        return false;
    }
    if (stream->source->braces || stream->reader->nodes == limits->nodes) {
        return false;
    }
    stream->depth += raw->type != YAML_SCALAR_EVENT;
    stream->reader->nodes++;
    return true;
}

/* Many events hold no memory: the ends, and what begins without anchor or tag. */
static inline bool raw_holds_memory(const yaml_event_t *raw) {
    switch (raw->type) {
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return false;
    case YAML_MAPPING_START_EVENT:
        return raw->data.mapping_start.anchor || raw->data.mapping_start.tag;
    case YAML_SEQUENCE_START_EVENT:
        return raw->data.sequence_start.anchor || raw->data.sequence_start.tag;
    default:
        return true;
    }
}

/* The next raw event, after the last was given back. */
static inline bool parse_raw(struct yaml_stream *stream) {
    if (raw_holds_memory(&stream->raw)) {
        yaml_event_delete(&stream->raw);
    }
    return yaml_parser_parse(&stream->parser, &stream->raw);
}

bool yaml_stream_skip(struct yaml_stream *stream, size_t depth, struct yaml_event *event) {
    do {
        if (!parse_raw(stream)) {
            return fail_parser(stream);
        }
        stream->source->silent = 0;
        if (count_plain(stream)) {
            continue;
        }
        if (!take_raw(stream, event)) {
            return false;
        }
        if (event->anchor || event->kind == EVENT_ALIAS) {
            return true;
        }
    } while (stream->depth > depth);
    event->anchor = NULL;
    event->kind = EVENT_NONE;
    return true;
}

bool yaml_stream_next(struct yaml_stream *stream, struct yaml_event *event) {
    if (parse_raw(stream)) {
        stream->source->silent = 0;
        return take_raw(stream, event);
    }
    bool language = stream->parser.error == YAML_PARSER_ERROR || stream->parser.error == YAML_SCANNER_ERROR;
    if (!stream->after_end || !language) {
        return fail_parser(stream);
    }
    event->kind = EVENT_DROPPED;
    event->line = stream->parser.problem_mark.line;
    event->character = stream->parser.problem_mark.column;
    return true;
}

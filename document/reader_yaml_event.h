/*
 * YAML as a stream of events, each checked against the limits: the one place that knows libyaml. Private to the
 * readers.
 *
 * Every function that fails has put its diagnostic into the reader's list, marked the file, and returns false.
 */
#ifndef DOCUMENT_READER_YAML_EVENT_H
#define DOCUMENT_READER_YAML_EVENT_H

#include "document/reader_build.h"

enum yaml_event_kind {
    EVENT_NONE,
    EVENT_DOCUMENT,
    EVENT_SCALAR,
    EVENT_ALIAS,
    EVENT_MAP,
    EVENT_LIST,
    EVENT_END, /* of a map or list */
    EVENT_DOCUMENT_END,
    EVENT_DROPPED, /* content after "...": no more events come, unless yaml_stream_restart finds a document */
    EVENT_STREAM_END
};

/* Strings are valid until the next event. */
struct yaml_event {
    enum yaml_event_kind kind;
    bool plain;               /* a scalar without quotes, and no block scalar */
    bool marked;              /* a document that begins with "---" */
    size_t line, character;   /* as libyaml counts; see yaml_stream_place */
    struct text value;        /* of a scalar; the name of an alias */
    const char *anchor, *tag; /* or NULL */
};

struct yaml_place {
    uint32_t line, column;
};

struct yaml_stream;

/* The reader's stream, over the source. It must be closed before it is opened again. */
struct yaml_stream *yaml_stream_open(struct reader *reader, struct source *source);
void yaml_stream_close(struct yaml_stream *stream);

bool yaml_stream_next(struct yaml_stream *stream, struct yaml_event *event);
/* Passes over events up to the one at which `depth` maps and lists are open, or one with an anchor or alias. */
bool yaml_stream_skip(struct yaml_stream *stream, size_t depth, struct yaml_event *event);
/* How many maps and lists are open after the last event. */
size_t yaml_stream_depth(const struct yaml_stream *stream);

/* After EVENT_DROPPED: goes on at the next document marker; false: there is none, or this happened too often. */
bool yaml_stream_restart(struct yaml_stream *stream, const struct yaml_event *event);

/* Where the event begins, counted from 1, the column in bytes. */
struct yaml_place yaml_stream_place(struct yaml_stream *stream, const struct yaml_event *event);
bool yaml_stream_fail(struct yaml_stream *stream, enum code code, const struct yaml_event *event, const char *message);
bool yaml_stream_fail_limit(struct yaml_stream *stream, enum limit_kind kind, const struct yaml_event *event);

#endif

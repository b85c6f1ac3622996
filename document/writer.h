/*
 * Canonical writers: the bytes are a contract (spec/cli.md "YAML output", spec/config.md 3) and come from here alone.
 */
#ifndef DOCUMENT_WRITER_H
#define DOCUMENT_WRITER_H

#include "base/text.h"
#include "document/node.h"

/* Block YAML, two spaces, final newline, no document marker. */
void writer_yaml(struct buffer *out, const struct node *node);
/* JSON with two spaces, one key or entry a line, final newline. */
void writer_json(struct buffer *out, const struct node *node);
/* One JSON string, quoted and escaped; non-ASCII stays as UTF-8, bytes that are no UTF-8 become U+FFFD. */
void writer_json_string(struct buffer *out, struct text string);
/* One JSON value on one line, without newline, for messages (`expected`, `found`). */
void writer_json_compact(struct buffer *out, const struct node *node);

/* A JSON document written piece by piece, for reports: same layout as writer_json. */
struct json_writer {
    struct buffer *out;
    unsigned depth;
    bool first; /* nothing yet in the innermost object or array */
    bool after_key;
};
void json_writer_init(struct json_writer *writer, struct buffer *out);
void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);
void json_string(struct json_writer *writer, const char *string); /* NULL gives null */
void json_text(struct json_writer *writer, struct text string);
void json_integer(struct json_writer *writer, int64_t value);
void json_bool(struct json_writer *writer, bool value);
void json_null(struct json_writer *writer);
void json_node(struct json_writer *writer, const struct node *node);
/* The final newline. */
void json_writer_done(struct json_writer *writer);

#endif

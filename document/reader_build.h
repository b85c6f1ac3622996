/*
 * What both readers share: nodes under construction, keep tables, limits, documents. Private to the readers.
 *
 * One struct reader serves one file after the other, and its buffers are reused; it belongs to one thread.
 */
#ifndef DOCUMENT_READER_BUILD_H
#define DOCUMENT_READER_BUILD_H

#include "document/reader.h"
#include "document/reader_source.h"

enum limit_kind { LIMIT_BYTES, LIMIT_DEPTH, LIMIT_NODES, LIMIT_ALIAS, LIMIT_SCALAR };

/* Strings of keys, which come again and again; direct-mapped. */
enum { KEY_CACHE_SIZE = 1024 };

struct json_mark;
struct yaml_frame;
struct anchor_table;
struct yaml_stream;

struct reader {
    /* of the worker */
    struct arena *scratch; /* of the buffers below */
    struct arena *arena;   /* of the trees; the key cache points into it */
    char *blocks;          /* of the source */
    struct node *stack;    /* nodes whose parent is not whole yet */
    size_t top, capacity;
    struct yaml_frame *frames;
    size_t frame_capacity;
    struct anchor_table *anchors;
    struct yaml_stream *stream;
    char *text; /* of JSON to decode */
    size_t text_capacity;
    struct json_mark *marks;
    size_t mark_capacity;
    struct text key_cache[KEY_CACHE_SIZE];
    char *strings; /* room in `arena` for short strings, side by side */
    size_t strings_left;
    /* of the file */
    const struct reader_options *options;
    struct diagnostics *diagnostics;
    struct file *file;
    size_t document_capacity;
    size_t nodes;
};

/* The reader gives its buffers back with reader_destroy; the trees stay in `arena`. */
struct reader *reader_create(struct arena *arena);
void reader_destroy(struct reader *reader);
/* As reader_read_text and reader_read_descriptor. */
void reader_text(struct reader *reader, const char *name, struct text bytes, const struct reader_options *options,
                 struct file *file, struct diagnostics *diagnostics);
void reader_descriptor(struct reader *reader, const char *name, int descriptor, const struct reader_options *options,
                       struct file *file, struct diagnostics *diagnostics);

/* The two readers proper. `source` is at the first byte after a byte order mark. */
void reader_yaml(struct reader *reader, struct source *source);
/* What a text that may be JSON turned out to be. */
enum json_result { JSON_READ, JSON_SYNTAX, JSON_REFUSED };
/* Reads `text` as a stream of JSON values. JSON_SYNTAX: it is none; the diagnostic is in the list and nothing else
 * was kept. JSON_REFUSED: a limit or an encoding error, which no other reading can mend; it is in the list. */
enum json_result reader_json(struct reader *reader, struct text text);

/* The kept rows of a table for a key; NULL: not kept. The row "*" stands for keys that have no row of their own. */
const struct document_keep *reader_keep(const struct document_keep *table, struct text key);

/* An object under a filter: a document, or an element of `items`. */
struct reader_object {
    struct text api_version, kind;
    const struct document_keep *keep;
    bool asked;     /* the filter has been asked about this object itself */
    bool inherited; /* `keep` came from the typed list around it */
    bool pruned;    /* something was passed over under `keep` */
    bool mixed;     /* `keep` changed after that */
};
enum object_key { OBJECT_OTHER, OBJECT_API_VERSION, OBJECT_KIND, OBJECT_ITEMS };
enum object_key reader_object_key(struct text key);
/* Notes the value of apiVersion or kind, and asks the filter when both are known. */
void reader_object_learn(const struct reader *reader, struct reader_object *object, enum object_key key,
                         struct text value);
/* What the elements of the object's `items` begin with. */
struct reader_object reader_object_element(const struct reader_object *list);
/* Whether the fields that were passed over are ones that the object's last kind and apiVersion do not need. */
bool reader_object_is_sound(const struct reader *reader, const struct reader_object *object, const struct node *node);
extern const char reader_object_unsound[];

void reader_push(struct reader *reader, struct node node);
/* Moves what the stack holds from `base` on into a map or list node. */
struct node reader_close(struct reader *reader, enum node_kind kind, size_t base);
/* A NUL-terminated copy in the arena. */
const char *reader_string(struct reader *reader, struct text string);
/* A key's bytes in the arena, NUL-terminated; the same for the same key. */
const char *reader_key(struct reader *reader, struct text key);
void reader_document(struct reader *reader, struct node root);

/* The diagnostic of a limit, naming its option. Marks the file as broken. */
void reader_limit(struct reader *reader, enum limit_kind kind, uint32_t line, uint32_t column);
/* Any other diagnostic. */
struct diagnostic *reader_report(struct reader *reader, enum code code, uint32_t line, uint32_t column,
                                 const char *message);
/* Attaches the source line, where excerpts are asked for and the line is not too long to show. */
void reader_excerpt(struct reader *reader, struct diagnostic *diagnostic, struct text line);

#endif

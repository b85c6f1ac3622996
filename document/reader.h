/*
 * Readers: bytes of YAML (libyaml events) or JSON (our scanner and cJSON) into trees with positions.
 *
 * Streams are split as the Kubernetes tools split them (spec/kubernetes-egress.md 3.5): several documents, empty ones
 * skipped, content after `...` is an error. A text that starts with `{` is tried as JSON first, concatenated objects
 * allowed. BOM and CRLF are accepted; UTF-16 with a BOM is read. Documents that were whole before a syntax error are
 * kept, and the file is marked as broken.
 */
#ifndef DOCUMENT_READER_H
#define DOCUMENT_READER_H

#include "base/diagnostic.h"
#include "document/limits.h"
#include "document/node.h"

/* Which keys of a map are kept; others are passed over without building nodes. Lists are transparent: the table holds
 * for each element. Ends with a NULL key. `below` NULL: the whole subtree is kept. A key "*" stands for every key. */
struct document_keep {
    const char *key;
    const struct document_keep *below;
};

/* Asked once per object, as soon as both its apiVersion and kind are known (of the document, or of an element of its
 * top-level `items`; in typed lists, of the list, whose kind ends in "List"): what to keep of it. NULL: everything.
 * Either text is empty where absent. Must be pure: called from several threads. */
typedef const struct document_keep *document_filter(struct text api_version, struct text kind);

enum file_state { FILE_READ, FILE_BROKEN, FILE_TEMPLATE, FILE_UNREADABLE };

struct document {
    struct node root;
    struct text kind; /* of the root map; empty where there is none: tells the rare kinds without a walk over trees */
    uint32_t number;  /* of documents in the file, from 1; empty ones are not counted */
};

struct file {
    const char *name; /* as shown: the path as given or found, or "<stdin>" */
    enum file_state state;
    size_t bytes;
    struct document *documents;
    size_t count;
    bool may_ignore; /* YAML that may hold a comment `egressc:ignore`; false: it holds none */
};

struct reader_options {
    struct limits limits;
    document_filter *filter; /* NULL: everything is kept */
    bool keep_excerpts;      /* attach the source line to syntax errors */
};

/* Reads a whole text. Trees, and copies of every string, live in `arena`; `bytes` may go after the call. */
void reader_read_text(const char *name, struct text bytes, const struct reader_options *options, struct arena *arena,
                      struct file *file, struct diagnostics *diagnostics);

/* Reads a file by descriptor, in blocks; "-" shows as "<stdin>" in `name`. The descriptor stays the caller's. */
void reader_read_descriptor(const char *name, int descriptor, const struct reader_options *options, struct arena *arena,
                            struct file *file, struct diagnostics *diagnostics);

/* The whole content of a small file (config, grant, host list), NUL-terminated in the arena; false: it could not be
 * read, or is larger than `limits.bytes`, and a diagnostic says so. "-" is standard input. */
bool reader_slurp(const char *path, const struct limits *limits, struct arena *arena, struct text *content,
                  struct diagnostics *diagnostics);

#endif

/*
 * The dialect of the YAML reader: what a scalar's tag and spelling make of it, and merge keys. Private to the readers;
 * knows nothing of libyaml.
 */
#ifndef DOCUMENT_READER_YAML_VALUE_H
#define DOCUMENT_READER_YAML_VALUE_H

#include "document/reader_build.h"

/* A scalar as the parser gives it. */
struct yaml_scalar {
    struct text value;
    const char *tag; /* NULL: none */
    bool plain;      /* without quotes, and no block scalar */
};

/* The type and flags of a scalar (its text is not set); NULL, or what is wrong with its tag. */
const char *yaml_scalar_node(const struct yaml_scalar *scalar, struct node *node);
/* The tag of a map or list: NULL, or what is wrong with it. */
const char *yaml_collection_tag(const char *tag, enum node_kind kind);
bool yaml_scalar_is_merge(const struct yaml_scalar *scalar);

/* The key that a scalar becomes, in the arena. False: it is null. */
bool yaml_key_node(struct reader *reader, const struct node *scalar, struct node *key);

/* Pushes the entries that `<<: value` stands for onto the reader's stack; false: it is neither map nor list of maps. */
bool yaml_merge(struct reader *reader, const struct node *value);

#endif

/*
 * Field tables: what a map of a policy object may hold, as data, and the reading that follows from it. Private to kube/.
 *
 * From the tables come, without a line of code a field: unknown keys with the nearest known one and what dropping the key
 * widens, values of a wrong type, duplicate keys, nulls (null is absent; an entry of a list that is null is the zero
 * entry), keys that older CRDs lack. A row's reader stores the value in a typed struct; what the values mean together is
 * checked on the typed structs afterwards (spec/kubernetes-egress.md 1.4, 3.2, 3.4; spec/cilium-egress.md 8).
 */
#ifndef KUBE_FIELD_H
#define KUBE_FIELD_H

#include "kube/policy.h"

#define CILIUM_ALL cilium_from(CILIUM_1_15)

struct policy_reader {
    struct arena *arena;
    const struct object *object;
    bool cilium;           /* a kind with a CRD: null entries are refused there, and zero entries in core kinds */
    bool in_subject;       /* inside what selects the subject */
    cilium_classes agent;  /* whose agents check what is being read: before 1.17 none checks denies */
    cilium_classes schema; /* whose CRD has what is being read: the others prune it unseen */
    struct problem *problems;
    size_t count, capacity;
    struct problem_seen {
        size_t count;
        cilium_classes classes;
        bool selects;
    } seen[PROBLEM_REFUSED_AGENT + 1];
};

enum field_type {
    FIELD_ANY,
    FIELD_STRING,
    FIELD_INT,  /* of 32 bits */
    FIELD_LONG, /* of 64 bits */
    FIELD_TIME, /* RFC 3339 */
    FIELD_BOOL,
    FIELD_INT_OR_STRING,
    FIELD_STRING_MAP, /* of free keys */
    FIELD_MAP,        /* of the keys of `below`; NULL: of any */
    FIELD_LIST,       /* of what the first row of `below` says; NULL: of anything */
    FIELD_PRUNED      /* known elsewhere and dropped here, with a code of its own */
};

struct field;

/* Stores a value that has the row's type, or an entry of a list that may be null or of another type. */
typedef void field_reader(struct policy_reader *reader, const struct field *field, struct part part, void *target);

struct field {
    const char *key; /* NULL ends a table */
    enum field_type type;
    const struct field *below;
    field_reader *read;       /* NULL: only checked */
    size_t offset;            /* of the target in the struct that the table fills */
    cilium_classes classes;   /* whose CRD has the field; 0: all */
    enum code code;           /* of FIELD_PRUNED, of `required` and of `words` */
    bool required;            /* the schema of the CRD wants it */
    const char *const *words; /* the strings that the schema of the CRD knows; ends with NULL */
    bool subject;             /* it selects the subject */
    bool whole;               /* a wrong type here leaves untold whom the policy selects */
    const char *widens;       /* what dropping the field means; NULL: nothing wider */
};

/* Reads a map into the struct at `base`. A node that is no map is an empty one. */
void fields_read(struct policy_reader *reader, const struct field *table, struct part part, void *base);

/* Reads a list into an array of `size` bytes an entry, zeroed; each entry is given to the reader of `item`. */
void *items_read(struct policy_reader *reader, const struct field *item, struct part part, size_t size,
                 uint32_t *count);

/* Readers of plain values: const char *, and enum tristate. Other types leave them NULL and unset. */
field_reader field_read_string, field_read_bool, field_read_part;

/* Reads a map of the row's `below` into the target. */
field_reader field_read_map;

struct part part_field(struct policy_reader *reader, struct part part, const char *key);
struct part part_index(struct policy_reader *reader, struct part part, size_t index);

/* How much a list or map holds. */
enum presence node_presence(const struct node *node);

/* Appends a problem. `classes` 0 is dropped: it holds nowhere. */
void problem_add(struct policy_reader *reader, enum problem_effect effect, enum code code, cilium_classes classes,
                 struct part part, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The API server refuses, whatever the version of Cilium. */
#define refuse(reader, code, part, ...) problem_add(reader, PROBLEM_REFUSED_API, code, CILIUM_ALL, part, __VA_ARGS__)
/* The agent refuses, in the given classes as far as its checks apply. */
#define refuse_agent(reader, code, classes, part, ...)                                                                 \
    problem_add(reader, PROBLEM_REFUSED_AGENT, code, (cilium_classes)((classes) & (reader)->agent), part, __VA_ARGS__)

#endif

/*
 * Pruning: an answer of the API server goes in as it arrives, and of its objects comes out what analysis reads
 * (spec/snapshot.md: no environments, no annotations but those that are read, nothing of managed fields).
 *
 * JSON is checked strictly (RFC 8259, UTF-8 aside) and copied byte for byte where it is kept; of maps and lists that are
 * dropped only strings and brackets are looked at, to find their end. Nothing is held but the
 * place in the text, so that memory grows neither with a list nor with an object.
 */
#ifndef ONLINE_PRUNE_H
#define ONLINE_PRUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "online/json_skip.h"

/* What `--keep` keeps besides. */
enum prune_keep {
    PRUNE_KEEP_ANNOTATIONS = 1,
    PRUNE_KEEP_ENVIRONMENT = 2,
    PRUNE_KEEP_MANAGED_FIELDS = 4,
    PRUNE_KEEP_STATUS = 8
};

/* What is kept of a map: the first row of that key counts, "*" is any key, a key without a row is dropped. Lists are
 * transparent: the rows hold for each element. Ends with a NULL key. */
struct prune_rule {
    const char *key;
    const struct prune_rule *below; /* NULL: all is kept; `prune_nothing`: it is dropped */
    unsigned unless;                /* enum prune_keep: where the option has it, all is kept */
};
extern const struct prune_rule prune_nothing[];

/* False: stop, the bytes could not be taken. */
typedef bool prune_emit(void *context, const char *bytes, size_t length);

enum {
    PRUNE_DEPTH = 200,
    PRUNE_KEY = 4096,        /* bytes of a key, as written */
    PRUNE_HEAD = 128 * 1024, /* bytes of a list without its items */
    PRUNE_NUMBER = 64
};

struct prune_frame {
    const struct prune_rule *rule; /* NULL: all is kept */
    bool is_map, kept, any, is_items;
};

struct prune {
    const struct prune_rule *rule; /* of each object */
    unsigned keep;                 /* enum prune_keep */
    prune_emit *emit;
    void *context;
    bool is_list; /* false: the answer is the one object, and goes to the head */

    uint64_t items;      /* handed on so far, with those of pages before */
    const char *problem; /* NULL, or the first thing that is wrong */
    bool done;           /* a whole value went in */
    size_t head_length;
    char head[PRUNE_HEAD]; /* the answer without its items */

    /* Private. */
    int state;
    unsigned hex_left;
    bool is_key, escaped, value_kept, value_is_items, to_head;
    const struct prune_rule *value_rule;
    size_t depth, key_length, scalar_length, run_length;
    const char *text, *run; /* that is fed now; of it, what is kept and not yet handed on */
    struct json_skip skip;
    struct prune_frame frames[PRUNE_DEPTH + 1];
    char key[PRUNE_KEY], scalar[PRUNE_NUMBER];
};

/* A list whose items go to `emit`, one a line, with commas between them (`items`: how many stand there already). */
void prune_list(struct prune *prune, const struct prune_rule *rule, unsigned keep, uint64_t items, prune_emit *emit,
                void *context);
/* A single object, pruned, into the head. `rule` NULL: all of it. */
void prune_object(struct prune *prune, const struct prune_rule *rule, unsigned keep);

/* The next bytes. False: `problem` says why. */
bool prune_feed(struct prune *prune, const char *bytes, size_t length);
/* The end of the answer. False: the text ended too early, or `problem`. */
bool prune_finish(struct prune *prune);

#endif

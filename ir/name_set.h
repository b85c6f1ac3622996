/*
 * Names: languages of DNS names.
 *
 * The universe: the root (written ""), or one or more labels of one or more characters of [-a-z0-9_], lower case,
 * joined by dots, without a bound on length and without a trailing dot.
 *
 * A set is a list of terms; a term is a conjunction of unions of patterns minus a union of patterns. All questions are
 * decided on the fly over pattern positions, breadth first, so the sample is the shortest name, then the first in byte
 * order. Effort is bounded (NAME_SET_EFFORT states a question): past that the answer is SET_UNDECIDED.
 */
#ifndef IR_NAME_SET_H
#define IR_NAME_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "ir/set.h"

enum { NAME_SET_EFFORT = 200000 };

enum name_pattern_kind {
    NAME_EVERY, /* every name, the root too */
    NAME_EXACT, /* that name; "" is the root */
    NAME_GLOB,  /* a run of '*' stands for zero or more of [-a-z0-9_], within one label */
    NAME_DEEP   /* one or more whole labels, a dot, then `text` as a glob ("example.com" for **.example.com) */
};

struct name_pattern {
    enum name_pattern_kind kind;
    const char *text; /* lower case, no trailing dot; "" for NAME_EVERY */
};

/* A union of patterns, sorted by kind and text, without duplicates. */
struct name_union {
    const struct name_pattern *patterns;
    uint32_t count;
};

struct name_term {
    const struct name_union *all_of; /* a name is in the term if it is in each of these ... */
    uint32_t all_count;              /* 0: no condition */
    struct name_union none_of;       /* ... and in none of these patterns */
};

struct name_set {
    const struct name_term *terms;
    uint32_t count;
};

/* What a pattern means (spec/cilium-egress.md 3.5); `deep_patterns`: Cilium 1.19 and later. The text is lower-cased, a
 * trailing dot is taken off. Grammar is the caller's to check. */
struct name_pattern name_pattern_of(struct arena *arena, struct text pattern, bool deep_patterns);
struct name_pattern name_pattern_exact(struct arena *arena, struct text name);
/* `name`: one of the universe. */
bool name_pattern_matches(const struct name_pattern *pattern, struct text name);

struct name_set name_set_nothing(void);
struct name_set name_set_everything(void);
struct name_set name_set_of(struct arena *arena, const struct name_pattern *patterns, uint32_t count);

struct name_set name_set_union(struct arena *arena, const struct name_set *a, const struct name_set *b);
struct name_set name_set_intersect(struct arena *arena, const struct name_set *a, const struct name_set *b);
struct name_set name_set_subtract(struct arena *arena, const struct name_set *a, const struct name_set *b);
enum emptiness name_set_is_empty(struct arena *arena, const struct name_set *set);
/* The same, spending from *effort, and of that no more than NAME_SET_EFFORT: for pruning with little, and for one bound
 * over many questions. */
enum emptiness name_set_is_empty_within(struct arena *arena, const struct name_set *set, int64_t *effort);
/* By the form of the terms alone, at once: true is a proof, false says nothing. */
bool name_set_is_within(const struct name_set *a, const struct name_set *b);
bool name_set_contains(const struct name_set *set, struct text name);
/* Whether the set is every name: certain where true. */
bool name_set_is_everything(struct arena *arena, const struct name_set *set);
/* The shortest name, then byte order, NUL-terminated in the arena or of a pattern; NULL: empty or undecided. Where some
 * terms are undecided it is the first name of the others. */
const char *name_set_sample(struct arena *arena, const struct name_set *set);
/* The same, spending from *effort. */
const char *name_set_sample_within(struct arena *arena, const struct name_set *set, int64_t *effort);
/* That order of names: negative, 0 or positive. */
int name_compare(const char *a, const char *b);
/* "name a.b"; "names a.b, *.c except x.c"; "every name"; "no name". The root is ".", names of at most one label "*.". */
void name_set_print(struct buffer *out, const struct name_set *set);

#endif

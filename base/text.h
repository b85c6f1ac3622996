/*
 * Text: a run of bytes with its length, not owned, not always NUL-terminated; and a buffer that grows in an arena.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct text {
    const char *bytes;
    size_t length;
};

/* The text of a NUL-terminated string; NULL gives the empty text. */
struct text text_of(const char *string);
bool text_equal(struct text a, struct text b);
bool text_is(struct text a, const char *string);
/* Byte order, shorter first where one begins the other: the order of every output. */
int text_compare(struct text a, struct text b);
bool text_starts_with(struct text a, const char *prefix);
bool text_ends_with(struct text a, const char *suffix);
/* Without blanks (space, tab, CR, LF, VT, FF) at either end. */
struct text text_trim(struct text a);
/* FNV-1a, 64 bits. It is not keyed: where hostile names meet in one table, the table must not rely on it alone. */
uint64_t text_hash(struct text a);

/* NUL-terminated strings in byte order; NULL comes first. */
int string_compare(const char *a, const char *b);
/* NULL equals NULL alone. */
bool string_equal(const char *a, const char *b);
/* For qsort and bsearch over arrays of strings, none of them NULL. */
int string_compare_at(const void *a, const void *b);

/* ASCII lower case, NUL-terminated, in the arena. */
char *text_lower(struct arena *arena, struct text a);

/* An unsigned decimal number of digits only, leading zeros allowed, at most `maximum`; false: it is none or larger. */
bool text_number(struct text a, uint64_t maximum, uint64_t *value);

/* The entry of `known` that is nearest to `name` by edit distance (at most a third of its length, at least 1),
 * or NULL. `known` ends with NULL. For "did you mean". */
const char *text_nearest(struct text name, const char *const *known);

struct buffer {
    struct arena *arena;
    char *bytes;
    size_t length, capacity;
};

void buffer_init(struct buffer *buffer, struct arena *arena);
void buffer_add(struct buffer *buffer, const char *bytes, size_t length);
void buffer_add_string(struct buffer *buffer, const char *string);
void buffer_add_text(struct buffer *buffer, struct text text);
void buffer_add_char(struct buffer *buffer, char byte);
void buffer_print(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_vprint(struct buffer *buffer, const char *format, va_list arguments);
/* NUL-terminated; valid until the next change of the buffer. */
const char *buffer_string(struct buffer *buffer);

#endif

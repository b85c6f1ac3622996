/*
 * Arenas: memory that is given out piece by piece and returned all at once.
 *
 * One arena a run and one a worker hold trees, objects, sets and diagnostics; nothing in them is freed one by one.
 * Memory is aligned for any type and zeroed; large parts of it are on large pages where the system has them. Running out
 * of memory ends the program with exit status 2 and one line on standard error, so no caller checks for NULL. An arena
 * belongs to one thread at a time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

/* A new arena, owned by the caller until arena_destroy. */
struct arena *arena_create(void);

/* Returns all memory of the arena. NULL is allowed. */
void arena_destroy(struct arena *arena);

/* `size` zeroed bytes; never NULL, also for size 0. */
void *arena_alloc(struct arena *arena, size_t size);

/* `count` zeroed elements of `size` bytes; an overflow of the product counts as out of memory. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* Makes room for at least `wanted` elements in an array of `*capacity`, by doubling; the old content is copied.
 * Returns the array to use from now on. Grows in place where the array is the arena's newest piece. */
void *arena_grow(struct arena *arena, void *array, size_t *capacity, size_t wanted, size_t size);

/* A NUL-terminated copy of `length` bytes. */
char *arena_copy(struct arena *arena, const char *bytes, size_t length);

/* printf into the arena; NUL-terminated. */
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A point to roll back to: all that was given out after the mark is returned (and poisoned under AddressSanitizer). */
struct arena_mark {
    void *block;
    size_t used;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_rollback(struct arena *arena, struct arena_mark mark);

/* Bytes that the arena holds from the system. */
size_t arena_size(const struct arena *arena);

/* From now on the arena is out of memory when it would hold more than `bytes` (never less than it holds now). For tests
 * of the way out; without a call there is no bound. */
void arena_set_limit(struct arena *arena, size_t bytes);

#endif

#ifdef __linux__
#define _DEFAULT_SOURCE /* for anonymous mappings and madvise */
#endif

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(address, size) ASAN_POISON_MEMORY_REGION(address, size)
#define UNPOISON(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#define RED_ZONE ((size_t)16)
#else
#define POISON(address, size) ((void)(address), (void)(size))
#define UNPOISON(address, size) ((void)(address), (void)(size))
#define RED_ZONE ((size_t)0)
#endif

/* Sanitizers look for pointers in what malloc gave alone. */
#if defined(MADV_HUGEPAGE) && !defined(ARENA_ASAN)
#define LARGE_PAGES 1
#endif

#define ALIGNMENT ((size_t)16)
#define BLOCK_FIRST ((size_t)16 * 1024)
#define BLOCK_LARGEST ((size_t)4 * 1024 * 1024)
#define LARGE_PAGE ((size_t)2 * 1024 * 1024)
/* Larger pieces get a block of their own, so that at most this much of a block stays unused. */
#define PIECE_LARGEST (BLOCK_LARGEST / 8)

_Static_assert(_Alignof(max_align_t) <= ALIGNMENT, "pieces fit any type");

/* Blocks form a list from the newest to the oldest, in order of creation. Pieces are cut from the newest shared block;
 * blocks of a single piece may stand before it. So a mark needs the newest block and the fill of the shared one. */
struct block {
    struct block *older;
    size_t size; /* of the bytes */
    bool single;
    _Alignas(16) char bytes[];
};

struct arena {
    char *at, *end;       /* the free part of `shared` */
    struct block *newest; /* of all blocks */
    struct block *shared; /* the newest that is not single */
    struct block *spare;  /* an empty shared block kept by a rollback, or NULL */
    size_t next_size;
    size_t held, limit;
};

_Noreturn static void out_of_memory(void) {
    static const char line[] = "egressc: out of memory\n";
    ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)written;
    _exit(2);
}

static size_t round_up(size_t size) { return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1); }

/* The room that a piece takes; size 0 takes some too, so that every piece has its own address. */
static size_t piece_room(size_t size) {
    if (size > SIZE_MAX / 2) {
        out_of_memory();
    }
    return round_up(size | (size == 0)) + RED_ZONE;
}

/* Zeroed memory, or NULL. Large blocks ask for large pages where the system has them: beyond parsing, most of the time of a
 * large tree goes into page faults. */
static void *memory_get(size_t size) {
#ifdef LARGE_PAGES
    if (size >= LARGE_PAGE) {
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return NULL;
        }
        madvise(memory, size, MADV_HUGEPAGE);
        return memory;
    }
#endif
    return calloc(1, size);
}

static void memory_give(void *memory, size_t size) {
#ifdef LARGE_PAGES
    if (size >= LARGE_PAGE) {
        munmap(memory, size);
        return;
    }
#endif
    (void)size;
    free(memory);
}

static struct block *block_create(struct arena *arena, size_t size, bool single) {
    size_t whole = sizeof(struct block) + size;
    if (whole > arena->limit - arena->held) {
        out_of_memory();
    }
    struct block *block = memory_get(whole);
    if (!block) {
        out_of_memory();
    }
    block->size = size;
    block->single = single;
    POISON(block->bytes, size);
    arena->held += whole;
    return block;
}

static void block_free(struct arena *arena, struct block *block) {
    size_t whole = sizeof(struct block) + block->size;
    arena->held -= whole;
    UNPOISON(block->bytes, block->size);
    memory_give(block, whole);
}

static void push_block(struct arena *arena, struct block *block) {
    block->older = arena->newest;
    arena->newest = block;
}

static void share_block(struct arena *arena, struct block *block, size_t used) {
    arena->shared = block;
    arena->at = block->bytes + used;
    arena->end = block->bytes + block->size;
}

struct arena *arena_create(void) {
    struct arena *arena = calloc(1, sizeof *arena);
    if (!arena) {
        out_of_memory();
    }
    arena->limit = SIZE_MAX;
    arena->next_size = BLOCK_FIRST * 2;
    push_block(arena, block_create(arena, BLOCK_FIRST - sizeof(struct block), false));
    share_block(arena, arena->newest, 0);
    return arena;
}

void arena_destroy(struct arena *arena) {
    if (!arena) {
        return;
    }
    struct block *block = arena->newest;
    while (block) {
        struct block *older = block->older;
        block_free(arena, block);
        block = older;
    }
    if (arena->spare) {
        block_free(arena, arena->spare);
    }
    free(arena);
}

void arena_set_limit(struct arena *arena, size_t bytes) { arena->limit = bytes > arena->held ? bytes : arena->held; }

size_t arena_size(const struct arena *arena) { return arena->held; }

static void add_shared_block(struct arena *arena) {
    struct block *block = arena->spare;
    if (block) {
        arena->spare = NULL;
    } else {
        block = block_create(arena, arena->next_size - sizeof(struct block), false);
        if (arena->next_size < BLOCK_LARGEST) {
            arena->next_size *= 2;
        }
    }
    push_block(arena, block);
    share_block(arena, block, 0);
}

/* The way of a piece that the shared block has no room for. */
static void *alloc_slow(struct arena *arena, size_t size, size_t room) {
    if (room <= PIECE_LARGEST &&
        room <= (arena->spare ? arena->spare->size : arena->next_size - sizeof(struct block))) {
        add_shared_block(arena);
        return arena_alloc(arena, size);
    }
    struct block *block = block_create(arena, room, true);
    push_block(arena, block);
    UNPOISON(block->bytes, size);
    return block->bytes;
}

void *arena_alloc(struct arena *arena, size_t size) {
    size_t room = piece_room(size);
    if (room > (size_t)(arena->end - arena->at)) {
        return alloc_slow(arena, size, room);
    }
    char *piece = arena->at;
    arena->at += room;
    UNPOISON(piece, size);
    return piece;
}

static size_t multiply(size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        out_of_memory();
    }
    return count * size;
}

void *arena_array(struct arena *arena, size_t count, size_t size) { return arena_alloc(arena, multiply(count, size)); }

/* Whether the array was extended where it stands. */
static bool extend_newest(struct arena *arena, char *array, size_t old_size, size_t new_size) {
    size_t old_room = piece_room(old_size), extra = piece_room(new_size) - old_room;
    if (arena->at - arena->shared->bytes < (ptrdiff_t)old_room || arena->at - old_room != array ||
        extra > (size_t)(arena->end - arena->at)) {
        return false;
    }
    arena->at += extra;
    UNPOISON(array, new_size);
    return true;
}

void *arena_grow(struct arena *arena, void *array, size_t *capacity, size_t wanted, size_t size) {
    if (wanted <= *capacity) {
        return array;
    }
    /* Large elements begin with few: most of their arrays stay short. */
    size_t first = size > 64 ? 2 : 8;
    size_t enough = *capacity < first ? first : *capacity > SIZE_MAX / 2 ? wanted : *capacity * 2;
    enough = enough < wanted ? wanted : enough;
    size_t old_size = *capacity * size, new_size = multiply(enough, size);
    *capacity = enough;
    if (array && extend_newest(arena, array, old_size, new_size)) {
        return array;
    }
    void *grown = arena_alloc(arena, new_size);
    if (array) {
        memcpy(grown, array, old_size);
    }
    return grown;
}

char *arena_copy(struct arena *arena, const char *bytes, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (length) {
        memcpy(copy, bytes, length);
    }
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...) {
    char small[256];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 0 : (size_t)length;
    char *string = arena_alloc(arena, size + 1);
    if (size < sizeof small) {
        memcpy(string, small, size);
    } else {
        vsnprintf(string, size + 1, format, again);
    }
    va_end(again);
    return string;
}

struct arena_mark arena_mark(const struct arena *arena) {
    return (struct arena_mark){.block = arena->newest, .used = (size_t)(arena->at - arena->shared->bytes)};
}

/* Makes the bytes from `used` to `until` as new. */
static void wipe(struct block *block, size_t used, size_t until) {
    UNPOISON(block->bytes + used, until - used);
    memset(block->bytes + used, 0, until - used);
    POISON(block->bytes + used, until - used);
}

/* Takes back a block that is newer than the mark. One shared block, the largest, is kept: a scratch arena that works
 * across the end of a block would otherwise ask the system for it again and again. */
static void retire(struct arena *arena, struct block *block, size_t used) {
    if (block->single || (arena->spare && arena->spare->size >= block->size)) {
        block_free(arena, block);
        return;
    }
    if (arena->spare) {
        block_free(arena, arena->spare);
    }
    wipe(block, 0, used);
    arena->spare = block;
}

void arena_rollback(struct arena *arena, struct arena_mark mark) {
    size_t used = (size_t)(arena->at - arena->shared->bytes);
    const struct block *shared = arena->shared;
    while (arena->newest != mark.block) {
        struct block *block = arena->newest;
        arena->newest = block->older;
        retire(arena, block, block == shared ? used : block->size);
    }
    struct block *block = arena->newest;
    while (block->single) {
        block = block->older;
    }
    wipe(block, mark.used, block == shared ? used : block->size);
    share_block(arena, block, mark.used);
}

/* The promises of base/arena.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/arena_state.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifdef UNDER_ASAN
#include <sanitizer/asan_interface.h>
#endif

static void assert_zeroed(const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

static void pieces_are_aligned_zeroed_and_apart(void **state) {
    struct arena *arena = *state;
    char *last = NULL;
    for (size_t size = 0; size < 3000; size++) {
        char *piece = arena_alloc(arena, size);
        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % 16, 0);
        assert_ptr_not_equal(piece, last);
        assert_zeroed(piece, size);
        memset(piece, 0xA5, size);
        last = piece;
    }
}

static void pieces_of_any_size_keep_their_content(void **state) {
    struct arena *arena = *state;
    static const size_t sizes[] = {1, 16384, 17, 600000, 100, 5000000, 524288, 3, 70000};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    unsigned char *pieces[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        pieces[i] = arena_alloc(arena, sizes[i]);
        assert_zeroed((const char *)pieces[i], sizes[i]);
        memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < sizes[i]; j++) {
            assert_int_equal(pieces[i][j], i + 1);
        }
    }
}

static void small_pieces_go_on_behind_a_large_one(void **state) {
    struct arena *arena = *state;
    char *before = arena_alloc(arena, 16);
    arena_alloc(arena, 8000000);
    char *after = arena_alloc(arena, 16);
    assert_in_range((uintptr_t)after - (uintptr_t)before, 16, 64);
}

static void newest_array_grows_in_place(void **state) {
    struct arena *arena = *state;
    size_t capacity = 0;
    int *numbers = arena_grow(arena, NULL, &capacity, 1, sizeof *numbers);
    int *first = numbers;
    size_t old = capacity;
    for (size_t i = 0; i < old; i++) {
        numbers[i] = (int)i;
    }
    numbers = arena_grow(arena, numbers, &capacity, old + 1, sizeof *numbers);
    assert_ptr_equal(numbers, first);
    assert_int_equal(capacity, 2 * old);
    assert_zeroed((const char *)(numbers + old), (capacity - old) * sizeof *numbers);
    arena_alloc(arena, 1);
    numbers = arena_grow(arena, numbers, &capacity, 2 * old + 1, sizeof *numbers);
    assert_ptr_not_equal(numbers, first);
    assert_int_equal(capacity, 4 * old);
    for (size_t i = 0; i < old; i++) {
        assert_int_equal(numbers[i], i);
    }
}

static void growth_to_what_fits_changes_nothing(void **state) {
    size_t capacity = 0;
    char *array = arena_grow(*state, NULL, &capacity, 5, 1);
    size_t old = capacity;
    assert_true(old >= 5);
    assert_ptr_equal(arena_grow(*state, array, &capacity, old, 1), array);
    assert_int_equal(capacity, old);
}

static void copies_end_with_nul(void **state) {
    char *copy = arena_copy(*state, "a\0bc", 3);
    assert_memory_equal(copy, "a\0b", 4);
    assert_string_equal(arena_copy(*state, NULL, 0), "");
}

static void formatted_text_of_any_length_is_whole(void **state) {
    assert_string_equal(arena_format(*state, "%s-%d", "a", 7), "a-7");
    for (int width = 250; width < 260; width++) {
        char *text = arena_format(*state, "%*d", width, 1);
        assert_int_equal(strlen(text), width);
        assert_int_equal(text[width - 1], '1');
    }
}

static void rollback_gives_the_same_memory_zeroed(void **state) {
    struct arena *arena = *state;
    char *kept = arena_copy(arena, "kept", 4);
    struct arena_mark mark = arena_mark(arena);
    char *first = arena_alloc(arena, 100);
    memset(first, 1, 100);
    arena_rollback(arena, mark);
    char *again = arena_alloc(arena, 100);
    assert_ptr_equal(again, first);
    assert_zeroed(again, 100);
    assert_string_equal(kept, "kept");
}

static void rollback_over_blocks_returns_their_memory(void **state) {
    struct arena *arena = *state;
    memset(arena_alloc(arena, 100), 1, 100);
    struct arena_mark mark = arena_mark(arena);
    size_t before = arena_size(arena);
    for (int i = 0; i < 300; i++) {
        memset(arena_alloc(arena, 1000), 1, 1000);
        memset(arena_alloc(arena, i % 50 == 0 ? 1000000 : 1), 1, 1);
    }
    assert_true(arena_size(arena) > before + 6000000);
    arena_rollback(arena, mark);
    assert_true(arena_size(arena) < before + 1000000); /* one spare block may stay */
    for (int i = 0; i < 300; i++) {
        char *piece = arena_alloc(arena, 1000);
        assert_zeroed(piece, 1000);
        memset(piece, 1, 1000);
    }
}

/* Around the size from which on the system is asked itself; what is not given back would be gigabytes. */
static void large_pieces_are_zeroed_whole_and_given_back(void **state) {
    struct arena *arena = *state;
    enum { TURNS = 60, LARGE = 2 * 1024 * 1024 };
    static const size_t sizes[] = {LARGE - 4096, LARGE - 64, LARGE - 16, LARGE, LARGE + 1, 3 * LARGE - 5, 20 * LARGE};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    struct arena_mark mark = arena_mark(arena);
    struct rusage usage;
    for (size_t i = 0; i < (size_t)TURNS * COUNT; i++) {
        size_t size = sizes[i % COUNT];
        unsigned char *piece = arena_alloc(arena, size);
        for (size_t at = 0; at < size; at += 4093) {
            assert_int_equal(piece[at], 0);
            piece[at] = 1;
        }
        assert_int_equal(piece[size - 1], 0);
        piece[size - 1] = 1;
        arena_rollback(arena, mark);
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
#ifndef UNDER_ASAN
    assert_true(usage.ru_maxrss < 200 * 1024);
#endif
}

static void rollback_to_a_mark_behind_a_large_piece_keeps_it(void **state) {
    struct arena *arena = *state;
    char *large = arena_alloc(arena, 2000000);
    memset(large, 7, 2000000);
    struct arena_mark mark = arena_mark(arena);
    memset(arena_alloc(arena, 40000), 1, 40000);
    arena_rollback(arena, mark);
    assert_int_equal(large[1999999], 7);
    assert_zeroed(arena_alloc(arena, 40000), 40000);
}

static void scratch_use_over_a_block_end_does_not_grow(void **state) {
    struct arena *arena = *state;
    size_t after_first = 0;
    for (int round = 0; round < 100; round++) {
        struct arena_mark mark = arena_mark(arena);
        for (int i = 0; i < 40; i++) {
            char *piece = arena_alloc(arena, 1000);
            assert_zeroed(piece, 1000);
            memset(piece, 1, 1000);
        }
        arena_rollback(arena, mark);
        after_first = round == 0 ? arena_size(arena) : after_first;
        assert_true(arena_size(arena) <= after_first + 200000);
    }
}

/* Runs in a child: its exit status and what it wrote to standard error. */
static int run_child(void (*body)(struct arena *arena), char *output, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        struct arena *arena = arena_create();
        arena_set_limit(arena, 1000000);
        body(arena);
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], output, size - 1);
    output[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void ask_too_much(struct arena *arena) { arena_alloc(arena, 2000000); }

static void ask_too_often(struct arena *arena) {
    for (int i = 0; i < 2000; i++) {
        arena_alloc(arena, 1000);
    }
}

static void ask_an_overflow(struct arena *arena) { arena_array(arena, SIZE_MAX / 2, 4); }
static void ask_the_largest(struct arena *arena) { arena_alloc(arena, SIZE_MAX); }

static void grow_beyond(struct arena *arena) {
    size_t capacity = 0;
    arena_grow(arena, NULL, &capacity, SIZE_MAX / 4, 8);
}

static void stay_within(struct arena *arena) { arena_alloc(arena, 500000); }

static void running_out_of_memory_ends_with_status_2(void **state) {
    (void)state;
    static void (*const bodies[])(struct arena *) = {ask_too_much, ask_too_often, ask_an_overflow, ask_the_largest,
                                                     grow_beyond};
    char output[100];
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        assert_int_equal(run_child(bodies[i], output, sizeof output), 2);
        assert_string_equal(output, "egressc: out of memory\n");
    }
    assert_int_equal(run_child(stay_within, output, sizeof output), 0);
    assert_string_equal(output, "");
}

static void memory_not_given_out_is_poisoned(void **state) {
#ifdef UNDER_ASAN
    struct arena *arena = *state;
    struct arena_mark mark = arena_mark(arena);
    char *piece = arena_alloc(arena, 20);
    assert_false(__asan_address_is_poisoned(piece + 19));
    assert_true(__asan_address_is_poisoned(piece + 20));
    arena_alloc(arena, 1);
    assert_true(__asan_address_is_poisoned(piece + 20));
    arena_rollback(arena, mark);
    assert_true(__asan_address_is_poisoned(piece));
#else
    (void)state;
    skip();
#endif
}

static void destroying_nothing_is_allowed(void **state) {
    (void)state;
    arena_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pieces_are_aligned_zeroed_and_apart),        TEST(pieces_of_any_size_keep_their_content),
        TEST(small_pieces_go_on_behind_a_large_one),      TEST(newest_array_grows_in_place),
        TEST(growth_to_what_fits_changes_nothing),        TEST(copies_end_with_nul),
        TEST(formatted_text_of_any_length_is_whole),      TEST(rollback_gives_the_same_memory_zeroed),
        TEST(rollback_over_blocks_returns_their_memory),  TEST(large_pieces_are_zeroed_whole_and_given_back),
        TEST(rollback_over_blocks_returns_their_memory),  TEST(rollback_to_a_mark_behind_a_large_piece_keeps_it),
        TEST(scratch_use_over_a_block_end_does_not_grow), TEST(running_out_of_memory_ends_with_status_2),
        TEST(memory_not_given_out_is_poisoned),           TEST(destroying_nothing_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

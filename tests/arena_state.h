/* The state of a test that wants an arena and nothing else: cmocka_unit_test_setup_teardown(name, begin, end). */
#ifndef TESTS_ARENA_STATE_H
#define TESTS_ARENA_STATE_H

#include "base/arena.h"

static inline int begin(void **state) {
    *state = arena_create();
    return 0;
}

static inline int end(void **state) {
    arena_destroy(*state);
    return 0;
}

#endif

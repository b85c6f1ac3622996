/* Payloads: against enumeration of a few names and requests, and by example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "ir/payload_set.h"
#include "tests/arena_state.h"
#include "tests/ir/random.h"

static struct name_set one_name(struct arena *arena, const char *text) {
    struct name_pattern pattern = name_pattern_of(arena, text_of(text), true);
    return name_set_of(arena, &pattern, 1);
}

enum { NAMES = 4, POINTS = 1 + 2 * NAMES + 3, ROUNDS = 5000 };

static const char *const names[NAMES] = {"", "a", "a.c", "b.c"};
static const char *const identifiers[] = {"get", "put", "unlisted"};

/* Point number n: anything else, a question, a server name or a request. */
static struct payload point(unsigned n) {
    if (n == 0) {
        return (struct payload){PAYLOAD_OTHER, NULL};
    }
    n--;
    if (n < 2 * NAMES) {
        return (struct payload){n < NAMES ? PAYLOAD_QUESTION : PAYLOAD_SERVER_NAME, names[n % NAMES]};
    }
    return (struct payload){PAYLOAD_REQUEST, identifiers[n - 2 * NAMES]};
}

enum verb { VERB_UNION, VERB_INTERSECT, VERB_SUBTRACT, VERB_COUNT };

static struct payload_set combine(struct arena *arena, enum verb verb, const struct payload_set *a,
                                  const struct payload_set *b, bool *in, const bool *other) {
    for (unsigned n = 0; n < POINTS; n++) {
        in[n] = verb == VERB_UNION       ? in[n] || other[n]
                : verb == VERB_INTERSECT ? in[n] && other[n]
                                         : in[n] && !other[n];
    }
    return verb == VERB_UNION       ? payload_set_union(arena, a, b)
           : verb == VERB_INTERSECT ? payload_set_intersect(arena, a, b)
                                    : payload_set_subtract(arena, a, b);
}

/* One kind of payload, or everything, and which points are in it. */
static struct payload_set random_set(struct random *random, struct arena *arena, bool *in) {
    unsigned kind = random_below(random, 4), which = random_below(random, NAMES);
    struct name_set name = one_name(arena, which ? names[which] : "*.c");
    for (unsigned n = 0; n < POINTS; n++) {
        struct payload payload = point(n);
        bool named = payload.kind != PAYLOAD_OTHER && name_set_contains(&name, text_of(payload.text));
        in[n] = kind == 3 || (kind == 0 && payload.kind == PAYLOAD_QUESTION && named) ||
                (kind == 1 && payload.kind == PAYLOAD_SERVER_NAME && named) ||
                (kind == 2 && payload.kind == PAYLOAD_REQUEST && payload.text == identifiers[which % 2]);
    }
    return kind == 0   ? payload_set_of_questions(&name)
           : kind == 1 ? payload_set_of_server_names(&name)
           : kind == 2 ? payload_set_of_requests(arena, identifiers[which % 2])
                       : payload_set_everything();
}

static void assert_same(struct arena *arena, const struct payload_set *set, const bool *in) {
    bool any = false;
    for (unsigned n = 0; n < POINTS; n++) {
        struct payload payload = point(n);
        assert_int_equal(payload_set_contains(set, &payload), in[n]);
        any = any || in[n];
    }
    enum emptiness emptiness = payload_set_is_empty(arena, set);
    assert_false(any && emptiness != SET_INHABITED);
    struct payload first;
    assert_int_equal(payload_set_sample(arena, set, &first), emptiness == SET_INHABITED);
    for (unsigned n = 0; n < POINTS && emptiness == SET_INHABITED; n++) {
        struct payload other = point(n);
        assert_true(payload_set_contains(set, &first));
        /* Of requests that are not listed any will do, so their order says nothing. */
        assert_true(!in[n] || other.kind == PAYLOAD_REQUEST || payload_compare(&first, &other) <= 0);
    }
}

static void verbs_agree_with_enumeration(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(18);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        bool in[POINTS], other[POINTS];
        struct payload_set set = random_set(&random, arena, in);
        for (unsigned steps = random_below(&random, 5); steps > 0; steps--) {
            struct payload_set more = random_set(&random, arena, other);
            set = combine(arena, (enum verb)random_below(&random, VERB_COUNT), &set, &more, in, other);
            assert_same(arena, &set, in);
        }
        struct payload_set none = payload_set_subtract(arena, &set, &set);
        assert_int_equal(payload_set_is_empty(arena, &none), SET_EMPTY);
        arena_rollback(arena, start);
    }
}

static void a_rough_set_is_never_known_to_be_inhabited(void **state) {
    struct arena *arena = *state;
    struct payload_set everything = payload_set_everything(), rough = everything;
    rough.rough = true;
    struct payload payload;
    assert_int_equal(payload_set_is_empty(arena, &rough), SET_UNDECIDED);
    assert_false(payload_set_sample(arena, &rough, &payload));
    struct payload_set left = payload_set_subtract(arena, &everything, &rough);
    assert_int_equal(payload_set_is_empty(arena, &left), SET_UNDECIDED);
    left = payload_set_subtract(arena, &rough, &everything);
    assert_int_equal(payload_set_is_empty(arena, &left), SET_EMPTY);
}

static void payload_sample_follows_its_order(void **state) {
    struct arena *arena = *state;
    struct name_set name = one_name(arena, "a.c");
    struct payload_set set = payload_set_of_requests(arena, "put"), questions = payload_set_of_questions(&name);
    struct payload_set server_names = payload_set_of_server_names(&name), other = {.other = true};
    struct payload payload;
    assert_true(payload_set_sample(arena, &set, &payload));
    assert_int_equal(payload.kind, PAYLOAD_REQUEST);
    assert_string_equal(payload.text, "put");
    set = payload_set_union(arena, &set, &server_names);
    assert_true(payload_set_sample(arena, &set, &payload));
    assert_int_equal(payload.kind, PAYLOAD_SERVER_NAME);
    set = payload_set_union(arena, &set, &questions);
    assert_true(payload_set_sample(arena, &set, &payload));
    assert_int_equal(payload.kind, PAYLOAD_QUESTION);
    assert_string_equal(payload.text, "a.c");
    set = payload_set_union(arena, &set, &other);
    assert_true(payload_set_sample(arena, &set, &payload));
    assert_int_equal(payload.kind, PAYLOAD_OTHER);
    struct payload_set any = {.requests_complement = true}, word = payload_set_of_requests(arena, "any");
    any = payload_set_subtract(arena, &any, &word);
    assert_true(payload_set_sample(arena, &any, &payload));
    assert_true(payload_set_contains(&any, &payload));
    set = payload_set_nothing();
    assert_false(payload_set_sample(arena, &set, &payload));
    assert_int_equal(payload_set_is_empty(arena, &set), SET_EMPTY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_agree_with_enumeration, begin, end),
        cmocka_unit_test_setup_teardown(a_rough_set_is_never_known_to_be_inhabited, begin, end),
        cmocka_unit_test_setup_teardown(payload_sample_follows_its_order, begin, end),
    };
    return cmocka_run_group_tests_name("ir/payload_set", tests, NULL, NULL);
}

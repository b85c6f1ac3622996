/* Labels and pods: against enumeration of two pod labels with three values and absence and three namespaces, and by
 * example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "ir/endpoint_set.h"
#include "tests/ir/random.h"

enum { VALUES = 3, KEYS = 3, PODS = VALUES * (VALUES + 1) * (VALUES + 1), ROUNDS = 6000 };

static const struct label_key keys[KEYS] = {
    {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, {LABEL_POD, "app"}, {LABEL_POD, "tier"}};
static const char *const words[VALUES] = {"x", "y", "z"};

static int set_up(void **state) {
    *state = arena_create();
    return 0;
}

static int tear_down(void **state) {
    arena_destroy(*state);
    return 0;
}

/* Pod number n as labels: a namespace, then value 0 to 2 or absence of each pod label. */
static uint32_t pod(unsigned n, struct label labels[static KEYS]) {
    uint32_t count = 0;
    labels[count++] = (struct label){keys[0], words[n % VALUES]};
    n /= VALUES;
    for (unsigned k = 1; k < KEYS; k++, n /= VALUES + 1) {
        if (n % (VALUES + 1) < VALUES) {
            labels[count++] = (struct label){keys[k], words[n % (VALUES + 1)]};
        }
    }
    return count;
}

typedef uint64_t mask; /* a bit a pod */
_Static_assert(PODS <= 64, "a bit a pod");

static struct value_set random_values(struct random *random, struct arena *arena) {
    const char *some[VALUES];
    uint32_t count = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        if (random_one(random, 2)) {
            some[count++] = words[i];
        }
    }
    return value_set_of(arena, some, count, random_one(random, 2), random_one(random, 2));
}

static bool admits(const struct value_set *set, const char *value) {
    if (!value) {
        return set->absent;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (strcmp(set->values[i], value) == 0) {
            return !set->complement;
        }
    }
    return set->complement;
}

static const char *value_in(const struct label *labels, uint32_t count, const struct label_key *key) {
    for (uint32_t i = 0; i < count; i++) {
        if (label_key_compare(&labels[i].key, key) == 0) {
            return labels[i].value;
        }
    }
    return NULL;
}

/* A conjunction and, independently of label_set_contains, the pods in it. */
static struct label_set random_conjunction(struct random *random, struct arena *arena, mask *pods) {
    struct label_set set = label_set_everything();
    *pods = ((mask)1 << PODS) - 1;
    for (unsigned i = random_below(random, 4); i > 0; i--) {
        const struct label_key *key = &keys[random_below(random, KEYS)];
        struct value_set values = random_values(random, arena);
        set = label_set_require(arena, &set, *key, &values);
        for (unsigned n = 0; n < PODS; n++) {
            struct label labels[KEYS];
            uint32_t count = pod(n, labels);
            if (!admits(&values, value_in(labels, count, key))) {
                *pods &= ~((mask)1 << n);
            }
        }
    }
    return set;
}

static struct endpoint_set random_set(struct random *random, struct arena *arena, mask *pods) {
    struct endpoint_set set = endpoint_set_nothing();
    *pods = 0;
    for (unsigned i = random_below(random, 4); i > 0; i--) {
        mask more;
        struct label_set one = random_conjunction(random, arena, &more);
        struct endpoint_set piece = endpoint_set_of(arena, &one);
        set = endpoint_set_union(arena, &set, &piece);
        *pods |= more;
    }
    return set;
}

static void assert_same(const struct endpoint_set *set, mask pods) {
    for (unsigned n = 0; n < PODS; n++) {
        struct label labels[KEYS];
        uint32_t count = pod(n, labels);
        assert_int_equal(endpoint_set_contains(set, labels, count), (pods >> n) & 1U);
    }
    for (uint32_t i = 0; i < set->count; i++) {
        assert_false(label_set_is_empty(&set->sets[i]));
    }
    /* Values beyond the three may be in the set as well, so an empty enumeration proves nothing. */
    assert_false(pods != 0 && endpoint_set_is_empty(set));
}

static void verbs_agree_with_enumeration(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(5);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        mask of_a, of_b;
        struct endpoint_set a = random_set(&random, arena, &of_a), b = random_set(&random, arena, &of_b);
        assert_same(&a, of_a);
        struct endpoint_set both = endpoint_set_intersect(arena, &a, &b);
        assert_same(&both, of_a & of_b);
        struct endpoint_set either = endpoint_set_union(arena, &a, &b);
        assert_same(&either, of_a | of_b);
        struct endpoint_set left = endpoint_set_subtract(arena, &a, &b);
        assert_same(&left, of_a & ~of_b);
        struct endpoint_set none = endpoint_set_subtract(arena, &both, &a);
        assert_true(endpoint_set_is_empty(&none));
        none = endpoint_set_intersect(arena, &left, &b);
        assert_true(endpoint_set_is_empty(&none));
        none = endpoint_set_subtract(arena, &a, &either);
        assert_true(endpoint_set_is_empty(&none));
        struct endpoint_set again = endpoint_set_union(arena, &left, &both);
        none = endpoint_set_subtract(arena, &a, &again);
        assert_true(endpoint_set_is_empty(&none));
        arena_rollback(arena, start);
    }
}

static void sample_is_a_member_and_the_first(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(6);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        mask pods;
        struct endpoint_set set = random_set(&random, arena, &pods);
        struct endpoint first;
        assert_int_equal(endpoint_set_sample(arena, &set, &first), !endpoint_set_is_empty(&set));
        if (endpoint_set_is_empty(&set)) {
            arena_rollback(arena, start);
            continue;
        }
        assert_true(endpoint_set_contains(&set, first.labels, first.count));
        for (unsigned n = 0; n < PODS; n++) {
            struct label labels[KEYS];
            struct endpoint other = {labels, pod(n, labels)};
            if ((pods >> n) & 1U) {
                assert_true(endpoint_compare(&first, &other) <= 0);
            }
        }
        arena_rollback(arena, start);
    }
}

static void values_agree_with_enumeration(void **state) {
    struct arena *arena = *state;
    static const char *const points[] = {"x", "y", "z", "other", NULL};
    struct random random = random_of(7);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        struct value_set a = random_values(&random, arena), b = random_values(&random, arena);
        struct value_set both = value_set_intersect(arena, &a, &b), either = value_set_union(arena, &a, &b);
        struct value_set not_a = value_set_negate(arena, &a, false), universal = value_set_negate(arena, &a, true);
        bool any = false, subset = true, equal = true;
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            bool in_a = admits(&a, points[i]), in_b = admits(&b, points[i]);
            assert_int_equal(value_set_contains(&a, points[i]), in_a);
            assert_int_equal(value_set_contains(&both, points[i]), in_a && in_b);
            assert_int_equal(value_set_contains(&either, points[i]), in_a || in_b);
            assert_int_equal(value_set_contains(&not_a, points[i]), !in_a);
            assert_int_equal(value_set_contains(&universal, points[i]), points[i] && !in_a);
            any = any || in_a;
            subset = subset && (!in_a || in_b);
            equal = equal && in_a == in_b;
        }
        assert_int_equal(value_set_is_empty(&a), !any);
        assert_int_equal(value_set_is_subset(&a, &b), subset);
        assert_int_equal(value_set_equal(&a, &b), equal);
        arena_rollback(arena, start);
    }
}

/* One requirement; `values` ends with NULL. */
static struct endpoint_set require(struct arena *arena, struct label_key key, const char *const *values,
                                   bool complement, bool absent) {
    uint32_t count = 0;
    while (values[count]) {
        count++;
    }
    struct value_set set = value_set_of(arena, values, count, complement, absent);
    struct label_set everything = label_set_everything();
    struct label_set one = label_set_require(arena, &everything, key, &set);
    return endpoint_set_of(arena, &one);
}

static void universal_keys_are_never_absent(void **state) {
    struct arena *arena = *state;
    static const char *const none[] = {NULL};
    struct endpoint_set set = require(arena, keys[0], none, false, true);
    assert_true(endpoint_set_is_empty(&set));
    set = require(arena, (struct label_key){LABEL_CLUSTER, ""}, none, false, true);
    assert_true(endpoint_set_is_empty(&set));
    set = require(arena, keys[0], none, true, false);
    struct endpoint_set everything = endpoint_set_everything();
    struct endpoint_set rest = endpoint_set_subtract(arena, &everything, &set);
    assert_true(endpoint_set_is_empty(&rest));
    set = require(arena, (struct label_key){LABEL_NAMESPACE, "team"}, none, false, true);
    assert_false(endpoint_set_is_empty(&set));
}

static void sets_for_single_values_cover_the_set_for_both(void **state) {
    struct arena *arena = *state;
    static const char *const a[] = {"a", NULL}, *const b[] = {"b", NULL}, *const both[] = {"b", "a", NULL};
    struct endpoint_set one = require(arena, keys[1], a, false, false), two = require(arena, keys[1], b, false, false);
    struct endpoint_set pair = endpoint_set_union(arena, &one, &two),
                        whole = require(arena, keys[1], both, false, false);
    assert_int_equal(pair.count, 1);
    struct endpoint_set rest = endpoint_set_subtract(arena, &whole, &pair);
    assert_true(endpoint_set_is_empty(&rest));
}

static void assert_samples(struct arena *arena, const struct endpoint_set *set, const char *expected) {
    struct endpoint endpoint;
    assert_true(endpoint_set_sample(arena, set, &endpoint));
    struct buffer out;
    buffer_init(&out, arena);
    endpoint_print(&out, &endpoint);
    assert_string_equal(buffer_string(&out), expected);
}

static void sample_takes_absence_then_the_least_legal_value(void **state) {
    struct arena *arena = *state;
    static const char *const none[] = {NULL}, *const empty[] = {"", NULL}, *const low[] = {"", "0", "1", NULL};
    static const char *const two[] = {"web", "frontend", NULL}, *const usual[] = {"default", NULL};
    static const char *const usual0[] = {"default", "0", NULL}, *const accounts[] = {"builder", "default", NULL};
    struct label_key account = {LABEL_SERVICE_ACCOUNT, ""}, cluster = {LABEL_CLUSTER, ""};
    struct endpoint_set set = endpoint_set_everything();
    assert_samples(arena, &set, "pod namespace=default");
    set = require(arena, keys[1], two, true, true);
    assert_samples(arena, &set, "pod namespace=default");
    set = require(arena, keys[1], none, true, false);
    assert_samples(arena, &set, "pod namespace=default, app=");
    set = require(arena, keys[1], empty, true, false);
    assert_samples(arena, &set, "pod namespace=default, app=0");
    set = require(arena, keys[1], low, true, false);
    assert_samples(arena, &set, "pod namespace=default, app=2");
    set = require(arena, keys[1], two, false, false);
    assert_samples(arena, &set, "pod namespace=default, app=frontend");
    set = require(arena, keys[0], usual, true, false);
    assert_samples(arena, &set, "pod namespace=0");
    set = require(arena, keys[0], usual0, true, false);
    assert_samples(arena, &set, "pod namespace=1");
    set = require(arena, account, none, true, false);
    assert_samples(arena, &set, "pod namespace=default, serviceaccount=default");
    set = require(arena, account, accounts, false, false);
    assert_samples(arena, &set, "pod namespace=default, serviceaccount=default");
    set = require(arena, cluster, usual, true, false);
    assert_samples(arena, &set, "pod namespace=default, cluster=0");
    set = require(arena, (struct label_key){LABEL_NAMESPACE, "a"}, none, true, false);
    assert_samples(arena, &set, "pod namespace:a=, namespace=default");
}

static void sample_goes_on_to_longer_values(void **state) {
    struct arena *arena = *state;
    const char *excluded[64] = {""};
    static const char characters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (size_t i = 0; i < 62; i++) {
        excluded[i + 1] = arena_copy(arena, characters + i, 1);
    }
    excluded[63] = NULL;
    struct endpoint_set set = require(arena, keys[1], excluded, true, false);
    assert_samples(arena, &set, "pod namespace=default, app=00");
}

static void a_pod_without_a_cluster_is_in_default(void **state) {
    struct arena *arena = *state;
    static const char *const usual[] = {"default", NULL};
    struct label_key cluster = {LABEL_CLUSTER, ""};
    struct label labels[] = {{keys[0], "x"}};
    struct endpoint_set in = require(arena, cluster, usual, false, false),
                        out = require(arena, cluster, usual, true, false);
    assert_true(endpoint_set_contains(&in, labels, 1));
    assert_false(endpoint_set_contains(&out, labels, 1));
}

static void assert_prints(struct arena *arena, const struct endpoint_set *set, const char *expected) {
    struct buffer out;
    buffer_init(&out, arena);
    endpoint_set_print(&out, set);
    assert_string_equal(buffer_string(&out), expected);
}

static void print_speaks_like_selectors(void **state) {
    struct arena *arena = *state;
    static const char *const none[] = {NULL}, *const one[] = {"a", NULL}, *const two[] = {"b", "a", NULL};
    const struct {
        struct label_key key;
        const char *const *values;
        bool complement, absent;
        const char *expected;
    } rows[] = {
        {{LABEL_POD, "k"}, none, false, true, "pods !k"},
        {{LABEL_POD, "k"}, none, true, false, "pods k exists"},
        {{LABEL_POD, "k"}, one, false, false, "pods k=a"},
        {{LABEL_POD, "k"}, one, false, true, "pods k=a or absent"},
        {{LABEL_POD, "k"}, one, true, true, "pods k!=a"},
        {{LABEL_POD, "k"}, one, true, false, "pods k exists and not in (a)"},
        {{LABEL_POD, "k"}, two, false, false, "pods k in (a, b)"},
        {{LABEL_POD, "k"}, two, true, true, "pods k not in (a, b)"},
        {{LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, one, true, false, "pods namespace!=a"},
        {{LABEL_NAMESPACE, "team"}, one, false, false, "pods namespace:team=a"},
        {{LABEL_CLUSTER, ""}, two, true, false, "pods cluster not in (a, b)"},
        {{LABEL_POD, "k"}, none, true, true, "every pod"},
        {{LABEL_POD, "k"}, none, false, false, "no pod"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct endpoint_set set = require(arena, rows[i].key, rows[i].values, rows[i].complement, rows[i].absent);
        assert_prints(arena, &set, rows[i].expected);
    }
    struct endpoint_set a = require(arena, keys[0], one, false, false), b = require(arena, keys[1], two, false, false);
    struct endpoint_set both = endpoint_set_intersect(arena, &a, &b), either = endpoint_set_union(arena, &a, &b);
    assert_prints(arena, &both, "pods namespace=a, app in (a, b)");
    assert_prints(arena, &either, "pods namespace=a; pods app in (a, b)");
}

/* Two hundred sets of three requirements, less two hundred others: seconds if pieces multiply. */
static void subtraction_of_many_sets_is_fast(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(8);
    struct endpoint_set sides[2] = {endpoint_set_nothing(), endpoint_set_nothing()};
    for (int i = 0; i < 400; i++) {
        struct label_set set = label_set_everything();
        for (unsigned k = 0; k < 3; k++) {
            const char *value = arena_format(arena, "v%u", random_below(&random, 20));
            struct label_key key = {LABEL_POD, arena_format(arena, "k%u", random_below(&random, 6))};
            struct value_set values = value_set_of(arena, &value, 1, random_one(&random, 3), false);
            set = label_set_require(arena, &set, key, &values);
        }
        struct endpoint_set piece = endpoint_set_of(arena, &set);
        sides[i % 2] = endpoint_set_union(arena, &sides[i % 2], &piece);
    }
    clock_t start = clock();
    struct endpoint_set left = endpoint_set_subtract(arena, &sides[0], &sides[1]);
    struct endpoint_set none = endpoint_set_intersect(arena, &left, &sides[1]);
    assert_true(endpoint_set_is_empty(&none));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_agree_with_enumeration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample_is_a_member_and_the_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_agree_with_enumeration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(universal_keys_are_never_absent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sets_for_single_values_cover_the_set_for_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample_takes_absence_then_the_least_legal_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample_goes_on_to_longer_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pod_without_a_cluster_is_in_default, set_up, tear_down),
        cmocka_unit_test_setup_teardown(print_speaks_like_selectors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(subtraction_of_many_sets_is_fast, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("ir/endpoint_set", tests, NULL, NULL);
}

/* Labels and pods: against enumeration of two pod labels and the namespace, each with three values that requirements may
 * list and with the least of all others, the pod labels with absence as well; and by example. What holds for one value
 * that nothing lists holds for all, so the enumeration is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "ir/endpoint_set.h"
#include "tests/arena_state.h"
#include "tests/ir/random.h"

enum { LISTED = 3, VALUES = LISTED + 1, KEYS = 3, PODS = VALUES * (VALUES + 1) * (VALUES + 1), ROUNDS = 6000 };

static const struct label_key keys[KEYS] = {
    {LABEL_NAMESPACE, LABEL_NAMESPACE_NAME}, {LABEL_POD, "app"}, {LABEL_POD, "tier"}};
static const char *const words[LISTED] = {"x", "y", "z"};

/* Pod number n as labels: a namespace, then a value or absence of each pod label. */
static uint32_t pod(unsigned n, struct label labels[static KEYS]) {
    uint32_t count = 0;
    unsigned value = n % VALUES;
    labels[count++] = (struct label){keys[0], value < LISTED ? words[value] : "default"};
    n /= VALUES;
    for (unsigned k = 1; k < KEYS; k++, n /= VALUES + 1) {
        value = n % (VALUES + 1);
        if (value < VALUES) {
            labels[count++] = (struct label){keys[k], value < LISTED ? words[value] : ""};
        }
    }
    return count;
}

struct mask {
    bool pods[PODS];
};

static struct value_set random_values(struct random *random, struct arena *arena) {
    const char *some[LISTED];
    uint32_t count = 0;
    for (unsigned i = 0; i < LISTED; i++) {
        if (random_one(random, 2)) {
            some[count++] = words[i];
        }
    }
    bool complement = random_one(random, 2), absent = random_one(random, 2);
    return value_set_of(arena, some, count, complement, absent);
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
static struct label_set random_conjunction(struct random *random, struct arena *arena, struct mask *mask) {
    struct label_set set = label_set_everything();
    memset(mask->pods, true, sizeof mask->pods);
    for (unsigned i = random_below(random, 4); i > 0; i--) {
        const struct label_key *key = &keys[random_below(random, KEYS)];
        struct value_set values = random_values(random, arena);
        set = label_set_require(arena, &set, *key, &values);
        for (unsigned n = 0; n < PODS; n++) {
            struct label labels[KEYS];
            uint32_t count = pod(n, labels);
            mask->pods[n] = mask->pods[n] && admits(&values, value_in(labels, count, key));
        }
    }
    return set;
}

enum verb { VERB_UNION, VERB_INTERSECT, VERB_SUBTRACT, VERB_COUNT };

static struct endpoint_set combine(struct arena *arena, enum verb verb, const struct endpoint_set *a,
                                   const struct endpoint_set *b, struct mask *mask, const struct mask *other) {
    for (unsigned n = 0; n < PODS; n++) {
        bool in_a = mask->pods[n], in_b = other->pods[n];
        mask->pods[n] = verb == VERB_UNION ? in_a || in_b : verb == VERB_INTERSECT ? in_a && in_b : in_a && !in_b;
    }
    return verb == VERB_UNION       ? endpoint_set_union(arena, a, b)
           : verb == VERB_INTERSECT ? endpoint_set_intersect(arena, a, b)
                                    : endpoint_set_subtract(arena, a, b);
}

/* Some conjunctions, united and sometimes taken away. */
static struct endpoint_set random_set(struct random *random, struct arena *arena, struct mask *mask) {
    struct endpoint_set set = random_one(random, 4) ? endpoint_set_everything() : endpoint_set_nothing();
    memset(mask->pods, set.count > 0, sizeof mask->pods);
    for (unsigned i = random_below(random, 5); i > 0; i--) {
        struct mask more;
        struct label_set one = random_conjunction(random, arena, &more);
        struct endpoint_set piece = endpoint_set_of(arena, &one);
        set = combine(arena, random_one(random, 3) ? VERB_SUBTRACT : VERB_UNION, &set, &piece, mask, &more);
    }
    return set;
}

static void assert_same(struct arena *arena, const struct endpoint_set *set, const struct mask *mask) {
    struct endpoint best = {NULL, 0};
    struct label labels[PODS][KEYS];
    bool any = false;
    for (unsigned n = 0; n < PODS; n++) {
        struct endpoint other = {labels[n], pod(n, labels[n])};
        assert_int_equal(endpoint_set_contains(set, other.labels, other.count), mask->pods[n]);
        if (mask->pods[n] && (!any || endpoint_compare(&other, &best) < 0)) {
            best = other;
            any = true;
        }
    }
    assert_int_equal(endpoint_set_is_empty(set), !any);
    for (uint32_t i = 0; i < set->count; i++) {
        assert_false(label_set_is_empty(&set->terms[i].all_of));
    }
    struct endpoint first;
    assert_int_equal(endpoint_set_sample(arena, set, &first), any);
    if (any) {
        assert_int_equal(endpoint_compare(&first, &best), 0);
    }
}

static void verbs_agree_with_enumeration(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(5);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(arena);
        struct mask of_a, of_b;
        struct endpoint_set a = random_set(&random, arena, &of_a), b = random_set(&random, arena, &of_b);
        assert_same(arena, &a, &of_a);
        struct mask of_both = of_a, of_either = of_a, of_left = of_a;
        struct endpoint_set both = combine(arena, VERB_INTERSECT, &a, &b, &of_both, &of_b);
        assert_same(arena, &both, &of_both);
        struct endpoint_set either = combine(arena, VERB_UNION, &a, &b, &of_either, &of_b);
        assert_same(arena, &either, &of_either);
        struct endpoint_set left = combine(arena, VERB_SUBTRACT, &a, &b, &of_left, &of_b);
        assert_same(arena, &left, &of_left);
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
    set = require(arena, (struct label_key){LABEL_SERVICE_ACCOUNT, ""}, none, false, true);
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
    assert_samples(arena, &set, "pod namespace=default");
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

static struct label_set key_is(struct arena *arena, const struct label_set *set, const char *key, const char *value,
                               bool complement) {
    struct value_set values = value_set_of(arena, &value, 1, complement, false);
    return label_set_require(arena, set, (struct label_key){LABEL_POD, key}, &values);
}

static void exclusions_are_printed(void **state) {
    struct arena *arena = *state;
    struct label_set everything = label_set_everything(), one = key_is(arena, &everything, "k", "a", false);
    one = key_is(arena, &one, "l", "b", true);
    struct endpoint_set every_pod = endpoint_set_everything(), some = endpoint_set_of(arena, &one);
    struct endpoint_set left = endpoint_set_subtract(arena, &every_pod, &some);
    assert_prints(arena, &left, "every pod except (k=a, l exists and not in (b))");
}

/* Two hundred sets of three requirements, less two hundred others: hours if what is left were split into pieces. */
static void subtraction_of_many_sets_is_fast(void **state) {
    struct arena *arena = *state;
    struct random random = random_of(8);
    struct endpoint_set sides[2] = {endpoint_set_nothing(), endpoint_set_nothing()};
    for (int i = 0; i < 400; i++) {
        struct label_set set = label_set_everything();
        for (unsigned k = 0; k < 3; k++) {
            const char *value = arena_format(arena, "v%u", random_below(&random, 20));
            const char *key = arena_format(arena, "k%u", random_below(&random, 6));
            set = key_is(arena, &set, key, value, random_one(&random, 3));
        }
        struct endpoint_set piece = endpoint_set_of(arena, &set);
        sides[i % 2] = endpoint_set_union(arena, &sides[i % 2], &piece);
    }
    clock_t start = clock();
    struct endpoint_set left = endpoint_set_subtract(arena, &sides[0], &sides[1]), every = endpoint_set_everything();
    struct endpoint_set none = endpoint_set_intersect(arena, &left, &sides[1]);
    assert_true(endpoint_set_is_empty(&none));
    struct endpoint endpoint;
    assert_true(endpoint_set_sample(arena, &left, &endpoint));
    assert_true(endpoint_set_contains(&left, endpoint.labels, endpoint.count));
    none = endpoint_set_subtract(arena, &every, &sides[1]);
    none = endpoint_set_intersect(arena, &none, &sides[1]);
    assert_true(endpoint_set_is_empty(&none));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5.0);
}

/* Pairs of keys that no two sets share: 2^200 pieces. */
static void sets_without_common_keys_do_not_multiply(void **state) {
    struct arena *arena = *state;
    struct endpoint_set left = endpoint_set_everything();
    clock_t start = clock();
    for (unsigned i = 0; i < 200; i++) {
        struct label_set set = label_set_everything();
        set = key_is(arena, &set, arena_format(arena, "k%u", i), "a", i % 3 == 0);
        set = key_is(arena, &set, arena_format(arena, "l%u", i), "b", i % 5 == 0);
        struct endpoint_set piece = endpoint_set_of(arena, &set);
        left = endpoint_set_subtract(arena, &left, &piece);
    }
    assert_int_equal(left.count, 1);
    assert_samples(arena, &left, "pod namespace=default");
    int64_t effort = ENDPOINT_SET_EFFORT;
    assert_int_equal(endpoint_set_is_empty_within(&left, &effort), SET_INHABITED);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5.0);
}

/* Eleven pigeons in ten holes: each of eleven keys has one of ten values, no two the same. Nothing is in the set, and to find that
 * out takes longer than is allowed. */
static void giving_up_is_said(void **state) {
    struct arena *arena = *state;
    enum { HOLES = 10 };
    const char *holes[HOLES], *pigeons[HOLES + 1];
    for (unsigned i = 0; i <= HOLES; i++) {
        pigeons[i] = arena_format(arena, "p%02u", i);
        if (i < HOLES) {
            holes[i] = arena_format(arena, "h%u", i);
        }
    }
    struct label_set all = label_set_everything(), everything = all;
    struct value_set values = value_set_of(arena, holes, HOLES, false, false);
    struct endpoint_set taken = endpoint_set_nothing();
    for (unsigned i = 0; i <= HOLES; i++) {
        all = label_set_require(arena, &all, (struct label_key){LABEL_POD, pigeons[i]}, &values);
        for (unsigned k = 0; k < i * HOLES; k++) {
            struct label_set pair = key_is(arena, &everything, pigeons[i], holes[k % HOLES], false);
            pair = key_is(arena, &pair, pigeons[k / HOLES], holes[k % HOLES], false);
            struct endpoint_set piece = endpoint_set_of(arena, &pair);
            taken = endpoint_set_union(arena, &taken, &piece);
        }
    }
    struct endpoint_set set = endpoint_set_of(arena, &all), left = endpoint_set_subtract(arena, &set, &taken);
    clock_t start = clock();
    int64_t effort = ENDPOINT_SET_EFFORT / 10;
    assert_int_equal(endpoint_set_is_empty_within(&left, &effort), SET_UNDECIDED);
    assert_false(endpoint_set_is_empty(&left));
    struct endpoint endpoint;
    assert_false(endpoint_set_sample(arena, &left, &endpoint));
    print_message("%.2f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_agree_with_enumeration, begin, end),
        cmocka_unit_test_setup_teardown(values_agree_with_enumeration, begin, end),
        cmocka_unit_test_setup_teardown(universal_keys_are_never_absent, begin, end),
        cmocka_unit_test_setup_teardown(sets_for_single_values_cover_the_set_for_both, begin, end),
        cmocka_unit_test_setup_teardown(sample_takes_absence_then_the_least_legal_value, begin, end),
        cmocka_unit_test_setup_teardown(sample_goes_on_to_longer_values, begin, end),
        cmocka_unit_test_setup_teardown(a_pod_without_a_cluster_is_in_default, begin, end),
        cmocka_unit_test_setup_teardown(print_speaks_like_selectors, begin, end),
        cmocka_unit_test_setup_teardown(exclusions_are_printed, begin, end),
        cmocka_unit_test_setup_teardown(sets_without_common_keys_do_not_multiply, begin, end),
        cmocka_unit_test_setup_teardown(giving_up_is_said, begin, end),
        cmocka_unit_test_setup_teardown(subtraction_of_many_sets_is_fast, begin, end),
    };
    return cmocka_run_group_tests_name("ir/endpoint_set", tests, NULL, NULL);
}

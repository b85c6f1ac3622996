/* Names: against enumeration of all names of up to five characters of '-', 'a', 'b' and '.', with a matcher of its own
 * that reads patterns as they are written; and by example. Patterns are made of 'a', 'b', '.' and '*', so '-' stands
 * for every character that no pattern has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "ir/name_set.h"
#include "ir/name_term.h"
#include "tests/ir/random.h"

enum { LONGEST = 5, ROUNDS = 2000, NAMES_LARGEST = 1500, PATTERNS_LARGEST = 4 };

static const char characters[] = "-.ab"; /* byte order */

/* All names of the tiny universe in the order of samples. */
struct universe {
    char names[NAMES_LARGEST][LONGEST + 1];
    size_t count;
};

struct fixture {
    struct arena *arena;
    struct universe universe;
};

static bool legal(const char *name) {
    size_t length = strlen(name);
    return length == 0 || (name[0] != '.' && name[length - 1] != '.' && !strstr(name, ".."));
}

static int set_up(void **state) {
    struct arena *arena = arena_create();
    struct fixture *fixture = arena_alloc(arena, sizeof *fixture);
    fixture->arena = arena;
    struct universe *universe = &fixture->universe;
    for (unsigned length = 0, total = 1; length <= LONGEST; length++, total *= 4) {
        for (unsigned n = 0; n < total; n++) {
            char name[LONGEST + 1] = "";
            for (unsigned i = 0, rest = n; i < length; i++, rest /= 4) {
                name[length - 1 - i] = characters[rest % 4];
            }
            if (legal(name)) {
                memcpy(universe->names[universe->count++], name, sizeof name);
            }
        }
    }
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

/* The reference: a pattern as written, stars as L*, by trying everything. */
static bool glob_accepts(const char *glob, const char *name) {
    if (*glob == '*') {
        return glob_accepts(glob + 1, name) || (*name && *name != '.' && glob_accepts(glob, name + 1));
    }
    return *glob == *name && (*glob == '\0' || glob_accepts(glob + 1, name + 1));
}

static bool pattern_accepts(const char *pattern, bool deep, const char *name) {
    char text[64];
    snprintf(text, sizeof text, "%s", pattern);
    size_t length = strlen(text), stars = strspn(text, "*");
    if (strcmp(text, "*") == 0 || (deep && stars > 0 && (stars == length || strcmp(text + stars, ".") == 0))) {
        return true;
    }
    if (length > 0 && text[length - 1] == '.') {
        text[--length] = '\0';
    }
    if (deep && stars >= 2 && text[stars] == '.') {
        for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
            if (glob_accepts(text + stars + 1, dot + 1)) {
                return true;
            }
        }
        return false;
    }
    return glob_accepts(text, name);
}

static const char *random_pattern(struct random *random, struct arena *arena) {
    static const char *const often[] = {"*", "**", "*.", "**.", "**.a", "**.*", "*.a", "*.*", "*a", "a*", "a", "", "."};
    if (random_one(random, 4)) {
        return often[random_below(random, sizeof often / sizeof *often)];
    }
    static const char symbols[] = "ab*.*a";
    char text[8];
    size_t length = 1 + random_below(random, 6);
    for (size_t i = 0; i < length; i++) {
        text[i] = symbols[random_below(random, 6)];
    }
    return arena_copy(arena, text, length);
}

/* A union of patterns, and which names of the universe are in it. */
struct sample {
    struct name_set set;
    bool in[NAMES_LARGEST];
    const char *patterns[PATTERNS_LARGEST];
    unsigned count;
    bool deep;
};

static bool sample_accepts(const struct sample *sample, const char *name) {
    for (unsigned i = 0; i < sample->count; i++) {
        if (pattern_accepts(sample->patterns[i], sample->deep, name)) {
            return true;
        }
    }
    return false;
}

static struct sample *random_sample(struct random *random, const struct fixture *fixture) {
    struct arena *arena = fixture->arena;
    struct sample *sample = arena_alloc(arena, sizeof *sample);
    struct name_pattern patterns[PATTERNS_LARGEST];
    sample->count = random_below(random, PATTERNS_LARGEST + 1);
    sample->deep = random_one(random, 2);
    for (unsigned i = 0; i < sample->count; i++) {
        sample->patterns[i] = random_pattern(random, arena);
        patterns[i] = name_pattern_of(arena, text_of(sample->patterns[i]), sample->deep);
    }
    sample->set = name_set_of(arena, patterns, sample->count);
    for (size_t i = 0; i < fixture->universe.count; i++) {
        sample->in[i] = sample_accepts(sample, fixture->universe.names[i]);
    }
    return sample;
}

enum verb { VERB_UNION, VERB_INTERSECT, VERB_SUBTRACT, VERB_COUNT };

static struct sample *combine(const struct fixture *fixture, enum verb verb, const struct sample *a,
                              const struct sample *b) {
    struct sample *result = arena_alloc(fixture->arena, sizeof *result);
    result->set = verb == VERB_UNION       ? name_set_union(fixture->arena, &a->set, &b->set)
                  : verb == VERB_INTERSECT ? name_set_intersect(fixture->arena, &a->set, &b->set)
                                           : name_set_subtract(fixture->arena, &a->set, &b->set);
    for (size_t i = 0; i < fixture->universe.count; i++) {
        result->in[i] = verb == VERB_UNION       ? a->in[i] || b->in[i]
                        : verb == VERB_INTERSECT ? a->in[i] && b->in[i]
                                                 : a->in[i] && !b->in[i];
    }
    return result;
}

static void assert_agrees(const struct fixture *fixture, const struct sample *sample) {
    const struct universe *universe = &fixture->universe;
    const char *first = NULL;
    bool all = true;
    for (size_t i = 0; i < universe->count; i++) {
        assert_int_equal(name_set_contains(&sample->set, text_of(universe->names[i])), sample->in[i]);
        all = all && sample->in[i];
        if (sample->in[i] && !first) {
            first = universe->names[i];
        }
    }
    enum emptiness emptiness = name_set_is_empty(fixture->arena, &sample->set);
    const char *name = name_set_sample(fixture->arena, &sample->set);
    assert_true(emptiness != SET_UNDECIDED);
    assert_int_equal(emptiness == SET_INHABITED, name != NULL);
    if (first) {
        assert_non_null(name);
        assert_string_equal(name, first);
    } else if (name) {
        assert_true(strlen(name) > LONGEST);
        assert_true(name_set_contains(&sample->set, text_of(name)));
    }
    bool everything = name_set_is_everything(fixture->arena, &sample->set);
    assert_false(everything && !all);
}

static void verbs_agree_with_enumeration(void **state) {
    struct fixture *fixture = *state;
    struct random random = random_of(9);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena_mark start = arena_mark(fixture->arena);
        struct sample *result = random_sample(&random, fixture);
        assert_agrees(fixture, result);
        for (unsigned steps = 1 + random_below(&random, 4); steps > 0; steps--) {
            struct sample *other = random_sample(&random, fixture);
            if (random_one(&random, 3)) {
                enum verb verb = (enum verb)random_below(&random, VERB_COUNT);
                other = combine(fixture, verb, other, random_sample(&random, fixture));
            }
            enum verb verb = (enum verb)random_below(&random, VERB_COUNT);
            result =
                random_one(&random, 4) ? combine(fixture, verb, other, result) : combine(fixture, verb, result, other);
            assert_agrees(fixture, result);
        }
        arena_rollback(fixture->arena, start);
    }
}

/* What is said to be empty has no longer names either. */
static void empty_sets_have_no_long_names(void **state) {
    struct fixture *fixture = *state;
    struct random random = random_of(10);
    unsigned empty = 0;
    for (int round = 0; round < 4 * ROUNDS; round++) {
        struct arena_mark start = arena_mark(fixture->arena);
        const struct sample *a = random_sample(&random, fixture), *b = random_sample(&random, fixture);
        const struct sample *left = combine(fixture, VERB_SUBTRACT, a, b);
        bool is_empty = name_set_is_empty(fixture->arena, &left->set) == SET_EMPTY;
        empty += is_empty && a->set.count > 0;
        for (int tries = 0; is_empty && tries < 40; tries++) {
            char name[20] = "";
            size_t length = LONGEST + 1 + random_below(&random, 9);
            for (size_t i = 0; i < length; i++) {
                name[i] = characters[random_below(&random, 4)];
            }
            if (legal(name)) {
                assert_false(sample_accepts(a, name) && !sample_accepts(b, name));
            }
        }
        arena_rollback(fixture->arena, start);
    }
    assert_true(empty > 200);
}

/* The texts of patterns and the search are two ways to the same answer. */
static void reduction_keeps_the_language(void **state) {
    struct fixture *fixture = *state;
    struct random random = random_of(11);
    for (int round = 0; round < 4 * ROUNDS; round++) {
        struct arena_mark start = arena_mark(fixture->arena);
        struct name_union unions[4] = {{NULL, 0}};
        uint32_t count = random_below(&random, 4);
        for (uint32_t i = 0; i <= count; i++) {
            struct name_pattern patterns[3];
            uint32_t some = random_below(&random, 3) + (i < count);
            for (uint32_t k = 0; k < some; k++) {
                const char *text = random_pattern(&random, fixture->arena);
                patterns[k] = name_pattern_of(fixture->arena, text_of(text), random_one(&random, 2));
                /* The search is not made for what reduction always takes away. */
                if (patterns[k].kind == NAME_EVERY) {
                    patterns[k] = (struct name_pattern){NAME_GLOB, "*b*"};
                }
            }
            unions[i] = name_union_of(fixture->arena, patterns, some);
        }
        struct name_term term = {unions, count, unions[count]}, reduced = term;
        bool may = name_term_reduce(fixture->arena, &reduced);
        int64_t effort = NAME_SET_EFFORT;
        enum emptiness whole, part = SET_EMPTY;
        const char *name = name_term_search(fixture->arena, &term, &effort, &whole);
        const char *again = may ? name_term_search(fixture->arena, &reduced, &effort, &part) : NULL;
        assert_int_equal(whole, part);
        assert_int_equal(name != NULL, again != NULL);
        if (name) {
            assert_string_equal(name, again);
            assert_true(name_term_contains(&term, text_of(name)));
        }
        const char *guess = may ? name_term_guess(fixture->arena, &reduced) : NULL;
        assert_true(!guess || name_term_contains(&term, text_of(guess)));
        arena_rollback(fixture->arena, start);
    }
}

static void textual_proofs_hold_in_the_universe(void **state) {
    struct fixture *fixture = *state;
    struct random random = random_of(12);
    unsigned within = 0, disjoint = 0;
    for (int round = 0; round < 4 * ROUNDS; round++) {
        struct arena_mark start = arena_mark(fixture->arena);
        const char *texts[2] = {random_pattern(&random, fixture->arena), random_pattern(&random, fixture->arena)};
        bool deep = random_one(&random, 2);
        struct name_pattern a = name_pattern_of(fixture->arena, text_of(texts[0]), deep);
        struct name_pattern b = name_pattern_of(fixture->arena, text_of(texts[1]), deep);
        bool a_in_b = name_pattern_is_within(&a, &b), apart = name_pattern_is_disjoint(&a, &b);
        within += a_in_b;
        disjoint += apart;
        for (size_t i = 0; i < fixture->universe.count; i++) {
            const char *name = fixture->universe.names[i];
            bool in_a = pattern_accepts(texts[0], deep, name), in_b = pattern_accepts(texts[1], deep, name);
            assert_int_equal(name_pattern_matches(&a, text_of(name)), in_a);
            assert_false(a_in_b && in_a && !in_b);
            assert_false(apart && in_a && in_b);
        }
        arena_rollback(fixture->arena, start);
    }
    assert_true(within > 1000 && disjoint > 1000);
}

static struct name_set set_of(struct arena *arena, bool deep, const char *const *texts) {
    struct name_pattern patterns[16];
    uint32_t count = 0;
    for (; texts[count]; count++) {
        patterns[count] = name_pattern_of(arena, text_of(texts[count]), deep);
    }
    return name_set_of(arena, patterns, count);
}

#define SET(deep, ...) set_of(arena, deep, (const char *const[]){__VA_ARGS__, NULL})

/* The rows of spec/cilium-egress.md 3.5: in order example.com, a.example.com, a.b.example.com, xexample.com, the root. */
static void patterns_mean_what_the_table_says(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    static const char *const names[] = {"example.com", "a.example.com", "a.b.example.com", "xexample.com", ""};
    static const struct {
        const char *pattern, *old, *deep; /* "y" or "n" a name */
    } rows[] = {
        {"example.com", "ynnnn", "ynnnn"},
        {"EXAMPLE.com.", "ynnnn", "ynnnn"},
        {"*.example.com", "nynnn", "nynnn"},
        {"*example.com", "ynnyn", "ynnyn"},
        {"**.example.com", "nynnn", "nyynn"},
        {"***.example.com", "nynnn", "nyynn"},
        {"a.**.example.com", "nnynn", "nnynn"},
        {"*", "yyyyy", "yyyyy"},
        {"**", "nnnny", "yyyyy"},
        {"*.", "nnnny", "yyyyy"},
        {"**.", "nnnny", "yyyyy"},
        {"*.*.example.com", "nnynn", "nnynn"},
        {".", "nnnny", "nnnny"},
        {"", "nnnny", "nnnny"},
        {"*.com", "ynnyn", "ynnyn"},
        {"**.com", "ynnyn", "yyyyn"},
        {"**example.com", "ynnyn", "ynnyn"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int deep = 0; deep < 2; deep++) {
            struct name_set set = SET(deep, rows[i].pattern);
            for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
                bool expected = (deep ? rows[i].deep : rows[i].old)[k] == 'y';
                assert_int_equal(name_set_contains(&set, text_of(names[k])), expected);
            }
        }
    }
}

static void root_and_single_labels_are_one_glob_before_1_19(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    struct name_set set = SET(false, "**.");
    assert_true(name_set_contains(&set, text_of("")));
    assert_true(name_set_contains(&set, text_of("localhost")));
    assert_false(name_set_contains(&set, text_of("a.b")));
    assert_false(name_set_is_everything(arena, &set));
}

static void assert_within(struct arena *arena, struct name_set a, struct name_set b, bool expected) {
    struct name_set left = name_set_subtract(arena, &a, &b);
    assert_int_equal(name_set_is_empty(arena, &left), expected ? SET_EMPTY : SET_INHABITED);
}

static void containment_is_of_languages(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    assert_within(arena, SET(true, "a.example.com"), SET(true, "*.example.com"), true);
    assert_within(arena, SET(true, "example.com"), SET(true, "*.example.com"), false);
    assert_within(arena, SET(true, "a.b.example.com"), SET(true, "*.example.com"), false);
    assert_within(arena, SET(true, "*.example.com"), SET(true, "**.example.com"), true);
    assert_within(arena, SET(true, "**.example.com"), SET(true, "*.example.com", "*.*.example.com"), false);
    assert_within(arena, SET(true, "**.example.com"), SET(true, "*.example.com", "**.*.example.com"), true);
    assert_within(arena, SET(true, "**.a.example.com"), SET(true, "**.example.com"), true);
    assert_within(arena, SET(true, "**"), SET(true, "**.*", "*", "a"), true);
    assert_within(arena, SET(false, "**"), SET(true, "*"), true);
    assert_within(arena, SET(true, "*"), SET(false, "**"), false);
    /* No single pattern holds it, all together do. */
    assert_within(arena, SET(true, "*.c"), SET(true, "*a.c", "*a*.c"), false);
    assert_within(arena, SET(true, "*a*.c"), SET(true, "a*.c", "*a.c", "*aa*.c"), false);
    assert_within(arena, SET(true, "a*b.c"), SET(true, "ab.c", "a*bb.c", "aa*b.c", "a*ab.c", "ab*b.c"), false);
}

static void a_cover_of_cases_is_found(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    /* Labels of one or more characters: those that begin with an "a", and those that begin with anything else. */
    struct name_set every = SET(true, "**.c"), with = SET(true, "a*.c", "**.a*.c");
    struct name_set rest = name_set_subtract(arena, &every, &with);
    assert_within(arena, every, name_set_union(arena, &with, &rest), true);
    struct name_set part = SET(true, "b*.c");
    assert_within(arena, part, rest, true);
    assert_within(arena, every, rest, false);
}

static void the_union_of_star_with_anything_is_everything(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    struct name_set set = SET(true, "*", "a.b", "**.c"), some = SET(true, "a.b", "*.c"), every = SET(false, "*");
    assert_true(name_set_is_everything(arena, &set));
    set = name_set_union(arena, &some, &every);
    assert_true(name_set_is_everything(arena, &set));
    assert_false(name_set_is_everything(arena, &some));
    /* In pieces: single labels and the root, two labels, more. */
    struct name_set one = SET(false, "**"), more = SET(true, "**.*");
    set = name_set_union(arena, &one, &more);
    assert_true(name_set_is_everything(arena, &set));
    struct name_set rest = name_set_subtract(arena, &every, &some);
    assert_false(name_set_is_everything(arena, &rest));
    set = name_set_union(arena, &rest, &some);
    assert_true(name_set_is_everything(arena, &set));
}

static void illegal_names_are_in_no_set(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    struct name_set set = name_set_everything(), odd = SET(true, "a..b", ".a", "a b", "a/b");
    assert_false(name_set_contains(&set, text_of("a..b")));
    assert_false(name_set_contains(&set, text_of("a.")));
    assert_false(name_set_contains(&set, text_of("A")));
    assert_int_equal(name_set_is_empty(arena, &odd), SET_EMPTY);
    assert_null(name_set_sample(arena, &odd));
    set = SET(true, "*..b", "*.b c");
    assert_int_equal(name_set_is_empty(arena, &set), SET_EMPTY);
}

static void assert_samples(struct arena *arena, struct name_set set, const char *expected) {
    const char *name = name_set_sample(arena, &set);
    assert_non_null(name);
    assert_string_equal(name, expected);
}

static void sample_is_the_shortest_then_the_first(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    assert_samples(arena, name_set_everything(), "");
    assert_samples(arena, SET(true, "bb.c", "a.com", "b.c"), "b.c");
    assert_samples(arena, SET(true, "*.example.com"), "-.example.com");
    assert_samples(arena, SET(true, "*example.com"), "example.com");
    struct name_set all = SET(true, "*.c"), low = SET(true, "-*.c", "0*.c", "1*.c");
    assert_samples(arena, name_set_subtract(arena, &all, &low), "2.c");
    struct name_set deep = SET(true, "**.c"), shallow = SET(true, "*.c");
    assert_samples(arena, name_set_subtract(arena, &deep, &shallow), "-.-.c");
    struct name_set every = name_set_everything(), root = SET(true, ".");
    assert_samples(arena, name_set_subtract(arena, &every, &root), "-");
}

static void assert_prints(struct arena *arena, struct name_set set, const char *expected) {
    struct buffer out;
    buffer_init(&out, arena);
    name_set_print(&out, &set);
    assert_string_equal(buffer_string(&out), expected);
}

static void print_lists_patterns(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    assert_prints(arena, name_set_everything(), "every name");
    assert_prints(arena, name_set_nothing(), "no name");
    assert_prints(arena, SET(true, "*.example.com"), "name *.example.com");
    assert_prints(arena, SET(true, "**.b.c", "*.x", "z.y", "."), "names ., z.y, *.x, **.b.c");
    assert_prints(arena, SET(false, "*."), "name *.");
    struct name_set a = SET(true, "*.c"), b = SET(true, "a.c", "d.d"), every = name_set_everything();
    assert_prints(arena, name_set_subtract(arena, &a, &b), "name *.c except a.c");
    assert_prints(arena, name_set_subtract(arena, &every, &b), "every name except a.c, d.d");
    struct name_set c = SET(true, "a*.c"), d = SET(true, "*b.c");
    assert_prints(arena, name_set_intersect(arena, &c, &d), "name a*.c, each in name *b.c");
}

/* Lists that are reduced by their texts: exact names, and globs over them. */
static void long_lists_are_fast(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    enum { COUNT = 2000 };
    struct name_pattern *names = arena_array(arena, COUNT, sizeof *names),
                        *globs = arena_array(arena, COUNT, sizeof *globs);
    for (unsigned i = 0; i < COUNT; i++) {
        names[i] = name_pattern_exact(arena, text_of(arena_format(arena, "host%u.zone%u.example.com", i, i % 50)));
        globs[i] = name_pattern_of(arena, text_of(arena_format(arena, "*.zone%u.example.com", i)), true);
    }
    clock_t start = clock();
    struct name_set hosts = name_set_of(arena, names, COUNT), some = name_set_of(arena, names, COUNT - 1);
    struct name_set zones = name_set_of(arena, globs, 50), all_zones = name_set_of(arena, globs, COUNT);
    assert_within(arena, some, hosts, true);
    assert_within(arena, hosts, some, false);
    assert_within(arena, hosts, zones, true);
    assert_within(arena, zones, all_zones, true);
    assert_within(arena, all_zones, zones, false);
    assert_within(arena, zones, hosts, false);
    struct name_set every = name_set_everything(), rest = name_set_subtract(arena, &every, &hosts);
    assert_samples(arena, rest, "");
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2.0);
}

/* Patterns whose states multiply: either the answer or "undecided", soon. */
static void hostile_patterns_end(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    enum { COUNT = 24 };
    struct name_set left = name_set_everything();
    clock_t start = clock();
    for (unsigned i = 0; i < COUNT; i++) {
        char c = (char)('a' + i);
        struct name_pattern pattern =
            name_pattern_of(arena, text_of(arena_format(arena, "*%c*%c*.x", c, 'a' + (i * 7 + 3) % COUNT)), true);
        struct name_set one = name_set_of(arena, &pattern, 1);
        left = i % 2 ? name_set_subtract(arena, &left, &one) : name_set_intersect(arena, &left, &one);
    }
    struct name_pattern every[26];
    for (unsigned i = 0; i < 26; i++) {
        every[i] = name_pattern_of(arena, text_of(arena_format(arena, "*%c*.x", 'a' + i)), true);
    }
    struct name_set letters = name_set_of(arena, every, 26);
    left = name_set_intersect(arena, &left, &letters);
    enum emptiness emptiness = name_set_is_empty(arena, &left);
    const char *name = name_set_sample(arena, &left);
    assert_true(emptiness != SET_EMPTY);
    assert_true(!name || name_set_contains(&left, text_of(name)));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5.0);
}

static void giving_up_is_said(void **state) {
    struct arena *arena = ((struct fixture *)*state)->arena;
    /* Neither the texts nor a guess decide this one. */
    struct name_set all = SET(true, "*a*.c"), some = SET(true, "a*.c", "0*.c", "x*.c", "z*.c");
    struct name_set left = name_set_subtract(arena, &all, &some);
    for (int64_t little = 0; little < 3; little++) {
        int64_t effort = little;
        assert_int_equal(name_set_is_empty_within(arena, &left, &effort), SET_UNDECIDED);
        assert_true(effort <= 0);
    }
    assert_int_equal(name_set_is_empty(arena, &left), SET_INHABITED);
    assert_samples(arena, left, "-a.c");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_agree_with_enumeration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(empty_sets_have_no_long_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reduction_keeps_the_language, set_up, tear_down),
        cmocka_unit_test_setup_teardown(textual_proofs_hold_in_the_universe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(patterns_mean_what_the_table_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(root_and_single_labels_are_one_glob_before_1_19, set_up, tear_down),
        cmocka_unit_test_setup_teardown(containment_is_of_languages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cover_of_cases_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_union_of_star_with_anything_is_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(illegal_names_are_in_no_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample_is_the_shortest_then_the_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(print_lists_patterns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_lists_are_fast, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hostile_patterns_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(giving_up_is_said, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("ir/name_set", tests, NULL, NULL);
}

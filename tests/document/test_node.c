/* The value tree: lookups, values, equality, builders, paths (document/node.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/node.h"
#include "document/scalar.h"
#include "tests/arena_state.h"

/* A scalar as a reader makes it of plain text. */
static struct node plain(const char *text) {
    return (struct node){.kind = (uint8_t)scalar_kind(text_of(text)),
                         .line = 3,
                         .column = 7,
                         .count = (uint32_t)strlen(text),
                         .text = text};
}

/* A map of "key", "plain value" pairs; a key that begins with `<` comes from a merge. Ends with NULL. */
static struct node map_of(struct arena *arena, const char *const *pairs) {
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_MAP);
    for (; *pairs; pairs += 2) {
        struct node key = node_make_string(pairs[0] + (pairs[0][0] == '<'));
        key.flags |= pairs[0][0] == '<' ? NODE_MERGED : 0;
        node_builder_put_node(&builder, key, plain(pairs[1]));
    }
    return node_builder_done(&builder);
}

#define MAP(arena, ...) map_of(arena, (const char *const[]){__VA_ARGS__, NULL})

static void get_gives_the_last_entry_and_takes_null_as_absent(void **state) {
    struct node map = MAP(*state, "a", "1", "b", "x", "a", "2", "c", "~", "d", "1", "d", "null");
    assert_string_equal(node_get(&map, "a")->text, "2");
    assert_string_equal(node_get(&map, "b")->text, "x");
    assert_null(node_get(&map, "c"));
    assert_null(node_get(&map, "d"));
    assert_null(node_get(&map, "e"));
    assert_null(node_get(&map, "aa"));
    assert_null(node_get(NULL, "a"));
    struct node string = node_make_string("a");
    assert_null(node_get(&string, "a"));
}

static void find_gives_the_last_entry_null_or_not(void **state) {
    struct node map = MAP(*state, "a", "1", "a", "~", "", "empty");
    assert_ptr_equal(node_find(&map, text_of("a")), &map.entries[1]);
    assert_ptr_equal(node_find(&map, text_of("")), &map.entries[2]);
    assert_null(node_find(&map, text_of("b")));
}

static void assert_override(const struct node *map, uint32_t index, enum node_override expected) {
    bool by_merge = true;
    assert_int_equal(node_entry_is_overridden(map, index, &by_merge), expected != NODE_COUNTS);
    assert_int_equal(by_merge, expected == NODE_OVERRIDDEN_BY_MERGE);
}

static void written_keys_that_repeat_are_overridden(void **state) {
    struct node map = MAP(*state, "a", "1", "b", "2", "a", "3", "a", "4");
    static const enum node_override expected[] = {NODE_OVERRIDDEN, NODE_COUNTS, NODE_OVERRIDDEN, NODE_COUNTS};
    for (uint32_t i = 0; i < 4; i++) {
        assert_override(&map, i, expected[i]);
        assert_int_equal(node_overrides(*state, &map)[i], expected[i]);
    }
}

static void overriding_by_or_of_merged_keys_is_told_apart(void **state) {
    struct node map = MAP(*state, "<a", "1", "a", "2", "b", "1", "<b", "2", "c", "1", "<c", "2", "c", "3");
    static const enum node_override expected[] = {
        NODE_OVERRIDDEN_BY_MERGE, NODE_COUNTS, NODE_OVERRIDDEN_BY_MERGE, NODE_COUNTS, NODE_OVERRIDDEN,
        NODE_OVERRIDDEN_BY_MERGE, NODE_COUNTS};
    for (uint32_t i = 0; i < 7; i++) {
        assert_override(&map, i, expected[i]);
        assert_int_equal(node_overrides(*state, &map)[i], expected[i]);
    }
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 16;
}

static void overrides_of_large_maps_agree_with_single_questions(void **state) {
    uint32_t seed = 1;
    for (int round = 0; round < 40; round++) {
        struct node_builder builder;
        node_builder_init(&builder, *state, NODE_MAP);
        for (int i = 0; i < 60; i++) {
            uint32_t number = next_random(&seed);
            struct node key = node_make_string(arena_format(*state, "k%u", (unsigned)(number % 40)));
            key.flags |= number / 40 % 3 == 0 ? NODE_MERGED : 0;
            node_builder_put_node(&builder, key, plain("1"));
        }
        struct node map = node_builder_done(&builder);
        const uint8_t *overrides = node_overrides(*state, &map);
        assert_non_null(overrides); /* 60 keys out of 40 */
        for (uint32_t i = 0; i < map.count; i++) {
            assert_override(&map, i, (enum node_override)overrides[i]);
        }
    }
}

static void maps_without_repetition_have_no_overrides(void **state) {
    struct node map = MAP(*state, "a", "1", "b", "1"), empty = {.kind = NODE_MAP};
    assert_null(node_overrides(*state, &map));
    assert_null(node_overrides(*state, &empty));
    struct node_builder builder;
    node_builder_init(&builder, *state, NODE_MAP);
    for (int i = 0; i < 100; i++) {
        node_builder_put(&builder, arena_format(*state, "%d", i), plain("1"));
    }
    struct node large = node_builder_done(&builder);
    assert_null(node_overrides(*state, &large));
}

static void values_are_read_by_kind(void **state) {
    (void)state;
    int64_t value = 0;
    struct node octal = plain("0443"), whole = plain("80.0"), half = plain("80.5"), yes = plain("yes"),
                no = plain("off");
    struct node string = plain("text"), quoted = node_make_string("80");
    assert_true(node_integer(&octal, &value) && value == 291);
    assert_true(node_integer(&whole, &value) && value == 80);
    assert_false(node_integer(&half, &value));
    assert_false(node_integer(&quoted, &value));
    assert_false(node_integer(NULL, &value));
    assert_true(node_bool(&yes));
    assert_false(node_bool(&no));
    assert_false(node_bool(&string));
    assert_string_equal(node_string(&string), "text");
    assert_null(node_string(&octal));
    assert_null(node_string(NULL));
    assert_true(text_is(node_text(&octal), "0443"));
    assert_int_equal(node_text(NULL).length, 0);
}

static void string_with_nul_has_text_but_no_string(void **state) {
    (void)state;
    struct node node = {.kind = NODE_STRING, .count = 3, .text = "a\0b"};
    assert_null(node_string(&node));
    assert_int_equal(node_text(&node).length, 3);
}

static void lists_and_maps_have_no_text(void **state) {
    struct node map = MAP(*state, "a", "1");
    assert_int_equal(node_text(&map).length, 0);
    assert_null(node_string(&map));
}

static void location_is_the_nodes(void **state) {
    (void)state;
    struct node node = plain("x");
    struct location location = node_location("f", &node), none = node_location("f", NULL);
    assert_string_equal(location.file, "f");
    assert_int_equal(location.line, 3);
    assert_int_equal(location.column, 7);
    assert_int_equal(none.line, 0);
}

static void kinds_have_words(void **state) {
    (void)state;
    static const char *const words[] = {"null", "boolean", "integer", "float", "string", "list", "map"};
    for (int kind = NODE_NULL; kind <= NODE_MAP; kind++) {
        assert_string_equal(node_kind_word((enum node_kind)kind), words[kind]);
    }
}

static void assert_equal(struct node a, struct node b, bool expected) {
    assert_int_equal(node_equal(&a, &b), expected);
    assert_int_equal(node_equal(&b, &a), expected);
    assert_true(node_equal(&a, &a) && node_equal(&b, &b));
}

static void scalars_are_equal_by_value(void **state) {
    (void)state;
    assert_equal(plain("53"), node_make_string("53"), false);
    assert_equal(plain("0443"), plain("291"), true);
    assert_equal(plain("80"), plain("80.0"), true);
    assert_equal(plain("80"), plain("81"), false);
    assert_equal(plain("yes"), plain("true"), true);
    assert_equal(plain("yes"), plain("no"), false);
    assert_equal(plain("~"), plain("null"), true);
    assert_equal(plain("~"), node_make_string(""), false);
    assert_equal(plain("~"), plain("false"), false);
    assert_equal(plain("a"), node_make_string("a"), true);
    assert_equal(plain("a"), plain("b"), false);
    assert_equal(plain(".inf"), plain(".inf"), true);
    assert_equal(plain(".inf"), plain("-.inf"), false);
    assert_equal(plain(".inf"), plain("1"), false);
    assert_equal(plain("18446744073709551615"), plain("18446744073709551614"), false);
}

static void maps_are_equal_in_any_order(void **state) {
    assert_equal(MAP(*state, "a", "1", "b", "2"), MAP(*state, "b", "2", "a", "1"), true);
    assert_equal(MAP(*state, "a", "1", "b", "2"), MAP(*state, "a", "1"), false);
    assert_equal(MAP(*state, "a", "1"), MAP(*state, "b", "1"), false);
    assert_equal(MAP(*state, "a", "1"), MAP(*state, "a", "2"), false);
    assert_equal(MAP(*state, "a", "~"), (struct node){.kind = NODE_MAP}, false); /* null is not absent */
    assert_equal((struct node){.kind = NODE_LIST}, (struct node){.kind = NODE_MAP}, false);
}

static void of_repeated_keys_the_last_is_compared(void **state) {
    assert_equal(MAP(*state, "a", "1", "a", "2"), MAP(*state, "a", "2"), true);
    assert_equal(MAP(*state, "a", "1", "a", "2"), MAP(*state, "a", "1"), false);
    assert_equal(MAP(*state, "a", "1", "a", "1"), MAP(*state, "a", "1", "b", "1"), false);
}

/* Maps with the numbers below `count` as keys, in either direction, some of them twice. */
static struct node number_map(struct arena *arena, int count, bool backwards, int changed) {
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_MAP);
    node_builder_put(&builder, "0", plain("first"));
    for (int i = 0; i < count; i++) {
        int key = backwards ? count - 1 - i : i;
        node_builder_put(&builder, arena_format(arena, "%d", key), plain(key == changed ? "changed" : "v"));
    }
    return node_builder_done(&builder);
}

static void large_maps_are_compared_alike(void **state) {
    assert_equal(number_map(*state, 500, false, -1), number_map(*state, 500, true, -1), true);
    assert_equal(number_map(*state, 500, false, -1), number_map(*state, 500, true, 77), false);
    assert_equal(number_map(*state, 500, false, -1), number_map(*state, 499, true, -1), false);
    assert_equal(number_map(*state, 17, false, -1), number_map(*state, 3, false, -1), false);
}

static void lists_are_equal_in_their_order_only(void **state) {
    struct node_builder builders[3];
    static const char *const items[3][2] = {{"1", "2"}, {"1", "2"}, {"2", "1"}};
    struct node lists[3];
    for (int i = 0; i < 3; i++) {
        node_builder_init(&builders[i], *state, NODE_LIST);
        node_builder_add(&builders[i], plain(items[i][0]));
        node_builder_add(&builders[i], plain(items[i][1]));
        lists[i] = node_builder_done(&builders[i]);
    }
    assert_equal(lists[0], lists[1], true);
    assert_equal(lists[0], lists[2], false);
    assert_equal(lists[0], (struct node){.kind = NODE_LIST}, false);
}

static void built_nodes_say_that_they_are_generated(void **state) {
    struct node number = node_make_int(*state, INT64_MIN), string = node_make_string("s"), no = node_make_bool(false);
    struct node map = MAP(*state, "a", "1");
    int64_t value = 0;
    assert_true(node_integer(&number, &value) && value == INT64_MIN);
    assert_false(node_bool(&no));
    assert_true(number.flags & string.flags & no.flags & map.flags & NODE_GENERATED);
    assert_int_equal(string.line, 0);
    assert_int_equal(map.count, 1);
}

static void empty_builders_make_empty_nodes(void **state) {
    struct node_builder builder;
    node_builder_init(&builder, *state, NODE_LIST);
    struct node list = node_builder_done(&builder);
    assert_int_equal(list.kind, NODE_LIST);
    assert_int_equal(list.count, 0);
}

static void paths_are_spelled_from_the_root(void **state) {
    const char *path = path_field(*state, path_field(*state, "", "egress"), "policy");
    assert_string_equal(path_index(*state, path_field(*state, path, "exceptCidrs"), 2), "egress.policy.exceptCidrs[2]");
    assert_string_equal(path_field(*state, NULL, "a"), "a");
    assert_string_equal(path_key(*state, "hostPorts", text_of("a.example.com")), "hostPorts[\"a.example.com\"]");
    assert_string_equal(path_key(*state, "a", text_of("b\"\n")), "a[\"b\\\"\\n\"]");
    assert_string_equal(path_field(*state, path_index(*state, "items", 0), "x"), "items[0].x");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(get_gives_the_last_entry_and_takes_null_as_absent),
        TEST(find_gives_the_last_entry_null_or_not),
        TEST(written_keys_that_repeat_are_overridden),
        TEST(overriding_by_or_of_merged_keys_is_told_apart),
        TEST(overrides_of_large_maps_agree_with_single_questions),
        TEST(maps_without_repetition_have_no_overrides),
        TEST(values_are_read_by_kind),
        TEST(string_with_nul_has_text_but_no_string),
        TEST(lists_and_maps_have_no_text),
        TEST(location_is_the_nodes),
        TEST(kinds_have_words),
        TEST(scalars_are_equal_by_value),
        TEST(maps_are_equal_in_any_order),
        TEST(of_repeated_keys_the_last_is_compared),
        TEST(large_maps_are_compared_alike),
        TEST(lists_are_equal_in_their_order_only),
        TEST(built_nodes_say_that_they_are_generated),
        TEST(empty_builders_make_empty_nodes),
        TEST(paths_are_spelled_from_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The JSON reader, and what a filter keeps of either language: document/reader.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reading.h"

static void check_tree(struct reading *reading, const char *text, const char *trees) {
    reading_json(reading, text);
    assert_string_equal(reading_trees(reading), trees);
    assert_string_equal(reading_codes(reading), "");
    assert_int_equal(reading->file.state, FILE_READ);
}

static void values_are_read(void **state) {
    struct reading *reading = *state;
    check_tree(reading, "{\"a\": [1, -2.50, true, false, null, \"x\"], \"b\": {}, \"\": []}",
               "{\"a\"=[i'1' f'-2.50' b'true' b'false' n'null' S'x'] \"b\"={} \"\"=[]}");
    check_tree(reading, " \r\n\t{ \"a\" : 0 }\n ", "{\"a\"=i'0'}");
}

static void numbers_keep_their_spelling(void **state) {
    struct reading *reading = *state;
    check_tree(reading, "[1E5, 1e+5, 0.10, -0, 8e1]", "[f'1E5' f'1e+5' f'0.10' i'-0' f'8e1']");
    check_tree(reading, "[12345678901234567890123456789012345678901234567890123456789012345678901234567890]",
               "[i'12345678901234567890123456789012345678901234567890123456789012345678901234567890']");
    check_tree(reading, "[1e99999]", "[f'1e99999']");
}

static void strings_are_decoded(void **state) {
    struct reading *reading = *state;
    check_tree(reading, "[\"198.51.100.0\\u002f24\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\u20AC\\ud83d\\uDE00\"]",
               "[S'198.51.100.0/24' S'\"\\/\b\f\n\r\t' S'\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80']");
    check_tree(reading, "{\"k\\u0065y\": \"\xC3\xA9\x7F\"}", "{\"key\"=S'\xC3\xA9\x7F'}");
}

static void strings_may_hold_nul(void **state) {
    struct reading *reading = *state;
    reading_json(reading, "{\"a\\u0000b\": \"c\\u0000d\\u0000\", \"e\": \"f\"}");
    const struct node *root = &reading->file.documents[0].root;
    assert_int_equal(root->count, 2);
    assert_int_equal(root->entries[0].key.count, 3);
    assert_memory_equal(root->entries[0].key.text, "a\0b", 4);
    assert_int_equal(root->entries[0].value.count, 4);
    assert_memory_equal(root->entries[0].value.text, "c\0d\0", 5);
    assert_string_equal(node_string(node_get(root, "e")), "f");
}

static void places_are_of_bytes(void **state) {
    struct reading *reading = *state;
    reading_json(reading, "{\"\xC3\xA9\": [1,\n  \"x\\u00e9\", {\"b\" :\r\n null}]}");
    assert_string_equal(reading_places(reading),
                        "1:1 {1:2 \"\xC3\xA9\"=1:8 [1:9 i'1' 2:3 S'x\xC3\xA9' 2:14 {2:15 \"b\"=3:2 n'null'}]}");
}

static void duplicate_keys_stay_visible(void **state) {
    check_tree(*state, "{\"a\": 1, \"b\": 2, \"a\": 3}", "{\"a\"=i'1' \"b\"=i'2' \"a\"=i'3'}");
}

static void objects_may_follow_one_another(void **state) {
    struct reading *reading = *state;
    check_tree(reading, "{\"a\":1}{\"b\":2}\n{}\n", "{\"a\"=i'1'} | {\"b\"=i'2'} | {}");
    check_tree(reading, "null\n{\"a\":1}", "{\"a\"=i'1'}");
    reading_yaml(reading, "{\"a\":1}\n{\"b\":2}\n");
    assert_string_equal(reading_trees(reading), "{\"a\"=i'1'} | {\"b\"=i'2'}");
}

static void lists_and_scalars_are_documents_of_json_files(void **state) {
    struct reading *reading = *state;
    check_tree(reading, "[{\"a\": 1}]", "[{\"a\"=i'1'}]");
    check_tree(reading, "\"x\"", "S'x'");
    check_tree(reading, "12", "i'12'");
}

/* No other reader makes sense of these, so the complaint is of this one. */
static void what_is_no_json_is_refused_with_its_place(void **state) {
    static const struct {
        const char *text, *codes;
    } rows[] = {
        {"{\"a\": [\"1\" 2]}", "1:12 syntax"},
        {"{\"a\": \"\\x\"}", "1:8 syntax"},
        {"{\"a\": \"\\u12g4\"}", "1:8 syntax"},
        {"{\"a\": \"\\ud83d\"}", "1:8 syntax"},
        {"{\"a\": \"\\ude00\"}", "1:8 syntax"},
        {"{\"a\": \"x", "1:7 syntax"},
        {"{\"a\": [1,\n", "2:1 syntax"},
        {"{\"a\": 1", "1:8 syntax"},
        {"{\"a\": 1}]", "1:9 syntax"},
        {"{\"a\": \"\xFF\"}", "1:8 encoding"},
        {"{\"a\": \"\xED\xA0\x80\"}", "1:8 encoding"},
        {"{\"a\": 1}\n{\"b\": [}", "2:8 syntax"},
    };
    struct reading *reading = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reading_json(reading, rows[i].text);
        assert_string_equal(reading_codes(reading), rows[i].codes);
        assert_int_equal(reading->file.state, FILE_BROKEN);
        assert_int_equal(reading->diagnostics.errors, 1);
    }
    assert_string_equal(reading_trees(reading), "{\"a\"=i'1'}");
}

/* Kubernetes falls back to YAML; trees tell the readers apart by what counts as quoted. */
static void what_is_yaml_only_is_read_as_yaml(void **state) {
    struct reading *reading = *state;
    check_tree(reading, "{a: 1}", "{a=i'1'}");
    check_tree(reading, "{\"a\": 1,}", "{\"a\"=i'1'}");
    check_tree(reading, "{\"a\": 0x10, \"b\": +1}", "{\"a\"=i'0x10' \"b\"=i'+1'}");
    check_tree(reading, "{\"a\": 1}\n---\n{\"b\": 2}\n", "{\"a\"=i'1'} | {\"b\"=i'2'}");
    check_tree(reading, "{\"a\": 01}", "{\"a\"=i'01'}");
    check_tree(reading, "a: 1\n", "{a=i'1'}");
}

static void the_reader_that_came_farther_complains(void **state) {
    struct reading *reading = *state;
    reading_yaml(reading, "{a: 1,\n b: [1, 2}\n");
    assert_string_equal(reading_codes(reading), "2:10 syntax");
    reading_yaml(reading, "{\"a\": 1}\n{\"b\": tru}\n");
    assert_string_equal(reading_codes(reading), "2:7 syntax");
    assert_string_equal(reading_trees(reading), "{\"a\"=i'1'}");
}

static void byte_order_marks_are_noted(void **state) {
    struct reading *reading = *state;
    reading_json(reading, "\xEF\xBB\xBF{\"a\": 1}");
    assert_string_equal(reading_places(reading), "1:1 {1:2 \"a\"=1:7 i'1'}");
    assert_string_equal(reading_codes(reading), "1:1 encoding");
    assert_int_equal(reading->diagnostics.errors, 0);
}

static void descriptors_give_the_same(void **state) {
    struct reading *reading = *state;
    struct buffer text;
    buffer_init(&text, reading->arena);
    for (unsigned i = 0; text.length < 500000; i++) {
        buffer_print(&text, "{\"k\xC3\xA9%u\": [%u, \"\xE2\x82\xAC\"]}\n", i, i);
    }
    reading_text(reading, "t.json", (struct text){text.bytes, text.length});
    const char *places = reading_places(reading);
    assert_true(reading->file.count > 1000);
    reading_file(reading, "t.json", (struct text){text.bytes, text.length});
    assert_string_equal(reading_places(reading), places);
    assert_int_equal(reading->file.bytes, text.length);
    reading_pipe(reading, "t.json", (struct text){text.bytes, text.length});
    assert_string_equal(reading_places(reading), places);
}

/* Filters. */

static const struct document_keep keep_metadata[] = {{"name", NULL}, {NULL, NULL}};
static const struct document_keep keep_container[] = {{"image", NULL}, {NULL, NULL}};
static const struct document_keep keep_spec[] = {{"containers", keep_container}, {"on", NULL}, {NULL, NULL}};
static const struct document_keep keep_pod[] = {{"metadata", keep_metadata}, {"spec", keep_spec}, {NULL, NULL}};
static const struct document_keep keep_any[] = {{"data", keep_metadata}, {"*", NULL}, {NULL, NULL}};
static const struct document_keep keep_none[] = {{NULL, NULL}};

static const struct document_keep *by_kind(struct text api_version, struct text kind) {
    if (text_is(kind, "Pod") || text_is(kind, "PodList")) {
        return keep_pod;
    }
    if (text_is(kind, "Any")) {
        return keep_any;
    }
    return text_is(kind, "Whole") || text_is(kind, "List") || text_is(api_version, "whole") ? NULL : keep_none;
}

/* The same flow text read by both readers; they differ in what counts as quoted only where a key or value is plain. */
static void check_filtered(struct reading *reading, const char *text, const char *trees) {
    reading->options.filter = by_kind;
    reading_json(reading, text);
    assert_string_equal(reading_codes(reading), "");
    assert_string_equal(reading_trees(reading), trees);
    reading_yaml(reading, arena_format(reading->arena, "---\n%s\n", text));
    assert_string_equal(reading_codes(reading), "");
    assert_string_equal(reading_trees(reading), trees);
}

static void only_what_the_filter_keeps_is_built(void **state) {
    check_filtered(
        *state,
        "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"x\", \"uid\": [1, {\"a\": 2}]},"
        " \"spec\": {\"containers\": [{\"image\": \"i\", \"env\": []}, {\"name\": \"y\"}, 5], \"x\": 1},"
        " \"status\": {\"a\": {\"b\": [1, 2]}}}",
        "{\"apiVersion\"=S'v1' \"kind\"=S'Pod' \"metadata\"={\"name\"=S'x'} "
        "\"spec\"={\"containers\"=[{\"image\"=S'i'} {} i'5']}}");
}

static void a_star_row_keeps_every_other_key(void **state) {
    check_filtered(*state,
                   "{\"apiVersion\": \"v1\", \"kind\": \"Any\", \"data\": {\"name\": 1, \"b\": 2}, \"c\": {\"d\": 3}}",
                   "{\"apiVersion\"=S'v1' \"kind\"=S'Any' \"data\"={\"name\"=i'1'} \"c\"={\"d\"=i'3'}}");
}

static void what_comes_before_the_kind_is_kept(void **state) {
    check_filtered(*state, "{\"a\": {\"b\": 1}, \"kind\": \"None\", \"c\": 1, \"apiVersion\": \"v1\", \"d\": 1}",
                   "{\"a\"={\"b\"=i'1'} \"kind\"=S'None' \"c\"=i'1' \"apiVersion\"=S'v1'}");
    check_filtered(*state, "{\"kind\": \"None\", \"a\": 1}", "{\"kind\"=S'None' \"a\"=i'1'}");
}

static void items_are_asked_for_one_by_one(void **state) {
    check_filtered(
        *state,
        "{\"apiVersion\": \"v1\", \"items\": ["
        "{\"apiVersion\": \"v1\", \"kind\": \"None\", \"x\": 1},"
        "{\"apiVersion\": \"v1\", \"kind\": \"Whole\", \"x\": 1},"
        "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"v1\", \"kind\": \"None\","
        " \"y\": 2}]}, 7, [8]], \"kind\": \"List\", \"z\": 1}",
        "{\"apiVersion\"=S'v1' \"items\"=[{\"apiVersion\"=S'v1' \"kind\"=S'None'} "
        "{\"apiVersion\"=S'v1' \"kind\"=S'Whole' \"x\"=i'1'} "
        "{\"apiVersion\"=S'v1' \"kind\"=S'List' \"items\"=[{\"apiVersion\"=S'v1' \"kind\"=S'None'}]} "
        "i'7' [i'8']] \"kind\"=S'List' \"z\"=i'1'}");
}

static void items_of_a_typed_list_are_of_its_kind(void **state) {
    check_filtered(*state,
                   "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": ["
                   "{\"metadata\": {\"name\": \"x\", \"b\": 1}, \"status\": 1},"
                   "{\"kind\": \"Whole\", \"apiVersion\": \"v1\", \"status\": 1}]}",
                   "{\"apiVersion\"=S'v1' \"kind\"=S'PodList' \"items\"=[{\"metadata\"={\"name\"=S'x'}} "
                   "{\"kind\"=S'Whole' \"apiVersion\"=S'v1' \"status\"=i'1'}]}");
}

/* What was passed over under the first kind may be what the second one needs. */
static void a_kind_that_changes_after_a_loss_is_refused(void **state) {
    static const char *const texts[] = {
        "{\"apiVersion\": \"v1\", \"kind\": \"None\", \"spec\": {}, \"kind\": \"Whole\"}",
        "{\"apiVersion\": \"v1\", \"kind\": \"None\", \"spec\": {}, \"apiVersion\": \"whole\", \"x\": 1}",
        "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [{\"x\": 1, \"kind\": \"Whole\"}]}",
        "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [{\"x\": 1, \"apiVersion\": \"whole\"}]}",
        "{\"apiVersion\": \"v1\", \"kind\": \"None\", \"spec\": {}, \"k\\u0069nd\": \"Whole\"}",
    };
    struct reading *reading = *state;
    reading->options.filter = by_kind;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reading_json(reading, texts[i]);
        assert_int_equal(reading->file.state, FILE_BROKEN);
        assert_int_equal(reading->diagnostics.count, 1);
        reading_yaml(reading, arena_format(reading->arena, "---\n%s\n", texts[i]));
        assert_int_equal(reading->file.state, FILE_BROKEN);
        assert_int_equal(reading->diagnostics.count, 1);
    }
}

static void merged_kinds_are_seen_too(void **state) {
    struct reading *reading = *state;
    reading->options.filter = by_kind;
    reading_yaml(reading, "apiVersion: v1\nkind: None\nspec: {}\n<<: {kind: Whole}\n");
    assert_int_equal(reading->file.state, FILE_BROKEN);
}

static void keys_are_compared_as_they_are_read(void **state) {
    struct reading *reading = *state;
    reading->options.filter = by_kind;
    reading_yaml(reading, "apiVersion: v1\nkind: Pod\nspec: {on: 1, 'on': 2, x: 3}\n");
    assert_string_equal(reading_trees(reading), "{apiVersion=s'v1' kind=s'Pod' spec={\"on\"=i'2'}}");
}

static void anchors_in_what_is_passed_over_can_be_named(void **state) {
    struct reading *reading = *state;
    reading->options.filter = by_kind;
    reading_yaml(reading, "apiVersion: v1\nkind: Pod\nstatus:\n  a: [&x {b: &y 1, c: 2}, &z k]\n"
                          "metadata: {name: [*x, *y], *z : 1}\n");
    assert_string_equal(reading_codes(reading), "");
    assert_string_equal(reading_trees(reading),
                        "{apiVersion=s'v1' kind=s'Pod' metadata={name=[{b=i'1' c=i'2'} i'1']}}");
    reading_yaml(reading, "apiVersion: v1\nkind: Pod\nstatus:\n  a: [*x]\n");
    assert_string_equal(reading_codes(reading), "4:7 syntax");
}

static void merge_keys_are_kept(void **state) {
    struct reading *reading = *state;
    reading->options.filter = by_kind;
    reading_yaml(reading, "apiVersion: v1\nkind: Pod\nstatus: &x {name: a}\nmetadata: {<<: *x}\n");
    assert_string_equal(reading_trees(reading), "{apiVersion=s'v1' kind=s'Pod' metadata={<name=s'a'}}");
}

static void templates_and_errors_in_what_is_passed_over_count(void **state) {
    struct reading *reading = *state;
    reading->options.filter = by_kind;
    reading_yaml(reading, "apiVersion: v1\nkind: None\nstatus: [a, {{ x }}]\n");
    assert_string_equal(reading_codes(reading), "3:13 template");
    reading_yaml(reading, "apiVersion: v1\nkind: None\nstatus: [a, b{{ x }}]\n");
    assert_string_equal(reading_codes(reading), "3:14 template");
    reading_yaml(reading, "apiVersion: v1\nkind: None\nstatus: [a, }]\n");
    assert_string_equal(reading_codes(reading), "3:13 syntax");
    reading_json(reading, "{\"apiVersion\": \"v1\", \"kind\": \"None\", \"a\": \"\\ud800\"}");
    assert_int_equal(reading->file.state, FILE_BROKEN);
}

/* Random texts that are JSON: the YAML reader gives the same trees, under the filter and without. */

struct random_text {
    struct buffer out;
    uint64_t seed;
};

static unsigned roll(struct random_text *text, unsigned sides) {
    text->seed = text->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(text->seed >> 33) % sides;
}

static void put_random(struct random_text *text, unsigned depth) {
    static const char *const scalars[] = {"1", "-2.5", "true", "null", "\"x\"", "\"\xC3\xA9\\n\"", "8e1", "\"\"", "0"};
    static const char *const keys[] = {"apiVersion", "kind", "items", "metadata",   "spec",
                                       "status",     "name", "data",  "containers", "image"};
    static const char *const kinds[] = {"Pod", "PodList", "List", "None", "Whole", "Any"};
    unsigned kind = depth == 0 ? roll(text, 2) : roll(text, 4), count = roll(text, 5);
    if (depth > 5 || kind > 1) {
        bool known = roll(text, 2) == 0;
        buffer_print(&text->out, known ? "\"%s\"" : "%s", known ? kinds[roll(text, 6)] : scalars[roll(text, 9)]);
        return;
    }
    buffer_add_char(&text->out, kind == 0 ? '{' : '[');
    for (unsigned i = 0; i < count; i++) {
        buffer_add_string(&text->out, i > 0 ? roll(text, 2) ? ", " : ",\n " : "");
        if (kind == 0) {
            buffer_print(&text->out, "\"%s\": ", keys[roll(text, 10)]);
        }
        put_random(text, depth + 1);
    }
    buffer_add_char(&text->out, kind == 0 ? '}' : ']');
}

static void both_readers_give_the_same_trees(void **state) {
    struct reading *reading = *state;
    struct random_text text = {.seed = 20240607};
    unsigned whole = 0;
    for (unsigned i = 0; i < 3000; i++) {
        buffer_init(&text.out, reading->arena);
        put_random(&text, 0);
        reading->options.filter = i % 2 ? by_kind : NULL;
        reading_json(reading, buffer_string(&text.out));
        const char *trees = reading_trees(reading);
        enum file_state file_state = reading->file.state;
        reading_yaml(reading, arena_format(reading->arena, "---\n%s\n", buffer_string(&text.out)));
        assert_string_equal(reading_trees(reading), trees);
        assert_int_equal(reading->file.state, file_state);
        whole += file_state == FILE_READ;
    }
    assert_true(whole > 2000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {
        TEST(values_are_read),
        TEST(numbers_keep_their_spelling),
        TEST(strings_are_decoded),
        TEST(strings_may_hold_nul),
        TEST(places_are_of_bytes),
        TEST(duplicate_keys_stay_visible),
        TEST(objects_may_follow_one_another),
        TEST(lists_and_scalars_are_documents_of_json_files),
        TEST(what_is_no_json_is_refused_with_its_place),
        TEST(what_is_yaml_only_is_read_as_yaml),
        TEST(the_reader_that_came_farther_complains),
        TEST(byte_order_marks_are_noted),
        TEST(descriptors_give_the_same),
        TEST(only_what_the_filter_keeps_is_built),
        TEST(a_star_row_keeps_every_other_key),
        TEST(what_comes_before_the_kind_is_kept),
        TEST(items_are_asked_for_one_by_one),
        TEST(items_of_a_typed_list_are_of_its_kind),
        TEST(a_kind_that_changes_after_a_loss_is_refused),
        TEST(merged_kinds_are_seen_too),
        TEST(keys_are_compared_as_they_are_read),
        TEST(anchors_in_what_is_passed_over_can_be_named),
        TEST(merge_keys_are_kept),
        TEST(templates_and_errors_in_what_is_passed_over_count),
        TEST(both_readers_give_the_same_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

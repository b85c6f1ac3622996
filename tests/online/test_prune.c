/* Pruning as text goes by: what is kept, what is dropped, what is no JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/reader.h"
#include "document/writer.h"
#include "online/collections.h"
#include "online/prune.h"

static const struct prune_rule inner[] = {
    {"name", NULL, 0}, {"env", prune_nothing, PRUNE_KEEP_ENVIRONMENT}, {NULL, NULL, 0}};
static const struct prune_rule some[] = {
    {"kept", NULL, 0}, {"list", inner, 0}, {"dropped", prune_nothing, 0}, {"status", inner, PRUNE_KEEP_STATUS},
    {"*", inner, 0},   {NULL, NULL, 0}};

static const char *prune_text(struct prune *prune, const char *text, size_t piece) {
    prune_object(prune, some, 0);
    for (size_t at = 0, length = strlen(text); at < length && !prune->problem; at += piece)
        prune_feed(prune, text + at, length - at < piece ? length - at : piece);
    if (!prune_finish(prune))
        return NULL;
    prune->head[prune->head_length] = '\0';
    return prune->head;
}

/* The same however the text is cut into pieces. */
static void expect(const char *text, const char *kept) {
    struct prune *prune = malloc(sizeof *prune);
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        const char *got = prune_text(prune, text, piece);
        assert_non_null(got);
        assert_string_equal(got, kept);
    }
    free(prune);
}

static void expect_problem(const char *text, const char *problem) {
    struct prune *prune = malloc(sizeof *prune);
    for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
        assert_null(prune_text(prune, text, piece));
        assert_string_equal(prune->problem, problem);
    }
    free(prune);
}

static void rows_say_what_is_kept(void **state) {
    (void)state;
    expect("{\"kept\": {\"a\" : [1, {\"b\":null}]} , \"dropped\":{\"x\":[1,2,\"]}\"]}}",
           "{\"kept\":{\"a\":[1,{\"b\":null}]}}");
    expect("{\"list\":[{\"name\":\"a\",\"env\":[1]},{\"env\":2},{\"other\":3,\"name\":-1.5e+7}]}",
           "{\"list\":[{\"name\":\"a\"},{},{\"name\":-1.5e+7}]}");
    expect("{\"any\":{\"name\":true,\"x\":false},\"thing\":\"text\"}", "{\"any\":{\"name\":true},\"thing\":\"text\"}");
    expect("{}", "{}");
    expect(" { \"dropped\" : 1 , \"kept\" : [ ] , \"dropped\" : \"\" } \n", "{\"kept\":[]}");
}

static void escaped_keys_are_the_same_keys(void **state) {
    (void)state;
    expect("{\"list\":{\"\\u0065nv\":1,\"n\\u0061me\":2}}", "{\"list\":{\"n\\u0061me\":2}}");
    expect("{\"dr\\u006Fpped\":\"secret\",\"kept\":\"\\\"\\\\\\u00e9\\n\"}", "{\"kept\":\"\\\"\\\\\\u00e9\\n\"}");
    expect("{\"list\":{\"\\name\":1}}", "{\"list\":{}}"); /* a line end, and then "ame" */
}

static void options_keep_what_rows_drop(void **state) {
    struct prune *prune = malloc(sizeof *prune);
    static const char text[] = "{\"list\":{\"env\":[{\"x\":1}]},\"status\":{\"y\":2}}";
    (void)state;
    prune_object(prune, some, PRUNE_KEEP_ENVIRONMENT | PRUNE_KEEP_STATUS);
    assert_true(prune_feed(prune, text, strlen(text)) && prune_finish(prune));
    prune->head[prune->head_length] = '\0';
    assert_string_equal(prune->head, text);
    free(prune);
}

static void what_is_no_json_is_refused(void **state) {
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"", "the text ends too early"},
        {"  {\"a\":1", "the text ends too early"},
        {"[]", "it is no JSON object"},
        {"\"a\"", "it is no JSON object"},
        {"{\"kept\":1}}", "there is text after its end"},
        {"{\"kept\":1}{}", "there is text after its end"},
        {"{\"kept\":1,}", "a key is missing"},
        {"{kept:1}", "a key is missing"},
        {"{\"kept\" 1}", "a colon is missing"},
        {"{\"kept\":[1,]}", "no JSON value begins so"},
        {"{\"kept\":[1 2]}", "a comma or the end of a map or list is missing"},
        {"{\"kept\":[1}", "a comma or the end of a map or list is missing"},
        {"{\"kept\":01}", "no JSON value begins so"},
        {"{\"kept\":1.}", "no JSON value begins so"},
        {"{\"kept\":-}", "no JSON value begins so"},
        {"{\"kept\":1e}", "no JSON value begins so"},
        {"{\"kept\":+1}", "no JSON value begins so"},
        {"{\"kept\":nul}", "no JSON value begins so"},
        {"{\"dropped\":tru}", "no JSON value begins so"},
        {"{\"kept\":'a'}", "no JSON value begins so"},
        {"{\"kept\":\"\t\"}", "a string holds a control character"},
        {"{\"kept\":\"\\x\"}", "an escape in a string is malformed"},
        {"{\"kept\":\"\\u12g4\"}", "an escape in a string is malformed"},
        {"{\"kept\":12345678901234567890123456789012345678901234567890123456789012345}", "a number is too long"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_problem(cases[i].text, cases[i].problem);
}

static void depth_and_keys_have_bounds(void **state) {
    char *text = calloc(1, 3 * PRUNE_KEY);
    struct prune *prune = malloc(sizeof *prune);
    (void)state;
    strcat(text, "{\"kept\":");
    memset(text + strlen(text), '[', PRUNE_DEPTH);
    assert_null(prune_text(prune, text, 7));
    assert_string_equal(prune->problem, "it is nested too deep");
    memset(text, 0, 3 * PRUNE_KEY);
    strcat(text, "{\"");
    memset(text + 2, 'k', PRUNE_KEY + 1);
    strcat(text, "\":1}");
    assert_null(prune_text(prune, text, 7));
    assert_string_equal(prune->problem, "a key is too long");
    free(prune);
    free(text);
}

/* ---- lists ---- */

struct output {
    char text[512];
    size_t length;
    bool full;
};

static bool take_output(void *context, const char *bytes, size_t length) {
    struct output *output = context;
    if (output->full)
        return false;
    assert_true(length < sizeof output->text - output->length);
    memcpy(output->text + output->length, bytes, length);
    output->length += length;
    return true;
}

static void items_go_one_way_and_the_rest_another(void **state) {
    static const char text[] = "{\"items\":[{\"kept\":1},{\"dropped\":{\"items\":[]}},{\"kept\":[{}]}],\"kind\":\"L\","
                               "\"metadata\":{\"continue\":\"x\"}}";
    (void)state;
    for (size_t piece = 1; piece < sizeof text; piece++) {
        struct prune *prune = malloc(sizeof *prune);
        struct output output = {.length = 0};
        prune_list(prune, some, 0, 2, take_output, &output);
        for (size_t at = 0; at < strlen(text); at += piece)
            assert_true(prune_feed(prune, text + at, strlen(text) - at < piece ? strlen(text) - at : piece));
        assert_true(prune_finish(prune));
        output.text[output.length] = prune->head[prune->head_length] = '\0';
        assert_string_equal(output.text, ",\n{\"kept\":1},\n{},\n{\"kept\":[{}]}");
        assert_string_equal(prune->head, "{\"kind\":\"L\",\"metadata\":{\"continue\":\"x\"}}");
        assert_int_equal(prune->items, 5);
        free(prune);
    }
}

static void an_output_that_is_full_is_said(void **state) {
    struct prune *prune = malloc(sizeof *prune);
    struct output output = {.full = true};
    static const char text[] = "{\"items\":[{\"kept\":1}]}";
    (void)state;
    prune_list(prune, some, 0, 0, take_output, &output);
    assert_false(prune_feed(prune, text, strlen(text)));
    assert_false(prune_finish(prune));
    assert_string_equal(prune->problem, "what was read could not be written");
    free(prune);
}

/* ---- against the reader ---- */

/* Random JSON, of the keys that the rows name; some of it broken. */
static size_t grow(unsigned *seed, char *text, size_t at, unsigned depth) {
    static const char *const keys[] = {"kept", "dropped", "list", "name", "env", "x"};
    static const char *const scalars[] = {"1", "-2.5e3", "true", "null", "\"s\"", "\"\\u0041\\\"\"", "0", "tru", "1."};
    *seed = *seed * 1103515245u + 12345u;
    unsigned choice = *seed >> 16 & 7u;
    if (depth > 4 || choice < 3)
        return at + (size_t)snprintf(text + at, 64, "%s", scalars[(*seed >> 20) % (choice == 0 ? 9 : 7)]);
    bool map = choice < 6;
    text[at++] = map ? '{' : '[';
    for (unsigned i = 0, count = *seed >> 24 & 3u; i < count; i++) {
        if (i > 0)
            text[at++] = ',';
        *seed = *seed * 1103515245u + 12345u;
        if (map)
            at += (size_t)snprintf(text + at, 64, "\"%s\": ", keys[(*seed >> 16) % 6]);
        at = grow(seed, text, at, depth + 1);
    }
    text[at++] = map ? '}' : ']';
    return at;
}

static bool reads(struct arena *arena, const char *text, struct node *root) {
    struct reader_options options = {.limits = limits_default()};
    struct file file = {0};
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, arena);
    reader_read_text("text", text_of(text), &options, arena, &file, &diagnostics);
    if (file.state != FILE_READ || file.count != 1)
        return false;
    *root = file.documents[0].root;
    return true;
}

static void what_is_kept_whole_reads_as_before(void **state) {
    static const struct prune_rule all[] = {{"*", NULL, 0}, {NULL, NULL, 0}};
    struct prune *prune = malloc(sizeof *prune);
    unsigned seed = 20260901, sound = 0;
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        char *text = calloc(1, 1 << 16);
        struct arena *arena = arena_create();
        struct node before, after;
        size_t length = (size_t)snprintf(text, 16, "{\"kept\":");
        length = grow(&seed, text, length, 0);
        text[length] = '}';
        prune_object(prune, all, 0);
        bool taken = prune_feed(prune, text, length + 1) && prune_finish(prune);
        bool broken = strstr(text, "tru,") || strstr(text, "tru}") || strstr(text, "tru]") || strstr(text, "1.,") ||
                      strstr(text, "1.}") || strstr(text, "1.]");
        assert_int_equal(taken, !broken);
        if (taken) {
            prune->head[prune->head_length] = '\0';
            assert_true(reads(arena, text, &before) && reads(arena, prune->head, &after));
            assert_true(node_equal(&before, &after));
            sound++;
        }
        arena_destroy(arena);
        free(text);
    }
    assert_true(sound > 1000);
    free(prune);
}

/* ---- however it is cut ---- */

struct result {
    bool taken;
    const char *problem;
    char items[4096], head[4096];
    size_t length;
};

static bool take_items(void *context, const char *bytes, size_t length) {
    struct result *result = context;
    assert_true(length < sizeof result->items - result->length);
    memcpy(result->items + result->length, bytes, length);
    result->length += length;
    return true;
}

/* The text goes in from memory of its own for each piece, which ends with it: nothing may be read later or beyond. */
static void prune_pieces(struct prune *prune, const char *text, size_t length, size_t piece, struct result *result) {
    *result = (struct result){.length = 0};
    prune_list(prune, some, 0, 0, take_items, result);
    for (size_t at = 0; at < length && !prune->problem; at += piece) {
        size_t part = length - at < piece ? length - at : piece;
        char *copy = malloc(part);
        memcpy(copy, text + at, part);
        prune_feed(prune, copy, part);
        memset(copy, '#', part);
        free(copy);
    }
    result->taken = prune_finish(prune);
    result->problem = prune->problem ? prune->problem : "";
    memcpy(result->head, prune->head, prune->head_length);
}

static size_t grow_list(unsigned *seed, char *text) {
    size_t length = (size_t)sprintf(text, "{\"kind\":\"L\",\"items\":[");
    *seed = *seed * 1103515245u + 12345u;
    for (unsigned i = 0, count = *seed >> 16 & 3u; i < count; i++) {
        length += (size_t)sprintf(text + length, "%s{\"kept\":", i > 0 ? "," : "");
        length = grow(seed, text, length, 2);
        length += (size_t)sprintf(text + length, ",\"env\": ");
        length = grow(seed, text, length, 2);
        text[length++] = '}';
    }
    return length + (size_t)sprintf(text + length, "],\"metadata\":{\"continue\":\"x\"}}");
}

static void what_comes_out_is_the_same_however_it_is_cut(void **state) {
    static const size_t pieces[] = {1, 2, 3, 7, 15, 16, 17, 63, 64, 65, 100};
    struct prune *prune = malloc(sizeof *prune);
    struct result whole, cut;
    unsigned seed = 20261130, sound = 0;
    char *text = calloc(1, 1 << 16);
    (void)state;
    for (unsigned i = 0; i < 4000; i++) {
        size_t length = grow_list(&seed, text);
        seed = seed * 1103515245u + 12345u;
        if (i % 2 == 1 && length < 4096) /* a byte is another one */
            text[(seed >> 8) % length] = "{}[]\",:\\ nu1\n"[(seed >> 24) % 14];
        if (length >= 4096)
            continue;
        prune_pieces(prune, text, length, length, &whole);
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            prune_pieces(prune, text, length, pieces[k], &cut);
            assert_int_equal(cut.taken, whole.taken);
            assert_string_equal(cut.problem, whole.problem);
            if (whole.taken) {
                assert_string_equal(cut.items, whole.items);
                assert_string_equal(cut.head, whole.head);
            }
        }
        sound += whole.taken;
    }
    assert_true(sound > 1000);
    free(prune);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_what_is_kept),
        cmocka_unit_test(escaped_keys_are_the_same_keys),
        cmocka_unit_test(options_keep_what_rows_drop),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(depth_and_keys_have_bounds),
        cmocka_unit_test(items_go_one_way_and_the_rest_another),
        cmocka_unit_test(an_output_that_is_full_is_said),
        cmocka_unit_test(what_is_kept_whole_reads_as_before),
        cmocka_unit_test(what_comes_out_is_the_same_however_it_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

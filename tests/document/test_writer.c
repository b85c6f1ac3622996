/* The bytes of the canonical writers: spec/cli.md "YAML output", JSON as of spec/config.md 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <yaml.h>

#include <cmocka.h>

#include "base/arena.h"
#include "document/scalar.h"
#include "document/writer.h"
#include "tests/arena_state.h"

static struct node plain(const char *text) {
    return (struct node){.kind = (uint8_t)scalar_kind(text_of(text)), .count = (uint32_t)strlen(text), .text = text};
}

static struct node list_of(struct arena *arena, size_t count, const struct node *items) {
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_LIST);
    for (size_t i = 0; i < count; i++) {
        node_builder_add(&builder, items[i]);
    }
    return node_builder_done(&builder);
}

static struct node map_of(struct arena *arena, size_t count, const char *const *keys, const struct node *values) {
    struct node_builder builder;
    node_builder_init(&builder, arena, NODE_MAP);
    for (size_t i = 0; i < count; i++) {
        node_builder_put(&builder, keys[i], values[i]);
    }
    return node_builder_done(&builder);
}

#define LIST(arena, ...)                                                                                               \
    list_of(arena, sizeof((struct node[]){__VA_ARGS__}) / sizeof(struct node), (struct node[]){__VA_ARGS__})
#define KEYS(...)                                                                                                      \
    (const char *const[]) { __VA_ARGS__ }

typedef void write_function(struct buffer *out, const struct node *node);

static void assert_written(struct arena *arena, write_function *write, struct node node, const char *expected) {
    struct buffer buffer;
    buffer_init(&buffer, arena);
    write(&buffer, &node);
    assert_string_equal(buffer_string(&buffer), expected);
}

/* A small NetworkPolicy with every shape in it: nested maps and lists, empty ones, numbers, booleans. */
static struct node sample(struct arena *arena) {
    struct node empty_map = {.kind = NODE_MAP}, empty_list = {.kind = NODE_LIST};
    struct node port =
        map_of(arena, 2, KEYS("port", "protocol"), (struct node[]){node_make_int(arena, 53), node_make_string("UDP")});
    struct node block = map_of(arena, 2, KEYS("cidr", "except"),
                               (struct node[]){node_make_string("0.0.0.0/0"),
                                               LIST(arena, node_make_string("10.0.0.0/8"), node_make_string("::/0"))});
    struct node peer = map_of(arena, 1, KEYS("ipBlock"), &block);
    struct node rule =
        map_of(arena, 2, KEYS("to", "ports"), (struct node[]){LIST(arena, peer), LIST(arena, port, empty_map)});
    struct node labels = map_of(arena, 1, KEYS("k8s:k8s-app"), (struct node[]){node_make_string("on")});
    return map_of(arena, 6, KEYS("kind", "labels", "podSelector", "ingress", "egress", "deny"),
                  (struct node[]){node_make_string("NetworkPolicy"), labels, empty_map, empty_list,
                                  LIST(arena, rule, empty_map), node_make_bool(false)});
}

static void yaml_is_block_style_with_indented_items(void **state) {
    assert_written(*state, writer_yaml, sample(*state),
                   "kind: NetworkPolicy\n"
                   "labels:\n"
                   "  k8s:k8s-app: 'on'\n"
                   "podSelector: {}\n"
                   "ingress: []\n"
                   "egress:\n"
                   "  - to:\n"
                   "      - ipBlock:\n"
                   "          cidr: 0.0.0.0/0\n"
                   "          except:\n"
                   "            - 10.0.0.0/8\n"
                   "            - '::/0'\n"
                   "    ports:\n"
                   "      - port: 53\n"
                   "        protocol: UDP\n"
                   "      - {}\n"
                   "  - {}\n"
                   "deny: false\n");
}

static void json_has_one_entry_a_line(void **state) {
    assert_written(*state, writer_json, sample(*state),
                   "{\n"
                   "  \"kind\": \"NetworkPolicy\",\n"
                   "  \"labels\": {\n"
                   "    \"k8s:k8s-app\": \"on\"\n"
                   "  },\n"
                   "  \"podSelector\": {},\n"
                   "  \"ingress\": [],\n"
                   "  \"egress\": [\n"
                   "    {\n"
                   "      \"to\": [\n"
                   "        {\n"
                   "          \"ipBlock\": {\n"
                   "            \"cidr\": \"0.0.0.0/0\",\n"
                   "            \"except\": [\n"
                   "              \"10.0.0.0/8\",\n"
                   "              \"::/0\"\n"
                   "            ]\n"
                   "          }\n"
                   "        }\n"
                   "      ],\n"
                   "      \"ports\": [\n"
                   "        {\n"
                   "          \"port\": 53,\n"
                   "          \"protocol\": \"UDP\"\n"
                   "        },\n"
                   "        {}\n"
                   "      ]\n"
                   "    },\n"
                   "    {}\n"
                   "  ],\n"
                   "  \"deny\": false\n"
                   "}\n");
}

static void compact_json_is_one_line(void **state) {
    assert_written(*state, writer_json_compact, sample(*state),
                   "{\"kind\": \"NetworkPolicy\", \"labels\": {\"k8s:k8s-app\": \"on\"}, \"podSelector\": {}, "
                   "\"ingress\": [], \"egress\": [{\"to\": [{\"ipBlock\": {\"cidr\": \"0.0.0.0/0\", \"except\": "
                   "[\"10.0.0.0/8\", \"::/0\"]}}], \"ports\": [{\"port\": 53, \"protocol\": \"UDP\"}, {}]}, {}], "
                   "\"deny\": false}");
}

static void yaml_of_lists_in_lists_stands_on_one_line(void **state) {
    struct node inner = LIST(*state, plain("1"), plain("2")), empty = {.kind = NODE_LIST};
    struct node map = map_of(*state, 1, KEYS("a"), &inner);
    assert_written(*state, writer_yaml, LIST(*state, inner, map, empty, node_make_string("")),
                   "- - 1\n"
                   "  - 2\n"
                   "- a:\n"
                   "    - 1\n"
                   "    - 2\n"
                   "- []\n"
                   "- ''\n");
}

static void documents_of_one_scalar_are_one_line(void **state) {
    struct node empty = {.kind = NODE_MAP};
    assert_written(*state, writer_yaml, empty, "{}\n");
    assert_written(*state, writer_yaml, plain("~"), "null\n");
    assert_written(*state, writer_yaml, node_make_string("x y"), "'x y'\n");
    assert_written(*state, writer_json, empty, "{}\n");
    assert_written(*state, writer_json, plain(""), "null\n");
    assert_written(*state, writer_json_compact, node_make_string("x"), "\"x\"");
}

static void numbers_are_written_as_readers_take_them(void **state) {
    static const struct {
        const char *plain, *yaml, *json;
    } rows[] = {
        {"0443", "291\n", "291"},  {"8_080", "8080\n", "8080"},        {"80.0", "80\n", "80"},
        {"yes", "true\n", "true"}, {"1e21", "1.0e+21\n", "1e+21"},     {".inf", ".inf\n", "\".inf\""},
        {"-0", "0\n", "0"},        {"1.5e30", "1.5e+30\n", "1.5e+30"}, {"~", "null\n", "null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_written(*state, writer_yaml, plain(rows[i].plain), rows[i].yaml);
        assert_written(*state, writer_json_compact, plain(rows[i].plain), rows[i].json);
    }
}

static void json_strings_are_escaped_and_stay_utf_8(void **state) {
    static const struct {
        const char *string, *expected;
    } rows[] = {
        {"", "\"\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\""},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x80\xA8", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x80\xA8\""},
        {"\xFF", "\"\xEF\xBF\xBD\""},
        {"a\xC3", "\"a\xEF\xBF\xBD\""},
        {"\xC3(", "\"\xEF\xBF\xBD(\""},
        {"\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xE0\x9F\xBF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xF4\x8F\xBF\xBF", "\"\xF4\x8F\xBF\xBF\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_written(*state, writer_json_compact, node_make_string(rows[i].string), rows[i].expected);
    }
    struct buffer buffer;
    buffer_init(&buffer, *state);
    writer_json_string(&buffer, (struct text){.bytes = "a\0b", .length = 3});
    assert_string_equal(buffer_string(&buffer), "\"a\\u0000b\"");
}

static void yaml_strings_take_the_mildest_quotes(void **state) {
    static const struct {
        const char *string, *expected;
    } rows[] = {
        {"fc00::/7", "fc00::/7\n"},
        {"53", "'53'\n"},
        {"it's", "'it''s'\n"},
        {"a: b # c", "'a: b # c'\n"},
        {" a ", "' a '\n"},
        {"say \"x\"\\", "'say \"x\"\\'\n"},
        {"\xC3\xA9\xF0\x9F\x98\x80", "'\xC3\xA9\xF0\x9F\x98\x80'\n"},
        {"a\nb'\"", "\"a\\nb'\\\"\"\n"},
        {"\ta", "\"\\ta\"\n"},
        {"\x7f\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF", "\"\\u007f\\u0085\\u2028\\ufeff\"\n"},
        {"\xFF", "\"\xEF\xBF\xBD\"\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_written(*state, writer_yaml, node_make_string(rows[i].string), rows[i].expected);
    }
}

static void keys_are_quoted_as_strings_are(void **state) {
    assert_written(*state, writer_yaml,
                   map_of(*state, 4, KEYS("y", "a b", "app.kubernetes.io/name", ""),
                          (struct node[]){plain("1"), plain("2"), plain("3"), plain("4")}),
                   "'y': 1\n'a b': 2\napp.kubernetes.io/name: 3\n'': 4\n");
}

static void report_writer_lays_out_as_the_tree_writer(void **state) {
    struct buffer buffer;
    struct json_writer writer;
    buffer_init(&buffer, *state);
    json_writer_init(&writer, &buffer);
    json_begin_object(&writer);
    json_key(&writer, "schema");
    json_string(&writer, "egressc.report/1");
    json_key(&writer, "none");
    json_string(&writer, NULL);
    json_key(&writer, "list");
    json_begin_array(&writer);
    json_integer(&writer, -7);
    json_bool(&writer, true);
    json_null(&writer);
    json_text(&writer, text_of("t"));
    json_begin_array(&writer);
    json_end_array(&writer);
    json_begin_object(&writer);
    json_end_object(&writer);
    json_end_array(&writer);
    json_key(&writer, "node");
    struct node inner = LIST(*state, plain("1"));
    struct node node = map_of(*state, 1, KEYS("a"), &inner);
    json_node(&writer, &node);
    json_end_object(&writer);
    json_writer_done(&writer);
    assert_string_equal(buffer_string(&buffer), "{\n"
                                                "  \"schema\": \"egressc.report/1\",\n"
                                                "  \"none\": null,\n"
                                                "  \"list\": [\n"
                                                "    -7,\n"
                                                "    true,\n"
                                                "    null,\n"
                                                "    \"t\",\n"
                                                "    [],\n"
                                                "    {}\n"
                                                "  ],\n"
                                                "  \"node\": {\n"
                                                "    \"a\": [\n"
                                                "      1\n"
                                                "    ]\n"
                                                "  }\n"
                                                "}\n");
}

/* Reads a map of one entry with libyaml and hands out its key and value; `plain`: of the value. */
static void read_pair(const char *text, size_t length, yaml_event_t *key, yaml_event_t *value) {
    yaml_parser_t parser;
    yaml_event_t event;
    assert_true(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    static const yaml_event_type_t before[] = {YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT,
                                               YAML_MAPPING_START_EVENT};
    for (int i = 0; i < 3; i++) {
        assert_true(yaml_parser_parse(&parser, &event));
        assert_int_equal(event.type, before[i]);
        yaml_event_delete(&event);
    }
    assert_true(yaml_parser_parse(&parser, key));
    assert_int_equal(key->type, YAML_SCALAR_EVENT);
    assert_true(yaml_parser_parse(&parser, value));
    assert_int_equal(value->type, YAML_SCALAR_EVENT);
    assert_true(yaml_parser_parse(&parser, &event));
    assert_int_equal(event.type, YAML_MAPPING_END_EVENT);
    yaml_event_delete(&event);
    yaml_parser_delete(&parser);
}

static void assert_reads_back(const yaml_event_t *event, struct text string) {
    struct text read = {.bytes = (const char *)event->data.scalar.value, .length = event->data.scalar.length};
    if (!text_equal(read, string)) {
        fail_msg("`%.*s` reads back as `%.*s`", (int)string.length, string.bytes, (int)read.length, read.bytes);
    }
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        assert_int_equal(scalar_kind(read), NODE_STRING);
    }
}

static void assert_round_trip(struct arena *arena, struct text string) {
    struct node_builder builder;
    struct node node = {.kind = NODE_STRING, .count = (uint32_t)string.length, .text = string.bytes};
    node_builder_init(&builder, arena, NODE_MAP);
    node_builder_put_node(&builder, node, node);
    struct node map = node_builder_done(&builder);
    struct buffer buffer;
    buffer_init(&buffer, arena);
    writer_yaml(&buffer, &map);
    yaml_event_t key, value;
    read_pair(buffer_string(&buffer), buffer.length, &key, &value);
    assert_reads_back(&key, string);
    assert_reads_back(&value, string);
    yaml_event_delete(&key);
    yaml_event_delete(&value);
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 16;
}

static void odd_strings_read_back_from_yaml(void **state) {
    struct arena *arena = *state;
    static const char *const parts[] = {"0",
                                        "1",
                                        "9",
                                        "a",
                                        "e",
                                        "x",
                                        "_",
                                        ".",
                                        ":",
                                        "-",
                                        "+",
                                        " ",
                                        "#",
                                        "'",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\t",
                                        "\r",
                                        "*",
                                        "&",
                                        "!",
                                        "[",
                                        "}",
                                        ",",
                                        "\xC3\xA9",
                                        "\xE2\x80\xA8",
                                        "~",
                                        "%",
                                        "@",
                                        "`",
                                        "?",
                                        "|",
                                        "\xC2\x85",
                                        "\xEF\xBB\xBF",
                                        "null",
                                        "on",
                                        "/",
                                        "\a",
                                        "0x",
                                        "<<",
                                        "=",
                                        "...",
                                        "---",
                                        "\xF0\x9F\x98\x80"};
    uint32_t seed = 20240101;
    for (int round = 0; round < 20000; round++) {
        struct arena_mark mark = arena_mark(arena);
        struct buffer string;
        buffer_init(&string, arena);
        for (uint32_t i = next_random(&seed) % 7; i > 0; i--) {
            buffer_add_string(&string, parts[next_random(&seed) % (sizeof parts / sizeof parts[0])]);
        }
        const char *bytes = buffer_string(&string);
        assert_round_trip(arena, (struct text){.bytes = bytes, .length = string.length});
        arena_rollback(arena, mark);
    }
}

static void long_keys_read_back_from_yaml(void **state) {
    for (size_t length = 990; length < 1040; length++) {
        char *key = arena_alloc(*state, length + 1);
        memset(key, 'k', length);
        assert_round_trip(*state, (struct text){.bytes = key, .length = length});
        key[length / 2] = ' ';
        assert_round_trip(*state, (struct text){.bytes = key, .length = length});
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(yaml_is_block_style_with_indented_items),
        TEST(json_has_one_entry_a_line),
        TEST(compact_json_is_one_line),
        TEST(yaml_of_lists_in_lists_stands_on_one_line),
        TEST(documents_of_one_scalar_are_one_line),
        TEST(numbers_are_written_as_readers_take_them),
        TEST(json_strings_are_escaped_and_stay_utf_8),
        TEST(yaml_strings_take_the_mildest_quotes),
        TEST(keys_are_quoted_as_strings_are),
        TEST(report_writer_lays_out_as_the_tree_writer),
        TEST(odd_strings_read_back_from_yaml),
        TEST(long_keys_read_back_from_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

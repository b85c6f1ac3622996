/* The YAML reader: spec/kubernetes-egress.md 3.3 to 3.5, spec/lint.md "Reading". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reading.h"

struct expectation {
    const char *text, *trees, *codes;
    enum file_state state;
};

static void check_all(struct reading *reading, const struct expectation *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        reading_yaml(reading, rows[i].text);
        assert_string_equal(reading_trees(reading), rows[i].trees);
        assert_string_equal(reading_codes(reading), rows[i].codes);
        assert_int_equal(reading->file.state, rows[i].state);
    }
}

#define CHECK(...)                                                                                                     \
    static const struct expectation rows[] = {__VA_ARGS__};                                                            \
    check_all(*state, rows, sizeof rows / sizeof *rows)

static void streams_are_split_at_markers(void **state) {
    CHECK({"a: 1\n---\nb: 2\n", "{a=i'1'} | {b=i'2'}", "", FILE_READ}, {"---\na: 1\n", "{a=i'1'}", "", FILE_READ},
          {"--- # note\na: 1\n", "{a=i'1'}", "", FILE_READ},
          {"---\r\na: 1\r\n---\r\nb: 2", "{a=i'1'} | {b=i'2'}", "", FILE_READ},
          {"a: 1\n...\n---\nb: 2\n", "{a=i'1'} | {b=i'2'}", "", FILE_READ}, {"a: 1\n...\n", "{a=i'1'}", "", FILE_READ},
          {"a: 1\n...\n# note\n...\n", "{a=i'1'}", "", FILE_READ});
}

static void empty_documents_are_skipped(void **state) {
    CHECK({"", "", "", FILE_READ}, {"\n\n", "", "", FILE_READ}, {"# only this\n", "", "", FILE_READ},
          {"---\n---\n# x\n---\na: 1\n---\n", "{a=i'1'}", "", FILE_READ}, {"---\nnull\n---\n~\n", "", "", FILE_READ});
}

static void content_after_the_end_is_reported_and_dropped(void **state) {
    CHECK({"a: 1\n...\nb: 2\n", "{a=i'1'}", "3:1 after-document-end", FILE_READ},
          {"a: 1\n... b\n", "{a=i'1'}", "2:5 after-document-end", FILE_READ},
          {"a: 1\n...\n\n  b: [\n---\nc: 3\n", "{a=i'1'} | {c=i'3'}", "4:3 after-document-end", FILE_READ},
          {"a: 1\n...\n\t@ x\n", "{a=i'1'}", "3:1 after-document-end", FILE_READ},
          {"a: 1\n...\nb: \xFF\n", "", "3:4 encoding", FILE_BROKEN});
}

static void places_go_on_after_dropped_content(void **state) {
    struct reading *reading = *state;
    reading_yaml(reading, "a: 1\n...\nb\nc\n---\nd: x\n...\ne\n---\n  f: 1\n");
    assert_string_equal(reading_places(reading),
                        "1:1 {1:1 a=1:4 i'1'} | 6:1 {6:1 d=6:4 s'x'} | 10:3 {10:3 f=10:6 i'1'}");
    assert_string_equal(reading_codes(reading), "3:1 after-document-end, 8:1 after-document-end");
}

static void content_beside_a_marker_is_refused(void **state) {
    CHECK({"--- a: 1\n", "", "1:5 syntax", FILE_BROKEN}, {"--- {a: 1}\n", "", "1:5 syntax", FILE_BROKEN},
          {"--- x\n", "", "1:5 syntax", FILE_BROKEN}, {"--- |\n x\n", "", "1:5 syntax", FILE_BROKEN},
          {"---x: 1\n", "", "1:1 syntax", FILE_BROKEN}, {"---x\n", "", "1:1 syntax", FILE_BROKEN},
          {"a: 1\n---b: 2\n", "", "2:1 syntax", FILE_BROKEN}, {"a: ---x\n", "{a=s'---x'}", "", FILE_READ});
}

static void directives_are_refused(void **state) {
    CHECK({"%YAML 1.1\n---\na: 1\n", "", "1:1 syntax", FILE_BROKEN},
          {"%TAG ! tag:x,2000:\n---\na: 1\n", "", "1:1 syntax", FILE_BROKEN},
          {"a: 1\n...\n%YAML 1.2\n---\nb: 2\n", "{a=i'1'}", "3:1 syntax", FILE_BROKEN});
}

static void plain_scalars_are_typed(void **state) {
    CHECK(
        {"[80, 1.5, x, '', Null]", "[i'80' f'1.5' s'x' S'' n'Null']", "", FILE_READ},
        {"[true, false, null, 443#c, 10.0.0.0/8]", "[b'true' b'false' n'null' s'443#c' s'10.0.0.0/8']", "", FILE_READ},
        {"a:\nb: \n", "{a=n'' b=n''}", "", FILE_READ}, {"-\n- 1e3\n", "[n'' f'1e3']", "", FILE_READ});
}

static void typed_words_are_marked(void **state) {
    CHECK({"[y, on, No, 0443, 8_080, 0o120]", "[b!'y' b!'on' b!'No' i!'0443' i!'8_080' i'0o120']", "", FILE_READ},
          {"['y', \"0443\"]", "[S'y' S'0443']", "", FILE_READ});
}

static void quoted_and_tagged_scalars_are_strings(void **state) {
    CHECK({"['80', \"80\", !!str 80, ! 80]", "[S'80' S'80' S'80' S'80']", "", FILE_READ},
          {"a: |\n  80\nb: >-\n  true\n", "{a=S'80\n' b=S'true'}", "", FILE_READ},
          {"[!!int '80', !!float 80, !!bool 'on', !!null '']", "[i'80' f'80' b'on' n'']", "", FILE_READ},
          {"!!map {a: !!seq [b]}", "{a=[s'b']}", "", FILE_READ});
}

static void other_tags_are_refused(void **state) {
    CHECK({"a: !!int x\n", "", "1:4 syntax", FILE_BROKEN}, {"a: !thing x\n", "", "1:4 syntax", FILE_BROKEN},
          {"a: !!binary eA==\n", "", "1:4 syntax", FILE_BROKEN}, {"a: !!set {x}\n", "", "1:4 syntax", FILE_BROKEN},
          {"a: !!seq {}\n", "", "1:4 syntax", FILE_BROKEN});
}

static void keys_are_stringified(void **state) {
    CHECK({"y: 1\n0123: 2\n1.10: 3\n\"on\": 4\nplain: 5\n", "{!true=i'1' !83=i'2' !1.1=i'3' \"on\"=i'4' plain=i'5'}",
           "", FILE_READ},
          {"a: 1\n? b\n: 2\n", "{a=i'1' b=i'2'}", "", FILE_READ}, {"&k a: *k\n", "{a=s'a'}", "", FILE_READ},
          {"a: &k no\n*k : 1\n", "{a=b!'no' !false=i'1'}", "", FILE_READ});
}

static void keys_that_are_no_scalars_or_null_are_refused(void **state) {
    CHECK({"a: 1\n~: 2\n", "", "2:1 syntax", FILE_BROKEN}, {"a:\n  : 2\n", "", "2:3 syntax", FILE_BROKEN},
          {"? [a]\n: 1\n", "", "1:3 syntax", FILE_BROKEN}, {"? {a: b}\n: 1\n", "", "1:3 syntax", FILE_BROKEN},
          {"a: &k [1]\n*k : 1\n", "", "2:1 syntax", FILE_BROKEN}, {"null: 1\n", "", "1:1 syntax", FILE_BROKEN});
}

static void duplicate_keys_stay_visible(void **state) {
    struct reading *reading = *state;
    reading_yaml(reading, "egress: []\nx: 1\negress:\n- {}\n");
    assert_string_equal(reading_places(reading), "1:1 {1:1 egress=1:9 [] 2:1 x=2:4 i'1' 3:1 egress=4:1 [4:3 {}]}");
    assert_string_equal(reading_codes(reading), "");
    assert_int_equal(node_get(&reading->file.documents[0].root, "egress")->line, 4);
}

static void aliases_share_the_nodes_of_their_anchor(void **state) {
    struct reading *reading = *state;
    reading_yaml(reading, "a: &x [1, {b: 2}]\nc: *x\nd: &x 3\ne: *x\n");
    assert_string_equal(reading_trees(reading), "{a=[i'1' {b=i'2'}] c=[i'1' {b=i'2'}] d=i'3' e=i'3'}");
    const struct node *root = &reading->file.documents[0].root;
    assert_ptr_equal(node_get(root, "a")->items, node_get(root, "c")->items);
    assert_int_equal(node_get(root, "c")->line, 1);
}

static void aliases_that_name_nothing_are_refused(void **state) {
    CHECK({"a: *x\n", "", "1:4 syntax", FILE_BROKEN}, {"a: &x [*x]\n", "", "1:8 syntax", FILE_BROKEN},
          {"a: &x 1\n---\nb: *x\n", "{a=i'1'}", "3:4 syntax", FILE_BROKEN});
}

static void merge_keys_become_entries_where_they_stand(void **state) {
    CHECK({"a: &a {x: 1, w: 2}\nb:\n  x: 0\n  <<: *a\n  z: 3\n",
           "{a={x=i'1' w=i'2'} b={x=i'0' <x=i'1' <w=i'2' z=i'3'}}", "", FILE_READ},
          {"<<: {x: 1}\nw: 2\n", "{<x=i'1' w=i'2'}", "", FILE_READ},
          {"<<: [{x: 1}, {x: 2, w: 3}]\n", "{<x=i'2' <w=i'3' <x=i'1'}", "", FILE_READ},
          {"? !!merge '<<'\n: {x: 1}\n", "{<x=i'1'}", "", FILE_READ},
          {"'<<': {x: 1}\n", "{\"<<\"={x=i'1'}}", "", FILE_READ}, {"- <<\n", "[s'<<']", "", FILE_READ},
          {"a: &a {x: 1}\nb: &b {<<: *a}\nc: {<<: *b}\n", "{a={x=i'1'} b={<x=i'1'} c={<x=i'1'}}", "", FILE_READ},
          {"<<: 1\n", "", "1:5 syntax", FILE_BROKEN}, {"<<:\n", "", "1:4 syntax", FILE_BROKEN},
          {"<<: [1]\n", "", "1:7 syntax", FILE_BROKEN});
}

/* The dialect: a merge key after an explicit key overrides it; in a list of maps the first wins. */
static void the_last_entry_is_the_one_that_merging_means(void **state) {
    struct reading *reading = *state;
    reading_yaml(reading, "x: 0\n<<: [{x: 1}, {x: 2}]\n");
    assert_string_equal(node_string(node_get(&reading->file.documents[0].root, "x")) ? "string" : "other", "other");
    int64_t value = 0;
    assert_true(node_integer(node_get(&reading->file.documents[0].root, "x"), &value));
    assert_int_equal(value, 1);
}

static void byte_order_marks_are_noted(void **state) {
    struct reading *reading = *state;
    reading_text(reading, "t.yaml", (struct text){"\xEF\xBB\xBF---\r\na: 1\r\n", 14});
    assert_string_equal(reading_places(reading), "2:1 {2:1 a=2:4 i'1'}");
    assert_string_equal(reading_codes(reading), "1:1 encoding");
    assert_int_equal(reading->diagnostics.list[0].severity, SEVERITY_NOTE);
    assert_int_equal(reading->diagnostics.errors, 0);
    assert_int_equal(reading->file.state, FILE_READ);
    assert_int_equal(reading->file.bytes, 14);
}

static void utf16_is_read(void **state) {
    struct reading *reading = *state;
    static const char little[] = "\xFF\xFE\x61\0:\0 \0\xE9\0\n\0b\0:\0 \0\x3D\xD8\x00\xDE";
    static const char big[] = "\xFE\xFF\0\x61\0:\0 \0\xE9\0\n\0b\0:\0 \xD8\x3D\xDE\x00";
    const struct text texts[] = {{little, sizeof little - 1}, {big, sizeof big - 1}};
    for (size_t i = 0; i < 2; i++) {
        reading_text(reading, "t.yaml", texts[i]);
        assert_string_equal(reading_trees(reading), "{a=s'\xC3\xA9' b=s'\xF0\x9F\x98\x80'}");
        assert_string_equal(reading_codes(reading), "1:1 encoding");
        assert_int_equal(reading->diagnostics.errors, 0);
        reading_file(reading, "t.yaml", texts[i]);
        assert_string_equal(reading_trees(reading), "{a=s'\xC3\xA9' b=s'\xF0\x9F\x98\x80'}");
    }
    reading_text(reading, "t.yaml", (struct text){"\xFF\xFE\x61\0\n\0\x3D\xD8\x61\0", 10});
    assert_string_equal(reading_codes(reading), "1:1 encoding, 2:1 encoding");
    assert_int_equal(reading->file.state, FILE_BROKEN);
}

static void syntax_errors_have_places(void **state) {
    CHECK({"a:\n\t- b\n", "", "2:1 syntax", FILE_BROKEN}, {"a: [1,\n", "", "2:1 syntax", FILE_BROKEN},
          {"a: \"\\q\"\n", "", "1:5 syntax", FILE_BROKEN}, {"a: b: c\n", "", "1:5 syntax", FILE_BROKEN},
          {"a: [::/0]\n", "", "1:5 syntax", FILE_BROKEN}, {"a: @x\n", "", "1:4 syntax", FILE_BROKEN},
          {"a: 1\n---\n\xC3\xA9: [\xC3\xA9 }\n", "{a=i'1'}", "3:9 syntax", FILE_BROKEN});
}

static void bytes_that_are_no_text_are_refused(void **state) {
    CHECK({"a: b\n\xC3\xA9: \xFF\n", "", "2:5 encoding", FILE_BROKEN},
          {"a: \xED\xA0\x80", "", "1:4 encoding", FILE_BROKEN}, {"a: \xC0\x80", "", "1:4 encoding", FILE_BROKEN},
          {"a: \x01", "", "1:4 syntax", FILE_BROKEN});
}

static void columns_count_bytes(void **state) {
    struct reading *reading = *state;
    reading_yaml(reading, "\xC3\xA9: {\xE2\x82\xAC: '\xF0\x9F\x98\x80', b: 1}\nc: 2\n\xC3\xA9\xC3\xA9: [1, 2]\n");
    assert_string_equal(reading_places(reading),
                        "1:1 {1:1 \xC3\xA9=1:5 {1:6 \xE2\x82\xAC=1:11 S'\xF0\x9F\x98\x80' 1:19 b=1:22 i'1'} "
                        "2:1 c=2:4 i'2' 3:1 \xC3\xA9\xC3\xA9=3:7 [3:8 i'1' 3:11 i'2']}");
}

static void templates_are_skipped(void **state) {
    CHECK({"a: {{ .Values.x }}\n", "", "1:4 template", FILE_TEMPLATE},
          {"{{- if .Values.x }}\na: 1\n{{- end }}\n", "", "1:1 template", FILE_TEMPLATE},
          {"a: 1\n---\nb: x-{{ .y }}\n", "", "3:6 template", FILE_TEMPLATE},
          {"a:\n  {{- toYaml .Values.x | nindent 4 }}\n", "", "2:3 template", FILE_TEMPLATE},
          {"a:\n{{ include \"x\" . }}\n", "", "2:1 template", FILE_TEMPLATE},
          {"{{/* a: [\n b: } */}}\na: 1\n", "", "1:1 template", FILE_TEMPLATE},
          {"- {{ x }}\n", "", "1:3 template", FILE_TEMPLATE},
          {"{\"a\": {{ .x }} }", "", "1:7 template", FILE_TEMPLATE});
}

static void braces_in_quotes_blocks_and_comments_are_text(void **state) {
    CHECK({"a: '{{ x }}'\n", "{a=S'{{ x }}'}", "", FILE_READ},
          {"a: \"{{ x }}\" # {{ y }}\n", "{a=S'{{ x }}'}", "", FILE_READ},
          {"a: |\n  {{ x }}\n", "{a=S'{{ x }}\n'}", "", FILE_READ},
          {"a: { b: {c: 1}}\n", "{a={b={c=i'1'}}}", "", FILE_READ},
          {"# {{ x }}\na: {b: {}}\n", "{a={b={}}}", "", FILE_READ});
}

static void errors_show_their_line_where_asked(void **state) {
    struct reading *reading = *state;
    reading_yaml(reading, "a: 1\nb: @x\r\n");
    assert_null(reading->diagnostics.list[0].excerpt);
    reading->options.keep_excerpts = true;
    reading_yaml(reading, "a: 1\nb: @x\r\n");
    assert_string_equal(reading->diagnostics.list[0].excerpt, "b: @x");
    reading_yaml(reading, "spec:\n\t- x\n");
    assert_string_equal(reading->diagnostics.list[0].message, "a tab where only spaces may indent");
}

/* Long enough that blocks are dropped and characters stand across their ends; the text as a whole has no blocks. */
static void blocks_change_nothing(void **state) {
    struct reading *reading = *state;
    struct buffer text;
    buffer_init(&text, reading->arena);
    for (unsigned i = 0; text.length < 700000; i++) {
        const char *mark = i % 97 == 0 ? "---\n" : i % 101 == 0 ? "...\nlost \xE2\x82\xAC\n---\n" : "";
        buffer_print(&text, "%sk\xC3\xA9%u: [\xE2\x82\xAC%u, '\xF0\x9F\x98\x80', {a%u: b}] # \xC3\xA9\n", mark, i, i,
                     i);
    }
    buffer_add_string(&text, "last: [\n");
    reading_text(reading, "t.yaml", (struct text){text.bytes, text.length});
    const char *places = reading_places(reading), *codes = reading_codes(reading);
    assert_int_equal(reading->file.state, FILE_BROKEN);
    assert_true(reading->file.count > 100);
    reading_file(reading, "t.yaml", (struct text){text.bytes, text.length});
    assert_string_equal(reading_places(reading), places);
    assert_string_equal(reading_codes(reading), codes);
    reading_pipe(reading, "t.yaml", (struct text){text.bytes, text.length});
    assert_string_equal(reading_places(reading), places);
    assert_string_equal(reading_codes(reading), codes);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)
    const struct CMUnitTest tests[] = {
        TEST(streams_are_split_at_markers),
        TEST(empty_documents_are_skipped),
        TEST(content_after_the_end_is_reported_and_dropped),
        TEST(places_go_on_after_dropped_content),
        TEST(content_beside_a_marker_is_refused),
        TEST(directives_are_refused),
        TEST(plain_scalars_are_typed),
        TEST(typed_words_are_marked),
        TEST(quoted_and_tagged_scalars_are_strings),
        TEST(other_tags_are_refused),
        TEST(keys_are_stringified),
        TEST(keys_that_are_no_scalars_or_null_are_refused),
        TEST(duplicate_keys_stay_visible),
        TEST(aliases_share_the_nodes_of_their_anchor),
        TEST(aliases_that_name_nothing_are_refused),
        TEST(merge_keys_become_entries_where_they_stand),
        TEST(the_last_entry_is_the_one_that_merging_means),
        TEST(byte_order_marks_are_noted),
        TEST(utf16_is_read),
        TEST(syntax_errors_have_places),
        TEST(bytes_that_are_no_text_are_refused),
        TEST(columns_count_bytes),
        TEST(templates_are_skipped),
        TEST(braces_in_quotes_blocks_and_comments_are_text),
        TEST(errors_show_their_line_where_asked),
        TEST(blocks_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

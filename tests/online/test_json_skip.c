/* Passing over maps and lists: in blocks as byte by byte, however the text is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "online/json_skip.h"

enum { LONGEST = 300 };

struct passed {
    struct json_skip skip;
    size_t length; /* how much of it; LONGEST + 1: it is malformed */
};

static struct passed pass(const char *text, size_t length, size_t cut,
                          const char *(*skip_with)(struct json_skip *, const char *, size_t)) {
    struct passed passed = {.skip = {.depth = 1}};
    const char *at = skip_with(&passed.skip, text, cut);
    if (at && passed.skip.depth > 0) {
        assert_ptr_equal(at, text + cut);
        at = skip_with(&passed.skip, at, length - cut);
    }
    passed.length = at ? (size_t)(at - text) : LONGEST + 1;
    return passed;
}

static bool same(struct passed one, struct passed other) {
    if (one.length > LONGEST)
        return other.length > LONGEST;
    return one.length == other.length && one.skip.depth == other.skip.depth &&
           one.skip.in_string == other.skip.in_string && one.skip.escaped == other.skip.escaped;
}

static void expect(const char *text, size_t length) {
    struct passed passed = pass(text, strlen(text), 0, json_skip);
    assert_int_equal(passed.skip.depth, 0);
    assert_int_equal(passed.length, length);
    assert_true(same(passed, pass(text, strlen(text), 0, json_skip_plainly)));
}

/* Texts after an opening bracket; blanks make blocks full. */
#define BLANKS "                                                                "

static void the_end_is_the_bracket_that_closes_the_first(void **state) {
    (void)state;
    expect("}", 1);
    expect("]}" BLANKS, 1);
    expect("\"]\",[{}]]" BLANKS, 9);
    expect(BLANKS "[]]" BLANKS, 67);
    expect("\"a\\\"]\"]" BLANKS, 7);
    expect("\"a\\\\\"]" BLANKS, 6);
    expect("\"" BLANKS "\\\"]\\\\\"]" BLANKS, 72);
    expect("]\n\"\n" BLANKS, 1); /* what comes after it is not looked at */
}

static void what_is_malformed_is_told(void **state) {
    static const char *const texts[] = {"\"\n\"]" BLANKS, "\\]" BLANKS, "\"\\\n\"]" BLANKS, BLANKS "\"\t" BLANKS};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_skip skip = {.depth = 1}, plain = {.depth = 1};
        assert_null(json_skip(&skip, texts[i], strlen(texts[i])));
        assert_null(json_skip_plainly(&plain, texts[i], strlen(texts[i])));
    }
}

/* Marks that matter are frequent; `rare`, of 64: how often the last ones are taken, which may make it malformed. */
static size_t grow(unsigned *seed, char *text, unsigned rare) {
    static const char *const parts[] = {"{",     "[",    "{",    "}",     "]",        "\"a\"", "\"\\\\\"",
                                        "\"}\"", ":",    ",",    "word ", "\"\\\"\"", "\"{\"", "\xc3\xa9",
                                        "\"",    "\\\"", "\\\\", "\\",    "\n"};
    enum { PARTS = sizeof parts / sizeof *parts, SAFE = 14 };
    size_t length = 0;
    while (length < LONGEST - 8) {
        *seed = *seed * 1103515245u + 12345u;
        unsigned choice = (*seed >> 16) % PARTS;
        if (choice >= SAFE && (*seed >> 8) % 64 >= rare)
            continue;
        size_t part = strlen(parts[choice]);
        memcpy(text + length, parts[choice], part);
        length += part;
    }
    return length;
}

static void blocks_give_what_bytes_give(void **state) {
    unsigned seed = 20261130, ended = 0, malformed = 0, open = 0;
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        char text[LONGEST];
        size_t length = grow(&seed, text, i % 4 * 8);
        struct passed plain = pass(text, length, 0, json_skip_plainly);
        for (size_t cut = 0; cut <= length; cut += i % 16 == 0 ? 1 : 7)
            assert_true(same(plain, pass(text, length, cut, json_skip)));
        ended += plain.length <= LONGEST && plain.skip.depth == 0;
        malformed += plain.length > LONGEST;
        open += plain.length <= LONGEST && plain.skip.depth > 0;
    }
    assert_true(ended > 300 && malformed > 300 && open > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_the_bracket_that_closes_the_first),
        cmocka_unit_test(what_is_malformed_is_told),
        cmocka_unit_test(blocks_give_what_bytes_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The command line of egressc-snapshot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "online/access.h"
#include "online/options.h"
#include "online/prune.h"

struct parse {
    struct arena *arena;
    struct snapshot_options options;
    struct buffer problem;
    bool well;
};

static void parse_words(struct parse *parse, const char *const *words) {
    size_t count = 0;
    while (words[count])
        count++;
    parse->arena = arena_create();
    buffer_init(&parse->problem, parse->arena);
    parse->well = snapshot_options_parse(words, count, parse->arena, &parse->options, &parse->problem);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void values_stand_after_a_space_or_an_equals_sign(void **state) {
    struct parse parse;
    (void)state;
    parse_words(&parse, WORDS("--output=d", "--namespace", "a,b", "--namespace=b", "--namespace=c", "--keep",
                              "status,annotations", "--timeout=7", "--force", "--collections=pods"));
    assert_true(parse.well);
    assert_string_equal(parse.options.output, "d");
    assert_int_equal(parse.options.namespaces.count, 3);
    assert_int_equal(parse.options.keep, PRUNE_KEEP_STATUS | PRUNE_KEEP_ANNOTATIONS);
    assert_int_equal(parse.options.timeout_s, 7);
    assert_true(parse.options.force);
    arena_destroy(parse.arena);
}

static void bad_usage_is_said(void **state) {
    const struct {
        const char *const *words;
        const char *problem;
    } cases[] = {
        {WORDS("--force"), "--output DIR is missing"},
        {WORDS("--output"), "--output needs a value"},
        {WORDS("--output=a", "--output=b"), "--output is given twice"},
        {WORDS("--outputs=a"), "there is no option --outputs; did you mean --output?"},
        {WORDS("snap"), "there is no use for 'snap'"},
        {WORDS("--output=a", "--force=yes"), "--force takes no value"},
        {WORDS("--output=a", "--timeout=0"), "--timeout must be a number from 1 to 3600"},
        {WORDS("--output=a", "--page=1x"), "--page must be a number from 1 to 10000"},
        {WORDS("--output=a", "--namespace=A"), "'A' is no name of a namespace"},
        {WORDS("--output=a", "--collections=secrets"), "there is no collection 'secrets'"},
        {WORDS("--output=a", "--collections=pod"), "there is no collection 'pod'; did you mean 'pods'?"},
        {WORDS("--output=a", "--keep=secrets"), "--keep takes annotations, environment, managed-fields and status"},
        {WORDS("--output=a", "--namespace=a", "--all-namespaces"),
         "--namespace and --all-namespaces cannot both be meant"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parse parse;
        parse_words(&parse, cases[i].words);
        assert_false(parse.well);
        assert_string_equal(buffer_string(&parse.problem), cases[i].problem);
        arena_destroy(parse.arena);
    }
}

static void help_and_manual_have_every_option(void **state) {
    struct arena *arena = arena_create();
    struct buffer help;
    struct text manual;
    size_t count = 0;
    (void)state;
    buffer_init(&help, arena);
    snapshot_options_help(&help);
    assert_true(access_read_file(TEST_SOURCE_DIR "/docs/snapshot.md", arena, &manual));
    for (const char *at = buffer_string(&help); (at = strstr(at, "\n  --")); count++) {
        const char *name = at + 3;
        at = name;
        struct text word = {.bytes = name, .length = strcspn(name, " ")};
        if (text_is(word, "--help") || text_is(word, "--version"))
            continue;
        const char *option = arena_copy(arena, word.bytes, word.length);
        if (!strstr(manual.bytes, option))
            fail_msg("docs/snapshot.md does not tell of %s", option);
    }
    assert_int_equal(count, 17);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_stand_after_a_space_or_an_equals_sign),
        cmocka_unit_test(bad_usage_is_said),
        cmocka_unit_test(help_and_manual_have_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

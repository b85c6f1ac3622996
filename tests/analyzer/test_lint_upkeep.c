/* Fixes, ignores and baselines (spec/lint.md, "Keeping it livable"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/lint/baseline.h"
#include "analyzer/lint/source.h"
#include "base/arena.h"
#include "tests/analyzer/linting.h"

/* ---- fixes ---- */

/* The text with all fixes put in. */
static const char *mended(struct arena *arena, const char *text) {
    const struct linting_options options = {.fix = true};
    struct linting linting;
    struct buffer out;
    size_t at = 0;
    linting_text(&linting, text, &options);
    buffer_init(&out, arena);
    for (size_t i = 0; i < linting.result.fix_count; i++) {
        const struct lint_fix *fix = &linting.result.fixes[i];
        assert_true(fix->first >= at && fix->last >= fix->first && fix->last <= strlen(text));
        assert_int_equal(fix->size, strlen(text));
        buffer_add(&out, text + at, fix->first - at);
        buffer_add_string(&out, fix->text);
        at = fix->last;
    }
    buffer_add_string(&out, text + at);
    linting_end(&linting);
    return buffer_string(&out);
}

static void assert_mended(const char *(*object)(struct arena *, const char *), const char *before, const char *after) {
    struct arena *arena = arena_create();
    assert_string_equal(mended(arena, object(arena, before)), object(arena, after));
    arena_destroy(arena);
}

static void fixes_quote_what_must_be_text(void **state) {
    (void)state;
    assert_mended(linting_cilium,
                  "  endpointSelector: {matchLabels: {a: 7, b: yes, c: \"x\"}} # d: 7\n"
                  "  egress:\n  - toEntities: [world]\n    toPorts:\n    - ports:\n      - port: 443 # https\n",
                  "  endpointSelector: {matchLabels: {a: \"7\", b: \"yes\", c: \"x\"}} # d: 7\n"
                  "  egress:\n  - toEntities: [world]\n    toPorts:\n    - ports:\n      - port: \"443\" # https\n");
    assert_mended(linting_core, "  podSelector:\n    matchLabels:\n      y: v\n      on : v\n  policyTypes: [Egress]\n",
                  "  podSelector:\n    matchLabels:\n      \"y\": v\n      \"on\" : v\n  policyTypes: [Egress]\n");
}

static void fixes_leave_ports_that_may_mean_something_else(void **state) {
    static const char text[] =
        "  endpointSelector: {}\n  egress:\n  - toEntities: [world]\n    toPorts:\n    - ports:\n"
        "      - port: 0443\n      - port: 80.5\n";
    (void)state;
    assert_mended(linting_cilium, text, text);
}

/* In quotes, or masked, these would be refused just as well. */
static void fixes_leave_what_they_would_not_mend(void **state) {
    static const char core[] =
        "  podSelector:\n    matchExpressions:\n    - {key: a, operator: yes, values: [b]}\n    matchLabels: {a: -1}\n"
        "  policyTypes: [1, on]\n"
        "  egress:\n  - ports: [{port: 53, protocol: 17}]\n    to:\n    - ipBlock: {cidr: 10.0.0.0/8, except: "
        "[10.1.0.0/8]}\n"
        "    - ipBlock: {cidr: 1e3}\n";
    static const char cilium[] =
        "  endpointSelector: {}\n  egress:\n  - toEntities: [on]\n    toPorts:\n    - ports:\n"
        "      - {port: \"53\", protocol: 17}\n  - toCIDR: [1.5]\n  - toFQDNs: [{matchName: -1}]\n";
    (void)state;
    assert_mended(linting_core, core, core);
    assert_mended(linting_cilium, cilium, cilium);
}

static void fixes_take_quotes_from_port_numbers(void **state) {
    (void)state;
    assert_mended(linting_core,
                  "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - ports: [{port: '53'}, {port: \"web\"}]\n",
                  "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - ports: [{port: 53}, {port: \"web\"}]\n");
}

static void fixes_mask_host_bits_and_keep_the_quotes(void **state) {
    (void)state;
    assert_mended(linting_core,
                  "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n    - ipBlock:\n"
                  "        cidr: \"10.1.2.3/8\"\n        except: [10.1.2.3/16]\n    - ipBlock: {cidr: 'FD00::1/8'}\n",
                  "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n    - ipBlock:\n"
                  "        cidr: \"10.0.0.0/8\"\n        except: [10.1.0.0/16]\n    - ipBlock: {cidr: 'fd00::/8'}\n");
}

static void fixes_write_policy_types_above_the_comments_of_egress(void **state) {
    (void)state;
    assert_mended(
        linting_core, "  podSelector: {}\n  # what goes out\n  # and where\n  egress:\n  - {}\n",
        "  podSelector: {}\n  policyTypes: [Ingress, Egress]\n  # what goes out\n  # and where\n  egress:\n  - {}\n");
    assert_mended(linting_core, "  podSelector: {}\n  policyTypes: []\n  egress: [{}]\n",
                  "  podSelector: {}\n  policyTypes: []\n  egress: [{}]\n");
}

static void fixes_remove_lone_dashes_among_entries(void **state) {
    (void)state;
    assert_mended(
        linting_core,
        "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - ports:\n    - port: 80\n    -\n    - null\n"
        "  - \n",
        "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - ports:\n    - port: 80\n");
    assert_mended(linting_core, "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  -\n",
                  "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  -\n");
    assert_mended(linting_core, "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - {}\n  - # why\n",
                  "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - {}\n  - # why\n");
}

static void fixes_keep_marks_and_line_ends(void **state) {
    struct arena *arena = arena_create();
    (void)state;
    assert_string_equal(mended(arena, "\xEF\xBB\xBF"
                                      "apiVersion: networking.k8s.io/v1\r\nkind: NetworkPolicy\r\n"
                                      "metadata: {name: p, namespace: ns}\r\nspec:\r\n  podSelector: {}\r\n"
                                      "  egress:\r\n  - to: [{ipBlock: {cidr: 10.0.0.1/8}}]\r\n  -\r\n"),
                        "\xEF\xBB\xBF"
                        "apiVersion: networking.k8s.io/v1\r\nkind: NetworkPolicy\r\n"
                        "metadata: {name: p, namespace: ns}\r\nspec:\r\n  podSelector: {}\r\n"
                        "  policyTypes: [Ingress, Egress]\r\n  egress:\r\n  - to: [{ipBlock: {cidr: 10.0.0.0/8}}]\r\n");
    arena_destroy(arena);
}

static void fixes_leave_what_is_not_as_it_was_read(void **state) {
    static const char anchored[] = "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n"
                                   "    - ipBlock: {cidr: &a 10.0.0.1/8}\n    - ipBlock: {cidr: *a}\n";
    static const char escaped[] = "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n"
                                  "    - ipBlock: {cidr: \"10.0.0.1\\x2f8\"}\n";
    (void)state;
    assert_mended(linting_core, anchored, anchored);
    assert_mended(linting_core, escaped, escaped);
}

static void fixes_leave_ignored_findings(void **state) {
    static const char text[] = "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n"
                               "    # egressc:ignore invalid-cidr our servers are old\n"
                               "    - ipBlock: {cidr: 10.0.0.1/8}\n";
    (void)state;
    assert_mended(linting_core, text, text);
}

/* ---- ignores ---- */

#define EVERY "    - namespaceSelector: {}"
#define ENTRY "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n"

struct ignore_row {
    const char *spec;
    size_t findings, unused, without_reason;
};

static void comments_ignore_their_line_or_the_next(void **state) {
    static const struct ignore_row rows[] = {
        {ENTRY EVERY "\n", 1, 0, 0},
        {ENTRY EVERY " # egressc:ignore every-namespace why not\n", 0, 0, 0},
        {ENTRY "    # egressc:ignore every-namespace why not\n" EVERY "\n", 0, 0, 0},
        {ENTRY "    #egressc:ignore every-namespace why\n\n    # more\n" EVERY "\n", 0, 0, 0},
        {ENTRY "    # egressc:ignore one-family other\n    # egressc:ignore every-namespace why\n" EVERY "\n", 0, 1, 0},
        {ENTRY EVERY "\n    # egressc:ignore every-namespace too late\n", 1, 1, 0},
        {ENTRY EVERY " # egressc:ignore every-namespace\n", 1, 0, 1},
        {ENTRY EVERY " # egressc:ignore\n", 1, 0, 1},
        {ENTRY EVERY " # egressc:ignore every-namspace why\n", 1, 1, 0},
        {ENTRY EVERY " # egressc:ignored every-namespace why\n", 1, 0, 0},
        {ENTRY EVERY " # see egressc:ignore every-namespace why\n", 1, 0, 0},
        {ENTRY "    - podSelector: {matchLabels: {a: \"b#egressc:ignore every-namespace c\"}}\n" EVERY "\n", 1, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_create();
        struct linting linting;
        linting_text(&linting, linting_core(arena, rows[i].spec), NULL);
        if (linting_count(&linting, "every-namespace") != rows[i].findings ||
            linting_count(&linting, "unused-ignore") != rows[i].unused ||
            linting_count(&linting, "ignore-without-reason") != rows[i].without_reason)
            fail_msg("row %zu", i);
        linting_end(&linting);
        arena_destroy(arena);
    }
}

static void annotations_ignore_all_of_their_object(void **state) {
    static const char text[] = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: %s\n  "
                               "namespace: ns\n  annotations:\n"
                               "    egressc.io/ignore: \"%s\"\nspec:\n" ENTRY EVERY "\n" EVERY "\n---\n";
    struct arena *arena = arena_create();
    struct linting linting;
    (void)state;
    const char *one = arena_format(arena, text, "one", "every-namespace why; one-family nothing; deny-only");
    const char *two = arena_format(arena, text, "two", "; ");
    linting_text(&linting, arena_format(arena, "%s%s", one, two), NULL);
    assert_int_equal(linting_count(&linting, "every-namespace"), 2);
    assert_string_equal(linting_find(&linting, "every-namespace")->object.name, "two");
    assert_int_equal(linting_count(&linting, "unused-ignore"), 1);
    assert_int_equal(linting_count(&linting, "ignore-without-reason"), 1);
    assert_string_equal(linting_find(&linting, "unused-ignore")->path, "metadata.annotations[\"egressc.io/ignore\"]");
    linting_end(&linting);
    arena_destroy(arena);
}

static void what_is_ignored_is_kept_aside_with_its_reason(void **state) {
    static const char text[] =
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: p\n"
        "  namespace: ns\n  annotations: {egressc.io/ignore: every-namespace all of it}\nspec:\n" ENTRY
        "    # egressc:ignore every-namespace  this one too \n" EVERY "\n" EVERY "\n";
    const struct linting_options options = {.excerpts = true};
    struct linting linting;
    (void)state;
    linting_text(&linting, text, &options);
    const struct diagnostics *untold = &linting.result.untold;
    assert_int_equal(linting_count(&linting, "every-namespace"), 0);
    assert_int_equal(untold->count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(untold->list[i].code, CODE_EVERY_NAMESPACE);
        assert_int_equal(untold->list[i].location.line, 13 + i);
        assert_string_equal(untold->list[i].excerpt, EVERY);
    }
    /* Both speak of the first finding: the comment, which is read first, stays. */
    assert_string_equal(untold->list[0].ignore->message, "this one too");
    assert_int_equal(untold->list[0].ignore->location.line, 12);
    assert_string_equal(untold->list[1].ignore->message, "all of it");
    assert_int_equal(untold->list[1].ignore->location.line, 6);
    linting_end(&linting);
}

/* ---- baselines ---- */

static struct diagnostics some_findings(struct arena *arena, const char *const *names) {
    struct diagnostics findings;
    diagnostics_init(&findings, arena);
    for (uint32_t i = 0; names[i]; i++) {
        struct location location = {.file = "a.yaml", .line = i + 1, .column = 1};
        struct diagnostic *finding = diagnostics_add(&findings, CODE_NULL_ENTRY, location, "null");
        finding->object = (struct object_name){.kind = "NetworkPolicy", .namespace = "ns", .name = names[i]};
        finding->path = "spec.egress[0]";
    }
    return findings;
}

static struct baseline read_text(struct arena *arena, const char *text) {
    const struct limits limits = limits_default();
    struct baseline baseline;
    struct diagnostics problems;
    diagnostics_init(&problems, arena);
    assert_true(baseline_read("base.json", text_of(text), &limits, arena, &baseline, &problems));
    return baseline;
}

static const char *written(struct arena *arena, const struct baseline *baseline) {
    struct buffer out;
    buffer_init(&out, arena);
    baseline_write(&out, baseline);
    return buffer_string(&out);
}

#define LISTED(name)                                                                                                   \
    "{\"code\": \"null-entry\", \"kind\": \"NetworkPolicy\", \"namespace\": \"ns\", \"name\": \"" name                 \
    "\", \"path\": \"spec.egress[0]\"}"
#define BASELINE(entries) "{\n  \"schema\": \"egressc.baseline/1\",\n  \"findings\": [" entries "]\n}\n"

static void baselines_read_back_what_they_wrote(void **state) {
    struct arena *arena = arena_create();
    static const char text[] = BASELINE("\n    " LISTED("a") ",\n    " LISTED("b") "\n  ");
    (void)state;
    struct baseline baseline = read_text(arena, text);
    assert_int_equal(baseline.count, 2);
    assert_string_equal(written(arena, &baseline), text);
    baseline = read_text(arena, BASELINE(""));
    assert_string_equal(written(arena, &baseline), BASELINE(""));
    arena_destroy(arena);
}

static void known_findings_do_not_fail_and_gone_ones_are_named(void **state) {
    struct arena *arena = arena_create();
    struct diagnostics findings = some_findings(arena, (const char *const[]){"a", "a", "b", NULL});
    struct baseline baseline = read_text(arena, BASELINE(LISTED("a") ", " LISTED("c")));
    (void)state;
    baseline_apply(&baseline, false, &findings, NULL, NULL);
    assert_int_equal(findings.count, 4);
    assert_int_equal(findings.errors, 2); /* the second `a` and `b` */
    size_t gone = 0, known = 0;
    for (size_t i = 0; i < findings.count; i++) {
        gone += findings.list[i].code == CODE_BASELINE_GONE && strcmp(findings.list[i].object.name, "c") == 0;
        known += findings.list[i].code == CODE_NULL_ENTRY && findings.list[i].severity == SEVERITY_NOTE;
    }
    assert_int_equal(gone, 1);
    assert_int_equal(known, 1);
    arena_destroy(arena);
}

static void findings_get_their_state_also_where_they_are_ignored(void **state) {
    struct arena *arena = arena_create();
    struct diagnostics findings = some_findings(arena, (const char *const[]){"a", "b", NULL});
    struct diagnostics untold = some_findings(arena, (const char *const[]){"c", "d", NULL});
    struct baseline baseline = read_text(arena, BASELINE(LISTED("a") ", " LISTED("c") ", " LISTED("e")));
    static const enum baseline_state states[] = {BASELINE_UNCHANGED, BASELINE_NEW, BASELINE_ABSENT};
    (void)state;
    baseline_apply(&baseline, false, &findings, &untold, NULL);
    size_t gone = 0;
    for (size_t i = 0; i < findings.count; i++) {
        const struct diagnostic *finding = &findings.list[i];
        bool known = finding->code == CODE_NULL_ENTRY && strcmp(finding->object.name, "a") == 0;
        assert_int_equal(finding->baseline, known ? BASELINE_UNCHANGED : BASELINE_NEW);
        gone += finding->code == CODE_BASELINE_GONE;
    }
    assert_int_equal(gone, 2); /* `c`, which is ignored, needs its entry no more */
    assert_int_equal(untold.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(untold.list[i].baseline, states[i]);
    assert_int_equal(untold.list[2].code, CODE_NULL_ENTRY);
    assert_string_equal(untold.list[2].object.name, "e");
    assert_string_equal(untold.list[2].location.file, "base.json");
    arena_destroy(arena);
}

static void baselines_shrink_and_grow_only_if_told(void **state) {
    struct arena *arena = arena_create();
    const char *const names[] = {"b", "a", "d", NULL};
    struct diagnostics findings = some_findings(arena, names);
    struct baseline baseline = read_text(arena, BASELINE(LISTED("a") ", " LISTED("c"))), next;
    (void)state;
    baseline_apply(&baseline, false, &findings, NULL, &next);
    assert_string_equal(written(arena, &next), BASELINE("\n    " LISTED("a") "\n  "));
    findings = some_findings(arena, names);
    baseline_apply(&baseline, true, &findings, NULL, &next);
    assert_string_equal(written(arena, &next),
                        BASELINE("\n    " LISTED("a") ",\n    " LISTED("b") ",\n    " LISTED("d") "\n  "));
    arena_destroy(arena);
}

static void texts_that_are_no_baseline_are_refused(void **state) {
    static const char *const texts[] = {"",
                                        "[]",
                                        "{\"schema\": \"egressc.report/1\"}",
                                        BASELINE("{\"code\": \"nonsense\"}"),
                                        BASELINE("7"),
                                        "{",
                                        "{\"schema\": \"egressc.baseline/1\", \"findings\": 7}"};
    const struct limits limits = limits_default();
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena *arena = arena_create();
        struct diagnostics problems;
        struct baseline baseline;
        diagnostics_init(&problems, arena);
        assert_false(baseline_read("base.json", text_of(texts[i]), &limits, arena, &baseline, &problems));
        assert_true(problems.count > 0);
        arena_destroy(arena);
    }
}

/* ---- lines ---- */

struct seen {
    struct buffer out;
};

static bool note_line(void *context, uint32_t line, struct text text, bool whole) {
    struct buffer *out = &((struct seen *)context)->out;
    buffer_print(out, "%u", line);
    buffer_add_char(out, whole ? ':' : '~');
    buffer_add(out, text.bytes, text.length < 10 ? text.length : 10);
    buffer_add_char(out, '|');
    return true;
}

static const char *lines_of(struct arena *arena, const char *text) {
    struct linting linting;
    struct seen seen;
    linting_text(&linting, text, NULL); /* which writes it to a file */
    buffer_init(&seen.out, arena);
    assert_true(source_read_lines(linting.path, note_line, &seen));
    linting_end(&linting);
    return buffer_string(&seen.out);
}

static void lines_end_as_the_readers_have_them(void **state) {
    struct arena *arena = arena_create();
    (void)state;
    assert_string_equal(lines_of(arena, "a\nb\n\nc"), "1:a|2:b|3:|4:c|");
    assert_string_equal(lines_of(arena, "a\r\nb\rc\r\n"), "1:a|2:b|3:c|");
    assert_string_equal(lines_of(arena, "a\xC2\x85"
                                        "b\xE2\x80\xA8"
                                        "c\xE2\x80\xA9"
                                        "d\xC3\x85\n"),
                        "1:a|2:b|3:c|4:d\xC3\x85|");
    assert_string_equal(lines_of(arena, "\xEF\xBB\xBF"
                                        "a\nb"),
                        "1:a|2:b|");
    arena_destroy(arena);
}

static void long_lines_are_cut(void **state) {
    struct arena *arena = arena_create();
    struct buffer text;
    (void)state;
    buffer_init(&text, arena);
    for (int i = 0; i < 300000; i++)
        buffer_add_char(&text, 'x');
    buffer_add_string(&text, "\nb\n");
    assert_string_equal(lines_of(arena, buffer_string(&text)), "1~xxxxxxxxxx|2:b|");
    arena_destroy(arena);
}

static void findings_have_their_source_line(void **state) {
    const struct linting_options options = {.excerpts = true};
    struct arena *arena = arena_create();
    struct linting linting;
    (void)state;
    linting_text(&linting, linting_core(arena, ENTRY EVERY " # all\n"), &options);
    assert_string_equal(linting_find(&linting, "every-namespace")->excerpt, EVERY " # all");
    linting_end(&linting);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixes_quote_what_must_be_text),
        cmocka_unit_test(fixes_leave_what_they_would_not_mend),
        cmocka_unit_test(fixes_leave_ports_that_may_mean_something_else),
        cmocka_unit_test(fixes_take_quotes_from_port_numbers),
        cmocka_unit_test(fixes_mask_host_bits_and_keep_the_quotes),
        cmocka_unit_test(fixes_write_policy_types_above_the_comments_of_egress),
        cmocka_unit_test(fixes_remove_lone_dashes_among_entries),
        cmocka_unit_test(fixes_keep_marks_and_line_ends),
        cmocka_unit_test(fixes_leave_what_is_not_as_it_was_read),
        cmocka_unit_test(fixes_leave_ignored_findings),
        cmocka_unit_test(comments_ignore_their_line_or_the_next),
        cmocka_unit_test(annotations_ignore_all_of_their_object),
        cmocka_unit_test(what_is_ignored_is_kept_aside_with_its_reason),
        cmocka_unit_test(baselines_read_back_what_they_wrote),
        cmocka_unit_test(known_findings_do_not_fail_and_gone_ones_are_named),
        cmocka_unit_test(findings_get_their_state_also_where_they_are_ignored),
        cmocka_unit_test(baselines_shrink_and_grow_only_if_told),
        cmocka_unit_test(texts_that_are_no_baseline_are_refused),
        cmocka_unit_test(lines_end_as_the_readers_have_them),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(findings_have_their_source_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

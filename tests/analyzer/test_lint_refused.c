/* What is refused, by version (spec/lint.md, "Refused"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/analyzer/linting.h"

/* "" where there is no finding of that code. */
static const char *severity_of(const char *text, const char *code, const struct linting_options *options) {
    struct linting linting;
    linting_text(&linting, text, options);
    const struct diagnostic *finding = linting_find(&linting, code);
    const char *word = finding ? severity_word(finding->severity) : "";
    linting_end(&linting);
    return word;
}

static const char *block_policy(struct arena *arena, const char *direction, const char *peers, const char *cidr) {
    return linting_core(
        arena, arena_format(arena,
                            "  podSelector: {}\n  policyTypes: [Ingress, Egress]\n  %s:\n  - %s:\n    - ipBlock:\n"
                            "        cidr: %s\n",
                            direction, peers, cidr));
}

static void cidrs_are_refused_as_the_table_of_versions_says(void **state) {
    static const struct {
        const char *cidr, *old, *middle, *new;
    } rows[] = {
        {"10.0.0.0", "error", "error", "error"},
        {"10.0.0.0/33", "error", "error", "error"},
        {"010.0.0.0/8", "", "warning", "error"},
        {"10.0.0.0/08", "", "warning", "error"},
        {"\"::ffff:10.0.0.0/104\"", "", "warning", "error"},
        {"10.0.0.5/8", "", "warning", "error"},
        {"\"FD00:0::/8\"", "", "warning", "warning"},
        {"10.0.0.0/8", "", "", ""},
        {"\"fd00::/8\"", "", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_create();
        const struct linting_options old = {.kubernetes = "1.32"}, first = {.kubernetes = "1.33"},
                                     last = {.kubernetes = "1.35"}, new = {.kubernetes = "1.36"};
        const char *text = block_policy(arena, "egress", "to", rows[i].cidr);
        assert_string_equal(severity_of(text, "invalid-cidr", &old), rows[i].old);
        assert_string_equal(severity_of(text, "invalid-cidr", &first), rows[i].middle);
        assert_string_equal(severity_of(text, "invalid-cidr", &last), rows[i].middle);
        assert_string_equal(severity_of(text, "invalid-cidr", &new), rows[i].new);
        assert_string_equal(severity_of(text, "invalid-cidr", NULL), rows[i].new);
        assert_string_equal(severity_of(block_policy(arena, "ingress", "from", rows[i].cidr), "invalid-cidr", NULL),
                            rows[i].new);
        arena_destroy(arena);
    }
}

static void exceptions_are_proper_parts_of_their_block(void **state) {
    static const struct {
        const char *cidr, *except, *severity;
    } rows[] = {
        {"10.0.0.0/8", "10.1.0.0/16", ""},        {"10.0.0.0/8", "10.0.0.0/8", "error"},
        {"10.0.0.0/8", "10.0.0.0/7", "error"},    {"10.0.0.0/8", "11.0.0.0/16", "error"},
        {"10.0.0.0/8", "\"fd00::/16\"", "error"}, {"10.0.0.0/8", "10.1.0.0", "error"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_create();
        const char *text = arena_format(arena, "%s        except: [%s]\n",
                                        block_policy(arena, "egress", "to", rows[i].cidr), rows[i].except);
        assert_string_equal(severity_of(text, "invalid-cidr", NULL), rows[i].severity);
        arena_destroy(arena);
    }
}

/* A Rule that allows something, and what stands beside it. */
static const char *rule(struct arena *arena, const char *more) {
    return linting_cilium(arena, arena_format(arena, "  endpointSelector: {}\n%s", more));
}

static void ciliums_versions_refuse_what_theirs_do(void **state) {
    static const struct {
        const char *more, *code, *before, *cilium;
    } rows[] = {
        /* `before`: the last version that takes it; `cilium`: the first that does not. */
        {"  egress: []\n", "invalid-rule", "1.16", "1.17"},
        {"  egress:\n  - toEntities: [world]\n    toRequires:\n    - matchLabels: {a: b}\n", "invalid-peer", "1.18",
         "1.19"},
        {"  egress:\n  - toEntities: [world]\n    toPorts:\n    - ports:\n      - {port: \"443\", protocol: TCP}\n"
         "      serverNames: []\n",
         "invalid-l7", "1.17", "1.18"},
        {"  egress:\n  - toEntities: [world]\n    toPorts:\n    - ports:\n      - {port: \"53\", endPort: 60, "
         "protocol: UDP}\n"
         "      rules: {dns: [{matchPattern: \"*\"}]}\n",
         "invalid-l7", "1.16", "1.17"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_create();
        const struct linting_options before = {.cilium = rows[i].before}, from = {.cilium = rows[i].cilium};
        const char *text = rule(arena, rows[i].more);
        assert_string_equal(severity_of(text, rows[i].code, &before), "");
        assert_string_equal(severity_of(text, rows[i].code, &from), "error");
        assert_string_equal(severity_of(text, rows[i].code, NULL), "error");
        arena_destroy(arena);
    }
}

static void fields_that_a_version_lacks_are_unknown_there(void **state) {
    static const char *const more = "  enableDefaultDeny: {egress: false}\n  egress:\n  - toEntities: [world]\n";
    struct arena *arena = arena_create();
    const struct linting_options old = {.cilium = "1.15"}, new = {.cilium = "1.16"};
    (void)state;
    assert_string_equal(severity_of(rule(arena, more), "unknown-field", &old), "error");
    assert_string_equal(severity_of(rule(arena, more), "unknown-field", &new), "");
    arena_destroy(arena);
}

static void unknown_fields_say_what_dropping_them_widens(void **state) {
    struct linting linting;
    struct arena *arena = arena_create();
    (void)state;
    linting_text(&linting,
                 rule(arena, "  egress:\n  - toFQDN: [{matchName: a.example.com}]\n    toPorts:\n    - ports:\n"
                             "      - {port: \"443\", protocol: TCP}\n"),
                 NULL);
    const struct diagnostic *finding = linting_find(&linting, "unknown-field");
    assert_non_null(finding);
    assert_string_equal(finding->path, "spec.egress[0].toFQDN");
    assert_non_null(strstr(finding->message, "`toFQDNs`"));
    assert_non_null(strstr(finding->message, "reaches everything"));
    linting_end(&linting);
    arena_destroy(arena);
}

/* A patch of kustomize is refused like anything else with a key that no object has; what to do is another thing. */
static void directives_of_patches_are_told_as_such(void **state) {
    struct linting linting;
    (void)state;
    linting_text(&linting,
                 "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: ns}\n"
                 "$patch: delete\n",
                 NULL);
    const struct diagnostic *finding = linting_find(&linting, "unknown-field");
    assert_non_null(finding);
    assert_non_null(strstr(finding->message, "a patch is no object"));
    linting_end(&linting);
}

static void names_need_more_than_a_beginning(void **state) {
    struct linting linting;
    (void)state;
    linting_text(&linting,
                 "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {generateName: p-, namespace: ns}\n"
                 "spec: {podSelector: {}, policyTypes: [Egress]}\n",
                 NULL);
    assert_int_equal(linting_count(&linting, "invalid-name"), 1);
    linting_end(&linting);
}

static void annotations_are_checked_too(void **state) {
    struct arena *arena = arena_create();
    (void)state;
    const char *text = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: p\n  namespace: ns\n"
                       "  annotations: {%s}\nspec: {podSelector: {}, policyTypes: [Egress]}\n";
    assert_string_equal(severity_of(arena_format(arena, text, "a.b/c: 7"), "wrong-type", NULL), "error");
    assert_string_equal(severity_of(arena_format(arena, text, "a/b/c: x"), "invalid-label", NULL), "error");
    assert_string_equal(severity_of(arena_format(arena, text, "a.b/c: x"), "invalid-label", NULL), "");
    arena_destroy(arena);
}

static void a_wrong_type_does_not_hide_what_stands_elsewhere(void **state) {
    struct linting linting;
    struct arena *arena = arena_create();
    (void)state;
    linting_text(&linting,
                 rule(arena,
                      "  egress:\n  - toPorts:\n    - ports:\n      - {port: 443, protocol: TCP}\n"
                      "  - toEndpoints: {}\n    toPorts:\n    - ports:\n      - {port: \"443\", protocol: TCP}\n"),
                 NULL);
    assert_int_equal(linting_count(&linting, "wrong-type"), 2);
    assert_int_equal(linting_count(&linting, "empty-peer-opens-all"), 1);
    assert_string_equal(linting_find(&linting, "empty-peer-opens-all")->path, "spec.egress[0]");
    linting_end(&linting);
    arena_destroy(arena);
}

/* Policies that isolate alike are one to the analysis; each is still refused for itself, and told at its own place. */
static void every_copy_is_refused(void **state) {
    struct linting linting;
    (void)state;
    linting_text(&linting,
                 "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
                 "metadata: {name: p, namespace: ns, annotations: {a/b/c: x}}\n"
                 "spec: {podSelector: {}, policyTypes: [Egress], egres: []}\n---\n"
                 "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
                 "metadata: {name: p, namespace: ns, creator: x}\n"
                 "spec: {podSelector: {}, policyTypes: [Egress], egres: []}\n",
                 NULL);
    assert_int_equal(linting_count(&linting, "unknown-field"), 3);
    assert_int_equal(linting_count(&linting, "invalid-label"), 1);
    assert_int_equal(linting_count(&linting, "duplicate-object"), 0);
    assert_int_equal(linting.result.policy_count, 1);
    linting_end(&linting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cidrs_are_refused_as_the_table_of_versions_says),
        cmocka_unit_test(exceptions_are_proper_parts_of_their_block),
        cmocka_unit_test(ciliums_versions_refuse_what_theirs_do),
        cmocka_unit_test(fields_that_a_version_lacks_are_unknown_there),
        cmocka_unit_test(unknown_fields_say_what_dropping_them_widens),
        cmocka_unit_test(directives_of_patches_are_told_as_such),
        cmocka_unit_test(names_need_more_than_a_beginning),
        cmocka_unit_test(annotations_are_checked_too),
        cmocka_unit_test(a_wrong_type_does_not_hide_what_stands_elsewhere),
        cmocka_unit_test(every_copy_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

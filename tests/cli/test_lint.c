/* `egressc lint` on files that it may write: fixes and baselines, from arguments to bytes and exit statuses. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/run.h"
#include "files.h"

/* A folder of its own for each test, and what the last run printed. */
struct place {
    char folder[64], policy[96], baseline[96], out[96], err[96];
    char printed[1 << 14], complained[1 << 14];
};

static int begin(void **state) {
    struct place *place = calloc(1, sizeof *place);
    strcpy(place->folder, "/tmp/egressc-lint-XXXXXX");
    if (!mkdtemp(place->folder))
        return -1;
    snprintf(place->policy, sizeof place->policy, "%s/policy.yaml", place->folder);
    snprintf(place->baseline, sizeof place->baseline, "%s/baseline.json", place->folder);
    snprintf(place->out, sizeof place->out, "%s/stdout", place->folder);
    snprintf(place->err, sizeof place->err, "%s/stderr", place->folder);
    *state = place;
    return 0;
}

static int end(void **state) {
    struct place *place = *state;
    unlink(place->policy);
    unlink(place->baseline);
    unlink(place->out);
    unlink(place->err);
    int left = rmdir(place->folder);
    free(place);
    return left;
}

static void assert_file(const char *path, const char *expected) {
    char text[1 << 14];
    read_file(path, text, sizeof text);
    assert_string_equal(text, expected);
}

/* Runs `lint POLICY` and the further arguments, which end with NULL. */
static enum exit_status run(struct place *place, ...) {
    const char *arguments[16] = {"lint", place->policy};
    size_t count = 2;
    va_list more;
    va_start(more, place);
    for (const char *argument = va_arg(more, const char *); argument; argument = va_arg(more, const char *))
        arguments[count++] = argument;
    va_end(more);
    struct run_sinks sinks = {.out = open(place->out, O_RDWR | O_CREAT | O_TRUNC, 0600),
                              .err = open(place->err, O_RDWR | O_CREAT | O_TRUNC, 0600)};
    enum exit_status status = run_arguments(arguments, count, &sinks);
    close(sinks.out);
    close(sinks.err);
    read_file(place->out, place->printed, sizeof place->printed);
    read_file(place->err, place->complained, sizeof place->complained);
    return status;
}

#define HEAD                                                                                                           \
    "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: ns}\nspec:\n"               \
    "  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n"
#define BLOCK(cidr) "    - ipBlock: {cidr: " cidr "}\n"
#define EVERY "    - namespaceSelector: {}\n"

static void fixes_are_written_and_what_is_left_is_told(void **state) {
    struct place *place = *state;
    write_file(place->policy, HEAD BLOCK("192.0.2.5/24") BLOCK("192.0.2.0") " # mine\n");
    assert_int_equal(run(place, "--fix", NULL), EXIT_REFUSED);
    assert_file(place->policy, HEAD BLOCK("192.0.2.0/24") BLOCK("192.0.2.0") " # mine\n");
    assert_null(strstr(place->printed, "192.0.2.5"));
    assert_non_null(strstr(place->printed, "`192.0.2.0`"));
    assert_non_null(strstr(place->complained, "1 mended"));
}

static void fixes_of_a_clean_file_touch_nothing(void **state) {
    struct place *place = *state;
    write_file(place->policy, HEAD BLOCK("192.0.2.0/24"));
    assert_int_equal(chmod(place->policy, 0400), 0);
    assert_int_equal(run(place, "--fix", NULL), EXIT_WELL);
    assert_string_equal(place->complained, "");
    assert_file(place->policy, HEAD BLOCK("192.0.2.0/24"));
}

static void diffs_change_nothing(void **state) {
    struct place *place = *state;
    write_file(place->policy, HEAD BLOCK("192.0.2.5/24"));
    assert_int_equal(run(place, "--diff", NULL), EXIT_REFUSED);
    assert_non_null(
        strstr(place->printed, "-    - ipBlock: {cidr: 192.0.2.5/24}\n+    - ipBlock: {cidr: 192.0.2.0/24}\n"));
    assert_null(strstr(place->printed, "error"));
    assert_file(place->policy, HEAD BLOCK("192.0.2.5/24"));
}

static void baselines_begin_grow_and_shrink(void **state) {
    static const char empty[] = "{\n  \"schema\": \"egressc.baseline/1\",\n  \"findings\": []\n}\n";
    struct place *place = *state;
    write_file(place->policy, HEAD BLOCK("192.0.2.0"));
    assert_int_equal(run(place, "--baseline", place->baseline, "--update-baseline", NULL), EXIT_TROUBLE);
    assert_int_equal(run(place, "--baseline", place->baseline, "--update-baseline", "--allow-growth", NULL), EXIT_WELL);
    assert_int_equal(run(place, "--baseline", place->baseline, NULL), EXIT_WELL);
    assert_non_null(strstr(place->printed, "known"));
    write_file(place->policy, HEAD BLOCK("192.0.2.0") BLOCK("192.0.3.0"));
    assert_int_equal(run(place, "--baseline", place->baseline, "--update-baseline", NULL), EXIT_REFUSED);
    write_file(place->policy, HEAD BLOCK("192.0.2.0/24"));
    assert_int_equal(run(place, "--baseline", place->baseline, NULL), EXIT_WELL);
    assert_non_null(strstr(place->printed, "baseline-gone"));
    assert_int_equal(run(place, "--baseline", place->baseline, "--update-baseline", NULL), EXIT_WELL);
    assert_file(place->baseline, empty);
}

/* --all shows what is ignored where SARIF has a place for it. It changes no other format, and no exit status. */
static void ignored_findings_change_nothing_but_sarif(void **state) {
    struct place *place = *state;
    static const char *const formats[] = {"text", "json", "junit", "github", "markdown", "sarif"};
    write_file(place->policy, HEAD "    - namespaceSelector: {} # egressc:ignore every-namespace all of them\n");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        assert_int_equal(run(place, "--strict", "--report", formats[i], NULL), EXIT_WELL);
        assert_null(strstr(place->printed, "every-namespace"));
        char *before = strdup(place->printed);
        assert_int_equal(run(place, "--strict", "--all", "--report", formats[i], NULL), EXIT_WELL);
        if (strcmp(formats[i], "sarif") == 0)
            assert_non_null(strstr(place->printed, "\"justification\": \"all of them\""));
        else
            assert_string_equal(place->printed, before);
        free(before);
    }
}

static void warnings_fail_only_if_strict(void **state) {
    struct place *place = *state;
    write_file(place->policy, HEAD EVERY);
    assert_int_equal(run(place, NULL), EXIT_WELL);
    assert_non_null(strstr(place->printed, "every-namespace"));
    assert_int_equal(run(place, "--strict", NULL), EXIT_REFUSED);
}

static void facts_of_a_config_decide_which_server_refuses(void **state) {
    struct place *place = *state;
    write_file(place->policy, HEAD BLOCK("192.0.2.5/24"));
    write_file(place->baseline, "namespace: a\nsandboxTemplateName: t\negress: {policy: {kind: deny-all}}\n"
                                "cluster: {kubernetes: {version: \"1.32\"}}\n");
    assert_int_equal(run(place, NULL), EXIT_REFUSED);
    assert_int_equal(run(place, "--config", place->baseline, NULL), EXIT_WELL);
    assert_int_equal(run(place, "--config", place->baseline, "--kubernetes-version", "1.36", NULL), EXIT_REFUSED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fixes_are_written_and_what_is_left_is_told, begin, end),
        cmocka_unit_test_setup_teardown(fixes_of_a_clean_file_touch_nothing, begin, end),
        cmocka_unit_test_setup_teardown(diffs_change_nothing, begin, end),
        cmocka_unit_test_setup_teardown(baselines_begin_grow_and_shrink, begin, end),
        cmocka_unit_test_setup_teardown(ignored_findings_change_nothing_but_sarif, begin, end),
        cmocka_unit_test_setup_teardown(warnings_fail_only_if_strict, begin, end),
        cmocka_unit_test_setup_teardown(facts_of_a_config_decide_which_server_refuses, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* `egressc verify` and `egressc explain` from arguments to exit statuses; what they decide is tested elsewhere. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/run.h"
#include "files.h"

enum { FILES = 5 };

/* A folder of its own for each test with a few inputs, and what the last run printed. */
struct place {
    char folder[64];
    char config[96], compiled[96], wider[96], broken[96], printing[96];
    char printed[1 << 14], complained[1 << 14];
};

#define POLICY(name, egress)                                                                                           \
    "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " name ", namespace: agents}\n"           \
    "spec:\n  podSelector: {matchLabels: {sandbox.namzu.ai/template: shell}}\n  policyTypes: [Egress]\n"               \
    "  egress: " egress "\n"

static void name_file(const struct place *place, char path[static 96], const char *name, const char *text) {
    snprintf(path, 96, "%s/%s", place->folder, name);
    write_file(path, text);
}

static int begin(void **state) {
    struct place *place = calloc(1, sizeof *place);
    strcpy(place->folder, "/tmp/egressc-verify-XXXXXX");
    if (!mkdtemp(place->folder)) {
        return -1;
    }
    name_file(place, place->config, "egress.yaml",
              "namespace: agents\nsandboxTemplateName: shell\ningress: unverified\n"
              "egress: {policy: {kind: no-network}}\n");
    name_file(place, place->compiled, "compiled.yaml", POLICY("shell-egress", "[]"));
    name_file(place, place->wider, "wider.yaml", POLICY("wider", "[{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]"));
    name_file(place, place->broken, "broken.yaml", "a: [\n");
    name_file(place, place->printing, "printing", "");
    *state = place;
    return 0;
}

static int end(void **state) {
    struct place *place = *state;
    const char *const files[FILES] = {place->config, place->compiled, place->wider, place->broken, place->printing};
    for (size_t i = 0; i < FILES; i++) {
        unlink(files[i]);
    }
    int left = rmdir(place->folder);
    free(place);
    return left;
}

/* All of the file, from its start; the descriptor is closed. */
static void take_printed(int descriptor, char *text, size_t size) {
    assert_int_equal(lseek(descriptor, 0, SEEK_SET), 0);
    ssize_t length = read(descriptor, text, size - 1);
    assert_true(length >= 0);
    text[length] = '\0';
    close(descriptor);
}

/* Arguments end with NULL. */
static enum exit_status run(struct place *place, const char *const *arguments) {
    int complaints[2];
    assert_int_equal(pipe(complaints), 0);
    struct run_sinks sinks = {.out = open(place->printing, O_RDWR | O_TRUNC), .err = complaints[1]};
    size_t count = 0;
    while (arguments[count]) {
        count++;
    }
    enum exit_status status = run_arguments(arguments, count, &sinks);
    take_printed(sinks.out, place->printed, sizeof place->printed);
    close(complaints[1]);
    ssize_t length = read(complaints[0], place->complained, sizeof place->complained - 1);
    place->complained[length > 0 ? length : 0] = '\0';
    close(complaints[0]);
    return status;
}

#define ARGUMENTS(...)                                                                                                 \
    (const char *const[]) { __VA_ARGS__, NULL }
#define VERIFY(...) ARGUMENTS("verify", "--config", place->config, __VA_ARGS__)
#define EXPLAIN(...) ARGUMENTS("explain", "--to=ip:10.0.0.1", "--port=443/TCP", __VA_ARGS__)
#define SHELL "--labels=sandbox.namzu.ai/template=shell", "--namespace=agents"

static void verify_returns_0_for_a_pass(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, VERIFY(place->compiled)), 0);
    const char *last = strstr(place->printed, "egress.yaml:1: pass (1 subject)\n");
    assert_non_null(last);
    assert_string_equal(strchr(last, '\n'), "\n");
    assert_string_equal(place->complained, "");
    assert_int_equal(run(place, VERIFY("--quiet", place->compiled)), 0);
    assert_string_equal(place->printed, "");
}

static void verify_returns_1_for_a_refusal(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, VERIFY(place->compiled, place->wider)), 1);
    assert_non_null(strstr(place->printed, "[policy-widens-egress]\n"));
    assert_non_null(strstr(place->printed, "egress.yaml:1: refuse (1 subject, 1 refused)\n"));
    assert_int_equal(run(place, VERIFY("--report=json", place->compiled, place->wider)), 1);
    static const char beginning[] = "{\n  \"schema\": \"egressc.report/1\",\n  \"decision\": \"refuse\",\n";
    assert_int_equal(strncmp(place->printed, beginning, strlen(beginning)), 0);
}

static void verify_wants_ingress_covered_unless_told_otherwise(void **state) {
    struct place *place = *state;
    write_file(place->config, "namespace: agents\nsandboxTemplateName: shell\negress: {policy: {kind: no-network}}\n");
    assert_int_equal(run(place, VERIFY(place->compiled)), 1);
    assert_non_null(strstr(place->printed, "[no-covering-policy]\n"));
    assert_int_equal(run(place, VERIFY("--verify-only=named-object,union", place->compiled)), 0);
    assert_null(strstr(place->printed, "ingress"));
    assert_int_equal(run(place, VERIFY("--verify-only=ingress", place->compiled)), 1);
    assert_null(strstr(place->printed, "named object"));
    write_file(place->wider, "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
                             "metadata: {name: closed, namespace: agents}\nspec: {podSelector: {}}\n");
    assert_int_equal(run(place, VERIFY(place->compiled, place->wider)), 0);
    assert_non_null(strstr(place->printed, "ingress pass"));
}

static void verify_returns_1_for_broken_inputs_and_configs(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, VERIFY(place->compiled, place->broken)), 1);
    assert_non_null(strstr(place->printed, "[syntax]\n"));
    assert_int_equal(run(place, ARGUMENTS("verify", "--config", place->broken, place->compiled)), 1);
    assert_non_null(strstr(place->printed, "[syntax]\n"));
    write_file(place->config, "namespace: agents\n");
    assert_int_equal(run(place, VERIFY(place->compiled)), 1);
    assert_non_null(strstr(place->printed, "egress.yaml:1: refuse (config-unusable)\n"));
}

static void verify_returns_1_for_warnings_only_when_strict(void **state) {
    struct place *place = *state;
    write_file(place->config, "namespace: agents\nsandboxTemplateName: shell\ningress: unverified\n"
                              "egress: {policy: {kind: public-internet, exceptCidrs: [8.8.8.8/8]}}\n");
    assert_int_equal(run(place, ARGUMENTS("compile", "--config", place->config)), 0);
    write_file(place->compiled, place->printed);
    assert_int_equal(run(place, VERIFY(place->compiled)), 0);
    assert_non_null(strstr(place->printed, "[cidr-host-bits]\n"));
    assert_int_equal(run(place, VERIFY("--strict", place->compiled)), 1);
}

static void verify_returns_2_where_it_cannot_do_its_work(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, VERIFY("/nonexistent/inputs")), 2);
    assert_non_null(strstr(place->complained, "[unreadable]\n"));
    assert_string_equal(place->printed, "");
    assert_int_equal(run(place, ARGUMENTS("verify", "--config=/nonexistent/egress.yaml", place->compiled)), 2);
    assert_non_null(strstr(place->complained, "[unreadable]\n"));
    assert_int_equal(run(place, ARGUMENTS("verify", place->compiled)), 2);
    assert_string_equal(place->complained,
                        "egressc verify: it needs a config: --config FILE. See 'egressc help verify'.\n");
    assert_int_equal(run(place, ARGUMENTS("verify", "--config", place->config)), 2);
    assert_int_equal(run(place, VERIFY("--pod=elsewhere/x", place->compiled)), 2);
    assert_int_equal(run(place, VERIFY("--require=podz", place->compiled)), 2);
    assert_string_equal(place->complained,
                        "egressc verify: option '--require' does not know 'podz'; did you mean 'pods'? "
                        "See 'egressc help verify'.\n");
}

static void explain_returns_0_where_nothing_is_expected(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, EXPLAIN(SHELL, place->compiled)), 0);
    assert_non_null(strstr(place->printed, ": not allowed\n"));
    assert_int_equal(run(place, EXPLAIN(SHELL, place->wider)), 0);
    assert_non_null(strstr(place->printed, ": allowed\n"));
}

static void explain_returns_1_where_another_answer_was_expected(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, EXPLAIN(SHELL, "--expect=allow", place->compiled)), 1);
    assert_int_equal(run(place, EXPLAIN(SHELL, "--expect=deny", place->compiled)), 0);
    assert_int_equal(run(place, EXPLAIN(SHELL, "--expect=allow", place->wider)), 0);
    assert_int_equal(run(place, EXPLAIN(SHELL, "--expect=deny", place->wider)), 1);
}

static void explain_returns_1_for_broken_inputs_and_configs(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, EXPLAIN(SHELL, place->compiled, place->broken)), 1);
    write_file(place->config, "namespace: agents\n");
    assert_int_equal(run(place, EXPLAIN(SHELL, "--config", place->config, place->compiled)), 1);
    assert_non_null(strstr(place->complained, "[config-unusable]\n"));
    assert_string_equal(place->printed, "");
}

static void explain_returns_2_where_the_question_is_bad(void **state) {
    struct place *place = *state;
    static const char *const one_pod =
        "egressc explain: it needs one pod: --pod NS/NAME or --labels KEY=VALUE,... See 'egressc help explain'.\n";
    assert_int_equal(run(place, EXPLAIN(place->compiled)), 2);
    assert_string_equal(place->complained, one_pod);
    assert_int_equal(run(place, EXPLAIN(SHELL, "--pod=agents/a", place->compiled)), 2);
    assert_string_equal(place->complained, one_pod);
    assert_int_equal(run(place, ARGUMENTS("explain", SHELL, place->compiled)), 2);
    assert_string_equal(place->complained,
                        "egressc explain: it needs a destination: --to DEST. See 'egressc help explain'.\n");
    assert_int_equal(run(place, ARGUMENTS("explain", SHELL, "--to=nowhere", place->compiled)), 2);
    assert_int_equal(run(place, EXPLAIN(SHELL, "/nonexistent/inputs")), 2);
    assert_non_null(strstr(place->complained, "[unreadable]\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verify_returns_0_for_a_pass, begin, end),
        cmocka_unit_test_setup_teardown(verify_returns_1_for_a_refusal, begin, end),
        cmocka_unit_test_setup_teardown(verify_wants_ingress_covered_unless_told_otherwise, begin, end),
        cmocka_unit_test_setup_teardown(verify_returns_1_for_broken_inputs_and_configs, begin, end),
        cmocka_unit_test_setup_teardown(verify_returns_1_for_warnings_only_when_strict, begin, end),
        cmocka_unit_test_setup_teardown(verify_returns_2_where_it_cannot_do_its_work, begin, end),
        cmocka_unit_test_setup_teardown(explain_returns_0_where_nothing_is_expected, begin, end),
        cmocka_unit_test_setup_teardown(explain_returns_1_where_another_answer_was_expected, begin, end),
        cmocka_unit_test_setup_teardown(explain_returns_1_for_broken_inputs_and_configs, begin, end),
        cmocka_unit_test_setup_teardown(explain_returns_2_where_the_question_is_bad, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

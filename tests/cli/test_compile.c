/* `egressc compile` from arguments to bytes, files and exit statuses. */
#include <dirent.h>
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

#define T "namespace: agents\nsandboxTemplateName: shell\n"
#define DENY_FILE "networkpolicy_agents_shell-egress.yaml"

/* A folder of its own for each test, and what the last run printed. */
struct place {
    char folder[64], config[96], directory[96];
    char printed[1 << 14], complained[1 << 14];
};

static const char *in(const char *folder, const char *name, char path[static 256]) {
    snprintf(path, 256, "%s/%.150s", folder, name);
    return path;
}

static int begin(void **state) {
    struct place *place = calloc(1, sizeof *place);
    strcpy(place->folder, "/tmp/egressc-compile-XXXXXX");
    if (!mkdtemp(place->folder)) {
        return -1;
    }
    snprintf(place->config, sizeof place->config, "%s/egress.yaml", place->folder);
    snprintf(place->directory, sizeof place->directory, "%s/out", place->folder);
    *state = place;
    return 0;
}

/* Takes away a folder of plain files. */
static void remove_folder(const char *folder) {
    DIR *entries = opendir(folder);
    for (const struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries)) {
        char path[256];
        unlink(in(folder, entry->d_name, path));
    }
    if (entries) {
        closedir(entries);
    }
    rmdir(folder);
}

static int end(void **state) {
    struct place *place = *state;
    remove_folder(place->directory);
    remove_folder(place->folder);
    int left = access(place->folder, F_OK) == 0;
    free(place);
    return left;
}

/* Runs `compile --config CONFIG` and the further arguments, which end with NULL. */
static enum exit_status run(struct place *place, ...) {
    const char *arguments[16] = {"compile", "--config", place->config};
    size_t count = 3;
    va_list more;
    va_start(more, place);
    for (const char *argument = va_arg(more, const char *); argument; argument = va_arg(more, const char *)) {
        arguments[count++] = argument;
    }
    va_end(more);
    char out[256], err[256];
    in(place->folder, "stdout", out);
    in(place->folder, "stderr", err);
    struct run_sinks sinks = {.out = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600),
                              .err = open(err, O_RDWR | O_CREAT | O_TRUNC, 0600)};
    enum exit_status status = run_arguments(arguments, count, &sinks);
    close(sinks.out);
    close(sinks.err);
    read_file(out, place->printed, sizeof place->printed);
    read_file(err, place->complained, sizeof place->complained);
    return status;
}

static const char deny_all[] = T "egress: {policy: {kind: deny-all}}\n";
static const char two[] =
    T "egress: {policy: {kind: no-network}, profile: a}\n---\n" T "egress: {policy: {kind: allow-all}, profile: b}\n";
static const char refused[] = T "egress: {policy: {kind: static, allowedHosts: []}}\n";
static const char warned[] = T "egress: {policy: {kind: public-internet, exceptCidrs: [10.0.0.1/8]}}\n";

static void yaml_objects_are_separated_and_json_ones_follow(void **state) {
    struct place *place = *state;
    write_file(place->config, two);
    assert_int_equal(run(place, NULL), EXIT_WELL);
    assert_int_equal(strncmp(place->printed, "apiVersion: ", 12), 0);
    const char *separator = strstr(place->printed, "\n---\napiVersion: ");
    assert_non_null(separator);
    assert_null(strstr(separator + 4, "\n---\n"));
    assert_string_equal(place->complained, "");
    assert_int_equal(run(place, "--format", "json", NULL), EXIT_WELL);
    assert_int_equal(strncmp(place->printed, "{\n", 2), 0);
    assert_non_null(strstr(place->printed, "\n}\n{\n"));
}

static void a_refused_config_prints_nothing_on_standard_output(void **state) {
    struct place *place = *state;
    write_file(place->config, refused);
    assert_int_equal(run(place, NULL), EXIT_REFUSED);
    assert_string_equal(place->printed, "");
    assert_non_null(strstr(place->complained, "egress.yaml:3:25: error: "));
    assert_non_null(strstr(place->complained, "[policy-unenforceable]"));
}

static void one_refused_document_holds_back_the_others(void **state) {
    struct place *place = *state;
    char text[512];
    snprintf(text, sizeof text, "%s---\n%s", deny_all, refused);
    write_file(place->config, text);
    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_REFUSED);
    assert_int_not_equal(access(place->directory, F_OK), 0);
}

static void a_json_report_of_a_refused_config_goes_to_standard_output(void **state) {
    struct place *place = *state;
    write_file(place->config, refused);
    assert_int_equal(run(place, "--report", "json", NULL), EXIT_REFUSED);
    assert_non_null(strstr(place->printed, "\"schema\": \"egressc.report/1\""));
    assert_non_null(strstr(place->printed, "\"code\": \"policy-unenforceable\""));
    assert_string_equal(place->complained, "");
}

static void warnings_change_the_exit_status_only_with_strict(void **state) {
    struct place *place = *state;
    write_file(place->config, warned);
    assert_int_equal(run(place, NULL), EXIT_WELL);
    assert_non_null(strstr(place->complained, "warning"));
    assert_int_equal(run(place, "--quiet", NULL), EXIT_WELL);
    assert_string_equal(place->complained, "");
    assert_int_equal(run(place, "--strict", NULL), EXIT_REFUSED);
    assert_int_equal(run(place, "--kubernetes-version", "1.36", NULL), EXIT_REFUSED);
    assert_string_equal(place->printed, "");
}

static void what_cannot_be_read_ends_with_two(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, NULL), EXIT_TROUBLE);
    assert_non_null(strstr(place->complained, place->config));
    write_file(place->config, T "egress: {engine: cilium, policy: {kind: resolver, resolvedHostsFile: missing}}\n");
    assert_int_equal(run(place, NULL), EXIT_TROUBLE);
    assert_non_null(strstr(place->complained, "missing"));
}

static void check_needs_a_directory(void **state) {
    struct place *place = *state;
    write_file(place->config, deny_all);
    assert_int_equal(run(place, "--check", NULL), EXIT_TROUBLE);
    assert_non_null(strstr(place->complained, "--output-dir"));
    assert_int_equal(run(place, "--check", "--output-dir", place->directory, NULL), EXIT_TROUBLE);
}

static void files_are_written_where_the_bytes_differ(void **state) {
    struct place *place = *state;
    char path[256], printed[sizeof place->printed], content[4096];
    struct stat first, second;
    write_file(place->config, deny_all);
    assert_int_equal(run(place, NULL), EXIT_WELL);
    strcpy(printed, place->printed);
    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_WELL);
    assert_string_equal(place->printed, "");
    read_file(in(place->directory, DENY_FILE, path), content, sizeof content);
    assert_string_equal(content, printed);
    assert_int_equal(stat(path, &first), 0);
    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_WELL);
    assert_int_equal(stat(path, &second), 0);
    assert_int_equal(first.st_ino, second.st_ino); /* not written again */
    write_file(path, "other\n");
    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_WELL);
    read_file(path, content, sizeof content);
    assert_string_equal(content, printed);
}

static void check_tells_of_files_that_are_missing_other_or_extra(void **state) {
    struct place *place = *state;
    char path[256], expected[600];
    write_file(place->config, deny_all);
    mkdir(place->directory, 0700);
    assert_int_equal(run(place, "--check", "--output-dir", place->directory, NULL), EXIT_REFUSED);
    snprintf(expected, sizeof expected, "--- /dev/null\n+++ %s\n@@ -0,0 +1,", in(place->directory, DENY_FILE, path));
    assert_int_equal(strncmp(place->printed, expected, strlen(expected)), 0);
    assert_int_not_equal(access(path, F_OK), 0);

    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_WELL);
    assert_int_equal(run(place, "--check", "--output-dir", place->directory, NULL), EXIT_WELL);
    assert_string_equal(place->printed, "");

    write_file(in(place->directory, DENY_FILE, path), "apiVersion: networking.k8s.io/v1\n");
    assert_int_equal(run(place, "--check", "--output-dir", place->directory, NULL), EXIT_REFUSED);
    snprintf(expected, sizeof expected, "--- %s\n+++ %s\n@@ -1 +1,", path, path);
    assert_int_equal(strncmp(place->printed, expected, strlen(expected)), 0);
    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_WELL);

    write_file(in(place->directory, "networkpolicy_agents_old.yaml", path),
               "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n");
    assert_int_equal(run(place, "--check", "--output-dir", place->directory, NULL), EXIT_REFUSED);
    snprintf(expected, sizeof expected, "--- %s\n+++ /dev/null\n@@ -1,2 +0,0 @@\n", path);
    assert_int_equal(strncmp(place->printed, expected, strlen(expected)), 0);
}

static void what_is_no_compiled_object_is_not_extra(void **state) {
    struct place *place = *state;
    char path[256];
    write_file(place->config, deny_all);
    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_WELL);
    write_file(in(place->directory, "kustomization.yaml", path), "resources: []\n");
    write_file(in(place->directory, "networkpolicy_agents_old.yaml", path), "apiVersion: v1\nkind: ConfigMap\n");
    write_file(in(place->directory, "mine.yaml", path), "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n");
    write_file(in(place->directory, "networkpolicy_a_b.yaml", path), "{");
    assert_int_equal(run(place, "--check", "--output-dir", place->directory, NULL), EXIT_WELL);
    assert_string_equal(place->printed, "");
}

static void a_config_without_egress_compiles_to_nothing(void **state) {
    struct place *place = *state;
    write_file(place->config, T);
    assert_int_equal(run(place, NULL), EXIT_WELL);
    assert_string_equal(place->printed, "");
    assert_int_equal(run(place, "--output-dir", place->directory, NULL), EXIT_WELL);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        ROW(yaml_objects_are_separated_and_json_ones_follow),
        ROW(a_refused_config_prints_nothing_on_standard_output),
        ROW(one_refused_document_holds_back_the_others),
        ROW(a_json_report_of_a_refused_config_goes_to_standard_output),
        ROW(warnings_change_the_exit_status_only_with_strict),
        ROW(what_cannot_be_read_ends_with_two),
        ROW(check_needs_a_directory),
        ROW(files_are_written_where_the_bytes_differ),
        ROW(check_tells_of_files_that_are_missing_other_or_extra),
        ROW(what_is_no_compiled_object_is_not_extra),
        ROW(a_config_without_egress_compiles_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

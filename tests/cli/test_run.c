#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
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
    char folder[64], out[80], err[80], file[80];
    char printed[1 << 14], complained[1 << 14];
};

static int begin(void **state) {
    struct place *place = calloc(1, sizeof *place);
    strcpy(place->folder, "/tmp/egressc-run-XXXXXX");
    if (!mkdtemp(place->folder)) {
        return -1;
    }
    snprintf(place->out, sizeof place->out, "%s/out", place->folder);
    snprintf(place->err, sizeof place->err, "%s/err", place->folder);
    snprintf(place->file, sizeof place->file, "%s/file", place->folder);
    *state = place;
    return 0;
}

static int end(void **state) {
    struct place *place = *state;
    unlink(place->out);
    unlink(place->err);
    unlink(place->file);
    int left = rmdir(place->folder); /* fails where a run leaves a temporary file */
    free(place);
    return left;
}

/* Runs with results going to `out`; arguments end with NULL. `color`: as if both sinks were terminals. */
static enum exit_status run_colored(struct place *place, const char *out, bool color, const char *const *arguments) {
    struct run_sinks sinks = {.out = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                              .err = open(place->err, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                              .color_out = color,
                              .color_err = color};
    size_t count = 0;
    while (arguments[count]) {
        count++;
    }
    enum exit_status status = run_arguments(arguments, count, &sinks);
    close(sinks.out);
    close(sinks.err);
    read_file(place->err, place->complained, sizeof place->complained);
    return status;
}

static enum exit_status run_into(struct place *place, const char *out, const char *const *arguments) {
    return run_colored(place, out, false, arguments);
}

static enum exit_status run(struct place *place, const char *const *arguments) {
    enum exit_status status = run_into(place, place->out, arguments);
    read_file(place->out, place->printed, sizeof place->printed);
    return status;
}

#define ARGUMENTS(...)                                                                                                 \
    (const char *const[]) { __VA_ARGS__, NULL }

static void run_prints_results_and_returns_0(void **state) {
    struct place *place = *state;
    assert_int_equal(run(place, ARGUMENTS("version")), 0);
    assert_string_equal(place->printed, "egressc " EGRESSC_VERSION "\n");
    assert_string_equal(place->complained, "");
    assert_int_equal(run(place, ARGUMENTS("--version")), 0);
    assert_string_equal(place->printed, "egressc " EGRESSC_VERSION "\n");
}

static void run_helps_whichever_way_it_is_asked(void **state) {
    struct place *place = *state;
    static const char *const ways[] = {"help", "--help", "-h"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run(place, ARGUMENTS(ways[i])), 0);
        assert_non_null(strstr(place->printed, "Usage: egressc COMMAND"));
    }
    assert_int_equal(run(place, ARGUMENTS("version", "--help")), 0);
    assert_non_null(strstr(place->printed, "Usage: egressc version\n"));
    assert_int_equal(run(place, ARGUMENTS("version", "-h")), 0);
    assert_int_equal(run(place, ARGUMENTS("help", "version")), 0);
    assert_non_null(strstr(place->printed, "Usage: egressc version\n"));
}

static void assert_misuse(struct place *place, const char *const *arguments, const char *complaint) {
    assert_int_equal(run(place, arguments), 2);
    assert_string_equal(place->printed, "");
    assert_string_equal(place->complained, complaint);
}

static void bad_usage_is_one_line_and_2(void **state) {
    assert_misuse(*state, ARGUMENTS(NULL), "egressc: there is no command. See 'egressc help'.\n");
    assert_misuse(*state, ARGUMENTS(""), "egressc: there is no command ''. See 'egressc help'.\n");
    assert_misuse(*state, ARGUMENTS("versoin"),
                  "egressc: there is no command 'versoin'; did you mean 'version'? See 'egressc help'.\n");
    assert_misuse(*state, ARGUMENTS("snapshot"), "egressc: there is no command 'snapshot'. See 'egressc help'.\n");
    assert_misuse(*state, ARGUMENTS("version", "x"),
                  "egressc version: there is no use for 'x'. See 'egressc help version'.\n");
    assert_misuse(*state, ARGUMENTS("version", "--hlep"),
                  "egressc version: there is no option '--hlep'; did you mean '--help'? See 'egressc help version'.\n");
    assert_misuse(*state, ARGUMENTS("help", "polcy-widens-egress"),
                  "egressc help: there is no command or code 'polcy-widens-egress'; did you mean "
                  "'policy-widens-egress'? See 'egressc help help'.\n");
    assert_misuse(*state, ARGUMENTS("a\nb"), "egressc: there is no command 'a\\nb'. See 'egressc help'.\n");
}

static void results_that_cannot_be_written_are_2(void **state) {
    struct place *place = *state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    assert_int_equal(run_into(place, "/dev/full", ARGUMENTS("version")), 2);
    assert_string_equal(place->complained, "egressc: cannot write standard output: No space left on device\n");
}

static void a_reader_that_went_away_is_2(void **state) {
    struct place *place = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    struct run_sinks sinks = {.out = ends[1], .err = open(place->err, O_WRONLY | O_CREAT, 0600)};
    assert_int_equal(run_arguments(ARGUMENTS("version"), 1, &sinks), 2);
    signal(SIGPIPE, SIG_DFL);
    close(ends[1]);
    close(sinks.err);
    read_file(place->err, place->complained, sizeof place->complained);
    assert_string_equal(place->complained, "egressc: cannot write standard output: Broken pipe\n");
}

#define CONFIG "namespace: agents\nsandboxTemplateName: shell\negress: {policy: {kind: no-network}}\n"

static const char *config_file(struct place *place, const char *content) {
    write_file(place->out, content); /* the file of results is free: these runs print into another */
    return place->out;
}

static void output_goes_to_a_file_instead(void **state) {
    struct place *place = *state;
    const char *config = config_file(place, CONFIG);
    static char written[1 << 14];
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config, "--output", place->file)),
                     0);
    read_file(place->file, written, sizeof written);
    assert_int_equal(strncmp(written, "apiVersion: networking.k8s.io/v1\n", 33), 0);
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(place->file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
}

/* A report that goes to a file is not one that a terminal shows. */
static void colours_reach_the_terminal_alone(void **state) {
    struct place *place = *state;
    char text[1 << 14];
    write_file(place->file, "a: [\n");
    assert_int_equal(run_colored(place, place->out, true, ARGUMENTS("lint", place->file)), 1);
    read_file(place->out, text, sizeof text);
    assert_non_null(strchr(text, '\x1b'));
    const char *const formats[] = {"json", "sarif", "junit", "github", "markdown"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        run_colored(place, place->out, true, ARGUMENTS("lint", "--report", formats[i], place->file));
        read_file(place->out, text, sizeof text);
        assert_null(strchr(text, '\x1b'));
    }
    assert_int_equal(
        run_colored(place, place->out, true, ARGUMENTS("lint", "--output", place->file, "fixtures/lint/syntax")), 1);
    read_file(place->file, text, sizeof text);
    assert_non_null(strstr(text, "[syntax]"));
    assert_null(strchr(text, '\x1b'));
}

static void a_command_in_trouble_leaves_the_file_alone(void **state) {
    struct place *place = *state;
    static char kept[100];
    write_file(place->file, "before");
    assert_int_equal(run_into(place, "/dev/null",
                              ARGUMENTS("compile", "--config=/nonexistent/egress.yaml", "--output", place->file)),
                     2);
    read_file(place->file, kept, sizeof kept);
    assert_string_equal(kept, "before");
}

static void a_file_that_cannot_be_written_is_2(void **state) {
    struct place *place = *state;
    const char *config = config_file(place, CONFIG);
    assert_int_equal(
        run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config, "--output=/nonexistent/folder/file")), 2);
    assert_string_equal(place->complained,
                        "egressc: cannot write /nonexistent/folder/file: No such file or directory\n");
}

static void a_refused_config_is_1_and_an_unreadable_one_2(void **state) {
    struct place *place = *state;
    const char *config = config_file(place, "namespace: agents\n");
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config)), 1);
    assert_non_null(strstr(place->complained, "[config-unusable]"));
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config=/nonexistent/egress.yaml")), 2);
    assert_non_null(strstr(place->complained, "[unreadable]"));
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile")), 2);
    assert_string_equal(place->complained,
                        "egressc compile: it needs a config: --config FILE. See 'egressc help compile'.\n");
}

static void facts_stand_between_config_and_options(void **state) {
    struct place *place = *state;
    const char *config = config_file(place, CONFIG);
    write_file(place->file, "cilium: {version: '1.99'}\n");
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config, "--facts", place->file)), 1);
    assert_non_null(strstr(place->complained, "/file:1:19: error: cilium.version cannot be used"));
    write_file(place->file, "");
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config, "--facts", place->file)), 1);
    assert_non_null(strstr(place->complained, "[config-unusable]"));
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config, "--facts=/nonexistent")), 2);
    write_file(place->file, "cilium: {version: '1.18'}\n");
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config, "--facts", place->file)), 0);
    assert_int_equal(run_into(place, "/dev/null", ARGUMENTS("compile", "--config", config, "--cilium-version=1.99")),
                     2);
    assert_int_equal(
        strncmp(place->complained, "egressc compile: option '--cilium-version' does not take '1.99': ", 65), 0);
    assert_int_equal(
        run_into(place, "/dev/null",
                 ARGUMENTS("compile", "--config", config, "--facts", place->file, "--cilium-version=1.17")),
        0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(run_prints_results_and_returns_0, begin, end),
        cmocka_unit_test_setup_teardown(run_helps_whichever_way_it_is_asked, begin, end),
        cmocka_unit_test_setup_teardown(bad_usage_is_one_line_and_2, begin, end),
        cmocka_unit_test_setup_teardown(results_that_cannot_be_written_are_2, begin, end),
        cmocka_unit_test_setup_teardown(a_reader_that_went_away_is_2, begin, end),
        cmocka_unit_test_setup_teardown(output_goes_to_a_file_instead, begin, end),
        cmocka_unit_test_setup_teardown(colours_reach_the_terminal_alone, begin, end),
        cmocka_unit_test_setup_teardown(a_command_in_trouble_leaves_the_file_alone, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_written_is_2, begin, end),
        cmocka_unit_test_setup_teardown(a_refused_config_is_1_and_an_unreadable_one_2, begin, end),
        cmocka_unit_test_setup_teardown(facts_stand_between_config_and_options, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Exec plug-ins: what they are told, what they print, how long they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "online/exec_plugin.h"

#define V1 "client.authentication.k8s.io/v1"
#define CREDENTIAL(status) "{\"apiVersion\":\"" V1 "\",\"kind\":\"ExecCredential\",\"status\":" status "}"

struct trial {
    struct arena *arena;
    struct diagnostics diagnostics;
    struct access access;
    struct clock clock;
    struct exec_plugin_options options;
    const char *arguments[3];
};

/* A plug-in that is a script of the shell. */
static void begin(struct trial *trial, const char *script) {
    *trial = (struct trial){.arena = arena_create(), .clock = clock_host()};
    diagnostics_init(&trial->diagnostics, trial->arena);
    trial->arguments[0] = "-c";
    trial->arguments[1] = script;
    trial->access = (struct access){.server = "https://a.test", .has_plugin = true};
    trial->access.plugin =
        (struct access_plugin){.api_version = V1, .command = "sh", .arguments = trial->arguments, .folder = ""};
    trial->options = (struct exec_plugin_options){.timeout_ms = 5000, .clock = &trial->clock};
}

static bool run(struct trial *trial) {
    return exec_plugin_run(&trial->access, &trial->options, trial->arena, &trial->diagnostics);
}

static void expect_fault(const char *script, unsigned timeout_ms, const char *message) {
    struct trial trial;
    begin(&trial, script);
    trial.options.timeout_ms = timeout_ms;
    assert_false(run(&trial));
    assert_int_equal(trial.diagnostics.count, 1);
    assert_string_equal(trial.diagnostics.list[0].message, message);
    arena_destroy(trial.arena);
}

static void a_token_is_taken(void **state) {
    struct trial trial;
    (void)state;
    begin(&trial, "echo '" CREDENTIAL("{\"token\":\"abc\"}") "'");
    assert_true(run(&trial));
    assert_string_equal(trial.access.token, "abc");
    arena_destroy(trial.arena);
}

static void a_certificate_is_taken_with_its_key(void **state) {
    struct trial trial;
    (void)state;
    begin(&trial, "echo '" CREDENTIAL("{\"clientCertificateData\":\"cert\",\"clientKeyData\":\"key\"}") "'");
    assert_true(run(&trial));
    assert_true(text_is(trial.access.identity.certificate, "cert") && text_is(trial.access.identity.key, "key"));
    arena_destroy(trial.arena);
}

static void when_it_expires_is_taken_and_nothing_of_before_stays(void **state) {
    struct trial trial;
    (void)state;
    begin(&trial, "echo '" CREDENTIAL("{\"token\":\"t\",\"expirationTimestamp\":\"2001-09-09T01:46:41Z\"}") "'");
    trial.access.identity.certificate = trial.access.identity.key = text_of("old");
    assert_true(run(&trial));
    assert_int_equal(trial.access.expires_s, 1000000001);
    assert_int_equal(trial.access.identity.certificate.length + trial.access.identity.key.length, 0);
    arena_destroy(trial.arena);

    begin(&trial, "echo '" CREDENTIAL("{\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\"}") "'");
    trial.access.token = "old";
    trial.access.expires_s = 7;
    assert_true(run(&trial));
    assert_null(trial.access.token);
    assert_int_equal(trial.access.expires_s, 0);
    arena_destroy(trial.arena);
}

static void it_gets_its_environment_and_what_the_cluster_is(void **state) {
    static const struct access_variable variables[] = {{"PLUGIN_WORD", "word"}, {"HOME", "/other"}};
    struct trial trial;
    (void)state;
    begin(&trial, "test \"$PLUGIN_WORD$HOME\" = word/other || exit 4\n"
                  "case $KUBERNETES_EXEC_INFO in *'\"server\": \"https://a.test\"'*) ;; *) exit 5;; esac\n"
                  "case $KUBERNETES_EXEC_INFO in *'\"interactive\": false'*) ;; *) exit 6;; esac\n"
                  "test -n \"$PATH\" || exit 7\n"
                  "read line && exit 8\n"
                  "echo '" CREDENTIAL("{\"token\":\"t\"}") "'");
    trial.access.plugin.variables = variables;
    trial.access.plugin.variable_count = 2;
    trial.access.plugin.give_cluster = true;
    assert_true(run(&trial));
    arena_destroy(trial.arena);
}

static void what_goes_wrong_is_said_without_what_was_printed(void **state) {
    (void)state;
    expect_fault("echo hush; exit 3", 5000, "the plug-in sh ended with status 3");
    expect_fault("kill -9 $$", 5000, "the plug-in sh was ended by a signal");
    expect_fault("echo hush", 5000, "the plug-in sh printed no ExecCredential");
    expect_fault("true", 5000, "the plug-in sh printed no ExecCredential");
    expect_fault("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"v1\"}'", 5000,
                 "the plug-in sh printed an ExecCredential of another version than: " V1);
    expect_fault("echo '" CREDENTIAL("{}") "'", 5000, "the plug-in sh gave neither a token nor a certificate");
    expect_fault("echo '" CREDENTIAL("null") "'", 5000, "the plug-in sh printed an ExecCredential without a status");
    expect_fault("echo '" CREDENTIAL("{\"clientKeyData\":\"k\"}") "'", 5000,
                 "the plug-in sh gave a certificate without its key, or a key without its certificate");
    expect_fault("echo '" CREDENTIAL("{\"token\":\"t\",\"expirationTimestamp\":\"tomorrow\"}") "'", 5000,
                 "the plug-in sh gave an expirationTimestamp that is no time");
    expect_fault("exec yes hushhush", 5000, "the plug-in sh prints too much");
}

static void it_has_a_bound_in_time_and_so_have_its_children(void **state) {
    (void)state;
    expect_fault("sleep 60 & sleep 60", 200, "the plug-in sh does not answer in time");
    expect_fault("exec >&-; sleep 60", 200, "the plug-in sh does not end in time");
}

static void a_program_that_is_not_there_is_said_with_the_hint(void **state) {
    struct trial trial;
    (void)state;
    begin(&trial, "");
    trial.access.plugin.command = "no-such-program-of-ours";
    trial.access.plugin.install_hint = "install it";
    assert_false(run(&trial));
    assert_string_equal(trial.diagnostics.list[0].message,
                        "the plug-in no-such-program-of-ours cannot be run: No such file or directory\ninstall it");
    arena_destroy(trial.arena);
}

static void one_that_must_ask_needs_a_terminal(void **state) {
    struct trial trial;
    (void)state;
    begin(&trial, "");
    trial.access.plugin.may_ask = trial.access.plugin.must_ask = true;
    assert_false(run(&trial));
    assert_string_equal(trial.diagnostics.list[0].message,
                        "the plug-in sh must ask a person, and there is no terminal");
    arena_destroy(trial.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_taken),
        cmocka_unit_test(a_certificate_is_taken_with_its_key),
        cmocka_unit_test(when_it_expires_is_taken_and_nothing_of_before_stays),
        cmocka_unit_test(it_gets_its_environment_and_what_the_cluster_is),
        cmocka_unit_test(what_goes_wrong_is_said_without_what_was_printed),
        cmocka_unit_test(it_has_a_bound_in_time_and_so_have_its_children),
        cmocka_unit_test(a_program_that_is_not_there_is_said_with_the_hint),
        cmocka_unit_test(one_that_must_ask_needs_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

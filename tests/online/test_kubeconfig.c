/* Kubeconfigs: contexts, clusters, users, merging, and what is said of broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "online/incluster.h"
#include "online/kubeconfig.h"

/* "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" and the like */
#define CERTIFICATE "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="
#define KEY "LS0tLS1CRUdJTiBLRVktLS0tLQpCQkJCCi0tLS0tRU5EIEtFWS0tLS0tCg=="

struct read {
    struct arena *arena;
    struct diagnostics diagnostics;
    struct access access;
    bool well;
};

static void read_text(struct read *read, const char *text, const char *context) {
    struct kubeconfig config;
    read->arena = arena_create();
    diagnostics_init(&read->diagnostics, read->arena);
    read->well = kubeconfig_load_text("kc", "/etc/kc", text_of(text), read->arena, &config, &read->diagnostics) &&
                 kubeconfig_access(&config, context, read->arena, &read->access, &read->diagnostics);
}

/* A kubeconfig of one cluster and one user, with these fields. */
static void read_fields(struct read *read, const char *cluster, const char *user) {
    char text[4096];
    snprintf(text, sizeof text,
             "apiVersion: v1\nkind: Config\ncurrent-context: it\ncontexts:\n"
             "- {name: it, context: {cluster: c, user: u, namespace: agents}}\n"
             "clusters:\n- name: c\n  cluster: {%s}\nusers:\n- name: u\n  user: {%s}\n",
             cluster, user);
    read_text(read, text, NULL);
}

static void expect_fault(const char *cluster, const char *user, const char *place, const char *message) {
    struct read read;
    read_fields(&read, cluster, user);
    assert_false(read.well);
    assert_true(read.diagnostics.count > 0);
    const struct diagnostic *first = &read.diagnostics.list[0];
    char shown[64];
    snprintf(shown, sizeof shown, "%s:%u", first->location.file, (unsigned)first->location.line);
    assert_string_equal(shown, place);
    assert_string_equal(first->message, message);
    arena_destroy(read.arena);
}

#define SERVER "server: 'https://a.test:6443/'"

static void a_context_gives_server_user_and_namespace(void **state) {
    struct read read;
    (void)state;
    read_fields(
        &read,
        SERVER
        ", tls-server-name: b.test, proxy-url: 'http://me:hush@proxy:3128', certificate-authority-data: " CERTIFICATE,
        "token: t0ken, client-certificate-data: " CERTIFICATE ", client-key-data: " KEY);
    assert_true(read.well);
    assert_string_equal(read.access.server, "https://a.test:6443");
    assert_string_equal(read.access.context, "it");
    assert_string_equal(read.access.namespace, "agents");
    assert_string_equal(read.access.token, "t0ken");
    assert_string_equal(read.access.identity.server_name, "b.test");
    assert_true(text_starts_with(read.access.identity.authorities, "-----BEGIN CERTIFICATE-----\nAAAA\n"));
    assert_true(text_starts_with(read.access.identity.key, "-----BEGIN KEY-----\nBBBB\n"));
    const char *message = "proxy me:hush@proxy said t0ken";
    assert_string_equal(access_redact(&read.access, message, read.arena), "proxy (withheld)@proxy said (withheld)");
    arena_destroy(read.arena);
}

static void a_broken_kubeconfig_names_file_line_and_field(void **state) {
    (void)state;
    expect_fault("", "", "kc:8", "clusters[0].cluster.server: is missing");
    expect_fault("server: 7", "", "kc:8", "clusters[0].cluster.server: must be a string");
    expect_fault("server: 'http://a.test'", "", "kc:8",
                 "clusters[0].cluster.server: must begin with https://; plain HTTP is for this machine alone");
    expect_fault("server: 'http://127.0.0.1.a.test'", "", "kc:8",
                 "clusters[0].cluster.server: must begin with https://; plain HTTP is for this machine alone");
    expect_fault("server: 'a.test:6443'", "", "kc:8", "clusters[0].cluster.server: must begin with https://");
    expect_fault("server: 'https://me:hush@a.test'", "", "kc:8",
                 "clusters[0].cluster.server: must not hold a user or password");
    expect_fault(SERVER ", certificate-authority-data: '!'", "", "kc:8",
                 "clusters[0].cluster.certificate-authority-data: must be base64");
    expect_fault(SERVER ", certificate-authority-data: aGVsbG8=", "", "kc:8",
                 "clusters[0].cluster.certificate-authority-data: holds no PEM block");
    expect_fault(SERVER ", certificate-authority: not-there.pem", "", "kc:8",
                 "clusters[0].cluster.certificate-authority: cannot read /etc/kc/not-there.pem: No such file or "
                 "directory");
    expect_fault(SERVER ", insecure-skip-tls-verify: true, certificate-authority-data: " CERTIFICATE, "", "kc:8",
                 "clusters[0].cluster.insecure-skip-tls-verify: says the opposite of a certificate authority: one must "
                 "go");
    expect_fault(SERVER ", insecure-skip-tls-verify: 'yes'", "", "kc:8",
                 "clusters[0].cluster.insecure-skip-tls-verify: must be a boolean");
    expect_fault(SERVER ", disable-compression: 1", "", "kc:8",
                 "clusters[0].cluster.disable-compression: must be a boolean");
    expect_fault(SERVER ", proxy-url: 'ftp://p'", "", "kc:8",
                 "clusters[0].cluster.proxy-url: must begin with http://, https:// or socks5://");
    expect_fault(SERVER, "token: 1234", "kc:11", "users[0].user.token: must be a string");
    expect_fault(SERVER, "client-key-data: " KEY, "kc:11",
                 "users[0].user.client-certificate: is missing: a certificate and its key belong together");
    expect_fault(SERVER, "auth-provider: {name: gcp}", "kc:11",
                 "users[0].user.auth-provider: is not supported any more, by Kubernetes either; use `exec`");
    expect_fault(SERVER, "username: me, token: hush", "kc:11",
                 "users[0].user.username: stands beside a token: one must go");
    expect_fault(SERVER, "as-groups: [admins]", "kc:11",
                 "users[0].user.as: is missing beside `as-uid`, `as-groups` or "
                 "`as-user-extra`");
    expect_fault(SERVER, "as-user-extra: {a: [b]}", "kc:11",
                 "users[0].user.as: is missing beside `as-uid`, `as-groups` or `as-user-extra`");
    expect_fault(SERVER, "as: jane, as-user-extra: {a: b}", "kc:11",
                 "users[0].user.as-user-extra: must hold lists of strings");
    expect_fault(SERVER, "as: jane, as-user-extra: {a: [7]}", "kc:11",
                 "users[0].user.as-user-extra: cannot be sent in a header");
    expect_fault(SERVER, "as: jane, as-user-extra: {a: [\"x\\r\\nB: y\"]}", "kc:11",
                 "users[0].user.as-user-extra: cannot be sent in a header");
    expect_fault(SERVER, "as: jane, as-groups: [\"\\x7f\"]", "kc:11",
                 "users[0].user.as-groups: cannot be sent in a header");
    expect_fault(SERVER, "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}", "kc:11",
                 "users[0].user.exec.apiVersion: must be client.authentication.k8s.io/v1 or "
                 "client.authentication.k8s.io/v1beta1");
    expect_fault(SERVER, "exec: {apiVersion: client.authentication.k8s.io/v1, command: x}", "kc:11",
                 "users[0].user.exec.interactiveMode: is missing: Never, IfAvailable or Always");
    expect_fault(SERVER, "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, env: [{name: A}]}",
                 "kc:11", "users[0].user.exec.env: entry 0 needs a `name` and a `value`, both strings");
}

static void proxies_are_those_that_kubectl_would_use(void **state) {
    static const struct {
        const char *cluster, *proxy;
    } cases[] = {
        {"server: 'https://a.test:6443'", NULL},
        {"server: 'https://127.0.0.1:6443'", ""},
        {"server: 'https://localhost'", ""},
        {"server: 'https://[::1]:6443/x'", ""},
        {"server: 'https://localhost.a.test'", NULL},
        {"server: 'https://128.0.0.1'", NULL},
        {"server: 'https://127.a.test'", NULL},
        {"server: 'https://localhost', proxy-url: 'http://p'", "http://p"},
        {"server: 'https://a.test', proxy-url: 'socks5://u:p@p:1080'", "socks5h://u:p@p:1080"},
        {"server: 'https://a.test', proxy-url: 'socks5h://p'", "socks5h://p"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read read;
        read_fields(&read, cases[i].cluster, "token: t");
        assert_true(read.well);
        if (cases[i].proxy)
            assert_string_equal(read.access.identity.proxy, cases[i].proxy);
        else
            assert_null(read.access.identity.proxy);
        arena_destroy(read.arena);
    }
}

static void names_that_lead_nowhere_are_said(void **state) {
    static const struct {
        const char *text, *context, *message;
    } cases[] = {
        {"kind: Config\n", NULL, "current-context: is missing, and no --context is given"},
        {"kind: Config\n", "x", "there is no context `x` in the kubeconfig"},
        {"kind: Pod\n", NULL, "kind: a kubeconfig is of kind Config"},
        {"- a\n", NULL, "a kubeconfig is a map"},
        {"a: 1\n---\nb: 2\n", NULL, "a kubeconfig is one document"},
        {"contexts: {a: b}\n", "x", "contexts: must be a list"},
        {"contexts: [{name: x, context: {}}, {name: x, context: {}}]\n", "x",
         "contexts[1].name: is that of another entry too"},
        {"contexts: [7]\n", "x", "contexts[0]: must be a map"},
        {"contexts: [{name: x, context: {cluster: c}}]\n", "x", "contexts[0].context.cluster: there is no cluster `c`"},
        {"contexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {" SERVER "}}]\n", "x",
         "contexts[0].context.user: there is no user `u`"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read read;
        read_text(&read, cases[i].text, cases[i].context);
        assert_false(read.well);
        assert_string_equal(read.diagnostics.list[0].message, cases[i].message);
        arena_destroy(read.arena);
    }
}

static void no_message_shows_what_is_secret(void **state) {
    static const char *const users[] = {
        "token: [HUSHHUSH]", "token: \"HUSH HUSH\"",        "password: {HUSH: HUSH}",      "client-key-data: HUSH!",
        "token: &HUSH [",    "client-key-data: 'SFVTSA=='", "username: HUSH, token: HUSH", "token: \"HUSH\\q\""};
    (void)state;
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        struct read read;
        const char *header;
        read_fields(&read, SERVER, users[i]);
        bool well = read.well && access_authorize(&read.access, read.arena, &header, &read.diagnostics);
        assert_false(well);
        assert_true(read.diagnostics.count > 0);
        for (size_t k = 0; k < read.diagnostics.count; k++)
            assert_null(strstr(read.diagnostics.list[k].message, "HUSH"));
        arena_destroy(read.arena);
    }
}

static void whom_to_act_as_is_sent(void **state) {
    struct read read;
    (void)state;
    static const char *const headers[] = {"Impersonate-User: jane",
                                          "Impersonate-Uid: 7",
                                          "Impersonate-Group: one",
                                          "Impersonate-Group: two",
                                          "Impersonate-Extra-scopes: view",
                                          "Impersonate-Extra-scopes: edit",
                                          "Impersonate-Extra-example.org%2Fa%25%20B%C3%A9: x"};
    read_fields(&read, SERVER,
                "token: t, as: jane, as-uid: '7', as-groups: [one, two], as-user-extra: {none: [], nothing: null, "
                "scopes: [view, edit], 'example.org/a% B\xc3\xa9': [x]}");
    assert_true(read.well);
    assert_int_equal(read.access.header_count, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        assert_string_equal(read.access.headers[i], headers[i]);
    arena_destroy(read.arena);
}

static void as_many_groups_as_somebody_has_are_sent(void **state) {
    struct read read;
    char user[2000] = "token: t, as: jane, as-groups: [";
    (void)state;
    for (unsigned i = 0; i < 150; i++)
        snprintf(user + strlen(user), 16, "group-%u, ", i);
    strcat(user, "last]");
    read_fields(&read, SERVER, user);
    assert_true(read.well);
    assert_int_equal(read.access.header_count, 152);
    assert_string_equal(read.access.headers[151], "Impersonate-Group: last");
    arena_destroy(read.arena);
}

/* As with kubectl. */
static void who_is_known_asks_no_plug_in(void **state) {
#define EXEC "exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never}"
    static const struct {
        const char *user;
        bool asks;
    } cases[] = {{EXEC, true},
                 {"as: jane, " EXEC, true},
                 {"token: t, " EXEC, false},
                 {"tokenFile: t, " EXEC, false},
                 {"username: u, password: p, " EXEC, false},
                 {"client-certificate-data: " CERTIFICATE ", client-key-data: " KEY ", " EXEC, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read read;
        read_fields(&read, SERVER, cases[i].user);
        assert_true(read.well);
        assert_int_equal(read.access.has_plugin, cases[i].asks);
        arena_destroy(read.arena);
    }
}

/* ---- files ---- */

struct files {
    char folder[64];
    struct arena *arena;
};

static void files_open(struct files *files) {
    files->arena = arena_create();
    snprintf(files->folder, sizeof files->folder, "/tmp/egressc-test.XXXXXX");
    assert_non_null(mkdtemp(files->folder));
}

static const char *files_put(const struct files *files, const char *name, const char *text) {
    const char *path = arena_format(files->arena, "%s/%s", files->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void files_close(struct files *files, const char *const *names) {
    for (; *names; names++)
        unlink(arena_format(files->arena, "%s/%s", files->folder, *names));
    assert_int_equal(rmdir(files->folder), 0);
    arena_destroy(files->arena);
}

static void the_first_file_that_has_a_name_gives_the_whole_entry(void **state) {
    struct files files;
    struct kubeconfig config;
    struct access access;
    struct diagnostics diagnostics;
    const char *header;
    (void)state;
    files_open(&files);
    diagnostics_init(&diagnostics, files.arena);
    const char *one = files_put(&files, "one",
                                "users: [{name: u, user: {tokenFile: token}}]\n"
                                "clusters: [{name: c, cluster: {" SERVER "}}]\n");
    const char *two = files_put(&files, "two",
                                "current-context: x\nusers: [{name: u, user: {username: no, password: no}}]\n"
                                "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                "clusters: [{name: c, cluster: {server: 'https://no'}}]\n");
    files_put(&files, "token", "  from-file\n");
    const char *list = arena_format(files.arena, ":%s:%s/not-there:%s:", one, files.folder, two);
    assert_true(kubeconfig_load(NULL, list, "/nowhere", files.arena, &config, &diagnostics));
    assert_int_equal(config.count, 2);
    assert_true(kubeconfig_access(&config, NULL, files.arena, &access, &diagnostics));
    assert_string_equal(access.server, "https://a.test:6443");
    assert_null(access.username);
    assert_true(access_authorize(&access, files.arena, &header, &diagnostics));
    assert_string_equal(header, "Authorization: Bearer from-file");
    assert_string_equal(access_redact(&access, "is from-file good?", files.arena), "is (withheld) good?");
    files_put(&files, "token", "renewed");
    assert_true(access_authorize(&access, files.arena, &header, &diagnostics));
    assert_string_equal(header, "Authorization: Bearer renewed");
    files_close(&files, (const char *const[]){"one", "two", "token", NULL});
}

static void a_file_that_is_named_must_be_there(void **state) {
    struct files files;
    struct kubeconfig config;
    struct diagnostics diagnostics;
    (void)state;
    files_open(&files);
    diagnostics_init(&diagnostics, files.arena);
    assert_false(kubeconfig_load("/not/there", NULL, NULL, files.arena, &config, &diagnostics));
    assert_int_equal(diagnostics.count, 1);
    assert_true(kubeconfig_load(NULL, NULL, files.folder, files.arena, &config, &diagnostics));
    assert_int_equal(config.count, 0);
    files_close(&files, (const char *const[]){NULL});
}

static void basic_credentials_are_encoded(void **state) {
    struct read read;
    const char *header;
    (void)state;
    read_fields(&read, SERVER, "username: Aladdin, password: open sesame");
    assert_true(read.well);
    assert_true(access_authorize(&read.access, read.arena, &header, &read.diagnostics));
    assert_string_equal(header, "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_string_equal(access_redact(&read.access, "QWxhZGRpbjpvcGVuIHNlc2FtZQ== open sesame", read.arena),
                        "(withheld) (withheld)");
    arena_destroy(read.arena);
}

static void a_pod_has_access_by_its_service_account(void **state) {
    struct files files;
    struct access access;
    struct diagnostics diagnostics;
    const char *header;
    (void)state;
    files_open(&files);
    diagnostics_init(&diagnostics, files.arena);
    assert_false(incluster_access("10.0.0.1", "443", files.folder, files.arena, &access, &diagnostics));
    files_put(&files, "ca.crt", "-----BEGIN CERTIFICATE-----\n");
    files_put(&files, "namespace", "agents\n");
    files_put(&files, "token", "of-the-pod");
    assert_true(incluster_access("fd00::1", "443", files.folder, files.arena, &access, &diagnostics));
    assert_string_equal(access.server, "https://[fd00::1]:443");
    assert_string_equal(access.namespace, "agents");
    assert_true(access_authorize(&access, files.arena, &header, &diagnostics));
    assert_string_equal(header, "Authorization: Bearer of-the-pod");
    files_close(&files, (const char *const[]){"ca.crt", "namespace", "token", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_gives_server_user_and_namespace),
        cmocka_unit_test(a_broken_kubeconfig_names_file_line_and_field),
        cmocka_unit_test(proxies_are_those_that_kubectl_would_use),
        cmocka_unit_test(names_that_lead_nowhere_are_said),
        cmocka_unit_test(no_message_shows_what_is_secret),
        cmocka_unit_test(whom_to_act_as_is_sent),
        cmocka_unit_test(as_many_groups_as_somebody_has_are_sent),
        cmocka_unit_test(who_is_known_asks_no_plug_in),
        cmocka_unit_test(the_first_file_that_has_a_name_gives_the_whole_entry),
        cmocka_unit_test(a_file_that_is_named_must_be_there),
        cmocka_unit_test(basic_credentials_are_encoded),
        cmocka_unit_test(a_pod_has_access_by_its_service_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What usable configs read as: defaults, warnings, several documents, host files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "load.h"

#define T "namespace: agents\nsandboxTemplateName: shell\n"
#define CILIUM(policy) T "egress:\n  engine: cilium\n  policy: " policy "\n"

static struct loaded load_usable(const char *text) {
    struct loaded loaded = load_text(text);
    if (loaded.result != CONFIG_OK) {
        fail_msg("refused:\n%s", loaded.config.count ? loaded_lines(&loaded, SEVERITY_ERROR) : "no document");
    }
    return loaded;
}

static void the_defaults_are_those_of_the_contract(void **state) {
    (void)state;
    struct loaded loaded = load_usable(T "egress: {policy: {kind: deny-all}}\n");
    const struct boundary *boundary = loaded_first(&loaded);
    assert_true(boundary->usable);
    assert_int_equal(boundary->document, 1);
    assert_string_equal(boundary->namespace, "agents");
    assert_string_equal(boundary->template_name, "shell");
    assert_int_equal(boundary->selector_count, 1);
    assert_string_equal(boundary->selector[0].key, "sandbox.namzu.ai/template");
    assert_string_equal(boundary->selector[0].value, "shell");
    assert_int_equal(boundary->pod_label_count, 0);
    assert_int_equal(boundary->agent_port, 1024);
    assert_false(boundary->ingress_unverified);
    assert_int_equal(boundary->ingress_engine, ENGINE_CORE);
    assert_int_equal(boundary->policy, POLICY_DENY_ALL);
    assert_int_equal(boundary->engine, ENGINE_CORE);
    assert_string_equal(boundary->object_name, "shell-egress");
    assert_false(boundary->named_object_only);
    assert_null(boundary->profile);
    assert_string_equal(boundary->profile_label_key, "sandbox.namzu.ai/egress-profile");
    assert_false(boundary->has_per_sandbox);
    assert_false(boundary->deep_subdomains);
    assert_false(boundary->narrowing.active);
    assert_int_equal(boundary->cluster.known, 0);
    assert_int_equal(boundary->diagnostics.count, 0);
    loaded_free(&loaded);
}

static void null_is_absent(void **state) {
    (void)state;
    struct loaded loaded = load_usable(
        T "selectorLabels: null\npodLabels: null\nagentPort: null\ningress: null\ncluster: null\n"
          "egress: {policy: {kind: deny-all, exceptCidrs: null, allowedHosts: null}, engine: null, verify: null,\n"
          "  networkPolicyName: null, ciliumNarrowing: null, profile: null, profileLabelKey: null, perSandbox: null,\n"
          "  deepSubdomains: null}\n");
    assert_string_equal(loaded_first(&loaded)->object_name, "shell-egress");
    assert_int_equal(loaded_first(&loaded)->agent_port, 1024);
    loaded_free(&loaded);
}

static void without_egress_nothing_is_compiled(void **state) {
    (void)state;
    struct loaded loaded = load_usable("namespace: agents\nselectorLabels: {app: shell}\nagentPort: 8080\n");
    assert_int_equal(loaded_first(&loaded)->policy, POLICY_ABSENT);
    assert_null(loaded_first(&loaded)->object_name);
    assert_int_equal(loaded_first(&loaded)->agent_port, 8080);
    loaded_free(&loaded);
}

static void the_engine_of_ingress_is_that_of_egress_unless_given(void **state) {
    (void)state;
    struct loaded loaded = load_usable(CILIUM("{kind: static, allowedHosts: []}"));
    assert_int_equal(loaded_first(&loaded)->ingress_engine, ENGINE_CILIUM);
    loaded_free(&loaded);
    loaded = load_usable(CILIUM("{kind: deny-all}") "ingress: {engine: core}\n");
    assert_int_equal(loaded_first(&loaded)->ingress_engine, ENGINE_CORE);
    loaded_free(&loaded);
    loaded = load_usable(T "ingress: unverified\n");
    assert_true(loaded_first(&loaded)->ingress_unverified);
    loaded_free(&loaded);
}

static void the_profile_label_comes_after_the_others(void **state) {
    (void)state;
    struct loaded loaded =
        load_usable("namespace: agents\nselectorLabels: {z.example/b: '', app: shell}\npodLabels: {tier: x}\n"
                    "egress: {policy: {kind: deny-all}, networkPolicyName: out, profile: open, profileLabelKey: mode,\n"
                    "  verify: named-object-only}\n");
    const struct boundary *boundary = loaded_first(&loaded);
    assert_int_equal(boundary->selector_count, 3);
    assert_string_equal(boundary->selector[0].key, "z.example/b");
    assert_string_equal(boundary->selector[1].key, "app");
    assert_string_equal(boundary->selector[2].key, "mode");
    assert_string_equal(boundary->selector[2].value, "open");
    assert_null(boundary->template_name);
    assert_string_equal(boundary->object_name, "out");
    assert_true(boundary->named_object_only);
    assert_int_equal(boundary->pod_label_count, 1);
    loaded_free(&loaded);
    loaded = load_usable(T "egress: {policy: {kind: deny-all}, profile: open}\n");
    assert_string_equal(loaded_first(&loaded)->object_name, "shell-open-egress");
    loaded_free(&loaded);
}

static void per_sandbox_has_defaults_and_folds_its_hosts(void **state) {
    (void)state;
    struct loaded loaded =
        load_usable(T "egress: {policy: {kind: deny-all}, perSandbox: {engine: cilium,\n"
                      "  admissionPolicyName: fence, narrowing: {hostPorts: {A.example.com: [22]}}}}\n");
    const struct per_sandbox *box = &loaded_first(&loaded)->per_sandbox;
    assert_true(loaded_first(&loaded)->has_per_sandbox);
    assert_string_equal(box->admission_policy_name, "fence");
    assert_string_equal(box->admission_policy_binding_name, "fence-binding");
    assert_string_equal(box->label_key, "sandbox.namzu.ai/per-sandbox-egress");
    assert_null(box->host_identity);
    assert_false(box->has_permitted_hosts);
    assert_true(box->narrowing.active);
    assert_int_equal(narrowing_ports(&box->narrowing, "a.example.com")->ports[0], 22);
    assert_null(narrowing_ports(&box->narrowing, "b.example.com"));
    loaded_free(&loaded);
}

static void the_label_key_may_be_the_profile_key_where_no_profile_is_set(void **state) {
    (void)state;
    struct loaded loaded =
        load_usable(T "egress: {policy: {kind: deny-all}, profileLabelKey: a.example/mode,\n"
                      "  perSandbox: {engine: cilium, admissionPolicyName: f, labelKey: a.example/mode}}\n");
    loaded_free(&loaded);
}

static void ports_are_chosen_by_host_then_list_then_tls(void **state) {
    (void)state;
    struct loaded loaded = load_usable(CILIUM("{kind: static, allowedHosts: [a.example.com, b.example.com, "
                                              "constructor]}") "  ciliumNarrowing: {hostPorts: {b.example.com: [22, "
                                                               "8443], a.example.com: [443.0]},\n"
                                                               "    tlsServerNames: true, tlsPorts: [443, 8443]}\n");
    const struct narrowing *narrowing = &loaded_first(&loaded)->narrowing;
    assert_int_equal(narrowing_ports(narrowing, "a.example.com")->ports[0], 443);
    assert_int_equal(narrowing_ports(narrowing, "b.example.com")->count, 2);
    assert_ptr_equal(narrowing_ports(narrowing, "constructor"), &narrowing->tls_ports);
    assert_true(narrowing_is_tls_port(narrowing, 8443));
    assert_false(narrowing_is_tls_port(narrowing, 22));
    loaded_free(&loaded);
}

static void an_inactive_narrowing_changes_nothing(void **state) {
    (void)state;
    static const char *const inactive[] = {"{}", "{hostPorts: {}}", "{dnsNames: false, tlsServerNames: false}",
                                           "{dnsNames: null}", "{tlsServerNames: null, hostPorts: null}"};
    for (size_t i = 0; i < sizeof inactive / sizeof *inactive; i++) {
        struct arena *arena = arena_create();
        struct loaded loaded = load_usable(
            arena_format(arena, T "egress: {policy: {kind: no-network}, ciliumNarrowing: %s}\n", inactive[i]));
        assert_false(loaded_first(&loaded)->narrowing.active);
        loaded_free(&loaded);
        arena_destroy(arena);
    }
}

struct warning_row {
    const char *text, *lines;
};

static const struct warning_row warning_rows[] = {
    {T "egress: {policy: {kind: public-internet}}\n", "nat64-open egress.policy.kind\n"},
    {T "egress: {policy: {kind: public-internet, exceptCidrs: ['64:ff9b::/64', 10.1.2.3/8]}}\n",
     "cidr-host-bits egress.policy.exceptCidrs[1]\n"},
    {T "egress: {policy: {kind: public-internet, exceptCidrs: ['64:ff9b::/97']}}\n", "nat64-open egress.policy.kind\n"},
    {CILIUM("{kind: static, allowedHosts: [a.example.com, .example.com]}"),
     "subdomain-depth egress.policy.allowedHosts[1]\n"},
    {CILIUM("{kind: static, allowedHosts: [.example.com]}") "  deepSubdomains: true\ncluster: {cilium: {version: "
                                                            "'1.19'}}\n",
     ""},
    {CILIUM("{kind: resolver, resolvedHosts: [a.example.com]}") "  ciliumNarrowing: {hostPorts: {b.example.com: [1], "
                                                                "a.example.com: [2]}}\n",
     "host-ports-unused egress.ciliumNarrowing.hostPorts[\"b.example.com\"]\n"},
    {CILIUM("{kind: static, allowedHosts: [a.example.com, b.example.com]}") "  ciliumNarrowing: {tlsServerNames: true, "
                                                                            "hostPorts: {a.example.com: [22], "
                                                                            "b.example.com: [22, 443]}}\n",
     "server-name-unused egress.policy.allowedHosts[0]\n"},
    {"cluster: {clusterDomain: corp.example}\n" CILIUM(
         "{kind: static, allowedHosts: [a.example.com]}") "  ciliumNarrowing: {dnsNames: true}\n",
     "cluster-domain-differs egress.ciliumNarrowing.dnsNames.clusterDomain\n"},
    {"cluster: {clusterDomain: corp.example}\n" CILIUM(
         "{kind: static, allowedHosts: [a.example.com]}") "  ciliumNarrowing: {dnsNames: {clusterDomain: "
                                                          "corp.example}}\n",
     ""},
};

static void warnings_leave_a_config_usable(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof warning_rows / sizeof *warning_rows; i++) {
        struct loaded loaded = load_usable(warning_rows[i].text);
        assert_string_equal(loaded_lines(&loaded, SEVERITY_NOTE), warning_rows[i].lines);
        loaded_free(&loaded);
    }
}

static void versions_of_the_command_line_stand_over_the_config(void **state) {
    (void)state;
    const char *text = "cluster: {kubernetes: {version: '1.30'}}\n" T
                       "egress: {policy: {kind: public-internet, exceptCidrs: [10.1.2.3/8]}}\n";
    struct loaded loaded = load_text(text);
    assert_int_equal(loaded.result, CONFIG_OK);
    loaded_free(&loaded);
    loaded = load_text_with(text, "1.36", NULL);
    assert_int_equal(loaded.result, CONFIG_REFUSED);
    assert_string_equal(loaded_lines(&loaded, SEVERITY_ERROR), "config-unusable egress.policy.exceptCidrs[0]\n");
    loaded_free(&loaded);
}

static void a_hosts_file_holds_one_entry_a_line(void **state) {
    (void)state;
    struct loaded loaded = load_usable(CILIUM("{kind: resolver, resolvedHostsFile: good.txt}"));
    const struct boundary *boundary = loaded_first(&loaded);
    assert_int_equal(boundary->host_count, 2);
    assert_string_equal(boundary->hosts[0].entry, "api.example.com");
    assert_int_equal(boundary->hosts[0].location.line, 3);
    assert_int_equal(boundary->hosts[0].location.column, 3);
    assert_string_equal(boundary->hosts[1].entry, ".example.org");
    assert_string_equal(boundary->hosts[1].location.file, TEST_SOURCE_DIR "/tests/compiler/hosts/good.txt");
    loaded_free(&loaded);
}

static void a_refusal_in_a_hosts_file_shows_its_place(void **state) {
    (void)state;
    struct loaded loaded = load_text(CILIUM("{kind: resolver, resolvedHostsFile: star.txt}"));
    assert_int_equal(loaded.result, CONFIG_REFUSED);
    const struct diagnostic *refusal = &loaded_first(&loaded)->diagnostics.list[0];
    assert_int_equal(refusal->code, CODE_HOST_UNUSABLE);
    assert_string_equal(refusal->location.file, TEST_SOURCE_DIR "/tests/compiler/hosts/star.txt");
    assert_int_equal(refusal->location.line, 2);
    assert_int_equal(refusal->location.column, 3);
    assert_string_equal(refusal->value, "*.example.org");
    assert_string_equal(refusal->excerpt, "  *.example.org");
    loaded_free(&loaded);
}

static void a_hosts_file_that_is_not_utf_8_is_refused(void **state) {
    (void)state;
    struct loaded loaded = load_text(CILIUM("{kind: resolver, resolvedHostsFile: latin1.txt}"));
    assert_int_equal(loaded.result, CONFIG_REFUSED);
    const struct diagnostic *refusal = &loaded_first(&loaded)->diagnostics.list[0];
    assert_int_equal(refusal->code, CODE_CONFIG_UNUSABLE);
    assert_int_equal(refusal->location.line, 2);
    assert_int_equal(refusal->location.column, 6);
    loaded_free(&loaded);
}

static void a_hosts_file_that_is_not_there_ends_the_command(void **state) {
    (void)state;
    struct loaded loaded = load_text(CILIUM("{kind: resolver, resolvedHostsFile: missing.txt}"));
    assert_int_equal(loaded.result, CONFIG_UNREADABLE);
    assert_int_equal(loaded.outside.count, 1);
    assert_int_equal(loaded.outside.list[0].code, CODE_UNREADABLE);
    loaded_free(&loaded);
}

static void a_config_that_is_not_there_cannot_be_read(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct diagnostics diagnostics;
    struct config config;
    diagnostics_init(&diagnostics, arena);
    struct config_options options = {.limits = limits_default()};
    assert_int_equal(config_read("/nonexistent/egress.yaml", &options, arena, &config, &diagnostics),
                     CONFIG_UNREADABLE);
    assert_int_equal(diagnostics.count, 1);
    arena_destroy(arena);
}

static void a_file_without_a_document_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"", "# nothing\n", "---\n---\n", "{"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct loaded loaded = load_text(texts[i]);
        assert_int_equal(loaded.result, CONFIG_REFUSED);
        assert_int_equal(loaded.config.count, 0);
        assert_true(loaded.outside.errors > 0);
        loaded_free(&loaded);
    }
}

static void two_documents_of_one_name_are_refused(void **state) {
    (void)state;
    struct loaded loaded =
        load_text(T "egress: {policy: {kind: deny-all}}\n---\n" T "egress: {policy: {kind: allow-all}}\n");
    assert_int_equal(loaded.result, CONFIG_REFUSED);
    assert_int_equal(loaded.outside.count, 1);
    assert_int_equal(loaded.outside.list[0].code, CODE_DUPLICATE_OBJECT);
    assert_int_equal(loaded.outside.list[0].location.line, 5);
    assert_string_equal(loaded.outside.list[0].object.kind, "NetworkPolicy");
    loaded_free(&loaded);
}

static void one_name_in_two_kinds_or_namespaces_is_no_duplicate(void **state) {
    (void)state;
    struct loaded loaded = load_usable(T "egress: {policy: {kind: deny-all}, networkPolicyName: x}\n---\n" CILIUM(
        "{kind: static, allowedHosts: []}") "  networkPolicyName: x\n---\nnamespace: other\nsandboxTemplateName: "
                                            "shell\n"
                                            "egress: {policy: {kind: deny-all}, networkPolicyName: x}\n");
    assert_int_equal(loaded.outside.count, 0);
    loaded_free(&loaded);
}

static void a_template_with_and_without_a_profile_draws_a_warning(void **state) {
    (void)state;
    struct loaded loaded = load_usable(T "egress: {policy: {kind: deny-all}, profile: closed}\n---\n" T
                                         "egress: {policy: {kind: allow-all}}\n");
    assert_int_equal(loaded.outside.count, 1);
    assert_int_equal(loaded.outside.list[0].code, CODE_PROFILE_OVERLAP);
    assert_int_equal(loaded.outside.list[0].location.line, 5);
    assert_non_null(loaded.outside.list[0].notes);
    loaded_free(&loaded);
    loaded = load_usable(T "egress: {policy: {kind: deny-all}, profile: closed}\n---\n" T
                           "egress: {policy: {kind: allow-all}, profile: open}\n");
    assert_int_equal(loaded.outside.count, 0);
    loaded_free(&loaded);
}

static void many_hosts_are_judged_in_less_than_a_walk_of_all_pairs(void **state) {
    (void)state;
    enum { HOSTS = 20000 };
    struct arena *arena = arena_create();
    struct buffer text;
    buffer_init(&text, arena);
    buffer_add_string(&text, CILIUM("{kind: static, allowedHosts: ["));
    text.length--;
    for (int i = 0; i < HOSTS; i++) {
        buffer_print(&text, "%sh%d.example.com", i ? ", " : "", i);
    }
    buffer_add_string(&text, "]}\n  ciliumNarrowing:\n    hostPorts:\n");
    for (int i = HOSTS; i-- > 0;) {
        buffer_print(&text, "      h%d.example.com: [443]\n", i);
    }
    clock_t start = clock();
    struct loaded loaded = load_usable(buffer_string(&text));
    /* All pairs are 400 million comparisons. */
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
    assert_int_equal(loaded_first(&loaded)->host_count, HOSTS);
    loaded_free(&loaded);
    arena_destroy(arena);
}

static struct loaded load_hosts(struct arena *arena, const char *anchor, const char *host, int count) {
    struct buffer text;
    buffer_init(&text, arena);
    buffer_print(&text, T "podLabels: {a: %s}\negress: {engine: cilium, policy: {kind: static, allowedHosts: [",
                 anchor);
    for (int i = 0; i < count; i++) {
        buffer_print(&text, "%s%s", i ? ", " : "", host);
    }
    buffer_add_string(&text, "]}}\n");
    return load_text(buffer_string(&text));
}

static void refusals_beyond_ten_thousand_are_not_shown(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct loaded loaded = load_hosts(arena, "b", "'*'", 10100);
    const struct diagnostics *diagnostics = &loaded_first(&loaded)->diagnostics;
    assert_int_equal(diagnostics->errors, 10001);
    assert_non_null(strstr(diagnostics->list[10000].message, "not shown"));
    loaded_free(&loaded);
    arena_destroy(arena);
}

static void warnings_never_crowd_out_a_refusal(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    struct buffer hosts;
    buffer_init(&hosts, arena);
    for (int i = 0; i < 10100; i++) {
        buffer_add_string(&hosts, "198.51.100.1/24, ");
    }
    struct loaded loaded = load_text(arena_format(
        arena, T "egress: {policy: {kind: public-internet, exceptCidrs: [%s x]}}\n", buffer_string(&hosts)));
    assert_int_equal(loaded.result, CONFIG_REFUSED);
    assert_int_equal(loaded_first(&loaded)->diagnostics.errors, 1);
    loaded_free(&loaded);
    arena_destroy(arena);
}

static void aliases_that_stand_for_too_much_text_are_refused(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    char *anchor = arena_alloc(arena, 100001);
    memset(anchor, 'x', 100000);
    memcpy(anchor, "&a ", 3);
    struct loaded loaded = load_hosts(arena, anchor, "*a", 1000);
    assert_int_equal(loaded.result, CONFIG_REFUSED);
    assert_string_equal(loaded_lines(&loaded, SEVERITY_NOTE), "config-unusable \n");
    loaded_free(&loaded);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_are_those_of_the_contract),
        cmocka_unit_test(null_is_absent),
        cmocka_unit_test(without_egress_nothing_is_compiled),
        cmocka_unit_test(the_engine_of_ingress_is_that_of_egress_unless_given),
        cmocka_unit_test(the_profile_label_comes_after_the_others),
        cmocka_unit_test(per_sandbox_has_defaults_and_folds_its_hosts),
        cmocka_unit_test(the_label_key_may_be_the_profile_key_where_no_profile_is_set),
        cmocka_unit_test(ports_are_chosen_by_host_then_list_then_tls),
        cmocka_unit_test(an_inactive_narrowing_changes_nothing),
        cmocka_unit_test(warnings_leave_a_config_usable),
        cmocka_unit_test(versions_of_the_command_line_stand_over_the_config),
        cmocka_unit_test(a_hosts_file_holds_one_entry_a_line),
        cmocka_unit_test(a_refusal_in_a_hosts_file_shows_its_place),
        cmocka_unit_test(a_hosts_file_that_is_not_utf_8_is_refused),
        cmocka_unit_test(a_hosts_file_that_is_not_there_ends_the_command),
        cmocka_unit_test(a_config_that_is_not_there_cannot_be_read),
        cmocka_unit_test(a_file_without_a_document_is_refused),
        cmocka_unit_test(two_documents_of_one_name_are_refused),
        cmocka_unit_test(one_name_in_two_kinds_or_namespaces_is_no_duplicate),
        cmocka_unit_test(a_template_with_and_without_a_profile_draws_a_warning),
        cmocka_unit_test(refusals_beyond_ten_thousand_are_not_shown),
        cmocka_unit_test(warnings_never_crowd_out_a_refusal),
        cmocka_unit_test(aliases_that_stand_for_too_much_text_are_refused),
        cmocka_unit_test(many_hosts_are_judged_in_less_than_a_walk_of_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

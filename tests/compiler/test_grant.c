/* Grants: one row a refusal of spec/config.md 6, what is permitted, what stands between grants, and their objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "grants.h"

#define CONFIG(fields)                                                                                                 \
    "namespace: agents\nsandboxTemplateName: shell\negress:\n  policy: {kind: deny-all}\n"                             \
    "  perSandbox: {engine: cilium, admissionPolicyName: fence" fields "}\n"
#define OWNER "owner: {kind: SandboxClaim, name: claim-7, uid: u-7}\n"
#define HOSTS(hosts) OWNER "allowedHosts: [" hosts "]\n"
#define PERMITTED ", permittedHostsParam: {name: permitted, namespace: agents}"
#define CONFIG_MAP(data) "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: permitted, namespace: agents}\n" data
#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define A64 A60 "aaaa"
#define A240 A60 A60 A60 A60

/* A grant with `@@` where its first refusal stands. */
struct row {
    const char *name, *grant;
    enum code code;
    const char *path;
};

static const struct row rows[] = {
    {"list", "@@- a\n", CODE_CONFIG_UNUSABLE, ""},
    {"string", "@@text\n", CODE_CONFIG_UNUSABLE, ""},
    {"unknown key", HOSTS("") "@@ports: [443]\n", CODE_CONFIG_UNUSABLE, "ports"},
    {"key twice", HOSTS("") "@@allowedHosts: []\n", CODE_CONFIG_UNUSABLE, "allowedHosts"},
    {"no owner", "@@allowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner"},
    {"owner null", "@@owner: null\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner"},
    {"owner string", "owner: @@claim-7\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner"},
    {"unknown key of the owner", "owner: {kind: Sandbox, name: a, uid: u, @@namespace: x}\nallowedHosts: []\n",
     CODE_CONFIG_UNUSABLE, "owner.namespace"},
    {"no kind", "owner: @@{name: a, uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner.kind"},
    {"kind of another case", "owner: {kind: @@sandbox, name: a, uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.kind"},
    {"kind Pod", "owner: {kind: @@Pod, name: a, uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner.kind"},
    {"kind list", "owner: {kind: @@[Sandbox], name: a, uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.kind"},
    {"no name", "owner: @@{kind: Sandbox, uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner.name"},
    {"name empty", "owner: {kind: Sandbox, name: @@'', uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.name"},
    {"name number", "owner: {kind: Sandbox, name: @@7, uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.name"},
    {"name capitals", "owner: {kind: Sandbox, name: @@Box, uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.name"},
    {"name over 63", "owner: {kind: Sandbox, name: @@" A64 ", uid: u}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.name"},
    {"no uid", "owner: @@{kind: Sandbox, name: a}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner.uid"},
    {"uid empty", "owner: {kind: Sandbox, name: a, uid: @@''}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner.uid"},
    {"uid capitals", "owner: {kind: Sandbox, name: a, uid: @@U}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.uid"},
    {"uid closing hyphen", "owner: {kind: Sandbox, name: a, uid: @@u-}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE,
     "owner.uid"},
    {"uid number", "owner: {kind: Sandbox, name: a, uid: @@7}\nallowedHosts: []\n", CODE_CONFIG_UNUSABLE, "owner.uid"},
    {"name of the object over 253", "owner: {kind: Sandbox, name: a, uid: @@" A240 "bbbb}\nallowedHosts: []\n",
     CODE_CONFIG_UNUSABLE, "owner.uid"},
    {"no hosts", "@@" OWNER, CODE_CONFIG_UNUSABLE, "allowedHosts"},
    {"hosts null", "@@" OWNER "allowedHosts: null\n", CODE_CONFIG_UNUSABLE, "allowedHosts"},
    {"hosts string", OWNER "allowedHosts: @@example.com\n", CODE_CONFIG_UNUSABLE, "allowedHosts"},
    {"host null", HOSTS("@@null"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host number", HOSTS("a.example, @@443"), CODE_HOST_UNUSABLE, "allowedHosts[1]"},
    {"host empty", HOSTS("@@''"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host dot", HOSTS("@@'.'"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host star", HOSTS("@@'*.example.com'"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host scheme", HOSTS("@@https://example.com"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host closing dot", HOSTS("@@example.com."), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host top level", HOSTS("@@.com"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host address", HOSTS("@@192.0.2.1"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host label over 63", HOSTS("@@" A64 ".example"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
    {"host kelvin", HOSTS("@@\xE2\x84\xAA.example.com"), CODE_HOST_UNUSABLE, "allowedHosts[0]"},
};

static void every_refusal_has_its_code_path_and_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_create();
        uint32_t line, column;
        const char *text = take_marker(arena, rows[i].grant, &line, &column);
        struct granting granting = grant_texts(CONFIG(""), text, NULL);
        const struct diagnostics *found = &granting.set.boundary->diagnostics;
        const char *wanted = arena_format(arena, "%s %s %u:%u\n", code_word(rows[i].code), rows[i].path, line, column);
        const char *lines = granting_lines(&granting, SEVERITY_ERROR);
        if (strncmp(lines, wanted, strlen(wanted)) != 0) {
            fail_msg("%s: wanted %s but got %s", rows[i].name, wanted, lines);
        }
        assert_string_equal(found->list[0].location.file, "grant.yaml");
        assert_non_null(found->list[0].excerpt);
        assert_false(granting.set.usable);
        assert_false(granting.loaded.config.usable);
        assert_true(granting.set.boundary->usable);
        granting_free(&granting);
        arena_destroy(arena);
    }
}

static void check_lines(const char *config, const char *grants, const char *permitted, const char *wanted) {
    struct granting granting = grant_texts(config, grants, permitted);
    assert_string_equal(granting_lines(&granting, SEVERITY_ERROR), wanted);
    assert_int_equal(granting.loaded.config.usable, *wanted == '\0');
    granting_free(&granting);
}

static void a_value_is_shown_as_written(void **state) {
    (void)state;
    struct granting granting = grant_texts(CONFIG(PERMITTED), HOSTS("Example.COM, A_B.example"), CONFIG_MAP(""));
    const struct diagnostics *found = &granting.set.boundary->diagnostics;
    assert_int_equal(found->errors, 2);
    assert_string_equal(found->list[0].value, "A_B.example");
    assert_string_equal(found->list[1].value, "Example.COM");
    granting_free(&granting);
}

/* ---- the order of config.md 7 ---- */

static void hosts_come_before_leading_dots_under_server_names(void **state) {
    (void)state;
    check_lines(CONFIG(", narrowing: {tlsServerNames: true}"), HOSTS(".example.org, '*'"), NULL,
                "host-unusable allowedHosts[1] 2:30\nhost-unusable allowedHosts[0] 2:16\n");
}

static void a_grants_hosts_come_after_the_configs_and_before_the_rest(void **state) {
    (void)state;
    static const char config[] = "namespace: agents\nsandboxTemplateName: shell\negress:\n  engine: cilium\n"
                                 "  policy: {kind: static, allowedHosts: ['*']}\n"
                                 "  perSandbox: {engine: cilium, admissionPolicyName: fence,\n"
                                 "    narrowing: {ports: [80], tlsServerNames: true}}\n";
    check_lines(config, HOSTS("'**'"), NULL,
                "host-unusable egress.policy.allowedHosts[0] 5:41\nhost-unusable allowedHosts[0] 2:16\n"
                "config-unusable egress.perSandbox.narrowing.tlsServerNames 7:46\n");
}

static void capitals_are_folded_before_server_names_are_bound(void **state) {
    (void)state;
    check_lines(CONFIG(", narrowing: {tlsServerNames: true}"), HOSTS("API.example.com"), NULL, "");
}

/* ---- narrowing ---- */

static void keys_of_host_ports_meet_hosts_in_lower_case(void **state) {
    (void)state;
    struct granting granting = grant_texts(CONFIG(", narrowing: {hostPorts: {API.Example.com: [22], b.example: [80]}}"),
                                           HOSTS("api.EXAMPLE.com"), NULL);
    assert_string_equal(granting_lines(&granting, SEVERITY_NOTE), "");
    const char *yaml = granting_yaml(&granting);
    assert_non_null(strstr(yaml, "        - matchName: api.example.com\n      toPorts:\n        - ports:\n"
                                 "            - port: '22'\n"));
    granting_free(&granting);
}

static void keys_that_fold_together_or_are_no_host_are_refused(void **state) {
    (void)state;
    check_lines(CONFIG(", narrowing: {hostPorts: {a.example: [22], A.example: [80]}}"), HOSTS(""), NULL, "");
    check_lines(CONFIG(", narrowing: {hostPorts: {a.example: [22], A.example: [80]}}"), HOSTS("a.example"), NULL,
                "config-unusable egress.perSandbox.narrowing.hostPorts[\"A.example\"] 5:101\n");
    check_lines(CONFIG(", narrowing: {hostPorts: {'*.example': [22]}}"), HOSTS("a.example"), NULL,
                "config-unusable egress.perSandbox.narrowing.hostPorts[\"*.example\"] 5:84\n");
}

static void warnings_are_those_of_a_config(void **state) {
    (void)state;
    struct granting granting = grant_texts(CONFIG(", narrowing: {tlsServerNames: true, hostPorts: {a.example: [22]}}"),
                                           HOSTS("a.example, b.example"), NULL);
    assert_string_equal(granting_lines(&granting, SEVERITY_WARNING), "server-name-unused allowedHosts[0] 2:16\n");
    granting_free(&granting);
    granting = grant_texts(CONFIG(""), HOSTS(".a.example"), NULL);
    assert_string_equal(granting_lines(&granting, SEVERITY_WARNING), "subdomain-depth allowedHosts[0] 2:16\n");
    granting_free(&granting);
}

/* ---- the boundary ---- */

static void a_boundary_without_per_sandbox_takes_no_grants(void **state) {
    (void)state;
    check_lines("namespace: agents\nsandboxTemplateName: shell\negress: {policy: {kind: deny-all}}\n",
                HOSTS("a.example"), NULL, "per-sandbox-unusable egress.perSandbox 1:1\n");
}

static void a_refused_config_is_not_said_to_lack_per_sandbox(void **state) {
    (void)state;
    check_lines("namespace: agents\nsandboxTemplateName: shell\negress: {policy: {kind: static, allowedHosts: []}}\n",
                HOSTS("'*'"), NULL,
                "policy-unenforceable egress.policy.kind 3:25\nhost-unusable allowedHosts[0] 2:16\n");
}

static void the_boundary_is_the_one_with_per_sandbox(void **state) {
    (void)state;
    static const char other[] =
        "---\nnamespace: agents\nsandboxTemplateName: box\negress: {policy: {kind: deny-all}}\n";
    struct arena *arena = arena_create();
    struct loaded loaded = load_text(arena_format(arena, "%s%s", other, "---\n" CONFIG("")));
    const char *problem = NULL;
    assert_int_equal(grant_boundary(&loaded.config, 0, arena, &problem)->document, 2);
    assert_int_equal(grant_boundary(&loaded.config, 1, arena, &problem)->document, 1);
    assert_null(problem);
    assert_null(grant_boundary(&loaded.config, 3, arena, &problem));
    assert_non_null(strstr(problem, "2 documents"));
    loaded_free(&loaded);
    loaded =
        load_text(CONFIG("") "---\nnamespace: agents\nsandboxTemplateName: box\negress: {policy: {kind: deny-all}, "
                             "perSandbox: {engine: cilium, admissionPolicyName: fence}}\n");
    problem = NULL;
    assert_null(grant_boundary(&loaded.config, 0, arena, &problem));
    assert_non_null(strstr(problem, "--boundary"));
    loaded_free(&loaded);
    arena_destroy(arena);
}

/* ---- between grants ---- */

static void two_grants_of_one_uid_are_refused(void **state) {
    (void)state;
    check_lines(CONFIG(""),
                HOSTS("a.example") "---\nowner: {kind: Sandbox, name: box, uid: u-7}\nallowedHosts: [b.example]\n",
                NULL, "duplicate-object owner.uid 4:1\n");
    /* One document would have the object deleted that the other makes. */
    check_lines(CONFIG(""), HOSTS("a.example") "---\n" HOSTS(""), NULL, "duplicate-object owner.uid 4:1\n");
    check_lines(CONFIG(""),
                HOSTS("a.example") "---\nowner: {kind: Sandbox, name: claim-7, uid: u-8}\nallowedHosts: [b.example]\n",
                NULL, "");
}

static void a_grant_is_not_the_object_of_the_config(void **state) {
    (void)state;
    check_lines(
        "namespace: agents\nsandboxTemplateName: shell\negress:\n  engine: cilium\n  networkPolicyName: namzu-sbx-u-7\n"
        "  policy: {kind: static, allowedHosts: [a.example]}\n"
        "  perSandbox: {engine: cilium, admissionPolicyName: fence}\n",
        HOSTS("b.example"), NULL, "duplicate-object owner.uid 1:1\n");
}

static void a_file_without_grants_is_refused(void **state) {
    (void)state;
    check_lines(CONFIG(""), "# nothing\n", NULL, "config-unusable - 1:1\n");
    check_lines(CONFIG(""), HOSTS("a.example") "---\n{", NULL, "syntax - 5:1\n");
}

/* ---- permitted hosts ---- */

struct permission {
    const char *hosts, *ports; /* of the ConfigMap, double-quoted YAML */
    const char *grant;         /* the hosts */
    const char *refused;       /* paths, each with a newline */
};

static const struct permission permissions[] = {
    {"example.com\\n", "*", "example.com, EXAMPLE.com", ""},
    {"Example.COM", "*", "example.com", ""},
    {"example.com\\r\\n\\r\\n# no.example\\r\\nb.example\\r\\n", "*", "b.example", ""},
    {"\\n  \\n\\t\\nexample.com", "\\n*\\n", "example.com", ""},
    {"example.com", "*", ".example.com", "allowedHosts[0]\n"},
    {"example.com", "*", "a.example.com", "allowedHosts[0]\n"},
    {".example.com", "*", "example.com, a.example.com, a.b.example.com, .example.com, .a.example.com", ""},
    {".example.com", "*", "notexample.com, example.org, com.example",
     "allowedHosts[0]\nallowedHosts[1]\nallowedHosts[2]\n"},
    {"#example.com", "*", "example.com", "allowedHosts[0]\n"},
    {"", "*", "example.com", "allowedHosts[0]\n"},
    {"example.com", "443\\n22", "example.com", ""},
    {"example.com", "443\\n443\\r\\n# 22\\n\\n65535", "example.com", "allowedHosts[0]\n"},
    {"example.com", "", "example.com", "allowedHosts[0]\nallowedHosts[0]\n"},
    {"example.com", "22\\n443\\n*", "example.com", ""},
};

/* The narrowing gives every host ports 443 and 22. */
static void what_the_config_map_does_not_list_is_not_permitted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions; i++) {
        const struct permission *row = &permissions[i];
        struct arena *arena = arena_create();
        const char *map =
            arena_format(arena, CONFIG_MAP("data: {hosts: \"%s\", ports: \"%s\"}\n"), row->hosts, row->ports);
        const char *grant = arena_format(arena, OWNER "allowedHosts: [%s]\n", row->grant);
        struct granting granting = grant_texts(CONFIG(PERMITTED ", narrowing: {ports: [443, 22]}"), grant, map);
        struct buffer refused;
        buffer_init(&refused, arena);
        const struct diagnostics *found = &granting.set.boundary->diagnostics;
        for (size_t k = 0; k < found->count; k++) {
            if (found->list[k].severity == SEVERITY_ERROR) {
                assert_int_equal(found->list[k].code, CODE_GRANT_NOT_PERMITTED);
                buffer_print(&refused, "%s\n", found->list[k].path);
            }
        }
        if (strcmp(buffer_string(&refused), row->refused) != 0) {
            fail_msg("%s against %s: %s", row->grant, row->hosts, buffer_string(&refused));
        }
        assert_int_equal(granting.set.usable, *row->refused == '\0');
        granting_free(&granting);
        arena_destroy(arena);
    }
}

static void a_host_on_every_port_is_outside_any_list(void **state) {
    (void)state;
    static const char some[] = CONFIG_MAP("data: {hosts: a.example, ports: \"443\"}\n");
    static const char every[] = CONFIG_MAP("data: {hosts: a.example, ports: '*'}\n");
    check_lines(CONFIG(PERMITTED), HOSTS("a.example"), some, "grant-not-permitted allowedHosts[0] 2:16\n");
    check_lines(CONFIG(PERMITTED), HOSTS("a.example"), every, "");
    check_lines(CONFIG(PERMITTED ", narrowing: {tlsServerNames: true}"), HOSTS("a.example"), some, "");
    check_lines(CONFIG(PERMITTED ", narrowing: {dnsNames: true}"), HOSTS("a.example"), some,
                "grant-not-permitted allowedHosts[0] 2:16\n");
}

struct malformed {
    const char *name, *data; /* `@@` marks the place */
    const char *path;
};

static const struct malformed malformations[] = {
    {"star", "data:\n  hosts: @@'*.example.com'\n", "data.hosts"},
    {"blank before", "data:\n  hosts: @@\" a.example\"\n", "data.hosts"},
    {"blank behind", "data:\n  hosts: @@\"a.example \"\n", "data.hosts"},
    {"comment after a blank", "data:\n  hosts: @@\" # x\"\n", "data.hosts"},
    {"comment behind", "data:\n  hosts: @@\"a.example # x\"\n", "data.hosts"},
    {"two on a line", "data:\n  hosts: @@a.example, b.example\n", "data.hosts"},
    {"top level", "data:\n  hosts: @@.com\n", "data.hosts"},
    {"port 0", "data:\n  ports: @@'0'\n", "data.ports"},
    {"port zeros", "data:\n  ports: @@'0443'\n", "data.ports"},
    {"port name", "data:\n  ports: @@https\n", "data.ports"},
    {"port range", "data:\n  ports: @@1-1024\n", "data.ports"},
    {"port large", "data:\n  ports: @@'65536'\n", "data.ports"},
    {"ports as a number", "data:\n  ports: @@443\n", "data.ports"},
    {"hosts as a list", "data:\n  hosts: @@[a.example]\n", "data.hosts"},
    {"data as a string", "data: @@x\n", "data"},
};

static void a_malformed_config_map_refuses_every_grant(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof malformations / sizeof *malformations; i++) {
        struct arena *arena = arena_create();
        uint32_t line, column;
        const char *map =
            take_marker(arena, arena_format(arena, CONFIG_MAP("%s"), malformations[i].data), &line, &column);
        struct granting granting =
            grant_texts(CONFIG(PERMITTED),
                        HOSTS("a.example") "---\nowner: {kind: Sandbox, name: b, uid: u-8}\nallowedHosts: []\n", map);
        const char *wanted = arena_format(arena, "grant-not-permitted %s %u:%u\n", malformations[i].path, line, column);
        const char *lines = granting_lines(&granting, SEVERITY_ERROR);
        if (strcmp(lines, wanted) != 0) {
            fail_msg("%s: wanted %s but got %s", malformations[i].name, wanted, lines);
        }
        assert_false(granting.set.list[0].usable);
        assert_false(granting.set.list[1].usable);
        granting_free(&granting);
        arena_destroy(arena);
    }
}

static void a_config_map_that_stands_twice_permits_nothing(void **state) {
    (void)state;
    static const char first[] = CONFIG_MAP("data: {hosts: a.example, ports: '*'}\n");
    static const char both[] =
        CONFIG_MAP("data: {hosts: a.example, ports: '*'}\n") "---\n" CONFIG_MAP("data: {hosts: b.example}\n");
    static const char equal[] = CONFIG_MAP("data: {hosts: a.example, ports: '*'}\n") "---\n" CONFIG_MAP(
        "data: {ports: '*', hosts: a.example}\n");
    check_lines(CONFIG(PERMITTED), HOSTS("a.example"), first, "");
    check_lines(CONFIG(PERMITTED), HOSTS("a.example"), equal, "");
    check_lines(CONFIG(PERMITTED), HOSTS("a.example"), both, "grant-not-permitted - 6:1\n");
}

static void another_config_map_is_none(void **state) {
    (void)state;
    static const char *const others[] = {
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: permitted, namespace: other}\ndata: {hosts: b.example}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: agents}\ndata: {hosts: b.example}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: permitted}\ndata: {hosts: b.example}\n",
        "apiVersion: v2\nkind: ConfigMap\nmetadata: {name: permitted, namespace: agents}\ndata: {hosts: b.example}\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: permitted, namespace: agents}\ndata: {hosts: b.example}\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct granting granting = grant_texts(CONFIG(PERMITTED), HOSTS("a.example"), others[i]);
        assert_string_equal(granting_lines(&granting, SEVERITY_WARNING),
                            "permitted-hosts-unread egress.perSandbox.permittedHostsParam 5:81\n");
        assert_true(granting.set.usable);
        granting_free(&granting);
    }
}

/* ---- objects ---- */

static void a_grant_compiles_to_an_object_of_its_owner(void **state) {
    (void)state;
    struct granting granting = grant_texts(CONFIG(", labelKey: example.com/box"),
                                           "owner: {kind: Sandbox, name: box-9, uid: U}\nallowedHosts: []\n", NULL);
    assert_false(granting.set.usable);
    granting_free(&granting);
    granting =
        grant_texts(CONFIG(", labelKey: example.com/box"),
                    "owner: {kind: Sandbox, name: box-9, uid: u-9}\nallowedHosts: [B.example, .a.example]\n", NULL);
    assert_string_equal(granting_yaml(&granting), "apiVersion: cilium.io/v2\n"
                                                  "kind: CiliumNetworkPolicy\n"
                                                  "metadata:\n"
                                                  "  name: namzu-sbx-u-9\n"
                                                  "  namespace: agents\n"
                                                  "  ownerReferences:\n"
                                                  "    - apiVersion: agents.x-k8s.io/v1beta1\n"
                                                  "      kind: Sandbox\n"
                                                  "      name: box-9\n"
                                                  "      uid: u-9\n"
                                                  "spec:\n"
                                                  "  endpointSelector:\n"
                                                  "    matchLabels:\n"
                                                  "      example.com/box: box-9\n"
                                                  "  egress:\n"
                                                  "    - toEndpoints:\n"
                                                  "        - matchLabels:\n"
                                                  "            k8s:io.kubernetes.pod.namespace: kube-system\n"
                                                  "            k8s:k8s-app: kube-dns\n"
                                                  "      toPorts:\n"
                                                  "        - ports:\n"
                                                  "            - port: '53'\n"
                                                  "              protocol: ANY\n"
                                                  "          rules:\n"
                                                  "            dns:\n"
                                                  "              - matchPattern: '*'\n"
                                                  "    - toFQDNs:\n"
                                                  "        - matchName: b.example\n"
                                                  "        - matchName: a.example\n"
                                                  "        - matchPattern: '*.a.example'\n");
    granting_free(&granting);
}

static void a_claim_is_of_the_extension_group(void **state) {
    (void)state;
    struct granting granting = grant_texts(CONFIG(""), HOSTS("a.example"), NULL);
    assert_non_null(strstr(granting_yaml(&granting), "    - apiVersion: extensions.agents.x-k8s.io/v1beta1\n"
                                                     "      kind: SandboxClaim\n"));
    granting_free(&granting);
}

static void a_grant_without_hosts_has_no_object(void **state) {
    (void)state;
    struct granting granting =
        grant_texts(CONFIG(", narrowing: {dnsNames: true}"),
                    HOSTS("") "---\nowner: {kind: Sandbox, name: b, uid: u-8}\nallowedHosts: [a.example]\n", NULL);
    assert_true(granting.set.usable);
    assert_null(grant_compile(&granting.set.list[0], granting.loaded.arena));
    assert_non_null(grant_compile(&granting.set.list[1], granting.loaded.arena));
    granting_free(&granting);
}

/* Taking a grant back must not hang on what rules would mean that nobody makes. */
static void narrowing_that_means_nothing_does_not_keep_a_grant(void **state) {
    (void)state;
    struct granting granting = grant_texts(CONFIG(", narrowing: {ports: [80], tlsServerNames: true}"), HOSTS(""), NULL);
    assert_string_equal(granting_lines(&granting, SEVERITY_WARNING),
                        "config-unusable egress.perSandbox.narrowing.tlsServerNames 5:101\n");
    assert_true(granting.loaded.config.usable);
    assert_true(granting.set.usable);
    granting_free(&granting);
    check_lines(CONFIG(", narrowing: {ports: [0]}"), HOSTS(""), NULL,
                "config-unusable egress.perSandbox.narrowing.ports[0] 5:80\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_has_its_code_path_and_place),
        cmocka_unit_test(a_value_is_shown_as_written),
        cmocka_unit_test(hosts_come_before_leading_dots_under_server_names),
        cmocka_unit_test(a_grants_hosts_come_after_the_configs_and_before_the_rest),
        cmocka_unit_test(capitals_are_folded_before_server_names_are_bound),
        cmocka_unit_test(keys_of_host_ports_meet_hosts_in_lower_case),
        cmocka_unit_test(keys_that_fold_together_or_are_no_host_are_refused),
        cmocka_unit_test(warnings_are_those_of_a_config),
        cmocka_unit_test(a_boundary_without_per_sandbox_takes_no_grants),
        cmocka_unit_test(a_refused_config_is_not_said_to_lack_per_sandbox),
        cmocka_unit_test(the_boundary_is_the_one_with_per_sandbox),
        cmocka_unit_test(two_grants_of_one_uid_are_refused),
        cmocka_unit_test(a_grant_is_not_the_object_of_the_config),
        cmocka_unit_test(a_file_without_grants_is_refused),
        cmocka_unit_test(what_the_config_map_does_not_list_is_not_permitted),
        cmocka_unit_test(a_host_on_every_port_is_outside_any_list),
        cmocka_unit_test(a_malformed_config_map_refuses_every_grant),
        cmocka_unit_test(a_config_map_that_stands_twice_permits_nothing),
        cmocka_unit_test(another_config_map_is_none),
        cmocka_unit_test(a_grant_compiles_to_an_object_of_its_owner),
        cmocka_unit_test(a_claim_is_of_the_extension_group),
        cmocka_unit_test(a_grant_without_hosts_has_no_object),
        cmocka_unit_test(narrowing_that_means_nothing_does_not_keep_a_grant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

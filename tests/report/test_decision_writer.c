#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "sample.h"
#include "tests/arena_state.h"

static void decision_json_has_the_keys_of_the_contract_in_order(void **state) {
    struct decision decision;
    struct buffer got;
    buffer_init(&got, *state);
    sample_decision(*state, &decision);
    report_write_decision(&got, &decision, REPORT_JSON, &(struct report_options){0});
    static char expected[1 << 16];
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/report/sample.json", "rb");
    assert_non_null(file);
    size_t length = fread(expected, 1, sizeof expected - 1, file);
    fclose(file);
    expected[length] = '\0';
    assert_text(&got, expected);
}

#define ERRORS_OF_FIRST                                                                                                \
    "policies/extra.yaml:12:9: error: NetworkPolicy agents/extra lets agents {sandbox.namzu.ai/template=shell} "       \
    "reach 169.254.169.254 on port 443/TCP, by spec.egress[0].to[1] [policy-widens-egress]\n"                          \
    "    also the name a.example.com on port 53/UDP, asking for the DNS name evil.test, by spec.egress[1].to[0] "      \
    "(policies/extra.yaml:20:9)\n"                                                                                     \
    "    and 2 more\n"
#define ERRORS_OF_SECOND                                                                                               \
    "policies/groups.yaml:7:5: error: CiliumClusterwideNetworkPolicy groups cannot be evaluated for agents "           \
    "{app=x, sandbox.namzu.ai/template=shell}, at spec.egress[0].toCIDRSet[0] [not-evaluable]\n"                       \
    "    CIDR group partners is not among the inputs\n"                                                                \
    "egress.yaml:2:1: error: ingress of agents {app=x, sandbox.namzu.ai/template=shell}: no policy isolates it on "    \
    "ingress [no-covering-policy]\n"
#define FINDING                                                                                                        \
    "policies/broken.yaml:4:2: error: a tab indents this line [syntax]\n"                                              \
    "    \t- to: []\n"                                                                                                 \
    "    \t^\n"
#define AFTER_SUBJECTS                                                                                                 \
    "egress.yaml:9:7: warning: '.example.com' covers one label [subdomain-depth]\n"                                    \
    "note: not read: ciliumnetworkpolicies, forbidden: 403 from the API server\n"                                      \
    "note: left out by --exclude: policies/old.yaml\n"                                                                 \
    "note: assumed: no earlier generation of a refused object is enforced\n"                                           \
    "egress.yaml:1: refuse (2 subjects, 2 refused)\n"

static void decision_text_tells_the_worst_first_and_ends_with_the_boundary(void **state) {
    struct decision decision;
    struct buffer got;
    buffer_init(&got, *state);
    sample_decision(*state, &decision);
    report_write_decision(&got, &decision, REPORT_TEXT, &(struct report_options){0});
    assert_text(&got, FINDING "named object NetworkPolicy agents/shell-egress: match (policies/shell.yaml:1:1)\n" //
                ERRORS_OF_FIRST "subject agents {sandbox.namzu.ai/template=shell}: refuse\n"
                              "    pods: agents/shell-0, agents/shell-1\n"
                              "    egress refuse [policy-widens-egress]: 1 within, 1 widens-egress, 14 not selecting\n"
                              "    ingress pass: 1 covers\n" //
                ERRORS_OF_SECOND "subject agents {app=x, sandbox.namzu.ai/template=shell}: refuse\n"
                              "    egress refuse [not-evaluable]: 1 not-evaluable\n"
                              "    ingress refuse [no-covering-policy]\n" //
                AFTER_SUBJECTS);
}

static void decision_text_lists_what_is_counted_with_all(void **state) {
    struct decision decision;
    struct buffer got;
    buffer_init(&got, *state);
    sample_decision(*state, &decision);
    decision.findings.count = 0;
    report_write_decision(&got, &decision, REPORT_TEXT, &(struct report_options){.all = true});
    assert_non_null(strstr(buffer_string(&got),
                           "14 not selecting\n"
                           "        widens-egress: NetworkPolicy agents/extra (policies/extra.yaml:12:9)\n"
                           "        within: NetworkPolicy agents/shell-egress (policies/shell.yaml:1:1)\n"
                           "    ingress pass: 1 covers\n"
                           "        covers: CiliumNetworkPolicy agents/agent specs[1] (policies/agent.yaml:3:1)\n"));
}

static void decision_text_keeps_to_errors_when_quiet(void **state) {
    struct decision decision;
    struct buffer got;
    buffer_init(&got, *state);
    sample_decision(*state, &decision);
    report_write_decision(&got, &decision, REPORT_TEXT, &(struct report_options){.quiet = true});
    assert_text(&got, FINDING ERRORS_OF_FIRST ERRORS_OF_SECOND);
}

static void decision_text_is_empty_for_a_quiet_pass(void **state) {
    struct boundary_decision boundary = {.config_file = "egress.yaml", .config_document = 1};
    struct decision decision = {.boundaries = &boundary, .boundary_count = 1};
    struct buffer got;
    buffer_init(&got, *state);
    report_write_decision(&got, &decision, REPORT_TEXT, &(struct report_options){.quiet = true});
    assert_int_equal(got.length, 0);
}

static void decision_text_sums_up_a_boundary(void **state) {
    struct subject_decision subject = {.namespace = "agents"};
    struct named_decision missing = {
        .status = NAMED_MISSING, .object = {"NetworkPolicy", "agents", "a"}, .part = "missing"};
    struct diagnostic refusal = {.code = CODE_HOST_UNUSABLE, .message = "no"};
    struct boundary_decision boundaries[] = {
        {.config_file = "a.yaml", .config_document = 1},
        {.config_file = "a.yaml", .config_document = 2, .subjects = &subject, .subject_count = 1},
        {.config_file = "a.yaml", .config_document = 3, .named_object = &missing, .refused = true},
        {.config_file = "a.yaml", .config_document = 4, .refused = true, .refusals = {&refusal, 1}},
        {.config_file = "a.yaml",
         .config_document = 5,
         .refused = true,
         .refusals = {&refusal, 1},
         .subjects = &subject,
         .subject_count = 1},
    };
    struct decision decision = {.boundaries = boundaries, .boundary_count = 5};
    struct buffer got;
    buffer_init(&got, *state);
    report_write_decision(&got, &decision, REPORT_TEXT, &(struct report_options){0});
    assert_non_null(strstr(buffer_string(&got), "named object NetworkPolicy agents/a: missing\n"));
    const char *end_of_report = strstr(buffer_string(&got), "a.yaml:1:");
    assert_non_null(end_of_report);
    assert_string_equal(end_of_report, "a.yaml:1: pass (nothing was checked)\n"
                                       "a.yaml:2: pass (1 subject)\n"
                                       "a.yaml:3: refuse (named object missing)\n"
                                       "a.yaml:4: refuse (host-unusable)\n"
                                       "a.yaml:5: refuse (host-unusable, 1 subject)\n");
}

static void decision_text_shows_how_the_named_object_differs(void **state) {
    struct node expected = node_make_string("443"), found = node_make_int(*state, 443);
    struct witness witness = {.entity = "host", .protocol = "ICMP", .has_port = true, .port = 8};
    struct named_decision named = {.status = NAMED_MISMATCH,
                                   .object = {"NetworkPolicy", "agents", "a"},
                                   .location = {"p.yaml", 3, 1},
                                   .part = "egress",
                                   .path = "spec.egress[0].ports[0].port",
                                   .expected = &expected,
                                   .found = &found,
                                   .relation = RELATION_WIDER,
                                   .witness = &witness};
    struct boundary_decision boundary = {
        .config_file = "a.yaml", .config_document = 1, .refused = true, .named_object = &named};
    struct decision decision = {.refused = true, .boundaries = &boundary, .boundary_count = 1};
    struct buffer got;
    buffer_init(&got, *state);
    report_write_decision(&got, &decision, REPORT_TEXT, &(struct report_options){0});
    assert_text(&got, "named object NetworkPolicy agents/a: mismatch of egress at spec.egress[0].ports[0].port "
                      "(p.yaml:3:1)\n"
                      "    expected \"443\"\n"
                      "    found 443\n"
                      "    flows: wider, it also reaches the entity host by ICMP type 8\n"
                      "a.yaml:1: refuse (named object mismatch)\n");
}

static void decision_text_marks_what_is_not_evaluable_by_what_it_decides(void **state) {
    struct examined doubt = {.object = {"NetworkPolicy", "agents", "d"}, .spec = -1, .verdict = VERDICT_NOT_EVALUABLE};
    struct side_decision sides[] = {
        {.examined = &doubt, .examined_count = 1},
        {.examined = &doubt, .examined_count = 1, .refused = true, .refusal = CODE_NO_ENFORCING_POLICY},
        {.examined = &doubt, .examined_count = 1, .refused = true, .refusal = CODE_NOT_EVALUABLE},
    };
    static const char *const expected[] = {
        "note: NetworkPolicy agents/d cannot be evaluated for agents {} [not-evaluable]\n",
        ("warning: NetworkPolicy agents/d cannot be evaluated for agents {} [not-evaluable]\n"
         "error: egress of agents {}: nothing puts the pod into default-deny [no-enforcing-policy]\n"),
        "error: NetworkPolicy agents/d cannot be evaluated for agents {} [not-evaluable]\n",
    };
    for (size_t i = 0; i < 3; i++) {
        struct subject_decision subject = {.namespace = "agents", .refused = sides[i].refused, .egress = &sides[i]};
        struct boundary_decision boundary = {.config_file = "a.yaml", .subjects = &subject, .subject_count = 1};
        struct decision decision = {.boundaries = &boundary, .boundary_count = 1};
        struct buffer got;
        buffer_init(&got, *state);
        report_write_decision(&got, &decision, REPORT_TEXT, &(struct report_options){0});
        assert_int_equal(strncmp(buffer_string(&got), expected[i], strlen(expected[i])), 0);
    }
}

static void witness_json_names_one_kind_of_destination(void **state) {
    static const struct key_value namespace_label[] = {{"kubernetes.io/metadata.name", "db"}};
    static const struct key_value pod_label[] = {{"app", "db"}};
    struct witness witnesses[] = {
        {.fqdn = "a.example.com", .protocol = "TCP", .has_port = true, .port = 443, .server_name = "b.example.com"},
        {.entity = "kube-apiserver", .protocol = "other"},
        {.namespace_labels = {namespace_label, 1},
         .pod_labels = {pod_label, 1},
         .present = true,
         .protocol = "UDP",
         .has_port = true,
         .port = 0},
    };
    static const char *const expected[] = {
        "\"witness\": {\n      \"to\": {\n        \"fqdn\": \"a.example.com\"\n      },\n      \"protocol\": \"TCP\",\n"
        "      \"port\": 443,\n      \"dnsName\": null,\n      \"serverName\": \"b.example.com\"\n    }",
        "\"witness\": {\n      \"to\": {\n        \"entity\": \"kube-apiserver\"\n      },\n"
        "      \"protocol\": \"other\",\n      \"port\": null,\n      \"dnsName\": null,\n      \"serverName\": null\n "
        "   }",
        "\"witness\": {\n      \"to\": {\n        \"pod\": {\n          \"namespace\": {\n"
        "            \"kubernetes.io/metadata.name\": \"db\"\n          },\n          \"labels\": {\n"
        "            \"app\": \"db\"\n          },\n          \"present\": true\n        }\n      },\n"
        "      \"protocol\": \"UDP\",\n      \"port\": 0,\n      \"dnsName\": null,\n      \"serverName\": null\n    }",
    };
    for (size_t i = 0; i < 3; i++) {
        struct named_decision named = {.status = NAMED_MISMATCH, .relation = RELATION_WIDER, .witness = &witnesses[i]};
        struct boundary_decision boundary = {.config_file = "a.yaml", .config_document = 1, .named_object = &named};
        struct decision decision = {.boundaries = &boundary, .boundary_count = 1};
        struct buffer got, wanted;
        buffer_init(&got, *state);
        buffer_init(&wanted, *state);
        report_write_decision(&got, &decision, REPORT_JSON, &(struct report_options){0});
        /* In the report the witness stands four steps further in than written here. */
        for (const char *at = expected[i]; *at; at++) {
            buffer_add_char(&wanted, *at);
            buffer_add_string(&wanted, *at == '\n' ? "    " : "");
        }
        assert_non_null(strstr(buffer_string(&got), buffer_string(&wanted)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(decision_json_has_the_keys_of_the_contract_in_order, begin, end),
        cmocka_unit_test_setup_teardown(decision_text_tells_the_worst_first_and_ends_with_the_boundary, begin, end),
        cmocka_unit_test_setup_teardown(decision_text_lists_what_is_counted_with_all, begin, end),
        cmocka_unit_test_setup_teardown(decision_text_keeps_to_errors_when_quiet, begin, end),
        cmocka_unit_test_setup_teardown(decision_text_is_empty_for_a_quiet_pass, begin, end),
        cmocka_unit_test_setup_teardown(decision_text_sums_up_a_boundary, begin, end),
        cmocka_unit_test_setup_teardown(decision_text_shows_how_the_named_object_differs, begin, end),
        cmocka_unit_test_setup_teardown(decision_text_marks_what_is_not_evaluable_by_what_it_decides, begin, end),
        cmocka_unit_test_setup_teardown(witness_json_names_one_kind_of_destination, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

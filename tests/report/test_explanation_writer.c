#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "sample.h"
#include "tests/arena_state.h"

static const struct explained_rule rules[] = {
    {.effect = EFFECT_ALLOWS,
     .object = {"CiliumNetworkPolicy", "agents", "web"},
     .path = "spec.egress[1]",
     .location = {"web.yaml", 14, 7},
     .detail = "toFQDNs a.example.com on 443/TCP"},
    {.effect = EFFECT_MISSES,
     .object = {"CiliumClusterwideNetworkPolicy", NULL, "dns"},
     .path = "spec.egress[0]",
     .location = {"dns.yaml", 3, 5},
     .detail = "the port is not 53"},
};
static const char *const ports[] = {"443/TCP", "1-65535/UDP"};
static const char *const assumptions[] = {"Cilium 1.17 to 1.19"};

static const struct explanation sample = {.question = "agents/shell-0 to fqdn:a.example.com",
                                          .allowed = ANSWER_NO,
                                          .isolated = ANSWER_YES,
                                          .reason = "no address of a.example.com can be learned",
                                          .learned = ANSWER_NO,
                                          .has_ports = true,
                                          .ports = {ports, 2},
                                          .rules = rules,
                                          .rule_count = 2,
                                          .assumptions = {assumptions, 1}};

static void explanation_text_answers_first_then_lists_rules(void **state) {
    struct buffer got;
    buffer_init(&got, *state);
    report_write_explanation(&got, &sample, REPORT_TEXT, &(struct report_options){0});
    assert_text(&got, "agents/shell-0 to fqdn:a.example.com: not allowed\n"
                      "    no address of a.example.com can be learned\n"
                      "    the pod is isolated on egress\n"
                      "    no DNS rule lets addresses of that name be learned\n"
                      "    ports: 443/TCP, 1-65535/UDP\n"
                      "web.yaml:14:7: allows: CiliumNetworkPolicy agents/web, spec.egress[1]: toFQDNs a.example.com on "
                      "443/TCP\n"
                      "dns.yaml:3:5: misses: CiliumClusterwideNetworkPolicy dns, spec.egress[0]: the port is not 53\n"
                      "note: assumed: Cilium 1.17 to 1.19\n");
}

static void explanation_text_tells_none_from_not_asked(void **state) {
    struct explanation explanation = {.allowed = ANSWER_YES, .isolated = ANSWER_NO, .has_ports = true};
    struct buffer got;
    buffer_init(&got, *state);
    report_write_explanation(&got, &explanation, REPORT_TEXT, &(struct report_options){0});
    assert_text(&got, "allowed\n    nothing isolates the pod on egress\n    ports: none\n");
    explanation.has_ports = false;
    explanation.allowed = explanation.isolated = ANSWER_UNKNOWN;
    buffer_init(&got, *state);
    report_write_explanation(&got, &explanation, REPORT_TEXT, &(struct report_options){0});
    assert_text(&got, "cannot be told\n    whether anything isolates the pod on egress cannot be told\n");
}

static void explanation_json_has_the_keys_of_the_contract_in_order(void **state) {
    struct buffer got;
    buffer_init(&got, *state);
    report_write_explanation(&got, &sample, REPORT_JSON, &(struct report_options){0});
    assert_text(&got, "{\n"
                      "  \"schema\": \"egressc.explain/1\",\n"
                      "  \"allowed\": false,\n"
                      "  \"isolated\": true,\n"
                      "  \"reason\": \"no address of a.example.com can be learned\",\n"
                      "  \"learned\": false,\n"
                      "  \"ports\": [\n    \"443/TCP\",\n    \"1-65535/UDP\"\n  ],\n"
                      "  \"rules\": [\n"
                      "    {\n"
                      "      \"effect\": \"allows\",\n"
                      "      \"kind\": \"CiliumNetworkPolicy\",\n"
                      "      \"namespace\": \"agents\",\n"
                      "      \"name\": \"web\",\n"
                      "      \"path\": \"spec.egress[1]\",\n"
                      "      \"location\": {\n        \"file\": \"web.yaml\",\n        \"line\": 14,\n"
                      "        \"column\": 7\n      },\n"
                      "      \"detail\": \"toFQDNs a.example.com on 443/TCP\"\n"
                      "    },\n"
                      "    {\n"
                      "      \"effect\": \"misses\",\n"
                      "      \"kind\": \"CiliumClusterwideNetworkPolicy\",\n"
                      "      \"namespace\": null,\n"
                      "      \"name\": \"dns\",\n"
                      "      \"path\": \"spec.egress[0]\",\n"
                      "      \"location\": {\n        \"file\": \"dns.yaml\",\n        \"line\": 3,\n"
                      "        \"column\": 5\n      },\n"
                      "      \"detail\": \"the port is not 53\"\n"
                      "    }\n"
                      "  ],\n"
                      "  \"assumptions\": [\n    \"Cilium 1.17 to 1.19\"\n  ],\n"
                      "  \"findings\": []\n"
                      "}\n");
}

static void explanation_json_gives_null_for_what_cannot_be_told(void **state) {
    struct explanation explanation = {.reason = "the pod's labels are not among the inputs"};
    struct buffer got;
    buffer_init(&got, *state);
    report_write_explanation(&got, &explanation, REPORT_JSON, &(struct report_options){0});
    assert_text(&got, "{\n"
                      "  \"schema\": \"egressc.explain/1\",\n"
                      "  \"allowed\": null,\n"
                      "  \"isolated\": null,\n"
                      "  \"reason\": \"the pod's labels are not among the inputs\",\n"
                      "  \"learned\": null,\n"
                      "  \"ports\": null,\n"
                      "  \"rules\": [],\n"
                      "  \"assumptions\": [],\n"
                      "  \"findings\": []\n"
                      "}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(explanation_text_answers_first_then_lists_rules, begin, end),
        cmocka_unit_test_setup_teardown(explanation_text_tells_none_from_not_asked, begin, end),
        cmocka_unit_test_setup_teardown(explanation_json_has_the_keys_of_the_contract_in_order, begin, end),
        cmocka_unit_test_setup_teardown(explanation_json_gives_null_for_what_cannot_be_told, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

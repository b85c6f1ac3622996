/* What is read of Cilium policies (spec/cilium-egress.md 1, 3, 4, 5, 6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "sample.h"

static const struct cilium_rule *read_rule(struct sample **sample, const char *spec) {
    const struct policy *policy = sample_policy(sample, OBJECT_CILIUM_NETWORK_POLICY, spec);
    assert_int_equal(policy->rule_count, 1);
    assert_null(policy->core);
    return policy->rules;
}

static const struct cilium_entry *read_egress(struct sample **sample, const char *entry) {
    char spec[2000];
    snprintf(spec, sizeof spec, "{endpointSelector: {}, egress: [%s]}", entry);
    const struct cilium_rule *rule = read_rule(sample, spec);
    assert_int_equal(rule->egress.count, 1);
    return rule->egress.list;
}

static void spec_comes_before_specs(void **state) {
    (void)state;
    struct sample *sample;
    const struct policy *policy = sample_policy_body(
        &sample, OBJECT_CILIUM_NETWORK_POLICY,
        "specs: [{endpointSelector: {}, egress: [{}]}, {}]\nspec: {endpointSelector: {}, egress: [{}, {}]}");
    assert_int_equal(policy->rule_count, 3);
    assert_int_equal(policy->rules[0].index, -1);
    assert_string_equal(policy->rules[0].part.path, "spec");
    assert_int_equal(policy->rules[0].egress.count, 2);
    assert_int_equal(policy->rules[1].index, 0);
    assert_string_equal(policy->rules[2].part.path, "specs[1]");
    assert_int_equal(policy->rules[2].index, 1);
    assert_int_equal(policy->rules[2].endpoint_selector.presence, PRESENCE_ABSENT);
    sample_destroy(sample);
}

static void lists_are_absent_empty_or_filled(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_rule *rule =
        read_rule(&sample, "{endpointSelector: {}, nodeSelector: null, egress: [], egressDeny: null, ingress: [{}]}");
    assert_int_equal(rule->endpoint_selector.presence, PRESENCE_EMPTY);
    assert_int_equal(rule->node_selector.presence, PRESENCE_ABSENT);
    assert_int_equal(rule->egress.presence, PRESENCE_EMPTY);
    assert_int_equal(rule->egress_deny.presence, PRESENCE_ABSENT);
    assert_int_equal(rule->ingress.presence, PRESENCE_FILLED);
    assert_int_equal(rule->ingress_deny.presence, PRESENCE_ABSENT);
    sample_destroy(sample);
    const struct cilium_entry *entry =
        read_egress(&sample, "{toEndpoints: [], toEntities: null, toCIDR: [], toCIDRSet: [], toFQDNs: [], "
                             "toServices: [], toGroups: [], toNodes: [], toPorts: [], icmps: []}");
    assert_int_equal(entry->endpoints.presence, PRESENCE_EMPTY);
    assert_int_equal(entry->entities.presence, PRESENCE_ABSENT);
    assert_int_equal(entry->cidrs.presence, PRESENCE_EMPTY);
    assert_int_equal(entry->cidr_sets.presence, PRESENCE_EMPTY);
    assert_int_equal(entry->fqdns.presence, PRESENCE_EMPTY);
    assert_int_equal(entry->services.presence, PRESENCE_EMPTY);
    assert_int_equal(entry->groups, PRESENCE_EMPTY);
    assert_int_equal(entry->nodes.presence, PRESENCE_EMPTY);
    assert_int_equal(entry->requires.presence, PRESENCE_ABSENT);
    assert_int_equal(entry->port_presence, PRESENCE_EMPTY);
    assert_int_equal(entry->icmp_presence, PRESENCE_EMPTY);
    sample_destroy(sample);
}

static void default_deny_is_unset_false_or_true(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_rule *rule =
        read_rule(&sample, "{endpointSelector: {}, egress: [{}], enableDefaultDeny: {egress: false, ingress: null}}");
    assert_int_equal(rule->default_deny_egress, TRISTATE_FALSE);
    assert_int_equal(rule->default_deny_ingress, TRISTATE_UNSET);
    sample_destroy(sample);
    rule = read_rule(&sample, "{endpointSelector: {}, egress: [{}], enableDefaultDeny: {egress: yes}}");
    assert_int_equal(rule->default_deny_egress, TRISTATE_TRUE);
    sample_destroy(sample);
}

static void selectors_keep_keys_as_written_and_lose_null_values(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_entry *entry = read_egress(
        &sample, "{toEndpoints: [{}, {matchLabels: {'k8s:app': a, b: null}, matchExpressions: [{key: 'reserved:host', "
                 "operator: DoesNotExist}]}]}");
    assert_int_equal(entry->endpoints.count, 2);
    assert_int_equal(entry->endpoints.list[0].presence, PRESENCE_EMPTY);
    const struct selector *selector = &entry->endpoints.list[1];
    assert_int_equal(selector->count, 2);
    assert_string_equal(selector->requirements[0].key, "k8s:app");
    assert_string_equal(selector->requirements[1].key, "reserved:host");
    assert_int_equal(selector->requirements[1].verb, OPERATOR_DOES_NOT_EXIST);
    assert_string_equal(selector->part.path, "spec.egress[0].toEndpoints[1]");
    sample_destroy(sample);
}

static void peers_are_read(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_entry *entry = read_egress(
        &sample, "{toEntities: [world, 5], toCIDR: [10.0.0.0/8, x], toCIDRSet: [{cidr: 10.0.0.0/8, except: "
                 "[10.1.0.0/16, x]}, {cidrGroupRef: g}, {cidrGroupSelector: {matchLabels: {a: b}}}], toFQDNs: "
                 "[{matchName: A.b}, {matchPattern: '*.c'}], toServices: [{k8sService: {serviceName: s, namespace: "
                 "ns}}, {k8sServiceSelector: {selector: {matchLabels: {d: e}}, namespace: m}}], toGroups: [{}]}");
    assert_int_equal(entry->entities.count, 2);
    assert_string_equal(entry->entities.list[0], "world");
    assert_null(entry->entities.list[1]);
    assert_string_equal(entry->entities.parts[1].path, "spec.egress[0].toEntities[1]");
    assert_true(entry->cidrs.list[0].usable);
    assert_false(entry->cidrs.list[1].usable);
    const struct cilium_cidr *sets = entry->cidr_sets.list;
    assert_true(sets[0].usable);
    assert_int_equal(sets[0].except_count, 2);
    assert_true(sets[0].excepts[0].usable);
    assert_false(sets[0].excepts[1].usable);
    assert_false(sets[1].usable);
    assert_string_equal(sets[1].group, "g");
    assert_null(sets[0].group);
    assert_int_equal(sets[0].group_selector.presence, PRESENCE_ABSENT);
    assert_int_equal(sets[2].group_selector.presence, PRESENCE_FILLED);
    assert_string_equal(entry->fqdns.names[0].match_name, "A.b");
    assert_null(entry->fqdns.names[0].match_pattern);
    assert_string_equal(entry->fqdns.names[1].match_pattern, "*.c");
    const struct cilium_service *services = entry->services.list;
    assert_true(services[0].has_service && !services[0].has_selector);
    assert_string_equal(services[0].name, "s");
    assert_string_equal(services[0].namespace, "ns");
    assert_true(!services[1].has_service && services[1].has_selector);
    assert_int_equal(services[1].selector.count, 1);
    assert_string_equal(services[1].selector_namespace, "m");
    assert_int_equal(entry->groups, PRESENCE_FILLED);
    sample_destroy(sample);
}

static void ports_are_read_as_the_agent_does(void **state) {
    static const struct {
        const char *port, *protocol;
        enum port_form form;
        unsigned number, end;
        bool has_end;
        const char *name;
    } rows[] = {
        {"{port: '0'}", "ANY", PORT_ALL, 0, 0, false, NULL},
        {"{port: '53', protocol: UDP}", "UDP", PORT_NUMBER, 53, 53, false, NULL},
        {"{port: '010'}", "ANY", PORT_NUMBER, 8, 8, false, NULL},
        {"{port: '1_000'}", "ANY", PORT_NUMBER, 1000, 1000, false, NULL},
        {"{port: '0x10'}", "ANY", PORT_NAME, 0, 0, false, "0x10"},
        {"{port: Http}", "ANY", PORT_NAME, 0, 0, false, "http"},
        {"{port: http, endPort: 90}", "ANY", PORT_NAME, 0, 0, false, "http"},
        {"{port: '08'}", "ANY", PORT_INVALID, 0, 0, false, NULL},
        {"{}", "ANY", PORT_INVALID, 0, 0, false, NULL},
        {"{port: 80}", "ANY", PORT_INVALID, 0, 0, false, NULL},
        {"{port: '80', endPort: 90, protocol: null}", "ANY", PORT_NUMBER, 80, 90, true, NULL},
        {"{port: '80', endPort: 80}", "ANY", PORT_NUMBER, 80, 80, false, NULL},
        {"{port: '80', endPort: 7}", "ANY", PORT_NUMBER, 80, 80, false, NULL},
        {"{port: '0', endPort: 90}", "ANY", PORT_NUMBER, 0, 90, true, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char entry[200];
        struct sample *sample;
        snprintf(entry, sizeof entry, "{toPorts: [{ports: [%s]}]}", rows[i].port);
        const struct cilium_port *port = read_egress(&sample, entry)->ports[0].ports;
        assert_string_equal(port->protocol, rows[i].protocol);
        assert_int_equal(port->form, rows[i].form);
        assert_int_equal(port->number, rows[i].number);
        assert_int_equal(port->end, rows[i].end);
        assert_int_equal(port->has_end, rows[i].has_end);
        assert_int_equal(port->name != NULL, rows[i].name != NULL);
        if (rows[i].name)
            assert_string_equal(port->name, rows[i].name);
        sample_destroy(sample);
    }
}

static void l7_rules_are_dns_or_opaque(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_entry *entry = read_egress(
        &sample,
        "{toPorts: [{ports: [{port: '53'}], rules: {dns: [{matchName: a}]}}, {ports: [], rules: {http: [{path: "
        "a, method: GET}]}}, {rules: {http: [{method: GET, host: null, path: a}]}}, {rules: {dns: [], http: "
        "[]}}, {serverNames: [b, c]}, {rules: null}, {rules: {l7proto: x}}]}");
    const struct cilium_port_rule *rules = entry->ports;
    assert_int_equal(entry->port_count, 7);
    assert_true(rules[0].has_rules);
    assert_int_equal(rules[0].dns.presence, PRESENCE_FILLED);
    assert_string_equal(rules[0].dns.names[0].match_name, "a");
    assert_int_equal(rules[0].http, PRESENCE_ABSENT);
    assert_null(rules[0].http_text);
    assert_int_equal(rules[1].http, PRESENCE_FILLED);
    assert_string_equal(rules[1].http_text, rules[2].http_text);
    assert_string_equal(rules[1].http_part.path, "spec.egress[0].toPorts[1].rules.http");
    assert_int_equal(rules[3].dns.presence, PRESENCE_EMPTY);
    assert_int_equal(rules[3].http, PRESENCE_EMPTY);
    assert_false(rules[4].has_rules);
    assert_int_equal(rules[4].server_names.count, 2);
    assert_string_equal(rules[4].server_names.list[1], "c");
    assert_string_equal(rules[4].server_names.parts[1].path, "spec.egress[0].toPorts[4].serverNames[1]");
    assert_false(rules[5].has_rules);
    assert_int_equal(rules[6].http, PRESENCE_FILLED);
    sample_destroy(sample);
}

static void contexts_and_listeners_have_a_text_that_equal_ones_share(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_entry *entry = read_egress(
        &sample, "{authentication: {mode: required}, toPorts: [{terminatingTLS: {secret: {name: a, namespace: b}}}, "
                 "{terminatingTLS: {secret: {namespace: b, name: a}, trustedCA: null}}, {originatingTLS: {secret: "
                 "{namespace: b, name: a}}}, {listener: {name: c, envoyConfig: {name: d}}}, {}]}");
    const struct cilium_port_rule *rules = entry->ports;
    assert_string_equal(entry->authentication, "required");
    assert_true(rules[0].terminates_tls && !rules[0].originates_tls && !rules[0].has_listener);
    assert_string_equal(rules[0].proxy_text, rules[1].proxy_text);
    assert_true(rules[2].originates_tls && !rules[2].terminates_tls);
    assert_string_not_equal(rules[0].proxy_text, rules[2].proxy_text);
    assert_true(rules[3].has_listener);
    assert_null(rules[4].proxy_text);
    sample_destroy(sample);
}

static void denies_hold_nothing_that_is_pruned_from_them(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_rule *rule = read_rule(
        &sample, "{endpointSelector: {}, egressDeny: [{toFQDNs: [{matchName: a}], toPorts: [{ports: [{port: '80'}], "
                 "rules: {http: [{}]}, serverNames: [b], listener: {}}], authentication: {mode: required}}]}");
    const struct cilium_entry *entry = rule->egress_deny.list;
    assert_int_equal(entry->fqdns.presence, PRESENCE_ABSENT);
    assert_int_equal(entry->port_count, 1);
    assert_int_equal(entry->ports[0].port_count, 1);
    assert_false(entry->ports[0].has_rules);
    assert_int_equal(entry->ports[0].http, PRESENCE_ABSENT);
    assert_int_equal(entry->ports[0].server_names.presence, PRESENCE_ABSENT);
    assert_false(entry->ports[0].has_listener);
    assert_null(entry->ports[0].proxy_text);
    assert_null(entry->authentication);
    sample_destroy(sample);
}

static void icmps_of_all_entries_stand_in_one_list(void **state) {
    static const struct {
        unsigned type;
        bool ipv6, usable;
    } rows[] = {{8, false, true}, {128, true, true}, {8, false, true}, {0, false, true}, {0, false, false}};
    (void)state;
    struct sample *sample;
    const struct cilium_entry *entry = read_egress(
        &sample,
        "{icmps: [{fields: [{type: 8}, {type: EchoRequest, family: IPv6}]}, {}, {fields: [{type: EchoRequest}, "
        "{type: '0'}, {type: Ping}]}]}");
    assert_int_equal(entry->icmp_presence, PRESENCE_FILLED);
    assert_int_equal(entry->icmp_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(entry->icmps[i].ipv6, rows[i].ipv6);
        assert_int_equal(entry->icmps[i].usable, rows[i].usable);
        if (rows[i].usable)
            assert_int_equal(entry->icmps[i].type, rows[i].type);
    }
    assert_string_equal(entry->icmps[2].part.path, "spec.egress[0].icmps[2].fields[0]");
    sample_destroy(sample);
}

static void ingress_sources_stand_where_egress_destinations_do(void **state) {
    (void)state;
    struct sample *sample;
    const struct cilium_rule *rule = read_rule(
        &sample, "{endpointSelector: {}, ingress: [{fromEndpoints: [{}], fromEntities: [all], fromCIDR: "
                 "['::/0'], fromCIDRSet: [{cidr: 0.0.0.0/0}], fromRequires: [{}], fromNodes: [{}], fromGroups: "
                 "[{}]}], ingressDeny: [{fromEntities: [world]}]}");
    const struct cilium_entry *entry = rule->ingress.list;
    assert_int_equal(entry->endpoints.count, 1);
    assert_string_equal(entry->entities.list[0], "all");
    assert_int_equal(entry->cidrs.count, 1);
    assert_int_equal(entry->cidr_sets.count, 1);
    assert_int_equal(entry->requires.count, 1);
    assert_int_equal(entry->nodes.count, 1);
    assert_int_equal(entry->groups, PRESENCE_FILLED);
    assert_string_equal(rule->ingress_deny.list[0].entities.list[0], "world");
    sample_destroy(sample);
}

static void null_entries_are_refused_and_read_as_zero_ones(void **state) {
    (void)state;
    struct sample *sample;
    const struct policy *policy =
        sample_policy(&sample, OBJECT_CILIUM_NETWORK_POLICY,
                      "{endpointSelector: {}, egress: [null, {toPorts: [null], toCIDR: [null], toFQDNs: [null]}]}");
    unsigned nulls = 0;
    for (uint32_t i = 0; i < policy->problem_count; i++)
        nulls += policy->problems[i].code == CODE_NULL_ENTRY && policy->problems[i].effect == PROBLEM_REFUSED_API;
    assert_int_equal(nulls, 4);
    assert_int_equal(policy->rules[0].egress.count, 2);
    assert_int_equal(policy->rules[0].egress.list[0].endpoints.presence, PRESENCE_ABSENT);
    assert_int_equal(policy->rules[0].egress.list[1].ports[0].port_count, 0);
    assert_null(policy->rules[0].egress.list[1].fqdns.names[0].match_name);
    sample_destroy(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spec_comes_before_specs),
        cmocka_unit_test(lists_are_absent_empty_or_filled),
        cmocka_unit_test(default_deny_is_unset_false_or_true),
        cmocka_unit_test(selectors_keep_keys_as_written_and_lose_null_values),
        cmocka_unit_test(peers_are_read),
        cmocka_unit_test(ports_are_read_as_the_agent_does),
        cmocka_unit_test(l7_rules_are_dns_or_opaque),
        cmocka_unit_test(contexts_and_listeners_have_a_text_that_equal_ones_share),
        cmocka_unit_test(denies_hold_nothing_that_is_pruned_from_them),
        cmocka_unit_test(icmps_of_all_entries_stand_in_one_list),
        cmocka_unit_test(ingress_sources_stand_where_egress_destinations_do),
        cmocka_unit_test(null_entries_are_refused_and_read_as_zero_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
